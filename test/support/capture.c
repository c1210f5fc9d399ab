/* capture.c - standard error to a file and back; what a world prints. */
#include "capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int to = -1, err = -1;

void capture_to(int file) {
  fflush(stderr);
  to = file;
  err = dup(STDERR_FILENO);
  if (to < 0 || err < 0 || dup2(to, STDERR_FILENO) < 0) abort();
}

void capture_start(void) {
  FILE *file = tmpfile();
  if (!file) abort();
  capture_to(dup(fileno(file)));
  fclose(file);
}

char *capture_end(void) {
  fflush(stderr);
  dup2(err, STDERR_FILENO);
  close(err);
  const off_t size = lseek(to, 0, SEEK_END);
  char *text = calloc(1, (size_t)size + 1);
  if (!text || pread(to, text, (size_t)size, 0) != size) abort();
  close(to);
  return text;
}

char *capture_run(const scree_sim_config *config, const scree_options *options, scree_sim_fn *fn, void *arg,
                  scree_status expected) {
  capture_start();
  const scree_status status = scree_sim_run(config, options, fn, arg, NULL);
  char *text = capture_end();
  if (status == expected) return text;
  free(text);
  return strdup("capture_run: the run ended with another status");
}

static char *printed(const scree_world *world, void (*print)(const scree_world *world, FILE *to)) {
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file) abort();
  print(world, file);
  fclose(file);
  return text;
}

static void table(const scree_world *world, FILE *file) {
  scree_stats_print(world, file, false);
}
static void object(const scree_world *world, FILE *file) {
  scree_stats_print(world, file, true);
}

char *capture_report(const scree_world *world) {
  return printed(world, scree_report_print);
}

char *capture_stats(const scree_world *world, bool json) {
  return printed(world, json ? object : table);
}
