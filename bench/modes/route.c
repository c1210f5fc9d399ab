/* route.c - what routed types and routes cost: a routed type on `direct` against a plain one, each route against `direct`, and
 * messages to workers by one lane for each worker or for each rank.
 *
 * Each rank sends updates to random ranks, as in message_rate.c: the handler adds to a word of its table. The variants of a
 * group are worlds of their own, interleaved, each with a table of 2^20 words; the tables must be equal in the end. */
#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <string.h>

#include "message_rate.h"
#include "modes.h"
#include "to_workers.h"

enum { TABLE_LOG2 = 20, ROUTES = 6 };

/* A world with one message type, plain or routed. */
typedef struct {
  const char *name;
  scree_world *world;
  scree_worker *w;
  uint32_t type, size; /* size: index in update_sizes */
  bool routed;
  update_target to;
  job job;
} side;

/* ---- one group of variants ---- */

static scree_world *open_world(uint64_t transport, uint64_t route) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  options.transport = transport;
  options.route = route;
  return scree_open_mpi(bench_comm, &options, &world) == SCREE_OK ? world : NULL;
}

static bool open_side(const bench *b, side *s, uint64_t transport, uint64_t route) {
  const uint64_t items = UINT64_C(1) << (b->scale ? b->scale : 20), bytes = (uint64_t)update_sizes[s->size].bytes;
  s->job = (job){.ranks = (uint32_t)b->ranks,
                 .rank = (uint32_t)b->rank,
                 .items = bytes > 16 ? items * 16 / bytes : items,
                 .mask = (UINT64_C(1) << TABLE_LOG2) - 1,
                 .seed = 88172645463325252u + (uint64_t)b->rank,
                 .table = bench_alloc(sizeof(uint64_t) << TABLE_LOG2, false)};
  s->world = open_world(transport, route);
  if (!s->world || !s->job.table) return false;
  s->w = scree_worker_of(s->world, 0);
  s->to.table = s->job.table;
  return update_sizes[s->size].make[s->routed](s->world, &s->to, &s->type);
}

static bool close_side(side *s) {
  const bool good = !s->world || scree_close(s->world) == SCREE_OK;
  scree_huge_free(s->job.table);
  return good;
}

static void run(void *arg, uint64_t n) {
  side *s = arg;
  (void)n;
  scree_begin(s->w);
  update_sizes[s->size].send[s->routed](s->w, s->type, &s->job);
  scree_end(s->w, NULL);
}

/* As many updates have been handled as were sent. */
static bool check(void *arg, uint64_t n) {
  side *s = arg;
  uint64_t all = 0;
  MPI_Allreduce(&s->to.seen, &all, 1, MPI_UINT64_T, MPI_SUM, bench_comm);
  s->to.seen = 0;
  return all == n * s->job.ranks && scree_error(s->world) == SCREE_OK;
}

typedef struct {
  double hops, blocks; /* of an item on average; of a rank in a round */
} counts;

/* Items that left for another rank, by each hop, over those sent. */
static counts count(const bench *b, const side *s) {
  scree_stats stats;
  scree_lane_stats lane;
  uint64_t mine[2] = {0, 0}, all[2];
  scree_stats_read(s->world, &stats);
  mine[0] = stats.created;
  for (uint32_t to = 0; to < s->job.ranks; to++)
    if (to != s->job.rank && scree_stats_lane(s->world, s->type, to, &lane) == SCREE_OK) mine[1] += lane.items;
  MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, bench_comm);
  const double runs = (b->rounds + 1.) * b->ranks;
  return (counts){(double)all[1] / runs / (double)s->job.items, (double)all[0] / runs};
}

static void head(const bench *b) {
  if (b->rank == 0)
    printf(
        "%-4s %5s  %-8s %-13s %9s %7s %7s %6s %9s   (million items per second per rank; over the first of the group; "
        "hops of an item; blocks of a rank in a round)\n",
        "", "item", "type", "route", "rate", "ratio", "spread", "hops", "blocks");
}

static void report(bench *b, uint64_t transport, const side *s, const bench_variant *v, double first) {
  const counts c = count(b, s);
  bench_row(b, BENCH_TEXT("transport", "%-4s", bench_transport(transport)), BENCH_CELL("ranks", NULL, b->ranks, 1),
            BENCH_CELL("item_bytes", " %3.0f B", update_sizes[s->size].bytes, 1),
            BENCH_TEXT("type", "  %-8s", s->routed ? "routed" : "plain"), BENCH_TEXT("route", " %-13s", s->name),
            BENCH_CELL("rate", " %9.2f", 1 / v->seconds, 1e-6), BENCH_CELL("ratio", " %7.3f", first / v->seconds, 1),
            BENCH_CELL("spread", " %6.0f%%", v->spread, 100), BENCH_CELL("hops", " %6.3f", c.hops, 1),
            BENCH_CELL("blocks", " %9.1f", c.blocks, 1));
}

static bool same_tables(const side *sides, int count_of_sides) {
  bool good = true;
  for (int i = 1; i < count_of_sides; i++)
    good = good && !memcmp(sides[i].job.table, sides[0].job.table, sizeof(uint64_t) << TABLE_LOG2);
  return good;
}

static bool run_group(bench *b, uint64_t transport, side *sides, const uint64_t *routes, int n) {
  bench_variant variants[ROUTES];
  bool good = true;
  for (int i = 0; i < n; i++) { /* all: opening is collective */
    good = bench_all(open_side(b, &sides[i], transport, routes[i])) && good;
    variants[i] =
        (bench_variant){.name = sides[i].name, .run = run, .check = check, .arg = &sides[i], .n = sides[i].job.items};
  }
  good = good && bench_rounds(b, variants, n);
  if (good && !bench_all(same_tables(sides, n))) {
    if (b->rank == 0) fprintf(stderr, "route: the tables differ: updates went to a wrong rank\n");
    good = false;
  }
  for (int i = 0; good && i < n; i++) report(b, transport, &sides[i], &variants[i], variants[0].seconds);
  for (int i = 0; i < n; i++) good = close_side(&sides[i]) && good;
  return bench_all(good);
}

/* ---- rows ---- */

static bool run_size(bench *b, uint64_t transport, uint32_t size) {
  static const uint64_t both_direct[2] = {SCREE_ROUTE_DIRECT, SCREE_ROUTE_DIRECT};
  static const uint64_t all[ROUTES] = {SCREE_ROUTE_DIRECT,        SCREE_ROUTE_ROOK, SCREE_ROUTE_HYPERCUBE,
                                       SCREE_ROUTE_DISSEMINATION, SCREE_ROUTE_NODE, SCREE_ROUTE_RING};
  static const char *const names[ROUTES] = {"direct", "rook", "hypercube", "dissemination", "node", "ring"};
  side types[2] = {{.name = "direct", .size = size}, {.name = "direct", .size = size, .routed = true}};
  side routes[ROUTES];
  for (int i = 0; i < ROUTES; i++) routes[i] = (side){.name = names[i], .size = size, .routed = true};
  return run_group(b, transport, types, both_direct, 2) &&
         (b->ranks == 1 || run_group(b, transport, routes, all, ROUTES));
}

static void head_of_workers(const bench *b, uint32_t threads) {
  if (b->rank == 0)
    printf("\n%-4s %5s  %-9s %9s %7s %7s %9s %9s %7s %7s   (to %u workers of each rank: million items per second per "
           "rank; blocks of a rank in a round; us of a round trip between workers of two ranks; ratios to the first)\n",
           "", "item", "aggregate", "rate", "ratio", "spread", "blocks", "us", "ratio", "spread", threads);
}

/* Of one rank there is no round trip. */
static void report_workers(bench *b, uint64_t transport, uint32_t threads, const bench_to_workers *w,
                           const bench_to_workers *first) {
  const bench_cell cells[] = {BENCH_TEXT("transport", "%-4s", bench_transport(transport)),
                              BENCH_CELL("ranks", NULL, b->ranks, 1),
                              BENCH_CELL("threads", NULL, threads, 1),
                              BENCH_CELL("item_bytes", " %3.0f B", 8, 1),
                              BENCH_TEXT("aggregate", "  %-9s", w->aggregate),
                              BENCH_CELL("rate", " %9.2f", 1 / w->rate.seconds, 1e-6),
                              BENCH_CELL("ratio", " %7.3f", first->rate.seconds / w->rate.seconds, 1),
                              BENCH_CELL("spread", " %6.0f%%", w->rate.spread, 100),
                              BENCH_CELL("blocks", " %9.1f", w->blocks, 1),
                              BENCH_CELL("round_trip_seconds", " %9.2f", w->latency, 1e6),
                              BENCH_CELL("round_trip_ratio", " %7.3f", w->latency / first->latency, 1),
                              BENCH_CELL("round_trip_spread", " %6.0f%%", w->spread, 100)};
  bench_add_row(b, cells, sizeof cells / sizeof *cells - (b->ranks == 1 ? 3 : 0));
}

static bool run_workers(bench *b, uint32_t threads) {
  bool good = true;
  head_of_workers(b, threads);
  for (int mpi = 0; good && mpi < 2; mpi++) {
    const uint64_t transport = mpi ? SCREE_TRANSPORT_MPI : SCREE_TRANSPORT_SHM;
    bench_to_workers of[BENCH_TO_WORKERS];
    good = bench_measure_to_workers(b, transport, threads, b->scale ? b->scale : 20, of);
    for (int i = 0; good && i < BENCH_TO_WORKERS; i++) report_workers(b, transport, threads, &of[i], &of[0]);
  }
  return good;
}

static double bytes = 8, workers;
const bench_own_option bench_route_options[] = {
    {"--bytes", "N", "of an item: 8 (default), 16, 32, 64 or 256", 8, 256, &bytes},
    {"--workers", "N", "of each rank where messages are to workers; default SCREE_THREADS or 2", 1, SCREE_THREADS_MAX,
     &workers},
    {0}};

bool bench_route(bench *b) {
  const char *threads = getenv("SCREE_THREADS");
  uint32_t size = 0;
  bool good = true;
  while (size < UPDATE_SIZES && update_sizes[size].bytes != bytes) size++;
  if (size == UPDATE_SIZES && b->rank == 0) fprintf(stderr, "route: legal are: --bytes 8, 16, 32, 64 and 256\n");
  if (size == UPDATE_SIZES) return false;
  if (workers < 1) workers = threads ? atoi(threads) : 2;
  head(b);
  for (int mpi = 0; mpi < 2; mpi++)
    for (uint32_t i = b->full ? 0 : size; good && i < (b->full ? UPDATE_SIZES : size + 1); i++)
      good = run_size(b, mpi ? SCREE_TRANSPORT_MPI : SCREE_TRANSPORT_SHM, i);
  return good && run_workers(b, (uint32_t)workers);
}
