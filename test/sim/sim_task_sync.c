/* sim_task_sync.c - objects by which tasks synchronise, one scene each, played on two virtual ranks over some seeds:
 * what is refused, waits that never end, and order. Random programs of all kinds of them: test/traffic/objects.c. */
#include <scree/task_sync.h>

#include "rules.h"
#include "task/sync/sync.h"

#define RULES rule_tasks

/* The objects of a scene, and what another task of it does with one. Virtual ranks share memory. */
typedef struct {
  scree_semaphore items, space;
  scree_mutex mutex;
  scree_condition condition;
  scree_full_empty word;
  scree_barrier barrier;
} board;
static board b;
static struct {
  void (*act)(scree_task *self, uint64_t number);
  uint64_t arrived, gone_on;
} other;

static scree_worker *of(scree_task *self) {
  return scree_task_worker(self);
}
static bool open_all(actor *a) {
  other.arrived = other.gone_on = 0;
  return !scree_semaphore_open(a->w, 0, &b.items) && !scree_semaphore_open(a->w, 3, &b.space) &&
         !scree_mutex_open(a->w, &b.mutex) && !scree_condition_open(a->w, &b.condition) &&
         !scree_full_empty_open(a->w, &b.word) && !scree_barrier_open(a->w, 2, &b.barrier);
}
/* OBJECTS(name, code, text) { body }: the first task of the scene, with the objects; others have a number. */
#define OBJECTS(name, code, ...)                                                                                       \
  static void name##_with(scree_task *self, actor *a);                                                                 \
  RULE(name, code, __VA_ARGS__, .live = 4) {                                                                           \
    if (n)                                                                                                             \
      other.act(self, n);                                                                                              \
    else if (check(open_all(a)))                                                                                       \
      name##_with(self, a);                                                                                            \
  }                                                                                                                    \
  static void name##_with(scree_task *self, actor *a)
#define OBJECT(name, call, code, ...)                                                                                  \
  OBJECTS(name, code, __VA_ARGS__) {                                                                                   \
    check_equal(call, code);                                                                                           \
  }
static void spawn_other(actor *a, scree_scope *scope, uint32_t worker, void (*act)(scree_task *, uint64_t),
                        uint64_t number) {
  other.act = act;
  job_spawn_on(a->w, a->job, scope, worker, (job_args){number});
}
static scree_status error_after(actor *a) {
  return scree_error(a->world);
}

/* ---- what is refused ---- */

OBJECT(unlock_free, (scree_mutex_unlock(self, b.mutex), error_after(a)), SCREE_ESTATE, "no task holds this mutex")
OBJECTS(lock_twice, SCREE_ESTATE, "the task holds this mutex already") {
  check_equal(scree_mutex_lock(self, b.mutex), SCREE_OK);
  check_equal(scree_mutex_lock(self, b.mutex), SCREE_ESTATE);
}
/* By a task of another worker, whose second lock might have overtaken an unlock. */
static void lock_both(scree_task *self, uint64_t mutex) {
  check_equal(scree_mutex_lock(self, (scree_mutex){mutex}), SCREE_OK);
  check_equal(scree_mutex_lock(self, (scree_mutex){mutex}), SCREE_ESTATE);
}
OBJECTS(lock_twice_far, SCREE_ESTATE, "rank 1") {
  spawn_other(a, NULL, 1, lock_both, b.mutex.number);
}
static void unlock_another(scree_task *self, uint64_t mutex) {
  scree_mutex_unlock(self, (scree_mutex){mutex});
}
static void unlock_held(scree_task *self, actor *a, uint32_t by) {
  check_equal(scree_mutex_lock(self, b.mutex), SCREE_OK);
  spawn_other(a, NULL, by, unlock_another, b.mutex.number);
  check_equal(scree_task_suspend(self, "the test"), SCREE_ESTATE);
}
#define HELD_BY_ANOTHER "another task holds this mutex: only the task that has locked it may unlock it"
OBJECTS(unlock_held_here, SCREE_ESTATE, HELD_BY_ANOTHER) {
  unlock_held(self, a, 0);
}
OBJECTS(unlock_held_far, SCREE_ESTATE, HELD_BY_ANOTHER) {
  unlock_held(self, a, 1);
}
OBJECTS(close_held, SCREE_ESTATE, "a task holds this mutex") {
  check_equal(scree_mutex_lock(self, b.mutex), SCREE_OK);
  check_equal(scree_mutex_close(a->w, b.mutex), SCREE_ESTATE);
}
OBJECTS(close_twice, SCREE_ESTATE, "is none of this worker's, or was closed") {
  check_equal(scree_barrier_close(a->w, b.barrier), SCREE_OK);
  check_equal(scree_barrier_close(a->w, b.barrier), SCREE_ESTATE);
}
OBJECT(close_another, scree_semaphore_close(a->w, (scree_semaphore){b.mutex.number}), SCREE_ESTATE,
       "is an object of another kind")
OBJECTS(wait_for_closed_word, SCREE_ESTATE, "was closed") {
  scree_full_empty_close(a->w, b.word);
  check_equal(scree_full_empty_write_ef(self, b.word, 1), SCREE_ESTATE);
}
/* The world closes what is left open; a worker may close objects outside of tasks, after the epoch too. */
static void close_after(actor *a) {
  if (a->w->rank) return;
  check_equal(scree_semaphore_close(a->w, b.items), SCREE_OK);
  check_equal(scree_mutex_close(a->w, b.mutex), SCREE_OK);
  check_equal(scree_condition_close(a->w, b.condition), SCREE_OK);
  check_equal(scree_full_empty_close(a->w, b.word), SCREE_OK);
  check_equal(scree_barrier_close(a->w, b.barrier), SCREE_OK);
}
OBJECTS(closed_after_the_epoch, SCREE_OK, "", .after = close_after) {
  scree_semaphore_post(a->w, b.items, 1);
}
OBJECT(wrong_kind, (scree_semaphore_post(a->w, (scree_semaphore){b.barrier.number}, 1), error_after(a)), SCREE_EINVAL,
       "operation 101 of another kind of object on barrier")
OBJECT(post_too_much, (scree_semaphore_post(a->w, b.space, UINT64_MAX), error_after(a)), SCREE_EINVAL,
       "beside a count of 3 is more than 64 bits")
OBJECT(wait_without_task, scree_semaphore_wait(NULL, b.space), SCREE_ESTATE, "without a task")
/* NULL, 0 and -1 */
REFUSED(no_number, scree_barrier_wait(self, (scree_barrier){0}), SCREE_EINVAL, "no object of this world")
REFUSED(no_tasks, scree_barrier_open(a->w, 0, &b.barrier), SCREE_EINVAL, "a barrier of 0 tasks; legal: 1 or more")
REFUSED(no_semaphore, scree_semaphore_open(a->w, UINT64_MAX, NULL), SCREE_EINVAL,
        "scree_semaphore_open: no semaphore: pass what is not NULL")
REFUSED(no_mutex, scree_mutex_open(a->w, NULL), SCREE_EINVAL, "scree_mutex_open: no mutex")
REFUSED(no_condition, scree_condition_open(a->w, NULL), SCREE_EINVAL, "scree_condition_open: no condition")
REFUSED(no_full_empty, scree_full_empty_open(a->w, NULL), SCREE_EINVAL, "scree_full_empty_open: no full_empty")
REFUSED(no_barrier, scree_barrier_open(a->w, UINT64_MAX, NULL), SCREE_EINVAL, "scree_barrier_open: no barrier")
REFUSED(no_future, scree_future_open(a->w, NULL, 0, 1, NULL), SCREE_EINVAL, "scree_future_open: no future")
REFUSED(wait_for_nothing, scree_future_wait(self, NULL, NULL), SCREE_EINVAL, "scree_future_wait: no future")
REFUSED(set_nothing, (scree_future_set(a->w, NULL, NULL), error_after(a)), SCREE_EINVAL, "scree_future_set: no future")
REFUSED(no_completion, scree_completion_open(a->w, NULL), SCREE_EINVAL, "scree_completion_open: no completion")
REFUSED(enroll_nothing, scree_completion_enroll(NULL, UINT64_MAX), SCREE_EINVAL,
        "scree_completion_enroll: no completion")
REFUSED(complete_nothing, scree_completion_complete(NULL, 0), SCREE_EINVAL, "scree_completion_complete: no completion")
REFUSED(wait_for_no_completion, scree_completion_wait(self, NULL), SCREE_EINVAL, "scree_completion_wait: no completion")
REFUSED(close_nothing, scree_completion_close(NULL), SCREE_EINVAL, "scree_completion_close: no completion")
REFUSED(last_future, scree_future_wait_at(self, UINT64_MAX, NULL, 0), SCREE_EINVAL,
        "scree_future_wait_at: no object of this world")
REFUSED(last_completion, scree_completion_wait_at(self, UINT64_MAX), SCREE_EINVAL,
        "scree_completion_wait_at: no object of this world")
REFUSED(last_semaphore, scree_semaphore_wait(self, (scree_semaphore){UINT64_MAX}), SCREE_EINVAL,
        "scree_semaphore_wait: no object of this world")
REFUSED(wake_nothing, (scree_task_wake(a->w, NULL), error_after(a)), SCREE_EINVAL, "scree_task_wake: no task")
REFUSED(end_nothing, scree_finish_end(self, NULL), SCREE_ESTATE, "scree_finish_end: task of type 'job': no scope")

/* ---- waits that never end, of each kind ---- */

#define NEVER(name, call, object) OBJECT(name, call, SCREE_ESTATE, "waits for " object " since")
NEVER(semaphore_for_ever, scree_semaphore_wait(self, b.items), "semaphore")
NEVER(one_of_two, scree_barrier_wait(self, b.barrier), "barrier")
#define READ_NOTHING(name, read)                                                                                       \
  OBJECTS(name, SCREE_ESTATE, "waits for full_empty since") {                                                          \
    uint64_t value = 7;                                                                                                \
    check_equal(read(self, b.word, &value), SCREE_ESTATE);                                                             \
    check_equal(value, 7);                                                                                             \
  }
READ_NOTHING(read_empty, scree_full_empty_read_ff)
READ_NOTHING(take_empty, scree_full_empty_read_fe)
OBJECTS(write_full, SCREE_ESTATE, "waits for full_empty since") {
  check_equal(scree_full_empty_write_ef(self, b.word, 1), SCREE_OK);
  check_equal(scree_full_empty_write_ef(self, b.word, 2), SCREE_ESTATE);
}
OBJECTS(no_signal, SCREE_ESTATE, "waits for condition since") {
  check_equal(scree_mutex_lock(self, b.mutex), SCREE_OK);
  check_equal(scree_condition_wait(self, b.condition, b.mutex), SCREE_ESTATE);
}
static void lock_in_vain(scree_task *self, uint64_t mutex) {
  check_equal(scree_mutex_lock(self, (scree_mutex){mutex}), SCREE_ESTATE);
}
OBJECTS(never_unlock, SCREE_ESTATE, "of type 'job', waits for mutex since") {
  check_equal(scree_mutex_lock(self, b.mutex), SCREE_OK);
  spawn_other(a, NULL, 0, lock_in_vain, b.mutex.number);
}

/* ---- order ---- */

/* A purged word is empty: a second write finds it empty, and readers see the second value, each as often as it
 * likes. */
OBJECTS(purge, SCREE_OK, "") {
  uint64_t value = 0;
  check_equal(scree_full_empty_write_ef(self, b.word, 1), SCREE_OK);
  scree_full_empty_purge(a->w, b.word);
  check_equal(scree_full_empty_write_ef(self, b.word, 2), SCREE_OK);
  for (int i = 0; i < 2; i++) check_equal(scree_full_empty_read_ff(self, b.word, &value), SCREE_OK);
  check_equal(value, 2);
}

/* Readers that wait for a word are all served by one write, which leaves the word full. */
static void read_later(scree_task *self, uint64_t word) {
  uint64_t value = 0;
  other.arrived++;
  check_equal(scree_full_empty_read_ff(self, (scree_full_empty){word}, &value), SCREE_OK);
  check_equal(value, 11);
  other.gone_on++;
}
static void have_arrived(scree_task *self, uint64_t tasks) {
  while (other.arrived < tasks && scree_task_yield(self) == SCREE_OK) continue;
}
static void readers_wait(scree_task *self, actor *a, uint32_t on) {
  uint64_t value = 0;
  scree_scope *scope = scree_finish(self);
  for (int i = 0; i < 2; i++) spawn_other(a, scope, on, read_later, b.word.number);
  have_arrived(self, 2);
  for (int i = 0; i < 200; i++) scree_task_yield(self);
  check_equal(other.gone_on, 0);
  check_equal(scree_full_empty_write_ef(self, b.word, 11), SCREE_OK);
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(other.gone_on, 2);
  check_equal(scree_full_empty_read_fe(self, b.word, &value), SCREE_OK);
}
OBJECTS(readers_wait_here, SCREE_OK, "") {
  readers_wait(self, a, 0);
}
OBJECTS(readers_wait_far, SCREE_OK, "") {
  readers_wait(self, a, 1);
}

/* Tasks of a semaphore's worker continue in the order in which they arrived. */
static void wait_in_turn(scree_task *self, uint64_t semaphore) {
  const uint64_t turn = other.arrived++;
  check_equal(scree_semaphore_wait(self, (scree_semaphore){semaphore}), SCREE_OK);
  check_equal(other.gone_on++, turn);
}
OBJECTS(first_come, SCREE_OK, "") {
  scree_scope *scope = scree_finish(self);
  for (int i = 0; i < 5; i++) spawn_other(a, scope, 0, wait_in_turn, b.items.number);
  have_arrived(self, 5);
  check_equal(other.gone_on, 0);
  for (int i = 0; i < 5; i++) scree_semaphore_post(a->w, b.items, 1);
  check_equal(scree_finish_end(self, scope), SCREE_OK);
  check_equal(other.gone_on, 5);
}

/* A future by its number, which tasks of another rank set. */
static void add(void *kept, const void *value) {
  *(uint64_t *)kept += *(const uint64_t *)value;
}
static void set_there(scree_task *self, uint64_t future) {
  check_equal(of(self)->rank, 1);
  scree_future_set_at(of(self), future, &(uint64_t){21}, sizeof(uint64_t));
}
OBJECTS(set_far, SCREE_OK, "") {
  scree_future both;
  uint64_t sum = 0;
  check_equal(scree_future_open(a->w, &both, sizeof sum, 2, add), SCREE_OK);
  for (int i = 0; i < 2; i++) spawn_other(a, NULL, 1, set_there, scree_future_number(&both));
  check(!scree_future_test(&both, &sum));
  check_equal(scree_future_wait(self, &both, &sum), SCREE_OK);
  check_equal(sum, 42);
  scree_future_close(&both);
}

/* Two tickets reach the queue in the wrong order: the one that was called continues. */
static uint64_t ticket[3];
static void wait_later(scree_task *self, uint64_t n) {
  scree_condition_signal(of(self), b.condition);
  check_equal(scree__sync_wait(self, b.condition.number, SCREE__CONDITION_WAIT, &ticket[n % 3], "later"), SCREE_OK);
}
OBJECTS(tickets_out_of_order, SCREE_OK, "") {
  for (int i = 0; i < 3; i++) scree__sync_wait(self, b.condition.number, SCREE__CONDITION_ENTER, &ticket[i], "enter");
  spawn_other(a, NULL, 0, wait_later, 2); /* calls ticket 0; then 2 waits first */
  for (int i = 0; i < 200; i++) scree_task_yield(self);
  spawn_other(a, NULL, 0, wait_later, 3); /* calls ticket 1, after 2 */
  check_equal(scree__sync_wait(self, b.condition.number, SCREE__CONDITION_WAIT, &ticket[1], "1"), SCREE_OK);
  scree_condition_signal(a->w, b.condition);
}

HARNESS_MAIN
