/* queue.h - closures: tasks that have not begun; and rings of them, and of tasks that are ready. Rings grow; their
 * indices count on without end. */
#ifndef SCREE__QUEUE_H
#define SCREE__QUEUE_H
#include <scree/task_loop.h>
#include <stdlib.h>

#include "base/invariant.h"

typedef struct scree__task_type {
  char name[48];
  scree__task_fn *fn;
  void *arg;
  uint32_t bytes; /* of arguments */
  uint32_t id;    /* of the messages that spawn it */
  /* of a type of loops; body NULL: it is none */
  scree__loop_fn *body;
  scree_combine_fn *combine;
  uint32_t loop_bytes, value_bytes; /* of its arguments; of its result, 0: it has none */
} scree__task_type;

/* 128 bytes. */
typedef struct {
  _Alignas(16) const scree__task_type *type;
  scree_scope *scope; /* NULL: the epoch */
  char args[SCREE_TASK_ARGS_MAX];
  uint64_t due; /* ns, of those that wait for a time; the epoch, of those that are exposed */
} scree__closure;
_Static_assert(sizeof(scree__closure) == 128, "two lines");

#define SCREE__RING(name, T)                                                                                           \
  typedef struct {                                                                                                     \
    T *item;                                                                                                           \
    uint32_t head, tail, room; /* room: a power of two, or 0 */                                                        \
  } name;                                                                                                              \
  static inline uint32_t name##_count(const name *r) {                                                                 \
    return r->tail - r->head;                                                                                          \
  }                                                                                                                    \
  static inline T *name##_at(const name *r, uint32_t i) {                                                              \
    SCREE__INVARIANT(r->room &&name##_count(r) <= r->room);                                                            \
    return &r->item[(r->head + i) & (r->room - 1)];                                                                    \
  }                                                                                                                    \
  static inline bool name##_grow(name *r) {                                                                            \
    const uint32_t count = name##_count(r), room = r->room ? 2 * r->room : 64;                                         \
    T *bigger = room ? aligned_alloc(64, room * sizeof *bigger) : NULL;                                                \
    if (!bigger) return false;                                                                                         \
    for (uint32_t i = 0; i < count; i++) bigger[(r->head + i) & (room - 1)] = *name##_at(r, i);                        \
    free(r->item);                                                                                                     \
    *r = (name){bigger, r->head, r->tail, room};                                                                       \
    return true;                                                                                                       \
  }                                                                                                                    \
  /* A place after the last one; NULL: no memory. */                                                                   \
  static inline T *name##_push(name *r) {                                                                              \
    if (name##_count(r) == r->room && !name##_grow(r)) return NULL;                                                    \
    return &r->item[r->tail++ & (r->room - 1)];                                                                        \
  }                                                                                                                    \
  /* The same, where there is space. */                                                                                \
  static inline T *name##_place(name *r) {                                                                             \
    SCREE__INVARIANT(name##_count(r) < r->room);                                                                       \
    return &r->item[r->tail++ & (r->room - 1)];                                                                        \
  }                                                                                                                    \
  /* Makes space for so many in total. */                                                                              \
  static inline bool name##_reserve(name *r, uint32_t count) {                                                         \
    while (r->room < count)                                                                                            \
      if (!name##_grow(r)) return false;                                                                               \
    return true;                                                                                                       \
  }                                                                                                                    \
  static inline T *name##_pop_first(name *r) {                                                                         \
    SCREE__INVARIANT(name##_count(r) > 0 && name##_count(r) <= r->room);                                               \
    return &r->item[r->head++ & (r->room - 1)];                                                                        \
  }                                                                                                                    \
  static inline T *name##_pop_last(name *r) {                                                                          \
    SCREE__INVARIANT(name##_count(r) > 0 && name##_count(r) <= r->room);                                               \
    return &r->item[--r->tail & (r->room - 1)];                                                                        \
  }

SCREE__RING(scree__closures, scree__closure)
SCREE__RING(scree__ready, scree_task *)
#endif
