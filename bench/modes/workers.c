/* workers.c - as many workers in one rank as there are ranks of one worker: message rate and empty epochs.
 *
 * P ranks of one worker, and then the first of them alone with P workers, take turns. (With SCREE_THREADS=W the first P/W
 * of them with W workers each.) Each worker sends updates of 8 bytes
 * to random workers of the job, whose handler does one read-modify-write in the worker's own table of 2^20 words: a type
 * to workers, so no atomic operation. Then come empty epochs. The ranks that do not take part sleep. Start it with no
 * more ranks than cores, and not bound to single cores (mpirun --bind-to none), which the workers of one rank would
 * share; the option pin (SCREE_PIN) binds them. */
#include <scree/scree_mpi.h>
#include <stdlib.h>

#include "modes.h"

enum { TABLE = 1 << 20, EPOCHS = 2000 };

SCREE_MESSAGE(update, uint64_t);

/* One worker's, on cache lines of its own. */
typedef struct {
  __attribute__((aligned(64))) uint64_t *table;
  uint64_t seen;
} target;

typedef struct {
  update_type update;
  uint32_t workers; /* of each rank */
  uint64_t items;   /* that each sends */
  uint64_t epochs;  /* instead, if not 0 */
  target to[SCREE_THREADS_MAX];
} job;

static void on_update(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  target *t = &((job *)arg)->to[w->index];
  uint64_t *table = t->table;
  for (uint32_t i = 0; i < batch->count; i++) table[items[i]]++;
  t->seen += batch->count;
}
SCREE_HANDLER(update, uint64_t, on_update);

static void work(scree_worker *w, void *arg) {
  const job *j = arg;
  const update_type update = j->update;
  const uint32_t all = w->ranks * j->workers;
  uint64_t x = 88172645463325252u + scree_worker_number(w, w->rank, w->index);
  for (uint64_t i = 0; i < j->epochs; i++) {
    scree_begin(w);
    scree_end(w, NULL);
  }
  if (j->epochs) return;
  scree_begin(w);
  for (uint64_t i = j->items; i > 0; i--) {
    uint64_t draw = bench_draw(&x);
    update_send(w, update, bench_below(draw, all), draw >> 12 & (TABLE - 1));
  }
  scree_end(w, NULL);
}

/* Seconds of the slowest rank. */
static double timed(scree_world *world, job *j) {
  double start = bench_now();
  scree_run_workers(world, j->workers, work, j);
  return bench_slowest(bench_now() - start);
}

static bool all_seen(const scree_world *world, const job *j, uint64_t runs) {
  uint64_t seen = 0, all = 0, ranks = scree_worker_of((scree_world *)(uintptr_t)world, 0)->ranks;
  for (uint32_t i = 0; i < j->workers; i++) seen += j->to[i].seen;
  MPI_Allreduce(&seen, &all, 1, MPI_UINT64_T, MPI_SUM, bench_comm);
  return all == runs * j->items * j->workers * ranks && scree_error(world) == SCREE_OK;
}

/* What a turn measured: seconds of a run of messages, and of one empty epoch. */
typedef struct {
  uint32_t workers;
  double *messages, *epochs;
  int turn;
} series;

static bool prepare(job *j, scree_world *world) {
  bool good = world && update_register_with(world, SCREE_TO_WORKER, j, &j->update) == SCREE_OK;
  for (uint32_t i = 0; i < j->workers && good; i++) good = (j->to[i].table = bench_alloc(TABLE * 8, true)) != NULL;
  return bench_all(good);
}

/* One turn: a world of its own, a run to warm up, and one that counts. */
static bool take_turn(bench *b, void *arg) {
  series *s = arg;
  static job j;
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  j = (job){.workers = s->workers, .items = UINT64_C(1) << (b->scale ? b->scale : 20)};
  options.transport = SCREE_TRANSPORT_SHM;
  options.threads = s->workers;
  bool good = scree_open_mpi(bench_comm, &options, &world) == SCREE_OK && prepare(&j, world);
  if (good) {
    timed(world, &j);
    s->messages[s->turn] = timed(world, &j);
    good = all_seen(world, &j, 2);
    j.epochs = EPOCHS;
    s->epochs[s->turn] = timed(world, &j) / EPOCHS;
  }
  for (uint32_t i = 0; i < j.workers; i++) scree_huge_free(j.to[i].table);
  return world && scree_close(world) == SCREE_OK && good;
}

static void report(bench *b, const series *s, int ranks, double rate, double epoch, double base_rate,
                   double base_epoch) {
  bench_row(b, BENCH_CELL("ranks", "%5.0f", ranks, 1), BENCH_CELL("workers", " %7.0f", s->workers, 1),
            BENCH_CELL("rate", " %12.2f", rate, 1e-6), BENCH_CELL("epoch_seconds", " %9.3f", epoch, 1e6),
            BENCH_CELL("rate_ratio", " %8.2f", rate / base_rate, 1),
            BENCH_CELL("epoch_ratio", " %8.2f", epoch / base_epoch, 1));
}

bool bench_workers(bench *b) {
  const int ranks = b->ranks, wanted = getenv("SCREE_THREADS") ? atoi(getenv("SCREE_THREADS")) : ranks;
  const int threads = wanted > 0 && wanted <= ranks ? wanted : ranks;
  double *values = calloc(4 * (size_t)b->rounds, sizeof *values);
  if (!values) abort();
  series of[2] = {{.workers = 1, .messages = values, .epochs = values + b->rounds},
                  {.workers = (uint32_t)threads, .messages = values + 2 * b->rounds, .epochs = values + 3 * b->rounds}};
  bool good = threads <= SCREE_THREADS_MAX && ranks % threads == 0;
  for (int turn = 0; good && turn < b->rounds; turn++)
    for (int i = 0; good && i < 2; i++) {
      of[i].turn = turn;
      good = bench_on_ranks(b, i ? ranks / threads : ranks, take_turn, &of[i]);
    }
  if (b->rank == 0 && good) {
    const double items = (double)(UINT64_C(1) << (b->scale ? b->scale : 20));
    double rate[2], epoch[2];
    printf("%5s %7s %12s %9s %8s %8s\n", "ranks", "workers", "M/s of each", "epoch us", "rate", "epoch");
    for (int i = 0; i < 2; i++) {
      rate[i] = items / bench_median(of[i].messages, b->rounds);
      epoch[i] = bench_median(of[i].epochs, b->rounds);
      report(b, &of[i], i ? ranks / threads : ranks, rate[i], epoch[i], rate[0], epoch[0]);
    }
  }
  free(values);
  return good;
}
