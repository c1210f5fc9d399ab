/* tally.c - a reduced type: words are counted before they travel, here among virtual ranks of the simulator. */
#include <scree/reduced.h>
#include <scree/scree_sim.h>

typedef struct {
  uint32_t word, count;
} tally;
static inline uint32_t word_of(const tally *t) {
  return t->word;
}
static inline void add(tally *kept, const tally *t) {
  kept->count += t->count;
}
SCREE_MESSAGE_REDUCED(tally, tally, word_of, add);

static uint64_t messages, words; /* virtual ranks share them */

static void on_tally(scree_worker *w, const scree_batch *batch, const tally *items, void *arg) {
  (void)w, (void)arg;
  messages += batch->count;
  for (uint32_t i = 0; i < batch->count; i++) words += items[i].count;
}
SCREE_HANDLER(tally, tally, on_tally);

static void one_rank(scree_world *world, void *arg) {
  scree_worker *w = scree_worker_of(world, 0);
  tally_type type;
  (void)arg;
  if (tally_register(world, NULL, &type) || scree_begin(w)) return;
  for (uint32_t i = 0; i < 1000; i++) tally_send(w, type, i % w->ranks, (tally){i % 10, 1});
  scree_end(w, NULL);
}

int main(void) {
  scree_sim_config config = {.seed = 1, .ranks = 5, .nodes = 1};
  if (scree_sim_run(&config, NULL, one_rank, NULL, NULL)) return 1;
  printf("%d words in %d messages\n", (int)words, (int)messages);
  return 0;
}
