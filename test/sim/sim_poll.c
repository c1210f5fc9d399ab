/* sim_poll.c - lists of work that poll functions drain, on drawn ranks, workers, options and schedules: when a worker leaves
 * an epoch, all of it is done and all messages are handled. sim_poll_rules.c has one test for each rule.
 *
 * A seed determines a run: SCREE_TEST_SEED=N runs that one alone, SCREE_TEST_SEEDS=N changes their number.
 *
 * Also: on a simulated MPI */
#include <scree/scree_sim.h>

#include "base/random.h"
#include "harness.h"

enum { RANKS = 6, THREADS = 3, EPOCHS = 3, TASKS = 4000, SEEDS = 1500, SEEDS_FULL = 15000 };

typedef struct {
  uint32_t epoch, depth;
} task;
SCREE_MESSAGE(job, task);
SCREE_MESSAGE(owned, task);

/* Two lists: what handlers left, and what is ready to be sent. */
typedef struct {
  uint32_t raw_count, ready_count;
  task raw[TASKS], ready[TASKS];
} lists;

typedef struct {
  scree_options options;
  uint32_t ranks, takers, piece, fan, depth;
  bool sorts, shared, tested, to_worker, holds;
  uint64_t random, polls, shared_done, by_progress;
  uint32_t epoch[RANKS][THREADS]; /* of the worker */
  bool in_poll[RANKS][THREADS + 1];
  uint32_t sent[EPOCHS], handled[EPOCHS];
  job_type job;
  owned_type owned;
  lists worker[RANKS][THREADS + 1], rank[RANKS]; /* first of what does not start as zero */
} stage;

static uint32_t below(uint64_t *random, uint32_t n) {
  return (uint32_t)(scree__draw(random) % n);
}

/* ---- the work ---- */

static lists *lists_of(stage *s, const scree_worker *w) {
  return s->shared ? &s->rank[w->rank] : &s->worker[w->rank][w->index];
}

/* A list that several workers take from: who takes the task releases it. Only handlers that wait for all workers of the
 * rank leave work there: another worker may still be in the epoch before. */
static void postpone(stage *s, scree_worker *w, task t) {
  lists *l = lists_of(s, w);
  if (l->raw_count == TASKS) return;
  if (s->shared && s->holds) scree_hold(w, 1);
  l->raw[l->raw_count++] = t;
}

static void handle(scree_worker *w, const scree_batch *batch, const task *items, void *arg) {
  stage *s = arg;
  check(!s->in_poll[w->rank][w->index]);
  for (uint32_t i = 0; i < batch->count; i++) {
    check_equal(items[i].epoch,
                s->epoch[w->rank][w->index % w->threads]); /* a progress thread's are those of worker 0 */
    s->handled[items[i].epoch]++;
    s->by_progress += w->index == w->threads;
    if (items[i].depth > 0) postpone(s, w, (task){items[i].epoch, items[i].depth - 1});
  }
}
SCREE_HANDLER(job, task, handle);
SCREE_HANDLER(owned, task, handle);

static void send_task(stage *s, scree_worker *w, task t) {
  const uint32_t rank = below(&s->random, s->ranks);
  s->sent[t.epoch]++;
  if (s->to_worker && below(&s->random, 2))
    owned_send(w, s->owned, scree_worker_number(w, rank, below(&s->random, s->takers)), t);
  else if (below(&s->random, 2) || !job_try_send(w, s->job, rank, t))
    job_send(w, s->job, rank, t);
}

static bool drain(scree_worker *w, void *arg) {
  stage *s = arg;
  lists *l = lists_of(s, w);
  uint32_t *count = s->sorts ? &l->ready_count : &l->raw_count;
  const task *list = s->sorts ? l->ready : l->raw;
  s->polls++;
  s->in_poll[w->rank][w->index] = true;
  for (uint32_t i = 0; i<s->piece && * count> 0; i++) {
    const task t = list[--*count];
    if (s->shared && s->holds) scree_release(w, 1);
    s->shared_done += s->shared;
    for (uint32_t k = 0; k < s->fan; k++) send_task(s, w, t);
  }
  s->in_poll[w->rank][w->index] = false;
  return *count > 0;
}

/* Registered behind drain, for which it prepares work: so it holds that. */
static bool sort(scree_worker *w, void *arg) {
  lists *l = lists_of(arg, w);
  bool passed = false;
  for (; l->raw_count > 0 && l->ready_count < TASKS; passed = true) l->ready[l->ready_count++] = l->raw[--l->raw_count];
  return passed;
}

/* ---- epochs ---- */

/* Tasks of that epoch: another worker may have begun the next one. */
static uint32_t count_left(const lists *l, uint32_t epoch) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < l->raw_count; i++) left += l->raw[i].epoch == epoch;
  for (uint32_t i = 0; i < l->ready_count; i++) left += l->ready[i].epoch == epoch;
  return left;
}

static void leave(stage *s, scree_worker *w, uint32_t k) {
  if (s->tested)
    while (!scree_test(w, true, NULL)) {
    }
  else
    scree_end(w, NULL);
  if (scree_error(scree_world_of(w))) return;
  check_equal(s->handled[k], s->sent[k]);
  check_equal(count_left(lists_of(s, w), k), 0);
  check_equal(count_left(&s->worker[w->rank][w->threads], k), 0);
}

static void work(scree_worker *w, void *arg) {
  stage *s = arg;
  for (uint32_t k = 0; k < EPOCHS && !scree_error(scree_world_of(w)); k++) {
    const bool early = below(&s->random, 2);
    const uint32_t n = s->shared ? 0 : below(&s->random, 4);
    for (uint32_t i = 0; early && i < n; i++) postpone(s, w, (task){k, s->depth});
    s->epoch[w->rank][w->index] = k;
    scree_begin(w);
    for (uint32_t i = 0; !early && i < n; i++) postpone(s, w, (task){k, s->depth});
    for (uint32_t i = below(&s->random, 3); i > 0; i--) send_task(s, w, (task){k, s->depth});
    for (uint32_t i = below(&s->random, 5); i > 0; i--) scree_progress(w);
    leave(s, w, k);
  }
}

static void play(scree_world *world, void *arg) {
  stage *s = arg;
  check_equal(job_register(world, s, &s->job), SCREE_OK);
  check_equal(owned_register_with(world, SCREE_TO_WORKER, s, &s->owned), SCREE_OK);
  check_equal(scree_on_idle(world, drain, s), SCREE_OK);
  if (s->sorts) check_equal(scree_on_idle(world, sort, s), SCREE_OK);
  scree_run_workers(world, s->takers, work, s);
}

static stage *new_stage(void) {
  stage *s = malloc(sizeof *s);
  if (!s) abort();
  memset(s, 0, offsetof(stage, worker));
  for (uint32_t r = 0; r < RANKS; r++) {
    s->rank[r].raw_count = s->rank[r].ready_count = 0;
    for (uint32_t i = 0; i <= THREADS; i++) s->worker[r][i].raw_count = s->worker[r][i].ready_count = 0;
  }
  s->options = (scree_options)SCREE_OPTIONS_INIT;
  s->options.memory = 65536;
  s->options.overflow_max = UINT64_C(1) << 40;
  s->holds = true;
  return s;
}

static scree_sim_config draw(stage *s, uint64_t seed, bool shared) {
  static const uint64_t sizes[] = {0, 1, 100};
  uint64_t random = s->random = seed;
  scree_options *o = &s->options;
  const uint32_t threads = shared ? 2 + below(&random, THREADS - 1) : 1 + below(&random, THREADS);
  s->ranks = 1 + below(&random, RANKS);
  s->takers = 1 + below(&random, threads);
  s->piece = 1 + below(&random, 4);
  s->fan = 1 + below(&random, 2);
  s->depth = below(&random, 4);
  s->tested = below(&random, 2);
  s->to_worker = !shared && below(&random, 2);
  s->sorts = !shared && below(&random, 2);
  s->shared = shared;
  o->checked = below(&random, 2);
  o->pool_blocks = below(&random, 4);
  o->in_flight = 1 + below(&random, 3);
  o->batch_max = 1 + below(&random, 4);
  o->coalesce_bytes = sizes[below(&random, 3)];
  o->detector = below(&random, 2);
  if (below(&random, 3) == 0) o->progress = SCREE_PROGRESS_FULL;
  return (scree_sim_config){.seed = seed,
                            .ranks = s->ranks,
                            .nodes = 1 + below(&random, s->ranks),
                            .threads = threads,
                            .max_steps = 4000000,
                            .quiet = !getenv("SCREE_TEST_VERBOSE")};
}

static void run_drawn(bool shared) {
  const char *one = getenv("SCREE_TEST_SEED");
  const uint64_t count = one ? 1 : harness_seeds(SEEDS, SEEDS_FULL), first = one ? strtoull(one, NULL, 10) : 1;
  uint64_t polls = 0, sent = 0, shared_done = 0, by_progress = 0;
  stage *s = new_stage();
  for (uint64_t seed = first; seed < first + count && harness_failures() == 0; seed++) {
    free(s);
    s = new_stage();
    scree_sim_config config = draw(s, seed, shared);
    scree_status status = scree_sim_run(&config, &s->options, play, s, NULL);
    check_text(status == SCREE_OK && harness_failures() == 0, "status %d; to replay: SCREE_TEST_SEED=%" PRIu64,
               (int)status, seed);
    polls += s->polls;
    for (int k = 0; k < EPOCHS; k++) sent += s->sent[k];
    shared_done += s->shared_done;
    by_progress += s->by_progress;
  }
  free(s);
  printf("%" PRIu64 " seeds, %" PRIu64 " messages, %" PRIu64 " calls, %" PRIu64 " tasks of shared lists, %" PRIu64
         " handled by progress threads\n",
         count, sent, polls, shared_done, by_progress);
  if (!one) check(sent > 10 * count && polls > sent / 8 && (shared_done > count) == shared && by_progress > count);
}

static void drained(void **unused) {
  (void)unused;
  run_drawn(false);
}

static void drained_from_shared_lists(void **unused) {
  (void)unused;
  run_drawn(true);
}

/* Without holds the epoch can end while a worker that was idle has taken a task. A checked world says so. */
static void shared_without_holds(void **unused) {
  (void)unused;
  uint32_t caught = 0;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    stage *s = new_stage();
    scree_sim_config config = draw(s, seed, true);
    s->holds = false;
    s->options.checked = 1;
    s->takers = config.threads;
    config.quiet = true;
    scree_status status = scree_sim_run(&config, &s->options, play, s, NULL);
    check(status == SCREE_OK || status == SCREE_ESTATE);
    caught += status == SCREE_ESTATE;
    free(s);
  }
  printf("%u of 100 caught\n", caught);
  check(caught > 20);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(drained),
    cmocka_unit_test(drained_from_shared_lists),
    cmocka_unit_test(shared_without_holds),
};

HARNESS_MAIN(tests)
