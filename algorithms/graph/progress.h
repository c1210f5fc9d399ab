/* progress.h - the progress of a load, for the callback of scree_graphs_on_load, and the phases by which its time is
 * counted: after a buffer or a batch, never for each edge. */
#ifndef SCREE__PROGRESS_H
#define SCREE__PROGRESS_H
#include <scree/graph/layer.h>

#include "base/clock.h"

typedef struct scree__progress {
  scree_load_fn *fn; /* or NULL */
  void *arg;
  scree_phases phases;
  scree_phase phase; /* that it is in, since then */
  double since;
} scree__progress;

static inline void scree__progress_report(const scree__progress *progress, uint64_t done, uint64_t total) {
  if (progress && progress->fn) progress->fn(done, total, progress->arg);
}

/* Returns the phase before. NULL is ignored. */
static inline scree_phase scree__progress_enter(scree__progress *progress, scree_phase phase) {
  if (!progress) return phase;
  const scree_phase before = progress->phase;
  const double now = scree__seconds();
  progress->phases.seconds[before] += now - progress->since;
  progress->since = now;
  progress->phase = phase;
  return before;
}

/* The same after bytes were read. */
static inline void scree__progress_read(scree__progress *progress, uint64_t bytes, scree_phase phase) {
  if (progress) progress->phases.bytes[SCREE_PHASE_READ] += bytes;
  scree__progress_enter(progress, phase);
}

#endif
