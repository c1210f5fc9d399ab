/* scree_sim.h - a world of virtual ranks in one process, under a schedule drawn from a seed.
 *
 * The simulator runs the real core. Each thread of each virtual rank is a user-level context of the calling thread,
 * with a stack of its own, and runs only while it holds the token. Every progress call, counter store, publication and
 * detector read is a yield point, at which the token may be passed on. The same seed gives the same run. The simulator
 * needs no MPI and no launcher. It tests programs as well as scree. */
#ifndef SCREE_SIM_H
#define SCREE_SIM_H
#include <scree/scree.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint64_t seed;      /* determines the schedule, delays, reordering, and which pools are empty */
  uint32_t ranks;     /* virtual ranks, 1 .. 4096 */
  uint32_t nodes;     /* virtual nodes, 1 .. ranks; ranks are assigned to them in contiguous parts */
  uint64_t max_steps; /* yield points after which the run counts as hung; 0: 20 million */
  bool unperturbed;   /* no delays, reordering or refusals: to measure counts and memory with many ranks */
  bool quiet;         /* do not print the hang report */
  uint32_t threads;   /* of each rank, 1 .. 64; 0: as the option of that name */
} scree_sim_config;

typedef void scree_sim_fn(scree_world *world, void *arg);

/* Runs fn once per virtual rank, each with its own world, which is opened before fn and closed after it (fn must not
 * leave an epoch open: SCREE_ESTATE). Ranks and their workers run one at a time, so what `arg` points to needs no lock.
 * They share the thread, its thread-local variables and its errno; a rank must wait for another one only by calls of
 * scree. The stack of each thread is 8 MiB, with more than 256 of them 512 KiB. The options
 * transport, chaos, pin, spin and lock have no effect; one yield point takes one simulated microsecond. Returns when
 * all ranks have returned: SCREE_OK, the worst status of the worlds, or SCREE_EPEER if the run hung. In the last case
 * the seed and the hang report of every rank are printed to standard error, and every epoch ends with SCREE_EPEER. Not
 * legal within a run. Stores the steps taken in *steps if it is not NULL. */
scree_status scree_sim_run(const scree_sim_config *config, const scree_options *options, scree_sim_fn *fn, void *arg,
                           uint64_t *steps);

#ifdef __cplusplus
}
#endif
#endif
