/* bits.c - bitmaps sent to all ranks: one message to each rank for each chunk. Ranks may share a word at their borders,
 * so words are or'ed. */
#include "kernel/bits.h"

SCREE_MESSAGE_ROUTED(bits, scree__bits_item);

void scree__bits_send(const scree__run *run, uint32_t type, const uint64_t *set) {
  const scree_graph *g = run->graph;
  const uint32_t rank = run->worker->rank, ranks = run->worker->ranks;
  const uint64_t first = (uint64_t)rank << g->local_bits, all = scree__bits_words(g);
  for (uint64_t at = first / 64; at < (first + g->locals + 63) / 64; at += SCREE__BITS_CHUNK) {
    scree__bits_item item = {.at = at};
    uint64_t count = all - at < SCREE__BITS_CHUNK ? all - at : SCREE__BITS_CHUNK, any = 0;
    for (uint64_t k = 0; k < count; k++) any |= item.words[k] = set[at + k];
    for (uint32_t i = 1; any && i < ranks; i++) bits_send(run->worker, (bits_type){type}, (rank + i) % ranks, item);
  }
}

void scree__bits_add(const scree__run *run, uint64_t *set, const scree__bits_item *items, uint32_t count) {
  const uint64_t all = scree__bits_words(run->graph);
  for (uint32_t i = 0; i < count; i++)
    for (uint64_t k = 0; k < SCREE__BITS_CHUNK && items[i].at + k < all; k++) set[items[i].at + k] |= items[i].words[k];
}
