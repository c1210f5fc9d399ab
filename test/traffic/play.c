/* play.c - a program on the workers of one rank: types, epochs of all kinds, sends, holds, postponed work, faults. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "traffic.h"

static const drawn_epoch *epoch_of(const player *me) {
  return &me->home->p->epoch[me->epoch];
}

static bool ok(const player *me) {
  return scree_error(me->home->world) == SCREE_OK;
}

static bool is_progress(const player *me) {
  return me->w->index == me->home->p->threads;
}

void flaw(player *me, const char *format, ...) {
  va_list args;
  me->account->sum.flaws++;
  if (me->why[0]) return;
  const int n = snprintf(me->why, WHY, "epoch %u, worker %u of rank %u: ", me->epoch, me->w->index, me->w->rank);
  va_start(args, format);
  vsnprintf(me->why + n, (size_t)(WHY - n), format, args);
  va_end(args);
}

static void begin_counting(player *me) {
  me->handled = me->bytes = me->spawned = 0;
  me->over = false;
}

/* A progress thread runs no function of the program: its epoch is that of the rank's workers, all of which have begun
 * it when it handles a message. */
player *player_of(home *h, scree_worker *w) {
  player *me = &h->player[w->index];
  if (w->index < h->p->threads) return me;
  const uint32_t epoch = (uint32_t)AO_load_acquire(&h->player[0].begun) - 1;
  if (!me->w || me->epoch != epoch) begin_counting(me);
  me->w = w;
  me->epoch = epoch;
  return me;
}

/* ---- faults ---- */

/* A rank raises one failure: the first of those of its workers. */
static void note_failure(player *me, scree_status code) {
  const uint64_t raised = (uint64_t)code << 32 | (UINT32_MAX - me->w->rank);
  if (code && raised > me->account->max.raised) me->account->max.raised = raised;
}

static void raise_fault(player *me, const drawn_fault *f) {
  const bool knew = !ok(me);
  if (!f->misuse)
    scree_fail(me->w, f->code, "a fault of the test's");
  else if (me->handled)
    scree_end(me->w, NULL);
  else
    scree_begin(me->w);
  if (!knew) note_failure(me, scree_error(me->home->world));
}

static void maybe_fail(player *me) {
  const program *p = me->home->p;
  for (uint32_t i = 0; i < p->faults; i++) {
    const drawn_fault *f = &p->fault[i];
    if (f->rank == me->w->rank && f->worker == me->w->index && f->epoch == me->epoch && f->after == me->handled)
      raise_fault(me, f);
  }
}

/* ---- what follows from a message ---- */

/* Another worker may still read what a handler writes until that worker begins the epoch. */
static void check_begun(player *me, uint32_t type) {
  const home *h = me->home;
  if (h->p->type[type].flags & SCREE_TO_WORKER) return;
  for (uint32_t w = 0; w < epoch_of(me)->takers; w++)
    if (AO_load_acquire(&h->player[w].begun) <= me->epoch)
      flaw(me, "a message of an epoch is handled that worker %u has not begun", w);
}

void count_handled(player *me, uint32_t type, uint64_t hash) {
  sums *s = &me->account->sum;
  check_begun(me, type);
  s->totals.messages++;
  s->totals.shared += epoch_of(me)->takers > 1;
  s->totals.by_progress += is_progress(me);
  if (!is_progress(me)) { /* which contributes nothing */
    me->part.sum[0]++;
    me->part.sum[1] += hash;
    me->part.value[SCREE_SUM].of.integer++;
    me->part.value[SCREE_SUM_REAL].of.real++;
    if (me->w->rank != epoch_of(me)->mute) s->epoch[me->epoch].given++, s->epoch[me->epoch].given_hash += hash;
  }
  me->handled++;
  maybe_fail(me);
  if (me->home->driver->tick && me->home->driver->tick(me, 1)) me->over = true;
}

/* Workers check for what was passed to them: by loops around scree_test, or by poll functions. */
static bool opens_mail(const player *me) {
  return epoch_of(me)->tested || me->home->p->postpones == 2;
}

/* The hold comes first: from then on the epoch stays open until the other worker, which may be idle, has released
 * it. */
static void hand_over(player *me, uint32_t depth) {
  const driver *d = me->home->driver;
  if (!me->home->p->hands || !opens_mail(me) || (d->at_once && (me->w->index || me->in_handler))) return;
  const uint32_t rank = below(&me->random, me->w->ranks), worker = below(&me->random, epoch_of(me)->takers);
  scree_hold(me->w, 1);
  if (d->post(me, rank, d->at_once ? 0 : worker, (parcel){me->epoch, depth}))
    me->account->sum.totals.holds++;
  else
    scree_release(me->w, 1);
}

void answer(player *me, uint32_t depth, uint64_t hash) {
  const program *p = me->home->p;
  for (uint32_t i = 0; depth > 0 && i < p->fanout; i++)
    if (scree__hash_draw(hash, i) % p->odds == 0) send_one(me, depth - 1, false);
  if (depth > 0 && below(&me->random, 8) == 0) hand_over(me, depth);
}

void answer_or_postpone(player *me, uint32_t depth, uint64_t hash) {
  const uint32_t postpones = me->home->p->postpones;
  if ((postpones == 2 || (postpones == 1 && !is_progress(me))) && hash & 1 && me->queued < QUEUE) {
    me->queue[me->queued].hash = hash;
    me->queue[me->queued++].depth = depth;
  } else {
    answer(me, depth, hash);
  }
}

static bool pop_and_work(player *me) {
  if (me->queued == 0) return false;
  me->queued--;
  answer(me, me->queue[me->queued].depth, me->queue[me->queued].hash);
  return true;
}

/* Outside handlers, other handlers may run between. A poll function releases the hold before it sends. */
static bool open_mail(player *me, bool polls) {
  parcel one;
  if (!me->home->p->hands || is_progress(me) || (me->home->driver->at_once && me->w->index)) return false;
  if (!me->home->driver->fetch(me, &one)) return false;
  if (polls) scree_release(me->w, 1);
  if (one.depth > 1 && below(&me->random, 2)) hand_over(me, one.depth - 1);
  for (uint32_t k = polls ? 0 : below(&me->random, 8); k > 0; k--) scree_progress(me->w);
  if (!epoch_of(me)->held || below(&me->random, 2)) send_one(me, one.depth ? one.depth - 1 : 0, false);
  if (!polls) scree_release(me->w, 1);
  return true;
}

static bool poll(scree_worker *w, void *home_) {
  player *me = player_of(home_, w);
  bool opened;
  me->in_handler = true;
  for (uint32_t i = below(&me->random, 4); i > 0 && pop_and_work(me); i--) me->account->sum.totals.polled++;
  while ((opened = open_mail(me, true)) && below(&me->random, 2)) {
  }
  me->in_handler = false;
  return me->queued > 0 || opened;
}

/* ---- epochs ---- */

/* A hold of one's own keeps the epoch open in between. */
static void hold_for_a_while(player *me) {
  scree_hold(me->w, 2);
  for (uint32_t i = below(&me->random, 8); i > 0; i--) scree_progress(me->w);
  send_one(me, 1, false);
  scree_release(me->w, 2);
}

/* Some rank fails at the start of this epoch: wait for the failure, never idle. */
static void maybe_wait_for_failure(player *me) {
  const program *p = me->home->p;
  bool comes = false;
  for (uint32_t i = 0; i < p->faults; i++) comes |= p->fault[i].epoch == me->epoch && p->fault[i].after == 0;
  while (comes && p->gives_up && ok(me)) scree_progress(me->w);
}

static uint64_t draw_roots(player *me) {
  const drawn_epoch *e = epoch_of(me);
  if (e->pattern == EMPTY || (e->pattern == FROM_ONE && e->one != me->w->rank) || below(&me->random, 4) == 0) return 0;
  return (uint64_t)below(&me->random, me->home->p->roots + 1) << me->home->p->scale;
}

static void send_roots(player *me) {
  const program *p = me->home->p;
  const uint64_t n = draw_roots(me);
  if (n && below(&me->random, 4) == 0) hold_for_a_while(me);
  for (uint32_t i = p->hands ? below(&me->random, 4) : 0; i > 0; i--) hand_over(me, 1 + p->depth);
  for (uint64_t i = 0; i < n && !me->over; i++) {
    send_one(me, below(&me->random, 1 + p->scale * 8) ? 0 : p->depth, false);
    if (p->global && below(&me->random, UINT64_C(2) << p->scale) == 0) act_on_memory(me, NULL);
    if (p->scale && below(&me->random, UINT64_C(256) << p->scale / 2) == 0 && me->home->driver->pause)
      me->home->driver->pause(me);
  }
  for (uint32_t i = n ? p->crowd : 0; i > 0; i--) send_one(me, 0, true);
}

static uint64_t part_of(const player *me) {
  return scree__hash_draw(epoch_of(me)->key, me->w->rank * (MOST_THREADS + 1) + me->w->index) >> 1;
}

static void open_epoch(player *me) {
  const program *p = me->home->p;
  begin_counting(me);
  me->part = (scree_reduce){.min = part_of(me), .max = part_of(me)};
  for (uint32_t i = SCREE_SUM; epoch_of(me)->key % 2 && i <= SCREE_MAX_REAL; i++) {
    me->part.value[i].op = (scree_reduce_op)i;
    if (i == SCREE_MIN || i == SCREE_MAX) me->part.value[i].of.integer = -(int64_t)part_of(me);
    if (i == SCREE_MIN_REAL || i == SCREE_MAX_REAL) me->part.value[i].of.real = (double)part_of(me);
  }
  AO_store_release(&me->begun, me->epoch + 1);
  if (scree_begin(me->w) != SCREE_OK) flaw(me, "cannot begin");
  maybe_fail(me);
  if (!epoch_of(me)->held)
    send_roots(me);
  else if (below(&me->random, 4) == 0)
    hand_over(me, 1 + p->depth);
  maybe_wait_for_failure(me);
}

static void leave_tested(player *me, scree_reduce *part) {
  const program *p = me->home->p;
  const bool polls = p->postpones == 2;
  bool worked = true;
  while (!scree_test(me->w, !worked && (polls || me->queued == 0), part)) {
    if (!ok(me) && p->gives_up)
      worked = false; /* what others hold open for it is never done */
    else
      worked = (!polls && pop_and_work(me)) || open_mail(me, false);
  }
}

static void leave_epoch(player *me) {
  scree_reduce *part = me->w->rank == epoch_of(me)->mute ? NULL : &me->part;
  if (epoch_of(me)->tested)
    leave_tested(me, part);
  else
    scree_end(me->w, part);
  if (me->home->driver->settle && me->home->p->hands && me->w->index == 0) me->home->driver->settle(me);
}

/* The values are the same numbers, reduced as integers and as doubles. */
static void check_values(player *me, const scree_reduce *r) {
  const scree_reduce_value *v = r->value;
  if (v[SCREE_SUM].of.integer != (int64_t)r->sum[0] || v[SCREE_MIN].of.integer != -(int64_t)r->max ||
      v[SCREE_MAX].of.integer != -(int64_t)r->min)
    flaw(me, "values are reduced to %lld, %lld, %lld", (long long)v[SCREE_SUM].of.integer,
         (long long)v[SCREE_MIN].of.integer, (long long)v[SCREE_MAX].of.integer);
  if (v[SCREE_SUM_REAL].of.real != (double)r->sum[0] || v[SCREE_MIN_REAL].of.real != (double)r->min ||
      v[SCREE_MAX_REAL].of.real != (double)r->max)
    flaw(me, "doubles are reduced to %g, %g, %g", v[SCREE_SUM_REAL].of.real, v[SCREE_MIN_REAL].of.real,
         v[SCREE_MAX_REAL].of.real);
}

/* What all ranks must have in common, and how this worker leaves. */
static void note_result(player *me) {
  epoch_sums *e = &me->account->sum.epoch[me->epoch];
  maxima *m = &me->account->max;
  const scree_status status = scree_error(me->home->world);
  e->left += status == SCREE_OK;
  e->failed += status != SCREE_OK;
  if (status != SCREE_OK) {
    note_extreme(&m->seen,
                 (uint64_t)me->epoch << 40 | (uint64_t)scree_error_rank(me->home->world) << 16 | (uint64_t)status);
    return;
  }
  if (me->home->p->global && me->w->index == 0) count_words(me);
  if (me->queued || me->home->player[me->home->p->threads].queued) flaw(me, "it leaves with postponed work");
  if (me->w->rank == epoch_of(me)->mute) return;
  note_extreme(&m->part[me->epoch], part_of(me));
  const uint64_t result[4] = {me->part.sum[0], me->part.sum[1], me->part.min, me->part.max};
  for (int i = 0; i < 4; i++) note_extreme(&m->result[me->epoch][i], result[i]);
  if (epoch_of(me)->key % 2) check_values(me, &me->part);
}

static void play_epoch(player *me) {
  open_epoch(me);
  leave_epoch(me);
  note_result(me);
  if (ok(me) && me->home->driver->left) me->home->driver->left(me);
}

/* The epochs of one call of scree_run_workers, or one alone. */
static void play_run(scree_worker *w, void *home_) {
  home *h = home_;
  player *me = player_of(h, w);
  me->epoch = h->run_from;
  do {
    play_epoch(me);
    me->epoch++;
  } while (me->epoch < h->p->epochs && !h->p->epoch[me->epoch].first && ok(me));
}

/* ---- the run ---- */

/* Collective calls fail only where MPI does, with the reason there, or, if the world has failed before, the rank; or
 * for lack of memory. */
static bool went_well(home *h, scree_status status, const char *call) {
  const char *text = scree_error_text(h->world);
  if (!status) return true;
  if (!(h->mpi_fails && strstr(text, "rank")) && !(h->p->wide && status == SCREE_ENOMEM))
    flaw(&h->player[0], "%s: '%s'", call, text);
  return false;
}

static bool start_tasks(home *h) {
  return !h->p->tasks || (went_well(h, open_tasks(h), "scree_tasks_open") &&
                          (!h->p->global || went_well(h, open_global(h), "global memory")));
}

static bool register_types(home *h, uint32_t epoch) {
  for (uint32_t i = 0; i < h->p->types; i++)
    if (h->p->type[i].from == epoch && !went_well(h, register_type(&h->type[i]), "registration")) return false;
  return true;
}

/* Sometimes this rank switches its caches on or off: this is local, also where there is no memory for them. */
static void maybe_switch(player *first) {
  home *h = first->home;
  for (uint32_t i = 0; i < h->p->types && h->p->options; i++) {
    if (!h->type[i].is_there || h->p->type[i].kind->family < SUMMED || below(&first->random, 4)) continue;
    const scree_status status = scree_combine_type(h->world, h->type[i].id, below(&first->random, 3));
    if (status && status != SCREE_ENOMEM && !scree_error(h->world))
      flaw(first, "scree_combine_type: '%s'", scree_error_text(h->world));
  }
}

static void add_statistics(home *h) {
  sums *all = &h->player[0].account->sum;
  scree_stats s = {.size = sizeof s};
  scree_stats_read(h->world, &s);
  all->totals.overflows += s.overflow_blocks;
  all->totals.waits += s.waits;
  all->totals.passed += s.passed;
  all->totals.stalls += s.stalls;
  if (h->p->tasks) check_steals(h);
  if (h->map) close_global(h);
  for (uint32_t i = 0; i < h->p->types; i++) {
    scree_reduced_stats c = {.size = sizeof c};
    if (h->type[i].is_there && !h->type[i].tasks) scree_stats_reduced(h->world, h->type[i].id, &c);
    if (c.looked_up && h->p->drawn.checked == SCREE_CHECKED_ON)
      flaw(&h->player[0], "a checked world has looked into caches");
    if (!scree_error(h->world) && h->p->type[i].kind->family == SUMMED &&
        c.looked_up != c.combined + c.evicted + c.emptied)
      flaw(&h->player[0], "of type %u the statistics do not add up", i);
    all->saved[i] -= c.combined;
    all->totals.evicted += c.evicted;
    *(h->p->type[i].kind->family == SUMMED ? &all->totals.combined : &all->totals.filtered) += c.combined;
  }
}

static void play_epochs(home *h) {
  player *first = &h->player[0];
  uint32_t epoch = 0;
  while (epoch < h->p->epochs && ok(first) && register_types(h, epoch)) {
    const drawn_epoch *e = &h->p->epoch[epoch];
    maybe_switch(first);
    h->run_from = first->epoch = epoch;
    if (e->alone)
      play_run(first->w, h);
    else if (h->driver->run)
      h->driver->run(h->world, e->takers, play_run, h);
    else
      scree_run_workers(h->world, e->takers, play_run, h);
    if (first->epoch == epoch) return; /* nothing ran: the failure is known */
    epoch = first->epoch;
  }
}

void traffic_play(home *h, scree_world *world, account *accounts, size_t stride) {
  const program *p = h->p;
  h->world = world;
  h->map = NULL;
  h->planted = getenv("SCREE_TEST_PLANT");
  for (uint32_t i = 0; i <= p->threads; i++) {
    player *one = &h->player[i];
    memset(one, 0, offsetof(player, queue));
    one->home = h;
    one->account = accounts + i * stride;
    one->w = scree_worker_of(world, i); /* the progress thread's is known to its handlers alone */
    one->random = scree__hash_draw(p->seed, (uint64_t)h->player[0].w->rank * (MOST_THREADS + 1) + i);
  }
  for (uint32_t i = 0; i < p->types; i++) h->type[i] = (live_type){.home = h, .index = i};
  const bool first = traffic_stream(p, "tasks first", 0) & 1; /* which joins the lists of features first */
  bool opened = !first || start_tasks(h);
  if (p->postpones == 2 && scree_on_idle(world, poll, h)) flaw(&h->player[0], "no poll function");
  opened = opened && (first || start_tasks(h));
  if (h->driver->opened) h->driver->opened(h);
  if (opened) play_epochs(h);
  add_statistics(h);
  if (strstr(scree_error_text(world), "overflow to rank")) note_failure(&h->player[0], SCREE_ENOMEM);
  note_extreme(&h->player[0].account->max.status, (uint64_t)scree_error(world));
  if (h->driver->ended) h->driver->ended(h);
}
