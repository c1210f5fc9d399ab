/* rounds.c - what the first worker does with the leaders of detection, done by the communication thread: an errand of each
 * kind at a time. Gathers come outside of epochs, where the thread is paused: the first worker makes them by itself. */
#include <string.h>

#include "funnel/funnel.h"

static scree__funnel *of(scree__collective *c) {
  return (scree__funnel *)c;
}

/* ---- by the first worker; the states are explained in funnel.h ---- */

static scree_status gather(scree__collective *c, const void *mine, void *all, size_t bytes) {
  scree__funnel *f = of(c);
  scree_status status = f->inner->ops->gather(f->inner, mine, all, bytes);
  if (status != SCREE_OK) memcpy(f->first_fault->text, f->fault->text, sizeof f->fault->text);
  return status;
}

/* It starts later. If it cannot be started, the thread tries again and reports the fault. */
static scree_status round_start(scree__collective *c, const scree__round *mine) {
  scree__errands *e = &of(c)->errands;
  e->mine = *mine;
  AO_store_release(&e->round, SCREE__ASKED);
  return SCREE_OK;
}

static bool is_done(AO_t *errand) {
  if (AO_load_acquire(errand) != SCREE__DONE) return false;
  AO_store(errand, SCREE__IDLE); /* relaxed: the thread does nothing until it is asked */
  return true;
}

static bool round_test(scree__collective *c, scree__round *out) {
  scree__errands *e = &of(c)->errands;
  if (!is_done(&e->round)) return false;
  *out = e->sum;
  return true;
}

/* True when the probe has left: a worker passes the last one on before it leaves the epoch. The caller calls again with
 * the same one. */
static bool probe_pass(scree__collective *c, const scree__probe *probe) {
  scree__errands *e = &of(c)->errands;
  if (is_done(&e->pass)) return true;
  if (AO_load(&e->pass) != SCREE__IDLE) return false;
  e->passed = *probe;
  AO_store_release(&e->pass, SCREE__ASKED);
  return false;
}

static bool probe_take(scree__collective *c, scree__probe *out) {
  scree__errands *e = &of(c)->errands;
  if (is_done(&e->take)) {
    *out = e->taken;
    return true;
  }
  if (AO_load(&e->take) == SCREE__IDLE) AO_store_release(&e->take, SCREE__ASKED);
  return false;
}

const scree__collective_ops scree__errand_ops = {.gather = gather,
                                                 .round_start = round_start,
                                                 .round_test = round_test,
                                                 .probe_pass = probe_pass,
                                                 .probe_take = probe_take};

/* ---- by the thread ---- */

static bool is_asked(AO_t *errand) {
  return AO_load_acquire(errand) == SCREE__ASKED;
}

static bool done(AO_t *errand) {
  AO_store_release(errand, SCREE__DONE);
  return true;
}

static bool run_round(scree__funnel *f) {
  scree__errands *e = &f->errands;
  scree__collective *in = f->inner;
  if (!is_asked(&e->round)) return false;
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

bool scree__run_errands(scree__funnel *f) {
  scree__errands *e = &f->errands;
  scree__collective *in = f->inner;
  bool any = run_round(f);
  if (is_asked(&e->pass) && in->ops->probe_pass(in, &e->passed)) any = done(&e->pass);
  if (is_asked(&e->take) && in->ops->probe_take(in, &e->taken)) any = done(&e->take);
  return any;
}
