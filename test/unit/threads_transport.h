/* threads_transport.h - ranks as threads of one process that run at the same time, each with as many workers as the
 * option threads, over shared memory's own data path: for tests of inbox, chaos and counters under real threads. */
#ifndef THREADS_TRANSPORT_H
#define THREADS_TRANSPORT_H
#include <pthread.h>

#include "transport/shm/shm.h"

enum { THREADS_MAX = 8, THREADS_CLASSES = 4 }; /* endpoints; classes of hops */

typedef struct {
  scree__shm_segment segment;                      /* of the first class */
  scree__shm_segment further[THREADS_CLASSES - 1]; /* of the others */
  uint32_t classes;
  uint32_t ranks, threads, identity[THREADS_MAX];        /* ranks * threads is at most THREADS_MAX */
  scree__transport *path[THREADS_CLASSES * THREADS_MAX]; /* by class and endpoint */
  pthread_mutex_t lock;                                  /* of the gather */
  pthread_cond_t changed;
  char gathered[2][THREADS_MAX * 128];
  uint32_t arrived, round;
} threads_node;

/* One node of `ranks` ranks; false: no memory. Options that are unset get their defaults. */
bool threads_open(threads_node *node, uint32_t ranks, const scree_options *options);
/* Frees what the worlds, or threads_close_rank, have left. */
void threads_close(threads_node *node);
/* Of a rank's first worker; those of the others follow. */
scree__transport **threads_rank(threads_node *node, uint32_t rank);
/* Opens the world of a rank. NULL: failed. Collective. */
scree_world *threads_world(threads_node *node, uint32_t rank);

/* Runs fn(context, rank) on a thread for each rank, at once; returns when all are done. */
void threads_run(uint32_t ranks, void (*fn)(void *context, uint32_t rank), void *context);
#endif
