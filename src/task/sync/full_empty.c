/* full_empty.c - all that wait at one word wait for the same: those that it could serve never wait. So one queue is
 * enough. */
#include "task/sync/sync.h"

typedef struct {
  scree__object object; /* must be first */
  bool full;
  uint64_t value;
} word;

static bool serve(scree__object *object, scree__request *request) {
  word *w = (word *)object;
  SCREE__INVARIANT(object->number && !object->first == !object->last);
  switch (request->op) {
  case SCREE__FULL_EMPTY_READ_FF:
  case SCREE__FULL_EMPTY_READ_FE:
    if (!w->full) return false;
    request->value[0] = w->value;
    w->full = request->op == SCREE__FULL_EMPTY_READ_FF;
    return true;
  case SCREE__FULL_EMPTY_WRITE_EF:
    if (w->full) return false;
    w->value = request->value[0];
    w->full = true;
    return true;
  case SCREE__FULL_EMPTY_PURGE:
    w->full = false;
    return true;
  default:
    return scree__sync_wrong(object, request);
  }
}

static const scree__object_ops ops = {.name = "full_empty", .serve = serve, .owned = true};

scree_status scree_full_empty_open(scree_worker *worker, scree_full_empty *handle) {
  scree_status status = SCREE_OK;
  word *w = scree__sync_open(worker, handle, sizeof *w, &ops, "scree_full_empty_open", &status);
  if (w) handle->number = w->object.number;
  return status;
}

static scree_status read_full(scree_task *self, scree_full_empty w, uint32_t op, uint64_t *value, const char *call) {
  uint64_t read = 0;
  const scree_status status = scree__sync_wait(self, w.number, op, &read, call);
  if (!status && value) *value = read;
  return status;
}

scree_status scree_full_empty_read_ff(scree_task *self, scree_full_empty w, uint64_t *value) {
  return read_full(self, w, SCREE__FULL_EMPTY_READ_FF, value, "scree_full_empty_read_ff");
}

scree_status scree_full_empty_read_fe(scree_task *self, scree_full_empty w, uint64_t *value) {
  return read_full(self, w, SCREE__FULL_EMPTY_READ_FE, value, "scree_full_empty_read_fe");
}

scree_status scree_full_empty_write_ef(scree_task *self, scree_full_empty w, uint64_t value) {
  return scree__sync_wait(self, w.number, SCREE__FULL_EMPTY_WRITE_EF, &value, "scree_full_empty_write_ef");
}

void scree_full_empty_purge(scree_worker *worker, scree_full_empty w) {
  scree__sync_do(worker, w.number, SCREE__FULL_EMPTY_PURGE, 0, "scree_full_empty_purge");
}

scree_status scree_full_empty_close(scree_worker *worker, scree_full_empty w) {
  return scree__sync_close(worker, w.number, &ops, "scree_full_empty_close");
}
