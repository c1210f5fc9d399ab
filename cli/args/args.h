/* args.h - the command line, read.
 *
 * Room: what a command line says, and the table of the options that are not options of a world. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H
#include "commands/kernel.h"
#include "study/study.h"

typedef enum {
  CLI_RUN,     /* run args->command */
  CLI_HELP,    /* print the help of args->command, or of all if it is NULL */
  CLI_VERSION, /* print the version */
  CLI_BAD      /* args->why says what is wrong */
} cli_action;

/* Subcommands, a bit each: an option says by them which ones have it. */
enum {
  CLI_SSSP = 1 << 0,
  CLI_BFS = 1 << 1,
  CLI_GENERATE = 1 << 2,
  CLI_CONVERT = 1 << 3,
  CLI_INFO = 1 << 4,
  CLI_CC = 1 << 5,
  CLI_PAGERANK = 1 << 6,
  CLI_GRAPH500 = 1 << 7,
  CLI_SWEEP = 1 << 8,
  CLI_REPORT = 1 << 9,
  CLI_TUNE = 1 << 10,
  CLI_LIMITS = 1 << 11,
  CLI_LAUNCHERS = CLI_SWEEP | CLI_TUNE, /* those that start others: an option that they do not know is an axis */
  CLI_SOURCES = CLI_SSSP | CLI_BFS,     /* those that start from a source */
  CLI_SOLVERS = CLI_SOURCES | CLI_CC | CLI_PAGERANK, /* those that run a kernel */
  CLI_WRITERS = CLI_GENERATE | CLI_CONVERT,          /* --format is of the file to write, --from of the graph */
  CLI_READERS = CLI_SOLVERS | CLI_INFO,              /* --format is of the graph */
  CLI_GRAPHS = CLI_READERS | CLI_WRITERS,            /* those that are given a graph */
  CLI_JOBS = CLI_GRAPHS | CLI_GRAPH500 | CLI_LIMITS  /* those that open a world */
};

enum { CLI_OWN = 96, CLI_WORLD = 64 }; /* options of the command line's own table and of a world, at most */

/* Where an option was set. */
typedef struct {
  const char *file; /* an options file; NULL: the command line */
  size_t line;
} cli_origin;

typedef struct cli_file cli_file;

typedef struct cli_args cli_args;

/* A subcommand. */
typedef struct {
  int bit; /* CLI_SSSP ... */
  const char *name, *help;
  int operands;         /* words that are no options: 0, 1 (GRAPH) or 2 (GRAPH FILE) */
  const kernel *kernel; /* that it runs, or NULL */
  /* What no option can tell alone; false: args->why is set. NULL: nothing. Local. */
  bool (*check)(cli_args *args);
  /* Collective; returns the exit code, the same on all ranks. */
  int (*run)(const cli_args *args, scree_world *world);
  /* Instead of run: without a world, in one process; returns the exit code. `words`: its operands as help has them. */
  int (*plain)(const study_request *request);
  const char *words;
} cli_subcommand;

struct cli_args {
  const cli_subcommand *command;
  const kernel *kernel; /* of the command */
  const char *graph;    /* file or generator */
  const char *target;   /* file to write */
  kernel_options how;
  bool random;    /* sources are drawn by `seed`, else `label` is the source */
  uint64_t label; /* id in the file */
  uint64_t seed;  /* of the first source; the next ones take seed + 1 ... */
  uint64_t sources, repeat, warmup;
  bool validate;
  const char *output, *json;   /* file, "-" or NULL */
  bool plan;                   /* of info: do not load */
  uint64_t scale, edge_factor; /* of graph500 */
  study_request study;         /* of sweep, report and tune */
  scree_graph_options graph_options;
  scree_write_options write_options;
  scree_options options;                                    /* all set */
  char from[CLI_WORLD];                                     /* of option i: 'f' field, 'e' environment, 'd' default */
  cli_origin reading, own_at[CLI_OWN], world_at[CLI_WORLD]; /* of option i of either table, if it was set */
  cli_file *files;
  char why[1024];
};

/* Reads the command line. Local; writes nothing. */
cli_action cli_parse(int argc, char **argv, cli_args *args);
/* Frees the text of options files, which options point into, for those who read many command lines. Axes live as long
 * as the process. */
void cli_args_free(cli_args *args);

/* The subcommands; NULL past the last. */
const cli_subcommand *cli_subcommand_at(size_t i);

/* An option of the command line beside those of a world. */
typedef struct {
  const char *name, *value, *help; /* value: NULL for a flag */
  int of;                          /* the bits of the subcommands that have it */
  /* Reads `text`; false: args->why is set. NULL: an option of the graph layer, by scree_graph_options_set. */
  bool (*set)(cli_args *args, const char *text);
} cli_option;

/* The i-th option; NULL past the last. */
const cli_option *cli_option_at(size_t i);

/* Reads an options file, as if its words stood here on the command line. */
bool cli_read_options_file(cli_args *args, const char *name);
/* Sets an option that stands in the file that is being read. */
bool cli_set_from_file(cli_args *args, const char *name, const char *value);
/* Puts the line that set the option, if it stands in a file, before args->why. False. */
bool cli_blame(cli_args *args, const cli_origin *at);

/* Takes NAME=VALUES for an axis. */
bool cli_add_axis(cli_args *args, const char *axis);

/* Prints help: of one subcommand, or of all if it is NULL. */
void cli_print_help(const cli_subcommand *command);

#endif
