/* traced_run.h - a simulated run that writes its timeline, which is read again and judged by what the library
 * counted. */
#ifndef SCREE_TEST_TRACED_RUN_H
#define SCREE_TEST_TRACED_RUN_H

#include <cjson/cJSON.h>

#include "traffic.h"

enum { JUDGED = 120 }; /* epochs of which the ends are kept */

typedef struct {
  uint64_t epochs, items, batches, rounds;
} counts;

/* What is to be run. */
typedef struct {
  scree_sim_fn *fn;
  void *arg;
  FILE *file;    /* of rank 0 */
  bool ends;     /* by scree_trace, else by scree_close */
  bool over_mpi; /* set by the run: the simulated one */
  counts expected[MOST_RANKS][MOST_THREADS + 1];
} traced;

typedef struct {
  int64_t begin, end; /* ns */
  bool epoch;
} span;

/* What was read of an endpoint. */
typedef struct {
  counts found;
  uint64_t events, held, dropped, error; /* events: in the list; the others from the file */
  int64_t offset;
  span *open; /* that no later event has contained yet */
  size_t open_count;
  int64_t last_end, last_epoch;
  int64_t begin[JUDGED], end[JUDGED]; /* of epochs */
} track;

typedef struct {
  track of[MOST_RANKS][MOST_THREADS + 2]; /* by endpoint; the last one of each rank is that of rounds between nodes */
  uint32_t ranks, threads;                /* threads: of each rank, the progress thread included */
  uint64_t locks, waits, ended;           /* events; ended: rounds that ended an epoch */
  char failure[400], missing[200], batch[100];
} timeline;

/* The timeline is the caller's. Its endpoints are judged. */
timeline *traced_run(traced *what, const scree_sim_config *config, const scree_options *options, scree_status *status);

/* What runs on each rank: needed by a caller that runs something around it. */
void traced_play(scree_world *world, void *what);

timeline *timeline_read(const char *text, uint32_t ranks, uint32_t threads);
double event_number(const cJSON *object, const char *name);
const char *event_text(const cJSON *object, const char *name);

/* No epoch ends before each worker that takes part has begun it. tolerance: ns */
void timeline_judge_epochs(const timeline *t, int64_t tolerance);
void timeline_free(timeline *t);

#endif
