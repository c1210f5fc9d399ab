/* output.h - files that rank 0 writes: all ranks learn of a failure; results are written in portions. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H
#include <stdio.h>

#include <scree/kernel.h>

/* Opens `name` for writing on rank 0; "-" is standard output, NULL is no file. *file is NULL elsewhere. Collective. */
scree_status cli_open_file(scree_graphs *graphs, const char *option, const char *name, FILE **file);
/* Closes the file; a full disk is detected here. Collective. Fails with SCREE_ESTATE, since the input is not at fault. */
scree_status cli_close_file(scree_graphs *graphs, const char *name, FILE *file);

/* Writes a line for each vertex, in ascending order of labels: label, tab, distance; or label, tab, level, tab,
 * parent; "inf" and "-1" for those not reached; or label, tab, component's label or rank. Rank 0 gets and writes a
 * bounded portion at a time. Collective, idle world; once per world, since it registers a message type. */
scree_status cli_write_answer(const scree_graph *graph, const scree_kernel *kernel, const scree_answer *answer,
                              FILE *file);

#endif
