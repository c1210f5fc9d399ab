/* sim.h - what virtual ranks share: the token, by which one of them runs at a time, the segment and the collectives. */
#ifndef SCREE__SIM_H
#define SCREE__SIM_H
#include <scree/scree_sim.h>

#include "sim/token.h"
#include "transport/shm/shm.h"

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
  scree_sim_config config; /* threads: 1 or more */
  uint32_t threads;        /* endpoints of each rank */
  scree__options options;
  scree_sim_fn *fn;
  void *arg;
  uint32_t classes;                     /* of hops */
  scree__shm_segment *segments;         /* one for each class */
  uint32_t *identity, *leaders, *first; /* endpoint -> endpoint; node -> leader; node -> first rank (nodes + 1) */
  uint32_t *node_of;                    /* rank -> node */
  scree__heard *heard;                  /* rank -> what it has sent last */
  scree__token token;
  uint32_t ended; /* ranks that have left fn, or never entered it */
  scree_status worst;
  scree__sim_gather gather[2];
  scree__sim_round round[2];
} scree__sim;

/* endpoint.c: the transport of one endpoint, for hops of that class; NULL: no memory */
scree__transport *scree__sim_endpoint_open(scree__sim *sim, uint32_t rank, uint32_t worker, uint32_t hop_class,
                                           scree__fault *fault);
#endif
