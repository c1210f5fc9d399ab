/* help.c - what the help of sweep and tune adds: presets and axes. */
#include <stdio.h>

#include "args/args.h"
#include "study/plan/plan.h"
#include "study/run/launch.h"
#include "study/study.h"

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

static void print_presets(void) {
  printf("\npresets:\n");
  for (size_t i = 0; study_preset_at(i).name; i++)
    print_line(PRESETS_INDENT, study_preset_at(i).name, study_preset_at(i).help);
}

static void print_axes(bool with_benchmark) {
  line job = {0}, world = {0};
  printf("\naxes:\n");
  for (size_t i = 0; study_axis_of_jobs(i); i++) add(&job, study_axis_of_jobs(i));
  add(&job, "env.NAME");
  print_line(INDENT, "the job", job.text);
  for (size_t i = 0; cli_subcommand_at(i); i++) {
    const char *names[CLI_OWN + CLI_KERNEL];
    line own = {0};
    if (!cli_subcommand_at(i)->kernel && !(cli_subcommand_at(i)->bit == CLI_GRAPH500 && with_benchmark)) continue;
    const size_t count = cli_option_names(cli_subcommand_at(i), names);
    for (size_t k = 0; k < count; k++)
      if (study_is_axis(names[k])) add(&own, names[k]);
    print_line(INDENT, cli_subcommand_at(i)->name, own.text);
  }
  for (size_t i = 0; i < scree_option_count(); i++) add(&world, scree_option_at(i)->name);
  print_line(INDENT, "the library", world.text);
}

void study_print_help(const cli_subcommand *command, bool all) {
  if (command->bit == CLI_SWEEP) print_presets();
  if (all && (command->bit & CLI_LAUNCHERS)) print_axes(command->bit == CLI_SWEEP);
}
