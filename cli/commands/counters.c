/* counters.c - statistics of the world, the lock, tasks and global memory. */
#include "commands/counters.h"

/* Over the ranks. */
static scree_status sum_up(scree_graphs *graphs, uint64_t *const *counts, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const bool two = i + 1 < n;
    scree_reduce r = {.sum = {*counts[i], two ? *counts[i + 1] : 0}, .min = UINT64_MAX};
    scree_status status = scree_graphs_reduce(graphs, &r);
    if (status) return status;
    *counts[i] = r.sum[0];
    if (two) *counts[++i] = r.sum[1];
  }
  return SCREE_OK;
}

static scree_status maximum(scree_graphs *graphs, uint64_t *count) {
  scree_reduce r = {.min = UINT64_MAX, .max = *count};
  scree_status status = scree_graphs_reduce(graphs, &r);
  *count = r.max;
  return status;
}

static scree_status sum_lock(scree_graphs *graphs, const scree_world *world, scree_lock_stats *l) {
  uint64_t *const counts[] = {&l->entries,       &l->waits,          &l->wait_ns,          &l->wasted,
                              &l->again,         &l->fair,           &l->socket_again,     &l->socket_fair,
                              &l->sampled_sends, &l->dangling_sends, &l->sampled_receives, &l->dangling_receives,
                              &l->samples};
  l->size = sizeof *l;
  scree_status status = scree_stats_lock(world, l);
  return status ? status : sum_up(graphs, counts, sizeof counts / sizeof counts[0]);
}

static scree_status sum_tasks(scree_graphs *graphs, cli_counters *c) {
  scree_tasks_stats *t = &c->tasks;
  scree_global_stats *g = &c->global;
  uint64_t *const counts[] = {&t->run,      &t->switches,         &t->tries_here, &t->tries_elsewhere, &t->steals_here,
                              &t->moved,    &t->steals_elsewhere, &t->idle_ns,    &t->epoch_ns,        &t->slices,
                              &t->live_sum, &t->ready_sum,        &g->answered,   &g->wait_ns};
  scree_status status = maximum(graphs, &t->live_peak);
  return status ? status : sum_up(graphs, counts, sizeof counts / sizeof counts[0]);
}

static uint64_t bytes_sent(const scree_world *world) {
  scree_lane_stats lane = {.size = sizeof lane};
  uint64_t bytes = 0;
  for (uint32_t type = 1; scree_stats_lane(world, type, 0, &lane) == SCREE_OK; type++)
    for (uint32_t dest = 0; scree_stats_lane(world, type, dest, &lane) == SCREE_OK; dest++) bytes += lane.bytes;
  return bytes;
}

scree_status cli_sum_counters(scree_graphs *graphs, cli_counters *c) {
  const scree_world *world = scree_world_of(scree_graphs_worker(graphs));
  scree_stats *all = &c->world;
  uint64_t *const counts[] = {&all->created, &all->completed,       &all->items_handled,      &all->batches,
                              &all->waits,   &all->overflow_blocks, &all->detection_messages, &all->passed,
                              &all->stalls,  &c->item_bytes};
  all->size = sizeof *all;
  c->tasks.size = sizeof c->tasks;
  c->global.size = sizeof c->global;
  scree_stats_read(world, all);
  c->item_bytes = bytes_sent(world);
  c->has_tasks = scree_tasks_stats_read(world, &c->tasks) == SCREE_OK;
  scree_global_stats_read(world, &c->global);
  scree_status status = maximum(graphs, &all->overflow_peak);
  if (!status) status = sum_up(graphs, counts, sizeof counts / sizeof counts[0]);
  if (!status && scree_options_of(world)->lock_sample) status = sum_lock(graphs, world, &c->lock);
  return status || !c->has_tasks ? status : sum_tasks(graphs, c);
}

/* ---- the record ---- */

static void add_lock(cJSON *o, const scree_lock_stats *lock) {
  cJSON_AddNumberToObject(o, "lock_entries", (double)lock->entries);
  cJSON_AddNumberToObject(o, "lock_waits", (double)lock->waits);
  cJSON_AddNumberToObject(o, "lock_wait_seconds", 1e-9 * (double)lock->wait_ns);
  cJSON_AddNumberToObject(o, "lock_wasted", (double)lock->wasted);
  cJSON_AddNumberToObject(o, "lock_bias", scree_lock_bias(lock));
  cJSON_AddNumberToObject(o, "lock_socket_bias", scree_lock_socket_bias(lock));
  cJSON_AddNumberToObject(o, "lock_samples", (double)lock->samples);
  cJSON_AddNumberToObject(o, "sampled_sends", (double)lock->sampled_sends);
  cJSON_AddNumberToObject(o, "dangling_sends", (double)lock->dangling_sends);
  cJSON_AddNumberToObject(o, "sampled_receives", (double)lock->sampled_receives);
  cJSON_AddNumberToObject(o, "dangling_receives", (double)lock->dangling_receives);
}

/* Nelson et al., USENIX ATC 2015, table 2 and figure 8; over `seconds`, counts are those of a worker. */
static void add_tasks(cJSON *root, const scree_tasks_stats *t, const scree_global_stats *g) {
  const double slices = t->slices ? (double)t->slices : 1;
  cJSON *o = cJSON_AddObjectToObject(root, "tasks");
  cJSON_AddNumberToObject(o, "run", (double)t->run);
  cJSON_AddNumberToObject(o, "live", (double)t->live_sum / slices);
  cJSON_AddNumberToObject(o, "live_peak", (double)t->live_peak);
  cJSON_AddNumberToObject(o, "ready", (double)t->ready_sum / slices);
  cJSON_AddNumberToObject(o, "switches", (double)t->switches);
  cJSON_AddNumberToObject(o, "tries", (double)(t->tries_here + t->tries_elsewhere));
  cJSON_AddNumberToObject(o, "steals", (double)(t->steals_here + t->steals_elsewhere));
  cJSON_AddNumberToObject(o, "moved", (double)t->moved);
  cJSON_AddNumberToObject(o, "answered", (double)g->answered);
  cJSON_AddNumberToObject(o, "answer_seconds", 1e-9 * (double)g->wait_ns);
  cJSON_AddNumberToObject(o, "idle_seconds", 1e-9 * (double)t->idle_ns);
  cJSON_AddNumberToObject(o, "seconds", 1e-9 * (double)t->epoch_ns);
}

cJSON *cli_add_counters(cJSON *root, const scree_world *world, const cli_counters *c) {
  cJSON *o = cJSON_AddObjectToObject(root, "counters");
  cJSON_AddNumberToObject(o, "epochs", (double)c->world.epochs);
  cJSON_AddNumberToObject(o, "rounds", (double)c->world.detection_rounds);
  cJSON_AddNumberToObject(o, "detection_messages", (double)c->world.detection_messages);
  cJSON_AddNumberToObject(o, "blocks", (double)c->world.created);
  cJSON_AddNumberToObject(o, "items_handled", (double)c->world.items_handled);
  cJSON_AddNumberToObject(o, "item_bytes", (double)c->item_bytes);
  cJSON_AddNumberToObject(o, "batches", (double)c->world.batches);
  cJSON_AddNumberToObject(o, "waits", (double)c->world.waits);
  cJSON_AddNumberToObject(o, "overflow_blocks", (double)c->world.overflow_blocks);
  cJSON_AddNumberToObject(o, "passed", (double)c->world.passed);
  cJSON_AddNumberToObject(o, "stalls", (double)c->world.stalls);
  if (scree_options_of(world)->lock_sample) add_lock(o, &c->lock);
  if (c->has_tasks) add_tasks(o, &c->tasks, &c->global);
  return cJSON_AddNumberToObject(o, "overflow_peak", (double)c->world.overflow_peak);
}
