/* kernels.c - runs the variants of kernels on a graph, with drawn options, against serial answers. */
#include "kernels.h"

#include <float.h>
#include <math.h>

#include "base/hash.h"
#include "harness.h"
#include "kernel/kernel.h"

enum { WHO = 240 };

void case_wrong(case_verdict *verdict, const char *format, ...) {
  va_list args;
  if (verdict->wrong) return;
  verdict->wrong = true;
  va_start(args, format);
  vsnprintf(verdict->text, sizeof verdict->text, format, args);
  va_end(args);
}

size_t kernel_row_find(const char *name) {
  size_t k = 0;
  while (kernel_rows[k] && strcmp(kernel_rows[k]->name, name) != 0) k++;
  return k;
}

bool kernels_open(scree_world *world, kernel_layer *layer) {
  *layer = (kernel_layer){0};
  bool ready = check(scree_graphs_open(world, &layer->graphs) == SCREE_OK);
  for (size_t k = 0; kernel_rows[k] && ready; k++)
    ready = check_equal(scree_solver_open(layer->graphs, scree_kernel_find(kernel_rows[k]->name), &layer->solver[k]),
                        SCREE_OK);
  return ready;
}

void kernels_close(kernel_layer *layer) {
  for (size_t k = 0; k < KERNELS_MAX; k++) scree_solver_close(layer->solver[k]);
  scree_graphs_close(layer->graphs);
}

const char *kernel_needs_edges(const scree_graph *graph, const char *variant) {
  (void)variant;
  return graph->directed ? "this graph is directed: load it with --undirected" : NULL;
}

bool kernel_has_edges(const serial_csr *csr) {
  uint64_t sum = 0;
  for (uint64_t u = 0; u < csr->n; u++)
    for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++)
      sum += scree__hash_draw(u, csr->targets[e]) - scree__hash_draw(csr->targets[e], u);
  return sum == 0;
}

/* ---- serial answers ---- */

bool kernels_solve(const case_graph *c, kernel_answers *answers) {
  serial_csr csr;
  uint64_t m = 0;
  scree_edge *arcs = malloc((2 * c->m + 1) * sizeof *arcs);
  *answers = (kernel_answers){{NULL}};
  for (uint64_t i = 0; arcs && i < c->m; i++) {
    const scree_edge *e = &c->edges[i];
    arcs[m++] = *e;
    if (!c->shape.directed && e->u != e->v) arcs[m++] = (scree_edge){e->v, e->u, e->weight};
  }
  bool ok = arcs && serial_csr_build(&csr, c->shape.n, m, arcs, c->shape.weight);
  free(arcs);
  if (!ok) return false;
  for (size_t k = 0; kernel_rows[k] && ok; k++) {
    answers->value[k] = malloc(c->shape.n * sizeof(double));
    ok = answers->value[k] && kernel_rows[k]->solve(&csr, c->source, answers->value[k]);
  }
  serial_csr_free(&csr);
  return ok;
}

void kernels_forget(kernel_answers *answers) {
  for (size_t k = 0; k < KERNELS_MAX; k++) free(answers->value[k]);
}

/* ---- options ---- */

static void set(const kernel_found *f, void *how, char *who, const char *option, const char *value) {
  char why[300];
  const scree_kernel_option *row = scree_kernel_option_find(f->kernel, SIZE_MAX, option);
  const bool flag = row && row->row.kind == SCREE_KIND_FLAG;
  if (!row || scree_kernel_options_set(f->kernel, how, option, flag ? NULL : value, why, sizeof why))
    case_wrong(f->t->verdict, "%s: option %s=%s: %s", f->row->name, option, value, row ? why : "unknown");
  const size_t used = strlen(who);
  snprintf(who + used, WHO - used, " %s=%s", option, value);
}

/* One of the words, or NULL for "-". A part of the largest weight, if that is 0, is not a width. */
static const char *draw_word(const char *words, uint64_t *state, double max, char text[64]) {
  uint64_t count = 1;
  for (const char *at = words; (at = strchr(at, ' ')) != NULL; at++) count++;
  uint64_t chosen = case_draw(state, count);
  for (; chosen; chosen--) words = strchr(words, ' ') + 1;
  snprintf(text, 64, "%.*s", (int)strcspn(words, " "), words);
  if (*text != '*') return strcmp(text, "-") == 0 ? NULL : text;
  const double value = strtod(text + 1, NULL) * max;
  snprintf(text, 64, "%.17g", value < DBL_MAX ? value : DBL_MAX);
  return value > 0 ? text : NULL;
}

static void draw_options(const kernel_found *f, void *how, char *who) {
  char text[64];
  uint64_t stream = scree__hash_draw(f->t->draw, 100 * kernel_row_find(f->row->name) + f->variant);
  scree_kernel_options_init(f->kernel, how);
  ((scree_kernel_options *)how)->algorithm = scree_kernel_variant_at(f->kernel, f->variant)->name;
  snprintf(who, WHO, "%s %s", f->row->name, ((scree_kernel_options *)how)->algorithm);
  if (f->t->option) set(f, how, who, f->t->option, f->t->value);
  for (size_t i = 0; !f->t->option && i < CHOICES_MAX && f->row->choices[i].option; i++) {
    const char *words = f->row->choices[i].words, *value;
    if (f->t->defaults && strchr(words, ' ')) continue;
    if ((value = draw_word(words, &stream, f->t->graph->weight_max, text)))
      set(f, how, who, f->row->choices[i].option, value);
  }
  if (f->row->options) f->row->options(f->t->graph, how);
}

/* ---- runs ---- */

/* Part of the reason why this run is refused, or NULL. With a progress thread few variants run. */
static const char *refusal(const kernel_found *f) {
  const scree_options *o = scree_options_of(scree_world_of(scree_graphs_worker(f->t->layer->graphs)));
  const scree__variant *variant = scree__kernel_of(f->kernel)->variants[f->variant];
  const char *reason;
  if (variant->choose) variant = variant->choose(f->t->graph, NULL, 0, &reason);
  if (o->progress == SCREE_PROGRESS_FULL && !variant->progress)
    return "are not made for a progress thread: set the option progress to none";
  return f->row->refuses ? f->row->refuses(f->t->graph, variant->about.name) : NULL;
}

static void run(kernel_found *f, size_t k, const void *how) {
  static const uint64_t expected[] = {0, 1, 1000}; /* runs */
  const uint64_t drawn = scree__hash_draw(f->t->draw, 100 * KERNELS_MAX + k) % 3;
  scree_answer answer = {0};
  scree_solver_expect(f->t->layer->solver[k], expected[drawn]);
  const char *reason = refusal(f), *said;
  scree_status status = SCREE_OK;
  if (drawn && !reason) status = scree_solver_prepare(f->t->layer->solver[k], f->t->graph, how);
  if (!status) status = scree_solver_run(f->t->layer->solver[k], f->t->graph, f->t->source, how, &answer);
  said = status ? scree_graphs_error(f->t->layer->graphs) : "it ran";
  if (status == SCREE_OK && !reason) {
    f->answer = &answer;
    f->options = how;
    kernel_examine(f);
  } else if (!reason || status != SCREE_EINVAL || !strstr(said, reason) || answer.array[0]) {
    case_wrong(f->t->verdict, "%s: %s%s %s%s%s", f->who, scree_status_text(status),
               status == SCREE_EPEER ? ", or it hangs" : "", said, reason ? ", expected: " : "", reason ? reason : "");
  }
  scree_answer_free(&answer);
}

bool kernel_has_workers(size_t k, size_t i) {
  return scree__kernel_of(scree_kernel_find(kernel_rows[k]->name))->variants[i]->workers;
}

void kernels_try(const kernel_try *t, size_t k, size_t i) {
  _Alignas(scree_kernel_options) char how[512];
  char who[WHO];
  kernel_found f = {.t = t,
                    .row = kernel_rows[k],
                    .kernel = scree_kernel_find(kernel_rows[k]->name),
                    .variant = i,
                    .who = who,
                    .expected = t->expected ? t->expected[k] : NULL};
  draw_options(&f, how, who);
  run(&f, k, how);
}

/* One in `of` variants, drawn. */
static void try_some(const kernel_try *t, uint64_t of) {
  for (size_t k = 0; kernel_rows[k]; k++)
    for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find(kernel_rows[k]->name), i); i++)
      if (scree__hash_draw(~t->draw, 100 * k + i) % of == 0) kernels_try(t, k, i);
}

void kernels_try_all(const kernel_try *t) {
  try_some(t, 1);
}

/* ---- two graphs that live at once: all variants on each, then a third of them once more ---- */

void kernels_run_pair(kernel_layer *layer, uint64_t seed) {
  case_graph given[2] = {{.m = 0}, {.m = 0}};
  kernel_answers answers[2] = {{{NULL}}, {{NULL}}};
  scree_graph *graphs[2] = {NULL, NULL};
  case_verdict verdict = {0};
  uint64_t state = seed;
  bool ready = true;
  for (int k = 0; k < 2 && ready; k++) {
    case_graph_draw(&given[k], &state);
    graphs[k] = case_graph_build(layer->graphs, &given[k], state);
    ready = check(graphs[k] != NULL) && check(kernels_solve(&given[k], &answers[k]));
  }
  for (uint64_t k = 0; k < 4 && ready; k++) {
    const case_graph *c = &given[k % 2];
    const kernel_try t = {.layer = layer,
                          .graph = graphs[k % 2],
                          .given = c,
                          .source = c->source,
                          .expected = answers[k % 2].value,
                          .draw = seed + k,
                          .verdict = &verdict};
    try_some(&t, k < 2 ? 1 : 3);
    const scree_options *o = scree_options_of(scree_world_of(scree_graphs_worker(layer->graphs)));
    check_text(!verdict.wrong, "graph %d of seed %" PRIu64 " (%s, weights %s), %u ranks, route %" PRIu64 ": %s",
               (int)(k % 2), seed, c->name, c->weights, scree_graphs_worker(layer->graphs)->ranks, o->route,
               verdict.text);
  }
  for (int k = 0; k < 2; k++) {
    scree_graph_free(graphs[k]);
    kernels_forget(&answers[k]);
    case_graph_free(&given[k]);
  }
}
