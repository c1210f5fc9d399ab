/* lock_stats.h - how the workers of a rank took turns in calling MPI: for the statistics and the hang report. */
#ifndef SCREE__LOCK_STATS_H
#define SCREE__LOCK_STATS_H
#include <stdio.h>

#include "core/world.h"

/* Adds the worker's counts. Local; while the worker is parked, or by its own thread. */
void scree__lock_add(const scree__worker *me, scree_stats *to);
/* One line of the table; nothing where no lock is entered. */
void scree__lock_print(const scree_world *world, const scree_stats *s, FILE *to);
/* Members of a JSON object, each behind a comma. */
void scree__lock_print_json(const scree_stats *s, FILE *to);
/* Why the option lock has no effect, "" if it has one or is the default. */
void scree__lock_note(const scree_world *world, char *text, size_t size);
#endif
