/* dispatch.c - from an arrived block to handlers: chooses the next block, calls handlers with batches of it, and returns
 * it. Block memory is returned at once; only the count of completed blocks waits until the worker is idle. */
#include "core/world.h"

/* A block of the other parity belongs to the next epoch, which this worker has not begun: it stays where it is. A
 * failure notice is for any epoch. */
static bool is_due(const scree__worker *me, const scree__block *block) {
  return block->wire.parity == (me->epoch & 1) || block->wire.kind == SCREE__CONTROL;
}

/* What a handler writes, another worker of the rank may still read until it begins the epoch, unless the type is one to
 * workers, whose handlers' data is one worker's. */
static bool may_handle(scree__worker *me, const scree__block *block) {
  return me->all_begun || scree__all_begun(me) || block->wire.kind == SCREE__CONTROL ||
         me->world->types[block->wire.segment.type].flags & SCREE_TO_WORKER;
}

static scree__block *from_self(scree__worker *me) {
  if (me->self.head && !may_handle(me, me->self.head)) return NULL;
  scree__block *block = scree__queue_pop(&me->self);
  if (block) me->self_length--;
  return block;
}

static scree__block *from_transport(scree__worker *me) {
  scree__transport *t = me->transport;
  scree__block *block = t->ops->peek(t);
  if (!block || !is_due(me, block) || !may_handle(me, block)) return NULL;
  t->ops->pop(t, block);
  return block;
}

/* Messages to self and from others take turns, so that neither starves. */
static scree__block *next_block(scree__worker *me) {
  me->self_next = !me->self_next;
  scree__block *block = me->self_next ? from_self(me) : from_transport(me);
  if (!block) block = me->self_next ? from_transport(me) : from_self(me);
  return block;
}

static void return_block(scree__worker *me, scree__block *block) {
  scree__transport *t = me->transport;
  bool own = block->wire.owner == me->endpoint;
  me->handled++;
  if (own)
    scree__block_put(me, block);
  else
    t->ops->release(t, block);
}

/* Bytes of the next n records. */
static size_t extent(const scree__type *type, const char *at, uint32_t n) {
  if (type->item) return (size_t)n * type->item;
  const void *end = at;
  for (size_t bytes; n > 0; n--) scree_record_next(&end, &bytes);
  return (size_t)((const char *)end - at);
}

void scree__call_handler(scree__worker *me, const scree__segment *segment, const char *at, uint32_t n) {
  scree__type *type = &me->world->types[segment->type];
  scree_batch batch = {segment->origin, n, 0};
  const uint32_t endpoints = me->world->endpoints;
  if (endpoints > 1) {
    batch.source = segment->origin / endpoints;
    batch.worker = segment->origin % endpoints;
  }
  me->in_handler = segment->type + 1;
  type->fn(&me->head, &batch, at, type->arg);
  me->in_handler = 0;
  me->arrivals[segment->type].handled += n;
  me->items_handled += n;
  me->batches++;
}

/* One batch of the current block: at most batch_max items. */
static void handle_batch(scree__worker *me) {
  scree__current *current = &me->current;
  const scree__segment *segment = &current->block->wire.segment;
  uint32_t max = (uint32_t)me->world->options.batch_max;
  uint32_t n = current->left < max ? current->left : max;
  const char *at = current->at;
  if (n < current->left) current->at += extent(&me->world->types[segment->type], at, n);
  current->left -= n;
  if (n) scree__call_handler(me, segment, at, n);
}

static void start(scree__worker *me, scree__block *block) {
  me->current = (scree__current){block, scree__block_data(block), block->wire.segment.count};
}

/* Handles one batch. False: there was nothing to handle. In a failed world blocks are completed without being handled. */
bool scree__dispatch_batch(scree__worker *me) {
  scree__current *current = &me->current;
  if (!current->block) {
    scree__block *block = next_block(me);
    if (!block) return false;
    start(me, block);
  }
  scree__block *block = current->block;
  if (block->wire.kind == SCREE__CONTROL)
    scree__take_notice(me, block);
  else if (me->failed)
    current->left = 0;
  else if (block->wire.kind == SCREE__FRAGMENT)
    scree__take_fragment(me, block);
  else
    handle_batch(me);
  if (block->wire.kind != SCREE__DATA) current->left = 0;
  if (current->left > 0) return true;
  current->block = NULL;
  return_block(me, block);
  return true;
}
