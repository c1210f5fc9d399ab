/* host.c - the memory that this node has left. */
#include "base/host.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static FILE *open_under(const char *root, const char *path, const char *name) {
  char all[4096];
  int n = snprintf(all, sizeof all, "%s%s%s", root, path, name);
  return n > 0 && (size_t)n < sizeof all ? fopen(all, "re") : NULL;
}

/* The number behind `word` at the start of a line of a file, or the file's first word if `word` is "". */
static bool find_number(const char *root, const char *path, const char *name, const char *word, uint64_t *number) {
  FILE *file = open_under(root, path, name);
  char line[4096];
  bool found = false;
  while (file && !found && fgets(line, sizeof line, file))
    found = !strncmp(line, word, strlen(word)) && sscanf(line + strlen(word), "%" SCNu64, number) == 1;
  if (file) fclose(file);
  return found;
}

/* What the limit of one control group leaves. Pages of files that are not in use go when others need memory. */
static uint64_t group_leaves(const char *root, const char *group) {
  uint64_t max, used, files = 0;
  if (!find_number(root, group, "/memory.max", "", &max) || !find_number(root, group, "/memory.current", "", &used))
    return UINT64_MAX;
  find_number(root, group, "/memory.stat", "inactive_file ", &files);
  used -= files < used ? files : used;
  return used < max ? max - used : 0;
}

/* The least over this process's control group and all above it. */
static uint64_t groups_leave(const char *root) {
  static const char top[] = "/sys/fs/cgroup";
  char line[2048], group[sizeof top + sizeof line];
  uint64_t min = UINT64_MAX;
  FILE *file = open_under(root, "/proc/self/cgroup", "");
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, "0::/", 4)) continue;
    line[strcspn(line, "\n")] = 0;
    for (int n = snprintf(group, sizeof group, "%s%s", top, line + 3); n >= (int)sizeof top - 1; n--) {
      if (group[n] && group[n] != '/') continue; /* at the end of a directory's name */
      group[n] = 0;
      uint64_t left = group_leaves(root, group);
      if (left < min) min = left;
    }
  }
  if (file) fclose(file);
  return min;
}

uint64_t scree__memory_left(const char *root) {
  uint64_t kib, left = groups_leave(root);
  if (!find_number(root, "/proc/meminfo", "", "MemAvailable:", &kib)) return left;
  return kib * 1024 < left ? kib * 1024 : left;
}
