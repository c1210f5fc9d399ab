/* help.c - what the help of sweep adds: presets, by the first lines of their files. */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "package/package.h"

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

/* The short help has their names alone. */
static void print_presets(bool all) {
  char pattern[PATH_MAX + 16], name[NAME_MAX + 1], names[4096] = "";
  glob_t found = {0};
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

void package_print_help(const cli_subcommand *command, bool all) {
  if (command->bit == CLI_SWEEP) print_presets(all);
}
