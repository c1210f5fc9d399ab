/* unit_stacks.c - stacks of tasks: where they are, what ends them, how deep they were used, and what is given back. */
#include "task/stacks.h"

#include <alloca.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tools.h"
#include "harness.h"
#include "task/guard_budget.h"

#ifdef SCREE__TSAN
enum { FRAMES = 12 << 10 }; /* its own functions run on the stack */
#else
enum { FRAMES = 1 << 10 }; /* what calls and switches take of a stack */
#endif
#if defined(SCREE__TSAN) || defined(SCREE__ASAN)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
enum { BYTES = 16 << 10 };

/* A stack of tasks, with space for the data of the task library. */
typedef struct {
  scree__stack stack;
  size_t use; /* bytes that it fills in its next turn */
  char mark[100];
} task;

static scree__context *outside;

static __attribute__((noinline)) void fill(size_t bytes) {
  volatile char *memory = alloca(bytes);
  for (size_t i = 0; i < bytes; i++) memory[i] = 1;
}

static void run_tasks(void *arg) {
  task *t = arg;
  for (;;) {
    fill(t->use);
    scree__context_switch(&t->stack.context, outside);
  }
}

static void check_range(size_t value, size_t min, size_t max) {
  check_text(value >= min && value <= max, "%zu is not in %zu to %zu", value, min, max);
}

static void open_stacks(scree__stacks *s, size_t bytes, scree__guard guard) {
  if (!outside) outside = scree__context_adopt();
  scree__stacks_open(s, bytes, sizeof(task), guard, run_tasks, NULL);
}

static task *take(scree__stacks *s) {
  return (task *)scree__stacks_take(s);
}

/* So many epochs without tasks, each of that many ns. */
static void pass_epochs(scree__stacks *s, uint64_t *now, int epochs, uint64_t ns) {
  for (int i = 0; i < epochs; i++) scree__stacks_trim(s, *now += ns);
}
enum { LONG = 100000000 }; /* ns: what is not used is unmapped after 64 such epochs and the rest of an interval */

static void use(task *t, size_t bytes) {
  t->use = bytes;
  scree__context_switch(outside, &t->stack.context);
}

/* All bytes may be used: tasks on full stacks find their heads, and the canaries are intact. */
static void full_stacks(size_t bytes, scree__guard guard) {
  enum { TASKS = 200 };
  scree__stacks s;
  task *tasks[TASKS];
  uint32_t colours = 0;
  open_stacks(&s, bytes, guard);
  for (int i = 0; i < TASKS; i++) {
    tasks[i] = take(&s);
    if (!check(tasks[i])) return;
    memset(tasks[i]->mark, i, sizeof tasks[i]->mark);
    use(tasks[i], 10);
    check_equal((uintptr_t)tasks[i] % 128, 0);
    colours |= UINT32_C(1) << ((uintptr_t)tasks[i] % 4096 / 128);
  }
  for (int i = 0; i < TASKS; i++) use(tasks[i], bytes - FRAMES);
  for (int i = 0; i < TASKS; i++) {
    check(scree__stack_intact(&tasks[i]->stack));
    for (size_t k = 0; k < sizeof tasks[i]->mark; k++) check_equal(tasks[i]->mark[k], (char)i);
  }
  check_equal(colours, UINT32_MAX);
  check_equal(s.in_use, TASKS);
  scree__stacks_close(&s);
}

HARNESS_TEST(all_bytes_are_usable) {
  for (size_t bytes = FRAMES < 4 << 10 ? 4 << 10 : BYTES; bytes <= 64 << 10; bytes *= 4) {
    full_stacks(bytes, SCREE__GUARD_ON);
    full_stacks(bytes, SCREE__GUARD_AUTO);
    full_stacks(bytes, SCREE__GUARD_OFF);
  }
}

/* Small ones beyond the first 1,024 are on huge pages, in larger slabs. */
HARNESS_TEST(many_small_stacks) {
  enum { TASKS = 3000 };
  static task *tasks[TASKS];
  if (FRAMES > 4 << 10 || SANITIZED) harness_skip("frames of sanitizers are too large, and their contexts few");
  scree__stacks s;
  open_stacks(&s, 4 << 10, SCREE__GUARD_OFF);
  for (int i = 0; i < TASKS; i++) {
    tasks[i] = take(&s);
    use(tasks[i], 10);
    tasks[i]->mark[0] = (char)i;
  }
  check(scree__stacks_slab(&tasks[TASKS - 1]->stack).bytes > 2 << 20);
  for (int i = 0; i < TASKS; i++) use(tasks[i], (4 << 10) - FRAMES);
  for (int i = 0; i < TASKS; i++) check(scree__stack_intact(&tasks[i]->stack) && tasks[i]->mark[0] == (char)i);
  for (int i = 1; i < TASKS; i++) scree__stacks_give(&s, &tasks[i]->stack);
  pass_epochs(&s, &(uint64_t){0}, 80, LONG);
  check_equal(s.stacks, 64);
  for (int i = 1; i < TASKS; i++) use(tasks[i] = take(&s), 100);
  check_equal(s.in_use, TASKS);
  scree__stacks_close(&s);
}

HARNESS_TEST(the_last_given_is_taken_first) {
  scree__stacks s;
  open_stacks(&s, BYTES, SCREE__GUARD_AUTO);
  task *a = take(&s), *b = take(&s);
  scree__stacks_give(&s, &a->stack);
  scree__stacks_give(&s, &b->stack);
  check(take(&s) == b);
  check(take(&s) == a);
  check(take(&s) != NULL);
  check_equal(s.in_use, 3);
  scree__stacks_close(&s);
}

HARNESS_TEST(a_canary_shows_an_overflow) {
  scree__stacks s;
  open_stacks(&s, BYTES, SCREE__GUARD_OFF);
  take(&s);
  task *below = take(&s), *t = take(&s);
  task head = *below;
  use(t, BYTES - FRAMES);
  check(scree__stack_intact(&t->stack));
  use(t, BYTES + 1000);
  check(!scree__stack_intact(&t->stack));
  *below = head; /* for scree__stacks_close */
  scree__stacks_close(&s);
}

/* in_child FN: the status of a child that calls it and then exits with 0 */
static int in_child(void (*fn)(void)) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!freopen("/dev/null", "w", stderr)) _exit(0);
    fn();
    _exit(0);
  }
  waitpid(child, &status, 0);
  return status;
}

static void overflow_on_guard_page(void) {
  scree__stacks s;
  open_stacks(&s, BYTES, SCREE__GUARD_AUTO);
  take(&s);
  use(take(&s), BYTES + (8 << 10));
}

HARNESS_TEST(a_guard_page_ends_an_overflow) {
  int status = in_child(overflow_on_guard_page);
  check(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0)); /* a sanitizer exits */
}

HARNESS_TEST(the_deepest_use_is_known) {
  static const scree__guard guards[] = {SCREE__GUARD_ON, SCREE__GUARD_OFF};
  for (int g = 0; g < 2; g++) {
    scree__stacks s;
    open_stacks(&s, BYTES, guards[g]);
    check_equal(scree__stacks_deepest(&s, NULL), 0);
    task *a = take(&s), *b = take(&s);
    use(a, 10);
    check_range(scree__stacks_deepest(&s, NULL), 10, 10 + FRAMES);
    use(b, BYTES / 2);
    use(b, 10);
    check_range(scree__stacks_deepest(&s, NULL), BYTES / 2, BYTES / 2 + FRAMES);
    scree__stacks_give(&s, &a->stack);
    scree__stacks_give(&s, &b->stack);
    task *kept = take(&s), *others[200];
    for (int i = 0; i < 200; i++) others[i] = take(&s);
    use(others[199], BYTES / 4 * 3); /* in a slab that is unmapped */
    for (int i = 0; i < 200; i++) scree__stacks_give(&s, &others[i]->stack);
    scree__stacks_give(&s, &kept->stack);
    pass_epochs(&s, &(uint64_t){0}, 80, LONG);
    check_equal(s.stacks, 64);
    check_range(scree__stacks_deepest(&s, NULL), BYTES / 4 * 3, BYTES / 4 * 3 + FRAMES);
    scree__stacks_close(&s);
  }
}

static void use_at_once(scree__stacks *s, task **tasks, int count) {
  for (int i = 0; i < count; i++) use(tasks[i] = take(s), 10);
  for (int i = 0; i < count; i++) scree__stacks_give(s, &tasks[i]->stack);
}

/* Down to the most in use in the last 64 epochs, and in the last second, by slabs. */
HARNESS_TEST(what_is_not_used_is_given_back) {
  enum { TASKS = 500, SLAB = 64 };
  static task *tasks[TASKS];
  scree__stacks s;
  uint64_t now = 0;
  open_stacks(&s, BYTES, SCREE__GUARD_AUTO);
  use_at_once(&s, tasks, TASKS);
  pass_epochs(&s, &now, 64, LONG); /* more than a second */
  check_range(s.stacks, TASKS, TASKS + SLAB - 1);
  pass_epochs(&s, &now, 16, LONG);
  check_equal(s.stacks, SLAB);
  use_at_once(&s, tasks, TASKS);
  pass_epochs(&s, &now, 1000, 1000000); /* more than 64 epochs */
  check_range(s.stacks, TASKS, TASKS + SLAB - 1);
  pass_epochs(&s, &now, 1000, 1000000); /* two seconds */
  check_equal(s.stacks, SLAB);
  for (int i = 0; i < 100; i++) use(tasks[i] = take(&s), 10);
  for (int i = 1; i < 100; i++) scree__stacks_give(&s, &tasks[i]->stack);
  pass_epochs(&s, &now, 80, LONG);
  check_range(s.stacks, SLAB, 2 * SLAB);                         /* the slab of a stack that is in use stays */
  for (int i = 1; i < TASKS; i++) use(tasks[i] = take(&s), 100); /* those that were free before, and new ones */
  use(tasks[0], 100);
  check_equal(s.in_use, TASKS);
  scree__stacks_close(&s);
}

/* A slab whose tasks run in every hundredth epoch is not mapped again. */
HARNESS_TEST(alternating_epochs_keep_their_slabs) {
  scree__stacks s;
  uint64_t now = 0;
  open_stacks(&s, BYTES, SCREE__GUARD_AUTO);
  task *first = take(&s);
  scree__stacks_give(&s, &first->stack);
  const char *memory = scree__stacks_slab(&first->stack).memory;
  for (int i = 0; i < 100; i++) {
    pass_epochs(&s, &now, 100, 50000000);
    task *t = take(&s);
    check(t == first && scree__stacks_slab(&t->stack).memory == memory);
    use(t, 10);
    scree__stacks_give(&s, &t->stack);
  }
  scree__stacks_close(&s);
}

HARNESS_TEST(guard_pages_are_limited) {
  char path[] = "/tmp/unit_stacks.XXXXXX";
  int file = mkstemp(path);
  check(write(file, "800\n", 4) == 4);
  close(file);
  check_equal(scree__guards_allowed(path), 100); /* two mappings each, of a quarter */
  unlink(path);
  check_equal(scree__guards_allowed(path), 65530 / 4 / 2);
#ifndef SCREE__TSAN /* which allows a process fewer contexts */
  uint32_t allowed = scree__guards_allowed("/proc/sys/vm/max_map_count");
  scree__stacks on, rest;
  open_stacks(&on, 4 << 10, SCREE__GUARD_ON);
  open_stacks(&rest, 4 << 10, SCREE__GUARD_AUTO);
  uint32_t made = 0;
  while (made <= allowed && scree__stacks_take(&on)) made++;
  check_range(made, allowed - 63, allowed);
  check(scree__stacks_take(&on) == NULL);
  scree__stack *canary = scree__stacks_take(&rest);
  check(canary && !canary->context.guard && scree__stack_intact(canary));
  scree__stacks_close(&on);
  open_stacks(&on, 4 << 10, SCREE__GUARD_ON);
  check(scree__stacks_take(&on) != NULL); /* they were given back */
  scree__stacks_close(&on);
  scree__stacks_close(&rest);
#endif
}

static void take_without_memory(void) {
  scree__stacks s;
  open_stacks(&s, 8 << 20, SCREE__GUARD_AUTO);
  setrlimit(RLIMIT_AS, &(struct rlimit){UINT64_C(256) << 20, UINT64_C(256) << 20});
  uint32_t taken = 0;
  while (taken < 100 && scree__stacks_take(&s)) taken++;
  _exit(taken == 100 || scree__stacks_take(&s) || s.in_use != taken);
}

HARNESS_TEST(no_memory_is_no_stack) {
  if (SANITIZED) harness_skip("sanitizers need more addresses than the test allows");
  check_equal(in_child(take_without_memory), 0);
}

HARNESS_MAIN
