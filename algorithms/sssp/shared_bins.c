/* shared_bins.c - the bins of SSSP in arrays of the node: taking vertices out, and the entries that are old. */
#include "sssp/shared_bins.h"

#include <string.h>

uint64_t scree__bins_capacity(uint64_t vertices) {
  return vertices + vertices / 4 + 1;
}

scree__bins *scree__bins_make(const scree__run *run, const AO_t *word) {
  scree__bins *b = scree__run_alloc(run, sizeof *b);
  if (!b) return NULL;
  b->word = word;
  b->capacity = (uint32_t)scree__bins_capacity(scree_graph_slots(run->graph));
  b->entry = scree__run_alloc(run, b->capacity * sizeof *b->entry);
  b->free = b->taken = SCREE__NO_ENTRY;
  memset(b->head, 0xff, sizeof b->head);
  return b->entry ? b : NULL;
}

/* Relaxed: if another rank lowers the distance after this, the vertex is relaxed once more. */
static bool is_old(const scree__bins *b, const scree__bin_entry *e) {
  return (uint32_t)(AO_load(&b->word[e->vertex]) >> 32) != e->tag;
}

static void give_back(scree__bins *b, uint32_t i) {
  b->entry[i].next = b->free;
  b->free = i;
}

static void compact(scree__bins *b, uint32_t *list) {
  for (uint32_t *at = list, i; (i = *at) != SCREE__NO_ENTRY;)
    if (is_old(b, &b->entry[i])) {
      *at = b->entry[i].next;
      give_back(b, i);
    } else {
      at = &b->entry[i].next;
    }
}

void scree__bins_compact(scree__bins *b) {
  for (uint32_t i = 0; i < SCREE__BINS; i++) compact(b, &b->head[i]);
  compact(b, &b->taken);
}

/* What is put in meanwhile is taken after what is there now: nearly first in, first out. */
uint32_t scree__bins_take(scree__bins *b, uint32_t bucket, uint32_t *vertices, uint32_t most) {
  uint32_t n = 0;
  while (n < most) {
    if (b->taken == SCREE__NO_ENTRY) {
      b->taken = b->head[bucket % SCREE__BINS];
      b->head[bucket % SCREE__BINS] = SCREE__NO_ENTRY;
      if (b->taken == SCREE__NO_ENTRY || n) break;
    }
    const uint32_t i = b->taken;
    b->taken = b->entry[i].next;
    if (b->taken != SCREE__NO_ENTRY) __builtin_prefetch((const void *)&b->word[b->entry[b->taken].vertex]);
    if (!is_old(b, &b->entry[i])) vertices[n++] = b->entry[i].vertex;
    give_back(b, i);
  }
  return n;
}
