/* message.h - sends of the library's own messages, whose types are addressed to workers. */
#ifndef SCREE__TASK_MESSAGE_H
#define SCREE__TASK_MESSAGE_H
#include <scree/routed.h>
#include <string.h>

#include "core/worker.h"

/* In the scope of a closure that was stolen, on the wire. */
#define SCREE__STOLEN ((uint64_t)1 << 63)

/* As the generated function of a message type does: from a task, a handler or other code of the worker. A copy of
 * `head` and then of `rest`. */
static inline void scree__send_two(scree__worker *me, uint32_t type, uint32_t dest, const void *head,
                                   uint32_t head_bytes, const void *rest, uint32_t rest_bytes) {
  scree__lane *l = me->head.row[type].lane + dest;
  char *p = l->next;
  if (!scree__lane_fits(l, head_bytes + rest_bytes))
    p = scree__routed_slot(&me->head, type, dest, head_bytes + rest_bytes, true);
  else
    l->next = p + head_bytes + rest_bytes;
  memcpy(p, head, head_bytes);
  memcpy(p + head_bytes, rest, rest_bytes);
}

static inline void scree__send(scree__worker *me, uint32_t type, uint32_t dest, const void *item, uint32_t bytes) {
  scree__send_two(me, type, dest, item, bytes, item, 0);
}

/* The number of the worker that sent a batch. */
static inline uint32_t scree__sender(const scree__worker *me, const scree_batch *batch) {
  return batch->source * me->head.threads + batch->worker;
}
#endif
