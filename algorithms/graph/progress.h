/* progress.h - reports to the callback of scree_graphs_on_load how far a load has come: after a buffer or a batch, never
 * for each edge. */
#ifndef SCREE__PROGRESS_H
#define SCREE__PROGRESS_H
#include <stddef.h>
#include <stdint.h>

typedef struct scree__progress {
  void (*fn)(uint64_t done, uint64_t total, void *arg); /* or NULL */
  void *arg;
} scree__progress;

static inline void scree__progress_report(const scree__progress *progress, uint64_t done, uint64_t total) {
  if (progress && progress->fn) progress->fn(done, total, progress->arg);
}

#endif
