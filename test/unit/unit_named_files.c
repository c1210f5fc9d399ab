/* unit_named_files.c - files of a command line: for each subcommand, each option that writes a file, against all that
 * it reads and all others that it writes, under each name that leads to one file.
 *
 * The pairs come from the tables of subcommands and options, so that a new row is tested too. */
#include <sys/stat.h>
#include <unistd.h>

#include "args/args.h"
#include "harness.h"

enum { WORDS = 24, NAMES = 4 };

static const char *const names[NAMES] = {"file.txt", "./file.txt", "symbolic.txt", "hard.txt"};

static char folder[64];

static int enter(void **unused) {
  snprintf(folder, sizeof folder, "/tmp/unit_named_files.XXXXXX");
  return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave(void **unused) {
  static const char *const all[] = {"file.txt", "symbolic.txt", "hard.txt", "graph.txt", "fifo"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) unlink(all[i]);
  return chdir("/") || rmdir(folder);
}

static void put(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  if (!check(file != NULL)) return;
  fputs(text, file);
  fclose(file);
}

/* The text of a file that an option reads when it is set. */
static const char *text_of(const cli_option *option) {
  return option && option->set == cli_read_options_file ? "# nothing\n" : "1\n";
}

typedef struct {
  const char *word[WORDS];
  int count;
} words;

static void add(words *w, const char *word) {
  if (check(w->count < WORDS)) w->word[w->count++] = word;
}

static void add_option(words *w, const cli_option *option, const char *file, char text[64]) {
  snprintf(text, 64, "--%s", option->row.name);
  add(w, text);
  add(w, file);
}

/* A command line that lacks only files: `graph` is its graph, or the first file that its operands name. */
static words begin(const cli_subcommand *c, const char *graph, const char *target) {
  words w = {.count = 0};
  add(&w, "scree");
  add(&w, c->name);
  if (c->reads) add(&w, c->bit == CLI_GENERATE ? "path:4" : graph);
  if (c->operands == 2) add(&w, target);
  if (c->bit == CLI_BENCH) add(&w, "epoch");
  for (int i = 0; i < 2 && c->bit == CLI_PATH; i++) add(&w, i ? "--target" : "--source"), add(&w, "1");
  return w;
}

static cli_action parse(const words *w, char *why, size_t size) {
  static cli_args args;
  char copy[WORDS][64], *argv[WORDS + 1] = {NULL};
  for (int i = 0; i < w->count; i++) argv[i] = strncpy(copy[i], w->word[i], sizeof copy[i] - 1);
  for (int i = 0; i < w->count; i++) copy[i][sizeof copy[i] - 1] = 0;
  const cli_action action = cli_parse(w->count, argv, &args);
  snprintf(why, size, "%s", action == CLI_BAD ? args.why : "");
  cli_args_free(&args);
  return action;
}

static void check_refused(const words *w, const char *part) {
  char why[1024];
  check_equal(parse(w, why, sizeof why), CLI_BAD);
  check_contains(why, part);
}

static void check_accepted(const words *w) {
  char why[1024];
  const cli_action action = parse(w, why, sizeof why);
  check_text(action == CLI_RUN, "scree %s: %s", w->word[1], why);
}

/* The file exists if `text` is not NULL; then it has four names, else two: a symbolic link leads to nothing yet. */
static int make_names(const char *text) {
  for (int i = 0; i < NAMES; i++) unlink(names[i]);
  if (text) put(names[0], text);
  check_equal(symlink(names[0], names[2]), 0);
  if (text) check_equal(link(names[0], names[3]), 0);
  return text ? NAMES : NAMES - 1;
}

static void check_operands(const cli_subcommand *c, const cli_option *written) {
  char option[64];
  const int count = make_names("1 2\n");
  for (int i = 0; i < count && c->reads && c->bit != CLI_GENERATE; i++) {
    words w = begin(c, names[i], "other.txt");
    add_option(&w, written, names[(i + 1) % count], option);
    check_refused(&w, "is the file that ");
  }
  for (int exists = 0; exists < 2; exists++) {
    const int of_target = make_names(exists ? "1 2\n" : NULL);
    for (int i = 0; i < of_target && c->operands == 2; i++) {
      words w = begin(c, "graph.txt", names[i]);
      add_option(&w, written, names[(i + 1) % of_target], option);
      check_refused(&w, "is written twice, by the operand FILE and by option --");
    }
  }
}

static void check_pair(const cli_subcommand *c, const cli_option *written, const cli_option *other) {
  char options[2][64];
  for (int exists = other->access == CLI_READS; exists < 2; exists++) {
    const int count = make_names(exists ? text_of(other) : NULL);
    for (int i = 0; i < count; i++) {
      words w = begin(c, "graph.txt", "other.txt");
      add_option(&w, written, names[i], options[0]);
      add_option(&w, other, names[(i + 1) % count], options[1]);
      check_refused(&w, other->access == CLI_READS ? "is the file that option --" : "is written twice, by option --");
    }
  }
}

/* One name for all of them. */
static void check_legal(const cli_subcommand *c, const cli_option *written, const cli_option *other) {
  char options[2][64];
  make_names(text_of(other));
  words w = begin(c, "graph.txt", "other.txt");
  add_option(&w, written, "new.txt", options[0]);
  if (other != written) add_option(&w, other, names[0], options[1]);
  check_accepted(&w);
}

/* Options of a subcommand that name files, which it has once each. */
static const cli_option *file_option(const cli_subcommand *c, size_t i) {
  const cli_option *o = cli_option_at(i);
  return (o->of & c->bit) && o->access ? o : NULL;
}

static void what_is_written_is_no_other_file(void **no_state) {
  put("graph.txt", "1 2\n");
  for (size_t k = 0; cli_subcommand_at(k); k++) {
    const cli_subcommand *c = cli_subcommand_at(k);
    for (size_t i = 0; cli_option_at(i); i++) {
      const cli_option *written = file_option(c, i);
      if (!written || written->access != CLI_WRITES) continue;
      check_operands(c, written);
      check_legal(c, written, written);
      for (size_t j = 0; cli_option_at(j); j++) {
        const cli_option *other = j == i ? NULL : file_option(c, j);
        if (!other || (other->access == CLI_WRITES && j < i)) continue;
        check_pair(c, written, other);
        check_legal(c, written, other);
      }
    }
  }
}

HARNESS_TEST(each_option_of_a_file_says_what_is_done_with_it) {
  for (size_t i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    const bool file = strcmp(o->row.choices, "FILE") == 0 || strcmp(o->row.choices, "DIR") == 0;
    check_text(file == (o->access != CLI_NO_FILE), "option --%s", o->row.name);
  }
}

static void check_bfs(const char *graph, const char *output, const char *json, const char *part) {
  const words w = {{"scree", "bfs", graph, "--directed", "--output", output, "--json", json}, 8};
  if (part)
    check_refused(&w, part);
  else
    check_accepted(&w);
}

static void pipes_and_devices_may_be_named_twice(void **no_state) {
  check_equal(mkfifo("fifo", 0600), 0);
  check_bfs("graph.txt", "/dev/null", "/dev/null", NULL);
  check_bfs("graph.txt", "fifo", "./fifo", NULL);
  check_bfs("fifo", "fifo", "other.json", NULL);
  check_bfs("kron:4", "kron:4", "other.json", NULL);
  check_bfs("./kron:4", "kron:4", "other.json", "the graph is read from as './kron:4'");
}

static void the_last_value_of_an_option_counts(void **no_state) {
  const words last = {{"scree", "bfs", "graph.txt", "--output", "graph.txt", "--output", "other.txt"}, 7};
  const words first = {{"scree", "bfs", "graph.txt", "--output", "other.txt", "--output", "graph.txt"}, 7};
  check_accepted(&last);
  check_refused(&first, "is the file that the graph is read from");
}

static void a_path_that_cannot_be_created_is_left_to_its_writer(void **no_state) {
  check_bfs("graph.txt", "nowhere/x", "nowhere/x", NULL);
  check_bfs("graph.txt", "folder/", "folder/", NULL);
  check_equal(symlink("circle", "circle"), 0);
  check_bfs("graph.txt", "circle", "circle", NULL);
  unlink("circle");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(what_is_written_is_no_other_file, enter, leave),
    cmocka_unit_test_setup_teardown(pipes_and_devices_may_be_named_twice, enter, leave),
    cmocka_unit_test_setup_teardown(the_last_value_of_an_option_counts, enter, leave),
    cmocka_unit_test_setup_teardown(a_path_that_cannot_be_created_is_left_to_its_writer, enter, leave),
};
HARNESS_MAIN_OF(tests)
