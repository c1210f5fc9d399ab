/* lifeline.c - closures that move between ranks. A worker without work sends a request to a random worker of another
 * rank, twice at most; then it sends a lifeline to its neighbours in a hypercube of the ranks, which send it work when
 * they have some (Saraswat et al., Lifeline-based global load balancing, PPoPP 2011), and sends no more requests until
 * it has begun another closure. So the requests of an idle worker end, and with them the epoch. Requesting is work, and
 * comes before the worker is idle; an answer is a message. */
#include "base/random.h"
#include "core/epoch.h"
#include "task/loop.h"
#include "task/message.h"
#include "task/steal.h"

enum { TRY, LIFELINE, ANSWER, LIFELINE_ANSWER };
enum { TRIES = 2, GIVEN_MAX = 256 };

static void send(scree__tasks *t, uint32_t dest, uint32_t kind, uint32_t value) {
  const scree__steal_item item = {kind, value};
  scree__send(t->me, t->of->steal, dest, &item, sizeof item);
  scree_flush_lane(&t->me->head, t->of->steal, dest);
}

/* ---- the victim ---- */

static uint32_t give_one(scree__tasks *t, uint32_t dest) {
  const scree__closure closure = *scree__closures_pop_first(&t->public);
  uint64_t scope = SCREE__STOLEN;
  if (closure.scope) {
    closure.scope->active--;
    closure.scope->outstanding++;
    scope |= closure.scope->id;
  }
  if (closure.type->body)
    scree__loop_send(t, dest, scope, &closure);
  else
    scree__send_two(t->me, closure.type->id, dest, &scope, sizeof scope, closure.args, closure.type->bytes);
  return closure.type->id;
}

/* True if it has two closures that may be given. Those that it has exposed to its rank are taken back for that. */
static bool has_spare(scree__tasks *t) {
  const scree__closures *public = &t->public;
  if (scree__closures_count(public) < 2 && t->offers && !t->me->failed &&
      scree__closures_count(public) + scree__deque_count(t->deque) >= 2)
    while (scree__closures_count(public) < 2 && scree__take_back(t)) {
    }
  return scree__closures_count(public) >= 2;
}

/* Half of what it has, the oldest first. A send outside of handlers may run handlers that spawn and give too. */
static uint32_t give(scree__tasks *t, uint32_t dest) {
  if (!has_spare(t)) return 0;
  const uint32_t count = scree__closures_count(&t->public), half = count / 2 < GIVEN_MAX ? count / 2 : GIVEN_MAX;
  uint32_t given = 0, type = 0;
  for (; given < half && scree__closures_count(&t->public) && !t->me->failed; given++) {
    const uint32_t last = type;
    type = give_one(t, dest);
    if (last && last != type) scree_flush_lane(&t->me->head, last, dest);
  }
  if (given) scree_flush_lane(&t->me->head, type, dest);
  return given;
}

static uint32_t neighbour(const scree__tasks *t, uint32_t bit) {
  return scree_worker_number(&t->me->head, t->me->head.rank ^ UINT32_C(1) << bit, t->me->head.index);
}

void scree__feed_lifelines(scree__tasks *t) {
  for (uint32_t bit = 0; bit < 32 && t->thief.wanted; bit++) {
    const uint32_t mask = UINT32_C(1) << bit;
    if (!(t->thief.wanted & mask) || !has_spare(t)) continue;
    t->thief.wanted &= ~mask;
    send(t, neighbour(t, bit), LIFELINE_ANSWER, bit);
    give(t, neighbour(t, bit));
  }
}

/* ---- the thief ---- */

static bool has_none(const scree__tasks *t) {
  return !scree__ready_count(&t->ready) && !scree__closures_count(&t->private) && !scree__closures_count(&t->public) &&
         !(t->deque && scree__deque_count(t->deque));
}

bool scree__wants_to_ask(const scree__tasks *t) {
  return t->asks && !t->me->failed && !t->thief.asking && !(t->thief.quiet && t->thief.serial == t->serial) &&
         t->live < t->live_max && has_none(t);
}

static void ask_one(scree__tasks *t) {
  const scree__worker *me = t->me;
  const uint32_t others = me->head.ranks - 1;
  const uint32_t rank = (me->head.rank + 1 + (uint32_t)(scree__draw(&t->thief.random) % others)) % me->head.ranks;
  const uint32_t index = (uint32_t)(scree__draw(&t->thief.random) % me->end.taking);
  t->thief.asking = true;
  t->thief.tries++;
  t->stats.tries_elsewhere++;
  send(t, scree_worker_number(&me->head, rank, index), TRY, 0);
}

static void leave_word(scree__tasks *t) {
  t->thief.quiet = true;
  for (uint32_t bit = 0; UINT64_C(1) << bit < t->me->head.ranks; bit++) {
    const uint32_t mask = UINT32_C(1) << bit;
    if ((t->me->head.rank ^ mask) >= t->me->head.ranks || (t->thief.tied & mask)) continue;
    t->thief.tied |= mask;
    t->stats.lifelines++;
    send(t, neighbour(t, bit), LIFELINE, bit);
  }
}

bool scree__ask_elsewhere(scree__tasks *t) {
  if (!scree__wants_to_ask(t)) return false;
  if (t->thief.serial != t->serial) {
    t->thief.tries = 0;
    t->thief.quiet = false;
  }
  t->thief.serial = t->serial;
  if (t->thief.tries < TRIES)
    ask_one(t);
  else
    leave_word(t);
  return true;
}

/* ---- messages ---- */

static void take_item(scree__tasks *t, const scree__steal_item *item, uint32_t sender) {
  switch (item->kind) {
  case TRY:
    send(t, sender, ANSWER, give(t, sender));
    break;
  case LIFELINE:
    t->thief.wanted |= UINT32_C(1) << item->value % 32;
    scree__feed_lifelines(t);
    break;
  case ANSWER:
    SCREE__INVARIANT(t->thief.asking);
    t->thief.asking = false;
    t->stats.steals_elsewhere += item->value > 0;
    break;
  default:
    t->thief.tied &= ~(UINT32_C(1) << item->value % 32);
    t->stats.lifelines_won++;
  }
}

void scree__on_steal(scree_worker *worker, const scree_batch *batch, const void *items, void *unused) {
  const scree__steal_item *item = items;
  scree__worker *me = scree__worker_of(worker);
  (void)unused;
  for (uint32_t i = 0; i < batch->count && !me->failed; i++)
    take_item(scree__tasks_of(me), &item[i], scree__sender(me, batch));
}
