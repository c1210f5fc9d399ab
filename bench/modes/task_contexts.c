#include "task_contexts.h"

#include <math.h>
#include <stdlib.h>

#include "common.h"
#include "task/stacks.h"

enum { AHEAD = 4, LINE = 64, LINES = 3 };

static scree__stacks stacks;
static scree__context *outside;
static struct {
  scree__stack **context;
  uint64_t count, at;
  uint64_t left; /* switches */
  bool prefetch;
} ring;

static scree__stack *ahead(uint64_t n) {
  const uint64_t i = ring.at + n;
  return ring.context[i < ring.count ? i : i % ring.count];
}

static void prefetch_ahead(void) {
  __builtin_prefetch(ahead(2 * AHEAD), 1);
  scree__stack_prefetch(ahead(AHEAD));
}

/* The lines belong to its frame, as does most of what a task touches between two waits. */
static void run_context(void *stack) {
  scree__stack *self = stack;
  volatile char touched[LINES * LINE];
  for (;;) {
    for (int i = 0; i < LINES; i++) touched[i * LINE]++;
    ring.at = ring.at + 1 < ring.count ? ring.at + 1 : 0;
    if (ring.prefetch) prefetch_ahead();
    if (!scree__stack_intact(self)) abort();
    scree__context_switch(&self->context, ring.left-- ? &ring.context[ring.at]->context : outside);
  }
}

static bool make_ring(uint64_t contexts, size_t stack) {
  if (ring.count == contexts && stacks.bytes == stack) return true;
  task_contexts_close();
  outside = scree__context_adopt();
  ring.context = calloc(contexts, sizeof(scree__stack *));
  if (!outside || !ring.context) return false;
  scree__stacks_open(&stacks, stack, sizeof(scree__stack), SCREE__GUARD_AUTO, run_context, NULL);
  while (ring.count < contexts && (ring.context[ring.count] = scree__stacks_take(&stacks))) ring.count++;
  return ring.count == contexts;
}

double task_contexts_run(uint64_t contexts, size_t stack, bool prefetch, uint64_t switches) {
  double start = 0;
  if (!make_ring(contexts, stack)) return (double)INFINITY;
  ring.prefetch = prefetch;
  for (int round = 0; round < 2; round++) { /* the first enters them all */
    start = bench_now();
    ring.left = round ? switches : 2 * contexts;
    scree__context_switch(outside, &ring.context[ring.at]->context);
  }
  return bench_now() - start;
}

void task_contexts_close(void) {
  scree__stacks_close(&stacks);
  scree__context_free(outside);
  free(ring.context);
  outside = NULL;
  ring.context = NULL;
  ring.count = ring.at = 0;
}
