/* joined.h - threads that a program brings: each calls scree_join_workers, the first caller on the calling thread. */
#ifndef JOINED_H
#define JOINED_H
#include <scree/scree.h>

enum { JOINED_MAX = 8 };

typedef struct {
  scree_world *world;
  uint32_t n, index;
  scree_work_fn *fn;
  void *arg;
  scree_status status; /* what the call returned */
} joiner;

/* Returns when all calls have. */
void joined_call(joiner *callers, uint32_t count);
/* n threads, rightly. What all calls returned, which is checked to be the same. */
scree_status joined_run(scree_world *world, uint32_t n, scree_work_fn *fn, void *arg);
#endif
