/* world.h - worlds: open, close, options, failure. Included by scree.h. Without mpi.h: scree_mpi.h opens a world on a
 * communicator, local.h starts ranks without a launcher, scree_sim.h simulates them. C11 and C++11 (gcc, clang).
 *
 * Terms (docs/glossary.md). World: a communication context, not MPI_COMM_WORLD. Worker: one thread's handle on it.
 * Owner: the one thread that uses a worker. Collective: all ranks call it, in the same order. Local: no other rank
 * takes part. Idle world: outside of epochs, scree_run_workers and scree_join_workers.
 *
 * Who calls. On a thread that does not own the worker a function that is not inline returns SCREE_ESTATE, or what its
 * comment says of a wrong call, and the owner fails the world at its next progress (in an idle world only if the call
 * has no result). The same holds in a process that was forked while the world was open; its parent notices nothing.
 * Inlined sends check neither, except in a checked world: docs/concepts.md, section 1.
 *
 * NULL, 0 and -1. A function of libscree, libscree-task or libscree-graph that is not inline refuses NULL for a
 * world, a worker, a task, a graph or a result with SCREE_EINVAL, or SCREE_ESTATE of a task; where it returns no
 * status it does nothing, and returns NULL, 0, false or "". A number is refused if it is out of range.
 * scree_error_text has the reason if a world is known. Undefined: NULL for the worker of an inlined function, such as a
 * send, or for an array of more than 0 entries where its comment does not say what NULL means. All ranks pass the same
 * to collective calls: if only some pass NULL, the others may wait. */
#ifndef SCREE_WORLD_H
#define SCREE_WORLD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scree/options.h>
#include <scree/version.h>
#ifdef __cplusplus
extern "C" {
#endif

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

typedef struct scree_world scree_world;

/* Private: the lane of one (worker, type, destination). With limit == next a send takes the slow path, which checks. */
typedef struct {
  char *next, *limit;
} scree__lane;

/* Private: does the block have space for `bytes` more? It compares numbers, since a lane without a block points
 * nowhere. */
static inline bool scree__lane_fits(const scree__lane *lane, size_t bytes) {
  return (uintptr_t)lane->next + bytes <= (uintptr_t)lane->limit;
}

/* Private: the lanes of a type by destination, and how many destinations it has; of an id that is no type's: none. */
typedef struct {
  scree__lane *lane;
  uint32_t dests;
} scree__lane_row;

/* Private: what a send of a routed type reads. */
typedef struct {
  const uint16_t *next; /* by destination: the lane; NULL: the type is direct */
  scree__lane *lane;
} scree__by_hop;

/* A worker: its first fields are read by inlined sends. */
typedef struct scree_worker {
  const scree__lane_row *row;  /* private: by type */
  uint32_t rank, ranks;        /* read only: this rank and the number of ranks */
  void *user;                  /* the program's, never read by scree */
  uint32_t index, threads;     /* read only: this worker's number; the number of workers of each rank */
  const scree__by_hop *by_hop; /* private, as are the following: see routed.h and reduced.h */
  uint32_t routed_types, tag;
  struct scree__cache *cache; /* by type */
  uint32_t types;             /* registered; ids are from 1 */
  uint32_t dests;             /* private: workers of all ranks, the most destinations that a type can have */
  void *above;                /* of a library that is built on this one, for its inline functions; NULL: none */
  uint32_t indices;           /* read only: length of an array by index or batch->worker: threads + 1 if the ranks have
                               * progress threads (option progress=full), whose index is `threads`; else threads */
} scree_worker;

/* Opens a world on all ranks. Collective over all processes of the job, outside of epochs and handlers, on the thread
 * that may call MPI. Initialises MPI if it is not initialised, with the level of threads.h, and then finalises it with
 * the last world; a program that uses MPI itself opens by scree_mpi.h. Without a launcher there is one rank, or those
 * of local.h. `options` may be NULL; it is copied. *world is set only on success; else all ranks get the same code, and
 * the reason is on standard error. Errors: SCREE_EINVAL (an option; options or builds differ between ranks; the
 * launcher started several ranks and MPI has one), SCREE_ESTATE (in a handler; MPI is finalised; a fork of a process
 * with MPI), SCREE_ENOMEM (or no thread), SCREE_EMPI (or too low a thread level. Where a collective call failed others
 * may wait inside MPI, as the text says: end the job by a code other than 0, or MPI_Abort). */
scree_status scree_open(const scree_options *options, scree_world **world);

/* Closes the world and frees it. Collective, idle world, also a failed one; returns its error. Refused with
 * SCREE_ESTATE, and the world stays open: an open epoch (of this thread, in any world), a handler. */
scree_status scree_close(scree_world *world);

/* Worker w of this rank, 0 <= w < threads (an option); else NULL, and scree_error_text has the reason. Worker 0 is
 * owned by the thread that begins the first epoch with it; the others: threads.h. Local; any time. */
scree_worker *scree_worker_of(scree_world *world, uint32_t w);

/* The world of a worker. Local; any time. */
scree_world *scree_world_of(scree_worker *worker);

/* The options in force, all set. Local; valid as long as the world. */
const scree_options *scree_options_of(const scree_world *world);

/* The ranks on this rank's node, which share its memory and cores, whatever the transport. Local; any time. */
uint32_t scree_node_ranks(const scree_world *world);

/* ---- failure ---- */

/* Fails the world with `status` (SCREE_EINVAL for SCREE_OK and for what is not a status) and a text, which is copied
 * (NULL: ""). The epoch ends on every rank with the highest code raised, idle or not; its messages may be lost. Outside
 * of an epoch the next one ends so. Local; owner's thread; handlers too. */
void scree_fail(scree_worker *worker, scree_status status, const char *text);

/* The status of the world, for good once it has failed: in an epoch as far as this rank knows; outside, and on other
 * threads than the owner's, what all ranks have agreed on. And the text of this rank's first error: rank, call, value,
 * remedy; "" if none; on other threads "" until it is agreed on. Valid as long as the world. Local; any time. */
scree_status scree_error(const scree_world *world);
const char *scree_error_text(const scree_world *world);
/* The rank that has the text of the failure that was agreed on; this one if there is none. Let that rank print it: if
 * it never reads the text, the library prints it when the world closes or the process ends. Local; any thread. */
uint32_t scree_error_rank(const scree_world *world);

/* Sets a function that each worker calls with SCREE_EPEER when its wait in an epoch has made no progress for
 * hang_timeout, after the hang report, once until there is progress (docs/concepts.md, section 4). The wait goes on
 * when it returns; MPI_Abort or _exit ends the job. NULL, the default: none. Local; idle world. */
typedef void scree_hang_fn(scree_world *world, scree_status status, void *arg);
void scree_hang_hook(scree_world *world, scree_hang_fn *hook, void *arg);

#ifdef __cplusplus
}
#endif
#endif
