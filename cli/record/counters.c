/* counters.c - statistics of the world, the lock, tasks and global memory. */
#include "record/report.h"

static uint64_t bytes_sent(const scree_world *world) {
  scree_lane_stats lane = {.size = sizeof lane};
  uint64_t bytes = 0;
  for (uint32_t type = 1; scree_stats_lane(world, type, 0, &lane) == SCREE_OK; type++)
    for (uint32_t dest = 0; scree_stats_lane(world, type, dest, &lane) == SCREE_OK; dest++) bytes += lane.bytes;
  return bytes;
}

static const scree__counter own_counters[] = {SCREE__COUNTER(cli_counters, item_bytes, SUM, ""), {0}};

static scree_status reduce(void *graphs, scree_reduce *all) {
  return scree_graphs_reduce(graphs, all);
}

scree_status cli_sum_counters(scree_graphs *graphs, cli_counters *c) {
  const scree_world *world = scree_world_of(scree_graphs_worker(graphs));
  c->world.size = sizeof c->world;
  c->lock.size = sizeof c->lock;
  c->tasks.size = sizeof c->tasks;
  c->global.size = sizeof c->global;
  scree_stats_read(world, &c->world);
  scree_stats_lock(world, &c->lock);
  c->item_bytes = bytes_sent(world);
  c->has_tasks = scree_tasks_stats_read(world, &c->tasks) == SCREE_OK;
  c->has_global = scree_global_stats_read(world, &c->global) == SCREE_OK;
  const struct {
    const scree__counter *rows;
    void *counts;
    bool counted;
  } all[] = {{scree__stats_counters, &c->world, true},
             {own_counters, c, true},
             {scree__lock_counters, &c->lock, scree_options_of(world)->lock_sample != 0},
             {scree__tasks_counters, &c->tasks, c->has_tasks},
             {scree__global_counters, &c->global, c->has_global}};
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < sizeof all / sizeof *all && !status; i++)
    if (all[i].counted) status = scree__counters_reduce(all[i].rows, all[i].counts, reduce, graphs);
  return status;
}

/* ---- the record ---- */

/* Nelson et al., USENIX ATC 2015, table 2 and figure 8; over `seconds`, counts are those of a worker. */
static void add_tasks(cJSON *root, const scree_tasks_stats *t, const scree_global_stats *g) {
  const double slices = t->slices ? (double)t->slices : 1;
  cJSON *o = cJSON_AddObjectToObject(root, "tasks");
  cli_add_counts(o, scree__tasks_counters, t);
  cJSON_AddNumberToObject(o, "live", (double)t->live_sum / slices);
  cJSON_AddNumberToObject(o, "ready", (double)t->ready_sum / slices);
  cJSON_AddNumberToObject(o, "tries", (double)(t->tries_here + t->tries_elsewhere));
  cJSON_AddNumberToObject(o, "steals", (double)(t->steals_here + t->steals_elsewhere));
  cJSON_AddNumberToObject(o, "answered", (double)g->answered);
  cJSON_AddNumberToObject(o, "answer_seconds", 1e-9 * (double)g->wait_ns);
  cJSON_AddNumberToObject(o, "idle_seconds", 1e-9 * (double)t->idle_ns);
  cJSON_AddNumberToObject(o, "seconds", 1e-9 * (double)t->epoch_ns);
}

cJSON *cli_add_counters(cJSON *root, const scree_world *world, const cli_counters *c) {
  cJSON *o = cJSON_AddObjectToObject(root, "counters");
  if (scree_options_of(world)->lock_sample) {
    cli_add_counts(o, scree__lock_counters, &c->lock);
    cJSON_AddNumberToObject(o, "lock_bias", scree_lock_bias(&c->lock));
    cJSON_AddNumberToObject(o, "lock_socket_bias", scree_lock_socket_bias(&c->lock));
  }
  if (c->has_tasks) add_tasks(o, &c->tasks, &c->global);
  if (c->has_global) cli_add_counts(cJSON_AddObjectToObject(o, "global"), scree__global_counters, &c->global);
  cli_add_counts(o, own_counters, c);
  return cli_add_counts(o, scree__stats_counters, &c->world);
}
