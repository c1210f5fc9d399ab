/* session.h - steps that several subcommands share: loading a graph and renumbering it, drawing sources, reporting a
 * failure. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H
#include "record/report.h"

/* Seconds since some point in the past. Local. */
double cli_now(void);

/* Loads or generates the graph that the command line names, with `how`, and a line of progress. Collective. */
scree_status cli_load(const cli_args *args, const scree_graph_options *how, scree_graphs *graphs, scree_graph **graph);

/* Renumbers a graph according to the command line. Collective. */
scree_status cli_relabel(const cli_args *args, scree_graph **graph, cli_relabelling *record);

/* The vertex with that id, which `option` named. Collective. */
scree_status cli_find_vertex(const cli_args *args, const scree_graph *graph, const char *option, uint64_t label,
                             uint64_t *vertex);
/* Draws args->source.count different vertices with an arc, by args->source.seed, seed + 1, ... Collective. */
scree_status cli_draw_sources(const cli_args *args, const scree_graph *graph, uint64_t *sources);
/* SCREE_OK if all ranks are ready, else SCREE_ENOMEM and a text with the rank and `what` it has no memory for.
 * Collective. */
scree_status cli_ready(scree_graphs *graphs, bool ready, const char *what);
/* After NAME_register returned `status`: on failure its text becomes that of the graph layer. Collective. */
scree_status cli_registered(scree_graphs *graphs, scree_status status);
/* Prints the reason of a failure on one rank; returns the exit code. Collective. `graphs` may be NULL. */
int cli_failed(scree_world *world, scree_graphs *graphs, scree_status status);

/* Opens the graph layer, runs `body`, reports its failure, closes the layer. Collective; returns the exit code. */
int cli_with_graphs(const cli_args *args, scree_world *world,
                    scree_status (*body)(const cli_args *args, scree_graphs *graphs));

/* Counts self loops, and parallel edges: all but the first between two vertices. Collective. */
scree_status cli_count_copies(const scree_graph *g, uint64_t *loops, uint64_t *parallel);
/* Prints on rank 0 that `what` counts each of the parallel edges, if there are any in a file. */
void cli_note_parallel(const cli_args *args, const scree_graph *g, uint64_t parallel, const char *what);

#endif
