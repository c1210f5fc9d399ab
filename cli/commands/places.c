/* places.c - on which cores the ranks and their threads run.
 *
 * Room: see places.h. A rank sends what it found word by word, so that the smallest blocks take it. */
#include "commands/places.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- this process ---- */

/* The cores that a thread may run on, 0 being the caller: "0-3,8"; it ends with "..." if there is no room. */
static void list_cores(pid_t thread, char *text, size_t size) {
  cpu_set_t allowed[8] = {0};
  const int max = (int)(8 * sizeof allowed);
  size_t n = 0;
  text[0] = 0;
  if (sched_getaffinity(thread, sizeof allowed, allowed)) return;
  for (int from = 0, to; from < max; from = to + 1) {
    for (to = from; to < max && CPU_ISSET_S((size_t)to, sizeof allowed, allowed);) to++;
    if (to == from) continue;
    if (n + 16 > size) {
      snprintf(text + n, size - n, "...");
      return;
    }
    n += (size_t)snprintf(text + n, size - n, to - from > 1 ? "%s%d-%d" : "%s%d", n ? "," : "", from, to - 1);
  }
}

/* Of the thread's `stat`: name, core, seconds. */
static bool read_stat(const char *tid, cli_thread *thread) {
  char path[300], text[1024] = "";
  unsigned long user, kernel;
  int core;
  snprintf(path, sizeof path, "/proc/self/task/%s/stat", tid);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  char *name = strchr(text, '('), *end = strrchr(text, ')');
  if (!name || !end ||
      sscanf(end + 1,
             " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %*u %*u %*d"
             " %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %d",
             &user, &kernel, &core) != 3)
    return false;
  *end = 0;
  *thread = (cli_thread){.seconds = (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK), .core = core};
  snprintf(thread->name, sizeof thread->name, "%.15s", name + 1);
  return true;
}

/* Keeps the threads with most seconds, in descending order. */
static void keep(cli_place *place, const cli_thread *thread) {
  size_t i = place->threads < CLI_THREADS ? place->threads : CLI_THREADS;
  place->threads++;
  for (; i > 0 && place->thread[i - 1].seconds < thread->seconds; i--)
    if (i < CLI_THREADS) place->thread[i] = place->thread[i - 1];
  if (i < CLI_THREADS) place->thread[i] = *thread;
}

static cli_place look(void) {
  cli_place place = {.core = sched_getcpu()};
  cli_thread thread;
  gethostname(place.host, sizeof place.host - 1);
  list_cores(0, place.cores, sizeof place.cores);
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *one; tasks && (one = readdir(tasks));) {
    pid_t tid = (pid_t)atoi(one->d_name);
    if (tid <= 0 || tid == gettid() || !read_stat(one->d_name, &thread)) continue;
    list_cores(tid, thread.cores, sizeof thread.cores);
    keep(&place, &thread);
  }
  if (tasks) closedir(tasks);
  return place;
}

/* ---- all of them ---- */

typedef struct {
  uint32_t rank, index; /* of the word */
  uint64_t word;
} place_word;
SCREE_MESSAGE(place, place_word);

static void take_words(scree_worker *worker, const scree_batch *batch, const place_word *items, void *arg) {
  (void)worker;
  cli_place *places = *(cli_place **)arg;
  for (uint32_t i = 0; i < batch->count; i++)
    memcpy((char *)&places[items[i].rank] + 8 * items[i].index, &items[i].word, 8);
}
SCREE_HANDLER(place, place_word, take_words);

_Static_assert(sizeof(cli_place) % 8 == 0, "a place is sent as whole words");

scree_status cli_find_places(scree_graphs *graphs, cli_place **places) {
  scree_worker *w = scree_graphs_worker(graphs);
  const uint32_t rank = scree_rank(w);
  const cli_place mine = look();
  place_type type;
  *places = rank == 0 ? calloc(CLI_PLACES, sizeof **places) : NULL;
  scree_status status =
      scree_graphs_agree(graphs, rank == 0 && !*places ? SCREE_ENOMEM : SCREE_OK, "no memory for the ranks' places");
  if (!status) status = place_register(scree_world_of(w), places, &type);
  if (!status) status = scree_begin(w);
  for (uint32_t i = 0; !status && rank < CLI_PLACES && i < sizeof mine / 8; i++) {
    place_word item = {.rank = rank, .index = i};
    memcpy(&item.word, (const char *)&mine + 8 * i, 8);
    place_send(w, type, 0, item);
  }
  return status ? status : scree_end(w, NULL);
}

bool cli_shares(const char *host, const cli_thread *thread, const cli_place *place) {
  const bool one_core = thread->cores[0] && !strpbrk(thread->cores, ",-.");
  if (strcmp(host, place->host)) return false;
  return (thread->core >= 0 && thread->core == place->core) || (one_core && !strcmp(thread->cores, place->cores));
}
