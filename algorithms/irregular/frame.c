/* frame.c - what the driver of kernels calls of an irregular one: the first run opens tasks and global memory in the
 * world. */
#include "irregular/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/host.h"

static const scree__irregular_methods *methods_of(const scree__run *run) {
  return ((const scree__irregular_record *)run->kernel)->methods;
}

/* The status of the world, with its text. Collective. */
static scree_status agree(scree_graphs *graphs, scree_status status) {
  scree_world *world = scree_world_of(scree_graphs_worker(graphs));
  return scree_graphs_agree(graphs, status, "%s", status ? scree_error_text(world) : "");
}

static size_t form_of(const scree__run *run, const char *algorithm) {
  const scree__variant *const *variants = run->kernel->variants;
  size_t i = 0;
  while (algorithm && variants[i + 1] && strcmp(variants[i]->about.name, algorithm) != 0) i++;
  return i;
}

static scree_status open_world(scree__irregular *k, uint64_t heap) {
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  scree_global_options global = SCREE_GLOBAL_OPTIONS_INIT;
  tasks.steal = k->options->steal;
  tasks.task_live = k->options->task_live;
  global.global_direct = k->options->global_direct;
  global.global_heap = heap;
  scree_status status = scree_tasks_open(k->world, &tasks);
  return status ? status : scree_global_open(k->world, &global);
}

/* ---- an allocation for all ranks ---- */

typedef struct {
  uint64_t bytes, policy;
} make_args;
SCREE_TASK(maker, make_args);
SCREE_TASK(sharer, scree_global);
struct scree__irregular_types {
  maker_type maker;
  sharer_type sharer;
};

static void run_sharer(scree_task *self, const scree_global *array) {
  scree__irregular_kept *kept = scree_task_arg(self);
  kept->k.shared = *array;
}
SCREE_TASK_BODY(sharer, scree_global, run_sharer);

static void run_maker(scree_task *self, const make_args *args) {
  const scree__irregular_kept *kept = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  scree_global array;
  if (scree_global_alloc(self, args->bytes, (scree_global_policy)args->policy, &array)) return;
  for (uint32_t r = 0; r < w->ranks; r++)
    sharer_spawn_on(w, kept->types->sharer, NULL, scree_worker_number(w, r, 0), array);
}
SCREE_TASK_BODY(maker, make_args, run_maker);

scree_status scree__irregular_alloc(scree__irregular *k, uint64_t bytes, scree_global_policy policy,
                                    scree_global *array) {
  const scree__irregular_kept *kept = (const scree__irregular_kept *)k;
  scree_worker *w = scree_worker_of(k->world, 0);
  k->shared.bytes = 0;
  scree_status status = scree_begin(w);
  if (!status && w->rank == 0) maker_spawn(w, kept->types->maker, NULL, (make_args){bytes, policy});
  if (!status) status = scree_end(w, NULL);
  *array = k->shared;
  return !status && k->shared.bytes == 0 ? SCREE_ENOMEM : status;
}

uint64_t scree__irregular_words(const scree__irregular *k, const scree_global *array,
                                uint64_t (*at)(const void *state, uint64_t *word, uint64_t i)) {
  const uint32_t rank = scree_worker_of(k->world, 0)->rank;
  const scree_address base = scree_global_at(k->map, array, 0, 0);
  const uint64_t first = scree_global_below(k->map, base, rank),
                 end = scree_global_below(k->map, base + array->bytes, rank);
  uint64_t sum = 0;
  for (uint64_t o = first; o < end; o += 8)
    sum += at(k->state, scree_global_local(k->map, scree_global_address(rank, o)),
              (scree_global_linear(k->map, rank, o) - base) / 8);
  return sum;
}

bool scree__irregular_holds(scree__irregular *k, uint64_t bytes) {
  k->by_law = bytes > k->options->validate_memory;
  return !k->by_law;
}

/* ---- hooks ---- */

/* Half of the memory is enough for all ranks of this node; else says so. */
static bool fits(const scree_world *world, const scree__irregular_plan *plan, char *why, size_t size) {
  const uint64_t memory = scree__memory_limit(""), ranks = scree_node_ranks(world), each = plan->heap + plan->own;
  if (each <= memory / 2 / ranks) return true;
  snprintf(why, size,
           "%s of global memory and %s beside it on each of the %" PRIu64
           " ranks of this node are more than half of its memory, which is %s: take a smaller size or more nodes",
           scree__bytes_format((double)plan->heap).text, scree__bytes_format((double)plan->own).text, ranks,
           scree__bytes_format((double)memory).text);
  return false;
}

/* In the first run. */
static scree_status open(scree__run *run, scree__irregular_kept *kept, uint64_t heap) {
  scree_graphs *graphs = run->graph->graphs;
  scree__irregular *k = &kept->k;
  kept->methods = methods_of(run);
  k->world = scree_world_of(run->worker);
  const size_t bytes = (kept->methods->state + 127) / 128 * 128; /* workers have cache lines of their own in it */
  k->state = aligned_alloc(128, bytes);
  if (k->state) memset(k->state, 0, bytes);
  kept->types = calloc(1, sizeof *kept->types);
  scree_status status = scree_graphs_agree(graphs, k->state && kept->types ? SCREE_OK : SCREE_ENOMEM,
                                           "no memory for the state of %s", run->kernel->about.name);
  if (!status) status = agree(graphs, open_world(k, heap));
  if (!status) status = agree(graphs, maker_register(k->world, kept, &kept->types->maker));
  if (!status) status = agree(graphs, sharer_register(k->world, kept, &kept->types->sharer));
  if (status) return status;
  k->map = scree_global_map_of(k->world);
  return kept->methods->open ? agree(graphs, kept->methods->open(k)) : SCREE_OK;
}

scree_status scree__irregular_setup(scree__run *run) {
  scree__irregular_kept *kept = run->kept;
  scree__irregular_plan plan = {
      .ranks = run->worker->ranks, .threads = run->worker->threads, .world = scree_world_of(run->worker)};
  plan.form = form_of(run, ((const scree__irregular_options *)run->options)->algorithm);
  scree_graphs *graphs = run->graph->graphs;
  char why[256] = "";
  const scree__irregular_options *given = run->options;
  const size_t from = offsetof(scree__irregular_options, steal);
  const bool same = !kept->k.world ||
                    memcmp((const char *)given + from, (const char *)&kept->options + from, sizeof *given - from) == 0;
  kept->options = *given;
  kept->k.options = &kept->options;
  kept->k.form = plan.form;
  const bool legal = methods_of(run)->plan(&kept->options, &plan, why, sizeof why) &&
                     (kept->k.world || fits(scree_world_of(run->worker), &plan, why, sizeof why));
  if (!same) snprintf(why, sizeof why, "the options of its first run hold for all runs: open another world for others");
  scree_status status =
      scree_graphs_agree(graphs, legal && same ? SCREE_OK : SCREE_EINVAL, "%s: %s", run->kernel->about.name, why);
  if (!status && !kept->k.world) status = open(run, kept, plan.heap);
  return status || !kept->methods->prepare ? status : agree(graphs, kept->methods->prepare(&kept->k));
}

scree_status scree__irregular_solve(scree__run *run) {
  scree__irregular_kept *kept = run->kept;
  kept->k.items = 0;
  memset(kept->k.figure, 0, sizeof kept->k.figure);
  scree_status status = kept->methods->run(&kept->k);
  if (status) return agree(run->graph->graphs, status);
  memcpy(run->figure, kept->k.figure, sizeof run->figure);
  run->passes = kept->k.items;
  run->work.epochs++;
  return SCREE_OK;
}

scree_status scree__irregular_check(scree_graphs *graphs, void *kept_, scree_verdict *verdict) {
  scree__irregular_kept *kept = kept_;
  scree_reduce all = {.min = UINT64_MAX};
  kept->k.by_law = false;
  scree_status status = agree(graphs, kept->methods->check(&kept->k, &all.sum[0]));
  if (!status) status = scree_graphs_reduce(graphs, &all);
  *verdict = (scree_verdict){.valid = all.sum[0] == 0, .rule = all.sum[0] != 0};
  if (!verdict->valid)
    snprintf(verdict->text, sizeof verdict->text, "%" PRIu64 " %s", all.sum[0], kept->methods->wrong);
  else if (kept->k.by_law)
    snprintf(verdict->text, sizeof verdict->text,
             "a serial replay takes more than the %s of --validate-memory; checked instead: %s",
             scree__bytes_format((double)kept->options.validate_memory).text, kept->methods->law);
  return status;
}

void scree__irregular_release(void *kept_) {
  scree__irregular_kept *kept = kept_;
  if (kept->k.state && kept->methods->close) kept->methods->close(&kept->k);
  free(kept->k.state);
  free(kept->types);
}
