/* help.c - scree --help and scree SUBCOMMAND --help, generated from the tables of subcommands, kernels and options. */
#include <scree/generate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "base/option_table.h"

enum { LEFT_COLUMNS = 26, COLUMNS = 118 };

void cli_print_words(const char *words, int indent) {
  int column = indent;
  for (const char *at = words; *at;) {
    int n = (int)strcspn(at, " ");
    if (column > indent && column + 1 + n > COLUMNS) {
      printf("\n%*s", indent, "");
      column = indent;
    }
    printf(" %.*s", n, at);
    column += 1 + n;
    at += n + (at[n] == ' ');
  }
  printf("\n");
}

/* A long name has a line of its own, so that all texts begin in one column. */
static void print_row(const char *name, const char *value, const char *help) {
  char left[128];
  int n = snprintf(left, sizeof left, "--%s%s%s", name, value ? " " : "", value ? value : "");
  printf("  %-*s", LEFT_COLUMNS - 2, left);
  if (n > LEFT_COLUMNS - 2) printf("\n%*s", LEFT_COLUMNS, "");
  cli_print_words(help, LEFT_COLUMNS);
}

static void print_world_option(size_t i) {
  static const char *const values[] = {
      [SCREE_KIND_COUNT] = "N", [SCREE_KIND_SIZE] = "SIZE", [SCREE_KIND_TIME] = "TIME", [SCREE_KIND_CHOICE] = "WORD"};
  const scree_option *o = scree_option_at(i);
  char usual[32], legal[128], *line;
  scree__option_format_default(o, usual, sizeof usual);
  scree__option_format_legal(o, legal, sizeof legal);
  if (asprintf(&line, "%s (%s; default %s)", o->help, legal, usual) < 0) return;
  print_row(o->name, values[o->kind], line);
  free(line);
}

/* "dc: queue of each rank: buckets, dary (default buckets)" */
static void print_kernel_option(const scree_kernel *kernel, const scree_kernel_option *o) {
  char of[128] = "", usual[48], line[512];
  if (!cli_is_of_all(kernel, o->row.name)) cli_name_variants(kernel, o->row.name, false, ", ", ", ", of, sizeof of);
  size_t n = (size_t)snprintf(line, sizeof line, "%s%s%s", of, *of ? ": " : "", o->row.help);
  for (const char *c = o->row.kind == SCREE_KIND_CHOICE ? o->row.choices : ""; *c; c += strcspn(c, "|"), c += *c == '|')
    n += (size_t)snprintf(line + n, sizeof line - n, "%s%.*s", c == o->row.choices ? ": " : ", ", (int)strcspn(c, "|"),
                          c);
  scree__option_format_default(&o->row, usual, sizeof usual);
  if (o->otherwise)
    snprintf(line + n, sizeof line - n, " (default: %s)", o->otherwise);
  else if (o->value)
    snprintf(line + n, sizeof line - n, " (default %s)", usual);
  print_row(o->row.name, o->value, line);
}

/* Those of the kernel follow the choice of a variant. */
static void print_options(const cli_subcommand *command) {
  printf("\noptions:\n");
  for (size_t i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    if (o->of & command->bit) print_row(o->name, o->value, o->help);
    if (o->set != cli_set_algorithm) continue;
    for (size_t k = 0; cli_kernel_option_at(command->kernel, k); k++)
      print_kernel_option(command->kernel, cli_kernel_option_at(command->kernel, k));
  }
  printf("  %-*s print this\n  %-*s end of the options: names of files behind it may begin with a dash\n",
         LEFT_COLUMNS - 2, "-h, --help", LEFT_COLUMNS - 2, "--");
}

static void print_world_options(void) {
  printf("\noptions of the library (also in the environment: --flush-age is SCREE_FLUSH_AGE; SIZE accepts K M G, TIME "
         "accepts ns us ms s):\n");
  for (size_t i = 0; i < scree_option_count(); i++) print_world_option(i);
}

static void print_graphs(const cli_subcommand *c) {
  if (c->bit != CLI_GENERATE)
    printf("\nGRAPH is a file (DIMACS .gr, Matrix Market, METIS .graph, edge list, GAP .sg .wsg,\n"
           "binary edge tuples, image .scree; text may be compressed with gzip or zstd) or a generator:\n");
  else
    printf("\nGRAPH is a generator:\n");
  for (size_t i = 0; scree_generator_at(i).name; i++)
    printf("  %s:%s\n", scree_generator_at(i).name, scree_generator_at(i).numbers);
}

static void print_subcommand(const cli_subcommand *c) {
  static const char *const operands[] = {"", " GRAPH", " GRAPH FILE"};
  const char *words = c->words ? c->words : operands[c->operands];
  printf("usage: scree %s%s [options]\n", c->name, words);
  if (!c->words) printf("       mpirun -n RANKS scree %s%s [options]\n", c->name, words);
  printf("\n%s\n", c->help);
  if (c->about) printf("\n%s\n", c->about);
  if (c->operands) print_graphs(c);
  if (c->kernel) printf("\nalgorithms:\n");
  for (size_t i = 0; c->kernel && scree_kernel_variant_at(c->kernel, i); i++)
    printf("  %-10s %s\n", scree_kernel_variant_at(c->kernel, i)->name, scree_kernel_variant_at(c->kernel, i)->help);
  print_options(c);
}

void cli_print_help(const cli_subcommand *c, void (*more)(const cli_subcommand *command)) {
  if (c) {
    print_subcommand(c);
    if (more) more(c);
  } else {
    printf("scree %s - graph algorithms on active messages\n\nusage: scree SUBCOMMAND [ARGUMENTS] [options]\n"
           "       mpirun -n RANKS scree SUBCOMMAND GRAPH [options]\n\nsubcommands:\n",
           SCREE_VERSION);
    for (size_t i = 0; cli_subcommand_at(i); i++)
      printf("  %-10s %s\n", cli_subcommand_at(i)->name, cli_subcommand_at(i)->help);
    printf("\n  %-*s print the version\n", LEFT_COLUMNS - 2, "-V, --version");
    printf(
        "  %-*s print this; 'scree SUBCOMMAND --help' and 'scree help SUBCOMMAND' list the options of a subcommand\n",
        LEFT_COLUMNS - 2, "-h, --help");
  }
  if (!c || !c->words) print_world_options();
  if (!c) printf("\nexample: mpirun -n 2 scree sssp kron:16 --validate\n");
  printf(
      "\nexit code: 0 success; 1 a result is wrong, or the run failed; 2 the command line or the input is invalid\n");
}
