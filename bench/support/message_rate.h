/* message_rate.h - the job of message_rate.c and its baselines, with the same indices for all. */
#ifndef MESSAGE_RATE_H
#define MESSAGE_RATE_H
#include <stdbool.h>
#include <stdint.h>

#include "common.h"

typedef struct {
  uint32_t ranks, rank;
  bool remote; /* never to itself */
  uint64_t items, mask, seed, *table;
} job;

static inline uint32_t job_dest(const job *j, uint64_t draw) {
  if (!j->remote) return bench_below(draw, j->ranks);
  uint32_t other = bench_below(draw, j->ranks - 1);
  return other + (other >= j->rank);
}

static inline uint64_t job_index(const job *j, uint64_t draw) {
  return (draw >> 20) & j->mask;
}

/* Updates of 8 to 256 bytes, of plain and of routed types: each adds one to a word of the receiver's table. */
typedef struct {
  uint64_t *table;
  uint64_t seen; /* updates */
} update_target;

enum { UPDATE_SIZES = 5 };

/* By size; [0]: plain, [1]: routed. send: all of a job, inside an epoch. */
extern const struct update_size {
  int bytes;
  bool (*make[2])(scree_world *world, update_target *to, uint32_t *id);
  void (*send[2])(scree_worker *w, uint32_t id, const job *job);
} update_sizes[UPDATE_SIZES];

/* The baselines; each returns the seconds of the slowest rank. */

/* The plain loop: same indices, no messages, always 8-byte items. Measures CPU time, which is what a rank alone would
 * need even if ranks share a core. */
double run_floor(const job *j);
/* The same, but the indices are read from a list that was drawn before: where drawing an index takes longer than an
 * update, the plain loop above measures the generator. */
double run_listed(const job *j);
/* Coalescing alone: items are sorted by destination into blocks of 16 KiB, and a full block updates this rank's own
 * table. No library, no other rank, items of the same size, CPU time: the cost of coalescing for any program. */
double run_sorted(const job *j, int item_bytes);
/* Hand-written MPI: double-buffered MPI_Isend and MPI_Irecv, 64 KiB per buffer. */
double run_handwritten(const job *j, int item_bytes);
#endif
