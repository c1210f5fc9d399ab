/* task.h - tasks: functions with stacks of their own, which wait without stopping their worker (Grappa: Nelson et al.,
 * USENIX ATC 2015; docs/tasks.md). Thousands of them on a worker wait for each other and for messages; meanwhile others
 * run, so that they hide the time that messages take. In a library of its own: link with libscree-task (pkg-config:
 * scree-task).
 *
 * A task is spawned as a closure: a function and up to SCREE_TASK_ARGS_MAX bytes of arguments. It gets a stack when it
 * begins, and stays on its worker from then on; before, another worker may take it, so arguments are values, no
 * pointers to what one worker or rank has. Between two waits nothing else runs on its worker, except handlers inside a
 * send that finds no space. Only functions that take a scree_task wait. What is per thread (errno, thread-local
 * variables, floating-point modes) is not kept over a wait.
 *
 * A task may send, flush, hold, release, fail and spawn as code outside handlers may. It may not begin, end or test an
 * epoch, make progress, register or close: that fails the world. Its waits return SCREE_OK, or the status of a world
 * that has failed: then, and from every later wait, at once; the task should return. C11 and C++11 (gcc, clang). */
#ifndef SCREE_TASK_H
#define SCREE_TASK_H
#include <scree/scree.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- options, opening ------------------------------------------------------------------------------------------ */

/* X(field, kind, default, min, max, choices, rare, help), as in options.h: variables SCREE_TASK_STACK and so on. */
/* clang-format off */
#define SCREE_TASKS_OPTIONS(X)                                                                                         \
  X(task_stack, SIZE, 16384, 4096, 8 << 20, "", false,                                                                 \
    "bytes of a task's stack")                                                                                         \
  X(task_live, COUNT, 1024, 1, 1 << 24, "", false,                                                                     \
    "tasks of a worker that have begun and not returned; a worker that has nothing else to do begins more")          \
  X(task_poll, COUNT, 64, 1, 1 << 20, "", true,                                                                        \
    "switches between tasks until a worker polls for messages; sooner if they take longer than flush_age")             \
  X(task_guard, CHOICE, 0, 0, 2, "auto|on|off", true,                                                                  \
    "what guards the end of a stack; auto has pages that fault, as long as a quarter of the system's mappings is "     \
    "enough for them, else words that are checked in each switch; on has such pages only; off has none")               \
  X(steal, CHOICE, 1, 0, 2, "off|rank|all", false,                                                                     \
    "what a worker does that has no task to run: nothing; takes tasks that have not begun from other workers of its "  \
    "rank; or of all ranks, by messages")
/* clang-format on */
enum { SCREE_TASK_GUARD_AUTO, SCREE_TASK_GUARD_ON, SCREE_TASK_GUARD_OFF };
enum { SCREE_STEAL_OFF, SCREE_STEAL_RANK, SCREE_STEAL_ALL };

/* Every field holds SCREE_UNSET or a value in its range:  scree_tasks_options o = SCREE_TASKS_OPTIONS_INIT; */
typedef struct scree_tasks_options {
  size_t size; /* sizeof(scree_tasks_options), by SCREE_TASKS_OPTIONS_INIT */
#define SCREE__FIELD(field, kind, def, min, max, choices, rare, help) uint64_t field;
  SCREE_TASKS_OPTIONS(SCREE__FIELD)
#undef SCREE__FIELD
} scree_tasks_options;
#define SCREE_TASKS_OPTIONS_INIT                                                                                       \
  { sizeof(scree_tasks_options), SCREE_TASKS_OPTIONS(SCREE__INIT) }

/* Lets the world have tasks. Collective; idle world, owner's thread; once, before task types are registered. `options`
 * may be NULL; it is copied, and ranks may differ. What it takes is freed when the world closes. Errors: SCREE_EINVAL
 * (an option: the text names it, its value and its range), SCREE_ESTATE (the world has tasks already; an epoch is open;
 * a handler), SCREE_ENOMEM, or the code of a world that has failed. */
scree_status scree_tasks_open(scree_world *world, const scree_tasks_options *options);

/* ---- tasks ------------------------------------------------------------------------------------------------------ */

typedef struct scree_task scree_task;   /* one that has begun; valid until its function returns */
typedef struct scree_scope scree_scope; /* see scree_finish */
typedef struct scree_future scree_future;
typedef struct scree__task_world scree__task_world;
typedef void scree__task_fn(scree_task *self, const void *args);

enum { SCREE__TASK_ABOVE = 80 }; /* private: where a task has `above` of its worker, for inline functions */

#define SCREE_TASK_ARGS_MAX 104 /* bytes of arguments, at most */

/* The worker that a task runs on; the scope that it was spawned in, NULL: the epoch; what its type was registered with.
 * Local; inside the task. */
scree_worker *scree_task_worker(const scree_task *self);
scree_scope *scree_task_scope(const scree_task *self);
void *scree_task_arg(const scree_task *self);

/* Lets the other tasks of this worker that are ready run, and messages be handled. Returns SCREE_OK, or the status of
 * the failed world. Local; inside the task alone: elsewhere the world fails with SCREE_ESTATE. */
scree_status scree_task_yield(scree_task *self);

/* A base for other ways of waiting: the task waits until scree_task_wake is called for it. A wake that comes first is
 * kept: the next suspend returns at once. Two wakes count as one. Others may wake it too (a wait of the library that is
 * entered meanwhile keeps waiting), so check the condition again. `why` is shown in reports; the text must remain
 * valid. Returns and legal as scree_task_yield. */
scree_status scree_task_suspend(scree_task *self, const char *why);

/* Makes a task of this worker ready. Local; in an epoch; tasks, handlers and other code of the worker's thread. A task
 * of another worker or world: the world fails with SCREE_EINVAL; wake it by a message. Undefined: a task that has
 * returned. */
void scree_task_wake(scree_worker *worker, scree_task *task);

/* ---- scopes ----------------------------------------------------------------------------------------------------- */

/* Opens a scope, and waits until all tasks have returned that were spawned in it: by any task of any rank, if
 * those were spawned into scree_task_scope of a task of the scope, and so on (X10's finish). The scope belongs to the
 * worker; pass it to spawn calls on this worker, in tasks and handlers, until it is ended by the task that opened it. A
 * task ends its scopes before it returns; else the world fails. NULL: no memory, or the world has failed. Local; inside
 * the task. Errors of scree_finish_end: SCREE_ESTATE (a scope of another task, or that was ended), or the status of the
 * failed world. */
scree_scope *scree_finish(scree_task *self);
scree_status scree_finish_end(scree_task *self, scree_scope *scope);

/* A completion is a scope that counts operations of any kind too, is opened by any code of a worker in an epoch, and
 * may be waited for again and again, by several tasks of its worker (Grappa's GlobalCompletionEvent): `enroll` before n
 * operations begin, `complete` when n have ended, for example in the handler of a reply. `wait` returns when as many
 * were completed as enrolled and the tasks spawned in it have returned. It is closed before the epoch ends, without
 * waiting tasks. Local; the worker's thread; in an epoch, enroll and complete in handlers too. Errors: SCREE_EINVAL
 * (more completed than enrolled), SCREE_ESTATE (closed, another worker's; close: something is outstanding),
 * SCREE_ENOMEM: all fail the world. */
typedef scree_scope scree_completion;
scree_status scree_completion_open(scree_worker *worker, scree_completion **completion);
scree_status scree_completion_enroll(scree_completion *completion, uint64_t n);
scree_status scree_completion_complete(scree_completion *completion, uint64_t n);
scree_status scree_completion_wait(scree_task *self, scree_completion *completion);
scree_status scree_completion_close(scree_completion *completion);
/* The same from tasks of any worker, by the number that a completion has, a value that may be sent; 0: the world fails.
 * As scree_completion_wait, by a message to its worker. Close it when those that wait so have gone on. A number of one
 * that was closed fails the world. */
uint64_t scree_completion_number(scree_completion *completion);
scree_status scree_completion_wait_at(scree_task *self, uint64_t number);

/* ---- futures ---------------------------------------------------------------------------------------------------- */

#define SCREE_NUMBERS_MAX 1048576 /* objects of a worker that have numbers at one time, at most */
#define SCREE_FUTURE_MAX  48      /* bytes of a value, at most */

/* A value that is set once, or by `count` sets, which `combine` adds up (an and-gate, a reduction): the memory is the
 * program's, and stays until it is closed. It belongs to the worker that opened it. */
struct scree_future {
  uint64_t scree__private[16];
};

/* Combines a value that was set into the one that is kept; runs where the future is, calls nothing of the library. */
typedef void scree_combine_fn(void *kept, const void *value);

/* `count` sets make it ready, 1 or more; the value has `bytes`, 0 to SCREE_FUTURE_MAX, and begins as zeros. combine
 * NULL: the last set's value is kept. Local; the worker's thread, in an epoch; handlers too. Errors: SCREE_EINVAL
 * (fails the world). */
scree_status scree_future_open(scree_worker *worker, scree_future *future, size_t bytes, uint64_t count,
                               scree_combine_fn *combine);
/* One set. value: as many bytes as it was opened with; NULL if 0. More sets than `count`: the world fails with
 * SCREE_ESTATE. */
void scree_future_set(scree_worker *worker, scree_future *future, const void *value);
/* Waits until it is ready, and copies the value unless value is NULL. Several tasks may wait. Returns as
 * scree_task_yield. */
scree_status scree_future_wait(scree_task *self, scree_future *future, void *value);
/* True if it is ready: then copies the value unless `value` is NULL. Never waits. */
bool scree_future_test(const scree_future *future, void *value);
/* Ends its use. If tasks wait for it, or a `then` does, the world fails with SCREE_ESTATE. */
void scree_future_close(scree_future *future);

/* The same from any worker, by the number that a future has, a value that may be sent: by messages to its worker, which
 * queues the request there. `bytes` as it was opened with. A number of a future that was closed fails the world.
 *
 * Numbers of futures, completions and the objects of task_sync.h: each worker has up to SCREE_NUMBERS_MAX objects with
 * numbers at a time; one more fails the world with SCREE_ENOMEM. No number is 0. The number of a closed object is
 * refused until it is given to another object. That happens only after its worker has given out 2^42 numbers, less 2^22
 * for each object that is open: at 10 million numbers a second, after five days. */
uint64_t scree_future_number(scree_future *future);
void scree_future_set_at(scree_worker *worker, uint64_t number, const void *value, size_t bytes);
scree_status scree_future_wait_at(scree_task *self, uint64_t number, void *value, size_t bytes);

/* ---- types of tasks ---------------------------------------------------------------------------------------------- */

/* Private, called by the library of graphs: whether the world has tasks. */
bool scree__tasks_in(const scree_world *world);

/* Private, called by the generated functions. */
scree_status scree__task_register(scree_world *world, const char *name, uint32_t bytes, scree__task_fn *fn, void *arg,
                                  scree__task_world **of, uint32_t *id);
void scree__task_spawn(scree_worker *worker, scree__task_world *of, uint32_t id, scree_scope *scope, const void *args);
void scree__task_spawn_on(scree_worker *worker, scree__task_world *of, uint32_t id, scree_scope *scope, uint32_t dest,
                          const void *args);
void scree__task_spawn_by(scree_worker *worker, scree__task_world *of, uint32_t id, scree_scope *scope,
                          const void *args, uint64_t ns);
void scree__task_then(scree_worker *worker, scree__task_world *of, uint32_t id, scree_scope *scope,
                      scree_future *future, const void *args);

/* SCREE_TASK(name, Args): a type of tasks whose arguments are Args, of 1 to SCREE_TASK_ARGS_MAX bytes, plain as items
 * of messages are. At file scope, in a header if several files spawn it. Defines
 *   name_type                                    what name_register fills; a value, copy freely
 *   void name_spawn(w, t, scope, args)           a task on this worker, after the tasks that are ready; or on one that
 *                                                has none to run and takes it (option steal)
 *   void name_spawn_on(w, t, scope, dest, args)  on that worker: scree_worker_number(w, rank, index)
 *   void name_spawn_by(w, t, scope, args, ns)    on this worker, not before that many nanoseconds have passed, then
 *                                                before others
 *   void name_then(w, t, scope, future, args)    on this worker, when a future of this worker is ready; an epoch that
 *                                                ends before ends as one with tasks that wait
 * Tasks run in no particular order. scope NULL: the end of the epoch waits for it, as it does for all tasks. Local;
 * owner's thread, in an epoch; tasks and handlers too, on a progress thread also, which passes them to workers. A scope
 * of another worker, or one that was ended: the world fails with SCREE_ESTATE. After an error nothing is spawned. */
#define SCREE_TASK(name, Args)                                                                                         \
  SCREE__STATIC_ASSERT(sizeof(Args) <= SCREE_TASK_ARGS_MAX,                                                            \
                       "arguments of a task have 1 to SCREE_TASK_ARGS_MAX bytes");                                     \
  SCREE__STATIC_ASSERT(SCREE__IS_PLAIN(Args), "arguments are copied as bytes: no constructors, destructors");          \
  typedef Args name##__args;                                                                                           \
  typedef struct {                                                                                                     \
    scree__task_world *of;                                                                                             \
    uint32_t id;                                                                                                       \
  } name##_type;                                                                                                       \
  static inline SCREE__MAYBE_UNUSED void name##_spawn(scree_worker *w, name##_type t, scree_scope *scope,              \
                                                      Args args_) {                                                    \
    scree__task_spawn(w, t.of, t.id, scope, &args_);                                                                   \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_spawn_on(scree_worker *w, name##_type t, scree_scope *scope,           \
                                                         uint32_t dest, Args args_) {                                  \
    scree__task_spawn_on(w, t.of, t.id, scope, dest, &args_);                                                          \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_spawn_by(scree_worker *w, name##_type t, scree_scope *scope,           \
                                                         Args args_, uint64_t ns) {                                    \
    scree__task_spawn_by(w, t.of, t.id, scope, &args_, ns);                                                            \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_then(scree_worker *w, name##_type t, scree_scope *scope,               \
                                                     scree_future *future, Args args_) {                               \
    scree__task_then(w, t.of, t.id, scope, future, &args_);                                                            \
  }                                                                                                                    \
  typedef void name##_fn(scree_task *, const Args *)

/* SCREE_TASK_BODY(name, Args, fn): in one .c file, after the definition of
 *   void fn(scree_task *self, const Args *args)
 * Defines  scree_status name_register(world, arg, &t): registers the type, as scree_register does, after
 * scree_tasks_open: the ranks compare name, size and order. arg: what scree_task_arg returns, of this rank. Errors:
 * those of scree_register; SCREE_ESTATE: the world has no tasks. `args` are on the task's stack, valid until it
 * returns. */
#define SCREE_TASK_BODY(name, Args, fn)                                                                                \
  SCREE__SAME_AS(name, args, Args, "SCREE_TASK_BODY", "SCREE_TASK");                                                   \
  static void name##__body(scree_task *self, const void *args_) {                                                      \
    fn(self, (const Args *)args_);                                                                                     \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED scree_status name##_register(scree_world *world, void *arg, name##_type *t) {             \
    return scree__task_register(world, #name, (uint32_t)sizeof(Args), name##__body, arg, &t->of, &t->id);              \
  }                                                                                                                    \
  typedef name##_type name##_registered_type

/* ---- statistics
 * --------------------------------------------------------------------------------------------------- */

typedef struct {
  size_t size;       /* sizeof(scree_tasks_stats), set by the caller: of a shorter struct only what it has is written */
  uint64_t spawned;  /* on these workers, by themselves or others */
  uint64_t run;      /* that have returned */
  uint64_t switches; /* from a task to another, or to the worker's own stack */
  uint64_t suspended;                         /* waits that suspended a task */
  uint64_t sends;                             /* sends of tasks that switched to the worker's own stack */
  uint64_t live_peak;                         /* begun tasks at one time, of each worker */
  uint64_t stack_peak;                        /* bytes of the deepest stack */
  uint64_t acknowledged;                      /* messages of scopes that say that tasks have returned */
  uint64_t iterations;                        /* of loops (task_loop.h), on these workers */
  uint64_t exposed;                           /* closures that other workers of the rank could take */
  uint64_t tries_here, steals_here;           /* attempts to take one of another worker of the rank; those that
                                               * succeeded */
  uint64_t tries_elsewhere, steals_elsewhere; /* requests to a worker of another rank; those that brought work */
  uint64_t lifelines, lifelines_won;          /* requests that stay until there is work; those that have brought some */
  uint64_t moved;                             /* closures that came from other workers by all of these */
  uint64_t idle_ns;                           /* that a worker had no task to run, in epochs that have ended */
  uint64_t epoch_ns;                          /* of these epochs, of each worker */
  uint64_t slices;                            /* times that a worker began to run tasks, until it polled for messages */
  uint64_t live_sum, ready_sum; /* over them: begun tasks; of these, and of closures, those that can run */
} scree_tasks_stats;

/* Sums over the workers of this rank (stack_peak: the maximum); inside scree_run_workers of the calling one. Reads all
 * stacks: not in a loop. Local; owner's thread, outside tasks. Errors: SCREE_EINVAL (no size; the world has no tasks),
 * SCREE_ESTATE (another thread). */
scree_status scree_tasks_stats_read(const scree_world *world, scree_tasks_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
