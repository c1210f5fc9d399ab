/* reduced.h - message types whose messages are reduced on their way: the sender keeps items for a while, and those of
 * one key are combined, so that fewer are sent (Active Pebbles: Willcock et al., ICS 2011; docs/routing.md says when
 * that pays). C11 and C++11 (gcc, clang). */
#ifndef SCREE_REDUCED_H
#define SCREE_REDUCED_H
#include <scree/routed.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A flag that the program may add when it registers a type of SCREE_MESSAGE_REDUCED or SCREE_MESSAGE_FILTERED: for this
 * type the option `combine` counts as off, until scree_combine_type sets something else. */
enum { SCREE_UNREDUCED = 64 };

/* For that type `mode` replaces the option `combine` from now on: SCREE_COMBINE_AUTO, _ON or _OFF. With _OFF the memory
 * of its caches is freed, else it is taken, as the option combine_cache says. Local; idle world, owner's thread.
 * Errors: SCREE_EINVAL (`type` is not registered or not a reduced one; another mode; combine_cache is too small),
 * SCREE_ESTATE (in an epoch, in a handler, another thread), SCREE_ENOMEM (the mode is then _OFF), or the code of a
 * world that has failed. */
scree_status scree_combine_type(scree_world *world, uint32_t type, uint64_t mode);

/* What a worker's cache of one reduced type has done since the type was registered. */
typedef struct {
  size_t size;        /* sizeof(scree_reduced_stats), as in scree/stats.h */
  uint64_t looked_up; /* items that came to the cache: sent here or, with a route, passed on */
  uint64_t combined; /* of these, combined with one of the same key, or dropped: they travel no further by themselves */
  uint64_t evicted;  /* sent, because an item of another key took its entry */
  uint64_t emptied;  /* sent, because the cache was emptied: the worker was idle, by age or by scree_flush */
  uint64_t switched_off; /* how often the cache was, because too little was combined (option combine=auto) */
  uint64_t entries;      /* items that it holds at most; 0: none was made */
} scree_reduced_stats;

/* Sums over the workers of this rank, but `entries`, which is of each; inside scree_run_workers, of the calling one.
 * Local; owner's thread, any time. Errors: SCREE_EINVAL (`size` is not set; `type` is not registered), SCREE_ESTATE
 * (another thread). Zeros for a type that is not reduced. */
scree_status scree_stats_reduced(const scree_world *world, uint32_t type, scree_reduced_stats *stats);

/* Private: the part of a cache that sends read. `to` of an entry is 0 where it is empty, else SCREE__TO and the
 * destination, or the tag of a routed type. */
#define SCREE__TO (UINT64_C(1) << 32)
typedef struct scree__cache {
  char *entries;                     /* NULL: no send uses the cache */
  uint32_t *used;                    /* if items wait: the numbers of those that are in use */
  uint64_t to;                       /* of a message to destination 0; of a type that is filtered: the epoch */
  uint32_t shift;                    /* of the hash: its upper bits number an entry */
  uint32_t count;                    /* of those in use */
  uint64_t combined, missed, review; /* review: `missed` at which the library checks whether the cache pays */
} scree__cache;

/* Private: what the generated functions of a type do for the library, in the pass at hops. `covers` searches for the
 * item's key. True: it was combined, or need not travel. Else *victim is the entry that must be evicted before the item
 * is put in; NULL: none. `put` puts it in. */
struct scree__reduction {
  bool (*covers)(scree__cache *cache, const void *item, uint64_t to, void **victim);
  void (*put)(scree__cache *cache, const void *item, uint64_t to);
  uint32_t entry, at; /* bytes of an entry, and in front of its item */
  bool holds;         /* items wait in the cache; else they are sent at once, and their keys are remembered */
};

void scree__cache_review(scree_worker *worker, uint32_t type);

/* Private: the place of an item. It depends on the destination too, because keys are often indices on its rank. */
static inline size_t scree__cache_place(const scree__cache *c, uint64_t to, uint64_t key) {
  return (size_t)((key ^ to << 32) * UINT64_C(0x9E3779B97F4A7C15) >> c->shift);
}

/* Private: space for an item that leaves the cache, where it may have come from another rank. */
static inline void *scree__leaving_slot(scree_worker *w, uint32_t type, uint64_t to, uint32_t size, bool may_wait) {
  const uint32_t dest = (uint32_t)to;
  if (type < w->routed_types && w->by_hop[type].next) return scree__tagged_slot(w, type, dest, size, may_wait);
  scree__lane *l = w->row[type].lane + dest;
  char *p = l->next;
  if (__builtin_expect(!scree__lane_fits(l, size), 0)) return scree__slot(w, type, dest, size, may_wait);
  l->next = p + size;
  return p;
}

/* Private: the type, and the sends that bypass the cache. */
#define SCREE__SENT_AT_ONCE(name, T)                                                                                   \
  SCREE__TYPE(name, T, SCREE_ROUTED, SCREE_ITEM_MAX - 4);                                                              \
  SCREE__SENDS(name, send_at_once, T, scree__routed_slot)

/* Private: the entries of a type, and the search among them: an item has one place, by its key and destination. */
#define SCREE__CACHE(name, T, KEY)                                                                                     \
  typedef struct {                                                                                                     \
    uint64_t to_;                                                                                                      \
    T item_;                                                                                                           \
  } name##__entry;                                                                                                     \
  SCREE__STATIC_ASSERT(offsetof(name##__entry, item_) == 8,                                                            \
                       "the items of a reduced type are aligned to at most 8 bytes");                                  \
  static inline SCREE__MAYBE_UNUSED name##__entry *name##__at(const scree__cache *c_, uint64_t to_, const T *v_) {     \
    return (name##__entry *)(void *)c_->entries + scree__cache_place(c_, to_, (uint64_t)((KEY(v_)) | 0));              \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##__is(const name##__entry *e_, uint64_t to_, const T *v_) {              \
    return !((e_->to_ ^ to_) | ((uint64_t)(KEY(&e_->item_)) ^ (uint64_t)(KEY(v_))));                                   \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED name##__entry *name##__find(const scree__cache *c_, uint64_t to_, const T *v_) {   \
    name##__entry *e_ = name##__at(c_, to_, v_);                                                                       \
    return name##__is(e_, to_, v_) ? e_ : (name##__entry *)0;                                                          \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED name##__entry *name##__victim(const scree__cache *c_, uint64_t to_, const T *v_) { \
    name##__entry *e_ = name##__at(c_, to_, v_);                                                                       \
    return e_->to_ ? e_ : (name##__entry *)0;                                                                          \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##__add(scree__cache *c_, uint64_t to_, const T *v_) {                    \
    name##__entry *e_ = name##__at(c_, to_, v_);                                                                       \
    if (!e_->to_) c_->used[c_->count++] = (uint32_t)(e_ - (name##__entry *)(void *)c_->entries);                       \
    e_->to_ = to_;                                                                                                     \
    e_->item_ = *v_;                                                                                                   \
    c_->missed++;                                                                                                      \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED const scree__reduction *name##__reduction(void)

/* Private: what the two kinds share besides `covers` and `put`. */
#define SCREE__REDUCTION(name, entry, at, holds)                                                                       \
  static inline SCREE__MAYBE_UNUSED const scree__reduction *name##__reduction(void) {                                  \
    static const scree__reduction of_ = {name##__covers, name##__put, (uint32_t)sizeof(entry), (uint32_t)(at), holds}; \
    return &of_;                                                                                                       \
  }

/* SCREE_MESSAGE_REDUCED(name, T, KEY, COMBINE): as SCREE_MESSAGE_ROUTED, of items that can be combined. A send keeps
 * the item in a cache of this worker; another one of the same key and destination is combined with it there and goes no
 * further by itself. An item that is evicted by another key is sent, and all that a worker holds is sent when it is
 * idle, by age (64 times the option flush_age) and by scree_flush. With a route, items are combined at ranks that pass
 * them on, too. So an item is handled exactly once, or combined into exactly one that is. T is aligned to at most 8
 * bytes. Both are functions or macros, without side effects on anything else:
 *   KEY(const T *item)                     an integer of up to 64 bits: items of equal keys may be combined
 *   COMBINE(T *kept, const T *item)        makes *kept represent both; any order and grouping is equally good
 * Defines the same names as SCREE_MESSAGE, and
 *   void name_send_at_once(w, t, dest, value), bool name_try_send_at_once(...)    sends without the cache
 * A try that returns false has changed nothing. batch->source is the rank whose item was kept; with a route, items of
 * several ranks are combined only in types of SCREE_ANY_SOURCE. What is combined is not counted by scree_stats_lane.
 * The options combine and combine_cache, or a flag, say whether, and with how much memory; a checked world combines
 * nothing. */
#define SCREE_MESSAGE_REDUCED(name, T, KEY, COMBINE)                                                                   \
  SCREE__SENT_AT_ONCE(name, T)                                                                                         \
  SCREE__CACHE(name, T, KEY);                                                                                          \
  static inline SCREE__MAYBE_UNUSED bool name##__combines(scree__cache *c_, uint64_t to_, const T *v_) {               \
    name##__entry *e_ = name##__find(c_, to_, v_);                                                                     \
    if (!e_) return false;                                                                                             \
    COMBINE(&e_->item_, v_);                                                                                           \
    c_->combined++;                                                                                                    \
    return true;                                                                                                       \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED __attribute__((noinline)) bool name##__keep(scree_worker *w_, name##_type t_,             \
                                                                         uint64_t to_, T v_, bool may_wait_) {         \
    scree__cache *c_ = w_->cache + t_.id;                                                                              \
    const name##__entry *victim_ = name##__victim(c_, to_, &v_);                                                       \
    void *slot_ = NULL;                                                                                                \
    if (victim_) {                                                                                                     \
      const name##__entry out_ = *victim_;                                                                             \
      if (!may_wait_ && !(slot_ = scree__leaving_slot(w_, t_.id, out_.to_, sizeof(T), false))) return false;           \
      name##__add(c_, to_, &v_);                                                                                       \
      if (may_wait_) slot_ = scree__leaving_slot(w_, t_.id, out_.to_, sizeof(T), true);                                \
      __builtin_memcpy(slot_, &out_.item_, sizeof(T));                                                                 \
    } else {                                                                                                           \
      name##__add(c_, to_, &v_);                                                                                       \
    }                                                                                                                  \
    if (c_->missed >= c_->review) scree__cache_review(w_, t_.id);                                                      \
    return true;                                                                                                       \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_send(scree_worker *w_, name##_type t_, uint32_t dest_, T v_) {         \
    if (SCREE__DEST_REFUSED(w_, t_.id, dest_)) return;                                                                 \
    scree__cache *c_ = w_->cache + t_.id;                                                                              \
    if (!c_->entries)                                                                                                  \
      name##_send_at_once(w_, t_, dest_, v_);                                                                          \
    else if (!name##__combines(c_, c_->to | dest_, &v_))                                                               \
      name##__keep(w_, t_, c_->to | dest_, v_, true);                                                                  \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##_try_send(scree_worker *w_, name##_type t_, uint32_t dest_, T v_) {     \
    if (SCREE__DEST_REFUSED(w_, t_.id, dest_)) return true;                                                            \
    scree__cache *c_ = w_->cache + t_.id;                                                                              \
    if (!c_->entries) return name##_try_send_at_once(w_, t_, dest_, v_);                                               \
    return name##__combines(c_, c_->to | dest_, &v_) || name##__keep(w_, t_, c_->to | dest_, v_, false);               \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED bool name##__covers(scree__cache *c_, const void *item_, uint64_t to_, void **victim_) {  \
    T v_;                                                                                                              \
    __builtin_memcpy(&v_, item_, sizeof v_);                                                                           \
    if (name##__combines(c_, to_, &v_)) return true;                                                                   \
    *victim_ = name##__victim(c_, to_, &v_);                                                                           \
    return false;                                                                                                      \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED void name##__put(scree__cache *c_, const void *item_, uint64_t to_) {                     \
    T v_;                                                                                                              \
    __builtin_memcpy(&v_, item_, sizeof v_);                                                                           \
    name##__add(c_, to_, &v_);                                                                                         \
  }                                                                                                                    \
  SCREE__REDUCTION(name, name##__entry, offsetof(name##__entry, item_), true)                                          \
  SCREE__SEND_ALL(name, T)

/* Private: what a cache remembers of a type that is filtered: the epoch, as `to` of the cache numbers it, the
 * destination, and the key; and the minimum level that was sent. An entry of an earlier epoch matches nothing. */
typedef struct {
  uint64_t id, level;
} scree__sent;

static inline uint64_t scree__sent_id(const scree__cache *c, uint32_t dest, uint32_t key) {
  return c->to | (uint64_t)dest << 32 | key;
}
static inline scree__sent *scree__sent_at(const scree__cache *c, uint64_t id) {
  return (scree__sent *)(void *)c->entries + scree__cache_place(c, 0, id);
}

/* Private: has an item been sent that makes this one needless? */
static inline bool scree__sent_covers(scree__cache *c, uint64_t id, uint64_t level) {
  const scree__sent *e = scree__sent_at(c, id);
  if (e->id != id || e->level > level) return false;
  c->combined++;
  return true;
}

/* Private: an item that was not covered is sent. */
static inline void scree__sent_note(scree__cache *c, uint64_t id, uint64_t level) {
  scree__sent *e = scree__sent_at(c, id);
  e->id = id;
  e->level = level;
  c->missed++;
}

/* SCREE_MESSAGE_FILTERED(name, T, KEY, LEVEL): the same for items of which an earlier one may make a later one
 * needless, as for a minimum, a maximum or the first: nothing waits. An item is sent at once, and its level is
 * remembered; a later one of the same key and destination, sent in this epoch, whose level is no lower, is dropped. No
 * item is kept, so T may have any alignment. With a route, an item may also be dropped because of one from another
 * rank: batch->source is the sender of the item that arrived.
 *   KEY(const T *item)     an integer of up to 32 bits
 *   LEVEL(const T *item)   an unsigned integer of up to 64 bits, no bit-field. A distance that is a double from 0 on:
 *                          its bits, whose order is the same; ~x where the largest x counts; 0u: the first item of each
 *                          key is enough */
#define SCREE_MESSAGE_FILTERED(name, T, KEY, LEVEL)                                                                    \
  SCREE__SENT_AT_ONCE(name, T)                                                                                         \
  static inline SCREE__MAYBE_UNUSED uint64_t name##__id(const scree__cache *c_, uint32_t dest_, const T *v_) {         \
    SCREE__STATIC_ASSERT(sizeof((KEY(v_)) | 0) <= 4, "KEY of a filtered type has at most 32 bits");                    \
    return scree__sent_id(c_, dest_, (uint32_t)(KEY(v_)));                                                             \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED uint64_t name##__level(const T *v_) {                                              \
    SCREE__STATIC_ASSERT(sizeof(LEVEL(v_)) < 4 || (__typeof__(+LEVEL(v_)))-1 > 0,                                      \
                         "LEVEL of a filtered type is an unsigned number");                                            \
    (void)v_;                                                                                                          \
    return LEVEL(v_);                                                                                                  \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_send(scree_worker *w_, name##_type t_, uint32_t dest_, T v_) {         \
    if (SCREE__DEST_REFUSED(w_, t_.id, dest_)) return;                                                                 \
    scree__cache *c_ = w_->cache + t_.id;                                                                              \
    if (c_->entries) {                                                                                                 \
      const uint64_t id_ = name##__id(c_, dest_, &v_), level_ = name##__level(&v_);                                    \
      if (scree__sent_covers(c_, id_, level_)) return;                                                                 \
      scree__sent_note(c_, id_, level_);                                                                               \
      if (c_->missed >= c_->review) scree__cache_review(w_, t_.id);                                                    \
    }                                                                                                                  \
    name##_send_at_once(w_, t_, dest_, v_);                                                                            \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##_try_send(scree_worker *w_, name##_type t_, uint32_t dest_, T v_) {     \
    if (SCREE__DEST_REFUSED(w_, t_.id, dest_)) return true;                                                            \
    scree__cache *c_ = w_->cache + t_.id;                                                                              \
    if (!c_->entries) return name##_try_send_at_once(w_, t_, dest_, v_);                                               \
    const uint64_t id_ = name##__id(c_, dest_, &v_), level_ = name##__level(&v_);                                      \
    if (scree__sent_covers(c_, id_, level_)) return true;                                                              \
    if (!name##_try_send_at_once(w_, t_, dest_, v_)) return false;                                                     \
    if (c_->entries) scree__sent_note(c_, id_, level_);                                                                \
    if (c_->missed >= c_->review) scree__cache_review(w_, t_.id);                                                      \
    return true;                                                                                                       \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED bool name##__covers(scree__cache *c_, const void *item_, uint64_t to_, void **victim_) {  \
    T v_;                                                                                                              \
    __builtin_memcpy(&v_, item_, sizeof v_);                                                                           \
    (void)victim_;                                                                                                     \
    return scree__sent_covers(c_, name##__id(c_, (uint32_t)to_, &v_), name##__level(&v_));                             \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED void name##__put(scree__cache *c_, const void *item_, uint64_t to_) {                     \
    T v_;                                                                                                              \
    __builtin_memcpy(&v_, item_, sizeof v_);                                                                           \
    scree__sent_note(c_, name##__id(c_, (uint32_t)to_, &v_), name##__level(&v_));                                      \
  }                                                                                                                    \
  SCREE__REDUCTION(name, scree__sent, 0, false)                                                                        \
  SCREE__SEND_ALL(name, T)

#ifdef __cplusplus
}
#endif
#endif
