/* token.c - which virtual rank runs next. At yield points the token goes to a rank drawn from the seed. Weights are uneven
 * and redrawn from time to time, so that some ranks are starved for long: rare orders come up often. */
#include "base/token.h"

#include <stdlib.h>

#include "base/random.h"

enum { REDRAW = 400 };
/* Bytes of a stack; pages that are not touched take no memory. */
enum { STACK = 8 << 20, STACK_OF_MANY = 512 << 10, MANY = 256 };

/* ---- the draw ---- */

static void add_weights(scree__token *t) {
  t->total_weight = 0;
  for (uint32_t i = 0; i < t->ranks; i++) {
    if (!t->rank[i].done) t->total_weight += t->rank[i].weight;
    t->weight_up_to[i] = t->total_weight;
  }
  if (t->total_weight) t->reciprocal = UINT64_MAX / t->total_weight;
}

/* Weights of 1, 16 or 256. */
static void draw_weights(scree__token *t) {
  for (uint32_t i = 0; i < t->ranks; i++) t->rank[i].weight = 1u << (4 * (scree__draw(&t->random) % 3));
  t->persistence = UINT64_C(1) << (scree__draw(&t->random) % 6);
  add_weights(t);
}

static uint32_t round_robin(const scree__token *t) {
  uint32_t rank = t->holder;
  do rank = (rank + 1) % t->ranks;
  while (t->rank[rank].done);
  return rank;
}

__extension__ typedef unsigned __int128 wide;

/* draw % total_weight, without a division. */
static uint64_t below_total(const scree__token *t, uint64_t draw) {
  uint64_t rest = draw - (uint64_t)((wide)draw * t->reciprocal >> 64) * t->total_weight;
  while (rest >= t->total_weight) rest -= t->total_weight;
  return rest;
}

static uint32_t draw_next(scree__token *t) {
  if (t->unperturbed) return round_robin(t);
  const uint64_t at = below_total(t, scree__draw(&t->random));
  uint32_t rank = 0; /* the first whose sum is above `at`; no branch, which would be predicted wrongly */
  for (uint32_t i = 0; i < t->ranks; i++) rank += t->weight_up_to[i] <= at;
  return rank;
}

/* ---- passing it on ---- */

static void pass_token(scree__token *t, uint32_t to) {
  scree__virtual_rank *from = &t->rank[t->holder];
  if (to == t->holder) return;
  if (t->exchange) from->local = t->exchange(t->rank[to].local);
  t->holder = to;
  scree__context_switch(from->context, t->rank[to].context);
}

static void count_step(scree__token *t) {
  if (++t->steps > t->max_steps) t->hung = true;
  if (!t->unperturbed && t->steps % REDRAW == 1) draw_weights(t);
}

void scree__token_step(scree__token *t) {
  count_step(t);
  if (t->unperturbed || (scree__draw(&t->random) & (t->persistence - 1))) return;
  pass_token(t, draw_next(t));
}

void scree__token_yield(scree__token *t) {
  count_step(t);
  uint32_t next = draw_next(t);
  pass_token(t, next == t->holder ? round_robin(t) : next);
}

_Noreturn void scree__token_leave(scree__token *t) {
  scree__virtual_rank *me = &t->rank[t->holder];
  me->done = true;
  add_weights(t);
  if (--t->running == 0) scree__context_exit(me->context, t->outside);
  t->holder = draw_next(t);
  if (t->exchange) t->exchange(t->rank[t->holder].local);
  scree__context_exit(me->context, t->rank[t->holder].context);
}

/* ---- a run ---- */

static void as_rank(void *arg) {
  scree__token *t = arg;
  t->run(t->arg, t->holder);
  scree__token_leave(t);
}

static bool make_ranks(scree__token *t) {
  t->outside = scree__context_adopt();
  t->rank = calloc(t->ranks, sizeof *t->rank);
  t->weight_up_to = calloc(t->ranks, sizeof *t->weight_up_to);
  if (!t->outside || !t->rank || !t->weight_up_to) return false;
  for (uint32_t i = 0; i < t->ranks; i++) {
    t->rank[i].weight = 1;
    t->rank[i].context = scree__context_new(t->ranks > MANY ? STACK_OF_MANY : STACK, as_rank, t);
    if (!t->rank[i].context) return false;
  }
  return true;
}

static void free_ranks(scree__token *t) {
  for (uint32_t i = 0; t->rank && i < t->ranks; i++) scree__context_free(t->rank[i].context);
  free(t->rank);
  free(t->weight_up_to);
  scree__context_free(t->outside);
}

bool scree__token_run(scree__token *t) {
  bool memory = make_ranks(t);
  if (memory) {
    t->running = t->ranks;
    t->random = t->seed;
    t->persistence = 1;
    add_weights(t);
    void *outside = t->exchange ? t->exchange(NULL) : NULL;
    scree__context_switch(t->outside, t->rank[0].context);
    if (t->exchange) t->exchange(outside);
  }
  free_ranks(t);
  return memory;
}
