/* labels.c - from the ids of a file to 0 .. n-1.
 *
 * Room: see labels.h. Lookups are local, so an edge list is relabelled without a message. Ids that lie close together
 * are a bitmap: a set without a sort; each rank joins one part of it and tells that to all; with counts of the bits
 * before each word it gives an index without a search. Of others, each id is first sent to one rank, drawn by its hash,
 * which drops doubles; those then tell all ranks. */
#include "graph/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { WORDS_A_MESSAGE = 1 << 12 };
enum { BITS_AN_ID = 8, SMALL = 1 << 16 }; /* of a bitmap at most: for each id in the edges, and in any case */

/* Counts the bits before each word. */
static bool count_before(scree__labels *l) {
  l->before = malloc(l->words * sizeof *l->before);
  if (!l->before) return false;
  uint64_t count = 0;
  for (size_t w = 0; w < l->words; w++) {
    l->before[w] = count;
    count += scree__ones(l->bits[w]);
  }
  return true;
}

/* ---- ids far apart: by hash -------------------------------------------------------------------------------------- */

static void take_ids(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  if (!scree__words_add(arg, data, bytes / sizeof(uint64_t)))
    scree_fail(graphs->worker, SCREE_ENOMEM, "out of memory for the vertex ids of an edge list");
}

static void send_ids(scree_graphs *graphs, uint32_t to, const uint64_t *ids, size_t count) {
  for (size_t i = 0; i < count; i += WORDS_A_MESSAGE) {
    size_t many = count - i < WORDS_A_MESSAGE ? count - i : WORDS_A_MESSAGE;
    graph_bytes_send(graphs->worker, graphs->bytes, to, ids + i, many * sizeof *ids);
  }
}

static uint32_t home(uint64_t id, uint32_t ranks) {
  return (uint32_t)(scree__hash(id) % ranks);
}

/* The ids ordered by their home: start[r] .. start[r + 1] - 1 are those of rank r. */
static bool by_home(const scree__words *ids, uint32_t ranks, uint64_t **sorted, size_t **start) {
  *sorted = malloc((ids->count + 1) * sizeof **sorted);
  *start = calloc((size_t)ranks + 2, sizeof **start);
  if (!*sorted || !*start) return false;
  size_t *at = *start + 1;
  for (size_t i = 0; i < ids->count; i++) at[home(ids->at[i], ranks) + 1]++;
  for (uint32_t r = 0; r < ranks; r++) at[r + 1] += at[r];
  for (size_t i = 0; i < ids->count; i++) (*sorted)[at[home(ids->at[i], ranks)]++] = ids->at[i];
  return true;
}

/* First phase: every id to its home. */
static scree_status send_home(scree_graphs *graphs, scree__words *mine, scree__words *here) {
  uint32_t rank = scree_rank(graphs->worker), ranks = scree_ranks(graphs->worker);
  uint64_t *sorted = NULL;
  size_t *start = NULL;
  bool ready = scree__words_unique(mine) && by_home(mine, ranks, &sorted, &start);
  scree_status status = scree__agree(graphs, ready ? SCREE_OK : scree__no_memory(graphs, mine->count * 8));
  free(mine->at);
  *mine = (scree__words){0};
  if (!status) status = scree__phase_begin(graphs, NULL, take_ids, here);
  if (!status) {
    for (uint32_t i = 1; i <= ranks; i++) {
      uint32_t to = (rank + i) % ranks;
      send_ids(graphs, to, sorted + start[to], start[to + 1] - start[to]);
    }
    status = scree__phase_end(graphs, NULL);
  }
  free(sorted);
  free(start);
  return status;
}

/* Second phase: what has its home here, to all. */
static scree_status tell_all(scree_graphs *graphs, scree__words *here, scree__words *all) {
  bool ready = scree__words_unique(here);
  scree_status status = scree__agree(graphs, ready ? SCREE_OK : scree__no_memory(graphs, here->count * 8));
  if (!status) status = scree__phase_begin(graphs, NULL, take_ids, all);
  if (status) return status;
  for (uint32_t i = 1; i <= scree_ranks(graphs->worker); i++)
    send_ids(graphs, (scree_rank(graphs->worker) + i) % scree_ranks(graphs->worker), here->at, here->count);
  status = scree__phase_end(graphs, NULL);
  if (status) return status;
  ready = scree__words_unique(all);
  return scree__agree(graphs, ready ? SCREE_OK : scree__no_memory(graphs, all->count * 8));
}

/* All ids of this rank. `alone` becomes empty. */
static bool collect(scree__gathered *g, scree__words *mine) {
  *mine = g->alone;
  g->alone = (scree__words){0};
  size_t many = 2 * g->count, room = mine->count + many;
  uint64_t *at = realloc(mine->at, (room + 1) * sizeof *at);
  if (!at) return false;
  for (size_t i = 0; i < many; i++) at[mine->count + i] = scree__gathered_end(g, i);
  *mine = (scree__words){at, room, room + 1};
  return true;
}

/* An index of ids that are listed, if their gaps are small. */
static bool make_index(scree__labels *l) {
  uint64_t range = l->at[l->n - 1] - l->base;
  if (range / 64 > l->n + 1024) return true;
  l->words = (size_t)(range / 64 + 1);
  l->bits = calloc(l->words, sizeof *l->bits);
  if (!l->bits) return false;
  for (uint64_t i = 0; i < l->n; i++) {
    uint64_t bit = l->at[i] - l->base;
    l->bits[bit / 64] |= UINT64_C(1) << bit % 64;
  }
  return count_before(l);
}

static bool make_labels(scree__words *all, scree__labels *l) {
  *l = (scree__labels){.base = all->at[0], .n = all->count};
  if (all->at[all->count - 1] - l->base == all->count - 1) return true; /* no gap */
  l->at = all->at;
  *all = (scree__words){0};
  return make_index(l);
}

static scree_status find_far(scree__gathered *g, scree__labels *labels) {
  scree_graphs *graphs = g->reader->graphs;
  scree__words mine = {0}, here = {0}, all = {0};
  bool good = collect(g, &mine);
  scree_status status = scree__agree(graphs, good ? SCREE_OK : scree__no_memory(graphs, g->count * 16));
  if (!status) status = send_home(graphs, &mine, &here);
  if (!status) status = tell_all(graphs, &here, &all);
  if (!status)
    status = scree__agree(graphs, make_labels(&all, labels) ? SCREE_OK : scree__no_memory(graphs, 16 * labels->n));
  free(mine.at);
  free(here.at);
  free(all.at);
  return status;
}

/* ---- ids close together: a bitmap -------------------------------------------------------------------------------- */

static inline void mark(const scree__labels *l, uint64_t id) {
  l->bits[(id - l->base) / 64] |= UINT64_C(1) << (id - l->base) % 64;
}

static void mark_all(const scree__labels *l, const scree__gathered *g) {
  const scree__labels copy = *l; /* that no mark can change, as far as a compiler sees */
  const uint32_t *narrow = g->ends;
  for (size_t i = 0; !g->wide && i < 2 * g->count; i++) mark(&copy, narrow[i]);
  for (size_t i = 0; g->wide && i < 2 * g->count; i++) mark(&copy, scree__gathered_end(g, i));
  for (size_t i = 0; i < g->alone.count; i++) mark(&copy, g->alone.at[i]);
}

/* A message: the number of the first word, then the words. */
static void take_bits(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
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

/* The words from .. to-1. */
static void send_bits(scree_graphs *graphs, uint32_t rank, const scree__labels *l, uint64_t from, uint64_t to) {
  uint64_t message[WORDS_A_MESSAGE];
  for (uint64_t at = from; at < to; at += WORDS_A_MESSAGE - 1) {
    size_t many = to - at < WORDS_A_MESSAGE - 1 ? (size_t)(to - at) : WORDS_A_MESSAGE - 1;
    message[0] = at;
    memcpy(message + 1, l->bits + at, many * sizeof *message);
    graph_bytes_send(graphs->worker, graphs->bytes, rank, message, (many + 1) * sizeof *message);
  }
}

/* First every rank's bits of a part to the one that joins it (`tell` false), then the joined part to all. */
static scree_status exchange_bits(scree_graphs *graphs, scree__labels *l, bool tell) {
  uint32_t rank = scree_rank(graphs->worker), ranks = scree_ranks(graphs->worker);
  scree_status status = scree__phase_begin(graphs, NULL, take_bits, l);
  if (status) return status;
  for (uint32_t i = 1; i < ranks; i++) {
    uint64_t from, to;
    scree__share(l->words, tell ? rank : (rank + i) % ranks, ranks, &from, &to);
    send_bits(graphs, (rank + i) % ranks, l, from, to);
  }
  return scree__phase_end(graphs, NULL);
}

/* Counts the bits, and lists the ids if there are gaps. */
static bool list_ids(scree__labels *l, uint64_t range) {
  if (!count_before(l)) return false;
  l->n = l->before[l->words - 1] + scree__ones(l->bits[l->words - 1]);
  if (l->n == range + 1) return true;
  uint64_t *at = l->at = malloc(l->n * sizeof *l->at);
  if (!at) return false;
  for (size_t w = 0; w < l->words; w++)
    for (uint64_t rest = l->bits[w]; rest; rest &= rest - 1) *at++ = l->base + 64 * w + (unsigned)__builtin_ctzll(rest);
  return true;
}

static scree_status find_close(scree__gathered *g, uint64_t min, uint64_t max, scree__labels *l) {
  scree_graphs *graphs = g->reader->graphs;
  *l = (scree__labels){.base = min, .words = (size_t)((max - min) / 64 + 1)};
  l->bits = calloc(l->words, sizeof *l->bits);
  scree_status status = scree__agree(graphs, l->bits ? SCREE_OK : scree__no_memory(graphs, l->words * 8));
  if (status) return status;
  mark_all(l, g);
  if (scree_ranks(graphs->worker) > 1) {
    status = exchange_bits(graphs, l, false);
    if (!status) status = exchange_bits(graphs, l, true);
    if (status) return status;
  }
  return scree__agree(graphs, list_ids(l, max - min) ? SCREE_OK : scree__no_memory(graphs, l->words * 8 + l->n * 8));
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static uint64_t least_of(const scree__gathered *g) {
  uint64_t min = UINT64_MAX;
  for (size_t i = 0; i < 2 * g->count; i++) {
    uint64_t id = scree__gathered_end(g, i);
    min = id < min ? id : min;
  }
  for (size_t i = 0; i < g->alone.count; i++) min = g->alone.at[i] < min ? g->alone.at[i] : min;
  return min;
}

scree_status scree__labels_find(scree__gathered *g, scree__labels *labels) {
  uint64_t ids = 2 * g->count + g->alone.count;
  scree_reduce r = {.sum = {ids}, .max = ids ? g->max : 0, .min = least_of(g)};
  scree_status status = scree_graphs_reduce(g->reader->graphs, &r);
  if (status) return status;
  if ((r.max - r.min) / BITS_AN_ID <= r.sum[0] + SMALL) return find_close(g, r.min, r.max, labels);
  return find_far(g, labels);
}

uint64_t scree__label_search(const scree__labels *l, uint64_t id) {
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

void scree__labels_give(scree_graph *g, scree__labels *l) {
  g->label_base = l->base;
  g->labels = l->at;
  l->at = NULL;
}

void scree__labels_free(scree__labels *l) {
  free(l->at);
  free(l->bits);
  free(l->before);
  *l = (scree__labels){0};
}
