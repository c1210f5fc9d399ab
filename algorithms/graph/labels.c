/* labels.c - from the ids of a file to 0 .. n-1.
 *
 * Room: see labels.h. Each id is first sent to one rank, drawn by its hash, which drops doubles; those then tell all
 * ranks. Lookups are local, so an edge list is relabelled without a message. */
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

scree_status scree__labels(scree_graphs *graphs, scree__words *mine, scree__words *all) {
  scree__words here = {0};
  *all = (scree__words){0};
  scree_status status = send_home(graphs, mine, &here);
  if (!status) status = tell_all(graphs, &here, all);
  free(here.at);
  return status; /* the caller frees `all` */
}

uint64_t scree__label_index(const scree__words *all, uint64_t id) {
  size_t low = 0, high = all->count - 1;
  if (id - all->at[0] < all->count && all->at[id - all->at[0]] == id) return id - all->at[0]; /* no gap below it */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (all->at[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void scree__labels_give(scree_graph *g, scree__words *all) {
  g->label_base = all->at[0];
  bool gaps = all->at[all->count - 1] - all->at[0] != all->count - 1;
  if (gaps)
    g->labels = all->at;
  else
    free(all->at);
  *all = (scree__words){0};
}
