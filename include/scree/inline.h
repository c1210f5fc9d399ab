/* inline.h - private: the parts that the sends of message.h, routed.h, reduced.h and addressed.h consist of, and call.
 * Included by message.h. */
#ifndef SCREE_INLINE_H
#define SCREE_INLINE_H
#include <scree/world.h>
#ifdef __cplusplus
extern "C" {
#endif

/* scree__slot returns space for `size` bytes; NULL only if !may_wait. */
void *scree__slot(scree_worker *worker, uint32_t type, uint32_t dest, uint32_t size, bool may_wait);
bool scree__var(scree_worker *worker, uint32_t type, uint32_t dest, const void *data, size_t bytes, bool may_wait);
__attribute__((cold)) bool scree__out_of_range(scree_worker *worker, uint32_t type, uint32_t dest);
uint64_t scree__fan(const scree_worker *worker, uint32_t type); /* destinations of a rank << 32 | between two ranks */
/* Of addressed.h: do a map with owners 0..owner and local indices 0..index and a type go together? narrow: bytes of the
 * field that cannot hold the index; 0: it can. */
scree_status scree__address(scree_world *world, const char *name, uint32_t type, uint32_t owner, uint64_t index,
                            size_t narrow);
bool scree__index_cut(scree_worker *worker, uint32_t type, uint64_t index);
typedef struct scree__reduction scree__reduction;

#define SCREE__MAYBE_UNUSED __attribute__((unused))

/* Takes the next `size` bytes of the lane's block. Returns false if it has no such space. */
static inline SCREE__MAYBE_UNUSED bool scree__lane_take(scree_worker *w, uint32_t type, uint32_t dest, size_t size,
                                                        char **slot) {
  scree__lane *l = w->row[type].lane + dest;
  char *p = l->next;
  *slot = p;
  if (__builtin_expect(!scree__lane_fits(l, size), 0)) return false;
  l->next = p + size;
  return true;
}

#ifdef __cplusplus
#define SCREE__STATIC_ASSERT static_assert
#define SCREE__IS_PLAIN(T)   __is_trivially_copyable(T) /* the compiler's own: this may be in an extern "C" */
/* of: the type that was declared, as name##__of; `body` and `declared` are for the text. */
#define SCREE__SAME_AS(name, of, T, body, declared)                                                                    \
  static inline SCREE__MAYBE_UNUSED const name##__##of *name##__same_##of(const T *item_) {                            \
    return item_;                                                                                                      \
  }                                                                                                                    \
  typedef name##__##of name##__same_##of##_type
#else
#define SCREE__STATIC_ASSERT _Static_assert
#define SCREE__IS_PLAIN(T)   1
#define SCREE__SAME_AS(name, of, T, body, declared)                                                                    \
  SCREE__STATIC_ASSERT(_Generic((T *)0, name##__##of * : 1, default : 0),                                              \
                       body "(" #name ", ...): " #T " is not that of " declared)
#endif
#define SCREE__SAME(name, T) SCREE__SAME_AS(name, item, T, "SCREE_HANDLER", "SCREE_MESSAGE")
#ifdef SCREE_CHECKED
#error "SCREE_CHECKED is a variable, of the option checked: the macro is SCREE_CHECK_INLINE"
#endif
/* BAD: is `dest` not among the destinations of the type? An unused id has none; one beyond the table is examined only
 * where SCREE_CHECK_INLINE says so. NO_LANE: has no type a lane to `dest`? If only this type has no such
 * destination, its lane has no space. In both cases the slow path fails the world. */
#ifdef SCREE_NO_CHECK
#define SCREE__DEST_BAD(w, t, dest) false
#define SCREE__NO_LANE(w, t, dest)  false
#else
#ifdef SCREE_CHECK_INLINE
#define SCREE__NO_TYPE(w, t) ((t) > (w)->types)
#else
#define SCREE__NO_TYPE(w, t) false
#endif
#define SCREE__DEST_BAD(w, t, dest) (SCREE__NO_TYPE(w, t) || __builtin_expect((dest) >= (w)->row[t].dests, 0))
#define SCREE__NO_LANE(w, t, dest)  (SCREE__NO_TYPE(w, t) || __builtin_expect((dest) >= (w)->dests, 0))
#endif
/* The same where no slow path follows: the world has failed. */
#define SCREE__DEST_REFUSED(w, t, dest) (SCREE__DEST_BAD(w, t, dest) && (scree__out_of_range(w, t, dest), true))
#define SCREE__NO_REDUCTION(name)                                                                                      \
  static inline SCREE__MAYBE_UNUSED const scree__reduction *name##__reduction(void) {                                  \
    return NULL;                                                                                                       \
  }
#define SCREE__TYPE(name, T, flags, max)                                                                               \
  SCREE__STATIC_ASSERT(sizeof(T) - 1 < (max),                                                                          \
                       "an item has 1 to SCREE_ITEM_MAX bytes, 4 fewer if routed: send more by SCREE_VARIABLE");       \
  SCREE__STATIC_ASSERT(SCREE__IS_PLAIN(T), "an item is copied as bytes: no constructors, destructors, std::string");   \
  typedef T name##__item; /* T may have the name of what follows inside functions */                                   \
  enum { name##_flags = flags };                                                                                       \
  typedef struct {                                                                                                     \
    uint32_t id;                                                                                                       \
  } name##_type
#define SCREE__SEND_ALL(name, T)                                                                                       \
  static inline SCREE__MAYBE_UNUSED void name##_send_all(scree_worker *w, name##_type t, name##__item v) {             \
    uint64_t fan = scree__fan(w, t.id);                                                                                \
    for (uint32_t i = 1; i <= w->ranks; i++)                                                                           \
      for (uint32_t k = 0; k < (uint32_t)(fan >> 32); k++)                                                             \
        name##_send(w, t, (w->rank + i) % w->ranks * (uint32_t)fan + k, v);                                            \
  }                                                                                                                    \
  typedef void name##_fn(scree_worker *, const scree_batch *, const name##__item *, void *)
/* The sends of a type, as `verb` calls them. If a lane has no space, or the type has no such lane, `slot` is called. */
#define SCREE__SENDS(name, verb, T, slot)                                                                              \
  static inline SCREE__MAYBE_UNUSED void name##_##verb(scree_worker *w, name##_type t, uint32_t dest,                  \
                                                       name##__item v) {                                               \
    char *p;                                                                                                           \
    if (SCREE__NO_LANE(w, t.id, dest) || !scree__lane_take(w, t.id, dest, sizeof v, &p))                               \
      p = (char *)slot(w, t.id, dest, sizeof(name##__item), true);                                                     \
    __builtin_memcpy(p, &v, sizeof(name##__item));                                                                     \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##_try_##verb(scree_worker *w, name##_type t, uint32_t dest,              \
                                                           name##__item v) {                                           \
    char *p;                                                                                                           \
    if (SCREE__NO_LANE(w, t.id, dest) || !scree__lane_take(w, t.id, dest, sizeof v, &p))                               \
      if (!(p = (char *)slot(w, t.id, dest, sizeof(name##__item), false))) return false;                               \
    __builtin_memcpy(p, &v, sizeof(name##__item));                                                                     \
    return true;                                                                                                       \
  }
#define SCREE__REGISTERS(name, bytes, always, batch_fn, reduced)                                                       \
  static SCREE__MAYBE_UNUSED scree_type_desc name##_desc(uint32_t flags, void *arg) {                                  \
    scree_type_desc desc = {sizeof desc, #name, bytes, flags | always, batch_fn, arg, NULL, reduced};                  \
    return desc;                                                                                                       \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED scree_status name##_register_with(scree_world *world, uint32_t flags, void *arg,          \
                                                               name##_type *t) {                                       \
    scree_type_desc desc = name##_desc(flags, arg);                                                                    \
    return scree_register(world, &desc, &t->id);                                                                       \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED scree_status name##_register(scree_world *world, void *arg, name##_type *t) {             \
    return name##_register_with(world, 0, arg, t);                                                                     \
  }                                                                                                                    \
  typedef name##_type name##_registered_type

#ifdef __cplusplus
}
#endif
#endif
