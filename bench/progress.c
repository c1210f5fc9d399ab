/* progress.c - how long a rank waits for the reply of one that computes, without and with a thread for progress.
 *
 * Rank 0 sends a question and waits for the reply, again and again. Rank 1 computes for 1 ms at a time, calls
 * scree_progress in between, and flushes its replies. So without a thread for progress a reply takes up to 1 ms. With
 * progress=full it takes the time in which the threads pass the core on. With progress=comm, where blocks travel by
 * MPI, it takes up to 1 ms too, because handlers still wait for the worker: only MPI's part is saved. The modes take
 * turns, each in a world of its own. The worker of rank 1 has a core for itself; all other threads share another one.
 * Start it on two ranks that are not bound (mpirun --bind-to none), or the threads are placed by the system, which the
 * record states. */
#include <sched.h>
#include <string.h>

#include "common.h"

enum { REPLIES = 200, COMPUTE_US = 1000 };

SCREE_MESSAGE(question, uint64_t);
SCREE_MESSAGE(reply, uint64_t);
SCREE_MESSAGE(leave, uint64_t);

typedef struct {
  question_type question;
  reply_type reply;
  leave_type leave;
  double latencies[REPLIES]; /* seconds */
  uint64_t answered;         /* of rank 0's worker, to which the type belongs */
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

static void request(scree_worker *w, job *j) {
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
  if (w->rank == 0) request(w, j);
  while (w->rank == 1 && !j->over && scree_error(scree_world_of(w)) == SCREE_OK) {
    compute();
    scree_progress(w);
    scree_flush(w, SCREE_ALL);
  }
  scree_end(w, NULL);
}

/* One variant; each turn opens a world of its own. */
typedef struct {
  job *of;
  const char *transport, *progress;
  double tails[1000]; /* of each turn, on rank 0; the first one warms up */
  int turns;
  bool good; /* this turn */
} turn;

/* The progress thread is made when the world opens, and stays on the core that this thread has then. */
static bool take_turn(job *j, const turn *t) {
  char options[40];
  j->answered = 0;
  j->over = false;
  if (j->placed) bind_to(j->cores[0]);
  snprintf(options, sizeof options, "progress=%s", t->progress);
  scree_world *world = bench_open(t->transport, options);
  bool good = world && question_register(world, j, &j->question) == SCREE_OK &&
              reply_register_with(world, SCREE_TO_WORKER, j, &j->reply) == SCREE_OK &&
              leave_register(world, j, &j->leave) == SCREE_OK;
  if (good && j->placed && scree_worker_of(world, 0)->rank == 1) bind_to(j->cores[1]);
  good = good && scree_run_workers(world, 1, work, j) == SCREE_OK;
  return world && scree_close(world) == SCREE_OK && good;
}

/* Takes a turn; returns the median latency of its replies. */
static double timed(void *arg) {
  turn *t = arg;
  t->good = take_turn(t->of, t);
  const double median = bench_median(t->of->latencies, REPLIES);
  t->tails[t->turns++] = t->of->latencies[REPLIES * 99 / 100]; /* sorted now */
  return median;
}

static bool check(void *arg, uint64_t n) {
  (void)n;
  return ((const turn *)arg)->good;
}

/* ---- the table ---- */

static void report(bench *b, const bench_variant *v, double none) {
  turn *t = v->arg;
  bench_row(b, BENCH_TEXT("transport", "%-9s", t->transport), BENCH_TEXT("progress", " %-8s", t->progress),
            BENCH_CELL("median_seconds", " %10.1f", v->seconds, 1e6),
            BENCH_CELL("p99_seconds", " %10.1f", bench_median(t->tails + 1, b->rounds), 1e6),
            BENCH_CELL("ratio", " %8.3f", v->seconds / none, 1), BENCH_CELL("placed", NULL, t->of->placed, 1),
            BENCH_TEXT(NULL, "%s", t->of->placed ? "" : "   cores: left to the system"));
}

/* A communication thread needs blocks that travel by MPI. */
static bool measure(bench *b, job *j, const char *transport) {
  static const char *const modes[] = {"none", "full", "comm"};
  static turn turns[3];
  bench_variant variants[3];
  const int count = strcmp(transport, "mpi") ? 2 : 3;
  for (int i = 0; i < count; i++) {
    turns[i] = (turn){.of = j, .transport = transport, .progress = modes[i]};
    variants[i] = (bench_variant){.name = modes[i], .timed = timed, .check = check, .arg = &turns[i], .n = 1};
  }
  if (!bench_rounds(b, variants, count)) return false;
  for (int i = 0; i < count; i++) report(b, &variants[i], variants[0].seconds);
  return true;
}

static bool run(bench *b) {
  static job j;
  cpu_set_t allowed;
  bool good = true;
  j.placed = bench_all(find_cores(&j, &allowed));
  if (b->rank == 0) printf("%-9s %-8s %10s %10s %8s\n", "transport", "progress", "median us", "p99 us", "ratio");
  for (int i = 0; good && bench_transports[i]; i++) good = measure(b, &j, bench_transports[i]);
  if (j.placed) sched_setaffinity(0, sizeof allowed, &allowed);
  return good;
}

const bench_mode bench_modes[] = {
    {.name = "progress",
     .what = "latency of a reply by a rank that computes 1 ms at a time, without a thread for progress, with one that "
             "handles messages (full), and with one that calls MPI (comm): median and 99th percentile in microseconds, "
             "and the median over that without; two ranks",
     .run = run,
     .ranks = 2,
     .thread_level = MPI_THREAD_SERIALIZED},
    {0}};
