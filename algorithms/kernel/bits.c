/* bits.c - sets of vertices in arrays of the nodes: one message to each other node for each chunk. */
#include "kernel/bits.h"

#include <string.h>

SCREE_MESSAGE_ROUTED(bits, scree__bits_item);
_Static_assert(sizeof(AO_t) == sizeof(uint64_t), "a word is read and written by one instruction");

/* The words of a rank's vertices, and the bits in each of them that are the rank's. */
typedef struct {
  uint64_t from, to;
  AO_t mask;
} part;

static part part_of(const scree_graph *g, uint32_t rank) {
  const uint64_t first = (uint64_t)rank << g->local_bits, slots = UINT64_C(1) << g->local_bits;
  if (slots >= 64) return (part){first / 64, (first + slots) / 64, ~(AO_t)0};
  return (part){first / 64, first / 64 + 1, (((AO_t)1 << slots) - 1) << first % 64};
}

scree_status scree__node_bits_open(const scree__run *run, uint32_t sets, AO_t **set, scree__node_bits *bits) {
  enum { LINE = 8 }; /* words: no line has words of two sets */
  const uint64_t words = (scree__bits_words(run->graph) + LINE - 1) / LINE * LINE;
  const scree_status status = scree__run_share(run, sets * words * sizeof(AO_t), &bits->array);
  bits->apart = UINT64_C(1) << run->graph->local_bits >= 64;
  for (uint32_t i = 0; i < sets && !status; i++) set[i] = (AO_t *)(void *)bits->array->at + i * words;
  return status;
}

static bool is_elsewhere(const scree__node_bits *bits, uint32_t rank) {
  return bits->array->index_of[rank] == UINT32_MAX;
}

void scree__node_bits_clear(const scree__run *run, const scree__node_bits *bits, AO_t *set) {
  for (uint32_t r = 0; r < run->worker->ranks; r++) {
    const part p = part_of(run->graph, r);
    if (r != run->worker->rank && (bits->array->index || !is_elsewhere(bits, r))) continue;
    if (bits->apart)
      memset(set + p.from, 0, (p.to - p.from) * sizeof *set); /* no other rank accesses them now */
    else
      AO_and(&set[p.from], ~p.mask);
    scree_node_array_step(bits->array, run->worker);
  }
}

void scree__node_bits_send(const scree__run *run, uint32_t type, const scree__node_bits *bits, const AO_t *set) {
  const uint32_t rank = run->worker->rank, ranks = run->worker->ranks;
  const part p = part_of(run->graph, rank);
  for (uint64_t at = p.from; at < p.to && bits->array->ranks < ranks; at += SCREE__BITS_CHUNK) {
    scree__bits_item item = {.at = at};
    uint64_t count = p.to - at < SCREE__BITS_CHUNK ? p.to - at : SCREE__BITS_CHUNK, any = 0;
    for (uint64_t k = 0; k < count; k++) any |= item.words[k] = AO_load(&set[at + k]) & p.mask;
    for (uint32_t i = 1; any && i < ranks; i++) {
      const uint32_t to = (rank + i) % ranks;
      if (is_elsewhere(bits, to) && bits->array->leader_of[to] == to)
        bits_send(run->worker, (bits_type){type}, to, item);
    }
  }
}

void scree__node_bits_add(const scree__run *run, const scree__node_bits *bits, AO_t *set, const scree__bits_item *items,
                          uint32_t count) {
  const uint64_t all = scree__bits_words(run->graph);
  for (uint32_t i = 0; i < count; i++)
    for (uint64_t k = 0; k < SCREE__BITS_CHUNK && items[i].at + k < all; k++)
      if (items[i].words[k]) scree__node_bits_or(bits, &set[items[i].at + k], items[i].words[k]); /* else: others' */
  scree_node_array_step(bits->array, run->worker);
}
