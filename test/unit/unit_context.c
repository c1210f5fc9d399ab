/* unit_context.c - user-level contexts, and virtual ranks that pass the token among them. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "harness.h"
#include "sim/token.h"

enum { DEEP = 200 };

/* ---- contexts ---- */

typedef struct {
  scree__context *outside, *a, *b;
  char order[3 * DEEP];
  size_t at;
} pair;

static void visit(pair *p, char name, scree__context *from, scree__context *to, int depth) {
  volatile char frame[256] = {name}; /* each time it runs it finds its own frames unchanged */
  p->order[p->at++] = name;
  scree__context_switch(from, to);
  if (depth > 1) visit(p, name, from, to, depth - 1);
  check(frame[0] == name);
}

static void run_a(void *arg) {
  pair *p = arg;
  visit(p, 'a', p->a, p->b, DEEP);
  scree__context_exit(p->a, p->b);
}

static void run_b(void *arg) {
  pair *p = arg;
  visit(p, 'b', p->b, p->a, DEEP);
  scree__context_exit(p->b, p->outside);
}

HARNESS_TEST(two_take_turns) {
  pair p = {.outside = scree__context_adopt()};
  p.a = scree__context_new(1 << 20, run_a, &p);
  p.b = scree__context_new(1 << 20, run_b, &p);
  if (!check(p.outside && p.a && p.b)) return;
  scree__context_switch(p.outside, p.a);
  check_equal(p.at, 2 * DEEP);
  for (size_t i = 0; i < p.at; i++) check(p.order[i] == (i % 2 ? 'b' : 'a'));
  scree__context_free(p.a);
  scree__context_free(p.b);
  scree__context_free(p.outside);
}

static int overflow(volatile char *below, int depth) {
  volatile char frame[1000];
  frame[0] = below[0];
  return depth ? overflow(frame, depth - 1) + frame[0] : frame[0];
}

static void run_too_deep(void *arg) {
  char start = 0;
  _exit(overflow(&start, 1000000));
}

/* A stack that overflows meets the guard page, and no other memory. */
HARNESS_TEST(a_stack_has_an_end) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!freopen("/dev/null", "w", stderr)) _exit(0);
    scree__context *outside = scree__context_adopt(), *c = scree__context_new(64 << 10, run_too_deep, NULL);
    if (outside && c) scree__context_switch(outside, c);
    _exit(0);
  }
  waitpid(child, &status, 0);
  check(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0)); /* a sanitizer exits */
}

/* ---- on given memory ---- */

enum { GIVEN = 16 << 10, BESIDE = 64, WORKS = 1000 };

typedef struct {
  scree__context *outside, given;
  void (*work)(void *); /* what the context does when it next runs; NULL: it ends */
  int entered, done;
  char *top; /* of its frames at that work */
} works;

static void one_work(void *arg) {
  works *w = arg;
  char *here = __builtin_frame_address(0); /* the address sanitizer may have variables elsewhere */
  if (!w->done++) w->top = here;
  check(w->top == here);
  check(here >= w->given.stack && here < w->given.stack + GIVEN);
}

static void run_works(void *arg) {
  works *w = arg;
  w->entered++;
  while (w->work) {
    w->work(w);
    scree__context_switch(&w->given, w->outside);
  }
  scree__context_exit(&w->given, w->outside);
}

/* On memory that is used again and again, of which the context touches nothing beside. */
HARNESS_TEST(one_after_another_on_given_memory) {
  static _Alignas(64) char memory[BESIDE + GIVEN + BESIDE];
  works w = {.outside = scree__context_adopt()};
  if (!check(w.outside)) return;
  memset(memory, 'm', sizeof memory);
  for (int round = 1; round <= 3; round++) {
    w.done = 0;
    w.work = one_work;
    scree__context_new_on(&w.given, memory + BESIDE, GIVEN, run_works, &w);
    for (int i = 1; i <= WORKS; i++) {
      scree__context_switch(w.outside, &w.given);
      check_equal(w.done, i);
    }
    check_equal(w.entered, round);
    w.work = NULL;
    scree__context_switch(w.outside, &w.given);
    scree__context_drop(&w.given);
  }
  for (size_t i = 0; i < BESIDE; i++) check(memory[i] == 'm' && memory[BESIDE + GIVEN + i] == 'm');
  scree__context_free(w.outside);
}

/* ---- virtual ranks ---- */

enum { RANKS = 1024, TURNS = 50 };

typedef struct {
  scree__token token;
  uint32_t turns[RANKS];
  void *seen[RANKS];
  uint64_t sum; /* depends on the order of switches */
} crowd;

static void *per_thread;

static void run_one(void *arg, uint32_t rank) {
  crowd *c = arg;
  check(per_thread == NULL);
  per_thread = &c->turns[rank];
  for (int i = 0; i < TURNS; i++) {
    if (i % 2)
      scree__token_yield(&c->token);
    else
      scree__token_step(&c->token);
    c->turns[rank]++;
    c->sum = c->sum * 31 + rank;
    c->seen[rank] = per_thread;
  }
}

static uint64_t run_crowd(crowd *c, uint64_t seed, bool unperturbed) {
  *c = (crowd){
      .token = {.threads = RANKS, .of_rank = 1, .seed = seed, .max_steps = UINT64_MAX, .unperturbed = unperturbed}};
  c->token.run = run_one;
  c->token.arg = c;
  c->token.local = &per_thread;
  check(scree__token_run(&c->token));
  return c->sum;
}

static unsigned threads_of_process(void) {
  char line[256];
  unsigned threads = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "Threads: %u", &threads);
  if (file) fclose(file);
  return threads;
}

HARNESS_TEST(a_thousand_ranks_in_one_thread) {
  static crowd c;
  char outside;
  unsigned threads = threads_of_process();
  per_thread = &outside;
  run_crowd(&c, 1, false);
  check(per_thread == &outside);
  check_equal(threads_of_process(), threads);
  for (uint32_t r = 0; r < RANKS; r++) {
    check_equal(c.turns[r], TURNS);
    check(c.seen[r] == &c.turns[r]); /* what is per thread is switched with the rank */
  }
  check(!c.token.hung);
}

HARNESS_TEST(the_seed_decides) {
  static crowd c;
  uint64_t one = run_crowd(&c, 1, false), again = run_crowd(&c, 1, false), other = run_crowd(&c, 2, false);
  check_equal(one, again);
  check(one != other);
  check_equal(run_crowd(&c, 1, true), run_crowd(&c, 2, true));
}

HARNESS_TEST(steps_are_limited) {
  static crowd c;
  c = (crowd){.token = {.threads = 3, .of_rank = 1, .seed = 1, .max_steps = 100}};
  c.token.run = run_one;
  c.token.arg = &c;
  per_thread = NULL;
  c.token.local = &per_thread;
  check(scree__token_run(&c.token));
  check(c.token.hung);
}

HARNESS_MAIN
