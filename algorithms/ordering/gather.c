/* gather.c - the table in which each arc finds the value of its head: a table of the values that this rank's arcs need,
 * and no others; or, for one run, of all values, where the slots of arcs would take more memory than such a table.
 *
 * A pass over all arcs reads such a table at random. Where degrees are skewed, values that are read often come first:
 * adjacent, they stay in the cache. Otherwise values keep the order of their locations, which is often a good one. */
#include <math.h>
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "build/memory_check.h"
#include "graph/consensus.h"
#include "graph/u64_vector.h"
#include "ordering/gather.h"

enum { CLASSES = 16, OFTEN = 4, PIECE = 500, CHECK_MIN = 1 << 26 };

/* ---- counting, by packed location ---- */

static void count_reads(const scree_graph *g, uint32_t *reads) {
  const uint64_t arcs = g->offsets[g->locals];
  for (uint64_t e = 0; e < arcs; e++) {
    uint32_t *n = &reads[scree__head_get(g->targets, g->wide, e)];
    *n += *n < UINT32_MAX;
  }
}

/* By powers of two: class 0 is read most often. Below `rarely` reads all are of the last class. */
static int class_of(uint32_t reads, double rarely) {
  int class = CLASSES - 1;
  for (double limit = rarely; class > 0 && (double)reads >= limit; limit *= 2) class --;
  return class;
}

/* True if values that are read much more often than the mean have a large part of the reads. */
static bool is_skewed(const scree_graph *g, const uint32_t *reads, double mean) {
  uint64_t often = 0;
  for (uint64_t i = 0; i < scree_graph_slots(g); i++)
    if ((double)reads[i] >= OFTEN * mean) often += reads[i];
  return 4 * often >= g->offsets[g->locals];
}

/* Replaces the numbers of reads by the numbers of slots plus one; 0: not needed. */
static uint64_t number_slots(const scree_graph *g, uint32_t *reads) {
  const uint64_t places = scree_graph_slots(g);
  uint64_t next[CLASSES + 1] = {0}, needed = 0;
  for (uint64_t i = 0; i < places; i++) needed += reads[i] != 0;
  const double mean = (double)g->offsets[g->locals] / (double)(needed ? needed : 1);
  const double rarely = is_skewed(g, reads, mean) ? mean / 16 : INFINITY;
  for (uint64_t i = 0; i < places; i++)
    if (reads[i]) next[class_of(reads[i], rarely) + 1]++;
  for (int c = 0; c < CLASSES; c++) next[c + 1] += next[c];
  for (uint64_t i = 0; i < places; i++)
    if (reads[i]) reads[i] = (uint32_t)++next[class_of(reads[i], rarely)];
  return needed;
}

/* ---- requests: which slots the other ranks fill ---- */

typedef struct {
  uint32_t from, count;
  scree__gather_pair pair[PIECE];
} request;

typedef struct {
  scree__u64_vector found; /* rank << 32 | local vertex, then the slot */
  bool full;
} requests;

static void take_request(const void *data, size_t bytes, void *arg) {
  const request *r = data;
  requests *all = arg;
  (void)bytes;
  for (uint32_t i = 0; i < r->count; i++) {
    const uint64_t two[] = {(uint64_t)r->from << 32 | r->pair[i].vertex, r->pair[i].slot};
    if (!scree__u64_vector_append(&all->found, two, 2)) all->full = true;
  }
}

static void send_request(const scree_graph *g, uint32_t rank, request *r) {
  if (r->count) scree_graphs_exchange_send(g->graphs, rank, r, sizeof *r - sizeof r->pair + r->count * sizeof *r->pair);
  r->count = 0;
}

static void request_from(const scree_graph *g, uint32_t rank, const uint32_t *slot) {
  const uint32_t *of = slot + ((uint64_t)rank << g->local_bits);
  const uint64_t count = scree_distribution_count(&g->vertices, rank);
  request r = {.from = scree_graph_rank(g)};
  for (uint64_t v = 0; v < count; v++) {
    if (!of[v]) continue;
    r.pair[r.count++] = (scree__gather_pair){(uint32_t)v, of[v] - 1};
    if (r.count == PIECE) send_request(g, rank, &r);
  }
  send_request(g, rank, &r);
}

static scree_status exchange_requests(const scree_graph *g, const uint32_t *slot, requests *all) {
  scree_status status = scree_graphs_exchange_begin(g->graphs, take_request, all);
  if (status) return status;
  for (uint32_t i = 1; i < g->vertices.ranks; i++) request_from(g, (scree_graph_rank(g) + i) % g->vertices.ranks, slot);
  return scree_graphs_exchange_end(g->graphs);
}

/* ---- the table ---- */

static void set_slots(const scree_graph *g, const uint32_t *slot, scree__gather *t) {
  const uint64_t arcs = g->offsets[g->locals], first = (uint64_t)scree_graph_rank(g) << g->local_bits;
  uint32_t *of_arcs = (uint32_t *)(uintptr_t)t->slot;
  for (uint64_t e = 0; e < arcs; e++) of_arcs[e] = slot[scree__head_get(g->targets, g->wide, e)] - 1;
  for (uint64_t v = 0; v < g->locals; v++)
    if (slot[first | v]) t->own[t->own_count++] = (scree__gather_pair){(uint32_t)v, slot[first | v] - 1};
}

static bool set_sends(const scree_graph *g, requests *all, scree__gather *t) {
  t->send_count = all->found.count / 2;
  t->sends = scree_graphs_alloc(g->graphs, (t->send_count + 1) * sizeof *t->sends);
  for (size_t i = 0; t->sends && i < t->send_count; i++) {
    const uint64_t *two = all->found.at + 2 * i;
    t->sends[i] = (scree__gather_send){(uint32_t)(two[0] >> 32), {(uint32_t)two[0], (uint32_t)two[1]}};
  }
  return t->sends && !all->full;
}

static scree_status fill(const scree_graph *g, uint32_t *slot, scree__gather *t) {
  requests all = {.full = false};
  count_reads(g, slot);
  t->slots = number_slots(g, slot);
  const uint64_t more = t->slots * (sizeof *t->sends + sizeof(double));
  const bool check = more > CHECK_MIN;
  scree_status status =
      scree__consensus(g->graphs, check ? scree__memory_check(g->graphs, more, "a table of needed values") : SCREE_OK);
  if (status) return status;
  set_slots(g, slot, t);
  status = exchange_requests(g, slot, &all);
  if (status == SCREE_OK)
    status = scree__ordering_ready(g, t->slots < UINT32_MAX && set_sends(g, &all, t),
                                   all.found.capacity * sizeof *all.found.at);
  free(all.found.at);
  return status;
}

/* ---- a table of all values, where that is smaller than the slots of the arcs ---- */

unsigned scree__gather_wanted(const scree_graph *g, uint64_t runs) {
  enum { MASK = 64 };
  const bool small = !g->wide && scree_graph_slots(g) <= g->arcs / g->vertices.ranks &&
                     UINT64_C(1) << g->local_bits >= SCREE__GATHER_BLOCK;
  return runs == 1 && small && !g->directed && g->vertices.ranks <= MASK ? SCREE__VALUES : SCREE__GATHERED;
}

/* The ranks that need a vertex's value: those of its neighbours, as the graph is undirected. */
static uint64_t ranks_of(const scree_graph *g, uint64_t u) {
  const scree__head32 *heads = g->targets;
  const uint64_t all = UINT64_MAX >> (64 - g->vertices.ranks);
  uint64_t ranks = 0;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1] && ranks != all; e++)
    ranks |= UINT64_C(1) << (heads[e] >> g->local_bits);
  return ranks;
}

/* Each value has the slot of its location, which is the head of an arc: nothing is requested. */
static scree_status make_values(const scree_graph *g, void *ordering) {
  scree__gather *t = ordering;
  const uint64_t words = scree__gather_words(g), bytes = (g->vertices.ranks * words + 1) * sizeof *t->readers;
  t->slots = scree_graph_slots(g);
  t->slot = g->targets;
  t->readers = scree_graphs_alloc(g->graphs, bytes);
  for (uint64_t u = 0; t->readers && u < g->locals; u++) {
    const uint64_t block = u / SCREE__GATHER_BLOCK;
    for (uint64_t ranks = ranks_of(g, u); ranks; ranks &= ranks - 1)
      t->readers[(uint64_t)__builtin_ctzll(ranks) * words + block / 64] |= UINT64_C(1) << block % 64;
  }
  return scree__ordering_ready(g, t->readers, bytes);
}

static scree_status make(const scree_graph *g, void *ordering) {
  scree__gather *t = ordering;
  const size_t arcs = (size_t)g->offsets[g->locals];
  uint32_t *slot = scree_graphs_alloc(g->graphs, (size_t)(scree_graph_slots(g) + 1) * sizeof *slot);
  uint32_t *of_arcs = scree_graphs_alloc(g->graphs, (arcs + 1) * sizeof *of_arcs);
  t->slot = of_arcs;
  t->own = scree_graphs_alloc(g->graphs, (size_t)(g->locals + 1) * sizeof *t->own);
  scree_status status = scree__ordering_ready(g, slot && t->slot && t->own, arcs * sizeof *t->slot);
  if (status == SCREE_OK) status = fill(g, slot, t);
  scree_huge_free(slot);
  return status;
}

static void clear_values(void *ordering) { /* the slots are the graph's */
  scree_huge_free(((scree__gather *)ordering)->readers);
}

static void clear(void *ordering) {
  scree__gather *t = ordering;
  scree_huge_free((void *)(uintptr_t)t->slot);
  scree_huge_free(t->own);
  scree_huge_free(t->sends);
}

const scree__ordering scree__gathered = {SCREE__ORDERING_KEY("a table of needed values"), SCREE__GATHERED,
                                         sizeof(scree__gather), make, clear};
const scree__ordering scree__values = {SCREE__ORDERING_KEY("a table of all values"), SCREE__VALUES,
                                       sizeof(scree__gather), make_values, clear_values};

scree_status scree__gather_of(const scree_graph *g, uint64_t runs, const scree__gather **gather) {
  scree_status status;
  const unsigned kind = scree__orderings_made(g) & SCREE__GATHERED ? SCREE__GATHERED : scree__gather_wanted(g, runs);
  *gather = scree__ordering_of(g, kind == SCREE__VALUES ? &scree__values : &scree__gathered, &status);
  return status;
}
