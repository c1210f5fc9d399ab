/* epoch_jobs.h - empty epochs, and epochs in which each rank sends one message to the next, in one world. */
#ifndef BENCH_EPOCH_JOBS_H
#define BENCH_EPOCH_JOBS_H
#include "common.h"

SCREE_MESSAGE(ticks, uint64_t);

typedef struct {
  scree_world *world; /* by the caller; the rest by epoch_open */
  scree_worker *w;
  ticks_type t;
  uint64_t seen, sum;        /* messages since the last check; of their numbers */
  uint64_t epochs, messages; /* messages: for detection; as the last check has read them */
  double per_epoch;          /* messages for detection by this rank, in the last round */
  bool wrong_sum;            /* of a reduction */
} epoch_context;

bool epoch_open(epoch_context *s);

/* For bench_variant: arg is an epoch_context, n counts epochs. */
void epoch_empty(void *arg, uint64_t n);
void epoch_message(void *arg, uint64_t n);
bool epoch_check_empty(void *arg, uint64_t n);
bool epoch_check_message(void *arg, uint64_t n);

/* Runs on 2, 4, 8 ... ranks up to all, while the others sleep. */
bool epoch_on_ranks(bench *b, bool (*run)(bench *b, void *unused));
#endif
