/* mpi_level.h - the thread level of MPI: what a world needs, what MPI provides, and why. */
#ifndef SCREE__MPI_LEVEL_H
#define SCREE__MPI_LEVEL_H
#include "core/world.h"

/* MPI_THREAD_FUNNELED, ..., that MPI is initialised with for a world of these options. They are complete. */
int scree__level_wanted(const scree__options *options);

/* "single", "funneled", "serialized", "multiple". */
const char *scree__level_name(int level);

/* True if the initialised MPI provides what such a world needs. False: the text says what it needs, and the remedy. A
 * world of one thread without a requested level accepts any. */
bool scree__level_suffices(const scree__options *options, char *why, size_t size);

/* True if several nodes may take part. False: blocks between them travel by MPI, which only worker 0 may call although
 * there is a thread for progress. */
bool scree__level_allows_nodes(const scree__options *options);
/* The text for the case that they may not. */
void scree__level_refuse_nodes(const scree__options *options, scree__fault *fault);

/* True if all ranks may be on one node. False: nothing travels by MPI then, although a thread for MPI was requested. */
bool scree__level_allows_one_node(const scree__options *options);
void scree__level_refuse_one_node(scree__fault *fault, uint32_t ranks);

/* Stores what was requested, what is provided, and why. `ours`: the library initialised MPI. */
void scree__level_record(scree_world *world, bool ours);
#endif
