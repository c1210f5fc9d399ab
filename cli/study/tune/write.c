/* write.c - writes the options file: the settings that won, with comments on how they were found. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "args/args.h"
#include "package/machine.h"
#include "study/run/launch.h"
#include "study/run/launcher.h"
#include "study/tune/tune.h"
#include "study/util/output.h"
#include "study/util/replace.h"
#include "study/util/words.h"

static const char first_line[] = "# Options by scree tune";

/* True for settings that are not options of the job but say how it starts. */
static bool is_launch_setting(const char *name) {
  for (size_t i = 0; study_axis_of_jobs(i); i++)
    if (strcmp(study_axis_of_jobs(i), name) == 0) return true;
  return strncmp(name, "env.", 4) == 0;
}

static int refuse(tune *t, const char *name) {
  snprintf(t->why, sizeof t->why, "option '--write': cannot write '%s': %s", name, strerror(errno));
  return -1;
}

int tune_write_check(tune *t, const char *name) {
  if (!study_replaceable(name, first_line)) {
    snprintf(t->why, sizeof t->why,
             "option '--write': '%s' exists and was not written by scree tune; it is not overwritten; give --write "
             "another name",
             name);
    return -1;
  }
  char *copy = strdup(name);
  bool exists = access(name, F_OK) == 0, good = copy && access(exists ? name : dirname(copy), W_OK) == 0;
  int error = errno;
  free(copy);
  errno = error;
  return good ? 0 : refuse(t, name);
}

/* ---- the command line ---- */

static const char *setting(const tune *t, const tune_candidate *winner, const char *name) {
  for (size_t i = 0; i < winner->count; i++)
    if (strcmp(winner->settings[i].name, name) == 0) return winner->settings[i].value;
  for (size_t i = 0; i < t->space.fixed_count; i++)
    if (strcmp(t->space.fixed[i].name, name) == 0) return t->space.fixed[i].value;
  return NULL;
}

static bool is_flag(const char *kernel, const char *name) {
  const cli_subcommand *c = cli_kernel_subcommand(kernel);
  bool flag = false;
  return c && cli_has_option(c, name, &flag) && flag;
}

static void put_word(FILE *to, const char *word) {
  fputc(' ', to);
  study_print_word(word, to);
}

static void put_launcher(FILE *to, const char *template, const char *ranks) {
  const char *at;
  if (study_is_local(template)) return;
  if (!study_template(template)) {
    if (strcmp(ranks, "1") != 0) fprintf(to, "mpirun -n %s ", ranks);
    return;
  }
  for (; (at = strstr(template, "{ranks}")); template = at + 7)
    fprintf(to, "%.*s%s", (int)(at - template), template, ranks);
  fprintf(to, "%s ", template);
}

static void put_option(FILE *to, const char *kernel, const study_setting *s) {
  if (is_launch_setting(s->name) || (is_flag(kernel, s->name) && strcmp(s->value, "on") != 0)) return;
  fprintf(to, " --%s", s->name);
  if (!is_flag(kernel, s->name)) put_word(to, s->value);
}

char *tune_command(const tune *t, const tune_candidate *winner, const char *name) {
  const char *ranks = setting(t, winner, "ranks"), *graph = setting(t, winner, "graph"),
             *scale = setting(t, winner, "scale"), *launcher = setting(t, winner, "launcher");
  char *text = NULL, spec[32];
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  snprintf(spec, sizeof spec, "kron:%s", scale ? scale : "");
  if (!launcher) launcher = t->terms.launcher;
  put_launcher(to, launcher, ranks ? ranks : "2");
  fprintf(to, "scree %s", t->space.kernel);
  put_word(to, graph ? graph : spec);
  if (study_is_local(launcher)) fprintf(to, " --ranks %s", ranks ? ranks : "2");
  for (size_t i = 0; i < t->space.fixed_count; i++) put_option(to, t->space.kernel, &t->space.fixed[i]);
  fputs(" --options", to);
  put_word(to, name);
  return fclose(to) ? free(text), NULL : text;
}

/* ---- the file ---- */

static void put_comments(const tune *t, const tune_candidate *winner, const study_interval *gain, FILE *to) {
  char date[32] = "", text[32];
  time_t seconds = time(NULL);
  struct tm day;
  struct utsname host = {0};
  if (gmtime_r(&seconds, &day)) strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &day);
  size_t tried = 0;
  for (size_t i = 1; i < t->space.count; i++) tried += t->space.candidates[i].rung || t->space.candidates[i].failed;
  uname(&host);
  fprintf(to, "%s, %s, on %s (%s), %llu cores.\n", first_line, date, host.nodename, host.machine,
          (unsigned long long)study_cores());
  if (winner->count)
    fprintf(to, "# Time relative to the default: %.3f (95 %% interval %.3f to %.3f), %zu jobs of %s each.\n",
            gain->median, gain->low, gain->high, tune_rounds(t), tune_amount(t, t->final_sources, text, sizeof text));
  else
    fprintf(to, "# No options: %s.\n", tune_kept(t));
  fprintf(to, "# Tried: %zu of %zu combinations, %zu failed; %zu jobs, %.0f s.\n", tried, t->space.plan->count,
          tune_failed(t), t->jobs, tune_elapsed(t));
}

static void put_settings(const tune_candidate *winner, FILE *to) {
  for (size_t i = 0; i < winner->count; i++) {
    const study_setting *s = &winner->settings[i];
    if (is_launch_setting(s->name))
      fprintf(to, "# Also found, but not an option of the job: %s = %s\n", s->name, s->value);
    else
      fprintf(to, "%s = %s\n", s->name, s->value);
  }
}

int tune_write(tune *t, const char *name, const tune_candidate *winner, const study_interval *gain) {
  char *command = tune_command(t, winner, name);
  study_output out;
  if (!command) return refuse(t, name);
  if (!study_output_open(&out, "write", name, (study_why){t->why, sizeof t->why})) return free(command), -1;
  put_comments(t, winner, gain, out.to);
  fprintf(out.to, "# For: %s\n", command);
  free(command);
  put_settings(winner, out.to);
  return study_output_close(&out, (study_why){t->why, sizeof t->why}) ? 0 : -1;
}
