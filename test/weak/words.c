/* words.c - global memory, accessed directly: what an operation orders besides the words of global memory. */
#include <scree/scree_sim.h>
#include <stdlib.h>

#include "global/operation.h"
#include "harness.h"
#include "weak.h"

enum { ROUNDS = 12, RANKS = 4, STEPS = 4000000 };

/* ---- atomics of global memory: one passes on the plain word that its rank has written before ---- */

typedef struct {
  uint64_t seed, flag, word;
} passed;

static uint64_t change(passed *s, uint64_t value) {
  const bool adds = s->seed & 1;
  return scree__atomic((char *)&s->flag, adds ? SCREE__GLOBAL_ADD : SCREE__GLOBAL_OR, s->seed & 2 ? 4 : 8, value, 0);
}

static void pass_word(void *arg, uint32_t thread) {
  passed *s = arg;
  if (thread == 0) {
    s->word = 1;
    change(s, 1);
  }
  for (int i = 0; thread && i < ROUNDS; i++)
    if (change(s, 0) & 1) check_equal(s->word, 1);
}

static void play_atomics(uint64_t seed) {
  passed *s = malloc(sizeof *s);
  *s = (passed){.seed = seed};
  weak_run_threads(seed, 2, pass_word, s);
  free(s);
}

void weak_words(void **unused) {
  if (sim_mpi_let_fail) harness_skip("without MPI");
  weak_for_seeds(play_atomics);
}

/* ---- program order: of direct accesses by tasks, or on the worker's own stack, and words of the program's own. The
 * first rank writes or waits, the second one reads; the others are of another node ---- */

typedef struct {
  uint64_t plain;
  AO_t own;
} words;
typedef struct {
  uint64_t seed;
  const scree_global_map *map;
  scree_global global;
  words *own;
  uint32_t here;
  uint64_t got[2];
} order;
typedef struct {
  order *s;
} act_args;
SCREE_TASK(act, act_args);

enum { FLAG, ONE };
static scree_address at(const order *s, uint32_t rank, uint32_t word) {
  return scree_global_at(s->map, &s->global, rank, 8 * word);
}

static bool bit(const order *s, int i) {
  return s->seed >> i & 1;
}

#define CALL(name, ...) (self ? scree_##name(self, __VA_ARGS__) : scree_##name##_poll(w, __VA_ARGS__))

/* By a put, the plain word that was written before it. */
static void pass_plain(const order *s, scree_worker *w, scree_task *self) {
  const uint64_t one = 1;
  const scree_address flag = at(s, 0, FLAG);
  s->own->plain = 1;
  check_equal(bit(s, 1) ? CALL(scatter, &flag, &one, 1, 8) : CALL(put_value, flag, 1, 8), SCREE_OK);
}
static void take_plain(const order *s, scree_worker *w, scree_task *self) {
  const scree_address flag = at(s, 0, FLAG);
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t seen = 0;
    check_equal(bit(s, 2) ? CALL(gather, &seen, &flag, 1, 8) : CALL(get, &seen, flag, 8), SCREE_OK);
    if (seen) check_equal(s->own->plain, 1);
  }
}

/* An asynchronous operation, quiet or a fence, and a load of the program's own; against its store and a get. */
static void settle(order *s, scree_worker *w, scree_task *self) {
  const scree_address flag = at(s, 0, FLAG);
  if (bit(s, 1))
    scree_copy_nbi(w, flag, at(s, RANKS - 1, ONE), 8);
  else
    scree_put_value_nbi(w, flag, 1, 8);
  if (bit(s, 2))
    check_equal(self ? scree_fence(self, flag) : scree_fence_poll(w, flag), SCREE_OK);
  else
    check_equal(self ? scree_quiet(self) : scree_quiet_poll(w), SCREE_OK);
  s->got[0] = AO_load(&s->own->own);
}
static void look(order *s, scree_worker *w, scree_task *self) {
  AO_store(&s->own->own, 1);
  AO_nop_full();
  check_equal(CALL(get, &s->got[1], at(s, 0, FLAG), 8), SCREE_OK);
}

/* Both at once, and nothing orders them. */
static void act_now(order *s, scree_worker *w, scree_task *self) {
  s->here++;
  while (s->here < 2) weak_step();
  if (bit(s, 3))
    (w->rank == 0 ? settle : look)(s, w, self);
  else
    (w->rank == 0 ? pass_plain : take_plain)(s, w, self);
}
static void run_act(scree_task *self, const act_args *args) {
  act_now(args->s, scree_task_worker(self), self);
}
SCREE_TASK_BODY(act, act_args, run_act);

static void order_rank(scree_world *world, void *arg) {
  order *s = arg;
  act_type type;
  if (scree_tasks_open(world, NULL) || act_register(world, NULL, &type)) return;
  scree_worker *w = weak_open_words(world, &s->map, &s->global);
  if (!w) return;
  if (w->rank == 0) check(!scree_put_value_poll(w, at(s, 0, FLAG), 0, 8));
  if (w->rank == 0) check(!scree_put_value_poll(w, at(s, RANKS - 1, ONE), 1, 8));
  if (scree_end(w, NULL) || scree_begin(w)) return;
  if (w->rank < 2 && bit(s, 0))
    act_spawn(w, type, NULL, (act_args){s});
  else if (w->rank < 2)
    act_now(s, w, NULL);
  scree_end(w, NULL);
}

static void play_order(uint64_t seed) {
  static order s;
  scree_options options = SCREE_OPTIONS_INIT;
  const scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 2, .threads = 1, .max_steps = STEPS};
  options.memory = 1 << 20;
  s = (order){.seed = seed, .own = calloc(1, sizeof *s.own)};
  check_equal(scree_sim_run(&config, &options, order_rank, &s, NULL), SCREE_OK);
  check_equal(s.here, 2);
  if (bit(&s, 3)) check_text(s.got[0] || s.got[1], "seed %" PRIu64 ": neither has seen the other's store", seed);
  free(s.own);
}

void weak_program_order(void **unused) {
  if (sim_mpi_let_fail) harness_skip("ranks of a node have memory at different addresses");
  weak_for_seeds(play_order);
}
