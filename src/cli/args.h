/* args.h - the command line, read.
 *
 * Room: what a command line says, and the table of the options that are not options of a world. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H
#include "kernel.h"

typedef enum {
  CLI_RUN,     /* run args->kernel */
  CLI_HELP,    /* print the help of args->kernel, or of all if it is NULL */
  CLI_VERSION, /* print the version */
  CLI_BAD      /* args->why says what is wrong */
} cli_action;

typedef struct {
  const kernel *kernel;
  const char *graph; /* file or generator */
  kernel_options how;
  bool random;    /* sources are drawn by `seed`, else `label` is the source */
  uint64_t label; /* id in the file */
  uint64_t seed;  /* of the first source; the next ones take seed + 1 ... */
  uint64_t sources, repeat, warmup;
  bool validate;
  const char *output, *json; /* file, "-" or NULL */
  scree_graph_options graph_options;
  scree_options options; /* all set */
  char from[64];         /* of option i: 'f' field, 'e' environment, 'd' default */
  char why[512];
} cli_args;

/* Reads the command line. Local; writes nothing. */
cli_action cli_parse(int argc, char **argv, cli_args *args);

/* The subcommands; NULL past the last. */
const kernel *cli_kernel_at(size_t i);

/* An option of the command line beside those of a world. */
typedef struct {
  const char *name, *value, *help; /* value: NULL for a flag */
  const kernel *only;              /* the one subcommand that has it, or NULL */
  /* Reads `text`; false: args->why is set. NULL: an option of the graph layer, by scree_graph_options_set. */
  bool (*set)(cli_args *args, const char *text);
} cli_option;

/* The i-th option; NULL past the last. */
const cli_option *cli_option_at(size_t i);

/* Prints help: of one subcommand, or of all if it is NULL. */
void cli_print_help(const kernel *k);

#endif
