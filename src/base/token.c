/* token.c - which virtual thread runs next. At yield points the token goes to one drawn from the seed. Weights are uneven
 * and redrawn from time to time, so that some threads are starved for long: rare orders come up often. */
#include "base/token.h"

#include <stdlib.h>

#include "base/random.h"

enum { REDRAW = 400 };
/* Bytes of a stack; pages that are not touched take no memory. */
enum { STACK = 8 << 20, STACK_OF_MANY = 512 << 10, MANY = 256 };

/* ---- the draw ---- */

static bool may_run(const scree__token *t, uint32_t i) {
  return !t->thread[i].done && !t->thread[i].asleep;
}

static void add_weights(scree__token *t) {
  t->total_weight = 0;
  for (uint32_t i = 0; i < t->threads; i++) {
    if (may_run(t, i)) t->total_weight += t->thread[i].weight;
    t->weight_up_to[i] = t->total_weight;
  }
  if (t->total_weight) t->reciprocal = UINT64_MAX / t->total_weight;
}

/* Weights of 1, 16 or 256. */
static void draw_weights(scree__token *t) {
  for (uint32_t i = 0; i < t->threads; i++) t->thread[i].weight = 1u << (4 * (scree__draw(&t->random) % 3));
  t->persistence = UINT64_C(1) << (scree__draw(&t->random) % 6);
  add_weights(t);
}

static uint32_t round_robin(const scree__token *t) {
  uint32_t next = t->holder;
  do next = (next + 1) % t->threads;
  while (!may_run(t, next));
  return next;
}

__extension__ typedef unsigned __int128 wide;

/* draw % total_weight, without a division. */
static uint32_t below_total(const scree__token *t, uint64_t draw) {
  uint64_t rest = draw - (uint64_t)((wide)draw * t->reciprocal >> 64) * t->total_weight;
  while (rest >= t->total_weight) rest -= t->total_weight;
  return (uint32_t)rest;
}

static uint32_t draw_next(scree__token *t) {
  if (t->unperturbed) return round_robin(t);
  const uint32_t at = below_total(t, scree__draw(&t->random));
  uint32_t next = 0; /* the first whose sum is above `at`; no branch, which would be predicted wrongly */
  for (uint32_t i = 0; i < t->threads; i++) next += t->weight_up_to[i] <= at;
  return next;
}

/* ---- passing it on ---- */

static void pass_token(scree__token *t, uint32_t to) {
  scree__virtual_thread *from = &t->thread[t->holder];
  if (to == t->holder) return;
  if (t->exchange) from->local = t->exchange(t->thread[to].local);
  t->holder = to;
  scree__context_switch(from->context, t->thread[to].context);
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

static void wake_all_if_none_runs(scree__token *t) {
  add_weights(t);
  if (t->total_weight > 0) return;
  t->hung = true;
  for (uint32_t i = 0; i < t->threads; i++) t->thread[i].asleep = false;
  add_weights(t);
}

void scree__token_sleep(scree__token *t) {
  scree__virtual_thread *me = &t->thread[t->holder];
  if (t->hung) {
    scree__token_yield(t);
    return;
  }
  count_step(t);
  me->asleep = true;
  wake_all_if_none_runs(t);
  pass_token(t, draw_next(t));
}

void scree__token_wake_rank(scree__token *t) {
  uint32_t first = scree__token_rank(t) * t->of_rank;
  for (uint32_t i = first; i < first + t->of_rank; i++) t->thread[i].asleep = false;
  add_weights(t);
}

static void end_rank(scree__token *t) {
  t->thread[t->holder - t->holder % t->of_rank].over = true;
  scree__token_wake_rank(t);
}

/* ---- the other threads of a rank ---- */

uint32_t scree__token_start(scree__token *t, void *(*fn)(void *arg), void *arg) {
  uint32_t first = scree__token_rank(t) * t->of_rank;
  for (uint32_t i = first + 1; i < first + t->of_rank; i++) {
    if (t->thread[i].fn) continue;
    t->thread[i].fn = fn;
    t->thread[i].arg = arg;
    t->thread[i].asleep = false;
    add_weights(t);
    return i;
  }
  return 0;
}

void scree__token_join(scree__token *t, uint32_t thread) {
  while (t->thread[thread].fn && !t->thread[thread].done) scree__token_sleep(t);
}

_Noreturn void scree__token_leave(scree__token *t) {
  scree__virtual_thread *me = &t->thread[t->holder];
  me->done = true;
  if (t->holder % t->of_rank == 0) end_rank(t);
  if (--t->running == 0) scree__context_exit(me->context, t->outside);
  wake_all_if_none_runs(t);
  t->holder = draw_next(t);
  if (t->exchange) t->exchange(t->thread[t->holder].local);
  scree__context_exit(me->context, t->thread[t->holder].context);
}

/* ---- a run ---- */

/* A thread that is not its rank's first runs what it is given, until the first one has returned. */
static void serve(scree__token *t) {
  uint32_t mine = t->holder, first = mine - mine % t->of_rank;
  scree__virtual_thread *me = &t->thread[mine];
  while (!t->thread[first].over) {
    if (me->fn) {
      me->fn(me->arg);
      me->fn = NULL;
      scree__token_wake_rank(t);
    } else {
      scree__token_sleep(t);
    }
  }
}

static void as_thread(void *arg) {
  scree__token *t = arg;
  if (t->holder % t->of_rank)
    serve(t);
  else
    t->run(t->arg, t->holder / t->of_rank);
  scree__token_leave(t);
}

static bool make_threads(scree__token *t) {
  t->outside = scree__context_adopt();
  t->thread = calloc(t->threads, sizeof *t->thread);
  t->weight_up_to = calloc(t->threads, sizeof *t->weight_up_to);
  if (!t->outside || !t->thread || !t->weight_up_to) return false;
  for (uint32_t i = 0; i < t->threads; i++) {
    t->thread[i].weight = 1;
    t->thread[i].context = scree__context_new(t->threads > MANY ? STACK_OF_MANY : STACK, as_thread, t);
    if (!t->thread[i].context) return false;
  }
  return true;
}

static void free_threads(scree__token *t) {
  for (uint32_t i = 0; t->thread && i < t->threads; i++) scree__context_free(t->thread[i].context);
  free(t->thread);
  free(t->weight_up_to);
  scree__context_free(t->outside);
}

bool scree__token_run(scree__token *t) {
  bool memory = make_threads(t);
  if (memory) {
    t->running = t->threads;
    t->random = t->seed;
    t->persistence = 1;
    add_weights(t);
    void *outside = t->exchange ? t->exchange(NULL) : NULL;
    scree__context_switch(t->outside, t->thread[0].context);
    if (t->exchange) t->exchange(outside);
  }
  free_threads(t);
  return memory;
}
