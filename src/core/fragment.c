/* part.c - records that are larger than a block.
 *
 * Room: cutting such a record into blocks of its own, and putting it together in private memory of the receiver. The
 * parts are counted like any block, so an epoch cannot end between two of them; they need no order. A record that
 * fits one block whole is handled in that block. */
#include <stdlib.h>
#include <string.h>

#include "core/world.h"

/* A block for one part: from the pools; else by waiting, where that is allowed; else from private memory. */
static scree__block *part_block(scree__worker *me, uint32_t dest, bool may_wait) {
  scree__block *block = scree__block_take(me, dest, scree__coalesce_block(me));
  while (!block && may_wait && !me->in_handler && scree__wait_for_room(me))
    block = scree__block_take(me, dest, scree__coalesce_block(me));
  if (!block && !me->world->failed) block = scree__overflow_take(me, dest);
  return block;
}

static size_t fill_part(scree__block *block, const scree__fragment *fragment, const char *data) {
  size_t max = block->capacity - sizeof *fragment, left = fragment->total - fragment->offset;
  size_t bytes = left < max ? left : max;
  memcpy(scree__block_data(block), fragment, sizeof *fragment);
  memcpy(scree__block_data(block) + sizeof *fragment, data + fragment->offset, bytes);
  block->wire.segment.bytes = (uint32_t)(sizeof *fragment + bytes);
  return bytes;
}

/* Sends data in parts. False: a try found no block for the first one, or the world has failed. */
bool scree__send_fragments(scree__worker *me, uint32_t type, uint32_t dest, const char *data, size_t bytes,
                           bool may_wait) {
  scree__fragment fragment = {me->record_id++, 0, (uint32_t)bytes, 0};
  scree_lane_stats *stats = &me->state[type][dest].stats;
  scree__block *block = may_wait ? part_block(me, dest, true) : scree__block_take(me, dest, scree__coalesce_block(me));
  for (; block; block = part_block(me, dest, may_wait)) {
    block->dest = dest;
    block->wire = (scree__wire){.segments = 1, .kind = SCREE__FRAGMENT};
    block->wire.segment = (scree__segment){.type = type, .dest = dest, .origin = me->head.rank, .count = 1};
    fragment.offset += fill_part(block, &fragment, data);
    stats->blocks_full++;
    scree__publish(me, block);
    if (fragment.offset == bytes) break;
  }
  stats->items += fragment.offset == bytes;
  stats->bytes += fragment.offset;
  return fragment.offset == bytes;
}

/* ---- the receiver ---- */

/* Fresh memory costs as much as the copy into it, so a type keeps that of records that are done, up to this sum. What
 * is kept stands in the type's list with nobody as its origin. */
enum { KEPT_MOST = 4 << 20 };
static const uint32_t nobody = UINT32_MAX;

/* Bytes of the assembly of a record; of what may be kept a power of two, so that records of like size can share it. */
static size_t room_for(uint64_t total) {
  size_t bytes = sizeof(scree__reassembly) + 8 + (size_t)total;
  return bytes > KEPT_MOST ? bytes : (size_t)1 << scree__log2_up(bytes);
}

static void forget(scree__type *type, scree__reassembly *gone) {
  scree__reassembly **at = &type->reassemblies;
  while (*at != gone) at = &(*at)->next;
  *at = gone->next;
  free(gone);
}

/* Takes a kept one of this room out of the list. NULL: there is none; one of another size goes, to make room. */
static scree__reassembly *take_kept(scree__type *type, size_t room) {
  scree__reassembly *other = NULL;
  for (scree__reassembly **at = &type->reassemblies, *a; (a = *at); at = &a->next) {
    if (a->origin != nobody) continue;
    other = a;
    if (room_for(a->total) != room) continue;
    *at = a->next;
    return a;
  }
  if (other) forget(type, other);
  return NULL;
}

static void keep(scree__type *type, scree__reassembly *done) {
  size_t kept = room_for(done->total);
  for (const scree__reassembly *a = type->reassemblies; a; a = a->next)
    if (a->origin == nobody) kept += room_for(a->total);
  if (kept > KEPT_MOST)
    forget(type, done);
  else
    done->origin = nobody;
}

static scree__reassembly *assembly_of(scree__type *type, uint32_t origin, const scree__fragment *fragment) {
  for (scree__reassembly *a = type->reassemblies; a; a = a->next)
    if (a->origin == origin && a->id == fragment->id) return a;
  size_t room = room_for(fragment->total);
  scree__reassembly *a = take_kept(type, room);
  if (!a) a = malloc(room);
  if (!a) return NULL;
  *a = (scree__reassembly){type->reassemblies, origin, fragment->id, fragment->total, 0};
  uint32_t head[2] = {fragment->total, 0};
  memcpy(a->record, head, sizeof head);
  type->reassemblies = a;
  return a;
}

static void deliver(scree__worker *me, const scree__segment *head, const char *record) {
  scree__type *type = &me->world->types[head->type];
  scree_batch segment = {head->origin, 1};
  me->in_handler = head->type + 1;
  type->fn(&me->head, &segment, record, type->arg);
  me->in_handler = 0;
  type->handled++;
  me->items_handled++;
  me->batches++;
}

/* A part has arrived; with the last one the handler runs. */
void scree__take_fragment(scree__worker *me, scree__block *block) {
  const scree__segment *head = &block->wire.segment;
  scree__type *type = &me->world->types[head->type];
  char *data = scree__block_data(block);
  scree__fragment fragment;
  memcpy(&fragment, data, sizeof fragment);
  size_t bytes = head->bytes - sizeof fragment;
  if (bytes == fragment.total) {
    deliver(me, head, data + offsetof(scree__fragment, total));
    return;
  }
  scree__reassembly *a = assembly_of(type, head->origin, &fragment);
  if (!a) {
    scree__fail(me->world, SCREE_ENOMEM, "receive", "no memory for a record of %lu bytes from rank %u",
                (unsigned long)fragment.total, head->origin);
    return;
  }
  memcpy(a->record + 8 + fragment.offset, data + sizeof fragment, bytes);
  a->have += bytes;
  if (a->have < a->total) return;
  deliver(me, head, a->record);
  keep(type, a);
}

/* Kept ones, and incomplete records of a failed world. */
void scree__drop_reassemblies(scree__type *type) {
  while (type->reassemblies) forget(type, type->reassemblies);
}
