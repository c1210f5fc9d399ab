/* token.c - which virtual thread runs next. At yield points the token is given to one drawn from the seed. Weights are
 * uneven and redrawn from time to time, so that some threads do not run for long: rare orders become frequent. */
#include "sim/token.h"

#include <stdlib.h>

#include "base/random.h"

enum { REDRAW = 400 };
/* Bytes of a stack; pages that are not touched take no memory. */
enum { STACK = 8 << 20, STACK_OF_MANY = 512 << 10, MANY = 256 };

const scree__order_ops *scree__order;

/* ---- the draw ---- */

static bool may_run(const scree__token *t, uint32_t i) {
  return !t->thread[i].done && !t->thread[i].asleep;
}

static void set_sum(scree__token *t, uint32_t i, int32_t sum) {
  t->up_to[i / SCREE__SUMS][i % SCREE__SUMS] = sum;
}

/* Sums after the last thread are above any draw. */
static void add_weights(scree__token *t) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < t->threads; i++) {
    if (may_run(t, i)) sum += t->thread[i].weight;
    set_sum(t, i, sum);
  }
  for (uint32_t i = t->threads; i < t->sums * SCREE__SUMS; i++) set_sum(t, i, INT32_MAX);
  t->runnable = sum > 0;
  if (t->runnable) t->total = scree__divisor_of((uint64_t)sum);
}

/* Weights of 1, 16 or 256. */
static __attribute__((noinline)) void draw_weights(scree__token *t) {
  for (uint32_t i = 0; i < t->threads; i++) t->thread[i].weight = 1 << (4 * (scree__draw(&t->random) % 3));
  t->persistence = UINT64_C(1) << (scree__draw(&t->random) % 6);
  t->redraw_at += REDRAW;
  add_weights(t);
}

static uint32_t round_robin(const scree__token *t) {
  uint32_t next = t->holder;
  do next = next + 1 < t->threads ? next + 1 : 0;
  while (!may_run(t, next));
  return next;
}

/* The first whose sum is above the draw: a comparison is -1 for each that is. A branch would be predicted
 * wrongly. */
static uint32_t draw_next(scree__token *t) {
  if (t->unperturbed) return round_robin(t);
  const int32_t drawn = (int32_t)scree__rest(&t->total, scree__draw(&t->random));
  const scree__sums *up_to = t->up_to, *end = up_to + t->sums;
  scree__sums above = {0};
  do above += *up_to > drawn;
  while (++up_to < end);
  return t->sums * SCREE__SUMS + (uint32_t)(above[0] + above[1] + above[2] + above[3]);
}

/* ---- passing it on ---- */

static inline void pass_token(scree__token *t, uint32_t to) {
  scree__virtual_thread *from = &t->thread[t->holder];
  if (to == t->holder) return;
  if (t->local) {
    from->local = *t->local;
    *t->local = t->thread[to].local;
  }
  t->holder = to;
  scree__context_switch(from->context, t->thread[to].context);
}

static inline void count_step(scree__token *t) {
  if (++t->steps > t->max_steps) t->hung = true;
  if (t->steps == t->redraw_at) draw_weights(t);
}

static __attribute__((noinline)) void pass_to_any(scree__token *t) {
  pass_token(t, draw_next(t));
}

void scree__token_step(scree__token *t) {
  count_step(t);
  if (t->unperturbed || (scree__draw(&t->random) & (t->persistence - 1))) return;
  pass_to_any(t);
}

void scree__token_yield(scree__token *t) {
  count_step(t);
  uint32_t next = draw_next(t);
  pass_token(t, next == t->holder ? round_robin(t) : next);
}

static void wake_all_if_none_runs(scree__token *t) {
  add_weights(t);
  if (t->runnable) return;
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
    if (scree__order) scree__order->start(i);
    add_weights(t);
    return i;
  }
  return 0;
}

void scree__token_join(scree__token *t, uint32_t thread) {
  while (t->thread[thread].fn && !t->thread[thread].done) scree__token_sleep(t);
  if (scree__order) scree__order->join(thread);
}

_Noreturn void scree__token_leave(scree__token *t) {
  scree__virtual_thread *me = &t->thread[t->holder];
  me->done = true;
  if (t->holder % t->of_rank == 0) end_rank(t);
  if (--t->running == 0) scree__context_exit(me->context, t->outside);
  wake_all_if_none_runs(t);
  t->holder = draw_next(t);
  if (t->local) *t->local = t->thread[t->holder].local;
  scree__context_exit(me->context, t->thread[t->holder].context);
}

/* ---- a run ---- */

/* A thread that is not its rank's first runs the functions that it gets, until the first one has returned. */
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
  t->sums = (t->threads + SCREE__SUMS - 1) / SCREE__SUMS;
  t->up_to = aligned_alloc(sizeof *t->up_to, t->sums * sizeof *t->up_to);
  if (!t->outside || !t->thread || !t->up_to) return false;
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
  free(t->up_to);
  scree__context_free(t->outside);
}

bool scree__token_run(scree__token *t) {
  bool memory = make_threads(t);
  if (memory) {
    t->running = t->threads;
    t->random = t->seed;
    t->persistence = 1;
    t->redraw_at = t->unperturbed ? 0 : 1; /* step 0 never comes */
    add_weights(t);
    void *outside = t->local ? *t->local : NULL;
    if (t->local) *t->local = NULL;
    if (scree__order) scree__order->begin(t);
    scree__context_switch(t->outside, t->thread[0].context);
    if (scree__order) scree__order->end();
    if (t->local) *t->local = outside;
  }
  free_threads(t);
  return memory;
}
