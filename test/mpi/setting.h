/* setting.h - a row of the tables of settings under which one program runs over real ranks, and what most of them
 * send. */
#ifndef SCREE_TEST_MPI_SETTING_H
#define SCREE_TEST_MPI_SETTING_H

#include <scree/scree_mpi.h>

/* clang-format off */
#define SETTING_OPTIONS(X)                                                                                             \
  X(transport) X(coalesce_bytes) X(test_pool_blocks) X(memory) X(in_flight) X(batch_max) X(overflow_max) X(chaos) \
  X(threads) X(pin) X(lock) X(lock_sample) X(detector) X(thread_level) X(progress) X(route) X(aggregate) \
  X(combine_cache) X(stats) X(checked)
/* clang-format on */

/* An option that is 0 stays unset. */
#define SETTING_FIELD(option) uint64_t option;
typedef struct {
  const char *name;
  SETTING_OPTIONS(SETTING_FIELD)
  int nodes;            /* virtual; 0: as it is */
  const MPI_Comm *comm; /* NULL: all ranks */
} setting;

#define SETTING_MESSAGE_A_BLOCK                                                                                        \
  .coalesce_bytes = 1, .test_pool_blocks = 1, .memory = 4096, .in_flight = 1, .batch_max = 1
#define SETTING_CHAOS(seed)                                                                                            \
  .coalesce_bytes = 200, .test_pool_blocks = 3, .in_flight = 3, .batch_max = 7, .chaos = (seed)

/* Collective; NULL, and a failed check, if it does not open. */
scree_world *setting_open(const setting *s);
/* The same, without a check: what this rank prints meanwhile, to be freed. */
char *setting_said(const setting *s, scree_world **world, scree_status *status);

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
