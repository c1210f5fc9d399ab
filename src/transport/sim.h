/* sim.h - what virtual ranks share: the token, by which one of them runs at a time, the segment and the collectives. All
 * of it is read and written only by the thread that holds the token. */
#ifndef SCREE__SIM_H
#define SCREE__SIM_H
#include <scree/scree_sim.h>
#include <semaphore.h>

#include "transport/shm.h"

/* The thread of a virtual rank. */
typedef struct {
  sem_t turn;
  bool done;
  uint32_t weight; /* odds of being drawn next */
} scree__sim_thread;

typedef struct {
  char *all;
  size_t bytes;
  uint32_t arrived;
} scree__sim_gather;

typedef struct {
  scree__round sum;
  uint32_t arrived;
} scree__sim_round;

typedef struct scree__sim {
  scree_sim_config config;
  scree_options options;
  scree_sim_fn *fn;
  void *arg;
  scree__shm_segment segment;
  uint32_t *identity, *leaders, *first; /* rank -> rank; node -> leader; node -> first rank (nodes + 1) */
  scree__sim_thread *threads;           /* by rank */
  uint64_t random, steps;
  uint32_t running;     /* ranks not done */
  uint32_t persistence; /* yield points in a row at which a rank keeps the token, on average */
  bool hung;            /* the run was given up */
  scree_status worst;
  scree__sim_gather gather[2];
  scree__sim_round round[2];
  sem_t over;
} scree__sim;

/* sim_token.c */
void scree__sim_step(scree__sim *sim, uint32_t rank);
void scree__sim_yield(scree__sim *sim, uint32_t rank);
void scree__sim_leave(scree__sim *sim, uint32_t rank);

/* sim.c: the transport of one virtual rank; NULL: no memory */
scree__transport *scree__sim_rank_open(scree__sim *sim, uint32_t rank, scree__fault *fault);
#endif
