/* colours.c - colours by a loop over the vertices, sorted by degree, the largest first (Welsh & Powell 1967). */
#include <stdlib.h>
#include <string.h>

#include "yardstick/serial.h"

enum { NEAR = 2, FAR = 8 }; /* vertices ahead whose neighbours' colours, and whose rows, are prefetched */

/* Whoever has no colour yet is in the place past all colours, which no search reads. */
static inline uint32_t lowest(const serial_csr *csr, uint32_t u, const uint32_t *colour, uint32_t *mark) {
  uint32_t free_one = 0;
  for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++) mark[colour[csr->targets[e]]] = u + 1;
  while (mark[free_one] == u + 1) free_one++;
  return free_one;
}

static bool sort(const serial_csr *csr, uint32_t *order, uint32_t *most) {
  *most = 0;
  for (uint32_t u = 0; u < csr->n; u++) {
    const uint64_t degree = csr->offsets[u + 1] - csr->offsets[u];
    if (degree > *most) *most = (uint32_t)degree;
  }
  uint32_t *at = calloc((size_t)*most + 2, sizeof *at);
  if (!at) return false;
  for (uint32_t u = 0; u < csr->n; u++) at[*most - (uint32_t)(csr->offsets[u + 1] - csr->offsets[u]) + 1]++;
  for (uint32_t d = 0; d <= *most; d++) at[d + 1] += at[d];
  for (uint32_t u = 0; u < csr->n; u++) order[at[*most - (uint32_t)(csr->offsets[u + 1] - csr->offsets[u])]++] = u;
  free(at);
  return true;
}

bool serial_largest_first(const serial_csr *csr, const serial_scratch *scratch, uint32_t *colour) {
  uint32_t *order = scratch->queue, most;
  if (!sort(csr, order, &most)) return false;
  uint32_t *mark = calloc((size_t)most + 2, sizeof *mark);
  for (uint32_t u = 0; mark && u < csr->n; u++) colour[u] = most + 1;
  for (uint64_t i = 0; mark && i < csr->n; i++) {
    if (i + FAR < csr->n) __builtin_prefetch(&csr->targets[csr->offsets[order[i + FAR]]]);
    const uint32_t near = order[i + NEAR < csr->n ? i + NEAR : i];
    const uint64_t from = csr->offsets[near], end = csr->offsets[near + 1];
    for (uint64_t e = from; e < end && e < from + 32; e++) __builtin_prefetch(&colour[csr->targets[e]]);
    colour[order[i]] = lowest(csr, order[i], colour, mark);
  }
  const bool ok = mark != NULL;
  free(mark);
  return ok;
}
