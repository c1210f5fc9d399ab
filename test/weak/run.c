/* run.c - one run: its threads, what orders them besides atomic operations, and the findings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "weak.h"

enum { KEYS = 1024, RANGES = 8, STEP = 3 /* one atomic operation in so many is a yield point */ };

typedef struct {
  const void *key;
  weak_view view;
} keyed;

extern const char __data_start, _end;
weak_counts weak_total;
bool weak_fatal;
static scree__token *token;
static _Thread_local bool mine; /* other threads of the process are not part of the run */
static weak_thread threads[WEAK_THREADS];
static uint64_t drawn, odds;
static keyed keys[KEYS];
static uint32_t keys_used;
static struct { uintptr_t from, to; } ignored[RANGES];

bool weak_runs(void) {
  return mine;
}
void weak_observe(bool on) {
  mine = on;
}
uint32_t weak_me(void) {
  return token->holder;
}
weak_thread *weak_thread_of(uint32_t i) {
  return &threads[i];
}
uint64_t weak_draw(uint64_t n) {
  return scree__draw(&drawn) % n;
}
uint64_t weak_odds(void) {
  return odds;
}
void weak_step(void) {
  if (weak_draw(STEP) == 0) scree__token_step(token);
}
void weak_yield(void) {
  scree__token_yield(token);
}

void weak_ignore(const void *from, size_t bytes) {
  for (int i = 0; i < RANGES; i++) {
    if (ignored[i].from == (uintptr_t)from || !ignored[i].from) {
      ignored[i].from = (uintptr_t)from, ignored[i].to = (uintptr_t)from + bytes;
      return;
    }
  }
  abort();
}

void weak_ignore_none(void) {
  memset(ignored, 0, sizeof ignored);
}

/* Static variables are a process's, but here of all virtual ranks; those of a thread, below its pointer, of all
 * threads. */
bool weak_is_ignored(uintptr_t at) {
  if (at >= (uintptr_t)&__data_start && at < (uintptr_t)&_end) return true;
  if ((uintptr_t)__builtin_thread_pointer() - at < 1 << 14) return true;
  for (int i = 0; i < RANGES && ignored[i].from; i++)
    if (at >= ignored[i].from && at < ignored[i].to) return true;
  return false;
}

/* ---- what orders threads ---- */

static void begin(scree__token *of) {
  weak_report_begin(of->seed);
  if (of->threads > WEAK_THREADS) return; /* it runs unobserved */
  drawn = of->seed;
  odds = 1 + weak_draw(2);
  for (uint32_t i = 0; i < of->threads; i++) {
    weak_clear(&threads[i].now);
    weak_clear(&threads[i].acquired);
    weak_clear(&threads[i].released);
    threads[i] = (weak_thread){.frames = 0};
    threads[i].now.clock[i] = 1;
  }
  weak_plain_begin();
  weak_total.runs++;
  token = of;
  mine = true;
}

static void end(void) {
  if (!token) return;
  mine = false;
  token = NULL;
  if (weak_fatal && weak_finding()) {
    fprintf(stderr, "weak: %s\n", weak_finding());
    abort();
  }
  weak_memory_end();
  for (uint32_t i = 0; i < keys_used; i++) weak_clear(&keys[i].view);
  keys_used = 0;
}

static void start(uint32_t thread) {
  if (!token) return;
  weak_join(&threads[thread].now, &threads[weak_me()].now);
  threads[weak_me()].now.clock[weak_me()]++;
}

static void join(uint32_t thread) {
  if (!token) return;
  weak_join(&threads[weak_me()].now, &threads[thread].now);
  threads[thread].now.clock[thread]++;
}

static weak_view *view_of(const void *key) {
  for (uint32_t i = 0; i < keys_used; i++)
    if (keys[i].key == key) return &keys[i].view;
  if (keys_used == KEYS) abort();
  keys[keys_used] = (keyed){.key = key};
  return &keys[keys_used++].view;
}

static void release(const void *key) {
  if (!token) return;
  weak_join(view_of(key), &threads[weak_me()].now);
  threads[weak_me()].now.clock[weak_me()]++;
}

static void acquire(const void *key) {
  if (token) weak_join(&threads[weak_me()].now, view_of(key));
}

static void forget(const void *key) {
  for (uint32_t i = 0; token && i < keys_used; i++) {
    if (keys[i].key != key) continue;
    weak_clear(&keys[i].view);
    keys[i] = keys[--keys_used];
    return;
  }
}

const scree__order_ops weak_order = {
    .begin = begin, .end = end, .start = start, .join = join, .release = release, .acquire = acquire, .forget = forget};
