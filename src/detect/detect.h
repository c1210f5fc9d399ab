/* detect.h - the end of an epoch: what a worker counts (counters.c), and how its end is found. The option detector
 * determines whose counters one leader reads: those of a node (`node`), or of a rank (`flat`). Leaders find out by
 * detection rounds (rounds.c) what the others have read. */
#ifndef SCREE__DETECT_H
#define SCREE__DETECT_H
#include "trace/ring.h"
#include "transport/transport.h"

typedef struct scree__detection scree__detection;

/* Failure keys that detection raises; every rank has the text. OPS: the workers reduce by different operations.
 * RELEASES: they have released more than they held. */
#define SCREE__OF_OPS       (UINT64_C(1) << 41)
#define SCREE__OPS_KEY      (SCREE__OF_OPS | (uint64_t)SCREE_EINVAL << 32 | UINT32_MAX)
#define SCREE__OF_RELEASES  (UINT64_C(1) << 42)
#define SCREE__RELEASES_KEY (SCREE__OF_RELEASES | (uint64_t)SCREE_ESTATE << 32 | UINT32_MAX)

/* In a key: the rank failed in a gather, so that others may wait for it in that one without end. Comes before all
 * others. */
#define SCREE__IN_GATHER (UINT64_C(1) << 40)

/* A mark in the key with which an epoch ends: a send has failed, and its message may arrive after the end. */
#define SCREE__DOUBTFUL (UINT64_C(1) << 43)

/* The workers whose counters one leader of detection reads; the first of them is the leader. */
typedef struct {
  scree__node_slot *slots;
  uint32_t size, index;   /* index: of this worker */
  uint32_t count;         /* groups */
  scree__node_page *page; /* where the end of an epoch is announced */
} scree__group;

/* One worker's. Written by its thread; of a progress thread, epoch and owed by the thread that starts it. */
struct scree__detection {
  scree__transport *transport; /* whose slots, page, collective and clock it uses */
  scree__group group;
  uint64_t start, first;              /* of created and completed; of `epoch`: 0 but in tests */
  uint32_t ranks, endpoints, threads; /* of the world; of each rank; without a progress thread */

  /* the open epoch, or the next */
  uint64_t epoch;
  uint32_t taking;      /* workers of each rank that take part */
  uint32_t progressing; /* 1: and its progress thread */
  uint64_t owed;        /* tokens of each rank up to the open epoch, or the last */
  bool contributed;     /* its token, and what it had completed */

  /* counters, never reset */
  uint64_t tokens; /* epochs in which this worker has taken part */
  uint64_t created, handled, held, released;
  uint64_t doubtful;        /* sends that failed: their messages may arrive all the same */
  uint64_t completed;       /* last stored */
  uint64_t contribution[4]; /* of the reduction, last published, as are these: */
  uint64_t ops, value[SCREE__VALUES];
  uint64_t verdict; /* failure key with which the epoch ends if it ends now, 0: success; last published */

  uint64_t epochs; /* counted for the statistics */
  struct {
    bool open, has_last, has_end;
    scree__round last;          /* of the open epoch */
    scree__round end;           /* which ended the epoch before */
    uint64_t count, messages;   /* counted for the statistics */
    uint32_t delay, idle_steps; /* steps until the next round; those since the leader has handled a block */
    uint64_t handled;           /* by that step */
  } rounds;                     /* the leader's */
  struct {
    scree__ring *ring;
    uint64_t begun;              /* ns; 0: not traced */
    uint64_t completed, created; /* by the round that was recorded last */
  } trace;
};

/* Of a worker whose counters are `slots[node_index]`; page: of the rank, where each rank is a group. */
void scree__detection_init(scree__detection *d, scree__transport *t, uint32_t threads, uint32_t endpoints,
                           const scree__options *options, scree__node_page *page, scree__ring *ring);

/* Sets the first values of a worker's slot and of its group's page, before any rank is in an epoch. `index`: the
 * worker's, in its rank. */
void scree__detection_first(const scree__options *options, uint32_t index, scree__node_slot *slot,
                            scree__node_page *page);

/* That many of each rank take part in the open epoch. */
static inline uint32_t scree__members(const scree__detection *d) {
  return d->taking + d->progressing;
}
/* True if the one with that index in its rank takes part. */
static inline bool scree__is_member(const scree__detection *d, uint32_t index) {
  return index < d->taking || (d->progressing && index == d->threads);
}

/* counters.c, by the worker */
void scree__count_created(scree__detection *d);
void scree__count_held(scree__detection *d);
/* `failed`: the worker has acknowledged a failure, and sends no more. `verdict`: failure key with which the epoch is to
 * end if this is the worker's last contribution, 0: success. */
void scree__contribute(scree__detection *d, const scree_reduce *contribution, uint64_t verdict, bool failed);
/* One step towards the end of the epoch; *ended: it has ended. `idle`: the worker has contributed, and is still idle.
 * Fails with a text in the fault sink. */
scree_status scree__detect(scree__detection *d, bool idle, bool *ended);

/* rounds.c: one step of a group's leader, where there are several groups; `idle`: the leader is. Never blocks. */
scree_status scree__step_rounds(scree__detection *d, bool idle);

/* counters.c, by detectors */
bool scree__all_contributed(const scree__detection *d);
void scree__read_counters(scree__detection *d, scree__round *sums);
void scree__read_contributions(const scree__detection *d, scree__round *sums);
bool scree__balanced(const scree__detection *d, const scree__round *first, const scree__round *later);
void scree__check_releases(const scree__detection *d, const scree__round *first, const scree__round *later);
void scree__announce(const scree__detection *d, const scree__round *sums);
void scree__time_round(scree__detection *d);
void scree__record_round(scree__detection *d, scree__event_kind kind, const scree__round *sums, bool over);

/* Acquire: pairs with scree__announce. */
static inline bool scree__ended(const scree__detection *d) {
  return (int64_t)(AO_load_acquire(&d->group.page->ended) - d->epoch) > 0;
}
#endif
