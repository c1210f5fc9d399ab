/* scree.h - active messages over MPI: worlds, message types, sends, epochs.
 *
 * This header does not include mpi.h. scree_open (below) opens a world on all ranks of the job, scree_mpi.h on any
 * communicator, and scree_sim.h opens simulated worlds of virtual ranks in one process. C11 and C++11 (gcc, clang).
 *
 * A program sends many small typed messages to ranks. They are coalesced per destination, moved in large blocks and
 * passed to registered batch handlers inside epochs. An epoch ends when every message sent in it, on any rank, inside
 * or outside handlers, has been handled (AM++: Willcock et al., PACT 2010; Active Pebbles: Willcock et al., ICS 2011).
 *
 * Terms (docs/glossary.md defines all). World: a communication context, not MPI_COMM_WORLD. Lane: the coalescing buffer
 * of one (message type, destination) pair. Block: one buffer of messages on its way to one worker. Collective: every
 * rank of the world calls it, in the same order. Local: no other rank takes part. Owner: the one thread that uses a
 * worker: of worker 0 the one that begins the first epoch with it, of the others one that the library makes, or that
 * joins. Idle world: outside every epoch, scree_run_workers and scree_join_workers.
 *
 * On another thread than the owner's, a function that is not inline changes nothing of the world: it returns
 * SCREE_ESTATE, or what its comment says of a wrong call, and the owner fails the world when it next makes progress (in
 * an idle world only if the call returns no result). Inlined sends do not compare threads, except in a checked world.
 *
 * In a process that was forked while the world was open the same functions change nothing and return the same; the first of
 * them prints a line. The parent's world is unharmed. Inlined sends there are refused in a checked world alone: in others
 * they write into the parent's blocks. */
#ifndef SCREE_H
#define SCREE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <scree/options.h>
#include <scree/version.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ------------------------------------------------------------------------------------------------- */

/* X(name, text). A failed world returns the highest code that any rank raised, on every rank. */
#define SCREE_STATUSES(X)                                                                                              \
  X(OK, "success")                                                                                                     \
  X(EINVAL, "invalid argument")                                                                                        \
  X(ESTATE, "call not legal in this state")                                                                            \
  X(ENOMEM, "out of memory")                                                                                           \
  X(EMPI, "MPI reported an error")                                                                                     \
  X(EPEER, "another rank was lost")

typedef enum {
#define SCREE__STATUS(name, text) SCREE_##name,
  SCREE_STATUSES(SCREE__STATUS)
#undef SCREE__STATUS
} scree_status;

/* The constant text of a status. Local; any thread, any time. */
const char *scree_status_text(scree_status status);

/* ---- types -------------------------------------------------------------------------------------------------- */

typedef struct scree_world scree_world; /* a communication context, on a duplicate of a communicator */

/* Private: the lane of one (worker, type, destination). Outside epochs, in checked and in failed worlds limit == next,
 * so that every send takes the slow path, which checks state, thread and type. */
typedef struct {
  char *next, *limit;
} scree__lane;

/* Private: what a send of a routed type reads. */
typedef struct {
  const uint16_t *next; /* by destination: the lane; NULL: the type is direct */
  scree__lane *lane;
} scree__by_hop;

/* A worker is one thread's handle on a world, and the handle of its epochs. A rank has as many as the option `threads`
 * says. The head is part of the ABI because inline sends read it; the rest is private. */
typedef struct scree_worker {
  scree__lane *const *lane; /* private: lane[type] + destination */
  uint32_t rank, ranks;     /* read only: this rank and the number of ranks */
  void *user;               /* the caller's, never read by scree */
  uint32_t index, threads;  /* read only: this worker's number, or `threads` on a progress thread (option progress); and
                             * the number of workers of each rank */
  const scree__by_hop *by_hop; /* private, as are the next: see routed.h and reduced.h */
  uint32_t routed_types, tag;
  struct scree__cache *cache; /* by type */
  uint32_t types;             /* registered; ids are from 1 */
  void *above;                /* of a library that is built on this one, for its inline functions; NULL: none */
} scree_worker;

#define SCREE_THREADS_MAX 64 /* workers of a rank, at most */

/* What a handler gets besides its items: where they come from and how many there are. */
typedef struct {
  uint32_t source; /* rank that sent all of them */
  uint32_t count;  /* number of items, at least 1 */
  uint32_t worker; /* and its worker; `threads`: its progress thread */
} scree_batch;

/* A batch handler: `items` are batch->count records, contiguous, const, valid only during this call, in memory that
 * may belong to the sender. It runs on the worker's thread, inside scree_progress, scree_test, scree_end or a send made
 * outside a handler. It may send to any type and rank, its own included, and call the local functions below that
 * permit it. It may not begin, end or test an epoch, register, close, progress, or wait: such a call fails the world
 * with SCREE_ESTATE and a text that names the handler's type. A send made by a handler never runs a handler. A C++ exception
 * must not leave a handler or a poll function: where it is caught outside of the library the world still counts as inside the
 * handler, and refuses each call with a text that says so. Catch it inside, and call scree_fail. */
typedef void scree_batch_fn(scree_worker *worker, const scree_batch *batch, const void *items, void *arg);

#define SCREE_ALL      UINT32_MAX /* every type */
#define SCREE_ITEM_MAX 32768      /* bytes of the largest fixed-size item; larger ones go as variable-length messages */

/* Which workers handle a type's messages (docs/threads.md). 0: any that takes part in the epoch, several at once: a handler
 * uses atomic operations on what it shares. SCREE_SERIAL: worker 0 of the destination rank, so one handler at a time.
 * SCREE_TO_WORKER: destinations are workers, number rank * threads + worker; what only one worker's handlers touch needs
 * no atomic operations. In a world of one worker per rank the three are the same. */
enum { SCREE_SERIAL = 1, SCREE_TO_WORKER = 2 };

/* Added to them, with the option urgent: the type's messages overtake those of other types (docs/concepts.md, section 3).
 * They travel directly, in blocks of a class of their own, which leave in the sender's next turn of progress, and at which
 * the receiver looks first. For few, small messages that others wait for. Counting and the end of an epoch are the same;
 * no order is promised. Not of a type of reduced.h, whose messages wait to be combined. */
enum { SCREE_URGENT = 256 };

/* Later releases may add fields at the end. `size` tells the library which ones the program has: it takes those that it
 * lacks as zero, and refuses a longer description with anything but zero in the fields that the library does not know. */
typedef struct {
  size_t size;      /* sizeof(scree_type_desc) */
  const char *name; /* for errors and statistics; copied */
  uint32_t item;    /* bytes of an item, 1 .. SCREE_ITEM_MAX; 0: variable length */
  uint32_t flags;   /* 0, SCREE_SERIAL or SCREE_TO_WORKER; SCREE_URGENT; and those of routed.h */
  scree_batch_fn *fn;
  void *arg; /* passed to fn; owned by the caller */
  /* The order of the items of each batch: fn gets them by rising keys, those of equal keys in the order in which they came.
   * NULL: as they came. Called once for each item, on the worker's thread; it reads the item alone and calls nothing of the
   * library. Of a fixed size only; need not be the same on all ranks. */
  uint64_t (*sort)(const void *item);
  const struct scree__reduction *reduction; /* private: of a type of reduced.h, else NULL */
} scree_type_desc;

/* A reduction that is combined with the end of an epoch. In: this worker's contribution; out: the result over all
 * ranks. The contribution is read when this worker is idle in the last detection round, so handlers may still change
 * it; code outside handlers may change it only before its last call with idle = true. */
typedef struct {
  uint64_t sum[2], min, max;
} scree_reduce;

/* ---- worlds: open, register, close -------------------------------------------------------------------------- */

/* The thread level that scree_open asks MPI for, unless the option thread_level names one: only one thread of a process
 * calls MPI; and, with the option threads above 1: several do, one at a time. */
#define SCREE_THREAD_LEVEL         "funneled"
#define SCREE_THREAD_LEVEL_WORKERS "serialized"

/* Opens a world on all ranks. Collective over all processes of the job. Initialises MPI if nobody has; MPI is then
 * finalised when the last world of the process on MPI closes, and cannot be initialised again. A program that uses MPI
 * itself opens by scree_mpi.h instead. Without a launcher the world has one rank; local.h starts several,
 * and in a rank that it has started this opens a world of these ranks, without MPI. Outside epochs and handlers, on the
 * thread that may call MPI. `options` may be NULL; it is copied. On success *world is set; else it is left alone, the
 * same code on all ranks, and the reason is on standard error. Errors: SCREE_EINVAL (an option; ranks have different options
 * or builds of scree; the launcher announces several ranks and MPI sees one), SCREE_ESTATE (in a handler; MPI is finalised; the process was forked after MPI was initialised),
 * SCREE_ENOMEM (also a thread that cannot be made), SCREE_EMPI (also if MPI gives less than the thread level that it was
 * asked for; where a collective call failed other ranks may wait inside MPI: the text says so, and the job must be ended, by
 * a code other than 0 or MPI_Abort; MPI is then not finalised). */
scree_status scree_open(const scree_options *options, scree_world **world);

/* Registers a message type. Collective, idle world only, owner's thread. Name, item size, flags and order are compared
 * over all ranks. *id, from 1, is valid in this world alone; after an error it is 0, which is no type's. Programs usually
 * call the generated NAME_register.
 * Errors: SCREE_EINVAL (a field; a type that differs between ranks: the text names it and the first such rank),
 * SCREE_ESTATE (in an epoch or a handler), SCREE_ENOMEM, SCREE_EMPI (the world has failed), or the code of a world that has
 * failed. */
scree_status scree_register(scree_world *world, const scree_type_desc *desc, uint32_t *id);

/* The same for `count` types, descs[0] and on, all of one `size`, as NAME_desc makes them: ids[i] is that of descs[i]. The
 * ranks compare all of them at once, in the time that one takes. After an error none is registered, on any rank, all ids are 0, and the
 * text names the type that was refused or that differs: '(none)' of a rank that registers fewer. A count of 0, on all
 * ranks, registers nothing; descs and ids are not read then. */
scree_status scree_register_all(scree_world *world, const scree_type_desc *descs, uint32_t count, uint32_t *ids);

/* Worker w of this rank, 0 <= w < threads (an option); NULL otherwise. Local. Worker 0 is bound to the thread that begins
 * the first epoch with it, the others to threads of the library, on which scree_run_workers runs them, and to those that
 * call scree_join_workers while they do. */
scree_worker *scree_worker_of(scree_world *world, uint32_t w);

/* Runs fn(worker, arg) on the workers 0 to n - 1 of every rank, each on its own thread, and returns when those of this
 * rank have returned. Epochs that they begin inside belong to all n workers of each rank: all of them begin and end the
 * same epochs in the same order. Epochs begun elsewhere belong to worker 0 alone. Collective, with the same n; idle world;
 * on the thread that owns worker 0, or will. The ranks wait for each other before fn runs. What a worker wrote before it
 * returned, the caller may read; what the caller wrote before, all workers. fn must not leave an epoch open: the world
 * fails. Inside fn a worker registers and closes nothing, and waits for others only inside an epoch by scree_progress.
 * Errors: SCREE_EINVAL (n is not in 1 .. threads, or differs between ranks, or no function: nothing runs), SCREE_ESTATE (an epoch is open,
 * a call from a handler, from fn or from another thread), or the code of a world that has failed. */
typedef void scree_work_fn(scree_worker *worker, void *arg);
scree_status scree_run_workers(scree_world *world, uint32_t n, scree_work_fn *fn, void *arg);

/* The same by threads that the program brings, an OpenMP team for instance: n threads call it on every rank, and each runs
 * fn(worker, arg) as the worker `index`, 0 <= index < n, another one for each. Index 0 is passed by the thread that owns
 * worker 0, or will. All rules of scree_run_workers hold, which other ranks may call instead, with the same n. A thread
 * owns its worker until the call returns; the library's own thread of that worker stays parked. All wait for each other
 * before fn runs, as do the ranks, and behind it; a wait is no progress, so a thread that does not come is waited for
 * without end and without a report. All callers return the same status. The option pin does not apply: the program
 * places its threads. Not in the simulator.
 * A wrong call is refused to all n threads when they have come (if they pass different n: as many as the largest of them),
 * and nothing runs; scree_error_text says why on the thread that owns worker 0. A thread that passes an n out of range is
 * refused at once, and is none of those that others wait for.
 * Errors: SCREE_EINVAL (n is not in 1 .. threads, or differs between threads or ranks; an index is out of range or passed
 * by two threads), SCREE_ESTATE (index 0 by another thread than that of worker 0; a thread has an open epoch, or is inside
 * a handler, or a worker that runs: an epoch of this world fails; the simulator), or the code of a world that has
 * failed. */
scree_status scree_join_workers(scree_world *world, uint32_t n, uint32_t index, scree_work_fn *fn, void *arg);

/* The thread level of MPI when the world was opened: "single", "funneled", "serialized" or "multiple"; "none" in the
 * simulator and in ranks of local.h. The statistics also say which one was asked for, and why. Local; any time. */
const char *scree_thread_level(const scree_world *world);

/* The world of a worker. Local; any time. */
scree_world *scree_world_of(scree_worker *worker);

/* Closes the world and frees it. Collective, idle world only; all living ranks also close a failed world.
 * Returns the world's error if it had failed. A process that ends by exit with a healthy world open prints a line that says
 * so. An open epoch (of this thread, in any world) or a call
 * from a handler: SCREE_ESTATE, the world stays open. */
scree_status scree_close(scree_world *world);

/* Sets a function that is called with SCREE_EPEER when a wait in an epoch has made no progress for hang_timeout, after
 * the hang report has been printed, once until there is progress again; by the thread that waits, of each worker. If it returns, the wait continues; to end the
 * job it calls MPI_Abort or _exit. NULL, the default: none. Local; idle world: inside scree_run_workers it
 * is refused, and fails the world if an epoch is open. */
typedef void scree_hang_fn(scree_world *world, scree_status status, void *arg);
void scree_hang_hook(scree_world *world, scree_hang_fn *hook, void *arg);

/* ---- epochs ------------------------------------------------------------------------------------------------- */

/* Begins an epoch of the workers that take part: worker 0 of every rank or, inside scree_run_workers, all that it runs.
 * Collective in order, over these workers, but does not wait for others. Owner's thread, not in a handler. A thread has
 * at most one open epoch over all its worlds, and all ranks enter the epochs of worlds that share ranks in the same
 * order. Errors: SCREE_ESTATE (an epoch is open; another thread's worker, or one that takes no part; in a handler), or the code of a world that
 * has failed. */
scree_status scree_begin(scree_worker *worker);

/* Ends the scoped epoch: returns when every message sent in it, on any rank, has been handled. Runs handlers.
 * Collective; owner's thread, not in a handler. `inout` may be NULL: that rank contributes nothing (sums 0, min and
 * max neutral). In a failed world it returns, on all ranks that are in the epoch, the same code. SCREE_ESTATE: no
 * epoch is open, or a call from a handler or a second thread. */
scree_status scree_end(scree_worker *worker, scree_reduce *inout);

/* One step of a tested epoch: makes progress once, then, if `idle`, checks whether the epoch has ended. `idle` states a
 * condition, not an event: "I hold no postponed work"; a call with false never waits. After its first idle = true a
 * worker sends only because a handler, or a hold, gave it work. Returns true once, when the epoch has ended or the
 * world has failed (scree_error distinguishes these); the worker has then left the epoch. `inout` as in scree_end, the
 * same pointer in every call of an epoch. Collective in effect: every worker calls it until it returns true. Owner's
 * thread, not in a handler. A wrong call returns true, and fails the world if an epoch is open.
 *
 *   while (!scree_test(w, queue_is_empty(q), NULL))
 *     pop_and_work(q); */
bool scree_test(scree_worker *worker, bool idle, scree_reduce *inout);

/* Keeps the epoch open for n units of work that this worker passes to another one, until scree_release has been called
 * for them, on any rank, and the releasing worker is idle. Local; in an epoch; handlers too. Outside an epoch: the
 * world fails with SCREE_ESTATE. Undefined: releasing more than was held. The worker that hands over may be an epoch ahead of
 * the one that takes: work goes with the number of its epoch (each worker counts its calls of scree_begin), and a poll function
 * or loop takes only that of the epoch that its worker is in; what it sent for other work would belong to the wrong epoch. A checked world fails with SCREE_ESTATE at the release of such work. */
void scree_hold(scree_worker *worker, uint32_t n);
void scree_release(scree_worker *worker, uint32_t n);

/* Registers a poll function: each worker of this rank that takes part in an epoch of this world calls it inside
 * scree_progress, scree_test and scree_end, in each turn in which nothing moved; with a progress thread (option progress)
 * that calls it too, as the worker with index `threads`. It is not called inside a send, in a failed world, by scree_close,
 * and while more than a quarter of the worker's memory waits in private blocks, which its sends may take. What it works on
 * is the program's; several workers call it at once, each for what its own handlers left behind.
 *
 * fn returns whether it holds work. As long as it does, the worker is not idle, so that the epoch cannot end, and calls it
 * again without sleeping. It counts as a handler: it may send, flush, hold, release and fail, its sends never wait and run
 * nothing, and a call that a handler may not make fails the world, with a text that names a poll function. To do a bounded
 * piece of its work and let messages in between, it returns true. Work that it passes on within the worker (to the loop
 * around scree_test, or to another poll function) is work that it holds: it returns true. A scree_reduce it may change as
 * a handler may.
 *
 * It is no reason of its own to send. Once it has returned false, and its worker was idle in scree_end or scree_test, it
 * may send, hold and return true again in this epoch only because a handler has run on this worker since, or for work that
 * is held (scree_hold) by whoever handed it over, for which it calls scree_release first: that counts when the worker is
 * idle. A checked world fails with SCREE_ESTATE if it does otherwise; in others the epoch may end too early.
 *
 * Several are called in the order in which they were registered, for as long as the world is open. Local, and ranks may
 * differ; idle world, owner's thread. Errors: SCREE_EINVAL (no function, or more than SCREE_POLLS_MAX), SCREE_ENOMEM, SCREE_ESTATE (in an
 * epoch, a handler or a poll function), or the code of a world that has failed. */
#define SCREE_POLLS_MAX 8
typedef bool scree_idle_fn(scree_worker *worker, void *arg);
scree_status scree_on_idle(scree_world *world, scree_idle_fn *fn, void *arg);

/* Makes progress. Call it in a loop instead of blocking when you must wait inside an epoch. Runs handlers. Local;
 * owner's thread, in an epoch, not in a handler. Returns true if it moved or handled something. A loop that waits for
 * the effect of a handler must end when scree_error reports a failure: no handler runs in a failed world. Also true: a poll
 * function holds work. A wrong call
 * returns false, and fails the world if an epoch is open. */
bool scree_progress(scree_worker *worker);

/* Publishes the contents of lanes: of one type or SCREE_ALL; of one destination. Never waits and runs no handler.
 * Local; owner's thread, in an epoch; handlers too. Idle workers flush automatically. Outside an epoch, or with a
 * type or rank out of range, the world fails. */
void scree_flush(scree_worker *worker, uint32_t type);
void scree_flush_lane(scree_worker *worker, uint32_t type, uint32_t dest);

/* ---- failure ------------------------------------------------------------------------------------------------- */

/* Fails the world with `status` (SCREE_OK, and what is no status, count as SCREE_EINVAL) and a text, which is copied (NULL counts as ""), for
 * example in a handler that cannot continue. The epoch then ends on every rank with the highest code raised, whether
 * ranks are idle or not; messages sent in it may be lost. Local; owner's thread, in an epoch; handlers too. Outside an
 * epoch, the next epoch ends with the status. */
void scree_fail(scree_worker *worker, scree_status status, const char *text);

/* The sticky status of the world: inside an epoch as far as this rank knows; outside, the status that all ranks have
 * agreed on, so that all take the same branch. And the text of the first error on this rank: rank, call, value, remedy;
 * "" if none; valid as long as the world. Local; any time. On another thread than the owner's: the status that all ranks
 * have agreed on, and "" until then. */
scree_status scree_error(const scree_world *world);
const char *scree_error_text(const scree_world *world);
/* The rank that raised the agreed failure and has its text; this rank if there is none. To print the error once, let
 * that rank print scree_error_text. Of a failure whose text no program has asked for (on this rank, by scree_error_text) the
 * library prints the text, on the rank that raised it: when the world closes, or when the process ends and it is open. Local;
 * any thread, any time. */
uint32_t scree_error_rank(const scree_world *world);

/* ---- introspection -------------------------------------------------------------------------------------------- */

/* The number that SCREE_TO_WORKER types give a worker of a rank. Local; any time. */
static inline uint32_t scree_worker_number(const scree_worker *worker, uint32_t rank, uint32_t index) {
  return rank * worker->threads + index;
}

/* The number of ranks of the world on the node of this rank, which share its memory and its cores, whatever the
 * transport. Local; any time. */
uint32_t scree_node_ranks(const scree_world *world);

/* Statistics are sums over the workers of this rank; inside scree_run_workers a worker reads its own alone. */

/* The messages of one type that this rank sent to one destination, up to the last published block. */
typedef struct {
  uint64_t items, bytes;                         /* messages and their bytes */
  uint64_t blocks_full, blocks_aged, blocks_end; /* blocks published full; by age or flush; at the end of an epoch */
  uint64_t coalesce_bytes;                       /* bytes of records at which a block is published now */
} scree_lane_stats;

/* The work of this rank since the world was opened. */
typedef struct {
  uint64_t epochs;           /* ended */
  uint64_t detection_rounds; /* in which this rank read counters or took part in a reduction */
  uint64_t created;          /* blocks published */
  uint64_t completed;        /* blocks handled */
  uint64_t items_handled;    /* messages handled */
  uint64_t batches;          /* handler calls */
  uint64_t waits;            /* sends that had to wait for a block */
  uint64_t overflow_blocks;  /* blocks taken from private memory by handlers */
  uint64_t overflow_peak;    /* maximum bytes of such blocks at one time, of each worker */
  /* Sent for detection alone (option detector): two for each reduction in which a rank other than the first leader took
   * part, its share and the result; a reduction takes no fewer. */
  uint64_t detection_messages;
  /* Messages of routed types (option route) that went on from this rank on their way to another one; and turns in which a
   * block of them waited here, since nothing of it could. */
  uint64_t passed, stalls;
  uint64_t open_peak; /* maximum number of lanes with messages in them at one time, of each worker */
} scree_stats;

/* How the workers of this rank took turns in calling MPI, under the lock of the option `lock`. All is 0 with one worker, and
 * where all blocks travel by shared memory. */
typedef struct {
  size_t size;      /* sizeof(scree_lock_stats), set by the caller: of a shorter struct only what it has is written */
  uint64_t entries; /* each for one call, or some */
  uint64_t waits;   /* entries that had to wait */
  uint64_t wait_ns; /* nanoseconds that they waited */
  uint64_t wasted;  /* polls that found nothing */
  uint64_t again;   /* entries of the worker that was inside last, while others waited */
  uint64_t fair; /* millionths: the sum of 1 / T over the entries while others waited, T being their number and one */
  /* With the option lock_sample, else 0. Entries of the lock from the socket (processor package) of the worker that was
   * inside last, while others waited; and, in millionths, the sum of the shares of that socket among those that queued. 0
   * where the rank may run on one socket alone. */
  uint64_t socket_again, socket_fair;
  uint64_t samples; /* entries at which the rank's requests of MPI were looked at */
  /* Then active, and of these complete, but not noticed yet by their worker (dangling). */
  uint64_t sampled_sends, dangling_sends, sampled_receives, dangling_receives;
} scree_lock_stats;

/* How much the lock favours the worker that was inside last: `again` over what it would be on average if each of the T
 * workers that queue were as likely to be next. 1: not at all; 0: it is never next (or no worker has waited). */
static inline double scree_lock_bias(const scree_lock_stats *stats) {
  return stats->fair ? 1e6 * (double)stats->again / (double)stats->fair : 0;
}

/* The same of the socket of that worker: how much likelier than by chance the next one comes from there. 0: unknown. */
static inline double scree_lock_socket_bias(const scree_lock_stats *stats) {
  return stats->socket_fair ? 1e6 * (double)stats->socket_again / (double)stats->socket_fair : 0;
}

/* Legal at any time. Local; owner's thread: on another one scree_stats_read sets zeros and the others return
 * SCREE_ESTATE. SCREE_EINVAL: scree_stats_lane, when type or dest is out of range; scree_stats_lock, when `size` is not set. */
void scree_stats_read(const scree_world *world, scree_stats *stats);
scree_status scree_stats_lock(const scree_world *world, scree_lock_stats *stats);
scree_status scree_stats_lane(const scree_world *world, uint32_t type, uint32_t dest, scree_lane_stats *stats);
/* Prints the statistics of this rank, and of each worker, as a table or as one JSON object. Local; worker 0's thread,
 * outside scree_run_workers: elsewhere it prints a line that says so. */
void scree_stats_print(const scree_world *world, FILE *to, bool json);

/* Begins or ends a trace: a timeline of epochs, handler calls, waits and detection rounds of every worker, for Perfetto
 * (docs/timeline.md). Rank 0's `to` counts, that of other ranks is ignored. A stream begins a trace, NULL ends it: rank 0
 * then gets what all ranks have recorded, a bounded part at a time, and writes it to that stream, which is still the
 * caller's, and not closed. It must stay open until then, or until scree_close returns, which ends a trace too. Each
 * worker keeps its newest events, as many as the option trace-events says; their memory is taken when the trace begins,
 * and none later. A world that is not traced pays nothing for each message or handler call.
 * Collective, idle world or failed one, owner's thread. NULL without a trace does nothing. In a failed world any call ends
 * the trace, as scree_close does: rank 0 writes what it can collect, and why the world failed. Errors, on all ranks:
 * SCREE_ENOMEM (no trace has begun), SCREE_ESTATE (the world is traced already; an epoch is open; a call from a handler;
 * the stream reported an error: the trace has ended and is incomplete), or the code of a world that has failed. An error
 * of the stream in scree_close or in a failed world is a line on rank 0's standard error, and changes no result. */
scree_status scree_trace(scree_world *world, FILE *to);

/* The options in force, all set. Local; valid as long as the world. */
const scree_options *scree_options_of(const scree_world *world);

/* Prints this worker's part of the hang report: epoch, counters, messages per type, blocks in flight, lanes with
 * content, overflow, ranks that are not idle, the calls that ranks wait in (of other nodes: as sent when they had been silent
 * for half of hang_timeout), detector, last progress, the text of a failure. Local; owner's thread: on another one it prints
 * a line that says so; call scree_report_request there. */
void scree_report_print(const scree_world *world, FILE *to);
/* Requests that report from every open world of this process at its next progress, on standard error. A world prints one
 * a second at most: requests that come sooner are answered together. Any thread; safe in a signal handler. */
void scree_report_request(void);

/* ---- the send path -------------------------------------------------------------------------------------------- */

/* Private, called by the generated functions. scree__slot returns space for `size` bytes; NULL only if !may_wait. */
void *scree__slot(scree_worker *worker, uint32_t type, uint32_t dest, uint32_t size, bool may_wait);
bool scree__var(scree_worker *worker, uint32_t type, uint32_t dest, const void *data, size_t bytes, bool may_wait);
bool scree__out_of_range(scree_worker *worker, uint32_t type, uint32_t dest);
/* For addressed.h: do a map with owners 0..owner and local indices 0..index and a type go together? narrow: bytes of the field
 * that cannot hold the index; 0: it can. */
scree_status scree__address(scree_world *world, const char *name, uint32_t type, uint32_t owner, uint64_t index,
                            size_t narrow);
bool scree__index_cut(scree_worker *worker, uint32_t type, uint64_t index);
uint64_t scree__fan(const scree_worker *worker, uint32_t type); /* destinations of a rank << 32 | between two ranks */

#define SCREE__MAYBE_UNUSED __attribute__((unused))
#ifdef __cplusplus
#define SCREE__STATIC_ASSERT static_assert
#define SCREE__IS_PLAIN(T)                                                                                             \
  __is_trivially_copyable(T) /* the compiler's own: no header of C++ in an extern "C" of users */
#else
#define SCREE__STATIC_ASSERT _Static_assert
#define SCREE__IS_PLAIN(T)   1
#endif
#ifdef SCREE_CHECKED /* files compiled with it check type and destination before the lane is read */
#define SCREE__DEST_BAD(w, t, dest)                                                                                    \
  (((dest) >= (w)->ranks || (t)-1 >= (w)->types) && scree__out_of_range((w), (t), (dest)))
#else
#define SCREE__DEST_BAD(w, t, dest) false
#endif

/* Private. Where routes are in use the lanes that a program sees of a routed type have no room, so that each send comes here:
 * the item goes to the lane of its next hop, and its tag behind it. */
static inline void *scree__tagged_slot(scree_worker *w, uint32_t type, uint32_t tag, uint32_t size, bool may_wait) {
  const uint32_t dest = tag & UINT16_MAX, bytes = size + (uint32_t)sizeof tag;
  scree__lane *l = w->by_hop[type].lane + w->by_hop[type].next[dest];
  char *p = l->next;
  if (__builtin_expect((size_t)(l->limit - p) >= bytes, 1))
    l->next = p + bytes;
  else
    p = (char *)scree__slot(w, type, dest, bytes, may_wait);
  if (p) __builtin_memcpy(p + size, &tag, sizeof tag);
  return p;
}

static inline void *scree__routed_slot(scree_worker *w, uint32_t type, uint32_t dest, uint32_t size, bool may_wait) {
  if (type >= w->routed_types || !w->by_hop[type].next) return scree__slot(w, type, dest, size, may_wait);
  return scree__tagged_slot(w, type, w->tag | dest, size, may_wait);
}

/* Private: what name_register fills, and what it adds: flags, and how messages are reduced. */
typedef struct scree__reduction scree__reduction;
#define SCREE__NO_REDUCTION(name)                                                                                      \
  static inline SCREE__MAYBE_UNUSED const scree__reduction *name##__reduction(void) {                                  \
    return NULL;                                                                                                       \
  }
#define SCREE__TYPE(name, T, flags)                                                                                    \
  SCREE__STATIC_ASSERT(sizeof(T) - 1 < SCREE_ITEM_MAX - ((flags)&SCREE_ROUTED ? 4 : 0),                                \
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

/* Private: the sends of a type, as `verb` calls them. A lane without room asks `slot`. */
#define SCREE__SENDS(name, verb, T, slot)                                                                              \
  static inline SCREE__MAYBE_UNUSED void name##_##verb(scree_worker *w, name##_type t, uint32_t dest,                  \
                                                       name##__item v) {                                               \
    if (SCREE__DEST_BAD(w, t.id, dest)) return;                                                                        \
    scree__lane *l = w->lane[t.id] + dest;                                                                             \
    char *p = l->next;                                                                                                 \
    if (__builtin_expect((size_t)(l->limit - p) < sizeof(name##__item), 0))                                            \
      p = (char *)slot(w, t.id, dest, sizeof(name##__item), true);                                                     \
    else                                                                                                               \
      l->next = p + sizeof(name##__item);                                                                              \
    __builtin_memcpy(p, &v, sizeof(name##__item));                                                                     \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##_try_##verb(scree_worker *w, name##_type t, uint32_t dest,              \
                                                           name##__item v) {                                           \
    if (SCREE__DEST_BAD(w, t.id, dest)) return true;                                                                   \
    scree__lane *l = w->lane[t.id] + dest;                                                                             \
    char *p = l->next;                                                                                                 \
    if ((size_t)(l->limit - p) >= sizeof(name##__item))                                                                \
      l->next = p + sizeof(name##__item);                                                                              \
    else if (!(p = (char *)slot(w, t.id, dest, sizeof(name##__item), false)))                                          \
      return false;                                                                                                    \
    __builtin_memcpy(p, &v, sizeof(name##__item));                                                                     \
    return true;                                                                                                       \
  }

/* SCREE_MESSAGE(name, T): a message type whose items are T, of 1 to SCREE_ITEM_MAX bytes, a plain type: in C++ one that
 * is trivially copyable. The compiler refuses others. At file
 * scope, in a header if several files send it. Defines
 *   name_type                            what name_register fills: the type's id in one world; a value, copy freely
 *   void name_send(w, t, dest, value)    sends value to rank dest
 *   bool name_try_send(w, t, dest, v)    the same, but returns false where name_send would wait; never runs a handler;
 *                                        in a failed world returns true and drops the message
 *   void name_send_all(w, t, value)      sends value to every rank, including the caller's, starting with the next rank;
 *                                        of a type to workers, to all that take part
 * `dest` is a rank or, of a type registered with SCREE_TO_WORKER, a worker: rank * w->threads + index.
 * Local; owner's thread, in an epoch; handlers too. A send outside a handler may run any handler of this worker: do not
 * iterate over data that your handlers change. Inside a handler a send never waits and runs no
 * handler. After an error the message is dropped and scree_error is set; a try returns true. A zeroed t, that of a
 * registration that was refused, and one of another world with a number that this one does not have, fail the world: up to
 * 63 everywhere, any number in a file compiled with SCREE_CHECKED. Undefined: in other files a destination that does not
 * exist, and a larger number; another type's t of the same item size. */
#define SCREE_MESSAGE(name, T)                                                                                         \
  SCREE__TYPE(name, T, 0);                                                                                             \
  SCREE__NO_REDUCTION(name)                                                                                            \
  SCREE__SENDS(name, send, T, scree__slot)                                                                             \
  SCREE__SEND_ALL(name, T)

/* Private: what SCREE_HANDLER and SCREE_VARIABLE_HANDLER define. */
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

/* Private: refuses another T than the message's. */
#ifdef __cplusplus
#define SCREE__SAME(name, T)                                                                                           \
  static inline SCREE__MAYBE_UNUSED const name##__item *name##__same(const T *item_) {                                 \
    return item_;                                                                                                      \
  }                                                                                                                    \
  typedef name##__item name##__handled
#else
#define SCREE__SAME(name, T)                                                                                           \
  SCREE__STATIC_ASSERT(_Generic((T *)0, name##__item * : 1, default : 0),                                              \
                       "SCREE_HANDLER(" #name ", " #T ", ...): T is not that of SCREE_MESSAGE")
#endif

/* SCREE_HANDLER(name, T, fn): in one .c file, after the definition of
 *   void fn(scree_worker *w, const scree_batch *batch, const T *items, void *arg)
 * T is the message's: another one does not compile.
 * Defines  scree_status name_register(world, arg, &t): scree_register for this type with fn as its handler,
 *          scree_status name_register_with(world, flags, arg, &t): the same with SCREE_SERIAL or SCREE_TO_WORKER, and
 *          SCREE_URGENT, and
 *          scree_type_desc name_desc(flags, arg): what they register, for scree_register_all. */
#define SCREE_HANDLER(name, T, fn)                                                                                     \
  SCREE__SAME(name, T);                                                                                                \
  static void name##_batch(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {                  \
    fn(w, batch, (const name##__item *)items, arg);                                                                    \
  }                                                                                                                    \
  SCREE__REGISTERS(name, (uint32_t)sizeof(name##__item), name##_flags, name##_batch, name##__reduction())

/* SCREE_VARIABLE(name): a type whose messages are byte strings of 0 to 2^31 - 1 bytes. Defines name_type,
 *   void name_send(w, t, dest, data, bytes)      copies `bytes` bytes from data
 *   bool name_try_send(w, t, dest, data, bytes)
 * under the rules of SCREE_MESSAGE. A record that no block of a lane holds gets a block of its own, of up to 1 MiB or an
 * eighth of the option memory. One that no block holds travels in fragments, which the receiver reassembles in private
 * memory; a try returns false only before the first fragment, the others may use private memory. */
#define SCREE_VARIABLE(name)                                                                                           \
  typedef struct {                                                                                                     \
    uint32_t id;                                                                                                       \
  } name##_type;                                                                                                       \
  static inline SCREE__MAYBE_UNUSED void name##_send(scree_worker *w, name##_type t, uint32_t dest, const void *data,  \
                                                     size_t bytes) {                                                   \
    if (SCREE__DEST_BAD(w, t.id, dest)) return;                                                                        \
    scree__var(w, t.id, dest, data, bytes, true);                                                                      \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED bool name##_try_send(scree_worker *w, name##_type t, uint32_t dest,                \
                                                         const void *data, size_t bytes) {                             \
    if (SCREE__DEST_BAD(w, t.id, dest)) return true;                                                                   \
    return scree__var(w, t.id, dest, data, bytes, false);                                                              \
  }                                                                                                                    \
  typedef name##_type name##_variable_type

/* SCREE_VARIABLE_HANDLER(name, fn): in one .c file; fn is a scree_batch_fn that iterates over its records with
 * scree_record_next. */
#define SCREE_VARIABLE_HANDLER(name, fn) SCREE__REGISTERS(name, 0, 0, fn, NULL)

/* The record at *cursor, 8-byte aligned, and its length; moves *cursor to the next one. In a handler of a
 * variable-length type:  const void *at = items;  for (i < batch->count) p = scree_record_next(&at, &bytes);
 * Undefined elsewhere, and beyond the last record of the batch. */
static inline SCREE__MAYBE_UNUSED const void *scree_record_next(const void **cursor, size_t *bytes) {
  const char *head = (const char *)*cursor;
  uint32_t n;
  __builtin_memcpy(&n, head, sizeof n);
  *bytes = n;
  *cursor = head + 8 + (((size_t)n + 7) & ~(size_t)7);
  return head + 8;
}

/* ---- prefetching handlers -------------------------------------------------------------------------------------- */

/* A handler that writes to random entries of a table larger than the caches waits for memory. It can prefetch the entry
 * of a later item while it handles an earlier one:
 *   for (uint32_t i = 0; i < batch->count; i++) {
 *     scree_prefetch_write(&table[items[scree_batch_ahead(batch, i, 64)].index]);
 *     table[items[i].index] += items[i].value;
 *   }
 * This pays where the handler's next step depends on the loaded value (an `if`), because a mispredicted branch stops
 * the processor from overlapping misses by itself: up to 1.65 times the rate, sends included. It does not pay in a
 * table that fits the caches, nor with too small a distance. */

/* Prefetches the cache line at p for writing; never faults, for any p. Local; any thread, any time. */
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

#include <scree/routed.h>

#ifdef __cplusplus
}
#endif
#endif
