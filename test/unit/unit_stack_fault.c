/* unit_stack_fault.c - a task that uses up its stack is named before its process ends; other faults, other handlers and
 * the sanitizers' own are left as they are, under which all of this runs too. And what a canary shows. */
#include "task/stack_fault.h"

#include <alloca.h>
#include <pthread.h>
#include <scree/scree_sim.h>
#include <scree/task.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tools.h"
#include "capture.h"
#include "harness.h"

enum { BYTES = 16 << 10, SHALLOW = 4000, OTHERS = 99 }; /* OTHERS: how a handler of the program's ends the process */
#if defined(SCREE__ASAN) || defined(SCREE__TSAN)
enum { SANITIZED = 1 }; /* then the library installs no handler */
#else
enum { SANITIZED = 0 };
#endif

/* What the process began with: the sanitizer's, if there is one. */
static struct sigaction first;
static __attribute__((constructor)) void keep_first(void) {
  sigaction(SIGSEGV, NULL, &first);
}

static scree__context *outside;
static scree__stacks stacks;
static size_t use;

static __attribute__((noinline)) void fill(size_t bytes) {
  volatile char *memory = alloca(bytes);
  for (size_t i = bytes; i > 0; i--) memory[i - 1] = 1;
}

static void run(void *stack) {
  for (;;) {
    fill(use);
    scree__context_switch(&((scree__stack *)stack)->context, outside);
  }
}

static const char *task_of(const scree__stack *stack) {
  return stack->slab ? "visit" : "?";
}
static scree__fault_watch watch = {.stacks = &stacks, .who = "rank 3, worker 1", .task = task_of};

static void use_stack(size_t bytes) {
  use = bytes;
  scree__context_switch(outside, &scree__stacks_take(&stacks)->context);
}

static void open_and_watch(void) {
  outside = scree__context_adopt();
  scree__stacks_open(&stacks, BYTES, sizeof(scree__stack), SCREE__GUARD_ON, run, NULL);
  if (!scree__stack_faults_watch(&watch)) _exit(1);
  use_stack(SHALLOW);
}

/* what a child that calls fn prints, to be freed; *status: how it ends */
static char *of_child(void (*fn)(void), int *status) {
  capture_start();
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGSEGV, SIG_DFL); /* not cmocka's */
    fn();
    _exit(0);
  }
  waitpid(child, status, 0);
  return capture_end();
}

static void overflow(void) {
  open_and_watch();
  use_stack(BYTES + (8 << 10));
}

static void overflow_with_first(void) {
  sigaction(SIGSEGV, &first, NULL);
  overflow();
}

/* Or the sanitizer, whose handler stays, finds the page as it does others, and ends the process. */
HARNESS_TEST(the_task_is_named) {
  int status;
  char *text = of_child(overflow, &status);
  check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  if (SANITIZED) {
    check_string(text, "");
    free(text);
    text = of_child(overflow_with_first, &status);
    check(WIFEXITED(status) && WEXITSTATUS(status) != 0);
    check_contains(text, "Sanitizer");
    check_contains(text, "fill");
  } else {
    check_contains(text, "rank 3, worker 1: task 'visit' has used up its stack of 16384 bytes: set task_stack");
    const unsigned long deepest = strtoul(strrchr(text, ' '), NULL, 10);
    check(deepest > SHALLOW && deepest < 2 * SHALLOW);
  }
  free(text);
}

static void end_quietly(int number, siginfo_t *info, void *context) {
  _exit(info->si_addr ? OTHERS : OTHERS + 1);
}

static void overflow_with_handler(void) {
  const int on_stack = SANITIZED ? SA_ONSTACK : 0; /* else it is called by the library's, on the library's stack */
  sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = end_quietly, .sa_flags = SA_SIGINFO | on_stack}, NULL);
  overflow();
}

HARNESS_TEST(a_handler_of_the_program_follows) {
  int status;
  char *text = of_child(overflow_with_handler, &status);
  check(WIFEXITED(status) && WEXITSTATUS(status) == OTHERS);
  if (!SANITIZED) check_contains(text, "task 'visit'");
  free(text);
}

static void fault_elsewhere(void) {
  open_and_watch();
  *(volatile int *)(uintptr_t)64 = 1;
}

HARNESS_TEST(other_faults_are_as_before) {
  int status;
  char *text = of_child(fault_elsewhere, &status);
  check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  check_string(text, "");
  free(text);
}

/* No access repeats it. */
static void send_to_itself(void) {
  open_and_watch();
  raise(SIGSEGV);
}

HARNESS_TEST(a_signal_that_was_sent_ends_the_process) {
  int status;
  char *text = of_child(send_to_itself, &status);
  check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  check_string(text, "");
  free(text);
}

/* Where the program ignores the signal, one that was sent has no effect, and the system ends what faults. */
static void ignore_and_send(void) {
  signal(SIGSEGV, SIG_IGN);
  open_and_watch();
  raise(SIGSEGV);
  _exit(OTHERS);
}
static void ignore_and_fault(void) {
  signal(SIGSEGV, SIG_IGN);
  fault_elsewhere();
}

HARNESS_TEST(a_signal_that_is_ignored) {
  int status;
  free(of_child(ignore_and_send, &status));
  check(WIFEXITED(status) && WEXITSTATUS(status) == OTHERS);
  free(of_child(ignore_and_fault, &status));
  check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

/* Each world of a thread is watched, whichever was opened last, or closed. */
static scree__fault_watch more[2];
static void overflow_below_another(void) {
  static scree__stacks none;
  scree__stacks_open(&none, BYTES, sizeof(scree__stack), SCREE__GUARD_ON, run, NULL);
  more[0] = more[1] = (scree__fault_watch){.stacks = &none, .who = "another", .task = task_of};
  if (!scree__stack_faults_watch(&more[0])) _exit(1);
  open_and_watch();
  if (!scree__stack_faults_watch(&more[1])) _exit(1);
  scree__stack_faults_forget(&more[0]);
  scree__stack_faults_close(&more[0]);
  use_stack(BYTES + (8 << 10));
}

HARNESS_TEST(each_world_is_watched) {
  int status;
  char *text = of_child(overflow_below_another, &status);
  check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  if (!SANITIZED) check_contains(text, "rank 3, worker 1: task 'visit' has used up its stack");
  free(text);
}

static void *run_overflow(void *unused) {
  overflow();
  return unused;
}
static void overflow_on_a_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run_overflow, NULL);
  pthread_join(thread, NULL);
}

HARNESS_TEST(each_thread_has_an_alternate_stack) {
  int status;
  char *text = of_child(overflow_on_a_thread, &status);
  check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  if (!SANITIZED) check_contains(text, "task 'visit' has used up its stack");
  free(text);
}

/* ---- by a task of a world ---- */

SCREE_TASK(dive, uint64_t);
static void run_dive(scree_task *self, const uint64_t *bytes) {
  fill(*bytes);
  scree_task_suspend(self, "the other one"); /* so that it has another stack */
}
SCREE_TASK_BODY(dive, uint64_t, run_dive);

/* The option comes from the environment, as for a command. */
static void dive_in_world(scree_world *world, void *unused) {
  dive_type type;
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(dive_register(world, NULL, &type), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  dive_spawn(w, type, NULL, BYTES + (8 << 10));
  dive_spawn(w, type, NULL, SHALLOW); /* begins first */
  scree_end(w, NULL);
}
static const char *guard;
static void dive(void) {
  const scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .quiet = true};
  setenv("SCREE_TASK_GUARD", guard, 1);
  scree_sim_run(&config, NULL, dive_in_world, NULL, NULL);
}

static void check_world(const char *with) {
  int status;
  guard = with;
  char *text = of_child(dive, &status);
  check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  if (!SANITIZED) {
    check_contains(text,
                   "rank 0, worker 0: task 'dive' has used up its stack of 16384 bytes: set task_stack (4K to 8M)");
    const unsigned long deepest = strtoul(strrchr(text, ' '), NULL, 10);
    check_text(deepest > SHALLOW && deepest < 2 * SHALLOW, "%s", text);
  }
  free(text);
}

HARNESS_TEST(a_task_of_a_world_is_named) {
  check_world("on");
}
HARNESS_TEST(a_task_is_named_by_default) {
  check_world("auto");
}

/* Beyond the end of its own stack is the top of another one, and no guard page. */
static void overflow_on_canary(void) {
  outside = scree__context_adopt();
  scree__stacks_open(&stacks, BYTES, sizeof(scree__stack), SCREE__GUARD_OFF, run, NULL);
  scree__stacks_take(&stacks);
  scree__stack *below = scree__stacks_take(&stacks), *stack = scree__stacks_take(&stacks);
  use = SHALLOW;
  scree__context_switch(outside, &stack->context);
  if (below->context.guard || !scree__stack_intact(stack)) _exit(1);
  use = BYTES + 1000;
  scree__context_switch(outside, &stack->context);
  _exit(scree__stack_intact(stack) ? 1 : OTHERS);
}

HARNESS_TEST(a_canary_is_written) {
  int status;
  free(of_child(overflow_on_canary, &status));
  check(WIFEXITED(status) && WEXITSTATUS(status) == OTHERS);
}

HARNESS_TEST(nothing_stays_installed) {
  struct sigaction before, after;
  stack_t signal_stack, signal_stack_after;
  sigaction(SIGSEGV, NULL, &before);
  sigaltstack(NULL, &signal_stack);
  open_and_watch();
  sigaction(SIGSEGV, NULL, &after);
  check((after.sa_sigaction == before.sa_sigaction) == SANITIZED);
  scree__stack_faults_forget(&watch);
  scree__stack_faults_close(&watch);
  sigaction(SIGSEGV, NULL, &after);
  check(after.sa_sigaction == before.sa_sigaction);
  check(!sigaltstack(NULL, &signal_stack_after) && signal_stack_after.ss_flags == signal_stack.ss_flags);
  check(SANITIZED || (signal_stack_after.ss_flags & SS_DISABLE));
  scree__stacks_close(&stacks);
  scree__context_free(outside);
}

HARNESS_MAIN
