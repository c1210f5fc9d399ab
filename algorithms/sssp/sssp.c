/* sssp.c - the kernel of single-source shortest paths: its record, and what its variants share. */
#include <scree/sssp.h>

#include <math.h>

#include "kernel/memory.h"
#include "sssp/range.h"
#include "sssp/tasks.h"
#include "sssp/variants.h"

/* In the order of SCREE_SSSP_QUEUE_BUCKETS, ... */
const scree__queue_kind *const scree__sssp_queues[] = {&scree__queue_buckets, &scree__queue_dary};

static const scree__variant *const variants[] = {&scree__sssp_auto,
                                                 &scree__sssp_opt,
                                                 &scree__sssp_horizon,
                                                 &scree__sssp_dc,
                                                 &scree__sssp_dc_hybrid,
                                                 &scree__sssp_delta,
                                                 &scree__sssp_delta_sort,
                                                 &scree__sssp_kla,
                                                 &scree__sssp_chaotic,
                                                 &scree__sssp_dc_tasks,
                                                 &scree__sssp_delta_tasks,
                                                 &scree__sssp_chaotic_tasks,
                                                 NULL};

/* ---- what all variants share ---- */

/* The table of bounds takes 4 bytes per vertex of the whole graph. There is none where that is not worth its memory
 * (whole.h), or where there is no memory: without it the answers are the same. */
static uint32_t *new_bound(const scree__run *run) {
  uint64_t slots = scree_graph_slots(run->graph), bytes = slots * sizeof(uint32_t);
  if (!scree__whole_pays(run->graph, bytes)) return NULL;
  uint32_t *bound = scree__run_alloc(run, (size_t)bytes);
  if (!bound) run->memory->lacking = false;
  for (uint64_t i = 0; bound && i < slots; i++) bound[i] = scree__bound_up(INFINITY);
  return bound;
}

/* Where the variant has a cache, that is used if requested, or without the table. */
static bool choose_pruning(scree__run *run, scree__sssp *s) {
  const scree_sssp_options *o = run->options;
  const uint64_t pruning = o->no_pruning ? SCREE_PRUNING_OFF : o->pruning;
  s->apply = pruning != SCREE_PRUNING_OFF;
  if (!run->result[0]) return true;
  if (s->apply && !(run->reduced && pruning == SCREE_PRUNING_CACHE)) s->bound = new_bound(run);
  return !run->reduced || scree__run_prune(run, pruning, s->bound != NULL, &s->cached);
}

/* A run without arrays makes the orderings alone. */
static scree_status setup(scree__run *run) {
  const scree_sssp_options *o = run->options;
  scree__sssp *s = run->shared;
  s->delta = o->delta == SCREE_UNSET_REAL ? 0 : o->delta;
  s->fixed = s->delta != 0;
  return scree__run_ready(run, choose_pruning(run, s), "a run");
}

static scree_status finish(scree__run *run) {
  run->figure[0] = scree__sssp_of(run)->delta;
  return scree__sssp_check_range(run);
}

static scree_status validate(const scree_graph *graph, uint64_t source, const void *options, const scree_answer *answer,
                             scree_verdict *verdict) {
  (void)options;
  return scree_sssp_validate(graph, source, answer->array[0], verdict);
}

const scree__kernel scree__kernel_sssp = {
    .about = {.name = "sssp",
              .help = "single-source shortest paths",
              .source = true,
              .weights = true,
              .arrays = {{"distance", SCREE_VALUE_DISTANCE, true}, {"parent", SCREE_VALUE_VERTEX, false}},
              .figures = {"delta"},
              .options_name = "scree_sssp_options",
              .options_init = "SCREE_SSSP_OPTIONS_INIT",
              .options_size = sizeof(scree_sssp_options)},
    .variants = variants,
    .setup = setup,
    .finish = finish,
    .validate = validate,
    .passes = 3.5,
    .shared = sizeof(scree__sssp),
    .kept = sizeof(scree__sssp_kept),
    .memory = {.saving_bits = 32},
};
