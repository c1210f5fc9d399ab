/* print.c - scree sweep --dry-run: prints axes, number of runs, estimated time and every command. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "package/allocation.h"
#include "study/run/launch.h"
#include "study/sweep/sweep.h"
#include "study/util/format.h"
#include "study/util/words.h"

static void print_words(char *const *words, FILE *to) {
  for (; words && *words; words++) {
    fputc(' ', to);
    study_print_word(*words, to);
  }
}

static void print_configuration(const study_sweep_state *s, size_t i, FILE *to) {
  const study_configuration *c = &s->plan->configurations[i];
  char why[512];
  study_command *command = study_command_make(c, study_default_launcher(s->plan), false, why, sizeof why);
  fprintf(to, "%s%s%s\n ", c->key, i == s->plan->control ? "  (the control)" : "",
          command && command->too_many ? "  (threads exceed cores)" : "");
  if (command) {
    print_words(command->env, to);
    print_words(command->argv, to);
  } else {
    fprintf(to, " cannot run: %s", why);
  }
  fputc('\n', to);
  study_command_free(command);
}

static void print_axes(const study_plan *plan, FILE *to) {
  int wide = 0;
  for (size_t i = 0; i < plan->axis_count; i++)
    if ((int)strlen(plan->axes[i].name) > wide) wide = (int)strlen(plan->axes[i].name);
  for (size_t i = 0; i < plan->axis_count; i++) {
    fprintf(to, "  %-*s ", wide, plan->axes[i].name);
    for (size_t k = 0; k < plan->axes[i].count; k++) fprintf(to, "%s %s", k ? "," : "", plan->axes[i].values[k]);
    fputc('\n', to);
  }
}

static void print_cost(const study_sweep_state *s, FILE *to) {
  size_t measured, done = 0;
  char text[64];
  for (size_t i = 0; i < s->step_count; i++) done += s->done[i];
  study_print_duration(text, sizeof text, study_progress_left(s->progress, &measured));
  fprintf(to, "Runs: %zu", s->step_count);
  if (done) fprintf(to, ", of which '%s' already has %zu", s->results_name, done);
  if (measured)
    fprintf(to, ". Estimated time: %s, from the %zu runs in '%s'.\n", text, measured, s->results_name);
  else
    fprintf(to, ". Estimated time: %s, assuming %g s per run including startup.\n", text, STUDY_ROUGH_SECONDS);
}

void study_sweep_warn(const study_sweep_state *s, FILE *to) {
  if (s->too_many == 0) return;
  fprintf(to,
          "scree: warning: in %zu of %zu configurations there are more threads than the %llu cores that jobs may "
          "use; their times are not meaningful\n",
          s->too_many, s->plan->count, (unsigned long long)study_allocation_find().slots);
}

int study_sweep_print(const study_sweep_state *s, FILE *to) {
  const study_plan *plan = s->plan;
  fprintf(
      to,
      "%s%s%zu configuration%s, each run %llu time%s in rounds over all configurations; time limit of a run: %g s.\n",
      plan->title, *plan->title ? "\n" : "", plan->count, plan->count == 1 ? "" : "s", (unsigned long long)plan->repeat,
      plan->repeat == 1 ? "" : "s", plan->timeout);
  print_axes(plan, to);
  print_cost(s, to);
  bool there = access(s->results_name, F_OK) == 0;
  fprintf(to, "Results: '%s'%s.\n", s->results_name,
          !there || s->request->resume ? "" : ", which exists: --resume continues it, --results FILE names another");
  study_sweep_warn(s, to);
  fputc('\n', to);
  for (size_t i = 0; i < plan->count; i++) print_configuration(s, i, to);
  if (fflush(to) == 0 && !ferror(to)) return 0;
  fprintf(stderr, "scree: standard output: %s\n", strerror(errno));
  return -1;
}
