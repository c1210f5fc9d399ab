/* delta_sort.c - Delta-stepping whose handler sorts each batch by distance before it applies it (Firoz et al. 2015): of
 * several offers to one vertex in a batch the best comes first, and the others are rejected. The sort is by digits of the distances' bits, which are in the order of the values from 0 on;
 * it is exact and stable, and works in memory for two batches of the option batch_max, taken at the start. */
#include <stdlib.h>

#include "sssp/delta.h"

enum { DIGITS = 8, VALUES = 256, FEW = 24 };

/* Behind it: two batches. */
typedef struct {
  uint32_t max; /* items in a batch */
  uint32_t counts[DIGITS][VALUES];
  scree__relax_item items[];
} sorter;

static uint64_t bits_of(const scree__relax_item *item) {
  uint64_t bits;
  memcpy(&bits, &item->distance, sizeof bits);
  return bits;
}

static void sort_few(scree__relax_item *to, const scree__relax_item *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = i;
    for (; at > 0 && to[at - 1].distance > from[i].distance; at--) to[at] = to[at - 1];
    to[at] = from[i];
  }
}

static void count_digits(sorter *s, const scree__relax_item *items, uint32_t count) {
  memset(s->counts, 0, sizeof s->counts);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t bits = bits_of(&items[i]);
    for (int d = 0; d < DIGITS; d++) s->counts[d][bits >> (8 * d) & (VALUES - 1)]++;
  }
}

/* One pass: by digit d, which `counts` counts. */
static void move(const scree__relax_item *from, scree__relax_item *to, uint32_t count, int d, uint32_t *counts) {
  for (uint32_t v = 0, at = 0; v < VALUES; v++) {
    uint32_t n = counts[v];
    counts[v] = at;
    at += n;
  }
  for (uint32_t i = 0; i < count; i++) to[counts[bits_of(&from[i]) >> (8 * d) & (VALUES - 1)]++] = from[i];
}

/* Returns the batch in order. A digit that all have in common needs no pass. */
static const scree__relax_item *sort(sorter *s, const scree__relax_item *items, uint32_t count) {
  scree__relax_item *to = s->items, *other = s->items + s->max;
  if (count <= FEW) return sort_few(to, items, count), to;
  count_digits(s, items, count);
  uint64_t some = bits_of(items);
  for (int d = 0; d < DIGITS; d++) {
    if (s->counts[d][some >> (8 * d) & (VALUES - 1)] == count) continue;
    move(items, to, count, d, s->counts[d]);
    items = to;
    to = other;
    other = (scree__relax_item *)items;
  }
  return items;
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__delta_take(run, sender, sort(((scree__steps *)run->own)->own, items, count), count);
}

static scree_status setup(scree__run *run) {
  scree_status status = scree__delta_setup(run);
  if (status) return status;
  uint64_t max = scree_options_of(scree_world_of(run->worker))->batch_max;
  sorter *s = malloc(sizeof *s + 2 * (size_t)max * sizeof s->items[0]);
  if (s) s->max = (uint32_t)max;
  ((scree__steps *)run->own)->own = s;
  return scree__run_ready(run, s != NULL, "two batches to sort");
}

static const scree_kernel_option options[] = {SCREE__SSSP_DELTA, SCREE__SSSP_NO_PRUNING, SCREE__OPTIONS_END};

const scree__variant scree__sssp_delta_sort = {
    .about = {"delta-sort", "Delta-stepping that sorts each batch of messages by distance before it applies it"},
    .options = options,
    .tuned = true,
    .messages = {{"sssp.delta_sort", sizeof(scree__relax_item), take}},
    .setup = setup,
    .solve = scree__delta_solve,
    .teardown = scree__delta_teardown,
    .memory = {.local = 16, .orderings = SCREE__ROWS},
};
