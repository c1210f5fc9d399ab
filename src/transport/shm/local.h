/* local.h - ranks that one process has forked (open/local_run.c) meet in memory that it mapped before. */
#ifndef SCREE__LOCAL_H
#define SCREE__LOCAL_H
#include "base/options.h"
#include "transport/peers.h"

enum { SCREE__LOCAL_RANKS_MAX = 1024, SCREE__LOCAL_CHUNK = 1024, SCREE__LOCAL_CHANNELS = 16 };

/* Of one rank in one channel, which only that rank writes. What it publishes in a step it may overwrite two steps
 * later: then all have reached the step between, and have read it. */
typedef struct {
  SCREE__OWN_LINE AO_t step;  /* stored (release) after its words of that step, loaded by acquire */
  SCREE__OWN_LINE AO_t round; /* of detection: the same */
  scree__round rounds[2];
  SCREE__OWN_LINE uint64_t words[2][SCREE__LOCAL_CHUNK / sizeof(uint64_t)];
} scree__local_slot;

/* Zeroed memory of scree__local_bytes(ranks). Each open world has a channel, and the first is for those that are being
 * opened. By channel and rank. */
static inline size_t scree__local_bytes(uint32_t ranks) {
  return (size_t)SCREE__LOCAL_CHANNELS * ranks * sizeof(scree__local_slot);
}

/* Before there are ranks: where the steps and rounds of all channels begin, in tests alone not at 0. */
void scree__local_start(void *shared, uint32_t ranks, const scree__options *options);
/* This process is a rank of a job from now on, in the memory that the job shares. Once; local. */
void scree__local_enter(void *shared, uint32_t rank, uint32_t ranks);
/* The ranks of the job; NULL: this process is none. Any thread. */
scree__meeting *scree__local_meeting(void);
#endif
