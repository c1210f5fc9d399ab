/* kernel_side.c - opens, runs and validates a kernel that reads no graph. */
#include "kernel_side.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool set_option(kernel_side *s, char *word) {
  char *value = strchr(word, '='), why[256];
  const scree_algorithm *a;
  *value++ = 0;
  if (strcmp(word, "algorithm") != 0) {
    if (scree_kernel_options_set(s->kernel, s->how, word, value, why, sizeof why) == 0) return true;
    fprintf(stderr, "%s: %s\n", s->kernel->name, why);
    return false;
  }
  for (size_t i = 0; (a = scree_kernel_variant_at(s->kernel, i)); i++)
    if (strcmp(a->name, value) == 0) s->how->algorithm = a->name;
  return s->how->algorithm != NULL;
}

static bool set_options(kernel_side *s, char *words) {
  s->how = malloc(s->kernel->options_size);
  if (!s->how) return false;
  scree_kernel_options_init(s->kernel, s->how);
  for (char *word; (word = strtok_r(words, " ", &words));)
    if (!set_option(s, word)) return false;
  return true;
}

static double run(void *side) {
  kernel_side *s = side;
  scree_answer_free(&s->answer);
  if (scree_solver_run(s->solver, s->graph, 0, s->how, &s->answer) == SCREE_OK) return s->answer.seconds;
  fprintf(stderr, "%s: %s\n", s->kernel->name, scree_graphs_error(s->graphs));
  return (double)INFINITY;
}

static bool check(void *side, uint64_t n) {
  kernel_side *s = side;
  scree_verdict verdict;
  (void)n;
  return scree_solver_validate(s->solver, s->graph, 0, s->how, &s->answer, &verdict) == SCREE_OK && verdict.valid;
}

bool kernel_side_open(kernel_side *s, bench_variant *v, const scree_kernel *kernel, const char *transport,
                      const char *options, ...) {
  const scree_graph_shape shape = {.n = 1};
  scree_graph_builder *builder;
  char words[256];
  va_list list;
  va_start(list, options);
  vsnprintf(words, sizeof words, options, list);
  va_end(list);
  v->timed = run;
  v->check = check;
  v->arg = s;
  s->kernel = kernel;
  s->world = bench_open(transport, s->world_options);
  return bench_all(s->world && set_options(s, words)) && scree_graphs_open(s->world, &s->graphs) == SCREE_OK &&
         scree_graph_builder_begin(s->graphs, &shape, &builder) == SCREE_OK &&
         scree_graph_builder_finish(builder, &s->graph) == SCREE_OK &&
         scree_solver_open(s->graphs, s->kernel, &s->solver) == SCREE_OK;
}

bool kernel_side_close(kernel_side *s) {
  scree_answer_free(&s->answer);
  scree_solver_close(s->solver);
  scree_graph_free(s->graph);
  scree_graphs_close(s->graphs);
  free(s->how);
  return !s->world || scree_close(s->world) == SCREE_OK;
}

bool kernel_side_table(bench *b, bool (*measure)(bench *b, const char *transport)) {
  bench_head(b, "%-8s %-16s %8s %8s %8s %7s\n", "", "program", "M/s", "messages", "MPI", "spread");
  return bench_each_transport(b, measure);
}

bool kernel_side_rows(bench *b, const char *transport, bench_variant *v, int count, double items) {
  if (!bench_rounds(b, v, count)) return false;
  for (int i = 0; i < count; i++)
    bench_row(b, BENCH_TEXT("transport", "%-8s", transport), BENCH_TEXT("program", " %-16s", v[i].name),
              BENCH_CELL("rate", " %8.2f", items / v[i].seconds, 1e-6),
              BENCH_CELL("over_messages", " %8.2f", v[count - 2].seconds / v[i].seconds, 1),
              BENCH_CELL("over_mpi", " %8.2f", v[count - 1].seconds / v[i].seconds, 1),
              BENCH_CELL("spread", " %6.0f%%", v[i].spread, 100));
  return true;
}
