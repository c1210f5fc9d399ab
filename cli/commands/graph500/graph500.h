/* graph500.h - scree graph500: the whole benchmark of the Graph500 specification. */
#ifndef CLI_GRAPH500_H
#define CLI_GRAPH500_H
#include <stdio.h>

#include "args/args.h"

/* Results of the searches of one kernel; arrays over the searches. */
typedef struct {
  const char *name; /* "bfs" or "sssp", as in the output block */
  const char *algorithm;
  double *seconds, *edges, *validation;
} cli_searches;

typedef struct {
  const char *subcommand;
  uint64_t scale, edge_factor, seed, count; /* count: searches of each kernel */
  uint32_t ranks;
  double generation, construction; /* seconds */
  bool validated;                  /* else the result is not official */
  char started[21];
  cli_searches kernels[2];
} cli_graph500_result;

/* Prints the output block of the specification. Local. Returns false if there is no memory. */
bool cli_print_graph500(const cli_graph500_result *result, FILE *to);

/* Prints the same, and every search, as JSON. Local. Returns false if there is no memory. */
bool cli_print_graph500_json(const cli_graph500_result *result, const cli_args *args, FILE *to);

/* Generates, constructs, searches, validates, prints. Collective; the exit code, the same on all ranks. */
int cli_graph500(const cli_args *args, scree_world *world);

#endif
