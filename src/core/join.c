/* join.c - threads of the program as workers: n of them come, one speaks for the rank with the other ranks, all run as
 * workers, and leave together. All of it is under the team's lock, by which workers pass from thread to thread too: a
 * worker's parked thread of the library keeps waiting, since no run has started. */
#include <stdarg.h>

#include "core/epoch.h"
#include "core/fail.h"

#define NAME "scree_join_workers"

/* A thread that calls. */
typedef struct {
  scree_world *world;
  scree__joining *joining;
  uint32_t n, index;
  bool owner;    /* of worker 0 */
  uint32_t turn; /* it came as the first, the second, ... */
} caller;

static void await_change(scree_world *world) {
  scree__scheduler *s = world->worker[0]->transport->scheduler;
  s->ops->wait(s, &world->team.changed, &world->team.lock);
}

static void wake(scree_world *world) {
  scree__scheduler *s = world->worker[0]->transport->scheduler;
  s->ops->wake(s, &world->team.changed);
}

static void leave(caller *c) {
  scree__joining *j = c->joining;
  if (--j->leaving > 0) return;
  if (!j->refused) *j = (scree__joining){.arrived = j->arrived};
  wake(c->world);
}

/* ---- refused before all have come ---- */

static bool is_legal(const caller *c) {
  return c->n >= 1 && c->n <= c->world->threads;
}

static bool is_claimed(const caller *c) {
  return c->index < SCREE_THREADS_MAX && c->joining->claimed >> c->index & 1;
}

static void come(caller *c) {
  scree__joining *j = c->joining;
  if (c->index < SCREE_THREADS_MAX) j->claimed |= UINT64_C(1) << c->index;
  if (is_legal(c) && c->n > j->last) j->last = c->n;
  c->turn = ++j->come;
}

/* To a call that has been refused? As many threads come to it as one of them says, with other indices. */
static bool is_late(const caller *c) {
  const scree__joining *j = c->joining;
  if (!j->refused || is_claimed(c)) return false;
  return !is_legal(c) || j->come < (c->n > j->last ? c->n : j->last);
}

/* The text is kept, and other ranks learn of it, by the thread that owns worker 0 or will. In an epoch the world fails
 * instead. */
static scree_status leave_refused(const caller *c) {
  scree__joining *j = c->joining;
  scree__worker *first = c->world->worker[0];
  bool speaks = c->owner || (c->index == 0 && !AO_load(&first->owner.thread));
  if (!speaks || j->spoken) return j->status;
  j->spoken = true;
  scree__misuse(first, j->status, NAME, "%s", j->why);
  if (!first->in_epoch) scree__team_agree(first, NAME, c->n, j->status);
  return j->status;
}

__attribute__((format(printf, 3, 4))) static scree_status explain(const caller *c, scree_status status,
                                                                  const char *format, ...) {
  scree__joining *j = c->joining;
  va_list args;
  va_start(args, format);
  vsnprintf(j->why, sizeof j->why, format, args);
  va_end(args);
  return status;
}

/* What this thread passes or has done cannot become right by who else comes. */
static scree_status check_alone(const caller *c) {
  const scree__joining *j = c->joining;
  const scree__worker *here = scree__here();
  if (here && here->in_epoch)
    return explain(c, SCREE_ESTATE, "an epoch is open on the thread with index %u: end it first", c->index);
  if (!is_legal(c))
    return explain(c, SCREE_EINVAL, "%u workers, legal are 1..%u: the option threads is their number", c->n,
                   c->world->threads);
  if (j->come > 0 && j->n != c->n)
    return explain(c, SCREE_EINVAL, "a thread wants %u workers, the one with index %u wants %u: pass the same number",
                   j->n, c->index, c->n);
  return SCREE_OK;
}

/* Those that wait leave. */
static scree_status refuse(caller *c, scree_status status) {
  scree__joining *j = c->joining;
  j->refused = true;
  j->status = status;
  j->leaving = j->come;
  come(c);
  wake(c->world);
  return leave_refused(c);
}

/* ---- all have come ---- */

static scree_status check_all(const caller *c) {
  const scree__joining *j = c->joining;
  if (j->is_wrong)
    return explain(c, SCREE_EINVAL, "index %u is %s: legal are 0..%u, each by one thread", j->wrong,
                   j->wrong < j->n ? "passed by two threads" : "out of range", j->n - 1);
  if (j->owner && j->of_owner != 0)
    return explain(c, SCREE_ESTATE,
                   "index 0 is passed by another thread than that of worker 0, which passes %u: let it pass 0",
                   j->of_owner);
  return SCREE_OK;
}

/* Where worker 0 belongs to none of them, it is left alone. */
static scree_status agree(const caller *c) {
  scree__worker *first = c->world->worker[0];
  if (AO_load(&first->owner.thread) && !c->joining->owner) {
    scree__refused(first, NAME);
    return SCREE_ESTATE;
  }
  scree_status mine = check_all(c);
  if (mine != SCREE_OK)
    scree__misuse(first, mine, NAME, "%s", c->joining->why);
  else
    scree__bind(first, NAME);
  return scree__team_agree(first, NAME, c->n, mine);
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

/* The owner of worker 0 speaks for the rank, or else who will own it. If nobody may, that one learns of the reason. */
static void take_place(caller *c) {
  scree__joining *j = c->joining;
  if (c->index >= c->n || is_claimed(c)) {
    j->is_wrong = true;
    j->wrong = c->index;
  }
  j->n = c->n;
  come(c);
  if (c->owner) {
    j->owner = true;
    j->of_owner = c->index;
  }
  if (c->owner || (!j->speaker && (c->index == 0 || j->come == j->n))) j->speaker = c->turn;
  if (j->come == j->n) wake(c->world);
}

static scree_status await_decision(const caller *c) {
  scree__joining *j = c->joining;
  while (!j->decided && !j->refused && !scree__agreed(c->world)) {
    if (j->come == j->n && j->speaker == c->turn)
      decide(c);
    else
      await_change(c->world);
  }
  if (j->decided) return j->status;
  return j->refused ? leave_refused(c) : scree__agreed(c->world);
}

/* ---- a call ---- */

/* The last one to return ends it for all. */
static scree_status run(const caller *c, scree_work_fn *fn, void *arg) {
  scree__joining *j = c->joining;
  scree__worker *me = c->world->worker[c->index];
  AO_t owner = AO_load(&me->owner.thread);
  void *here = c->index ? scree__here() : me;
  AO_store(&me->owner.thread, (AO_t)pthread_self());
  *scree__here_slot() = me;
  pthread_mutex_unlock(&c->world->team.lock);
  scree__team_run(me, NAME, fn, arg);
  pthread_mutex_lock(&c->world->team.lock);
  *scree__here_slot() = here;
  AO_store(&me->owner.thread, owner);
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

static scree_status join(caller *c, scree_work_fn *fn, void *arg) {
  scree_world *world = c->world;
  scree__joining *j = c->joining;
  while ((world->running || j->leaving > 0) && !scree__agreed(world)) await_change(world);
  if (scree__agreed(world)) {
    wake(world); /* those that came before it failed */
    return scree__agreed(world);
  }
  if (is_late(c)) {
    come(c);
    return leave_refused(c);
  }
  if (j->refused) *j = (scree__joining){.arrived = j->arrived};
  scree_status status = check_alone(c);
  if (status != SCREE_OK) return refuse(c, status);
  take_place(c);
  status = await_decision(c);
  if (j->decided && status == SCREE_OK) status = run(c, fn, arg);
  if (j->decided || j->refused) leave(c);
  return status;
}

scree_status scree_join_workers(scree_world *world, uint32_t n, uint32_t index, scree_work_fn *fn, void *arg) {
  scree__team *team = &world->team;
  scree__worker *first = world->worker[0], *mine = scree__caller(world);
  if (first->transport->scheduler->ops->yield_point)
    return scree__misuse(mine ? mine : first, SCREE_ESTATE, NAME,
                         "the simulator runs no threads of the program: call scree_run_workers");
  pthread_mutex_lock(&team->lock);
  if (world->running && mine) {
    pthread_mutex_unlock(&team->lock);
    return scree__misuse(mine, SCREE_ESTATE, NAME, "called by a worker that runs: call it behind");
  }
  caller c = {.world = world, .joining = &team->joining, .n = n, .index = index};
  c.owner = AO_load(&first->owner.thread) == (AO_t)pthread_self();
  team->joining.arrived++;
  scree_status status = join(&c, fn, arg);
  team->joining.arrived--;
  pthread_mutex_unlock(&team->lock);
  return status;
}
