/* team.c - the threads that the library makes for a rank's workers: made once, parked between the calls of
 * scree_run_workers, joined when the world closes. The first worker's thread is the caller's. What a call passes to the
 * threads, and its results, are exchanged under the team's lock. join.c has the threads of the program. */
#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "core/progress.h"
#include "core/team.h"
#include "thread/thread.h"

#define NAME "scree_run_workers"

/* The worker runs fn; an epoch that it leaves open is ended, since others wait for it. */
void scree__team_run(scree__worker *me, const char *name, scree_work_fn *fn, void *arg) {
  fn(&me->head, arg);
  if (!me->in_epoch) return;
  scree__fail(me, SCREE_ESTATE, name, "the function returned with an open epoch: end it first");
  scree_end(&me->head, NULL);
}

/* ---- the threads after the first one ---- */

/* False: the world closes. */
static bool await_run(scree__worker *me, uint64_t *seen) {
  scree__team *team = &me->world->team;
  scree__scheduler *s = me->transport->scheduler;
  pthread_mutex_lock(&team->lock);
  while (!team->closing && (team->runs == *seen || me->head.index >= team->size)) {
    *seen = team->runs;
    s->ops->wait(s, &team->changed, &team->lock);
  }
  *seen = team->runs;
  bool more = !team->closing;
  pthread_mutex_unlock(&team->lock);
  return more;
}

static void report_done(scree__worker *me) {
  scree__team *team = &me->world->team;
  scree__scheduler *s = me->transport->scheduler;
  pthread_mutex_lock(&team->lock);
  SCREE__INVARIANT(team->busy > 0 && team->busy < me->world->endpoints);
  team->busy--;
  s->ops->wake(s, &team->changed);
  pthread_mutex_unlock(&team->lock);
}

static void *serve(void *arg) {
  scree__worker *me = arg;
  const scree__team *team = &me->world->team;
  uint64_t seen = scree__first_count(&me->world->options, SCREE__COUNTS_RUNS);
  AO_store(&me->owner.thread, (AO_t)pthread_self());
  *scree__here_slot() = me;
  report_done(me); /* it owns its worker */
  if (scree__is_progress(me)) scree__progress_serve(me);
  while (!scree__is_progress(me) && await_run(me, &seen)) {
    scree__team_run(me, NAME, team->fn, team->arg);
    *scree__here_slot() = me;
    report_done(me);
  }
  *scree__here_slot() = NULL;
  return NULL;
}

static void await_others(scree_world *world) {
  scree__team *team = &world->team;
  scree__scheduler *s = world->worker[0]->transport->scheduler;
  while (team->busy > 0) s->ops->wait(s, &team->changed, &team->lock);
}

/* A thread of the transport counts as one additional worker. */
static uint32_t count_threads(scree_world *world) {
  const scree__service *service = world->worker[0]->transport->service;
  if (!service || !service->thread) return world->endpoints;
  world->team.thread[world->endpoints] = *service->thread;
  return world->endpoints + 1;
}

static bool pin(scree_world *world) {
  char why[200];
  uint64_t how = world->options.pin;
  uint32_t count = count_threads(world);
  if (how == SCREE_PIN_OFF || count == 1) return true;
  const scree__core_share share = world->worker[0]->transport->topology->core_share;
  if (scree__thread_pin(world->team.thread, count, share, how == SCREE_PIN_SCATTER, why, sizeof why)) return true;
  scree__fault_raise(&world->faults[0], SCREE_EINVAL, "%s", why);
  return false;
}

scree_status scree__team_open(scree_world *world) {
  scree__scheduler *s = world->worker[0]->transport->scheduler;
  scree__team *team = &world->team;
  team->busy = world->endpoints - 1;
  for (uint32_t w = 1; w < world->endpoints; w++, team->made++) {
    int error = s->ops->make(s, &team->thread[w], serve, world->worker[w]);
    if (error) {
      scree__fault_raise(
          &world->faults[0], SCREE_ENOMEM,
          "thread %u of %u cannot be made: %s: lower the option threads%s, or raise the limits of threads "
          "and memory",
          w + 1, world->endpoints, strerror(error), w < world->threads ? "" : " or set progress to none");
      return SCREE_ENOMEM;
    }
  }
  pthread_mutex_lock(&team->lock);
  await_others(world);
  pthread_mutex_unlock(&team->lock);
  return pin(world) ? SCREE_OK : SCREE_EINVAL;
}

void scree__team_close(scree_world *world) {
  scree__team *team = &world->team;
  if (team->made > 0) {
    scree__scheduler *s = world->worker[0]->transport->scheduler;
    pthread_mutex_lock(&team->lock);
    while (team->joining.leaving > 0) s->ops->wait(s, &team->changed, &team->lock);
    team->closing = true;
    s->ops->wake(s, &team->changed);
    pthread_mutex_unlock(&team->lock);
    for (uint32_t w = 1; w <= team->made; w++) s->ops->join(s, team->thread[w]);
  }
  pthread_cond_destroy(&team->changed);
  scree__thread_end_lock(&team->lock);
  scree__thread_end_lock(&world->raising);
}

/* ---- a run ---- */

/* What ranks compare. */
typedef struct {
  uint32_t n, status;
} call;

static scree_status compare(scree__worker *me, const char *name, const call *all) {
  const scree_world *world = me->world;
  for (uint32_t r = 0; r < world->ranks; r++) {
    if (all[r].n == all[0].n && !all[r].status) continue;
    if (all[world->rank].status) return (scree_status)all[world->rank].status; /* this rank has set its text */
    if (all[r].status)
      return scree__misuse(me, (scree_status)all[r].status, name,
                           "refused on rank %u, which passes %u workers: legal are 1..%u, and one thread for each", r,
                           all[r].n, world->threads);
    return scree__misuse(me, SCREE_EINVAL, name,
                         "rank 0 passes %u workers, rank %u passes %u: pass the same number on all ranks", all[0].n, r,
                         all[r].n);
  }
  return SCREE_OK;
}

/* If the ranks cannot compare, the others may begin epochs in which they wait for this one: it takes part in them and
 * makes them fail. */
scree_status scree__team_agree(scree__worker *me, const char *name, uint32_t n, scree_status mine) {
  scree_world *world = me->world;
  call record = {n, mine}, *all = (call *)(void *)world->all_registrations; /* has room for more of each rank */
  _Static_assert(sizeof(call) <= sizeof(scree__registration), "a table of these fits");
  return scree__gather(world, name, &record, all, sizeof record) == SCREE_OK ? compare(me, name, all) : mine;
}

static scree_status check_state(scree__worker *me) {
  scree_status refused = scree__outside_handlers(me, NAME);
  if (refused) return refused;
  if (me->in_epoch) return scree__misuse(me, SCREE_ESTATE, NAME, "an epoch is open: end it first");
  if (me->world->running) return scree__misuse(me, SCREE_ESTATE, NAME, "called inside itself");
  if (scree__agreed(me->world)) return scree__agreed(me->world);
  return scree__bind(me, NAME) ? SCREE_OK : SCREE_ESTATE;
}

static scree_status check_call(scree__worker *me, uint32_t n, scree_work_fn *fn) {
  uint32_t threads = me->world->threads;
  if (!fn) return scree__misuse(me, SCREE_EINVAL, NAME, "no function: pass one");
  if (n >= 1 && n <= threads) return SCREE_OK;
  return scree__misuse(me, SCREE_EINVAL, NAME, "%u workers, legal are 1..%u: the option threads is their number", n,
                       threads);
}

/* From now on epochs have n workers of each rank, which have taken no part in the epochs since their last run. The
 * team's lock is held, here and in the next. */
void scree__team_begin(scree_world *world, uint32_t n) {
  const scree__worker *first = world->worker[0];
  SCREE__INVARIANT(!world->running && n >= 1 && n <= world->threads && !first->in_epoch);
  for (uint32_t w = 1; w < n; w++) {
    world->worker[w]->end.epoch = first->end.epoch;
    world->worker[w]->end.owed = first->end.owed;
  }
  world->taking = n;
  world->running = true;
  scree__progress_begin(world);
}

/* A notice that a parked worker still has to send is sent by the first one. */
void scree__team_end(scree_world *world) {
  scree__worker *first = world->worker[0];
  SCREE__INVARIANT(world->running);
  scree__progress_end(world);
  for (uint32_t w = 1; w < world->taking; w++) {
    first->failure.notice_pending |= world->worker[w]->failure.notice_pending;
    world->worker[w]->failure.notice_pending = false;
  }
  world->taking = 1;
  world->running = false;
}

static void start(scree_world *world, uint32_t n, scree_work_fn *fn, void *arg) {
  scree__team *team = &world->team;
  scree__scheduler *s = world->worker[0]->transport->scheduler;
  scree__service_resume(world);
  pthread_mutex_lock(&team->lock);
  scree__team_begin(world, n);
  team->fn = fn;
  team->arg = arg;
  team->size = n;
  team->busy = n - 1;
  team->runs++;
  if (n > 1 || world->progressing) s->ops->wake(s, &team->changed);
  pthread_mutex_unlock(&team->lock);
}

/* Threads of the program may wait for the end, to join. */
static void finish(scree_world *world) {
  scree__team *team = &world->team;
  scree__scheduler *s = world->worker[0]->transport->scheduler;
  pthread_mutex_lock(&team->lock);
  await_others(world);
  scree__team_end(world);
  if (team->joining.arrived > 0) s->ops->wake(s, &team->changed);
  pthread_mutex_unlock(&team->lock);
  scree__service_pause(world);
}

scree_status scree_run_workers(scree_world *world, uint32_t n, scree_work_fn *fn, void *arg) {
  if (!world) return SCREE_EINVAL;
  scree__worker *me = world->worker[0];
  scree_status status = check_state(me);
  if (status != SCREE_OK) return status;
  status = scree__team_agree(me, NAME, n, check_call(me, n, fn));
  if (status != SCREE_OK) return status;
  *scree__here_slot() = me;
  start(world, n, fn, arg);
  scree__team_run(me, NAME, fn, arg);
  finish(world);
  return scree__agreed(world);
}
