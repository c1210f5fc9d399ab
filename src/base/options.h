/* options.h - the options of a world, as the library takes them from a program of any release. */
#ifndef SCREE__OPTIONS_H
#define SCREE__OPTIONS_H
#include <scree/options.h>

/* Sets every field of *all: from `given`, which may be NULL or of another release's size, else from the environment,
 * else to the default. progress=full from the environment is refused. Returns 0, or -1 with the reason in why[size]; *all is then unspecified. Local. */
int scree__options_complete(scree_options *all, const scree_options *given, char *why, size_t size);

/* Threads of a rank that send and receive: its workers, and the progress thread if there is one. */
static inline uint32_t scree__options_endpoints(const scree_options *o) {
  return (uint32_t)o->threads + (o->progress == SCREE_PROGRESS_FULL);
}
/* Its threads: a communication thread is no endpoint. */
static inline uint32_t scree__options_threads(const scree_options *o) {
  return scree__options_endpoints(o) + (o->progress == SCREE_PROGRESS_COMM);
}

#endif
