/* operation.h - one-sided operations on global memory; include scree/global.h. */
#ifndef SCREE_GLOBAL_OPERATION_H
#define SCREE_GLOBAL_OPERATION_H
#include <scree/global/heap.h>
#include <scree/global/word.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree__delegate scree__delegate;

/* Private: an operation. `local`: where its bytes come from or go to; of atomics, the old value; NULL: nowhere. A copy:
 * `expected` is where it comes from. Gather and scatter: `args` are the addresses, `value` is their number, `bytes` are
 * of each element. */
typedef struct {
  const char *call;
  scree_address address;
  void *local;
  uint64_t bytes, value, expected;
  scree__global_kind kind;
  const scree__delegate *delegate; /* and its arguments, else NULL */
  const void *args;
  bool checked; /* the file was compiled with SCREE_CHECK_INLINE */
} scree__global_op;
#ifdef SCREE_CHECK_INLINE
#define SCREE__GLOBAL_CHECKED true
#else
#define SCREE__GLOBAL_CHECKED false
#endif

scree_status scree__global_wait(scree_task *self, const scree__global_op *op);
scree_status scree__global_poll(scree_worker *worker, const scree__global_op *op);
void scree__global_into(scree_worker *worker, scree_future *future, const scree__global_op *op);
void scree__global_in(scree_worker *worker, scree_completion *completion, const scree__global_op *op);
void scree__global_implicit(scree_worker *worker, const scree__global_op *op);

/* Each operation has five forms, which differ by how they complete:
 *   NAME(self, ...)               in a task, which waits until it is complete; returns as scree_task_yield
 *   NAME_poll(w, ...)             on the worker's own stack in an epoch, outside handlers and tasks: waits by
 *                                 scree_progress, which runs handlers; returns SCREE_OK or the status of the failed
 *                                 world
 *   NAME_into(w, future, ...)     sets a future of this worker when it is complete, to the first bytes of the result
 *                                 (zeros if there is none). A result of up to SCREE_FUTURE_MAX bytes needs no other
 *                                 memory: pass NULL
 *   NAME_in(w, completion, ...)   is enrolled in a completion of this worker, and completes in it
 *   NAME_nbi(w, ...)              implicit: complete when scree_quiet of the same task returns, or the scope, loop or
 *                                 completion that the task belongs to, or the epoch, has ended
 * The last three are legal in an epoch, in tasks, in handlers and elsewhere; they never wait for the operation. If
 * global_outstanding operations of this worker are incomplete, a task waits until one completes, code on the worker's
 * own stack makes progress, and a handler does neither; implicit words (aligned, of 8 bytes, without result) and
 * name_cast are bounded as messages are instead. The memory that results go to must stay until the operation is
 * complete; the bytes that a put sends may be reused when the call returns.
 *
 * `a` is any address of an allocation that has not been freed, and all bytes of the operation are in it: linear
 * addresses pass from rank to rank. Waiting operations of a task take effect in program order; asynchronous ones in any
 * order, also of one address. Errors fail the world: SCREE_EINVAL (bytes outside of the heap, or where no rank has
 * allocated any; atomics: not 4 or 8 bytes, not aligned; a put_value of more than 8 bytes), SCREE_ESTATE (no epoch;
 * poll in a task or handler; no global memory), SCREE_ENOMEM. */
#define SCREE__GLOBAL_OP(kind, name, a, local, bytes, value, expected)                                                 \
  { "scree_" #name, a, local, bytes, value, expected, SCREE__GLOBAL_##kind, NULL, NULL, SCREE__GLOBAL_CHECKED }
/* now: does it at once, for a task that would wait; word: as an implicit operation on a word; or they return false. */
#define SCREE__GLOBAL_FORMS(name, now, word, operation, ...)                                                           \
  static inline SCREE__MAYBE_UNUSED scree_status scree_##name(scree_task *self, __VA_ARGS__) {                         \
    if (!SCREE__GLOBAL_CHECKED && now) return SCREE_OK;                                                                \
    const scree__global_op op = operation;                                                                             \
    return scree__global_wait(self, &op);                                                                              \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED scree_status scree_##name##_poll(scree_worker *w, __VA_ARGS__) {                   \
    scree__global_op op = operation;                                                                                   \
    op.call = "scree_" #name "_poll";                                                                                  \
    return scree__global_poll(w, &op);                                                                                 \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void scree_##name##_into(scree_worker *w, scree_future *future, __VA_ARGS__) {     \
    scree__global_op op = operation;                                                                                   \
    op.call = "scree_" #name "_into";                                                                                  \
    scree__global_into(w, future, &op);                                                                                \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void scree_##name##_in(scree_worker *w, scree_completion *completion,              \
                                                           __VA_ARGS__) {                                              \
    scree__global_op op = operation;                                                                                   \
    op.call = "scree_" #name "_in";                                                                                    \
    scree__global_in(w, completion, &op);                                                                              \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void scree_##name##_nbi(scree_worker *w, __VA_ARGS__) {                            \
    if (!SCREE__GLOBAL_CHECKED && word) return;                                                                        \
    scree__global_op op = operation;                                                                                   \
    op.call = "scree_" #name "_nbi";                                                                                   \
    scree__global_implicit(w, &op);                                                                                    \
  }                                                                                                                    \
  SCREE__STATIC_ASSERT(1, "")

/* scree_get(self, to, a, bytes): copies `bytes` from address `a` to local memory. */
SCREE__GLOBAL_FORMS(get, bytes == 8 && scree__get_now(self, a, to), false,
                    SCREE__GLOBAL_OP(GET, get, a, to, bytes, 0, 0), void *to, scree_address a, size_t bytes);
/* scree_put(self, a, from, bytes): copies `bytes` of local memory to address `a`. */
SCREE__GLOBAL_FORMS(put, bytes == 8 && scree__put_now(self, a, scree__word_at(from)),
                    bytes == 8 && scree__word_nbi(w, SCREE__GLOBAL_PUT, a, scree__word_at(from)),
                    SCREE__GLOBAL_OP(PUT, put, a, (void *)(uintptr_t)from, bytes, 0, 0), scree_address a,
                    const void *from, size_t bytes);
/* scree_put_value(self, a, value, bytes): the lowest `bytes` of the value, 1 to 8. */
SCREE__GLOBAL_FORMS(put_value, bytes == 8 && scree__put_now(self, a, value),
                    bytes == 8 && scree__word_nbi(w, SCREE__GLOBAL_PUT, a, value),
                    SCREE__GLOBAL_OP(PUT, put_value, a, NULL, bytes, value, 0), scree_address a, uint64_t value,
                    size_t bytes);
/* scree_atomic_fetch_add(self, a, value, bytes, old), and so on: a word of 4 or 8 bytes, aligned. The word that was
 * there goes to *old; NULL: nowhere, and no result is sent. A word that atomics change is changed by atomics and 8-byte
 * or 4-byte puts alone. */
#define SCREE__GLOBAL_ATOMIC(name, kind, word)                                                                         \
  SCREE__GLOBAL_FORMS(atomic_##name, false, word, SCREE__GLOBAL_OP(kind, atomic_##name, a, old, bytes, value, 0),      \
                      scree_address a, uint64_t value, size_t bytes, uint64_t *old)
#define SCREE__ATOMIC_WORD(kind) bytes == 8 && !old && scree__word_nbi(w, SCREE__GLOBAL_##kind, a, value)
SCREE__GLOBAL_ATOMIC(fetch_add, ADD, SCREE__ATOMIC_WORD(ADD));
SCREE__GLOBAL_ATOMIC(swap, SWAP, false);
SCREE__GLOBAL_ATOMIC(and, AND, SCREE__ATOMIC_WORD(AND));
SCREE__GLOBAL_ATOMIC(or, OR, SCREE__ATOMIC_WORD(OR));
SCREE__GLOBAL_ATOMIC(xor, XOR, SCREE__ATOMIC_WORD(XOR));
/* Stores the value if the word is `expected`. */
SCREE__GLOBAL_FORMS(atomic_compare_swap, false, false,
                    SCREE__GLOBAL_OP(COMPARE, atomic_compare_swap, a, old, bytes, value, expected), scree_address a,
                    uint64_t expected, uint64_t value, size_t bytes, uint64_t *old);

/* scree_fill(self, a, pattern, bytes): byte i from `a` on becomes byte i % 8 of the pattern, the lowest being 0. */
SCREE__GLOBAL_FORMS(fill, false, false, SCREE__GLOBAL_OP(FILL, fill, a, NULL, bytes, pattern, 0), scree_address a,
                    uint64_t pattern, size_t bytes);
/* scree_copy(self, to, from, bytes): from global memory to global memory, through this rank. Undefined: they
 * overlap. */
SCREE__GLOBAL_FORMS(copy, false, false, SCREE__GLOBAL_OP(COPY, copy, to, NULL, bytes, 0, from), scree_address to,
                    scree_address from, size_t bytes);
/* scree_gather(self, to, a, count, bytes): element i, of so many bytes, comes from address a[i]; those in `to` follow
 * one another. Elements of up to 8 bytes are cheapest. The array of addresses is free when the call returns. */
#define SCREE__GLOBAL_INDEXED(kind, name, a, local)                                                                    \
  { "scree_" #name, SCREE_NO_ADDRESS, local, bytes, count, 0, SCREE__GLOBAL_##kind, NULL, a, SCREE__GLOBAL_CHECKED }
SCREE__GLOBAL_FORMS(gather, false, false, SCREE__GLOBAL_INDEXED(GATHER, gather, a, to), void *to,
                    const scree_address *a, size_t count, size_t bytes);
/* scree_scatter(self, a, from, count, bytes): element i goes to address a[i]. The order is undefined where addresses
 * are the same. Elements of 8 bytes are cheapest. Both arrays are free when the call returns. */
SCREE__GLOBAL_FORMS(scatter, false, false, SCREE__GLOBAL_INDEXED(SCATTER, scatter, a, (void *)(uintptr_t)from),
                    const scree_address *a, const void *from, size_t count, size_t bytes);

#define SCREE_IMPLICIT_TASKS_MAX 65536 /* tasks of a worker with implicit operations that are not complete, at most */

/* Waits until all implicit operations of this task are complete, and of no other one. Returns as scree_task_yield. On
 * the worker's own stack: scree_quiet_poll, as the other forms _poll. When SCREE_IMPLICIT_TASKS_MAX tasks of a worker
 * have implicit operations that are not complete, the first one of another task fails the world with SCREE_ENOMEM. */
scree_status scree_quiet(scree_task *self);
scree_status scree_quiet_poll(scree_worker *worker);

/* Orders asynchronous operations at the owner of `a`: those that this task has begun there before, in any form, take
 * effect before those that it begins after the call. It waits for the former, and for this task's implicit operations
 * at all owners. Legal and returns as scree_quiet. An address outside of the heap: SCREE_EINVAL, as of operations. */
scree_status scree_fence(scree_task *self, scree_address a);
scree_status scree_fence_poll(scree_worker *worker, scree_address a);

#ifdef __cplusplus
}
#endif
#endif
