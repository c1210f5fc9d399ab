/* zipf.c - the rows of the histogram whose words are drawn by Zipf's law.
 *
 * Every rank walks a list of words drawn in advance; the k-th word is drawn in proportion to 1 / k^s. A word's owner
 * follows from a hash. The same message is sent by three types: watched (option combine=auto), always reduced, and
 * never. */
#include <scree/reduced.h>
#include <stdlib.h>

#include "common_requests.h"
#include "modes.h"

enum { WORDS = 1 << 20 };

typedef struct {
  uint32_t index, count;
} tally;
static inline uint32_t index_of(const tally *t) {
  return t->index;
}
static inline void add(tally *kept, const tally *t) {
  kept->count += t->count;
}
SCREE_MESSAGE_REDUCED(tally, tally, index_of, add);

typedef struct {
  bench_kernel_context in; /* must be first; way: the mode of reduce */
  tally_type t;
} context;

static void on_tally(scree_worker *w, const scree_batch *batch, const tally *items, void *arg) {
  uint64_t *table = ((const context *)arg)->in.job->table;
  for (uint32_t i = 0; i < batch->count; i++) table[items[i].index] += items[i].count;
  (void)w;
}
SCREE_HANDLER(tally, tally, on_tally);

static bool open_context(void *arg) {
  context *c = arg;
  return tally_register_with(c->in.world, SCREE_UNREDUCED, c, &c->t) == SCREE_OK &&
         scree_combine_type(c->in.world, c->t.id, c->in.way) == SCREE_OK;
}

static void run_library(void *arg, uint64_t n) {
  const context *c = arg;
  const bench_location *locations = c->in.job->locations;
  scree_begin(c->in.w);
  for (uint64_t i = 0; i < n; i++) tally_send(c->in.w, c->t, locations[i].rank, (tally){locations[i].index, 1});
  scree_end(c->in.w, NULL);
}

static double exponent;

/* Drawn words, at positions that are independent of their frequency. */
static bool draw(const bench *b, bench_requests *j) {
  double *sum = bench_zipf_sums(WORDS, exponent);
  uint64_t state = 88172645463325252u + (uint64_t)b->rank;
  for (uint64_t i = 0; sum && i < j->count; i++) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    const uint32_t word = bench_zipf_draw(sum, WORDS, bench_hash((uint32_t)(state >> 32), (uint32_t)state));
    const uint64_t place = bench_hash(7, word);
    j->locations[i] = (bench_location){(uint32_t)(place % j->ranks), (uint32_t)((place >> 32) % j->words)};
  }
  free(sum);
  return sum != NULL;
}

bool bench_zipf(bench *b, double s) {
  const bench_kernel_row row = {WORDS / (uint32_t)b->ranks, true, true};
  const bench_kernel kernel = {
      .items = "words",
      .floor = "plain loop",
      .ways = {[SCREE_COMBINE_AUTO] = "auto", [SCREE_COMBINE_ON] = "on", [SCREE_COMBINE_OFF] = "off"},
      .reference = {SCREE_COMBINE_OFF, SCREE_COMBINE_OFF, SCREE_COMBINE_OFF},
      .transports = bench_transports,
      .scale = 22,
      .zipf = s,
      .context_bytes = sizeof(context),
      .open = open_context,
      .draw = draw,
      .run = run_library,
      .check = bench_histogram_check,
      .run_floor = bench_histogram_plain,
      .check_floor = bench_histogram_check_plain};
  exponent = s;
  return bench_kernel_run(b, &kernel, &row, 1);
}
