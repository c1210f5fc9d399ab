/* bc.c - the kernel of betweenness centrality (Brandes, J. Math. Sociology 25, 2001): its record, and the variant with
 * batches of sources, one after the other, a pass for all sources of a batch. */
#include <stdio.h>

#include "bc/run.h"

/* FEW_ARCS: mean degree below which ranks take whole sources, if values of all vertices on each rank take less memory
 * than those of a batch of sources, as on few ranks, or little. SMALL, MANY: values. */
enum { FEW_ARCS = 6, FEW_RANKS = 8, SMALL = 1 << 26, MANY = 1 << 30 };

static void add_item(scree__bc_item *kept, const scree__bc_item *item) {
  double a, b;
  memcpy(&a, kept->value, sizeof a);
  memcpy(&b, item->value, sizeof b);
  a += b;
  memcpy(kept->value, &a, sizeof a);
}
#define KEY(item) ((uint64_t)(item)->vertex << 8 | (item)->lane)
SCREE_MESSAGE_REDUCED(part, scree__bc_item, KEY, add_item);

void scree__bc_send(scree__run *run, uint64_t location, uint32_t lane, double value) {
  const part_type type = {run->types[0]};
  const scree_location to = scree_graph_unpack(run->graph, location);
  scree__bc_item item = {.vertex = (uint32_t)scree_location_local(to), .lane = lane};
  memcpy(item.value, &value, sizeof value);
  if (((scree__bc *)run->own)->combined)
    part_send(run->worker, type, scree_location_owner(to), item);
  else
    part_send_at_once(run->worker, type, scree_location_owner(to), item);
  run->work.messages++;
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__bc_item *item = items;
  scree__bc *b = run->own;
  double value;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t v = item[i].vertex, lane = item[i].lane;
    memcpy(&value, item[i].value, sizeof value);
    if (!b->backward)
      scree__bc_reach(run, v, lane, value);
    else if (b->next[b->me + v] >> lane & 1)
      b->far[v * (uint64_t)b->lanes + lane] += value;
  }
}

/* ---- memory ---- */

static uint32_t lanes_of(uint64_t n, const scree_bc_options *o) {
  const uint64_t count = o ? scree__bc_count(n, o) : n, batch = o ? o->batch : SCREE__BC_LANES;
  return (uint32_t)(count < batch ? count : batch);
}

static uint64_t node_bytes(const scree_graph *g, uint32_t lanes) {
  return (scree_distribution_count(&g->vertices, 0) + 1) * (lanes * sizeof(double) + 2 * sizeof(uint16_t));
}

/* Of a plan: one, the case that takes the most memory. */
uint32_t scree__bc_sharing(const scree_graph *g) {
  if (!g->graphs) return 1;
  const scree_world *world = scree_world_of(scree_graphs_worker(g->graphs));
  const scree_options *o = scree_options_of(world);
  const bool off = o->node_arrays == SCREE_NODE_ARRAYS_OFF || o->transport == SCREE_TRANSPORT_MPI;
  return off ? 1 : scree_node_ranks(world);
}

static uint64_t bytes(const scree_graph *g, uint64_t locals, const void *how) {
  const uint32_t lanes = lanes_of(g->vertices.n, how);
  const uint64_t far = scree__bc_sharing(g) < g->vertices.ranks ? lanes * sizeof(double) : 0;
  return node_bytes(g, lanes) + locals * (lanes * UINT64_C(6) + 6 + far) + g->vertices.ranks * sizeof(uint64_t);
}

scree_status scree__bc_place_ranks(scree__run *run, scree__bc *b, uint64_t count, bool all) {
  const uint64_t stride = scree_distribution_count(&run->graph->vertices, 0) + 1;
  b->base = scree__run_alloc(run, run->worker->ranks * sizeof *b->base);
  b->places = count * stride;
  b->me = (all ? run->worker->rank : b->array->index) * stride;
  b->whole = b->array->ranks == run->worker->ranks;
  for (uint32_t r = 0; b->base && r < run->worker->ranks; r++) {
    const uint32_t index = all ? r : b->array->index_of[r];
    b->base[r] = index == UINT32_MAX ? SCREE__BC_ELSEWHERE : index * stride;
  }
  return scree__run_ready(run, true, "places");
}

static scree_status open_node(scree__run *run, scree__bc *b) {
  const scree_graph *g = run->graph;
  scree_reduce most = {.min = UINT64_MAX, .max = scree__bc_sharing(g)};
  scree_status status = scree_graphs_reduce(g->graphs, &most);
  if (status == SCREE_OK) status = scree__run_share(run, most.max * node_bytes(g, b->lanes), &b->array);
  if (status == SCREE_OK) status = scree__bc_place_ranks(run, b, most.max, false);
  if (status) return status;
  b->value = (double *)(void *)b->array->at;
  b->now = (uint16_t *)(void *)(b->value + b->places * b->lanes);
  b->next = b->now + b->places;
  return SCREE_OK;
}

static scree_status find_tails(const scree__run *run, scree__bc *b) {
  const scree_graph *g = run->graph;
  const scree__transpose *transpose;
  b->in_offsets = g->offsets;
  b->tails = g->targets;
  if (!g->directed) return SCREE_OK;
  const scree_status status = scree__transpose_of(g, &transpose);
  if (status) return status;
  b->in_offsets = transpose->offsets;
  b->tails = transpose->tails;
  return SCREE_OK;
}

static scree_status setup(scree__run *run) {
  const scree_graph *g = run->graph;
  const size_t n = (size_t)g->locals + 1;
  scree__bc *b = run->own;
  scree_status status = scree__bc_sources_of(g, run->options, &b->sources);
  uint64_t hubs, arcs;
  if (status == SCREE_OK) status = find_tails(run, b);
  if (status == SCREE_OK) status = scree__graph_hubs(g, 8, &hubs, &arcs);
  if (status) return status;
  b->even = hubs == 0;
  b->lanes = lanes_of(g->vertices.n, run->options);
  b->layout = b->lanes == SCREE__BC_LANES ? SCREE__BC_DENSE : SCREE__BC_ROWS;
  status = open_node(run, b);
  if (status) return status;
  b->vertex = scree__run_alloc(run, n * b->lanes * sizeof *b->vertex);
  b->mask = scree__run_alloc(run, n * b->lanes * sizeof *b->mask);
  b->open.list = scree__run_alloc(run, n * sizeof *b->open.list);
  b->seen = scree__run_alloc(run, n * sizeof *b->seen);
  if (!b->whole) b->far = scree__run_alloc(run, n * b->lanes * sizeof *b->far);
  b->combined = !b->whole && scree__run_reduce(run, true);
  return scree__run_ready(run, true, "the values of a batch of sources");
}

/* ---- the run ---- */

/* All is as if no batch had been before. */
static void clear(const scree__run *run, scree__bc *b) {
  const uint64_t n = run->graph->locals;
  memset(scree__bc_at(b, b->layout, b->me, 0), 0, n * b->lanes * sizeof *b->value);
  memset(b->seen, 0, n * sizeof *b->seen);
  b->level.count = 0;
  b->count = b->found = 0;
  b->open.count = UINT64_MAX;
  b->open.arcs = b->in_offsets[n];
}

static scree_status one_batch(scree__run *run, scree__bc *b, uint64_t first) {
  const uint64_t left = b->sources.count - first;
  uint64_t levels;
  clear(run, b);
  b->used = left < b->lanes ? (uint32_t)left : b->lanes;
  scree__bc_place_sources(run, first);
  const scree_status status = scree__bc_forward(run, &levels);
  return status ? status : scree__bc_backward(run, levels);
}

static scree_status solve(scree__run *run) {
  scree__bc *b = run->own;
  double *score = run->result[0];
  scree_status status = SCREE_OK;
  if (b->single.at) status = scree__bc_solve_single(run);
  for (uint64_t i = 0; i < b->sources.count && !b->single.at && status == SCREE_OK; i += b->lanes)
    status = one_batch(run, b, i);
  for (uint64_t u = 0; u < run->graph->locals && b->sources.scale != 1; u++) score[u] *= b->sources.scale;
  run->figure[0] = (double)b->sources.count;
  run->figure[1] = b->sources.error;
  run->figure[2] = b->largest;
  run->passes = b->sources.count;
  if (b->largest > SCREE__BC_EXACT) run->reason = "numbers of shortest paths pass 2^53 and are rounded";
  if (b->largest > SCREE__BC_EXACT && run->worker->rank == 0 && status == SCREE_OK)
    fprintf(stderr, "scree: warning: bc: %s, the largest is %.3g\n", run->reason, b->largest);
  return status;
}

static void teardown(scree__run *run) {
  scree__bc *b = run->own;
  free(b->level.at);
}

/* ---- the record ---- */

static unsigned wanted(const scree_graph *g, uint64_t runs) {
  (void)runs;
  return g->directed ? SCREE__TRANSPOSED : 0;
}

/* `single` takes all but the first. */
static const scree_kernel_option options[] = {
    {.row = {SCREE__ROW("batch", COUNT, "", "sources in one pass; fewer take less memory"), .def = SCREE__BC_LANES,
             .min = 1, .max = SCREE__BC_LANES, .offset = offsetof(scree_bc_options, batch)},
     .value = "N"},
    {.row = {SCREE__ROW("sources", COUNT, "",
                        "vertices from which shortest paths count, drawn with --seed; the values are their sums"),
             .def = SCREE_UNSET, .min = 1, .max = UINT64_C(1) << 48, .offset = offsetof(scree_bc_options, sources)},
     .value = "N",
     .otherwise = "all",
     .changes_work = true},
    {.row =
         {SCREE__ROW(
              "approximate", REAL, "",
              "draw so many sources that, but for one in 10 draws, each value is off by this, times n(n-2), at most"),
          .offset = offsetof(scree_bc_options, approximate), .real_def = SCREE_UNSET_REAL, .real_min = 1e-6,
          .real_max = 1},
     .value = "EPSILON",
     .otherwise = "exact",
     .changes_work = true},
    {.row = {SCREE__ROW("seed", COUNT, "", "of the draw of sources"), .def = 1, .max = UINT64_MAX - 1, .rare = true,
             .offset = offsetof(scree_bc_options, seed)},
     .value = "SEED"},
    SCREE__OPTIONS_END,
};

static const scree__variant rows = {
    .about = {"rows", "all ranks make each level, of 16 sources: where many of them reach a vertex in one level"},
    .options = options,
    .tuned = true,
    .messages = {{"bc.part", sizeof(scree__bc_item), take, part__reduction}},
    .own = sizeof(scree__bc),
    .setup = setup,
    .solve = solve,
    .teardown = teardown,
    .memory = {.orderings = SCREE__TRANSPOSED, .wanted = wanted, .more = bytes},
};

static const scree__variant single = {
    .about = {"single",
              "each rank takes whole sources, one after the other, on all rows: where levels have few vertices"},
    .options = options + 1,
    .tuned = true,
    .messages = {{"bc.score", sizeof(scree__bc_item), scree__bc_take_scores, part__reduction}},
    .own = sizeof(scree__bc),
    .setup = scree__bc_setup_single,
    .solve = solve,
    .memory = {.more = scree__bc_single_bytes},
};

/* Whether degrees are as even as those of a grid or of roads, where levels have few vertices: unlike those of arcs that
 * are drawn, of which vertices with 2.5 times the mean degree have a 300th. */
static bool is_even(const scree_graph *g) {
  uint64_t vertices, arcs;
  if (!g->graphs) return true;
  return scree__graph_hubs(g, 2.5, &vertices, &arcs) == SCREE_OK && arcs <= g->arcs / 512;
}

static const scree__variant *choose(const scree_graph *g, const void *o, uint64_t runs, const char **reason) {
  const uint32_t ranks = g->vertices.ranks;
  (void)o, (void)runs, (void)reason;
  const bool fits = g->vertices.n <= (ranks <= FEW_RANKS ? MANY : SMALL) / ranks;
  return g->arcs / FEW_ARCS < g->vertices.n && fits && is_even(g) ? &single : &rows;
}

static const scree__variant chosen = {
    .about = {"auto",
              "single on graphs with few arcs per vertex and even degrees, on few ranks or of few vertices; else rows"},
    .options = options,
    .tuned = true,
    .choose = choose,
};

static const scree__variant *const variants[] = {&chosen, &rows, &single, NULL};

static double passes(const void *given) {
  const scree_bc_options *o = given;
  return o->sources == SCREE_UNSET ? 500 : (double)o->sources / 4 + 0.5;
}

const scree__kernel scree__kernel_bc = {
    .about = {.name = "bc",
              .help = "betweenness centrality, which ignores weights",
              .arrays = {{"betweenness", SCREE_VALUE_REAL, true}},
              .figures = {"sources", "error", "paths"},
              .options_name = "scree_bc_options",
              .options_init = "SCREE_BC_OPTIONS_INIT",
              .options_size = sizeof(scree_bc_options)},
    .variants = variants,
    .validate = scree__bc_validate,
    .passes_by = passes,
};
