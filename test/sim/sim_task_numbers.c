/* sim_task_numbers.c - numbers of objects and identities of tasks: none is 0, a number of a closed object is refused,
 * and what is closed is used again. With --setup full as often as the widths of the words allow. */
#include <scree/scree_sim.h>
#include <scree/task_sync.h>

#include "base/options.h"
#include "harness.h"
#include "task/object.h"

enum { CYCLES = 20000, CYCLES_FULL = 10000000, WAVES = 20000, WAVES_FULL = 1000000, WAVE = 64, LEFT = 5 };

/* ---- each kind ---- */

typedef union {
  scree_future future;
  scree_completion *completion;
  scree_semaphore semaphore;
  scree_mutex mutex;
  scree_condition condition;
  scree_full_empty full_empty;
  scree_barrier barrier;
} any;

static uint64_t open_future(scree_worker *w, any *o) {
  return scree_future_open(w, &o->future, 8, 1, NULL) ? 0 : scree_future_number(&o->future);
}
static bool close_future(scree_worker *w, any *o) {
  scree_future_close(&o->future);
  return true;
}
static uint64_t open_completion(scree_worker *w, any *o) {
  return scree_completion_open(w, &o->completion) ? 0 : scree_completion_number(o->completion);
}
static bool close_completion(scree_worker *w, any *o) {
  return scree_completion_close(o->completion) == SCREE_OK;
}
#define HANDLE(kind, ...)                                                                                              \
  static uint64_t open_##kind(scree_worker *w, any *o) {                                                               \
    return scree_##kind##_open(w, __VA_ARGS__) ? 0 : o->kind.number;                                                   \
  }                                                                                                                    \
  static bool close_##kind(scree_worker *w, any *o) {                                                                  \
    return scree_##kind##_close(w, o->kind) == SCREE_OK;                                                               \
  }
HANDLE(semaphore, 1, &o->semaphore)
HANDLE(mutex, &o->mutex)
HANDLE(condition, &o->condition)
HANDLE(full_empty, &o->full_empty)
HANDLE(barrier, 1, &o->barrier)

#define KIND(kind)                                                                                                     \
  { #kind, open_##kind, close_##kind }
static const struct {
  const char *name;
  uint64_t (*open)(scree_worker *w, any *o); /* 0: it failed */
  bool (*close)(scree_worker *w, any *o);
} kinds[] = {KIND(future),    KIND(completion), KIND(semaphore), KIND(mutex),
             KIND(condition), KIND(full_empty), KIND(barrier)};

static void run(scree_sim_fn *play, void *arg, uint64_t numbers_left) {
  const scree_sim_config config = {.seed = 3, .ranks = 1, .nodes = 1, .quiet = true};
  scree__options options = SCREE__OPTIONS_INIT;
  options.test_numbers_left = numbers_left;
  options.test_first_counts = 0; /* else a place of a number is soon retired, and the table grows */
  check_equal(scree_sim_run(&config, &options.user, play, arg, NULL), SCREE_OK);
}

static scree_worker *begin(scree_world *world) {
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK);
  return w;
}

/* In one place, one after another. */
static void play_kinds(scree_world *world, void *arg) {
  const uint64_t cycles = *(const uint64_t *)arg;
  scree_worker *w = begin(world);
  scree__tasks *t = scree__tasks_of(scree__worker_of(w));
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    uint64_t good = 0, last = 0;
    for (uint64_t i = 0; i < cycles; i++) {
      any o;
      const uint64_t number = kinds[k].open(w, &o);
      good += number && number != last && scree__object_find(t, number) && !scree__object_find(t, last);
      good += kinds[k].close(w, &o) && !scree__object_find(t, number);
      last = number;
    }
    check_text(good == 2 * cycles, "%s: %" PRIu64 " of %" PRIu64 ": %s", kinds[k].name, good, 2 * cycles,
               scree_error_text(world));
  }
  check_equal(scree_end(w, NULL), SCREE_OK);
}
HARNESS_TEST(each_kind_in_one_place) {
  run(play_kinds, &(uint64_t){CYCLES}, LEFT);
  run(play_kinds, &(uint64_t){harness_seeds(CYCLES, CYCLES_FULL)}, 0);
}

/* ---- waves: the table does not grow ---- */

static uint64_t resident_pages(void) {
  unsigned long all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%lu %lu", &all, &resident) != 2) resident = 0;
  if (file) fclose(file);
  return resident;
}

static void play_waves(scree_world *world, void *arg) {
  static scree_future f[WAVE];
  const uint64_t waves = *(const uint64_t *)arg;
  scree_worker *w = begin(world);
  const scree__tasks *t = scree__tasks_of(scree__worker_of(w));
  uint64_t pages = 0, numbers = 0;
  for (uint64_t i = 0; i < waves; i++) {
    for (int k = 0; k < WAVE; k++) {
      scree_future_open(w, &f[k], 0, 1, NULL);
      numbers += scree_future_number(&f[k]) != 0;
    }
    for (int k = 0; k < WAVE; k++) scree_future_close(&f[k]);
    if (i == 1000) pages = resident_pages();
  }
  check_equal(numbers, waves * WAVE);
  check_equal(t->objects.used, WAVE);
  check(resident_pages() * 10 <= pages * 11);
  check_equal(scree_end(w, NULL), SCREE_OK);
}
HARNESS_TEST(waves) {
  run(play_waves, &(uint64_t){harness_seeds(WAVES, WAVES_FULL)}, 0);
}

/* ---- all places ---- */

static bool never_served(scree__object *object, scree__request *request) {
  return false;
}
static const scree__object_ops ops = {.name = "future", .serve = never_served};

/* A place has one number: the places are used up, and then the one that was retired first starts again. Then as many
 * objects are open as have numbers, and one more. */
static void play_all(scree_world *world, void *arg) {
  scree_worker *w = begin(world);
  scree__tasks *t = scree__tasks_of(scree__worker_of(w));
  scree__object *o = malloc((SCREE_NUMBERS_MAX + 1) * sizeof *o);
  uint64_t good = 0, first = 0;
  for (uint64_t i = 0; i < SCREE_NUMBERS_MAX + 1000; i++) {
    good += scree__object_open(w, o, &ops, "test");
    const uint64_t number = scree__object_number(o);
    if (i == 0) first = number;
    good += number && (i == 0 || number != first) && scree__object_close(o, "test");
  }
  check_equal(good, 2 * (SCREE_NUMBERS_MAX + 1000));
  for (uint64_t i = 0; i <= SCREE_NUMBERS_MAX; i++) {
    scree__object_open(w, &o[i], &ops, "test");
    good += scree__object_number(&o[i]) != 0;
  }
  check_equal(good, 2 * (SCREE_NUMBERS_MAX + 1000) + SCREE_NUMBERS_MAX);
  check_equal(scree_error(world), SCREE_ENOMEM);
  check_contains(scree_error_text(world), "legal are 1048576 objects with numbers at a time on each worker");
  check_equal(scree_end(w, NULL), SCREE_ENOMEM);
  check(!scree__object_find(t, first));
  free(o);
}
HARNESS_TEST(all_places) {
  const scree_sim_config config = {.seed = 3, .ranks = 1, .nodes = 1, .quiet = true};
  scree__options options = SCREE__OPTIONS_INIT;
  options.test_numbers_left = 1;
  check_equal(scree_sim_run(&config, &options.user, play_all, NULL, NULL), SCREE_ENOMEM);
}

/* ---- identities of tasks ---- */

/* Each of more tasks than 2^18, one after another in the same place, is known to the mutex and to the answers of the
 * other rank. */
enum { TASKS = (1 << 18) + 10, REMOTE_STEP = 1 << 14 };
typedef struct {
  uint64_t semaphore, n;
} lock_args;
SCREE_TASK(locks, lock_args);
typedef struct {
  scree_mutex mutex;
  uint64_t locked;
} locker;
static void lock(scree_task *self, const lock_args *args) {
  locker *l = scree_task_arg(self);
  if (scree_mutex_lock(self, l->mutex)) return;
  l->locked++;
  scree_mutex_unlock(self, l->mutex);
  if (args->n % REMOTE_STEP < 2) check_equal(scree_semaphore_wait(self, (scree_semaphore){args->semaphore}), SCREE_OK);
}
SCREE_TASK_BODY(locks, lock_args, lock);

static void play_tasks(scree_world *world, void *arg) {
  static uint64_t semaphore; /* of rank 1, which the ranks share in the simulator */
  locker l = {.locked = 0};
  scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
  options.task_live = 1;
  options.steal = SCREE_STEAL_OFF;
  check_equal(scree_tasks_open(world, &options), SCREE_OK);
  locks_type type;
  check_equal(locks_register(world, &l, &type), SCREE_OK);
  scree_worker *w = scree_worker_of(world, 0);
  scree_semaphore s;
  for (int epoch = 0; epoch < 2; epoch++) {
    check_equal(scree_begin(w), SCREE_OK);
    if (epoch == 0 && w->rank == 1 && check_equal(scree_semaphore_open(w, UINT64_MAX, &s), SCREE_OK))
      semaphore = s.number;
    if (epoch == 1 && w->rank == 0) {
      check_equal(scree_mutex_open(w, &l.mutex), SCREE_OK);
      for (uint64_t i = 0; i < TASKS; i++) locks_spawn(w, type, NULL, (lock_args){semaphore, i});
    }
    check_text(scree_end(w, NULL) == SCREE_OK, "%s", scree_error_text(world));
  }
  if (w->rank == 0) check_equal(l.locked, TASKS);
}
HARNESS_TEST(tasks_of_one_place) {
  for (uint64_t left = 0; left < 3; left++) {
    const scree_sim_config config = {.seed = 3, .ranks = 2, .nodes = 1, .quiet = true};
    scree__options options = SCREE__OPTIONS_INIT;
    options.test_numbers_left = left;
    check_equal(scree_sim_run(&config, &options.user, play_tasks, NULL, NULL), SCREE_OK);
  }
}

HARNESS_MAIN
