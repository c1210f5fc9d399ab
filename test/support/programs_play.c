/* programs_play.c - a program on the workers of one virtual rank.
 *
 * There are nested sends, three types (one of variable length, some records larger than a block) of three kinds
 * (concurrent, serial, to a worker), in half of the programs a reduced and a filtered one or one of both, epochs of one and of several workers, scoped, tested and empty epochs, postponed work, work handed over under a hold, flushes, faults; and an entry in the ledger for each
 * message. */
#include <stdio.h>
#include <string.h>

#include "programs_inside.h"

static bool ok(const player *me) {
  return scree_error(scree_world_of(me->w)) == SCREE_OK;
}

/* ---- sending ---- */

static const char zeros[LARGE];

static void send_text(player *me, uint32_t dest, note n) {
  char bytes[LARGE];
  uint32_t extra = below(&me->random, me->all->big ? LARGE - (uint32_t)sizeof n : 60);
  memcpy(bytes, zeros, sizeof n + extra);
  memcpy(bytes, &n, sizeof n);
  me->all->totals.parts += extra > 4096;
  if (below(&me->random, 2) && text_try_send(me->w, me->text, dest, bytes, sizeof n + extra)) return;
  text_send(me->w, me->text, dest, bytes, sizeof n + extra);
}

static void maybe_flush(player *me, uint32_t dest) {
  switch (below(&me->random, 48)) {
  case 0:
    scree_flush(me->w, SCREE_ALL);
    break;
  case 1:
    scree_flush(me->w, me->slim[0].id);
    break;
  case 2:
    scree_flush_lane(me->w, me->wide.id, dest);
    break;
  case 3:
    if (me->has[SUM]) scree_flush(me->w, me->sum.id);
    break;
  case 4:
    if (me->has[SUM]) scree_flush_lane(me->w, me->sum.id, dest);
    break;
  default:
    break;
  }
}

/* The destination on that rank as the type has it, and the message's entry. */
static uint32_t draw_dest(player *me, uint32_t rank, kind type, uint32_t id) {
  program *p = me->all;
  uint32_t flags = p->flags[type], worker = ANY_WORKER, dest = rank;
  if (flags & SCREE_SERIAL) worker = 0;
  if (flags & SCREE_TO_WORKER) {
    worker = below(&me->random, p->takers[me->epoch]);
    dest = scree_worker_number(me->w, rank, worker);
  }
  p->ledger[id] = (entry){(uint8_t)me->epoch,   (uint8_t)rank,         (uint8_t)worker, 0,
                          (uint8_t)me->w->rank, (uint8_t)me->w->index, (uint8_t)type};
  p->sent[me->epoch] += type < SUM;
  return dest;
}

static void send_wide(player *me, uint32_t dest, wide_note n) {
  if (me->all->routed)
    wide_routed_send(me->w, (wide_routed_type){me->wide.id}, dest, n);
  else
    wide_send(me->w, me->wide, dest, n);
}

static void send_slim(player *me, slim_type type, uint32_t dest, note n, bool tries) {
  const slim_routed_type routed = {type.id};
  if (me->all->routed) {
    if (!tries || !slim_routed_try_send(me->w, routed, dest, n)) slim_routed_send(me->w, routed, dest, n);
  } else if (!tries || !slim_try_send(me->w, type, dest, n)) {
    slim_send(me->w, type, dest, n);
  }
}

/* By each of the four ways to send. */
#define SEND_REDUCED(name, dest, n)                                                                                    \
  do {                                                                                                                 \
    const uint32_t way_ = below(&me->random, 16);                                                                      \
    if (way_ < 6 && name##_try_send(me->w, me->name, dest, n)) break;                                                  \
    if (way_ == 6 && name##_try_send_at_once(me->w, me->name, dest, n)) break;                                         \
    if (way_ == 7)                                                                                                     \
      name##_send_at_once(me->w, me->name, dest, n);                                                                   \
    else                                                                                                               \
      name##_send(me->w, me->name, dest, n);                                                                           \
  } while (0)

static uint64_t hash_of(const program *p, uint32_t id) {
  return scree__hash_draw(p->seed, id);
}

static void send_sum(player *me, uint32_t dest, note n) {
  program *p = me->all;
  const entry *e = &p->ledger[n.id];
  const sum_note item = {.key = below(&me->random, p->sum_keys) * UINT64_C(0xd6e8feb86659fd93),
                         .hash = hash_of(p, n.id),
                         .count = 1,
                         .head = n,
                         .where = *e};
  p->saved[SUM]++;
  p->waiting[e->epoch]++;
  p->hashes[e->epoch][e->dest] += item.hash;
  SEND_REDUCED(sum, dest, item);
}

/* Of 1 + the least value; 0: none. */
static void note_least(uint8_t table[MOST_EPOCHS][MOST_RANKS][MOST_THREADS][LEAST_KEYS], const least_note *n) {
  uint8_t *at = &table[n->where.epoch][n->where.dest][n->where.worker % MOST_THREADS][n->key];
  if (!*at || n->value < *at - 1U) *at = (uint8_t)(1 + n->value);
}

static void send_least(player *me, uint32_t dest, note n) {
  program *p = me->all;
  const uint32_t key = below(&me->random, p->least_keys);
  const least_note item = {.key = key, .head = n, .value = below(&me->random, LEAST_VALUES), .where = p->ledger[n.id]};
  p->saved[LEAST]++;
  note_least(p->least_sent, &item);
  SEND_REDUCED(least, dest, item);
}

/* A type that is there; those that are reduced are drawn only in programs that have some. */
static kind draw_kind(player *me, uint32_t drawn) {
  const program *p = me->all;
  if (p->reduced_share && below(&me->random, 8) < p->reduced_share) {
    const kind first = below(&me->random, 2) ? SUM : LEAST, other = first == SUM ? LEAST : SUM;
    if (me->has[first] || me->has[other]) return me->has[first] ? first : other;
  }
  return drawn > 1 ? SLIM : drawn == 1 && me->has[TEXT] ? TEXT : WIDE;
}

static void send_one(player *me, uint32_t depth) {
  program *p = me->all;
  if (p->count >= MOST_MESSAGES) return;
  uint32_t rank = below(&me->random, p->config.ranks), drawn = below(&me->random, 4);
  kind type = draw_kind(me, drawn);
  slim_type slim = me->slim[p->slims > 1 ? below(&me->random, p->slims) : 0];
  if (p->to[me->epoch] != NOBODY) rank = p->to[me->epoch];
  note n = {p->count++, depth};
  uint32_t dest = draw_dest(me, rank, type, n.id);
  wide_note w = {n, {n.id, n.id, n.id, n.id}};
  if (type == WIDE)
    send_wide(me, dest, w);
  else if (type == TEXT)
    send_text(me, dest, n);
  else if (type == SUM)
    send_sum(me, dest, n);
  else if (type == LEAST)
    send_least(me, dest, n);
  else
    send_slim(me, slim, dest, n, drawn != 3);
  maybe_flush(me, p->ledger[n.id].dest);
}

/* The hold comes first: from then on the epoch stays open until the other one, who may be idle, has released it. */
static void hand_over(player *me, uint32_t depth) {
  program *p = me->all;
  const uint32_t rank = below(&me->random, p->config.ranks);
  player *to = &p->players[rank][below(&me->random, p->takers[me->epoch])];
  if (!is_tested(p, me->epoch) || to->mail_count == MOST_MAIL) return;
  scree_hold(me->w, 1);
  if (to->mail_count == MOST_MAIL) { /* others ran meanwhile */
    scree_release(me->w, 1);
    return;
  }
  p->totals.holds++;
  to->mail[to->mail_count++] = (parcel){me->epoch, depth};
}

static void answer(player *me, note n) {
  program *p = me->all;
  for (uint32_t i = 0; n.depth > 0 && i < p->fanout; i++)
    if (below(&me->random, p->answer_odds) == 0) send_one(me, n.depth - 1);
  if (p->hands_over && n.depth > 0 && below(&me->random, 8) == 0) hand_over(me, n.depth);
}

/* ---- faults ---- */

/* A rank raises one failure: of those of its workers the first. */
static void note_failure(player *me, scree_status code) {
  program *p = me->all;
  if (code < p->raised || (code == p->raised && me->w->rank > p->raised_by)) return;
  p->raised = code;
  p->raised_by = me->w->rank;
}

static void raise_fault(player *me, const fault *f) {
  bool knew = !ok(me);
  if (!f->misuse)
    scree_fail(me->w, f->code, "a fault of the test's");
  else if (me->handled)
    scree_end(me->w, NULL);
  else
    scree_begin(me->w);
  if (!knew) note_failure(me, scree_error(scree_world_of(me->w)));
}

static void maybe_fail(player *me) {
  program *p = me->all;
  for (uint32_t i = 0; i < p->fault_count; i++) {
    const fault *f = &p->faults[i];
    if (f->rank == me->w->rank && f->worker == me->w->index && f->epoch == me->epoch && f->after == me->handled)
      raise_fault(me, f);
  }
}

/* ---- handling ---- */

/* What a handler writes another worker may still read until it begins the epoch. */
static void check_begun(const player *me, kind type) {
  program *p = me->all;
  if (p->flags[type] & SCREE_TO_WORKER) return;
  for (uint32_t w = 0; w < p->takers[me->epoch]; w++)
    if (p->players[me->w->rank][w].begun <= me->epoch)
      WRONG(p, "rank %u handles a message of epoch %u, which its worker %u has not begun", me->w->rank, me->epoch, w);
}

static bool is_member(const program *p, uint32_t epoch, uint32_t worker) {
  const bool progress = p->options.progress == SCREE_PROGRESS_FULL && !p->alone[epoch];
  return worker < p->takers[epoch] || (progress && worker == p->config.threads);
}

static bool has_no_source(const program *p, kind type, const scree_batch *batch) {
  return batch->source == SCREE_NO_SOURCE && batch->worker == SCREE_NO_SOURCE && p->any_source[type];
}

/* What the ledger says of a message, or a combined item of itself, against where and whence it came. */
static void check_entry(player *me, kind type, const scree_batch *batch, const entry *e, uint32_t id) {
  program *p = me->all;
  const uint32_t rank = me->w->rank;
  const bool nobody = has_no_source(p, type, batch);
  const bool somebody = batch->source < p->config.ranks && is_member(p, me->epoch, batch->worker);
  if (!nobody && !somebody)
    WRONG(p, "rank %u got message %u from worker %u of rank %u", rank, id, batch->worker, batch->source);
  if (e->type != type) WRONG(p, "message %u of kind %u handled as one of kind %d", id, e->type, (int)type);
  if (e->worker != ANY_WORKER && e->worker != me->w->index)
    WRONG(p, "message %u for worker %u handled by %u", id, e->worker, me->w->index);
  if (e->dest != rank) WRONG(p, "message %u for rank %u handled on %u", id, e->dest, rank);
  if (e->epoch != me->epoch) WRONG(p, "message %u of epoch %u handled in %u", id, e->epoch, me->epoch);
  if (!nobody && (e->from != batch->source || e->from_worker != batch->worker))
    WRONG(p, "message %u of worker %u of rank %u is said to come from worker %u of rank %u", id, e->from_worker,
          e->from, batch->worker, batch->source);
}

/* One more item of a type has been handled. */
static void count_item(player *me, kind type) {
  program *p = me->all;
  const uint32_t rank = me->w->rank;
  check_begun(me, type);
  p->totals.shared += p->takers[me->epoch] > 1;
  p->added[me->epoch] += rank != p->mute && !is_progress(me); /* which contributes nothing */
  if (is_progress(me) && (p->flags[type] || p->alone[me->epoch]))
    WRONG(p, "the progress thread of rank %u handles a message of a type with flags %u", rank, p->flags[type]);
  p->totals.by_progress += is_progress(me);
  me->part.sum[0]++;
  me->handled++;
  maybe_fail(me);
}

static void answer_or_postpone(player *me, note n) {
  const program *p = me->all;
  if (p->postpones && (p->polls || !is_progress(me)) && n.depth > 0 && me->postponed_count < MOST_POSTPONED &&
      (n.id & 1))
    me->postponed[me->postponed_count++] = n;
  else
    answer(me, n);
}

static void handle(player *me, kind type, const scree_batch *batch, note n) {
  program *p = me->all;
  if (n.id >= p->count) {
    WRONG(p, "rank %u got message %u of %u", me->w->rank, n.id, p->count);
    return;
  }
  entry *e = &p->ledger[n.id];
  check_entry(me, type, batch, e, n.id);
  if (e->handled++) WRONG(p, "message %u handled twice", n.id);
  p->handled[me->epoch] += type != LEAST;
  count_item(me, type);
  answer_or_postpone(me, n);
}

/* Each message that the item stands for is answered, as if it had come by itself, so that what is combined does not end the
 * program's traffic. */
static void handle_sum(player *me, const scree_batch *batch, const sum_note *n) {
  program *p = me->all;
  check_entry(me, SUM, batch, &n->where, n->head.id);
  if (n->wrong || (n->mixed && !has_no_source(p, SUM, batch)))
    WRONG(p, "rank %u got an item into which others were combined than may be", me->w->rank);
  if (n->count == 0 || n->count > p->waiting[me->epoch]) {
    WRONG(p, "rank %u got an item of %u messages of a reduced type, %u wait", me->w->rank, n->count,
          p->waiting[me->epoch]);
    return;
  }
  p->waiting[me->epoch] -= n->count;
  p->hashes[me->epoch][me->w->rank] -= n->hash;
  p->saved[SUM]--;
  count_item(me, SUM);
  for (uint32_t i = 0; i < n->count; i++) answer_or_postpone(me, (note){(uint32_t)n->hash + i, n->head.depth});
}

static void handle_least(player *me, const scree_batch *batch, const least_note *n) {
  program *p = me->all;
  if (n->key >= p->least_keys || n->value >= LEAST_VALUES || n->head.id >= p->count ||
      !same_place(&n->where, &p->ledger[n->head.id])) {
    WRONG(p, "message %u of a filtered type is damaged", n->head.id);
    return;
  }
  note_least(p->least_handled, n);
  p->saved[LEAST]--;
  handle(me, LEAST, batch, n->head);
}

/* The progress thread runs no function of the program: its epoch is that of the rank's workers, which have all begun it
 * when it handles a message. */
static player *player_of(program *p, scree_worker *w) {
  player *me = &p->players[w->rank][w->index], *first = p->players[w->rank];
  if (w->index < p->config.threads) return me;
  if (me->w && me->epoch != first->epoch) me->handled = 0;
  me->w = w;
  me->epoch = first->epoch;
  return me;
}

static void on_slim(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) handle(player_of(arg, w), SLIM, batch, items[i]);
}

static void on_wide(scree_worker *w, const scree_batch *batch, const wide_note *items, void *arg) {
  player *me = player_of(arg, w);
  for (uint32_t i = 0; i < batch->count; i++) {
    for (int k = 0; k < 4; k++)
      if (items[i].pad[k] != items[i].head.id) WRONG(me->all, "wide message %u is damaged", items[i].head.id);
    handle(me, WIDE, batch, items[i].head);
  }
}

static void on_sum(scree_worker *w, const scree_batch *batch, const sum_note *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) handle_sum(player_of(arg, w), batch, &items[i]);
}

static void on_least(scree_worker *w, const scree_batch *batch, const least_note *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) handle_least(player_of(arg, w), batch, &items[i]);
}

static void on_text(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  player *me = player_of(arg, w);
  const void *at = items;
  for (uint32_t i = 0; i < batch->count; i++) {
    size_t bytes;
    note n;
    const char *record = scree_record_next(&at, &bytes);
    memcpy(&n, record, sizeof n);
    if (bytes < sizeof n || bytes > LARGE || memcmp(record + sizeof n, zeros, bytes - sizeof n) != 0)
      WRONG(me->all, "text message %u of %zu bytes is damaged", n.id, bytes);
    handle(me, TEXT, batch, n);
    if (memcmp(record, &n, sizeof n)) WRONG(me->all, "text message %u changed while it was handled", n.id);
  }
}

static void slim_batch(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  on_slim(w, batch, items, arg);
}
SCREE_HANDLER(wide, wide_note, on_wide);
SCREE_HANDLER(sum, sum_note, on_sum);
SCREE_HANDLER(least, least_note, on_least);
SCREE_VARIABLE_HANDLER(text, on_text);

/* ---- epochs ---- */

/* The parcel of this epoch that came last; a sender may already be in the next one. */
static bool open_mail(player *me) {
  for (uint32_t i = me->mail_count; i-- > 0;) {
    parcel one = me->mail[i];
    if (one.epoch != me->epoch) continue;
    me->mail[i] = me->mail[--me->mail_count];
    if (one.depth > 1 && below(&me->random, 2)) hand_over(me, one.depth - 1);
    for (uint32_t k = below(&me->random, 8); k > 0; k--) scree_progress(me->w);
    if (!me->all->quiet[me->epoch] || below(&me->random, 2)) send_one(me, one.depth - 1);
    scree_release(me->w, 1);
    return true;
  }
  return false;
}

static bool pop_and_work(player *me) {
  if (me->postponed_count == 0) return false;
  answer(me, me->postponed[--me->postponed_count]);
  return true;
}

static bool poll_and_work(scree_worker *w, void *program_) {
  program *p = program_;
  player *me = &p->players[w->rank][w->index];
  for (uint32_t i = below(&me->random, 4); i > 0 && pop_and_work(me); i--) p->totals.polled++;
  return me->postponed_count > 0;
}

/* A hold of one's own keeps the epoch open in between. */
static void hold_for_a_while(player *me) {
  scree_hold(me->w, 2);
  for (uint32_t i = below(&me->random, 8); i > 0; i--) scree_progress(me->w);
  send_one(me, 1);
  scree_release(me->w, 2);
}

/* Somebody fails at the start of this epoch: wait for the news, never idle. */
static void maybe_wait_for_failure(player *me) {
  program *p = me->all;
  bool comes = false;
  for (uint32_t i = 0; i < p->fault_count; i++) comes |= p->faults[i].epoch == me->epoch && p->faults[i].after == 0;
  while (comes && p->gives_up && ok(me)) scree_progress(me->w);
}

static void send_first(player *me) {
  program *p = me->all;
  uint32_t n = below(&me->random, 4) ? below(&me->random, p->first_messages + 1) : 0;
  if (n && below(&me->random, 4) == 0) hold_for_a_while(me);
  for (uint32_t i = p->hands_over ? below(&me->random, 4) : 0; i > 0; i--) hand_over(me, 1 + p->depth);
  for (uint32_t i = 0; i < n; i++) send_one(me, p->depth);
}

static void open_epoch(player *me) {
  program *p = me->all;
  uint32_t rank = me->w->rank;
  me->handled = 0;
  me->part = (scree_reduce){{0, 1}, 7 + rank, 7 + rank};
  me->begun = me->epoch + 1;
  if (scree_begin(me->w) != SCREE_OK) WRONG(p, "rank %u cannot begin epoch %u", rank, me->epoch);
  maybe_fail(me);
  if (!p->quiet[me->epoch])
    send_first(me);
  else if (below(&me->random, 4) == 0)
    hand_over(me, 1 + p->depth);
  maybe_wait_for_failure(me);
}

static void leave_epoch(player *me) {
  scree_reduce *part = me->w->rank == me->all->mute ? NULL : &me->part;
  const bool polls = me->all->polls;
  if (!is_tested(me->all, me->epoch)) {
    while (!polls && pop_and_work(me)) {
    }
    scree_end(me->w, part);
    return;
  }
  bool worked = true;
  while (!scree_test(me->w, !worked && (polls || me->postponed_count == 0), part)) {
    if (!ok(me) && me->all->gives_up)
      worked = false; /* what others hold open for it is never done */
    else
      worked = (!polls && pop_and_work(me)) || open_mail(me);
  }
}

static void judge_reduction(const player *me) {
  program *p = me->all;
  uint32_t ranks = p->config.ranks, low = p->mute == 0, high = ranks - 1 - (p->mute == ranks - 1);
  const scree_reduce *r = &me->part;
  if (me->w->rank == p->mute) return;
  if (r->sum[0] != p->added[me->epoch] || r->sum[1] != (ranks - (p->mute < ranks)) * p->takers[me->epoch] ||
      r->min != 7 + low || r->max != 7 + high)
    WRONG(p, "reduction of epoch %u: sums %llu (of %u handled) and %llu, min %llu, max %llu", me->epoch,
          (unsigned long long)r->sum[0], p->added[me->epoch], (unsigned long long)r->sum[1], (unsigned long long)r->min,
          (unsigned long long)r->max);
}

/* The moment at which one worker leaves: all of the epoch's messages must have been handled by then. */
static void judge_epoch(player *me) {
  program *p = me->all;
  uint32_t rank = me->w->rank, k = me->epoch;
  me->seen = scree_error(scree_world_of(me->w));
  me->seen_rank = scree_error_rank(scree_world_of(me->w));
  me->seen_epoch = k;
  if (me->seen != SCREE_OK) return;
  if (p->sent[k] != p->handled[k])
    WRONG(p, "rank %u leaves epoch %u with %u of %u messages handled", rank, k, p->handled[k], p->sent[k]);
  if (p->reduced_share) program_judge_reduced(p, k, "a rank leaves");
  if (me->postponed_count || p->players[rank][p->config.threads].postponed_count)
    WRONG(p, "rank %u leaves epoch %u with postponed work", rank, k);
  for (uint32_t i = 0; i < me->mail_count; i++)
    if (me->mail[i].epoch == k) WRONG(p, "rank %u leaves epoch %u with work that others hold it open for", rank, k);
  judge_reduction(me);
}

/* Registration fails only where MPI does, and says why: there or, if the world has failed before, on which rank. */
static void refused(player *me) {
  const char *text = scree_error_text(scree_world_of(me->w));
  if (!me->all->mpi_fails || !strstr(text, "rank")) WRONG(me->all, "registration: '%s'", text);
}

/* Its own flags, without SCREE_ROUTED. */
static uint32_t flags_of(const program *p, kind k) {
  return p->flags[k] | p->more[k] | (p->any_source[k] ? SCREE_ANY_SOURCE : 0);
}

static scree_status register_kind(player *first, kind k) {
  program *p = first->all;
  scree_world *world = scree_world_of(first->w);
  const uint32_t flags = flags_of(p, k);
  if (k == SUM) return sum_register_with(world, flags, p, &first->sum);
  if (k == LEAST) return least_register_with(world, flags, p, &first->least);
  return text_register_with(world, flags, p, &first->text);
}

/* The types that this epoch is the first one of. */
static void register_later(player *first) {
  program *p = first->all;
  for (kind k = TEXT; k < KINDS; k++) {
    if (p->from[k] != first->epoch) continue;
    first->has[k] = register_kind(first, k) == SCREE_OK;
    if (!first->has[k]) refused(first);
  }
  for (uint32_t w = 1; w <= p->config.threads; w++) {
    memcpy(first[w].has, first->has, sizeof first->has);
    first[w].text = first->text;
    first[w].sum = first->sum;
    first[w].least = first->least;
  }
}

/* Now and then this rank has, or has no, caches from now on: a local matter. */
static void maybe_switch(player *first) {
  scree_world *world = scree_world_of(first->w);
  for (kind k = SUM; k <= LEAST; k++) {
    if (!first->has[k] || below(&first->random, 4)) continue;
    const scree_status status =
        scree_reduce_type(world, k == SUM ? first->sum.id : first->least.id, below(&first->random, 3));
    if (status && !scree_error(world)) WRONG(first->all, "scree_reduce_type: '%s'", scree_error_text(world));
  }
}

static void play_epoch(player *me) {
  open_epoch(me);
  leave_epoch(me);
  judge_epoch(me);
}

/* The epochs of one call of scree_run_workers, or one alone. */
static void play_run(scree_worker *w, void *program_) {
  program *p = program_;
  player *me = player_of(p, w);
  me->epoch = p->players[w->rank][0].run_from;
  do {
    play_epoch(me);
    me->epoch++;
  } while (me->epoch < p->epochs && !p->first[me->epoch] && ok(me));
}

static void play_epochs(player *first) {
  program *p = first->all;
  while (first->epoch < p->epochs && ok(first)) {
    register_later(first);
    maybe_switch(first);
    first->run_from = first->epoch;
    if (p->alone[first->epoch])
      play_run(first->w, p);
    else
      scree_run_workers(scree_world_of(first->w), p->takers[first->epoch], play_run, p);
    if (first->epoch == first->run_from) return; /* nothing ran: the failure is known */
  }
}

static void add_up(player *me) {
  program *p = me->all;
  scree_world *world = scree_world_of(me->w);
  scree_stats s;
  scree_stats_read(world, &s);
  p->totals.overflows += s.overflow_blocks;
  p->totals.waits += s.waits;
  p->totals.passed += s.passed;
  p->totals.stalls += s.stalls;
  for (kind k = SUM; k <= LEAST; k++) {
    scree_reduced_stats c = {0};
    if (me->has[k]) scree_stats_reduced(world, k == SUM ? me->sum.id : me->least.id, &c);
    p->combined[k] += c.combined;
    p->totals.evicted += c.evicted;
  }
  if (strstr(scree_error_text(world), "overflow to rank")) note_failure(me, SCREE_ENOMEM);
}

static scree_status register_types(player *me, scree_world *world) {
  static const char *const names[MOST_SLIMS] = {"slim", "slim1", "slim2", "slim3", "slim4", "slim5"};
  const uint32_t routed = me->all->routed ? SCREE_ROUTED : 0;
  scree_status status = SCREE_OK;
  for (uint32_t i = 0; i < me->all->slims && !status; i++) {
    scree_type_desc type = {.size = sizeof type,
                            .name = names[i],
                            .item = sizeof(note),
                            .flags = flags_of(me->all, SLIM) | routed,
                            .fn = slim_batch,
                            .arg = me->all};
    status = scree_register(world, &type, &me->slim[i].id);
  }
  return status ? status : wide_register_with(world, flags_of(me->all, WIDE) | routed, me->all, &me->wide);
}

void program_play(scree_world *world, void *program_) {
  program *p = program_;
  player *first = player_of(p, scree_worker_of(world, 0));
  for (uint32_t i = 0; i <= p->config.threads; i++) {
    scree_worker *w = scree_worker_of(world, i); /* the progress thread's is known to its handlers alone */
    memset(&first[i], 0, offsetof(player, postponed));
    first[i].all = p;
    first[i].w = w;
    first[i].random = p->seed ^ ((uint64_t)first->w->rank << 40) ^ ((uint64_t)i << 32);
  }
  if (register_types(first, world)) {
    refused(first);
    return;
  }
  for (uint32_t i = 1; i <= p->config.threads; i++) {
    memcpy(first[i].slim, first->slim, sizeof first->slim);
    first[i].wide = first->wide;
  }
  if (p->polls && scree_on_idle(world, poll_and_work, p)) WRONG(p, "rank %u: no poll function", first->w->rank);
  play_epochs(first);
  add_up(first);
}
