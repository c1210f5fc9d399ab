/* owner.c - the one thread that uses a worker, and how calls are refused that are made by other threads, or by a
 * process that was forked while the world was open, where the thread has the owner's number. Such a call reads what
 * never changes while the world is open, and atomic words; it leaves a request and is refused. The owner acts on the
 * request when it next begins an epoch or makes progress. */
#include <unistd.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "io/say.h"

#define SECOND_THREAD "called by a second thread: a worker belongs to the thread that began its first epoch"

#define FORKED "called by a forked process, which has no part in the world: call it in the one that opened it"

/* Of this process and those that it descends from. Written in a new child, which has one thread. Relaxed. */
static AO_t forks;

static void note_fork(void) {
  AO_store(&forks, AO_load(&forks) + 1);
}

__attribute__((constructor)) static void watch_forks(void) {
  pthread_atfork(NULL, NULL, note_fork);
}

AO_t scree__forks(void) {
  return AO_load(&forks);
}

/* The world is the parent's, and what it shares with other processes too. */
bool scree__is_forked(const scree_world *world) {
  return world->forks != AO_load(&forks);
}

/* No owner acts on a request here: the first call is reported at once. */
static void say_forked(const scree_world *world, const char *call) {
  static AO_t reported;
  if (AO_load(&reported) == AO_load(&forks)) return;
  AO_store(&reported, AO_load(&forks));
  scree__say("scree: process %ld, of rank %u of %u: %s: " FORKED "\n", (long)getpid(), world->rank, world->ranks, call);
}

/* The first request of each kind stays until the owner has taken it. Release: the owner sees a type as well, in a race
 * of two such threads that of either. */
static void request(scree__foreign_call *slot, const char *call, uint32_t type) {
  if (AO_load(&slot->call)) return;
  AO_store(&slot->type, (AO_t)type);
  AO_compare_and_swap_release(&slot->call, 0, (AO_t)call);
}

/* Relaxed: a thread finds its own number only if it has stored it. 0: before the first epoch the program orders the
 * calls of its threads. */
static bool is_second_thread(const scree__worker *me) {
  AO_t owner = AO_load(&me->owner.thread);
  return owner && owner != (AO_t)pthread_self();
}

/* In the simulator all workers have one thread, which remembers its worker. */
static bool is_foreign(const scree__worker *me) {
  if (is_second_thread(me) || scree__is_forked(me->world)) return true;
  if (me->world->endpoints == 1) return false;
  const scree__worker *last = scree__here();
  return last && last != me && last->world == me->world;
}

static __attribute__((noinline)) void refuse(scree__worker *me, scree__foreign_call *slot, const char *call,
                                             uint32_t type) {
  if (scree__is_forked(me->world)) say_forked(me->world, call);
  request(slot, call, type);
}

/* A call that returns a status is refused to a second thread. */
bool scree__refused(scree__worker *me, const char *call) {
  if (!me) return true; /* nobody can be told */
  if (!is_foreign(me)) return false;
  refuse(me, &me->owner.refused, call, SCREE_ALL);
  return true;
}

/* A call that returns none fails the world instead, as such a call always does. */
bool scree__dropped(scree__worker *me, const char *call, uint32_t type) {
  if (!me) return true;
  if (!is_foreign(me)) return false;
  refuse(me, &me->owner.dropped, call, type);
  return true;
}

/* A call that prints prints a line about it instead. */
bool scree__not_printed(const scree_world *world, const char *call, FILE *to) {
  if (!world) return true;
  scree__worker *me = scree__caller(world);
  if (me && !to) scree__refuse(me, SCREE_EINVAL, call, "no file to print to: pass one, as stderr");
  if (!to) return true;
  if (me) return false;
  fprintf(to, "scree: rank %u of %u: %s: %s\n", world->rank, world->ranks, call,
          scree__is_forked(world) ? FORKED : SECOND_THREAD);
  return true;
}

/* Binds the worker to the thread that begins the first epoch, whose call was not refused so far. False: it belongs to
 * another one. Relaxed: see is_second_thread. */
bool scree__bind(scree__worker *me, const char *call) {
  if (!AO_load(&me->owner.thread)) AO_compare_and_swap(&me->owner.thread, 0, (AO_t)pthread_self());
  SCREE__INVARIANT(AO_load(&me->owner.thread));
  return !is_second_thread(me) || !scree__refused(me, call);
}

/* The worker of the calling thread; NULL: the thread owns none, or the world is NULL. The first one counts as any
 * thread's until it has an owner, before which the others do not run. In the simulator all threads are one, and
 * each remembers its worker. */
scree__worker *scree__caller(const scree_world *world) {
  scree__worker *last = scree__here();
  if (!world || scree__is_forked(world)) return NULL;
  if (last && last->world == world) return last;
  if (!AO_load(&world->worker[0]->owner.thread)) return world->worker[0];
  for (uint32_t w = 0; w < world->endpoints; w++)
    if (AO_load(&world->worker[w]->owner.thread) == (AO_t)pthread_self()) return world->worker[w];
  return NULL;
}

static void fail_by(scree__worker *me, const char *call, uint32_t type) {
  if (scree__has_type(me->world, type))
    scree__fail(me, SCREE_ESTATE, call, "type '%s': " SECOND_THREAD, me->world->types[type].name);
  else
    scree__fail(me, SCREE_ESTATE, call, SECOND_THREAD);
}

/* Acts on what other threads have requested. Acquire: pairs with request, which changes no word that is set. Of a
 * refused call only the name counts, which is a constant text; and a type that is dropped later is not reported, since
 * the world fails now: relaxed. */
void scree__take_requests(scree__worker *me) {
  const char *refused = (const char *)AO_load(&me->owner.refused.call);
  const char *dropped = (const char *)AO_load_acquire(&me->owner.dropped.call);
  if (refused) {
    AO_store(&me->owner.refused.call, 0);
    scree__misuse(me, SCREE_ESTATE, refused, SECOND_THREAD);
  }
  if (dropped) {
    uint32_t type = (uint32_t)AO_load(&me->owner.dropped.type);
    AO_store(&me->owner.dropped.call, 0);
    fail_by(me, dropped, type);
  }
}
