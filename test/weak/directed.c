/* directed.c - programs over the simulated memory that are directed at one protocol each, with little beside it that
 * would order what the protocol must. */
#include <scree/scree_sim.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "core/progress.h"
#include "harness.h"
#include "weak.h"

enum { SEEDS = 20, SEEDS_FULL = 4000, STEPS = 2000000, WORKERS = 3 };

void weak_for_seeds(void (*play)(uint64_t seed)) {
  const char *first = getenv("SCREE_TEST_SEED");
  const uint64_t from = first ? strtoull(first, NULL, 10) : 1, count = harness_seeds(SEEDS, SEEDS_FULL);
  uint64_t seed = from;
  scree__order = &weak_order;
  for (; seed < from + count && harness_failures() == 0; seed++) {
    play(seed);
    check_text(!weak_finding(), "%s; to replay: SCREE_TEST_SEED=%" PRIu64 " SCREE_TEST_SEEDS=1", weak_finding(), seed);
  }
  scree__order = NULL;
  printf("%" PRIu64 " runs\n", seed - from);
}

/* ---- error texts: of a worker that fails, of others, and read by threads that own no worker ---- */

/* Reads every letter, in instrumented code. */
static uint64_t read_text(const scree_world *world) {
  uint64_t sum = 0;
  for (const char *c = scree_error_text(world); *c; c++) sum += (unsigned char)*c;
  return sum;
}

void weak_fail_one(scree_worker *w, bool this) {
  scree_world *world = scree_world_of(w);
  void **here = scree__here_slot(), *me = *here;
  uint64_t foreign = 0, own = 0;
  scree_begin(w);
  if (this) scree_fail(w, SCREE_EMPI, "on purpose");
  for (bool over = false; !over || !foreign;) {
    if (!over) over = scree_test(w, true, NULL);
    for (int i = 0; i < 8; i++) own += read_text(world);
    *here = NULL, weak_thread_of(weak_me())->foreign = true;
    for (int i = 0; i < 4; i++) foreign += read_text(world);
    *here = me, weak_thread_of(weak_me())->foreign = false;
  }
  check(own >= foreign);
}

static void fail_worker(scree_worker *w, void *seed) {
  weak_fail_one(w, (w->rank * WORKERS + w->index) == *(uint64_t *)seed % (w->ranks * WORKERS));
}

static void text_rank(scree_world *world, void *seed) {
  check_equal(scree_run_workers(world, WORKERS, fail_worker, seed), SCREE_EMPI);
}

static void play_texts(uint64_t seed) {
  const uint32_t ranks = 1 + seed % 2;
  const scree_sim_config config = {
      .seed = seed, .ranks = ranks, .nodes = ranks, .threads = WORKERS, .max_steps = STEPS, .quiet = true};
  check_equal(scree_sim_run(&config, NULL, text_rank, &seed, NULL), SCREE_EMPI);
}

void weak_texts(void **unused) {
  weak_for_seeds(play_texts);
}

/* ---- a call by a thread that does not own the worker: the owner reports the type that it names ---- */

SCREE_MESSAGE(note, uint64_t);
typedef struct {
  note_type note;
  scree_worker *first;
} foreign;

static void on_note(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {}
SCREE_HANDLER(note, uint64_t, on_note);

static void call_foreign(scree_worker *w, void *arg) {
  const foreign *s = arg;
  for (int e = 0; e < 2; e++) { /* the owner looks when it makes progress */
    if (scree_begin(w)) return;
    if (w->index == 1 && e == 0) scree_flush_lane(s->first, s->note.id, 0);
    scree_end(w, NULL);
  }
}

static void foreign_rank(scree_world *world, void *arg) {
  foreign s = {.first = scree_worker_of(world, 0)};
  note_register(world, &s, &s.note);
  scree_run_workers(world, 2, call_foreign, &s);
  const char *text = scree_error_text(world);
  check_text(!*text || strstr(text, "type 'note'"), "the text does not name the type: %s", text);
}

static void play_foreign(uint64_t seed) {
  const scree_sim_config config = {
      .seed = seed, .ranks = 1, .nodes = 1, .threads = 2, .max_steps = STEPS, .quiet = true};
  scree_sim_run(&config, NULL, foreign_rank, NULL, NULL);
}

void weak_foreign(void **unused) {
  if (sim_mpi_let_fail) harness_skip("without MPI");
  weak_for_seeds(play_foreign);
}

/* ---- the communication thread: runs, so that it pauses; states that it sends; calls of MPI that fail ---- */

enum { COMM_RANKS = 2, COMM_RUNS = 4, COMM_EPOCHS = 3 };

static void talk(scree_worker *w, void *arg) {
  const note_type *note = arg;
  for (uint32_t e = 0; e < COMM_EPOCHS; e++) {
    if (scree_begin(w)) return;
    for (uint64_t i = 0; i < 4; i++) {
      note_send(w, *note, (w->rank + 1) % w->ranks, i);
      scree_progress(w);
      if (w->index == 0) scree__say_standing(scree__worker_of(w), true);
    }
    if (scree_end(w, NULL)) return;
  }
}

static void comm_rank(scree_world *world, void *arg) {
  note_type note;
  if (note_register(world, NULL, &note)) return;
  for (uint32_t i = 0; i < COMM_RUNS; i++)
    if (scree_run_workers(world, 2, talk, &note)) return;
}

static void play_comm(uint64_t seed) {
  const scree_sim_config config = {
      .seed = seed, .ranks = COMM_RANKS, .nodes = COMM_RANKS, .threads = 2, .max_steps = STEPS, .quiet = true};
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 20;
  options.progress = SCREE_PROGRESS_COMM;
  const bool fails = seed % 2;
  sim_mpi_let_fail(fails ? 3 : 0);
  const scree_status status = scree_sim_run(&config, &options, comm_rank, NULL, NULL);
  sim_mpi_let_fail(0);
  if (!fails) check_equal(status, SCREE_OK);
}

void weak_comm(void **unused) {
  if (!sim_mpi_let_fail) harness_skip("over the simulated MPI");
  weak_for_seeds(play_comm);
}
