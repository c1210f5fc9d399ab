/* unit_open.c - opening without a launcher: before MPI, by scree_open alone, after MPI's end; a launcher that lies; a
 * neighbour that has died.
 *
 * MPI is initialized and finalized in one process, so the order of the tests matters. */
#include <mpi.h>
#include <scree/scree_mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture.h"
#include "core/world.h"
#include "harness.h"

#if defined(__SANITIZE_ADDRESS__)
/* What the MPI libraries never free is not ours; to know it, stacks must be read to their end. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "fast_unwind_on_malloc=0";
}
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:MPI_Init\nleak:libmpi\nleak:libopen-\nleak:libpmix\nleak:libmpich\nleak:libuc\nleak:libhwloc\n"
         "leak:libevent\nleak:libfabric\nleak:mca_\n";
}
#endif

SCREE_MESSAGE(count, uint64_t);

static uint64_t sum;

static void on_count(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) sum += items[i];
}
SCREE_HANDLER(count, uint64_t, on_count);

/* fn prints `text` on standard error. */
static void check_says(void (*fn)(void), const char *text) {
  capture_start();
  fn();
  char *said = capture_end();
  check_contains(said, text);
  free(said);
}

static void open_on_mpi(void) {
  scree_world *world = NULL;
  check_equal(scree_open_mpi(MPI_COMM_WORLD, NULL, &world), SCREE_ESTATE);
  check(world == NULL);
}

HARNESS_TEST(before_mpi) {
  check_says(open_on_mpi, "MPI is not initialised: call MPI_Init_thread first, or use scree_open");
}

static int open_and_close(void) {
  scree_world *world = NULL;
  return scree_open(NULL, &world) || scree_close(world);
}

/* In a child process; 0 is good. */
static int in_child(int (*fn)(void)) {
  int code = 1;
  pid_t child = fork();
  if (child == 0) harness_exit(fn());
  waitpid(child, &code, 0);
  return code;
}

/* A process that forks before it initialises MPI has one of its own, and so has its child. */
HARNESS_TEST(forked_before_mpi) {
  check_equal(in_child(open_and_close), 0);
}

/* A world of one, on an MPI that the test has not started. The process has one such MPI, so the next test uses it. */
static scree_world *only;

HARNESS_TEST(by_itself) {
  count_type t;
  check_equal(scree_open(NULL, &only), SCREE_OK);
  if (!only) return;
  scree_worker *w = scree_worker_of(only, 0);
  check_equal(w->ranks, 1);
  check_equal(count_register(only, NULL, &t), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint64_t i = 0; i < 1000; i++) count_send(w, t, 0, i);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(sum, 999 * 1000 / 2);
}

static int open_in_fork(void) {
  scree_world *world = NULL;
  capture_start();
  scree_status status = scree_open(NULL, &world);
  char *said = capture_end();
  return status != SCREE_ESTATE || world || !strstr(said, "was forked from process");
}

static int open_in_fork_of_fork(void) {
  return in_child(open_in_fork);
}

HARNESS_TEST(forked_from_a_world) {
  check_equal(in_child(open_in_fork), 0);
  check_equal(in_child(open_in_fork_of_fork), 0);
}

static void open_another(void) {
  scree_world *world = NULL;
  check_equal(scree_open(NULL, &world), SCREE_EINVAL);
  check(world == NULL);
}

HARNESS_TEST(launcher_of_many) {
  setenv("SLURM_STEP_NUM_TASKS", "4", 1);
  check_says(open_another, "the launcher announces 4 ranks (SLURM_STEP_NUM_TASKS), the MPI library sees 1");
  unsetenv("SLURM_STEP_NUM_TASKS");
}

HARNESS_TEST(environment_is_not_enough) {
  setenv("SCREE_PROGRESS", "full", 1);
  check_says(open_another, "'full' (from SCREE_PROGRESS) is not for this program");
  unsetenv("SCREE_PROGRESS");
}

/* This rank's place in the shared page is given to a process that has ended. */
HARNESS_TEST(a_rank_has_died) {
  scree_world *world = NULL;
  char text[60];
  check_equal(scree_open(NULL, &world), SCREE_OK);
  if (!world) return;
  scree_worker *w = scree_worker_of(world, 0);
  pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
  AO_store(&world->worker[0]->transport->slots[0].pid, (AO_t)child);
  check_equal(scree_begin(w), SCREE_OK);
  scree_hold(w, 1); /* what the dead would release */
  check_equal(scree_end(w, NULL), SCREE_EPEER);
  snprintf(text, sizeof text, "rank 0 (process %ld) has died", (long)child);
  check_contains(scree_error_text(world), text);
  check_equal(scree_close(world), SCREE_EPEER);
}

/* The world that started MPI ends it. */
HARNESS_TEST(after_mpi) {
  int over = 0;
  if (!only) return;
  check_equal(scree_close(only), SCREE_OK);
  MPI_Finalized(&over);
  check(over);
  check_says(open_on_mpi, "MPI is finalised");
}

HARNESS_MAIN
