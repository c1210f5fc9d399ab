/* known_components.h - published components and ranks of real graphs. */
#ifndef KNOWN_COMPONENTS_H
#define KNOWN_COMPONENTS_H
#include <scree/scree.h>

/* Finds the files; main thread, before the first run. NULL, or the reason to skip. */
const char *known_components_find(void);

/* Runs every variant of connected components and of PageRank on every graph that was found. `all`: the large graphs
 * too. Collective; checks as a test does. */
void known_components_run(scree_world *world, bool all);

#endif
