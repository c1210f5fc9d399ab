/* run.c - one run: its threads, what orders them beside atomic operations, and what was found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "weak.h"

enum { KEYS = 1024, RANGES = 8, STEP = 3 /* one atomic operation in so many is a yield point */ };

typedef struct {
  const void *key;
  weak_view view;
} keyed;

extern const char __executable_start;
weak_counts weak_total;
static scree__token *token;
static _Thread_local bool mine; /* other threads of the process are no part of the run */
static weak_thread threads[WEAK_THREADS];
static uint64_t drawn;
static keyed keys[KEYS];
static uint32_t keys_used;
static struct { uintptr_t from, to; } ignored[RANGES];
static char finding[1200];

bool weak_runs(void) {
  return token && mine;
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
void weak_step(void) {
  if (threads[weak_me()].locks == 0 && weak_draw(STEP) == 0) scree__token_step(token);
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

/* Thread-local variables are below the thread's pointer: all virtual threads have the same. */
bool weak_is_ignored(uintptr_t at) {
  if ((uintptr_t)__builtin_thread_pointer() - at < 1 << 14) return true;
  for (int i = 0; i < RANGES && ignored[i].from; i++)
    if (at >= ignored[i].from && at < ignored[i].to) return true;
  return false;
}

/* ---- findings ---- */

uint32_t weak_offset(const void *pc) {
  return (uint32_t)((uintptr_t)pc - (uintptr_t)&__executable_start);
}

static void add_places(const uint32_t *places, uint32_t count) {
  char command[400], line[300];
  int n = snprintf(command, sizeof command, "addr2line -sfp -e '/proc/%ld/exe'", (long)getpid());
  for (uint32_t i = 0; i < count && places[i]; i++)
    n += snprintf(command + n, sizeof command - (size_t)n, " 0x%x", places[i] - 1); /* the call, not behind it */
  FILE *from = popen(command, "r");
  while (from && fgets(line, sizeof line, from)) {
    line[strcspn(line, "\n")] = 0;
    snprintf(finding + strlen(finding), sizeof finding - strlen(finding), " < %s", line);
  }
  if (from) pclose(from);
}

void weak_find(const char *what, uint32_t other_thread, const uint32_t other[2], uint32_t place) {
  if (finding[0]) return;
  scree__token *during = token;
  const weak_thread *me = &threads[weak_me()];
  uint32_t places[8] = {place}, n = 1;
  for (uint32_t i = me->frames; i > 0 && n < 8 && me->frames - i < WEAK_FRAMES; i--)
    places[n++] = me->frame[(i - 1) % WEAK_FRAMES];
  snprintf(finding, sizeof finding, "%s (seed %llu): thread %u", what, (unsigned long long)token->seed, other_thread);
  token = NULL;
  add_places(other, other[1] ? 2 : 1);
  snprintf(finding + strlen(finding), sizeof finding - strlen(finding), "; then thread %u", during->holder);
  add_places(places, n);
  token = during;
}

const char *weak_finding(void) {
  return finding[0] ? finding : NULL;
}

/* ---- what orders threads ---- */

static void begin(scree__token *of) {
  finding[0] = 0;
  if (of->threads > WEAK_THREADS) return; /* it runs unobserved */
  drawn = of->seed;
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
  token = NULL;
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

const scree__order_ops weak_order = {
    .begin = begin, .end = end, .start = start, .join = join, .release = release, .acquire = acquire};
