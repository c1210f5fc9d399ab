/* routed.h - message types that travel by a route (the option `route`): over other ranks, which pass them on, so that a
 * rank has lanes to few ranks instead of all, and fills blocks sooner (Active Pebbles: Willcock et al., ICS 2011;
 * docs/routing.md says when that pays). C11 and C++11. */
#ifndef SCREE_ROUTED_H
#define SCREE_ROUTED_H
#include <scree/message.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Added to the flags of a type of SCREE_MESSAGE_ROUTED: its messages travel by the option `route`. SCREE_ANY_SOURCE,
 * which the program may add: its handlers do not use the source. */
enum { SCREE_ROUTED = 4, SCREE_ANY_SOURCE = 8 };

/* batch->source and batch->worker of a type of SCREE_ANY_SOURCE, where it travels by a route. */
#define SCREE_NO_SOURCE UINT32_MAX

/* Private. Where routes are in use the lanes that a program sees of a routed type have no space, so that each send
 * calls this: the item goes to the lane of its next hop, followed by its tag. */
static inline void *scree__tagged_slot(scree_worker *w, uint32_t type, uint32_t tag, uint32_t size, bool may_wait) {
  const uint32_t dest = tag & UINT16_MAX, bytes = size + (uint32_t)sizeof tag;
  scree__lane *l = w->by_hop[type].lane + w->by_hop[type].next[dest];
  char *p = l->next;
  if (__builtin_expect(scree__lane_fits(l, bytes), 1))
    l->next = p + bytes;
  else
    p = (char *)scree__slot(w, type, dest, bytes, may_wait);
  if (p) __builtin_memcpy(p + size, &tag, sizeof tag);
  return p;
}
static inline void *scree__routed_slot(scree_worker *w, uint32_t type, uint32_t dest, uint32_t size, bool may_wait) {
  if (type >= w->routed_types || !w->by_hop[type].next || SCREE__DEST_BAD(w, type, dest))
    return scree__slot(w, type, dest, size, may_wait);
  return scree__tagged_slot(w, type, w->tag | dest, size, may_wait);
}

/* SCREE_MESSAGE_ROUTED(name, T): as SCREE_MESSAGE, of items of up to SCREE_ITEM_MAX - 4 bytes. With `route` direct it
 * is the same. Else an item takes 4 bytes more and travels over the ranks of its route; those pass it on when they make
 * progress, and only its destination handles it. batch->source and batch->worker are those that sent it, so batches are
 * shorter; with SCREE_ANY_SOURCE in the flags of name_register_with both are SCREE_NO_SOURCE, and batches are not
 * shorter. Types to workers (SCREE_TO_WORKER) travel so with the option aggregate=rank, else directly. scree_flush
 * publishes what this rank's lanes hold; scree_stats_lane counts what was sent to a rank as the next hop (of types to
 * workers, to its worker 0; for a worker of this rank, what was forwarded to it). The end of an epoch, and the rules of
 * SCREE_MESSAGE, are the same. */
#define SCREE_MESSAGE_ROUTED(name, T)                                                                                  \
  SCREE__TYPE(name, T, SCREE_ROUTED, SCREE_ITEM_MAX - 4);                                                              \
  SCREE__NO_REDUCTION(name)                                                                                            \
  SCREE__SENDS(name, send, T, scree__routed_slot)                                                                      \
  SCREE__SEND_ALL(name, T)

#ifdef __cplusplus
}
#endif
#endif
