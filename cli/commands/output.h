/* output.h - files that rank 0 writes: all ranks learn of a failure; results are written in portions. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H
#include <stdio.h>

#include <scree/kernel.h>

#include "args/args.h"
#include "commands/progress.h"
#include "io/output_file.h"

typedef struct cli_output {
  const char *name; /* NULL: no file */
  FILE *to;         /* on rank 0; NULL elsewhere, and when it is closed */
  FILE *packed;     /* what `to` packs goes there; or NULL */
  scree__output_file file;
} cli_output;

/* Opens `name` for writing on rank 0; "-" is standard output, NULL is not a file; what is written is packed by gzip or
 * zstd if the name ends in .gz or .zst. The file gets its name when it is closed.
 * Collective. */
scree_status cli_open_output(scree_graphs *graphs, const char *option, const char *name, cli_output *out);
/* Closes it; a full disk is detected here. `status` is what all ranks agree on: the file is removed if it is not
 * SCREE_OK. Returns it, or SCREE_ESTATE, since the input is not at fault. Collective. */
scree_status cli_close_output(scree_graphs *graphs, cli_output *out, scree_status status);
/* Removes it, unless it was closed. Local. */
void cli_drop_output(cli_output *out);
/* Flushes what rank 0 has printed. Collective; fails as above. */
scree_status cli_flush_stdout(scree_graphs *graphs);

/* Writes a line for each vertex, in ascending order of labels: its label, and the listed arrays or those of
 * --output-columns, after a line with their names if --output-header is given; "inf" for those not reached. Rank 0 gets
 * and writes a bounded portion at a time. Collective, idle world; once per world, since it registers a message type. */
scree_status cli_write_answer(const scree_graph *graph, const cli_args *args, const scree_answer *answer, FILE *file,
                              cli_progress *line);

/* The same of the id that each vertex has in a file where vertex 0 has the id `base`; UINT64_MAX: its label. */
scree_status cli_write_map(const scree_graph *graph, uint64_t base, FILE *file);

#endif
