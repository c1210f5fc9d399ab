/* package.c - sweep, report and tune: finds the Python package that they are, and executes it. */
#include "package/package.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Words of the command to execute; those of a request are few, and bounded. */
enum { WORDS = 4 * STUDY_WORDS + 64 };
typedef struct {
  char *word[WORDS + 1];
  size_t count;
  bool lost; /* one is missing for lack of memory */
} words;

static __attribute__((format(printf, 2, 3))) void add(words *w, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (w->count == WORDS || vasprintf(&w->word[w->count], format, list) < 0)
    w->lost = true;
  else
    w->count++;
  va_end(list);
}

static void add_text(words *w, const char *option, const char *value) {
  if (value) add(w, "--%s=%s", option, value);
}

static void add_flag(words *w, const char *option, bool given) {
  if (given) add(w, "--%s", option);
}

/* Axes and statements as NAME=VALUES of --axis, the words that are not options after "--". */
static void add_request(words *w, const study_request *r) {
  for (size_t i = 0; i < r->axis_count; i++) add_text(w, "axis", r->axes[i]);
  for (size_t i = 0; i < r->set_count; i++) add_text(w, "set", r->set[i]);
  add_text(w, "results", r->results);
  add_text(w, "write", r->best_file);
  add_flag(w, "resume", r->resume);
  add_flag(w, "mix", r->mix);
  add_flag(w, "dry-run", r->dry_run);
  add_flag(w, "quiet", r->quiet);
  if (r->budget > 0) add(w, "--budget=%.17g", r->budget);
  add(w, "--");
  for (size_t i = 0; i < r->operand_count; i++) add(w, "%s", r->operands[i]);
}

/* The folder of this program. */
static bool find_own(char *path, size_t size) {
  const ssize_t n = readlink("/proc/self/exe", path, size - 1);
  if (n <= 0) return false;
  path[n] = 0;
  return true;
}

bool package_find(const char *part, char path[PATH_MAX]) {
  static const char *const places[] = {"python", "../python", "../" SCREE_DATADIR "/scree/python"};
  char program[PATH_MAX];
  if (!find_own(program, sizeof program)) return false;
  const int n = (int)(strrchr(program, '/') - program);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const int length = snprintf(path, PATH_MAX, "%.*s/%s/scree/study/%s", n, program, places[i], part);
    if (length < PATH_MAX && access(path, R_OK) == 0) return true;
  }
  return snprintf(path, PATH_MAX, "%s/scree/study/%s", SCREE_PACKAGE, part) < PATH_MAX && access(path, R_OK) == 0;
}

int cli_package(const cli_args *args) {
  char program[PATH_MAX], package[PATH_MAX];
  const char *name = args->command->name;
  const bool launches = args->command->bit & CLI_LAUNCHERS;
  words w = {0};
  if (!find_own(program, sizeof program) || !package_find("__main__.py", package))
    return fprintf(stderr, "scree: the Python package of 'scree %s' was found neither beside this program nor in %s\n",
                   name, SCREE_PACKAGE),
           2;
  add(&w, "python3");
  if (launches) add(&w, "-S");
  add(&w, "-E");
  add(&w, "%s", package);
  add(&w, "%s", name);
  if (launches) {
    add_text(&w, "program", program);
    add_request(&w, &args->study);
  }
  for (int i = 2; i < args->word_count && !launches; i++) add(&w, "%s", args->words[i]);
  if (w.lost) return fprintf(stderr, "scree: no memory for a command line, or more than %d words\n", WORDS), 2;
  execvp(w.word[0], w.word);
  return fprintf(stderr, "scree: 'scree %s' needs python3 (3.9 or later), which could not be started: %s\n", name,
                 strerror(errno)),
         2;
}
