/* delegate.h - functions that run where an object of global memory is; include scree/global.h. */
#ifndef SCREE_GLOBAL_DELEGATE_H
#define SCREE_GLOBAL_DELEGATE_H
#include <scree/global/operation.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef void scree__delegate_fn(scree_worker *worker, void *object, const void *args, void *result, void *arg);
scree_status scree__delegate_register(scree_world *world, const char *name, uint32_t args, uint32_t result,
                                      scree__delegate_fn *fn, void *arg, const scree__delegate **out);

/* The worker at which delegates on that byte run, for scree_worker_number's calls and name_spawn_on: one for each 4096
 * bytes of a part. Local; in an epoch. An address outside of the heap: the world fails with SCREE_EINVAL, and the
 * caller's own number is returned. */
uint32_t scree_global_worker(scree_worker *worker, scree_address a);

/* SCREE_TASK_AT(name, Args), after SCREE_TASK(name, Args): name_spawn_at(w, t, scope, address, args) begins a task
 * there. */
#define SCREE_TASK_AT(name, Args)                                                                                      \
  static inline SCREE__MAYBE_UNUSED void name##_spawn_at(scree_worker *w, name##_type t, scree_scope *scope,           \
                                                         scree_address a, Args args_) {                                \
    name##_spawn_on(w, t, scope, scree_global_worker(w, a), args_);                                                    \
  }                                                                                                                    \
  typedef name##_type name##_spawned_at_type

/* SCREE_DELEGATE(name, Args, Result): a function that runs where an object is, in a handler. All delegates on the same
 * 4096 bytes of a part run on one worker; so they need no atomics among each other, and must use scree's where others
 * change the same words by atomics. The `bytes` of the object at address `a` are in one such block of 4096 bytes, and
 * in one stripe. Args and Result are plain, of up to 4096 bytes. At file scope. Defines
 *   name_type                                                 what name_register fills; a value, copy freely
 *   scree_status name_call(self, t, a, bytes, args, &result)  waits for the result; as scree_get
 *   void name_call_into(w, future, t, a, bytes, args, &result), name_call_in(w, completion, t, a, bytes, args, &result)
 *   void name_cast(w, t, a, bytes, args)                      without result; implicit: see scree_quiet
 * result NULL: none is sent. Where it is legal, and errors: as for the operations above; an object that crosses such a
 * boundary: SCREE_EINVAL. */
#define SCREE__DELEGATE_OP(name, a, bytes, args, result)                                                               \
  { #name "_call", a, result, bytes, 0, 0, SCREE__GLOBAL_CALL, t.of, args, SCREE__GLOBAL_CHECKED }
#define SCREE_DELEGATE(name, Args, Result)                                                                             \
  SCREE__STATIC_ASSERT(sizeof(Args) <= 4096 && sizeof(Result) <= 4096, "arguments and results have up to 4096 bytes"); \
  SCREE__STATIC_ASSERT(SCREE__IS_PLAIN(Args) && SCREE__IS_PLAIN(Result), "they are copied as bytes");                  \
  typedef Args name##__args;                                                                                           \
  typedef Result name##__result;                                                                                       \
  typedef struct {                                                                                                     \
    const scree__delegate *of;                                                                                         \
  } name##_type;                                                                                                       \
  static inline SCREE__MAYBE_UNUSED scree_status name##_call(scree_task *self, name##_type t, scree_address a,         \
                                                             size_t bytes, Args args_, Result *result) {               \
    const scree__global_op op = SCREE__DELEGATE_OP(name, a, bytes, &args_, result);                                    \
    return scree__global_wait(self, &op);                                                                              \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_call_into(scree_worker *w, scree_future *future, name##_type t,        \
                                                          scree_address a, size_t bytes, Args args_, Result *result) { \
    scree__global_op op = SCREE__DELEGATE_OP(name, a, bytes, &args_, result);                                          \
    op.call = #name "_call_into";                                                                                      \
    scree__global_into(w, future, &op);                                                                                \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_call_in(scree_worker *w, scree_completion *completion, name##_type t,  \
                                                        scree_address a, size_t bytes, Args args_, Result *result) {   \
    scree__global_op op = SCREE__DELEGATE_OP(name, a, bytes, &args_, result);                                          \
    op.call = #name "_call_in";                                                                                        \
    scree__global_in(w, completion, &op);                                                                              \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_cast(scree_worker *w, name##_type t, scree_address a, size_t bytes,    \
                                                     Args args_) {                                                     \
    scree__global_op op = SCREE__DELEGATE_OP(name, a, bytes, &args_, NULL);                                            \
    op.call = #name "_cast";                                                                                           \
    scree__global_implicit(w, &op);                                                                                    \
  }                                                                                                                    \
  typedef void name##_fn(scree_worker *, void *, const Args *, Result *, void *)

/* SCREE_DELEGATE_BODY(name, Args, Result, fn): in one .c file, after the definition of
 *   void fn(scree_worker *w, void *object, const Args *args, Result *result, void *arg)
 * which is a handler: it may send and spawn, and never waits. *result begins as zeros. Called by a task of the worker
 * that it runs at, it runs at once, on the stack of that task if its result has up to 64 bytes: it uses less of a stack
 * than task_stack. Defines  scree_status name_register(world, arg, &t): as scree_register, after scree_global_open. */
#define SCREE_DELEGATE_BODY(name, Args, Result, fn)                                                                    \
  SCREE__SAME_AS(name, args, Args, "SCREE_DELEGATE_BODY", "SCREE_DELEGATE");                                           \
  SCREE__SAME_AS(name, result, Result, "SCREE_DELEGATE_BODY", "SCREE_DELEGATE");                                       \
  static void name##__body(scree_worker *w, void *object, const void *args_, void *result, void *arg) {                \
    fn(w, object, (const Args *)args_, (Result *)result, arg);                                                         \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED scree_status name##_register(scree_world *world, void *arg, name##_type *t) {             \
    return scree__delegate_register(world, #name, (uint32_t)sizeof(Args), (uint32_t)sizeof(Result), name##__body, arg, \
                                    &t->of);                                                                           \
  }                                                                                                                    \
  typedef name##_type name##_registered_type

#ifdef __cplusplus
}
#endif
#endif
