/* first_line.c - first lines that may count. What is decided is the same on all ranks: only the rank that has the line
 * knows its numbers, so these are summed. */
#include "read/list/first_line.h"

#include <inttypes.h>
#include <stdio.h>

#include "file/parse.h"
#include "graph/consensus.h"

enum { FEW = 4 /* lines of a list in which numbers agree by chance */ };

void scree__first_line_note(scree__first_line *f, const scree__lines *lines, scree__list_fields fields) {
  bool numbers = true;
  *f = (scree__first_line){.line = lines->count};
  while (fields.more && *scree__skip_blanks(fields.at) && numbers && f->words < 4) {
    uint64_t more, *number = f->words < 3 ? &f->number[f->words] : &more;
    const scree__list_field field = scree__list_next_field(&fields);
    numbers = !field.wrong && !scree__parse_digits(field.at, field.end, 0, INT64_MAX, number);
    f->words++;
  }
  if (!numbers || f->words < 2 || f->words > 3) f->words = 0;
}

/* What the line counts if it counts: vertices, edges; 0 edges: nothing. */
static void read_counts(const scree__first_line *f, bool weighted, uint64_t follow, uint64_t *n, uint64_t *m) {
  const uint64_t *k = f->number;
  const bool square = f->words == 3 && (k[2] == follow || (!weighted && k[0] == k[1] && k[2] > k[0]));
  *n = square && k[1] > k[0] ? k[1] : k[0];
  *m = square ? k[2] : k[1];
  if (!square && f->words != 2 && *m != follow) *m = 0;
}

static scree_status refuse(const scree__first_line *f, const scree__edge_staging *g, uint64_t follow) {
  char third[32] = "", why[64];
  if (f->words == 3) snprintf(third, sizeof third, " %" PRIu64, f->number[2]);
  if (f->m == follow)
    snprintf(why, sizeof why, "%" PRIu64 " lines follow", follow);
  else
    snprintf(why, sizeof why, "no other id exceeds %" PRIu64, f->n);
  return scree__why(g->reader->graphs, SCREE_EINVAL,
                    "%s:%" PRIu64 ": found '%" PRIu64 " %" PRIu64 "%s', which may count vertices and edges: %s; "
                    "expected --skip-lines %" PRIu64 " if so, or --first-line edge if it is an edge",
                    g->reader->file.path, f->line, f->number[0], f->number[1], third, why, f->line);
}

scree_status scree__first_line_check(scree__first_line *f, const scree__edge_staging *g, const scree__lines *lines,
                                     uint64_t from, uint64_t edges) {
  const scree_graph_options *o = g->reader->options;
  scree_graphs *graphs = g->reader->graphs;
  const bool usual = o->columns[0] <= 1 && o->columns[1] <= 2, mine = from == graphs->worker->rank;
  const uint64_t follow = edges - 1;
  if (edges < FEW || o->first_edge || !usual) return SCREE_OK;
  if (mine && f->words) read_counts(f, o->columns[2] != 0, follow, &f->n, &f->m);
  scree_reduce r = {.sum = {mine ? f->n : 0, mine ? f->m : 0}, .max = mine ? f->rest : g->max, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(graphs, &r);
  if (status) return status;
  f->n = r.sum[0], f->m = r.sum[1];
  const bool counts = f->m && f->m == follow, keeps = r.max <= f->n, refused = keeps && (counts || f->m > f->n);
  f->doubtful = counts && !keeps && !o->base;
  if (!refused && !f->doubtful) return SCREE_OK;
  if (mine) f->line += scree__lines_number(lines) - lines->count;
  return scree__consensus(graphs, mine && refused ? refuse(f, g, follow) : SCREE_OK);
}

scree_status scree__first_line_check_ids(const scree__first_line *f, const scree__edge_staging *g, uint64_t from,
                                         uint64_t ids) {
  scree_graphs *graphs = g->reader->graphs;
  if (!f->doubtful) return SCREE_OK;
  const bool mine = from == graphs->worker->rank;
  scree_reduce ends = {.sum = {mine ? f->number[0] : 0, mine ? f->number[1] : 0}, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(graphs, &ends);
  scree_reduce seen = {.min = UINT64_MAX};
  for (size_t i = mine ? 2 : 0; i < 2 * g->count; i++)
    for (int k = 0; k < 2; k++) seen.sum[k] += scree__staging_end(g, i) == ends.sum[k];
  if (!status) status = scree_graphs_reduce(graphs, &seen);
  if (status) return status;
  const uint64_t others = ids - !seen.sum[0] - (ends.sum[0] != ends.sum[1] && !seen.sum[1]);
  const bool counts = mine && f->m == f->number[1]; /* of rows and columns larger ids are none */
  return scree__consensus(graphs, counts && others <= f->n ? refuse(f, g, f->m) : SCREE_OK);
}
