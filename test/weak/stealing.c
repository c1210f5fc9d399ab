/* stealing.c - programs over the simulated memory that are directed at stolen tasks and loops, with little beside them
 * that would order what the protocol must. */
#include <scree/scree_sim.h>
#include <scree/task_loop.h>
#include <stdlib.h>

#include "harness.h"
#include "task/deque.h"
#include "weak.h"

enum { STEPS = 2000000, WORKERS = 3 };

/* ---- the deque: its owner and two thieves, each item is taken once, with the plain word that it refers to ---- */

enum { ITEMS = 40 };
typedef struct {
  scree__deque d;
  uint64_t *word[ITEMS];
  volatile uint64_t taken[ITEMS], left; /* under the token */
} items;

static void take_item(items *s, const scree__closure_words *of) {
  uint64_t *word = (uint64_t *)(void *)of->closure.scope;
  const uint64_t i = *word;
  if (check(i < ITEMS && s->word[i] == word)) s->taken[i]++, s->left--;
  free(word);
}

static void own_items(items *s, const scree__transport *t) {
  scree__closure_words item;
  uint64_t next = 0;
  while (next < ITEMS || scree__deque_count(&s->d)) {
    const uint32_t burst = 1 + (uint32_t)weak_draw(3);
    for (uint32_t i = 0; i < burst && next < ITEMS && scree__deque_count(&s->d) < SCREE__DEQUE_ROOM; i++, next++) {
      uint64_t *word = s->word[next] = malloc(sizeof *word);
      *word = next;
      scree__deque_push(&s->d, &(scree__closure){.scope = (scree_scope *)(void *)word, .due = 1});
    }
    for (uint32_t i = 0; i < burst; i++)
      if (scree__deque_take(&s->d, (scree__transport *)t, &item)) take_item(s, &item);
  }
}

static void use_deque(void *arg, uint32_t user) {
  static const scree__scheduler_ops none = {0};
  static scree__scheduler scheduler = {.ops = &none};
  const scree__transport t = {.scheduler = &scheduler};
  items *s = arg;
  scree__closure_words item;
  if (user == 0) own_items(s, &t);
  while (user > 0 && s->left && harness_failures() == 0) {
    if (scree__deque_steal(&s->d, (scree__transport *)&t, 1, &item))
      take_item(s, &item);
    else
      weak_yield();
  }
}

static void play_deque(uint64_t seed) {
  items *s = aligned_alloc(SCREE__LINE, (sizeof *s + SCREE__LINE - 1) / SCREE__LINE * SCREE__LINE);
  memset(s, 0, sizeof *s);
  s->left = ITEMS;
  weak_ignore((const void *)s->taken, sizeof s->taken + sizeof s->left);
  weak_ignore(s->word, sizeof s->word);
  scree__token token = {.threads = WORKERS, .of_rank = 1, .seed = seed, .max_steps = STEPS, .run = use_deque, .arg = s};
  check_text(scree__token_run(&token) && !token.hung, "seed %" PRIu64 ": an item is lost", seed);
  for (uint32_t i = 0; i < ITEMS; i++) check_text(s->taken[i] == 1, "seed %" PRIu64 ": an item is taken twice", seed);
  weak_ignore_none();
  free(s);
}

void weak_deque(void **unused) {
  if (sim_mpi_let_fail) harness_skip("without MPI");
  weak_for_seeds(play_deque);
}

/* ---- ranges of a loop that others steal, with its arguments ---- */

enum { ITERATIONS = 24, LOOPS = 3 };
typedef struct {
  uint64_t *ran;
} part_args;
SCREE_LOOP(part, part_args);
typedef struct {
  part_type part;
  uint64_t ran[ITERATIONS];
} loops;

static void run_part(scree_task *self, uint64_t begin, uint64_t end, const part_args *args) {
  for (uint64_t i = begin; i < end; i++) args->ran[i]++;
}
SCREE_LOOP_BODY(part, part_args, run_part);

static void run_loops(scree_worker *w, void *arg) {
  loops *s = arg;
  for (uint32_t i = 0; i < LOOPS; i++) {
    if (scree_begin(w)) return;
    if (w->index == i % WORKERS) part_for_in(w, s->part, NULL, SCREE_LOOP_LOCAL, 0, ITERATIONS, 1, (part_args){s->ran});
    if (scree_end(w, NULL)) return;
  }
}

static void loop_rank(scree_world *world, void *arg) {
  loops s = {.ran = {0}};
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.steal = SCREE_STEAL_RANK;
  options.task_stack = 65536;
  options.task_guard = SCREE_TASK_GUARD_OFF;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(part_register(world, &s, &s.part), SCREE_OK);
  check_equal(scree_run_workers(world, WORKERS, run_loops, &s), SCREE_OK);
  for (uint32_t i = 0; i < ITERATIONS; i++) check_equal(s.ran[i], LOOPS);
}

static void play_loops(uint64_t seed) {
  const scree_sim_config config = {.seed = seed, .ranks = 1, .nodes = 1, .threads = WORKERS, .max_steps = STEPS};
  check_equal(scree_sim_run(&config, NULL, loop_rank, NULL, NULL), SCREE_OK);
}

void weak_stolen(void **unused) {
  if (sim_mpi_let_fail) harness_skip("without MPI");
  weak_for_seeds(play_loops);
}
