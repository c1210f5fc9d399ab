/* lock_stats.h - how the workers of a rank took turns in calling MPI: for the statistics and the hang report. */
#ifndef SCREE__LOCK_STATS_H
#define SCREE__LOCK_STATS_H
#include <stdio.h>

#include "core/world.h"

/* Of the workers of a rank, by number: from `first` up to `end`, which is excluded. */
typedef struct {
  uint32_t first, end;
} scree__workers;
static inline scree__workers scree__one_worker(const scree__worker *me) {
  return (scree__workers){me->head.index, me->head.index + 1};
}

/* stats.c: the workers whose counters the calling thread may read: all while the others are parked, else its own. */
scree__workers scree__stats_readable(const scree_world *world);

/* The sum over these workers: one line of the table, nothing where no lock is entered; or members of a JSON object,
 * each after a comma, nothing without the option lock_sample. Local; while the workers are parked, or by their own
 * thread. */
void scree__lock_print(const scree_world *world, scree__workers of, FILE *to, bool json);
/* Why the option lock has no effect, "" if it has one or is the default. */
void scree__lock_note(const scree_world *world, char *text, size_t size);
#endif
