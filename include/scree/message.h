/* message.h - message types: items, handlers, registration, sends. Included by scree.h. C11 and C++11 (gcc, clang).
 *
 * Messages are coalesced by destination in lanes, travel in blocks, and reach a handler in batches of one type from one
 * rank (docs/concepts.md, section 5). Types that travel by routes: routed.h; that are combined: reduced.h; sends by
 * key: addressed.h. */
#ifndef SCREE_MESSAGE_H
#define SCREE_MESSAGE_H
#include <scree/inline.h>
#include <scree/world.h>
#ifdef __cplusplus
extern "C" {
#endif

/* What a handler gets besides its items. */
typedef struct {
  uint32_t source; /* rank that sent all of them */
  uint32_t count;  /* number of items, at least 1 */
  uint32_t worker; /* and its worker, below worker->indices; `threads`: its progress thread */
} scree_batch;

/* A batch handler. `items` are batch->count records, contiguous, const, valid only during this call. It runs on the
 * worker's thread, inside a call of progress or a send made outside of handlers. It may send to any type and rank and
 * call what permits handlers; its sends never wait and run no handler. It may not begin, end or test an epoch,
 * register, close, make progress or wait: that fails the world with SCREE_ESTATE. No C++ exception may leave it: catch
 * it inside, and call scree_fail. */
typedef void scree_batch_fn(scree_worker *worker, const scree_batch *batch, const void *items, void *arg);

#define SCREE_ITEM_MAX 32768 /* bytes of the largest fixed-size item; larger ones go as variable-length messages */

/* Which workers handle a type's messages (docs/threads.md, section 2). 0: any that takes part, several at once.
 * SCREE_SERIAL: worker 0 of the destination rank, one handler at a time. SCREE_TO_WORKER: destinations are workers, see
 * scree_worker_number. Added to them, in worlds with the option urgent_types, SCREE_URGENT: overtakes messages of other
 * types (docs/concepts.md, section 5). */
enum { SCREE_SERIAL = 1, SCREE_TO_WORKER = 2, SCREE_URGENT = 256 };

/* Later releases may add fields at the end, which are zero where `size` says that a program lacks them. */
typedef struct {
  size_t size;      /* sizeof(scree_type_desc) */
  const char *name; /* for errors and statistics; copied */
  uint32_t item;    /* bytes of an item, 1 .. SCREE_ITEM_MAX; 0: variable length */
  uint32_t flags;   /* of above, of routed.h and of reduced.h */
  scree_batch_fn *fn;
  void *arg; /* passed to fn; the caller's */
  /* Batches are sorted by this key, rising, those of equal keys as they came; NULL: as they came. It reads the item
   * alone. Of a fixed size only; need not be the same on all ranks. */
  uint64_t (*sort)(const void *item);
  const struct scree__reduction *reduction; /* private: of a type of reduced.h, else NULL */
} scree_type_desc;

/* Registers a type; programs usually call the generated NAME_register. *id, from 1, is valid in this world alone; 0
 * after an error. Name, item, flags and order are compared over all ranks. Collective, idle world, owner's thread.
 * Errors: SCREE_EINVAL (a field; a type that differs between ranks: the text names both), SCREE_ESTATE (an epoch, a
 * handler), SCREE_ENOMEM, SCREE_EMPI, or the code of a world that has failed. */
scree_status scree_register(scree_world *world, const scree_type_desc *desc, uint32_t *id);

/* The same for `count` types, descs[0] and on, all of one `size`, as NAME_desc makes them, in the time of one. After an
 * error none is registered, on any rank. A count of 0, on all ranks, reads and does nothing. */
scree_status scree_register_all(scree_world *world, const scree_type_desc *descs, uint32_t count, uint32_t *ids);

/* Sends by number and address, for other languages and for runtimes that dispatch by id: the item at `item`, of the
 * type's size, which scree_send_bytes compares with `bytes`; messages of variable length are sent by scree_send_bytes
 * only. The rules of SCREE_MESSAGE hold; a type or destination that does not exist fails the world. Messages of a type
 * of reduced.h are not combined here. */
void scree_send(scree_worker *worker, uint32_t type, uint32_t dest, const void *item);
bool scree_try_send(scree_worker *worker, uint32_t type, uint32_t dest, const void *item);
void scree_send_bytes(scree_worker *worker, uint32_t type, uint32_t dest, const void *data, size_t bytes);

/* ---- types by macros: the fast path ---- */

/* SCREE_MESSAGE(name, T), at file scope: a type whose items are T, of 1 to SCREE_ITEM_MAX bytes, in C++ trivially
 * copyable. Give a T that has a comma a name: `using pair = std::array<int, 2>;`, then SCREE_MESSAGE(of_pairs, pair).
 * Defines
 *   name_type                            what name_register fills: the type's id in one world; a value, copy freely
 *   void name_send(w, t, dest, value)    sends value to rank dest or, of a type of SCREE_TO_WORKER, to that worker
 *   bool name_try_send(w, t, dest, v)    the same, but false where name_send would wait; runs no handler
 *   void name_send_all(w, t, value)      to every rank, this one last; of a type to workers, to all that take part
 * Local; owner's thread, in an epoch; handlers too. Outside of handlers a send may run any handler of this worker: do
 * not iterate over what they change. Inside it never waits. In a failed world messages are dropped, and a try returns
 * true. A dest that does not exist fails the world; in files compiled with SCREE_NO_CHECK it is undefined. An id that
 * is not registered fails the world: up to 63 everywhere, any in files compiled with SCREE_CHECK_INLINE. Undefined: in
 * other files a larger id; in any file the id of another type of the same item size. */
#define SCREE_MESSAGE(name, T)                                                                                         \
  SCREE__TYPE(name, T, 0, SCREE_ITEM_MAX);                                                                             \
  SCREE__NO_REDUCTION(name)                                                                                            \
  SCREE__SENDS(name, send, T, scree__slot)                                                                             \
  SCREE__SEND_ALL(name, T)

/* SCREE_HANDLER(name, T, fn): in one .c file, after void fn(scree_worker *w, const scree_batch *batch, const T *items,
 * void *arg) with the message's T. Defines
 *   scree_status name_register(world, arg, &t)               scree_register with fn as the handler
 *   scree_status name_register_with(world, flags, arg, &t)   the same with flags
 *   scree_type_desc name_desc(flags, arg)                    what they register, for scree_register_all */
#define SCREE_HANDLER(name, T, fn)                                                                                     \
  SCREE__SAME(name, T);                                                                                                \
  static void name##_batch(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {                  \
    fn(w, batch, (const name##__item *)items, arg);                                                                    \
  }                                                                                                                    \
  SCREE__REGISTERS(name, (uint32_t)sizeof(name##__item), name##_flags, name##_batch, name##__reduction())

/* SCREE_VARIABLE(name): a type of byte strings of 0 to 2^31 - 1 bytes, by the rules of SCREE_MESSAGE. Defines
 * name_type,
 *   void name_send(w, t, dest, data, bytes)      copies `bytes` bytes from data
 *   bool name_try_send(w, t, dest, data, bytes)
 * Those that no block holds travel in fragments (docs/concepts.md, section 8). */
#define SCREE_VARIABLE(name)                                                                                           \
  typedef struct {                                                                                                     \
    uint32_t id;                                                                                                       \
  } name##_type;                                                                                                       \
  static inline SCREE__MAYBE_UNUSED void name##_send(scree_worker *w, name##_type t, uint32_t dest, const void *data,  \
                                                     size_t bytes) {                                                   \
    scree__var(w, t.id, dest, data, bytes, true);                                                                      \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##_try_send(scree_worker *w, name##_type t, uint32_t dest,                \
                                                         const void *data, size_t bytes) {                             \
    return scree__var(w, t.id, dest, data, bytes, false);                                                              \
  }                                                                                                                    \
  typedef name##_type name##_variable_type

/* SCREE_VARIABLE_HANDLER(name, fn): in one .c file; fn is a scree_batch_fn that reads its records as follows:
 *   const void *at = items;  for (i < batch->count) p = scree_record_next(&at, &bytes); */
#define SCREE_VARIABLE_HANDLER(name, fn) SCREE__REGISTERS(name, 0, 0, fn, NULL)

/* ---- inside handlers ---- */

/* The record at *cursor, 8-byte aligned, and its length; moves *cursor to the next one. Undefined beyond the last one
 * of the batch, and outside of handlers of variable-length types. */
static inline SCREE__MAYBE_UNUSED const void *scree_record_next(const void **cursor, size_t *bytes) {
  const char *head = (const char *)*cursor;
  uint32_t n;
  __builtin_memcpy(&n, head, sizeof n);
  *bytes = n;
  *cursor = head + 8 + (((size_t)n + 7) & ~(size_t)7);
  return head + 8;
}

/* For handlers that write to random entries of a table larger than the caches (docs/howto.md says when that pays):
 *   scree_prefetch_write(&table[items[scree_batch_ahead(batch, i, 64)].index]);
 * Prefetches the cache line at p for writing; never faults, for any p. Local; any thread, any time. */
static inline void scree_prefetch_write(const void *p) {
#if defined(__x86_64__)
  __asm__ __volatile__("prefetchw (%0)" ::"r"(p)); /* __builtin_prefetch takes it only with -mprfchw */
#else
  __builtin_prefetch(p, 1, 3);
#endif
}

/* The index of the item `distance` after item i, or of the last item of the batch. Undefined: i >= batch->count. */
static inline uint32_t scree_batch_ahead(const scree_batch *batch, uint32_t i, uint32_t distance) {
  return batch->count - i > distance ? i + distance : batch->count - 1;
}

#ifdef __cplusplus
}
#endif
#endif
