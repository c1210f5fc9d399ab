/* node.h - what the ranks of one node share to know when an epoch has ended.
 *
 * Room: the page and the slots of the counters; who writes what, and on which cache line. */
#ifndef SCREE__NODE_H
#define SCREE__NODE_H
#include <atomic_ops.h>
#include <stddef.h>
#include <stdint.h>

enum { SCREE__LINE = 64 };
#define SCREE__OWN_LINE __attribute__((aligned(SCREE__LINE)))

/* One per rank, its only writer; the counters only ever grow and are never reset. Lines differ by when they are
 * written: with each block, when idle, with a part that changed. Which load pairs with which store is told in
 * detect.c; the first values are stored (relaxed) before opening's last collective, which orders them. */
typedef struct {
  SCREE__OWN_LINE AO_t created;   /* blocks published; stored (release) before the publication */
  AO_t held;                      /* units of work handed over; stored (release) at once */
  SCREE__OWN_LINE AO_t completed; /* blocks handled and epochs' units; stored (release) only when idle */
  AO_t released;                  /* units of work done; stored (release) before completed */
  AO_t knows;                     /* 1: of a failure, so that it sends no more; stored (release) before completed */
  AO_t paid;                      /* epochs for which the unit has been paid; relaxed, a hint */
  SCREE__OWN_LINE AO_t part[4];   /* this rank's part of the reduction; stored (relaxed) before released */
  AO_t pid;                       /* process, 0 where ranks are threads; relaxed, stored once, as a first value */
} scree__node_slot;

/* One per node. Result and outcome are overwritten when the next epoch ends, which is after every rank has read them:
 * each reads, then pays its unit of that epoch (release), and the detector sees that unit (acquire). */
typedef struct {
  SCREE__OWN_LINE AO_TS_t lock; /* the detector's try-lock: acquire, release */
  SCREE__OWN_LINE AO_t ended;   /* epochs ended; stored (release) behind the result, looked at by acquire */
  AO_t result[4];               /* of the reduction of the last one; relaxed, ordered by `ended` */
  AO_t outcome;                 /* failure key agreed with it, 0: none; relaxed, ordered by `ended` */
  SCREE__OWN_LINE AO_t failed;  /* highest failure key known on this node, 0: none; relaxed, see fail.c */
} scree__node_page;

#define SCREE__STARTS_LINE(type, field) (offsetof(type, field) % SCREE__LINE == 0)
_Static_assert(SCREE__STARTS_LINE(scree__node_slot, created) && SCREE__STARTS_LINE(scree__node_slot, completed) &&
                   SCREE__STARTS_LINE(scree__node_slot, part) && sizeof(scree__node_slot) == 3 * (size_t)SCREE__LINE,
               "slots share no line, nor do a slot's groups");
_Static_assert(SCREE__STARTS_LINE(scree__node_page, ended) && SCREE__STARTS_LINE(scree__node_page, failed) &&
                   sizeof(scree__node_page) == 3 * (size_t)SCREE__LINE,
               "lock, outcome and failure share no line");

/* What the leaders of nodes add up: a wave. */
typedef struct {
  uint64_t completed, created;    /* sums */
  uint64_t released, held, knows; /* sums */
  uint64_t sum[2];                /* sums */
  uint64_t min, max;
  uint64_t failed; /* maximum */
} scree__wave;

static inline void scree__wave_add(scree__wave *to, const scree__wave *from) {
  to->completed += from->completed;
  to->created += from->created;
  to->released += from->released;
  to->held += from->held;
  to->knows += from->knows;
  to->sum[0] += from->sum[0];
  to->sum[1] += from->sum[1];
  if (from->min < to->min) to->min = from->min;
  if (from->max > to->max) to->max = from->max;
  if (from->failed > to->failed) to->failed = from->failed;
}
#endif
