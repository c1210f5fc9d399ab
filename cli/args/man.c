/* man.c - scree man SUBCOMMAND|options|counters: a manual page, from the tables of subcommands, kernels, options and
 * counters. */
#include <stdio.h>
#include <string.h>

#include "args/args.h"
#include "base/counters.h"
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
    put_option(o->row.name, cli_placeholder(o), o->row.help);
    for (size_t k = 0; o->set == cli_set_algorithm && cli_kernel_option_at(c->kernel, k); k++)
      put_kernel_option(c, cli_kernel_option_at(c->kernel, k));
  }
  put_option("help", NULL, "print the options");
  if (cli_opens_world(c)) printf(".PP\nIn addition, every option of\n.BR scree\\-options (7)\nis accepted.\n");
}

static void put_page(const cli_subcommand *c) {
  static const char *const operands[] = {"", " GRAPH", " GRAPH FILE"};
  printf(".TH SCREE\\-%s 1 \"\" scree \"scree manual\"\n.SH NAME\nscree\\-%s \\- ", c->name, c->name);
  put_line(c->help);
  printf(".SH SYNOPSIS\n.B scree %s\n.I", c->name);
  put(c->words ? c->words : operands[c->operands]);
  printf(" [OPTION...]\n");
  if (cli_opens_world(c))
    printf(".br\n.B mpirun \\-n\n.I RANKS\n.B scree %s\n.I%s [OPTION...]\n", c->name,
           c->words ? c->words : operands[c->operands]);
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

/* ---- the options of a world ---- */

static const char *const options_before[] = {
    "An option of a world can be set in three ways. The first of these that sets it takes precedence: the field of "
    "scree_options that the program passes to scree_open, scree_open_mpi or scree_sim_run; the environment variable, "
    "unless it is empty; the default. The program scree sets fields from its flags, so a flag overrides the "
    "environment. The field is the "
    "flag's name with an underscore for each dash.",
    "A size is a number of bytes, or a number with K, M or G (powers of 1024). A time is a number of nanoseconds, or a "
    "number with ns, us, ms or s. If a value cannot be parsed or is out of range, opening the world fails with a "
    "message that states the value, its source, and the legal values.",
    ("All ranks of a world must have the same options; otherwise opening the world fails. A variable whose name begins "
     "with SCREE_ but is not that of an option causes one warning, with the nearest name."),
};

static const char *const options_after[] = {
    "huge-pages applies to private memory. Blocks in shared memory are on huge pages if the system has mounted "
    "/dev/shm with huge=within_size or huge=always.",
    "checked is set at run time. Macros are set when a file of the program is compiled: with SCREE_NO_CHECK the sends "
    "of "
    "that file do not check that the destination exists, which they do otherwise, in every world. With "
    "SCREE_CHECK_INLINE they also check ids above 63, and operations on global memory check their bytes.",
    "lock and lock-sample matter if a rank has several workers and blocks travel by MPI. Otherwise no lock is entered.",
    "detector changes no result. node is the one to use; flat is there for comparison.",
    "thread-level: if MPI provides less, opening the world fails. With funneled and several workers, the others pass "
    "their blocks to worker 0, and wait while it computes.",
    "progress=full matters inside scree_run_workers and scree_join_workers. Handlers of concurrent types then also run "
    "on a worker whose index is the option threads. The program must expect that: the variable SCREE_PROGRESS=full "
    "alone "
    "does not set it, and opening the world fails. With progress=comm the world does not open if nothing travels by "
    "MPI.",
    "route applies to types of SCREE_MESSAGE_ROUTED only. With another value than direct the option memory is divided "
    "among the classes of hops, progress=comm is refused, and so are more than 65536 workers in total.",
    "urgent-types=on permits types with the flag SCREE_URGENT. It divides memory among one more class of hops; "
    "progress=comm "
    "is refused.",
    "node-arrays=auto shares nothing after one array for which shared memory was short, and the statistics say why. "
    "With "
    "transport=mpi nothing is shared.",
    "In the simulator (scree/scree_sim.h) transport, chaos, pin, spin, lock, thread-level and the value comm of "
    "progress "
    "have no effect. Times count yield points, of one microsecond each.",
    "scree_options_of(world) returns the options in force. scree_option_count, scree_option_at, scree_options_set, "
    "scree_options_resolve and scree_option_format give a program the same flags and texts.",
};

static void put_paragraphs(const char *const *text, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i) printf(".PP\n");
    put_line(text[i]);
  }
}

static void put_world_option(const scree_option *o) {
  static const char *const kinds[] = {"number", "size", "time", "choice"}; /* by SCREE_KIND_... */
  char legal[128], usual[32], variable[SCREE__VARIABLE_BYTES];
  scree__option_format_legal(o, legal, sizeof legal);
  scree__option_format_default(o, usual, sizeof usual);
  scree__option_variable(o->name, variable, sizeof variable);
  printf(".TP\n.B \\-\\-"), put(o->name), printf(", %s\n(%s; ", variable, kinds[o->kind]), put(legal),
      printf("; default "), put(usual), printf(") ");
  put(o->help), printf(".\n");
}

static void put_options_page(void) {
  printf(".TH SCREE\\-OPTIONS 7 \"\" scree \"scree manual\"\n.SH NAME\nscree\\-options \\- options of a scree world\n"
         ".SH DESCRIPTION\n");
  put_paragraphs(options_before, sizeof options_before / sizeof options_before[0]);
  printf(".SH OPTIONS\n");
  for (size_t i = 0; i < scree_option_count(); i++) put_world_option(scree_option_at(i));
  printf(".SH NOTES\n");
  put_paragraphs(options_after, sizeof options_after / sizeof options_after[0]);
  printf(".SH SEE ALSO\n.BR scree (1),\n.BR scree (3)\n");
}

/* ---- counters ---- */

static const char *const counters_before[] = {
    "A world counts while it runs, and a kernel while it solves. A program reads the counters of its rank from the "
    "structs below. The JSON of a job has the sums over the ranks, under the names of the fields. Counters of the lock "
    "begin with lock_ there.",
    "Option stats prints the counters of each rank as text or as JSON when the world closes.",
};

static void put_counters_page(void) {
  static const struct {
    const char *name;
    const scree__counter *rows;
  } structs[] = {{"scree_stats", scree__stats_counters},
                 {"scree_lane_stats", scree__lane_counters},
                 {"scree_reduced_stats", scree__reduced_counters},
                 {"scree_lock_stats", scree__lock_counters},
                 {"scree_tasks_stats", scree__tasks_counters},
                 {"scree_global_stats", scree__global_counters},
                 {"scree_work", scree__work_counters}};
  static const char *const of[] = {"the sum of all ranks", "the maximum of the ranks' sums", "the maximum"};
  printf(
      ".TH SCREE\\-COUNTERS 7 \"\" scree \"scree manual\"\n.SH NAME\nscree\\-counters \\- what a scree world counts\n"
      ".SH DESCRIPTION\n");
  put_paragraphs(counters_before, sizeof counters_before / sizeof counters_before[0]);
  for (size_t i = 0; i < sizeof structs / sizeof structs[0]; i++) {
    printf(".SH %s\n", structs[i].name);
    for (const scree__counter *row = structs[i].rows; row->name; row++)
      printf(".TP\n.B %s\n%s; %s\n", row->name, row->text, of[row->of]);
  }
  printf(".SH SEE ALSO\n.BR scree (1),\n.BR scree (3),\n.BR scree\\-options (7)\n");
}

int cli_man(const cli_args *args) {
  const study_request *request = &args->study;
  const char *name = request->operand_count == 1 ? request->operands[0] : "";
  const cli_subcommand *c = NULL;
  for (size_t i = 0; cli_subcommand_at(i); i++)
    if (strcmp(cli_subcommand_at(i)->name, name) == 0) c = cli_subcommand_at(i);
  if (c)
    put_page(c);
  else if (strcmp(name, "options") == 0)
    put_options_page();
  else if (strcmp(name, "counters") == 0)
    put_counters_page();
  else
    return fprintf(stderr,
                   "scree: man: name one subcommand, as in 'scree man sssp', or 'options' or 'counters'; 'scree help' "
                   "lists the subcommands\n"),
           2;
  if (fflush(stdout) == 0) return 0;
  perror("scree: standard output");
  return 1;
}
