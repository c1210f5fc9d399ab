/* routed.h - message types that travel by a route (the option `route`): over other ranks, which pass them on, so that a rank
 * has lanes to few ranks instead of all, and fills blocks sooner (Active Pebbles: Willcock et al., ICS 2011; docs/routing.md
 * says when that pays). Included by scree.h. */
#ifndef SCREE_ROUTED_H
#define SCREE_ROUTED_H

/* Added to the flags of a type of SCREE_MESSAGE_ROUTED: its messages travel by the option `route`. SCREE_ANY_SOURCE, which
 * the program may add: its handlers do not ask for the source. */
enum { SCREE_ROUTED = 4, SCREE_ANY_SOURCE = 8 };

/* batch->source and batch->worker of a type of SCREE_ANY_SOURCE, where it travels by a route. */
#define SCREE_NO_SOURCE UINT32_MAX

#define SCREE__NOT_INLINE __attribute__((noinline))

/* SCREE_MESSAGE_ROUTED(name, T): as SCREE_MESSAGE, of items of up to SCREE_ITEM_MAX - 4 bytes. With `route` direct it is the
 * same but for one predicted branch. Else an item takes 4 bytes more, and goes by the ranks that the route says; those pass
 * it on when they make progress, and handle it nowhere but at its destination. batch->source and batch->worker are those that
 * sent it, so batches are shorter; with SCREE_ANY_SOURCE in the flags of name_register_with both are SCREE_NO_SOURCE, and
 * batches are not. Types to workers (SCREE_TO_WORKER) travel so with the option aggregate=rank, else directly. scree_flush
 * publishes what lies in this rank's lanes; scree_stats_lane counts what left for a rank as the next one (of types to workers,
 * for its worker 0; for a worker of the own rank, what was dealt out to it). The end of an epoch, and the rules of
 * SCREE_MESSAGE, are the same. */
#define SCREE_MESSAGE_ROUTED(name, T)                                                                                  \
  SCREE__TYPE(name, SCREE_ROUTED);                                                                                     \
  SCREE__DIRECT_SENDS(name, T, name##__send, name##__try)                                                              \
  static SCREE__MAYBE_UNUSED SCREE__NOT_INLINE bool name##__by_route(scree_worker *w, name##_type t, uint32_t dest,    \
                                                                     const T *v, bool may_wait) {                      \
    const uint16_t *hop = w->hop[t.id];                                                                                \
    if (!hop) return may_wait ? name##__send(w, t, dest, *v), true : name##__try(w, t, dest, *v);                      \
    const uint32_t tag = w->tag | dest, bytes = (uint32_t)(sizeof(T) + sizeof tag);                                    \
    scree__lane *l = w->lane[t.id] + hop[dest];                                                                        \
    char *p = l->next;                                                                                                 \
    if ((size_t)(l->limit - p) >= bytes)                                                                               \
      l->next = p + bytes;                                                                                             \
    else if (!(p = (char *)scree__slot(w, t.id, dest, bytes, may_wait)))                                               \
      return false;                                                                                                    \
    __builtin_memcpy(p, v, sizeof(T));                                                                                 \
    __builtin_memcpy(p + sizeof(T), &tag, sizeof tag);                                                                 \
    return true;                                                                                                       \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_send(scree_worker *w, name##_type t, uint32_t dest, T v) {             \
    if (SCREE__DEST_BAD(w, t.id, dest)) return;                                                                        \
    if (__builtin_expect(w->hop != NULL, 0))                                                                           \
      name##__by_route(w, t, dest, &v, true);                                                                          \
    else                                                                                                               \
      name##__send(w, t, dest, v);                                                                                     \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##_try_send(scree_worker *w, name##_type t, uint32_t dest, T v) {         \
    if (SCREE__DEST_BAD(w, t.id, dest)) return false;                                                                  \
    if (__builtin_expect(w->hop != NULL, 0)) return name##__by_route(w, t, dest, &v, false);                           \
    return name##__try(w, t, dest, v);                                                                                 \
  }                                                                                                                    \
  SCREE__SEND_ALL(name, T)
#endif
