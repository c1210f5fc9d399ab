/* intsort.c - ranks keys as NAS IS does (Bailey et al., The NAS Parallel Benchmarks, RNR-94-007): 10 times, with two keys changed each time. The
 * histogram of all values is in global memory, in equal parts on the ranks. Form 0 counts a rank's keys by itself, and adds each count to the word;
 * form 1 sends each key as an asynchronous delegate to its word. Then each rank sums up its part, and the ranks exchange their totals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "irregular/irregular.h"

enum {
  TESTS = 5,
  ITERATIONS = 10,
  WORKERS = 64,
  SHARE_MIN = 32 /* keys of a worker: those that change are in the first share */
};
#define MASK ((UINT64_C(1) << 46) - 1)

/* Keys and values, as powers of two; keys whose ranks are tested, and what these are, of is.c: a rank moves with the iteration, up if its bit of `up`
 * is set, else down, from iteration `late` of those two on. */
static const struct {
  uint32_t keys, values, up, late[2];
  uint64_t index[TESTS], rank[TESTS];
} classes[] = {
    {16, 11, 7, {0, 0}, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}},
    {20, 16, 3, {0, 2}, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018}},
    {23, 19, 7, {1, 1}, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264}},
    {25, 21, 22, {0, 0}, {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99}},
    {27,
     23,
     7,
     {0, 0},
     {44172927, 72999161, 74326391, 129606274, 21736814},
     {61147, 882988, 266290, 133997595, 133525895}},
    {12, 6, 0, {0, 0}, {0}, {0}}, /* tiny: without tests */
};
enum { TINY = 5 };

SCREE_DELEGATE(tally, uint32_t, uint8_t);

typedef struct {
  scree__irregular *k;
  tally_type tally;
  scree_global histogram, totals; /* totals: of each rank's part, a copy on each rank */
  uint32_t *keys, *counts[WORKERS];
  uint64_t first, locals, wrong;
} intsort;

static void run_tally(scree_worker *w, void *word, const uint32_t *key, uint8_t *unused, void *arg) {
  (void)w, (void)key, (void)unused, (void)arg;
  ++*(uint64_t *)word;
}
SCREE_DELEGATE_BODY(tally, uint32_t, uint8_t, run_tally);

static uint64_t share(uint64_t n, uint64_t parts, uint64_t i) {
  return n / parts * i + (i < n % parts ? i : n % parts);
}

/* The generator of NAS: x = 5^13 x modulo 2^46, whose four next numbers make a key. */
static uint64_t jump(uint64_t n) {
  uint64_t x = 314159265;
  for (uint64_t a = 1220703125; n; n >>= 1, a = a * a & MASK)
    if (n & 1) x = a * x & MASK;
  return x;
}
static uint32_t next_key(uint64_t *x, uint32_t values) {
  uint64_t sum = 0;
  for (int i = 0; i < 4; i++) sum += *x = 1220703125 * *x & MASK;
  return (uint32_t)(sum >> (48 - values));
}

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  const uint64_t keys = UINT64_C(1) << classes[o->class].keys;
  p->heap = (UINT64_C(8) << classes[o->class].values) / p->ranks + 16 * (uint64_t)p->ranks + (1 << 16);
  p->own = 4 * keys / p->ranks + (UINT64_C(4) << classes[o->class].values) * p->threads;
  if (keys / p->ranks / WORKERS >= SHARE_MIN || o->class == TINY) return true;
  snprintf(why, size, "%llu keys on %u ranks: take at most %llu", (unsigned long long)keys, p->ranks,
           (unsigned long long)(keys / WORKERS / SHARE_MIN));
  return false;
}

static scree_status open(scree__irregular *k) {
  intsort *s = k->state;
  const uint32_t ranks = k->map->ranks, threads = scree_worker_of(k->world, 0)->threads;
  const uint64_t me = scree_worker_of(k->world, 0)->rank, keys = UINT64_C(1) << classes[k->options->class].keys;
  const uint64_t values = UINT64_C(1) << classes[k->options->class].values;
  s->k = k;
  s->first = share(keys, ranks, me);
  s->locals = share(keys, ranks, me + 1) - s->first;
  s->keys = malloc(s->locals * sizeof *s->keys);
  bool good = s->keys != NULL;
  for (uint32_t t = 0; t < threads; t++) good &= (s->counts[t] = malloc(values * sizeof *s->counts[t])) != NULL;
  scree_status status = tally_register(k->world, s, &s->tally);
  if (!status) status = scree__irregular_alloc(k, 8 * values, SCREE_GLOBAL_PARTITION, &s->histogram);
  if (!status) status = scree__irregular_alloc(k, 8 * ranks, SCREE_GLOBAL_REPLICATE, &s->totals);
  return status ? status : good ? SCREE_OK : SCREE_ENOMEM;
}

static void close_it(scree__irregular *k) {
  intsort *s = k->state;
  free(s->keys);
  for (int t = 0; t < WORKERS; t++) free(s->counts[t]);
}

static scree_status prepare(scree__irregular *k) {
  intsort *s = k->state;
  uint64_t x = jump(4 * s->first);
  for (uint64_t i = 0; i < s->locals; i++) s->keys[i] = next_key(&x, classes[k->options->class].values);
  s->wrong = 0;
  return SCREE_OK;
}

/* This rank's part of the histogram: its first value, how many, and its words. */
static uint64_t *part_of(const intsort *s, uint32_t rank, uint64_t *first, uint64_t *count) {
  const uint64_t values = UINT64_C(1) << classes[s->k->options->class].values, each = s->histogram.block / 8;
  *first = each * rank < values ? each * rank : values;
  *count = values - *first < each ? values - *first : each;
  return *count ? scree_global_local(s->k->map, scree_global_at(s->k->map, &s->histogram, 0, 8 * *first)) : NULL;
}

/* The keys of a worker, to the words of their values. */
static void count(const intsort *s, scree_worker *w) {
  const uint64_t values = UINT64_C(1) << classes[s->k->options->class].values;
  const uint64_t begin = share(s->locals, w->threads, w->index), end = share(s->locals, w->threads, w->index + 1);
  uint32_t *counts = s->counts[w->index];
  if (s->k->form == 0) memset(counts, 0, values * sizeof *counts);
  for (uint64_t i = begin; i < end; i++)
    if (s->k->form == 0)
      counts[s->keys[i]]++;
    else
      tally_cast(w, s->tally, scree_global_at(s->k->map, &s->histogram, 0, 8 * (uint64_t)s->keys[i]), 8, s->keys[i]);
  for (uint64_t v = 0; v < values && s->k->form == 0; v++)
    if (counts[v])
      scree_atomic_fetch_add_nbi(w, scree_global_at(s->k->map, &s->histogram, 0, 8 * v), counts[v], 8, NULL);
}

/* Sums up this rank's part, and sends its total to all ranks. */
static void sum_up(const intsort *s, scree_worker *w) {
  uint64_t first, n, sum = 0, *words = part_of(s, w->rank, &first, &n);
  for (uint64_t v = 0; v < n; v++) sum = words[v] += sum;
  for (uint32_t r = 0; r < w->ranks; r++)
    scree_put_value_nbi(w, scree_global_at(s->k->map, &s->totals, r, 8 * (uint64_t)w->rank), sum, 8);
}

/* How many keys are below a value. */
static uint64_t rank_of(const intsort *s, scree_worker *w, uint64_t value) {
  const uint64_t *totals = scree_global_local(s->k->map, scree_global_at(s->k->map, &s->totals, w->rank, 0));
  uint64_t below = 0;
  if (value == 0 || scree_get_poll(w, &below, scree_global_at(s->k->map, &s->histogram, 0, 8 * (value - 1)), 8))
    return 0;
  for (uint64_t r = 0; r < (value - 1) / (s->histogram.block / 8); r++) below += totals[r];
  return below;
}

static void test_ranks(intsort *s, scree_worker *w, uint64_t iteration) {
  const uint64_t class = s->k->options->class;
  for (uint32_t t = 0; t < TESTS && class != TINY; t++) {
    const uint64_t i = classes[class].index[t] - s->first, up = classes[class].up >> t & 1;
    const uint64_t moved = iteration - classes[class].late[up];
    if (i >= s->locals) continue;
    const uint64_t right = classes[class].rank[t] + (up ? moved : 0 - moved);
    s->wrong += rank_of(s, w, s->keys[i]) != right;
  }
}

static void work(scree_worker *w, void *arg) {
  intsort *s = arg;
  uint64_t first, n, *words = part_of(s, w->rank, &first, &n);
  for (uint32_t i = 1; i <= ITERATIONS; i++) {
    if (w->index == 0 && n) memset(words, 0, 8 * n);
    if (w->index == 0 && w->rank == 0) {
      s->keys[i] = i;
      s->keys[i + ITERATIONS] = (1U << classes[s->k->options->class].values) - i;
    }
    for (int step = 0; step < 4; step++) { /* each rank has cleared its part; has counted; has all totals; has tested */
      if (scree_begin(w)) return;
      if (step == 1) count(s, w);
      if (step == 2 && w->index == 0) sum_up(s, w);
      if (step == 3 && w->index == 0) test_ranks(s, w, i);
      if (scree_end(w, NULL)) return;
    }
  }
}

static scree_status run(scree__irregular *k) {
  k->items = (uint64_t)ITERATIONS << classes[k->options->class].keys;
  k->figure[0] = (double)(UINT64_C(1) << classes[k->options->class].keys);
  return scree_run_workers(k->world, scree_worker_of(k->world, 0)->threads, work, k->state);
}

/* Each rank makes all keys of all ranks, and counts those of its part by itself. */
static scree_status check(scree__irregular *k, uint64_t *wrong) {
  intsort *s = k->state;
  const uint32_t values = classes[k->options->class].values;
  uint64_t first, n, sum = 0, x = jump(0), *words = part_of(s, scree_worker_of(k->world, 0)->rank, &first, &n);
  uint32_t *counts = s->counts[0];
  memset(counts, 0, sizeof *counts << values);
  for (uint64_t i = 0; i < UINT64_C(1) << classes[k->options->class].keys; i++) {
    const uint32_t key = next_key(&x, values);
    const bool low = i >= 1 && i <= ITERATIONS, high = i > ITERATIONS && i <= 2 * ITERATIONS;
    counts[low ? i : high ? (UINT64_C(1) << values) - (i - ITERATIONS) : key]++;
  }
  *wrong = s->wrong;
  for (uint64_t v = 0; v < n; v++) *wrong += words[v] != (sum += counts[first + v]);
  return SCREE_OK;
}

const scree__irregular_methods scree__intsort = {
    .state = sizeof(intsort),
    .plan = plan,
    .open = open,
    .prepare = prepare,
    .run = run,
    .check = check,
    .close = close_it,
    .wrong = "ranks of keys differ from those of the benchmark, or of a serial count",
};
