/* epoch.h - epochs: an epoch ends when every message sent in it, on any rank, inside or outside of handlers, has been
 * handled (AM++: Willcock et al., PACT 2010; docs/concepts.md, sections 1, 2 and 6). Included by scree.h. C11 and
 * C++11. */
#ifndef SCREE_EPOCH_H
#define SCREE_EPOCH_H
#include <scree/world.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A reduction that is combined with the end of an epoch. In: this worker's contribution; out: the result over all
 * workers. It is read when the worker is idle in the last detection round: handlers may change it until then, other
 * code until its last call with idle = true. Initialise it by SCREE_REDUCE_INIT, which changes no result; {0} makes a
 * minimum 0. */
enum { SCREE_REDUCE_VALUES = 8 };
typedef enum {
  SCREE_NO_VALUE, /* contributes nothing */
  SCREE_SUM,
  SCREE_MIN,
  SCREE_MAX,
  SCREE_SUM_REAL, /* rounded in no particular order */
  SCREE_MIN_REAL, /* of a NaN: undefined */
  SCREE_MAX_REAL
} scree_reduce_op;
typedef struct {
  scree_reduce_op op; /* the same on all workers, or SCREE_NO_VALUE, which gets the result too; else the world fails */
  union {
    int64_t integer; /* of SCREE_SUM, SCREE_MIN, SCREE_MAX */
    double real;     /* of ..._REAL */
  } of;
} scree_reduce_value;
typedef struct {
  uint64_t sum[2], min, max;
  scree_reduce_value value[SCREE_REDUCE_VALUES]; /* further ones, as the program says */
} scree_reduce;
#define SCREE_REDUCE_INIT                                                                                              \
  {                                                                                                                    \
    {0, 0}, UINT64_MAX, 0, {                                                                                           \
      {                                                                                                                \
        SCREE_NO_VALUE, {                                                                                              \
          0                                                                                                            \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }

/* Begins an epoch of the workers that take part: worker 0 of every rank, or those of scree_run_workers. Collective in
 * order, over these workers, and waits for none. Owner's thread, not in a handler. A thread has at most one open epoch
 * over all worlds; all ranks enter epochs of worlds that share ranks in the same order. Errors: SCREE_ESTATE (an epoch
 * is open; a worker of another thread, or that takes no part; a handler), or the code of a world that has failed. */
scree_status scree_begin(scree_worker *worker);

/* Ends the epoch: returns when all its messages have been handled. Runs handlers. Collective; owner's thread, not in a
 * handler. `inout` may be NULL, which changes no result. Returns the same code on all ranks: SCREE_OK, or that of the
 * failure. SCREE_ESTATE: no epoch is open, a handler, another thread. */
scree_status scree_end(scree_worker *worker, scree_reduce *inout);

/* One step of a tested epoch: makes progress once; then, if idle, checks whether the epoch has ended. `idle` is a
 * condition, "I hold no postponed work", not an event; with false it never waits. After its first true a worker sends
 * only because a handler or a hold gave it work. Returns true once, when the epoch has ended or the world failed
 * (scree_error); the worker has then left it. All workers call it until then, with the same `inout` as in scree_end.
 * Owner's thread, not in a handler. A wrong call returns true, and fails the world if an epoch is open.
 *
 *   while (!scree_test(w, queue_is_empty(q), NULL))
 *     pop_and_work(q); */
bool scree_test(scree_worker *worker, bool idle, scree_reduce *inout);

/* Makes progress; runs handlers. Inside an epoch call it in a loop wherever you wait, instead of blocking, and leave
 * the loop when scree_error reports a failure: no handler runs then. Returns true if it moved or handled something, or
 * a poll function holds work. Local; owner's thread, in an epoch, not in a handler. A wrong call returns false, and
 * fails the world if an epoch is open. */
bool scree_progress(scree_worker *worker);

/* Publishes what lanes hold: of one type, or of SCREE_ALL; to one destination. Never waits and runs no handler. Idle
 * workers do so anyway. Local; owner's thread, in an epoch; handlers too. A wrong call fails the world. */
#define SCREE_ALL UINT32_MAX
void scree_flush(scree_worker *worker, uint32_t type);
void scree_flush_lane(scree_worker *worker, uint32_t type, uint32_t dest);

/* Keeps the epoch open for n units of work that this worker passes to another one, until scree_release has been called
 * for them, on any rank, and the releasing worker is idle. Pass the number of the epoch too: the sender may be one
 * epoch ahead, and the receiver takes only work of its own epoch (docs/concepts.md, section 2). Local; owner's thread,
 * in an epoch, else the world fails; handlers too. If all workers together release more than they held, the world fails
 * with SCREE_ESTATE as soon as detection reads that. */
void scree_hold(scree_worker *worker, uint32_t n);
void scree_release(scree_worker *worker, uint32_t n);

/* Registers a poll function. Each worker of this rank in an epoch calls it in each call of progress in which nothing
 * moved, as does a progress thread. It returns whether it holds work; while it does, the epoch stays open. It may do
 * what a handler may. After false, and once its worker was idle, it sends, holds and returns true only because a
 * handler of this worker has run since, or for held work, which it releases first: docs/concepts.md, section 2. They
 * are called in the order of registration. Local, and ranks may differ; idle world, owner's thread. Errors:
 * SCREE_EINVAL (no function, or over SCREE_POLLS_MAX), SCREE_ENOMEM, SCREE_ESTATE (an epoch, a handler), or the code of
 * a world that has failed. */
#define SCREE_POLLS_MAX 8
typedef bool scree_idle_fn(scree_worker *worker, void *arg);
scree_status scree_on_idle(scree_world *world, scree_idle_fn *fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif
