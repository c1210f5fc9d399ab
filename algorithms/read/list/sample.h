/* sample.h - the size of an edge list before it is loaded. */
#ifndef SCREE__LIST_SAMPLE_H
#define SCREE__LIST_SAMPLE_H
#include "read/reader.h"

/* By all lines of a small file, else by a sample of at most 4 MiB. Local; graphs->why is set on failure. */
scree_status scree__list_estimate(scree__reader *reader, scree_size_estimate *estimate);

#endif
