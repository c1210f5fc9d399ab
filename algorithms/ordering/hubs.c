/* hubs.c - the arcs of the vertices of largest degree, kept where they lead. Their owners announce these vertices, with
 * the number of arcs that lead to each rank; then each rank picks those arcs out of its rows, in one pass. Whether a
 * tail is a hub, and its index among the hubs, is read from a bitmap of all vertices and a count for each word of
 * it. */
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "ordering/ordering.h"

enum { DEGREE_MIN = 64, OVER_MEAN = 16 };

/* A hub, as its owner announces it. */
typedef struct {
  uint64_t location; /* packed */
  uint64_t arcs;     /* that lead to the rank */
} announced;

/* In the order of their arrival. */
typedef struct {
  announced *at;
  size_t count, capacity;
  bool failed; /* no memory */
} list;

static void take(const void *data, size_t bytes, void *arg) {
  list *l = arg;
  (void)bytes;
  if (l->count == l->capacity && !l->failed) {
    size_t capacity = l->capacity ? 2 * l->capacity : 64;
    announced *more = realloc(l->at, capacity * sizeof *more);
    l->failed = !more;
    if (more) l->at = more, l->capacity = capacity;
  }
  if (!l->failed) memcpy(&l->at[l->count++], data, sizeof *l->at);
}

static int by_location(const void *a, const void *b) {
  const uint64_t x = ((const announced *)a)->location, y = ((const announced *)b)->location;
  return (x > y) - (x < y);
}

/* `arcs` is by rank. */
static void announce(const scree_graph *g, uint64_t u, uint64_t *arcs) {
  announced hub = {.location = scree_graph_pack(g, scree_location_make(scree_graph_rank(g), u))};
  memset(arcs, 0, g->vertices.ranks * sizeof *arcs);
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
    arcs[scree__head_get(g->targets, g->wide, e) >> g->local_bits]++;
  for (uint32_t rank = 0; rank < g->vertices.ranks; rank++) {
    hub.arcs = arcs[rank];
    scree_graphs_exchange_send(g->graphs, rank, &hub, sizeof hub);
  }
}

/* All hubs, ascending; offsets[hub + 1] is the first index of its members. */
static scree_status share(const scree_graph *g, scree__hubs *hubs) {
  list all = {0};
  uint64_t *arcs = malloc(g->vertices.ranks * sizeof *arcs);
  scree_status status = scree__ordering_ready(g, arcs != NULL, g->vertices.ranks * sizeof *arcs);
  if (status == SCREE_OK) status = scree_graphs_exchange_begin(g->graphs, take, &all);
  if (status == SCREE_OK) {
    for (uint64_t u = 0; u < g->locals; u++)
      if (scree_graph_degree(g, u) >= hubs->degree) announce(g, u, arcs);
    status = scree_graphs_exchange_end(g->graphs);
  }
  if (all.count) qsort(all.at, all.count, sizeof *all.at, by_location);
  hubs->count = all.count;
  hubs->location = malloc((all.count + 1) * sizeof *hubs->location);
  hubs->offsets = calloc(all.count + 2, sizeof *hubs->offsets);
  const bool ready = hubs->location && hubs->offsets && !all.failed;
  for (size_t i = 0; ready && i < all.count; i++) {
    hubs->location[i] = all.at[i].location;
    hubs->offsets[i + 2] = hubs->offsets[i + 1] + all.at[i].arcs;
  }
  free(arcs);
  free(all.at);
  return status ? status : scree__ordering_ready(g, ready, all.count * 16);
}

uint64_t scree__hub_at(const scree__hubs *hubs, uint64_t location) {
  uint64_t low = 0, high = hubs->count;
  while (low + 1 < high) {
    uint64_t middle = low + (high - low) / 2;
    if (hubs->location[middle] <= location)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* 64 packed locations: which are hubs, and how many hubs there are before them. */
typedef struct {
  uint64_t set;
  uint64_t before;
} word;

static void set_words(const scree__hubs *h, word *words, uint64_t count) {
  for (uint64_t i = 0; i < h->count; i++) words[h->location[i] / 64].set |= UINT64_C(1) << h->location[i] % 64;
  for (uint64_t i = 1; i < count; i++)
    words[i].before = words[i - 1].before + (uint64_t)__builtin_popcountll(words[i - 1].set);
}

/* `wide` is a constant. */
static inline __attribute__((always_inline)) void pick(const scree__transpose *t, const word *words, uint64_t locals,
                                                       bool wide, const scree__hubs *h) {
  for (uint64_t u = 0; u < locals; u++)
    for (uint64_t e = t->offsets[u], end = t->offsets[u + 1]; e < end; e++) {
      const uint64_t tail = scree__head_get(t->tails, wide, e), bit = UINT64_C(1) << tail % 64;
      const word *w = &words[tail / 64];
      if (!(w->set & bit)) continue;
      const uint64_t hub = w->before + (uint64_t)__builtin_popcountll(w->set & (bit - 1));
      h->members[h->offsets[hub + 1]++] = (uint32_t)u;
    }
}

static scree_status make(const scree_graph *g, void *ordering) {
  scree__hubs *h = ordering;
  const scree__transpose *t;
  const uint64_t mean = g->arcs / g->vertices.n, count = scree_graph_slots(g) / 64 + 1;
  h->degree = OVER_MEAN * mean > DEGREE_MIN ? OVER_MEAN * mean : DEGREE_MIN;
  scree_status status = scree__transpose_of(g, &t);
  if (status == SCREE_OK) status = share(g, h);
  if (status || !h->count) return status;
  const size_t bytes = (size_t)(h->offsets[h->count + 1] + 1) * sizeof *h->members;
  word *words = scree_graphs_alloc(g->graphs, (size_t)count * sizeof *words);
  h->members = scree_graphs_alloc(g->graphs, bytes);
  status = scree__ordering_ready(g, words && h->members, bytes + (size_t)count * sizeof *words);
  if (status == SCREE_OK) {
    set_words(h, words, count);
    g->wide ? pick(t, words, g->locals, true, h) : pick(t, words, g->locals, false, h);
  }
  scree_huge_free(words);
  return status;
}

static void clear(void *ordering) {
  scree__hubs *h = ordering;
  free(h->location);
  free(h->offsets);
  scree_huge_free(h->members);
}

const scree__ordering scree__hub_arcs = {SCREE__ORDERING_KEY("arcs of hubs"), SCREE__HUBS, sizeof(scree__hubs), make,
                                         clear};

scree_status scree__hubs_of(const scree_graph *g, const scree__hubs **hubs) {
  scree_status status;
  *hubs = scree__ordering_of(g, &scree__hub_arcs, &status);
  return status;
}
