/* progress.c - how long a rank waits for the reply of one that computes, without and with a thread for progress.
 *
 * Rank 0 sends a question and waits for the reply, again and again. Rank 1 computes for 1 ms at a time, calls
 * scree_progress in between, and flushes its replies. So without a thread for progress a reply takes up to 1 ms. With
 * progress=full it takes what the threads need to pass the core on. With progress=comm, where blocks travel by MPI, it takes
 * up to 1 ms too, since handlers still wait for the worker: what that saves is MPI's part. The modes take turns, each in a
 * world of its own. The worker of rank 1 has a core
 * for itself; all other threads share another one. Start it on two ranks that are not bound (mpirun --bind-to none), or the
 * threads are placed by the system, and the record says so. */
#include <sched.h>
#include <scree/scree_mpi.h>
#include <stdlib.h>

#include "common.h"

enum { MODES = SCREE_PROGRESS_COMM + 1, REPLIES = 200, COMPUTE_US = 1000, PATHS = 2 };
static const char *const modes[MODES] = {"none", "full", "comm"};

SCREE_MESSAGE(question, uint64_t);
SCREE_MESSAGE(reply, uint64_t);
SCREE_MESSAGE(leave, uint64_t);

typedef struct {
  question_type question;
  reply_type reply;
  leave_type leave;
  double *latencies; /* seconds, of REPLIES */
  uint64_t answered; /* of rank 0's worker, whose own the type is */
  _Atomic bool over;
  int cores[2];
  bool placed;
} job;

static void on_question(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++)
    reply_send(w, ((job *)arg)->reply, scree_worker_number(w, batch->source, 0), items[i]);
}
SCREE_HANDLER(question, uint64_t, on_question);

static void on_reply(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  (void)w;
  ((job *)arg)->answered = items[batch->count - 1];
}
SCREE_HANDLER(reply, uint64_t, on_reply);

static void on_leave(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  (void)w, (void)batch, (void)items;
  ((job *)arg)->over = true;
}
SCREE_HANDLER(leave, uint64_t, on_leave);

/* ---- cores ---- */

static void bind_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/* The first two cores that the rank may use. */
static bool find_cores(job *j, cpu_set_t *allowed) {
  int found = 0;
  if (sched_getaffinity(0, sizeof *allowed, allowed)) return false;
  for (int core = 0; core < CPU_SETSIZE && found < 2; core++)
    if (CPU_ISSET((size_t)core, allowed)) j->cores[found++] = core;
  return found == 2;
}

/* ---- a turn ---- */

static void compute(void) {
  const double end = bench_now() + 1e-6 * COMPUTE_US;
  while (bench_now() < end) {
  }
}

static void ask(scree_worker *w, job *j) {
  const scree_world *world = scree_world_of(w);
  for (uint64_t i = 0; i < REPLIES && scree_error(world) == SCREE_OK; i++) {
    const double begun = bench_now();
    question_send(w, j->question, 1, i + 1);
    scree_flush(w, SCREE_ALL);
    while (j->answered <= i && scree_error(world) == SCREE_OK) scree_progress(w);
    j->latencies[i] = bench_now() - begun;
  }
  leave_send(w, j->leave, 1, 0);
}

static void work(scree_worker *w, void *arg) {
  job *j = arg;
  if (scree_begin(w)) return;
  if (w->rank == 0) ask(w, j);
  while (w->rank == 1 && !j->over && scree_error(scree_world_of(w)) == SCREE_OK) {
    compute();
    scree_progress(w);
    scree_flush(w, SCREE_ALL);
  }
  scree_end(w, NULL);
}

/* The progress thread is made when the world opens, and stays on the core that this thread has then. */
static bool turn(job *j, uint64_t transport, uint64_t mode) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  j->answered = 0;
  j->over = false;
  options.transport = transport;
  options.progress = mode;
  if (j->placed) bind_to(j->cores[0]);
  bool good = scree_open_mpi(bench_comm, &options, &world) == SCREE_OK;
  good = good && question_register(world, j, &j->question) == SCREE_OK &&
         reply_register_with(world, SCREE_TO_WORKER, j, &j->reply) == SCREE_OK &&
         leave_register(world, j, &j->leave) == SCREE_OK;
  if (good && j->placed && scree_worker_of(world, 0)->rank == 1) bind_to(j->cores[1]);
  good = good && scree_run_workers(world, 1, work, j) == SCREE_OK;
  return world && scree_close(world) == SCREE_OK && good;
}

/* ---- the table ---- */

static void report(bench *b, const job *j, uint64_t transport, int mode, double *medians, double *tails, double *base) {
  const double median = bench_median(medians, b->rounds), tail = bench_median(tails, b->rounds);
  const double of_none = bench_median(base, b->rounds);
  printf("%-9s %-8s %10.1f %10.1f %8.3f%s\n", bench_transport(transport), modes[mode], 1e6 * median, 1e6 * tail,
         median / of_none, j->placed ? "" : "   cores: left to the system");
  cJSON *record = bench_record(b);
  cJSON_AddStringToObject(record, "transport", bench_transport(transport));
  cJSON_AddStringToObject(record, "progress", modes[mode]);
  cJSON_AddNumberToObject(record, "median_seconds", median);
  cJSON_AddNumberToObject(record, "p99_seconds", tail);
  cJSON_AddNumberToObject(record, "ratio", median / of_none);
  cJSON_AddBoolToObject(record, "placed", j->placed);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A communication thread needs blocks that travel by MPI. */
static int modes_of(uint64_t transport) {
  return transport == SCREE_TRANSPORT_MPI ? MODES : SCREE_PROGRESS_COMM;
}

/* `values`: for each mode the medians and then the tails of all rounds. */
static bool measure(bench *b, job *j, uint64_t transport, double *values) {
  const size_t rounds = (size_t)b->rounds;
  for (size_t round = 0; round < rounds; round++)
    for (int mode = 0; mode < modes_of(transport); mode++) {
      if (!bench_all(turn(j, transport, (uint64_t)mode))) return false;
      qsort(j->latencies, REPLIES, sizeof *j->latencies, ascending);
      values[2 * (size_t)mode * rounds + round] = j->latencies[REPLIES / 2];
      values[(2 * (size_t)mode + 1) * rounds + round] = j->latencies[REPLIES * 99 / 100];
    }
  for (int mode = 0; mode < modes_of(transport) && b->rank == 0; mode++)
    report(b, j, transport, mode, values + 2 * (size_t)mode * rounds, values + (2 * (size_t)mode + 1) * rounds, values);
  return true;
}

int main(int argc, char **argv) {
  static const uint64_t paths[PATHS] = {SCREE_TRANSPORT_SHM, SCREE_TRANSPORT_MPI};
  bench b;
  job j = {0};
  cpu_set_t allowed;
  bench_thread_level = MPI_THREAD_SERIALIZED;
  if (!bench_start(&b, argc, argv, "progress",
                   "latency of a reply by a rank that computes 1 ms at a time, without a thread for progress, with one "
                   "that handles messages (full), and with one that calls MPI (comm): "
                   "median and 99th percentile in microseconds, and the median over that without; two ranks"))
    return bench_finish(&b, 2);
  double *values = calloc(2 * MODES * (size_t)b.rounds, sizeof *values);
  j.latencies = calloc(REPLIES, sizeof *j.latencies);
  if (!values || !j.latencies) abort();
  bool good = b.ranks == 2;
  if (!good && b.rank == 0) fprintf(stderr, "progress: start it on 2 ranks\n");
  j.placed = bench_all(find_cores(&j, &allowed));
  if (b.rank == 0 && good) printf("%-9s %-8s %10s %10s %8s\n", "transport", "progress", "median us", "p99 us", "ratio");
  for (int i = 0; i < PATHS && good; i++) good = measure(&b, &j, paths[i], values);
  if (j.placed) sched_setaffinity(0, sizeof allowed, &allowed);
  free(values);
  free(j.latencies);
  return bench_finish(&b, good ? 0 : 1);
}
