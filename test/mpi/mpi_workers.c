/* mpi_workers.c - several workers in each rank, over real ranks: what their lock counts, under random programs and
 * every mode of calling MPI; what is refused; where threads are bound. mpi_traffic.c judges what programs send. */
#include <cjson/cJSON.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"
#include "ranks.h"
#include "setting.h"
#include "traffic_ranks.h"

enum { SEEDS = 2, SEEDS_FULL = 20 }; /* of each way */

/* Words of rows. */
static const char *const ways[] = {"",
                                   "transport=mpi",
                                   "transport=mpi lock=ticket",
                                   "transport=mpi lock=ticket coalesce-bytes=1 test-pool-blocks=1",
                                   "transport=mpi lock=priority",
                                   "transport=mpi lock=priority lock-sample=10",
                                   "transport=mpi thread-level=multiple",
                                   "transport=mpi thread-level=multiple progress=full",
                                   "transport=mpi thread-level=funneled lock=ticket",
                                   "transport=mpi thread-level=funneled chaos=271122 detector=flat",
                                   "transport=mpi progress=full",
                                   "transport=mpi progress=comm",
                                   "transport=mpi progress=comm thread-level=multiple chaos=271123 detector=flat",
                                   "transport=shm thread-level=funneled",
                                   "transport=shm progress=full pin=scatter",
                                   "nodes=2 chaos=712 lock=ticket",
                                   "nodes=2 chaos=127 lock=priority",
                                   "nodes=2 coalesce-bytes=1 lock-sample=1",
                                   "nodes=2 thread-level=funneled",
                                   "nodes=2 progress=comm lock=priority detector=flat",
                                   "nodes=2 progress=full chaos=1122"};
enum { WAYS = sizeof ways / sizeof *ways };

static void check_printed(const scree_world *world, const char *expected) {
  char *text = capture_stats(world, false);
  check_contains(text, expected);
  free(text);
}

static const char *const locks[] = {"  lock (mutex): entries ", "  lock (ticket): entries ",
                                    "  lock (priority): entries "};

static void check_json(const scree_world *world, const char *name, uint64_t expected) {
  char *text = capture_stats(world, true);
  cJSON *all = cJSON_Parse(text);
  const cJSON *number = cJSON_GetObjectItemCaseSensitive(all, name);
  check_text(cJSON_IsNumber(number) && number->valuedouble == (double)expected, "no number '%s' in %s", name, text);
  cJSON_Delete(all);
  free(text);
}

/* Requests are examined where the option is set and there is a lock. */
static void check_samples(const scree_world *world, const scree_lock_stats *s) {
  const uint64_t every = scree_options_of(world)->lock_sample;
  check(every ? s->samples <= s->entries / every : s->samples + s->socket_fair == 0);
  if (every == 1) check((s->samples > 0) == (s->entries > 0));
  check((s->sampled_receives > 0) == (s->samples > 0));
  check(s->dangling_sends <= s->sampled_sends && s->dangling_receives <= s->sampled_receives);
  if (s->samples) check_printed(world, ", samples ");
  if (every) check_json(world, "lock_samples", s->samples);
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

/* MPI provides MPI_THREAD_MULTIPLE here, whatever is requested. */
static void check_level(const scree_world *world) {
  static const char *const asked[] = {"serialized", "funneled", "serialized", "multiple"};
  char expected[200], why[80] = "the option thread_level";
  const uint64_t level = scree_options_of(world)->thread_level;
  const uint32_t callers =
      (uint32_t)(scree_options_of(world)->threads + (scree_options_of(world)->progress == SCREE_PROGRESS_FULL));
  if (level == SCREE_THREAD_LEVEL_AUTO && scree_options_of(world)->progress == SCREE_PROGRESS_COMM)
    snprintf(why, sizeof why, "a communication thread calls MPI, and worker 0 between epochs");
  else if (level == SCREE_THREAD_LEVEL_AUTO)
    snprintf(why, sizeof why, "%u threads of each rank call MPI, one at a time", callers);
  check_string(scree_thread_level(world), "multiple");
  snprintf(expected, sizeof expected, "MPI thread level: multiple (requested: %s: %s; the program initialised MPI)\n",
           asked[level], why);
  check_printed(world, expected);
}

static void before(home *h) {
  if (!ranks_are_local) check_level(h->world);
}

static void after(home *h) {
  const scree_options *o = scree_options_of(h->world);
  check_lock(h->world, harness_ranks > 1 && (o->transport == SCREE_TRANSPORT_MPI || h->p->nodes > 1));
  if (o->progress == SCREE_PROGRESS_FULL) check_printed(h->world, "\n  progress thread: epochs ");
}

static void workers(void **state) {
  static const driver hooks = {.opened = before, .ended = after};
  static account all;
  static program p;
  const char *words = *state;
  char why[WHY] = "", row[ROW];
  if (ranks_are_local && (strstr(words, "mpi") || strstr(words, "nodes") || strstr(words, "comm")))
    harness_skip(HARNESS_NO_MPI);
  if (strstr(words, "progress=comm") && harness_ranks == 1) harness_skip("nothing travels by MPI on one rank");
  const bool many = harness_ranks > 2; /* they are slow on few cores */
  const uint64_t count = harness_seeds(many ? 1 : SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_all(harness_failures() == 0); seed++) {
    snprintf(row, ROW, "seed=%" PRIu64 " options=0 threads=%d faults=0 %s ranks=%d%s", seed,
             harness_ranks > 3 && !harness_full() ? 2 : 3, words, harness_ranks, ranks_are_local ? " mpi=0" : "");
    check_text(traffic_draw(&p, row, why) && traffic_over_ranks(&p, &hooks, &all, why), "%s: %s", row, why);
  }
}

/* ---- dangling requests ---- */

SCREE_MESSAGE(call, uint32_t);

typedef struct {
  call_type call;
  _Atomic bool began, seen; /* worker 0; that a request of it is complete and not noticed */
  uint32_t handled;
} doze;

static void on_call(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  ((doze *)arg)->handled += batch->count;
}
SCREE_HANDLER(call, uint32_t, on_call);

static void call(scree_worker *w, const doze *d, uint32_t rank) {
  call_send(w, d->call, scree_worker_number(w, rank, 0), 1);
  scree_flush(w, SCREE_ALL);
}

/* Worker 0 of the last rank makes no progress until worker 1 has seen that its receive is complete. Worker 1 signals
 * when worker 0 has begun: until then worker 0 would notice what arrives. */
static void stay_away(scree_worker *w, void *arg) {
  doze *d = arg;
  const uint32_t last = w->ranks - 1;
  scree_lock_stats s = {.size = sizeof s};
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == last && w->index == 0) atomic_store(&d->began, true);
  while (w->rank == last && w->index == 1 && !atomic_load(&d->began)) sched_yield();
  if (w->rank == last && w->index == 1) call(w, d, 0);
  while (w->rank == 0 && w->index == 0 && d->handled == 0) scree_progress(w);
  if (w->rank == 0 && w->index == 0) call(w, d, last);
  while (w->rank == last && w->index == 0 && !atomic_load(&d->seen)) sched_yield();
  while (w->rank == last && w->index == 1 && s.dangling_receives == 0) {
    scree_progress(w);
    scree_stats_lock(scree_world_of(w), &s);
  }
  if (w->rank == last && w->index == 1) atomic_store(&d->seen, true);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

HARNESS_TEST(others_see_what_dangles) {
  const setting two = {.transport = SCREE_TRANSPORT_MPI, .threads = 2, .lock_sample = 1};
  if (harness_ranks == 1) harness_skip("a rank sends nothing to itself by MPI");
  scree_world *world = setting_open(&two);
  doze d = {0};
  if (!world) return;
  check_equal(call_register_with(world, SCREE_TO_WORKER, &d, &d.call), SCREE_OK);
  check_equal(scree_run_workers(world, 2, stay_away, &d), SCREE_OK);
  check_equal(d.handled, harness_rank == harness_ranks - 1 || harness_rank == 0);
  check_equal(scree_close(world), SCREE_OK);
}

/* NULL: nothing is wrong. All ranks refuse, and rank 0 prints the reason. */
static void open_with(uint64_t transport, uint64_t level, uint64_t progress, const char *expected) {
  scree_world *world;
  scree_status status;
  char *said = setting_said(
      &(setting){.threads = 2, .progress = progress, .transport = transport, .thread_level = level}, &world, &status);
  check_equal(status, expected ? SCREE_EINVAL : SCREE_OK);
  if (!expected)
    check_equal(scree_close(world), SCREE_OK);
  else if (harness_rank == 0)
    check_contains(said, expected);
  if (expected && harness_rank > 0) check(!strstr(said, "progress="));
  free(said);
}

HARNESS_TEST(refusals) {
  static const char beside[] =
      "blocks travel by MPI here, which worker 0 alone may call, so the other thread would wait "
      "for it: set thread_level to auto, serialized or multiple, or progress to none";
  static const uint64_t mpi = SCREE_TRANSPORT_MPI, shm = SCREE_TRANSPORT_SHM, funneled = SCREE_THREAD_LEVEL_FUNNELED;
  const bool alone = harness_ranks == 1;
  if (ranks_are_local) harness_skip(HARNESS_NO_MPI);
  char of_full[300], of_comm[300];
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
  open_with(shm, 0, SCREE_PROGRESS_COMM, nothing);
  open_with(mpi, 0, SCREE_PROGRESS_COMM, alone ? nothing : NULL);
}

/* Then they take turns, and rank 0 prints that, unless it cannot have so many; also with a progress thread beside as
 * many workers as there are cores. */
HARNESS_TEST(more_threads_than_cores) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores < 1 || cores > 8) harness_skip("it would take more than 8 threads");
  for (int progress = 0; progress < 2; progress++) {
    scree_world *world;
    scree_status status;
    char expected[120];
    const setting s = {.threads = (uint64_t)(cores + 1 - progress),
                       .progress = progress ? SCREE_PROGRESS_FULL : SCREE_PROGRESS_NONE};
    char *said = setting_said(&s, &world, &status);
    snprintf(expected, sizeof expected,
             progress ? "%d threads (%d ranks of %ld and a progress thread) on this node, which has %ld cores"
                      : "%d workers (%d ranks of %ld) on this node, which has %ld cores",
             harness_ranks * (int)(cores + 1), harness_ranks, cores + 1 - progress, cores);
    if (harness_rank == 0) check_contains(said, expected);
    if (harness_rank == 0 && progress)
      check_contains(said, "the progress thread shares a core with a worker: this rank has");
    free(said);
    if (!check_equal(status, SCREE_OK)) return;
    if (!progress) check_equal(scree_options_of(world)->spin, 0);
    check_equal(scree_close(world), SCREE_OK);
  }
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

/* Ranks that may run on the same cores bind their workers to different ones; one of them prints a note where there are
 * too few. */
static void ranks_share_cores(void **state) {
  scree_world *world;
  scree_status status;
  cpu_set_t set;
  bound mine = {.several = false}, all;
  uint64_t min = UINT64_MAX, max = 0, places = 0;
  check_equal(sched_getaffinity(0, sizeof set, &set), 0);
  const int allowed = CPU_COUNT(&set);
  char *said = setting_said(&(setting){.threads = 2, .pin = *(const uint64_t *)*state}, &world, &status);
  if (harness_rank == 0) check_equal(strstr(said, "pin binds several") != NULL, 2 * harness_ranks > allowed);
  free(said);
  if (!check_equal(status, SCREE_OK)) return;
  check_equal(scree_run_workers(world, 2, note_core, &mine), SCREE_OK);
  ranks_reduce(MPI_COMM_WORLD, mine.uses, all.uses, CPU_SETSIZE, RANKS_SUM);
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (all.uses[cpu] > max) max = all.uses[cpu];
    if (all.uses[cpu] > 0 && all.uses[cpu] < min) min = all.uses[cpu];
    places += all.uses[cpu] > 0;
  }
  check(max <= min + 1);
  if (!mine.several) check_equal(places, harness_ranks < allowed ? harness_ranks : allowed);
  check_equal(scree_close(world), SCREE_OK);
}

int main(int argc, char **argv) {
  static uint64_t pins[] = {SCREE_PIN_COMPACT, SCREE_PIN_SCATTER};
  const struct CMUnitTest tests[] = {{"pin, compact", ranks_share_cores, NULL, NULL, &pins[0]},
                                     {"pin, scatter", ranks_share_cores, NULL, NULL, &pins[1]}};
  HARNESS_ADD(tests);
  for (size_t i = 0; i < WAYS; i++)
    harness_add(
        (struct CMUnitTest){*ways[i] ? ways[i] : "as it comes", workers, NULL, NULL, (void *)(uintptr_t)ways[i]});
  harness_level = MPI_THREAD_MULTIPLE;
  return harness__mpi_main(argc, argv);
}
