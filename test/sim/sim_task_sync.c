/* sim_task_sync.c - what tasks synchronise by: producers and consumers on drawn workers for each kind of object, with what each
 * kind promises; failures at each kind of wait; misuse. */
#include <scree/scree_sim.h>
#include <scree/task_sync.h>

#include "base/hash.h"
#include "base/options.h"
#include "base/random.h"
#include "harness.h"
#include "task/sync/sync.h"

enum { SEEDS = 300, SEEDS_FULL = 2000, USERS = 6, ITEMS = 4, ROOM = 3 };
typedef enum { SEMAPHORE, MUTEX, CONDITION, FULL_EMPTY, BARRIER, KINDS } kind;

/* The objects of one play, and what they guard. All virtual ranks share it, since one thread runs them. */
typedef struct {
  scree_semaphore items, space;
  scree_mutex mutex;
  scree_condition not_full, not_empty;
  scree_full_empty word;
  scree_barrier barrier;
  uint32_t users;
  uint32_t home;             /* their worker's number */
  bool local;                /* all users are there */
  bool close;                /* behind the epoch */
  uint64_t held, made, used; /* things in the buffer; sums of their numbers */
  uint64_t inside, tickets, served, come[ITEMS];
} board;

typedef struct {
  uint32_t kind, user;
} user_args;
SCREE_TASK(user, user_args);
SCREE_TASK(host, user_args);

typedef struct {
  uint64_t random;
  uint32_t workers;
  bool fails;
  board b[KINDS];
  uint64_t ended;
  scree_tasks_options tasks;
  char text[320];
} shared;

typedef struct {
  shared *s;
  host_type host;
  user_type user;
} virtual_rank;

static shared *shared_of(const scree_task *self) {
  return ((const virtual_rank *)scree_task_arg(self))->s;
}

static uint64_t draw(shared *s, uint64_t n) {
  return scree__draw(&s->random) % n;
}

/* ---- users: even ones produce, odd ones consume ---- */

static void put(board *b, uint64_t number) {
  check(b->held < ROOM);
  b->held++;
  b->made += number;
}
static void get(board *b) {
  check(b->held > 0);
  b->held--;
}

static scree_status use_semaphore(scree_task *self, board *b, shared *s, uint32_t user) {
  for (int i = 0; i < ITEMS; i++) {
    const scree_status status = scree_semaphore_wait(self, user % 2 ? b->items : b->space);
    if (status) return status;
    if (user % 2)
      get(b);
    else
      put(b, 1);
    scree_semaphore_post(scree_task_worker(self), user % 2 ? b->space : b->items, 1);
  }
  return SCREE_OK;
}

/* Tasks of the mutex' worker get it in the order in which they came. */
static scree_status use_mutex(scree_task *self, board *b, shared *s, uint32_t user) {
  for (int i = 0; i < ITEMS; i++) {
    const uint64_t ticket = b->tickets++;
    scree_status status = scree_mutex_lock(self, b->mutex);
    if (status) return status;
    check_equal(b->inside++, 0);
    if (b->local) check_equal(ticket, b->served);
    b->served++;
    if (draw(s, 2)) status = scree_task_yield(self);
    check_equal(--b->inside, 0);
    if (status) return status;
    scree_mutex_unlock(self, b->mutex);
  }
  return SCREE_OK;
}

static scree_status use_condition(scree_task *self, board *b, shared *s, uint32_t user) {
  for (int i = 0; i < ITEMS; i++) {
    scree_status status = scree_mutex_lock(self, b->mutex);
    while (!status && b->held == (user % 2 ? 0 : ROOM))
      status = scree_condition_wait(self, user % 2 ? b->not_empty : b->not_full, b->mutex);
    if (status) return status;
    if (user % 2)
      get(b);
    else
      put(b, 1);
    if (draw(s, 2))
      scree_condition_signal(scree_task_worker(self), user % 2 ? b->not_full : b->not_empty);
    else
      scree_condition_broadcast(scree_task_worker(self), user % 2 ? b->not_full : b->not_empty);
    scree_mutex_unlock(self, b->mutex);
  }
  return SCREE_OK;
}

static scree_status use_full_empty(scree_task *self, board *b, shared *s, uint32_t user) {
  for (uint64_t i = 0; i < ITEMS; i++) {
    uint64_t value = 1 + user * ITEMS + i;
    const scree_status status =
        user % 2 ? scree_full_empty_read_fe(self, b->word, &value) : scree_full_empty_write_ef(self, b->word, value);
    if (status) return status;
    *(user % 2 ? &b->used : &b->made) += value * value;
  }
  return SCREE_OK;
}

static scree_status use_barrier(scree_task *self, board *b, shared *s, uint32_t user) {
  for (int i = 0; i < ITEMS; i++) {
    b->come[i]++;
    const scree_status status = scree_barrier_wait(self, b->barrier);
    if (status) return status;
    check_equal(b->come[i], b->users);
  }
  return SCREE_OK;
}

static void run_user(scree_task *self, const user_args *args) {
  static scree_status (*const use[KINDS])(scree_task *, board *, shared *, uint32_t) = {
      use_semaphore, use_mutex, use_condition, use_full_empty, use_barrier};
  shared *s = shared_of(self);
  if (s->fails && draw(s, 4 * USERS) == 0) scree_fail(scree_task_worker(self), SCREE_EINVAL, "drawn");
  if (use[args->kind](self, &s->b[args->kind], s, args->user) == SCREE_OK) s->ended++;
}
SCREE_TASK_BODY(user, user_args, run_user);

/* ---- the task that has the objects ---- */

static bool open_all(scree_worker *w, board *b) {
  return !scree_semaphore_open(w, 0, &b->items) && !scree_semaphore_open(w, ROOM, &b->space) &&
         !scree_mutex_open(w, &b->mutex) && !scree_condition_open(w, &b->not_full) &&
         !scree_condition_open(w, &b->not_empty) && !scree_full_empty_open(w, &b->word) &&
         !scree_barrier_open(w, b->users, &b->barrier);
}

static void close_all(scree_worker *w, board *b) {
  check_equal(scree_semaphore_close(w, b->items), SCREE_OK);
  check_equal(scree_semaphore_close(w, b->space), SCREE_OK);
  check_equal(scree_mutex_close(w, b->mutex), SCREE_OK);
  check_equal(scree_condition_close(w, b->not_full), SCREE_OK);
  check_equal(scree_condition_close(w, b->not_empty), SCREE_OK);
  check_equal(scree_full_empty_close(w, b->word), SCREE_OK);
  check_equal(scree_barrier_close(w, b->barrier), SCREE_OK);
}

static void run_host(scree_task *self, const user_args *args) {
  const virtual_rank *r = scree_task_arg(self);
  shared *s = r->s;
  scree_worker *w = scree_task_worker(self);
  board *b = &s->b[args->kind];
  const uint32_t all = w->ranks * s->workers;
  b->users = 2 * (1 + (uint32_t)draw(s, USERS / 2));
  b->home = scree_worker_number(w, w->rank, w->index);
  b->local = draw(s, 4) == 0;
  if (!open_all(w, b)) return;
  scree_scope *scope = scree_finish(self);
  if (!scope) return;
  for (uint32_t u = 0; u < b->users; u++) {
    const uint32_t worker = (uint32_t)draw(s, all);
    user_spawn_on(
        w, r->user, scope,
        scree_worker_number(w, b->local ? w->rank : worker / s->workers, b->local ? w->index : worker % s->workers),
        (user_args){args->kind, u});
  }
  if (scree_finish_end(self, scope)) return;
  check_equal(b->held, 0);
  check_equal(b->made, args->kind == FULL_EMPTY ? b->used : b->made);
  b->close = draw(s, 2); /* else the world closes them */
  if (b->local && b->close) close_all(w, b);
}
SCREE_TASK_BODY(host, user_args, run_host);

/* ---- the driver ---- */

static void worker_of_rank(scree_worker *w, void *arg) {
  const virtual_rank *r = arg;
  if (scree_begin(w)) return;
  for (uint32_t k = 0; w->rank == 0 && w->index == 0 && k < KINDS; k++)
    host_spawn_on(w, r->host, NULL, scree_worker_number(w, (uint32_t)draw(r->s, w->ranks), 0), (user_args){k, 0});
  if (scree_end(w, NULL)) return;
  for (board *b = r->s->b; b < r->s->b + KINDS; b++)
    if (b->home == scree_worker_number(w, w->rank, w->index) && b->close && !b->local) close_all(w, b);
}

static void play(scree_world *world, void *arg) {
  virtual_rank r = {.s = arg};
  check_equal(scree_tasks_open(world, &r.s->tasks), SCREE_OK);
  check_equal(host_register(world, &r, &r.host), SCREE_OK);
  check_equal(user_register(world, &r, &r.user), SCREE_OK);
  scree_run_workers(world, r.s->workers, worker_of_rank, &r);
  if (scree_error(world) && scree_error_rank(world) == scree_worker_of(world, 0)->rank)
    snprintf(r.s->text, sizeof r.s->text, "%s", scree_error_text(world));
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
  if (scree__draw(&random) % 2) options.test_pool_blocks = options.in_flight = 1;
  options.batch_max = 1 + scree__draw(&random) % 8;
  *s = (shared){.random = scree__draw(&random),
                .workers = 1 + (uint32_t)(scree__draw(&random) % threads),
                .fails = fails,
                .tasks = SCREE_TASKS_OPTIONS_INIT};
  s->tasks.task_live = scree__draw(&random) % 2 ? 1 : 64;
  s->tasks.task_poll = 1 + scree__draw(&random) % 64;
  s->tasks.task_stack = 65536;
  return scree_sim_run(&config, &options.user, play, s, NULL);
}

static void each_kind(void **unused) {
  static shared s;
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    uint64_t users = 0;
    const scree_status status = run_seed(seed, false, &s);
    for (int k = 0; k < KINDS; k++) users += s.b[k].users;
    check_text(status == SCREE_OK, "seed %" PRIu64 ": %s", seed, s.text);
    check_equal(s.ended, users);
  }
}

static void failures(void **unused) {
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
static void wait_without_task(scree_task *self, board *b) {
  check_equal(scree_semaphore_wait(NULL, b->space), SCREE_ESTATE);
}
static void wait_for_ever(scree_task *self, board *b) {
  check_equal(scree_semaphore_wait(self, b->items), SCREE_ESTATE);
}
/* A purged word is empty: a second write finds room, and readers see the second value, each as often as it likes. */
static void purge(scree_task *self, board *b) {
  uint64_t value = 0;
  check_equal(scree_full_empty_write_ef(self, b->word, 1), SCREE_OK);
  scree_full_empty_purge(of(self), b->word);
  check_equal(scree_full_empty_write_ef(self, b->word, 2), SCREE_OK);
  for (int i = 0; i < 2; i++) check_equal(scree_full_empty_read_ff(self, b->word, &value), SCREE_OK);
  check_equal(value, 2);
}

/* Two tickets reach the queue in the wrong order: the one that was called goes on. */
SCREE_TASK(later, user_args);
static scree_condition tickets;
static void run_later(scree_task *self, const user_args *args) {
  uint64_t ticket = args->user;
  scree_condition_signal(of(self), tickets);
  check_equal(scree__sync_wait(self, tickets.number, SCREE__CONDITION_WAIT, &ticket, "later"), SCREE_OK);
}
SCREE_TASK_BODY(later, user_args, run_later);
static void tickets_out_of_order(scree_task *self, board *b) {
  const later_type *type = scree_task_arg(self);
  uint64_t ticket[3] = {0, 0, 0};
  tickets = b->not_full;
  for (int i = 0; i < 3; i++) scree__sync_wait(self, tickets.number, SCREE__CONDITION_ENTER, &ticket[i], "enter");
  later_spawn(of(self), *type, NULL, (user_args){0, 2}); /* calls ticket 0; then 2 waits first */
  for (int i = 0; i < 200; i++) scree_task_yield(self);
  later_spawn(of(self), *type, NULL, (user_args){0, 0}); /* calls ticket 1, behind 2 */
  check_equal(scree__sync_wait(self, tickets.number, SCREE__CONDITION_WAIT, &ticket[1], "1"), SCREE_OK);
  scree_condition_signal(of(self), tickets);
}

static const struct {
  void (*act)(scree_task *self, board *b);
  scree_status code;
  const char *text;
} scenes[] = {
    {unlock_free, SCREE_ESTATE, "nobody holds this mutex"},
    {lock_twice, SCREE_ESTATE, "the task holds this mutex already"},
    {close_held, SCREE_ESTATE, "a task holds this mutex"},
    {close_twice, SCREE_ESTATE, "is none of this worker's, or was closed"},
    {close_another, SCREE_ESTATE, "is an object of another kind"},
    {wait_for_closed, SCREE_ESTATE, "was closed"},
    {wrong_kind, SCREE_EINVAL, "operation 101 of another kind of object on barrier"},
    {no_number, SCREE_EINVAL, "is no number of an object"},
    {no_tasks, SCREE_EINVAL, "a barrier of 0 tasks: legal is 1 or more"},
    {post_too_much, SCREE_EINVAL, "beside a count of 3 is more than 64 bits"},
    {wait_without_task, SCREE_ESTATE, "without a task"},
    {wait_for_ever, SCREE_ESTATE, "waits for semaphore"},
    {purge, SCREE_OK, ""},
    {tickets_out_of_order, SCREE_OK, ""},
};

SCREE_TASK(scene, user_args);
static void run_scene(scree_task *self, const user_args *args) {
  board b = {.users = 2};
  check(open_all(of(self), &b));
  scenes[args->kind].act(self, &b);
}
SCREE_TASK_BODY(scene, user_args, run_scene);

static void play_scene(scree_world *world, void *arg) {
  const uint32_t n = *(const uint32_t *)arg;
  scree_worker *w = scree_worker_of(world, 0);
  scene_type type;
  later_type later;
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_stack = 65536;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  check_equal(scene_register(world, &later, &type), SCREE_OK);
  check_equal(later_register(world, NULL, &later), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0) scene_spawn(w, type, NULL, (user_args){n, 0});
  check_equal(scree_end(w, NULL), scenes[n].code);
  if (w->rank == 0) check_contains(scree_error_text(world), scenes[n].text);
}

static void misuse(void **unused) {
  for (uint32_t n = 0; n < sizeof scenes / sizeof *scenes && harness_failures() == 0; n++) {
    const scree_sim_config config = {.seed = n + 1, .ranks = 2, .nodes = 1, .quiet = true};
    check_equal(scree_sim_run(&config, NULL, play_scene, &n, NULL), scenes[n].code);
    if (harness_failures()) printf("scene %u: %s\n", n, scenes[n].text);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_kind),
    cmocka_unit_test(failures),
    cmocka_unit_test(misuse),
};
HARNESS_MAIN(tests)
