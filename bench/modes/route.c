/* route.c - what routed types and routes cost: a routed type on `direct` against a plain one, each route against
 * `direct`, and messages to workers by one lane for each worker or for each rank.
 *
 * Each rank sends updates to random ranks or workers, as in message_rate.c: the handler adds to a word of its table.
 * The variants of a group are worlds of their own, interleaved, each with tables of 2^20 words; the tables must be
 * equal in the end. */
#include <stdlib.h>
#include <string.h>

#include "message_rate.h"
#include "modes.h"

enum { TABLE_LOG2 = 20, SCALE = 20, SIDES = 6 };

static uint64_t bytes = 8, workers;
const bench_own_option bench_route_options[] = {
    {{SCREE__ROW("bytes", COUNT, "", "of an item: 8 (default), 16, 32, 64 or 256"), .min = 8, .max = 256}, &bytes},
    {{SCREE__ROW("workers", COUNT, "", "of each rank where messages are to workers; default SCREE_THREADS or 2"),
      .min = 1, .max = SCREE_THREADS_MAX},
     &workers},
    {{0}, NULL}};

/* ---- one group of variants ---- */

typedef struct {
  double hops, blocks; /* of an item on average; of a rank in a round */
} counts;

/* Computes hops per item: items that left for another rank, by any hop, over items sent. */
static counts count(const bench *b, const update_side *s) {
  scree_stats stats = {.size = sizeof stats};
  scree_lane_stats lane = {.size = sizeof lane};
  uint64_t mine[2] = {0, 0}, all[2];
  scree_stats_read(s->world, &stats);
  mine[0] = stats.created;
  for (uint32_t to = 0; scree_stats_lane(s->world, s->type, to, &lane) == SCREE_OK; to++)
    if (to / s->threads != s->job.rank) mine[1] += lane.items;
  bench_sum(mine, all, 2);
  const double runs = (b->rounds + 1.) * b->ranks;
  return (counts){(double)all[1] / runs / (double)(s->job.items * s->threads), (double)all[0] / runs};
}

static void report(bench *b, const char *transport, const update_side *s, const bench_variant *v, double first) {
  const counts c = count(b, s);
  bench_row(b, BENCH_TEXT("transport", "%-4s", transport), BENCH_CELL("ranks", NULL, b->ranks, 1),
            BENCH_CELL("threads", NULL, s->threads, 1), BENCH_CELL("item_bytes", " %3.0f B", s->job.bytes, 1),
            BENCH_TEXT("type", "  %-10s",
                       s->to_workers ? "to workers"
                       : s->routed   ? "routed"
                                     : "plain"),
            BENCH_TEXT("route", " %-13s", s->name), BENCH_CELL("rate", " %9.2f", 1 / v->seconds, 1e-6),
            BENCH_CELL("ratio", " %7.3f", first / v->seconds, 1), BENCH_CELL("spread", " %6.0f%%", v->spread, 100),
            BENCH_CELL("hops", " %6.3f", c.hops, 1), BENCH_CELL("blocks", " %9.1f", c.blocks, 1));
}

static bool same_tables(const update_side *sides, int n) {
  bool good = true;
  for (int i = 1; i < n; i++)
    good = good && !memcmp(sides[i].tables, sides[0].tables, (sizeof(uint64_t) << TABLE_LOG2) * sides[0].threads);
  return good;
}

static bool run_group(bench *b, const char *transport, const update_side *group, int n) {
  static update_side sides[SIDES];
  const job j = bench_job(b, (int)bytes, SCALE, TABLE_LOG2);
  bench_variant variants[SIDES];
  bool good = true;
  for (int i = 0; i < n; i++) { /* all: opening is collective */
    sides[i] = group[i];
    good = bench_all(update_open(&sides[i], transport, &j)) && good;
    variants[i] = (bench_variant){.name = sides[i].name,
                                  .run = update_run,
                                  .check = update_check,
                                  .arg = &sides[i],
                                  .n = sides[i].job.items * sides[i].threads};
  }
  good = good && bench_rounds(b, variants, n);
  if (good && !bench_all(same_tables(sides, n))) {
    if (b->rank == 0) fprintf(stderr, "route: the tables differ: updates went to a wrong rank or worker\n");
    good = false;
  }
  for (int i = 0; good && i < n; i++) report(b, transport, &sides[i], &variants[i], variants[0].seconds);
  for (int i = 0; i < n; i++) good = update_close(&sides[i]) && good;
  return bench_all(good);
}

/* ---- rows ---- */

static bool run_transport(bench *b, const char *transport) {
  const uint32_t threads = (uint32_t)workers;
  const update_side types[] = {{.name = "direct", .options = "route=direct"},
                               {.name = "direct", .options = "route=direct", .routed = true}};
  const update_side routes[SIDES] = {{.name = "direct", .options = "route=direct", .routed = true},
                                     {.name = "rook", .options = "route=rook", .routed = true},
                                     {.name = "hypercube", .options = "route=hypercube", .routed = true},
                                     {.name = "dissemination", .options = "route=dissemination", .routed = true},
                                     {.name = "node", .options = "route=node", .routed = true},
                                     {.name = "ring", .options = "route=ring", .routed = true}};
  const update_side lanes[] = {
      {.name = "worker", .options = "aggregate=worker", .routed = true, .to_workers = true, .threads = threads},
      {.name = "rank", .options = "aggregate=rank", .routed = true, .to_workers = true, .threads = threads}};
  return run_group(b, transport, types, 2) && (b->ranks == 1 || run_group(b, transport, routes, SIDES)) &&
         run_group(b, transport, lanes, 2);
}

bool bench_route(bench *b) {
  bool good = false;
#define IS(N) good = good || bytes == N;
  UPDATE_SIZES(IS)
  if (!good && b->rank == 0) fprintf(stderr, "route: legal are: --bytes 8, 16, 32, 64 and 256\n");
  if (workers < 1) workers = bench_threads(2);
  if (good && b->rank == 0)
    printf(
        "%-4s %5s  %-10s %-13s %9s %7s %7s %6s %9s   (million items per second per rank; over the first of the group; "
        "hops of an item; blocks of a rank in a round; to %u workers of each rank)\n",
        "", "item", "type", "route", "rate", "ratio", "spread", "hops", "blocks", (unsigned)workers);
  return good && bench_each_transport(b, run_transport);
}
