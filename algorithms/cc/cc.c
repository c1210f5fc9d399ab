/* cc.c - the public face of the variants of connected components.
 *
 * Room: types, the table of variants, choice by name, timing, the answer's memory. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cc/run.h"
#include "common/work.h"
#include "graph/internal.h"

static const scree__cc_variant *const variants[] = {&scree__cc_afforest, &scree__cc_label};
enum { VARIANTS = sizeof variants / sizeof *variants };

struct scree_cc {
  scree_graphs *graphs;
  cc_link_type link;
  cc_ask_type ask;
  scree__cc_run *run; /* in progress */
};

static void on_links(scree_worker *w, const scree_batch *batch, const scree__cc_link *items, void *arg) {
  (void)w;
  scree__cc_run *run = ((scree_cc *)arg)->run;
  run->take_links(run, items, batch->count);
}
SCREE_HANDLER(cc_link, scree__cc_link, on_links);

static void on_asks(scree_worker *w, const scree_batch *batch, const scree__cc_ask *items, void *arg) {
  (void)w;
  scree__cc_run *run = ((scree_cc *)arg)->run;
  run->take_asks(run, batch->source, items, batch->count);
}
SCREE_HANDLER(cc_ask, scree__cc_ask, on_asks);

static scree_status register_types(scree_cc *cc) {
  scree_world *world = scree_world_of(scree_graphs_worker(cc->graphs));
  scree_status status = cc_link_register(world, cc, &cc->link);
  if (status == SCREE_OK) status = cc_ask_register(world, cc, &cc->ask);
  return scree_graphs_agree(cc->graphs, status, "%s", scree_error_text(world));
}

scree_status scree_cc_open(scree_graphs *graphs, scree_cc **cc) {
  scree_cc *c = calloc(1, sizeof *c);
  scree_status status = scree_graphs_agree(graphs, c ? SCREE_OK : SCREE_ENOMEM, "no memory for an algorithm's types");
  if (status == SCREE_OK) {
    c->graphs = graphs;
    status = register_types(c);
  }
  if (status)
    free(c);
  else
    *cc = c;
  return status;
}

void scree_cc_close(scree_cc *cc) {
  free(cc);
}

const scree_algorithm *scree_cc_algorithm_at(size_t i) {
  return i < VARIANTS ? &variants[i]->about : NULL;
}

static scree_status find(const scree_cc *cc, const char *name, const scree__cc_variant **variant) {
  for (size_t i = 0; i < VARIANTS; i++)
    if (!name || strcmp(name, variants[i]->about.name) == 0) return *variant = variants[i], SCREE_OK;
  return scree_graphs_agree(cc->graphs, SCREE_EINVAL, "algorithm '%s' is unknown; known are: %s, %s", name,
                            variants[0]->about.name, variants[1]->about.name);
}

/* ---- one run ---- */

static scree_cc_result *new_result(const scree_graph *graph) {
  scree_cc_result *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->locals = graph->locals;
  r->component = scree__graph_array(graph->graphs, ((size_t)graph->locals + 1) * sizeof *r->component);
  return r;
}

void scree_cc_free(scree_cc_result *result) {
  if (!result) return;
  scree_huge_free(result->component);
  free(result);
}

static scree_status solve(const scree__cc_variant *variant, scree__cc_run *run, scree_cc_result *r) {
  scree_status status = variant->enter(run);
  double start = scree__seconds();
  if (status == SCREE_OK) status = variant->solve(run);
  r->seconds = scree__seconds() - start;
  variant->leave(run);
  if (status) return status;
  r->algorithm = variant->about.name;
  r->work = run->work;
  status = scree__work_sum(run->graph->graphs, &r->work, &r->seconds);
  return status ? status : scree__cc_count(run, &r->components, &r->largest);
}

scree_status scree_cc_run(scree_cc *cc, const scree_graph *graph, const scree_cc_options *options,
                          scree_cc_result **result) {
  const scree__cc_variant *variant = NULL;
  scree_status status = find(cc, options ? options->algorithm : NULL, &variant);
  if (status) return status;
  scree_cc_result *r = new_result(graph);
  status = scree_graphs_agree(cc->graphs, r && r->component ? SCREE_OK : SCREE_ENOMEM,
                              "rank %u: no memory for the answer on %llu vertices; use more ranks or a smaller graph",
                              scree_graph_rank(graph), (unsigned long long)graph->locals);
  scree__cc_run run = {.worker = scree_graphs_worker(cc->graphs), .graph = graph, .link = cc->link, .ask = cc->ask};
  if (status == SCREE_OK) {
    run.component = r->component;
    cc->run = &run;
    status = solve(variant, &run, r);
    cc->run = NULL;
  }
  if (status)
    scree_cc_free(r);
  else
    *result = r;
  return status;
}
