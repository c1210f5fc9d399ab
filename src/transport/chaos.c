/* chaos.c - a decorator that refuses available blocks and admissions, holds pushed blocks back and publishes them in
 * another order, and hides arrived blocks and completed detection rounds for a while. It never loses or duplicates
 * one. */
#include "transport/chaos.h"

#include <stdlib.h>

#include "base/random.h"

enum { HELD_MAX = 16 };

typedef struct {
  scree__transport base; /* must be first */
  scree__collective collective;
  scree__transport *inner;
  uint64_t random;
  scree__block *held[HELD_MAX];
  uint32_t count;
  scree__divisor odds; /* one in that many */
} chaos;

static chaos *of(scree__transport *t) {
  return (chaos *)t;
}

static bool strikes(chaos *c) {
  return scree__rest(&c->odds, scree__draw(&c->random)) == 0;
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
  if (c->count < HELD_MAX && strikes(c)) {
    c->held[c->count++] = block;
    return SCREE_OK;
  }
  return c->inner->ops->push(c->inner, dest, block);
}

static void push_held(chaos *c, uint32_t i) {
  scree__transport *in = c->inner;
  scree__block *block = c->held[i];
  if (!in->ops->accepts(in, block->dest)) return;
  SCREE__INVARIANT(i < c->count && c->count <= HELD_MAX);
  c->held[i] = c->held[--c->count];
  scree_status status = in->ops->push(in, block->dest, block);
  if (status != SCREE_OK) c->base.fault->status = status;
}

static scree__block *peek(scree__transport *t) {
  chaos *c = of(t);
  for (uint32_t i = c->count; i-- > 0;)
    if (scree__one_in(&c->random, 4)) push_held(c, i);
  scree__block *block = strikes(c) ? NULL : c->inner->ops->peek(c->inner);
  return block;
}

static void pop(scree__transport *t, scree__block *block) {
  of(t)->inner->ops->pop(of(t)->inner, block);
}

static void release(scree__transport *t, scree__block *block) {
  of(t)->inner->ops->release(of(t)->inner, block);
}

static scree_status gather(scree__collective *collective, const void *mine, void *all, size_t bytes) {
  scree__collective *in = SCREE__CONTAINER(collective, chaos, collective)->inner->collective;
  in->wait = collective->wait;
  in->context = collective->context;
  return in->ops->gather(in, mine, all, bytes);
}

static scree_status round_start(scree__collective *collective, const scree__round *mine) {
  scree__collective *in = SCREE__CONTAINER(collective, chaos, collective)->inner->collective;
  return in->ops->round_start(in, mine);
}

static bool round_test(scree__collective *collective, scree__round *out) {
  chaos *c = SCREE__CONTAINER(collective, chaos, collective);
  scree__collective *in = c->inner->collective;
  return !strikes(c) && in->ops->round_test(in, out);
}

static void say(scree__collective *collective, const scree__standing *all, uint32_t count, bool send) {
  scree__collective *in = SCREE__CONTAINER(collective, chaos, collective)->inner->collective;
  in->ops->say(in, all, count, send);
}

static const scree__collective_ops collective_ops = {
    .gather = gather, .round_start = round_start, .round_test = round_test, .say = say};

static void set_min_block(scree__transport *t, uint32_t bytes) {
  of(t)->inner->ops->set_min_block(of(t)->inner, bytes);
}

static uint64_t in_flight(const scree__transport *t) {
  const chaos *c = (const chaos *)t;
  return c->inner->ops->in_flight(c->inner) + c->count;
}

static uint32_t load(const scree__transport *t, uint32_t dest) {
  const chaos *c = (const chaos *)t;
  return c->inner->ops->load(c->inner, dest);
}

static void memory(const scree__transport *t, scree__memory *add) {
  const chaos *c = (const chaos *)t;
  c->inner->ops->memory(c->inner, add);
}

static void close_chaos(scree__transport *t) {
  chaos *c = of(t);
  for (uint32_t i = 0; i < c->count; i++) /* of a failed world, whose notices are in no pool */
    if (c->held[i]->storage != SCREE__STORAGE_FIXED) c->inner->ops->put(c->inner, c->held[i]);
  c->inner->ops->close(c->inner);
  free(c);
}

static const scree__transport_ops ops = SCREE__TRANSPORT_OPS("chaos", , peek, close_chaos);

scree__transport *scree__chaos_open(scree__transport *inner, uint64_t seed, uint32_t hop_class) {
  chaos *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->base = *inner;
  c->base.ops = &ops;
  c->base.collective = &c->collective;
  c->collective = (scree__collective){.ops = &collective_ops, .heard = inner->collective->heard};
  c->inner = inner;
  c->random = seed * UINT64_C(0x2545f4914f6cdd1d) + inner->topology->endpoint + ((uint64_t)hop_class << 32);
  c->odds = scree__divisor_of(2 + scree__draw(&c->random) % 14);
  return &c->base;
}
