/* run.h - what the variants of connected components share: messages and their receivers. */
#ifndef SCREE__CC_RUN_H
#define SCREE__CC_RUN_H
#include <scree/cc.h>

#include "kernel/kernel.h"

/* To a local vertex of the receiver, about a vertex or a packed location, which may have 64 bits: in two halves, so
 * that a message has 12 bytes. */
typedef struct scree__cc_link {
  uint32_t target, low, high;
} scree__cc_link;
SCREE_MESSAGE_ROUTED(cc_link, scree__cc_link);

/* To a local vertex of the receiver, from a local vertex of the sender, which expects a link as an answer. */
typedef struct scree__cc_request {
  uint32_t target, from;
} scree__cc_request;
SCREE_MESSAGE_ROUTED(cc_request, scree__cc_request);

/* What all variants share in a run, run->shared: the receivers of the messages of an epoch, set before it begins. */
typedef struct scree__cc {
  void (*take_links)(scree__run *run, const scree__cc_link *items, uint32_t count);
  void (*take_requests)(scree__run *run, uint32_t sender, const scree__cc_request *items, uint32_t count);
  struct scree__cc_counter *counter; /* of scree__cc_count */
} scree__cc;

static inline scree__cc *scree__cc_of(const scree__run *run) {
  return run->shared;
}
/* The answer, an entry for each local vertex. */
static inline uint64_t *scree__component(const scree__run *run) {
  return run->result[0];
}

/* The messages of a variant: links first, then requests, if it has any. */
void scree__cc_on_links(scree__run *run, uint32_t sender, const void *items, uint32_t count);
void scree__cc_on_requests(scree__run *run, uint32_t sender, const void *items, uint32_t count);

extern const scree__variant scree__cc_afforest, scree__cc_label;

static inline uint64_t scree__cc_value(const scree__cc_link *item) {
  return (uint64_t)item->high << 32 | item->low;
}
/* Sends a link. In an epoch; handlers too. */
static inline void scree__cc_send(scree__run *run, uint32_t owner, uint32_t target, uint64_t value) {
  const cc_link_type type = {run->types[0]};
  cc_link_send(run->worker, type, owner, (scree__cc_link){target, (uint32_t)value, (uint32_t)(value >> 32)});
  run->work.messages++;
}
/* Sends a request. In an epoch; handlers too. */
static inline void scree__cc_send_request(scree__run *run, uint32_t owner, uint32_t target, uint32_t from) {
  const cc_request_type type = {run->types[1]};
  cc_request_send(run->worker, type, owner, (scree__cc_request){target, from});
  run->work.messages++;
}

/* Counts the components of an answer, and the vertices of the largest. Collective. */
scree_status scree__cc_count(scree__run *run, uint64_t *components, uint64_t *largest);

#endif
