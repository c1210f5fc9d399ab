/* drawn.c - one drawn case: drawn, played, made smaller, printed. */
#include "drawn.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { STEPS_MAX = 40000000, STEPS_MAX_ALONE = 300000, TRIES_MAX = 600, SCHEDULES = 3 };

/* ---- drawing ---- */

void drawn_draw(drawn_case *c, uint64_t seed) {
  static const uint32_t ranks[] = {1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7};
  uint64_t state = scree__hash_draw(seed, 0);
  case_graph given = c->given;
  case_graph_draw(&given, &state);
  *c = (drawn_case){.draw = scree__hash_draw(seed, 1), .given = given, .kernel = DRAWN_ALL, .variant = DRAWN_ALL};
  c->sim = (scree_sim_config){.seed = seed, .max_steps = STEPS_MAX, .quiet = !getenv("SCREE_TEST_VERBOSE")};
  c->sim.ranks = ranks[case_draw(&state, sizeof ranks / sizeof *ranks)];
  if (case_draw(&state, 30) == 0) c->sim.ranks = 8 + (uint32_t)case_draw(&state, 9); /* they cost the most time */
  c->sim.nodes = 1 + (uint32_t)case_draw(&state, c->sim.ranks < 4 ? c->sim.ranks : 4);
  c->sim.unperturbed = case_draw(&state, 4) == 0;
  c->sim.threads = case_draw(&state, 3) ? 1 : 2 + (uint32_t)case_draw(&state, 3);
  c->law = (int)case_draw(&state, CASE_LAWS);
  c->options = (scree__options)SCREE__OPTIONS_INIT;
  c->options.memory = case_draw(&state, 2) ? 4096 : 65536;
  c->options.coalesce_bytes = case_draw(&state, 2) ? 1 + case_draw(&state, 100) : 0;
  c->options.test_pool_blocks = case_draw(&state, 3);
  c->options.batch_max = 1 + case_draw(&state, 40);
  c->options.in_flight = 1 + case_draw(&state, 4);
  if (case_draw(&state, 8) == 0) c->options.progress = SCREE_PROGRESS_FULL;
  if (case_draw(&state, 3) == 0) c->options.route = case_draw(&state, SCREE_ROUTE_RING + 1);
  c->options.combine_cache =
      case_draw(&state, 2) ? 16 * 32 : 65536; /* 16 entries of the kernels' largest item, or many */
  c->options.node_arrays = case_draw(&state, 3) ? SCREE_NODE_ARRAYS_ON : SCREE_NODE_ARRAYS_OFF;
}

/* ---- playing ---- */

typedef struct {
  const drawn_case *c;
  drawn_outcome *outcome;
  case_graph changed;
} play;

/* All variants run on the given graph, some of them on the changed one. */
static bool wanted(const drawn_case *c, size_t k, size_t i, bool changed) {
  if (c->kernel == DRAWN_ALL) return !changed || scree__hash_draw(c->draw, 100 * k + i) % 3 == 0;
  return c->kernel == (int)k && c->variant == (int)i;
}

/* The first rank that arrives here selects what runs now; none continues before all have arrived. */
static void note(play *p, size_t k, size_t i, bool changed) {
  if (p->outcome->verdict.wrong) return;
  p->outcome->kernel = (int)k;
  p->outcome->variant = (int)i;
  p->outcome->changed = changed;
}

static void run_variants(kernel_layer *layer, play *p, bool changed) {
  const drawn_case *c = p->c;
  case_graph own = {.m = 0};
  kernel_answers answers = {{NULL}};
  case_graph_copy(&own, changed ? &p->changed : &c->given);
  scree_graph *g = case_graph_build(layer->graphs, &own, c->draw);
  if (!g || !kernels_solve(&own, &answers))
    case_wrong(&p->outcome->verdict, "no graph: %s", scree_graphs_error(layer->graphs));
  const kernel_try t = {.layer = layer,
                        .graph = g,
                        .given = &own,
                        .source = own.source,
                        .expected = answers.value,
                        .draw = c->draw + changed,
                        .verdict = &p->outcome->verdict};
  for (size_t k = 0; g && kernel_rows[k]; k++)
    for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find(kernel_rows[k]->name), i); i++) {
      if (!wanted(c, k, i, changed)) continue;
      note(p, k, i, changed);
      kernels_try(&t, k, i);
      p->outcome->runs++;
    }
  scree_graph_free(g);
  kernels_forget(&answers);
  case_graph_free(&own);
}

static void play_rank(scree_world *world, void *arg) {
  play *p = arg;
  kernel_layer layer;
  if (kernels_open(world, &layer)) {
    run_variants(&layer, p, false);
    if (p->outcome->law_applied) run_variants(&layer, p, true);
  }
  kernels_close(&layer);
}

/* The answers of a row to both graphs obey the law; of representatives: they name the same sets. */
static void check_law(const drawn_case *c, size_t k, const double *first, const double *second,
                      const case_change *change, case_verdict *verdict) {
  const kernel_row *row = kernel_rows[k];
  const scree_value_kind kind = scree_kernel_find(row->name)->arrays[0].kind;
  const double scale = kind == SCREE_VALUE_DISTANCE ? change->scale : 1;
  for (uint64_t v = 0; row->laws >> c->law & 1 && v < c->given.shape.n; v++) {
    if (change->to[v] == SCREE_NO_VERTEX) continue;
    const double found = second[change->to[v]];
    const double expected =
        kind == SCREE_VALUE_REPRESENTATIVE ? second[change->to[(uint64_t)first[v]]] : scale * first[v];
    if (found != expected && !(row->within && fabs(found - expected) <= 1e-12 * expected))
      case_wrong(verdict, "the serial answers of %s break a law: %s: vertex %" PRIu64 ": %.17g, expected %.17g",
                 row->name, case_law_name((size_t)c->law), v, found, expected);
  }
}

/* The variants are compared with the serial answers of both graphs, so it is enough that these obey the laws. */
static void prepare(play *p) {
  const drawn_case *c = p->c;
  case_verdict *verdict = &p->outcome->verdict;
  kernel_answers first, second = {{NULL}};
  case_change change = {.to = NULL};
  if (!kernels_solve(&c->given, &first)) case_wrong(verdict, "no memory");
  const double *level = first.value[kernel_row_find("bfs")];
  if (c->law != DRAWN_NO_LAW && !verdict->wrong &&
      case_law_apply((size_t)c->law, &c->given, level, c->draw, &p->changed, &change)) {
    p->outcome->law_applied = true;
    if (!kernels_solve(&p->changed, &second)) case_wrong(verdict, "no memory");
    for (size_t k = 0; kernel_rows[k] && !verdict->wrong; k++)
      check_law(c, k, first.value[k], second.value[k], &change, verdict);
  }
  free(change.to);
  kernels_forget(&first);
  kernels_forget(&second);
}

bool drawn_play(const drawn_case *c, drawn_outcome *outcome) {
  play p = {.c = c, .outcome = outcome};
  *outcome = (drawn_outcome){.kernel = DRAWN_ALL, .variant = DRAWN_ALL};
  prepare(&p);
  if (!outcome->verdict.wrong) {
    scree_status status = scree_sim_run(&c->sim, &c->options.user, play_rank, &p, &outcome->steps);
    if (status) case_wrong(&outcome->verdict, "%s", status == SCREE_EPEER ? "hung" : scree_status_text(status));
  }
  case_graph_free(&p.changed);
  return !outcome->verdict.wrong;
}

/* ---- making smaller ---- */

typedef struct {
  drawn_case *best, next; /* the smallest that fails; what is tried */
  drawn_outcome *outcome; /* of best */
  unsigned tries;
} shrinking;

static void copy(drawn_case *to, const drawn_case *from) {
  case_graph given = to->given;
  case_graph_copy(&given, &from->given);
  *to = *from;
  to->given = given;
}

/* Something else to try: the smallest so far, to be changed. */
static drawn_case *next(shrinking *s) {
  copy(&s->next, s->best);
  return &s->next;
}

/* Takes `next` over if it fails under one of a few schedules. */
static bool still_fails(shrinking *s) {
  drawn_outcome outcome;
  for (uint64_t k = 0; k < SCHEDULES && s->tries < TRIES_MAX; k++, s->tries++) {
    s->next.sim.seed = s->best->sim.seed + k;
    if (drawn_play(&s->next, &outcome)) continue;
    copy(s->best, &s->next);
    *s->outcome = outcome;
    return true;
  }
  return false;
}

/* One variant, and the graph on which it failed without the other. */
static void shrink_to_one(shrinking *s) {
  drawn_case *c = next(s);
  c->kernel = s->outcome->kernel;
  c->variant = s->outcome->variant;
  c->sim.max_steps = STEPS_MAX_ALONE;
  still_fails(s);
  if (s->best->law == DRAWN_NO_LAW) return;
  next(s);
  kernel_answers answers;
  if (s->outcome->changed && kernels_solve(&s->best->given, &answers)) {
    case_change change;
    const double *level = answers.value[kernel_row_find("bfs")];
    case_law_apply((size_t)s->best->law, &s->best->given, level, s->best->draw, &c->given, &change);
    free(change.to);
    kernels_forget(&answers);
    c->draw++;
  }
  c->law = DRAWN_NO_LAW;
  still_fails(s);
}

static void shrink_ranks(shrinking *s) {
  for (uint32_t ranks = 1; ranks < s->best->sim.ranks; ranks++) {
    drawn_case *c = next(s);
    c->sim.ranks = ranks;
    c->sim.nodes = 1;
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
      drop_edges(&next(s)->given, from, count);
      if (!still_fails(s)) from += count;
    }
}

/* Vertices without an edge go, but for the source. */
static void shrink_vertices(shrinking *s) {
  case_graph *g = &next(s)->given;
  uint64_t n = 0, *to = calloc(g->shape.n, sizeof *to);
  if (!to) return;
  to[g->source] = 1;
  for (uint64_t i = 0; i < g->m; i++) to[g->edges[i].u] = to[g->edges[i].v] = 1;
  for (uint64_t v = 0; v < g->shape.n; v++) to[v] = to[v] ? n++ : 0;
  for (uint64_t i = 0; i < g->m; i++) {
    g->edges[i].u = to[g->edges[i].u];
    g->edges[i].v = to[g->edges[i].v];
  }
  g->source = to[g->source];
  g->shape.n = n;
  free(to);
  still_fails(s);
}

void drawn_shrink(drawn_case *c, drawn_outcome *outcome) {
  shrinking s = {.best = c, .next = *c, .outcome = outcome};
  s.next.given = (case_graph){.m = 0};
  shrink_to_one(&s);
  shrink_ranks(&s);
  next(&s)->given.shape.distribution = SCREE_DISTRIBUTION_BLOCK;
  still_fails(&s);
  shrink_edges(&s);
  shrink_vertices(&s);
  shrink_ranks(&s);
  case_graph_free(&s.next.given);
}

void drawn_print(const drawn_case *c, const drawn_outcome *outcome, FILE *to) {
  const scree__options *o = &c->options;
  fprintf(to,
          "  %s\n  on %" PRIu32 " ranks, %" PRIu32 " nodes, %" PRIu32 " threads%s%s, schedule %" PRIu64
          ", memory %" PRIu64 ", coalesce_bytes %" PRIu64 ", pool_blocks %" PRIu64 ", batch_max %" PRIu64
          ", in_flight %" PRIu64 ", route %d\n",
          outcome->verdict.text, c->sim.ranks, c->sim.nodes, c->sim.threads,
          o->progress == SCREE_PROGRESS_FULL ? " and a progress thread" : "", c->sim.unperturbed ? ", unperturbed" : "",
          c->sim.seed, o->memory, o->coalesce_bytes, o->test_pool_blocks, o->batch_max, o->in_flight,
          o->route == SCREE_UNSET ? 0 : (int)o->route);
  if (outcome->changed && c->law != DRAWN_NO_LAW)
    fprintf(to, "  after the change: %s; the graph before it:\n", case_law_name((size_t)c->law));
  if (c->draw / 2 % 4 == 0) fprintf(to, "  the vertices were then numbered anew by degree\n");
  fprintf(to, "  ");
  case_graph_print(&c->given, to);
}
