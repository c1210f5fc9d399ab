/* triangles.c - triangles by rows of later neighbours in the order of degrees (Schank & Wagner, WEA 2005). */
#include <stdlib.h>
#include <string.h>

#include "yardstick/serial.h"

static inline bool is_later(const serial_csr *csr, uint32_t v, uint32_t u) {
  const uint64_t a = csr->offsets[v + 1] - csr->offsets[v], b = csr->offsets[u + 1] - csr->offsets[u];
  return a != b ? a > b : v > u;
}

static uint64_t count_at(const uint64_t *begin, const uint32_t *later, uint32_t u, uint32_t *mark) {
  uint64_t triangles = 0;
  for (uint64_t i = begin[u]; i < begin[u + 1]; i++) mark[later[i]] = u + 1;
  for (uint64_t i = begin[u]; i < begin[u + 1]; i++)
    for (uint64_t k = begin[later[i]]; k < begin[later[i] + 1]; k++) triangles += mark[later[k]] == u + 1;
  return triangles;
}

bool serial_triangles(const serial_csr *csr, uint32_t *mark, uint64_t *triangles) {
  uint64_t *begin = malloc((csr->n + 1) * sizeof *begin), count = 0;
  uint32_t *later = malloc((csr->offsets[csr->n] + 1) * sizeof *later);
  const bool ok = begin && later;
  memset(mark, 0, csr->n * sizeof *mark);
  *triangles = 0;
  for (uint32_t u = 0; ok && u < csr->n; u++) {
    begin[u] = count;
    for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++) {
      const uint32_t v = csr->targets[e];
      if (v == u || mark[v] == u + 1 || !is_later(csr, v, u)) continue;
      mark[v] = u + 1;
      later[count++] = v;
    }
  }
  if (ok) begin[csr->n] = count, memset(mark, 0, csr->n * sizeof *mark);
  for (uint32_t u = 0; ok && u < csr->n; u++) *triangles += count_at(begin, later, u, mark);
  free(begin);
  free(later);
  return ok;
}
