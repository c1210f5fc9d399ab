/* cores.c - coreness by buckets: vertices sorted by degree, the first one removed again and again (Batagelj &
 * Zaversnik 2003). */
#include <stdlib.h>
#include <string.h>

#include "yardstick/serial.h"

static uint32_t degrees(const serial_csr *csr, uint32_t *degree) {
  uint32_t most = 0;
  for (uint32_t u = 0; u < csr->n; u++) {
    uint32_t count = 0;
    for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++) count += csr->targets[e] != u;
    degree[u] = count;
    if (count > most) most = count;
  }
  return most;
}

/* Moves v, which has a greater degree than the vertex that is removed, to the bucket below. */
static inline void lower(uint32_t *degree, uint32_t *first, uint32_t *order, uint32_t *place, uint32_t v) {
  const uint32_t to = first[degree[v]]++, other = order[to], from = place[v];
  order[from] = other;
  place[other] = from;
  order[to] = v;
  place[v] = to;
  degree[v]--;
}

bool serial_cores(const serial_csr *csr, const serial_scratch *scratch, uint32_t *core, uint32_t *place) {
  uint32_t *order = scratch->queue;
  const uint32_t most = degrees(csr, core);
  uint32_t *first = calloc((size_t)most + 2, sizeof *first);
  if (!first) return false;
  for (uint32_t u = 0; u < csr->n; u++) first[core[u] + 1]++;
  for (uint32_t d = 0; d <= most; d++) first[d + 1] += first[d];
  for (uint32_t u = 0; u < csr->n; u++) order[place[u] = first[core[u]]++] = u;
  memmove(first + 1, first, ((size_t)most + 1) * sizeof *first);
  first[0] = 0;
  for (uint64_t i = 0; i < csr->n; i++) {
    const uint32_t u = order[i];
    for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++)
      if (core[csr->targets[e]] > core[u]) lower(core, first, order, place, csr->targets[e]);
  }
  free(first);
  return true;
}
