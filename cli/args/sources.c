/* sources.c - a file of sources: ids, separated by blanks or lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "base/option_value.h"
#include "io/input_file.h"

enum { SOURCES_MAX = 100000 };

static bool add(cli_args *args, uint64_t id) {
  if (args->source.count == SOURCES_MAX)
    return cli_fail(args, "option '--sources-file': more than %d sources", SOURCES_MAX);
  if ((args->source.count & (args->source.count - 1)) == 0) {
    const size_t capacity = args->source.count ? 2 * (size_t)args->source.count : 1;
    uint64_t *more = realloc(args->source.list, capacity * sizeof *more);
    if (!more) return cli_fail(args, "no memory for the sources; free memory on this host");
    args->source.list = more;
  }
  return args->source.list[args->source.count++] = id, true;
}

/* The words of a line up to '#'. */
static bool read_line(cli_args *args, const char *name, size_t number, char *line) {
  line[strcspn(line, "#")] = 0;
  for (char *rest = line, *word; (word = strsep(&rest, " \t\r\n,"));) {
    const char *end = word;
    uint64_t id;
    if (!*word) continue;
    if (!scree__digits(&end, UINT64_MAX, &id) || *end)
      return cli_fail(args, "option '--sources-file': %s:%zu: '%s' is not the id of a vertex; legal: whole numbers",
                      name, number, word);
    if (!add(args, id)) return false;
  }
  return true;
}

bool cli_read_sources(cli_args *args, const char *name) {
  const char *reason;
  FILE *file = scree__input_open_text(name, &reason);
  if (!file)
    return cli_fail(args, "option '--sources-file': cannot read '%s': %s; name a file that every rank can read", name,
                    reason);
  char *line = NULL;
  size_t size = 0;
  bool good = true;
  args->source.count = 0;
  for (size_t number = 1; good && getline(&line, &size, file) >= 0; number++)
    good = read_line(args, name, number, line);
  free(line);
  fclose(file);
  return good && (args->source.count > 0 || cli_fail(args, "option '--sources-file': '%s' has no source", name));
}

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* A set has each source once. */
static void drop_copies(cli_args *args) {
  uint64_t *list = args->source.list, count = 0;
  qsort(list, (size_t)args->source.count, sizeof *list, compare);
  for (uint64_t i = 0; i < args->source.count; i++)
    if (i == 0 || list[i] != list[count - 1]) list[count++] = list[i];
  args->source.copies = args->source.count - count;
  args->source.count = count;
}

bool cli_read_source_set(cli_args *args, const char *name) {
  const bool good = cli_read_sources(args, name);
  if (good) drop_copies(args);
  args->source.set = args->source.count;
  args->source.count = 1;
  return good;
}
