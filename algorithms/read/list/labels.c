/* labels.c - the set of ids that occur, as labels of the vertices 0 .. n-1.
 *
 * Ids that are close together are a bitmap, a set without a sort: each rank joins the bits of one part and broadcasts
 * that part; with counts of the bits before each 64 it gives an index without a search. Of ids that are far apart each
 * rank has a range, by samples of all, and counts them; the others request from it the indices of those that they
 * have. */
#include "read/list/labels.h"

#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "graph/consensus.h"
#include "graph/structure.h"

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

/* ---- ids far apart: each rank has a range of them ---- */

enum { SAMPLES = 32 }; /* of each rank's ids */

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

/* All ids of this rank. `vertices` becomes empty. */
static bool collect(scree__edge_staging *g, scree__u64_vector *mine) {
  *mine = g->vertices;
  g->vertices = (scree__u64_vector){0};
  size_t many = 2 * g->count, capacity = mine->count + many;
  uint64_t *at = realloc(mine->at, (capacity + 1) * sizeof *at);
  if (!at) return false;
  for (size_t i = 0; i < many; i++) at[mine->count + i] = scree__staging_end(g, i);
  *mine = (scree__u64_vector){at, capacity, capacity + 1};
  return scree__u64_vector_sort_unique(mine);
}

/* Sends all ranks some of this rank's ids; sorted, they are the same on all. */
static scree_status share_samples(scree_graphs *graphs, const scree__u64_vector *mine, scree__u64_vector *samples) {
  uint64_t some[SAMPLES];
  const size_t count = mine->count < SAMPLES ? mine->count : SAMPLES;
  for (size_t i = 0; i < count; i++) some[i] = mine->at[(2 * i + 1) * mine->count / (2 * count)];
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){.bytes = receive_ids}, samples);
  if (status) return status;
  for (uint32_t to = 0; to < graphs->worker->ranks; to++) send_ids(graphs, to, some, count);
  status = scree__exchange_end(graphs, NULL);
  if (status) return status;
  const bool sorted = scree__u64_vector_sort_unique(samples);
  return scree__consensus(graphs,
                          sorted ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", samples->count * 8));
}

/* The first of sorted ids that is not below `id`. */
static size_t first_from(const uint64_t *ids, size_t count, uint64_t id) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The ids of rank r are those from the first of its samples on; all ranks have about as many. */
static uint64_t range_begin(const scree__u64_vector *samples, uint32_t rank, uint32_t ranks) {
  return rank ? samples->at[(size_t)((uint64_t)rank * samples->count / ranks)] : 0;
}

/* start[r] .. start[r + 1] - 1 of this rank's ids are in the range of rank r. */
static bool find_ranges(const scree__u64_vector *mine, const scree__u64_vector *samples, uint32_t ranks,
                        size_t **start) {
  *start = malloc(((size_t)ranks + 1) * sizeof **start);
  for (uint32_t r = 0; *start && r < ranks; r++)
    (*start)[r] = first_from(mine->at, mine->count, range_begin(samples, r, ranks));
  if (*start) (*start)[ranks] = mine->count;
  return *start != NULL;
}

/* What the ranks know while they find the index of each id. */
typedef struct {
  const scree__labels *l;
  uint64_t *index;
} finding;

#define REPLY (-1.0) /* instead of the requesting rank */

/* A request is (id, position in at, requesting rank); its reply is (index, position, REPLY). */
static void receive_requests(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  const finding *f = arg;
  for (uint32_t i = 0; i < count; i++)
    if (items[i].w == REPLY)
      f->index[items[i].b] = items[i].a;
    else
      graph_triple_send(graphs->worker, graphs->triple, (uint32_t)items[i].w,
                        (scree__triple){f->l->before_range + first_from(f->l->range, f->l->range_count, items[i].a),
                                        items[i].b, REPLY});
}

static scree_status find_indices(scree_graphs *graphs, scree__labels *l, const size_t *start) {
  const uint32_t rank = graphs->worker->rank, ranks = graphs->worker->ranks;
  const size_t bytes = (l->count + 1) * sizeof *l->index;
  finding f = {l, l->index = scree_graphs_alloc(graphs, bytes)};
  scree_status status =
      scree__consensus(graphs, f.index ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", bytes));
  if (!status) status = scree__exchange_begin(graphs, (scree__receivers){.triples = receive_requests}, &f);
  if (status) return status;
  for (uint32_t i = 0; i < ranks; i++) {
    const uint32_t to = (rank + i) % ranks;
    for (size_t k = start[to]; k < start[to + 1]; k++)
      graph_triple_send(graphs->worker, graphs->triple, to, (scree__triple){l->at[k], k, rank});
  }
  return scree__exchange_end(graphs, NULL);
}

/* Each rank gets the ids of its range; then n and the smallest id are known, and whether there are gaps. */
static scree_status share_ranges(scree_graphs *graphs, scree__labels *l, const size_t *start) {
  const uint32_t rank = graphs->worker->rank, ranks = graphs->worker->ranks;
  scree__u64_vector here = {0};
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){.bytes = receive_ids}, &here);
  if (status) return status;
  for (uint32_t i = 0; i < ranks; i++) {
    const uint32_t to = (rank + i) % ranks;
    send_ids(graphs, to, l->at + start[to], start[to + 1] - start[to]);
  }
  status = scree__exchange_end(graphs, NULL);
  const bool sorted = scree__u64_vector_sort_unique(&here);
  l->range = here.at;
  l->range_count = here.count;
  if (!status)
    status =
        scree__consensus(graphs, sorted ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", here.count * 8));
  return status ? status : scree__prefix_sum(graphs, here.count, &l->before_range);
}

static scree_status sum_up(scree_graphs *graphs, scree__labels *l) {
  const size_t count = l->range_count;
  scree_reduce r = {.sum = {count}, .min = count ? l->range[0] : UINT64_MAX, .max = count ? l->range[count - 1] : 0};
  scree_status status = scree_graphs_reduce(graphs, &r);
  l->n = r.sum[0];
  l->base = r.min;
  l->gaps = r.max - r.min != r.sum[0] - 1;
  return status;
}

/* An index of this rank's ids, if their gaps are small. */
static bool make_index(const scree_graphs *graphs, scree__labels *l) {
  if (!l->count) return true;
  l->first = l->at[0];
  const uint64_t range = l->at[l->count - 1] - l->first;
  if (range / 64 > l->count + 1024) return true;
  l->words = (size_t)(range / 64 + 1);
  l->bits = scree_graphs_alloc(graphs, l->words * sizeof *l->bits);
  if (!l->bits) return false;
  for (uint64_t i = 0; i < l->count; i++) {
    uint64_t bit = l->at[i] - l->first;
    l->bits[bit / 64] |= UINT64_C(1) << bit % 64;
  }
  return count_before(graphs, l);
}

static scree_status find_sparse(scree__edge_staging *g, scree__labels *l) {
  scree_graphs *graphs = g->reader->graphs;
  scree__u64_vector mine = {0}, samples = {0};
  size_t *start = NULL;
  bool good = collect(g, &mine);
  scree_status status =
      scree__consensus(graphs, good ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", g->count * 16));
  *l = (scree__labels){.at = mine.at, .count = mine.count};
  if (!status) status = share_samples(graphs, &mine, &samples);
  if (!status) {
    good = find_ranges(&mine, &samples, graphs->worker->ranks, &start);
    status = scree__consensus(graphs, good ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", 8));
  }
  if (!status) status = share_ranges(graphs, l, start);
  if (!status) status = sum_up(graphs, l);
  if (!status && l->gaps) status = find_indices(graphs, l, start);
  if (!status && l->gaps)
    status = scree__consensus(
        graphs, make_index(graphs, l) ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", 16 * l->count));
  free(samples.at);
  free(start);
  return status;
}

/* ---- ids close together: a bitmap ---- */

static inline void mark(const scree__labels *l, uint64_t id) {
  l->bits[(id - l->first) / 64] |= UINT64_C(1) << (id - l->first) % 64;
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
  uint32_t rank = graphs->worker->rank, ranks = graphs->worker->ranks;
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
  *l = (scree__labels){.base = min, .first = min, .words = (size_t)((max - min) / 64 + 1)};
  l->bits = scree_graphs_alloc(graphs, l->words * sizeof *l->bits);
  scree_status status =
      scree__consensus(graphs, l->bits ? SCREE_OK : scree__no_memory(graphs, "the ids of vertices", l->words * 8));
  if (status) return status;
  mark_all(l, g);
  if (graphs->worker->ranks > 1) {
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

/* True if a bitmap of so many numbers, with counts two bits for each, is worth its memory on every rank. On many ranks
 * it may take half of the memory of the other method. */
static bool is_dense(uint64_t numbers, uint64_t ids, uint32_t ranks) {
  if (numbers / BITS_PER_ID > ids + SMALL) return false;
  return ranks < SCREE__MANY_RANKS || numbers / 4 <= 8 * (ids / ranks);
}

scree_status scree__labels_find(scree__edge_staging *g, scree__labels *labels) {
  uint64_t ids = 2 * g->count + g->vertices.count;
  scree_reduce r = {.sum = {ids}, .max = ids ? g->max : 0, .min = min_id(g)};
  scree_status status = scree_graphs_reduce(g->reader->graphs, &r);
  if (status) return status;
  if (is_dense(r.max - r.min, r.sum[0], g->reader->graphs->worker->ranks)) return find_dense(g, r.min, r.max, labels);
  return find_sparse(g, labels);
}

uint64_t scree__labels_search(const scree__labels *l, uint64_t id) {
  return first_from(l->at, l->count, id);
}

/* The id of an index in a bitmap: the bit after so many others. */
static uint64_t id_of(const scree__labels *l, uint64_t index) {
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

static void receive_labels(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  (void)graphs;
  uint64_t *labels = arg;
  for (uint32_t i = 0; i < count; i++) labels[items[i].a] = items[i].b;
}

/* The ids of this rank's range, to the ranks that have their vertices. */
static scree_status send_labels(const scree__labels *l, const scree_graph *g, uint64_t *labels) {
  scree_graphs *graphs = g->graphs;
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){.triples = receive_labels}, labels);
  if (status) return status;
  for (size_t i = 0; i < l->range_count; i++) {
    const scree_location to = scree_graph_location(g, l->before_range + i);
    graph_triple_send(graphs->worker, graphs->triple, scree_location_owner(to),
                      (scree__triple){scree_location_local(to), l->range[i], 0});
  }
  return scree__exchange_end(graphs, NULL);
}

scree_status scree__labels_give(const scree__labels *l, scree_graph *g) {
  g->label_base = l->base;
  if (!l->gaps) return SCREE_OK;
  const size_t bytes = ((size_t)g->locals + 1) * sizeof *g->labels;
  uint64_t *labels = scree_graphs_alloc(g->graphs, bytes);
  g->labels = labels;
  scree_status status =
      scree__consensus(g->graphs, labels ? SCREE_OK : scree__no_memory(g->graphs, "the labels of vertices", bytes));
  if (status || l->at) return status ? status : send_labels(l, g, labels);
  for (uint64_t u = 0; u < g->locals; u++)
    labels[u] = id_of(l, scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u)));
  return SCREE_OK;
}

void scree__labels_free(scree__labels *l) {
  free(l->at);
  free(l->range);
  scree_huge_free(l->index);
  scree_huge_free(l->bits);
  scree_huge_free(l->before);
  *l = (scree__labels){0};
}
