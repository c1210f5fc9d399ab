/* dispatch.c - from an arrived block to handlers: chooses the next block, calls handlers with batches of it, and
 * returns it. Block memory is returned at once; only the count of completed blocks waits until the worker is idle. */
#include "core/epoch.h"
#include "core/fail.h"
#include "core/pass.h"
#include "core/progress.h"
#include "core/send.h"

/* A block of the other parity belongs to the next epoch, which this worker has not begun: it stays in its queue. A
 * failure notice is for any epoch. */
static bool is_due(const scree__worker *me, const scree__block *block) {
  return block->wire.parity == (me->end.epoch & 1) || block->wire.kind == SCREE__CONTROL;
}

/* Another worker of the rank may still read what a handler writes until that worker begins the epoch, unless the type
 * is one to workers, whose handlers use the data of one worker. */
static bool may_handle(scree__worker *me, const scree__block *block) {
  return me->all_begun || scree__all_begun(me) || block->wire.kind == SCREE__CONTROL ||
         me->world->types[block->wire.segment.type].flags & SCREE_TO_WORKER;
}

static scree__block *from_self(scree__worker *me, scree__own_blocks *own) {
  if (own->queue.head && !may_handle(me, own->queue.head)) return NULL;
  scree__block *block = scree__queue_pop(&own->queue);
  SCREE__INVARIANT(!block == !own->length);
  if (block) own->length--;
  SCREE__INVARIANT(!own->queue.head == !own->length);
  return block;
}

/* Of a type that this world does not have: the world fails, and completes the block as it does all that follow. */
static bool refuse_type(scree__worker *me, const scree__block *block) {
  const scree__segment *segment = &block->wire.segment;
  if (block->wire.kind == SCREE__CONTROL) return false;
  scree__fail(me, SCREE_EPEER, "receive",
              "a block from rank %u is of message type %u, and this world has %u types, numbered from 1: that rank has "
              "another build of scree, or the block was damaged",
              segment->origin / me->world->endpoints, segment->type, me->world->type_count);
  return true;
}

static scree__block *from_path(scree__worker *me, uint32_t hop_class) {
  scree__transport *t = me->path[hop_class];
  scree__block *block = t->ops->peek(t);
  if (!block || !is_due(me, block)) return NULL;
  const bool unknown = !scree__has_type(me->world, block->wire.segment.type) && refuse_type(me, block);
  if (!unknown && !may_handle(me, block)) return NULL;
  t->ops->pop(t, block);
  return block;
}

/* Messages to self and from others take turns, so that neither starves. Those to self count as arrived by the class of
 * direct types, or of urgent ones. */
static scree__block *next_block(scree__worker *me, uint32_t hop_class) {
  if (hop_class < scree__direct_class(me)) return from_path(me, hop_class);
  scree__own_blocks *own = scree__self_of(me, hop_class);
  own->turn = !own->turn;
  scree__block *block = own->turn ? from_self(me, own) : from_path(me, hop_class);
  if (!block) block = own->turn ? from_path(me, hop_class) : from_self(me, own);
  return block;
}

static void return_block(scree__worker *me, uint32_t hop_class, scree__block *block) {
  scree__transport *t = me->path[hop_class];
  bool own = block->wire.owner == me->endpoint;
  SCREE__INVARIANT(block->wire.owner < t->topology->endpoints && block != me->in.current[hop_class].block);
  me->end.handled++;
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
  if (segment->origin == SCREE_NO_SOURCE) {
    batch.worker = SCREE_NO_SOURCE;
  } else if (endpoints > 1) {
    batch.source = segment->origin / endpoints;
    batch.worker = segment->origin % endpoints;
  }
  SCREE__INVARIANT(!me->in.handler && n > 0 && scree__has_type(me->world, segment->type));
  me->in.handler = segment->type;
  if (__builtin_expect(type->sort != NULL, 0)) at = scree__sort(&me->in.sorter, at, n, type->item, type->sort);
  type->fn(&me->head, &batch, at, type->arg);
  me->in.handler = 0;
  me->in.arrivals[segment->type].handled += n;
  me->in.items += n;
  me->in.batches++;
}

/* One batch of the current block: at most batch_max items. */
static void handle_batch(scree__worker *me, scree__current *current) {
  const scree__segment *segment = &current->block->wire.segment;
  uint32_t max = (uint32_t)me->world->options.batch_max;
  uint32_t n = current->left < max ? current->left : max;
  const char *at = current->at;
  if (n < current->left) current->at += extent(&me->world->types[segment->type], at, n);
  current->left -= n;
  if (n) scree__call_handler(me, segment, at, n);
}

static void start(scree__current *current, scree__block *block) {
  *current = (scree__current){block, scree__block_data(block), block->wire.segment.count};
}

/* Processes the current block. False: it waits for space elsewhere. In a failed world blocks are completed without
 * being handled. */
static bool take_step(scree__worker *me, uint32_t hop_class, scree__current *current) {
  scree__block *block = current->block;
  bool moved = true;
  if (block->wire.kind == SCREE__CONTROL)
    scree__take_notice(me, block);
  else if (me->failed)
    current->left = 0;
  else if (block->wire.kind == SCREE__FRAGMENT)
    scree__take_fragment(me, block);
  else if (scree__is_routed(&me->world->types[block->wire.segment.type]))
    moved = scree__pass(me, hop_class);
  else
    handle_batch(me, current);
  if (block->wire.kind != SCREE__DATA) current->left = 0;
  return moved;
}

static bool dispatch_class(scree__worker *me, uint32_t hop_class) {
  scree__current *current = &me->in.current[hop_class];
  if (!current->block) {
    scree__block *block = next_block(me, hop_class);
    if (!block) return false;
    start(current, block);
  }
  const bool moved = take_step(me, hop_class, current);
  if (!moved) me->path[hop_class]->ops->peek(me->path[hop_class]); /* else it would see no progress of this endpoint */
  if (current->left > 0) return moved;
  scree__block *block = current->block;
  current->block = NULL;
  return_block(me, hop_class, block);
  return true;
}

/* Handles, or passes on, one batch of a block of each class of hops; the last class first, because the others wait for
 * space there, and urgent messages before all others. False: nothing moved. */
bool scree__dispatch_batch(scree__worker *me) {
  bool moved = false;
  for (uint32_t c = me->world->classes; c-- > 0;) moved |= dispatch_class(me, c);
  return moved;
}

/* Outside of epochs. It is of any epoch, and counted in the next one. */
void scree__take_early_notice(scree__worker *me) {
  const uint32_t c = scree__direct_class(me);
  scree__transport *t = me->path[c];
  scree__block *block = t->ops->peek(t);
  if (!block || block->wire.kind != SCREE__CONTROL) return;
  t->ops->pop(t, block);
  scree__take_notice(me, block);
  return_block(me, c, block);
}
