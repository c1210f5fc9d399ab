/* unit_local_ends.c - how ranks that a process starts itself end if it dies or cannot get what it needs, how many there
 * may be, and what they print. The test is the reaper of processes whose parent has died. */
#include <errno.h>
#include <sched.h>
#include <scree/local.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"

/* What ranks leave to the test. */
typedef struct {
  uint64_t began, epochs;
  pid_t parent;
  bool kill_early; /* ranks kill it before they request to be notified of its death */
} common;
static common *shared;

static int reset(void **unused) {
  if (!shared) shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1)) return -1;
  memset(shared, 0, sizeof *shared);
  return 0;
}

int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  const unsigned long value = va_arg(list, unsigned long);
  va_end(list);
  if (option == PR_SET_PDEATHSIG && shared && shared->kill_early) {
    kill(shared->parent, SIGKILL);
    while (getppid() == shared->parent) sched_yield();
  }
  return (int)syscall(SYS_prctl, option, value, 0, 0, 0);
}

static bool memory_is_short;
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  errno = ENOMEM;
  if (memory_is_short && (flags & MAP_SHARED)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

/* Runs fn in a process of one thread, and waits for it and those it leaves. Returns its status; *ended: how the others
 * ended, which all did alike. */
static int alone(void (*fn)(void), int *ended) {
  int own = -1, code;
  const pid_t child = fork();
  *ended = -1;
  if (child == 0) {
    fn();
    _exit(harness_failures() > 0);
  }
  for (pid_t at; (at = waitpid(-1, &code, 0)) > 0;) {
    if (at == child)
      own = code;
    else if (*ended == -1)
      *ended = code;
    else
      check_equal(code, *ended);
  }
  return own;
}

/* ---- a parent that is killed ---- */

static scree_status wait_for_death(scree_world *world, void *unused) {
  __sync_fetch_and_add(&shared->began, 1);
  while (shared->began < scree_worker_of(world, 0)->ranks) sched_yield();
  if (scree_worker_of(world, 0)->rank == 2) kill(getppid(), SIGKILL);
  while (shared->began) pause();
  return SCREE_OK;
}

static void run_three(void) {
  shared->parent = getpid();
  scree_local_run(NULL, 3, wait_for_death, NULL);
}

static void killed(void **no_state) {
  int ended;
  check_equal(alone(run_three, &ended), SIGKILL);
  check_equal(shared->began, 3);
  check_equal(ended, SIGKILL);
}

/* Then the rank is not notified and has to check. */
static void killed_early(void **no_state) {
  int ended;
  shared->kill_early = true;
  check_equal(alone(run_three, &ended), SIGKILL);
  check_equal(shared->began, 0);
  check(WIFEXITED(ended) && WEXITSTATUS(ended) == 1);
}

/* ---- what the system refuses ---- */

static scree_status begin(scree_world *world, void *unused) {
  __sync_fetch_and_add(&shared->began, 1);
  return SCREE_OK;
}

static void start_refused(const char *why) {
  capture_start();
  check_equal(scree_local_run(NULL, 3, begin, NULL), SCREE_ENOMEM);
  char *said = capture_end();
  check_contains(said, why);
  check_equal(shared->began, 0);
  free(said);
}

static void no_memory(void) {
  memory_is_short = true;
  start_refused(
      "scree_local_run: rank 0 of 3: no shared memory: Cannot allocate memory: free memory on this host, or start "
      "fewer ranks");
}

/* Of a user who is not root, whom no limit binds. */
static void no_processes(void) {
  setrlimit(RLIMIT_NPROC, &(struct rlimit){0, 0});
  if (getuid() == 0) check_equal(setuid(65534), 0);
  start_refused(
      "scree_local_run: rank 0 of 3: no process: Resource temporarily unavailable: raise the limit of processes "
      "(ulimit -u), or start fewer ranks");
}

static void refused(void **no_state) {
  int ended;
  check_equal(alone(no_memory, &ended), 0);
  check_equal(alone(no_processes, &ended), 0);
  check_equal(ended, -1);
}

/* ---- many ranks ---- */

SCREE_MESSAGE(number, uint64_t);

static void on_number(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *sum) {
  for (uint32_t i = 0; i < batch->count; i++) *(uint64_t *)sum += items[i];
}
SCREE_HANDLER(number, uint64_t, on_number);

/* To all, in one epoch. */
static scree_status to_all(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  number_type type;
  uint64_t sum = 0;
  check_equal(number_register(world, &sum, &type), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  number_send_all(w, type, 1 + w->rank);
  scree_status status = scree_end(w, NULL);
  check_equal(sum, (uint64_t)w->ranks * (w->ranks + 1) / 2);
  if (!harness_failures()) __sync_fetch_and_add(&shared->epochs, 1);
  return status;
}

static void run_64(void) {
  check_equal(scree_local_run(NULL, 64, to_all, NULL), SCREE_OK);
}

static void many(void **no_state) {
  int ended;
  check_equal(alone(run_64, &ended), 0);
  check_equal(shared->epochs, 64);
}

/* ---- standard input and output ---- */

enum { LINES = 2000, LENGTH = 300 };

static scree_status print_lines(scree_world *world, void *unused) {
  const uint32_t rank = scree_worker_of(world, 0)->rank;
  char line[LENGTH + 1] = "", in[8];
  memset(line, 'a' + (int)rank, LENGTH);
  while (rank == 0 && shared->began < 3) sched_yield(); /* the others read before */
  if (fgets(in, sizeof in, stdin)) printf("%u%s", rank, in);
  __sync_fetch_and_add(&shared->began, 1);
  for (int i = 0; i < LINES; i++) printf("%.100s%s\n", line, line + 100);
  return SCREE_OK;
}

static void run_printing(void) {
  setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
  check_equal(scree_local_run(NULL, 4, print_lines, NULL), SCREE_OK);
}

/* Of each rank as many lines as it printed, all whole; rank 0 alone has the input. */
static void check_lines(FILE *from) {
  int lines[4] = {0}, inputs = 0;
  for (char text[LENGTH + 2]; fgets(text, sizeof text, from);) {
    const int rank = text[0] - 'a';
    if (strcmp(text, "0input\n") == 0)
      inputs++;
    else if (check(rank >= 0 && rank < 4 && strspn(text, (char[]){text[0], 0}) == LENGTH && text[LENGTH] == '\n'))
      lines[rank]++;
  }
  check_equal(inputs, 1);
  for (int r = 0; r < 4; r++) check_equal(lines[r], LINES);
}

static void input_and_output(void **no_state) {
  int in[2], out[2], ended;
  check(pipe(in) == 0 && pipe(out) == 0 && write(in[1], "input\n", 6) == 6);
  close(in[1]);
  const pid_t reader = fork();
  if (reader == 0) {
    close(out[1]);
    check_lines(fdopen(out[0], "r"));
    _exit(harness_failures() > 0);
  }
  const int was_in = dup(STDIN_FILENO), was_out = dup(STDOUT_FILENO);
  fflush(stdout);
  dup2(in[0], STDIN_FILENO);
  dup2(out[1], STDOUT_FILENO);
  close(out[1]);
  const pid_t child = fork();
  if (child == 0) run_printing(), _exit(harness_failures() > 0);
  dup2(was_in, STDIN_FILENO);
  dup2(was_out, STDOUT_FILENO);
  check(waitpid(child, &ended, 0) == child && ended == 0);
  check(waitpid(reader, &ended, 0) == reader && ended == 0);
  for (int i = 0; i < 2; i++) close(i ? was_in : was_out);
  close(in[0]);
  close(out[0]);
}

#define TEST(fn) cmocka_unit_test_setup(fn, reset)
static const struct CMUnitTest tests[] = {TEST(killed), TEST(killed_early), TEST(refused), TEST(many),
                                          TEST(input_and_output)};

HARNESS_MAIN_OF(tests)
