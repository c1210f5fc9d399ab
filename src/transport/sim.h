/* sim.h - the baton and what virtual ranks share.
 *
 * Room: the scheduler's state. All of it is read and written only by the thread that holds the baton. */
#ifndef SCREE__SIM_H
#define SCREE__SIM_H
#include <scree/scree_sim.h>
#include <semaphore.h>

#include "transport/shm.h"

typedef struct {
  sem_t turn;
  bool done;
  uint32_t weight; /* of its lot when the next rank is drawn */
} scree__sim_seat;

typedef struct {
  char *all;
  size_t bytes;
  uint32_t arrived;
} scree__sim_gather;

typedef struct {
  scree__wave sum;
  uint32_t arrived;
} scree__sim_wave;

typedef struct scree__sim {
  scree_sim_config config;
  scree_options options;
  scree_sim_fn *fn;
  void *arg;
  scree__segment segment;
  uint32_t *identity, *leaders, *first; /* rank -> rank; node -> leader; node -> first rank (nodes + 1) */
  scree__sim_seat *seats;
  uint64_t random, steps;
  uint32_t left;  /* ranks not done */
  uint32_t hurry; /* points in a row that keep the baton, on average */
  bool hung;      /* the run was given up */
  scree_status worst;
  scree__sim_gather gather[2];
  scree__sim_wave wave[2];
  sem_t over;
} scree__sim;

typedef struct {
  scree__shm shm; /* must be first */
  scree__sim *sim;
  uint64_t gathers, waves;
} scree__sim_rank;

/* sim_baton.c */
void scree__sim_step(scree__sim *sim, uint32_t rank);
void scree__sim_yield(scree__sim *sim, uint32_t rank);
void scree__sim_leave(scree__sim *sim, uint32_t rank);

/* sim.c: the transport of one virtual rank */
scree__transport *scree__sim_rank_open(scree__sim *sim, uint32_t rank);
#endif
