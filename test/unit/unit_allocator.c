/* unit_allocator.c - the table of global memory on rank 0: random allocations against a map of the bytes, a million of
 * them; which allocation has a byte; handles that were freed. */
#include "global/allocator.h"

#include "base/random.h"
#include "harness.h"

enum { GRAIN = 64, GRAINS = 8192, KEPT = 4096, SEEDS = 20, SEEDS_FULL = 500 };

/* ---- random ones ---- */

typedef enum { FREE, USED, WAITS } grain; /* WAITS: freed, and not recycled */

/* The two ends of the part of the only rank, whose grains are numbered from that end on. */
enum { ALL, OWN, ENDS };

typedef struct {
  scree__allocator a;
  uint64_t random;
  grain map[ENDS][GRAINS]; /* the first of ALL is never allocated */
  scree_global kept[KEPT];
  uint32_t count;
} drawn;

static uint64_t draw(drawn *d, uint64_t n) {
  return scree__draw(&d->random) % n;
}

static int end_of(const scree_global *g) {
  return g->policy == SCREE_GLOBAL_LOCAL ? OWN : ALL;
}

/* The first grain of the allocation, from its end. */
static uint64_t place_of(const scree_global *g) {
  return (end_of(g) == OWN ? (uint64_t)GRAINS * GRAIN - g->offset - g->block : g->offset) / GRAIN;
}

static void mark(drawn *d, const scree_global *g, grain from, grain to) {
  for (uint64_t i = 0, at = place_of(g); i < g->block / GRAIN; i++, at++) {
    check_equal(d->map[end_of(g)][at], from);
    d->map[end_of(g)][at] = to;
  }
}

static uint64_t top_of(const drawn *d, int end) {
  uint64_t top = GRAINS;
  while (top && d->map[end][top - 1] == FREE) top--;
  return top;
}

/* Grains of the largest free piece; *fits: the first piece of `grains`; UINT64_MAX: there is none. */
static uint64_t largest_free(const drawn *d, uint64_t grains, int end, uint64_t *fits) {
  const uint64_t limit = GRAINS - top_of(d, 1 - end);
  uint64_t largest = 0, length = 0;
  *fits = UINT64_MAX;
  for (uint64_t i = 0; i < limit; i++) {
    length = d->map[end][i] == FREE ? length + 1 : 0;
    if (length > largest) largest = length;
    if (length == grains && *fits == UINT64_MAX) *fits = i + 1 - grains;
  }
  return largest;
}

static void take(drawn *d) {
  const bool own = draw(d, 2);
  const uint64_t grains = 1 + draw(d, draw(d, 8) ? 4 : 400);
  scree_global g = {.bytes = grains * GRAIN, .policy = own ? SCREE_GLOBAL_LOCAL : SCREE_GLOBAL_REPLICATE};
  scree__placement at;
  uint64_t left = 0, fits;
  const uint64_t largest = largest_free(d, grains, end_of(&g), &fits);
  const bool taken = scree__allocator_take(&d->a, &g, &at, &left);
  check_equal(taken, fits != UINT64_MAX);
  if (!taken) {
    check_equal(left / GRAIN, largest);
    return;
  }
  check_equal(place_of(&g), fits);
  mark(d, &g, FREE, USED);
  if (draw(d, 8) == 0) {
    scree__allocator_undo(&d->a, &g);
    mark(d, &g, USED, FREE);
  } else {
    d->kept[d->count++] = g;
  }
}

/* Searches for the allocation that has this byte of the part. */
static void look(const drawn *d, uint64_t byte) {
  const uint64_t at[ENDS] = {byte / GRAIN, GRAINS - 1 - byte / GRAIN};
  const grain state = d->map[ALL][at[ALL]] != FREE ? d->map[ALL][at[ALL]] : d->map[OWN][at[OWN]];
  bool freed;
  const scree_global *g = scree__allocator_covering(&d->a, 0, byte, &freed);
  if (at[ALL] == 0) return; /* it is never allocated, and is not free either */
  check_equal(g != NULL, state != FREE);
  check_equal(freed, state == WAITS);
  if (g) check(byte >= g->offset && byte - g->offset < g->block);
}

static void recycle(drawn *d) {
  scree__allocator_recycle(&d->a);
  for (int end = 0; end < ENDS; end++)
    for (uint32_t i = 0; i < GRAINS; i++)
      if (d->map[end][i] == WAITS) d->map[end][i] = FREE;
}

HARNESS_TEST(random_allocations) {
  static drawn d;
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    d = (drawn){.random = scree__hash(seed), .map = {{USED}}};
    check(scree__allocator_open(&d.a, 1, GRAINS * GRAIN, GRAIN, (uint32_t)seed, (uint32_t)(seed % 3)));
    for (int step = 0; step < 4000; step++) {
      if (d.count < KEPT && draw(&d, 8) >= (uint64_t)(step / 500 % 2 ? 2 : 5)) {
        take(&d);
      } else if (d.count) {
        const uint32_t i = (uint32_t)draw(&d, d.count);
        const scree_global g = d.kept[i];
        check(scree__allocator_free(&d.a, &g));
        check(!scree__allocator_free(&d.a, &g));
        mark(&d, &g, USED, WAITS);
        d.kept[i] = d.kept[--d.count];
      }
      if (draw(&d, 50) == 0) recycle(&d);
      look(&d, draw(&d, GRAINS * GRAIN));
    }
    while (d.count) check(scree__allocator_free(&d.a, &d.kept[--d.count]));
    scree__allocator_recycle(&d.a);
    check_equal(d.a.live_bytes, 0);
    check_equal(d.a.all.free.count + d.a.own[0].free.count, 0); /* all is one piece again */
    scree__allocator_close(&d.a);
  }
}

/* ---- many ---- */

static bool take_grains(scree__allocator *a, uint64_t grains, scree_global *g) {
  scree__placement at;
  uint64_t left;
  *g = (scree_global){.bytes = grains * GRAIN, .policy = SCREE_GLOBAL_LOCAL};
  return scree__allocator_take(a, g, &at, &left);
}

/* If the end of an epoch or an allocation took a time that grows with the free pieces, or a search took one that grows
 * with the allocations, this would take minutes. */
HARNESS_TEST(every_second_of_a_million) {
  enum { MANY = 1000000 };
  scree__allocator a;
  scree_global *g = malloc(MANY * sizeof *g);
  uint64_t good = 0;
  check(scree__allocator_open(&a, 1, UINT64_C(1) << 30, GRAIN, 1, 0));
  for (uint32_t i = 0; i < MANY; i++) good += take_grains(&a, 1, &g[i]);
  for (uint32_t i = 0; i < MANY; i += 2) good += scree__allocator_free(&a, &g[i]);
  scree__allocator_recycle(&a);
  for (uint32_t i = 0; i < MANY / 2; i++) { /* too large for the pieces, then into them */
    scree_global large;
    good += take_grains(&a, 2, &large) && scree__allocator_free(&a, &large);
    good += take_grains(&a, 1, &g[i * 2]);
  }
  scree__allocator_recycle(&a);
  for (uint32_t i = 0; i < MANY; i++) {
    bool freed;
    const scree_global *found = scree__allocator_covering(&a, 0, g[i].offset + GRAIN - 1, &freed);
    good += found && found->place == g[i].place && !freed;
  }
  for (uint32_t i = 0; i < MANY; i++) good += scree__allocator_free(&a, &g[i]);
  scree__allocator_recycle(&a);
  check_equal(good, UINT64_C(9) * MANY / 2);
  check_equal(a.own[0].free.count, 0);
  check_equal(a.live_bytes, 0);
  scree__allocator_close(&a);
  free(g);
}

/* ---- handles ---- */

/* A place is not used again after all of its generations. */
HARNESS_TEST(freed_handles_stay_refused) {
  enum { USES = 100, GENERATIONS = 3 };
  scree__allocator a;
  scree_global g[USES];
  check(scree__allocator_open(&a, 1, 1 << 20, GRAIN, UINT32_MAX, GENERATIONS));
  for (uint32_t i = 0; i < USES; i++) {
    check(take_grains(&a, 1, &g[i]));
    for (uint32_t k = 0; k < i; k++)
      check(!scree__allocator_free(&a, &g[k]) && (g[k].place != g[i].place || g[k].generation != g[i].generation));
    check(scree__allocator_free(&a, &g[i]));
    scree__allocator_recycle(&a);
  }
  check_equal(a.count, 1 + (USES + GENERATIONS - 1) / GENERATIONS);
  scree__allocator_close(&a);
}

HARNESS_MAIN
