/* stencil_puts.c - faces of `scree stencil` are put into global memory; the end of the epoch completes them. */
#include "irregular/stencil/stencil.h"

static void put(scree__stencil_state *s, scree_worker *w, const scree__stencil_face *f, void *unused) {
  const uint32_t rank = (uint32_t)(f->to / s->threads);
  (void)unused;
  scree_put_nbi(w, scree_global_at(s->k->map, &s->received, rank, 8 * f->slot), f->face + 1, 8 * f->cells);
}

static scree_status exchange(scree__stencil_state *s, scree_worker *w, uint64_t set, double *sent) {
  const scree_status status = scree_begin(w);
  if (status) return status;
  scree__stencil_send(s, w, set, NULL, put);
  *sent = scree__stencil_now();
  return scree_end(w, NULL);
}

const scree__stencil_form scree__stencil_by_puts = {.exchange = exchange};
