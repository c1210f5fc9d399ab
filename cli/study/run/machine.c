/* machine.c - numbers of this machine: cores, a size that fits, the eager limit.
 *
 * Room: see launch.h. */
#include <cjson/cJSON.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "study/run/child.h"
#include "study/run/launch.h"
#include "study/run/launcher.h"

enum { CPUS = 8192 };
typedef struct {
  cpu_set_t part[CPUS / CPU_SETSIZE];
} cpus; /* for more than a cpu_set_t */

/* ---- cores ---- */

static bool is_in(const cpus *set, int cpu) {
  return CPU_ISSET_S((size_t)cpu, sizeof set->part, set->part);
}

/* The least of the hardware threads that share the core of `cpu` and that this process may use. */
static int first_of_core(int cpu, const cpus *allowed) {
  char name[96], line[256] = "";
  snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
  FILE *file = fopen(name, "re");
  if (file && !fgets(line, sizeof line, file)) line[0] = 0;
  if (file) fclose(file);
  for (char *at = line, *end; *at; at = *end ? end + 1 : end) {
    long from = strtol(at, &end, 10), to = from;
    if (end == at) break;
    if (*end == '-') to = strtol(end + 1, &end, 10);
    for (; from <= to && from < CPUS; from++)
      if (from >= 0 && is_in(allowed, (int)from)) return (int)from;
  }
  return cpu;
}

uint64_t study_cores(void) {
  static uint64_t cores;
  cpus allowed = {0};
  if (cores || sched_getaffinity(0, sizeof allowed, allowed.part)) return cores ? cores : 1;
  for (int i = 0; i < CPUS; i++)
    if (is_in(&allowed, i)) cores += first_of_core(i, &allowed) == i;
  return cores ? cores : 1;
}

uint64_t study_fit(void) {
  const uint64_t bytes_a_vertex = 1500;
  uint64_t fit = 17, left = scree__memory_left("") / 2;
  for (uint64_t cores = study_cores(); cores > 1; cores /= 2) fit++;
  while (fit > 1 && bytes_a_vertex << fit > left) fit--;
  return fit;
}

/* ---- the eager limit ---- */

static bool read_eager(const study_outcome *told, uint64_t *bytes, study_why why) {
  const char *json = told->out ? strchr(told->out, '{') : NULL;
  cJSON *root = told->exit == 0 && json ? cJSON_Parse(json) : NULL;
  const cJSON *number = cJSON_GetObjectItemCaseSensitive(root, "eager_bytes");
  bool good = cJSON_IsNumber(number) && number->valuedouble >= 0;
  if (good) *bytes = (uint64_t)number->valuedouble;
  if (!good)
    study_fail(why, "the eager limit was not found: 'scree limits' with 2 ranks ended with code %d%s%.300s", told->exit,
               told->err && *told->err ? ": " : "", told->err ? told->err : "");
  cJSON_Delete(root);
  return good;
}

int study_eager(const char *mpi, const char *launcher, uint64_t *bytes, char *why, size_t size) {
  static const volatile bool never = false;
  study_launch launch = {.template = launcher, .ranks = 2};
  study_words words = {0}, env = {0};
  study_why reason = {why, size};
  char *nothing[] = {NULL};
  bool good = study_find_program(mpi, &launch.program, reason) && study_add_launcher(&launch, &words, &env, reason);
  if (good) {
    const char *const job[] = {launch.program.path, "limits", "--json", "-"};
    for (size_t i = 0; i < sizeof job / sizeof job[0]; i++) study_words_add(&words, "%s", job[i]);
    good = !words.lost && !env.lost;
    if (!good) study_fail(reason, "no memory for a command line");
  }
  if (good) {
    study_outcome told = study_child_run(words.word, env.word ? env.word : nothing, 60, &never, NULL, NULL);
    good = read_eager(&told, bytes, reason);
    free(told.out);
    free(told.err);
  }
  study_words_free(&words);
  study_words_free(&env);
  return good ? 0 : -1;
}
