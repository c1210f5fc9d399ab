/* irregular_case.c - the rows, and how one is run. */
#include "irregular_case.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "harness.h"
#include "irregular/irregular.h"

#define STEAL                                                                                                          \
  { "steal", "off rank all" }
#define DIRECT                                                                                                         \
  { "global-direct", "auto on off" }
#define LIVE                                                                                                           \
  { "task-live", "1 4 1024" }

const irregular_case irregular_cases[] = {
    {"gups", {{"words", "8 64 512 2048"}, {"lookahead", "0 1 16 1024"}, {"tasks", "1 2 7"}, STEAL, LIVE, DIRECT}, NULL},
    {"intsort", {{"class", "tiny"}, STEAL, LIVE, DIRECT}, NULL},
    {"uts", {{"tree", "short-geometric short-binomial"}, STEAL, LIVE, DIRECT}, NULL},
    {"walk",
     {{"vertices", "2 3 100 4096"}, {"degree", "1 5 16"}, {"steps", "1 2 9"}, {"seed", "0 1 77"}, STEAL, LIVE, DIRECT},
     NULL},
    {"hashmap",
     {{"pool", "40 1000 5K"},
      {"strings", "own shared"},
      {"tasks", "1 2 3"},
      {"steps", "1 20 200"},
      {"validate-memory", "0 1G"},
      STEAL,
      LIVE,
      DIRECT},
     NULL},
    {"hashmap",
     {{"pool", "100K"}, {"strings", "own shared"}, {"tasks", "1000 3000"}, {"steps", "1 2"}, STEAL, LIVE, DIRECT},
     NULL},
    {"puts", {{"words", "1 2 40"}, {"tasks", "1 3 30"}, {"steps", "1 2 9 17"}, STEAL, LIVE, DIRECT}, NULL},
    {"stencil",
     {{"edge", "27 30"}, {"steps", "1 2 5"}, {"seed", "0 9"}, {"validate-memory", "0 1G"}, STEAL, DIRECT},
     NULL},
    {NULL, {{NULL, NULL}}, NULL},
};

const irregular_case irregular_refusals[] = {
    {"gups", {{"words", "1000"}}, "a power of two: use 512"},
    {"gups", {{"words", "64G"}}, "are more than half of its memory"},
    {"hashmap", {{"pool", "5"}, {"tasks", "1000"}}, "take more strings, or strings=shared"},
    {"stencil", {{"edge", "4096"}}, "are more than half of its memory"},
    {"walk", {{"vertices", "1G"}, {"degree", "65536"}}, "are more than half of its memory"},
    {NULL, {{NULL, NULL}}, NULL},
};

static const scree_kernel *find(const char *name) {
  size_t i = 0;
  while (strcmp(scree__irregular_at(i)->name, name) != 0) i++;
  return scree__irregular_at(i);
}

/* The word that is drawn, followed by a blank or the end. */
static const char *draw_word(const char *words, uint64_t draw) {
  uint64_t n = 1;
  for (const char *c = words; *c; c++) n += *c == ' ';
  for (n = draw % n; n; n--) words += strcspn(words, " ") + 1;
  return words;
}

/* Options as drawn, and as a text. False: a row is wrong. */
static bool set_options(const irregular_try *t, const scree_kernel *kernel, scree_kernel_options *o, char *text,
                        size_t size) {
  size_t forms = 0, n = 0;
  scree_kernel_options_init(kernel, o);
  while (scree_kernel_variant_at(kernel, forms)) forms++;
  size_t form = scree__hash_draw(t->draw, 99) % forms;
  for (size_t i = 0; t->form && i < forms; i++)
    if (strcmp(scree_kernel_variant_at(kernel, i)->name, t->form) == 0) form = i;
  o->algorithm = scree_kernel_variant_at(kernel, form)->name;
  n = (size_t)snprintf(text, size, "%s of draw %" PRIu64 ", algorithm=%s", kernel->name, t->draw, o->algorithm);
  for (size_t i = 0; i < IRREGULAR_OPTIONS && t->row->option[i].name; i++) {
    const char *word = draw_word(t->row->option[i].words, scree__hash_draw(t->draw, i));
    char value[32], why[256];
    snprintf(value, sizeof value, "%.*s", (int)strcspn(word, " "), word);
    if (!scree_kernel_option_find(kernel, form, t->row->option[i].name)) continue;
    n += (size_t)snprintf(text + n, size - n, " %s=%s", t->row->option[i].name, value);
    if (!check_text(scree_kernel_options_set(kernel, o, t->row->option[i].name, value, why, sizeof why) == 0, "%s",
                    why))
      return false;
  }
  return true;
}

static scree_graph *make_graph(scree_graphs *graphs) {
  const scree_graph_shape shape = {.n = 1};
  scree_graph_builder *builder;
  scree_graph *graph = NULL;
  if (scree_graph_builder_begin(graphs, &shape, &builder) == SCREE_OK) scree_graph_builder_finish(builder, &graph);
  return graph;
}

static void run(irregular_try *t, scree_solver *solver, const scree_graph *graph, const void *options,
                const char *text) {
  scree_answer answer;
  scree_verdict verdict = {.valid = true};
  scree_status status = scree_solver_run(solver, graph, 0, options, &answer);
  const char *why = status ? scree_graphs_error(graph->graphs) : "";
  if (t->row->refused) {
    check_text(status == SCREE_EINVAL && strstr(why, t->row->refused), "%s: %d, %s", text, status, why);
    return;
  }
  if (status == SCREE_EINVAL && strstr(why, "algorithm=mpi: ")) {
    check_text(!t->has_mpi, "%s: %s", text, why);
    return;
  }
  if (!status) status = scree_solver_validate(solver, graph, 0, options, &answer, &verdict);
  t->runs++;
  if (status && t->may_fail)
    t->failed++;
  else
    check_text(!status && verdict.valid, "%s: %d, %s%s", text, status, verdict.text, why);
}

void irregular_play(scree_world *world, irregular_try *t) {
  const scree_kernel *kernel = find(t->row->kernel);
  scree_kernel_options *options = malloc(kernel->options_size);
  scree_graphs *graphs = NULL;
  scree_graph *graph = NULL;
  scree_solver *solver = NULL;
  char text[512];
  if (!options || !set_options(t, kernel, options, text, sizeof text)) return;
  scree_status status = scree_graphs_open(world, &graphs);
  if (!status) graph = make_graph(graphs);
  if (graph) status = scree_solver_open(graphs, kernel, &solver);
  check_text(solver || t->may_fail, "%s: %d", text, status);
  for (int i = 0; i < 2 && solver && !scree_error(world); i++) run(t, solver, graph, options, text);
  scree_solver_close(solver);
  scree_graph_free(graph);
  scree_graphs_close(graphs);
  free(options);
}
