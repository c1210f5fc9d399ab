/* rounds.c - what the first worker does with the leaders of detection, done by the communication thread: one request of
 * each kind at a time. Gathers come outside of epochs, where the thread is paused: the first worker makes them by
 * itself. */
#include <string.h>

#include "transport/funnel/funnel.h"

static scree__funnel *of(scree__collective *c) {
  return (scree__funnel *)c;
}

/* ---- by the first worker; the states are explained in funnel.h ---- */

static scree_status gather(scree__collective *c, const void *mine, void *all, size_t bytes) {
  scree__funnel *f = of(c);
  f->inner->wait = c->wait;
  f->inner->context = c->context;
  scree_status status = f->inner->ops->gather(f->inner, mine, all, bytes);
  f->first_fault->abandoned |= f->fault->abandoned;
  if (status != SCREE_OK) memcpy(f->first_fault->text, f->fault->text, sizeof f->fault->text);
  return status;
}

/* It starts later. If it cannot be started, the thread tries again and reports the fault. */
static scree_status round_start(scree__collective *c, const scree__round *mine) {
  scree__errands *e = &of(c)->errands;
  SCREE__INVARIANT(AO_load(&e->round) == SCREE__IDLE);
  e->mine = *mine;
  AO_store_release(&e->round, SCREE__ASKED);
  return SCREE_OK;
}

static bool is_done(AO_t *errand) {
  if (AO_load_acquire(errand) != SCREE__DONE) return false;
  AO_store(errand, SCREE__IDLE); /* relaxed: the thread does nothing until a request */
  return true;
}

static bool round_test(scree__collective *c, scree__round *out) {
  scree__errands *e = &of(c)->errands;
  if (!is_done(&e->round)) return false;
  *out = e->sum;
  return true;
}

/* What comes while the thread has not finished the last request is sent again later. */
static void say(scree__collective *c, const scree__standing *all, uint32_t count, bool send) {
  scree__funnel *f = of(c);
  scree__errands *e = &f->errands;
  if (f->is_paused) {
    f->inner->ops->say(f->inner, all, count, send);
  } else if (send && AO_load_acquire(&e->say) == SCREE__IDLE) {
    memcpy(e->said, all, count * sizeof *all);
    e->said_count = count;
    AO_store_release(&e->say, SCREE__ASKED);
  }
}

const scree__collective_ops scree__errand_ops = {
    .gather = gather, .round_start = round_start, .round_test = round_test, .say = say};

/* ---- by the thread ---- */

static bool is_requested(AO_t *errand) {
  return AO_load_acquire(errand) == SCREE__ASKED;
}

static bool done(AO_t *errand) {
  AO_store_release(errand, SCREE__DONE);
  return true;
}

bool scree__run_errands(scree__funnel *f) {
  scree__errands *e = &f->errands;
  scree__collective *in = f->inner;
  if (is_requested(&e->say)) {
    in->ops->say(in, e->said, e->said_count, true);
    AO_store_release(&e->say, SCREE__IDLE);
  }
  if (!is_requested(&e->round)) return false;
  if (!e->round_open) {
    scree_status status = in->ops->round_start(in, &e->mine);
    if (status != SCREE_OK) f->fault->status = status;
    e->round_open = status == SCREE_OK;
    return e->round_open;
  }
  if (!in->ops->round_test(in, &e->sum)) return false;
  e->round_open = false;
  return done(&e->round);
}
