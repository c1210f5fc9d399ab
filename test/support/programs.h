/* programs.h - generated programs in the simulator, against a ledger.
 *
 * programs_draw.c draws a program from a seed, programs_play.c plays
 * it on a virtual rank, programs.c runs and judges it. */
#ifndef PROGRAMS_H
#define PROGRAMS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What runs did, so that a test can see that they did something; each run adds to it. */
typedef struct {
  uint64_t messages, failures, steps;
  uint64_t overflows, waits, parts,
      holds;               /* blocks from private memory, waits for a block, large records, hand-overs */
  uint64_t shared;         /* messages handled in epochs of several workers of a rank */
  uint64_t by_progress;    /* and by progress threads */
  uint64_t polled;         /* pieces of work done by poll functions */
  uint64_t passed, stalls; /* messages that ranks passed on; turns in which a block waited for room to be */
  uint64_t combined;       /* messages of reduced types, on their way */
  uint64_t dropped;        /* of filtered types: needless ones */
  uint64_t evicted;        /* from caches, by another key */
} program_totals;

/* PROGRAM_TIGHT: eight types on 2 to 12 ranks, under options that leave the least of everything. */
typedef enum { PROGRAM_PLAIN, PROGRAM_WITH_FAULTS, PROGRAM_ON_FAILING_MPI, PROGRAM_TIGHT } program_kind;

/* Runs the program of this seed: everything about it, schedule included, follows from the seed. True: each message
 * was handled exactly once, in its epoch, on its rank, by a worker that may, and each epoch ended as it should; else the reason is in
 * why[size]. Those of a reduced type were handled once by way of the item that they were combined into; of those of a
 * filtered one the least of each key was, and no other one twice. With faults, ranks of some of the programs raise failures or run out of memory: then each message was
 * handled at most once, and the failing epoch ended on every rank with the same code. Where what is below fails, the
 * run may end with any code, but each epoch that ended without one was whole. */
bool program_run(uint64_t seed, program_kind kind, program_totals *totals, char *why, size_t size);

/* The same with these instead of what the seed draws, unless they are 0; detector: of the option's words the first is 1. */
typedef struct {
  uint32_t ranks, threads, detector;
} program_shape;
bool program_run_shaped(uint64_t seed, program_kind kind, program_shape shape, program_totals *totals, char *why,
                        size_t size);
#endif
