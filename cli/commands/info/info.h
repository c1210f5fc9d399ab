/* info.h - scree info: the figures of a graph, the same on all ranks, and the rows that both printers read. */
#ifndef CLI_INFO_H
#define CLI_INFO_H
#include "record/report.h"

typedef struct {
  const char *name, *shown; /* as on the command line; in messages */
  bool directed, gaps;      /* gaps: some ids between label_min and label_max are no vertices */
  bool several;             /* ranks */
  double load_seconds;
  uint32_t ranks;
  uint64_t vertices, label_min, label_max, isolated; /* isolated: neither outgoing nor incoming arcs */
  uint64_t edges, loops, parallel;                   /* edges; parallel: all but the first between two vertices */
  uint64_t arcs;
  struct {
    uint64_t min, median, max;
    double mean;
  } degree;
  double structure[2]; /* by cli_structure; NAN: it was not asked for */
  struct {
    const char *kind;
    double min, mean, max; /* NAN, and zeros is SCREE_UNSET: there are no weights */
    uint64_t zeros;        /* edges */
  } weight;
  struct {
    uint64_t min, max; /* of the graph on a rank, labels included */
    bool mapped;       /* adjacency rows are mapped from the file */
  } bytes;
  struct {
    double vertices, arcs;
  } balance[3]; /* imbalance (maximum over mean of the ranks) for block, cyclic, hash */
} cli_facts;

/* The kernels whose first figures are asked for by --structure. */
extern const char *const cli_structure[2];

/* Finds all figures; `structure`: those of cli_structure too. Collective, idle world; once per world, since it
 * registers message types. */
scree_status cli_find_facts(const scree_graph *g, bool structure, cli_facts *facts);

/* The rows of the figures. */
extern const cli_field cli_fact_rows[];

/* scree info. Collective; returns the exit code, the same on all ranks. */
int cli_info(const cli_args *args, scree_world *world);

/* Collective. */
scree_status cli_plan(const cli_args *args, scree_graphs *graphs);

#endif
