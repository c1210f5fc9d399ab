/* node.h - what the ranks of one node share to know when an epoch has ended.
 *
 * Room: the page and the slots of the counters; who writes what, and on which cache line. */
#ifndef SCREE__NODE_H
#define SCREE__NODE_H
#include <atomic_ops.h>
#include <stdint.h>

enum { SCREE__LINE = 64 };
#define SCREE__OWN_LINE __attribute__((aligned(64)))

/* One per rank; each counter has one writer and a line of its own, only ever grows, and is never reset. */
typedef struct {
  SCREE__OWN_LINE AO_t created;   /* blocks published; stored (release) before the publication */
  AO_t held;                      /* units of work handed over; stored (release) at once */
  SCREE__OWN_LINE AO_t completed; /* blocks handled and epochs' units; stored (release) only when idle */
  AO_t released;                  /* units of work done; stored before completed */
  AO_t knows;                     /* 1: of a failure, so that it sends no more; stored before completed */
  AO_t paid;                      /* epochs for which the unit has been paid */
  SCREE__OWN_LINE AO_t part[4];   /* this rank's part of the reduction; stored before completed */
  AO_t pid;                       /* process, 0 where ranks are threads */
} scree__node_slot;

/* One per node. */
typedef struct {
  SCREE__OWN_LINE AO_TS_t lock; /* the detector's try-lock */
  SCREE__OWN_LINE AO_t ended;   /* epochs ended; stored (release) behind the result */
  AO_t result[4];               /* of the reduction of the last one */
  AO_t outcome;                 /* failure key agreed with it, 0: none */
  SCREE__OWN_LINE AO_t failed;  /* highest failure key known on this node, 0: none */
} scree__node_page;

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
