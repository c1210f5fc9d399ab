/* histogram.c - bale's histogram: adding one at random locations of a table distributed over all ranks.
 *
 * Every rank walks a list of locations drawn in advance and sends each to its owner, whose handler counts it. The
 * baseline is the plain loop: the same list, a table of the same size, no messages. bale's own table has 1,000 words
 * per rank. Any number of ranks works. With --zipf the words are skewed, and the counts of a word combined or not (modes/zipf.c). */
#include <stdlib.h>

#include "common_requests.h"
#include "modes.h"

typedef struct {
  uint64_t index;
} update;
SCREE_MESSAGE(counts, update);

typedef struct {
  bench_kernel_context in; /* must be first */
  counts_type t;
} context;

static void on_counts(scree_worker *w, const scree_batch *batch, const update *items, void *arg) {
  uint64_t *table = ((const bench_histogram *)((const context *)arg)->in.job)->table;
  for (uint32_t i = 0; i < batch->count; i++) table[items[i].index]++;
  (void)w;
}
SCREE_HANDLER(counts, update, on_counts);

static bool open_context(void *arg) {
  context *s = arg;
  return counts_register(s->in.world, s, &s->t) == SCREE_OK;
}

static void run_library(void *arg, uint64_t n) {
  const context *s = arg;
  const bench_location *locations = ((const bench_histogram *)s->in.job)->locations;
  scree_begin(s->in.w);
  for (uint64_t i = 0; i < n; i++) counts_send(s->in.w, s->t, locations[i].rank, (update){locations[i].index});
  scree_end(s->in.w, NULL);
}

static bool check_library(void *arg, uint64_t n) {
  const context *s = arg;
  (void)n;
  return bench_histogram_check(s->in.job) && scree_error(s->in.world) == SCREE_OK;
}

static bool open_job(bench *b, const bench_kernel_row *row, uint64_t count, void **job) {
  static bench_histogram j;
  *job = &j;
  j = (bench_histogram){.rank = (uint32_t)b->rank, .words = row->words, .count = count};
  j.locations = bench_locations(count, (uint32_t)b->ranks, row->words, 88172645463325252u + (uint64_t)b->rank);
  j.table = bench_alloc(row->words * sizeof *j.table, row->huge);
  return bench_all(j.locations && j.table);
}

static void close_job(void *job) {
  bench_histogram *j = job;
  free(j->locations);
  scree_huge_free(j->table);
}

static double exponent = -1;

static bool run(bench *b) {
  static const bench_kernel_row rows[] = {
      {1000, false, true}, {1 << 20, false, true}, {1 << 20, true, false}, {1 << 25, true, false}};
  static const bench_kernel kernel = {.items = "updates",
                                      .floor = "plain loop",
                                      .scale = 22,
                                      .context_bytes = sizeof(context),
                                      .open = open_context,
                                      .open_job = open_job,
                                      .close_job = close_job,
                                      .run = run_library,
                                      .check = check_library,
                                      .run_floor = bench_histogram_plain,
                                      .check_floor = bench_histogram_check_plain};
  return exponent < 0 ? bench_kernel_run(b, &kernel, rows, sizeof rows / sizeof *rows) : bench_zipf(b, exponent);
}

int main(int argc, char **argv) {
  static const bench_own_option zipf[] = {
      {"--zipf", "S", "words by Zipf's law of exponent S, combined or not", 0, 10, &exponent}, {0}};
  static const bench_mode modes[] = {
      {.name = "histogram",
       .what = "bale's histogram against a plain loop; --scale: log2 of the updates per rank, default 22",
       .run = run,
       .own = zipf},
      {.name = "indexgather",
       .what = "bale's index gather, by request and reply, against the local gather; --scale: log2 of the requests per "
               "rank, "
               "default 21",
       .run = bench_indexgather},
      {.name = "prefetch",
       .what =
           "handlers that prefetch the table entries of their items; --scale: log2 of the items per rank, default 22",
       .run = bench_prefetch},
      {0}};
  return bench_main(argc, argv, modes);
}
