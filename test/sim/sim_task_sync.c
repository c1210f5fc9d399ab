/* sim_task_sync.c - what tasks synchronise by: producers and consumers of each kind of object; failures at each kind of
 * wait; misuse, waits that never end, and order. */
#include <scree/scree_sim.h>

#include "base/options.h"
#include "base/random.h"
#include "harness.h"
#include "task/sync/sync.h"
#include "task_boards.h"

enum { SEEDS = 100, SEEDS_FULL = 2000 };

typedef struct {
  boards s;
  scree_tasks_options tasks;
  char text[320];
} shared;

static void play_worker(scree_worker *w, void *arg) {
  boards_play(w, arg);
}

static void play(scree_world *world, void *arg) {
  shared *all = arg;
  boards_rank r = {.s = &all->s};
  check_equal(scree_tasks_open(world, &all->tasks), SCREE_OK);
  boards_register(world, &r);
  scree_run_workers(world, all->s.workers, play_worker, &r);
  if (scree_error(world) && scree_error_rank(world) == scree_worker_of(world, 0)->rank)
    snprintf(all->text, sizeof all->text, "%s", scree_error_text(world));
}

static scree_status run_seed(uint64_t seed, bool fails, shared *s) {
  uint64_t random = scree__hash(seed);
  const uint32_t ranks = 1 + (uint32_t)(scree__draw(&random) % 9), threads = 1 + (uint32_t)(scree__draw(&random) % 4);
  const scree_sim_config config = {.seed = seed,
                                   .ranks = ranks,
                                   .nodes = 1 + (uint32_t)(scree__draw(&random) % ranks),
                                   .threads = threads,
                                   .max_steps = 50000000,
                                   .quiet = true};
  scree__options options = SCREE__OPTIONS_INIT;
  if (scree__draw(&random) % 2) options.test_pool_blocks = options.in_flight = 1 + scree__draw(&random) % 3;
  if (scree__draw(&random) % 2) options.coalesce_bytes = 1; /* a block a message: one overtakes another */
  options.batch_max = 1 + scree__draw(&random) % 8;
  if (seed % 2) options.test_numbers_left = 1 + seed / 2 % 8;
  *s = (shared){
      .s = {.random = scree__draw(&random), .workers = 1 + (uint32_t)(scree__draw(&random) % threads), .fails = fails},
      .tasks = SCREE_TASKS_OPTIONS_INIT};
  s->tasks.task_live = scree__draw(&random) % 2 ? 1 : 64;
  s->tasks.task_poll = 1 + scree__draw(&random) % 64;
  s->tasks.task_stack = 65536;
  return scree_sim_run(&config, &options.user, play, s, NULL);
}

HARNESS_TEST(each_kind) {
  static shared s;
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    const scree_status status = run_seed(seed, false, &s);
    check_text(status == SCREE_OK, "seed %" PRIu64 ": %s", seed, s.text);
    boards_check(&s.s);
  }
}

HARNESS_TEST(failures) {
  static shared s;
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  uint64_t failed = 0;
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    const scree_status status = run_seed(seed, true, &s);
    check_text(status == SCREE_OK || status == SCREE_EINVAL, "seed %" PRIu64 ": %s", seed, s.text);
    failed += status == SCREE_EINVAL;
  }
  check(failed > count / 4);
}

/* ---- misuse: what a task does, how the world fails ---- */

static scree_worker *of(scree_task *self) {
  return scree_task_worker(self);
}
static void unlock_free(scree_task *self, board *b) {
  scree_mutex_unlock(self, b->mutex);
}
static void lock_twice(scree_task *self, board *b) {
  scree_mutex_lock(self, b->mutex);
  scree_mutex_lock(self, b->mutex);
}
static void close_held(scree_task *self, board *b) {
  scree_mutex_lock(self, b->mutex);
  check_equal(scree_mutex_close(of(self), b->mutex), SCREE_ESTATE);
}
static void close_twice(scree_task *self, board *b) {
  check_equal(scree_barrier_close(of(self), b->barrier), SCREE_OK);
  check_equal(scree_barrier_close(of(self), b->barrier), SCREE_ESTATE);
}
static void close_another(scree_task *self, board *b) {
  check_equal(scree_semaphore_close(of(self), (scree_semaphore){b->mutex.number}), SCREE_ESTATE);
}
static void wait_for_closed(scree_task *self, board *b) {
  scree_full_empty_close(of(self), b->word);
  check_equal(scree_full_empty_write_ef(self, b->word, 1), SCREE_ESTATE);
}
static void wrong_kind(scree_task *self, board *b) {
  scree_semaphore_post(of(self), (scree_semaphore){b->barrier.number}, 1);
}
static void no_number(scree_task *self, board *b) {
  check_equal(scree_barrier_wait(self, (scree_barrier){0}), SCREE_EINVAL);
}
static void no_tasks(scree_task *self, board *b) {
  check_equal(scree_barrier_open(of(self), 0, &b->barrier), SCREE_EINVAL);
}
static void post_too_much(scree_task *self, board *b) {
  scree_semaphore_post(of(self), b->space, UINT64_MAX);
}
/* NULL, 0 and -1 */
#define REFUSES(name, call)                                                                                            \
  static void name(scree_task *self, board *b) {                                                                       \
    check_equal(call, SCREE_EINVAL);                                                                                   \
  }
REFUSES(no_semaphore, scree_semaphore_open(of(self), UINT64_MAX, NULL))
REFUSES(no_mutex, scree_mutex_open(of(self), NULL))
REFUSES(no_condition, scree_condition_open(of(self), NULL))
REFUSES(no_full_empty, scree_full_empty_open(of(self), NULL))
REFUSES(no_barrier, scree_barrier_open(of(self), UINT64_MAX, NULL))
REFUSES(no_future, scree_future_open(of(self), NULL, 0, 1, NULL))
REFUSES(wait_for_nothing, scree_future_wait(self, NULL, NULL))
REFUSES(set_nothing, (scree_future_set(of(self), NULL, NULL), scree_error(scree_world_of(of(self)))))
REFUSES(no_completion, scree_completion_open(of(self), NULL))
REFUSES(enroll_nothing, scree_completion_enroll(NULL, UINT64_MAX))
REFUSES(complete_nothing, scree_completion_complete(NULL, 0))
REFUSES(wait_for_no_completion, scree_completion_wait(self, NULL))
REFUSES(close_nothing, scree_completion_close(NULL))
REFUSES(last_future, scree_future_wait_at(self, UINT64_MAX, NULL, 0))
REFUSES(last_completion, scree_completion_wait_at(self, UINT64_MAX))
REFUSES(last_semaphore, scree_semaphore_wait(self, (scree_semaphore){UINT64_MAX}))
REFUSES(wake_nothing, (scree_task_wake(of(self), NULL), scree_error(scree_world_of(of(self)))))
static void end_nothing(scree_task *self, board *b) {
  check_equal(scree_finish_end(self, NULL), SCREE_ESTATE);
}
static void wait_without_task(scree_task *self, board *b) {
  check_equal(scree_semaphore_wait(NULL, b->space), SCREE_ESTATE);
}
static void wait_for_ever(scree_task *self, board *b) {
  check_equal(scree_semaphore_wait(self, b->items), SCREE_ESTATE);
}
/* A purged word is empty: a second write finds it empty, and readers see the second value, each as often as it
 * likes. */
static void purge(scree_task *self, board *b) {
  uint64_t value = 0;
  check_equal(scree_full_empty_write_ef(self, b->word, 1), SCREE_OK);
  scree_full_empty_purge(of(self), b->word);
  check_equal(scree_full_empty_write_ef(self, b->word, 2), SCREE_OK);
  for (int i = 0; i < 2; i++) check_equal(scree_full_empty_read_ff(self, b->word, &value), SCREE_OK);
  check_equal(value, 2);
}

/* What another task of the scene does with one object. Virtual ranks share memory, so a function is a value. */
typedef struct {
  void (*act)(scree_task *self, uint64_t number);
  uint64_t number;
} other_args;
SCREE_TASK(later, board_args);
SCREE_TASK(far, scree_mutex);
SCREE_TASK(other, other_args);
typedef struct {
  later_type later;
  far_type far;
  other_type other;
} scene_types;

/* By a task of another worker, whose second lock might have overtaken an unlock. */
static void run_far(scree_task *self, const scree_mutex *mutex) {
  check_equal(scree_mutex_lock(self, *mutex), SCREE_OK);
  check_equal(scree_mutex_lock(self, *mutex), SCREE_ESTATE);
}
SCREE_TASK_BODY(far, scree_mutex, run_far);
static void lock_twice_far(scree_task *self, board *b) {
  const scene_types *types = scree_task_arg(self);
  far_spawn_on(of(self), types->far, NULL, 1, b->mutex);
}

static void run_other(scree_task *self, const other_args *args) {
  args->act(self, args->number);
}
SCREE_TASK_BODY(other, other_args, run_other);
static void spawn_other(scree_task *self, scree_scope *scope, uint32_t worker, void (*act)(scree_task *, uint64_t),
                        uint64_t number) {
  const scene_types *types = scree_task_arg(self);
  other_spawn_on(of(self), types->other, scope, worker, (other_args){act, number});
}

static void unlock_another(scree_task *self, uint64_t mutex) {
  scree_mutex_unlock(self, (scree_mutex){mutex});
}
static void unlock_held(scree_task *self, board *b, uint32_t by) {
  check_equal(scree_mutex_lock(self, b->mutex), SCREE_OK);
  spawn_other(self, NULL, by, unlock_another, b->mutex.number);
  check_equal(scree_task_suspend(self, "the test"), SCREE_ESTATE);
}
static void unlock_held_here(scree_task *self, board *b) {
  unlock_held(self, b, 0);
}
static void unlock_held_far(scree_task *self, board *b) {
  unlock_held(self, b, 1);
}

/* ---- waits that never end, of each kind ---- */

static void read_empty(scree_task *self, board *b) {
  uint64_t value = 7;
  check_equal(scree_full_empty_read_ff(self, b->word, &value), SCREE_ESTATE);
  check_equal(value, 7);
}
static void take_empty(scree_task *self, board *b) {
  uint64_t value = 7;
  check_equal(scree_full_empty_read_fe(self, b->word, &value), SCREE_ESTATE);
  check_equal(value, 7);
}
static void write_full(scree_task *self, board *b) {
  check_equal(scree_full_empty_write_ef(self, b->word, 1), SCREE_OK);
  check_equal(scree_full_empty_write_ef(self, b->word, 2), SCREE_ESTATE);
}
static void one_of_two(scree_task *self, board *b) {
  check_equal(scree_barrier_wait(self, b->barrier), SCREE_ESTATE);
}
static void no_signal(scree_task *self, board *b) {
  check_equal(scree_mutex_lock(self, b->mutex), SCREE_OK);
  check_equal(scree_condition_wait(self, b->not_full, b->mutex), SCREE_ESTATE);
}
static void lock_in_vain(scree_task *self, uint64_t mutex) {
  check_equal(scree_mutex_lock(self, (scree_mutex){mutex}), SCREE_ESTATE);
}
static void never_unlock(scree_task *self, board *b) {
  check_equal(scree_mutex_lock(self, b->mutex), SCREE_OK);
  spawn_other(self, NULL, 0, lock_in_vain, b->mutex.number);
}

/* ---- order ---- */

static struct { uint64_t arrived, gone_on; } queue;

/* Readers that wait for a word are all served by one write, which leaves the word full. */
static void read_later(scree_task *self, uint64_t word) {
  uint64_t value = 0;
  queue.arrived++;
  check_equal(scree_full_empty_read_ff(self, (scree_full_empty){word}, &value), SCREE_OK);
  check_equal(value, 11);
  queue.gone_on++;
}
static void readers_wait(scree_task *self, board *b, uint32_t on) {
  uint64_t value = 0;
  queue.arrived = queue.gone_on = 0;
  scree_scope *scope = scree_finish(self);
  for (int i = 0; i < 2; i++) spawn_other(self, scope, on, read_later, b->word.number);
  while (queue.arrived < 2 && scree_task_yield(self) == SCREE_OK) {
  }
  for (int i = 0; i < 200; i++) scree_task_yield(self);
  check_equal(queue.gone_on, 0);
  check_equal(scree_full_empty_write_ef(self, b->word, 11), SCREE_OK);
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(queue.gone_on, 2);
  check_equal(scree_full_empty_read_fe(self, b->word, &value), SCREE_OK);
}
static void readers_wait_here(scree_task *self, board *b) {
  readers_wait(self, b, 0);
}
static void readers_wait_far(scree_task *self, board *b) {
  readers_wait(self, b, 1);
}

/* Tasks of a semaphore's worker continue in the order in which they arrived. */
static void wait_in_turn(scree_task *self, uint64_t semaphore) {
  const uint64_t turn = queue.arrived++;
  check_equal(scree_semaphore_wait(self, (scree_semaphore){semaphore}), SCREE_OK);
  check_equal(queue.gone_on++, turn);
}
static void first_come(scree_task *self, board *b) {
  queue.arrived = queue.gone_on = 0;
  scree_scope *scope = scree_finish(self);
  for (int i = 0; i < 5; i++) spawn_other(self, scope, 0, wait_in_turn, b->items.number);
  while (queue.arrived < 5 && scree_task_yield(self) == SCREE_OK) {
  }
  check_equal(queue.gone_on, 0);
  for (int i = 0; i < 5; i++) scree_semaphore_post(of(self), b->items, 1);
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(queue.gone_on, 5);
}

/* A future by its number, which tasks of another rank set. */
static void add(void *kept, const void *value) {
  *(uint64_t *)kept += *(const uint64_t *)value;
}
static void set_there(scree_task *self, uint64_t future) {
  check_equal(of(self)->rank, 1);
  scree_future_set_at(of(self), future, &(uint64_t){21}, sizeof(uint64_t));
}
static void set_far(scree_task *self, board *b) {
  scree_future both;
  uint64_t sum = 0;
  check_equal(scree_future_open(of(self), &both, sizeof sum, 2, add), SCREE_OK);
  for (int i = 0; i < 2; i++) spawn_other(self, NULL, 1, set_there, scree_future_number(&both));
  check(!scree_future_test(&both, &sum));
  check_equal(scree_future_wait(self, &both, &sum), SCREE_OK);
  check_equal(sum, 42);
  scree_future_close(&both);
}

/* Two tickets reach the queue in the wrong order: the one that was called continues. */
static scree_condition tickets;
static void run_later(scree_task *self, const board_args *args) {
  uint64_t ticket = (uint64_t)(int32_t)args->user; /* near 2^64, or a few */
  scree_condition_signal(of(self), tickets);
  check_equal(scree__sync_wait(self, tickets.number, SCREE__CONDITION_WAIT, &ticket, "later"), SCREE_OK);
}
SCREE_TASK_BODY(later, board_args, run_later);
static void tickets_out_of_order(scree_task *self, board *b) {
  const later_type type = ((const scene_types *)scree_task_arg(self))->later;
  uint64_t ticket[3] = {0, 0, 0};
  tickets = b->not_full;
  for (int i = 0; i < 3; i++) scree__sync_wait(self, tickets.number, SCREE__CONDITION_ENTER, &ticket[i], "enter");
  later_spawn(of(self), type, NULL, (board_args){0, (uint32_t)ticket[2]}); /* calls ticket 0; then 2 waits first */
  for (int i = 0; i < 200; i++) scree_task_yield(self);
  later_spawn(of(self), type, NULL, (board_args){0, (uint32_t)ticket[0]}); /* calls ticket 1, after 2 */
  check_equal(scree__sync_wait(self, tickets.number, SCREE__CONDITION_WAIT, &ticket[1], "1"), SCREE_OK);
  scree_condition_signal(of(self), tickets);
}

static const struct {
  void (*act)(scree_task *self, board *b);
  scree_status code;
  const char *text;
} scenes[] = {
    {unlock_free, SCREE_ESTATE, "no task holds this mutex"},
    {lock_twice, SCREE_ESTATE, "the task holds this mutex already"},
    {lock_twice_far, SCREE_ESTATE, "rank 1"},
    {unlock_held_here, SCREE_ESTATE, "another task holds this mutex: only the task that has locked it may unlock it"},
    {unlock_held_far, SCREE_ESTATE, "another task holds this mutex: only the task that has locked it may unlock it"},
    {close_held, SCREE_ESTATE, "a task holds this mutex"},
    {close_twice, SCREE_ESTATE, "is none of this worker's, or was closed"},
    {close_another, SCREE_ESTATE, "is an object of another kind"},
    {wait_for_closed, SCREE_ESTATE, "was closed"},
    {wrong_kind, SCREE_EINVAL, "operation 101 of another kind of object on barrier"},
    {no_number, SCREE_EINVAL, "no object of this world"},
    {no_tasks, SCREE_EINVAL, "a barrier of 0 tasks; legal: 1 or more"},
    {no_semaphore, SCREE_EINVAL, "scree_semaphore_open: no semaphore: pass what is not NULL"},
    {no_mutex, SCREE_EINVAL, "scree_mutex_open: no mutex"},
    {no_condition, SCREE_EINVAL, "scree_condition_open: no condition"},
    {no_full_empty, SCREE_EINVAL, "scree_full_empty_open: no full_empty"},
    {no_barrier, SCREE_EINVAL, "scree_barrier_open: no barrier"},
    {no_future, SCREE_EINVAL, "scree_future_open: no future"},
    {wait_for_nothing, SCREE_EINVAL, "scree_future_wait: no future"},
    {set_nothing, SCREE_EINVAL, "scree_future_set: no future"},
    {no_completion, SCREE_EINVAL, "scree_completion_open: no completion"},
    {enroll_nothing, SCREE_EINVAL, "scree_completion_enroll: no completion"},
    {complete_nothing, SCREE_EINVAL, "scree_completion_complete: no completion"},
    {wait_for_no_completion, SCREE_EINVAL, "scree_completion_wait: no completion"},
    {close_nothing, SCREE_EINVAL, "scree_completion_close: no completion"},
    {last_future, SCREE_EINVAL, "scree_future_wait_at: no object of this world"},
    {last_completion, SCREE_EINVAL, "scree_completion_wait_at: no object of this world"},
    {last_semaphore, SCREE_EINVAL, "scree_semaphore_wait: no object of this world"},
    {wake_nothing, SCREE_EINVAL, "scree_task_wake: no task"},
    {end_nothing, SCREE_ESTATE, "scree_finish_end: task of type 'scene': no scope"},
    {post_too_much, SCREE_EINVAL, "beside a count of 3 is more than 64 bits"},
    {wait_without_task, SCREE_ESTATE, "without a task"},
    {wait_for_ever, SCREE_ESTATE, "waits for semaphore"},
    {read_empty, SCREE_ESTATE, "waits for full_empty since"},
    {take_empty, SCREE_ESTATE, "waits for full_empty since"},
    {write_full, SCREE_ESTATE, "waits for full_empty since"},
    {one_of_two, SCREE_ESTATE, "waits for barrier since"},
    {no_signal, SCREE_ESTATE, "waits for condition since"},
    {never_unlock, SCREE_ESTATE, "of type 'other', waits for mutex since"},
    {readers_wait_here, SCREE_OK, ""},
    {readers_wait_far, SCREE_OK, ""},
    {first_come, SCREE_OK, ""},
    {set_far, SCREE_OK, ""},
    {purge, SCREE_OK, ""},
    {tickets_out_of_order, SCREE_OK, ""},
};

SCREE_TASK(scene, board_args);
static void run_scene(scree_task *self, const board_args *args) {
  board b = {.users = 2};
  check(board_open(of(self), &b));
  scenes[args->kind].act(self, &b);
}
SCREE_TASK_BODY(scene, board_args, run_scene);

static void play_scene(scree_world *world, void *arg) {
  const uint32_t n = *(const uint32_t *)arg;
  scree_worker *w = scree_worker_of(world, 0);
  scene_type type;
  scene_types types;
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_stack = 65536;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(scene_register(world, &types, &type), SCREE_OK);
  check_equal(later_register(world, NULL, &types.later), SCREE_OK);
  check_equal(far_register(world, NULL, &types.far), SCREE_OK);
  check_equal(other_register(world, &types, &types.other), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0) scene_spawn(w, type, NULL, (board_args){n, 0});
  check_equal(scree_end(w, NULL), scenes[n].code);
  if (w->rank == 0) check_contains(scree_error_text(world), scenes[n].text);
}

HARNESS_TEST(misuse) {
  for (uint32_t n = 0; n < sizeof scenes / sizeof *scenes && harness_failures() == 0; n++) {
    const scree_sim_config config = {.seed = n + 1, .ranks = 2, .nodes = 1, .quiet = true};
    check_equal(scree_sim_run(&config, NULL, play_scene, &n, NULL), scenes[n].code);
    if (harness_failures()) printf("scene %u: %s\n", n, scenes[n].text);
  }
}

HARNESS_MAIN
