/* placement.c - the cores on which the ranks and their threads run, gathered on rank 0.
 *
 * A rank sends its record in words of 8 bytes, so that even the smallest blocks can carry them. */
#include "commands/placement.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/option_value.h"
#include "commands/session.h"

/* ---- this process ---- */

/* The cores that a thread (0: the caller) may run on, "0-3,8"; ends with "..." if the text is too short. */
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

/* Reads name, core and seconds from the `stat` file of a thread. */
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

/* Inserts a thread; the CLI_THREADS with most seconds are kept, in descending order. */
static void keep(cli_placement *placement, const cli_thread *thread) {
  size_t i = placement->threads < CLI_THREADS ? placement->threads : CLI_THREADS;
  placement->threads++;
  for (; i > 0 && placement->thread[i - 1].seconds < thread->seconds; i--)
    if (i < CLI_THREADS) placement->thread[i] = placement->thread[i - 1];
  if (i < CLI_THREADS) placement->thread[i] = *thread;
}

static cli_placement examine(void) {
  cli_placement placement = {.core = sched_getcpu()};
  cli_thread thread;
  gethostname(placement.host, sizeof placement.host - 1);
  list_cores(0, placement.cores, sizeof placement.cores);
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *one; tasks && (one = readdir(tasks));) {
    const char *name = one->d_name;
    uint64_t tid;
    if (!scree__digits(&name, INT32_MAX, &tid) || tid == (uint64_t)gettid() || !read_stat(one->d_name, &thread))
      continue;
    list_cores((pid_t)tid, thread.cores, sizeof thread.cores);
    keep(&placement, &thread);
  }
  if (tasks) closedir(tasks);
  return placement;
}

/* ---- all ranks ---- */

typedef struct {
  uint32_t rank, index; /* of the word */
  uint64_t word;
} placement_word;
SCREE_MESSAGE(placement, placement_word);

static void take_words(scree_worker *worker, const scree_batch *batch, const placement_word *items, void *arg) {
  (void)worker;
  cli_placement *placements = *(cli_placement **)arg;
  for (uint32_t i = 0; i < batch->count; i++)
    memcpy((char *)&placements[items[i].rank] + 8 * items[i].index, &items[i].word, 8);
}
SCREE_HANDLER(placement, placement_word, take_words);

_Static_assert(sizeof(cli_placement) % 8 == 0, "a placement is sent as whole words");

scree_status cli_find_placements(scree_graphs *graphs, cli_placement **placements) {
  scree_worker *w = scree_graphs_worker(graphs);
  const uint32_t rank = w->rank;
  const cli_placement mine = examine();
  placement_type type;
  *placements = rank == 0 ? calloc(CLI_PLACEMENTS, sizeof **placements) : NULL;
  scree_status status = cli_ready(graphs, rank != 0 || *placements, "the placement of the ranks");
  if (!status) status = cli_registered(graphs, placement_register(scree_world_of(w), placements, &type));
  if (!status) status = scree_begin(w);
  for (uint32_t i = 0; !status && rank < CLI_PLACEMENTS && i < sizeof mine / 8; i++) {
    placement_word item = {.rank = rank, .index = i};
    memcpy(&item.word, (const char *)&mine + 8 * i, 8);
    placement_send(w, type, 0, item);
  }
  return status ? status : scree_end(w, NULL);
}
