/* help.c - scree --help and scree SUBCOMMAND --help.
 *
 * The text is generated from the tables of subcommands, algorithms and options. */
#include <scree/generate.h>
#include <stdio.h>
#include <string.h>

#include "args/args.h"
#include "base/option_table.h"

enum { LEFT_COLUMNS = 26, COLUMNS = 118 };

/* Continuation lines are indented to the column of the first one. */
static void print_wrapped(const char *help) {
  size_t column = LEFT_COLUMNS;
  for (const char *at = help; *at;) {
    size_t n = strcspn(at, " ");
    if (column > LEFT_COLUMNS && column + 1 + n > COLUMNS) {
      printf("\n%*s", LEFT_COLUMNS, "");
      column = LEFT_COLUMNS;
    }
    printf(" %.*s", (int)n, at);
    column += 1 + n;
    at += n + (at[n] == ' ');
  }
  printf("\n");
}

static void print_row(const char *name, const char *value, const char *help) {
  char left[64];
  snprintf(left, sizeof left, "--%s%s%s", name, value ? " " : "", value ? value : "");
  printf("  %-*s", LEFT_COLUMNS - 2, left);
  print_wrapped(help);
}

static void print_world_option(size_t i) {
  static const char *const values[] = {
      [SCREE_KIND_COUNT] = "N", [SCREE_KIND_SIZE] = "SIZE", [SCREE_KIND_TIME] = "TIME", [SCREE_KIND_CHOICE] = "WORD"};
  const scree_option *o = scree_option_at(i);
  char usual[32], legal[128], line[256];
  scree__option_format_default(o, usual, sizeof usual);
  scree__option_format_legal(o, legal, sizeof legal);
  snprintf(line, sizeof line, "%s (%s; default %s)", o->help, legal, usual);
  print_row(o->name, values[o->kind], line);
}

static void print_options(const cli_subcommand *command) {
  printf("\noptions:\n");
  for (size_t i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    if (o->of & command->bit) print_row(o->name, o->value, o->help);
  }
  print_row("help", NULL, "print this");
}

static void print_world_options(void) {
  printf("\noptions of the library (also in the environment: --flush-age is SCREE_FLUSH_AGE; SIZE accepts K M G, TIME "
         "accepts ns us ms s):\n");
  for (size_t i = 0; i < scree_option_count(); i++) print_world_option(i);
}

static void print_graphs(const cli_subcommand *c) {
  if (c->bit != CLI_GENERATE)
    printf("\nGRAPH is a file (DIMACS .gr, Matrix Market, edge list, adjacency list, binary edge tuples, image;\n"
           "text may be compressed with gzip or zstd) or a generator:\n");
  else
    printf("\nGRAPH is a generator:\n");
  for (size_t i = 0; scree_generator_at(i).name; i++)
    printf("  %s:%s\n", scree_generator_at(i).name, scree_generator_at(i).numbers);
}

static void print_subcommand(const cli_subcommand *c) {
  static const char *const operands[] = {"", " GRAPH", " GRAPH FILE"};
  const char *words = c->words ? c->words : operands[c->operands];
  printf("usage: scree %s%s [options]\n", c->name, words);
  if (!c->plain) printf("       mpirun -n RANKS scree %s%s [options]\n", c->name, words);
  printf("\n%s\n", c->help);
  if (c->operands) print_graphs(c);
  if (c->kernel) printf("\nalgorithms:\n");
  for (size_t i = 0; c->kernel && c->kernel->algorithm_at(i); i++)
    printf("  %-10s %s\n", c->kernel->algorithm_at(i)->name, c->kernel->algorithm_at(i)->help);
  print_options(c);
}

void cli_print_help(const cli_subcommand *c) {
  if (c) {
    print_subcommand(c);
  } else {
    printf("scree %s - graph algorithms on active messages\n\nusage: scree SUBCOMMAND GRAPH [options]\n"
           "       mpirun -n RANKS scree SUBCOMMAND GRAPH [options]\n\nsubcommands:\n",
           SCREE_VERSION);
    for (size_t i = 0; cli_subcommand_at(i); i++)
      printf("  %-9s %s\n", cli_subcommand_at(i)->name, cli_subcommand_at(i)->help);
    printf("\n  --version               print the version\n"
           "  --help                  print this; 'scree SUBCOMMAND --help' lists the options of a subcommand\n");
  }
  if (!c || !c->plain) print_world_options();
  if (!c) printf("\nexample: mpirun -n 2 scree sssp kron:16 --validate\n");
  printf(
      "\nexit code: 0 success; 1 a result is wrong, or the run failed; 2 the command line or the input is invalid\n");
}
