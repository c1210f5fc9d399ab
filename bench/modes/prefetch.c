/* prefetch.c - the gain of a handler that prefetches the table entries of its items.
 *
 * Every rank sends 8-byte items to uniformly drawn locations of a table distributed over all ranks, over the default
 * transport. There are two handlers. `add` adds to the location, and nothing depends on the old value. `least` keeps
 * the smaller of the old and the new value, as shortest paths do, which is a branch on the value found. Each runs as a
 * plain loop and with several prefetch distances. Any number of ranks works. */
#include <stdlib.h>

#include "common_requests.h"
#include "modes.h"

typedef struct {
  uint32_t index, value;
} update;
SCREE_MESSAGE(adds, update);
SCREE_MESSAGE(mins, update);

typedef struct {
  uint64_t *table;
  uint32_t words, ahead;      /* items; 0: a plain loop */
  uint64_t handled, replaced; /* items handled; of them, those smaller than the old value */
} target;

static void on_adds(scree_worker *w, const scree_batch *batch, const update *items, void *arg) {
  target *to = arg;
  uint64_t *table = to->table;
  uint32_t ahead = to->ahead;
  to->handled += batch->count;
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
  target *to = arg;
  uint64_t *table = to->table, replaced = 0;
  uint32_t ahead = to->ahead;
  to->handled += batch->count;
  (void)w;
  if (!ahead)
    for (uint32_t i = 0; i < batch->count; i++) replaced += keep_min(table, &items[i]);
  else
    for (uint32_t i = 0; i < batch->count; i++) {
      scree_prefetch_write(&table[items[scree_batch_ahead(batch, i, ahead)].index]);
      replaced += keep_min(table, &items[i]);
    }
  to->replaced += replaced;
}
SCREE_HANDLER(mins, update, on_mins);

typedef struct {
  scree_world *world;
  scree_worker *w;
  adds_type add;
  mins_type min;
  target to;
} context;

typedef struct {
  context *s;
  uint32_t ahead;
  bool min;
} variant_arg;

static update drawn(uint64_t *x, uint32_t words) {
  uint64_t draw = bench_draw(x);
  return (update){bench_below(draw, words), (uint32_t)(draw * UINT64_C(0x9e3779b97f4a7c15) >> 33)};
}

static void run_sends(void *arg, uint64_t n) {
  const variant_arg *a = arg;
  context *s = a->s;
  uint64_t x = 88172645463325252u + s->w->rank;
  uint32_t words = s->to.words, ranks = s->w->ranks;
  s->to.ahead = a->ahead;
  scree_begin(s->w);
  for (uint64_t i = 0; i < n; i++) {
    update it = drawn(&x, words);
    uint32_t dest = bench_below(bench_draw(&x), ranks);
    if (a->min)
      mins_send(s->w, s->min, dest, it);
    else
      adds_send(s->w, s->add, dest, it);
  }
  scree_end(s->w, NULL);
}

static void fill(target *to) {
  for (uint32_t i = 0; i < to->words; i++) to->table[i] = (uint32_t)(bench_hash(0, i) >> 33);
  to->handled = to->replaced = 0;
}

/* Every item arrived once. For `add`, the growth of the tables equals the sum of the values sent. For `least`, no item
 * is smaller than the value at its location: if all are sent again, none replaces it. */
static bool check(void *arg, uint64_t n) {
  variant_arg *a = arg;
  context *s = a->s;
  uint64_t x = 88172645463325252u + s->w->rank, sums[2] = {n - s->to.handled, 0}, all[2];
  for (uint64_t i = 0; !a->min && i < n; i++, bench_draw(&x)) sums[1] += drawn(&x, s->to.words).value;
  for (uint32_t i = 0; !a->min && i < s->to.words; i++) sums[1] -= s->to.table[i] - (uint32_t)(bench_hash(0, i) >> 33);
  if (a->min) {
    s->to.replaced = 0;
    run_sends(&(variant_arg){s, 0, true}, n);
    sums[1] = s->to.replaced;
  }
  fill(&s->to);
  MPI_Allreduce(sums, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all[0] == 0 && all[1] == 0 && scree_error(s->world) == SCREE_OK;
}

static void report(bench *b, const bench_kernel_row *row, const bench_variant *variant, double plain) {
  const variant_arg *a = variant->arg;
  bench_row(b, BENCH_CELL("table_words", "%10.0f", row->words, 1),
            BENCH_TEXT("pages", " %-5s", row->huge ? "huge" : "4k"),
            BENCH_TEXT("handler", " %-7s", a->min ? "least" : "add"), BENCH_CELL("ahead", " %6.0f", a->ahead, 1),
            BENCH_CELL("rate", " %9.1f", 1 / variant->seconds, 1e-6),
            BENCH_CELL("plain_ratio", " %8.2f", plain / variant->seconds, 1),
            BENCH_CELL("spread", " %6.0f%%", variant->spread, 100));
}

enum { AHEADS = 4, VARIANTS = 2 * AHEADS };

static bool run_row(bench *b, const bench_kernel_row *row, void *arg) {
  context *s = arg;
  static const uint32_t aheads[AHEADS] = {0, 16, 32, 64};
  uint64_t n = UINT64_C(1) << (b->scale ? b->scale : 22);
  variant_arg args[VARIANTS];
  bench_variant variants[VARIANTS];
  for (int i = 0; i < VARIANTS; i++) {
    args[i] = (variant_arg){s, aheads[i % AHEADS], i >= AHEADS};
    variants[i] = (bench_variant){.name = "prefetch", .run = run_sends, .check = check, .arg = &args[i], .n = n};
  }
  s->to = (target){.table = bench_alloc(row->words * sizeof *s->to.table, row->huge), .words = row->words};
  bool good = bench_all(s->to.table);
  if (good) fill(&s->to);
  good = good && bench_rounds(b, variants, VARIANTS);
  for (int i = 0; good && i < VARIANTS; i++) report(b, row, &variants[i], variants[i / AHEADS * AHEADS].seconds);
  scree_huge_free(s->to.table);
  return good;
}

bool bench_prefetch(bench *b) {
  static const bench_kernel_row rows[] = {{1 << 20, false, true}, {1 << 20, true, false},  {1 << 25, false, true},
                                          {1 << 25, true, true},  {1 << 27, false, false}, {1 << 27, true, false}};
  context s = {.world = bench_world(SCREE_TRANSPORT_AUTO)};
  if (!s.world || adds_register(s.world, &s.to, &s.add) || mins_register(s.world, &s.to, &s.min)) return false;
  s.w = scree_worker_of(s.world, 0);
  if (b->rank == 0)
    printf("%10s %-5s %-7s %6s %9s %8s %7s   (million items per second per rank)\n", "words", "pages", "handler",
           "ahead", "rate", "/plain", "spread");
  const bool good = bench_kernel_rows(b, rows, sizeof rows / sizeof *rows, run_row, &s);
  return scree_close(s.world) == SCREE_OK && good;
}
