/* labels.c - the set of ids that occur, as labels of the vertices 0 .. n-1.
 *
 * While the graph is made every rank has all labels, so an edge list is relabelled without a message. Ids that are close together are a bitmap, a
 * set without a sort: each rank joins the bits of one part and broadcasts that part; with counts of the bits before each
 * 64 it gives an index without a search. Of ids that are far apart, each is first sent to one rank, chosen by its hash,
 * which drops duplicates; the ranks then broadcast theirs. */
#include "read/labels.h"

#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "graph/consensus.h"

enum { MESSAGE_LENGTH = 1 << 12 };
enum { BITS_PER_ID = 8, SMALL = 1 << 16 }; /* a bitmap has at most: for each id in the edges, and in any case */

/* Counts the bits before each 64. */
static bool count_before(const scree_graphs *graphs, scree__labels *l) {
  l->before = scree_graphs_alloc(graphs, l->words * sizeof *l->before);
  if (!l->before) return false;
  uint64_t count = 0;
  for (size_t w = 0; w < l->words; w++) {
    l->before[w] = count;
    count += scree__popcount(l->bits[w]);
  }
  return true;
}

/* ---- ids far apart: by hash ---- */

static void receive_ids(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  if (!scree__u64_vector_append(arg, data, bytes / sizeof(uint64_t)))
    scree_fail(graphs->worker, SCREE_ENOMEM, "no memory for the ids of vertices; use more ranks or a smaller graph");
}

static void send_ids(scree_graphs *graphs, uint32_t to, const uint64_t *ids, size_t count) {
  for (size_t i = 0; i < count; i += MESSAGE_LENGTH) {
    size_t many = count - i < MESSAGE_LENGTH ? count - i : MESSAGE_LENGTH;
    graph_bytes_send(graphs->worker, graphs->bytes, to, ids + i, many * sizeof *ids);
  }
}

static uint32_t owner_of_id(uint64_t id, uint32_t ranks) {
  return (uint32_t)(scree__hash(id) % ranks);
}

/* The ids sorted by their owner: start[r] .. start[r + 1] - 1 are those of rank r. */
static bool sort_by_owner(const scree__u64_vector *ids, uint32_t ranks, uint64_t **sorted, size_t **start) {
  *sorted = malloc((ids->count + 1) * sizeof **sorted);
  *start = calloc((size_t)ranks + 2, sizeof **start);
  if (!*sorted || !*start) return false;
  size_t *at = *start + 1;
  for (size_t i = 0; i < ids->count; i++) at[owner_of_id(ids->at[i], ranks) + 1]++;
  for (uint32_t r = 0; r < ranks; r++) at[r + 1] += at[r];
  for (size_t i = 0; i < ids->count; i++) (*sorted)[at[owner_of_id(ids->at[i], ranks)]++] = ids->at[i];
  return true;
}

/* First exchange: every id to its owner. */
static scree_status send_to_owners(scree_graphs *graphs, scree__u64_vector *mine, scree__u64_vector *here) {
  uint32_t rank = scree_rank(graphs->worker), ranks = scree_ranks(graphs->worker);
  uint64_t *sorted = NULL;
  size_t *start = NULL;
  bool ready = scree__u64_vector_sort_unique(mine) && sort_by_owner(mine, ranks, &sorted, &start);
  scree_status status =
      scree__consensus(graphs, ready ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", mine->count * 8));
  free(mine->at);
  *mine = (scree__u64_vector){0};
  if (!status) status = scree__exchange_begin(graphs, (scree__receivers){.bytes = receive_ids}, here);
  if (!status) {
    for (uint32_t i = 1; i <= ranks; i++) {
      uint32_t to = (rank + i) % ranks;
      send_ids(graphs, to, sorted + start[to], start[to + 1] - start[to]);
    }
    status = scree__exchange_end(graphs, NULL);
  }
  free(sorted);
  free(start);
  return status;
}

/* Second exchange: the ids that this rank owns, to all. */
static scree_status broadcast(scree_graphs *graphs, scree__u64_vector *here, scree__u64_vector *all) {
  bool ready = scree__u64_vector_sort_unique(here);
  scree_status status =
      scree__consensus(graphs, ready ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", here->count * 8));
  if (!status) status = scree__exchange_begin(graphs, (scree__receivers){.bytes = receive_ids}, all);
  if (status) return status;
  for (uint32_t i = 1; i <= scree_ranks(graphs->worker); i++)
    send_ids(graphs, (scree_rank(graphs->worker) + i) % scree_ranks(graphs->worker), here->at, here->count);
  status = scree__exchange_end(graphs, NULL);
  if (status) return status;
  ready = scree__u64_vector_sort_unique(all);
  return scree__consensus(graphs, ready ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", all->count * 8));
}

/* All ids of this rank. `vertices` becomes empty. */
static bool collect(scree__edge_staging *g, scree__u64_vector *mine) {
  *mine = g->vertices;
  g->vertices = (scree__u64_vector){0};
  size_t many = 2 * g->count, capacity = mine->count + many;
  uint64_t *at = realloc(mine->at, (capacity + 1) * sizeof *at);
  if (!at) return false;
  for (size_t i = 0; i < many; i++) at[mine->count + i] = scree__staging_end(g, i);
  *mine = (scree__u64_vector){at, capacity, capacity + 1};
  return true;
}

/* An index of ids that are listed, if their gaps are small. */
static bool make_index(const scree_graphs *graphs, scree__labels *l) {
  uint64_t range = l->at[l->n - 1] - l->base;
  if (range / 64 > l->n + 1024) return true;
  l->words = (size_t)(range / 64 + 1);
  l->bits = scree_graphs_alloc(graphs, l->words * sizeof *l->bits);
  if (!l->bits) return false;
  for (uint64_t i = 0; i < l->n; i++) {
    uint64_t bit = l->at[i] - l->base;
    l->bits[bit / 64] |= UINT64_C(1) << bit % 64;
  }
  return count_before(graphs, l);
}

static bool make_labels(const scree_graphs *graphs, scree__u64_vector *all, scree__labels *l) {
  *l = (scree__labels){.base = all->at[0], .n = all->count};
  if (all->at[all->count - 1] - l->base == all->count - 1) return true; /* no gap */
  l->gaps = true;
  l->at = all->at;
  *all = (scree__u64_vector){0};
  return make_index(graphs, l);
}

static scree_status find_sparse(scree__edge_staging *g, scree__labels *labels) {
  scree_graphs *graphs = g->reader->graphs;
  scree__u64_vector mine = {0}, here = {0}, all = {0};
  bool good = collect(g, &mine);
  scree_status status =
      scree__consensus(graphs, good ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", g->count * 16));
  if (!status) status = send_to_owners(graphs, &mine, &here);
  if (!status) status = broadcast(graphs, &here, &all);
  if (!status)
    status = scree__consensus(
        graphs, make_labels(graphs, &all, labels) ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", 16 * labels->n));
  free(mine.at);
  free(here.at);
  free(all.at);
  return status;
}

/* ---- ids close together: a bitmap ---- */

static inline void mark(const scree__labels *l, uint64_t id) {
  l->bits[(id - l->base) / 64] |= UINT64_C(1) << (id - l->base) % 64;
}

static void mark_all(const scree__labels *l, const scree__edge_staging *g) {
  const scree__labels copy = *l; /* which stores of bits cannot alias */
  const uint32_t *narrow = g->ends;
  for (size_t i = 0; !g->wide && i < 2 * g->count; i++) mark(&copy, narrow[i]);
  for (size_t i = 0; g->wide && i < 2 * g->count; i++) mark(&copy, scree__staging_end(g, i));
  for (size_t i = 0; i < g->vertices.count; i++) mark(&copy, g->vertices.at[i]);
}

/* A message: the index of its first 64 bits, then the bits. */
static void receive_bits(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  const scree__labels *l = arg;
  const char *at = data;
  uint64_t first, word;
  memcpy(&first, at, sizeof first);
  for (size_t i = 1; i < bytes / sizeof word; i++) {
    memcpy(&word, at + i * sizeof word, sizeof word);
    l->bits[first + i - 1] |= word;
  }
}

/* Sends l->bits[from .. to-1]. */
static void send_bits(scree_graphs *graphs, uint32_t rank, const scree__labels *l, uint64_t from, uint64_t to) {
  uint64_t message[MESSAGE_LENGTH];
  for (uint64_t at = from; at < to; at += MESSAGE_LENGTH - 1) {
    size_t many = to - at < MESSAGE_LENGTH - 1 ? (size_t)(to - at) : MESSAGE_LENGTH - 1;
    message[0] = at;
    memcpy(message + 1, l->bits + at, many * sizeof *message);
    graph_bytes_send(graphs->worker, graphs->bytes, rank, message, (many + 1) * sizeof *message);
  }
}

/* Every rank's bits of a part to the rank that joins it; with `joined`, this rank's joined part to all. */
static scree_status exchange_bits(scree_graphs *graphs, scree__labels *l, bool joined) {
  uint32_t rank = scree_rank(graphs->worker), ranks = scree_ranks(graphs->worker);
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){.bytes = receive_bits}, l);
  if (status) return status;
  for (uint32_t i = 1; i < ranks; i++) {
    uint64_t from, to;
    scree_distribution_block_range(l->words, joined ? rank : (rank + i) % ranks, ranks, &from, &to);
    send_bits(graphs, (rank + i) % ranks, l, from, to);
  }
  return scree__exchange_end(graphs, NULL);
}

static bool count_ids(const scree_graphs *graphs, scree__labels *l, uint64_t range) {
  if (!count_before(graphs, l)) return false;
  l->n = l->before[l->words - 1] + scree__popcount(l->bits[l->words - 1]);
  l->gaps = l->n != range + 1;
  return true;
}

static scree_status find_dense(scree__edge_staging *g, uint64_t min, uint64_t max, scree__labels *l) {
  scree_graphs *graphs = g->reader->graphs;
  *l = (scree__labels){.base = min, .words = (size_t)((max - min) / 64 + 1)};
  l->bits = scree_graphs_alloc(graphs, l->words * sizeof *l->bits);
  scree_status status =
      scree__consensus(graphs, l->bits ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", l->words * 8));
  if (status) return status;
  mark_all(l, g);
  if (scree_ranks(graphs->worker) > 1) {
    status = exchange_bits(graphs, l, false);
    if (!status) status = exchange_bits(graphs, l, true);
    if (status) return status;
  }
  return scree__consensus(graphs, count_ids(graphs, l, max - min)
                                      ? SCREE_OK
                                      : scree__no_memory(graphs, "the ids of vertices", l->words * 8));
}

/* ---- labels ---- */

static uint64_t min_id(const scree__edge_staging *g) {
  uint64_t min = UINT64_MAX;
  for (size_t i = 0; i < 2 * g->count; i++) {
    uint64_t id = scree__staging_end(g, i);
    min = id < min ? id : min;
  }
  for (size_t i = 0; i < g->vertices.count; i++) min = g->vertices.at[i] < min ? g->vertices.at[i] : min;
  return min;
}

scree_status scree__labels_find(scree__edge_staging *g, scree__labels *labels) {
  uint64_t ids = 2 * g->count + g->vertices.count;
  scree_reduce r = {.sum = {ids}, .max = ids ? g->max : 0, .min = min_id(g)};
  scree_status status = scree_graphs_reduce(g->reader->graphs, &r);
  if (status) return status;
  if ((r.max - r.min) / BITS_PER_ID <= r.sum[0] + SMALL) return find_dense(g, r.min, r.max, labels);
  return find_sparse(g, labels);
}

uint64_t scree__labels_search(const scree__labels *l, uint64_t id) {
  uint64_t low = 0, high = l->n - 1;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (l->at[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The id of an index: the bit after so many others. */
static uint64_t id_of(const scree__labels *l, uint64_t index) {
  if (l->at) return l->at[index];
  size_t low = 0, high = l->words - 1; /* the last word with no more bits before it */
  while (low < high) {
    const size_t middle = low + (high - low + 1) / 2;
    if (l->before[middle] <= index)
      low = middle;
    else
      high = middle - 1;
  }
  uint64_t rest = l->bits[low];
  for (uint64_t skip = index - l->before[low]; skip; skip--) rest &= rest - 1;
  return l->base + 64 * low + (unsigned)__builtin_ctzll(rest);
}

scree_status scree__labels_give(const scree__labels *l, scree_graph *g) {
  g->label_base = l->base;
  if (!l->gaps) return SCREE_OK;
  const size_t bytes = ((size_t)g->locals + 1) * sizeof *g->labels;
  uint64_t *labels = scree_graphs_alloc(g->graphs, bytes);
  g->labels = labels;
  if (!labels) return scree__no_memory(g->graphs, "the labels of vertices", bytes);
  for (uint64_t u = 0; u < g->locals; u++)
    labels[u] = id_of(l, scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u)));
  return SCREE_OK;
}

void scree__labels_free(scree__labels *l) {
  free(l->at);
  scree_huge_free(l->bits);
  scree_huge_free(l->before);
  *l = (scree__labels){0};
}
