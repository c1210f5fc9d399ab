/* variants.h - the variants of SSSP.
 *
 * Room: one line for each file that holds a variant. */
#ifndef SCREE__SSSP_VARIANTS_H
#define SCREE__SSSP_VARIANTS_H
#include "relax.h"

extern const scree__variant scree__sssp_dc, scree__sssp_delta, scree__sssp_chaotic;

#endif
