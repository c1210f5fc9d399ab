/* programs.h - generated programs in the simulator, against a ledger.
 *
 * Room: what a test or a mutant hunt asks of programs.c. */
#ifndef PROGRAMS_H
#define PROGRAMS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a run did, so that a test can see that it did something. */
typedef struct {
  uint64_t messages, failures, steps;
} program_totals;

/* Runs the program of this seed: everything about it, schedule included, follows from the seed. True: each message
 * was handled exactly once, in its epoch, on its rank, and each epoch ended as it should; else the reason is in
 * why[size]. With `faults` a rank raises a failure in some of the programs. */
bool program_run(uint64_t seed, bool faults, program_totals *totals, char *why, size_t size);
#endif
