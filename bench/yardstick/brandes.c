/* brandes.c - betweenness centrality from one source. */
#include <stdlib.h>

#include "yardstick/serial.h"

bool serial_brandes(const serial_csr *csr, uint32_t source, double *score) {
  uint32_t *depth = malloc(2 * csr->n * sizeof *depth), *order = depth + csr->n, count = 1;
  double *sigma = calloc(2 * csr->n, sizeof *sigma), *delta = sigma + csr->n;
  const bool ready = depth && sigma;
  for (uint64_t v = 0; ready && v < csr->n; v++) depth[v] = SERIAL_UNREACHED;
  if (ready) order[0] = source, depth[source] = 0, sigma[source] = 1;
  for (uint32_t i = 0; ready && i < count; i++)
    for (uint64_t v = order[i], e = csr->offsets[v]; e < csr->offsets[v + 1]; e++) {
      const uint32_t w = csr->targets[e];
      if (depth[w] == SERIAL_UNREACHED) order[count++] = w, depth[w] = depth[v] + 1;
      if (depth[w] == depth[v] + 1) sigma[w] += sigma[v];
    }
  while (ready && count-- > 1) {
    const uint32_t v = order[count];
    for (uint64_t e = csr->offsets[v]; e < csr->offsets[v + 1]; e++) {
      const uint32_t w = csr->targets[e];
      if (depth[w] == depth[v] + 1) delta[v] += sigma[v] / sigma[w] * (1 + delta[w]);
    }
    score[v] += delta[v];
  }
  free(depth);
  free(sigma);
  return ready;
}
