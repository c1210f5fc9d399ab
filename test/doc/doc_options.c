/* doc_options.c - docs/options.md and docs/man/scree-options.7 agree with the table of options.
 *
 * This program generates both pages from include/scree/options.h and the paragraphs below. The test compares them with
 * the committed files;  build/test/doc_options --write  in the root of the checkout rewrites them. */
#include <scree/options.h>

#include "base/option_table.h"
#include "harness.h"

static const char *const before[] = {
    "Every option of a world can be set in three ways. The first of these that sets it takes precedence: the field of "
    "scree_options that the program passes to scree_open, scree_open_mpi or scree_sim_run; the environment variable; "
    "the default. The program scree sets fields from its flags, so a flag overrides the environment.",
    "A size is a number of bytes, or a number with K, M or G (powers of 1024). A time is a number of nanoseconds, or a "
    "number with ns, us, ms or s. Numbers are integers. If a value cannot be parsed or is out of range, opening the "
    "world fails with a message that states the value, its source, and the legal values.",
    "All ranks of a world must have the same options; if they differ, opening the world fails. A variable whose name "
    "begins with SCREE_ but is not that of an option causes one warning, with the nearest name. Variables that begin "
    "with SCREE_TEST_ are for tests of the library; CONTRIBUTING.md describes those of a world.",
    "The program's --help describes the options that users set, --help all the others too.",
};

static const char *const after[] = {
    "The value shm of transport differs from auto in one respect: if a node cannot share memory, opening the world "
    "fails, where auto sends all blocks by MPI. Between nodes both use MPI.",
    "The option huge-pages applies to private memory. Blocks in shared memory are on huge pages if the system has "
    "mounted /dev/shm with huge=within_size or huge=always; the option has no effect on them.",
    "The option checked is set at run time. The macro SCREE_CHECKED is set when a file of the program is compiled: "
    "the sends of that file then check that the destination is a rank, in every world.",
    "The option lock matters where a rank has several workers (threads) and blocks travel by MPI. Elsewhere no lock is "
    "entered, and the statistics note that the option has no effect, unless it is the default.",
    "The option lock-sample is for studies of locks: where one is entered, it adds counts to the statistics "
    "(docs/threads.md, section 7).",
    "The option detector changes no result, but which messages are sent to find the end of an epoch: none with node on "
    "one node, nor with flat on one rank. node is the one to use; flat is there to compare it with.",
    "The option thread-level is compared with what MPI gives: less is an error. With funneled and several workers the "
    "others hand their blocks to worker 0, and wait while it computes. With funneled or multiple no lock is entered. "
    "docs/threads.md, section 9, says when which pays.",
    "The option progress with full matters inside scree_run_workers and scree_join_workers. Handlers of "
    "concurrent types then also run on a worker whose index is the option threads. Only a program that expects "
    "that may have it: so where the field is unset, opening the world with SCREE_PROGRESS=full fails. The program "
    "scree, which takes its fields from the environment by scree_options_resolve, may have it. With comm it "
    "matters in all epochs; the world does not open where nothing travels by MPI (docs/threads.md, section 10).",
    "The option route matters for types of SCREE_MESSAGE_ROUTED alone. With another value than direct the option "
    "memory is divided among the classes of hops; progress=comm is refused, and so are more than 65536 workers of all "
    "ranks. docs/routing.md says when a route pays.",
    "With the option urgent types may have the flag SCREE_URGENT, and memory is divided among one class of hops more; "
    "progress=comm is refused.",
    "In the simulator (scree_sim.h) the options transport, chaos, pin, spin, lock and thread-level have no effect, nor "
    "has the value comm of progress, and times count yield points, of one microsecond each.",
    "The program scree writes every value and its source to its JSON report (scree sssp GRAPH --json FILE), and "
    "scree_options_of(world) returns the options in force.",
};

enum { LINE_MAX_BYTES = 4096 };

/* ---- values ---- */

static const char *const kinds[] = {[SCREE_KIND_COUNT] = "number",
                                    [SCREE_KIND_SIZE] = "size",
                                    [SCREE_KIND_TIME] = "time",
                                    [SCREE_KIND_CHOICE] = "choice"};

/* Words are set apart by spaces: a bar would end the cell of a table. */
static void range_text(const scree_option *o, char *text, size_t size) {
  char legal[128];
  scree__option_format_legal(o, legal, sizeof legal);
  size_t n = 0;
  for (const char *c = legal; *c && n + 2 < size; c++) {
    if (*c == '|') text[n++] = ',';
    text[n++] = *c == '|' ? ' ' : *c;
  }
  text[n] = 0;
}

static void variable_text(const scree_option *o, char *text, size_t size) {
  snprintf(text, size, "SCREE_%s", o->name);
  for (char *c = text + 6; *c; c++) *c = *c == '-' ? '_' : (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
}

/* ---- Markdown ---- */

/* Breaks at 118 columns, as the other pages do. */
static void wrap(const char *text, FILE *to) {
  size_t column = 0;
  for (const char *at = text; *at;) {
    size_t n = strcspn(at, " ");
    if (column && column + 1 + n > 118) column = 0, fputc('\n', to);
    column += (size_t)fprintf(to, "%s%.*s", column ? " " : "", (int)n, at);
    at += n + (at[n] == ' ');
  }
  fputs("\n\n", to);
}

static void markdown_row(size_t i, FILE *to) {
  const scree_option *o = scree_option_at(i);
  char variable[64], def[32], range[64];
  variable_text(o, variable, sizeof variable);
  scree__option_format_default(o, def, sizeof def);
  range_text(o, range, sizeof range);
  fprintf(to, "| `--%s` | `%s` | %s | %s | %s | %s |\n", o->name, variable, kinds[o->kind], def, range, o->help);
}

static void write_markdown(FILE *to) {
  fputs("# Options\n\n<!-- Generated by build/test/doc_options --write from include/scree/options.h; edit that file. "
        "-->\n\n",
        to);
  for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) wrap(before[i], to);
  fputs("The field of `scree_options` is the flag's name with `_` for `-`: `--flush-age` is `flush_age`.\n\n"
        "| flag | variable | kind | default | legal values | meaning |\n|---|---|---|---|---|---|\n",
        to);
  for (size_t i = 0; i < scree_option_count(); i++) markdown_row(i, to);
  fputs("\n## Notes\n\n", to);
  for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) wrap(after[i], to);
  fputs("From a program:\n\n    scree_options o = SCREE_OPTIONS_INIT;\n    o.memory = 64 << 20;\n"
        "    o.transport = SCREE_TRANSPORT_MPI;\n    scree_status status = scree_open(&o, &world);\n\n"
        "`scree_option_count`, `scree_option_at`, `scree_options_set`, `scree_options_resolve` and "
        "`scree_option_format` give\nyour own program the same flags and texts.\n",
        to);
}

/* ---- man ---- */

static void man_text(const char *text, FILE *to) {
  for (; *text; text++)
    if (*text == '-' || *text == '\\')
      fputs(*text == '-' ? "\\-" : "\\e", to);
    else
      fputc(*text, to);
  fputc('\n', to);
}

static void man_option(size_t i, FILE *to) {
  const scree_option *o = scree_option_at(i);
  char variable[64], def[32], range[64], line[LINE_MAX_BYTES];
  variable_text(o, variable, sizeof variable);
  scree__option_format_default(o, def, sizeof def);
  range_text(o, range, sizeof range);
  snprintf(line, sizeof line, "--%s, %s", o->name, variable);
  fputs(".TP\n.B ", to);
  man_text(line, to);
  snprintf(line, sizeof line, "(%s; %s; default %s) %s.", kinds[o->kind], range, def, o->help);
  man_text(line, to);
}

static void write_man(FILE *to) {
  fputs(".\\\" Generated by build/test/doc_options --write from include/scree/options.h; edit that file.\n"
        ".TH SCREE-OPTIONS 7 \"\" scree \"scree manual\"\n.SH NAME\nscree\\-options \\- options of a scree world\n"
        ".SH DESCRIPTION\n",
        to);
  for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
    if (i) fputs(".PP\n", to);
    man_text(before[i], to);
  }
  fputs(".PP\nThe field of scree_options is the flag's name with an underscore for each dash.\n.SH OPTIONS\n", to);
  for (size_t i = 0; i < scree_option_count(); i++) man_option(i, to);
  fputs(".SH NOTES\n", to);
  for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
    if (i) fputs(".PP\n", to);
    man_text(after[i], to);
  }
  fputs(".SH SEE ALSO\n.BR scree (1),\n.BR scree (3)\n", to);
}

/* ---- the pages ---- */

static const struct {
  const char *file;
  void (*write)(FILE *to);
} pages[] = {{"docs/options.md", write_markdown}, {"docs/man/scree-options.7", write_man}};

static FILE *made(size_t page) {
  FILE *file = tmpfile();
  assert_non_null(file);
  pages[page].write(file);
  rewind(file);
  return file;
}

/* Lines are compared one by one, so that a failure shows the first that differs. */
static void compare(FILE *committed, FILE *fresh, const char *name) {
  char a[LINE_MAX_BYTES], b[LINE_MAX_BYTES];
  for (int line = 1;; line++) {
    const char *x = fgets(a, sizeof a, committed), *y = fgets(b, sizeof b, fresh);
    if (!x && !y) return;
    if (x && y && strcmp(a, b) == 0) continue;
    check_text(false, "%s:%d is old: it says \"%s\", the table \"%s\"; build/test/doc_options --write makes it anew",
               name, line, x ? a : "", y ? b : "");
    return;
  }
}

HARNESS_TEST(pages_are_those_of_the_table) {
  for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
    FILE *committed = fopen(pages[i].file, "r"), *fresh = made(i);
    check_text(committed != NULL, "%s is not there: run this in the root of the checkout", pages[i].file);
    if (committed) compare(committed, fresh, pages[i].file);
    if (committed) fclose(committed);
    fclose(fresh);
  }
}

static int write_pages(void) {
  for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
    FILE *to = fopen(pages[i].file, "w");
    if (to) pages[i].write(to);
    if (!to || fclose(to) != 0) return perror(pages[i].file), 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pages_are_those_of_the_table)};
  if (argc == 2 && strcmp(argv[1], "--write") == 0) return write_pages();
  return harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
