/* part.c - records that are larger than a block.
 *
 * Room: cutting such a record into blocks of its own, and putting it together in private memory of the receiver. The
 * parts are counted like any block, so an epoch cannot end between two of them; they need no order. */
#include <stdlib.h>
#include <string.h>

#include "core/world.h"

/* A block for one part: from the pools; else by waiting, where that is allowed; else from private memory. */
static scree__block *part_block(scree__worker *me, uint32_t dest, bool may_wait) {
  scree__block *block = scree__block_take(me, dest, scree__lane_want(me, dest));
  while (!block && may_wait && !me->in_handler && scree__wait_for_room(me))
    block = scree__block_take(me, dest, scree__lane_want(me, dest));
  if (!block && !me->world->failed) block = scree__overflow_take(me, dest);
  return block;
}

static size_t fill_part(scree__block *block, const scree__part *part, const char *data) {
  size_t most = block->capacity - sizeof *part, left = part->total - part->offset;
  size_t bytes = left < most ? left : most;
  memcpy(scree__block_data(block), part, sizeof *part);
  memcpy(scree__block_data(block) + sizeof *part, data + part->offset, bytes);
  block->wire.run.bytes = (uint32_t)(sizeof *part + bytes);
  return bytes;
}

/* Sends data in parts. False: a try found no block for the first one, or the world has failed. */
bool scree__send_parts(scree__worker *me, uint32_t type, uint32_t dest, const char *data, size_t bytes, bool may_wait) {
  scree__part part = {me->part_id++, bytes, 0};
  scree_lane_stats *stats = &me->state[type][dest].stats;
  scree__block *block = may_wait ? part_block(me, dest, true) : scree__block_take(me, dest, scree__lane_want(me, dest));
  for (; block; block = part_block(me, dest, may_wait)) {
    block->dest = dest;
    block->wire = (scree__wire){.runs = 1, .kind = SCREE__PART};
    block->wire.run = (scree__run_head){.type = type, .dest = dest, .origin = me->head.rank, .count = 1};
    part.offset += fill_part(block, &part, data);
    stats->blocks_full++;
    scree__publish(me, block);
    if (part.offset == bytes) break;
  }
  stats->items += part.offset == bytes;
  stats->bytes += part.offset;
  return part.offset == bytes;
}

static scree__assembly *assembly_of(scree__type *type, uint32_t origin, const scree__part *part) {
  for (scree__assembly *a = type->assemblies; a; a = a->next)
    if (a->origin == origin && a->id == part->id) return a;
  scree__assembly *a = malloc(sizeof *a + 8 + part->total);
  if (!a) return NULL;
  *a = (scree__assembly){type->assemblies, origin, part->id, part->total, 0};
  uint32_t head[2] = {(uint32_t)part->total, 0};
  memcpy(a->record, head, sizeof head);
  type->assemblies = a;
  return a;
}

static void forget(scree__type *type, scree__assembly *gone) {
  scree__assembly **at = &type->assemblies;
  while (*at != gone) at = &(*at)->next;
  *at = gone->next;
  free(gone);
}

static void deliver(scree__worker *me, uint32_t index, scree__assembly *whole) {
  scree__type *type = &me->world->types[index];
  scree_run run = {(int)whole->origin, 1};
  me->in_handler = index + 1;
  type->fn(&me->head, &run, whole->record, type->arg);
  me->in_handler = 0;
  type->handled++;
  me->items_handled++;
  me->batches++;
  forget(type, whole);
}

/* A part has arrived; with the last one the handler runs. */
void scree__take_part(scree__worker *me, scree__block *block) {
  const scree__run_head *head = &block->wire.run;
  scree__part part;
  memcpy(&part, scree__block_data(block), sizeof part);
  scree__assembly *a = assembly_of(&me->world->types[head->type], head->origin, &part);
  if (!a) {
    scree__fail(me->world, SCREE_ENOMEM, "receive", "no memory for a record of %llu bytes from rank %u",
                (unsigned long long)part.total, head->origin);
    return;
  }
  size_t bytes = head->bytes - sizeof part;
  memcpy(a->record + 8 + part.offset, scree__block_data(block) + sizeof part, bytes);
  a->have += bytes;
  if (a->have == a->total) deliver(me, head->type, a);
}

/* Incomplete records of a failed world. */
void scree__drop_assemblies(scree__type *type) {
  while (type->assemblies) forget(type, type->assemblies);
}
