/* convert.c - scree generate and scree convert: loads or generates a graph and writes it to a file. */
#include "commands/commands.h"

#include <inttypes.h>
#include <scree/generate.h>
#include <stdio.h>

#include "commands/input.h"
#include "commands/isolated.h"
#include "commands/output.h"
#include "commands/progress.h"
#include "commands/session.h"
#include "record/report.h"

static scree_status report(const cli_args *args, const scree_graph *g, double load, double write) {
  if (args->study.quiet) return SCREE_OK;
  if (scree_graph_rank(g) == 0)
    printf("%s: %" PRIu64 " vertices, %" PRIu64 " edges, %s, %s weights; %s in %.3f s, written in %.3f s\n",
           args->target, g->vertices.n, g->edges, g->directed ? "directed" : "undirected",
           g->weight ? cli_weight_name(g->weight) : "no", args->command->bit == CLI_GENERATE ? "generated" : "loaded",
           load, write);
  return cli_flush_stdout(g->graphs);
}

/* One line, if vertices have other ids in the file than in the graph. */
static scree_status note_new_ids(const cli_args *args, const scree_graph *g, uint64_t base) {
  uint64_t min, max;
  if (args->study.quiet || base == UINT64_MAX || (!g->labels && g->label_base == base)) return SCREE_OK;
  scree_status status = scree_graph_label_range(g, &min, &max);
  if (status || scree_graph_rank(g)) return status;
  fprintf(stderr,
          "scree: %s: vertices have new ids: %" PRIu64 " to %" PRIu64 " of %s are %" PRIu64 " to %" PRIu64 ", %s; ",
          args->target, min, max, cli_input_name(args->graph), base, base + g->vertices.n - 1,
          g->label_index ? "by descending degree" : "in the same order");
  fprintf(stderr, "%s%s\n", args->map ? args->map : "--map FILE writes both,",
          args->map ? " has both" : " and .txt and .scree keep ids");
  return SCREE_OK;
}

static scree_status write_map(const cli_args *args, const scree_graph *g, uint64_t base) {
  cli_output out;
  if (!args->map) return SCREE_OK;
  scree_status status = cli_open_output(g->graphs, "map", args->map, &out);
  if (status) return status;
  return cli_close_output(g->graphs, &out, cli_write_map(g, base, out.to));
}

/* One line, if vertices are not in the file because no edge names them. */
static scree_status note_isolated(const cli_args *args, const scree_graph *g) {
  uint64_t count = 0;
  if (args->study.quiet || scree_graph_written_format(args->target, &args->write_options) != SCREE_FORMAT_EDGES)
    return SCREE_OK;
  scree_status status = cli_count_isolated(g, &count);
  if (status || !count || scree_graph_rank(g)) return status;
  fprintf(stderr, "scree: %s: %" PRIu64 " of %" PRIu64 " vertices have no edge, so an edge list does not hold them; ",
          args->target, count, g->vertices.n);
  if (args->map)
    fprintf(stderr, "--vertices %s reads them with it\n", args->map);
  else
    fprintf(stderr, "--map FILE writes all ids, and --vertices FILE reads them with the list\n");
  return SCREE_OK;
}

static scree_status convert(const cli_args *args, scree_graphs *graphs) {
  scree_graph *g = NULL;
  double start = cli_now();
  scree_status status = cli_load(args, &args->graph_options, graphs, &g);
  double middle = cli_now();
  cli_progress line;
  cli_progress_begin(&line, args, graphs, "writing", NULL);
  if (!status) status = scree_graph_write(g, args->target, &args->write_options);
  cli_progress_end(&line);
  const uint64_t base = scree_graph_written_base(args->target, &args->write_options);
  const double end = cli_now();
  if (!status) status = write_map(args, g, base);
  if (!status && args->command->bit == CLI_CONVERT) status = note_new_ids(args, g, base);
  if (!status) status = note_isolated(args, g);
  if (!status) status = report(args, g, middle - start, end - middle);
  scree_graph_free(g);
  return status;
}

int cli_convert(const cli_args *args, scree_world *world) {
  return cli_with_graphs(args, world, convert);
}
