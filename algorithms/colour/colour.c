/* colour.c - the kernel of colouring: its record, and what its variants share. */
#include "colour/run.h"
#include "sort/counting_sort.h"

enum {
  PIECE_BITS = 10,
  PIECE = 1 << PIECE_BITS,
  KEY_BITS = 30,
  DIGIT_BITS = 11,
  DIGITS = 1 << DIGIT_BITS,
  DEGREE_MAX = (1 << KEY_BITS) - 1
};
SCREE_MESSAGE_ROUTED(colour, scree__colour_item);

static const scree__variant *const variants[] = {&scree__colour_largest_first, &scree__colour_smallest_last,
                                                 &scree__colour_speculative, NULL};

/* ---- words of other nodes ---- */

void scree__colour_take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__colour_item *item = items;
  const scree__colour *c = scree__colour_of(run);
  (void)sender;
  for (uint32_t i = 0; i < count; i++)
    AO_int_store(&c->word[(uint64_t)item[i].owner << run->graph->local_bits | item[i].local], item[i].word);
}

void scree__colour_send(scree__run *run, uint64_t u, uint32_t to) {
  const scree__colour *c = scree__colour_of(run);
  const scree__colour_item item = {run->worker->rank, (uint32_t)u, scree__colour_get(c, c->first + u)};
  colour_send(run->worker, (colour_type){run->types[0]}, to, item);
  run->work.messages++;
}

void scree__colour_notify(scree__run *run, uint64_t u, bool all) {
  const scree_graph *g = run->graph;
  scree__colour *c = scree__colour_of(run);
  c->sent++;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint32_t to = scree_location_owner(scree_graph_target(g, e));
    if (to == run->worker->rank || c->notified[to] == c->sent) continue;
    if (!all && c->array->index_of[to] != UINT32_MAX) continue;
    c->notified[to] = c->sent;
    scree__colour_send(run, u, to);
  }
}

/* ---- order ---- */

static uint32_t bits_of(uint64_t max) {
  return max ? 64 - (uint32_t)__builtin_clzll(max) : 0;
}

/* Pieces come in steps of about 5/8 of their number, which is odd, so that neighbouring ones are far apart. */
typedef struct {
  uint64_t mask, step, inverse; /* of pieces, a power of 2; step * inverse is 1 */
} pieces;

static pieces pieces_of(const scree_graph *g) {
  const uint64_t count = UINT64_C(1) << bits_of((g->vertices.n - 1) >> PIECE_BITS);
  pieces p = {.mask = count - 1, .step = (count * 5 / 8) | 1};
  p.inverse = p.step;
  for (int i = 0; i < 5; i++) p.inverse *= 2 - p.step * p.inverse;
  return p;
}

uint64_t scree__colour_place(const scree_graph *g, uint64_t location) {
  const uint64_t vertex = scree_graph_vertex(g, scree_graph_unpack(g, location));
  const pieces p = pieces_of(g);
  return ((vertex >> PIECE_BITS) * p.step & p.mask) << PIECE_BITS | (vertex & (PIECE - 1));
}

/* Without arcs any colour does: the lowest. */
static inline void add(const scree_graph *g, scree__colour *c, uint64_t u, uint64_t place) {
  const bool has = scree_graph_degree(g, u) > 0;
  const uint64_t after = (UINT64_C(1) << c->left) - 1 - (place >> c->shift);
  const uint64_t key = (uint64_t)scree__colour_get(c, c->first + u) << c->left | after;
  c->order[c->count] = (uint32_t)u;
  c->count += has;
  scree__colour_set(c, u, has ? (uint32_t)key : SCREE__COLOURED);
}

/* The first of this rank's vertices, which ascend, that is not below `vertex`. */
static uint64_t local_from(const scree_graph *g, uint64_t vertex) {
  const uint64_t rank = scree_graph_rank(g), ranks = g->vertices.ranks;
  const bool block = g->vertices.kind == SCREE_DISTRIBUTION_BLOCK;
  const uint64_t first = scree_graph_vertex(g, scree_location_make((uint32_t)rank, 0));
  const uint64_t local = vertex < first ? 0 : block ? vertex - first : (vertex - first + ranks - 1) / ranks;
  return local < g->locals ? local : g->locals;
}

static void add_all(const scree_graph *g, scree__colour *c) {
  const pieces p = pieces_of(g);
  const uint32_t rank = scree_graph_rank(g);
  const bool hashed = g->vertices.kind == SCREE_DISTRIBUTION_HASH;
  c->count = 0;
  for (uint64_t u = 0; hashed && u < g->locals; u++)
    add(g, c, u, scree__colour_place(g, (uint64_t)rank << g->local_bits | u));
  for (uint64_t at = 0; !hashed && at <= p.mask; at++) {
    const uint64_t piece = at * p.inverse & p.mask, end = local_from(g, (piece + 1) << PIECE_BITS);
    const uint64_t stride = g->vertices.kind == SCREE_DISTRIBUTION_BLOCK ? 1 : g->vertices.ranks;
    uint64_t u = local_from(g, piece << PIECE_BITS);
    if (u == end) continue;
    uint64_t place = scree__colour_place(g, (uint64_t)rank << g->local_bits | u);
    for (; u < end; u++, place += stride) add(g, c, u, place);
  }
}

/* Digits of the place come first, then those of the number that the key begins with, the highest first. */
static inline uint32_t digit(const scree_graph *g, const scree__colour *c, uint32_t u, uint32_t pass, uint32_t places) {
  const uint64_t at = c->first + u;
  if (pass < places) return (uint32_t)(scree__colour_place(g, at) >> DIGIT_BITS * pass) & (DIGITS - 1);
  return ~(scree__colour_get(c, at) >> c->left) >> DIGIT_BITS * (pass - places) & (DIGITS - 1);
}

static void sort_by_digit(const scree_graph *g, scree__colour *c, uint32_t pass, uint32_t places) {
  uint32_t start[DIGITS] = {0}, *sorted = c->spare;
  SCREE__COUNTING_SORT(start, DIGITS, c->count, i, digit(g, c, c->order[i], pass, places), at,
                       sorted[at] = c->order[i]);
  c->spare = c->order;
  c->order = sorted;
}

static uint32_t digits(uint32_t bits) {
  return (bits + DIGIT_BITS - 1) / DIGIT_BITS;
}

void scree__colour_sort(scree__run *run, uint64_t max) {
  const scree_graph *g = run->graph;
  scree__colour *c = scree__colour_of(run);
  const uint32_t bits = bits_of((g->vertices.n - 1) >> PIECE_BITS) + PIECE_BITS;
  const uint32_t places = g->vertices.kind == SCREE_DISTRIBUTION_HASH ? digits(bits) : 0;
  const uint64_t begun = scree__work_begin(run);
  c->left = KEY_BITS - bits_of(max);
  c->shift = bits > c->left ? bits - c->left : 0;
  add_all(g, c);
  for (uint32_t pass = 0; pass < places + digits(bits_of(max)); pass++) sort_by_digit(g, c, pass, places);
  scree__work_end(run, begun);
}

scree_status scree__colour_by_degree(scree__run *run) {
  const scree_graph *g = run->graph;
  scree__colour *c = scree__colour_of(run);
  scree_reduce all = SCREE_REDUCE_INIT;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t degree = scree_graph_degree(g, u);
    scree__colour_set(c, u, degree < DEGREE_MAX ? (uint32_t)degree : DEGREE_MAX);
    if (degree > all.max) all.max = degree < DEGREE_MAX ? degree : DEGREE_MAX;
  }
  const scree_status status = scree_graphs_reduce(g->graphs, &all);
  if (status == SCREE_OK) scree__colour_sort(run, all.max);
  return status;
}

/* ---- the record ---- */

static scree_status setup(scree__run *run) {
  scree__colour *c = scree__colour_of(run);
  const size_t n = (size_t)run->graph->locals + 1;
  scree_status status = scree__run_undirected(run);
  if (status == SCREE_OK)
    status = scree__run_share(run, (scree_graph_slots(run->graph) + 1) * sizeof *c->word, &c->array);
  if (status) return status;
  c->word = (unsigned *)(void *)c->array->at;
  c->first = (uint64_t)scree_graph_rank(run->graph) << run->graph->local_bits;
  c->whole = c->array->ranks == run->worker->ranks;
  c->order = scree__run_alloc(run, n * sizeof *c->order);
  c->spare = scree__run_alloc(run, n * sizeof *c->spare);
  c->notified = scree__run_alloc(run, run->worker->ranks * sizeof *c->notified);
  c->asked = scree__run_alloc(run, run->worker->ranks * sizeof *c->asked);
  return scree__run_ready(run, true, "the order of the vertices");
}

static scree_status finish(scree__run *run) {
  const scree__colour *c = scree__colour_of(run);
  uint64_t *colour = run->result[0];
  scree_reduce all = SCREE_REDUCE_INIT;
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    colour[u] = scree__colour_get(c, c->first + u) ^ SCREE__COLOURED;
    if (colour[u] >= all.max) all.max = colour[u] + 1;
  }
  const scree_status status = scree_graphs_reduce(run->graph->graphs, &all);
  run->figure[0] = (double)all.max;
  run->passes = 1;
  return status;
}

/* Which part of a small graph is more than the rest. */
static uint64_t fixed(const scree_graph *g, uint64_t locals, const void *options) {
  (void)options;
  (void)locals;
  return sizeof(scree__colour) + g->vertices.ranks * (sizeof(uint64_t) + sizeof(uint32_t));
}

const scree__kernel scree__kernel_colour = {
    .about = {.name = "colour",
              .help = "a colouring: neighbours have different colours; of undirected graphs only (--undirected)",
              .arrays = {{"colour", SCREE_VALUE_COUNT, true}},
              .figures = {"colours"},
              .options_name = "scree_kernel_options",
              .options_init = "scree_kernel_options_init",
              .options_size = sizeof(scree_kernel_options)},
    .variants = variants,
    .setup = setup,
    .finish = finish,
    .validate = scree__colour_validate,
    .shared = sizeof(scree__colour),
    .memory = {.local = 8, .node_bits = 32, .more = fixed},
};
