/* lock.c - entering and leaving. The functions of the priority lock are the steps of test/model/priority_lock.pml.
 *
 * The priority lock is three ticket locks: H queues the threads of high priority, L those of low priority, and B is
 * held by the low one inside, or on behalf of the highs. Its invariants, which the model checks:
 *   1. A thread inside holds B: a low by itself, a high by the flag `already_blocked`, which says that highs hold B.
 *   2. `already_blocked` is read and written by the holder of H alone.
 *   3. Highs keep B only for a high: when H is released and the flag is set, a thread waits for H. The holder of H
 *      determines whether one does, before it releases anything. So lows enter when no high waits.
 *   4. If the holder of H saw a high waiting, the next one inside is a high.
 *   5. Each class enters in the order of its tickets.
 * Highs starve lows as long as further highs arrive. In a world they arrive only as long as credits last: then their
 * senders poll. */
#include "thread/lock.h"

#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "thread/thread.h"

enum { MILLION = 1000000 };

/* ---- a ticket lock ---- */

/* Spins, then yields: a thread must not keep a core from another thread that is served earlier. */
static uint64_t await_turn(const scree__ticket_lock *t, AO_t mine, uint64_t spin) {
  uint64_t began = scree__clock_ns();
  for (uint64_t polls = 0; AO_load_acquire(&t->serving) != mine; polls++)
    if (polls < spin)
      scree__cpu_pause();
    else
      sched_yield();
  uint64_t waited = scree__clock_ns() - began;
  return waited ? waited : 1;
}

/* Returns the nanoseconds that it waited, 0: it did not. Acquire: it sees what the previous holder did. */
static uint64_t take(scree__ticket_lock *t, uint64_t spin) {
  AO_t mine = AO_fetch_and_add1(&t->next);
  return AO_load_acquire(&t->serving) == mine ? 0 : await_turn(t, mine, spin);
}

/* Only the holder stores it. Release: the next holder sees what was done inside. */
static void release(scree__ticket_lock *t) {
  AO_store_release(&t->serving, AO_load(&t->serving) + 1);
}

/* By the holder. Relaxed: one that arrives after the load is served all the same. */
static bool nobody_waits(const scree__ticket_lock *t) {
  return AO_load(&t->next) == AO_load(&t->serving) + 1;
}

/* Threads that hold it or wait for it, for a caller that holds B. Relaxed: who stored `serving` had drawn its ticket
 * before it released B, which orders that before the caller; so `next` is not the smaller one. */
static AO_t queued(const scree__ticket_lock *t) {
  AO_t serving = AO_load(&t->serving);
  return AO_load(&t->next) - serving;
}

/* ---- the priority lock ---- */

static uint64_t high_acquire(scree__lock *lock) {
  uint64_t waited = take(&lock->ticket_h, lock->spin);
  if (lock->already_blocked) return waited;
  waited += take(&lock->ticket_b, lock->spin);
  lock->already_blocked = true;
  return waited;
}

static void high_release(scree__lock *lock) {
  if (nobody_waits(&lock->ticket_h)) {
    lock->already_blocked = false;
    release(&lock->ticket_b);
  }
  release(&lock->ticket_h);
}

static uint64_t low_acquire(scree__lock *lock) {
  uint64_t waited = take(&lock->ticket_l, lock->spin);
  return waited + take(&lock->ticket_b, lock->spin);
}

static void low_release(scree__lock *lock) {
  release(&lock->ticket_b);
  release(&lock->ticket_l);
}

/* ---- the mutex ---- */

static uint64_t lock_mutex(scree__lock *lock) {
  if (pthread_mutex_trylock(&lock->mutex) == 0) return 0;
  uint64_t began = scree__clock_ns();
  AO_fetch_and_add1(&lock->waiting);
  scree__thread_lock(&lock->mutex);
  AO_fetch_and_sub1(&lock->waiting);
  uint64_t waited = scree__clock_ns() - began;
  return waited ? waited : 1;
}

/* ---- all of them ---- */

/* The threads that waited when the caller, which is inside, was chosen as the next. With the priority lock, one that is
 * just leaving, and one that has arrived since, may be among them. */
static AO_t others(const scree__lock *lock, uint64_t waited) {
  switch (lock->kind) {
  case SCREE_LOCK_MUTEX:
    return AO_load(&lock->waiting);
  case SCREE_LOCK_TICKET:
    return waited ? queued(&lock->ticket_b) - 1 : 0; /* else it was first, of those at that time */
  default:
    return queued(&lock->ticket_h) + queued(&lock->ticket_l) - 1;
  }
}

static void count(scree__lock *lock, scree__lock_user *me, uint64_t waited) {
  AO_t waiting = others(lock, waited);
  me->entries++;
  me->waits += waited > 0;
  me->wait_ns += waited;
  if (waiting > 0) {
    me->again += lock->last == me;
    me->fair += MILLION / (waiting + 1);
  }
  lock->last = me;
}

/* After Amer, section VI.3: the thread that enters is from the socket of the last one, or not; by chance it would be
 * with a probability that is the share of that socket among those that had queued. The caller is still counted
 * there. */
static void count_socket(scree__lock *lock, scree__lock_user *me, uint32_t socket) {
  AO_t all = 0;
  for (uint32_t s = 0; s < lock->sockets->count; s++) all += AO_load(&lock->queued[s]);
  if (all > 1 && lock->last) {
    me->socket_again += lock->last_socket == socket;
    me->socket_fair += MILLION * AO_load(&lock->queued[lock->last_socket]) / all;
  }
  AO_fetch_and_sub1(&lock->queued[socket]);
  lock->last_socket = socket;
}

static uint64_t acquire(scree__lock *lock, scree__priority priority) {
  switch (lock->kind) {
  case SCREE_LOCK_MUTEX:
    return lock_mutex(lock);
  case SCREE_LOCK_TICKET:
    return take(&lock->ticket_b, lock->spin);
  default:
    return priority == SCREE__HIGH ? high_acquire(lock) : low_acquire(lock);
  }
}

static void enter_counted(scree__lock *lock, scree__lock_user *me, scree__priority priority) {
  const uint32_t socket = scree__sockets_here(lock->sockets);
  AO_fetch_and_add1(&lock->queued[socket]);
  const uint64_t waited = acquire(lock, priority);
  count_socket(lock, me, socket);
  count(lock, me, waited);
}

void scree__lock_enter(scree__lock *lock, scree__lock_user *me, scree__priority priority) {
  if (lock->sockets)
    enter_counted(lock, me, priority);
  else
    count(lock, me, acquire(lock, priority));
}

void scree__lock_leave(scree__lock *lock, scree__priority priority) {
  switch (lock->kind) {
  case SCREE_LOCK_MUTEX:
    scree__thread_unlock(&lock->mutex);
    break;
  case SCREE_LOCK_TICKET:
    release(&lock->ticket_b);
    break;
  default:
    (priority == SCREE__HIGH ? high_release : low_release)(lock);
  }
}

void scree__lock_init(scree__lock *lock, uint64_t kind, uint64_t spin) {
  memset(lock, 0, sizeof *lock);
  lock->kind = kind;
  lock->spin = spin;
  pthread_mutex_init(&lock->mutex, NULL);
}

void scree__lock_start(scree__lock *lock, uint64_t first) {
  scree__ticket_lock *const all[] = {&lock->ticket_h, &lock->ticket_l, &lock->ticket_b};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    AO_store(&all[i]->next, first);
    AO_store(&all[i]->serving, first);
  }
}

void scree__lock_count_sockets(scree__lock *lock, const scree__sockets *sockets) {
  lock->sockets = sockets;
}

void scree__lock_destroy(scree__lock *lock) {
  scree__thread_end_lock(&lock->mutex);
}
