/* plots.c - plots by gnuplot: a script and a data file for each axis.
 *
 * Scripts and data files are kept, so that users can restyle the plots. gnuplot gets the script by standard input, never
 * from the directory, and works only in one that nobody else can write. */
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
#include "study/util/printable.h"

/* ---- running gnuplot ---- */

/* Where the files of a plot go. */
typedef struct {
  const char *name;
  int fd;
} place;

/* In the child: standard output and error go to `log`. Exits with 127 if there is no gnuplot. As a file, unlike as
 * standard input without one, a script ends at its first error. */
static void become_gnuplot(const place *directory, int script, int log) {
  if (dup2(script, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0 || fchdir(directory->fd) != 0) _exit(126);
  execlp("gnuplot", "gnuplot", "/dev/stdin", (char *)NULL);
  _exit(127);
}

/* The last line of the output that is not blank: the error message of gnuplot. */
static void last_line(FILE *log, char *text, size_t size) {
  char line[512];
  *text = 0;
  rewind(log);
  while (fgets(line, sizeof line, log)) {
    line[strcspn(line, "\n")] = 0;
    study_make_printable(line, false);
    if (line[strspn(line, " \t^")]) snprintf(text, size, "%s", line);
  }
}

/* The script as an open file without a name. NULL: errno. */
static FILE *script_of(const study_plot *plot) {
  FILE *script = tmpfile();
  if (script) study_plot_script(plot, script);
  if (script && fflush(script) == 0 && lseek(fileno(script), 0, SEEK_SET) == 0) return script;
  if (script) fclose(script);
  return NULL;
}

static int run_gnuplot(const place *directory, const study_plot *plot, const char *name, char *why, size_t size) {
  FILE *log = tmpfile(), *script = script_of(plot);
  pid_t child = log && script ? fork() : -1;
  if (child == 0) become_gnuplot(directory, fileno(script), fileno(log));
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
             name, directory->name);
  else if (status != 0)
    last_line(log, said, sizeof said),
        snprintf(why, size, "option '--plots': gnuplot failed on '%s/%s': %s", directory->name, name, said);
  if (log) fclose(log);
  if (script) fclose(script);
  return status == 0 ? 0 : -1;
}

/* ---- files ---- */

/* Opens the directory, which is made if it is missing. Whoever else may write to it could replace what gnuplot reads,
 * or have it write elsewhere by a link. */
static bool open_place(place *p, const char *name, study_why why) {
  struct stat s;
  *p = (place){name, -1};
  if (mkdir(name, 0755) != 0 && errno != EEXIST)
    return study_fail(why, "option '--plots': directory '%s' cannot be created: %s", name, strerror(errno));
  p->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (p->fd < 0 || fstat(p->fd, &s))
    return study_fail(why, "option '--plots': directory '%s' cannot be used: %s", name, strerror(errno));
  if (s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH))) return true;
  close(p->fd);
  return study_fail(
      why,
      s.st_uid != geteuid()
          ? "option '--plots': directory '%s' belongs to another user (%u); name one of your own, or a new one"
          : "option '--plots': others may write to directory '%s' (mode %03o); name a new one, or run chmod go-w on it",
      name, s.st_uid != geteuid() ? (unsigned)s.st_uid : (unsigned)(s.st_mode & 0777));
}

/* Makes a file name from the name of an axis: scripts and gnuplot's options do not stumble over it. */
static void file_name(char *text, size_t size, const char *axis) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  snprintf(text, size, "%s", axis);
  for (char *c = text; *c; c++)
    if (!strchr(plain, *c) || (c == text && (*c == '.' || *c == '-'))) *c = '_';
}

static int write_file(const place *directory, const char *name, const study_plot *plot,
                      void (*write)(const study_plot *plot, FILE *to), char *why, size_t size) {
  char *path = NULL;
  if (asprintf(&path, "%s/%s", directory->name, name) < 0)
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

static int write_plot(const place *directory, const study_plot *plot, char *why, size_t size) {
  char data[256], script[256];
  snprintf(data, sizeof data, "%s.dat", plot->file);
  snprintf(script, sizeof script, "%s.gp", plot->file);
  if (write_file(directory, data, plot, study_plot_data, why, size) ||
      write_file(directory, script, plot, study_plot_script, why, size))
    return -1;
  return run_gnuplot(directory, plot, script, why, size);
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
static int plot_axis(const place *directory, const study_table *table, const study_axis *axis, bool bars, int *made,
                     char *why, size_t size) {
  char file[200];
  file_name(file, sizeof file, axis->name);
  study_plot plot = {.table = table, .axis = axis, .file = file, .bars = bars};
  if (!study_plot_open(&plot)) return snprintf(why, size, "option '--plots': no memory for a plot"), -1;
  int code = plot.shown > 0 ? write_plot(directory, &plot, why, size) : 0;
  *made += plot.shown > 0;
  study_plot_close(&plot);
  return code;
}

static int write_all(const place *directory, const study_table *table, char *why, size_t size) {
  int code = 0, made = 0;
  for (size_t i = 0; i < table->axis_count && code == 0; i++) {
    study_axis numbers = numbers_of(&table->axes[i]);
    if (numbers.count > 0) code = plot_axis(directory, table, &numbers, false, &made, why, size);
    free(numbers.values);
  }
  return made || code ? code : plot_axis(directory, table, &table->axes[0], true, &made, why, size);
}

int study_write_plots(const char *name, const study_table *table, char *why, size_t size) {
  place directory;
  if (!open_place(&directory, name, (study_why){why, size})) return -1;
  int code = -1;
  if (table->best && table->axis_count > 0)
    code = write_all(&directory, table, why, size);
  else
    snprintf(why, size, "option '--plots': '%s' has nothing to plot: %s", table->results->name,
             table->best ? "no axis has more than one value" : "no run gave a time");
  close(directory.fd);
  return code;
}
