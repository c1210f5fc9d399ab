/* fragment.c - records that are larger than a block: sent as fragments, in blocks of their own, and reassembled in
 * private memory of the receiver. Fragments are counted like any block, so an epoch cannot end between two of them;
 * they need no order. A record that fits one block is handled in that block. */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/lane.h"
#include "core/progress.h"
#include "core/send.h"

/* A record that no block of a lane holds gets a block of its own size, if there is one. */
static scree__block *take(scree__worker *me, uint32_t hop_class, uint32_t to, size_t bytes) {
  size_t all = sizeof(scree__fragment) + bytes;
  return scree__block_take(me, hop_class, to,
                           all > scree__lane_block(&me->world->options) ? all : scree__coalesce_block(me));
}

/* True if earlier blocks to that endpoint are still waiting. Further ones would only be evicted from the caches before
 * they are read. */
static bool is_behind(const scree__worker *me, uint32_t hop_class, uint32_t to) {
  return to == me->endpoint ? scree__self_length(me, hop_class) >= me->world->options.in_flight
                            : me->out.is_waiting[scree__queue_of(me, hop_class, to)];
}

/* A block for one fragment: from the pools; else by waiting, where that is allowed; else from private memory. */
static scree__block *fragment_block(scree__worker *me, uint32_t hop_class, uint32_t to, size_t bytes, bool may_wait) {
  may_wait = may_wait && !me->in.handler;
  while (may_wait && is_behind(me, hop_class, to) && scree__wait_for_room(me)) {
  }
  scree__block *block = take(me, hop_class, to, bytes);
  while (!block && may_wait && scree__wait_for_room(me)) block = take(me, hop_class, to, bytes);
  scree__resume(me);
  if (!block && !me->failed) block = scree__overflow_take(me, to);
  return block;
}

static size_t fill_fragment(scree__block *block, const scree__fragment *fragment, const scree__parts *record) {
  size_t max = block->capacity - sizeof *fragment, left = fragment->total - fragment->offset;
  size_t bytes = left < max ? left : max;
  memcpy(scree__block_data(block), fragment, sizeof *fragment);
  scree__copy_parts(scree__block_data(block) + sizeof *fragment, record, fragment->offset, bytes);
  block->wire.segment.bytes = (uint32_t)(sizeof *fragment + bytes);
  return bytes;
}

/* All fragments of a record go to one endpoint, which reassembles it. False: a try found no block for the first
 * fragment, or the world has failed. */
bool scree__send_fragments(scree__worker *me, uint32_t type, uint32_t dest, const scree__parts *record, bool may_wait) {
  const size_t bytes = record->head_bytes + record->data_bytes;
  scree__fragment fragment = {me->record_id++, 0, (uint32_t)bytes, 0};
  scree__lane_state *state = &me->lanes.state[type][dest];
  const uint8_t hop_class = me->world->types[type].hop_class;
  uint32_t to = scree__endpoint_for(me, type, dest);
  scree__block *block = may_wait ? fragment_block(me, hop_class, to, bytes, true) : take(me, hop_class, to, bytes);
  for (; block; block = fragment_block(me, hop_class, to, bytes - fragment.offset, may_wait)) {
    block->dest = to;
    block->hop_class = hop_class;
    block->wire = (scree__wire){.segments = 1, .kind = SCREE__FRAGMENT};
    block->wire.segment = (scree__segment){.type = type, .dest = dest, .origin = me->endpoint, .count = 1};
    fragment.offset += fill_fragment(block, &fragment, record);
    state->blocks[SCREE__FLUSH_FULL]++;
    scree__publish(me, block);
    if (fragment.offset == bytes) break;
  }
  state->items += fragment.offset == bytes;
  state->bytes += fragment.offset;
  return fragment.offset == bytes;
}

/* ---- the receiver ---- */

/* Fresh memory costs as much as the copy into it, so a type keeps the memory of records that are done, up to this sum.
 * Kept memory is in the type's list, with NOBODY as its origin. */
enum { KEPT_MAX = 4 << 20 };
#define NOBODY UINT32_MAX

/* Bytes for a record under reassembly; a power of two if it may be kept, so that records of similar size can share
 * it. */
static size_t size_for(uint64_t total) {
  size_t bytes = sizeof(scree__reassembly) + 8 + (size_t)total;
  return bytes > KEPT_MAX ? bytes : (size_t)1 << scree__log2_up(bytes);
}

static void free_one(scree__arrivals *arrivals, scree__reassembly *gone) {
  scree__reassembly **at = &arrivals->reassemblies;
  while (*at != gone) at = &(*at)->next;
  *at = gone->next;
  free(gone);
}

/* Takes kept memory of this size out of the list. NULL: there is none; then one of another size is freed. */
static scree__reassembly *take_kept(scree__arrivals *arrivals, size_t size) {
  scree__reassembly *other = NULL;
  for (scree__reassembly **at = &arrivals->reassemblies, *a; (a = *at); at = &a->next) {
    if (a->origin != NOBODY) continue;
    other = a;
    if (size_for(a->total) != size) continue;
    *at = a->next;
    return a;
  }
  if (other) free_one(arrivals, other);
  return NULL;
}

static void keep(scree__arrivals *arrivals, scree__reassembly *done) {
  size_t kept = size_for(done->total);
  for (const scree__reassembly *a = arrivals->reassemblies; a; a = a->next)
    if (a->origin == NOBODY) kept += size_for(a->total);
  if (kept > KEPT_MAX)
    free_one(arrivals, done);
  else
    done->origin = NOBODY;
}

static scree__reassembly *reassembly_of(scree__arrivals *arrivals, uint32_t origin, const scree__fragment *fragment) {
  for (scree__reassembly *a = arrivals->reassemblies; a; a = a->next)
    if (a->origin == origin && a->id == fragment->id) return a;
  size_t size = size_for(fragment->total);
  scree__reassembly *a = take_kept(arrivals, size);
  if (!a) a = malloc(size);
  if (!a) return NULL;
  *a = (scree__reassembly){arrivals->reassemblies, origin, fragment->id, fragment->total, 0};
  uint32_t head[2] = {fragment->total, 0};
  memcpy(a->record, head, sizeof head);
  arrivals->reassemblies = a;
  return a;
}

/* A fragment has arrived; with the last one of a record the handler runs. */
void scree__take_fragment(scree__worker *me, scree__block *block) {
  const scree__segment *segment = &block->wire.segment;
  scree__arrivals *arrivals = &me->in.arrivals[segment->type];
  char *data = scree__block_data(block);
  scree__fragment fragment;
  memcpy(&fragment, data, sizeof fragment);
  size_t bytes = segment->bytes - sizeof fragment;
  if (bytes == fragment.total) {
    scree__call_handler(me, segment, data + offsetof(scree__fragment, total), 1);
    return;
  }
  scree__reassembly *a = reassembly_of(arrivals, segment->origin, &fragment);
  if (!a) {
    scree__fail(me, SCREE_ENOMEM, "receive",
                "no memory for a record of %lu bytes from rank %u: free memory on this host",
                (unsigned long)fragment.total, segment->origin / me->world->endpoints);
    return;
  }
  if (fragment.offset > a->total || bytes > a->total - fragment.offset) {
    scree__fail(
        me, SCREE_EPEER, "receive",
        "a fragment from rank %u has %u bytes, to be put at byte %llu of a record of %llu: that rank has another "
        "build of scree, or the block was damaged",
        segment->origin / me->world->endpoints, segment->bytes, (unsigned long long)fragment.offset,
        (unsigned long long)a->total);
    return;
  }
  memcpy(a->record + 8 + fragment.offset, data + sizeof fragment, bytes);
  a->have += bytes;
  SCREE__INVARIANT(a->origin != NOBODY && a->have <= a->total);
  if (a->have < a->total) return;
  scree__call_handler(me, segment, a->record, 1);
  keep(arrivals, a);
}

/* Kept memory, and incomplete records of a failed world. */
void scree__drop_reassemblies(scree__arrivals *arrivals) {
  while (arrivals->reassemblies) free_one(arrivals, arrivals->reassemblies);
}
