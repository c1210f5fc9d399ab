/* help.c - scree --help and scree SUBCOMMAND --help, generated from the tables of subcommands, kernels and options. */
#include <scree/generate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "base/option_table.h"

enum { LEFT_COLUMNS = 26, NAME_COLUMNS = 10, VARIANT_COLUMNS = 14, COLUMNS = 80 };

void cli_print_words(const char *words, int indent) {
  int column = indent;
  for (const char *at = words; *at;) {
    int n = (int)strcspn(at, " ");
    if (column > indent && column + 1 + n > COLUMNS) {
      printf("\n%*s", indent, "");
      column = indent;
    }
    column += printf("%s%.*s", column ? " " : "", n, at);
    at += n + (at[n] == ' ');
  }
  printf("\n");
}

/* Prints only what is before the first ';' of the help, unless `all`. */
static void print_text(const char *before, const char *help, const char *after, bool all, int indent) {
  char text[768];
  snprintf(text, sizeof text, "%s%.*s%s", before, (int)strcspn(help, all ? "" : ";"), help, after);
  cli_print_words(text, indent);
}

static void print_entry(const char *name, int columns, const char *help, bool all) {
  printf("  %-*s", columns, name);
  print_text("", help, "", all, columns + 2);
}

/* A long name has a line of its own, so that all texts begin in one column. */
static void print_name(const char *name, const char *value) {
  char left[128];
  int n = snprintf(left, sizeof left, "--%s%s%s", name, value ? " " : "", value ? value : "");
  printf("  %-*s", LEFT_COLUMNS - 2, left);
  if (n > LEFT_COLUMNS - 2) printf("\n%*s", LEFT_COLUMNS, "");
}

/* A short help has the legal values if they fit. */
static void print_world_option(const scree_option *o, bool all) {
  char usual[32], legal[128], after[192];
  scree__option_format_default(o, usual, sizeof usual);
  scree__option_format_legal(o, legal, sizeof legal);
  snprintf(after, sizeof after, " (%s; default %s)", legal, usual);
  if (!all && LEFT_COLUMNS + 1 + strcspn(o->help, ";") + strlen(after) > COLUMNS)
    snprintf(after, sizeof after, " (default %s)", usual);
  print_name(o->name, scree__option_placeholder(o));
  print_text("", o->help, after, all, LEFT_COLUMNS);
}

/* "dc: queue of each rank: buckets, dary (default buckets)" */
static void print_kernel_option(const scree_kernel *kernel, const scree_kernel_option *o) {
  char of[128] = "", usual[48], after[256] = "";
  size_t n = 0;
  if (!cli_is_of_all(kernel, o->row.name)) cli_name_variants(kernel, o->row.name, false, ", ", ", ", of, sizeof of - 2);
  if (*of) strcat(of, ": ");
  for (const char *c = o->row.kind == SCREE_KIND_CHOICE ? o->row.choices : ""; *c; c += strcspn(c, "|"), c += *c == '|')
    n += (size_t)snprintf(after + n, sizeof after - n, "%s%.*s", n ? ", " : ": ", (int)strcspn(c, "|"), c);
  scree__option_format_default(&o->row, usual, sizeof usual);
  if (o->otherwise)
    snprintf(after + n, sizeof after - n, " (default: %s)", o->otherwise);
  else if (o->value)
    snprintf(after + n, sizeof after - n, " (default %s)", usual);
  print_name(o->row.name, o->value);
  print_text(of, o->row.help, after, true, LEFT_COLUMNS);
}

static void print_own_option(const cli_option *o, bool all) {
  print_name(o->row.name, cli_placeholder(o));
  print_text("", o->row.help, "", all, LEFT_COLUMNS);
}

/* Those of the kernel follow the choice of a variant. */
static void print_options(const cli_subcommand *command, bool all) {
  const scree_kernel_option *k;
  printf("\noptions:\n");
  for (size_t i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    if ((o->of & command->bit) && (all || !(o->of & CLI_RARE))) print_own_option(o, all);
    for (size_t j = 0; o->set == cli_set_algorithm && (k = cli_kernel_option_at(command->kernel, j)); j++)
      if (all || !k->row.rare) print_kernel_option(command->kernel, k);
  }
  if (!all) return;
  printf("  %-*s print this; without all: usual options\n  %-*s end of the options; files may begin with a dash\n",
         LEFT_COLUMNS - 2, "-h, --help all", LEFT_COLUMNS - 2, "--");
}

static void print_world_options(bool all) {
  printf("\noptions of the library (or SCREE_FLUSH_AGE=1ms; SIZE: K M G; TIME: ns us ms s):\n");
  for (size_t i = 0; i < scree_option_count(); i++)
    if (all || !scree_option_at(i)->rare) print_world_option(scree_option_at(i), all);
}

static void print_graphs(const cli_subcommand *c) {
  printf(c->bit == CLI_GENERATE ? "\nGRAPH is a generator:"
                                : "\nGRAPH is a file (DIMACS .gr, Matrix Market, METIS .graph, edge list, GAP .sg\n"
                                  ".wsg, binary edge tuples, image .scree; also in gzip or zstd) or a generator:");
  for (size_t i = 0; scree_generator_at(i).name; i++)
    printf("%s  %s:%s", i % 3 ? "" : "\n", scree_generator_at(i).name, scree_generator_at(i).numbers);
  printf("\n");
}

static void print_examples(const char *name) {
  printf("\nexamples (a list of edges may need --header and --separator too):\n"
         "  scree %s graph.gr --validate\n  scree %s edges.csv --undirected --columns 1,2%s --output result.csv\n",
         name, name, strcmp(name, "sssp") == 0 ? ",3" : "");
}

static void print_subcommand(const cli_subcommand *c, bool all) {
  static const char *const operands[] = {"", " GRAPH", " GRAPH FILE"};
  const char *words = c->words ? c->words : operands[c->operands];
  const scree_algorithm *v;
  printf("usage: scree %s%s [options]\n", c->name, words);
  if (cli_opens_world(c)) printf("       mpirun -n RANKS scree %s%s [options]\n", c->name, words);
  printf("\n");
  cli_print_words(c->help, 0);
  if (c->about) printf("\n%s\n", c->about);
  if (c->operands) print_graphs(c);
  if (c->kernel) printf("\nalgorithms:\n");
  for (size_t i = 0; c->kernel && (v = scree_kernel_variant_at(c->kernel, i)); i++)
    print_entry(v->name, VARIANT_COLUMNS, v->help, true);
  print_options(c, all);
  if (c->kernel && c->operands) print_examples(c->name);
}

static void print_subcommands(bool all) {
  printf("scree " SCREE_VERSION " - graph algorithms on active messages\n"
         "usage: scree SUBCOMMAND [ARGUMENTS] [options]\n"
         "       mpirun -n 2 scree sssp kron:16 --validate\nsubcommands:\n");
  for (size_t i = 0; cli_subcommand_at(i); i++)
    print_entry(cli_subcommand_at(i)->name, NAME_COLUMNS, cli_subcommand_at(i)->help, all);
}

void cli_print_help(const cli_subcommand *c, bool all, void (*more)(const cli_subcommand *command, bool all)) {
  if (c)
    print_subcommand(c, all), more(c, all);
  else
    print_subcommands(all);
  if (!c || (all && cli_opens_world(c))) print_world_options(all);
  if (!c) printf("\n'scree SUBCOMMAND --help' has its options; with 'all': every option; -V: version\n");
  if (c && !all) printf("\n'scree %s --help all' has every option; 'scree --help' the library's\n", c->name);
  if (!c || all) printf("exit code: 0 success; 1 wrong result or failed run; 2 invalid command or input\n");
}
