/* known_answers.h - real graphs with answers that others published. */
#ifndef KNOWN_ANSWERS_H
#define KNOWN_ANSWERS_H
#include <scree/scree.h>

/* Finds the files; main thread, before the first run. NULL, or the reason to skip. */
const char *known_find(void);

/* Runs every variant on every graph that was found, from the source of its answers, and compares vertex by vertex.
 * `all`: the large graphs too. Collective; checks as a test does. */
void known_run(scree_world *world, bool all);

#endif
