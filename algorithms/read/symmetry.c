/* symmetry.c - the arcs of all ranks together, and the message if they are not those of an undirected graph. */
#include "read/symmetry.h"

#include <inttypes.h>

#include "graph/consensus.h"

scree_status scree__symmetry_sum(scree_graphs *graphs, scree__symmetry *s) {
  scree_reduce arcs = {.sum = {s->up, s->down}, .min = UINT64_MAX},
               rest = {.sum = {s->loops, s->difference}, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(graphs, &arcs);
  if (!status) status = scree_graphs_reduce(graphs, &rest);
  *s = (scree__symmetry){arcs.sum[0], arcs.sum[1], rest.sum[0], rest.sum[1]};
  return status;
}

scree_status scree__symmetry_refuse(const scree__symmetry *s, scree__reader *reader, bool weighted,
                                    const char *expected) {
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s: found %" PRIu64 " neighbours of larger and %" PRIu64
                    " of smaller id than their vertex that are not the same edges%s; expected %s",
                    reader->file.path, s->up, s->down, weighted ? " of the same weights" : "", expected);
}
