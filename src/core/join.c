/* join.c - threads of the program as workers: n of them call, one of these represents the rank towards the other ranks,
 * all run as workers, and return together. All of it is under the team's lock, by which workers pass from thread to
 * thread too: a worker's parked thread of the library keeps waiting, since no run has started. */
#include <stdarg.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "core/team.h"

#define NAME "scree_join_workers"

/* A thread that calls. */
struct scree__joiner {
  scree_world *world;
  scree__joining *joining;
  uint32_t n, index;
  bool owner; /* of worker 0 */
};
typedef struct scree__joiner caller;

static void await_change(scree_world *world) {
  scree__scheduler *s = world->worker[0]->transport->scheduler;
  s->ops->wait(s, &world->team.changed, &world->team.lock);
}

static void wake(scree_world *world) {
  scree__scheduler *s = world->worker[0]->transport->scheduler;
  s->ops->wake(s, &world->team.changed);
}

/* ---- threads arrive ---- */

/* The reason why the call is refused; the first one stays. */
__attribute__((format(printf, 3, 4))) static void object(scree__joining *j, scree_status status, const char *format,
                                                         ...) {
  va_list args;
  if (j->status) return;
  j->status = status;
  va_start(args, format);
  vsnprintf(j->why, sizeof j->why, format, args);
  va_end(args);
}

/* The bit of a caller, whose index is legal. */
static uint64_t bit_of(const caller *c) {
  return c->index < c->n ? UINT64_C(1) << c->index : 0;
}

static void check_caller(const caller *c) {
  scree__joining *j = c->joining;
  const scree__worker *here = scree__here();
  if (here && here->in_epoch)
    object(j, SCREE_ESTATE, "an epoch is open on the thread with index %u: end it first", c->index);
  if (j->come > 0 && j->n != c->n)
    object(j, SCREE_EINVAL, "a thread passes %u workers, the one with index %u passes %u: pass the same number", j->n,
           c->index, c->n);
  const bool claimed = j->claimed & bit_of(c);
  if (c->index >= c->n || claimed)
    object(j, SCREE_EINVAL, "index %u is %s: legal are 0..%u, each by one thread", c->index,
           claimed ? "passed by two threads" : "out of range", c->n - 1);
}

static uint32_t fitness(const caller *c) {
  return c->owner ? 2 : c->index == 0;
}

/* The owner of worker 0, or else the thread that will own it, represents the rank towards the others. */
static void come(const caller *c) {
  scree__joining *j = c->joining;
  check_caller(c);
  if (c->n > j->n) j->n = c->n;
  j->claimed |= bit_of(c);
  if (!j->speaker || fitness(c) > fitness(j->speaker)) j->speaker = c;
  if (++j->come >= j->n) wake(c->world);
}

/* ---- all have arrived ---- */

/* If worker 0 belongs to none of them, it is not changed. In an epoch of its world a refused call fails the world. */
static scree_status agree(const caller *c) {
  scree__joining *j = c->joining;
  scree__worker *first = c->world->worker[0];
  if (AO_load(&first->owner.thread) && !c->owner) {
    if (j->status == SCREE_OK) scree__refused(first, NAME);
    return j->status == SCREE_OK ? SCREE_ESTATE : j->status;
  }
  if (c->owner && c->index != 0)
    object(j, SCREE_ESTATE, "index 0 is passed by another thread than that of worker 0, which passes %u: let it pass 0",
           c->index);
  if (j->status != SCREE_OK)
    scree__misuse(first, j->status, NAME, "%s", j->why);
  else
    scree__bind(first, NAME);
  return first->in_epoch ? j->status : scree__team_agree(first, NAME, c->n, j->status);
}

/* A call of so many workers is impossible: it does not wait. At most one of the rank's threads notifies the other
 * ranks. */
static scree_status refuse_count(const caller *c) {
  scree__worker *first = c->world->worker[0];
  if (!c->owner && (c->index != 0 || AO_load(&first->owner.thread))) return SCREE_EINVAL;
  scree__misuse(first, SCREE_EINVAL, NAME, "%u workers, legal are 1..%u: the option threads is their number", c->n,
                c->world->threads);
  return first->in_epoch ? SCREE_EINVAL : scree__team_agree(first, NAME, c->n, SCREE_EINVAL);
}

static void decide(const caller *c) {
  scree__joining *j = c->joining;
  j->status = agree(c);
  if (j->status == SCREE_OK) {
    scree__team_begin(c->world, c->n);
    scree__service_resume(c->world);
  }
  j->decided = true;
  j->leaving = j->come;
  wake(c->world);
}

static scree_status await_decision(const caller *c) {
  scree__joining *j = c->joining;
  while (!j->decided && !scree__agreed(c->world)) {
    if (j->come >= j->n && j->speaker == c)
      decide(c);
    else
      await_change(c->world);
  }
  return j->decided ? j->status : scree__agreed(c->world);
}

static void leave(const caller *c) {
  scree__joining *j = c->joining;
  SCREE__INVARIANT(j->decided && j->leaving > 0 && j->leaving <= j->arrived);
  if (--j->leaving > 0) return;
  *j = (scree__joining){.arrived = j->arrived};
  wake(c->world);
}

/* ---- a call ---- */

/* The last one to return ends it for all. The thread's own worker is that of another world, which fn may have
 * closed. */
static scree_status run(const caller *c, scree_work_fn *fn, void *arg) {
  scree__joining *j = c->joining;
  scree__worker *me = c->world->worker[c->index];
  AO_t owner = AO_load(&me->owner.thread);
  AO_store(&me->owner.thread, (AO_t)pthread_self());
  *scree__here_slot() = me;
  pthread_mutex_unlock(&c->world->team.lock);
  scree__team_run(me, NAME, fn, arg);
  pthread_mutex_lock(&c->world->team.lock);
  *scree__here_slot() = c->index ? NULL : me;
  AO_store(&me->owner.thread, owner);
  SCREE__INVARIANT(c->world->running && j->come > 0 && !j->over);
  if (--j->come == 0) {
    scree__service_pause(c->world);
    scree__team_end(c->world);
    j->status = scree__agreed(c->world);
    j->over = true;
    wake(c->world);
  }
  while (!j->over) await_change(c->world);
  return j->status;
}

/* A thread that arrives now belongs to the next call. */
static bool is_full(const scree__joining *j) {
  return j->come > 0 && j->come >= j->n;
}

static scree_status join(const caller *c, scree_work_fn *fn, void *arg) {
  scree_world *world = c->world;
  scree__joining *j = c->joining;
  while ((world->running || j->leaving > 0 || is_full(j)) && !scree__agreed(world)) await_change(world);
  if (scree__agreed(world)) {
    wake(world); /* threads that arrived before it failed */
    return scree__agreed(world);
  }
  if (c->n < 1 || c->n > world->threads) return refuse_count(c);
  come(c);
  scree_status status = await_decision(c);
  if (j->decided && status == SCREE_OK) status = run(c, fn, arg);
  if (j->decided) leave(c);
  return status;
}

scree_status scree_join_workers(scree_world *world, uint32_t n, uint32_t index, scree_work_fn *fn, void *arg) {
  if (!world) return SCREE_EINVAL;
  scree__team *team = &world->team;
  scree__worker *first = world->worker[0], *mine = scree__caller(world);
  if (scree__is_forked(world)) return scree__refused(first, NAME) ? SCREE_ESTATE : SCREE_OK;
  if (first->transport->scheduler->ops->yield_point)
    return scree__misuse(mine ? mine : first, SCREE_ESTATE, NAME,
                         "the simulator runs no threads of the program: call scree_run_workers");
  pthread_mutex_lock(&team->lock);
  if (world->running && mine) {
    pthread_mutex_unlock(&team->lock);
    return scree__misuse(mine, SCREE_ESTATE, NAME,
                         "called by a worker that runs: call it after the workers have returned");
  }
  caller c = {.world = world, .joining = &team->joining, .n = n, .index = index};
  c.owner = AO_load(&first->owner.thread) == (AO_t)pthread_self();
  team->joining.arrived++;
  scree_status status = join(&c, fn, arg);
  team->joining.arrived--;
  pthread_mutex_unlock(&team->lock);
  return status;
}
