/* unit_local.c - ranks that a process starts itself: several worlds, statuses, refusals, and what the parent keeps.
 * Random programs on such ranks are in mpi_traffic, which local.sh runs.
 *
 * MPI is initialised at the end, so the order of the tests matters. */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <scree/global.h>
#include <scree/local.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture.h"
#include "core/world.h"
#include "harness.h"

SCREE_MESSAGE(number, uint64_t);

static void on_number(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *sum) {
  for (uint32_t i = 0; i < batch->count; i++) *(uint64_t *)sum += items[i];
}
SCREE_HANDLER(number, uint64_t, on_number);

/* What ranks leave to the test. */
typedef struct {
  uint64_t received[8], ended[8];
  int exits;
} common;
static common *shared;

static int reset(void **unused) {
  if (!shared) shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return -1;
  memset(shared, 0, sizeof *shared);
  return 0;
}

/* fork that fails when it is called for the last of so many times; 0: never. */
static int forks_left;
pid_t fork(void) {
  if (forks_left && --forks_left == 0) {
    errno = EAGAIN;
    return -1;
  }
  return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

/* Runs fn in a process of one thread: the harness has a thread of its own. */
static void alone(void (*fn)(void)) {
  const pid_t child = fork();
  int code = 1;
  if (child == 0) {
    fn();
    harness_exit(harness_failures() > 0);
  }
  check(child > 0 && waitpid(child, &code, 0) == child);
  check_equal(code, 0);
}

/* ---- messages ---- */

enum { SENDS = 3000, EPOCHS = 3 };

static scree_status epochs(scree_worker *w, number_type type) {
  scree_status status = SCREE_OK;
  for (int e = 0; !status && e < EPOCHS; e++) {
    scree_reduce r = {.sum = {1, w->rank}, .min = w->rank, .max = w->rank};
    status = scree_begin(w);
    for (uint64_t i = 0; !status && i < SENDS; i++) number_send(w, type, (uint32_t)(i % w->ranks), i);
    if (!status) status = scree_end(w, &r);
    check(status || (r.sum[0] == w->ranks && r.min == 0 && r.max == w->ranks - 1));
  }
  return status;
}

static scree_status exchange(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  number_type type;
  scree_status status = number_register(world, &shared->received[w->rank], &type);
  if (!status) status = epochs(w, type);
  harness_keep_coverage();
  return status;
}

/* Each of `ranks` sends i to rank i modulo ranks. */
static uint64_t expected(uint32_t rank, uint32_t ranks) {
  uint64_t sum = 0;
  for (uint64_t i = rank; i < SENDS; i += ranks) sum += i;
  return sum * ranks * EPOCHS;
}

/* ---- several worlds ---- */

enum { AT_ONCE = 15 };

static scree_status open_more(scree_world *first, void *unused) {
  scree_world *world[AT_ONCE] = {first};
  for (int i = 1; i < AT_ONCE; i++) check_equal(scree_open(NULL, &world[i]), SCREE_OK);
  scree_world *more = NULL;
  check_equal(scree_open(NULL, &more), SCREE_EINVAL);
  check_equal(scree_close(world[AT_ONCE / 2]), SCREE_OK);
  check_equal(scree_open(NULL, &world[AT_ONCE / 2]), SCREE_OK); /* in the place of the one before */
  for (int i = 0; i < AT_ONCE; i++) check_equal(exchange(world[i], NULL), SCREE_OK);
  for (int i = 1; i < AT_ONCE; i++) check_equal(scree_close(world[i]), SCREE_OK);
  shared->ended[scree_worker_of(first, 0)->rank] = harness_failures() == 0;
  return SCREE_OK;
}

static void worlds(void) {
  capture_start();
  check_equal(scree_local_run(NULL, 3, open_more, NULL), SCREE_OK);
  char *said = capture_end();
  check_contains(said, "15 worlds are open: ranks without a launcher cannot have more open at once");
  free(said);
  for (int r = 0; r < 3; r++) check(shared->ended[r]);
  check_equal(shared->received[0], AT_ONCE * expected(0, 3));
}

static void several_worlds(void **no_state) {
  alone(worlds);
}

/* Each rank leads detection, so that rounds are among all, in more epochs than their counter has left. */
enum { FLAT_EPOCHS = 60 };
static scree_status lead_all(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  number_type type;
  uint64_t got = 0;
  scree_status status = number_register(world, &got, &type);
  for (uint64_t e = 1; !status && e <= FLAT_EPOCHS; e++) {
    status = scree_begin(w);
    if (!status) number_send(w, type, (w->rank + 1) % w->ranks, e);
    if (!status) status = scree_end(w, NULL);
    if (!status && got != e * (e + 1) / 2) return SCREE_EPEER;
  }
  return status;
}

static void check_rounds(void) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.detector = SCREE_DETECTOR_FLAT;
  check_equal(scree_local_run(&options, 3, lead_all, NULL), SCREE_OK);
}

static void rounds_of_all(void **no_state) {
  alone(check_rounds);
}

/* Which of the ranks that may run on the same cores each is: known where threads are pinned. */
static scree_status share_cores(scree_world *world, void *unused) {
  const scree__worker *me = scree__worker_of(scree_worker_of(world, 0));
  const scree__core_share share = me->transport->topology->core_share;
  shared->received[me->head.rank] = share.of;
  shared->ended[me->head.rank] = share.index;
  return SCREE_OK;
}

static void check_shares(void) {
  for (uint32_t pin = 0; pin < 2; pin++) {
    scree_options options = SCREE_OPTIONS_INIT;
    options.pin = pin ? SCREE_PIN_COMPACT : SCREE_PIN_OFF;
    reset(NULL);
    check_equal(scree_local_run(&options, 4, share_cores, NULL), SCREE_OK);
    for (uint32_t r = 0; r < 4; r++) check(shared->received[r] == 4 * pin && shared->ended[r] == r * pin);
  }
}

static void shares_of_cores(void **no_state) {
  alone(check_shares);
}

/* ---- statuses and processes ---- */

static scree_status by_rank(scree_world *world, void *unused) {
  return scree_worker_of(world, 0)->rank == 1 ? SCREE_ENOMEM : SCREE_OK;
}

static void count_exit(void) {
  shared->exits++;
}

static scree_status leave(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  if (w->rank == 1) exit(3);
  scree_begin(w);
  return scree_end(w, NULL);
}

static void check_statuses(void) {
  for (uint32_t ranks = 2; ranks < 5; ranks++) check_equal(scree_local_run(NULL, ranks, by_rank, NULL), SCREE_ENOMEM);
  signal(SIGCHLD, SIG_IGN);
  check_equal(scree_local_run(NULL, 3, by_rank, NULL), SCREE_ENOMEM);
  signal(SIGCHLD, SIG_DFL);
  printf("said once\n"); /* in a buffer: ranks would have it too */
  check_equal(scree_local_run(NULL, 2, by_rank, NULL), SCREE_ENOMEM);
  check_equal(waitpid(-1, NULL, WNOHANG), -1);
  check_equal(errno, ECHILD);
  atexit(count_exit);
  capture_start();
  check_equal(scree_local_run(NULL, 3, by_rank, NULL), SCREE_ENOMEM);
  check_equal(shared->exits, 0);
  check_equal(scree_local_run(NULL, 3, leave, NULL), SCREE_EPEER);
  char *said = capture_end();
  check_contains(said, "scree: rank 1 of 3 (process ");
  check_contains(said, ") ended its process with code 3 before its work was done; the other ranks are ended");
  free(said);
}

static void statuses(void **no_state) {
  alone(check_statuses);
}

/* ---- a rank dies while the others wait for what it has ---- */

typedef struct {
  scree_address at;
} word_args;
SCREE_TASK(reads, word_args);

static void run_reads(scree_task *self, const word_args *args) {
  scree_worker *w = scree_task_worker(self);
  uint64_t word;
  shared->ended[w->rank] = 1;
  shared->received[w->rank] = scree_get(self, &word, args->at, sizeof word);
}
SCREE_TASK_BODY(reads, word_args, run_reads);

/* Rank 0 waits in a task, rank 2 on its worker's own stack; rank 1 answers neither. */
static scree_status die(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  scree_global array;
  reads_type reads;
  uint64_t word;
  options.global_direct = SCREE_GLOBAL_DIRECT_OFF;
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(scree_global_open(world, &options), SCREE_OK);
  check_equal(reads_register(world, NULL, &reads), SCREE_OK);
  check_equal(scree_symmetric_alloc(world, sizeof word, &array), SCREE_OK);
  const scree_address at = scree_global_at(scree_global_map_of(world), &array, 1, 0);
  scree_begin(w);
  while (w->rank == 1 && !(shared->ended[0] && shared->ended[2])) sched_yield();
  if (w->rank == 1) raise(SIGKILL);
  if (w->rank == 0) reads_spawn(w, reads, NULL, (word_args){at});
  if (w->rank == 2) shared->ended[2] = 1;
  if (w->rank == 2) shared->received[2] = scree_get_poll(w, &word, at, sizeof word);
  return scree_end(w, NULL);
}

static void check_death(void) {
  capture_start();
  check_equal(scree_local_run(NULL, 3, die, NULL), SCREE_EPEER);
  char *said = capture_end();
  check_contains(said, "rank 1 (process ");
  check_contains(said, ") has died");
  free(said);
  check_equal(shared->received[0], SCREE_EPEER);
  check_equal(shared->received[2], SCREE_EPEER);
}

static void dies_in_gets(void **no_state) {
  alone(check_death);
}

/* The third process cannot be made. */
static void fail_to_fork(void) {
  capture_start();
  forks_left = 3;
  check_equal(scree_local_run(NULL, 4, exchange, NULL), SCREE_ENOMEM);
  forks_left = 0;
  char *said = capture_end();
  check_contains(said, "scree_local_run: rank 2 of 4: no process: Resource temporarily unavailable: raise the limit of "
                       "processes (ulimit -u), or start fewer ranks");
  free(said);
  check_equal(waitpid(-1, NULL, WNOHANG), -1);
  check_equal(scree_local_run(NULL, 2, exchange, NULL), SCREE_OK);
}

static void no_process(void **no_state) {
  alone(fail_to_fork);
}

/* ---- refusals ---- */

static void refused(const scree_options *options, uint32_t ranks, scree_status status, const char *why) {
  capture_start();
  const scree_status is = scree_local_run(options, ranks, exchange, NULL);
  char *said = capture_end();
  check_equal(is, status);
  check_contains(said, why);
  check(said && strchr(said, '\n') == said + strlen(said) - 1); /* one line */
  free(said);
}

static scree_status again(scree_world *world, void *unused) {
  return scree_local_run(NULL, 2, exchange, NULL);
}

static void *wait_long(void *unused) {
  for (;;) pause();
  return unused;
}

static void check_refusals(void) {
  scree_options by_mpi = SCREE_OPTIONS_INIT, comm = SCREE_OPTIONS_INIT, wrong = SCREE_OPTIONS_INIT;
  pthread_t thread;
  by_mpi.transport = SCREE_TRANSPORT_MPI;
  comm.progress = SCREE_PROGRESS_COMM;
  wrong.batch_max = 0;
  refused(NULL, 0, SCREE_EINVAL, "scree_local_run: 0 ranks: legal are 1 to 1024");
  refused(NULL, 1025, SCREE_EINVAL, "scree_local_run: 1025 ranks: legal are 1 to 1024");
  refused(&by_mpi, 2, SCREE_EINVAL, "transport=mpi needs MPI, and these ranks have none");
  refused(&comm, 1, SCREE_EINVAL, "progress=comm needs MPI, and these ranks have none");
  refused(&wrong, 2, SCREE_EINVAL, "option 'batch-max': '0' (field of scree_options) is out of range");
  capture_start();
  check_equal(scree_local_run(NULL, 2, again, NULL), SCREE_ESTATE);
  check_equal(scree_local_run(NULL, 1, again, NULL), SCREE_ESTATE);
  char *said = capture_end();
  check_contains(said, "called inside a rank: use the world that it has");
  free(said);
  check_equal(shared->received[0], 0);
  pthread_create(&thread, NULL, wait_long, NULL);
  refused(NULL, 2, SCREE_ESTATE, "this process has 2 threads, and its ranks would have one of them");
  check_equal(scree_local_run(NULL, 1, exchange, NULL), SCREE_OK);
}

static void refusals(void **no_state) {
  alone(check_refusals);
}

static void initialise_mpi(void) {
  int level;
  check_equal(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level), MPI_SUCCESS);
  refused(NULL, 2, SCREE_ESTATE, "MPI is initialised in this process");
  MPI_Finalize();
}

static void behind_mpi(void **no_state) {
  alone(initialise_mpi);
}

static void ranks_of_machine(void **no_state) {
  scree_options two = SCREE_OPTIONS_INIT, many = SCREE_OPTIONS_INIT;
  two.threads = 2;
  many.threads = SCREE_THREADS_MAX;
  const uint32_t all = scree_local_ranks(NULL);
  check(all >= 1);
  check_equal(scree_local_ranks(&two), all / 2 ? all / 2 : 1);
  check(scree_local_ranks(&many) >= 1 && scree_local_ranks(&many) <= all);
}

#define TEST(fn) cmocka_unit_test_setup(fn, reset)
static const struct CMUnitTest tests[] = {TEST(several_worlds), TEST(shares_of_cores), TEST(rounds_of_all),
                                          TEST(statuses),       TEST(dies_in_gets),    TEST(no_process),
                                          TEST(refusals),       TEST(behind_mpi),      TEST(ranks_of_machine)};

HARNESS_MAIN_OF(tests)
