/* args.h - the command line, read: subcommands, and the options that are not options of a world. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H
#include <scree/kernel.h>

#include "args/request.h"

typedef enum {
  CLI_RUN,     /* run args->command */
  CLI_HELP,    /* print the help of args->command, or of all if it is NULL */
  CLI_VERSION, /* print the version */
  CLI_BAD      /* args->why has the reason */
} cli_action;

/* Subcommands, a bit each, except for those of kernels: an option lists by them the subcommands that have it. */
enum {
  CLI_FROM_SOURCE = 1 << 0, /* those of kernels that start from a source */
  CLI_WHOLE_GRAPH = 1 << 1, /* those of the other kernels */
  CLI_GENERATE = 1 << 2,
  CLI_CONVERT = 1 << 3,
  CLI_INFO = 1 << 4,
  CLI_GRAPH500 = 1 << 5,
  CLI_SWEEP = 1 << 6,
  CLI_REPORT = 1 << 7,
  CLI_TUNE = 1 << 8,
  CLI_LIMITS = 1 << 9,
  CLI_COMPLETION = 1 << 10,
  CLI_MAN = 1 << 11,
  CLI_PATH = 1 << 12,
  CLI_GRAPHLESS = 1 << 13, /* those of kernels without a graph */
  CLI_RARE = 1 << 14,      /* no subcommand: only --help all shows the option */
  CLI_CHECK = 1 << 15,
  CLI_BENCH = 1 << 16,
  CLI_SOURCE_SET = 1 << 17,                        /* that of the kernel whose runs have several sources */
  CLI_PACKAGE = CLI_SWEEP | CLI_TUNE | CLI_REPORT, /* those that are a Python package */
  CLI_LAUNCHERS = CLI_SWEEP | CLI_TUNE, /* those that start others: an option that they do not know is an axis */
  CLI_SOLVERS = CLI_FROM_SOURCE | CLI_WHOLE_GRAPH, /* those that run a kernel on a graph */
  CLI_REPEATED = CLI_WHOLE_GRAPH | CLI_GRAPHLESS,  /* those that run a kernel without a source */
  CLI_RUNS = CLI_SOLVERS | CLI_GRAPHLESS,          /* those that run a kernel */
  CLI_WRITERS = CLI_GENERATE | CLI_CONVERT,        /* --format is of the file to write, --from of the graph */
  CLI_READERS = CLI_SOLVERS | CLI_INFO | CLI_PATH, /* --format is of the graph */
  CLI_GRAPHS = CLI_READERS | CLI_WRITERS,          /* those that are given a graph */
  CLI_LISTS = CLI_READERS | CLI_CONVERT,           /* those that may be given a list of edges */
  CLI_JOBS = CLI_GRAPHS | CLI_GRAPHLESS | CLI_GRAPH500 | CLI_LIMITS | CLI_BENCH /* those that open a world */
};

/* Options of the command line's own table, of a world (their structure has a word for each), of a kernel, at most. */
enum { CLI_OWN = 96, CLI_WORLD = sizeof(scree_options) / sizeof(uint64_t), CLI_KERNEL = 32 };

/* Where an option was set. */
typedef struct {
  const char *file; /* an options file; NULL: the command line */
  size_t line;
} cli_origin;

enum { CLI_RELABEL_AUTO, CLI_RELABEL_NONE, CLI_RELABEL_DEGREE };

/* How a command uses a file that its command line names. */
typedef enum { CLI_NO_FILE, CLI_READS, CLI_WRITES } cli_access;

/* A file that the command line names. */
typedef struct {
  const char *path, *option; /* option: its name; NULL: an operand */
  cli_access access;
  cli_origin at;
} cli_named_file;

typedef struct cli_file cli_file;

typedef struct cli_args cli_args;
typedef struct cli_option cli_option;

/* A subcommand, as far as reading the command line goes; what it does is in commands/commands.h. */
typedef struct {
  int bit;                         /* CLI_CONVERT ... */
  const char *name, *help, *about; /* help: one line; about: a paragraph for the help of the subcommand, or NULL */
  int operands;                    /* words that are not options: 0, 1 (GRAPH) or 2 (GRAPH FILE) */
  const scree_kernel *kernel;      /* that it runs, or NULL */
  const char *words;               /* its operands as help has them, if they are not a graph */
  const char *reads;               /* "the graph is read": what it reads from the files that operands name; or NULL */
} cli_subcommand;

/* Sources of runs; of path its two ends. */
typedef struct {
  bool random;     /* drawn by `seed`, else `label` is the source */
  uint64_t label;  /* id in the file */
  uint64_t seed;   /* of the first source; the next ones take seed + 1 ... */
  uint64_t count;  /* runs that begin at different ones */
  uint64_t *list;  /* ids of a file, `count` of them; NULL: no file */
  uint64_t set;    /* or how many of them are the sources of one run; 0: none */
  uint64_t copies; /* how many sources of the file are repeated in it */
  uint64_t target; /* the last vertex of a path, as `label` is the first; SCREE_UNSET if not given */
} cli_sources;

struct cli_args {
  char **words; /* the command line */
  int word_count;
  const cli_subcommand *command;
  bool help_all;              /* --help all */
  const scree_kernel *kernel; /* of the command */
  size_t variant;             /* of the kernel */
  scree_kernel_options *how;  /* the kernel's structure of options, or NULL */
  const char *graph;          /* file or generator */
  const char *target;         /* file to write */
  cli_sources source;
  struct {
    uint64_t repeat, warmup;
    bool validate;
  } runs;
  uint64_t ranks; /* that the command starts; 0: as many as save time; SCREE_UNSET: it was not given */
  const char
      *launcher; /* the variable by which a launcher announced itself, before MPI sets some of its own; NULL: none
                  * did */
  double began;  /* when the command line was read: scree__seconds */
  struct {
    const char *file;    /* or "-" or NULL */
    const char *columns; /* arrays that are written; NULL: the usual ones */
    bool header;         /* the names of the columns come first */
  } answer;
  const char *json;  /* file, "-" or NULL */
  const char *map;   /* of convert: the file for old and new ids, or NULL */
  const char *trace; /* file or NULL */
  struct {
    const char *algorithm; /* of the kernels that have it; NULL: the default ones */
    uint64_t scale, edge_factor;
    bool skip_validation;
  } graph500;
  struct {
    bool plan;      /* do not load */
    bool structure; /* what takes a kernel too */
  } info;
  struct {
    uint64_t bytes; /* of an item; 0 means each usual size */
    uint64_t rounds;
    bool full, osu;
  } bench;
  study_request study; /* of sweep, report and tune */
  scree_graph_options graph_options;
  struct {
    uint64_t relabel;        /* CLI_RELABEL_... ; AUTO: graph_options.relabel is NONE */
    bool distribution_given; /* graph_options.distribution was set, not only the default */
  } numbering;
  scree_write_options write_options;
  scree_options options; /* all set */
  char from[CLI_WORLD];  /* of option i: 'f' field, 'e' environment, 'd' default */
  struct {
    cli_origin reading;                                            /* the line of a file that is being read */
    const scree_option *row;                                       /* of the option that is being set */
    cli_origin own[CLI_OWN], world[CLI_WORLD], kernel[CLI_KERNEL]; /* of option i of a table, if it was set */
  } at;
  struct {
    cli_file *read;        /* options files */
    cli_named_file *named; /* that the command line names, `count` of them */
    size_t count;
  } files;
  char why[1024];
};

/* Reads the command line. Local; writes nothing. */
cli_action cli_parse(int argc, char **argv, cli_args *args);
/* Frees the kernel's options and the text of options files, which options point into, for callers that read many
 * command lines. Axes live as long as the process. */
void cli_args_free(cli_args *args);

/* Kernels: those of the registry, and those without a graph; NULL past the last. */
const scree_kernel *cli_kernel_at(size_t i);

/* The subcommands, those of kernels first, in their order; NULL past the last. */
const cli_subcommand *cli_subcommand_at(size_t i);

/* An option of the command line beside those of a world. */
struct cli_option {
  scree_option row; /* if the offset is 0, its value is stored nowhere */
  int of;           /* the bits of the subcommands that have it, and CLI_RARE */
  /* Called once the value is known to be legal, and stored; `text` is NULL for a flag. Returns false with args->why
   * set. */
  bool (*set)(cli_args *args, const char *text);
  cli_access access; /* to the file that the value names */
  const char *graph; /* the option of graphs whose row it has but for what `row` says; or NULL */
  size_t fields;     /* the offset of the struct of its field in cli_args */
};

/* The i-th option; NULL past the last. */
const cli_option *cli_option_at(size_t i);
/* Returns what stands for its value in help: all words of a CHOICE. NULL for a flag. */
const char *cli_placeholder(const cli_option *option);

/* True if it opens a world, whose options it then has. */
static inline bool cli_opens_world(const cli_subcommand *command) {
  return command->bit & CLI_JOBS;
}

/* The i-th option of any variant of a kernel, each once; NULL past the last, or if kernel is NULL. */
const scree_kernel_option *cli_kernel_option_at(const scree_kernel *kernel, size_t i);
/* Makes the kernel's options unset. False: args->why is set. */
bool cli_init_kernel_options(cli_args *args);
bool cli_set_algorithm(cli_args *args, const char *text);
/* True if the kernel has an option of that name, and it was given. */
bool cli_is_given(const cli_args *args, const char *option);
/* True if each option that was given is one of the variant's. False: args->why is set. */
bool cli_check_variant(cli_args *args);
/* Writes the names of the variants that have an option: "delta, delta-sort or opt" with the separators ", " and " or ".
 * Only those for tuning if `tuned`. The default variant is the last. */
void cli_name_variants(const scree_kernel *kernel, const char *option, bool tuned, const char *separator,
                       const char *last, char *text, size_t size);
/* True if all variants have it. */
bool cli_is_of_all(const scree_kernel *kernel, const char *option);

/* True if the subcommand has an option of that name, besides those of a world. *flag: it takes no value. */
bool cli_has_option(const cli_subcommand *command, const char *name, bool *flag);
/* Names of such options, at most CLI_OWN + CLI_KERNEL; returns how many. */
size_t cli_option_names(const cli_subcommand *command, const char **names);
/* True if a world has an option of that name. */
bool cli_is_of_world(const char *name);

/* What separates the columns of an answer in a file of that name (NULL: standard output): a comma in .csv, else a
 * tab. */
char cli_answer_separator(const char *name);
/* True if an answer can be written in the format that the name of --output implies. False: args->why is set. */
bool cli_check_answer_file(cli_args *args);

/* Checks combinations of options. False: args->why is set. */
bool cli_check(cli_args *args);

/* Adds a file that is read or written, whose name lives as long as `args`. Returns false, with args->why, if there is
 * no memory for it. */
bool cli_add_file(cli_args *args, const cli_named_file *path);
/* Returns false, with args->why, if a regular file that is written is read too, or is written twice, by whatever
 * names. */
bool cli_check_files(cli_args *args);

/* Writes args->why. False. */
bool cli_fail(cli_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads a number of ranks, or "auto"; `origin` is as for scree__option_parse. Returns false with args->why set. */
bool cli_set_ranks(cli_args *args, const char *text, const char *origin);

/* Reads a file of sources. */
bool cli_read_sources(cli_args *args, const char *name);
bool cli_read_source_set(cli_args *args, const char *name);
/* Options of the kernel whose runs have several sources; NULL: of others. */
static inline scree_bc_options *cli_of_source_set(const cli_args *args) {
  return args->command->bit & CLI_SOURCE_SET ? (scree_bc_options *)(void *)args->how : NULL;
}
/* True if the array is among those that are written. */
bool cli_is_written(const cli_args *args, const scree_kernel_array *array);

/* Reads an options file, as if its words were here on the command line. */
bool cli_read_options_file(cli_args *args, const char *name);
/* Sets an option of the file that is being read. */
bool cli_set_from_file(cli_args *args, const char *name, const char *value);
/* If a file set the option, puts its name and line before args->why. Always false. */
bool cli_blame(cli_args *args, const cli_origin *at);

/* Takes NAME=VALUES for an axis. */
bool cli_add_axis(cli_args *args, const char *axis);

/* Prints help: of one subcommand, or of all if it is NULL; what is rare only if `all`. `more` adds what the tables here
 * do not know. */
void cli_print_help(const cli_subcommand *command, bool all, void (*more)(const cli_subcommand *command, bool all));
/* Print the script for a shell, and the manual page of a subcommand. Return the exit code. */
int cli_completion(const cli_args *args);
int cli_man(const cli_args *args);
/* Prints words one after another, in lines that are indented by `indent` columns. The first line is begun, and
 * ended. */
void cli_print_words(const char *words, int indent);

#endif
