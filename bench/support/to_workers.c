/* to_workers.c - messages to workers with aggregate=worker and with aggregate=rank, in worlds of their own that take turns.
 *
 * Rate: all workers send updates to random workers of all ranks, whose handlers add to a word of their worker's own table. The
 * tables of both worlds must be equal in the end. Latency: worker 0 of the first rank asks the last worker of the last rank, and
 * waits for the reply in an open epoch, which all others have ended, so that they look for messages all the time. With
 * aggregate=rank a question and a reply are each dealt out by another worker than the one that they are for: a rank chooses
 * first, of those with least to do, the one with the number of the sender. */
#include "to_workers.h"

#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 1 << 18 };

SCREE_MESSAGE_ROUTED(update, uint64_t);
SCREE_MESSAGE_ROUTED(question, uint64_t);
SCREE_MESSAGE_ROUTED(reply, uint64_t);

/* One worker's, on cache lines of its own. */
typedef struct {
  __attribute__((aligned(64))) uint64_t seen;
} target;

typedef struct {
  scree_world *world;
  update_type update;
  question_type question;
  reply_type reply;
  uint32_t threads;
  uint64_t items;               /* that each worker sends */
  uint64_t *table;              /* TABLE words of each worker */
  target to[SCREE_THREADS_MAX]; /* by worker */
  uint64_t asked, answered;     /* of the last rank; of worker 0 of the first */
  double trips[BENCH_PINGS];    /* seconds of each round trip */
  double *medians;              /* of each run */
  int runs;
  bool bad;
} side;

static void on_update(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  side *s = arg;
  uint64_t *table = s->table + (size_t)w->index * TABLE;
  for (uint32_t i = 0; i < batch->count; i++) table[items[i]]++;
  s->to[w->index].seen += batch->count;
}
SCREE_HANDLER(update, uint64_t, on_update);

static void on_question(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  side *s = arg;
  const uint32_t to = scree_worker_number(w, batch->source, batch->worker);
  if (w->index != s->threads - 1 || batch->count != 1 || items[0] != ++s->asked) s->bad = true;
  reply_send(w, s->reply, to, items[0]);
  scree_flush_lane(w, s->reply.id, to);
}
SCREE_HANDLER(question, uint64_t, on_question);

static void on_reply(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  side *s = arg;
  if (w->index != 0 || batch->count != 1 || items[0] != s->answered + 1) s->bad = true;
  s->answered++;
}
SCREE_HANDLER(reply, uint64_t, on_reply);

/* ---- rate ---- */

static void send_updates(scree_worker *w, void *arg) {
  const side *s = arg;
  const update_type update = s->update;
  const uint32_t all = w->ranks * s->threads;
  const uint64_t items = s->items;
  uint64_t x = 88172645463325252u + scree_worker_number(w, w->rank, w->index);
  scree_begin(w);
  for (uint64_t i = 0; i < items; i++) {
    const uint64_t draw = bench_draw(&x);
    update_send(w, update, bench_below(draw, all), draw >> 12 & (TABLE - 1));
  }
  scree_end(w, NULL);
}

static void run_updates(void *arg, uint64_t n) {
  side *s = arg;
  (void)n;
  scree_run_workers(s->world, s->threads, send_updates, s);
}

static uint64_t take_seen(side *s) {
  uint64_t seen = 0;
  for (uint32_t i = 0; i < s->threads; i++) {
    seen += s->to[i].seen;
    s->to[i].seen = 0;
  }
  return seen;
}

/* As many updates have been handled as were sent. */
static bool check_updates(void *arg, uint64_t n) {
  side *s = arg;
  const uint64_t mine = take_seen(s), sent = n * scree_worker_of(s->world, 0)->ranks;
  uint64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, bench_comm);
  return all == sent && scree_error(s->world) == SCREE_OK;
}

/* ---- latency ---- */

static void ask(scree_worker *w, side *s) {
  const uint32_t to = scree_worker_number(w, w->ranks - 1, s->threads - 1);
  for (uint64_t i = 0; i < BENCH_PINGS && scree_error(s->world) == SCREE_OK; i++) {
    const double begun = bench_now();
    question_send(w, s->question, to, s->answered + 1);
    scree_flush_lane(w, s->question.id, to);
    for (const uint64_t before = s->answered; s->answered == before && scree_error(s->world) == SCREE_OK;)
      scree_progress(w);
    s->trips[i] = bench_now() - begun;
  }
}

static void ask_or_wait(scree_worker *w, void *arg) {
  scree_begin(w);
  if (w->rank == 0 && w->index == 0) ask(w, arg);
  scree_end(w, NULL);
}

static void run_pings(void *arg, uint64_t n) {
  side *s = arg;
  (void)n;
  scree_run_workers(s->world, s->threads, ask_or_wait, s);
}

static bool check_pings(void *arg, uint64_t n) {
  side *s = arg;
  s->medians[s->runs++] = bench_median(s->trips, BENCH_PINGS);
  if (scree_worker_of(s->world, 0)->rank == 0 && s->answered != n * (uint64_t)s->runs) s->bad = true;
  return !s->bad && scree_error(s->world) == SCREE_OK;
}

/* ---- both worlds ---- */

static bool open_side(const bench *b, side *s, uint64_t transport, uint32_t threads, uint64_t aggregate, int scale) {
  scree_options options = SCREE_OPTIONS_INIT;
  *s = (side){.threads = threads,
              .items = (UINT64_C(1) << scale) / threads,
              .table = bench_alloc((size_t)threads * TABLE * sizeof(uint64_t), false),
              .medians = calloc((size_t)b->rounds + 1, sizeof(double))};
  options.transport = transport;
  options.threads = threads;
  options.aggregate = aggregate;
  return scree_open_mpi(bench_comm, &options, &s->world) == SCREE_OK && s->table && s->medians &&
         update_register_with(s->world, SCREE_TO_WORKER, s, &s->update) == SCREE_OK &&
         question_register_with(s->world, SCREE_TO_WORKER, s, &s->question) == SCREE_OK &&
         reply_register_with(s->world, SCREE_TO_WORKER, s, &s->reply) == SCREE_OK;
}

static bool close_side(side *s) {
  const bool good = !s->world || scree_close(s->world) == SCREE_OK;
  scree_huge_free(s->table);
  free(s->medians);
  return good;
}

static double blocks_of(const bench *b, const side *s) {
  scree_stats stats;
  uint64_t all = 0;
  scree_stats_read(s->world, &stats);
  MPI_Allreduce(&stats.created, &all, 1, MPI_UINT64_T, MPI_SUM, bench_comm);
  return (double)all / (b->rounds + 1.) / b->ranks;
}

static bool measure_rate(const bench *b, side *sides, bench_to_workers *out) {
  bench_variant v[BENCH_TO_WORKERS];
  for (int i = 0; i < BENCH_TO_WORKERS; i++)
    v[i] = (bench_variant){.name = out[i].aggregate,
                           .run = run_updates,
                           .check = check_updates,
                           .arg = &sides[i],
                           .n = sides[i].items * sides[i].threads};
  const bool good = bench_rounds(b, v, BENCH_TO_WORKERS);
  for (int i = 0; good && i < BENCH_TO_WORKERS; i++) {
    out[i].rate = v[i];
    out[i].blocks = blocks_of(b, &sides[i]);
  }
  if (good && !bench_all(!memcmp(sides[0].table, sides[1].table, (size_t)sides->threads * TABLE * sizeof(uint64_t)))) {
    if (b->rank == 0) fprintf(stderr, "%s: the tables differ: updates went to a wrong worker\n", b->name);
    return false;
  }
  return good;
}

/* The run that warms up does not count. */
static void conclude(const bench *b, const side *s, bench_to_workers *out) {
  out->latency = bench_median(s->medians + 1, b->rounds);
  out->spread = (s->medians[b->rounds] - s->medians[1]) / out->latency;
}

static bool measure_latency(const bench *b, side *sides, bench_to_workers *out) {
  bench_variant v[BENCH_TO_WORKERS];
  for (int i = 0; i < BENCH_TO_WORKERS; i++)
    v[i] = (bench_variant){
        .name = out[i].aggregate, .run = run_pings, .check = check_pings, .arg = &sides[i], .n = BENCH_PINGS};
  if (!bench_rounds(b, v, BENCH_TO_WORKERS)) return false;
  for (int i = 0; b->rank == 0 && i < BENCH_TO_WORKERS; i++) conclude(b, &sides[i], &out[i]);
  return true;
}

bool bench_measure_to_workers(bench *b, uint64_t transport, uint32_t threads, int scale, bench_to_workers *out) {
  static const uint64_t values[BENCH_TO_WORKERS] = {SCREE_AGGREGATE_WORKER, SCREE_AGGREGATE_RANK};
  static const char *const names[BENCH_TO_WORKERS] = {"worker", "rank"};
  static side sides[BENCH_TO_WORKERS];
  bool good = true;
  for (int i = 0; i < BENCH_TO_WORKERS; i++) { /* all: opening is collective */
    out[i] = (bench_to_workers){.aggregate = names[i]};
    good = bench_all(open_side(b, &sides[i], transport, threads, values[i], scale)) && good;
  }
  good = good && measure_rate(b, sides, out) && (b->ranks == 1 || measure_latency(b, sides, out));
  for (int i = 0; i < BENCH_TO_WORKERS; i++) good = close_side(&sides[i]) && good;
  return bench_all(good);
}
