/* consensus.c - one status and one error text on all ranks. */
#include "graph/consensus.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

scree_status scree__why(scree_graphs *graphs, scree_status status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(graphs->why, sizeof graphs->why, format, list);
  va_end(list);
  return status;
}

scree_status scree__given(scree_graphs *graphs, bool given, const char *call, const char *what) {
  if (!graphs) return SCREE_EINVAL;
  return scree_graphs_agree(graphs, given ? SCREE_OK : SCREE_EINVAL, "rank %u: %s: no %s: pass what is not NULL",
                            (unsigned)graphs->worker->rank, call, what);
}

scree_status scree__missing(const scree_graph *g, const char *call, const char *what) {
  return scree__given(g ? g->graphs : NULL, false, call, what);
}

scree_status scree__no_memory(scree_graphs *graphs, const char *what, size_t bytes) {
  return scree__why(graphs, SCREE_ENOMEM, "rank %u: no memory for %s (%zu bytes); use more ranks or a smaller graph",
                    (unsigned)graphs->worker->rank, what, bytes);
}

static void receive_text(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)arg;
  if (bytes >= sizeof graphs->text) bytes = sizeof graphs->text - 1;
  memcpy(graphs->text, data, bytes);
  graphs->text[bytes] = 0;
}

scree_status scree__argmin(scree_graphs *graphs, scree_reduce *r, const char *why) {
  const uint64_t key = r->min;
  scree_status status = scree_graphs_reduce(graphs, r);
  if (status || r->min == UINT64_MAX) return status;
  status = scree__exchange_begin(graphs, (scree__receivers){.bytes = receive_text}, NULL);
  if (status) return status;
  if (key == r->min)
    for (uint32_t i = 0; i < graphs->worker->ranks; i++)
      graph_bytes_send(graphs->worker, graphs->bytes, i, why, strlen(why));
  return scree__exchange_end(graphs, NULL);
}

scree_status scree_graphs_agree_verdict(scree_graphs *graphs, uint64_t key, const char *text, uint64_t *min,
                                        scree_verdict *verdict) {
  if (!graphs || !min || !verdict)
    return scree__given(graphs, false, __func__, min ? "place for the verdict" : "place for the minimum");
  scree_reduce r = {.min = key};
  scree_status status = scree__argmin(graphs, &r, text ? text : "");
  if (status) return status;
  *min = r.min;
  *verdict = (scree_verdict){.valid = *min == UINT64_MAX};
  if (verdict->valid) return SCREE_OK;
  snprintf(verdict->text, sizeof verdict->text, "%.255s", graphs->text);
  graphs->text[0] = 0;
  return SCREE_OK;
}

enum { WORST = 15, STATUS_SHIFT = 60 };

scree_status scree__consensus_by_key(scree_graphs *graphs, scree_status status, uint64_t key, scree_reduce *r) {
  scree_reduce none = {.max = 0};
  if (!r) r = &none;
  r->min = status ? (uint64_t)(WORST - (int)status) << STATUS_SHIFT | key : UINT64_MAX;
  scree_status failed = scree__argmin(graphs, r, graphs->why);
  if (failed) return failed;
  return r->min == UINT64_MAX ? SCREE_OK : (scree_status)(WORST - (int)(r->min >> STATUS_SHIFT));
}

scree_status scree__consensus(scree_graphs *graphs, scree_status status) {
  return scree__consensus_by_key(graphs, status, graphs->worker->rank, NULL);
}

scree_status scree_graphs_agree(scree_graphs *graphs, scree_status status, const char *why, ...) {
  if (!graphs) return SCREE_EINVAL;
  if ((unsigned)status > SCREE_EPEER) status = SCREE_EINVAL; /* keys of it have few bits */
  if (status) {
    va_list list;
    va_start(list, why);
    vsnprintf(graphs->why, sizeof graphs->why, why, list);
    va_end(list);
  }
  return scree__consensus(graphs, status);
}
