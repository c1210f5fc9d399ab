/* epoch.c - the cost of an epoch.
 *
 * Measures an empty epoch, one in which every rank sends one message, and one that carries a reduction, on each
 * transport, interleaved with MPI_Allreduce of one word, MPI_Iallreduce of one word that is tested until it is
 * complete, as scree's rounds are, and MPI_Barrier. 2, 4, 8 ... ranks run up to all that were
 * started, while the others sleep. Any number of ranks works. Two ranks of a run of 16 are not bound to cores, and
 * their MPI detects more ranks than cores; for the figures of two ranks start two. With --full also worlds with the
 * detector flat, and worlds that are traced. */
#include "common.h"

SCREE_MESSAGE(ticks, uint64_t);

enum { COLLECTIVES = 3, JOBS = 3, WORLDS = 6, USUAL_WORLDS = 2, VARIANTS = COLLECTIVES + WORLDS * JOBS };

/* ---- the library ---- */

typedef struct {
  const char *transport, *name, *options;
  bool traced;
} kind;
static const kind kinds[WORLDS] = {{"shm", "", NULL, false},
                                   {"mpi", "", NULL, false},
                                   {"shm", "flat", "detector=flat", false},
                                   {"mpi", "flat", "detector=flat", false},
                                   {"shm", "traced", NULL, true},
                                   {"mpi", "traced", NULL, true}};

typedef struct {
  const kind *kind;
  scree_world *world;
  scree_worker *w;
  ticks_type t;
  uint64_t seen, sum;        /* messages since the last check; of their numbers */
  uint64_t epochs, messages; /* messages: for detection; as the last check has read them */
  bool wrong_sum;            /* of a reduction */
} context;

/* A job in one of the worlds. */
typedef struct {
  context *in;
  uint64_t messages; /* for detection by this rank, in the last round */
} task;

static void on_tick(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  context *s = arg;
  for (uint32_t i = 0; i < batch->count; i++) s->sum += items[i];
  s->seen += batch->count;
  (void)w;
}
SCREE_HANDLER(ticks, uint64_t, on_tick);

static void run_empty(void *arg, uint64_t n) {
  const context *s = ((task *)arg)->in;
  for (uint64_t i = 0; i < n; i++) {
    scree_begin(s->w);
    scree_end(s->w, NULL);
  }
}

static void run_message(void *arg, uint64_t n) {
  const context *s = ((task *)arg)->in;
  const uint32_t next = (s->w->rank + 1) % s->w->ranks;
  for (uint64_t i = 0; i < n; i++) {
    scree_begin(s->w);
    ticks_send(s->w, s->t, next, i + 1);
    scree_end(s->w, NULL);
  }
}

static void run_reduce(void *arg, uint64_t n) {
  context *s = ((task *)arg)->in;
  for (uint64_t i = 0; i < n; i++) {
    scree_reduce r = {.sum = {i, 1}, .min = i, .max = i};
    scree_begin(s->w);
    scree_end(s->w, &r);
    if (r.sum[0] != i * s->w->ranks || r.max != i) s->wrong_sum = true;
  }
}

static bool check(task *t, uint64_t n, uint64_t expected) {
  context *s = t->in;
  scree_stats stats = {.size = sizeof stats};
  scree_stats_read(s->world, &stats);
  const bool good = stats.epochs - s->epochs == n && s->seen == expected && s->sum == expected * (expected + 1) / 2 &&
                    !s->wrong_sum && scree_error(s->world) == SCREE_OK;
  t->messages = stats.detection_messages - s->messages;
  s->epochs = stats.epochs;
  s->messages = stats.detection_messages;
  s->seen = s->sum = 0;
  return good;
}

static bool check_empty(void *arg, uint64_t n) {
  return check(arg, n, 0);
}

static bool check_message(void *arg, uint64_t n) {
  return check(arg, n, n);
}

static const bench_variant jobs[JOBS] = {{.name = "empty epoch", .run = run_empty, .check = check_empty},
                                         {.name = "epoch, one message", .run = run_message, .check = check_message},
                                         {.name = "epoch, reduction", .run = run_reduce, .check = check_empty}};

static bool open_context(context *s, const kind *k, FILE *trace) {
  *s = (context){.kind = k, .world = bench_open(k->transport, k->options)};
  if (!s->world) return false;
  s->w = scree_worker_of(s->world, 0);
  return ticks_register(s->world, s, &s->t) == SCREE_OK && (!k->traced || scree_trace(s->world, trace) == SCREE_OK);
}

/* ---- MPI ---- */

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

/* ---- rows ---- */

/* k: NULL for MPI's own collectives. */
static void report(bench *b, const bench_variant *v, const kind *k, const bench_variant *collectives) {
  const uint64_t mine = k ? ((const task *)v->arg)->messages : 0;
  uint64_t all;
  bench_sum(&mine, &all, 1);
  bench_row(b, BENCH_TEXT("operation", "%-20s", v->name), BENCH_TEXT("transport", " %-4s", k ? k->transport : "mpi"),
            BENCH_TEXT("world", " %-6s", k ? k->name : ""), BENCH_CELL("ranks", " %6.0f", b->ranks, 1),
            BENCH_CELL("seconds", " %10.3f", v->seconds, 1e6),
            BENCH_CELL("allreduce_ratio", " %10.2f", v->seconds / collectives[0].seconds, 1),
            BENCH_CELL("iallreduce_ratio", " %11.2f", v->seconds / collectives[1].seconds, 1),
            BENCH_CELL("messages_per_epoch_and_rank", " %8.2f", (double)all / (double)((uint64_t)b->ranks * v->n), 1),
            BENCH_CELL("spread", " %6.0f%%", v->spread, 100));
}

static bool run_ranks(bench *b, void *nowhere) {
  plain p = {(uint64_t)b->ranks, 0};
  context worlds[WORLDS] = {{.world = NULL}};
  task tasks[WORLDS * JOBS];
  bench_variant variants[VARIANTS] = {
      {.name = "MPI_Allreduce", .run = run_allreduce, .check = check_allreduce, .arg = &p, .mpi = true},
      {.name = "MPI_Iallreduce", .run = run_iallreduce, .check = check_allreduce, .arg = &p, .mpi = true},
      {.name = "MPI_Barrier", .run = run_barrier, .mpi = true}};
  const int count = (b->full ? WORLDS : USUAL_WORLDS) * JOBS;
  bool good = true;
  for (int i = 0; i < count; i++) {
    const bool there = bench_has(kinds[i / JOBS].transport);
    if (i % JOBS == 0 && there) good = bench_all(good && open_context(&worlds[i / JOBS], &kinds[i / JOBS], nowhere));
    tasks[i] = (task){.in = &worlds[i / JOBS]};
    variants[COLLECTIVES + i] = jobs[i % JOBS];
    variants[COLLECTIVES + i].arg = &tasks[i];
    variants[COLLECTIVES + i].mpi = !there;
  }
  good = good && bench_rounds(b, variants, COLLECTIVES + count);
  for (int i = 0; good && i < COLLECTIVES + count; i++)
    if (!variants[i].mpi || !ranks_are_local)
      report(b, &variants[i], i < COLLECTIVES ? NULL : &kinds[(i - COLLECTIVES) / JOBS], variants);
  for (int i = 0; i < WORLDS; i++)
    if (worlds[i].world) good = scree_close(worlds[i].world) == SCREE_OK && good;
  return good;
}

static bool run(bench *b) {
  FILE *nowhere = fopen("/dev/null", "w");
  bool good = bench_all(nowhere != NULL);
  bench_head(b, "%-20s %-4s %-6s %6s %10s %10s %11s %8s %7s\n", "", "", "", "ranks", "us", "/Allreduce", "/Iallreduce",
             "messages", "spread");
  for (int n = 2; good && n < b->ranks; n *= 2) good = bench_on_ranks(b, n, run_ranks, nowhere);
  good = good && bench_on_ranks(b, b->ranks, run_ranks, nowhere);
  if (nowhere) fclose(nowhere);
  return good;
}

const bench_mode bench_modes[] = {
    {.name = "epoch",
     .what =
         "epochs on 2, 4, 8 ... ranks against MPI_Allreduce, MPI_Iallreduce and MPI_Barrier; messages: for detection, "
         "per epoch and rank; --full: also with the detector flat, and in worlds that are traced",
     .run = run},
    {0}};
