/* info.h - scree info: the figures of a graph, the same on all ranks, and their two printers on rank 0. */
#ifndef CLI_INFO_H
#define CLI_INFO_H
#include <stdio.h>

#include "args/args.h"

typedef struct {
  double load_seconds;
  uint64_t degree_min, degree_median, degree_max, isolated; /* isolated: neither outgoing nor incoming arcs */
  uint64_t loops, parallel; /* edges; parallel: all but the first between two vertices */
  double weight_min, weight_mean, weight_max;
  uint64_t weight_zeros;         /* edges */
  uint64_t bytes_min, bytes_max; /* of the graph on a rank, labels included */
  uint64_t label_min, label_max;
  double structure[2];         /* by cli_structure; of those that are asked for */
  bool mapped;                 /* adjacency rows are mapped from the file */
  double vertices[3], arcs[3]; /* imbalance (maximum over mean of the ranks) for block, cyclic, hash */
} cli_facts;

/* The kernels whose first figures are asked for by --structure. */
extern const char *const cli_structure[2];

/* Finds all figures; `structure`: those of cli_structure too. Collective, idle world; once per world, since it
 * registers message types. */
scree_status cli_find_facts(const scree_graph *g, bool structure, cli_facts *facts);

void cli_print_facts(const cli_args *args, const scree_graph *g, const cli_facts *f, FILE *to);
/* False: no memory. */
bool cli_print_facts_json(const cli_args *args, const scree_graph *g, const cli_facts *f, FILE *to);

/* scree info. Collective; returns the exit code, the same on all ranks. */
int cli_info(const cli_args *args, scree_world *world);

/* Collective. */
scree_status cli_plan(const cli_args *args, scree_graphs *graphs);

#endif
