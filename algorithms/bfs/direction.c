/* direction.c - direction-optimising BFS (Beamer, Asanovic & Patterson, SC 2012) on many ranks. A level is processed
 * top-down as in level.c, or bottom-up: each rank searches, for each of its vertices not yet reached, a neighbour in
 * the frontier. That is a bitmap in an array of the node, so that ranks send only other nodes which vertices they
 * found. */
#include <math.h>

#include "bfs/far.h"
#include "bfs/variants.h"
#include "graph/structure.h"
#include "ordering/ordering.h"

enum { REACH = 2 };    /* the message of far.h */
#define ALL UINT32_MAX /* target of a visit whose parent is a hub: all that the receiver's arcs from it lead to */
/* A change to bottom-up examines every vertex once: this does not pay for a frontier with fewer arcs than 1/32 of the
 * vertices, however few arcs are left. */
enum { LOOK = 32, AHEAD = 32 }; /* AHEAD: vertices that are examined together */
/* Mean degree below which, without hubs of HUB times as many, it never pays: few neighbours are skipped. */
enum { DEGREE = 3, HUB = 32 };
/* Runs from which on a transposed copy of a directed graph, and the arcs of hubs, save more time than they take.
 * Without the copy levels are processed top-down. */
enum { COPY_PAYS = 100, HUBS_PAY = 256 };

static unsigned wanted(const scree_graph *g, uint64_t runs) {
  if (g->directed && runs && runs < COPY_PAYS) return 0;
  return runs && runs < HUBS_PAY ? SCREE__TRANSPOSED : SCREE__TRANSPOSED | SCREE__HUBS;
}

typedef struct {
  scree__frontier f;            /* first: scree__frontier_take finds it */
  const scree__transpose *rows; /* NULL: no level was processed bottom-up yet */
  const scree__hubs *hubs;      /* NULL: none are used */
  scree__node_bits bits;
  AO_t *now, *next; /* the frontier and the one after it, by packed location */
  uint32_t *open;   /* local vertices that have a row and are not reached */
  uint64_t open_count;
  uint64_t unexplored; /* arcs of vertices not reached, on all ranks */
  double alpha, beta;
  bool may_pull; /* levels may be processed bottom-up */
  bool bottom_up;
  scree__far far;
} direction;

/* ---- the frontier as bits ---- */

static void take_bits(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  direction *d = run->own;
  scree__node_bits_add(run, &d->bits, d->next, items, count);
}

/* What was found becomes the frontier, and is known to be reached. After the end of the epoch: all ranks of the node
 * have added theirs, and none reads the last frontier any more. */
static void swap_bits(const scree__run *run, direction *d) {
  AO_t *done = d->now;
  for (uint64_t i = 0; i < scree__bits_words(run->graph); i++) d->f.seen[i] |= d->next[i]; /* no rank changes it */
  d->now = d->next;
  d->next = done;
  scree__node_bits_clear(run, &d->bits, done);
}

/* ---- hubs in a level top-down ---- */

/* Reaches the hub's neighbours of this rank. */
static void reach_from(scree__run *run, direction *d, uint64_t location) {
  const scree__hubs *hubs = d->hubs;
  const uint64_t i = scree__hub_at(hubs, location), begin = hubs->offsets[i], end = hubs->offsets[i + 1];
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits, before = d->f.found;
  const scree_location parent = scree_graph_unpack(run->graph, location);
  for (uint64_t k = begin; k < end; k++) {
    const uint32_t v = hubs->members[k];
    if (scree__bit(d->f.seen, first | v)) continue;
    scree__bit_set(d->f.seen, first | v);
    scree__frontier_found(run, &d->f, v, parent);
  }
  run->work.edges += end - begin;
  run->work.direct += d->f.found - before;
  run->work.useful += d->f.found - before;
  run->work.pruned += end - begin - (d->f.found - before);
}

static void take_visits(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  direction *d = run->own;
  const scree__visit_item *item = items;
  uint32_t done = 0;
  for (uint32_t i = 0; d->hubs && i < count; i++) {
    if (item[i].target != ALL) continue;
    scree__frontier_take(run, sender, item + done, i - done);
    reach_from(run, d, (uint64_t)sender << run->graph->local_bits | item[i].parent);
    done = i + 1;
  }
  scree__frontier_take(run, sender, item + done, count - done);
}

/* Sends the hubs of the frontier to all ranks, and leaves the other vertices in it. */
static void push_hubs(scree__run *run, direction *d) {
  const scree_graph *g = run->graph;
  const uint32_t rank = run->worker->rank, ranks = run->worker->ranks;
  const scree__visit_type type = {run->types[0]};
  if (!d->hubs) return;
  uint64_t begun = scree__work_begin(run), kept = 0, hubs = 0;
  for (uint64_t i = 0; i < d->f.count; i++) {
    const uint32_t u = d->f.now[i];
    if (scree_graph_degree(g, u) < d->hubs->degree) {
      d->f.now[kept++] = u;
      continue;
    }
    for (uint32_t k = 1; k < ranks; k++)
      scree__visit_send_at_once(run->worker, type, (rank + k) % ranks, (scree__visit_item){ALL, u});
    d->open[hubs++] = u; /* nothing is open in a level top-down */
  }
  d->f.count = kept;
  scree_flush(run->worker, type.id);
  for (uint64_t i = 0; i < hubs; i++) reach_from(run, d, (uint64_t)rank << g->local_bits | d->open[i]);
  scree__work_end(run, begun);
}

/* ---- a level bottom-up ---- */

/* Vertices whose likely parents are not in the frontier, and the numbers of arcs and vertices left. */
typedef struct {
  uint32_t vertex[AHEAD], count;
  uint64_t examined, kept;
} missed;

/* Searches their rows, which have been prefetched; those without a parent stay open. `wide` and `apart`, of the bits,
 * are constants, since to test the latter for each vertex that is found takes time. */
static inline __attribute__((always_inline)) void search_rows(scree__run *run, direction *d, missed *m, bool wide,
                                                              bool apart) {
  const scree__transpose *rows = d->rows;
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits;
  const uint64_t *now = d->now; /* no rank changes it */
  const scree__node_bits bits = {d->bits.array, apart};
  AO_t *next = d->next;
  for (uint32_t i = 0; i < m->count; i++) {
    const uint32_t v = m->vertex[i];
    uint64_t tail = 0, e = rows->offsets[v], end = rows->offsets[v + 1];
    while (e < end && !scree__bit(now, tail = scree__head_get(rows->tails, wide, e))) e++;
    m->examined += e - rows->offsets[v];
    if (e == end) {
      d->open[m->kept++] = v;
      continue;
    }
    scree__head_put(rows->likely, wide, v, tail);
    scree__node_bit_set(&bits, next, first | v);
    scree__frontier_found(run, &d->f, v, scree_graph_unpack(run->graph, tail));
  }
}

/* Searches for a parent of each open vertex. Vertices of large degree are in the frontier whatever the source is, so
 * the parent that one search has found is examined first in the next. That test is no branch, as it would often be
 * mispredicted. `wide` and `apart` are constants. */
static inline __attribute__((always_inline)) void search(scree__run *run, direction *d, bool wide, bool apart) {
  const scree__transpose *rows = d->rows;
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits, before = d->f.found, *now = d->now;
  const scree__node_bits bits = {d->bits.array, apart};
  AO_t *next = d->next;
  missed m = {.count = 0};
  for (uint64_t i = 0, end; i < d->open_count; i = end) {
    uint32_t hit[AHEAD], hits = m.count = 0;
    end = d->open_count - i < AHEAD ? d->open_count : i + AHEAD;
    for (; i < end; i++) {
      const uint32_t v = hit[hits] = m.vertex[m.count] = d->open[i];
      const bool found = scree__bit(now, scree__head_get(rows->likely, wide, v));
      hits += found;
      m.count += !found;
    }
    for (uint32_t k = 0; k < m.count; k++)
      __builtin_prefetch((const char *)rows->tails + rows->offsets[m.vertex[k]] * (wide ? 8 : 4));
    for (uint32_t k = 0; k < hits; k++) {
      const uint64_t tail = scree__head_get(rows->likely, wide, hit[k]);
      scree__node_bit_set(&bits, next, first | hit[k]);
      scree__frontier_found(run, &d->f, hit[k], scree_graph_unpack(run->graph, tail));
    }
    search_rows(run, d, &m, wide, apart);
  }
  const uint64_t found = d->f.found - before;
  d->open_count = m.kept;
  run->work.direct += found;
  run->work.useful += found;
  run->work.edges += m.examined + found;
}

static void pull(scree__run *run, direction *d) {
  uint64_t begun = scree__work_begin(run);
  scree_node_array_step(d->bits.array, run->worker); /* not in the loops: a call there takes a tenth of their time */
  if (run->graph->wide)
    d->bits.apart ? search(run, d, true, true) : search(run, d, true, false);
  else
    d->bits.apart ? search(run, d, false, true) : search(run, d, false, false);
  scree__node_bits_send(run, run->types[1], &d->bits, d->next);
  scree__work_end(run, begun);
}

static void take_reach(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__reach_take(run, &((direction *)run->own)->far.reach, sender, items, count);
}

/* ---- changing direction ---- */

/* 64 bits from bit i on. */
static uint64_t bits_from(const uint64_t *bits, uint64_t i) {
  return i % 64 ? bits[i / 64] >> i % 64 | bits[i / 64 + 1] << (64 - i % 64) : bits[i / 64];
}

static void list_open(scree__run *run, direction *d) {
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits;
  uint64_t count = 0;
  for (uint64_t v = 0; v < run->graph->locals; v += 64)
    for (uint64_t set = d->rows->nonempty[v / 64] & ~bits_from(d->f.seen, first + v); set; set &= set - 1)
      d->open[count++] = (uint32_t)v + (uint32_t)__builtin_ctzll(set);
  d->open_count = count;
}

static scree_status transpose(scree__run *run) {
  direction *d = run->own;
  const bool hubs = wanted(run->graph, run->runs) & SCREE__HUBS;
  run->preparation_reason = hubs ? "many runs" : "the arcs of hubs pay from 256 runs on";
  scree_status status = scree__transpose_of(run->graph, &d->rows);
  if (status == SCREE_OK && hubs) status = scree__hubs_of(run->graph, &d->hubs);
  if (d->hubs && !d->hubs->count) d->hubs = NULL;
  return status;
}

/* From top-down to bottom-up: all nodes learn the frontier. One epoch. */
static scree_status turn_bottom_up(scree__run *run, direction *d) {
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits;
  scree_status status = d->rows ? SCREE_OK : scree__run_prepare(run, transpose);
  if (status == SCREE_OK) status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t i = 0; i < d->f.count; i++) scree__node_bit_set(&d->bits, d->next, first | d->f.now[i]);
  scree__node_bits_send(run, run->types[1], &d->bits, d->next);
  status = scree__run_end(run, NULL);
  swap_bits(run, d);
  list_open(run, d);
  d->bottom_up = true;
  return status;
}

/* Many levels in one epoch. */
static scree_status leave_levels(scree__run *run, direction *d) {
  uint64_t arcs = 0;
  run->reason = "many levels of few vertices";
  scree_status status = scree__far_run(run, &d->far, &d->f, REACH, &arcs);
  d->unexplored -= arcs < d->unexplored ? arcs : d->unexplored;
  return status;
}

/* The direction of the next level; `before` and `now` are vertices of the last two frontiers on all ranks. */
static scree_status choose(scree__run *run, direction *d, uint64_t before) {
  uint64_t now = d->f.total.sum[0], arcs = d->f.total.sum[1];
  d->unexplored -= arcs < d->unexplored ? arcs : d->unexplored;
  if (d->bottom_up) {
    d->bottom_up = now >= before || (double)now > (double)run->graph->vertices.n / d->beta;
    return SCREE_OK;
  }
  if (now && scree__far_pays(run, &d->far, &d->f)) return leave_levels(run, d);
  const bool pays = d->may_pull && now && now > before && (double)arcs > (double)d->unexplored / d->alpha &&
                    arcs > run->graph->vertices.n / LOOK;
  return pays ? turn_bottom_up(run, d) : SCREE_OK;
}

static void push(scree__run *run, direction *d) {
  push_hubs(run, d);
  scree__frontier_push(run, &d->f);
}

static scree_status one_level(scree__run *run, direction *d) {
  uint64_t before = d->f.total.sum[0];
  bool bottom_up = d->bottom_up;
  d->f.sum_arcs = d->may_pull && !bottom_up; /* the arcs left decide nothing while it stays bottom-up */
  scree_status status = scree__frontier_begin(run, &d->f);
  if (status) return status;
  if (bottom_up)
    pull(run, d);
  else
    push(run, d);
  status = scree__frontier_end(run, &d->f);
  if (bottom_up) swap_bits(run, d);
  return status ? status : choose(run, d, before);
}

static scree_status solve(scree__run *run) {
  direction *d = run->own;
  scree_status status = SCREE_OK;
  d->f.total.sum[0] = 1;
  d->unexplored = run->graph->arcs;
  while (d->f.total.sum[0] && status == SCREE_OK) status = one_level(run, d);
  return status;
}

/* ---- memory ---- */

static void take_options(const scree__run *run, direction *d) {
  const scree_bfs_options *o = run->options;
  d->alpha = o->alpha;
  d->beta = o->beta;
}

/* Collective. */
static scree_status may_pull(scree__run *run, bool *may) {
  const scree_graph *g = run->graph;
  uint64_t hubs = 0, arcs;
  *may = (scree__orderings_made(g) | wanted(g, run->runs)) & SCREE__TRANSPOSED;
  if (!*may) run->preparation_reason = "a transposed copy pays from 100 runs on";
  if (!*may) return SCREE_OK;
  scree_status status = g->arcs < DEGREE * g->vertices.n ? scree__graph_hubs(g, HUB, &hubs, &arcs) : SCREE_OK;
  *may = g->arcs >= DEGREE * g->vertices.n || hubs;
  return status;
}

/* A run without arrays makes the orderings alone. */
static scree_status setup(scree__run *run) {
  const scree_graph *g = run->graph;
  direction *d = run->own;
  bool ready = scree__frontier_init(&d->f, run, true, false);
  if (ready) {
    d->f.prune = d->f.apply = true;
    d->open = scree__run_alloc(run, (size_t)(g->locals + 1) * sizeof *d->open);
    take_options(run, d);
  }
  AO_t *sets[2];
  scree_status status = scree__run_ready(run, ready, "the bitmaps of a frontier");
  if (status == SCREE_OK) status = may_pull(run, &d->may_pull);
  if (status == SCREE_OK && d->may_pull) status = scree__node_bits_open(run, 2, sets, &d->bits);
  if (status) return status;
  if (d->may_pull) d->now = sets[0], d->next = sets[1];
  return d->may_pull && (!run->result[0] || scree__orderings_made(run->graph) & SCREE__TRANSPOSED) ? transpose(run)
                                                                                                   : SCREE_OK;
}

static void teardown(scree__run *run) {
  scree__far_free(&((direction *)run->own)->far);
}

static const scree_kernel_option options[] = {
    {.row = {SCREE__ROW("alpha", REAL, "", "go bottom-up when the frontier has 1/A of the arcs left"), .rare = true,
             .offset = offsetof(scree_bfs_options, alpha), .real_def = 15, .real_max = INFINITY, .exclusive = true},
     .value = "A",
     .tried = "15, 4, 60"},
    {.row = {SCREE__ROW("beta", REAL, "", "go top-down again when the frontier has less than 1/B of the vertices"),
             .rare = true, .offset = offsetof(scree_bfs_options, beta), .real_def = 18, .real_max = INFINITY,
             .exclusive = true},
     .value = "B",
     .tried = "18, 6, 72"},
    SCREE__OPTIONS_END,
};

const scree__variant scree__bfs_direction = {
    .about = {"direction", "direction-optimising: levels are processed top-down, or bottom-up where that is less work"},
    .options = options,
    .tuned = true,
    .messages = {{"bfs.direction", sizeof(scree__visit_item), take_visits, NULL},
                 {"bfs.direction.bits", sizeof(scree__bits_item), take_bits, NULL},
                 [REACH] = {"bfs.direction.reach", sizeof(scree__reach_item), take_reach, NULL}},
    .own = sizeof(direction),
    .setup = setup,
    .solve = solve,
    .teardown = teardown,
    .memory = {.local = 24,
               .whole_bits = 1,
               .node_bits = 2,
               .saving_bits = 16,
               .orderings = SCREE__TRANSPOSED | SCREE__HUBS,
               .wanted = wanted},
};
