/* token.h - virtual ranks: contexts of one thread, of which the one that holds the token runs, under a schedule drawn from
 * a seed. What they share is read and written only by the holder of the token. */
#ifndef SCREE__TOKEN_H
#define SCREE__TOKEN_H
#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

typedef struct {
  scree__context *context;
  void *local;     /* what is per thread, while another rank runs */
  uint32_t weight; /* odds of being drawn next */
  bool done;
} scree__virtual_rank;

typedef struct scree__token {
  /* Set by the owner. */
  uint32_t ranks;
  uint64_t seed, max_steps;
  bool unperturbed; /* ranks run in turn, each until it has nothing to do */
  void (*run)(void *arg, uint32_t rank);
  void *arg;
  void *(*exchange)(void *local); /* installs a rank's state that is per thread, and returns what it replaces */
  /* The rest starts as zero. */
  scree__virtual_rank *rank;
  scree__context *outside; /* the caller of scree__token_run */
  uint32_t holder;
  uint32_t running;       /* ranks not done */
  uint64_t total_weight;  /* of these */
  uint64_t reciprocal;    /* 2^64 / total_weight */
  uint64_t *weight_up_to; /* of each rank: the weights of the running ranks up to it, summed */
  uint64_t random, steps;
  uint64_t persistence; /* a power of 2: yield points in a row at which a rank keeps the token, on average */
  bool hung;            /* the run is given up: more than max_steps */
} scree__token;

/* Runs run(arg, rank) as each rank, and returns when all have returned. False: no memory, nothing ran. */
bool scree__token_run(scree__token *token);

/* A yield point: the token may move on. */
void scree__token_step(scree__token *token);
/* The holder has nothing to do: another rank runs. */
void scree__token_yield(scree__token *token);
/* The holder ends, wherever it is: its stack is left as it is. */
_Noreturn void scree__token_leave(scree__token *token);
#endif
