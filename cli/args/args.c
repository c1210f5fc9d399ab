/* args.c - reading the command line: words to options. */
#include "args/args.h"

#include <scree/generate.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/nearest.h"
#include "base/option_table.h"
#include "base/options.h"

bool cli_fail(cli_args *args, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(args->why, sizeof args->why, format, list);
  va_end(list);
  return false;
}

/* An option of one of three tables: the command line's own, the kernel's, a world's. */
typedef struct {
  const scree_option *row;
  const char *value;                 /* its placeholder in help; NULL: a flag */
  size_t index;                      /* in its table */
  const cli_option *own;             /* or NULL */
  const scree_kernel_option *kernel; /* or NULL */
} found;

/* False: no table has it. */
static bool find(const cli_subcommand *c, const char *name, size_t n, found *f) {
  const cli_option *o;
  const scree_kernel_option *k;
  const scree_option *w;
  for (size_t i = 0; (o = cli_option_at(i)); i++)
    if ((o->of & c->bit) && scree__option_is(&o->row, name, n))
      return *f = (found){&o->row, cli_placeholder(o), i, o, NULL}, true;
  for (size_t i = 0; (k = cli_kernel_option_at(c->kernel, i)) && i < CLI_KERNEL; i++)
    if (scree__option_is(&k->row, name, n)) return *f = (found){&k->row, k->value, i, NULL, k}, true;
  for (size_t i = 0; cli_opens_world(c) && (w = scree_option_at(i)); i++)
    if (scree__option_is(w, name, n)) return *f = (found){w, scree__option_placeholder(w), i, NULL, NULL}, true;
  return false;
}

bool cli_has_option(const cli_subcommand *command, const char *name, bool *flag) {
  found f;
  if (!find(command, name, strlen(name), &f) || !(f.own || f.kernel)) return false;
  return *flag = !f.value, true;
}

/* The struct of its field. */
static void *fields_of(cli_args *args, const found *f) {
  static uint64_t unstored; /* also has a bool or a pointer */
  if (f->kernel) return args->how;
  if (!f->own) return &args->options;
  return f->row->offset || f->row->read || f->own->fields ? (char *)args + f->own->fields : (char *)&unstored;
}

/* Returns the place for the origin of its value. */
static cli_origin *origin_of(cli_args *args, const found *f) {
  return f->own ? &args->at.own[f->index] : f->kernel ? &args->at.kernel[f->index] : &args->at.world[f->index];
}

/* `value` is NULL if there is none. */
static bool set(cli_args *args, const found *f, const char *value) {
  const char *name = f->row->name;
  if (f->value && !value) return cli_fail(args, "option '--%s' needs a value: --%s %s", name, name, f->value);
  if (!f->value && value) return cli_fail(args, "option '--%s' takes no value, but '%s' was given", name, value);
  *origin_of(args, f) = args->at.reading;
  const cli_named_file path = {value, name, f->own ? f->own->access : CLI_NO_FILE, args->at.reading};
  if (path.access && !cli_add_file(args, &path)) return false;
  if (scree__option_parse(f->row, fields_of(args, f), value, "", args->why, sizeof args->why)) return false;
  args->at.row = f->row;
  return !f->own || !f->own->set || f->own->set(args, value);
}

/* The option of the subcommand that may have been meant. */
static const char *nearest(const cli_args *args, const char *name) {
  const char *names[1 + CLI_OWN + CLI_KERNEL + CLI_WORLD] = {"help"};
  size_t count = 1 + cli_option_names(args->command, names + 1);
  for (size_t i = 0; i < scree_option_count() && cli_opens_world(args->command); i++)
    names[count++] = scree_option_at(i)->name;
  return scree__nearest(name, names, count);
}

bool cli_is_of_world(const char *name) {
  for (size_t i = 0; i < scree_option_count(); i++)
    if (scree__option_is(scree_option_at(i), name, strlen(name))) return true;
  return false;
}

/* The other subcommands that have an option of exactly that name: "sssp, bfs"; "" if there are none. */
static void name_owners(const cli_args *args, const char *name, char *text, size_t size) {
  bool flag;
  text[0] = 0;
  for (size_t i = 0; cli_subcommand_at(i); i++) {
    const cli_subcommand *c = cli_subcommand_at(i);
    if (c != args->command && (cli_has_option(c, name, &flag) || (cli_opens_world(c) && cli_is_of_world(name))))
      scree__names_add(text, size, c->name);
  }
}

static bool fail_unknown_option(cli_args *args, const char *dashes, const char *name) {
  const char *command = args->command->name, *near = nearest(args, name);
  char owners[256], hint[300] = "";
  name_owners(args, name, owners, sizeof owners);
  if (*owners)
    snprintf(hint, sizeof hint, "it belongs to %s", owners);
  else if (!scree__option_hint(name, hint, sizeof hint) && near)
    snprintf(hint, sizeof hint, "the nearest is '%s%s'", dashes, near);
  return cli_fail(args, "option '%s%s' is unknown to %s; %s%s'scree %s --help all' lists all options", dashes, name,
                  command, hint, *hint ? "; " : "", command);
}

/* Is it a flag of every kernel that has it? */
static bool is_flag(const char *name, size_t n) {
  char text[64];
  bool any = false, flag;
  snprintf(text, sizeof text, "%.*s", (int)n, name);
  for (size_t i = 0; cli_subcommand_at(i); i++) {
    if (!cli_subcommand_at(i)->kernel || !cli_has_option(cli_subcommand_at(i), text, &flag)) continue;
    if (!flag) return false;
    any = true;
  }
  return any;
}

/* Does the word say where a flag is set: on, off, or both? */
static bool is_switch(const char *word) {
  return strncmp(word, "on", 2) == 0 ? !word[2] || word[2] == ',' || word[2] == ' '
                                     : strncmp(word, "off", 3) == 0 && (!word[3] || word[3] == ',' || word[3] == ' ');
}

/* An option that sweep and tune do not know: an axis. */
static bool add_axis(cli_args *args, const char *name, size_t n, const char *value) {
  char *axis = NULL;
  if (!value)
    return cli_fail(
        args, "option '--%.*s' needs values: --%.*s V1,V2,...; 'scree %s --help' lists the options without values",
        (int)n, name, (int)n, name, args->command->name);
  if (asprintf(&axis, "%.*s=%s", (int)n, name, value) < 0)
    return cli_fail(args, "no memory for an axis; free memory on this host");
  return cli_add_axis(args, axis);
}

/* Reads argv[*at], which begins with "--", and the value after it. */
static bool read_option(int argc, char **argv, int *at, cli_args *args) {
  const char *name = argv[*at] + 2;
  size_t n = strcspn(name, "=");
  const char *value = name[n] ? name + n + 1 : NULL;
  found f = {0};
  const bool known = find(args->command, name, n, &f);
  if (!known && !(args->command->bit & CLI_LAUNCHERS)) {
    char only[64];
    snprintf(only, sizeof only, "%.*s", (int)n, name);
    return fail_unknown_option(args, "--", only);
  }
  const bool flag = !known && is_flag(name, n), more = *at + 1 < argc;
  const bool takes_one = known ? f.value != NULL : !flag || (more && is_switch(argv[*at + 1]));
  if (!value && takes_one && more) value = argv[++*at];
  if (!value && flag) value = "on";
  return known ? set(args, &f, value) : add_axis(args, name, n, value);
}

/* True if it was set in the file that is being read. */
static bool is_twice(cli_args *args, const found *f) {
  const cli_origin *at = origin_of(args, f);
  if (!at->file || at->file != args->at.reading.file) return false;
  cli_fail(args, "option '%s' is already given in line %zu; remove one of the two", f->row->name, at->line);
  return true;
}

bool cli_set_from_file(cli_args *args, const char *name, const char *value) {
  found f;
  if (!find(args->command, name, strlen(name), &f)) return fail_unknown_option(args, "", name);
  if (f.own && f.own->set == cli_read_options_file)
    return cli_fail(args, "option '%s': an options file cannot include another; give both on the command line", name);
  if (is_twice(args, &f)) return false;
  if (f.value) return set(args, &f, value);
  if (strcmp(value, "off") == 0) return true; /* as a flag that is not given */
  if (strcmp(value, "on") == 0) return set(args, &f, NULL);
  return scree__option_parse(f.row, fields_of(args, &f), value, "", args->why, sizeof args->why) == 0;
}

/* A generator is no file. */
static bool add_operand(cli_args *args, const char *word, cli_access access) {
  if (!args->command->reads || (access == CLI_READS && scree_generator_is_named(word))) return true;
  return cli_add_file(args, &(cli_named_file){.path = word, .access = access});
}

static bool take_operand(cli_args *args, const char *word) {
  study_request *study = &args->study;
  if (args->command->words) {
    if (study->operand_count == STUDY_WORDS) return cli_fail(args, "more than %d files: '%s'", STUDY_WORDS, word);
    study->operands[study->operand_count++] = word;
    return add_operand(args, word, CLI_READS);
  }
  if (!args->graph && args->command->operands >= 1) return args->graph = word, add_operand(args, word, CLI_READS);
  if (!args->target && args->command->operands >= 2) return args->target = word, add_operand(args, word, CLI_WRITES);
  if (args->command->operands == 1)
    return cli_fail(args, "only one graph is accepted: '%s' follows '%s'", word, args->graph);
  return cli_fail(args, "unexpected argument '%s'; 'scree %s --help' lists what is expected", word,
                  args->command->name);
}

static bool is_help(const char *word) {
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* argv[at] is the last word that names the subject. */
static cli_action help(int argc, char **argv, int at, cli_args *args) {
  if (at + 1 < argc && argv[at + 1][0] != '-' && strcmp(argv[at + 1], "all") != 0)
    return cli_fail(args, "'%s' follows --help; legal: all", argv[at + 1]), CLI_BAD;
  args->help_all = at + 1 < argc && strcmp(argv[at + 1], "all") == 0;
  return CLI_HELP;
}

static cli_action read_words(int argc, char **argv, cli_args *args) {
  bool options = true; /* no "--" so far: after it all words are operands */
  for (int i = 2; i < argc; i++) {
    bool ok = true;
    if (options && strcmp(argv[i], "--") == 0)
      options = false;
    else if (!options)
      ok = take_operand(args, argv[i]);
    else if (is_help(argv[i]))
      return help(argc, argv, i, args);
    else if (strncmp(argv[i], "--", 2) == 0)
      ok = read_option(argc, argv, &i, args);
    else if (argv[i][0] == '-' && argv[i][1])
      ok = cli_fail(
          args,
          "unknown option '%s'; options begin with two dashes, except -h for --help; a file of that name follows --",
          argv[i]);
    else
      ok = take_operand(args, argv[i]);
    if (!ok) return CLI_BAD;
  }
  return cli_check(args) ? CLI_RUN : CLI_BAD;
}

/* The subcommand that may have been meant, or NULL: by its spelling, or by the name that others give the problem. */
static const char *nearest_subcommand(const char *command) {
  static const char *const others[][2] = {{"betweenness", "bc"},     {"components", "cc"},      {"connected", "cc"},
                                          {"shortest-path", "path"}, {"dijkstra", "sssp"},      {"triangles", "tc"},
                                          {"clustering", "tc"},      {"k-core", "kcore"},       {"cores", "kcore"},
                                          {"page-rank", "pagerank"}, {"independent-set", "mis"}};
  enum { MOST = 64 };
  const char *names[MOST];
  size_t count = 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(others[i][0], command) == 0) return others[i][1];
  for (; cli_subcommand_at(count) && count < MOST; count++) names[count] = cli_subcommand_at(count)->name;
  return scree__nearest(command, names, count);
}

/* Names the known ones. */
static void fail_unknown(cli_args *args, const char *command) {
  char known[512] = "";
  for (size_t i = 0; cli_subcommand_at(i); i++) scree__names_add(known, sizeof known, cli_subcommand_at(i)->name);
  const char *help = "'scree --help' describes them", *near = nearest_subcommand(command);
  if (*command)
    cli_fail(args, "unknown subcommand '%s'; %s%s%sknown are: %s; %s", command, near ? "the nearest is '" : "",
             near ? near : "", near ? "'; " : "", known, help);
  else
    cli_fail(args, "no subcommand given; known are: %s; %s", known, help);
}

cli_action cli_parse(int argc, char **argv, cli_args *args) {
  *args = (cli_args){.began = scree__seconds(),
                     .words = argv,
                     .word_count = argc,
                     .source = {.random = true, .seed = 1, .count = 1, .label = SCREE_UNSET, .target = SCREE_UNSET},
                     .runs = {.repeat = 1},
                     .ranks = SCREE_UNSET};
  args->options = (scree_options)SCREE_OPTIONS_INIT; /* above, gcc 11 warns of fields without an initializer */
  const char *command = argc > 1 ? argv[1] : "";
  const bool about = strcmp(command, "help") == 0 || is_help(command);
  if (about && (argc == 2 || strcmp(argv[2], "all") == 0 || (is_help(command) && argv[2][0] == '-')))
    return help(argc, argv, 1, args);
  if (strcmp(command, "--version") == 0 || strcmp(command, "-V") == 0) return CLI_VERSION;
  if (about) command = argv[2];
  if (scree_kernel_find(command)) command = scree_kernel_find(command)->name; /* which has an alias */
  for (size_t i = 0; cli_subcommand_at(i); i++)
    if (strcmp(cli_subcommand_at(i)->name, command) == 0) args->command = cli_subcommand_at(i);
  if (!args->command) {
    fail_unknown(args, command);
    return CLI_BAD;
  }
  args->kernel = args->command->kernel;
  if (about) return help(argc, argv, 2, args);
  args->graph500.scale = args->graph500.edge_factor = 16;
  args->bench.rounds = 7;
  if (args->command->bit == CLI_GRAPH500) args->source.count = 64;
  return cli_init_kernel_options(args) ? read_words(argc, argv, args) : CLI_BAD;
}
