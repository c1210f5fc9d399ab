/* package.c - sweep, report and tune: finds the Python package that they are, and executes it. */
#include "package/package.h"

#include <errno.h>
#include <glob.h>
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

/* ---- presets ---- */

enum { INDENT = 16 }; /* of the second column */

static void print_line(int indent, const char *of, const char *words) {
  printf("  %-*s", indent - 2, of);
  cli_print_words(words, indent);
}

/* Its first line is "# NAME - what it is for". */
static void print_preset(const char *name, const char *path) {
  char first[256] = "";
  FILE *from = fopen(path, "re");
  if (from && !fgets(first, sizeof first, from)) first[0] = 0;
  if (from) fclose(from);
  first[strcspn(first, "\n")] = 0;
  const char *what = strstr(first, " - ");
  print_line(INDENT, name, what ? what + 3 : "");
}

void package_print_help(const cli_subcommand *command, bool all) {
  char pattern[PATH_MAX + 16], name[NAME_MAX + 1], names[4096] = "";
  glob_t found = {0};
  if (command->bit != CLI_SWEEP) return;
  if (package_find("presets", pattern)) glob(strcat(pattern, "/*.sweep"), 0, NULL, &found);
  printf("\npresets:\n");
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const char *file = strrchr(found.gl_pathv[i], '/') + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    if (all) print_preset(name, found.gl_pathv[i]);
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", name);
  }
  if (!all) print_line(2, "", names);
  globfree(&found);
}
