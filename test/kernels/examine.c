/* examine.c - the checks of an answer, of any kernel.
 *
 * Every rank knows the whole graph and its answers, so a value is compared by the rank that owns its vertex. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "kernel/kernel.h"
#include "kernels.h"

static scree_value_kind kind_of(const kernel_found *f) {
  return f->kernel->arrays[f->t->array].kind;
}

static double as_double(scree_value_kind kind, const void *array, uint64_t u) {
  if (kind == SCREE_VALUE_DISTANCE || kind == SCREE_VALUE_REAL) return ((const double *)array)[u];
  const int64_t whole = ((const int64_t *)array)[u];
  return kind == SCREE_VALUE_LEVEL && whole < 0 ? (double)INFINITY : (double)whole;
}

double kernel_value(const kernel_found *f, uint64_t u) {
  return as_double(kind_of(f), f->answer->array[f->t->array], u);
}

static uint64_t vertex_at(const kernel_found *f, uint64_t u) {
  return scree_graph_vertex(f->t->graph, scree_location_make(scree_graph_rank(f->t->graph), u));
}

/* True if v is of this rank; then *u is its local index. */
static bool is_mine(const kernel_found *f, uint64_t v, uint64_t *u) {
  const scree_location at = scree_graph_location(f->t->graph, v);
  *u = scree_location_local(at);
  return scree_location_owner(at) == scree_graph_rank(f->t->graph);
}

/* ---- values and counters ---- */

static void check_values(const kernel_found *f) {
  double within = f->row->within ? f->row->within(f->answer->algorithm) : 0;
  if (within < f->t->within) within = f->t->within;
  for (uint64_t u = 0; f->expected && u < f->answer->locals; u++) {
    const double found = kernel_value(f, u), expected = f->expected[vertex_at(f, u)];
    if (found != expected && !(fabs(found - expected) <= within * fabs(expected)))
      case_wrong(f->t->verdict, "%s: vertex %" PRIu64 ": found %.17g, expected %.17g", f->who, vertex_at(f, u), found,
                 expected);
  }
}

/* In kernels without relaxations five of the counters stay 0. */
static void check_work(const kernel_found *f) {
  const scree_work *w = &f->answer->work;
  uint64_t reached = 0;
  for (uint64_t v = 0; f->expected && v < f->t->graph->vertices.n; v++) reached += isfinite(f->expected[v]) ? 1 : 0;
  const uint64_t outcomes = w->useful + w->superseded + w->rejected;
  if (f->kernel->source ? w->messages + w->direct != outcomes : outcomes && w->messages + w->direct != outcomes)
    case_wrong(f->t->verdict,
               "%s: sent %" PRIu64 " + direct %" PRIu64 ", useful %" PRIu64 " + superseded %" PRIu64
               " + rejected %" PRIu64,
               f->who, w->messages, w->direct, w->useful, w->superseded, w->rejected);
  if (f->kernel->source && f->expected && w->useful != reached - 1)
    case_wrong(f->t->verdict, "%s: useful %" PRIu64 ", reached %" PRIu64, f->who, w->useful, reached);
  if (w->epochs == 0) case_wrong(f->t->verdict, "%s: no epoch", f->who);
}

/* ---- parents, of kernels with a source ---- */

static void prove(const kernel_found *f, const scree_edge *e, uint64_t from, uint64_t to, bool *proved) {
  const uint64_t *parent = f->answer->array[1];
  const double w = kind_of(f) == SCREE_VALUE_DISTANCE ? e->weight : 1;
  uint64_t u;
  if (is_mine(f, to, &u) && parent[u] == from && f->expected[from] + w == f->expected[to]) proved[u] = true;
}

/* From each vertex the parents lead to the source: the validator of distances does not check them. */
static void check_tree(const kernel_found *f) {
  const uint64_t n = f->t->graph->vertices.n, source = f->t->source;
  uint64_t *parent = malloc(n * sizeof *parent);
  bool *leads = calloc(n, sizeof *leads);
  if (!parent || !leads || scree_graph_gather_uint64(f->t->graph, f->answer->array[1], 0, parent))
    case_wrong(f->t->verdict, "%s: no gather of parents", f->who);
  leads[source] = true;
  for (uint64_t v = 0; scree_graph_rank(f->t->graph) == 0 && v < n; v++) {
    uint64_t at = v, steps = 0;
    if (isinf(f->expected[v])) continue;
    while (at < n && !leads[at] && steps++ <= n) at = parent[at];
    if (at >= n || !leads[at]) {
      case_wrong(f->t->verdict, "%s: the parents of vertex %" PRIu64 " do not lead to the source", f->who, v);
      break;
    }
    for (at = v; !leads[at]; at = parent[at]) leads[at] = true;
  }
  free(parent);
  free(leads);
}

static void check_parents(const kernel_found *f) {
  const case_graph *given = f->t->given;
  const uint64_t *parent = f->answer->array[1];
  bool *proved = calloc(f->answer->locals + 1, sizeof *proved);
  for (uint64_t i = 0; proved && i < given->m; i++) {
    const scree_edge *e = &given->edges[i];
    prove(f, e, e->u, e->v, proved);
    if (!given->shape.directed) prove(f, e, e->v, e->u, proved);
  }
  for (uint64_t u = 0; proved && u < f->answer->locals; u++) {
    const uint64_t v = vertex_at(f, u), p = parent[u];
    if (v == f->t->source ? p != v : isfinite(f->expected[v]) ? !proved[u] : p != SCREE_NO_VERTEX)
      case_wrong(f->t->verdict, "%s: vertex %" PRIu64 ": its parent is %" PRIu64, f->who, v, p);
  }
  free(proved);
  check_tree(f);
}

/* ---- the validator's verdict, on the answer and on one with a wrong value ---- */

static void check_validator(const kernel_found *f, bool expected, const char *what) {
  scree_verdict verdict;
  const scree_status status = scree_solver_validate(f->t->layer->solver[kernel_row_find(f->row->name)], f->t->graph,
                                                    f->t->source, f->options, f->answer, &verdict);
  if (status)
    case_wrong(f->t->verdict, "%s: the validator says %s", f->who, scree_status_text(status));
  else if (verdict.valid != expected || (!expected && strncmp(verdict.text, "rule ", 5) != 0))
    case_wrong(f->t->verdict, "%s: the validator calls %s %s %s", f->who, what, expected ? "invalid:" : "valid",
               verdict.text);
}

/* Returns a wrong value, near a right one or far from it. */
static double wrong_value(const kernel_found *f, double right, uint64_t *state) {
  const scree_value_kind kind = kind_of(f);
  const uint64_t n = f->t->graph->vertices.n, other = case_draw(state, n);
  if (kind == SCREE_VALUE_REAL) return right != 0 ? right * (1 + 3e-6) : 1e-6;
  if (kind == SCREE_VALUE_COUNT) return right + 1 + (double)other;
  if (kind == SCREE_VALUE_REPRESENTATIVE) return (double)other != right ? (double)other : -1;
  if (isinf(right)) return (double)case_draw(state, 20);
  const double some[] = {INFINITY, 0, right + 1, right - 1, right + 1000, right / 2 + 0.5, nextafter(right, 0)};
  for (;;) {
    double value = some[case_draw(state, sizeof some / sizeof *some)];
    if (kind == SCREE_VALUE_LEVEL && isfinite(value)) value = floor(value);
    if (value != right && !(kind == SCREE_VALUE_LEVEL && value < 0)) return value;
  }
}

static bool joins(const case_graph *c, uint64_t p, uint64_t v) {
  for (uint64_t i = 0; i < c->m; i++)
    if ((c->edges[i].u == p && c->edges[i].v == v) || (!c->shape.directed && c->edges[i].u == v && c->edges[i].v == p))
      return true;
  return false;
}

/* A vertex that is not v's parent in any right answer; v itself is one but for the source. */
static uint64_t wrong_parent(const kernel_found *f, uint64_t v, uint64_t *state) {
  const bool reached = isfinite(f->expected[v]);
  const uint64_t p = case_draw(state, f->t->graph->vertices.n);
  if (case_draw(state, 8) == 0) return reached ? SCREE_NO_VERTEX : p;
  if (v == f->t->source) return p == v ? SCREE_NO_VERTEX : p;
  return reached && f->expected[p] + 1 == f->expected[v] && joins(f->t->given, p, v) ? v : p;
}

/* The parts of an answer belong to the run's caller, so they may be written here. */
static void check_corrupted(const kernel_found *f) {
  uint64_t stream = scree__hash_draw(f->t->draw, 200), *state = &stream, u, *parent = f->answer->array[1];
  const uint64_t v = case_draw(state, f->t->graph->vertices.n);
  const scree_value_kind kind = kind_of(f);
  const bool by_parent = kind == SCREE_VALUE_LEVEL && case_draw(state, 2);
  const double value = f->row->wrong ? f->row->wrong(f, v, state) : wrong_value(f, f->expected[v], state);
  const uint64_t p = by_parent ? wrong_parent(f, v, state) : 0;
  char what[120];
  snprintf(what, sizeof what, "vertex %" PRIu64 " with %s %.17g instead of %.17g", v, by_parent ? "parent" : "value",
           by_parent ? (double)p : value, f->expected[v]);
  const int64_t whole = isfinite(value) ? (int64_t)value : -1;
  const bool real = kind == SCREE_VALUE_DISTANCE || kind == SCREE_VALUE_REAL;
  if (is_mine(f, v, &u) && by_parent)
    parent[u] = p;
  else if (is_mine(f, v, &u))
    memcpy((uint64_t *)f->answer->array[0] + u, real ? (const void *)&value : &whole, sizeof whole);
  check_validator(f, false, what);
}

/* ---- gathers and lookups: every rank gathers all, and looks some up ---- */

static void check_reading(const kernel_found *f) {
  const scree_graph *g = f->t->graph;
  const scree_value_kind kind = kind_of(f);
  const bool real = kind == SCREE_VALUE_DISTANCE || kind == SCREE_VALUE_REAL;
  const uint64_t n = g->vertices.n;
  uint64_t *all = malloc(n * sizeof *all), *asked = malloc(2 * n * sizeof *asked),
           *found = malloc(2 * n * sizeof *found);
  uint64_t count = 0;
  for (uint64_t v = 0; v < n && scree_graph_rank(g) != 1; v++) {
    if ((v + scree_graph_rank(g)) % 3 == 0) continue;
    asked[count++] = n - 1 - v;
    if (v % 5 == 0) asked[count++] = v;
  }
  const void *local = f->answer->array[0];
  const scree_status gathered = real ? scree_graph_gather_double(g, local, SCREE_ALL, (double *)all)
                                     : scree_graph_gather_uint64(g, local, SCREE_ALL, all);
  const scree_status looked_up = real ? scree_graph_lookup_double(g, local, count, asked, (double *)found)
                                      : scree_graph_lookup_uint64(g, local, count, asked, found);
  if (gathered || looked_up)
    case_wrong(f->t->verdict, "%s: gather or lookup: %s", f->who, scree_graphs_error(g->graphs));
  for (uint64_t i = 0, u; i < n; i++)
    if (is_mine(f, i, &u) && as_double(kind, all, i) != kernel_value(f, u))
      case_wrong(f->t->verdict, "%s: gathered of vertex %" PRIu64 ": %.17g", f->who, i, as_double(kind, all, i));
  for (uint64_t i = 0; i < count; i++)
    if (found[i] != all[asked[i]])
      case_wrong(f->t->verdict, "%s: looked up of vertex %" PRIu64 ": %.17g", f->who, asked[i],
                 as_double(kind, found, i));
  free(all);
  free(asked);
  free(found);
}

void kernel_examine(const kernel_found *f) {
  const scree__variant *variant = scree__kernel_of(f->kernel)->variants[f->variant];
  if (f->answer->locals != f->t->graph->locals)
    case_wrong(f->t->verdict, "%s: an answer for %" PRIu64 " vertices", f->who, f->answer->locals);
  if (!variant->choose && strcmp(f->answer->algorithm, variant->about.name) != 0)
    case_wrong(f->t->verdict, "%s: %s ran", f->who, f->answer->algorithm);
  const bool known = f->expected && !(f->row->differs && f->row->differs(f->answer->algorithm));
  if (known) check_values(f);
  check_work(f);
  if (f->kernel->source && f->t->given && f->expected) check_parents(f);
  if (f->row->check) f->row->check(f);
  check_validator(f, true, "the answer");
  const uint64_t chance = scree__hash_draw(f->t->draw, 300) % 4;
  if (f->t->given && known && chance == 0) check_corrupted(f);
  if (f->t->given && chance == 1) check_reading(f);
}
