/* token.h - virtual ranks, each with some virtual threads: contexts of one thread, of which only the holder of the
 * token runs, under a schedule drawn from a seed. What they share is read and written only by the holder of the
 * token. */
#ifndef SCREE__TOKEN_H
#define SCREE__TOKEN_H
#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "base/random.h"

/* As many as a comparison takes at once. */
enum { SCREE__SUMS = 4 };
typedef int32_t scree__sums __attribute__((vector_size(SCREE__SUMS * sizeof(int32_t))));

typedef struct {
  scree__context *context;
  void *local;             /* what is per thread, while another one runs */
  int32_t weight;          /* odds of being drawn next */
  bool done, asleep, over; /* of a rank's first: it is over, and the others must return */
  void *(*fn)(void *);     /* not of a rank's first thread: what it runs; NULL: nothing yet, or it has returned */
  void *arg;
} scree__virtual_thread;

typedef struct scree__token {
  /* Set by the owner. */
  uint32_t threads, of_rank; /* of all ranks; of each, 1 or more: thread i belongs to rank i / of_rank */
  uint64_t seed, max_steps;
  bool unperturbed; /* they run in turn, each until it has nothing to do */
  void (*run)(void *arg, uint32_t rank);
  void *arg;
  void **local; /* where per-thread state is: each virtual thread has its own, NULL at first. NULL: there is none */
  /* The rest starts as zero. */
  scree__virtual_thread *thread;
  scree__context *outside; /* the caller of scree__token_run */
  uint32_t holder;
  uint32_t running;     /* not done */
  bool runnable;        /* some are neither done nor asleep */
  scree__divisor total; /* their weights, summed */
  scree__sums *up_to;   /* of each: the weights of those up to it, summed */
  uint32_t sums;        /* elements of it */
  uint64_t random, steps;
  uint64_t redraw_at;   /* a step; 0: never */
  uint64_t persistence; /* a power of 2: yield points in a row at which one keeps the token, on average */
  bool hung;            /* the run is given up: more than max_steps */
} scree__token;

/* For tests that follow the order of events: what orders threads besides atomic operations and locks. */
typedef struct {
  void (*begin)(scree__token *token), (*end)(void);              /* of a run */
  void (*start)(uint32_t thread), (*join)(uint32_t thread);      /* by the holder */
  void (*release)(const void *key), (*acquire)(const void *key); /* by the holder, in a collective call */
  void (*forget)(const void *key);                               /* that key may be reused afterwards */
} scree__order_ops;
extern const scree__order_ops *scree__order; /* NULL: no test does */

/* Runs run(arg, rank) as the first thread of each rank, and returns when all have returned. False: no memory, nothing
 * ran. */
bool scree__token_run(scree__token *token);

/* A yield point: the token may move on. */
void scree__token_step(scree__token *token);
/* The holder has nothing to do: another one runs. */
void scree__token_yield(scree__token *token);
/* The holder gets the token back only after a wake, by a thread of its rank. When all are asleep the run has hung, and
 * all wake. */
void scree__token_sleep(scree__token *token);
/* Starts fn(arg) on another thread of the holder's rank. Returns the thread, 0 if there is none left. */
uint32_t scree__token_start(scree__token *token, void *(*fn)(void *arg), void *arg);
/* Waits until that one has returned. */
void scree__token_join(scree__token *token, uint32_t thread);
/* Wakes all threads of the holder's rank. */
void scree__token_wake_rank(scree__token *token);
/* The holder's rank. */
static inline uint32_t scree__token_rank(const scree__token *token) {
  return token->holder / token->of_rank;
}

/* The holder ends, at any point: its stack is not unwound. */
_Noreturn void scree__token_leave(scree__token *token);
#endif
