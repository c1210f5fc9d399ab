/* csr.c - from the arc store to compressed sparse rows: a counting sort within each range, inlined once for each form
 * of the arcs. */
#include "build/arc_store.h"
#include "graph/consensus.h"
#include "graph/discard.h"
#include "graph/structure.h"

/* The arrays of the graph. next[u + 1] is the index of u's next arc while arcs are scattered; in the end u's row ends
 * there. */
typedef struct {
  const scree_graph *g;
  uint64_t *next;
  void *targets, *weights;
} csr_arrays;

#define INLINED static inline __attribute__((always_inline))

INLINED uint16_t tail_of(const char *item, scree__arc_form form) {
  const void *at = item;
  switch (form) {
  case SCREE__LINKS:
    return ((const scree__stored_link *)at)->tail;
  case SCREE__ARCS:
    return ((const scree__stored_arc *)at)->tail;
  case SCREE__DOUBLES:
    return ((const scree__stored_double *)at)->tail;
  case SCREE__WIDE:
    return ((const scree__stored_wide *)at)->tail;
  }
  return 0;
}

static void store_weight(void *weights, scree_weight_kind kind, uint64_t at, double w) {
  switch (kind) {
  case SCREE_WEIGHT_UINT32:
    ((uint32_t *)weights)[at] = (uint32_t)w;
    break;
  case SCREE_WEIGHT_FLOAT:
    ((float *)weights)[at] = (float)w;
    break;
  case SCREE_WEIGHT_DOUBLE:
    ((double *)weights)[at] = w;
    break;
  case SCREE_WEIGHT_NONE:
    break;
  }
}

INLINED void store(const csr_arrays *r, uint64_t at, const char *item, scree__arc_form form) {
  const void *from = item;
  switch (form) {
  case SCREE__LINKS:
    ((uint32_t *)r->targets)[at] = ((const scree__stored_link *)from)->head;
    break;
  case SCREE__ARCS:
    ((uint32_t *)r->targets)[at] = ((const scree__stored_arc *)from)->head;
    ((uint32_t *)r->weights)[at] = ((const scree__stored_arc *)from)->weight;
    break;
  case SCREE__DOUBLES:
    ((uint32_t *)r->targets)[at] = ((const scree__stored_double *)from)->head;
    store_weight(r->weights, r->g->weight, at, ((const scree__stored_double *)from)->weight);
    break;
  case SCREE__WIDE:
    ((uint64_t *)r->targets)[at] = ((const scree__stored_wide *)from)->head;
    store_weight(r->weights, r->g->weight, at, ((const scree__stored_wide *)from)->weight);
    break;
  }
}

/* The rows of the vertices from .. to-1. next[from + 1] is where they begin. */
INLINED void scatter(const csr_arrays *r, const scree__range *range, uint64_t from, uint64_t to, scree__arc_form form) {
  const size_t bytes = scree__arc_bytes(form);
  uint64_t *next = r->next, *row = next + (from & ~(uint64_t)UINT16_MAX);
  for (const scree__chunk *c = range->last; c; c = c->before)
    for (const char *p = (const char *)(c + 1); p < c->end; p += bytes) row[tail_of(p, form) + 2]++;
  for (uint64_t u = from; u < to; u++) next[u + 2] += next[u + 1];
  for (const scree__chunk *c = range->last; c; c = c->before)
    for (const char *p = (const char *)(c + 1); p < c->end; p += bytes) store(r, row[tail_of(p, form) + 1]++, p, form);
}

static void scatter_any(const csr_arrays *r, const scree__range *range, uint64_t from, uint64_t to,
                        scree__arc_form form) {
  switch (form) {
  case SCREE__LINKS:
    scatter(r, range, from, to, SCREE__LINKS);
    break;
  case SCREE__ARCS:
    scatter(r, range, from, to, SCREE__ARCS);
    break;
  case SCREE__DOUBLES:
    scatter(r, range, from, to, SCREE__DOUBLES);
    break;
  case SCREE__WIDE:
    scatter(r, range, from, to, SCREE__WIDE);
    break;
  }
}

/* Rows grow as the chunks of their arcs go, so the two together take hardly more than the arcs did. The header of a
 * chunk is on a page that stays. */
static void discard_chunks(const scree__arc_store *arcs, const scree__range *range) {
  if (arcs->held < SCREE__ARCS_DISCARDED_FROM) return;
  for (const scree__chunk *c = range->last; c; c = c->before) scree__discard(c + 1, (const char *)c + c->bytes);
}

/* Marks the end of each range's last chunk, too. */
static uint64_t count_arcs(scree__arc_store *arcs) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < arcs->count; i++) {
    scree__range *range = &arcs->ranges[i];
    if (range->last) range->last->end = range->next;
    for (const scree__chunk *c = range->last; c; c = c->before) bytes += (uint64_t)(c->end - (const char *)(c + 1));
  }
  return bytes / scree__arc_bytes(arcs->form);
}

scree_status scree__arc_store_to_csr(scree__arc_store *arcs, scree_graph *g, uint64_t *count) {
  const size_t head = scree__head_bytes(g->wide), weight = scree__weight_bytes(g->weight);
  uint64_t m = count_arcs(arcs);
  csr_arrays r = {.g = g, .next = scree_graphs_alloc(arcs->graphs, (g->locals + 2) * sizeof *r.next)};
  r.targets = scree_graphs_alloc(arcs->graphs, (m + 1) * head);
  r.weights = weight ? scree_graphs_alloc(arcs->graphs, (m + 1) * weight) : NULL;
  g->offsets = r.next;
  g->targets = r.targets;
  g->weights = r.weights;
  if (!r.next || !r.targets || (weight && !r.weights))
    return scree__no_memory(arcs->graphs, "the rows of a graph", m * (head + weight));
  for (uint32_t i = 0; i < arcs->count; i++) {
    uint64_t from = (uint64_t)i << arcs->shift, to = from + (UINT64_C(1) << arcs->shift);
    scatter_any(&r, &arcs->ranges[i], from, to < g->locals ? to : g->locals, arcs->form);
    discard_chunks(arcs, &arcs->ranges[i]);
  }
  *count = m;
  return SCREE_OK;
}
