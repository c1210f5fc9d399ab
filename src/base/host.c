/* host.c - the total and remaining memory of this node, and cpus: those of the machine, and what limits of control
 * groups allow. */
#include "base/host.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { PATH = 4096 };

/* Paths and lines are on the heap: stacks may be small. NULL: no memory. */
static char *join(const char *a, const char *b, const char *c) {
  const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
  char *all = malloc(size);
  if (all) snprintf(all, size, "%s%s%s", a, b, c);
  return all;
}

static FILE *open_under(const char *root, const char *path, const char *name) {
  char *all = join(root, path, name);
  FILE *file = all ? fopen(all, "re") : NULL;
  free(all);
  return file;
}

/* The number after `word` at the start of a line of a file, or the file's first word if `word` is "". */
static bool find_number(const char *root, const char *path, const char *name, const char *word, uint64_t *number) {
  FILE *file = open_under(root, path, name);
  char *line = NULL;
  size_t size = 0;
  bool found = false;
  while (file && !found && getline(&line, &size, file) > 0)
    found = !strncmp(line, word, strlen(word)) && sscanf(line + strlen(word), "%" SCNu64, number) == 1;
  free(line);
  if (file) fclose(file);
  return found;
}

/* ---- one control group ---- */

typedef struct {
  const char *controller, *max, *used, *stat_files, *quota, *period;
} version;

static const version memory1 = {.controller = "memory",
                                .max = "/memory.limit_in_bytes",
                                .used = "/memory.usage_in_bytes",
                                .stat_files = "total_inactive_file "},
                     cpu1 = {.controller = "cpu", .quota = "/cpu.cfs_quota_us", .period = "/cpu.cfs_period_us"},
                     version2 = {.max = "/memory.max",
                                 .used = "/memory.current",
                                 .stat_files = "inactive_file ",
                                 .quota = "/cpu.max"};

typedef uint64_t group_fn(const char *root, const char *group, const version *v);

/* Without a limit version 2 says "max", version 1 a number beyond any memory. */
static uint64_t group_limit(const char *root, const char *group, const version *v) {
  uint64_t max;
  return find_number(root, group, v->max, "", &max) ? max : UINT64_MAX;
}

/* What the limit leaves. Pages of files that are not in use go when others need memory. */
static uint64_t group_leaves(const char *root, const char *group, const version *v) {
  uint64_t max = group_limit(root, group, v), used, files = 0;
  if (max == UINT64_MAX || !find_number(root, group, v->used, "", &used)) return UINT64_MAX;
  find_number(root, group, "/memory.stat", v->stat_files, &files);
  used -= files < used ? files : used;
  return used < max ? max - used : 0;
}

/* Version 2 has both numbers in one file, and "max" for no quota; version 1 has -1. */
static uint64_t group_quota(const char *root, const char *group, const version *v) {
  uint64_t quota = 0, period = 0;
  FILE *file = v->quota ? open_under(root, group, v->quota) : NULL;
  const int found = file ? fscanf(file, "%" SCNu64 " %" SCNu64, &quota, &period) : 0;
  if (file) fclose(file);
  if (found == 1 && v->period) find_number(root, group, v->period, "", &period);
  return found >= 1 && period && quota <= INT64_MAX / 1000 ? quota * 1000 / period : UINT64_MAX;
}

/* ---- the groups of this process ---- */

/* True if the word is one of a list with commas. */
static bool lists(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at++)
    if ((at == list || at[-1] == ',') && (!at[n] || at[n] == ',')) return true;
  return false;
}

/* This process's group in the hierarchy of that version: a line "0::PATH", or "NUMBER:CONTROLLERS:PATH" with its
 * controller among them. */
static bool own_path(const char *root, const version *v, char path[PATH]) {
  char *line = NULL, *list, *at;
  size_t size = 0;
  bool found = false;
  FILE *file = open_under(root, "/proc/self/cgroup", "");
  while (file && !found && getline(&line, &size, file) > 0) {
    if (!(list = strchr(line, ':')) || !(at = strchr(list + 1, ':'))) continue;
    *at++ = 0;
    found = v == &version2 ? !strcmp(line, "0:") : lists(list + 1, v->controller);
    if (found) snprintf(path, PATH, "%.*s", (int)strcspn(at, "\n"), at);
  }
  free(line);
  if (file) fclose(file);
  return found;
}

/* A line of /proc/self/mountinfo: which directory of the hierarchy is mounted, and where. NULL: no hierarchy of version
 * 2, nor of the controller. */
static const version *read_mount(const char *line, const version *first, char top[PATH], char at[PATH]) {
  char type[16], options[256];
  const char *rest = strstr(line, " - ");
  if (!rest || sscanf(rest, " - %15s %*s %255s", type, options) != 2) return NULL;
  if (sscanf(line, "%*s %*s %*s %4095s %4095s", top, at) != 2) return NULL;
  if (!strcmp(type, "cgroup2")) return &version2;
  return !strcmp(type, "cgroup") && lists(options, first->controller) ? first : NULL;
}

/* The part of the path below the mounted directory. "": the group is not visible, in a namespace for example; those of
 * the mount's root are the nearest that are known. */
static const char *below(const char *path, const char *top) {
  size_t n = strcmp(top, "/") ? strlen(top) : 0;
  bool visible = !strncmp(path, top, n) && (!path[n] || path[n] == '/') && !strstr(path, "/..");
  return visible ? path + n : "";
}

/* The minimum value over the group and all groups above it. Directories that do not exist have none. */
static uint64_t min_of(const char *root, const char *mount, const char *path, const version *v, group_fn *fn) {
  char *group = join(mount, path, "");
  uint64_t min = UINT64_MAX;
  for (size_t n = group ? strlen(group) + 1 : 0; n-- > strlen(mount);) {
    if (group[n] && group[n] != '/') continue; /* at the end of a directory's name */
    group[n] = 0;
    uint64_t value = fn(root, group, v);
    if (value < min) min = value;
  }
  free(group);
  return min;
}

/* The minimum value over both versions, which may be in use at once. */
static uint64_t min_of_all(const char *root, const version *first, group_fn *fn) {
  char *line = NULL, top[PATH], at[PATH], path[PATH];
  size_t size = 0;
  uint64_t min = UINT64_MAX;
  FILE *file = open_under(root, "/proc/self/mountinfo", "");
  while (file && getline(&line, &size, file) > 0) {
    const version *v = read_mount(line, first, top, at);
    if (!v || !own_path(root, v, path)) continue;
    uint64_t value = min_of(root, at, below(path, top), v, fn);
    if (value < min) min = value;
  }
  free(line);
  if (file) fclose(file);
  return min;
}

static uint64_t machine(const char *root, const char *word) {
  uint64_t kib;
  return find_number(root, "/proc/meminfo", "", word, &kib) ? kib * 1024 : UINT64_MAX;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

uint64_t scree__memory_limit(const char *root) {
  return smaller(machine(root, "MemTotal:"), min_of_all(root, &memory1, group_limit));
}

uint64_t scree__memory_left(const char *root) {
  return smaller(machine(root, "MemAvailable:"), min_of_all(root, &memory1, group_leaves));
}

void scree__process_limits(char *text, size_t size) {
  static const struct {
    __rlimit_resource_t resource; /* the type of glibc */
    char option;
  } limits[] = {{RLIMIT_DATA, 'd'}, {RLIMIT_AS, 'v'}};
  size_t n = 0;
  if (size) text[0] = 0;
  for (size_t i = 0; i < sizeof limits / sizeof *limits && n < size; i++) {
    struct rlimit limit;
    if (getrlimit(limits[i].resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    n += (size_t)snprintf(text + n, size - n, "; or raise the limit of the process (ulimit -%c, %llu KiB)",
                          limits[i].option, (unsigned long long)limit.rlim_cur / 1024);
  }
}

uint64_t scree__cpu_quota(const char *root) {
  return min_of_all(root, &cpu1, group_quota);
}
