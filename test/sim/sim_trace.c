/* sim_trace.c - traces of generated programs: what workers did is in the file, as counted elsewhere, in order and
 * nested; rings that overflow; failed worlds; wrong calls. */
#include <math.h>

#include "base/options.h"
#include "capture.h"
#include "harness.h"
#include "observe/trace.h"
#include "traced_run.h"

enum { SEEDS = 20, SEEDS_FULL = 2000, MANY = 16 };

static const scree_sim_config two = {.seed = 1, .ranks = 2, .nodes = 1, .threads = 1};

static scree_options with_room(uint64_t events) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.trace_events = events;
  return options;
}

/* What fn writes to the file that it is given, to be freed. */
static char *file_of(const scree_sim_config *config, const scree_options *options, scree_sim_fn *fn, uint64_t *steps) {
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  check_equal(scree_sim_run(config, options, fn, file, steps), SCREE_OK);
  fclose(file);
  return text;
}

/* ---- generated programs ---- */

typedef struct {
  uint64_t programs, events, dropped, failures, locks, waits, ended, between;
  bool over_mpi;
} totals;

static void add(totals *sum, const timeline *t, const program *p) {
  sum->programs++;
  sum->failures += t->failure[0] != 0;
  sum->locks += t->locks;
  sum->waits += t->waits;
  sum->ended += t->ended;
  for (uint32_t r = 0; r < p->ranks; r++) {
    sum->between += t->of[r][t->threads].found.rounds;
    for (uint32_t w = 0; w < t->threads; w++) {
      sum->events += t->of[r][w].events;
      sum->dropped += t->of[r][w].dropped;
    }
  }
}

static uint64_t room_of(uint64_t seed) {
  return seed % 3 == 0 ? 16 + seed % 50 : seed % 3 == 1 ? 1000 : 8000;
}

static void trace_program(uint64_t seed, const char *words, totals *sum) {
  char row[ROW], why[WHY] = "";
  traffic_totals unused = {0};
  snprintf(row, sizeof row, "seed=%" PRIu64 " trace-events=%" PRIu64 " %s", seed, room_of(seed), words);
  simulated *p = traffic_prepare(row, false, why);
  assert_non_null(p);
  /* Workers with tasks request work from each other in the closing epoch too, after what is counted. */
  traced s = {.fn = traffic_virtual_rank, .arg = p, .ends = seed & 1 || p->p.tasks};
  scree_status status;
  timeline *t = traced_run(&s, &p->config, &p->p.drawn.user, &status);
  check_text(traffic_judge(p, status, 0, &unused, why), "%s", why);
  check_equal(t->failure[0] != 0, status != SCREE_OK);
  if (status != SCREE_OK) check_contains(t->failure, "scree: rank 0 of ");
  check_string(t->missing, status == SCREE_EMPI || status == SCREE_EPEER
                               ? "the events of other ranks could not be collected after this failure"
                               : "");
  if (status == SCREE_OK) timeline_judge_epochs(t, 0);
  sum->over_mpi |= s.over_mpi;
  add(sum, t, &p->p);
  timeline_free(t);
}

static totals trace_programs(const char *words) {
  totals sum = {0};
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    trace_program(seed, words, &sum);
    check_text(harness_failures() == 0, "in the program of seed %" PRIu64, seed);
  }
  printf("%" PRIu64 " programs, %" PRIu64 " events, %" PRIu64 " dropped, %" PRIu64 " failures, %" PRIu64
         " waits, %" PRIu64 " waits for the lock, %" PRIu64 " rounds that ended epochs, %" PRIu64
         " rounds between nodes\n",
         sum.programs, sum.events, sum.dropped, sum.failures, sum.waits, sum.locks, sum.ended, sum.between);
  return sum;
}

HARNESS_TEST(programs) {
  totals sum = trace_programs("faults=0");
  check_equal(sum.failures, 0);
  check(sum.between > 0);
  if (sum.programs < SEEDS) return; /* too few for some of everything */
  check(sum.over_mpi == (sum.locks > 0));
  check(sum.dropped > 0 && sum.waits > sum.programs && sum.ended >= sum.programs);
}

/* More events of each rank than travel at a time. */
static void run_epochs(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  for (int i = 0; i < 1200; i++) {
    check_equal(scree_begin(w), SCREE_OK);
    check_equal(scree_end(w, NULL), SCREE_OK);
  }
}

HARNESS_TEST(many_events) {
  scree_sim_config config = {.seed = 1, .ranks = MANY, .nodes = 1, .threads = 1};
  const scree_options options = with_room(4000);
  scree_status status;
  traced s = {.fn = run_epochs, .ends = true};
  timeline *t = traced_run(&s, &config, &options, &status);
  check_equal(status, SCREE_OK);
  check(t->of[0][0].events > (1 << 20) / sizeof(scree__event) / MANY);
  check_equal(t->of[MANY - 1][0].dropped, 0);
  timeline_free(t);
}

/* All are idle, and the epoch does not end: rounds find the same again and again, and are recorded once. */
static void hold_on(scree_world *world, void *rounds) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_stats s = {.size = sizeof s};
  int polls = 0;
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 1) scree_hold(w, 1);
  while (!scree_test(w, true, NULL))
    if (++polls == 2000 && w->rank == 1) scree_release(w, 1);
  check_equal(scree_stats_read(world, &s), SCREE_OK);
  *(uint64_t *)rounds += s.detection_rounds;
}

HARNESS_TEST(rounds_that_repeat) {
  const scree_options options = with_room(4000);
  for (uint32_t nodes = 1; nodes <= 2; nodes++) {
    const scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = nodes, .threads = 1};
    scree_status status;
    uint64_t rounds = 0, recorded = 0;
    traced s = {.fn = hold_on, .arg = &rounds, .ends = true};
    timeline *t = traced_run(&s, &config, &options, &status);
    check_equal(status, SCREE_OK);
    for (uint32_t r = 0; r < 2; r++) recorded += t->of[r][0].found.rounds + t->of[r][1].found.rounds;
    check(nodes == 1 || rounds < 600); /* they come ever more seldom */
    check_text(rounds > 40 && recorded > 0 && recorded <= 12, "%" PRIu64 " of %" PRIu64 " rounds", recorded, rounds);
    timeline_free(t);
  }
}

HARNESS_TEST(failing_programs) {
  totals sum = trace_programs("");
  check(sum.programs < SEEDS || sum.failures > 0);
}

/* ---- names, files ---- */

SCREE_MESSAGE(tick, uint64_t);
static void on_any(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {}
SCREE_HANDLER(tick, uint64_t, on_any);
SCREE_VARIABLE(words);
SCREE_VARIABLE_HANDLER(words, on_any);

/* An epoch in which each rank sends one to each. */
static void send_ticks(scree_world *world, tick_type tick) {
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK);
  tick_send_all(w, tick, 1);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static tick_type tick_once(scree_world *world, const char *name) {
  tick_type tick;
  scree_type_desc desc = {
      .size = sizeof desc, .name = name, .item = sizeof(uint64_t), .flags = 0, .fn = tick_batch, .arg = NULL};
  check_equal(scree_register(world, &desc, &tick.id), SCREE_OK);
  send_ticks(world, tick);
  return tick;
}

static void tick_named(scree_world *world, void *name) {
  tick_once(world, name);
}

/* A name may hold anything, and is cut to 47 bytes, in the middle of a letter too. */
HARNESS_TEST(names_are_quoted) {
  static const char *const names[][2] = {
      {"a \"quoted\" \\ and\nbroken", "a \"quoted\" \\ and\nbroken"},
      {"\xff byte, \xc0\x80 overlong, \xed\xa0\x80 surrogate",
       "\ufffd byte, \ufffd\ufffd overlong, \ufffd\ufffd\ufffd surrogate"},
      {"\u00e4\u20ac\U0001f600", "\u00e4\u20ac\U0001f600"},
      {"0123456789012345678901234567890123456789012345\u00e4", "0123456789012345678901234567890123456789012345\ufffd"},
  };
  const scree_options options = with_room(100);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    scree_status status;
    traced s = {.fn = tick_named, .arg = (void *)(uintptr_t)names[i][0], .ends = i & 1};
    timeline *t = traced_run(&s, &two, &options, &status);
    check_equal(status, SCREE_OK);
    check_string(t->batch, names[i][1]);
    timeline_free(t);
  }
}

/* Two traces of a world, and one that scree_close ends. A type that was registered before them is in each. */
static void trace_again(scree_world *world, void *file) {
  scree_worker *w = scree_worker_of(world, 0);
  tick_type early = tick_once(world, "early");
  check_equal(scree_trace(world, NULL), SCREE_OK); /* there is none */
  for (int i = 0; i < 2; i++) {
    check_equal(scree_trace(world, file), SCREE_OK);
    tick_once(world, i ? "second" : "first");
    send_ticks(world, early);
    check_equal(scree_trace(world, NULL), SCREE_OK);
    tick_once(world, "between");
    send_ticks(world, early);
  }
  check_equal(scree_trace(world, NULL), SCREE_OK);
  check_equal(scree_trace(world, file), SCREE_OK);
  check_equal(scree_trace(world, file), SCREE_ESTATE);
  check_contains(scree_error_text(world), "the world is traced already: pass NULL first");
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

HARNESS_TEST(traces_follow_each_other) {
  char *text = file_of(&two, NULL, trace_again, NULL);
  const char *at = text;
  static const char *const parts[] = {"\"first\"", "\"early\"", "]}\n{",       "\"second\"",
                                      "\"early\"", "]}\n{",     "\"epoch\":9", "]}\n"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    at = at ? strstr(at, parts[i]) : NULL;
    check_text(at != NULL, "no %s after the one before it", parts[i]);
  }
  check(!strstr(text, "between\""));
  free(text);
}

static void trace_to_a_full_disk(scree_world *world, void *by_call) {
  FILE *file = world->rank == 0 ? fopen("/dev/full", "w") : NULL;
  check_equal(scree_trace(world, file), SCREE_OK);
  tick_once(world, "tick");
  if (*(bool *)by_call) {
    check_equal(scree_trace(world, NULL), SCREE_ESTATE);
    check_contains(scree_error_text(world), world->rank == 0
                                                ? "the trace was not written in full: No space left on device: "
                                                : "rank 0 did not write the trace in full");
    check_equal(scree_trace(world, NULL), SCREE_OK); /* it has ended */
    tick_once(world, "tock");
  }
}

/* The streams stay open: scree_close writes to one of them. */
HARNESS_TEST(full_disk) {
  bool by_call = true;
  check_equal(scree_sim_run(&two, NULL, trace_to_a_full_disk, &by_call, NULL), SCREE_OK);
  by_call = false;
  capture_start();
  check_equal(scree_sim_run(&two, NULL, trace_to_a_full_disk, &by_call, NULL), SCREE_OK);
  char *text = capture_end();
  check_contains(text, "scree: rank 0 of 2: the trace was not written in full: No space left on device");
  free(text);
}

/* ---- waits ---- */

enum { JOBS = 200 };

/* When a rank computed, and called nothing. */
typedef struct {
  int64_t begin[JOBS], end[JOBS];
  int jobs;
  uint64_t started; /* the trace */
} worker_log;

static worker_log logs[2];

static void compute(scree_worker *w) {
  scree__worker *me = scree__worker_of(w);
  worker_log *log = &logs[w->rank];
  uint64_t start = scree__now(me);
  for (int i = 0; i < 20; i++) scree__yield_point(me->transport);
  if (log->jobs == JOBS) return;
  log->begin[log->jobs] = (int64_t)(start - log->started);
  log->end[log->jobs++] = (int64_t)(scree__now(me) - log->started);
}

/* Rank 0 sends more than there are blocks, and computes; rank 1 sometimes has work of its own. */
static void send_and_compute(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  tick_type tick = tick_once(world, "tick");
  words_type words;
  static const char record[20000]; /* several blocks */
  check_equal(words_register(world, NULL, &words), SCREE_OK);
  logs[w->rank] = (worker_log){.started = scree__now(scree__worker_of(w))};
  check_equal(scree_begin(w), SCREE_OK);
  for (uint64_t i = 0; i < 150 && w->rank == 0; i++) {
    tick_send(w, tick, 1, i);
    if (i % 8 == 0) compute(w);
    if (i % 32 == 0) words_send(w, words, 1, record, sizeof record);
    if (i % 32 == 0) compute(w);
  }
  for (int turn = 1; !scree_test(w, turn % 4 != 0, NULL); turn++)
    if (turn % 4 == 0) compute(w);
}

static uint64_t waits_in(const char *text, const worker_log *log, uint32_t rank, const char *name, int64_t start) {
  cJSON *all = cJSON_Parse(text), *event;
  uint64_t found = 0;
  cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(all, "traceEvents")) {
    if (strcmp(event_text(event, "name"), name) != 0 || event_number(event, "pid") != rank) continue;
    int64_t begin = llround(event_number(event, "ts") * 1000) - start;
    int64_t end = begin + llround(event_number(event, "dur") * 1000);
    found++;
    for (int i = 0; i < log->jobs; i++)
      check_text(end <= log->begin[i] || begin >= log->end[i],
                 "%s from %" PRId64 " to %" PRId64 ", while it computes from %" PRId64, name, begin, end,
                 log->begin[i]);
  }
  cJSON_Delete(all);
  return found;
}

static uint64_t trace_started;

static void trace_and_compute(scree_world *world, void *file) {
  check_equal(scree_trace(world, file), SCREE_OK);
  if (world->rank == 0) trace_started = scree__tracing_of(world)->started;
  send_and_compute(world, NULL);
  check_equal(scree_trace(world, NULL), SCREE_OK);
}

/* A wait ends before the caller continues. */
HARNESS_TEST(waits_end) {
  uint64_t idle = 0, full = 0;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    const scree_sim_config config = {.seed = seed, .ranks = 2, .nodes = 1, .threads = 1};
    scree__options options = SCREE__OPTIONS_INIT;
    options.trace_events = 8000;
    options.test_pool_blocks = options.in_flight = 1;
    options.coalesce_bytes = 64;
    char *text = file_of(&config, &options.user, trace_and_compute, NULL);
    for (uint32_t r = 0; r < 2; r++) {
      int64_t start = (int64_t)(logs[r].started - trace_started);
      idle += waits_in(text, &logs[r], r, "idle", start);
      full += waits_in(text, &logs[r], r, "wait for a block", start);
    }
    free(text);
  }
  check(idle > 10 && full > 10);
}

/* ---- wrong calls ---- */

static void trace_in_an_epoch(scree_world *world, void *file) {
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_trace(world, file), SCREE_ESTATE);
  check_contains(scree_error_text(world), "scree_trace: an epoch is open: end it first");
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
  check_equal(scree_trace(world, file), SCREE_ESTATE); /* the code of the world */
}

static void trace_in_a_run(scree_worker *w, void *file) {
  if (w->index == 0) check_equal(scree_trace(scree_world_of(w), file), SCREE_ESTATE);
  if (w->index == 0) check_contains(scree_error_text(scree_world_of(w)), "called inside scree_run_workers");
}

static void run_and_trace(scree_world *world, void *file) {
  check_equal(scree_run_workers(world, 2, trace_in_a_run, file), SCREE_OK);
  tick_once(world, "tick");
}

HARNESS_TEST(wrong_calls) {
  scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1, .threads = 2};
  check_equal(scree_sim_run(&config, NULL, trace_in_an_epoch, stderr, NULL), SCREE_ESTATE);
  check_equal(scree_sim_run(&config, NULL, run_and_trace, stderr, NULL), SCREE_OK);
}

HARNESS_MAIN
