/* plots.c - plots by gnuplot: a script and a data file for each axis.
 *
 * Scripts and data files are kept, so that users can restyle the plots. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "study/report/plots.h"
#include "study/report/report.h"
#include "study/util/output.h"

/* ---- running gnuplot ---- */

/* In the child: standard output and error go to `log`. Exits with 127 if there is no gnuplot. */
static void become_gnuplot(const char *directory, const char *script, int log) {
  int null = open("/dev/null", O_RDONLY);
  if (null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0 || chdir(directory) != 0) _exit(126);
  execlp("gnuplot", "gnuplot", script, (char *)NULL);
  _exit(127);
}

/* The last line of the output that is not blank: the error message of gnuplot. */
static void last_line(FILE *log, char *text, size_t size) {
  char line[512];
  *text = 0;
  rewind(log);
  while (fgets(line, sizeof line, log)) {
    line[strcspn(line, "\n")] = 0;
    if (line[strspn(line, " \t^")]) snprintf(text, size, "%s", line);
  }
}

static int run_gnuplot(const char *directory, const char *script, char *why, size_t size) {
  FILE *log = tmpfile();
  pid_t child = log ? fork() : -1;
  if (child == 0) become_gnuplot(directory, script, fileno(log));
  int status = -1;
  pid_t ended = child;
  while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
  char said[512] = "";
  if (child < 0 || ended < 0)
    snprintf(why, size, "option '--plots': gnuplot could not be started: %s", strerror(errno));
  else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    snprintf(why, size,
             "option '--plots': gnuplot was not found; install it (Debian: gnuplot-nox), then run "
             "gnuplot %s in '%s', or repeat this command",
             script, directory);
  else if (status != 0)
    last_line(log, said, sizeof said),
        snprintf(why, size, "option '--plots': gnuplot failed on '%s/%s': %s", directory, script, said);
  if (log) fclose(log);
  return status == 0 ? 0 : -1;
}

/* ---- files ---- */

/* Makes a safe file name from the name of an axis. */
static void file_name(char *text, size_t size, const char *axis, const char *ending) {
  snprintf(text, size, "%s%s", axis, ending);
  for (char *c = text; *c; c++)
    if (*c == '/' || *c == '\'' || *c == '"' || *c == '\\' || (c == text && *c == '.')) *c = '_';
}

static int write_file(const char *directory, const char *name, const study_plot *plot,
                      void (*write)(const study_plot *plot, FILE *to), char *why, size_t size) {
  char *path = NULL;
  if (asprintf(&path, "%s/%s", directory, name) < 0)
    return snprintf(why, size, "option '--plots': no memory for a name"), -1;
  study_output out;
  const study_why reason = {why, size};
  bool good = study_output_open(&out, "plots", path, reason);
  if (good) {
    write(plot, out.to);
    good = study_output_close(&out, reason);
  }
  free(path);
  return good ? 0 : -1;
}

static int write_plot(const char *directory, const study_plot *plot, char *why, size_t size) {
  char data[256], script[256];
  file_name(data, sizeof data, plot->file, ".dat");
  file_name(script, sizeof script, plot->file, ".gp");
  if (write_file(directory, data, plot, study_plot_data, why, size) ||
      write_file(directory, script, plot, study_plot_script, why, size))
    return -1;
  return run_gnuplot(directory, script, why, size);
}

/* ---- which plots ---- */

/* The numbers among the axis's values; count 0 if there are fewer than two, or no memory. */
static study_axis numbers_of(const study_axis *axis) {
  study_axis numbers = {axis->name, calloc(axis->count + 1, sizeof *numbers.values), 0};
  double x;
  for (size_t i = 0; i < axis->count && numbers.values; i++)
    if (study_number(axis->values[i], &x)) numbers.values[numbers.count++] = axis->values[i];
  if (numbers.count < 2) numbers.count = 0;
  return numbers;
}

/* Adds the number of plots made, 0 if no configuration can be drawn, to *made. */
static int plot_axis(const char *directory, const study_table *table, const study_axis *axis, bool bars, int *made,
                     char *why, size_t size) {
  char file[200];
  file_name(file, sizeof file, axis->name, "");
  study_plot plot = {.table = table, .axis = axis, .file = file, .bars = bars};
  if (!study_plot_open(&plot)) return snprintf(why, size, "option '--plots': no memory for a plot"), -1;
  int code = plot.shown > 0 ? write_plot(directory, &plot, why, size) : 0;
  *made += plot.shown > 0;
  study_plot_close(&plot);
  return code;
}

int study_write_plots(const char *name, const study_table *table, char *why, size_t size) {
  if (mkdir(name, 0777) != 0 && errno != EEXIST)
    return snprintf(why, size, "option '--plots': directory '%s' cannot be created: %s", name, strerror(errno)), -1;
  if (!table->best || table->axis_count == 0)
    return snprintf(why, size, "option '--plots': '%s' has nothing to plot: %s", table->results->name,
                    table->best ? "no axis has more than one value" : "no run gave a time"),
           -1;
  int code = 0, made = 0;
  for (size_t i = 0; i < table->axis_count && code == 0; i++) {
    study_axis numbers = numbers_of(&table->axes[i]);
    if (numbers.count > 0) code = plot_axis(name, table, &numbers, false, &made, why, size);
    free(numbers.values);
  }
  return made || code ? code : plot_axis(name, table, &table->axes[0], true, &made, why, size);
}
