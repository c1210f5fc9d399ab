/* help.c - what the help of sweep and tune adds: presets, by the first lines of their files, and axes. */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "package/configuration.h"
#include "package/package.h"

enum { INDENT = 13, PRESETS_INDENT = 16 }; /* of the second column */

/* The words grow in a buffer that all names of options fit. */
typedef struct {
  char text[4096];
  size_t used;
} line;

static void add(line *l, const char *name) {
  if (l->used < sizeof l->text)
    l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s%s", l->used ? " " : "", name);
}

static void print_line(int indent, const char *of, const char *words) {
  printf("  %-*s", indent - 2, of);
  cli_print_words(words, indent);
}

/* ---- presets ---- */

/* Its first line is "# NAME - what it is for". */
static void print_preset(const char *name, const char *path) {
  char first[256] = "";
  FILE *from = fopen(path, "re");
  if (from && !fgets(first, sizeof first, from)) first[0] = 0;
  if (from) fclose(from);
  first[strcspn(first, "\n")] = 0;
  const char *what = strstr(first, " - ");
  print_line(PRESETS_INDENT, name, what ? what + 3 : "");
}

/* The short help has their names alone. */
static void print_presets(bool all) {
  char pattern[PATH_MAX + 16], name[NAME_MAX + 1];
  line names = {0};
  glob_t found = {0};
  if (package_find("presets", pattern)) glob(strcat(pattern, "/*.sweep"), 0, NULL, &found);
  printf("\npresets:\n");
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const char *file = strrchr(found.gl_pathv[i], '/') + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    if (all) print_preset(name, found.gl_pathv[i]);
    add(&names, name);
  }
  if (!all) print_line(2, "", names.text);
  globfree(&found);
}

/* ---- axes ---- */

static void print_axes(bool with_benchmark) {
  line job = {0}, world = {0};
  printf("\naxes:\n");
  for (size_t i = 0; package_axis_of_jobs(i); i++) add(&job, package_axis_of_jobs(i));
  add(&job, "env.NAME");
  print_line(INDENT, "the job", job.text);
  for (size_t i = 0; cli_subcommand_at(i); i++) {
    const char *names[CLI_OWN + CLI_KERNEL];
    line own = {0};
    if (!cli_subcommand_at(i)->kernel && !(with_benchmark && cli_subcommand_at(i)->bit & (CLI_GRAPH500 | CLI_BENCH)))
      continue;
    const size_t count = cli_option_names(cli_subcommand_at(i), names);
    for (size_t k = 0; k < count; k++)
      if (package_is_axis(names[k])) add(&own, names[k]);
    print_line(INDENT, cli_subcommand_at(i)->name, own.text);
  }
  for (size_t i = 0; i < scree_option_count(); i++) add(&world, scree_option_at(i)->name);
  print_line(INDENT, "the library", world.text);
}

void package_print_help(const cli_subcommand *command, bool all) {
  if (command->bit == CLI_SWEEP) print_presets(all);
  if (all && (command->bit & CLI_LAUNCHERS)) print_axes(command->bit == CLI_SWEEP);
}
