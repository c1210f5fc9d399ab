/* labels.c - from the ids of a file to 0 .. n-1.
 *
 * Room: see labels.h. Each id is first sent to one rank, drawn by its hash, which drops doubles; those then tell all
 * ranks. Lookups are local, so an edge list is relabelled without a message. Ids without large gaps are a bitmap: a
 * set without a sort, and with counts of the bits before each word an index without a search. */
#include <stdlib.h>

#include "labels.h"
#include "mix.h"

enum { WORDS_A_MESSAGE = 1 << 12 };

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
  return (uint32_t)(scree__mix(id) % ranks);
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

/* ---- the ids of this rank --------------------------------------------------------------------------------------- */

static void mark(uint64_t *bits, const uint64_t *ids, size_t count) {
  for (size_t i = 0; i < count; i++) bits[ids[i] / 64] |= UINT64_C(1) << ids[i] % 64;
}

/* The numbers of the bits that are set. */
static bool list_bits(const uint64_t *bits, size_t words, scree__words *out) {
  for (size_t w = 0; w < words; w++)
    for (uint64_t rest = bits[w]; rest; rest &= rest - 1) {
      uint64_t id = 64 * w + (unsigned)__builtin_ctzll(rest);
      if (!scree__words_add(out, &id, 1)) return false;
    }
  return true;
}

/* Each once. `alone` becomes empty. */
static bool collect(const uint64_t *ids, size_t count, scree__words *alone, uint64_t most, scree__words *mine) {
  size_t many = count + alone->count;
  bool good = false;
  uint64_t *bits = most / 64 < many + 1024 ? calloc(most / 64 + 1, sizeof *bits) : NULL;
  if (bits) {
    mark(bits, ids, count);
    mark(bits, alone->at, alone->count);
    good = list_bits(bits, most / 64 + 1, mine);
    free(bits);
  } else {
    good = scree__words_add(mine, ids, count) && scree__words_add(mine, alone->at, alone->count);
  }
  free(alone->at);
  *alone = (scree__words){0};
  return good;
}

/* ---- labels ----------------------------------------------------------------------------------------------------- */

static bool make_index(scree__labels *l) {
  uint64_t range = l->at[l->n - 1] - l->base;
  if (range / 64 > l->n + 1024) return true;
  size_t words = (size_t)(range / 64 + 1);
  l->bits = calloc(words, sizeof *l->bits);
  l->before = calloc(words, sizeof *l->before);
  if (!l->bits || !l->before) return false;
  for (uint64_t i = 0; i < l->n; i++) {
    uint64_t bit = l->at[i] - l->base;
    l->bits[bit / 64] |= UINT64_C(1) << bit % 64;
  }
  for (size_t w = 1; w < words; w++) l->before[w] = l->before[w - 1] + (unsigned)__builtin_popcountll(l->bits[w - 1]);
  return true;
}

static bool make_labels(scree__words *all, scree__labels *l) {
  *l = (scree__labels){.base = all->at[0], .n = all->count};
  if (all->at[all->count - 1] - l->base == all->count - 1) return true; /* no gap */
  l->at = all->at;
  *all = (scree__words){0};
  return make_index(l);
}

scree_status scree__labels_find(scree_graphs *graphs, const uint64_t *ids, size_t count, scree__words *alone,
                                uint64_t most, scree__labels *labels) {
  scree__words mine = {0}, here = {0}, all = {0};
  bool good = collect(ids, count, alone, most, &mine);
  scree_status status = scree__agree(graphs, good ? SCREE_OK : scree__no_memory(graphs, count * sizeof *ids));
  if (!status) status = send_home(graphs, &mine, &here);
  if (!status) status = tell_all(graphs, &here, &all);
  if (!status)
    status = scree__agree(graphs, make_labels(&all, labels) ? SCREE_OK : scree__no_memory(graphs, 16 * labels->n));
  free(mine.at);
  free(here.at);
  free(all.at);
  return status;
}

uint64_t scree__label_search(const scree__labels *l, uint64_t id) {
  uint64_t bit = id - l->base;
  if (l->bits)
    return l->before[bit / 64] + (unsigned)__builtin_popcountll(l->bits[bit / 64] & ((UINT64_C(1) << bit % 64) - 1));
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
