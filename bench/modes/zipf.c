/* zipf.c - the rows of the histogram whose words are drawn by Zipf's law.
 *
 * Every rank walks a list of words drawn in advance; the k-th word is drawn in proportion to 1 / k^s. A word's owner follows
 * from a hash. The same message is sent by three types: watched (option reduce=auto), always reduced, and never. */
#include "common_requests.h"
#include "modes.h"

#include <math.h>
#include <scree/reduced.h>
#include <stdlib.h>

enum { WORDS = 1 << 20, MODES = 3 };

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
  scree_world *world;
  scree_worker *w;
  tally_type type[MODES]; /* by mode */
  bench_histogram *j;
} context;

/* One mode over one transport. */
typedef struct {
  context *of;
  uint32_t mode;
} way;

static void on_tally(scree_worker *w, const scree_batch *batch, const tally *items, void *arg) {
  uint64_t *table = ((const context *)arg)->j->table;
  for (uint32_t i = 0; i < batch->count; i++) table[items[i].index] += items[i].count;
  (void)w;
}
SCREE_HANDLER(tally, tally, on_tally);

static bool open_context(context *c, uint64_t transport) {
  c->world = bench_world(transport);
  if (!c->world) return false;
  c->w = scree_worker_of(c->world, 0);
  for (uint32_t m = 0; m < MODES; m++)
    if (tally_register_with(c->world, SCREE_UNREDUCED, c, &c->type[m]) || scree_reduce_type(c->world, c->type[m].id, m))
      return false;
  return true;
}

static void run_way(void *arg, uint64_t n) {
  const way *y = arg;
  const context *c = y->of;
  const bench_location *locations = c->j->locations;
  scree_begin(c->w);
  for (uint64_t i = 0; i < n; i++)
    tally_send(c->w, c->type[y->mode], locations[i].rank, (tally){locations[i].index, 1});
  scree_end(c->w, NULL);
}

static bool check_way(void *arg, uint64_t n) {
  const context *c = ((const way *)arg)->of;
  (void)n;
  return bench_histogram_check(c->j) && scree_error(c->world) == SCREE_OK;
}

/* The shares of all words up to each one. NULL: no memory. */
static double *shares(double s) {
  double *sum = malloc(WORDS * sizeof *sum), total = 0;
  for (uint32_t k = 0; sum && k < WORDS; k++) sum[k] = total += pow(k + 1, -s);
  return sum;
}

static uint32_t draw_word(const double *sum, uint64_t draw) {
  const double at = (double)(draw >> 11) * 0x1p-53 * sum[WORDS - 1];
  uint32_t low = 0, high = WORDS - 1;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (sum[middle] < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Drawn words, at places that have nothing to do with how frequent they are. */
static bool draw_list(bench_histogram *j, uint32_t ranks, double s) {
  double *sum = shares(s);
  uint64_t state = 88172645463325252u + j->rank;
  for (uint64_t i = 0; sum && i < j->count; i++) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t place = bench_hash(7, draw_word(sum, bench_hash((uint32_t)(state >> 32), (uint32_t)state)));
    j->locations[i] = (bench_location){(uint32_t)(place % ranks), (uint32_t)((place >> 32) % j->words)};
  }
  free(sum);
  return sum != NULL;
}

/* floor: seconds of the plain loop; off: of the same transport without combining. */
static void report(bench *b, double s, const char *transport, const bench_variant *v, double floor, double off) {
  bench_row(b, BENCH_CELL("zipf", "%-5g", s, 1), BENCH_TEXT("transport", " %-5s", transport),
            BENCH_TEXT("reduce", " %-6s", v->name), BENCH_CELL("ranks", NULL, b->ranks, 1),
            BENCH_CELL("rate", " %9.1f", 1 / v->seconds, 1e-6), BENCH_CELL("over_off", " %8.2f", off / v->seconds, 1),
            BENCH_CELL("floor_ratio", " %8.2f", floor / v->seconds, 1),
            BENCH_CELL("spread", " %6.0f%%", v->spread, 100));
}

static void head(const bench *b, uint32_t transports) {
  if (b->rank != 0) return;
  printf("%-5s %-5s %-6s %9s %8s %8s %7s   (million words per second per rank)\n", "zipf", "", "reduce", "rate",
         "over off", "/floor", "spread");
  if (transports == 1) printf("shm: left out, since the ranks are on several hosts\n");
}

/* The plain loop, and every mode by every transport. */
static bool run_modes(bench *b, context *contexts, uint32_t transports, bench_histogram *j, double s) {
  static const char *const names[MODES] = {"auto", "on", "off"}, *const transport_names[] = {"mpi", "shm"};
  way ways[2 * MODES];
  bench_variant variants[2 * MODES + 1], *const plain = &variants[transports * MODES];
  for (uint32_t i = 0; i < transports * MODES; i++) {
    contexts[i / MODES].j = j;
    ways[i] = (way){&contexts[i / MODES], i % MODES};
    variants[i] =
        (bench_variant){.name = names[i % MODES], .run = run_way, .check = check_way, .arg = &ways[i], .n = j->count};
  }
  *plain = (bench_variant){.name = "plain loop",
                           .run = bench_histogram_plain,
                           .check = bench_histogram_check_plain,
                           .arg = j,
                           .n = j->count};
  if (!bench_rounds(b, variants, (int)(transports * MODES + 1))) return false;
  for (uint32_t i = 0; i < transports * MODES; i++) {
    const double off = variants[i / MODES * MODES + SCREE_REDUCE_OFF].seconds;
    report(b, s, transport_names[i / MODES], &variants[i], plain->seconds, off);
  }
  return true;
}

/* All ranks have shared memory in common. */
static bool on_one_node(const bench *b) {
  MPI_Comm node;
  int ranks;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  return bench_all(ranks == b->ranks);
}

bool bench_zipf(bench *b, double s) {
  context contexts[2] = {{.world = NULL}};
  const uint32_t transports = on_one_node(b) ? 2 : 1;
  if (!open_context(&contexts[0], SCREE_TRANSPORT_MPI)) return false;
  if (transports == 2 && !open_context(&contexts[1], SCREE_TRANSPORT_SHM)) return false;
  bench_histogram j = {.rank = (uint32_t)b->rank,
                       .words = WORDS / (uint32_t)b->ranks,
                       .count = UINT64_C(1) << (b->scale ? b->scale : 22)};
  j.locations = bench_alloc(j.count * sizeof *j.locations, false);
  j.table = bench_alloc(j.words * sizeof *j.table, true);
  bool good = bench_all(j.locations && j.table && draw_list(&j, (uint32_t)b->ranks, s));
  head(b, transports);
  good = good && run_modes(b, contexts, transports, &j, s);
  scree_huge_free(j.locations);
  scree_huge_free(j.table);
  for (uint32_t i = 0; i < transports; i++) good = scree_close(contexts[i].world) == SCREE_OK && good;
  return good;
}
