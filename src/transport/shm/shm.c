/* shm.c - the data path over a segment. */
#include "transport/shm/shm.h"

#include <stdlib.h>

#include "block/stack.h"

static scree__shm *shm_of(scree__transport *t) {
  return (scree__shm *)t;
}

static size_t grant(void *context, size_t upto) {
  scree__shm *s = context;
  return scree__shm_segment_grant(s->segment, s->area, s->pool.granted, upto);
}

bool scree__shm_init(scree__shm *s, scree__shm_segment *segment, uint32_t area, const uint32_t *area_of) {
  s->segment = segment;
  s->area = area;
  s->area_of = area_of;
  s->head = scree__first_count(&s->base.options, SCREE__COUNTS_INBOX);
  s->pushed = calloc(s->base.topology->endpoints, sizeof *s->pushed);
  s->pool = (scree__pool){.arena = scree__shm_segment_arena(segment, area),
                          .bytes = segment->arena_bytes,
                          .grant = grant,
                          .context = s,
                          .storage = SCREE__STORAGE_SHM};
  s->pool.max = (uint32_t)s->base.options.test_pool_blocks;
  scree__pool_allow_large(&s->pool, scree__lane_block(&s->base.options));
  return s->pushed != NULL;
}

void scree__shm_free(scree__shm *s) {
  free(s->pushed);
  s->pushed = NULL;
}

static void reclaim(scree__shm *s) {
  scree__inbox *inbox = scree__shm_segment_inbox(s->segment, s->area);
  for (scree__block *block = scree__stack_take(&inbox->returned, s->segment->map), *next; block; block = next) {
    next = block->next;
    SCREE__INVARIANT(block->wire.owner == s->base.topology->endpoint && s->pushed[block->dest] > 0);
    s->pushed[block->dest]--;
    s->pushed_total--;
    if (block->storage == SCREE__STORAGE_SHM) scree__pool_put(&s->pool, block); /* else a failure notice */
  }
}

scree__block *scree__shm_take(scree__transport *t, uint32_t dest, size_t want) {
  (void)dest;
  scree__shm *s = shm_of(t);
  reclaim(s);
  return scree__pool_take(&s->pool, want);
}

void scree__shm_put(scree__transport *t, scree__block *block) {
  scree__pool_put(&shm_of(t)->pool, block);
}

bool scree__shm_accepts(scree__transport *t, uint32_t dest) {
  scree__shm *s = shm_of(t);
  if (s->pushed[dest] >= t->options.in_flight) reclaim(s);
  return s->pushed[dest] < t->options.in_flight;
}

scree_status scree__shm_push(scree__transport *t, uint32_t dest, scree__block *block) {
  scree__shm *s = shm_of(t);
  SCREE__INVARIANT(s->pushed[dest] < t->options.in_flight && block->dest == dest);
  s->pushed[dest]++;
  s->pushed_total++;
  scree__inbox *inbox = scree__shm_segment_inbox(s->segment, s->area_of[dest]);
  scree__inbox_push(inbox, s->segment->inbox_capacity, (AO_t)((char *)block - s->segment->map));
  return SCREE_OK;
}

/* An endpoint takes back its blocks when nothing has arrived for it. If the next send did so, the message would
 * wait for the cache lines of the return stack and of the block, which the receiver has just written. */
scree__block *scree__shm_peek(scree__transport *t) {
  scree__shm *s = shm_of(t);
  scree__inbox *inbox = scree__shm_segment_inbox(s->segment, s->area);
  AO_t reference = scree__inbox_peek(inbox, s->segment->inbox_capacity, s->head);
  if (reference) return (scree__block *)(void *)(s->segment->map + reference);
  if (s->pushed_total) reclaim(s);
  return NULL;
}

void scree__shm_pop(scree__transport *t, scree__block *block) {
  (void)block;
  scree__shm *s = shm_of(t);
  scree__inbox_pop(scree__shm_segment_inbox(s->segment, s->area), s->segment->inbox_capacity, &s->head);
}

void scree__shm_release(scree__transport *t, scree__block *block) {
  scree__shm *s = shm_of(t);
  scree__inbox *owner = scree__shm_segment_inbox(s->segment, s->area_of[block->wire.owner]);
  scree__stack_push(&owner->returned, s->segment->map, block);
}

void scree__shm_set_min_block(scree__transport *t, uint32_t bytes) {
  scree__shm *s = shm_of(t);
  reclaim(s);
  scree__pool_reset(&s->pool, bytes);
}

uint64_t scree__shm_in_flight(const scree__transport *t) {
  return ((const scree__shm *)t)->pushed_total;
}

uint32_t scree__shm_load(const scree__transport *t, uint32_t dest) {
  return ((const scree__shm *)t)->pushed[dest];
}

/* Of a shared segment, what was reserved counts, touched or not. */
void scree__shm_memory(const scree__transport *t, scree__memory *add) {
  const scree__shm *s = (const scree__shm *)t;
  const scree__shm_segment *segment = s->segment;
  add->blocks += segment->fd >= 0 ? s->pool.granted : s->pool.used;
  add->inbox += segment->arena_at + segment->areas_at / segment->areas;
  add->tables += sizeof *s + t->topology->endpoints * sizeof *s->pushed;
}
