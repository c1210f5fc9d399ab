/* histogram.c - bale's histogram: adding one at random locations of a table distributed over all ranks.
 *
 * Every rank walks a list of locations drawn in advance and sends each to its owner, whose handler counts it. The
 * baseline is the plain loop: the same list, a table of the same size, no messages. bale's own table has 1,000 words
 * per rank. Any number of ranks works. With --zipf the words are skewed, and the counts of a word combined or not
 * (modes/zipf.c). */
#include "common_requests.h"
#include "modes.h"

SCREE_MESSAGE(counts, uint64_t);

typedef struct {
  bench_kernel_context in; /* must be first */
  counts_type t;
} context;

static void on_counts(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  uint64_t *table = ((const context *)arg)->in.job->table;
  for (uint32_t i = 0; i < batch->count; i++) table[items[i]]++;
  (void)w;
}
SCREE_HANDLER(counts, uint64_t, on_counts);

static bool open_context(void *arg) {
  context *s = arg;
  return counts_register(s->in.world, s, &s->t) == SCREE_OK;
}

static void run_library(void *arg, uint64_t n) {
  const context *s = arg;
  const bench_location *locations = s->in.job->locations;
  scree_begin(s->in.w);
  for (uint64_t i = 0; i < n; i++) counts_send(s->in.w, s->t, locations[i].rank, locations[i].index);
  scree_end(s->in.w, NULL);
}

static double exponent = -1;

static bool run(bench *b) {
  static const bench_kernel_row rows[] = {
      {1000, false, true}, {1 << 20, false, true}, {1 << 20, true, false}, {1 << 25, true, false}};
  static const bench_kernel kernel = {.items = "updates",
                                      .floor = "plain loop",
                                      .ways = {"scree"},
                                      .transports = bench_transports,
                                      .scale = 22,
                                      .zipf = -1,
                                      .context_bytes = sizeof(context),
                                      .open = open_context,
                                      .draw = bench_draw_uniform,
                                      .run = run_library,
                                      .check = bench_histogram_check,
                                      .run_floor = bench_histogram_plain,
                                      .check_floor = bench_histogram_check_plain};
  return exponent < 0 ? bench_kernel_run(b, &kernel, rows, sizeof rows / sizeof *rows) : bench_zipf(b, exponent);
}

static const bench_own_option zipf[] = {
    {{SCREE__ROW("zipf", REAL, "", "words by Zipf's law of exponent X, combined or not"), .real_max = 10}, &exponent},
    {{0}, NULL}};

const bench_mode bench_modes[] = {
    {.name = "histogram",
     .what = "bale's histogram against a plain loop; --scale: log2 of the updates per rank, default 22",
     .run = run,
     .own = zipf},
    {.name = "indexgather",
     .what = "bale's index gather, by request and reply, against the local gather; --scale: log2 of the requests per "
             "rank, default 21",
     .run = bench_indexgather},
    {.name = "prefetch",
     .what = "handlers that prefetch the table entries of their items; --scale: log2 of the items per rank, default 22",
     .run = bench_prefetch},
    {0}};
