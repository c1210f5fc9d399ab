/* lock.h - the lock under which the workers of a rank call MPI, by the option of that name: a mutex, a ticket lock
 * (first come, first served), or a lock with two priorities (A. Amer, PhD thesis, 2015, ch. VI: figures VI.6 and
 * VI.10). */
#ifndef SCREE__LOCK_H
#define SCREE__LOCK_H
#include <atomic_ops.h>
#include <pthread.h>
#include <scree/options.h>

#include "thread/cpu.h"
#include "thread/sockets.h"

/* Why a thread enters. High: to push, or to post a receive. Low: to poll, which may find nothing. Only the priority
 * lock distinguishes them. */
typedef enum { SCREE__LOW, SCREE__HIGH } scree__priority;

/* One thread's record of a lock, written by that thread alone, on a line of its own. */
typedef struct {
  SCREE__OWN_LINE uint64_t entries;
  uint64_t waits, wait_ns; /* entries that had to wait, and nanoseconds that they took */
  uint64_t wasted;         /* polls that found nothing */
  uint64_t again;          /* entries of the thread that was inside last, while others waited */
  uint64_t fair; /* millionths: 1 / T for each entry for which T threads had queued, this one included; T > 1 */
  /* Where sockets are counted: entries from the socket of the thread that was inside last, while others waited; and, in
   * millionths, the share of that socket among those that had queued, this one included. */
  uint64_t socket_again, socket_fair;
  uint32_t sockets; /* that are counted one by one; 0: none are */
  /* Of requests of MPI that were examined at entries: how often, how many were active, and how many of these
   * complete. */
  uint64_t samples, sampled_sends, dangling_sends, sampled_receives, dangling_receives;
} scree__lock_user;

/* Tickets are taken from `next` and served in that order. Both wrap around. */
typedef struct {
  SCREE__OWN_LINE AO_t next; /* the next ticket; fetch-and-add (relaxed: order comes with `serving`) */
  AO_t serving;              /* the ticket inside; stored (release) by its holder, loaded by acquire */
} scree__ticket_lock;

typedef struct {
  uint64_t kind; /* SCREE_LOCK_MUTEX, ... */
  uint64_t spin; /* the option of that name: polls of a ticket before the first yield */
  /* Of the thread inside. */
  SCREE__OWN_LINE const scree__lock_user *last; /* that was inside */
  uint32_t last_socket;
  /* Of the holder of ticket_h alone: see lock.c. */
  bool already_blocked;
  /* SCREE_LOCK_MUTEX */
  SCREE__OWN_LINE pthread_mutex_t mutex;
  AO_t waiting; /* threads that found it taken; relaxed: a count for statistics */
  /* SCREE_LOCK_TICKET: ticket_b alone. SCREE_LOCK_PRIORITY: all three. */
  scree__ticket_lock ticket_h, ticket_l, ticket_b;
  const scree__sockets *sockets; /* NULL: they are not counted */
  /* By socket: threads that wait or are about to enter; relaxed: counts for statistics. */
  SCREE__OWN_LINE AO_t queued[SCREE__SOCKETS_MAX];
} scree__lock;

void scree__lock_init(scree__lock *lock, uint64_t kind, uint64_t spin);
/* The first ticket of each of its locks, before any is taken; 0 without this. */
void scree__lock_start(scree__lock *lock, uint64_t first);
/* No thread is inside. */
void scree__lock_destroy(scree__lock *lock);

/* From now on entries are counted by socket too, which costs each two atomic additions. No thread is inside. `sockets`
 * lives as long as the lock. */
void scree__lock_count_sockets(scree__lock *lock, const scree__sockets *sockets);

/* Waits until the thread is alone inside. `me` is the thread's record. */
void scree__lock_enter(scree__lock *lock, scree__lock_user *me, scree__priority priority);
/* By the thread inside, with the priority that it entered with. */
void scree__lock_leave(scree__lock *lock, scree__priority priority);
#endif
