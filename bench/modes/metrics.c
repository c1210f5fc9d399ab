/* metrics.c - what the kernels do inside, as Table 2 of Nelson et al. (USENIX ATC 2015): messages, blocks, tasks,
 * switches, steals; and, as their Figure 8, throughput, latency of a get and idle time of a tree in global memory, by
 * how many tasks of a worker live at once. Each kernel runs once to warm up, and once more. */
#include <scree/global.h>
#include <string.h>

#include "irregular/irregular.h"
#include "kernel_side.h"
#include "modes.h"

const scree_kernel *bench_irregular(const char *name) {
  const scree_kernel *k;
  for (size_t i = 0; (k = scree__irregular_at(i)); i++)
    if (strcmp(k->name, name) == 0) return k;
  return NULL;
}

enum {
  MESSAGES,
  BYTES,
  BLOCKS,
  RUN,
  SWITCHES,
  TRIES,
  WON,
  IDLE,
  EPOCH,
  ANSWERED,
  WAIT,
  LIVE,
  SLICES,
  LIVE_SUM,
  READY_SUM,
  METRICS
};

/* Of this rank, since its world was opened. */
static void read_metrics(const scree_world *world, double *m) {
  scree_stats all = {.size = sizeof all};
  scree_tasks_stats tasks = {.size = sizeof tasks};
  scree_global_stats global = {.size = sizeof global};
  scree_lane_stats lane = {.size = sizeof lane};
  scree_stats_read(world, &all);
  scree_tasks_stats_read(world, &tasks);
  scree_global_stats_read(world, &global);
  m[MESSAGES] = m[BYTES] = 0;
  for (uint32_t type = 1; scree_stats_lane(world, type, 0, &lane) == SCREE_OK; type++)
    for (uint32_t dest = 0; scree_stats_lane(world, type, dest, &lane) == SCREE_OK; dest++)
      m[MESSAGES] += (double)lane.items, m[BYTES] += (double)lane.bytes;
  m[BLOCKS] = (double)all.created;
  m[RUN] = (double)tasks.run;
  m[SWITCHES] = (double)tasks.switches;
  m[TRIES] = (double)(tasks.tries_here + tasks.tries_elsewhere);
  m[WON] = (double)(tasks.steals_here + tasks.steals_elsewhere);
  m[IDLE] = (double)tasks.idle_ns;
  m[EPOCH] = (double)tasks.epoch_ns;
  m[ANSWERED] = (double)global.answered;
  m[WAIT] = (double)global.wait_ns;
  m[LIVE] = (double)tasks.live_peak;
  m[SLICES] = (double)tasks.slices;
  m[LIVE_SUM] = (double)tasks.live_sum;
  m[READY_SUM] = (double)tasks.ready_sum;
}

/* Means over the ranks of what the second of two runs adds; the peak is of both. */
static bool measure(bench *b, kernel_side *s, double *m, double *seconds) {
  double before[METRICS], after[METRICS];
  bool good = kernel_side_open(s);
  if (good) kernel_side_timed(s);
  if (good) good = kernel_side_check(s, 1);
  if (good) read_metrics(s->world, before);
  if (good) *seconds = kernel_side_timed(s);
  if (good) read_metrics(s->world, after);
  for (int i = 0; i < METRICS && good; i++) {
    const uint64_t mine = (uint64_t)(i == LIVE ? after[i] : after[i] - before[i]);
    uint64_t sum;
    bench_sum(&mine, &sum, 1);
    m[i] = (double)sum / b->ranks;
  }
  return good;
}

static bool metrics_row(bench *b, const char *kernel, const char *options) {
  kernel_side s = {
      .kernel = bench_irregular(kernel), .transport = bench_has("shm") ? "shm" : "mpi", .options = options};
  double m[METRICS], seconds = 0;
  const bool good = measure(b, &s, m, &seconds);
  if (good)
    bench_row(b, BENCH_TEXT("kernel", "%-8s", kernel), BENCH_TEXT("options", " %-46s", options),
              BENCH_CELL("seconds", " %7.3f", seconds, 1),
              BENCH_CELL("messages", " %8.3f", m[MESSAGES] / seconds, 1e-6),
              BENCH_CELL("message_bytes", " %6.1f", m[MESSAGES] > 0 ? m[BYTES] / m[MESSAGES] : 0, 1),
              BENCH_CELL("blocks", " %8.1f", m[BLOCKS] / seconds, 1e-3),
              BENCH_CELL("block_bytes", " %8.0f", m[BLOCKS] > 0 ? m[BYTES] / m[BLOCKS] : 0, 1),
              BENCH_CELL("tasks", " %8.0f", m[RUN], 1),
              BENCH_CELL("live_mean", " %6.1f", m[SLICES] > 0 ? m[LIVE_SUM] / m[SLICES] : 0, 1),
              BENCH_CELL("live_peak", " %6.0f", m[LIVE], 1),
              BENCH_CELL("ready", " %6.1f", m[SLICES] > 0 ? m[READY_SUM] / m[SLICES] : 0, 1),
              BENCH_CELL("switches", " %8.3f", m[SWITCHES] / seconds, 1e-6),
              BENCH_CELL("steal_tries", " %8.2f", m[TRIES] / seconds, 1e-3),
              BENCH_CELL("steals", " %7.2f", m[WON] / seconds, 1e-3),
              BENCH_CELL("idle", " %5.1f%%", m[EPOCH] > 0 ? m[IDLE] / m[EPOCH] : 0, 100),
              BENCH_CELL("latency", " %8.2f", m[ANSWERED] > 0 ? m[WAIT] / m[ANSWERED] : 0, 1e-3));
  return kernel_side_close(&s) && good;
}

bool bench_metrics(bench *b) {
  static const char *const live[] = {"1", "4", "16", "64", "256", "512", "1024", "4096"};
  char options[96];
  bool good = true;
  if (b->rank == 0)
    printf("%-8s %-46s %7s %8s %6s %8s %8s %8s %6s %6s %6s %8s %8s %7s %6s %8s\n", "", "of each rank", "s", "messages",
           "bytes", "blocks", "bytes", "tasks", "live", "peak", "ready", "switches", "tries", "steals", "idle",
           "get us");
  good = metrics_row(b, "gups", "words=2M global-direct=off") &&
         metrics_row(b, "intsort", "class=A global-direct=off") && metrics_row(b, "uts", "tree=T1") &&
         metrics_row(b, "uts", "tree=T3");
  for (size_t i = 0; i < sizeof live / sizeof *live && good; i++) {
    snprintf(options, sizeof options, "algorithm=memory tree=T1 global-direct=off task-live=%s", live[i]);
    good = metrics_row(b, "uts", options);
  }
  return good;
}
