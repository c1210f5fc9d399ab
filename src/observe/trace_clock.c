/* trace_clock.c - the clocks of the ranks, compared with rank 0's.
 *
 * No rank leaves a gather before all have entered it. So the time at which rank r enters comes before that at which
 * rank 0 leaves, and the other way round: the offset of r's clock lies between entered[r] - left[0] and left[r] -
 * entered[0], whatever the network does. The narrowest bounds of several gathers count, and their middle is taken;
 * where zero lies between them the clocks count as one, as those of one host are. */
#include <string.h>

#include "observe/trace.h"

enum { TIMES = 16 };

typedef struct {
  uint64_t entered, left; /* ns */
} passage;

typedef struct {
  passage times[TIMES];
} passages;

static scree__clock compare(const passages *mine, const passages *other) {
  int64_t min = INT64_MIN, max = INT64_MAX;
  for (int i = 0; i < TIMES; i++) {
    int64_t from = (int64_t)(other->times[i].entered - mine->times[i].left);
    int64_t to = (int64_t)(other->times[i].left - mine->times[i].entered);
    if (from > min) min = from;
    if (to < max) max = to;
  }
  uint64_t width = max > min ? (uint64_t)(max - min) : 0;
  if (min <= 0 && max >= 0) return (scree__clock){0, (uint64_t)(max > -min ? max : -min)};
  return (scree__clock){min + (max - min) / 2, width - width / 2};
}

scree_status scree__clocks_measure(scree_world *world, scree__clock *clocks) {
  const scree__worker *me = world->worker[0];
  scree__tracing *tracing = scree__tracing_of(world);
  passages mine = {.times = {{0, 0}}};
  const passages *all = tracing->all;
  scree_status status = SCREE_OK;
  for (int i = 0; i < TIMES && status == SCREE_OK; i++) {
    mine.times[i].entered = scree__now(me);
    status = scree__gather(world, SCREE__TRACE, tracing->mine, tracing->all, sizeof(uint64_t));
    mine.times[i].left = scree__now(me);
  }
  _Static_assert(sizeof mine <= SCREE__PIECE_MIN * sizeof(scree__event), "a table of these fits");
  if (status == SCREE_OK) status = scree__gather(world, SCREE__TRACE, &mine, tracing->all, sizeof mine);
  for (uint32_t r = 0; r < world->ranks && status == SCREE_OK && world->rank == 0; r++)
    clocks[r] = compare(&all[0], &all[r]);
  return status;
}

void scree__clocks_settle(scree__tracing *tracing, uint32_t ranks) {
  for (uint32_t r = 0; r < ranks; r++) {
    scree__clock *first = &tracing->first[r], *last = &tracing->last[r];
    int64_t drift = last->offset - first->offset;
    if ((uint64_t)(drift < 0 ? -drift : drift) > first->error + last->error) continue;
    if (first->error < last->error)
      *last = *first;
    else
      *first = *last;
  }
}

/* Clocks drift apart at a constant rate, nearly. */
static int64_t offset(const scree__tracing *tracing, uint32_t rank, uint64_t at) {
  int64_t first = tracing->first[rank].offset, drift = tracing->last[rank].offset - first;
  double part = (double)((int64_t)(at - tracing->started) - first);
  double whole = (double)(tracing->stopped - tracing->started);
  return whole > 0 ? first + (int64_t)((double)drift * (part / whole)) : first;
}

int64_t scree__clock_common(const scree__tracing *tracing, uint32_t rank, uint64_t at) {
  return (int64_t)(at - tracing->started) - offset(tracing, rank, at);
}
