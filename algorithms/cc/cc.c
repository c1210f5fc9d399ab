/* cc.c - the kernel of connected components: its record, what its variants share, and the typed front. */
#include <scree/cc.h>

#include <scree/memory.h>
#include <stdlib.h>

#include "cc/run.h"
#include "kernel/driver.h"

static const scree__variant *const variants[] = {&scree__cc_afforest, &scree__cc_label, NULL};

void scree__cc_on_links(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  scree__cc_of(run)->take_links(run, items, count);
}

void scree__cc_on_requests(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__cc_of(run)->take_requests(run, sender, items, count);
}

static scree_status setup(scree__run *run) {
  run->shared = calloc(1, sizeof(scree__cc));
  return scree__run_ready(run, run->shared != NULL, "a run");
}

static scree_status finish(scree__run *run) {
  uint64_t components = 0, largest = 0;
  scree_status status = scree__cc_count(run, &components, &largest);
  run->figure[0] = (double)components;
  run->figure[1] = (double)largest;
  run->passes = 1;
  return status;
}

static void teardown(scree__run *run) {
  free(run->shared);
}

static scree_status validate(const scree_graph *graph, uint64_t source, const void *options, const scree_answer *answer,
                             scree_verdict *verdict) {
  (void)source;
  (void)options;
  return scree_cc_validate(graph, answer->array[0], verdict);
}

static double passes(const void *options) {
  (void)options;
  return 3;
}

const scree__kernel scree__kernel_cc = {
    .about = {.name = "cc",
              .help = "connected components",
              .arrays = {{"component", SCREE_VALUE_REPRESENTATIVE, true}},
              .figures = {"components", "largest"},
              .options_name = "scree_cc_options",
              .options_init = "SCREE_CC_OPTIONS_INIT",
              .options_size = sizeof(scree_cc_options)},
    .variants = variants,
    .setup = setup,
    .finish = finish,
    .teardown = teardown,
    .validate = validate,
    .passes = passes,
    .memory = {.local = 8},
};

/* ---- the typed front: a scree_cc is a scree_solver ---- */

static scree_solver *solver_of(scree_cc *cc) {
  return (scree_solver *)cc;
}

scree_status scree_cc_open(scree_graphs *graphs, scree_cc **cc) {
  scree_solver *solver;
  scree_status status = scree_solver_open(graphs, &scree__kernel_cc.about, &solver);
  if (status == SCREE_OK) *cc = (scree_cc *)solver;
  return status;
}

void scree_cc_close(scree_cc *cc) {
  scree_solver_close(solver_of(cc));
}

const scree_algorithm *scree_cc_algorithm_at(size_t i) {
  return scree_kernel_variant_at(&scree__kernel_cc.about, i);
}

scree_status scree_cc_run(scree_cc *cc, const scree_graph *graph, const scree_cc_options *options,
                          scree_cc_result **result) {
  scree_cc_result *r = calloc(1, sizeof *r);
  scree_answer a;
  scree_status status = scree__solver_run(solver_of(cc), graph, 0, options, r != NULL, &a);
  if (status) {
    free(r);
    return status;
  }
  *r = (scree_cc_result){.locals = a.locals,
                         .component = a.array[0],
                         .components = (uint64_t)a.figure[0],
                         .largest = (uint64_t)a.figure[1],
                         .algorithm = a.algorithm,
                         .seconds = a.seconds,
                         .work = a.work};
  *result = r;
  return SCREE_OK;
}

void scree_cc_free(scree_cc_result *result) {
  if (!result) return;
  scree_huge_free(result->component);
  free(result);
}
