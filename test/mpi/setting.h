/* setting.h - a row of the tables of settings under which one program runs over real ranks, and what most of them send. */
#ifndef SCREE_TEST_MPI_SETTING_H
#define SCREE_TEST_MPI_SETTING_H

#include <mpi.h>
#include <scree/scree_mpi.h>

/* An option that is 0 stays unset. */
typedef struct {
  const char *name;
  uint64_t transport, coalesce_bytes, pool_blocks, memory, in_flight, batch_max, counter_start, chaos, threads, pin,
      lock, lock_sample, detector, thread_level, progress, route, aggregate, reduce_cache, overflow_max;
  int nodes;            /* virtual; 0: as it is */
  const MPI_Comm *comm; /* NULL: MPI_COMM_WORLD */
} setting;

#define SETTING_MESSAGE_A_BLOCK .coalesce_bytes = 1, .pool_blocks = 1, .memory = 4096, .in_flight = 1, .batch_max = 1
#define SETTING_CHAOS(seed)     .coalesce_bytes = 200, .pool_blocks = 3, .in_flight = 3, .batch_max = 7, .chaos = (seed)

/* Collective; NULL, and a failed check, if it does not open. */
scree_world *setting_open(const setting *s);

/* Numbers, which are counted and summed where they arrive. */
SCREE_MESSAGE(number, uint64_t);
typedef struct {
  scree_world *world;
  scree_worker *w; /* the first */
  number_type number;
  uint64_t count, sum;
} tally;
/* False if there is no world. */
bool tally_in(tally *t, scree_world *world);

#endif
