/* published.h - real graphs with answers that others published. */
#ifndef KERNELS_PUBLISHED_H
#define KERNELS_PUBLISHED_H
#include <scree/scree.h>

/* Finds the files; main thread, before the first run. NULL, or the reason to skip. */
const char *published_find(void);

/* Runs every variant of the kernel of each answer. Collective; checks as a test does. */
void published_run(scree_world *world);

#endif
