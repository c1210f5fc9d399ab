/* trace.c - the function that wraps each handler while a world is traced. */
#include "observe/trace.h"

#include "core/progress.h"

void scree__traced_batch(scree_worker *worker, const scree_batch *batch, const void *items, void *arg) {
  scree__worker *me = scree__worker_of(worker);
  scree__event event = {.kind = SCREE__EVENT_BATCH, .type = me->in.handler, .number = batch->count};
  event.source =
      batch->source == SCREE_NO_SOURCE ? SCREE_NO_SOURCE : batch->source * me->world->endpoints + batch->worker;
  scree__resume(me);
  event.begin = scree__now(me);
  me->world->types[event.type].handler(worker, batch, items, arg);
  event.end = scree__now(me);
  scree__ring_add(me->tracer.ring, event);
}
