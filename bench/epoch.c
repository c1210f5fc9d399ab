/* epoch.c - the cost of an epoch.
 *
 * Measures an empty epoch, one in which every rank sends one message, and one that carries a reduction, on each
 * transport, interleaved with MPI_Allreduce of one word, MPI_Iallreduce of one word that is tested until it is complete,
 * as scree's rounds are, and MPI_Barrier. 2, 4, 8 ... ranks run up to all that were
 * started, while the others sleep. Any number of ranks works. Two ranks of a run of 16 are not bound to cores, and
 * their MPI knows that it has more ranks than cores; for the figures of two ranks start two. */
#include "epoch_jobs.h"
#include "modes.h"

static void run_reduce(void *arg, uint64_t n) {
  epoch_context *s = arg;
  for (uint64_t i = 0; i < n; i++) {
    scree_reduce r = {.sum = {i, 1}, .min = i, .max = i};
    scree_begin(s->w);
    scree_end(s->w, &r);
    if (r.sum[0] != i * s->w->ranks || r.max != i) s->wrong_sum = true;
  }
}

typedef struct {
  uint64_t ranks, wrong;
} plain;

static void run_allreduce(void *arg, uint64_t n) {
  plain *p = arg;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t all = 0;
    MPI_Allreduce(&i, &all, 1, MPI_UINT64_T, MPI_SUM, bench_comm);
    p->wrong += all != i * p->ranks;
  }
}

static void run_iallreduce(void *arg, uint64_t n) {
  plain *p = arg;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t all = 0;
    MPI_Request request;
    int done = 0;
    MPI_Iallreduce(&i, &all, 1, MPI_UINT64_T, MPI_SUM, bench_comm, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    p->wrong += all != i * p->ranks;
  }
}

static bool check_allreduce(void *arg, uint64_t n) {
  (void)n;
  return ((const plain *)arg)->wrong == 0;
}

static void run_barrier(void *arg, uint64_t n) {
  (void)arg;
  for (uint64_t i = 0; i < n; i++) MPI_Barrier(bench_comm);
}

static void report(bench *b, const bench_variant *variant, const char *transport, double allreduce, double iallreduce) {
  bench_row(b, BENCH_TEXT("operation", "%-20s", variant->name), BENCH_TEXT("transport", " %-4s", transport),
            BENCH_CELL("ranks", " %6.0f", b->ranks, 1), BENCH_CELL("seconds", " %10.3f", variant->seconds, 1e6),
            BENCH_CELL("allreduce_ratio", " %10.2f", variant->seconds / allreduce, 1),
            BENCH_CELL("iallreduce_ratio", " %11.2f", variant->seconds / iallreduce, 1),
            BENCH_CELL("spread", " %6.0f%%", variant->spread, 100));
}

enum { COLLECTIVES = 3, PER_TRANSPORT = 3, VARIANTS = 2 * PER_TRANSPORT + COLLECTIVES };

static bool run_all(bench *b, epoch_context *shm, epoch_context *mpi) {
  plain p = {(uint64_t)b->ranks, 0};
  bench_variant variants[VARIANTS] = {
      {.name = "MPI_Allreduce", .run = run_allreduce, .check = check_allreduce, .arg = &p},
      {.name = "MPI_Iallreduce", .run = run_iallreduce, .check = check_allreduce, .arg = &p},
      {.name = "MPI_Barrier", .run = run_barrier},
      {.name = "empty epoch", .run = epoch_empty, .check = epoch_check_empty, .arg = shm},
      {.name = "epoch, one message", .run = epoch_message, .check = epoch_check_message, .arg = shm},
      {.name = "epoch, reduction", .run = run_reduce, .check = epoch_check_empty, .arg = shm}};
  for (int i = 0; i < PER_TRANSPORT; i++) {
    variants[COLLECTIVES + PER_TRANSPORT + i] = variants[COLLECTIVES + i];
    variants[COLLECTIVES + PER_TRANSPORT + i].arg = mpi;
  }
  if (!bench_rounds(b, variants, VARIANTS)) return false;
  for (int i = 0; i < VARIANTS; i++) {
    bool is_mpi = variants[i].arg != shm; /* scree's transport, or MPI's own collective */
    report(b, &variants[i], bench_transport(is_mpi ? SCREE_TRANSPORT_MPI : SCREE_TRANSPORT_SHM), variants[0].seconds,
           variants[1].seconds);
  }
  return true;
}

static bool run_ranks(bench *b, void *unused) {
  epoch_context shm = {0}, mpi = {0};
  (void)unused;
  shm.world = bench_world(SCREE_TRANSPORT_SHM);
  mpi.world = bench_world(SCREE_TRANSPORT_MPI);
  if (!shm.world || !mpi.world || !epoch_open(&shm) || !epoch_open(&mpi)) return false;
  bool good = run_all(b, &shm, &mpi);
  return bench_close(shm.world, mpi.world) && good;
}

static bool run(bench *b) {
  if (b->rank == 0)
    printf("%-20s %-4s %6s %10s %10s %11s %7s\n", "", "", "ranks", "us", "/Allreduce", "/Iallreduce", "spread");
  return epoch_on_ranks(b, run_ranks);
}

int main(int argc, char **argv) {
  static const bench_mode modes[] = {
      {.name = "epoch",
       .what = "epochs on 2, 4, 8 ... ranks against MPI_Allreduce, MPI_Iallreduce and MPI_Barrier",
       .run = run},
      {.name = "detector",
       .what = "epochs on 2, 4, 8 ... ranks with each detector, and messages for detection per epoch and rank; --full: "
               "counted "
               "in "
               "the simulator up to 1,024 ranks",
       .run = bench_detector},
      {.name = "trace",
       .what = "nanoseconds of an item sent to a random rank, and of an empty epoch, in a world that is not traced "
               "(off) and "
               "in "
               "one that is (on)",
       .run = bench_trace},
      {0}};
  return bench_main(argc, argv, modes);
}
