/* forest.c - the forest of a node: most arcs of its largest tree are skipped (Sutton, Ben-Nun & Barak, IPDPS 2018). */
#include "cc/forest.h"

#include "graph/structure.h"

enum {
  JOINED = 2,    /* arcs of a vertex that are followed at first */
  EXAMINED = 12, /* arcs that are examined for them: many lead elsewhere */
  HUB = 64,      /* part of the vertices that a hub has as neighbours at least */
  DENSE = 8,     /* mean degree from which on most vertices are a few arcs from the hub */
  PULLS = 3,     /* passes of pulling */
  LIST = 1024,   /* vertices of which those to be looked at are listed */
  AHEAD = 16,    /* vertices between prefetching a row and reading it */
  SAMPLE = 128
};

static scree_status meet(scree__run *run, scree_reduce *inout) {
  const scree_status status = scree_begin(run->worker);
  return status ? status : scree__run_end(run, inout);
}

scree_status scree__cc_meet(scree__run *run) {
  return meet(run, NULL);
}

/* ---- memory ---- */

/* Ranks of a node of which all hold adjacent parts of the graph; else the rank alone. */
static void choose_near(const scree_graph *g, const scree_node_array *array, scree__cc_forest *f) {
  const uint32_t me = scree_graph_rank(g);
  bool adjacent = array && !array->alone;
  for (uint32_t i = 0; adjacent && i < array->ranks; i++)
    adjacent = me - array->index + i < g->vertices.ranks && array->index_of[me - array->index + i] == i;
  *f = (scree__cc_forest){
      .shared = adjacent ? array : NULL, .ranks = adjacent ? array->ranks : 1, .index = adjacent ? array->index : 0};
  f->first = (uint64_t)(me - f->index) << g->local_bits;
  f->own = (uint64_t)f->index << g->local_bits;
  f->count = (uint64_t)f->ranks << g->local_bits;
}

/* Bytes of the tables of so many places and ranks; sets the tables if they are at `at`. */
static size_t lay_out(scree__cc_forest *f, char *at, uint64_t places, uint32_t ranks, bool all) {
  const size_t up = (places * sizeof *f->up + 63) / 64 * 64, min = all ? places * sizeof *f->min : 0;
  const size_t samples = ranks * sizeof *f->samples;
  if (at) {
    f->up = (void *)at;
    f->min = all ? (void *)(at + up) : NULL;
    f->samples = (void *)(at + up + min);
    f->in_giant = all ? (void *)(at + up + min + samples) : NULL;
  }
  return up + min + samples + (all ? places : 0);
}

scree_status scree__cc_forest_open(scree__run *run, scree__cc_forest *f) {
  const scree_graph *g = run->graph;
  scree_world *world = scree_world_of(run->worker);
  const bool off = scree_options_of(world)->node_arrays == SCREE_NODE_ARRAYS_OFF;
  const bool block = g->vertices.kind == SCREE_DISTRIBUTION_BLOCK;
  scree_reduce most = {.min = UINT64_MAX, .max = off ? 1 : scree_node_ranks(world)};
  const scree_node_array *array = NULL;
  scree_status status = scree_graphs_reduce(g->graphs, &most);
  const uint32_t ranks = (uint32_t)most.max;
  const uint64_t places = (uint64_t)ranks << g->local_bits;
  if (status == SCREE_OK && ranks > 1 && places <= UINT32_MAX)
    status = scree__run_share(run, lay_out(f, NULL, places, ranks, !block || ranks < g->vertices.ranks), &array);
  if (status) return status;
  choose_near(g, array, f);
  const bool all = !block || !scree__cc_is_whole(run, f);
  char *at = f->shared ? array->at : scree__run_alloc(run, lay_out(f, NULL, f->count, f->ranks, all));
  lay_out(f, at, f->shared ? places : f->count, f->ranks, all);
  return SCREE_OK;
}

/* ---- joining ---- */

/* Joins the trees of a and b. Rem's algorithm: both paths up are walked at once, and the vertices on them are moved to
 * the smaller of the two above. One that another rank moves at the same time is left as it is; `alone`, a constant: no
 * other rank changes these vertices now. */
static inline __attribute__((always_inline)) void join(const scree__run *run, const scree__cc_forest *f, uint32_t a,
                                                       uint32_t b, bool alone) {
  uint32_t above = scree__cc_up(f, a), other = scree__cc_up(f, b);
  while (above != other) {
    if (above < other) {
      const uint32_t swap_at = a, swap = above;
      a = b;
      b = swap_at;
      above = other;
      other = swap;
    }
    if (f->shared && !alone) scree_node_array_step(f->shared, run->worker);
    const bool moved = alone || AO_int_compare_and_swap(&f->up[a], above, other);
    if (alone) AO_int_store(&f->up[a], other);
    if (moved && above == a) return;
    if (moved) a = above;
    above = scree__cc_up(f, a);
  }
}

/* The end of u's row, or what comes after its first `max` arcs. */
static inline uint64_t end_of(const scree_graph *g, uint64_t u, uint64_t max) {
  const uint64_t begin = g->offsets[u], end = g->offsets[u + 1];
  return end - begin > max ? begin + max : end;
}

/* The place of an arc's head; f->count or more: it is on another node. */
static inline uint64_t head_at(const scree_graph *g, const scree__cc_forest *f, uint64_t e) {
  return scree_graph_packed_target(g, e) - f->first; /* wraps */
}

/* Joins u with its heads of the node, but stops when it has joined one of the giant tree: then all others are joined by
 * their own arcs, if not in that tree. Returns the arcs examined. */
static inline uint64_t join_row(const scree__run *run, const scree__cc_forest *f, uint64_t u, uint32_t giant) {
  uint64_t e = run->graph->offsets[u];
  for (; e < run->graph->offsets[u + 1]; e++) {
    const uint64_t head = head_at(run->graph, f, e);
    if (head >= f->count) continue;
    const bool in_giant = scree__cc_up(f, head) == giant; /* and stays directly below it, so that others see that */
    join(run, f, (uint32_t)(f->own + u), in_giant ? giant : (uint32_t)head, false);
    if (in_giant) break;
  }
  return e - run->graph->offsets[u];
}

static inline void prefetch_row(const scree_graph *g, uint64_t u) {
  __builtin_prefetch((const char *)g->targets + g->offsets[u] * scree__head_bytes(g->wide));
}

/* Vertices from *u on that have arcs and are not directly below the giant tree's root, in `list`; *u comes after them.
 * It has no branches, as a third of the vertices of a Kronecker graph has no arcs, at random. */
static uint32_t list_outside(const scree_graph *g, const scree__cc_forest *f, uint32_t giant, uint64_t *u,
                             uint32_t list[LIST + AHEAD]) {
  const uint64_t end = g->locals - *u < LIST ? g->locals : *u + LIST;
  uint32_t count = 0;
  for (; *u < end; ++*u) {
    list[count] = (uint32_t)*u;
    count += (uint32_t)((scree__cc_up(f, f->own + *u) != giant) & (g->offsets[*u] != g->offsets[*u + 1]));
  }
  for (uint32_t i = 0; i < AHEAD; i++) list[count + i] = 0; /* is prefetched */
  return count;
}

/* ---- steps, each of this rank's vertices ---- */

/* Returns what `at` points to afterwards. Not inline: the loop around it needs the registers. */
static __attribute__((noinline)) uint32_t join_alone(const scree__cc_forest *f, uint32_t at, uint32_t up,
                                                     uint32_t head) {
  AO_int_store(&f->up[at], up);
  join(NULL, f, at, head, true);
  return scree__cc_up(f, at);
}

/* See join_own. `max`, `wide` and `directed` are constants. */
static inline __attribute__((always_inline)) uint64_t join_rows(const scree_graph *g, const scree__cc_forest *f,
                                                                uint64_t max, uint64_t *far, bool wide, bool directed) {
  const uint64_t *offsets = g->offsets, own = f->own, locals = g->locals, base = f->first + own;
  const void *targets = g->targets;
  unsigned *ups = f->up + own;
  uint64_t count = 0;
  for (uint64_t u = 0; u < locals; u++) {
    const uint64_t end = max == UINT64_MAX ? offsets[u + 1] : end_of(g, u, EXAMINED);
    const uint32_t self = (uint32_t)(own + u);
    uint32_t up = directed ? AO_int_load(&ups[u]) : self; /* is stored at last, and before it is joined */
    uint64_t left = max;
    bool leaves = false;
    for (uint64_t e = offsets[u]; e < end && left; e++) {
      const uint64_t head = scree__head_get(targets, wide, e) - base; /* wraps */
      if (head >= (directed ? locals : u)) {
        leaves |= directed || head + own < own;
        continue;
      }
      const uint32_t other = AO_int_load(&ups[head]);
      left -= max != UINT64_MAX;
      if (other == up) continue;
      if (up == self && (!directed || other < self))
        up = other;
      else
        up = join_alone(f, self, up, (uint32_t)(own + head));
    }
    AO_int_store(&ups[u], up);
    far[count] = u;
    count += leaves;
  }
  return count;
}

static inline __attribute__((always_inline)) uint64_t join_of(const scree_graph *g, const scree__cc_forest *f, bool few,
                                                              uint64_t *far, bool wide) {
  if (g->directed) return join_rows(g, f, UINT64_MAX, far, wide, true);
  return few ? join_rows(g, f, JOINED, far, wide, false) : join_rows(g, f, UINT64_MAX, far, wide, false);
}

/* Joins this rank's vertices with each other, each edge from the end with the larger place, or a few of each vertex: a
 * directed arc is at its tail alone. In `far` are those that have arcs to other ranks of the node, which are followed
 * afterwards; returns their number. */
static uint64_t join_own(scree__run *run, const scree__cc_forest *f, bool few, uint64_t *far) {
  const scree_graph *g = run->graph;
  for (uint64_t at = f->own; g->directed && at < f->own + g->locals; at++) AO_int_store(&f->up[at], (unsigned)at);
  run->work.edges += g->offsets[g->locals];
  return g->wide ? join_of(g, f, few, far, true) : join_of(g, f, few, far, false);
}

static uint64_t join_rest(const scree__run *run, const scree__cc_forest *f, uint32_t giant) {
  const scree_graph *g = run->graph;
  uint32_t list[LIST + AHEAD];
  uint64_t examined = 0;
  for (uint64_t u = 0; u < g->locals;) {
    const uint32_t count = list_outside(g, f, giant, &u, list);
    for (uint32_t i = 0; i < count; i++) {
      prefetch_row(g, list[i + AHEAD]);
      examined += join_row(run, f, list[i], giant);
    }
  }
  return examined;
}

static void flatten(const scree_graph *g, const scree__cc_forest *f) {
  for (uint64_t at = f->own; at < f->own + g->locals; at++) AO_int_store(&f->up[at], scree__cc_root(f, at));
}

/* ---- the largest tree ---- */

/* By a sample of the vertices with arcs. */
static scree__cc_sample take_sample(const scree_graph *g, const scree__cc_forest *f) {
  uint32_t roots[SAMPLE];
  scree__cc_sample s = {0};
  for (uint64_t i = 0; i < 4 * SAMPLE && s.of < SAMPLE && g->locals; i++) {
    const uint64_t u = (i * UINT64_C(0x9e3779b97f4a7c15) >> 24) % g->locals; /* all over */
    if (scree_graph_degree(g, u)) roots[s.of++] = scree__cc_root(f, f->own + u);
  }
  for (uint32_t i = 0; i < s.of; i++) {
    uint32_t same = 0;
    for (uint32_t k = i; k < s.of; k++) same += roots[k] == roots[i];
    if (same > s.same) s = (scree__cc_sample){roots[i], same, s.of};
  }
  return s;
}

/* By the samples of all ranks of the node. Collective. */
static scree_status find_giant(scree__run *run, const scree__cc_forest *f, scree__cc_sample *giant) {
  f->samples[f->index] = take_sample(run->graph, f);
  const scree_status status = scree__cc_meet(run);
  scree__cc_sample best = {UINT32_MAX, 0, 0};
  for (uint32_t r = 0; r < f->ranks; r++)
    if (f->samples[r].same > best.same) best = f->samples[r];
  *giant = (scree__cc_sample){best.root, 0, 0};
  for (uint32_t r = 0; r < f->ranks; r++) {
    giant->same += f->samples[r].root == best.root ? f->samples[r].same : 0;
    giant->of += f->samples[r].of;
  }
  return status;
}

/* ---- dense graphs: the tree of the hub (Koohi Esfahani, Kilpatrick & Vandierendonck, CLUSTER 2021) ---- */

/* Each is a root. The sample is of the vertex with most arcs. */
static void find_hub(const scree_graph *g, const scree__cc_forest *f) {
  scree__cc_sample hub = {0};
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t degree = scree_graph_degree(g, u);
    AO_int_store(&f->up[f->own + u], (unsigned)(f->own + u));
    if (degree > hub.same)
      hub = (scree__cc_sample){(uint32_t)u, degree < UINT32_MAX ? (uint32_t)degree : UINT32_MAX, 0};
  }
  f->samples[f->index] = hub;
}

/* The neighbours of this rank's hub point to the smallest of them. */
static void plant(const scree_graph *g, const scree__cc_forest *f) {
  scree__cc_sample *hub = &f->samples[f->index];
  const uint64_t u = hub->root, end = end_of(g, u, UINT64_MAX);
  uint64_t least = f->own + u;
  for (uint64_t e = g->offsets[u]; e < end; e++)
    if (head_at(g, f, e) < least) least = head_at(g, f, e);
  AO_int_store(&f->up[f->own + u], (unsigned)least);
  for (uint64_t e = g->offsets[u]; e < end; e++)
    if (head_at(g, f, e) < f->count) AO_int_store(&f->up[head_at(g, f, e)], (unsigned)least);
  hub->root = (uint32_t)least;
}

/* Whether an arc leads from u to the tree. */
static inline bool reaches(const scree_graph *g, const scree__cc_forest *f, uint64_t u, uint32_t giant,
                           uint64_t *examined) {
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint64_t head = head_at(g, f, e);
    ++*examined;
    if (head < f->count && scree__cc_up(f, head) == giant) return true;
  }
  return false;
}

/* Each that is not in the tree looks whether a neighbour is. While many find one, it does so again. */
static uint64_t pull(const scree_graph *g, const scree__cc_forest *f, uint32_t giant) {
  uint32_t list[LIST + AHEAD];
  uint64_t examined = 0, left = g->locals, before = UINT64_MAX;
  for (int pass = 0; pass < PULLS && left > g->locals / 32 && left < before / 2; pass++) {
    before = left;
    left = 0;
    for (uint64_t u = 0; u < g->locals;) {
      const uint32_t count = list_outside(g, f, giant, &u, list);
      for (uint32_t i = 0; i < count; i++) {
        const uint64_t self = f->own + list[i];
        prefetch_row(g, list[i + AHEAD]);
        if (self > giant && reaches(g, f, list[i], giant, &examined))
          AO_int_store(&f->up[self], giant);
        else
          left++;
      }
    }
  }
  return examined;
}

static scree_status join_hub(scree__run *run, const scree__cc_forest *f) {
  uint32_t owner = 0;
  for (uint32_t r = 1; r < f->ranks; r++)
    if (f->samples[r].same > f->samples[owner].same) owner = r;
  if (owner == f->index && run->graph->locals) plant(run->graph, f);
  scree_status status = scree__cc_meet(run);
  const uint32_t giant = f->samples[owner].root;
  if (status == SCREE_OK) run->work.edges += pull(run->graph, f, giant);
  if (status == SCREE_OK) status = scree__cc_meet(run);
  if (status == SCREE_OK) run->work.edges += join_rest(run, f, giant);
  return status;
}

/* ---- the whole ---- */

/* Each edge once: arcs to other ranks of the node when all have joined their own vertices. */
static scree_status join_all(scree__run *run, const scree__cc_forest *f) {
  const scree_graph *g = run->graph;
  uint64_t *far = scree__component(run); /* which is not needed yet */
  const uint64_t count = join_own(run, f, false, far);
  const scree_status status = scree__cc_meet(run);
  for (uint64_t i = 0; i < count && status == SCREE_OK; i++)
    for (uint64_t e = g->offsets[far[i]]; e < g->offsets[far[i] + 1]; e++) {
      const uint64_t head = head_at(g, f, e);
      if (head < (g->directed ? f->count : f->own)) join(run, f, (uint32_t)(f->own + far[i]), (uint32_t)head, false);
    }
  return status;
}

/* A few arcs, then all of vertices that are outside the largest tree. */
static scree_status join_few(scree__run *run, const scree__cc_forest *f) {
  scree__cc_sample giant;
  join_own(run, f, true, scree__component(run));
  scree_status status = scree__cc_meet(run);
  flatten(run->graph, f);
  if (status == SCREE_OK) status = find_giant(run, f, &giant);
  if (status == SCREE_OK) run->work.edges += join_rest(run, f, giant.root);
  return status;
}

/* The hub's tree is large, unless the hub is small and its neighbours are mostly on other nodes. */
static scree_status join_dense(scree__run *run, const scree__cc_forest *f) {
  find_hub(run->graph, f);
  scree_reduce hub = {.min = UINT64_MAX, .max = f->samples[f->index].same};
  const scree_status status = meet(run, &hub);
  if (status) return status;
  const bool large = scree__cc_is_whole(run, f) || hub.max >= run->graph->vertices.n / HUB;
  return large ? join_hub(run, f) : join_few(run, f);
}

scree_status scree__cc_forest_grow(scree__run *run, const scree__cc_forest *f, scree__cc_sample *giant) {
  const scree_graph *g = run->graph;
  const bool dense = !g->directed && g->arcs / DENSE >= g->vertices.n;
  scree_status status = dense ? join_dense(run, f) : join_all(run, f);
  if (status == SCREE_OK) status = scree__cc_meet(run);
  if (status || !f->min) return status;
  flatten(g, f);
  return find_giant(run, f, giant);
}
