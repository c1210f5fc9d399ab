/* progress_thread.c - the progress thread of a rank (option progress=full): an additional endpoint, on a thread of its
 * own, that handles messages of concurrent types while the workers compute. It takes part in the epochs of
 * scree_run_workers and scree_join_workers, and is parked otherwise.
 *
 * It begins an epoch when a worker of its rank has. Each begin of the rank is counted (world->begun), and when an epoch
 * has ended here the count is at least the number of tokens expected up to it, `owed`, because all members have begun
 * it; so a larger count means that a worker has begun the next. It must not begin earlier: its token counts from then
 * on, and an epoch after the run expects none. It may begin later: no epoch ends without its token, and no handler of a
 * concurrent type runs on this rank before it has begun.
 *
 * The run is over when `left` is stored, after all workers of the rank have returned. Every epoch that has ended had
 * this thread's token, so a thread that sees `left` has omitted none, and relaxed suffices. An epoch that a worker has
 * left because a peer is lost can never end: then `left` is stored too, and the world has failed.
 *
 * It waits for others only inside an epoch, as a worker does in scree_end, or under the team's lock, and holds no other
 * lock; a worker waits for it in the same two ways, and under the lock only after its own last epoch, which has had
 * this thread's token. So neither waits for the other in a circle. */
#include "core/fail.h"
#include "core/team.h"

/* ---- its thread ---- */

/* Relaxed: scree__all_begun acquires before a handler runs; what scree_begin reads the team's lock has ordered. */
static bool next_has_begun(const scree__worker *me) {
  return (int64_t)(AO_load(&me->world->begun) - me->end.owed) > 0 && !scree__agreed(me->world);
}

static void take_part(scree__worker *me) {
  if (scree_begin(&me->head) != SCREE_OK) return; /* the world has failed */
  while (!scree_test(&me->head, true, NULL)) {
  }
  SCREE__INVARIANT(me->failed || (int64_t)(AO_load(&me->world->begun) - me->end.owed) >= 0);
}

static void serve_run(scree__worker *me) {
  scree__scheduler *s = me->transport->scheduler;
  for (uint32_t polls = 1;; polls++) {
    AO_t left = AO_load(&me->world->team.left);
    if (next_has_begun(me)) {
      take_part(me);
      polls = 0;
    } else if (left) {
      return;
    } else {
      s->ops->backoff(s, polls);
    }
  }
}

/* False: the world closes. */
static bool await_run(scree__worker *me) {
  scree__team *team = &me->world->team;
  scree__scheduler *s = me->transport->scheduler;
  pthread_mutex_lock(&team->lock);
  while (!team->closing && !team->progressing) s->ops->wait(s, &team->changed, &team->lock);
  bool more = !team->closing;
  pthread_mutex_unlock(&team->lock);
  return more;
}

static void come_back(scree__worker *me) {
  scree__team *team = &me->world->team;
  scree__scheduler *s = me->transport->scheduler;
  pthread_mutex_lock(&team->lock);
  team->progressing = false;
  s->ops->wake(s, &team->changed);
  pthread_mutex_unlock(&team->lock);
}

void scree__progress_serve(scree__worker *me) {
  while (await_run(me)) {
    serve_run(me);
    come_back(me);
  }
}

/* ---- a run, by the thread that begins it and the one that ends it, under the team's lock ---- */

void scree__progress_begin(scree_world *world) {
  scree__worker *me = world->worker[world->endpoints - 1];
  if (world->endpoints == world->threads) return;
  me->end.epoch = world->worker[0]->end.epoch;
  me->end.owed = world->worker[0]->end.owed;
  world->progressing = 1;
  AO_store(&world->team.left, 0); /* relaxed: the lock orders it */
  world->team.progressing = true;
}

/* All workers have returned. A notice that the thread still has to send is sent by the first worker. */
void scree__progress_end(scree_world *world) {
  scree__team *team = &world->team;
  scree__worker *me = world->worker[world->endpoints - 1], *first = world->worker[0];
  scree__scheduler *s = first->transport->scheduler;
  if (!world->progressing) return;
  AO_store(&team->left, 1);
  while (team->progressing) s->ops->wait(s, &team->changed, &team->lock);
  first->failure.notice_pending |= me->failure.notice_pending;
  me->failure.notice_pending = false;
  world->progressing = 0;
}
