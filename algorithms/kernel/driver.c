/* driver.c - registers, chooses, runs and counts any variant of any kernel. Of all here only `on_batch` is called
 * often. */
#include <math.h>
#include <scree/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/consensus.h"
#include "kernel/kernel.h"
#include "kernel/memory.h"
#include "kernel/work.h"

/* The context of a handler. */
typedef struct {
  scree_solver *solver;
  void (*take)(scree__run *run, uint32_t sender, const void *items, uint32_t count);
} receiver;

/* The message types of a variant. */
typedef struct {
  bool registered;
  uint32_t types[SCREE__MESSAGES_MAX];
  receiver receivers[SCREE__MESSAGES_MAX];
} registration;

struct scree_solver {
  scree_graphs *graphs;
  const scree__kernel *kernel;
  registration *of; /* each variant of the kernel */
  scree__run *run;  /* in progress, of the first worker; those of other endpoints follow. NULL: none */
  void *options;    /* of the run, complete */
  void *kept;       /* of the kernel, or NULL */
  scree__run_memory memory;
  uint64_t runs;      /* that are expected; 0: not known */
  const char *reason; /* why the variant of the run was chosen; NULL: by name, or by the graph alone */
};

static scree_world *world_of(const scree_graphs *graphs) {
  return scree_world_of(scree_graphs_worker(graphs));
}

static void on_batch(scree_worker *worker, const scree_batch *batch, const void *items, void *arg) {
  const receiver *r = arg;
  scree__run *run = r->solver->run + worker->index;
  uint64_t begun = scree__ticks();
  run->worker = worker; /* only its handlers know a progress thread's */
  r->take(run, batch->source, items, batch->count);
  run->handler_ticks += scree__ticks() - begun;
  run->batches++;
}

/* ---- registration and choice ---- */

static scree_type_desc describe(scree_solver *solver, size_t i, size_t k) {
  const scree__variant *variant = solver->kernel->variants[i];
  const scree__message *m = &variant->messages[k];
  solver->of[i].receivers[k] = (receiver){solver, m->take};
  const uint32_t routed = variant->flags[k] & SCREE_TO_WORKER ? 0 : SCREE_ROUTED;
  const uint32_t flags = variant->flags[k] | (m->reduction ? SCREE_UNREDUCED : 0);
  return (scree_type_desc){.size = sizeof(scree_type_desc),
                           .name = m->name,
                           .item = m->item,
                           .flags = flags | routed,
                           .fn = on_batch,
                           .arg = &solver->of[i].receivers[k],
                           .sort = variant->sort[k],
                           .reduction = m->reduction ? m->reduction() : NULL};
}

/* Registers the types of a variant that has not run yet. */
static scree_status register_types(scree_solver *solver, size_t i) {
  const scree__message *messages = solver->kernel->variants[i]->messages;
  scree_type_desc descs[SCREE__MESSAGES_MAX];
  uint32_t count = 0;
  if (solver->of[i].registered) return SCREE_OK;
  for (; count < SCREE__MESSAGES_MAX && messages[count].name; count++) descs[count] = describe(solver, i, count);
  scree_status status = scree_register_all(world_of(solver->graphs), descs, count, solver->of[i].types);
  if (status) return scree_graphs_agree(solver->graphs, status, "%s", scree_error_text(world_of(solver->graphs)));
  solver->of[i].registered = true;
  return SCREE_OK;
}

static size_t count_variants(const scree_kernel *kernel) {
  size_t count = 0;
  while (scree_kernel_variant_at(kernel, count)) count++;
  return count;
}

scree_status scree_solver_open(scree_graphs *graphs, const scree_kernel *kernel, scree_solver **solver) {
  if (!graphs || !solver) return scree__given(graphs, false, __func__, "place for the solver");
  if (!kernel)
    return scree_graphs_agree(graphs, SCREE_EINVAL,
                              "rank %u: the kernel is NULL: scree_kernel_find knows none of the name it was given; "
                              "scree_kernel_at lists those that there are",
                              (unsigned)scree_graphs_worker(graphs)->rank);
  if (kernel->arrays[SCREE_ARRAYS_MAX].name)
    return scree_graphs_agree(graphs, SCREE_EINVAL,
                              "%s has more than %d arrays: raise SCREE_ARRAYS_MAX in scree/kernel.h", kernel->name,
                              SCREE_ARRAYS_MAX);
  scree_solver *s = calloc(1, sizeof *s);
  const size_t kept = scree__kernel_of(kernel)->kept;
  if (s) s->kernel = scree__kernel_of(kernel); /* closing needs it, also if another rank has no memory */
  if (s) s->options = malloc(kernel->options_size);
  if (s && kept) s->kept = calloc(1, kept);
  if (s) s->of = calloc(count_variants(kernel), sizeof *s->of);
  const bool ready = s && s->options && s->of && (s->kept || !kept);
  scree_status status = scree_graphs_agree(graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                                           "rank %u: no memory for a solver of %s; free memory on this host",
                                           (unsigned)scree_graphs_worker(graphs)->rank, kernel->name);
  if (status) {
    scree_solver_close(s);
    return status;
  }
  s->graphs = graphs;
  *solver = s;
  return SCREE_OK;
}

void scree_solver_close(scree_solver *solver) {
  if (!solver) return;
  if (solver->kept && solver->kernel->release) solver->kernel->release(solver->kept);
  free(solver->kept);
  free(solver->options);
  free(solver->of);
  free(solver);
}

void scree_solver_expect(scree_solver *solver, uint64_t runs) {
  if (solver) solver->runs = runs;
}

static scree_status missing(const scree_solver *solver, const char *call, const char *what) {
  return scree__given(solver ? solver->graphs : NULL, false, call, what);
}

static scree_status complete_options(scree_solver *solver, const void *options) {
  char why[512] = "";
  if (scree__kernel_options_complete(&solver->kernel->about, options, solver->options, why, sizeof why) == 0)
    return SCREE_OK;
  return scree_graphs_agree(solver->graphs, SCREE_EINVAL, "%s", why);
}

static scree_status find_variant(scree_solver *solver, const scree_graph *graph, size_t *index) {
  const char *name = ((const scree_kernel_options *)solver->options)->algorithm;
  solver->reason = NULL;
  const scree__variant *const *variants = solver->kernel->variants;
  char known[SCREE__TEXT_MAX / 2] = "";
  size_t i = 0;
  for (; variants[i] && name && strcmp(name, variants[i]->about.name) != 0; i++) {
    if (i) strncat(known, ", ", sizeof known - strlen(known) - 1);
    strncat(known, variants[i]->about.name, sizeof known - strlen(known) - 1);
  }
  if (!variants[i])
    return scree_graphs_agree(solver->graphs, SCREE_EINVAL, "algorithm '%s' is unknown; known are: %s", name, known);
  if (variants[i]->choose) {
    const scree__variant *chosen = variants[i]->choose(graph, solver->options, solver->runs, &solver->reason);
    for (i = 0; variants[i] != chosen;) i++;
  }
  *index = i;
  return SCREE_OK;
}

/* A progress thread handles messages beside the rank, which few variants expect. */
static scree_status check_progress(const scree_solver *solver, size_t index) {
  if (scree_options_of(world_of(solver->graphs))->progress != SCREE_PROGRESS_FULL) return SCREE_OK;
  if (solver->kernel->variants[index]->progress) return SCREE_OK;
  return scree_graphs_agree(
      solver->graphs, SCREE_EINVAL,
      "progress=full: the handlers of the algorithm '%s' are not made for a progress thread: set the "
      "option progress to none",
      solver->kernel->variants[index]->about.name);
}

scree_status scree__run_undirected(scree__run *run) {
  if (!run->graph->directed) return SCREE_OK;
  return scree_graphs_agree(run->graph->graphs, SCREE_EINVAL,
                            "%s is about edges without a direction, and this graph is directed: load it with "
                            "--undirected (SCREE_UNDIRECTED), which adds the reverse of each arc",
                            run->kernel->about.name);
}

/* ---- the arrays of an answer ---- */

/* They are written as a whole, so no run waits for their pages later. */
static bool new_arrays(const scree__kernel *kernel, const scree_graph *graph, scree_answer *answer) {
  answer->locals = graph->locals;
  const size_t bytes = ((size_t)graph->locals + 1) * sizeof(uint64_t);
  for (size_t i = 0; kernel->about.arrays[i].name; i++) {
    if (!(answer->array[i] = scree__graphs_alloc_kept(graph->graphs, bytes, false))) return false;
    memset(answer->array[i], 0, bytes);
  }
  return true;
}

void scree_answer_free(scree_answer *answer) {
  if (!answer) return;
  for (size_t i = 0; i < SCREE_ARRAYS_MAX; i++) scree_huge_free(answer->array[i]);
  *answer = (scree_answer){0};
}

/* Not reached: what a vertex has at first. The source is its own parent, at a distance of 0. */
static void place_source(scree__run *run, const scree_kernel_array *arrays, uint64_t source) {
  const double infinity = INFINITY;
  const int64_t no_level = -1;
  const uint64_t no_vertex = SCREE_NO_VERTEX, n = run->graph->locals;
  scree_location at = scree_graph_location(run->graph, source);
  run->has_source = scree_location_owner(at) == scree_graph_rank(run->graph);
  run->source = (uint32_t)scree_location_local(at);
  for (size_t i = 0; arrays[i].name; i++) {
    double *distance = run->result[i];
    int64_t *level = run->result[i];
    uint64_t *vertex = run->result[i];
    const scree_value_kind kind = arrays[i].kind;
    for (uint64_t u = 0; kind == SCREE_VALUE_DISTANCE && u < n; u++) distance[u] = infinity;
    for (uint64_t u = 0; kind == SCREE_VALUE_LEVEL && u < n; u++) level[u] = no_level;
    for (uint64_t u = 0; kind == SCREE_VALUE_VERTEX && u < n; u++) vertex[u] = no_vertex;
    if (run->has_source) vertex[run->source] = kind == SCREE_VALUE_VERTEX ? source : 0;
  }
}

static scree_status check_source(const scree_solver *solver, const scree_graph *graph, uint64_t source) {
  uint64_t n = graph->vertices.n;
  if (source < n) return SCREE_OK;
  return scree_graphs_agree(solver->graphs, SCREE_EINVAL,
                            "the source is vertex %llu; legal: 0 to %llu, the vertices of the graph",
                            (unsigned long long)source, (unsigned long long)n - 1);
}

void scree__run_watch(scree__run *run) {
  run->watched = scree__ticks();
  if (run->watch.fn) run->watch.fn(&run->work, run->watch.arg);
}

/* ---- the run ---- */

/* Threads of each rank, one run each. */
static uint32_t runs_of(const scree__run *run, const scree__variant *variant) {
  return variant->workers ? scree__run_endpoints(run) : 1;
}

/* The others begin with a copy of the first worker's values. */
static void follow(scree__run *runs, const scree__variant *variant) {
  scree_world *world = scree_world_of(runs[0].worker);
  for (uint32_t w = 1; w < runs_of(runs, variant); w++) {
    runs[w] = runs[0];
    runs[w].worker = scree_worker_of(world, w);
  }
}

static scree_status set_up(scree_solver *solver, const scree__variant *variant, scree__run *run) {
  scree_status status = solver->kernel->setup ? solver->kernel->setup(run) : SCREE_OK;
  follow(run, variant);
  return status == SCREE_OK && variant->setup ? variant->setup(run) : status;
}

static void tear_down(const scree__variant *variant, scree__run *run) {
  if (variant->teardown) variant->teardown(run);
  if (run->reduced) scree__run_reduce(run, false);
}

/* The run of the first worker, with its state; `ready`: what else it needs is there. Collective. */
static scree_status new_run(scree_solver *solver, size_t index, const scree_graph *graph, bool ready, scree__run *run) {
  const scree__variant *variant = solver->kernel->variants[index];
  *run = (scree__run){.worker = scree_graphs_worker(solver->graphs),
                      .graph = graph,
                      .types = solver->of[index].types,
                      .reduced = variant->messages[0].reduction != NULL,
                      .options = solver->options,
                      .kept = solver->kept,
                      .kernel = solver->kernel,
                      .memory = &solver->memory,
                      .runs = solver->runs,
                      .reason = solver->reason,
                      .watch = ((const scree_kernel_options *)solver->options)->watch};
  run->shared = solver->kernel->shared ? scree__run_alloc(run, solver->kernel->shared) : NULL;
  run->own = variant->own ? scree__run_alloc(run, variant->own) : NULL;
  solver->run = run;
  return scree__run_ready(run, ready, "a run");
}

static void end_run(scree_solver *solver) {
  scree__run_memory_free(&solver->memory, solver->graphs);
  solver->run = NULL;
}

static scree_status solve(scree_solver *solver, const scree__variant *variant, scree__run *run, uint64_t source,
                          scree_answer *answer) {
  memcpy(run->result, answer->array, sizeof run->result);
  if (solver->kernel->about.source) place_source(run, solver->kernel->about.arrays, source);
  const unsigned made = scree__orderings_made(run->graph);
  const double begun = scree__seconds();
  scree_status status = set_up(solver, variant, run);
  answer->preparation_seconds = scree__seconds() - begun;
  if (status == SCREE_OK) status = scree__solve_timed(run, variant, runs_of(run, variant), answer);
  if (status == SCREE_OK && solver->kernel->finish) status = solver->kernel->finish(run);
  tear_down(variant, run);
  answer->algorithm = variant->about.name;
  answer->reason = run->reason;
  answer->prepared = scree__ordering_names(run->graph, scree__orderings_made(run->graph) & ~made);
  answer->preparation_reason = run->preparation_reason;
  answer->pruning = run->pruning;
  answer->sums = run->sums;
  answer->saving_reason = run->saving_reason;
  answer->passes = run->passes;
  answer->workers = variant->workers ? run->worker->threads : 1;
  memcpy(answer->figure, run->figure, sizeof answer->figure);
  return status;
}

/* All ranks are ready, and run the same variant, which has its types from now on: else ranks would wait for each other
 * in different places. Collective. */
static scree_status begin(scree_solver *solver, size_t index, scree_status ready) {
  const scree__variant *const *variants = solver->kernel->variants;
  const scree_worker *worker = scree_graphs_worker(solver->graphs);
  scree_reduce all = {.sum = {index}, .max = index};
  scree_status status = scree__consensus_by_key(solver->graphs, ready, worker->rank, &all);
  if (status == SCREE_OK && all.sum[0] != all.max * worker->ranks)
    status = scree_graphs_agree(solver->graphs, index == all.max ? SCREE_OK : SCREE_EINVAL,
                                "the option algorithm is %s on rank %u and %s on others: give all ranks the same",
                                variants[index]->about.name, (unsigned)worker->rank, variants[all.max]->about.name);
  return status ? status : register_types(solver, index);
}

scree_status scree_solver_run(scree_solver *solver, const scree_graph *graph, uint64_t source, const void *options,
                              scree_answer *answer) {
  if (!solver || !graph || !answer) return missing(solver, __func__, graph ? "place for the answer" : "graph");
  size_t index;
  scree_answer a = {0};
  scree__run runs[SCREE_THREADS_MAX + 1];
  scree_status status = complete_options(solver, options);
  if (status == SCREE_OK) status = find_variant(solver, graph, &index);
  if (status == SCREE_OK) status = check_progress(solver, index);
  if (status == SCREE_OK && solver->kernel->about.source) status = check_source(solver, graph, source);
  if (status == SCREE_OK)
    status = begin(
        solver, index,
        scree__run_memory_check(solver->kernel, solver->kernel->variants[index], graph, solver->runs, solver->options));
  if (status) return status;
  status = new_run(solver, index, graph, new_arrays(solver->kernel, graph, &a), runs);
  if (status == SCREE_OK) status = solve(solver, solver->kernel->variants[index], runs, source, &a);
  end_run(solver);
  if (status)
    scree_answer_free(&a);
  else
    *answer = a;
  return status;
}

scree_status scree_solver_prepare(scree_solver *solver, const scree_graph *graph, const void *options) {
  if (!solver || !graph) return missing(solver, __func__, "graph");
  size_t index;
  scree__run runs[SCREE_THREADS_MAX + 1];
  scree_status status = complete_options(solver, options);
  if (status == SCREE_OK) status = find_variant(solver, graph, &index);
  if (status == SCREE_OK) status = check_progress(solver, index);
  if (status == SCREE_OK) status = begin(solver, index, SCREE_OK);
  if (status) return status;
  status = new_run(solver, index, graph, true, runs);
  if (status == SCREE_OK) {
    status = set_up(solver, solver->kernel->variants[index], runs);
    tear_down(solver->kernel->variants[index], runs);
  }
  end_run(solver);
  return status;
}

scree_status scree_solver_validate(scree_solver *solver, const scree_graph *graph, uint64_t source, const void *options,
                                   const scree_answer *answer, scree_verdict *verdict) {
  if (!solver || !graph || !answer || !verdict)
    return missing(solver, __func__, !graph ? "graph" : answer ? "place for the verdict" : "answer");
  scree_status status = complete_options(solver, options);
  if (!status && solver->kernel->check) return solver->kernel->check(solver->graphs, solver->kept, verdict);
  return status ? status : solver->kernel->validate(graph, source, solver->options, answer, verdict);
}
