/* kernels.h - a kernel's row: its serial oracle and what else is particular to it; and how all variants of all rows are
 * run.
 *
 * The drivers are sim_kernels.c, over virtual ranks, and mpi_kernels.c. A row is a file row_NAME.c and a line of
 * rows.c. */
#ifndef KERNELS_H
#define KERNELS_H
#include <scree/kernel.h>

#include "graphs.h"
#include "laws.h"
#include "yardstick/serial.h"

enum { KERNELS_MAX = 16, CHOICES_MAX = 8, REFUSALS_MAX = 8 };

typedef struct kernel_found kernel_found;

typedef struct {
  const char *name; /* of the kernel */
  /* The serial oracle: the answer's first array, by vertex, as doubles; INFINITY: not reached. False: no memory. */
  bool (*solve)(const serial_csr *csr, uint64_t source, double *value);
  unsigned laws; /* of laws.h, which its values obey */
  /* Options that must not change the answer, each with words of which one is drawn: "-": unset; "*X": X times the
   * largest weight. Of one word: always. */
  struct {
    const char *option, *words;
  } choices[CHOICES_MAX];
  void (*options)(const scree_graph *graph, void *how); /* sets those that depend on the graph; NULL: none */
  double (*within)(const char *variant);                /* relative; NULL: values are equal */
  bool (*differs)(const char *variant); /* values may be others, which `check` compares; NULL: of no variant */
  /* A wrong value of vertex v, which the validator must find; NULL: one of its kind. */
  double (*wrong)(const kernel_found *found, uint64_t v, uint64_t *state);
  const char *(*refuses)(const scree_graph *graph, const char *variant); /* part of the reason; NULL: it does not */
  void (*check)(const kernel_found *found);                              /* beyond values; NULL */
  struct {
    const char *variant, *option;
    double value;
    const char *text;
  } refused[REFUSALS_MAX]; /* calls, with part of the reason */
} kernel_row;

/* For rows of kernels that refuse directed graphs, of which their answers are 0: whether each arc has its reverse. */
bool kernel_has_edges(const serial_csr *csr);
const char *kernel_needs_edges(const scree_graph *graph, const char *variant);

/* Ends with NULL. */
extern const kernel_row *const kernel_rows[];
/* Its index. Of a name without a row: that of the NULL. */
size_t kernel_row_find(const char *name);

/* What went wrong first. The ranks of the simulator share one: they run one at a time. */
typedef struct {
  bool wrong;
  char text[500];
} case_verdict;
void case_wrong(case_verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a world needs to run kernels; opened once. Collective. */
typedef struct {
  scree_graphs *graphs;
  scree_solver *solver[KERNELS_MAX]; /* by row */
} kernel_layer;
bool kernels_open(scree_world *world, kernel_layer *layer);
void kernels_close(kernel_layer *layer);

/* The answers to one graph, by row and vertex. */
typedef struct {
  double *value[KERNELS_MAX];
} kernel_answers;
bool kernels_solve(const case_graph *c, kernel_answers *answers);
void kernels_forget(kernel_answers *answers);

/* What is run, and what is expected. */
typedef struct {
  kernel_layer *layer;
  const scree_graph *graph;
  const case_graph *given; /* with the graph's vertices; NULL: unknown, as it was loaded */
  uint64_t source;
  size_t array;               /* of the answer, whose values are expected */
  double *const *expected;    /* by row; those that are NULL are unknown */
  uint64_t draw;              /* of options and wrong values */
  bool defaults;              /* no option is drawn, or */
  const char *option, *value; /* this one is set; NULL */
  double within;              /* relative, if that is more than the row has */
  case_verdict *verdict;
} kernel_try;

/* One answer. */
struct kernel_found {
  const kernel_try *t;
  const kernel_row *row;
  const scree_kernel *kernel;
  size_t variant;
  const char *who; /* kernel, variant and options */
  const double *expected;
  const void *options;
  scree_answer *answer;
};
/* Of a local vertex. */
double kernel_value(const kernel_found *f, uint64_t u);
/* The checks of an answer: values, parents, counters, the row's check, the validator's verdict on it and on a wrong
 * one, gathers and lookups. */
void kernel_examine(const kernel_found *f);

/* Whether variant i of row k runs all workers of a rank. */
bool kernel_has_workers(size_t k, size_t i);
/* Runs variant i of row k, or sees that it is refused. Collective. */
void kernels_try(const kernel_try *t, size_t k, size_t i);
/* All variants of all rows. */
void kernels_try_all(const kernel_try *t);
/* Draws two graphs, keeps both, and runs all on each in turn, twice. Collective; checks as a test does. */
void kernels_run_pair(kernel_layer *layer, uint64_t seed);

#endif
