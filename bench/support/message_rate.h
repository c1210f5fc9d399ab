/* message_rate.h - the job of message_rate.c and its modes: updates to random ranks or workers, by the library and by
 * baselines, with the same indices for all. */
#ifndef MESSAGE_RATE_H
#define MESSAGE_RATE_H
#include "common.h"

/* Bytes of an update, which adds one to a word of the receiver's table. It begins with the index, and ends with the
 * one; one of
 * 8 bytes is the index. */
#define UPDATE_SIZES(X) X(8) X(16) X(32) X(64) X(256)

typedef struct {
  uint32_t dests, rank; /* ranks, or workers of all ranks */
  bool remote;          /* never to itself */
  int bytes;
  uint64_t items, mask, seed, *table; /* items: that a worker sends */
} job;

/* Of 2^scale items of 8 or 16 bytes from a rank, as many bytes of larger ones, and tables of 2^table_log2 words. */
job bench_job(const bench *b, int bytes, int scale, int table_log2);

static inline uint32_t job_dest(const job *j, uint64_t draw) {
  if (!j->remote) return bench_below(draw, j->dests);
  uint32_t other = bench_below(draw, j->dests - 1);
  return other + (other >= j->rank);
}

static inline uint64_t job_index(const job *j, uint64_t draw) {
  return (draw >> 20) & j->mask;
}

/* ---- the library ---- */

/* One worker's, on cache lines of its own. */
typedef struct {
  __attribute__((aligned(64))) uint64_t *table;
  uint64_t seen; /* updates */
} update_target;

/* A world in which a job runs. */
typedef struct {
  const char *name, *options; /* for the table; of the world, as bench_open takes them */
  bool routed, to_workers;    /* the type */
  uint32_t threads;           /* workers of each rank */
  job job;
  scree_world *world; /* from now on set by update_open */
  uint32_t type;
  uint64_t *tables; /* of all workers */
  update_target to[SCREE_THREADS_MAX];
} update_side;

/* Over "shm" or "mpi". In j->table, or in tables of its own. Collective over bench_comm; update_close in any case. */
bool update_open(update_side *s, const char *transport, const job *j);
bool update_close(update_side *s);
/* A variant's `run` and `check` with an update_side; n: updates of a rank. */
void update_run(void *side, uint64_t n);
bool update_check(void *side, uint64_t n);

/* ---- the baselines: a variant's `timed` with a job ---- */

/* The plain loop: same indices, no messages, always 8-byte items. Measures CPU time, which is what a rank alone would
 * need even if ranks share a core. */
double run_floor(void *job);
/* The same, but the indices are read from a list that was drawn before: where drawing an index takes longer than an
 * update, the plain loop above measures the generator. */
double run_listed(void *job);
/* Coalescing alone: items are sorted by destination into blocks of 16 KiB, and a full block updates this rank's own
 * table. No library, no other rank, items of the same size, CPU time: the cost of coalescing for any program. */
double run_sorted(void *job);
/* Hand-written MPI: double-buffered MPI_Isend and MPI_Irecv, 64 KiB per buffer. */
double run_handwritten(void *job);
#endif
