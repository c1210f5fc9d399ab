/* stencil_messages.c - faces of `scree stencil` are records, which the handler copies; the end of the epoch completes
 * them. */
#include "irregular/stencil/stencil.h"

/* A record's first word: where its cells belong among what the rank receives. Then the cells. */
SCREE_VARIABLE(faces);

static void on_faces(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  const scree__stencil_state *s = arg;
  size_t bytes;
  for (uint32_t i = 0; i < batch->count; i++) {
    const uint64_t *record = scree_record_next(&items, &bytes);
    memcpy(scree__stencil_received(s, w->rank) + record[0], record + 1, bytes - sizeof *record);
  }
}
SCREE_VARIABLE_HANDLER(faces, on_faces);

static scree_status open(scree__stencil_state *s) {
  faces_type type = {0};
  const scree_status status = faces_register(s->k->world, s, &type);
  s->faces = type.id;
  return status;
}

static void send(scree__stencil_state *s, scree_worker *w, const scree__stencil_face *f, void *unused) {
  const faces_type type = {s->faces};
  (void)unused;
  memcpy(f->face, &f->slot, sizeof f->slot);
  faces_send(w, type, (uint32_t)(f->to / s->threads), f->face, 8 * (f->cells + 1));
}

static scree_status exchange(scree__stencil_state *s, scree_worker *w, uint64_t set, double *sent) {
  const scree_status status = scree_begin(w);
  if (status) return status;
  scree__stencil_send(s, w, set, NULL, send);
  *sent = scree__stencil_now();
  return scree_end(w, NULL);
}

const scree__stencil_form scree__stencil_by_messages = {.open = open, .exchange = exchange};
