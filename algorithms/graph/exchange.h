/* exchange.h - the state of a graph layer in a world, its messages, and exchanges: epochs whose messages go to the
 * receivers that the caller names. */
#ifndef SCREE__EXCHANGE_H
#define SCREE__EXCHANGE_H
#include <scree/graph.h>
#include <scree/routed.h>

#include "graph/progress.h"

#define SCREE__TEXT_MAX 1024

/* The one fixed-size message. The exchange decides what the fields mean: an arc (tail, head, weight), or a claim of a
 * validator (vertex, neighbour, distance). */
typedef struct scree__triple {
  uint64_t a, b;
  double w;
} scree__triple;

/* An arc of a graph whose packed locations and weights fit in 32 bits, without and with the weight's bits. `ends` is
 * the index of the tail on its owner, and in its upper half the packed location of the head: as two fields they would
 * be stored in halves and loaded whole to be sent, which defeats store forwarding (three times the time of a send). */
typedef struct scree__link {
  uint64_t ends;
} scree__link;
typedef struct __attribute__((packed, aligned(4))) scree__arc {
  uint64_t ends;
  uint32_t weight;
} scree__arc;

static inline uint64_t scree__ends(uint64_t tail, uint64_t head) {
  return head << 32 | tail;
}
static inline uint32_t scree__ends_tail(uint64_t ends) {
  return (uint32_t)ends;
}
static inline uint32_t scree__ends_head(uint64_t ends) {
  return (uint32_t)(ends >> 32);
}

SCREE_MESSAGE_ROUTED(graph_triple, scree__triple);
SCREE_MESSAGE_ROUTED(graph_link, scree__link);
SCREE_MESSAGE_ROUTED(graph_arc, scree__arc);
SCREE_VARIABLE(graph_bytes);

/* Receivers of an exchange, run as handlers; `arg` is that of scree__exchange_begin. A type without a receiver is not
 * sent. */
typedef struct scree__receivers {
  void (*triples)(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg);
  void (*links)(scree_graphs *graphs, const scree__link *items, uint32_t count, void *arg);
  void (*arcs)(scree_graphs *graphs, const scree__arc *items, uint32_t count, void *arg);
  void (*bytes)(scree_graphs *graphs, const void *data, size_t bytes, void *arg); /* once for each record */
} scree__receivers;

struct scree_graphs {
  scree_world *world;
  scree_worker *worker;
  graph_triple_type triple;
  graph_bytes_type bytes;
  graph_link_type link;
  graph_arc_type arc;
  scree__receivers receivers;   /* of the exchange that is open */
  void *arg, *bytes_arg;        /* theirs; of that of bytes */
  scree_exchange_fn *take;      /* of scree_graphs_exchange_begin */
  scree_graph_builder *builder; /* that is open, or NULL */
  bool left;                    /* the world has failed and this rank has left the exchange */
  scree__progress progress;
  struct scree__account *account; /* of what scree_graphs_alloc returned (base/huge.h) */
  uint64_t memory_left;           /* set by tests instead of scree__memory_left; 0: not set */
  char why[SCREE__TEXT_MAX];      /* this rank's reason, until ranks reach consensus */
  char text[SCREE__TEXT_MAX];     /* the common one: scree_graphs_error */
};

/* Begins an epoch whose messages go to these receivers; ends it, with the reduction of scree_end (NULL: none). After a
 * failure graphs->text is set. Collective. */
scree_status scree__exchange_begin(scree_graphs *graphs, scree__receivers receivers, void *arg);
scree_status scree__exchange_end(scree_graphs *graphs, scree_reduce *inout);
/* Runs handlers while the caller has work left, which it drops on false: the world has failed. Local. */
bool scree__exchange_poll(scree_graphs *graphs);
/* Names the receiver of bytes, and its argument, right after the exchange has begun, as a builder does it. Local. */
void scree__exchange_bytes(scree_graphs *graphs,
                           void (*bytes)(scree_graphs *graphs, const void *data, size_t bytes, void *arg), void *arg);
/* As scree_graphs_alloc, of what every run of a kernel needs again: see scree__huge_alloc_kept. It may be not `zeroed`.
 */
void *scree__graphs_alloc_kept(const scree_graphs *graphs, size_t bytes, bool zeroed);
/* *before: the sum of `mine` over the ranks below this one. Collective. */
scree_status scree__prefix_sum(scree_graphs *graphs, uint64_t mine, uint64_t *before);

#endif
