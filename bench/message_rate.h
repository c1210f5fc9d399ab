/* message_rate.h - the job that message_rate.c and its hand-written rival both do.
 *
 * Room: the indices, equal for both. */
#ifndef MESSAGE_RATE_H
#define MESSAGE_RATE_H
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint32_t ranks, rank;
  bool remote; /* never to itself */
  uint64_t items, mask, seed, *table;
} job;

static inline uint32_t job_dest(const job *j, uint64_t draw) {
  if (!j->remote) return (uint32_t)(((draw >> 32) * j->ranks) >> 32);
  uint32_t other = (uint32_t)(((draw >> 32) * (j->ranks - 1)) >> 32);
  return other + (other >= j->rank);
}

static inline uint64_t job_index(const job *j, uint64_t draw) {
  return (draw >> 20) & j->mask;
}

/* The same job by double-buffered MPI_Isend and MPI_Irecv, 64 KiB a buffer; seconds of the slowest rank. */
double run_by_hand(const job *j, int item_bytes);
#endif
