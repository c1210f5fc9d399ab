/* round.h - what one detection round reads, and how leaders add it up, including the values that programs reduce. */
#ifndef SCREE__ROUND_H
#define SCREE__ROUND_H
#include <scree/epoch.h>
#include <string.h>

enum { SCREE__VALUES = SCREE_REDUCE_VALUES };
_Static_assert(SCREE__VALUES == sizeof(uint64_t), "the operations of the values are the bytes of a word");

typedef struct {
  uint64_t completed, created;             /* sums */
  uint64_t released, held, unacknowledged; /* sums; the last: workers that have acknowledged no failure */
  uint64_t doubtful;                       /* sum; 0 unless a failure is acknowledged */
  uint64_t sum[2];                         /* sums */
  uint64_t min, max;
  uint64_t failed, verdict;      /* maxima */
  uint64_t ops;                  /* of value[i] byte i: a scree_reduce_op, or SCREE__OPS_DIFFER */
  uint64_t value[SCREE__VALUES]; /* of which those without an operation are unset, but between leaders */
} scree__round;

enum { SCREE__OPS_DIFFER = 0xff };

static inline uint32_t scree__op_of(uint64_t ops, uint32_t i) {
  return ops >> 8 * i & 0xff;
}

/* The words of two numbers, combined. */
static inline uint64_t scree__combine(uint32_t op, uint64_t a, uint64_t b) {
  double x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  switch (op) {
  case SCREE_SUM:
    return a + b;
  case SCREE_MIN:
    return (int64_t)a < (int64_t)b ? a : b;
  case SCREE_MAX:
    return (int64_t)a > (int64_t)b ? a : b;
  case SCREE_MIN_REAL:
    return x < y ? a : b;
  case SCREE_MAX_REAL:
    return x > y ? a : b;
  default:
    x += y;
  }
  memcpy(&a, &x, sizeof a);
  return a;
}

static inline void scree__round_add_value(scree__round *to, uint32_t i, uint32_t op, uint64_t value) {
  const uint32_t had = scree__op_of(to->ops, i);
  if (!op) return;
  to->value[i] = had ? scree__combine(op, to->value[i], value) : value;
  to->ops |= (uint64_t)(had && had != op ? SCREE__OPS_DIFFER : op) << 8 * i;
}

static inline void scree__round_add(scree__round *to, const scree__round *from) {
  to->completed += from->completed;
  to->created += from->created;
  to->released += from->released;
  to->held += from->held;
  to->unacknowledged += from->unacknowledged;
  to->doubtful += from->doubtful;
  to->sum[0] += from->sum[0];
  to->sum[1] += from->sum[1];
  if (from->min < to->min) to->min = from->min;
  if (from->max > to->max) to->max = from->max;
  if (from->failed > to->failed) to->failed = from->failed;
  if (from->verdict > to->verdict) to->verdict = from->verdict;
  for (uint32_t i = 0; from->ops && i < SCREE__VALUES; i++)
    scree__round_add_value(to, i, scree__op_of(from->ops, i), from->value[i]);
}
#endif
