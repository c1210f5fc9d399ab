/* prefetch.c - the gain of a handler that prefetches the table entries of its items.
 *
 * Every rank sends 8-byte items to uniformly drawn locations of a table distributed over all ranks, over the default
 * transport. There are two handlers. `add` adds to the location, and nothing depends on the old value. `min` keeps
 * the smaller of the old and the new value, as shortest paths do, which is a branch on the value found. Each runs as a
 * plain loop and with several prefetch distances. Any number of ranks works. */
#include "common_requests.h"
#include "modes.h"

enum { AHEADS = 4 };
static const uint32_t aheads[AHEADS] = {0, 16, 32, 64}; /* items; 0: a plain loop */

typedef struct {
  uint32_t index, value;
} update;
SCREE_MESSAGE(adds, update);
SCREE_MESSAGE(mins, update);

typedef struct {
  bench_kernel_context in; /* must be first; way: by handler, then by distance */
  adds_type add;
  mins_type min;
  bool is_min;
  uint32_t ahead;
  uint64_t handled, replaced; /* items handled; of them, those smaller than the old value */
} context;

static void on_adds(scree_worker *w, const scree_batch *batch, const update *items, void *arg) {
  context *s = arg;
  uint64_t *table = s->in.job->table;
  uint32_t ahead = s->ahead;
  s->handled += batch->count;
  (void)w;
  if (!ahead) {
    for (uint32_t i = 0; i < batch->count; i++) table[items[i].index] += items[i].value;
    return;
  }
  for (uint32_t i = 0; i < batch->count; i++) {
    scree_prefetch_write(&table[items[scree_batch_ahead(batch, i, ahead)].index]);
    table[items[i].index] += items[i].value;
  }
}
SCREE_HANDLER(adds, update, on_adds);

static uint64_t keep_min(uint64_t *table, const update *it) {
  if (it->value >= table[it->index]) return 0;
  table[it->index] = it->value;
  __asm__ __volatile__("" ::: "memory"); /* keeps the branch, as if more than a store followed */
  return 1;
}

static void on_mins(scree_worker *w, const scree_batch *batch, const update *items, void *arg) {
  context *s = arg;
  uint64_t *table = s->in.job->table, replaced = 0;
  uint32_t ahead = s->ahead;
  s->handled += batch->count;
  (void)w;
  if (!ahead)
    for (uint32_t i = 0; i < batch->count; i++) replaced += keep_min(table, &items[i]);
  else
    for (uint32_t i = 0; i < batch->count; i++) {
      scree_prefetch_write(&table[items[scree_batch_ahead(batch, i, ahead)].index]);
      replaced += keep_min(table, &items[i]);
    }
  s->replaced += replaced;
}
SCREE_HANDLER(mins, update, on_mins);

static bool open_context(void *arg) {
  context *s = arg;
  s->is_min = s->in.way >= AHEADS;
  s->ahead = aheads[s->in.way % AHEADS];
  return (s->is_min ? mins_register(s->in.world, s, &s->min) : adds_register(s->in.world, s, &s->add)) == SCREE_OK;
}

static update drawn(uint64_t *x, uint32_t words) {
  uint64_t draw = bench_draw(x);
  return (update){bench_below(draw, words), (uint32_t)(draw * UINT64_C(0x9e3779b97f4a7c15) >> 33)};
}

static void run_sends(void *arg, uint64_t n) {
  const context *s = arg;
  scree_worker *w = s->in.w;
  uint64_t x = 88172645463325252u + w->rank;
  uint32_t words = s->in.job->words, ranks = w->ranks;
  scree_begin(w);
  for (uint64_t i = 0; i < n; i++) {
    update it = drawn(&x, words);
    uint32_t dest = bench_below(bench_draw(&x), ranks);
    if (s->is_min)
      mins_send(w, s->min, dest, it);
    else
      adds_send(w, s->add, dest, it);
  }
  scree_end(w, NULL);
}

static uint32_t start(uint32_t i) {
  return (uint32_t)(bench_hash(0, i) >> 33);
}

static void fill(bench_requests *j) {
  for (uint32_t i = 0; i < j->words; i++) j->table[i] = start(i);
}

/* Every item arrived once. For `add`, the growth of the tables equals the sum of the values sent. For `min`, no item
 * is smaller than the value at its location: if all are sent again, none replaces it. */
static bool check(void *arg, uint64_t n) {
  context *s = arg;
  const bench_requests *j = s->in.job;
  uint64_t x = 88172645463325252u + j->rank, sums[2] = {n - s->handled, 0}, all[2];
  for (uint64_t i = 0; !s->is_min && i < n; i++, bench_draw(&x)) sums[1] += drawn(&x, j->words).value;
  for (uint32_t i = 0; !s->is_min && i < j->words; i++) sums[1] -= j->table[i] - start(i);
  s->replaced = 0;
  if (s->is_min) run_sends(s, n);
  sums[1] += s->replaced;
  fill(s->in.job);
  s->handled = s->replaced = 0;
  bench_sum(sums, all, 2);
  return all[0] == 0 && all[1] == 0 && scree_error(s->in.world) == SCREE_OK;
}

bool bench_prefetch(bench *b) {
  static const bench_kernel_row rows[] = {{1 << 20, false, true}, {1 << 20, true, false},  {1 << 25, false, true},
                                          {1 << 25, true, true},  {1 << 27, false, false}, {1 << 27, true, false}};
  static const char *const transports[] = {"auto", NULL};
  static const bench_kernel kernel = {
      .items = "items",
      .ways = {"add", "add, 16", "add, 32", "add, 64", "min", "min, 16", "min, 32", "min, 64"},
      .reference = {0, 0, 0, 0, AHEADS, AHEADS, AHEADS, AHEADS},
      .transports = transports,
      .scale = 22,
      .zipf = -1,
      .context_bytes = sizeof(context),
      .open = open_context,
      .fill = fill,
      .run = run_sends,
      .check = check};
  return bench_kernel_run(b, &kernel, rows, sizeof rows / sizeof *rows);
}
