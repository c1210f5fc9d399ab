/* server.c - the communication thread of a rank (progress=comm): it calls MPI, and does nothing else. All workers are
 * its clients.
 *
 * It runs from resume to pause: inside epochs, and inside runs of several workers. Elsewhere the first worker's thread
 * may call MPI, for the library or for the program, so MPI need not serve two threads at once. The thread that may call
 * it holds `inside`, which also orders (acquire, release) what both use of the paths. The communication thread holds it
 * for one step, the first worker from pause to resume. `paused` alone orders nothing: it keeps the thread from entering
 * first again and again, and lets it sleep through long pauses; so its loads and stores are relaxed, but for those
 * under the lock.
 *
 * The thread waits only, when paused, for a wake, and holds no lock while it calls MPI. A worker waits for it only in
 * pause, for the rest of one step, which never waits. So there is no circle. After a step nothing remains that another
 * rank waits for: a worker leaves an epoch, and so calls pause, when all blocks have been handled, and its own requests
 * are done; what remains are receives to post again, which the next epoch does before they are needed. */
#include <errno.h>
#include <string.h>

#include "thread/thread.h"
#include "transport/funnel/funnel.h"

enum { PARK_AFTER = 64 }; /* idle polls after those that spin, before a paused thread sleeps until it is woken */

/* ---- faults: the thread's are reported by the first worker, which may be in a handler or compute ---- */

/* Only the first fault is reported: it fails the world, and further ones would have no effect. Release: a thread that
 * sees what was written off or is doubtful, which the counts include from then on, sees the fault that explains it. */
static void report_faults(scree__funnel *f) {
  scree__fault *mine = &f->mine;
  if (mine->status && !AO_load(&f->reported)) {
    f->report = *mine;
    AO_store_release(&f->reported, 1);
  }
  mine->status = SCREE_OK;
  if (AO_load(&f->written_off) != mine->written_off) AO_store_release(&f->written_off, mine->written_off);
  if (AO_load(&f->doubtful) != mine->doubtful) AO_store_release(&f->doubtful, mine->doubtful);
}

/* Acquire: pairs with report_faults, in the other order. */
void scree__server_take_faults(scree__funnel *f) {
  scree__fault *to = f->first_fault;
  if (!f->has_thread) return;
  const uint32_t written_off = (uint32_t)AO_load_acquire(&f->written_off);
  SCREE__INVARIANT(written_off - f->seen_written_off <= INT32_MAX);
  to->written_off += written_off - f->seen_written_off;
  f->seen_written_off = written_off;
  const uint32_t doubtful = (uint32_t)AO_load_acquire(&f->doubtful);
  to->doubtful += doubtful - f->seen_doubtful;
  f->seen_doubtful = doubtful;
  if (f->seen_report || !AO_load_acquire(&f->reported)) return;
  f->seen_report = true;
  to->status = f->report.status;
  memcpy(to->text, f->report.text, sizeof to->text);
}

/* ---- the thread ---- */

static bool turn(scree__funnel *f) {
  bool moved = scree__run_errands(f);
  moved |= scree__funnel_turn(f);
  report_faults(f);
  return moved;
}

/* False: the world closes. */
static bool sleep_while_paused(scree__funnel *f) {
  pthread_mutex_lock(&f->lock);
  while (AO_load(&f->paused) && !f->closing) scree__thread_wait(&f->changed, &f->lock);
  const bool more = !f->closing;
  pthread_mutex_unlock(&f->lock);
  return more;
}

/* One step, unless the first worker waits for MPI, or has it. True: something moved. */
static bool try_turn(scree__funnel *f) {
  if (AO_load(&f->paused) || AO_test_and_set_acquire(&f->inside) != AO_TS_CLEAR) return false;
  const bool moved = turn(f);
  AO_CLEAR(&f->inside);
  return moved;
}

static void *serve(void *arg) {
  scree__funnel *f = arg;
  scree__idle idle = {.spin = f->spin};
  for (uint32_t polls = 0;;) {
    if (try_turn(f)) {
      polls = 0;
    } else if (AO_load(&f->paused) && polls > f->spin + PARK_AFTER) {
      if (!sleep_while_paused(f)) return NULL;
      polls = 0;
    } else {
      scree__idle_backoff(&idle, ++polls);
    }
  }
}

/* ---- the first worker's thread, or the last one to leave a run ---- */

static void resume(scree__service *s) {
  scree__funnel *f = SCREE__CONTAINER(s, scree__funnel, service);
  SCREE__INVARIANT(f->is_paused && AO_load(&f->paused));
  f->is_paused = false;
  AO_CLEAR(&f->inside);
  pthread_mutex_lock(&f->lock);
  AO_store(&f->paused, 0);
  scree__thread_wake(&f->changed);
  pthread_mutex_unlock(&f->lock);
}

static void pause_thread(scree__service *s) {
  scree__funnel *f = SCREE__CONTAINER(s, scree__funnel, service);
  scree__idle idle = {.spin = f->spin};
  AO_store(&f->paused, 1);
  for (uint32_t polls = 1; AO_test_and_set_acquire(&f->inside) != AO_TS_CLEAR; polls++)
    scree__idle_backoff(&idle, polls);
  f->is_paused = true;
}

/* ---- open, close ---- */

/* A thread that is paused: no epoch is open. The texts of opening the world are in the first worker's sink. */
bool scree__server_start(scree__funnel *f) {
  f->service.resume = resume;
  f->service.pause = pause_thread;
  f->service.thread = &f->thread;
  f->collective.ops = &scree__errand_ops;
  f->inner = &f->comm->peers.collective;
  f->collective.heard = f->inner->heard;
  f->is_paused = true;
  AO_store(&f->paused, 1); /* relaxed: a new thread sees what was stored before it was made */
  AO_test_and_set(&f->inside);
  int error = scree__thread_make(&f->thread, serve, f);
  f->has_thread = !error;
  if (!error) return true;
  scree__fault_raise(
      f->first_fault, SCREE_ENOMEM,
      "the communication thread cannot be made: %s: set the option progress to none, or raise the limits "
      "of threads and memory",
      strerror(error));
  return false;
}

void scree__server_stop(scree__funnel *f) {
  if (!f->is_paused) pause_thread(&f->service);
  pthread_mutex_lock(&f->lock);
  f->closing = true;
  scree__thread_wake(&f->changed);
  pthread_mutex_unlock(&f->lock);
  scree__thread_join(f->thread);
}
