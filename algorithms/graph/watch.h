/* watch.h - who is told how far a load has come.
 *
 * Room: the one call that loops make, now and then: after a buffer or a batch, never for an edge. */
#ifndef SCREE__WATCH_H
#define SCREE__WATCH_H
#include <stddef.h>
#include <stdint.h>

typedef struct scree__watch {
  void (*fn)(uint64_t done, uint64_t total, void *arg); /* or NULL */
  void *arg;
} scree__watch;

static inline void scree__watch_tell(const scree__watch *watch, uint64_t done, uint64_t total) {
  if (watch && watch->fn) watch->fn(done, total, watch->arg);
}

#endif
