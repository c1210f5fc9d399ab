/* property_case.c - one case of the property test: drawn, played, made smaller, printed. */
#include "property_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { NONE = -2, STEPS_MAX = 5000000, STEPS_MAX_ALONE = 300000, TRIES_MAX = 600, SCHEDULES = 3 };

/* ---- drawing ---- */

void property_draw(property_case *c, uint64_t seed) {
  static const uint32_t ranks[] = {1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7};
  uint64_t state = scree__hash_draw(seed, 0);
  *c = (property_case){.draw = scree__hash_draw(seed, 1), .sssp = PROPERTY_ALL, .bfs = PROPERTY_ALL};
  c->sim = (scree_sim_config){.seed = seed, .max_steps = STEPS_MAX, .quiet = !getenv("SCREE_TEST_VERBOSE")};
  c->sim.ranks = ranks[case_draw(&state, sizeof ranks / sizeof *ranks)];
  if (case_draw(&state, 30) == 0) c->sim.ranks = 8 + (uint32_t)case_draw(&state, 9); /* they cost the most time */
  c->sim.nodes = 1 + (uint32_t)case_draw(&state, c->sim.ranks < 4 ? c->sim.ranks : 4);
  c->sim.unperturbed = case_draw(&state, 4) == 0;
  c->options = (scree_options)SCREE_OPTIONS_INIT;
  c->options.memory = case_draw(&state, 2) ? 4096 : 65536;
  c->options.coalesce_bytes = case_draw(&state, 2) ? 1 + case_draw(&state, 100) : 0;
  c->options.pool_blocks = case_draw(&state, 3);
  c->options.batch_max = 1 + case_draw(&state, 40);
  c->options.in_flight = 1 + case_draw(&state, 4);
  c->law = (int)case_draw(&state, PROPERTY_LAWS);
  case_graph_draw(&c->given, &state);
  c->sim.threads = case_draw(&state, 3) ? 1 : 2 + (uint32_t)case_draw(&state, 3);
  if (case_draw(&state, 8) == 0) c->options.progress = SCREE_PROGRESS_FULL;
  if (case_draw(&state, 3) == 0) c->options.route = case_draw(&state, SCREE_ROUTE_RING + 1);
  c->options.reduce_cache =
      case_draw(&state, 2) ? 16 * 32 : 65536; /* 16 entries of the kernels' largest item, or many */
}

/* ---- playing ---- */

typedef struct {
  const property_case *c;
  property_outcome *outcome;
  case_graph *changed;
  case_answer answers[2]; /* of the given and of the changed graph */
  case_found found;
} play;

/* With a progress thread one variant runs. */
static bool is_allowed(const property_case *c, const char *algorithm) {
  return c->options.progress != SCREE_PROGRESS_FULL || strcmp(algorithm, "dc-hybrid") == 0;
}

/* All variants run on the given graph, some of them on the changed one. */
static bool wanted(const property_case *c, int chosen, size_t i, bool changed) {
  if (chosen == PROPERTY_ALL) return !changed || scree__hash_draw(c->draw, i) % 3 == 0;
  return chosen == (int)i;
}

/* The first rank to come here says what runs now; none goes on before all have come. */
static void note(play *p, int sssp, int bfs, bool changed) {
  if (p->outcome->verdict.wrong) return;
  p->outcome->sssp = sssp;
  p->outcome->bfs = bfs;
  p->outcome->changed = changed;
}

static void run_variants(case_layer *layer, play *p, bool changed) {
  const property_case *c = p->c;
  scree_graph *g = case_graph_build(layer->graphs, changed ? p->changed : &c->given, c->draw);
  if (!g) {
    case_wrong(&p->outcome->verdict, "no graph: %s", scree_graphs_error(layer->graphs));
    return;
  }
  const case_try t = {
      layer,    g, changed ? p->changed : &c->given, &p->answers[changed], c->draw + changed, &p->outcome->verdict,
      &p->found};
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("sssp"), i); i++) {
    if (!wanted(c, c->sssp, i, changed) || !is_allowed(c, scree_kernel_variant_at(scree_kernel_find("sssp"), i)->name))
      continue;
    note(p, (int)i, NONE, changed);
    case_sssp(&t, i);
    p->outcome->runs++;
  }
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("bfs"), i); i++) {
    if (!wanted(c, c->bfs, i, changed) || !is_allowed(c, scree_kernel_variant_at(scree_kernel_find("bfs"), i)->name))
      continue;
    note(p, NONE, (int)i, changed);
    case_bfs(&t, i);
    p->outcome->runs++;
  }
  scree_graph_free(g);
}

static void play_rank(scree_world *world, void *arg) {
  play *p = arg;
  case_layer layer;
  if (case_open(world, &layer)) {
    run_variants(&layer, p, false);
    if (p->outcome->law_applied) run_variants(&layer, p, true);
  }
  case_close(&layer);
}

/* The variants are compared with the serial answers of both graphs, so it is enough that these obey the law. */
static bool prepare(play *p) {
  const property_case *c = p->c;
  case_verdict *verdict = &p->outcome->verdict;
  if (!case_graph_solve(&c->given, &p->answers[0])) return case_wrong(verdict, "no memory"), false;
  if (c->law == PROPERTY_NO_LAW) return true;
  size_t law = (size_t)c->law;
  p->outcome->law_applied = property_law_apply(law, &c->given, &p->answers[0], c->draw, p->changed);
  if (!p->outcome->law_applied) return true;
  if (!case_graph_solve(p->changed, &p->answers[1])) return case_wrong(verdict, "no memory"), false;
  char why[300];
  if (!property_law_holds(law, &c->given, &p->answers[0], c->draw, &p->answers[1], why, sizeof why))
    case_wrong(verdict, "the serial answers break a law: %s", why);
  return !verdict->wrong;
}

bool property_play(const property_case *c, property_outcome *outcome) {
  *outcome = (property_outcome){.sssp = PROPERTY_ALL, .bfs = PROPERTY_ALL};
  play *p = calloc(1, sizeof *p);
  case_graph *changed = malloc(sizeof *changed);
  if (!p || !changed) abort();
  p->c = c;
  p->outcome = outcome;
  p->changed = changed;
  if (prepare(p)) {
    scree_status status = scree_sim_run(&c->sim, &c->options, play_rank, p, &outcome->steps);
    if (status) case_wrong(&outcome->verdict, "%s", status == SCREE_EPEER ? "hung" : scree_status_text(status));
  }
  free(changed);
  free(p);
  return !outcome->verdict.wrong;
}

/* ---- making smaller ---- */

typedef struct {
  property_case *best, *next; /* the smallest that fails; what is tried */
  property_outcome *outcome;  /* of best */
  unsigned tries;
} shrinking;

/* Takes `next` over if it fails under one of a few schedules. */
static bool still_fails(shrinking *s) {
  property_outcome outcome;
  for (uint64_t k = 0; k < SCHEDULES && s->tries < TRIES_MAX; k++, s->tries++) {
    s->next->sim.seed = s->best->sim.seed + k;
    if (property_play(s->next, &outcome)) continue;
    *s->best = *s->next;
    *s->outcome = outcome;
    return true;
  }
  return false;
}

/* One variant, and the graph on which it failed without the other. */
static void shrink_to_one(shrinking *s) {
  *s->next = *s->best;
  s->next->sssp = s->outcome->sssp;
  s->next->bfs = s->outcome->bfs;
  s->next->sim.max_steps = STEPS_MAX_ALONE;
  still_fails(s);
  if (s->best->law == PROPERTY_NO_LAW) return;
  *s->next = *s->best;
  s->next->law = PROPERTY_NO_LAW;
  if (s->outcome->changed) {
    case_answer answer;
    if (case_graph_solve(&s->best->given, &answer))
      property_law_apply((size_t)s->best->law, &s->best->given, &answer, s->best->draw, &s->next->given);
    s->next->draw++;
  }
  still_fails(s);
}

static void shrink_ranks(shrinking *s) {
  for (uint32_t ranks = 1; ranks < s->best->sim.ranks; ranks++) {
    *s->next = *s->best;
    s->next->sim.ranks = ranks;
    s->next->sim.nodes = 1;
    if (still_fails(s)) return;
  }
}

/* Without edges from .. from+count-1. */
static void drop_edges(case_graph *g, uint64_t from, uint64_t count) {
  memmove(&g->edges[from], &g->edges[from + count], (g->m - from - count) * sizeof *g->edges);
  g->m -= count;
}

static void shrink_edges(shrinking *s) {
  for (uint64_t count = s->best->given.m; count; count /= 2)
    for (uint64_t from = 0; from + count <= s->best->given.m;) {
      *s->next = *s->best;
      drop_edges(&s->next->given, from, count);
      if (!still_fails(s)) from += count;
    }
}

static void shrink_distribution(shrinking *s) {
  *s->next = *s->best;
  s->next->given.shape.distribution = SCREE_DISTRIBUTION_BLOCK;
  still_fails(s);
}

/* Vertices without an edge go, but for the source. */
static void shrink_vertices(shrinking *s) {
  uint64_t to[CASE_VERTICES_MAX] = {0}, n = 0;
  *s->next = *s->best;
  case_graph *g = &s->next->given;
  to[g->source] = 1;
  for (uint64_t i = 0; i < g->m; i++) to[g->edges[i].u] = to[g->edges[i].v] = 1;
  for (uint64_t v = 0; v < g->shape.n; v++) to[v] = to[v] ? n++ : 0;
  for (uint64_t i = 0; i < g->m; i++) {
    g->edges[i].u = to[g->edges[i].u];
    g->edges[i].v = to[g->edges[i].v];
  }
  g->source = to[g->source];
  g->shape.n = n;
  still_fails(s);
}

void property_shrink(property_case *c, property_outcome *outcome) {
  property_case *next = malloc(sizeof *next);
  if (!next) return;
  shrinking s = {c, next, outcome, 0};
  shrink_to_one(&s);
  shrink_ranks(&s);
  shrink_distribution(&s);
  shrink_edges(&s);
  shrink_vertices(&s);
  shrink_ranks(&s);
  free(next);
}

void property_print(const property_case *c, const property_outcome *outcome, FILE *to) {
  const scree_options *o = &c->options;
  fprintf(to, "  %s\n", outcome->verdict.text);
  fprintf(
      to,
      "  on %" PRIu32 " ranks, %" PRIu32 " nodes, %" PRIu32 " threads%s%s, schedule %" PRIu64 ", memory %" PRIu64
      ", coalesce_bytes %" PRIu64 ", pool_blocks %" PRIu64 ", batch_max %" PRIu64 ", in_flight %" PRIu64 ", route %d\n",
      c->sim.ranks, c->sim.nodes, c->sim.threads, o->progress == SCREE_PROGRESS_FULL ? " and a progress thread" : "",
      c->sim.unperturbed ? ", calm" : "", c->sim.seed, o->memory, o->coalesce_bytes, o->pool_blocks, o->batch_max,
      o->in_flight, o->route == SCREE_UNSET ? 0 : (int)o->route);
  if (outcome->changed && c->law != PROPERTY_NO_LAW)
    fprintf(to, "  after the change: %s; the graph before it:\n", property_law_name((size_t)c->law));
  fprintf(to, "  ");
  case_graph_print(&c->given, to);
}
