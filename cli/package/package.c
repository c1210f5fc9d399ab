/* package.c - sweep, report and tune: finds the Python package that they are, and executes it. */
#include "package/package.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The path of this program. */
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
  char path[PATH_MAX], package[PATH_MAX], program[PATH_MAX + 16];
  const char *name = args->command->name, *words[2 * STUDY_WORDS + 9];
  const study_request *request = &args->study;
  size_t count = 0;
  if (!find_own(path, sizeof path) || !package_find("__main__.py", package))
    return fprintf(stderr, "scree: the Python package of 'scree %s' was found neither beside this program nor in %s\n",
                   name, SCREE_PACKAGE),
           2;
  snprintf(program, sizeof program, "--program=%s", path);
  words[count++] = "python3";
  if (args->command->bit & CLI_LAUNCHERS) words[count++] = "-S";
  words[count++] = "-E";
  words[count++] = package;
  words[count++] = name;
  if (args->command->bit & CLI_LAUNCHERS) words[count++] = program;
  if (request->quiet) words[count++] = "--quiet";
  for (size_t i = 0; i < request->word_count; i++) words[count++] = request->words[i];
  words[count++] = "--";
  for (size_t i = 0; i < request->operand_count; i++) words[count++] = request->operands[i];
  words[count] = NULL;
  execvp(words[0], (char **)words);
  return fprintf(stderr, "scree: 'scree %s' needs python3 (3.9 or later), which could not be started: %s\n", name,
                 strerror(errno)),
         2;
}
