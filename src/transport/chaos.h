/* chaos.h - random delays, reordering and refusals over any transport. What the decorator draws depends on the seed and
 * the endpoint alone. */
#ifndef SCREE__CHAOS_H
#define SCREE__CHAOS_H
#include "transport/transport.h"

/* Takes over `inner` on success; NULL: no memory. */
scree__transport *scree__chaos_open(scree__transport *inner, uint64_t seed, uint32_t hop_class);
#endif
