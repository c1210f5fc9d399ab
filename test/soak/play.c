/* play.c - a program on one rank: types, epochs of all kinds, sends, holds, postponed work. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "soak.h"

/* ---- letters: work that another rank gets outside scree, while a hold keeps the epoch open ---- */

static int letter_tag(const player *me) {
  return (int)((me->plan->number * EPOCHS_MAX + me->epoch) % 30000);
}

/* The hold comes first. */
static void send_letter(player *me, uint64_t generations) {
  if (me->letter_count == MAILS) return;
  uint32_t i = me->letter_count++, dest = (uint32_t)below(&me->random, me->w->ranks);
  scree_hold(me->w, 1);
  me->letters_out[i] = generations;
  MPI_Isend(&me->letters_out[i], 1, MPI_UINT64_T, (int)dest, letter_tag(me), me->mail, &me->letters[i]);
}

static void expect_letter(player *me) {
  MPI_Irecv(&me->letter_in, 1, MPI_UINT64_T, MPI_ANY_SOURCE, letter_tag(me), me->mail, &me->letter_box);
}

static bool open_letter(player *me) {
  int arrived = 0;
  if (me->letter_box == MPI_REQUEST_NULL) return false;
  MPI_Test(&me->letter_box, &arrived, MPI_STATUS_IGNORE);
  if (!arrived) return false;
  uint64_t generations = me->letter_in;
  expect_letter(me);
  if (generations > 0) send_letter(me, generations - 1);
  for (uint64_t i = below(&me->random, 8); i > 0; i--) scree_progress(me->w);
  send_one(me, 0, scree__draw(&me->random));
  scree_release(me->w, 1);
  return true;
}

static bool letters_left(player *me) {
  MPI_Status states[MAILS];
  int done;
  MPI_Testall((int)me->letter_count, me->letters, &done, states);
  return done;
}

/* In a failed world letters may be under way when the ranks leave the epoch. They are received, lest their senders wait
 * for that: all ranks leave the same epoch, so that they may meet in a barrier. */
static void drop_letters(player *me) {
  MPI_Request all_left = MPI_REQUEST_NULL;
  int arrived, done = 0;
  bool entered = false;
  while (!done) {
    MPI_Test(&me->letter_box, &arrived, MPI_STATUS_IGNORE);
    if (arrived) expect_letter(me);
    if (!entered && letters_left(me)) entered = MPI_Ibarrier(me->mail, &all_left) == MPI_SUCCESS;
    if (entered) MPI_Test(&all_left, &done, MPI_STATUS_IGNORE);
    sched_yield();
  }
}

/* After the epoch: if the world has not failed, all letters have arrived. */
static void settle_letters(player *me) {
  if (!me->plan->mails) return;
  if (scree_error(me->world) != SCREE_OK) drop_letters(me);
  while (!letters_left(me)) sched_yield();
  MPI_Cancel(&me->letter_box);
  MPI_Wait(&me->letter_box, MPI_STATUS_IGNORE);
  me->letter_count = 0;
}

/* ---- sends outside handlers ---- */

static void sleep_a_little(player *me) {
  if (!me->plan->calm) nanosleep(&(struct timespec){0, (long)below(&me->random, 2000000)}, NULL);
}

static void hold_for_a_while(player *me) {
  scree_hold(me->w, 2);
  for (uint64_t i = below(&me->random, 8); i > 0; i--) scree_progress(me->w);
  send_one(me, me->plan->depth, scree__draw(&me->random));
  scree_release(me->w, 2);
}

static void between_bursts(player *me) {
  const uint64_t random = scree__draw(&me->random);
  const uint32_t type = me->type[me->have[(random >> 8) % me->have_count]];
  switch (random % 32) {
  case 0:
    scree_progress(me->w);
    break;
  case 1:
    scree_flush(me->w, SCREE_ALL);
    break;
  case 2:
    scree_flush(me->w, type);
    break;
  case 3:
    scree_flush_lane(me->w, type, (uint32_t)(random >> 32) % me->w->ranks);
    break;
  case 4:
    sleep_a_little(me);
    break;
  case 5:
    hold_for_a_while(me);
    break;
  default:
    break;
  }
}

/* False: this rank has sent all. */
static bool send_some(player *me, uint64_t *bursts) {
  if (*bursts == 0 || me->over) return false;
  --*bursts;
  for (uint64_t i = below(&me->random, 8); i > 0 && !me->over; i--)
    send_one(me, me->plan->depth, scree__draw(&me->random));
  if (!me->over) send_burst(me, 1 + (uint32_t)below(&me->random, me->plan->burst));
  between_bursts(me);
  return true;
}

static uint64_t draw_bursts(player *me) {
  if (me->pattern == EMPTY || (me->pattern == FROM_ONE && me->one != me->w->rank)) return 0;
  return below(&me->random, me->plan->roots + 1);
}

/* ---- epochs ---- */

static bool work_off(player *me, uint64_t *bursts) {
  if (send_some(me, bursts)) return true;
  if (me->queued > 0) {
    struct postponed p = me->queue[--me->queued];
    if (!me->over) answer(me, p.depth, p.hash & ~(uint64_t)1);
    return true;
  }
  return open_letter(me);
}

static scree_status leave_tested(player *me, uint64_t bursts, scree_reduce *part) {
  bool worked = true;
  if (me->plan->mails) expect_letter(me);
  for (uint64_t i = me->plan->mails ? below(&me->random, 4) : 0; i > 0; i--) send_letter(me, below(&me->random, 4));
  while (!scree_test(me->w, !worked && bursts == 0, part)) {
    worked = work_off(me, &bursts);
    if (me->over) bursts = 0;
  }
  settle_letters(me);
  return scree_error(me->world);
}

static scree_status leave_scoped(player *me, uint64_t bursts, scree_reduce *part) {
  while (send_some(me, &bursts)) {
  }
  return scree_end(me->w, part);
}

static void draw_epoch(player *me) {
  const plan *p = me->plan;
  me->epoch_random = me->epoch_key = scree__hash_draw(p->key, 1000 + me->epoch);
  me->pattern = (pattern)below(&me->epoch_random, PATTERNS);
  me->tested = below(&me->epoch_random, 2);
  me->one = (uint32_t)below(&me->epoch_random, me->w->ranks);
  me->count[me->epoch].is_mute = below(&me->epoch_random, 4 * me->w->ranks) == me->w->rank;
  me->bytes = me->spawned = 0;
  me->over = false;
  me->stop_at = scree__clock_ns() + p->nanoseconds / p->epochs;
  me->part = (scree_reduce){.min = scree__hash_draw(me->epoch_key, me->w->rank)};
  me->part.max = me->part.min;
}

static scree_status register_types(player *me) {
  scree_status status = SCREE_OK;
  for (uint32_t i = 0; i < KINDS && status == SCREE_OK; i++)
    if (me->plan->from[me->plan->order[i]] == me->epoch) status = kind_register(me, me->plan->order[i]);
  return status;
}

static bool is_reduced(const player *me, kind k) {
  for (uint32_t i = 0; i < me->have_count; i++)
    if (me->have[i] == k) return k >= TALLY;
  return false;
}

/* Now and then this rank has, or has no, caches from now on: a local matter, also where there is no memory for them. */
static void switch_caches(player *me) {
  for (kind k = TALLY; k <= HIGH; k++) {
    if (me->plan->defaults || !is_reduced(me, k) || below(&me->random, 4)) continue;
    const scree_status status = scree_reduce_type(me->world, me->type[k], below(&me->random, SCREE_REDUCE_OFF + 1));
    me->count[me->epoch].flaws += status == SCREE_EINVAL || status == SCREE_ESTATE;
  }
}

static void count_combined(player *me) {
  for (kind k = TALLY; k <= HIGH; k++) {
    scree_reduced_stats s = {0};
    if (is_reduced(me, k)) scree_stats_reduced(me->world, me->type[k], &s);
    me->saved[k - TALLY] -= s.combined;
  }
}

static scree_status play_epoch(player *me) {
  scree_status status = register_types(me);
  if (status == SCREE_OK) switch_caches(me);
  draw_epoch(me);
  if (status == SCREE_OK) status = scree_begin(me->w);
  if (status != SCREE_OK) return status;
  if (below(&me->random, 8) == 0) sleep_a_little(me);
  epoch_count *c = &me->count[me->epoch];
  scree_reduce *part = c->is_mute ? NULL : &me->part;
  status = (me->tested ? leave_tested : leave_scoped)(me, draw_bursts(me), part);
  c->reduced = me->part.sum[0], c->reduced_hash = me->part.sum[1];
  c->min = me->part.min, c->max = me->part.max;
  if (!c->is_mute) c->given = c->handled, c->given_hash = c->handled_hash;
  board_epoch();
  return status;
}

void play(player *me) {
  me->status = scree_open_mpi(MPI_COMM_WORLD, &me->plan->options, &me->world);
  if (me->status != SCREE_OK) return;
  board_world(me->world);
  me->w = scree_worker_of(me->world, 0);
  me->random = scree__hash_draw(me->plan->key, 2000 + me->w->rank);
  for (; me->epoch < me->plan->epochs && me->status == SCREE_OK; me->epoch++) me->status = play_epoch(me);
  snprintf(me->why, sizeof me->why, "%s", scree_error_text(me->world));
  count_combined(me);
  board_world(NULL);
  scree_status closed = scree_close(me->world);
  if (me->status == SCREE_OK) me->status = closed;
}
