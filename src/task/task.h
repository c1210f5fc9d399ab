/* task.h - the state of tasks: of a world, of a worker, of a task that has begun. Each function is described where it
 * is defined. */
#ifndef SCREE__TASK_H
#define SCREE__TASK_H
#include "core/holder.h"
#include "task/queue.h"
#include "task/stack_fault.h"
#include "task/stacks.h"
#include "task/waiting.h"

typedef union scree__tasks_options {
  struct {
    size_t size;
#define SCREE__FIELD(field, kind, def, min, max, choices, rare, help) uint64_t field;
    SCREE_TASKS_OPTIONS(SCREE__FIELD)
#undef SCREE__FIELD
  };
  scree_tasks_options user;
} scree__tasks_options;

/* AWAKE: it runs or is ready. WAITS: for an object of the library; SUSPENDED: by scree_task_suspend. ABANDONED: the
 * world has failed, and the task does not return: it never runs again. */
typedef enum { SCREE__TASK_AWAKE, SCREE__TASK_WAITS, SCREE__TASK_SUSPENDED, SCREE__TASK_ABANDONED } scree__task_state;

/* At the top of its stack. A stack that runs one closure after another is the same one, with another serial number. */
struct scree_task {
  scree__stack stack; /* must be first */
  void *above;        /* of its worker, for inline functions of public headers */
  scree__task_state state;
  bool token;             /* woken before it was suspended */
  uint32_t number;        /* its place in the worker's table */
  uint32_t scopes;        /* that it has opened and not ended */
  uint64_t serial;        /* of the closure */
  uint64_t since;         /* ns, as of the last step before it began to wait; in the line that whoever wakes it reads */
  const char *why;        /* what it waits for */
  uint64_t refused;       /* waits since the world has failed */
  scree_task *next;       /* of those that wait for one completion */
  scree__request *answer; /* which a message to another worker requests */
  scree__closure closure;
};

_Static_assert(offsetof(struct scree_task, above) == SCREE__TASK_ABOVE, "as public headers have it");

typedef struct scree__loop scree__loop;

/* What a worker without work does in this epoch. */
typedef struct {
  uint64_t random, serial; /* serial: of the closure that had begun last when it sent a request */
  uint32_t tries;          /* requests since then */
  bool asking;             /* one is not answered */
  bool quiet;              /* it has sent lifelines to its neighbours */
  uint32_t tied, wanted;   /* neighbours, by the bit of the rank in which they differ: those that have a lifeline; those
                            * that wait for work */
} scree__thief;

/* Of one worker, written by its thread. */
struct scree__tasks {
  scree__holder holder; /* must be first */
  scree__worker *me;
  scree__task_world *of;
  scree__context *own; /* the worker's own stack */
  scree_task *current; /* the task that runs; NULL: the worker's own stack does, or a handler on that of `caller` */
  scree_task *caller;
  scree__ready ready;
  uint32_t ahead; /* of these, so many ahead of the one that runs, the stack is prefetched, and twice as many ahead, the
              * task */
  bool blind;     /* nothing is: set by bench/tasks alone */
  scree__closures private, public; /* spawned at this worker; by it */
  uint32_t budget;                 /* switches until the worker polls for messages */
  uint32_t used;                   /* of it, in the last step that ran tasks */
  uint32_t stayed;                 /* of these, that were no switch */
  uint32_t live;                   /* begun and not returned */
  uint32_t live_max;
  uint32_t asleep, abandoned; /* of these */
  uint32_t passed_over;       /* steps in which something moved and no task ran */
  uint32_t held_back;         /* steps since a closure has begun that were over task_live */
  bool ran;                   /* tasks or handlers did, in the last step */
  bool no_stack;              /* none could be made, since a task returned */
  bool broken;                /* a task has written over the end of its stack: none runs any more */
  bool short_way;             /* a task runs, and the world has not failed */
  bool watched;               /* the simulator or a trace intercepts each switch */
  void (*errand)(void *arg);  /* to be called on the worker's own stack */
  void *errand_arg;
  uint32_t offers;            /* closures that others of the rank can find here; 0: they take none */
  bool asks;                  /* other ranks, for work */
  struct scree__deque *deque; /* these closures; NULL: others never take any */
  scree__thief thief;
  scree__loop *loops, *lent;          /* that have ranges here; some of which others could take */
  uint64_t random, idle_since, began; /* ns: 0: it is not idle, or SCREE__IDLE_ONCE; of the epoch */
  uint64_t now;                       /* ns, as of the last step */
  uint64_t slice_began;               /* ns, of the task that runs, in a trace */
  scree__stacks stacks;
  scree__fault_watch watch;
  char who[48];       /* of it */
  scree_task **table; /* those that have begun, by number; NULL: free */
  uint32_t *numbers;  /* those that are free */
  uint32_t table_room, numbers_free;
  uint64_t serial;
  scree__closures timed; /* a heap */
  scree__scopes scopes;
  scree__objects objects;
  uint64_t implicit; /* records of implicit operations of this worker that are not complete: see global/slot.c */
  /* Leaves a scope in place of its task that has returned, when that task's implicit operations are complete. Returns
   * false if they are: then the caller leaves it. Set by the feature that has them. */
  bool (*leave_later)(scree__tasks *t, scree_scope *scope);
  scree__freelist parked;              /* closures that wait for futures, */
  struct scree__parked *latest_parked; /* and a list of them, with the youngest first */
  scree_tasks_stats stats;
};

struct scree__task_world {
  scree_world *world;
  scree__tasks_options options;
  scree__tasks *worker[SCREE_THREADS_MAX];
  scree__task_type **type; /* by the id of the message that spawns it; NULL: other messages */
  uint32_t types;
  uint32_t spread; /* by the progress thread: the worker that it passes the next one to */
  uint32_t acknowledge, request, answer, result, steal; /* ids of messages of the library */
};

/* A task's worker. */
static inline scree__tasks *scree__home(const scree_task *task) {
  return task->stack.owner;
}

/* Leaves the ring. What is beyond the last one is prefetched, and not read. */
static inline scree_task *scree__next_ready(scree__tasks *t) {
  if (scree__ready_count(&t->ready) > t->ahead) {
    __builtin_prefetch(*scree__ready_at(&t->ready, 2 * t->ahead), 1);
    scree__stack_prefetch(&(*scree__ready_at(&t->ready, t->ahead))->stack);
  }
  return *scree__ready_pop_first(&t->ready);
}

/* open.c */
scree__tasks *scree__tasks_of(const scree__worker *me);
void scree__tasks_free(scree__holder *holder);
/* Of a caller that may use them; NULL: it may not, and the world fails. */
scree__tasks *scree__tasks_for(scree_worker *worker, const char *call);
/* True if the argument is not NULL. Else the world fails. */
bool scree__is_given(scree__tasks *t, const void *pointer, const char *call, const char *what);

static inline bool scree__is_asleep(const scree_task *task) {
  return task->state == SCREE__TASK_WAITS || task->state == SCREE__TASK_SUSPENDED;
}

/* epoch.c */
extern const scree__holder_ops scree__tasks_ops;
void scree__tasks_begin(scree__worker *me, scree__holder *holder);
void scree__tasks_leave(scree__worker *me, scree__holder *holder);
void scree__tasks_drop(scree__worker *me, scree__holder *holder);
enum { SCREE__IDLE_ONCE = 1 }; /* idle_since after one step without work */
/* A step without work. Idle time is counted from the second one on: most epochs without tasks have one, and reading
 * the clock takes a tenth of such an epoch. */
static inline void scree__note_idle(scree__tasks *t) {
  if (t->idle_since <= SCREE__IDLE_ONCE) t->idle_since = t->idle_since ? scree__now(t->me) : SCREE__IDLE_ONCE;
}
/* The worker has work again, or leaves the epoch: the time that it had none. */
static inline void scree__count_idle(scree__tasks *t, uint64_t now) {
  if (t->idle_since > SCREE__IDLE_ONCE) t->stats.idle_ns += now - t->idle_since;
  t->idle_since = 0;
}

/* schedule.c */
/* In a failed world those that are ready return now, at the latest. */
void scree__tasks_return(scree__tasks *t);
/* Runs tasks until the budget is used up or none is ready. again: so did the last step, without an interruption. */
void scree__tasks_run(scree__tasks *t, bool again);
/* Whether closures wait here that it has not exposed. */
static inline bool scree__keeps_closures(const scree__tasks *t) {
  return scree__closures_count(&t->private) || scree__closures_count(&t->public);
}
void scree__task_run_closures(void *stack); /* the function of each stack */
/* True if the caller is this task. Else the world fails. */
bool scree__task_is_current(scree_task *self, const char *call);
/* The task sleeps in that state until it is made ready; returns the status of the world. */
scree_status scree__task_sleep(scree_task *self, scree__task_state state, const char *why);
/* Between these two the running task is none: a handler of that type runs on its stack, so nothing in it may wait, and
 * what it sends runs no others. */
void scree__task_begin_handler(scree_task *self, uint32_t type);
void scree__task_end_handler(scree_task *self);
void scree__task_ready(scree_task *task);
/* SCREE_OK if the task may wait, or the status that its wait returns at once. */
scree_status scree__task_may_wait(scree_task *self, const char *call);

/* spawn.c */
/* The closure's task, with its scope, which has counted it already. */
void scree__spawn_closure(scree__tasks *t, const scree__closure *closure);
/* A closure among those that may be stolen; or that stays, as the first. False: no memory, or the world has failed. */
bool scree__spawn_here(scree__tasks *t, const scree__task_type *type, scree_scope *scope, const void *args);
bool scree__spawn_first(scree__tasks *t, const scree__task_type *type, scree_scope *scope, const void *args);
/* One that was stolen, with its scope, which has counted it already. */
void scree__spawn_again(scree__tasks *t, const scree__closure *closure);
void scree__spawn_due(scree__tasks *t);
/* A batch of closures from one worker, each of so many bytes, the first 8 of which are its scope, with SCREE__STOLEN.
 * What is acknowledged at once is acknowledged in one message. */
typedef void scree__arrived_fn(scree__tasks *t, const scree__task_type *type, scree_scope *scope, const char *item,
                               bool stolen);
void scree__closures_arrive(scree_worker *worker, const scree_batch *batch, const void *items, size_t bytes,
                            const scree__task_type *type, scree__arrived_fn *arrived);
void scree__on_spawn(scree_worker *worker, const scree_batch *batch, const void *items, void *type);

/* report.c */
/* The task that runs waits or returns, in a traced world. */
void scree__task_trace(const scree_task *self);
bool scree__tasks_verdict(const scree__worker *me, const scree__holder *holder, char *text, size_t size);
void scree__tasks_report(const scree__worker *me, const scree__holder *holder, FILE *to);
void scree__tasks_print_stats(const scree__worker *me, const scree__holder *holder, FILE *to, bool json);

static inline uint32_t scree__worker_number(const scree__worker *me) {
  return me->head.rank * me->head.threads + me->head.index;
}
#endif
