/* generators.h - the records of the generators.
 *
 * Room: their names; each is in generators.c. */
#ifndef SCREE__GENERATORS_H
#define SCREE__GENERATORS_H
#include "graph/generate.h"

extern const scree__generator scree__generator_kron, scree__generator_uniform, scree__generator_grid,
    scree__generator_path, scree__generator_star, scree__generator_complete;

#endif
