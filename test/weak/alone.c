/* alone.c - one protocol each, called directly: nothing beside it orders what it must order. */
#include <scree/scree_sim.h>

#include "core/epoch.h"
#include "detect/detect.h"
#include "harness.h"
#include "transport/funnel/funnel.h"
#include "weak.h"

enum { STEPS = 200000, DETECTORS = 2, TURNS = 8, ROUNDS = 12 };

void weak_run_threads(uint64_t seed, uint32_t threads, void (*run)(void *arg, uint32_t thread), void *arg) {
  scree__token token = {.threads = threads, .of_rank = 1, .seed = seed, .max_steps = STEPS, .run = run, .arg = arg};
  check_text(scree__token_run(&token) && !token.hung, "seed %" PRIu64 ": it has hung", seed);
}

/* ---- counters: whichever word of a contribution a detector sees, it sees what its worker has created before ---- */

typedef struct {
  scree__node_slot *slot;
  uint32_t failed; /* the turn in which the worker acknowledges a failure */
} counters;

/* In each turn a block is created, and one unit of work that it received is done, in an epoch of its own. */
static void count(scree__detection *d, uint32_t failed) {
  for (uint32_t turn = 1; turn <= TURNS; turn++) {
    d->epoch = d->tokens = turn - 1;
    d->contributed = false;
    d->created = d->released = turn;
    scree__count_created(d);
    scree__contribute(d, NULL, 0, turn >= failed);
  }
}

static void detect(scree__detection *d, uint32_t failed) {
  for (int i = 0; i < ROUNDS; i++) {
    const bool all = scree__all_contributed(d);
    scree__round sums;
    scree__read_counters(d, &sums);
    if (all) check_text(sums.created > d->epoch, "a contribution is seen, and not what was created before it");
    check_text(sums.created >= sums.completed, "a completion is seen, and not what was created before it");
    check_text(sums.created >= sums.released, "work that is done is seen, and not what was created before it");
    if (!sums.unacknowledged)
      check_text(sums.created >= failed, "a failure is acknowledged, and what was created before it is not seen");
    d->epoch += all;
  }
}

static void use_counters(void *arg, uint32_t thread) {
  static const scree__scheduler_ops none = {0};
  static scree__scheduler scheduler = {.ops = &none};
  const counters *s = arg;
  const scree__topology at = {.threads = 1, .endpoints = 1, .nodes = 2};
  scree__node_page page = {.failed = 0};
  scree__transport t = {.topology = &at, .scheduler = &scheduler, .slots = s->slot, .page = &page};
  scree__detection d = {.transport = &t, .ranks = 1, .endpoints = 1, .taking = 1, .group = {s->slot, 1, 0, 2, NULL}};
  if (thread == 0)
    count(&d, s->failed);
  else
    detect(&d, s->failed);
}

static void play_counters(uint64_t seed) {
  counters s = {aligned_alloc(SCREE__LINE, sizeof *s.slot), 1 + (uint32_t)seed % TURNS};
  memset(s.slot, 0, sizeof *s.slot);
  weak_run_threads(seed, 1 + DETECTORS, use_counters, &s);
  free(s.slot);
}

void weak_counters(void **unused) {
  if (sim_mpi_let_fail) harness_skip("without MPI");
  weak_for_seeds(play_counters);
}

/* ---- the communication thread: what it and the first worker use in turn, and the faults that it reports ---- */

typedef struct {
  scree__collective collective; /* must be first; it stands for MPI's */
  scree__funnel *funnel;
  uint64_t uses; /* by whoever may call MPI */
  bool fails, writes_off, doubts;
} calls;

static scree_status start_round(scree__collective *c, const scree__round *mine) {
  calls *s = (calls *)c;
  s->uses++;
  s->funnel->fault->written_off += s->writes_off;
  s->funnel->fault->doubtful += s->doubts;
  if (s->fails) scree__fault_raise(s->funnel->fault, SCREE_EMPI, "on purpose");
  return SCREE_OK;
}

static bool test_round(scree__collective *c, scree__round *out) {
  calls *s = (calls *)c;
  s->uses++;
  return false;
}

static const scree__collective_ops called = {.round_start = start_round, .round_test = test_round};

/* The first worker, which has MPI at first and in the end. */
static void use_thread(scree__funnel *f, calls *s) {
  const scree__round mine = {.created = 0};
  scree__fault *to = f->first_fault;
  for (int i = 0; i < ROUNDS; i++) {
    s->uses++;
    f->service.resume(&f->service);
    if (i == 0) f->collective.ops->round_start(&f->collective, &mine);
    for (int poll = 0; poll < TURNS; poll++) {
      scree__server_take_faults(f);
      if (to->written_off) check_text(to->status, "it is seen that a block was written off, but not why");
      if (to->doubtful) check_text(to->status, "it is seen that a send is doubtful, but not why");
      if (to->status) check_text(strcmp(to->text, "on purpose") == 0, "the text is '%s'", to->text);
      weak_step();
    }
    f->service.pause(&f->service);
  }
  scree__server_take_faults(f);
  to->status = SCREE_OK, to->written_off = to->doubtful = 0;
}

static void comm_rank(scree_world *world, void *seed) {
  scree__worker *w = scree__worker_of(scree_worker_of(world, 0));
  scree__funnel *f = SCREE__CONTAINER(w->transport->service, scree__funnel, service);
  const uint64_t how = *(uint64_t *)seed;
  calls s = {
      .collective.ops = &called, .funnel = f, .fails = how % 4 > 0, .writes_off = how % 4 == 1, .doubts = how % 4 == 2};
  scree__collective *inner = f->inner;
  f->inner = &s.collective;
  use_thread(f, &s);
  f->inner = inner;
  f->errands.round_open = false;
  AO_store(&f->errands.round, SCREE__IDLE);
}

static void play_pauses(uint64_t seed) {
  const scree_sim_config config = {.seed = seed, .ranks = 2, .nodes = 2, .threads = 1, .max_steps = STEPS};
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 20;
  options.progress = SCREE_PROGRESS_COMM;
  check_equal(scree_sim_run(&config, &options, comm_rank, &seed, NULL), SCREE_OK);
}

void weak_pauses(void **unused) {
  if (!sim_mpi_let_fail) harness_skip("over the simulated MPI");
  weak_for_seeds(play_pauses);
}
