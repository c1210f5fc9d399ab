/* mpi_level.h - the thread level of MPI: what a world needs of it, what it gives, and why. */
#ifndef SCREE__MPI_LEVEL_H
#define SCREE__MPI_LEVEL_H
#include "core/world.h"

/* MPI_THREAD_FUNNELED, ..., that MPI is initialised with for a world of these options. They are complete. */
int scree__level_wanted(const scree__options *options);

/* "single", "funneled", "serialized", "multiple". */
const char *scree__level_name(int level);

/* Does the MPI that is initialised give what such a world needs? False: the text says what it needs, and the remedy. A
 * world of one thread whose level is not asked for takes any. */
bool scree__level_suffices(const scree__options *options, char *why, size_t size);

/* May several nodes take part? False: blocks between them travel by MPI, which worker 0 alone may call, beside a thread for
 * progress. */
bool scree__level_allows_nodes(const scree__options *options);
/* The text for where they may not. */
void scree__level_refuse_nodes(const scree__options *options, scree__fault *fault);

/* May all ranks be on one node? False: nothing travels by MPI then, and a thread for that was asked for. */
bool scree__level_allows_one_node(const scree__options *options);
void scree__level_refuse_one_node(scree__fault *fault, uint32_t ranks);

/* Stores what was asked, what is given, and why. `ours`: the library initialised MPI. */
void scree__level_record(scree_world *world, bool ours);
#endif
