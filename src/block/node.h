/* node.h - the counters by which the endpoints of one node detect the end of an epoch: who writes which word, and on
 * which cache line it lies. */
#ifndef SCREE__NODE_H
#define SCREE__NODE_H
#include <atomic_ops.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/invariant.h"
#include "block/round.h"
#include "thread/cpu.h"

/* What is shared by processes: no lock of one process may stand for an atomic operation, a word has room for 64-bit
 * sums, and zeroed memory is a free lock. */
#ifdef AO_USE_PTHREAD_DEFS
#error "libatomic_ops emulates its operations by a lock (AO_USE_PTHREAD_DEFS), which other processes do not see"
#endif
_Static_assert(sizeof(AO_t) == 8 && AO_TS_CLEAR == 0, "words and locks of libatomic_ops");

/* One per endpoint, which is its only writer; the counters only grow, and wrap around; they are never reset. Words that
 * are written at different times are on different lines: with each block, when idle, with a changed contribution.
 * src/detect pairs loads with stores; the first values are stored (relaxed) before the last collective call of opening,
 * which orders them. */
typedef struct {
  SCREE__OWN_LINE AO_t created;   /* blocks published; stored (relaxed) before the publication */
  AO_t held;                      /* units of work held; stored (relaxed) at once */
  SCREE__OWN_LINE AO_t completed; /* blocks handled and epoch tokens; stored (release) only when idle */
  AO_t released;                  /* units of work done; stored (release) before completed */
  AO_t failure_acknowledged;      /* 1: it has acknowledged a failure and sends no more; stored (release) before
                                   * completed */
  AO_t contributed;               /* 1 + the last epoch whose token has been added; stored (release) after completed */
  AO_t doubtful;                  /* sends that failed, whose messages may arrive; stored (relaxed) before released */
  SCREE__OWN_LINE AO_t contribution[4]; /* of this worker to the reduction; stored (relaxed) before released */
  AO_t verdict; /* failure key with which the epoch ends if it ends now, 0: success; stored (relaxed) with them */
  AO_t call;    /* that the worker waits in, or waited in last: a scree__call; relaxed, read by hang reports */
  AO_t pid;     /* process, 0 where ranks are simulated; relaxed, stored once, as a first value */
  AO_t ops;     /* of the values, a byte each; stored (relaxed) with them */
  SCREE__OWN_LINE AO_t value[SCREE__VALUES]; /* further contributions; read where ops is not 0 */
} scree__node_slot;

/* One per node. Result and outcome are overwritten when the next epoch ends, which is after every worker has read them:
 * each reads, then adds its token of that epoch (release), and the detector sees that token (acquire). */
typedef struct {
  SCREE__OWN_LINE AO_TS_t lock; /* the detector's try-lock: acquire, release */
  SCREE__OWN_LINE AO_t ended;   /* epochs ended; stored (release) after the result, loaded by acquire */
  AO_t result[4];               /* of the reduction of the last one; relaxed, ordered by `ended` */
  AO_t outcome;                 /* failure key agreed with it, 0: none; relaxed, ordered by `ended` */
  AO_t ops;                     /* of the values of the result, as are these */
  SCREE__OWN_LINE AO_t value[SCREE__VALUES];
  SCREE__OWN_LINE AO_t failed; /* highest failure key known on this node, 0: none; relaxed, see scree__node_fail */
} scree__node_page;

#define SCREE__STARTS_LINE(type, field) (offsetof(type, field) % SCREE__LINE == 0)
_Static_assert(SCREE__STARTS_LINE(scree__node_slot, created) && SCREE__STARTS_LINE(scree__node_slot, completed) &&
                   SCREE__STARTS_LINE(scree__node_slot, contribution) && SCREE__STARTS_LINE(scree__node_slot, value) &&
                   sizeof(scree__node_slot) == 4 * (size_t)SCREE__LINE,
               "slots share no line, nor do a slot's groups");
_Static_assert(SCREE__STARTS_LINE(scree__node_page, ended) && SCREE__STARTS_LINE(scree__node_page, failed) &&
                   sizeof(scree__node_page) == 4 * (size_t)SCREE__LINE,
               "lock, outcome and failure share no line");

/* Raises page->failed to key. True: this call was the first on the node. Relaxed: the key is all that is communicated,
 * and keys only grow. The release of a worker's contribution ensures that an epoch's outcome includes every key that
 * the worker knew of. */
static inline bool scree__node_fail(scree__node_page *page, uint64_t key) {
  AO_t old;
  SCREE__INVARIANT(key >> 32 || !key); /* a key has a status */
  do {
    old = AO_load(&page->failed);
    if (old >= key) return false;
  } while (!AO_compare_and_swap(&page->failed, old, key));
  return old == 0;
}
#endif
