/* man.c - scree man SUBCOMMAND: its manual page, from the tables of subcommands, kernels and options. */
#include <stdio.h>
#include <string.h>

#include "args/args.h"
#include "base/option_table.h"

/* Text of roff: backslashes, dashes, and dots and quotes at the beginning of a line. */
static void put(const char *text) {
  bool begun = false;
  for (; *text; text++) {
    if (!begun && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
    if (*text == '-' || *text == '\\') fputs(*text == '-' ? "\\-" : "\\e", stdout);
    if (*text == '-' || *text == '\\') begun = true;
    if (*text != '-' && *text != '\\') putchar(*text), begun = *text != '\n';
  }
}

static void put_line(const char *text) {
  put(text);
  putchar('\n');
}

static void put_option(const char *name, const char *value, const char *help) {
  printf(".TP\n.B \\-\\-");
  put(name);
  if (value) printf(" \\fI"), put(value), printf("\\fP");
  putchar('\n');
  put_line(help);
}

static void put_kernel_option(const cli_subcommand *c, const scree_kernel_option *o) {
  char variants[256], usual[48];
  put_option(o->row.name, o->value, o->row.help);
  cli_name_variants(c->kernel, o->row.name, false, ", ", ", ", variants, sizeof variants);
  scree__option_format_default(&o->row, usual, sizeof usual);
  if (!cli_is_of_all(c->kernel, o->row.name)) printf(".br\nOf: "), put(variants), printf(".\n");
  if (o->value) printf(".br\nDefault: "), put(o->otherwise ? o->otherwise : usual), printf(".\n");
}

static void put_options(const cli_subcommand *c) {
  printf(".SH OPTIONS\n");
  for (size_t i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    if (!(o->of & c->bit)) continue;
    put_option(o->name, o->value, o->help);
    for (size_t k = 0; o->set == cli_set_algorithm && cli_kernel_option_at(c->kernel, k); k++)
      put_kernel_option(c, cli_kernel_option_at(c->kernel, k));
  }
  put_option("help", NULL, "print the options");
  if (!c->words) printf(".PP\nIn addition, every option of\n.BR scree\\-options (7)\nis accepted.\n");
}

static void put_page(const cli_subcommand *c) {
  static const char *const operands[] = {"", " GRAPH", " GRAPH FILE"};
  printf(".TH SCREE\\-%s 1 \"\" scree \"scree manual\"\n.SH NAME\nscree\\-%s \\- ", c->name, c->name);
  put_line(c->help);
  printf(".SH SYNOPSIS\n.B scree %s\n.I", c->name);
  put(c->words ? c->words : operands[c->operands]);
  printf(" [OPTION...]\n");
  if (!c->words)
    printf(".br\n.B mpirun \\-n\n.I RANKS\n.B scree %s\n.I%s [OPTION...]\n", c->name, operands[c->operands]);
  printf(".SH DESCRIPTION\n");
  put_line(c->about ? c->about : c->help);
  if (c->kernel) printf(".SS Algorithms\n");
  for (size_t i = 0; c->kernel && scree_kernel_variant_at(c->kernel, i); i++) {
    printf(".TP\n.B ");
    put_line(scree_kernel_variant_at(c->kernel, i)->name);
    put_line(scree_kernel_variant_at(c->kernel, i)->help);
  }
  put_options(c);
  printf(".SH SEE ALSO\n.BR scree (1),\n.BR scree\\-options (7)\n");
}

int cli_man(const study_request *request) {
  const char *name = request->operand_count == 1 ? request->operands[0] : "";
  const cli_subcommand *c = NULL;
  for (size_t i = 0; cli_subcommand_at(i); i++)
    if (strcmp(cli_subcommand_at(i)->name, name) == 0) c = cli_subcommand_at(i);
  if (!c)
    return fprintf(stderr, "scree: man: name one subcommand, as in 'scree man sssp'; 'scree help' lists them\n"), 2;
  put_page(c);
  if (fflush(stdout) == 0) return 0;
  perror("scree: standard output");
  return 1;
}
