/* task_loop.h - loops: iterations that tasks run, on all workers of all ranks (GMT: Morari et al., IPDPS 2014; Grappa:
 * Nelson et al., USENIX ATC 2015; docs/tasks.md). A loop is one range for each worker that takes part; a range is
 * halved as it runs, and halves are what workers steal (option `steal`). So 2^40 iterations are a few closures.
 *
 * The body is called with a range of iterations, and may wait, spawn, and run loops itself. Iterations run in no
 * particular order. C11 and C++11 (gcc, clang). */
#ifndef SCREE_TASK_LOOP_H
#define SCREE_TASK_LOOP_H
#include <scree/distribution.h>
#include <scree/task.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Where iterations run: in equal ranges on all ranks; on the caller's; on all others (with one rank: refused); where a
 * distribution says. The last are never stolen, the others are if the option allows it. */
typedef enum { SCREE_LOOP_PARTITION, SCREE_LOOP_LOCAL, SCREE_LOOP_REMOTE, SCREE_LOOP_BY_MAP } scree_loop_policy;

#define SCREE_LOOP_ARGS_MAX 4096 /* bytes of a loop's arguments, at most */

/* Private, called by the generated functions. */
typedef void scree__loop_fn(scree_task *self, uint64_t begin, uint64_t end, const void *args, void *value);
typedef struct scree__loop_call {
  scree__task_world *of;
  uint32_t id;
  scree_loop_policy policy;
  uint64_t begin, end, grain;
  const scree_distribution *map;
  const void *args;
} scree__loop_call;
scree_status scree__loop_register(scree_world *world, const char *name, uint32_t bytes, uint32_t value_bytes,
                                  scree__loop_fn *fn, scree_combine_fn *combine, void *arg, scree__task_world **of,
                                  uint32_t *id);
scree_status scree__loop_for(scree_task *self, const scree__loop_call *call, void *out);
void scree__loop_for_in(scree_worker *worker, scree_scope *scope, const scree__loop_call *call);

#define SCREE__LOOP_TYPE(name, Args)                                                                                   \
  SCREE__STATIC_ASSERT(sizeof(Args) <= SCREE_LOOP_ARGS_MAX,                                                            \
                       "arguments of a loop have 1 to SCREE_LOOP_ARGS_MAX bytes");                                     \
  SCREE__STATIC_ASSERT(SCREE__IS_PLAIN(Args), "arguments are copied as bytes: no constructors, destructors");          \
  typedef Args name##__args;                                                                                           \
  typedef struct {                                                                                                     \
    scree__task_world *of;                                                                                             \
    uint32_t id;                                                                                                       \
    const scree_distribution *map;                                                                                     \
  } name##_type;

/* SCREE_LOOP(name, Args): a type of loops whose arguments are Args, of 1 to SCREE_LOOP_ARGS_MAX bytes, plain as items
 * of messages are; they are sent once to each worker that has a range, and kept there until its last iteration. At file
 * scope, in a header if several files run it. Defines
 *   name_type     what name_register fills; set its field `map` to a distribution over the world's ranks for
 *                 SCREE_LOOP_BY_MAP
 *   scree_status name_for(self, t, policy, begin, end, grain, args)
 *                 runs iterations begin to end - 1, and waits for them and for what they spawn into scree_task_scope;
 *                 inside a task alone. Returns as scree_finish_end does.
 *   void name_for_in(w, t, scope, policy, begin, end, grain, args)
 *                 does not wait: the scope does, as of name_spawn; legal as name_spawn is, but not on a progress thread
 * grain: iterations that a call of the body has at most; 0: as many as take about 2 us, which is measured. The body may
 * be called with fewer. A range that ends before it begins, or a missing map, fails the world with SCREE_EINVAL. */
#define SCREE_LOOP(name, Args)                                                                                         \
  SCREE__LOOP_TYPE(name, Args)                                                                                         \
  static inline SCREE__MAYBE_UNUSED scree_status name##_for(scree_task *self, name##_type t, scree_loop_policy policy, \
                                                            uint64_t begin, uint64_t end, uint64_t grain,              \
                                                            Args args_) {                                              \
    const scree__loop_call call_ = {t.of, t.id, policy, begin, end, grain, t.map, &args_};                             \
    return scree__loop_for(self, &call_, NULL);                                                                        \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_for_in(scree_worker *w, name##_type t, scree_scope *scope,             \
                                                       scree_loop_policy policy, uint64_t begin, uint64_t end,         \
                                                       uint64_t grain, Args args_) {                                   \
    const scree__loop_call call_ = {t.of, t.id, policy, begin, end, grain, t.map, &args_};                             \
    scree__loop_for_in(w, scope, &call_);                                                                              \
  }                                                                                                                    \
  typedef Args name##__plain;                                                                                          \
  typedef void name##_fn(scree_task *, uint64_t, uint64_t, const Args *)

/* SCREE_LOOP_BODY(name, Args, fn): in one .c file, after the definition of
 *   void fn(scree_task *self, uint64_t begin, uint64_t end, const Args *args)
 * Defines  scree_status name_register(world, arg, &t), as SCREE_TASK_BODY does. `args` stay until fn returns. */
#define SCREE_LOOP_BODY(name, Args, fn)                                                                                \
  SCREE__SAME_AS(name, plain, Args, "SCREE_LOOP_BODY", "SCREE_LOOP");                                                  \
  static void name##__body(scree_task *self, uint64_t begin, uint64_t end, const void *args_, void *unused_) {         \
    (void)unused_;                                                                                                     \
    fn(self, begin, end, (const Args *)args_);                                                                         \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED scree_status name##_register(scree_world *world, void *arg, name##_type *t) {             \
    t->map = NULL;                                                                                                     \
    return scree__loop_register(world, #name, (uint32_t)sizeof(Args), 0, name##__body, NULL, arg, &t->of, &t->id);     \
  }                                                                                                                    \
  typedef name##_type name##_registered_type

/* SCREE_LOOP_REDUCED(name, Args, Value): a type of loops that have a result, a Value of up to SCREE_FUTURE_MAX bytes,
 * plain. Defines name_type, and
 *   scree_status name_reduce(self, t, policy, begin, end, grain, args, &value)
 *                 as name_for; `value` is combined with the results of the calls of the body, and is unchanged without
 *                 iterations or after an error
 * Combined for each worker first, then from worker to worker with the acknowledgements of the scope: in no particular
 * order. */
#define SCREE_LOOP_REDUCED(name, Args, Value)                                                                          \
  SCREE__LOOP_TYPE(name, Args)                                                                                         \
  SCREE__STATIC_ASSERT(sizeof(Value) <= SCREE_FUTURE_MAX, "a loop's value has 1 to SCREE_FUTURE_MAX bytes");           \
  SCREE__STATIC_ASSERT(SCREE__IS_PLAIN(Value), "values are copied as bytes: no constructors, destructors");            \
  static inline SCREE__MAYBE_UNUSED scree_status name##_reduce(scree_task *self, name##_type t,                        \
                                                               scree_loop_policy policy, uint64_t begin, uint64_t end, \
                                                               uint64_t grain, Args args_, Value *value_) {            \
    const scree__loop_call call_ = {t.of, t.id, policy, begin, end, grain, t.map, &args_};                             \
    return scree__loop_for(self, &call_, value_);                                                                      \
  }                                                                                                                    \
  typedef Value name##__value;                                                                                         \
  typedef void name##_fn(scree_task *, uint64_t, uint64_t, const Args *, Value *)

/* SCREE_LOOP_REDUCED_BODY(name, Args, Value, fn, combine): in one .c file, after the definition of
 *   void fn(scree_task *self, uint64_t begin, uint64_t end, const Args *args, Value *value)
 * which sets *value, zero before, to the result of this range. combine(kept, value) combines a Value into another one;
 * it is associative and commutative, and calls nothing of the library: one of those below, or the program's. Defines
 * name_register, as above. */
#define SCREE_LOOP_REDUCED_BODY(name, Args, Value, fn, combine)                                                        \
  SCREE__SAME_AS(name, args, Args, "SCREE_LOOP_REDUCED_BODY", "SCREE_LOOP_REDUCED");                                   \
  SCREE__SAME_AS(name, value, Value, "SCREE_LOOP_REDUCED_BODY", "SCREE_LOOP_REDUCED");                                 \
  static void name##__body(scree_task *self, uint64_t begin, uint64_t end, const void *args_, void *value_) {          \
    fn(self, begin, end, (const Args *)args_, (Value *)value_);                                                        \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED scree_status name##_register(scree_world *world, void *arg, name##_type *t) {             \
    t->map = NULL;                                                                                                     \
    return scree__loop_register(world, #name, (uint32_t)sizeof(Args), (uint32_t)sizeof(Value), name##__body, combine,  \
                                arg, &t->of, &t->id);                                                                  \
  }                                                                                                                    \
  typedef name##_type name##_registered_type

/* scree_combine_sum_u64, _min_u64, _max_u64; of double: _sum_f64, _min_f64, _max_f64. */
#define SCREE__COMBINE(T, of)                                                                                          \
  static inline SCREE__MAYBE_UNUSED void scree_combine_sum_##of(void *kept, const void *value) {                       \
    *(T *)kept += *(const T *)value;                                                                                   \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void scree_combine_min_##of(void *kept, const void *value) {                       \
    if (*(const T *)value < *(T *)kept) *(T *)kept = *(const T *)value;                                                \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void scree_combine_max_##of(void *kept, const void *value) {                       \
    if (*(const T *)value > *(T *)kept) *(T *)kept = *(const T *)value;                                                \
  }
SCREE__COMBINE(uint64_t, u64)
SCREE__COMBINE(double, f64)

#ifdef __cplusplus
}
#endif
#endif
