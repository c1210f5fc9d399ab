/* epoch.c - the cost of an epoch.
 *
 * Measures an empty epoch, one in which every rank sends one message, and one that carries a reduction, on each
 * transport, interleaved with MPI_Allreduce of one word, MPI_Iallreduce of one word that is tested until it is complete,
 * as scree's rounds are, and MPI_Barrier. 2, 4, 8 ... ranks run up to all that were
 * started, while the others sleep. Any number of ranks works. Two ranks of a run of 16 are not bound to cores, and
 * their MPI knows that it has more ranks than cores; for the figures of two ranks start two. */
#include "common.h"

typedef struct {
  uint64_t number;
} tick;
SCREE_MESSAGE(ticks, tick);

typedef struct {
  scree_world *world;
  scree_worker *w;
  ticks_type t;
  uint64_t epochs;    /* at the last check */
  uint64_t seen, sum; /* messages; the sum of their numbers */
  bool wrong_sum;     /* of a reduction */
} context;

static void on_tick(scree_worker *w, const scree_batch *batch, const tick *items, void *arg) {
  context *s = arg;
  for (uint32_t i = 0; i < batch->count; i++) s->sum += items[i].number;
  s->seen += batch->count;
  (void)w;
}
SCREE_HANDLER(ticks, tick, on_tick);

static bool open_context(context *s, uint64_t transport) {
  s->world = bench_world(transport);
  if (!s->world) return false;
  s->w = scree_worker_of(s->world, 0);
  return ticks_register(s->world, s, &s->t) == SCREE_OK;
}

static void run_empty(void *arg, uint64_t n) {
  const context *s = arg;
  for (uint64_t i = 0; i < n; i++) {
    scree_begin(s->w);
    scree_end(s->w, NULL);
  }
}

static void run_message(void *arg, uint64_t n) {
  const context *s = arg;
  uint32_t next = (s->w->rank + 1) % s->w->ranks;
  for (uint64_t i = 0; i < n; i++) {
    scree_begin(s->w);
    ticks_send(s->w, s->t, next, (tick){i + 1});
    scree_end(s->w, NULL);
  }
}

static void run_reduce(void *arg, uint64_t n) {
  context *s = arg;
  for (uint64_t i = 0; i < n; i++) {
    scree_reduce r = {.sum = {i, 1}, .min = i, .max = i};
    scree_begin(s->w);
    scree_end(s->w, &r);
    if (r.sum[0] != i * s->w->ranks || r.max != i) s->wrong_sum = true;
  }
}

static bool ended(context *s, uint64_t n) {
  scree_stats stats;
  scree_stats_read(s->world, &stats);
  bool good = stats.epochs - s->epochs == n && scree_error(s->world) == SCREE_OK && !s->wrong_sum;
  s->epochs = stats.epochs;
  return good;
}

static bool check_empty(void *arg, uint64_t n) {
  return ended(arg, n);
}

static bool check_message(void *arg, uint64_t n) {
  context *s = arg;
  bool good = s->seen == n && s->sum == n * (n + 1) / 2;
  s->seen = s->sum = 0;
  return ended(s, n) && good;
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
  if (b->rank == 0)
    printf("%-20s %-4s %6d %10.3f %10.2f %11.2f %6.0f%%\n", variant->name, transport, b->ranks, 1e6 * variant->seconds,
           variant->seconds / allreduce, variant->seconds / iallreduce, 100 * variant->spread);
  cJSON *record = bench_record(b);
  cJSON_AddStringToObject(record, "operation", variant->name);
  cJSON_AddStringToObject(record, "transport", transport);
  cJSON_AddNumberToObject(record, "ranks", b->ranks);
  cJSON_AddNumberToObject(record, "seconds", variant->seconds);
  cJSON_AddNumberToObject(record, "allreduce_ratio", variant->seconds / allreduce);
  cJSON_AddNumberToObject(record, "iallreduce_ratio", variant->seconds / iallreduce);
  cJSON_AddNumberToObject(record, "spread", variant->spread);
}

enum { COLLECTIVES = 3, PER_TRANSPORT = 3, VARIANTS = 2 * PER_TRANSPORT + COLLECTIVES };

static bool run_all(bench *b, context *shm, context *mpi) {
  plain p = {(uint64_t)b->ranks, 0};
  bench_variant variants[VARIANTS] = {
      {.name = "MPI_Allreduce", .run = run_allreduce, .check = check_allreduce, .arg = &p},
      {.name = "MPI_Iallreduce", .run = run_iallreduce, .check = check_allreduce, .arg = &p},
      {.name = "MPI_Barrier", .run = run_barrier},
      {.name = "empty epoch", .run = run_empty, .check = check_empty, .arg = shm},
      {.name = "epoch, one message", .run = run_message, .check = check_message, .arg = shm},
      {.name = "epoch, reduction", .run = run_reduce, .check = check_empty, .arg = shm}};
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
  context shm = {.world = NULL}, mpi = {.world = NULL};
  (void)unused;
  if (!open_context(&shm, SCREE_TRANSPORT_SHM) || !open_context(&mpi, SCREE_TRANSPORT_MPI)) return false;
  bool good = run_all(b, &shm, &mpi);
  return bench_close(shm.world, mpi.world) && good;
}

int main(int argc, char **argv) {
  bench b;
  bool good = true;
  if (!bench_start(&b, argc, argv, "epoch",
                   "epochs on 2, 4, 8 ... ranks against MPI_Allreduce, MPI_Iallreduce and MPI_Barrier"))
    return bench_finish(&b, 2);
  if (b.rank == 0)
    printf("%-20s %-4s %6s %10s %10s %11s %7s\n", "", "", "ranks", "us", "/Allreduce", "/Iallreduce", "spread");
  for (int n = 2; good && n < b.ranks; n *= 2) good = bench_on_ranks(&b, n, run_ranks, NULL);
  good = good && bench_on_ranks(&b, b.ranks, run_ranks, NULL);
  return bench_finish(&b, good ? 0 : 1);
}
