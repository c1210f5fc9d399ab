/* publish.c - from a closed block to the transport: publication in the order that counting demands, the queues of
 * blocks that wait for admission, overflow blocks from private memory, and messages to self, which never reach the
 * transport. */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/lane.h"
#include "core/send.h"

enum { SPARES_KEPT = 64 };

/* ---- taking and returning blocks ---- */

scree__block *scree__block_take(scree__worker *me, uint32_t hop_class, uint32_t dest, size_t want) {
  scree__transport *t = me->path[hop_class];
  if (dest == me->endpoint) return scree__pool_take(&me->out.self_pool, want);
  return t->ops->take(t, dest, want);
}

/* A block of the smallest size from private memory, since a handler cannot wait. NULL, and the world fails, beyond the
 * limit. */
scree__block *scree__overflow_take(scree__worker *me, uint32_t dest) {
  scree_world *world = me->world;
  size_t bytes = sizeof(scree__block) + world->min_block;
  scree__block *block = me->out.spare;
  if (block) {
    me->out.spare = block->next;
    me->out.spares--;
  } else if (me->out.overflow_bytes + bytes <= world->overflow_max) {
    block = aligned_alloc(SCREE__LINE, (bytes + SCREE__LINE - 1) & ~(size_t)(SCREE__LINE - 1));
  }
  if (!block) {
    scree__fail(me, SCREE_ENOMEM, "send in a handler",
                "overflow to rank %u: %llu bytes held, limit %llu: let handlers postpone work, or raise the options "
                "memory or overflow-max",
                dest / me->world->endpoints, (unsigned long long)me->out.overflow_bytes,
                (unsigned long long)world->overflow_max);
    return NULL;
  }
  *block = (scree__block){.capacity = world->min_block, .storage = SCREE__STORAGE_HEAP};
  me->out.overflow_blocks++;
  me->out.overflow_bytes += bytes;
  if (me->out.overflow_bytes > me->out.overflow_peak) me->out.overflow_peak = me->out.overflow_bytes;
  return block;
}

static void put_overflow(scree__worker *me, scree__block *block) {
  SCREE__INVARIANT(me->out.overflow_bytes >= sizeof *block + block->capacity && block != me->out.spare);
  me->out.overflow_bytes -= sizeof *block + block->capacity;
  if (me->out.spares >= SPARES_KEPT || block->capacity != me->world->min_block) {
    free(block);
    return;
  }
  block->next = me->out.spare;
  me->out.spare = block;
  me->out.spares++;
}

void scree__spares_free(scree__worker *me) {
  for (; me->out.spare; me->out.spares--) {
    scree__block *block = me->out.spare;
    me->out.spare = block->next;
    free(block);
  }
}

/* Returns a block that this worker took. */
void scree__block_put(scree__worker *me, scree__block *block) {
  scree__transport *t = me->path[block->hop_class];
  switch ((scree__storage)block->storage) {
  case SCREE__STORAGE_SELF:
    scree__pool_put(&me->out.self_pool, block);
    break;
  case SCREE__STORAGE_HEAP:
    put_overflow(me, block);
    break;
  case SCREE__STORAGE_FIXED:
    break;
  case SCREE__STORAGE_SHM:
  case SCREE__STORAGE_MPI:
    t->ops->put(t, block);
    break;
  }
}

/* ---- publication ---- */

/* Admission is known. `created` is stored before the block can be seen: a detector that reads all `completed` and
 * then all `created` never finds a handled block that was not created. */
static void publish_now(scree__worker *me, scree__block *block) {
  scree__transport *t = me->path[block->hop_class];
  block->wire.parity = me->end.epoch & 1;
  block->wire.owner = me->endpoint;
  SCREE__INVARIANT(block->wire.segment.bytes <= block->capacity && block->dest < t->topology->endpoints);
  me->end.created++;
  scree__count_created(&me->end);
  if (block->dest == me->endpoint) {
    scree__own_blocks *own = scree__self_of(me, block->hop_class);
    scree__queue_add(&own->queue, block);
    own->length++;
    return;
  }
  scree_status status = t->ops->push(t, block->dest, block);
  if (status == SCREE_OK) return;
  scree__fail(me, status, "send", "block to rank %u: %s", block->dest / me->world->endpoints, t->fault->text);
}

static bool accepts(scree__worker *me, const scree__block *block) {
  scree__transport *t = me->path[block->hop_class];
  if (block->dest == me->endpoint) return true;
  return block->storage != SCREE__STORAGE_HEAP && t->ops->accepts(t, block->dest);
}

/* Blocks of the transport go in front: a private block at the head waits for a block of the transport to become free,
 * which would never happen for those after it. No order is promised, so none is broken. */
static void enqueue(scree__worker *me, scree__block *block) {
  const uint32_t i = scree__queue_of(me, block->hop_class, block->dest);
  SCREE__INVARIANT(me->out.is_waiting[i] == (me->out.waiting[i].head != NULL));
  if (block->storage == SCREE__STORAGE_HEAP)
    scree__queue_add(&me->out.waiting[i], block);
  else
    scree__queue_push(&me->out.waiting[i], block);
  if (me->out.is_waiting[i]) return;
  me->out.is_waiting[i] = true;
  me->out.waiting_dests[me->out.waiting_count++] = i;
}

/* Takes over a closed block. Never waits: what cannot be published now is published in a later progress. */
void scree__publish(scree__worker *me, scree__block *block) {
  if (me->failed && block->wire.kind != SCREE__CONTROL)
    scree__block_put(me, block);
  else if (me->out.is_waiting[scree__queue_of(me, block->hop_class, block->dest)] || !accepts(me, block))
    enqueue(me, block);
  else
    publish_now(me, block);
}

static bool joins(const scree__block *to, const scree__block *from) {
  const scree__segment *a = &to->wire.segment, *b = &from->wire.segment;
  return from->storage == SCREE__STORAGE_HEAP && from->wire.kind == SCREE__DATA && a->type == b->type &&
         a->bytes + b->bytes <= to->capacity;
}

static void append(scree__block *to, const scree__block *from) {
  const char *records = (const char *)(from + 1);
  memcpy(scree__block_data(to) + to->wire.segment.bytes, records, from->wire.segment.bytes);
  to->wire.segment.bytes += from->wire.segment.bytes;
  to->wire.segment.count += from->wire.segment.count;
}

/* Moves private blocks from the head of a queue into one block of the transport. NULL: there is none free. */
static scree__block *repack(scree__worker *me, scree__queue *queue) {
  const uint32_t hop_class = queue->head->hop_class, dest = queue->head->dest;
  scree__block *to = scree__block_take(me, hop_class, dest, scree__coalesce_block(me));
  if (!to) return NULL;
  to->dest = dest;
  to->hop_class = (uint8_t)hop_class;
  to->wire = queue->head->wire;
  to->wire.segment.bytes = to->wire.segment.count = 0;
  do {
    scree__block *from = scree__queue_pop(queue);
    append(to, from);
    scree__block_put(me, from);
  } while (queue->head && to->wire.kind == SCREE__DATA && joins(to, queue->head));
  return to;
}

/* The next block of the queue that may be pushed now; NULL: none, or the transport does not accept it. */
static scree__block *next_to_push(scree__worker *me, scree__queue *queue) {
  scree__block *head = queue->head;
  if (!head) return NULL;
  scree__transport *t = me->path[head->hop_class];
  if (!t->ops->accepts(t, head->dest)) return NULL;
  return head->storage == SCREE__STORAGE_HEAP ? repack(me, queue) : scree__queue_pop(queue);
}

/* Publishes waiting blocks as far as the transport accepts them. True if any was published. */
bool scree__publish_waiting(scree__worker *me) {
  bool any = false;
  for (uint32_t i = 0; i < me->out.waiting_count;) {
    const uint32_t q = me->out.waiting_dests[i];
    for (scree__block *block; (block = next_to_push(me, &me->out.waiting[q]));) {
      publish_now(me, block);
      if (me->failed) return true; /* the queues may just have been dropped */
      any = true;
    }
    if (me->out.waiting[q].head) {
      i++;
      continue;
    }
    me->out.is_waiting[q] = false;
    me->out.waiting_dests[i] = me->out.waiting_dests[--me->out.waiting_count];
  }
  return any;
}

/* The world has failed: waiting blocks are dropped. Runs once, before any failure notice is queued. */
void scree__drop_waiting(scree__worker *me) {
  while (me->out.waiting_count > 0) {
    const uint32_t q = me->out.waiting_dests[--me->out.waiting_count];
    me->out.is_waiting[q] = false;
    for (scree__block *block; (block = scree__queue_pop(&me->out.waiting[q]));) scree__block_put(me, block);
  }
}
