/* chaos.c - the decorator.
 *
 * Room: refusing blocks and admissions that are there, holding pushed blocks back and letting them go in another
 * order, and hiding arrived blocks for a while. It never loses or doubles one. */
#include "transport/chaos.h"

#include <stdlib.h>

#include "base/random.h"

enum { HELD_MOST = 16 };

typedef struct {
  scree__transport base; /* must be first */
  scree__transport *inner;
  uint64_t random;
  scree__block *held[HELD_MOST];
  uint32_t count;
  uint32_t odds; /* one in that many */
} chaos;

static chaos *of(scree__transport *t) {
  return (chaos *)t;
}

static bool strikes(chaos *c) {
  return scree__one_in(&c->random, c->odds);
}

/* What the inner transport has to say reaches the core through the decorator. */
static void hand_up(chaos *c) {
  scree__transport *in = c->inner;
  c->base.lost = in->lost;
  c->base.written_off += in->written_off;
  in->written_off = 0;
  if (!in->fault) return;
  c->base.fault = in->fault;
  snprintf(c->base.fault_text, sizeof c->base.fault_text, "%s", in->fault_text);
  in->fault = SCREE_OK;
}

static scree__block *take(scree__transport *t, uint32_t dest, size_t want) {
  chaos *c = of(t);
  return strikes(c) ? NULL : c->inner->ops->take(c->inner, dest, want);
}

static void put(scree__transport *t, scree__block *block) {
  of(t)->inner->ops->put(of(t)->inner, block);
}

static bool accepts(scree__transport *t, uint32_t dest) {
  chaos *c = of(t);
  return !strikes(c) && c->inner->ops->accepts(c->inner, dest);
}

static scree_status push(scree__transport *t, uint32_t dest, scree__block *block) {
  chaos *c = of(t);
  if (c->count < HELD_MOST && strikes(c)) {
    c->held[c->count++] = block;
    return SCREE_OK;
  }
  scree_status status = c->inner->ops->push(c->inner, dest, block);
  if (status) snprintf(t->fault_text, sizeof t->fault_text, "%s", c->inner->fault_text);
  return status;
}

/* The core believes that a held block has left: if it cannot, its count must be made good. */
static void let_go(chaos *c, uint32_t i) {
  scree__transport *in = c->inner;
  scree__block *block = c->held[i];
  if (!in->ops->accepts(in, block->dest)) return;
  c->held[i] = c->held[--c->count];
  scree_status status = in->ops->push(in, block->dest, block);
  if (status == SCREE_OK) return;
  in->fault = status;
  in->written_off++;
}

static scree__block *peek(scree__transport *t) {
  chaos *c = of(t);
  for (uint32_t i = c->count; i-- > 0;)
    if (scree__one_in(&c->random, 4)) let_go(c, i);
  scree__block *block = strikes(c) ? NULL : c->inner->ops->peek(c->inner);
  hand_up(c);
  return block;
}

static void pop(scree__transport *t, scree__block *block) {
  of(t)->inner->ops->pop(of(t)->inner, block);
}

static void release(scree__transport *t, scree__block *block) {
  of(t)->inner->ops->release(of(t)->inner, block);
}

static scree_status wave_start(scree__transport *t, const scree__wave *mine) {
  scree__transport *in = of(t)->inner;
  scree_status status = in->ops->wave_start(in, mine);
  if (status) snprintf(t->fault_text, sizeof t->fault_text, "%s", in->fault_text);
  return status;
}

static bool wave_test(scree__transport *t, scree__wave *out) {
  chaos *c = of(t);
  return !strikes(c) && c->inner->ops->wave_test(c->inner, out);
}

static scree_status gather(scree__transport *t, const void *mine, void *all, size_t bytes) {
  chaos *c = of(t);
  scree_status status = c->inner->ops->gather(c->inner, mine, all, bytes);
  hand_up(c);
  return status;
}

static void fit(scree__transport *t, uint32_t least_bytes) {
  of(t)->inner->ops->fit(of(t)->inner, least_bytes);
}

static uint64_t in_flight(const scree__transport *t) {
  const chaos *c = (const chaos *)t;
  return c->inner->ops->in_flight(c->inner) + c->count;
}

static void memory(const scree__transport *t, scree__memory *add) {
  const chaos *c = (const chaos *)t;
  c->inner->ops->memory(c->inner, add);
}

static void relax(scree__transport *t, uint32_t round) {
  chaos *c = of(t);
  c->inner->ops->relax(c->inner, round);
  hand_up(c);
}

static void point(scree__transport *t) {
  chaos *c = of(t);
  scree__point(c->inner);
  hand_up(c);
}

static uint64_t now(scree__transport *t) {
  return of(t)->inner->ops->now(of(t)->inner);
}

static void close_chaos(scree__transport *t) {
  chaos *c = of(t);
  for (uint32_t i = 0; i < c->count; i++) c->inner->ops->put(c->inner, c->held[i]); /* of a failed world */
  c->inner->ops->close(c->inner);
  free(c);
}

static const scree__transport_ops ops = {
    .name = "chaos",
    .take = take,
    .put = put,
    .accepts = accepts,
    .push = push,
    .peek = peek,
    .pop = pop,
    .release = release,
    .wave_start = wave_start,
    .wave_test = wave_test,
    .gather = gather,
    .fit = fit,
    .in_flight = in_flight,
    .memory = memory,
    .relax = relax,
    .point = point,
    .now = now,
    .close = close_chaos,
};

scree__transport *scree__chaos_open(scree__transport *inner, uint64_t seed) {
  chaos *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->base = *inner;
  c->base.ops = &ops;
  c->inner = inner;
  c->random = seed * UINT64_C(0x2545f4914f6cdd1d) + inner->rank;
  c->odds = 2 + (uint32_t)(scree__draw(&c->random) % 14);
  return &c->base;
}
