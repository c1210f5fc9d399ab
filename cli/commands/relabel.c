/* relabel.c - the graph of a run, renumbered as --relabel says. */
#include "commands/session.h"

#include "commands/report.h"

/* The passes of all runs over the arcs. */
static double passes(const cli_args *args) {
  const double runs = (double)args->sources * (double)args->repeat + (double)args->warmup;
  return runs * scree_kernel_passes(args->kernel, args->how);
}

static scree_status by_choice(const cli_args *args, scree_graph **graph, scree_relabel_outcome *outcome) {
  const scree_distribution_kind kind =
      args->distribution_given ? args->graph_options.distribution : SCREE_DISTRIBUTION_CYCLIC;
  return scree_graph_relabel_auto(graph, kind, passes(args), outcome);
}

static scree_status by_degree(scree_graph **graph, scree_relabel_outcome *outcome) {
  scree_graph *given = *graph, *numbered = NULL;
  scree_status status = scree_graph_relabel_by_degree(given, given->vertices.kind, &numbered);
  if (status) return status;
  scree_graph_free(given);
  *graph = numbered;
  outcome->done = true;
  return SCREE_OK;
}

scree_status cli_relabel(const cli_args *args, scree_graph **graph, cli_relabelling *record) {
  static const char *const names[] = {[SCREE_RELABEL_NONE] = "none", [SCREE_RELABEL_DEGREE] = "degree"};
  const double start = cli_now();
  scree_status status = SCREE_OK;
  *record = (cli_relabelling){.asked = args->relabel_auto ? "auto" : names[args->graph_options.relabel],
                              .outcome = {.reason = "as requested"}};
  if (args->relabel_auto)
    status = by_choice(args, graph, &record->outcome);
  else if (args->graph_options.relabel == SCREE_RELABEL_DEGREE)
    status = by_degree(graph, &record->outcome);
  record->seconds = record->outcome.done ? cli_now() - start : 0;
  return status;
}
