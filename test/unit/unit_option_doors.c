/* unit_option_doors.c - each row of each table of options, with legal, border and illegal values through each door: the
 * functions of C, the environment, the command line and a file of options. All doors accept the same values, store the
 * same one, and refuse the others with the same text.
 *
 * The values come from the rows, so that a new row is tested too. */
#include <scree/global/heap.h>
#include <scree/graph/files.h>
#include <scree/task.h>
#include <stdarg.h>
#include <unistd.h>

#include "args/args.h"
#include "base/option_table.h"
#include "harness.h"

enum { TEXTS = 32, BYTES = 48 };

/* A row, and where its value is in a command line that has been read. */
typedef struct {
  const scree_option *row;
  const cli_subcommand *command;
  const cli_option *own;      /* of the command line's table; or NULL */
  const scree_kernel *kernel; /* of a kernel's; or NULL */
  bool world;                 /* of a world's */
  const scree__sized *type;   /* of tasks' or of global memory's, whose doors are its struct and the environment */
} place;

static cli_args args;
static char file[64];

/* ---- values ---- */

typedef enum { ILLEGAL, LEGAL, UNKNOWN } verdict; /* what the row says of a value */
typedef struct {
  char text[TEXTS][BYTES];
  verdict legal[TEXTS];
  size_t count;
} values;

static __attribute__((format(printf, 3, 4))) void add(values *v, verdict legal, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (check(v->count < TEXTS)) vsnprintf(v->text[v->count], BYTES, format, list), v->legal[v->count++] = legal;
  va_end(list);
}

static void add_number(values *v, verdict legal, const scree_option *row, uint64_t value) {
  const bool has_word = value == 0 && row->choices[0];
  add(v, has_word ? LEGAL : legal, "%llu%s", (unsigned long long)value, row->kind == SCREE_KIND_TIME ? "ns" : "");
}

static void values_of(const scree_option *row, values *v) {
  static const char *const junk[] = {"zebra", "-1",  "+1",  "1x",  "0x1",
                                     "nan",   "inf", "1.5", "1e3", "99999999999999999999999"};
  static const char *const forms[] = {"1,2", "1,1",      "tab",  "//", "1..2", "float,3",
                                      "7",   "random:7", "auto", "0",  "level"};
  v->count = 0;
  add(v, UNKNOWN, "%s", "");
  for (size_t i = 0; row->kind == SCREE_KIND_FORM && i < sizeof forms / sizeof *forms; i++)
    add(v, UNKNOWN, "%s", forms[i]);
  for (size_t i = 0; row->kind < SCREE_KIND_FLAG && i < sizeof junk / sizeof *junk; i++)
    add(v, i > 6 && row->kind == SCREE_KIND_REAL ? UNKNOWN : ILLEGAL, "%s", junk[i]);
  const char *words = row->kind < SCREE_KIND_FLAG ? row->choices : "";
  for (size_t n; *words; words += n, words += *words == '|')
    add(v, LEGAL, "%.*s", (int)(n = strcspn(words, "|")), words);
  if (row->kind == SCREE_KIND_REAL) {
    add(v, row->exclusive ? ILLEGAL : LEGAL, "%.17g", row->real_min);
    add(v, row->exclusive ? ILLEGAL : LEGAL, "%.17g", row->real_max);
  }
  if (row->kind == SCREE_KIND_FLAG) add(v, ILLEGAL, "maybe");
  if (row->kind > SCREE_KIND_TIME) return;
  add_number(v, LEGAL, row, row->min);
  add_number(v, LEGAL, row, row->max);
  if (row->min) add_number(v, ILLEGAL, row, row->min - 1);
  add_number(v, ILLEGAL, row, row->max + 1);
}

/* ---- doors ---- */

/* Returns whether the functions for programs take the value; `field` gets what they store, as text. */
static bool by_function(const place *p, const char *text, char *why, size_t size, char *field) {
  static union {
    scree_options world;
    scree_graph_options graph;
    cli_args args;
    uint64_t kernel[64];
  } fields;
  memset(&fields, 0, sizeof fields);
  fields.world = p->world ? (scree_options)SCREE_OPTIONS_INIT : fields.world;
  if (p->kernel) scree_kernel_options_init(p->kernel, fields.kernel);
  const char *name = p->row->name;
  int code;
  if (p->world)
    code = scree_options_set(&fields.world, name, text, why, size);
  else if (p->kernel)
    code = scree_kernel_options_set(p->kernel, fields.kernel, name, text, why, size);
  else if (p->own && p->own->graph && strcmp(p->own->graph, name) == 0 && p->own->fields)
    code = scree_graph_options_set(&fields.graph, name, text, why, size);
  else
    code = scree__option_parse(p->row, &fields, text, "", why, size);
  scree__option_format(p->row, &fields, field, BYTES);
  return code == 0;
}

static void by_environment(const place *p, const char *text, bool legal, const char *why, const char *field) {
  char variable[SCREE__VARIABLE_BYTES], expected[512], told[512] = "", found[BYTES];
  uint64_t feature[64];
  scree_options options = SCREE_OPTIONS_INIT;
  memset(feature, 0xff, sizeof feature); /* all unset */
  scree__option_variable(p->row->name, variable, sizeof variable);
  const char *rest = strstr(why, "' is "); /* after the value */
  if (!legal) snprintf(expected, sizeof expected, "%.*s' (from %s)%s", (int)(rest - why), why, variable, rest + 1);
  setenv(variable, text, 1);
  const int code = p->type ? scree__options_read(p->row, 1, p->type, feature, NULL, told, sizeof told)
                           : scree_options_resolve(&options, NULL, told, sizeof told);
  check_equal(code, legal || !*text ? 0 : -1);
  unsetenv(variable);
  if (!*text) return; /* as if it were not set */
  if (!legal) check_string(told, expected);
  scree__option_format(p->row, p->type ? (void *)feature : (void *)&options, found, sizeof found);
  if (legal) check_string(found, field);
}

static void by_command(const place *p, const char *text, bool in_file, bool legal, const char *why, const char *field) {
  char *words[8] = {(char *)"scree", (char *)p->command->name}, option[64], found[BYTES] = "";
  int count = 2;
  if (p->command->operands) words[count++] = (char *)"path:2";
  if (p->command->operands > 1) words[count++] = (char *)"/dev/null";
  snprintf(option, sizeof option, "--%s", p->row->name);
  words[count++] = in_file ? (char *)"--options" : option;
  words[count++] = in_file ? file : (char *)text;
  if (in_file) unlink(file); /* a file that is cut to nothing and closed goes to the disk at once */
  FILE *to = in_file ? fopen(file, "w") : NULL;
  if (in_file && check(to != NULL)) fprintf(to, "%s = %s\n", p->row->name, text), fclose(to);
  const cli_action action = cli_parse(count, words, &args);
  const size_t origin = in_file ? strlen(file) + strlen(":1: ") : 0;
  char refused[BYTES + 64];
  snprintf(refused, sizeof refused, "option '%s': '%s'", p->row->name, text);
  if (!legal)
    check_string(args.why[0] ? args.why + origin : "accepted", why);
  else
    check_text(action == CLI_RUN || strncmp(args.why + origin, refused, strlen(refused)), "%s", args.why);
  const void *fields = p->world ? (void *)&args.options : p->kernel ? (void *)args.how : (char *)&args + p->own->fields;
  const bool stored = !p->own || p->row->offset || p->own->fields;
  if (legal && stored) scree__option_format(p->row, fields, found, sizeof found), check_string(found, field);
  cli_args_free(&args);
}

static void open_doors(const place *p) {
  char why[512], field[BYTES];
  values v;
  values_of(p->row, &v);
  const bool files = !p->type && cli_opens_world(p->command) && strcmp(p->row->name, "options");
  const bool flag = p->row->kind == SCREE_KIND_FLAG;
  for (size_t i = 0; i < v.count; i++) {
    const bool legal = by_function(p, v.text[i], why, sizeof why, field);
    if (v.legal[i] != UNKNOWN) check_text(legal == (v.legal[i] == LEGAL), "option %s: '%s'", p->row->name, v.text[i]);
    if (p->world || p->type) by_environment(p, v.text[i], legal, why, field);
    if (!flag && !p->type) by_command(p, v.text[i], false, legal, why, field);
    if (files && *v.text[i]) by_command(p, v.text[i], true, legal, why, field);
  }
}

/* ---- tables ---- */

/* A subcommand that has it: one that reads options files, if there is one. */
static const cli_subcommand *command_of(const cli_option *o) {
  const cli_subcommand *found = NULL, *c;
  for (size_t i = 0; (c = cli_subcommand_at(i)); i++)
    if ((c->bit & o->of) && (!found || (cli_opens_world(c) && !cli_opens_world(found)))) found = c;
  return found;
}

static void rows_of_commands_and_kernels(void **no_state) {
  const cli_option *o;
  const cli_subcommand *c;
  const scree_kernel_option *k;
  size_t count = 0;
  for (size_t i = 0; (o = cli_option_at(i)); i++, count++)
    open_doors(&(place){.row = &o->row, .command = command_of(o), .own = o});
  for (size_t i = 0; (c = cli_subcommand_at(i)); i++)
    for (size_t j = 0; (k = cli_kernel_option_at(c->kernel, j)); j++, count++)
      open_doors(&(place){.row = &k->row, .command = c, .kernel = c->kernel});
  check(count > 100);
}

static void rows_of_worlds(void **no_state) {
  for (size_t i = 0; scree_option_at(i); i++)
    open_doors(&(place){.row = scree_option_at(i), .command = cli_subcommand_at(0), .world = true});
}

static void rows_of_features(void **no_state) {
#define OF_TASKS(...)  SCREE__OPTION_OF(scree_tasks_options, __VA_ARGS__),
#define OF_GLOBAL(...) SCREE__OPTION_OF(scree_global_options, __VA_ARGS__),
  static const scree_option rows[] = {SCREE_TASKS_OPTIONS(OF_TASKS) SCREE_GLOBAL_OPTIONS(OF_GLOBAL)};
  static const scree__sized type = {"scree_tasks_options", "SCREE_TASKS_OPTIONS_INIT", sizeof(scree_tasks_options)};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    open_doors(&(place){.row = &rows[i], .command = cli_subcommand_at(0), .type = &type});
}

/* A time without a unit is in seconds, and may have a fraction. */
static void budgets(void **no_state) {
  static const char *const rows[][2] = {{"90", "90"},    {"90s", "90"},    {"1.5m", "90"}, {"2h", "7200"},
                                        {"1e3", "1000"}, {"24h", "86400"}, {".5m", NULL},  {"0.5s", NULL},
                                        {"25h", NULL},   {"1000ms", NULL}, {"1 m", NULL},  {"-9", NULL},
                                        {"nan", NULL},   {"9sm", NULL}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *words[] = {(char *)"scree", (char *)"tune", (char *)"--budget", (char *)rows[i][0]}, passed[32] = "";
    const cli_action action = cli_parse(4, words, &args);
    if (rows[i][1]) snprintf(passed, sizeof passed, "--budget=%s", rows[i][1]);
    check_text(action == (rows[i][1] ? CLI_RUN : CLI_BAD), "%s", rows[i][0]);
    if (action == CLI_RUN) check_string(args.study.words[0], passed);
    cli_args_free(&args);
  }
}

static int enter(void **unused) {
  snprintf(file, sizeof file, "/tmp/unit_option_doors.XXXXXX");
  const int to = mkstemp(file);
  return to < 0 || close(to);
}

static int leave(void **unused) {
  return unlink(file);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(rows_of_commands_and_kernels, enter, leave),
    cmocka_unit_test_setup_teardown(rows_of_worlds, enter, leave),
    cmocka_unit_test(rows_of_features),
    cmocka_unit_test(budgets),
};
HARNESS_MAIN_OF(tests)
