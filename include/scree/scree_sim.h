/* scree_sim.h - a world of virtual ranks in one process, under a schedule drawn from a seed.
 *
 * Room: the simulator's public face. The real core runs: each rank is a thread that runs only while it holds the
 * baton, and every progress call, counter store, publication and detector read is a point where the baton may pass
 * on. Same seed, same run. Needs no MPI and no launcher: made for testing programs as well as scree itself. */
#ifndef SCREE_SIM_H
#define SCREE_SIM_H
#include <scree/scree.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint64_t seed;      /* draws who runs next, what is delayed or reordered, and which pool is empty */
  uint32_t ranks;     /* virtual ranks, 1 .. 4096 */
  uint32_t nodes;     /* virtual nodes, 1 .. ranks; ranks are dealt to them in contiguous parts */
  uint64_t max_steps; /* scheduling points after which the run counts as hung; 0: 20 million */
  bool unperturbed;   /* no delays, reordering or refusals: for counting and memory figures at many ranks */
  bool quiet;         /* print no hang report */
} scree_sim_config;

typedef void scree_sim_fn(scree_world *world, void *arg);

/* Runs fn once per virtual rank, each with its own world, which is opened before and closed after it (fn must not leave
 * an epoch open: SCREE_ESTATE). Ranks run one at a time, so what `arg` points to needs no lock. Of the options,
 * transport, chaos and spin say nothing here; a microsecond is one scheduling point. Returns when
 * all have returned: SCREE_OK, the worst status of the worlds, or SCREE_EPEER if the run hung: then the seed and the
 * hang report of every rank are printed on standard error, and every epoch ended with SCREE_EPEER. Not from within a
 * run. Steps taken are stored in *steps if it is not NULL. */
scree_status scree_sim_run(const scree_sim_config *config, const scree_options *options, scree_sim_fn *fn, void *arg,
                           uint64_t *steps);

#ifdef __cplusplus
}
#endif
#endif
