/* arcs.c - the store of a builder: ranges, chunks, slabs.
 *
 * Room: where arcs lie until rows.c deals them out. Slabs are large, for huge pages; chunks of them grow with their
 * range, so that a small graph takes little. */
#include "graph/arcs.h"

#include <stdlib.h>

#include "graph/plan.h"

/* A range has at least 2^10 vertices; there are at most 256. */
enum { RANGES_MOST = 256, LEAST_SHIFT = 10 };
enum { CHUNK_LEAST = 1 << 12, CHUNK_MOST = 1 << 16, SLAB_LEAST = 1 << 16, SLAB_MOST = 1 << 21, CHECK_EVERY = 1 << 25 };

void scree__graph_width(scree_graph *g, bool wide) {
  uint64_t max = scree_distribution_count(&g->vertices, 0); /* no rank has more than rank 0 */
  while (UINT64_C(1) << g->local_bits < max) g->local_bits++;
  g->wide = wide || scree_graph_slots(g) > (UINT64_C(1) << 32);
}

scree__arc_form scree__graph_form(const scree_graph *g) {
  if (g->wide || g->weight == SCREE_WEIGHT_DOUBLE) return SCREE__TRIPLES;
  return g->weight ? SCREE__ARCS : SCREE__LINKS;
}

static uint32_t shift_of(uint64_t locals) {
  uint32_t shift = LEAST_SHIFT;
  while (locals >> shift >= RANGES_MOST) shift++;
  return shift;
}

/* Half of each range's last chunk is empty. */
uint64_t scree__arcs_held(uint64_t locals, uint64_t arcs, scree__arc_form form) {
  uint64_t bytes = arcs * scree__arc_bytes(form), ranges = (locals >> shift_of(locals)) + 1;
  return bytes + (bytes / ranges < CHUNK_MOST ? bytes / 2 : ranges * CHUNK_MOST / 2);
}

bool scree__arcs_open(scree__arcs *arcs, scree_graphs *graphs, uint64_t locals, scree__arc_form form) {
  *arcs = (scree__arcs){.graphs = graphs, .form = form, .shift = shift_of(locals)};
  arcs->count = (uint32_t)(locals >> arcs->shift) + 1;
  arcs->ranges = calloc(arcs->count, sizeof *arcs->ranges);
  return arcs->ranges;
}

void scree__arcs_close(scree__arcs *arcs) {
  free(arcs->ranges);
  for (scree__chunk *slab = arcs->slabs, *before; slab; slab = before) {
    before = slab->before;
    scree_huge_free(slab);
  }
  *arcs = (scree__arcs){0};
}

/* The rows come on top of what is held: of an arc at most two thirds of what it takes here. */
static scree_status check_memory(scree__arcs *arcs) {
  if (arcs->held - arcs->checked < CHECK_EVERY) return SCREE_OK;
  arcs->checked = arcs->held;
  return scree__memory_check(arcs->graphs, arcs->held / 3 * 2 + CHECK_EVERY, "the graph, as far as it has come,");
}

static scree_status add_slab(scree__arcs *arcs) {
  size_t bytes = arcs->held < SLAB_LEAST ? SLAB_LEAST : arcs->held < SLAB_MOST ? arcs->held : SLAB_MOST;
  scree_status status = check_memory(arcs);
  if (status) return status;
  scree__chunk *slab = scree__graph_array(arcs->graphs, bytes);
  if (!slab) return scree__no_memory(arcs->graphs, bytes);
  slab->before = arcs->slabs;
  arcs->slabs = slab;
  arcs->cut = CHUNK_LEAST;
  arcs->room = bytes;
  arcs->held += bytes;
  return SCREE_OK;
}

scree_status scree__arcs_grow(scree__arcs *arcs, scree__range *range) {
  size_t bytes = range->last ? 4 * range->last->bytes : CHUNK_LEAST;
  if (bytes > CHUNK_MOST) bytes = CHUNK_MOST;
  if (arcs->room - arcs->cut < CHUNK_LEAST) {
    scree_status status = add_slab(arcs);
    if (status) return status;
  }
  if (bytes > arcs->room - arcs->cut) bytes = arcs->room - arcs->cut;
  scree__chunk *chunk = (scree__chunk *)(void *)((char *)arcs->slabs + arcs->cut);
  arcs->cut += bytes;
  *chunk = (scree__chunk){.before = range->last, .bytes = bytes};
  if (range->last) range->last->end = range->next;
  range->last = chunk;
  range->next = (char *)(chunk + 1);
  size_t items = (bytes - sizeof *chunk) / scree__arc_bytes(arcs->form);
  range->limit = range->next + items * scree__arc_bytes(arcs->form);
  return SCREE_OK;
}
