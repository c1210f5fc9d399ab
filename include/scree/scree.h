/* scree.h - active messages over MPI: a program sends many small typed messages to ranks. They are coalesced by
 * destination, travel in large blocks, and are passed to batch handlers inside epochs; an epoch ends when all have been
 * handled (AM++: Willcock et al., PACT 2010; Active Pebbles: Willcock et al., ICS 2011). C11 and C++11 (gcc, clang). */
#ifndef SCREE_H
#define SCREE_H
#include <scree/epoch.h>
#include <scree/message.h>
#include <scree/stats.h>
#include <scree/threads.h>
#include <scree/world.h>
#endif
