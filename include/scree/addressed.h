/* addressed.h - sends by key: where a key lives is computed once, by a map, for the destination and for the index that
 * the receiver works with. Whether the field of the item that carries the index holds every one is checked before the
 * first send, so that none is cut off and no send checks. C11 and C++11. */
#ifndef SCREE_ADDRESSED_H
#define SCREE_ADDRESSED_H
#include <scree/distribution.h>
#include <scree/message.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Private: of files compiled with SCREE_CHECK_INLINE; is a local index cut off by its field? Then the world has
 * failed. */
#ifdef SCREE_CHECK_INLINE
#define SCREE__INDEX_CUT(w, t, index, held) ((uint64_t)(held) != (index) && scree__index_cut((w), (t), (index)))
#else
#define SCREE__INDEX_CUT(w, t, index, held) false
#endif

/* SCREE_ADDRESSED(name, T, FIELD): after SCREE_MESSAGE(name, T) or SCREE_MESSAGE_ROUTED, where T is a struct whose
 * integer member FIELD, no bit-field, carries a local index. Keys are placed by a scree_distribution. Defines
 *   name_map                                   what name_address fills; a value, copy freely
 *   scree_status name_address(world, t, map, &m)  m stands for `map`, as far as messages of type t go
 *   void name_send_to(w, t, m, key, value)     stores the local index of `key` in value.FIELD; sends it to the owner
 *   bool name_try_send_to(w, t, m, key, value) the same by name_try_send
 * The rules of name_send hold. `map` stays the caller's; it must not change or move as long as m is used. A name_map
 * comes from name_address alone, which refuses a map that does not fit: with an index that FIELD cannot hold, or an
 * owner that is not a destination of t. Of a type to workers owners are workers: map ranks * threads parts, in epochs
 * of all workers. Undefined: a key that the map does not have; m of another world. Files compiled with
 * SCREE_CHECK_INLINE fail the world where the index of such a key is cut off. name_address: local; idle world, owner's
 * thread. Errors: SCREE_EINVAL (the map does not fit; the text says by what), and those of scree_on_idle. */
#define SCREE_ADDRESSED(name, T, FIELD)                                                                                \
  SCREE_ADDRESSED_BY(name, T, FIELD, scree_distribution, scree_distribution_location, scree_distribution_last)

/* SCREE_ADDRESSED_BY(name, T, FIELD, MAP, LOCATE, LAST): the same for any type MAP, and two inline functions or macros
 *   scree_location LOCATE(const MAP *map, uint64_t key)  owner and local index of the key
 *   scree_location LAST(const MAP *map)                  the largest owner, and the largest local index of any key,
 *                                                        which may be two different keys': nothing that LOCATE returns
 *                                                        is larger */
#define SCREE_ADDRESSED_BY(name, T, FIELD, MAP, LOCATE, LAST)                                                          \
  typedef struct {                                                                                                     \
    const MAP *map_; /* private */                                                                                     \
  } name##_map;                                                                                                        \
  static inline SCREE__MAYBE_UNUSED scree_status name##_address(scree_world *world_, name##_type t_, const MAP *map_,  \
                                                                name##_map *m_) {                                      \
    SCREE__STATIC_ASSERT(sizeof(((T *)0)->FIELD | 0) > 0, "FIELD is an integer");                                      \
    const scree_location last_ = LAST(map_);                                                                           \
    const uint64_t index_ = scree_location_local(last_);                                                               \
    const bool holds_ = (uint64_t)(__typeof__(((T *)0)->FIELD))index_ == index_;                                       \
    const scree_status status_ = scree__address(world_, #name, t_.id, scree_location_owner(last_), index_,             \
                                                holds_ ? 0 : sizeof(((T *)0)->FIELD));                                 \
    if (status_ == SCREE_OK) m_->map_ = map_;                                                                          \
    return status_;                                                                                                    \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_send_to(scree_worker *w_, name##_type t_, name##_map m_,               \
                                                        uint64_t key_, T v_) {                                         \
    const scree_location at_ = LOCATE(m_.map_, key_);                                                                  \
    v_.FIELD = (__typeof__(((T *)0)->FIELD))scree_location_local(at_);                                                 \
    if (SCREE__INDEX_CUT(w_, t_.id, scree_location_local(at_), v_.FIELD)) return;                                      \
    name##_send(w_, t_, scree_location_owner(at_), v_);                                                                \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##_try_send_to(scree_worker *w_, name##_type t_, name##_map m_,           \
                                                            uint64_t key_, T v_) {                                     \
    const scree_location at_ = LOCATE(m_.map_, key_);                                                                  \
    v_.FIELD = (__typeof__(((T *)0)->FIELD))scree_location_local(at_);                                                 \
    if (SCREE__INDEX_CUT(w_, t_.id, scree_location_local(at_), v_.FIELD)) return true;                                 \
    return name##_try_send(w_, t_, scree_location_owner(at_), v_);                                                     \
  }                                                                                                                    \
  typedef name##_map name##_addressed_map

#ifdef __cplusplus
}
#endif
#endif
