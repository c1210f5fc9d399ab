/* task_sync.h - what tasks synchronise by: semaphores, mutexes, conditions, full/empty words (Cray XMT; Grappa, section
 * 4) and barriers. See task.h; futures are there.
 *
 * Each object lives on the worker that opened it. It is used by its handle, a number, which may be stored, copied and
 * sent to other workers: a task elsewhere sends a request, which waits at the object until its state allows it, and is
 * answered. Requests are served in the order of their arrival.
 *
 * Functions that take the task wait, and return as scree_task_yield does. The others never wait, and are legal wherever
 * sends are; from another worker they are messages, which have arrived for certain when the epoch has ended.
 *
 * For all of them: _open is local, on the worker's thread, in an epoch; handlers too. Errors: SCREE_ENOMEM,
 * SCREE_ESTATE (no tasks in this world, no epoch), or the status of a failed world; the handle is set only on success.
 * _close is local, on the same thread, in an epoch or an idle world; no operation on the object may be under way.
 * Errors: SCREE_ESTATE (closed before; another worker's; a task waits), which fails the world. What is left open is
 * closed with the world. A handle that was closed, or that is none of this world, fails the world with SCREE_ESTATE or
 * SCREE_EINVAL. C11, C++11. */
#ifndef SCREE_TASK_SYNC_H
#define SCREE_TASK_SYNC_H
#include <scree/task.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Counts down to 0 by wait, which waits while it is 0; post adds n. A count beyond 64 bits fails the world with
 * SCREE_EINVAL. */
typedef struct {
  uint64_t number;
} scree_semaphore;
scree_status scree_semaphore_open(scree_worker *worker, uint64_t count, scree_semaphore *semaphore);
scree_status scree_semaphore_wait(scree_task *self, scree_semaphore semaphore);
void scree_semaphore_post(scree_worker *worker, scree_semaphore semaphore, uint64_t n);
scree_status scree_semaphore_close(scree_worker *worker, scree_semaphore semaphore);

/* One task holds it from lock to unlock. Between two waits a task is alone on its worker, so tasks of one worker need
 * no mutex there. To lock what the task holds, to unlock what it does not hold, or to close what is held fails the
 * world with SCREE_ESTATE; a task of another worker that locks what it holds waits until the epoch ends with that
 * error. */
typedef struct {
  uint64_t number;
} scree_mutex;
scree_status scree_mutex_open(scree_worker *worker, scree_mutex *mutex);
scree_status scree_mutex_lock(scree_task *self, scree_mutex mutex);
void scree_mutex_unlock(scree_task *self, scree_mutex mutex);
scree_status scree_mutex_close(scree_worker *worker, scree_mutex mutex);

/* wait unlocks the mutex, waits for a signal that comes after that, and locks the mutex again; other tasks may have had
 * it before, so check the condition again. signal wakes the task that has waited longest, broadcast all
 * that wait; without one, nothing happens. Mutex and condition may live on different workers. */
typedef struct {
  uint64_t number;
} scree_condition;
scree_status scree_condition_open(scree_worker *worker, scree_condition *condition);
scree_status scree_condition_wait(scree_task *self, scree_condition condition, scree_mutex mutex);
void scree_condition_signal(scree_worker *worker, scree_condition condition);
void scree_condition_broadcast(scree_worker *worker, scree_condition condition);
scree_status scree_condition_close(scree_worker *worker, scree_condition condition);

/* A word that is full or empty; empty at first. read_ff waits until it is full, and reads it; read_fe does the same,
 * and makes it empty; write_ef waits until it is empty, writes it and makes it full; purge makes it empty: from another
 * worker, possibly after the caller's next operation on the word. */
typedef struct {
  uint64_t number;
} scree_full_empty;
scree_status scree_full_empty_open(scree_worker *worker, scree_full_empty *word);
scree_status scree_full_empty_read_ff(scree_task *self, scree_full_empty word, uint64_t *value);
scree_status scree_full_empty_read_fe(scree_task *self, scree_full_empty word, uint64_t *value);
scree_status scree_full_empty_write_ef(scree_task *self, scree_full_empty word, uint64_t value);
void scree_full_empty_purge(scree_worker *worker, scree_full_empty word);
scree_status scree_full_empty_close(scree_worker *worker, scree_full_empty word);

/* wait returns when `tasks` tasks have called it; then it serves the next `tasks`. 0 tasks: SCREE_EINVAL, which fails
 * the world. */
typedef struct {
  uint64_t number;
} scree_barrier;
scree_status scree_barrier_open(scree_worker *worker, uint64_t tasks, scree_barrier *barrier);
scree_status scree_barrier_wait(scree_task *self, scree_barrier barrier);
scree_status scree_barrier_close(scree_worker *worker, scree_barrier barrier);

#ifdef __cplusplus
}
#endif
#endif
