/* trace.c - what workers record of themselves while a world is traced. Handlers have a function in front of them then; all
 * else is recorded where a worker waits, or begins or ends an epoch. */
#include "core/world.h"

static void record(scree__worker *me, scree__event_kind kind, uint64_t begin, uint64_t end, uint64_t number) {
  scree__ring_add(me->ring, (scree__event){.begin = begin, .end = end, .number = number, .kind = kind});
}

static void end_wait(scree__worker *me, uint64_t at) {
  record(me, me->wait_kind, me->wait_begun, at, me->idle_rounds);
  me->wait_begun = 0;
}

void scree__traced_batch(scree_worker *worker, const scree_batch *batch, const void *items, void *arg) {
  scree__worker *me = scree__worker_of(worker);
  scree__event event = {.kind = SCREE__EVENT_BATCH, .type = me->in_handler - 1, .number = batch->count};
  event.source =
      batch->source == SCREE_NO_SOURCE ? SCREE_NO_SOURCE : batch->source * me->world->endpoints + batch->worker;
  event.begin = scree__now(me);
  if (me->wait_begun) end_wait(me, event.begin);
  me->world->types[event.type].handler(worker, batch, items, arg);
  event.end = scree__now(me);
  scree__ring_add(me->ring, event);
}

void scree__trace_wait(scree__worker *me, scree__event_kind kind) {
  if (me->wait_begun && me->wait_kind == kind) return;
  uint64_t now = scree__now(me);
  if (me->wait_begun) end_wait(me, now);
  me->wait_begun = now;
  me->wait_kind = kind;
}

void scree__trace_resume(scree__worker *me) {
  end_wait(me, scree__now(me));
}

void scree__trace_epoch(scree__worker *me) {
  uint64_t now = scree__now(me);
  if (me->wait_begun) end_wait(me, now);
  record(me, SCREE__EVENT_EPOCH, me->epoch_begun, now, me->epoch);
  me->epoch_begun = 0;
}

/* An idle worker may read the counters millions of times a second: of rounds that read the same the first is recorded. */
void scree__trace_round(scree__worker *me, scree__event_kind kind, const scree__round *sums, uint64_t expected,
                        bool over) {
  if (!over && sums->completed == me->seen_completed && sums->created == me->seen_created) return;
  scree__event event = {.kind = kind, .begin = me->round_begun, .end = scree__now(me), .type = over};
  event.number = sums->created + expected - sums->completed;
  me->seen_completed = sums->completed;
  me->seen_created = sums->created;
  scree__ring_add(me->ring, event);
}
