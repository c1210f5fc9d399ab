/* graph/layer.h - the graph layer of a world: its message types, memory, errors, and collective operations that every
 * algorithm needs. The terms and rules of graph.h apply. C11 and C++. */
#ifndef SCREE_GRAPH_LAYER_H
#define SCREE_GRAPH_LAYER_H
#include <stddef.h>
#include <stdint.h>

#include <scree/scree.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The message types of the graph layer in one world, and the text of the last error. Types cannot be
 * unregistered, so a program opens one graph layer per world and keeps it. It supports any number of graphs. */
typedef struct scree_graphs scree_graphs;

/* Registers the types. Collective, idle world. On failure scree_error_text of the world has the reason; without memory
 * on some rank the world has failed. */
scree_status scree_graphs_open(scree_world *world, scree_graphs **graphs);
/* Frees it; its graphs must have been freed. Local; the world stays open. NULL is ignored. */
void scree_graphs_close(scree_graphs *graphs);
/* While a graph is loaded or generated, fn is called on each rank with the progress of that rank's part: bytes read, or
 * edges generated; total is 0 if unknown (a compressed file). It is called about every MiB or 256 edges, must be fast
 * and may not call scree. NULL: no callback. Local; outside of epochs. */
typedef void scree_load_fn(uint64_t done, uint64_t total, void *arg);
void scree_graphs_on_load(scree_graphs *graphs, scree_load_fn *fn, void *arg);

/* Phases, by which the time of this rank is counted. The library enters READ (from files), PARSE (text or bytes to
 * edges; edges of a generator), EXCHANGE (edges to their ranks), BUILD (rows) and PREPARE (what serves a kernel:
 * renumbering) itself, and returns to the phase of its caller, who enters the others. */
typedef enum {
  SCREE_PHASE_START,
  SCREE_PHASE_READ,
  SCREE_PHASE_PARSE,
  SCREE_PHASE_EXCHANGE,
  SCREE_PHASE_BUILD,
  SCREE_PHASE_PREPARE,
  SCREE_PHASE_SOLVE,
  SCREE_PHASE_COUNT, /* of reached vertices and traversed edges */
  SCREE_PHASE_VALIDATE,
  SCREE_PHASE_WRITE,
  SCREE_PHASES /* how many */
} scree_phase;
typedef struct scree_phases {
  double seconds[SCREE_PHASES]; /* of this rank, since the layer was opened */
  uint64_t bytes[SCREE_PHASES]; /* that it has read, in READ; else 0 */
} scree_phases;
/* The time from here on belongs to `phase`; returns the one before. The first one is START. Local; by the owner's
 * thread. */
scree_phase scree_graphs_enter(scree_graphs *graphs, scree_phase phase);
/* Until now. Local; by the owner's thread. */
scree_phases scree_graphs_phases(scree_graphs *graphs);

/* The worker of the graph layer: worker 0 of the world. Local. */
scree_worker *scree_graphs_worker(const scree_graphs *graphs);
/* Text of the last call that failed: file, line, what was found, what was expected, as far as they apply. It is the
 * same on all ranks, unless the world failed: then it is scree_error_text of the world, and each rank reports what it
 * knows. "" if none failed. Valid until the next call. Local. */
const char *scree_graphs_error(const scree_graphs *graphs);
/* Allocates zeroed memory for an array by vertex or by arc, on huge pages if the option huge_pages of the world is on;
 * freed with scree_huge_free (memory.h). NULL: out of memory. Local. */
void *scree_graphs_alloc(const scree_graphs *graphs, size_t bytes);
/* An epoch without messages, for its reduction (scree_end). Collective. */
scree_status scree_graphs_reduce(scree_graphs *graphs, scree_reduce *inout);
/* All ranks agree on the highest status that any of them passes, and on its text (`why`, printf-like, read where status
 * is not SCREE_OK; the lowest such rank's). Collective. Returns that status on all ranks. */
scree_status scree_graphs_agree(scree_graphs *graphs, scree_status status, const char *why, ...)
    __attribute__((format(printf, 3, 4)));

/* An exchange: an epoch of records of any size, for those who need no message type of their own. Between begin and end
 * each rank sends what it has, also to itself; `take` is called with each record that arrives, as a handler, and may
 * not send. One exchange at a time. Begin and end are collective; send is local and runs handlers. */
typedef void scree_exchange_fn(const void *data, size_t bytes, void *arg);
scree_status scree_graphs_exchange_begin(scree_graphs *graphs, scree_exchange_fn *take, void *arg);
void scree_graphs_exchange_send(scree_graphs *graphs, uint32_t rank, const void *data, size_t bytes);
scree_status scree_graphs_exchange_end(scree_graphs *graphs);

#ifdef __cplusplus
}
#endif
#endif
