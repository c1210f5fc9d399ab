/* nothing.h - calls of public functions with NULL, 0 and -1: one table of rows, a test for each function.
 *
 * Each argument in turn is NULL, or 0 and then -1; the others are legal. Each such call is made in a separate process,
 * so one that crashes fails its test only. test/shell/calls.sh compares the rows with what the libraries export. */
#ifndef NOTHING_H
#define NOTHING_H
#include <scree/global.h>
#include <scree/graph.h>
#include <scree/kernel.h>
#include <scree/scree.h>
#include <scree/task_sync.h>

/* The arguments of calls that are legal. */
typedef struct {
  scree_world *world;
  scree_worker *w;
  scree_task *self;
  scree_graphs *graphs;
  scree_graph *graph;
  scree_graph_builder *builder;
  scree_solver *solver;
  scree_answer answer;
  uint32_t type, words; /* messages of 8 bytes, of any */
  int argument, value;  /* which argument is NULL or this value */
} nothing;

/* The place of a call: without a world; in an idle world, which has tasks, global memory and a graph too; in an epoch;
 * in a task; while a graph is built; in an exchange. All on one rank. */
enum { NOWHERE = 'n', PLAIN = 'p', IDLE = 'i', OPEN = 'e', TASK = 't', GRAPH = 'g', BUILD = 'b', EXCHANGE = 'x' };

typedef struct {
  const char *name;
  char where;
  bool returns; /* 0 where it did what it was asked for; else a failure of the world shows that it was refused */
  /* A word for each argument, of a letter for a pointer and two for a number, of which 0 and -1 are passed:
   *   '.' legal or ignored   '!' refused, as by SCREE_EINVAL   't' refused with a text
   *   '-' not passed: it would say that an array is longer than it is */
  const char *expected;
  long (*call)(nothing *c);
} nothing_row;

/* An argument of a row: a pointer; a number. */
#define POINTER(i, legal) (c->argument == (i) ? NULL : (legal))
#define NUMBER(i, legal)  (c->argument == (i) ? (__typeof__(legal))c->value : (legal))

/* X(where, returned, name, expected, call): `returned` is one of these; EXCEPT lists functions without rows. */
#define STATUS(call) (long)(call)
#define TRUTH(call)  (call) == 0
#define VOID(call)   ((call), 0L)

#define NOTHING_FUNCTION(where, returned, name, expected, ...)                                                         \
  static long nothing_##name(nothing *c) {                                                                             \
    return (long)(returned(name(__VA_ARGS__)));                                                                        \
  }
#define NOTHING_ROW(where, returned, name, expected, ...) {#name, where, #returned[0] != 'V', expected, nothing_##name},

int nothing_main(int argc, char **argv, const nothing_row *rows, size_t count);

#endif
