/* property_levels.h - BFS `direction` on a graph that makes it leave the levels, come back to them, and leave again. */
#ifndef PROPERTY_LEVELS_H
#define PROPERTY_LEVELS_H
#include "algorithm_cases.h"

/* Runs it on two or three ranks under the schedule of this seed. True: all levels are right, and it did both. */
bool property_levels(uint64_t seed, case_verdict *verdict);
#endif
