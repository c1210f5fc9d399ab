/* run.h - what the variants of connected components share: messages, a run, the ops record.
 *
 * Room: internal to algorithms/cc. */
#ifndef SCREE__CC_RUN_H
#define SCREE__CC_RUN_H
#include <scree/cc.h>

/* To a local vertex of the receiver, about a vertex or a packed place, which may have 64 bits: in two halves, so that
 * a message has 12 bytes. */
typedef struct scree__cc_link {
  uint32_t target, low, high;
} scree__cc_link;
SCREE_MESSAGE(cc_link, scree__cc_link);

/* To a local vertex of the receiver, from a local vertex of the sender, which expects a link as an answer. */
typedef struct scree__cc_ask {
  uint32_t target, from;
} scree__cc_ask;
SCREE_MESSAGE(cc_ask, scree__cc_ask);

/* One run on one rank. */
typedef struct scree__cc_run {
  scree_worker *worker;
  const scree_graph *graph;
  cc_link_type link;
  cc_ask_type ask;
  /* Who takes the messages of the epoch; set before it begins. */
  void (*take_links)(struct scree__cc_run *run, const scree__cc_link *items, uint32_t count);
  void (*take_asks)(struct scree__cc_run *run, uint32_t sender, const scree__cc_ask *items, uint32_t count);
  uint64_t *component; /* of local vertices: the answer */
  scree_work work;     /* of this rank: sent, edges, epochs */
  void *own;           /* the variant's own state */
} scree__cc_run;

typedef struct scree__cc_variant {
  scree_algorithm about;
  /* Collective, outside epochs and the clock: memory. Sets run->own, which `leave` frees, called in any case. Returns
   * what all ranks have agreed on. */
  scree_status (*enter)(scree__cc_run *run);
  /* Collective, outside epochs: fills run->component with vertices. Waits only in epochs. */
  scree_status (*solve)(scree__cc_run *run);
  void (*leave)(scree__cc_run *run); /* local */
} scree__cc_variant;

extern const scree__cc_variant scree__cc_afforest, scree__cc_label;

static inline uint64_t scree__cc_value(const scree__cc_link *item) {
  return (uint64_t)item->high << 32 | item->low;
}
/* Sends a link. In an epoch; handlers too. */
static inline void scree__cc_send(scree__cc_run *run, uint32_t owner, uint32_t target, uint64_t value) {
  cc_link_send(run->worker, run->link, owner, (scree__cc_link){target, (uint32_t)value, (uint32_t)(value >> 32)});
  run->work.sent++;
}

/* Of an answer: the number of components, and the vertices of the largest. Collective. */
scree_status scree__cc_count(scree__cc_run *run, uint64_t *components, uint64_t *largest);

#endif
