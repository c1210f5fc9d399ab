/* resolve.h - completes the options of a world. */
#ifndef SCREE__RESOLVE_H
#define SCREE__RESOLVE_H
#include "base/options.h"

/* Sets every field of *all: from `given`, which may be NULL, of another release's size or a test's, else from the
 * environment, else to the default. progress=full from the environment is refused. Returns 0, or -1 with the reason in
 * why[size]; *all is then unspecified. Local. */
int scree__options_complete(scree__options *all, const scree_options *given, char *why, size_t size);

#endif
