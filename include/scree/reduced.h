/* reduced.h - message types whose messages are reduced on their way: the sender keeps items for a while, and those of one key
 * are combined, so that fewer are sent (Active Pebbles: Willcock et al., ICS 2011; docs/reductions.md says when that pays).
 * C11 and C++11 (gcc, clang). */
#ifndef SCREE_REDUCED_H
#define SCREE_REDUCED_H
#include <scree/scree.h>
#ifdef __cplusplus
#define SCREE__STATIC_ASSERT static_assert
extern "C" {
#else
#define SCREE__STATIC_ASSERT _Static_assert
#endif

/* A flag that the program may add when it registers a type of SCREE_MESSAGE_REDUCED or SCREE_MESSAGE_FILTERED: for this type
 * the option `reduce` counts as off, until scree_reduce_type says something else. */
enum { SCREE_UNREDUCED = 64 };

/* For that type `mode` counts from now on instead of the option `reduce`: SCREE_REDUCE_AUTO, _ON or _OFF. With _OFF the memory
 * of its caches is freed, else it is taken, as the options reduce_cache and reduce_ways say. Local; idle world, owner's thread.
 * Errors: SCREE_EINVAL (`type` is not registered or not a reduced one; another mode; reduce_cache is too small),
 * SCREE_ESTATE (in an epoch, in a handler, another thread), SCREE_ENOMEM (it is as with _OFF), or the code of a world that has
 * failed. */
scree_status scree_reduce_type(scree_world *world, uint32_t type, uint64_t mode);

/* What a worker's cache of one reduced type has done since the type was registered. */
typedef struct {
  uint64_t looked_up; /* items that came to the cache: sent here or, with a route, passed on */
  uint64_t combined; /* of these, combined with one of the same key, or dropped: they travel no further by themselves */
  uint64_t evicted;  /* sent, since an item of another key took the place */
  uint64_t emptied;  /* sent, since the cache was emptied: the worker was idle, by age or by scree_flush */
  uint64_t switched_off; /* how often the cache was, since too little was combined (option reduce=auto) */
  uint64_t entries;      /* items that it holds at most; 0: none was made */
} scree_reduced_stats;

/* Sums over the workers of this rank, but `entries`, which is of each; inside scree_run_workers, of the calling one. Local;
 * owner's thread, any time. Errors: SCREE_EINVAL (`type` is not registered), SCREE_ESTATE (another thread). Zeros for a type
 * that is not reduced. */
scree_status scree_stats_reduced(const scree_world *world, uint32_t type, scree_reduced_stats *stats);

/* Private: the part of a cache that sends read. `to` of an entry is 0 where it is empty, else SCREE__TO and the destination,
 * or the tag of a routed type. */
#define SCREE__TO (UINT64_C(1) << 32)
typedef struct scree__cache {
  char *entries;                     /* NULL: no send looks here */
  uint32_t *used;                    /* if items wait: the numbers of those that are in use */
  uint64_t to;                       /* of a message to destination 0; of a type that is filtered: the epoch */
  uint32_t shift, two;               /* of the hash: its upper bits number a set of one entry, or of two */
  uint32_t count;                    /* of these */
  uint64_t combined, missed, review; /* review: `missed` at which the library looks whether the cache pays */
} scree__cache;

/* Private: what the generated functions of a type do for the library, in the pass at hops. `covers`: looks for the item's key.
 * True: it was combined, or need not travel. Else *victim is the entry that has to leave before the item is put in; NULL:
 * none. `put`: puts it in. */
struct scree__reduction {
  bool (*covers)(scree__cache *cache, const void *item, uint64_t to, void **victim);
  void (*put)(scree__cache *cache, const void *item, uint64_t to);
  uint32_t entry, at; /* bytes of an entry, and in front of its item */
  bool holds;         /* items wait in the cache; else they are sent at once, and what they were is remembered */
};

void scree__cache_review(scree_worker *worker, uint32_t type);

/* Private: the place of an item's set. The destination counts, since keys are often indices on its rank. */
static inline size_t scree__cache_set(const scree__cache *c, uint64_t to, uint64_t key) {
  return (size_t)((key ^ to << 32) * UINT64_C(0x9E3779B97F4A7C15) >> c->shift) << c->two;
}

/* Private: space for an item that leaves the cache, where it may have come from another rank. */
static inline void *scree__leaving_slot(scree_worker *w, uint32_t type, uint64_t to, uint32_t size, bool may_wait) {
  const uint32_t dest = (uint32_t)to;
  if (type < w->routed_types && w->by_hop[type].next) return scree__tagged_slot(w, type, dest, size, may_wait);
  scree__lane *l = w->lane[type] + dest;
  char *p = l->next;
  if (__builtin_expect((size_t)(l->limit - p) < size, 0)) return scree__slot(w, type, dest, size, may_wait);
  l->next = p + size;
  return p;
}

/* Private: the type, and the sends that do not look at the cache. */
#define SCREE__SENT_AT_ONCE(name, T)                                                                                   \
  SCREE__TYPE(name, SCREE_ROUTED);                                                                                     \
  SCREE__SENDS(name, send_at_once, T, scree__routed_slot)

/* Private: the entries of a type, and the search among them, with one branch that is predictable. The first of a set of two has the newer item. */
#define SCREE__CACHE(name, T, KEY)                                                                                     \
  typedef struct {                                                                                                     \
    uint64_t to;                                                                                                       \
    T item;                                                                                                            \
  } name##__entry;                                                                                                     \
  static inline SCREE__MAYBE_UNUSED name##__entry *name##__set(const scree__cache *c, uint64_t to, const T *v) {       \
    return (name##__entry *)(void *)c->entries + scree__cache_set(c, to, (uint64_t)(KEY(v)));                          \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##__is(const name##__entry *e, uint64_t to, const T *v) {                 \
    return !((e->to ^ to) | ((uint64_t)(KEY(&e->item)) ^ (uint64_t)(KEY(v))));                                         \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED name##__entry *name##__find(const scree__cache *c, uint64_t to, const T *v) {      \
    name##__entry *e = name##__set(c, to, v);                                                                          \
    if (name##__is(e, to, v)) return e;                                                                                \
    return c->two && name##__is(e + 1, to, v) ? e + 1 : (name##__entry *)0;                                            \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED name##__entry *name##__victim(const scree__cache *c, uint64_t to, const T *v) {    \
    name##__entry *e = name##__set(c, to, v), *last = e + c->two;                                                      \
    return e->to && last->to ? last : (name##__entry *)0;                                                              \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##__add(scree__cache *c, uint64_t to, const T *v) {                       \
    name##__entry *e = name##__set(c, to, v), *last = e->to ? e + c->two : e;                                          \
    if (!last->to) c->used[c->count++] = (uint32_t)(last - (name##__entry *)(void *)c->entries);                       \
    if (last != e) *last = *e;                                                                                         \
    e->to = to;                                                                                                        \
    e->item = *v;                                                                                                      \
    c->missed++;                                                                                                       \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED const scree__reduction *name##__reduction(void)

/* Private: what the two kinds share behind `covers` and `put`. */
#define SCREE__REDUCTION(name, entry, at, holds)                                                                       \
  static inline SCREE__MAYBE_UNUSED const scree__reduction *name##__reduction(void) {                                  \
    static const scree__reduction of = {name##__covers, name##__put, (uint32_t)sizeof(entry), (uint32_t)(at), holds};  \
    return &of;                                                                                                        \
  }

/* SCREE_MESSAGE_REDUCED(name, T, KEY, COMBINE): as SCREE_MESSAGE_ROUTED, of items that can be combined. A send keeps the item
 * in a cache of this worker; another one of the same key and destination is combined with it there and goes no further by
 * itself. What another key drives out of its place is sent, and all that a worker holds is sent when it is idle, by age
 * (64 times the option flush_age) and by scree_flush. With a route, items are combined at ranks that pass them on, too. So an item is
 * handled exactly once, or combined into exactly one that is. T is aligned to at most 8 bytes. Both are functions or macros,
 * without side effects on anything else:
 *   KEY(const T *item)                     an unsigned number of up to 64 bits: items of equal keys may be combined
 *   COMBINE(T *kept, const T *item)        makes *kept stand for both; in any order and grouping the result is as good
 * Defines the same names as SCREE_MESSAGE, and
 *   void name_send_at_once(w, t, dest, value), bool name_try_send_at_once(...)    sends without looking at the cache
 * A try that returns false has changed nothing. batch->source is the rank whose item was kept; with a route, items of several
 * ranks are combined only in types of SCREE_ANY_SOURCE. What is combined is not counted by scree_stats_lane. The options
 * reduce, reduce_cache and reduce_ways, or a flag, say whether, with how much memory, and how; a checked world combines
 * nothing. */
#define SCREE_MESSAGE_REDUCED(name, T, KEY, COMBINE)                                                                   \
  SCREE__SENT_AT_ONCE(name, T)                                                                                         \
  SCREE__CACHE(name, T, KEY);                                                                                          \
  static inline SCREE__MAYBE_UNUSED bool name##__combines(scree__cache *c, uint64_t to, const T *v) {                  \
    name##__entry *e = name##__find(c, to, v);                                                                         \
    if (!e) return false;                                                                                              \
    COMBINE(&e->item, v);                                                                                              \
    c->combined++;                                                                                                     \
    return true;                                                                                                       \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED                                                                                           \
      __attribute__((noinline)) bool name##__keep(scree_worker *w, name##_type t, uint64_t to, T v, bool may_wait) {   \
    scree__cache *c = w->cache + t.id;                                                                                 \
    const name##__entry *victim = name##__victim(c, to, &v);                                                           \
    void *slot = NULL;                                                                                                 \
    if (victim) {                                                                                                      \
      const name##__entry out = *victim;                                                                               \
      if (!may_wait && !(slot = scree__leaving_slot(w, t.id, out.to, sizeof(T), false))) return false;                 \
      name##__add(c, to, &v);                                                                                          \
      if (may_wait) slot = scree__leaving_slot(w, t.id, out.to, sizeof(T), true);                                      \
      __builtin_memcpy(slot, &out.item, sizeof(T));                                                                    \
    } else {                                                                                                           \
      name##__add(c, to, &v);                                                                                          \
    }                                                                                                                  \
    if (c->missed >= c->review) scree__cache_review(w, t.id);                                                          \
    return true;                                                                                                       \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_send(scree_worker *w, name##_type t, uint32_t dest, T v) {             \
    if (SCREE__DEST_BAD(w, t.id, dest)) return;                                                                        \
    scree__cache *c = w->cache + t.id;                                                                                 \
    if (!c->entries)                                                                                                   \
      name##_send_at_once(w, t, dest, v);                                                                              \
    else if (!name##__combines(c, c->to | dest, &v))                                                                   \
      name##__keep(w, t, c->to | dest, v, true);                                                                       \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##_try_send(scree_worker *w, name##_type t, uint32_t dest, T v) {         \
    if (SCREE__DEST_BAD(w, t.id, dest)) return false;                                                                  \
    scree__cache *c = w->cache + t.id;                                                                                 \
    if (!c->entries) return name##_try_send_at_once(w, t, dest, v);                                                    \
    return name##__combines(c, c->to | dest, &v) || name##__keep(w, t, c->to | dest, v, false);                        \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED bool name##__covers(scree__cache *c, const void *item, uint64_t to, void **victim) {      \
    T v;                                                                                                               \
    __builtin_memcpy(&v, item, sizeof v);                                                                              \
    if (name##__combines(c, to, &v)) return true;                                                                      \
    *victim = name##__victim(c, to, &v);                                                                               \
    return false;                                                                                                      \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED void name##__put(scree__cache *c, const void *item, uint64_t to) {                        \
    T v;                                                                                                               \
    __builtin_memcpy(&v, item, sizeof v);                                                                              \
    name##__add(c, to, &v);                                                                                            \
  }                                                                                                                    \
  SCREE__REDUCTION(name, name##__entry, offsetof(name##__entry, item), true)                                           \
  SCREE__SEND_ALL(name, T)

/* Private: what a cache remembers of a type that is filtered: the epoch, as `to` of the cache numbers it, the destination, and
 * the key; and the least level that was sent. What another epoch has left matches nothing. */
typedef struct {
  uint64_t id, level;
} scree__sent;

static inline uint64_t scree__sent_id(const scree__cache *c, uint32_t dest, uint32_t key) {
  return c->to | (uint64_t)dest << 32 | key;
}
static inline scree__sent *scree__sent_set(const scree__cache *c, uint64_t id) {
  return (scree__sent *)(void *)c->entries + scree__cache_set(c, 0, id);
}

/* Private: was one sent that makes an item needless? */
static inline bool scree__sent_covers(scree__cache *c, uint64_t id, uint64_t level) {
  const scree__sent *e = scree__sent_set(c, id);
  if (e->id != id && c->two) e++;
  if (e->id != id || e->level > level) return false;
  c->combined++;
  return true;
}

/* Private: an item that was not covered is sent. The first of a set of two has the newer one. */
static inline void scree__sent_note(scree__cache *c, uint64_t id, uint64_t level) {
  scree__sent *e = scree__sent_set(c, id);
  if (c->two && e->id != id) e[1] = *e;
  e->id = id;
  e->level = level;
  c->missed++;
}

/* SCREE_MESSAGE_FILTERED(name, T, KEY, LEVEL): the same for items of which an earlier one may make a later one needless, as
 * the least, the largest or the first: nothing waits. An item is sent at once, and its level is remembered; a later one of the
 * same key and destination, sent in this epoch, whose level is no lower, is dropped. No item is kept, so T may be of any size.
 *   KEY(const T *item)     an unsigned number of up to 32 bits
 *   LEVEL(const T *item)   one of up to 64 bits. A distance that is a double from 0 on: its bits, whose order is the same;
 *                          ~x where the largest x counts; 0: the first item of each key is enough */
#define SCREE_MESSAGE_FILTERED(name, T, KEY, LEVEL)                                                                    \
  SCREE__SENT_AT_ONCE(name, T)                                                                                         \
  static inline SCREE__MAYBE_UNUSED uint64_t name##__id(const scree__cache *c, uint32_t dest, const T *v) {            \
    SCREE__STATIC_ASSERT(sizeof(KEY(v)) <= 4, "KEY of a filtered type has at most 32 bits");                           \
    return scree__sent_id(c, dest, (uint32_t)(KEY(v)));                                                                \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_send(scree_worker *w, name##_type t, uint32_t dest, T v) {             \
    if (SCREE__DEST_BAD(w, t.id, dest)) return;                                                                        \
    scree__cache *c = w->cache + t.id;                                                                                 \
    if (c->entries) {                                                                                                  \
      const uint64_t id = name##__id(c, dest, &v), level = (uint64_t)(LEVEL(&v));                                      \
      if (scree__sent_covers(c, id, level)) return;                                                                    \
      scree__sent_note(c, id, level);                                                                                  \
      if (c->missed >= c->review) scree__cache_review(w, t.id);                                                        \
    }                                                                                                                  \
    name##_send_at_once(w, t, dest, v);                                                                                \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##_try_send(scree_worker *w, name##_type t, uint32_t dest, T v) {         \
    if (SCREE__DEST_BAD(w, t.id, dest)) return false;                                                                  \
    scree__cache *c = w->cache + t.id;                                                                                 \
    if (!c->entries) return name##_try_send_at_once(w, t, dest, v);                                                    \
    const uint64_t id = name##__id(c, dest, &v), level = (uint64_t)(LEVEL(&v));                                        \
    if (scree__sent_covers(c, id, level)) return true;                                                                 \
    if (!name##_try_send_at_once(w, t, dest, v)) return false;                                                         \
    if (c->entries) scree__sent_note(c, id, level);                                                                    \
    return true;                                                                                                       \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED bool name##__covers(scree__cache *c, const void *item, uint64_t to, void **victim) {      \
    T v;                                                                                                               \
    __builtin_memcpy(&v, item, sizeof v);                                                                              \
    *victim = NULL;                                                                                                    \
    return scree__sent_covers(c, name##__id(c, (uint32_t)to, &v), (uint64_t)(LEVEL(&v)));                              \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED void name##__put(scree__cache *c, const void *item, uint64_t to) {                        \
    T v;                                                                                                               \
    __builtin_memcpy(&v, item, sizeof v);                                                                              \
    scree__sent_note(c, name##__id(c, (uint32_t)to, &v), (uint64_t)(LEVEL(&v)));                                       \
  }                                                                                                                    \
  SCREE__REDUCTION(name, scree__sent, 0, false)                                                                        \
  SCREE__SEND_ALL(name, T)

#ifdef __cplusplus
}
#endif
#endif
