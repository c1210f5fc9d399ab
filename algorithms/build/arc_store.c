/* arc_store.c - ranges, chunks and slabs of the arc store. Slabs are large, for huge pages; chunks of them grow with
 * their range, so that a small graph takes little. */
#include "build/arc_store.h"

#include <scree/memory.h>
#include <stdlib.h>

#include "build/memory_check.h"
#include "graph/consensus.h"

/* A range has 2^10 to 2^16 vertices; there are at most 256, and one for the rest, if these are enough. */
enum { RANGES = 256, MIN_SHIFT = 10, MAX_SHIFT = 16 };
enum { CHUNK_MIN = 1 << 12, CHUNK_MAX = 1 << 16, SLAB_MIN = 1 << 16, SLAB_MAX = 1 << 21, CHECK_EVERY = 1 << 25 };

scree__arc_form scree__arc_form_of(const scree_graph *g) {
  if (g->wide) return SCREE__WIDE;
  if (g->weight == SCREE_WEIGHT_DOUBLE) return SCREE__DOUBLES;
  return g->weight ? SCREE__ARCS : SCREE__LINKS;
}

static uint32_t shift_of(uint64_t locals) {
  uint32_t shift = MIN_SHIFT;
  while (locals >> shift > RANGES && shift < MAX_SHIFT) shift++;
  return shift;
}

/* Of ranges that are filled evenly: two smaller chunks, then as many as it takes. */
uint64_t scree__arc_store_bytes(uint64_t locals, uint64_t arcs, scree__arc_form form) {
  const uint64_t ranges = (locals >> shift_of(locals)) + 1, first = CHUNK_MIN + 4 * CHUNK_MIN;
  const uint64_t each = (arcs * scree__arc_bytes(form) + ranges - 1) / ranges;
  if (each <= first) return ranges * (each > CHUNK_MIN ? first : each);
  return ranges * (first + (each - first + CHUNK_MAX - 1) / CHUNK_MAX * CHUNK_MAX);
}

/* Of a chunk that is discarded, the pages at its ends stay: up to an eighth. */
uint64_t scree__arc_store_peak(uint64_t locals, uint64_t arcs, scree__arc_form form, uint64_t rows) {
  const uint64_t bytes = scree__arc_store_bytes(locals, arcs, form);
  if (bytes < SCREE__ARCS_DISCARDED_FROM) return bytes + rows;
  return bytes + bytes / 8 > rows ? bytes + bytes / 8 : rows;
}

bool scree__arc_store_open(scree__arc_store *arcs, scree_graphs *graphs, uint64_t locals, scree__arc_form form) {
  *arcs = (scree__arc_store){.graphs = graphs, .form = form, .shift = shift_of(locals)};
  arcs->count = (uint32_t)(locals >> arcs->shift) + 1;
  arcs->ranges = calloc(arcs->count, sizeof *arcs->ranges);
  return arcs->ranges;
}

void scree__arc_store_close(scree__arc_store *arcs) {
  free(arcs->ranges);
  for (scree__chunk *slab = arcs->slabs, *before; slab; slab = before) {
    before = slab->before;
    scree_huge_free(slab);
  }
  *arcs = (scree__arc_store){0};
}

/* The rows take memory in addition: at most 8/9 of the bytes that an arc takes here. */
static scree_status check_memory(scree__arc_store *arcs) {
  if (arcs->held - arcs->checked < CHECK_EVERY) return SCREE_OK;
  arcs->checked = arcs->held;
  return scree__memory_check(arcs->graphs, arcs->held / 9 * 8 + CHECK_EVERY, "the part of the graph that has arrived");
}

static scree_status add_slab(scree__arc_store *arcs) {
  size_t bytes = arcs->held < SLAB_MIN ? SLAB_MIN : arcs->held < SLAB_MAX ? arcs->held : SLAB_MAX;
  scree_status status = check_memory(arcs);
  if (status) return status;
  scree__chunk *slab = scree_graphs_alloc(arcs->graphs, bytes);
  if (!slab) return scree__no_memory(arcs->graphs, "the arcs of a graph", bytes);
  slab->before = arcs->slabs;
  arcs->slabs = slab;
  arcs->used = CHUNK_MIN;
  arcs->size = bytes;
  arcs->held += bytes;
  return SCREE_OK;
}

scree_status scree__arc_store_grow(scree__arc_store *arcs, scree__range *range) {
  size_t bytes = range->last ? 4 * range->last->bytes : CHUNK_MIN;
  if (bytes > CHUNK_MAX) bytes = CHUNK_MAX;
  if (arcs->size - arcs->used < CHUNK_MIN) {
    scree_status status = add_slab(arcs);
    if (status) return status;
  }
  if (bytes > arcs->size - arcs->used) bytes = arcs->size - arcs->used;
  scree__chunk *chunk = (scree__chunk *)(void *)((char *)arcs->slabs + arcs->used);
  arcs->used += bytes;
  *chunk = (scree__chunk){.before = range->last, .bytes = bytes};
  if (range->last) range->last->end = range->next;
  range->last = chunk;
  range->next = (char *)(chunk + 1);
  size_t items = (bytes - sizeof *chunk) / scree__arc_bytes(arcs->form);
  range->limit = range->next + items * scree__arc_bytes(arcs->form);
  return SCREE_OK;
}
