/* coalesce.c - the effect of the coalescing size, and whether lanes find a good one.
 *
 * Two jobs run in one world per size. Random updates of 16 bytes favour blocks that are full when flushed. SSSP by
 * Distributed Control on a grid with random weights, which resembles a road network, waits for its messages and favours
 * early flushes. All sizes run interleaved, `auto` among them. */
#include <scree/scree_mpi.h>
#include <scree/sssp.h>
#include <stdlib.h>

#include "common.h"

typedef struct {
  uint64_t index, value;
} item;

SCREE_MESSAGE(update, item);

static void on_update(scree_worker *w, const scree_batch *batch, const item *items, void *arg) {
  uint64_t *table = arg;
  for (uint32_t i = 0; i < batch->count; i++) table[items[i].index] += items[i].value;
  (void)w;
}
SCREE_HANDLER(update, item, on_update);

static const uint64_t sizes[] = {0, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}; /* 0: auto */
enum { SIZES = sizeof sizes / sizeof *sizes, TABLE_LOG2 = 20, SIDE = 300, WEIGHT_MAX = 1000 };

typedef struct {
  scree_world *world;
  uint64_t *table, updated; /* updates that this rank has sent so far */
  update_type t;
  scree_graphs *graphs;
  scree_sssp *sssp;
  scree_graph *grid;
  double total, sent; /* of the last run: distances, relaxations per arc */
  bool failed;
} context;

/* ---- random updates ---- */

static void run_updates(void *arg, uint64_t n) {
  context *s = arg;
  scree_worker *w = scree_worker_of(s->world, 0);
  uint32_t ranks = w->ranks;
  const update_type t = s->t;
  uint64_t x = 88172645463325252u + w->rank;
  scree_begin(w);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t draw = bench_draw(&x);
    update_send(w, t, bench_below(draw, ranks), (item){(draw >> 20) & ((UINT64_C(1) << TABLE_LOG2) - 1), 1});
  }
  scree_end(w, NULL);
}

static bool check_updates(void *arg, uint64_t n) {
  context *s = arg;
  uint64_t mine = 0, all = 0;
  s->updated += n;
  for (uint64_t i = 0; i < UINT64_C(1) << TABLE_LOG2; i++) mine += s->table[i];
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all == s->updated * scree_worker_of(s->world, 0)->ranks && scree_error(s->world) == SCREE_OK;
}

/* ---- shortest paths on a grid ---- */

static void run_paths(void *arg, uint64_t n) {
  context *s = arg;
  s->failed = false;
  for (uint64_t i = 0; i < n; i++) {
    scree_sssp_options options = SCREE_SSSP_OPTIONS_INIT;
    scree_sssp_result *result;
    options.algorithm = "dc";
    if (scree_sssp_run(s->sssp, s->grid, 0, &options, &result) != SCREE_OK) {
      s->failed = true;
      return;
    }
    s->total = 0;
    for (uint64_t v = 0; v < result->locals; v++) s->total += result->distance[v];
    s->sent = (double)result->work.sent / (double)s->grid->arcs;
    scree_sssp_free(result);
  }
}

/* All sizes find the same distances: whole numbers, so sums are exact. */
static bool check_paths(void *arg, uint64_t n) {
  static double known;
  context *s = arg;
  (void)n;
  if (s->failed) return false;
  if (known == 0) known = s->total;
  return s->total == known;
}

/* Vertices are numbered along rows, so that each rank owns a stripe of the grid. */
static bool make_grid(context *s, const bench *b, uint64_t length) {
  scree_graph_shape shape = {
      .n = length * length, .weight = SCREE_WEIGHT_UINT32, .distribution = SCREE_DISTRIBUTION_BLOCK};
  scree_graph_builder *builder;
  if (scree_graph_builder_begin(s->graphs, &shape, &builder) != SCREE_OK) return false;
  uint64_t x = 12345;
  for (uint64_t v = 0; v < shape.n; v++)
    for (int down = 0; down < 2; down++) {
      double weight = (double)(1 + (bench_draw(&x) >> 33) % WEIGHT_MAX);
      bool exists = down ? v + length < shape.n : (v + 1) % length != 0;
      if (exists && v % (uint64_t)b->ranks == (uint64_t)b->rank)
        scree_graph_builder_add(builder, v, down ? v + length : v + 1, weight);
    }
  return scree_graph_builder_finish(builder, &s->grid) == SCREE_OK;
}

/* ---- worlds ---- */

static bool open_context(context *s, const bench *b, uint64_t size) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.coalesce_bytes = size;
  s->table = bench_alloc(sizeof(uint64_t) << TABLE_LOG2, false);
  return s->table && scree_open_mpi(MPI_COMM_WORLD, &options, &s->world) == SCREE_OK &&
         update_register(s->world, s->table, &s->t) == SCREE_OK &&
         scree_graphs_open(s->world, &s->graphs) == SCREE_OK && scree_sssp_open(s->graphs, &s->sssp) == SCREE_OK &&
         make_grid(s, b, b->scale ? (uint64_t)b->scale * 100 : SIDE);
}

static bool close_context(context *s) {
  scree_graph_free(s->grid);
  scree_sssp_close(s->sssp);
  scree_graphs_close(s->graphs);
  scree_huge_free(s->table);
  return scree_close(s->world) == SCREE_OK;
}

static void report(bench *b, const context *contexts, const bench_variant *updates, const bench_variant *paths) {
  double best[2] = {updates[1].seconds, paths[1].seconds};
  for (int i = 2; i < SIZES; i++) {
    if (updates[i].seconds < best[0]) best[0] = updates[i].seconds;
    if (paths[i].seconds < best[1]) best[1] = paths[i].seconds;
  }
  if (b->rank == 0)
    printf("%-8s %14s %7s %7s %14s %7s %7s %9s\n", "size", "M updates/s", "/best", "spread", "grid ms", "/best",
           "spread", "sent/arc");
  for (int i = 0; b->rank == 0 && i < SIZES; i++) {
    char name[24] = "auto";
    if (sizes[i]) snprintf(name, sizeof name, "%llu", (unsigned long long)sizes[i]);
    double of_best[2] = {best[0] / updates[i].seconds, best[1] / paths[i].seconds};
    printf("%-8s %14.1f %7.2f %6.0f%% %14.3f %7.2f %6.0f%% %9.2f\n", name, 1e-6 / updates[i].seconds, of_best[0],
           100 * updates[i].spread, 1e3 * paths[i].seconds, of_best[1], 100 * paths[i].spread, contexts[i].sent);
    cJSON *record = bench_record(b);
    cJSON_AddNumberToObject(record, "coalesce_bytes", (double)sizes[i]);
    cJSON_AddNumberToObject(record, "update_rate", 1 / updates[i].seconds);
    cJSON_AddNumberToObject(record, "update_of_best", of_best[0]);
    cJSON_AddNumberToObject(record, "grid_seconds", paths[i].seconds);
    cJSON_AddNumberToObject(record, "grid_of_best", of_best[1]);
    cJSON_AddNumberToObject(record, "grid_sent_per_arc", contexts[i].sent);
  }
}

int main(int argc, char **argv) {
  bench b;
  if (!bench_start(&b, argc, argv, "coalesce",
                   "the effect of the coalescing size where throughput counts (random updates of 16 bytes) and where "
                   "latency does (SSSP by Distributed Control on a grid); --scale: hundreds of vertices along a side"))
    return bench_finish(&b, 2);
  context contexts[SIZES] = {{.world = NULL}};
  bench_variant updates[SIZES], paths[SIZES];
  bool good = true;
  for (int i = 0; good && i < SIZES; i++) {
    good = open_context(&contexts[i], &b, sizes[i]);
    updates[i] = (bench_variant){.name = "updates", .run = run_updates, .check = check_updates, .arg = &contexts[i]};
    updates[i].n = UINT64_C(1) << 21;
    paths[i] = (bench_variant){.name = "grid", .run = run_paths, .check = check_paths, .arg = &contexts[i], .n = 1};
  }
  good = good && bench_rounds(&b, updates, SIZES) && bench_rounds(&b, paths, SIZES);
  if (good) report(&b, contexts, updates, paths);
  for (int i = 0; i < SIZES; i++)
    if (contexts[i].world && !close_context(&contexts[i])) good = false;
  return bench_finish(&b, good ? 0 : 1);
}
