/* shm.c - the data path over a segment.
 *
 * Room: what shm.h declares, but for opening over MPI, which is in shm_open.c. */
#include "transport/shm.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "transport/idle.h"

static scree__shm *shm_of(scree__transport *t) {
  return (scree__shm *)t;
}

static size_t grant(void *context, size_t upto) {
  scree__shm *s = context;
  return scree__segment_grant(s->segment, s->area, s->pool.granted, upto);
}

bool scree__shm_init(scree__shm *s, scree__segment *segment, uint32_t area, const uint32_t *place_of) {
  scree__inbox *inbox = scree__segment_inbox(segment, area);
  s->segment = segment;
  s->area = area;
  s->place_of = place_of;
  s->out = calloc(s->base.ranks, sizeof *s->out);
  s->pool = (scree__pool){.arena = scree__segment_arena(segment, area),
                          .bytes = segment->arena_bytes,
                          .grant = grant,
                          .context = s,
                          .owner = SCREE__HOME_SHM,
                          .map = segment->map,
                          .returned = &inbox->returned};
  s->pool.max = (uint32_t)s->base.options.pool_blocks;
  return s->out != NULL;
}

void scree__shm_free(scree__shm *s) {
  free(s->out);
}

static void reclaim(scree__shm *s) {
  for (scree__block *block = scree__pool_returned(&s->pool), *next; block; block = next) {
    next = block->next;
    s->out[block->dest]--;
    s->out_total--;
    if (block->home == SCREE__HOME_SHM) scree__pool_put(&s->pool, block); /* else a notice of the core's */
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
  if (s->out[dest] >= t->options.in_flight) reclaim(s);
  return s->out[dest] < t->options.in_flight;
}

scree_status scree__shm_push(scree__transport *t, uint32_t dest, scree__block *block) {
  scree__shm *s = shm_of(t);
  s->out[dest]++;
  s->out_total++;
  scree__inbox *inbox = scree__segment_inbox(s->segment, s->place_of[dest]);
  scree__inbox_push(inbox, s->segment->inbox_capacity, (AO_t)((char *)block - s->segment->map));
  return SCREE_OK;
}

scree__block *scree__shm_peek(scree__transport *t) {
  scree__shm *s = shm_of(t);
  scree__inbox *inbox = scree__segment_inbox(s->segment, s->area);
  AO_t reference = scree__inbox_peek(inbox, s->segment->inbox_capacity, s->head);
  return reference ? (scree__block *)(void *)(s->segment->map + reference) : NULL;
}

void scree__shm_pop(scree__transport *t, scree__block *block) {
  (void)block;
  scree__shm *s = shm_of(t);
  scree__inbox_pop(scree__segment_inbox(s->segment, s->area), s->segment->inbox_capacity, &s->head);
}

void scree__shm_release(scree__transport *t, scree__block *block) {
  scree__shm *s = shm_of(t);
  scree__inbox *owner = scree__segment_inbox(s->segment, s->place_of[block->wire.run.origin]);
  scree__pool_return(&owner->returned, s->segment->map, block);
}

void scree__shm_fit(scree__transport *t, uint32_t least_bytes) {
  scree__shm *s = shm_of(t);
  reclaim(s);
  scree__pool_reset(&s->pool, least_bytes);
}

uint64_t scree__shm_in_flight(const scree__transport *t) {
  return ((const scree__shm *)t)->out_total;
}

/* Of a real segment, what was reserved is taken, touched or not. */
void scree__shm_memory(const scree__transport *t, scree__memory *add) {
  const scree__shm *s = (const scree__shm *)t;
  const scree__segment *segment = s->segment;
  add->blocks += segment->fd >= 0 ? s->pool.granted : s->pool.used;
  add->inbox += segment->arena_at + segment->areas_at / segment->ranks;
  add->tables += sizeof *s + t->ranks * sizeof *s->out;
}

/* A rank whose process is gone will never be idle. Relaxed: the pids were there when the world opened. */
static void look_for_the_dead(scree__shm *s) {
  scree__transport *t = &s->base;
  for (uint32_t i = 0; i < t->size; i++) {
    pid_t pid = (pid_t)AO_load(&t->slots[i].pid);
    if (pid == 0 || kill(pid, 0) == 0 || errno != ESRCH) continue;
    t->lost = true;
    t->fault = SCREE_EPEER;
    snprintf(t->fault_text, sizeof t->fault_text, "rank %u (process %ld) has died", t->node_ranks[i], (long)pid);
  }
}

void scree__shm_relax(scree__transport *t, uint32_t round) {
  scree__shm *s = shm_of(t);
  if (s->watch && (round & 1023) == 1023) look_for_the_dead(s);
  scree__idle(round, t->options.spin);
}
