/* input.h - the graph that a command reads: a file, a generator, or standard input. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H
#include <limits.h>

#include <scree/graph.h>

typedef struct {
  char copy[PATH_MAX]; /* "": the graph has a name of its own */
  const char *path;    /* to load */
  bool owner;          /* this rank removes the copy */
} cli_input;

/* What messages call the graph: "standard input", or its name. Local. */
const char *cli_input_name(const char *name);

/* `name` is the graph; "-" and "/dev/stdin" are standard input, which launchers give to rank 0 alone: rank 0 copies it
 * to a file in $TMPDIR (/tmp), which all ranks must see; a rank that finds another one there is an error. Collective;
 * close it in any case. */
scree_status cli_open_input(scree_graphs *graphs, const char *name, cli_input *input);
/* Removes the copy. Local. */
void cli_close_input(cli_input *input);

#endif
