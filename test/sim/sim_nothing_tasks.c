/* sim_nothing_tasks.c - NULL, 0 and -1 as each argument of each public function of libscree-task. */
#include <scree/task_loop.h>

#include "harness.h"
#include "nothing.h"

static scree_tasks_options options = SCREE_TASKS_OPTIONS_INIT;
static scree_global_options global_options = SCREE_GLOBAL_OPTIONS_INIT;
static scree_tasks_stats stats = {.size = sizeof stats};
static scree_global_stats global_stats = {.size = sizeof global_stats};
static scree_future future;
static scree_completion *completion;
static scree_semaphore semaphore;
static scree_mutex mutex;
static scree_condition condition;
static scree_full_empty word;
static scree_barrier barrier;
static scree_global array;
static uint64_t value, values[8];

/* An object of each kind, which the calls of a row get. */
static scree_future *opened_future(nothing *c) {
  check_equal(scree_future_open(c->w, &future, sizeof value, 1, NULL), SCREE_OK);
  return &future;
}
static scree_future *ready_future(nothing *c) {
  scree_future_set(c->w, opened_future(c), &value);
  return &future;
}
static scree_completion *opened_completion(nothing *c) {
  check_equal(scree_completion_open(c->w, &completion), SCREE_OK);
  return completion;
}
static scree_completion *enrolled(nothing *c) {
  check_equal(scree_completion_enroll(opened_completion(c), 1), SCREE_OK);
  return completion;
}
static uint64_t opened_semaphore(nothing *c) {
  check_equal(scree_semaphore_open(c->w, 1, &semaphore), SCREE_OK);
  return semaphore.number;
}
static uint64_t opened_mutex(nothing *c) {
  check_equal(scree_mutex_open(c->w, &mutex), SCREE_OK);
  return mutex.number;
}
static uint64_t opened_condition(nothing *c) {
  check_equal(scree_condition_open(c->w, &condition), SCREE_OK);
  return condition.number;
}
static uint64_t opened_word(nothing *c) {
  check_equal(scree_full_empty_open(c->w, &word), SCREE_OK);
  return word.number;
}
static uint64_t full_word(nothing *c) {
  check_equal(scree_full_empty_write_ef(c->self, (scree_full_empty){opened_word(c)}, 1), SCREE_OK);
  return word.number;
}
static uint64_t opened_barrier(nothing *c) {
  check_equal(scree_barrier_open(c->w, 1, &barrier), SCREE_OK);
  return barrier.number;
}
static const scree_global *allocated(nothing *c) {
  check_equal(scree_global_alloc(c->self, 64, SCREE_GLOBAL_LOCAL, &array), SCREE_OK);
  return &array;
}
static scree_address at(nothing *c) {
  return scree_global_at(scree_global_map_of(c->world), allocated(c), 0, 0);
}

#define SEMAPHORE(i) ((scree_semaphore){NUMBER(i, opened_semaphore(c))})
#define MUTEX(i)     ((scree_mutex){NUMBER(i, opened_mutex(c))})
#define CONDITION(i) ((scree_condition){NUMBER(i, opened_condition(c))})
#define WORD(i)      ((scree_full_empty){NUMBER(i, opened_word(c))})
#define FULL(i)      ((scree_full_empty){NUMBER(i, full_word(c))})
#define BARRIER(i)   ((scree_barrier){NUMBER(i, opened_barrier(c))})
#define SELF         POINTER(0, c->self)
#define WORKER       POINTER(0, c->w)
#define WORLD        POINTER(0, c->world)

#define ROWS(X)                                                                                                        \
  X(PLAIN, STATUS, scree_tasks_open, "! .", WORLD, POINTER(1, &options))                                               \
  X(IDLE, STATUS, scree_tasks_stats_read, "! !", WORLD, POINTER(1, &stats))                                            \
  X(TASK, TRUTH, scree_task_worker, "!", SELF)                                                                         \
  X(TASK, TRUTH, scree_task_scope, "!", SELF)                                                                          \
  X(TASK, TRUTH, scree_task_arg, "!", SELF)                                                                            \
  X(TASK, STATUS, scree_task_yield, "t", SELF)                                                                         \
  X(TASK, STATUS, scree_task_suspend, "t .", SELF, (scree_task_wake(c->w, c->self), POINTER(1, "test")))               \
  X(TASK, VOID, scree_task_wake, ". t", WORKER, POINTER(1, c->self))                                                   \
  X(TASK, TRUTH, scree_finish, "t", SELF)                                                                              \
  X(TASK, STATUS, scree_finish_end, "t t", SELF, POINTER(1, scree_finish(c->self)))                                    \
  X(OPEN, STATUS, scree_completion_open, "! t", WORKER, POINTER(1, &completion))                                       \
  X(OPEN, STATUS, scree_completion_enroll, "t ..", POINTER(0, opened_completion(c)), NUMBER(1, (uint64_t)1))           \
  X(OPEN, STATUS, scree_completion_complete, "t .t", POINTER(0, enrolled(c)), NUMBER(1, (uint64_t)1))                  \
  X(TASK, STATUS, scree_completion_wait, "t t", SELF, POINTER(1, opened_completion(c)))                                \
  X(OPEN, STATUS, scree_completion_close, "t", POINTER(0, opened_completion(c)))                                       \
  X(OPEN, TRUTH, scree_completion_number, "t", POINTER(0, opened_completion(c)))                                       \
  X(TASK, STATUS, scree_completion_wait_at, "t tt", SELF, NUMBER(1, scree_completion_number(opened_completion(c))))    \
  X(OPEN, STATUS, scree_future_open, "! t .t t- .", WORKER, POINTER(1, &future), NUMBER(2, sizeof value),              \
    NUMBER(3, (uint64_t)1), POINTER(4, scree_combine_sum_u64))                                                         \
  X(OPEN, VOID, scree_future_set, ". t .", WORKER, POINTER(1, opened_future(c)), POINTER(2, &value))                   \
  X(TASK, STATUS, scree_future_wait, "t t .", SELF, POINTER(1, ready_future(c)), POINTER(2, &value))                   \
  X(TASK, TRUTH, scree_future_test, "t .", POINTER(0, ready_future(c)), POINTER(1, &value))                            \
  X(OPEN, VOID, scree_future_close, "t", POINTER(0, opened_future(c)))                                                 \
  X(OPEN, TRUTH, scree_future_number, "t", POINTER(0, opened_future(c)))                                               \
  X(OPEN, VOID, scree_future_set_at, ". tt . .t", WORKER, NUMBER(1, scree_future_number(opened_future(c))),            \
    POINTER(2, &value), NUMBER(3, sizeof value))                                                                       \
  X(TASK, STATUS, scree_future_wait_at, "t tt . .t", SELF, NUMBER(1, scree_future_number(ready_future(c))),            \
    POINTER(2, &value), NUMBER(3, sizeof value))                                                                       \
  X(OPEN, STATUS, scree_semaphore_open, "! .. t", WORKER, NUMBER(1, (uint64_t)1), POINTER(2, &semaphore))              \
  X(TASK, STATUS, scree_semaphore_wait, "t tt", SELF, SEMAPHORE(1))                                                    \
  X(OPEN, VOID, scree_semaphore_post, ". tt .t", WORKER, SEMAPHORE(1), NUMBER(2, (uint64_t)1))                         \
  X(OPEN, STATUS, scree_semaphore_close, "! tt", WORKER, SEMAPHORE(1))                                                 \
  X(OPEN, STATUS, scree_mutex_open, "! t", WORKER, POINTER(1, &mutex))                                                 \
  X(TASK, STATUS, scree_mutex_lock, "t tt", SELF, MUTEX(1))                                                            \
  X(TASK, VOID, scree_mutex_unlock, "t tt", SELF, MUTEX(1))                                                            \
  X(OPEN, STATUS, scree_mutex_close, "! tt", WORKER, MUTEX(1))                                                         \
  X(OPEN, STATUS, scree_condition_open, "! t", WORKER, POINTER(1, &condition))                                         \
  X(TASK, STATUS, scree_condition_wait, "t tt tt", SELF, CONDITION(1), MUTEX(2))                                       \
  X(OPEN, VOID, scree_condition_signal, ". tt", WORKER, CONDITION(1))                                                  \
  X(OPEN, VOID, scree_condition_broadcast, ". tt", WORKER, CONDITION(1))                                               \
  X(OPEN, STATUS, scree_condition_close, "! tt", WORKER, CONDITION(1))                                                 \
  X(OPEN, STATUS, scree_full_empty_open, "! t", WORKER, POINTER(1, &word))                                             \
  X(TASK, STATUS, scree_full_empty_read_ff, "t tt .", SELF, FULL(1), POINTER(2, &value))                               \
  X(TASK, STATUS, scree_full_empty_read_fe, "t tt .", SELF, FULL(1), POINTER(2, &value))                               \
  X(TASK, STATUS, scree_full_empty_write_ef, "t tt ..", SELF, WORD(1), NUMBER(2, (uint64_t)1))                         \
  X(OPEN, VOID, scree_full_empty_purge, ". tt", WORKER, WORD(1))                                                       \
  X(OPEN, STATUS, scree_full_empty_close, "! tt", WORKER, WORD(1))                                                     \
  X(OPEN, STATUS, scree_barrier_open, "! t. t", WORKER, NUMBER(1, (uint64_t)1), POINTER(2, &barrier))                  \
  X(TASK, STATUS, scree_barrier_wait, "t tt", SELF, BARRIER(1))                                                        \
  X(OPEN, STATUS, scree_barrier_close, "! tt", WORKER, BARRIER(1))                                                     \
  X(IDLE, STATUS, scree_global_open, "! t", WORLD, POINTER(1, &global_options))                                        \
  X(IDLE, TRUTH, scree_global_map_of, "!", WORLD)                                                                      \
  X(TASK, STATUS, scree_global_alloc, "t tt .t t", SELF, NUMBER(1, (uint64_t)64),                                      \
    NUMBER(2, (scree_global_policy)SCREE_GLOBAL_LOCAL), POINTER(3, &array))                                            \
  X(TASK, STATUS, scree_global_free, "t t", SELF, POINTER(1, allocated(c)))                                            \
  X(TASK, STATUS, scree_global_export, "t t tt .. t", SELF, POINTER(1, values), NUMBER(2, (uint64_t)sizeof values),    \
    NUMBER(3, true), POINTER(4, &array))                                                                               \
  X(TASK, TRUTH, scree_global_stack, "t t", SELF, POINTER(1, &(uint64_t){0}))                                          \
  X(TASK, STATUS, scree_global_find, "t tt .t t", SELF, NUMBER(1, at(c)), NUMBER(2, (uint64_t)8), POINTER(3, &array))  \
  X(IDLE, STATUS, scree_symmetric_alloc, "! tt t", WORLD, NUMBER(1, (uint64_t)64), POINTER(2, &array))                 \
  X(TASK, STATUS, scree_quiet, "t", SELF)                                                                              \
  X(OPEN, STATUS, scree_quiet_poll, "!", WORKER)                                                                       \
  X(TASK, STATUS, scree_fence, "t tt", SELF, NUMBER(1, at(c)))                                                         \
  X(OPEN, STATUS, scree_fence_poll, "! tt", WORKER, NUMBER(1, scree_global_address(0, 0)))                             \
  X(OPEN, VOID, scree_global_worker, ". ..", WORKER, NUMBER(1, scree_global_address(0, 0)))                            \
  X(IDLE, STATUS, scree_global_stats_read, "! !", WORLD, POINTER(1, &global_stats))

ROWS(NOTHING_FUNCTION)
static const nothing_row rows[] = {ROWS(NOTHING_ROW)};

int main(int argc, char **argv) {
  return nothing_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
