/* mpi_workers.c - several workers in each rank, over real ranks: nested sends of types of all three kinds, in epochs of
 * one worker, of several, with and without a progress thread, and of threads that join, judged by totals over all workers.
 * One program runs under many settings: transports, tiny pools, chaos. And what their lock counts.
 *
 * MPI: defaults */
#include <mpi.h>
#include <sched.h>
#include <scree/scree_mpi.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/random.h"
#include "capture.h"
#include "harness.h"
#include "joined.h"
#include "setting.h"

enum { EPOCHS = 3, RUNS = 3, THREADS = 3, LARGE = 1 << 15 };

static const setting settings[] = {
    {.name = "as it comes", .threads = THREADS, .pin = SCREE_PIN_COMPACT},
    {.name = "shm, a message a block, one block",
     .transport = SCREE_TRANSPORT_SHM,
     SETTING_MESSAGE_A_BLOCK,
     .threads = THREADS,
     .pin = SCREE_PIN_SCATTER},
    {.name = "shm, chaos", .transport = SCREE_TRANSPORT_SHM, SETTING_CHAOS(20261121), .threads = THREADS},
    {.name = "mpi", .transport = SCREE_TRANSPORT_MPI, .threads = THREADS},
    {.name = "mpi, a message a block, one block",
     .transport = SCREE_TRANSPORT_MPI,
     SETTING_MESSAGE_A_BLOCK,
     .threads = THREADS},
    {.name = "mpi, chaos", .transport = SCREE_TRANSPORT_MPI, SETTING_CHAOS(11212026), .threads = THREADS},
    {.name = "mpi, ticket", .transport = SCREE_TRANSPORT_MPI, .threads = THREADS, .lock = SCREE_LOCK_TICKET},
    {.name = "mpi, a message a block, ticket",
     .transport = SCREE_TRANSPORT_MPI,
     SETTING_MESSAGE_A_BLOCK,
     .threads = THREADS,
     .lock = SCREE_LOCK_TICKET},
    {.name = "mpi, priority", .transport = SCREE_TRANSPORT_MPI, .threads = THREADS, .lock = SCREE_LOCK_PRIORITY},
    {.name = "mpi, a message a block, priority",
     .transport = SCREE_TRANSPORT_MPI,
     SETTING_MESSAGE_A_BLOCK,
     .threads = THREADS,
     .lock = SCREE_LOCK_PRIORITY},
    {.name = "shm, funneled",
     .transport = SCREE_TRANSPORT_SHM,
     .threads = THREADS,
     .thread_level = SCREE_THREAD_LEVEL_FUNNELED},
    {.name = "mpi, multiple",
     .transport = SCREE_TRANSPORT_MPI,
     .threads = THREADS,
     .lock = SCREE_LOCK_TICKET,
     .thread_level = SCREE_THREAD_LEVEL_MULTIPLE},
    {.name = "mpi, a message a block, multiple",
     .transport = SCREE_TRANSPORT_MPI,
     SETTING_MESSAGE_A_BLOCK,
     .threads = THREADS,
     .thread_level = SCREE_THREAD_LEVEL_MULTIPLE},
    {.name = "mpi, chaos, multiple",
     .transport = SCREE_TRANSPORT_MPI,
     SETTING_CHAOS(261122),
     .threads = THREADS,
     .thread_level = SCREE_THREAD_LEVEL_MULTIPLE},
    {.name = "two nodes, chaos, multiple",
     SETTING_CHAOS(221126),
     .threads = THREADS,
     .thread_level = SCREE_THREAD_LEVEL_MULTIPLE,
     .nodes = 2},
    {.name = "shm, progress thread",
     .transport = SCREE_TRANSPORT_SHM,
     .threads = THREADS,
     .progress = SCREE_PROGRESS_FULL,
     .pin = SCREE_PIN_SCATTER},
    {.name = "mpi, progress thread",
     .transport = SCREE_TRANSPORT_MPI,
     .threads = THREADS,
     .progress = SCREE_PROGRESS_FULL},
    {.name = "mpi, a message a block, multiple, progress thread",
     .transport = SCREE_TRANSPORT_MPI,
     SETTING_MESSAGE_A_BLOCK,
     .threads = THREADS,
     .thread_level = SCREE_THREAD_LEVEL_MULTIPLE,
     .progress = SCREE_PROGRESS_FULL},
    {.name = "two nodes, chaos, progress thread",
     SETTING_CHAOS(1122),
     .threads = THREADS,
     .progress = SCREE_PROGRESS_FULL,
     .nodes = 2},
    {.name = "mpi, funneled",
     .transport = SCREE_TRANSPORT_MPI,
     .threads = THREADS,
     .lock = SCREE_LOCK_TICKET,
     .thread_level = SCREE_THREAD_LEVEL_FUNNELED},
    {.name = "mpi, a message a block, funneled",
     .transport = SCREE_TRANSPORT_MPI,
     SETTING_MESSAGE_A_BLOCK,
     .threads = THREADS,
     .thread_level = SCREE_THREAD_LEVEL_FUNNELED},
    {.name = "mpi, chaos, funneled, flat",
     .transport = SCREE_TRANSPORT_MPI,
     SETTING_CHAOS(271122),
     .threads = THREADS,
     .thread_level = SCREE_THREAD_LEVEL_FUNNELED,
     .detector = SCREE_DETECTOR_FLAT},
    {.name = "two nodes, chaos, funneled",
     SETTING_CHAOS(221127),
     .threads = THREADS,
     .thread_level = SCREE_THREAD_LEVEL_FUNNELED,
     .nodes = 2},
    {.name = "mpi, communication thread",
     .transport = SCREE_TRANSPORT_MPI,
     .threads = THREADS,
     .pin = SCREE_PIN_COMPACT,
     .progress = SCREE_PROGRESS_COMM},
    {.name = "mpi, a message a block, communication thread",
     .transport = SCREE_TRANSPORT_MPI,
     SETTING_MESSAGE_A_BLOCK,
     .threads = THREADS,
     .progress = SCREE_PROGRESS_COMM},
    {.name = "mpi, chaos, multiple, communication thread, flat",
     .transport = SCREE_TRANSPORT_MPI,
     SETTING_CHAOS(271123),
     .threads = THREADS,
     .thread_level = SCREE_THREAD_LEVEL_MULTIPLE,
     .detector = SCREE_DETECTOR_FLAT,
     .progress = SCREE_PROGRESS_COMM},
    {.name = "two nodes, chaos, communication thread, flat",
     SETTING_CHAOS(1127),
     .threads = THREADS,
     .lock = SCREE_LOCK_PRIORITY,
     .detector = SCREE_DETECTOR_FLAT,
     .progress = SCREE_PROGRESS_COMM,
     .nodes = 2},
    {.name = "two nodes", .threads = THREADS, .nodes = 2},
    {.name = "two nodes, a message a block, samples",
     SETTING_MESSAGE_A_BLOCK,
     .threads = THREADS,
     .lock_sample = 1,
     .nodes = 2},
    {.name = "mpi, priority, samples",
     .transport = SCREE_TRANSPORT_MPI,
     .threads = THREADS,
     .lock = SCREE_LOCK_PRIORITY,
     .lock_sample = 10},
    {.name = "two nodes, a message a block, one block", SETTING_MESSAGE_A_BLOCK, .threads = THREADS, .nodes = 2},
    {.name = "two nodes, chaos, ticket", SETTING_CHAOS(712), .threads = THREADS, .lock = SCREE_LOCK_TICKET, .nodes = 2},
    {.name = "two nodes, chaos, priority",
     SETTING_CHAOS(127),
     .threads = THREADS,
     .lock = SCREE_LOCK_PRIORITY,
     .nodes = 2},
    {.name = "shm, flat", .transport = SCREE_TRANSPORT_SHM, .threads = THREADS, .detector = SCREE_DETECTOR_FLAT},
    {.name = "two nodes, chaos, flat",
     SETTING_CHAOS(128),
     .threads = THREADS,
     .detector = SCREE_DETECTOR_FLAT,
     .nodes = 2},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

typedef struct {
  uint64_t value;
  uint32_t depth, dest; /* dest: worker's number, or rank */
} note;

SCREE_MESSAGE(any, note);
SCREE_MESSAGE(first, note);
SCREE_MESSAGE(owned, note);
SCREE_VARIABLE(text);

typedef struct job job;

/* One worker's. */
typedef struct {
  job *all;
  uint64_t random, sent, handled; /* sums of values */
  uint64_t total;                 /* handled in all epochs, messages */
} player;

struct job {
  any_type any;
  first_type first;
  owned_type owned;
  text_type text;
  uint32_t taking;
  player players[THREADS + 1]; /* the last one is the progress thread's */
};

static player *progress_of(job *j) {
  return &j->players[THREADS];
}

static void send_one(scree_worker *w, player *me, uint32_t depth) {
  static const char record[LARGE];
  job *j = me->all;
  note n = {.value = scree__draw(&me->random) >> 8, .depth = depth};
  n.dest = (uint32_t)(scree__draw(&me->random) % w->ranks);
  me->sent += n.value;
  switch (scree__draw(&me->random) % 16) {
  case 0:
    me->sent -= n.value; /* of a text its length counts */
    n.value = scree__draw(&me->random) % LARGE;
    me->sent += n.value;
    text_send(w, j->text, n.dest, record, n.value);
    break;
  case 1:
  case 2:
    first_send(w, j->first, n.dest, n);
    break;
  case 3:
  case 4:
  case 5:
    n.dest = scree_worker_number(w, n.dest, (uint32_t)(scree__draw(&me->random) % j->taking));
    owned_send(w, j->owned, n.dest, n);
    break;
  default:
    any_send(w, j->any, n.dest, n);
  }
}

static void handle(scree_worker *w, job *j, const scree_batch *batch, const note *items) {
  player *me = &j->players[w->index];
  check(batch->source < w->ranks && (batch->worker < j->taking || batch->worker == THREADS));
  check(w->index < j->taking || w->index == THREADS);
  for (uint32_t i = 0; i < batch->count; i++) {
    me->handled += items[i].value;
    me->total++;
    for (uint32_t k = 0; items[i].depth > 0 && k < 2; k++) send_one(w, me, items[i].depth - 1);
  }
}

static void on_any(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) check_equal(items[i].dest, w->rank);
  handle(w, arg, batch, items);
}

static void on_first(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  check_equal(w->index, 0);
  on_any(w, batch, items, arg);
}

static void on_owned(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) check_equal(items[i].dest, scree_worker_number(w, w->rank, w->index));
  handle(w, arg, batch, items);
}

static void on_text(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  player *me = &((job *)arg)->players[w->index];
  const void *at = items;
  for (uint32_t i = 0; i < batch->count; i++) {
    size_t bytes;
    const char *record = scree_record_next(&at, &bytes);
    for (size_t k = 0; k < bytes; k += 509) check(record[k] == 0);
    me->handled += bytes;
  }
}

SCREE_HANDLER(any, note, on_any);
SCREE_HANDLER(first, note, on_first);
SCREE_HANDLER(owned, note, on_owned);
SCREE_VARIABLE_HANDLER(text, on_text);

static void one_epoch(scree_worker *w, player *me, bool tested) {
  job *j = me->all;
  me->sent = me->handled = 0;
  if (w->index == 0) progress_of(j)->sent = progress_of(j)->handled = 0;
  check_equal(scree_begin(w), SCREE_OK);
  for (uint64_t i = scree__draw(&me->random) % 10; i > 0; i--) send_one(w, me, 3);
  scree_reduce part = {{0, 1}, w->index, w->index};
  while (tested && !scree_test(w, true, &part)) {
  }
  if (!tested) check_equal(scree_end(w, &part), SCREE_OK);
  check_equal(part.sum[1], (uint64_t)w->ranks * j->taking);
  check_equal(part.min, 0);
  check_equal(part.max, j->taking - 1);
}

/* Both sums over all workers, by the reduction of an epoch of its own. The first worker adds what the progress thread
 * did. */
static void judge(scree_worker *w, const player *me) {
  scree_reduce sums = {{me->sent, me->handled}, 0, 0};
  if (w->index == 0) sums.sum[0] += progress_of(me->all)->sent;
  if (w->index == 0) sums.sum[1] += progress_of(me->all)->handled;
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_end(w, &sums), SCREE_OK);
  check_equal(sums.sum[0], sums.sum[1]);
}

static void play(scree_worker *w, void *arg) {
  job *j = arg;
  player *me = &j->players[w->index];
  for (uint32_t e = 0; e < EPOCHS; e++) {
    one_epoch(w, me, e & 1);
    judge(w, me);
  }
}

static void check_printed(const scree_world *world, const char *expected) {
  char *text = capture_stats(world, false);
  check_contains(text, expected);
  free(text);
}

static void run_all(scree_world *world) {
  job j = {.taking = 1};
  scree_worker *w = scree_worker_of(world, 0);
  for (uint32_t i = 0; i <= THREADS; i++) j.players[i] = (player){.all = &j, .random = 1000 * w->rank + i};
  check_equal(any_register(world, &j, &j.any), SCREE_OK);
  check_equal(first_register_with(world, SCREE_SERIAL, &j, &j.first), SCREE_OK);
  check_equal(owned_register_with(world, SCREE_TO_WORKER, &j, &j.owned), SCREE_OK);
  check_equal(text_register(world, &j, &j.text), SCREE_OK);
  for (uint32_t i = 0; i < RUNS; i++) {
    j.taking = 1 + (i + 2) % THREADS;
    check_equal(scree_run_workers(world, j.taking, play, &j), SCREE_OK);
    j.taking = 1;
    play(w, &j);
    j.taking = 1 + i % THREADS;
    check_equal(joined_run(world, j.taking, play, &j), SCREE_OK);
  }
  check(j.players[1].total > 0 && j.players[2].total > 0);
  check((progress_of(&j)->total > 0) == (scree_options_of(world)->progress == SCREE_PROGRESS_FULL));
  if (progress_of(&j)->total > 0) check_printed(world, "\n  progress thread: epochs ");
}

static const char *const locks[] = {"  lock (mutex): entries ", "  lock (ticket): entries ",
                                    "  lock (priority): entries "};

/* Requests are looked at where the option says so and there is a lock. */
static void check_samples(const scree_world *world, const scree_lock_stats *s) {
  const uint64_t every = scree_options_of(world)->lock_sample;
  check(every ? s->samples <= s->entries / every : s->samples + s->socket_fair == 0);
  if (every == 1) check((s->samples > 0) == (s->entries > 0));
  check((s->sampled_receives > 0) == (s->samples > 0));
  check(s->dangling_sends <= s->sampled_sends && s->dangling_receives <= s->sampled_receives);
  if (s->samples) check_printed(world, "requests complete, but not noticed: sends ");
}

/* A program of an older release has a shorter struct. */
static void check_sizes(const scree_world *world, const scree_lock_stats *whole) {
  scree_lock_stats short_one = {.size = offsetof(scree_lock_stats, samples), .samples = 7}, no_size = {0};
  check_equal(scree_stats_lock(world, &short_one), SCREE_OK);
  check(short_one.entries == whole->entries && short_one.samples == 7);
  check_equal(short_one.size, offsetof(scree_lock_stats, samples));
  check_equal(scree_stats_lock(world, &no_size), SCREE_EINVAL);
  struct {
    scree_lock_stats known;
    uint64_t unknown;
  } newer = {.known.size = sizeof newer, .unknown = 7};
  check_equal(scree_stats_lock(world, &newer.known), SCREE_OK);
  check(newer.known.entries == whole->entries && newer.unknown == 0);
}

/* Why there is no lock; NULL: there is one. */
static const char *no_lock(const scree_options *o) {
  if (o->progress == SCREE_PROGRESS_COMM) return "with progress=comm one thread of each rank calls MPI\n";
  if (o->thread_level == SCREE_THREAD_LEVEL_FUNNELED)
    return "with thread_level=funneled one worker of each rank calls MPI\n";
  return o->thread_level == SCREE_THREAD_LEVEL_MULTIPLE ? "with thread_level=multiple the workers call MPI at once\n"
                                                        : NULL;
}

/* What the workers of this rank counted is consistent, and there is something where blocks travelled by MPI. */
static void check_lock(const scree_world *world, bool by_mpi) {
  scree_lock_stats s = {.size = sizeof s};
  const char *none = no_lock(scree_options_of(world));
  check_equal(scree_stats_lock(world, &s), SCREE_OK);
  check((s.entries > 0) == (by_mpi && !none));
  check(s.waits <= s.entries && s.wasted <= s.entries && s.again <= s.entries);
  check((s.waits > 0) == (s.wait_ns > 0) && s.fair <= s.entries * 500000);
  if (scree_options_of(world)->lock == SCREE_LOCK_TICKET) check_equal(s.again, 0);
  check_samples(world, &s);
  check_sizes(world, &s);
  if (none && scree_options_of(world)->lock != SCREE_LOCK_MUTEX)
    check_printed(world, none);
  else if (by_mpi && !none)
    check_printed(world, locks[scree_options_of(world)->lock]);
  else if (scree_options_of(world)->lock != SCREE_LOCK_MUTEX)
    check_printed(world, "has no effect: no block travels by MPI\n");
}

/* MPI gives MPI_THREAD_MULTIPLE here, whatever is asked for. */
static void check_level(const scree_world *world) {
  static const char *const asked[] = {"serialized", "funneled", "serialized", "multiple"};
  char expected[200], why[80] = "the option thread_level";
  const uint64_t level = scree_options_of(world)->thread_level;
  const uint32_t callers = THREADS + (scree_options_of(world)->progress == SCREE_PROGRESS_FULL);
  if (level == SCREE_THREAD_LEVEL_AUTO && scree_options_of(world)->progress == SCREE_PROGRESS_COMM)
    snprintf(why, sizeof why, "a communication thread calls MPI, and worker 0 between epochs");
  else if (level == SCREE_THREAD_LEVEL_AUTO)
    snprintf(why, sizeof why, "%u threads of each rank call MPI, one at a time", callers);
  check_string(scree_thread_level(world), "multiple");
  snprintf(expected, sizeof expected, "MPI thread level: multiple (asked: %s: %s; the program initialised MPI)\n",
           asked[level], why);
  check_printed(world, expected);
}

static void workers(void **state) {
  const setting *s = *state;
  if (s->progress == SCREE_PROGRESS_COMM && harness_ranks == 1) harness_skip("nothing travels by MPI on one rank");
  scree_world *world = setting_open(s);
  if (!world) return;
  check_level(world);
  run_all(world);
  check_lock(world, harness_ranks > 1 && (s->transport == SCREE_TRANSPORT_MPI || s->nodes > 1));
  check_equal(scree_close(world), SCREE_OK);
}

/* ---- dangling requests ---- */

SCREE_MESSAGE(call, uint32_t);

typedef struct {
  call_type call;
  _Atomic bool seen; /* that a request of worker 0 is complete and not noticed */
  uint32_t handled;
} doze;

static void on_call(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  (void)w, (void)items;
  ((doze *)arg)->handled += batch->count;
}
SCREE_HANDLER(call, uint32_t, on_call);

/* Worker 0 of the last rank makes no progress until worker 1 has seen that its receive is complete. */
static void stay_away(scree_worker *w, void *arg) {
  doze *d = arg;
  const uint32_t last = w->ranks - 1;
  scree_lock_stats s = {.size = sizeof s};
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0 && w->index == 0) {
    call_send(w, d->call, scree_worker_number(w, last, 0), 1);
    scree_flush(w, SCREE_ALL);
  }
  while (w->rank == last && w->index == 0 && !atomic_load(&d->seen)) sched_yield();
  while (w->rank == last && w->index == 1 && s.dangling_receives == 0) {
    scree_progress(w);
    scree_stats_lock(scree_world_of(w), &s);
  }
  if (w->rank == last && w->index == 1) atomic_store(&d->seen, true);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void others_see_what_dangles(void **unused) {
  (void)unused;
  const setting two = {.transport = SCREE_TRANSPORT_MPI, .threads = 2, .lock_sample = 1};
  if (harness_ranks == 1) harness_skip("a rank sends nothing to itself by MPI");
  scree_world *world = setting_open(&two);
  doze d = {0};
  if (!world) return;
  check_equal(call_register_with(world, SCREE_TO_WORKER, &d, &d.call), SCREE_OK);
  check_equal(scree_run_workers(world, 2, stay_away, &d), SCREE_OK);
  check_equal(d.handled, harness_rank == harness_ranks - 1);
  check_equal(scree_close(world), SCREE_OK);
}

/* NULL: nothing is wrong. All ranks refuse, and rank 0 says why. */
static void open_with(uint64_t transport, uint64_t level, uint64_t progress, const char *expected) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  options.threads = 2;
  options.progress = progress;
  options.transport = transport;
  options.thread_level = level;
  capture_start();
  scree_status status = scree_open_mpi(MPI_COMM_WORLD, &options, &world);
  char *said = capture_end();
  check_equal(status, expected ? SCREE_EINVAL : SCREE_OK);
  if (!expected)
    check_equal(scree_close(world), SCREE_OK);
  else if (harness_rank == 0)
    check_contains(said, expected);
  if (expected && harness_rank > 0) check(!strstr(said, "progress="));
  free(said);
}

static void refusals(void **unused) {
  static const char beside[] =
      "blocks travel by MPI here, which worker 0 alone may call, so the other thread would wait "
      "for it: set thread_level to auto, serialized or multiple, or progress to none";
  static const uint64_t mpi = SCREE_TRANSPORT_MPI, shm = SCREE_TRANSPORT_SHM, funneled = SCREE_THREAD_LEVEL_FUNNELED;
  const bool alone = harness_ranks == 1;
  char of_full[300], of_comm[300];
  (void)unused;
  snprintf(of_full, sizeof of_full, "thread_level=funneled with progress=full: %s", beside);
  snprintf(of_comm, sizeof of_comm, "thread_level=funneled with progress=comm: %s", beside);
  const char *nothing = "progress=comm with all ranks on one node and shared memory: nothing travels by MPI, so a "
                        "communication thread has nothing to move: set progress to none, or transport to mpi";
  if (alone)
    nothing = "progress=comm with one rank: nothing travels by MPI, so a communication thread has nothing to move: set "
              "progress to none";
  open_with(mpi, funneled, SCREE_PROGRESS_NONE, NULL);
  open_with(mpi, funneled, SCREE_PROGRESS_FULL, alone ? NULL : of_full);
  open_with(mpi, funneled, SCREE_PROGRESS_COMM, alone ? nothing : of_comm);
  open_with(shm, funneled, SCREE_PROGRESS_FULL, NULL);
  open_with(shm, SCREE_UNSET, SCREE_PROGRESS_COMM, nothing);
  open_with(mpi, SCREE_UNSET, SCREE_PROGRESS_COMM, alone ? nothing : NULL);
}

/* Then they take turns, and rank 0 says so, unless it cannot have so many. */
static void more_workers_than_cores(void **unused) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  char expected[100];
  (void)unused;
  if (cores < 1 || cores > 16) harness_skip("it would take more than 16 threads");
  options.threads = (uint64_t)cores + 1;
  capture_start();
  scree_status status = scree_open_mpi(MPI_COMM_WORLD, &options, &world);
  char *said = capture_end();
  snprintf(expected, sizeof expected, "%d workers (%d ranks of %ld) on this node, which has %ld cores",
           harness_ranks * (int)(cores + 1), harness_ranks, cores + 1, cores);
  if (harness_rank == 0) check_contains(said, expected);
  free(said);
  if (!check_equal(status, SCREE_OK)) return;
  check_equal(scree_options_of(world)->spin, 0);
  check_equal(scree_close(world), SCREE_OK);
}

/* ---- where threads are bound ---- */

typedef struct {
  uint64_t uses[CPU_SETSIZE]; /* threads that are bound to a core, by its first number */
  bool several;               /* a core has several numbers */
} bound;

static void note_core(scree_worker *w, void *bound_) {
  bound *b = bound_;
  cpu_set_t set;
  if (w->index == 0) return; /* the program's */
  check_equal(sched_getaffinity(0, sizeof set, &set), 0);
  b->several = CPU_COUNT(&set) > 1;
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &set)) {
      b->uses[cpu]++; /* only worker 1 writes */
      return;
    }
}

/* Ranks that may run on the same cores bind their workers to different ones; which says so where there are too few. */
static void ranks_share_cores(void **state) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  cpu_set_t set;
  bound mine = {.several = false}, all;
  uint64_t least = UINT64_MAX, most = 0, places = 0;
  options.threads = 2;
  options.pin = *(const uint64_t *)*state;
  check_equal(sched_getaffinity(0, sizeof set, &set), 0);
  const int allowed = CPU_COUNT(&set);
  capture_start();
  scree_status status = scree_open_mpi(MPI_COMM_WORLD, &options, &world);
  char *said = capture_end();
  if (harness_rank == 0) check_equal(strstr(said, "pin binds several") != NULL, 2 * harness_ranks > allowed);
  free(said);
  if (!check_equal(status, SCREE_OK)) return;
  check_equal(scree_run_workers(world, 2, note_core, &mine), SCREE_OK);
  MPI_Allreduce(mine.uses, all.uses, CPU_SETSIZE, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (all.uses[cpu] > most) most = all.uses[cpu];
    if (all.uses[cpu] > 0 && all.uses[cpu] < least) least = all.uses[cpu];
    places += all.uses[cpu] > 0;
  }
  check(most <= least + 1);
  if (!mine.several) check_equal(places, harness_ranks < allowed ? harness_ranks : allowed);
  check_equal(scree_close(world), SCREE_OK);
}

int main(int argc, char **argv) {
  static const uint64_t pins[] = {SCREE_PIN_COMPACT, SCREE_PIN_SCATTER};
  struct CMUnitTest tests[SETTINGS + 5];
  for (size_t i = 0; i < SETTINGS; i++)
    tests[i] = (struct CMUnitTest){settings[i].name, workers, NULL, NULL, (void *)(uintptr_t)&settings[i]};
  tests[SETTINGS] = (struct CMUnitTest){"more_workers_than_cores", more_workers_than_cores, NULL, NULL, NULL};
  tests[SETTINGS + 1] = (struct CMUnitTest){"refusals", refusals, NULL, NULL, NULL};
  tests[SETTINGS + 2] = (struct CMUnitTest){"others_see_what_dangles", others_see_what_dangles, NULL, NULL, NULL};
  harness_level = MPI_THREAD_MULTIPLE;
  tests[SETTINGS + 3] = (struct CMUnitTest){"pin, compact", ranks_share_cores, NULL, NULL, (void *)(uintptr_t)&pins[0]};
  tests[SETTINGS + 4] = (struct CMUnitTest){"pin, scatter", ranks_share_cores, NULL, NULL, (void *)(uintptr_t)&pins[1]};
  return harness__mpi_main(argc, argv, tests, SETTINGS + 5);
}
