/* graph.h - distributed graphs: load or generate, traverse, validate.
 *
 * A graph is compressed sparse rows over a distribution (distribution.h). Ranks exchange only scree messages, so the
 * graph layer runs on every world, including simulated ones. C11 and C++.
 *
 * Terms. Vertex: a global id 0 .. n-1. Label: the id of the vertex in the file; vertices are numbered in ascending
 * order of their labels. Local index: 0 .. locals-1 on the owner. Arc: a stored, directed entry.
 *
 * A collective call is made outside every epoch, by the owner's thread, on all ranks of the world, and returns the
 * same status on all of them: SCREE_OK, SCREE_EINVAL (the input), SCREE_ENOMEM, SCREE_ESTATE, or the code of a world
 * that has failed. On failure scree_graphs_error has the reason. Results are set only on success.
 *
 * NULL: as world.h says; scree_graphs_exchange_send, which is called for each record, does not check `graphs`. A rank
 * without vertices may pass NULL for the values of its vertices. */
#ifndef SCREE_GRAPH_H
#define SCREE_GRAPH_H
#include <scree/algorithm.h>
#include <scree/graph/build.h>
#include <scree/graph/files.h>
#include <scree/graph/layer.h>
#include <scree/graph/results.h>
#include <scree/graph/structure.h>
#include <scree/graph/validate.h>
#endif
