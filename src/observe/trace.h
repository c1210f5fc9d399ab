/* trace.h - a world that is traced: switching it on and off, clocks, and the timeline. What workers record is in
 * trace/tracer.h. */
#ifndef SCREE__TRACE_H
#define SCREE__TRACE_H
#include "core/fail.h"
#include "core/progress.h"
#include "observe/observe.h"

#define SCREE__TRACE "scree_trace"
enum { SCREE__PIECE_MIN = 32 }; /* events of a piece */

/* What rank 0 has measured of the clock of a rank. */
typedef struct {
  int64_t offset; /* ns: ahead of rank 0's by that */
  uint64_t error; /* ns: maximum error of that */
} scree__clock;

/* Everything that collecting needs is made when tracing is switched on. Tables have a row for each rank. */
typedef struct {
  FILE *to;                   /* on rank 0 */
  size_t piece;               /* events of each rank that travel at a time */
  void *mine, *all;           /* such a piece of this rank, and of all */
  scree__clock *first, *last; /* when tracing was switched on, and when it ended */
  uint64_t started, stopped;  /* ns, of rank 0's clock, at these times */
} scree__tracing;

/* NULL: the world is not traced. */
static inline scree__tracing *scree__tracing_of(scree_world *world) {
  return *scree__feature_state(world, &scree__trace_feature);
}

/* trace.c: calls the handler of the type that the worker is in, and records the call. */
scree_batch_fn scree__traced_batch;

/* Bytes of tracing->mine. */
size_t scree__trace_piece_bytes(const scree__tracing *tracing);

/* trace_clock.c. Compares the clocks. Collective, in an idle world or a failed one. Fails with a text in the fault
 * sink. */
scree_status scree__clocks_measure(scree_world *world, scree__clock *clocks);
/* Sets the drift of each clock: as measured, or none where the errors explain it. Rank 0. */
void scree__clocks_settle(scree__tracing *tracing, uint32_t ranks);
/* ns since the trace began by rank 0's clock, when the rank's clock showed `at`. */
int64_t scree__clock_common(const scree__tracing *tracing, uint32_t rank, uint64_t at);

/* trace_write.c: rank 0 gets all events, a piece at a time, and writes them; failed writes are ferror's. Collective;
 * fails as above. */
scree_status scree__trace_collect(scree_world *world, const char *failure);
/* Rank 0 writes its own. Local. */
void scree__trace_write_own(scree_world *world, const char *failure, const char *missing);
#endif
