/* owner.c - the one thread that uses a worker, and what becomes of calls by other threads. Such a call reads what never
 * changes while the world is open, and atomic words; it leaves a request and is refused. The owner acts on the request
 * when it next begins an epoch or makes progress. */
#include "core/world.h"

#define SECOND_THREAD "called by a second thread: a worker belongs to the thread that began its first epoch"

/* The first request of each kind stays until the owner has taken it. Release: the owner sees a type as well, in a race of
 * two such threads that of either. */
static void request(scree__foreign_call *slot, const char *call, uint32_t type) {
  if (AO_load(&slot->call)) return;
  AO_store(&slot->type, (AO_t)type);
  AO_compare_and_swap_release(&slot->call, 0, (AO_t)call);
}

/* A call that returns a status is refused to a second thread. */
bool scree__refused(const scree__worker *me, const char *call) {
  if (!scree__is_second_thread(me)) return false;
  request(&me->world->refused, call, SCREE_ALL);
  return true;
}

/* A call that returns none fails the world instead, as such a call always does. */
bool scree__dropped(const scree__worker *me, const char *call, uint32_t type) {
  if (!scree__is_second_thread(me)) return false;
  request(&me->world->dropped, call, type);
  return true;
}

/* A call that prints says so instead. */
bool scree__not_printed(const scree_world *world, const char *call, FILE *to) {
  if (!scree__is_second_thread(&world->worker)) return false;
  fprintf(to, "scree: rank %u of %u: %s: " SECOND_THREAD "\n", world->rank, world->ranks, call);
  return true;
}

/* Binds the worker to the thread that begins the first epoch. False: it belongs to another one. Relaxed: see
 * scree__is_second_thread. */
bool scree__bind(scree__worker *me, const char *call) {
  if (!AO_load(&me->owner)) AO_compare_and_swap(&me->owner, 0, (AO_t)pthread_self());
  return !scree__refused(me, call);
}

static void fail_by(scree_world *world, const char *call, uint32_t type) {
  if (type < world->type_count)
    scree__fail(world, SCREE_ESTATE, call, "type '%s': " SECOND_THREAD, world->types[type].name);
  else
    scree__fail(world, SCREE_ESTATE, call, SECOND_THREAD);
}

/* Acts on what other threads have requested. Acquire: pairs with request, which changes no word that is set. */
void scree__take_requests(scree__worker *me) {
  scree_world *world = me->world;
  const char *refused = (const char *)AO_load_acquire(&world->refused.call);
  const char *dropped = (const char *)AO_load_acquire(&world->dropped.call);
  if (refused) {
    AO_store(&world->refused.call, 0);
    scree__misuse(world, SCREE_ESTATE, refused, SECOND_THREAD);
  }
  if (dropped) {
    uint32_t type = (uint32_t)AO_load(&world->dropped.type);
    AO_store_release(&world->dropped.call, 0); /* the type has been read */
    fail_by(world, dropped, type);
  }
}
