/* common_requests.c - runs and reports the rows of bale's kernels; draws and counts lists of locations. */
#include "common_requests.h"

#include <stdlib.h>
#include <string.h>

/* ---- histograms ---- */

bool bench_draw_uniform(const bench *b, bench_requests *j) {
  uint64_t x = 88172645463325252u + (uint64_t)b->rank;
  for (uint64_t i = 0; i < j->count; i++) {
    const uint32_t rank = bench_below(bench_draw(&x), j->ranks);
    j->locations[i] = (bench_location){rank, bench_below(bench_draw(&x), j->words)};
  }
  return true;
}

void bench_histogram_plain(void *job, uint64_t n) {
  const bench_requests *j = job;
  uint64_t *table = j->table;
  for (uint64_t i = 0; i < n; i++) table[j->locations[i].index]++;
  __asm__ __volatile__("" ::: "memory");
}

/* The number of updates agrees, and so does the sum of the hashes of the locations, each weighted by its count. The
 * plain loop ignores the rank of a location, and so does its check. */
static bool check(bench_requests *j, bool plain) {
  uint64_t sums[4] = {0, 0, j->count, 0}, all[4];
  for (uint32_t i = 0; i < j->words; i++) {
    sums[0] += j->table[i];
    sums[1] += j->table[i] * bench_hash(plain ? 0 : j->rank, i);
  }
  for (uint64_t i = 0; i < j->count; i++)
    sums[3] += bench_hash(plain ? 0 : j->locations[i].rank, j->locations[i].index);
  memset(j->table, 0, j->words * sizeof *j->table);
  bench_sum(sums, all, 4);
  return all[0] == all[2] && all[1] == all[3];
}

bool bench_histogram_check(void *context, uint64_t n) {
  const bench_kernel_context *c = context;
  (void)n;
  return check(c->job, false) && scree_error(c->world) == SCREE_OK;
}

bool bench_histogram_check_plain(void *job, uint64_t n) {
  (void)n;
  return check(job, true);
}

/* ---- rows ---- */

/* The variants of one kernel by all transports, in this order. */
typedef struct {
  const bench_kernel *kernel;
  const char *transport[2 * BENCH_WAYS_MAX];
  bench_kernel_context *context[2 * BENCH_WAYS_MAX];
  int count, ways; /* of both; of each transport */
} plan;

static void report(bench *b, const bench_kernel *k, const bench_kernel_row *row, const bench_variant *v,
                   const char *transport, double floor, double reference) {
  bench_row(b, BENCH_CELL("table_words", "%9.0f", row->words, 1),
            BENCH_TEXT("pages", " %-5s", row->huge ? "huge" : "4k"),
            BENCH_CELL(k->zipf < 0 ? NULL : "zipf", NULL, k->zipf, 1), BENCH_TEXT("transport", " %-5s", transport),
            BENCH_TEXT("way", " %-12s", v->name), BENCH_CELL("ranks", NULL, b->ranks, 1),
            BENCH_CELL("rate", " %9.1f", 1 / v->seconds, 1e-6),
            BENCH_CELL(k->floor ? "floor_ratio" : NULL, k->floor ? " %8.2f" : NULL, floor / v->seconds, 1),
            BENCH_CELL("ratio", " %8.2f", reference / v->seconds, 1), BENCH_CELL("spread", " %6.0f%%", v->spread, 100));
}

static bool run_row(bench *b, const plan *p, const bench_kernel_row *row) {
  const bench_kernel *k = p->kernel;
  bench_requests j = {.rank = (uint32_t)b->rank,
                      .ranks = (uint32_t)b->ranks,
                      .words = row->words,
                      .count = UINT64_C(1) << (b->scale ? b->scale : k->scale)};
  bench_variant variants[2 * BENCH_WAYS_MAX + 1], *const floor = &variants[p->count];
  j.table = bench_alloc(j.words * sizeof *j.table, row->huge);
  j.locations = k->draw ? bench_alloc(j.count * sizeof *j.locations, false) : NULL;
  j.received = k->fetches ? bench_alloc(j.count * sizeof *j.received, row->huge) : NULL;
  bool good = bench_all(j.table && (!k->draw || (j.locations && k->draw(b, &j))) && (!k->fetches || j.received));
  if (good && k->fill) k->fill(&j);
  for (int i = 0; i < p->count; i++) {
    p->context[i]->job = &j;
    variants[i] = (bench_variant){
        .name = k->ways[i % p->ways], .run = k->run, .check = k->check, .arg = p->context[i], .n = j.count};
  }
  *floor = (bench_variant){
      .name = k->floor, .run = k->run_floor, .check = k->check_floor, .arg = &j, .n = j.count, .seconds = 0};
  good = good && bench_rounds(b, variants, p->count + (k->floor != NULL));
  if (good && k->floor) report(b, k, row, floor, "", floor->seconds, floor->seconds);
  for (int i = 0; good && i < p->count; i++)
    report(b, k, row, &variants[i], p->transport[i], floor->seconds,
           variants[i - i % p->ways + k->reference[i % p->ways]].seconds);
  scree_huge_free(j.table);
  scree_huge_free(j.locations);
  scree_huge_free(j.received);
  return good;
}

static bool open_transport(plan *p, const char *transport) {
  const bench_kernel *k = p->kernel;
  scree_world *world = bench_open(strcmp(transport, "auto") ? transport : NULL, NULL);
  if (!world) return false;
  for (int way = 0; way < p->ways; way++) {
    bench_kernel_context *c = calloc(1, k->context_bytes);
    if (!c) return false;
    *c = (bench_kernel_context){.world = world, .w = scree_worker_of(world, 0), .way = (uint32_t)way};
    p->transport[p->count] = transport;
    p->context[p->count++] = c;
    if (!k->open(c)) return false;
  }
  return true;
}

bool bench_kernel_run(bench *b, const bench_kernel *k, const bench_kernel_row *rows, size_t count) {
  plan p = {.kernel = k};
  bool good = true, one_node = bench_one_node();
  while (p.ways < BENCH_WAYS_MAX && k->ways[p.ways]) p.ways++;
  for (const char *const *t = k->transports; good && *t; t++)
    if ((one_node || strcmp(*t, "shm")) && bench_has(*t)) good = open_transport(&p, *t);
  if (b->rank == 0)
    printf("%9s %-5s %-5s %-12s %9s %s%8s %7s   (million %s per second per rank%s)\n", "words", "pages", "", "", "rate",
           k->floor ? "  /floor " : "", "ratio", "spread", k->items,
           one_node ? "" : "; shm: left out on several hosts");
  for (size_t i = 0; good && i < count; i++)
    if (b->full || rows[i].usual) good = run_row(b, &p, &rows[i]);
  for (int i = 0; i < p.count; i++) {
    if (i % p.ways == 0) good = scree_close(p.context[i]->world) == SCREE_OK && good;
    free(p.context[i]);
  }
  return good;
}
