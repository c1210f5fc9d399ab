/* intsort.c - ranks keys as NAS IS does (keys.h): 10 times, with two keys changed each time. The histogram of all
 * values is in global memory, in equal parts on the ranks. Form COUNTS: each worker counts its keys by itself, and adds
 * each count to the word; DELEGATES: it sends each key as an asynchronous delegate to its word; EXCHANGE: it sorts its
 * keys by owner, puts them there at once, and the owner counts them. Then each rank sums up its part, and the ranks
 * exchange their totals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "irregular/irregular.h"
#include "irregular/keys.h"

enum { COUNTS, DELEGATES, EXCHANGE }; /* forms */
enum { WORKERS = 64, SHARE_MIN = 32 /* keys of a worker: those that change are in the first share */ };

SCREE_DELEGATE(tally, uint32_t, uint8_t);

typedef struct {
  scree__irregular *k;
  const scree__keys_class *class;
  tally_type tally;
  scree_global histogram, totals,
      inbox; /* totals: of each rank's part, and how many keys are in the inbox; both on each rank */
  uint32_t *keys, *sorted, *counts[WORKERS];
  uint64_t first, locals, wrong, space; /* space: keys of each rank's inbox */
} intsort;

static void run_tally(scree_worker *w, void *word, const uint32_t *key, uint8_t *unused, void *arg) {
  (void)w, (void)key, (void)unused, (void)arg;
  ++*(uint64_t *)word;
}
SCREE_DELEGATE_BODY(tally, uint32_t, uint8_t, run_tally);

/* Keys are sums of four uniform numbers: equal ranges of values have up to 8/3 of the mean. */
static uint64_t inbox_space(const scree__keys_class *c, uint64_t ranks) {
  const uint64_t keys = UINT64_C(1) << c->keys, most = keys / ranks * 3 + 1024;
  return most < keys ? most : keys;
}

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  const scree__keys_class *c = &scree__keys_classes[o->class];
  const uint64_t keys = UINT64_C(1) << c->keys;
  const bool exchange = o->algorithm && strcmp(o->algorithm, "exchange") == 0;
  p->heap = (UINT64_C(8) << c->values) / p->ranks + 16 * (uint64_t)p->ranks + (1 << 16);
  p->own = 8 * keys / p->ranks + (UINT64_C(4) << c->values) * p->threads;
  if (exchange) p->heap += 4 * inbox_space(c, p->ranks);
  if (keys / p->ranks / WORKERS >= SHARE_MIN || o->class == SCREE__KEYS_TINY) return true;
  snprintf(why, size, "%llu keys on %u ranks: take at most %llu", (unsigned long long)keys, p->ranks,
           (unsigned long long)(keys / WORKERS / SHARE_MIN));
  return false;
}

static scree_status open(scree__irregular *k) {
  intsort *s = k->state;
  const scree_worker *w = scree_worker_of(k->world, 0);
  const scree__keys_class *c = s->class = &scree__keys_classes[k->options->class];
  const uint64_t keys = UINT64_C(1) << c->keys, values = UINT64_C(1) << c->values;
  s->k = k;
  s->first = scree__keys_share(keys, w->ranks, w->rank);
  s->locals = scree__keys_share(keys, w->ranks, w->rank + 1) - s->first;
  s->space = inbox_space(c, w->ranks);
  s->keys = malloc(s->locals * sizeof *s->keys);
  s->sorted = malloc(s->locals * sizeof *s->sorted);
  bool good = s->keys && s->sorted;
  for (uint32_t t = 0; t < w->threads; t++)
    good &= (s->counts[t] = malloc((values + w->ranks + 1) * sizeof *s->counts[t])) != NULL;
  scree_status status = tally_register(k->world, s, &s->tally);
  if (!status) status = scree__irregular_alloc(k, 8 * values, SCREE_GLOBAL_PARTITION, &s->histogram);
  if (!status) status = scree__irregular_alloc(k, 8 * (w->ranks + 1), SCREE_GLOBAL_REPLICATE, &s->totals);
  return status ? status : good ? SCREE_OK : SCREE_ENOMEM;
}

static void close_it(scree__irregular *k) {
  intsort *s = k->state;
  free(s->keys);
  free(s->sorted);
  for (int t = 0; t < WORKERS; t++) free(s->counts[t]);
}

static scree_status prepare(scree__irregular *k) {
  intsort *s = k->state;
  uint64_t x = scree__keys_jump(4 * s->first);
  for (uint64_t i = 0; i < s->locals; i++) s->keys[i] = scree__keys_next(&x, s->class->values);
  s->wrong = 0;
  if (k->form != EXCHANGE || s->inbox.bytes) return SCREE_OK;
  return scree__irregular_alloc(k, 4 * s->space, SCREE_GLOBAL_REPLICATE, &s->inbox);
}

/* This rank's part of the histogram: its first value, how many, and its words. */
static uint64_t *part_of(const intsort *s, uint32_t rank, uint64_t *first, uint64_t *count) {
  const uint64_t values = UINT64_C(1) << s->class->values, each = s->histogram.block / 8;
  *first = each * rank < values ? each * rank : values;
  *count = values - *first < each ? values - *first : each;
  return *count ? scree_global_local(s->k->map, scree_global_at(s->k->map, &s->histogram, 0, 8 * *first)) : NULL;
}

/* Words of this rank's copy: the totals of all ranks, and how many keys are in its inbox. */
static uint64_t *totals_of(const intsort *s, uint32_t rank) {
  return scree_global_local(s->k->map, scree_global_at(s->k->map, &s->totals, rank, 0));
}

static void add_counts(const intsort *s, scree_worker *w, const uint32_t *keys, uint64_t n) {
  const uint64_t values = UINT64_C(1) << s->class->values;
  uint32_t *counts = s->counts[w->index];
  memset(counts, 0, values * sizeof *counts);
  for (uint64_t i = 0; i < n; i++) counts[keys[i]]++;
  for (uint64_t v = 0; v < values; v++)
    if (counts[v])
      scree_atomic_fetch_add_nbi(w, scree_global_at(s->k->map, &s->histogram, 0, 8 * v), counts[v], 8, NULL);
}

/* Sorts keys by owner, and puts those of each into its inbox, where an atomic reserves the place. */
static void put_by_owner(const intsort *s, scree_worker *w, const uint32_t *keys, uint64_t n, uint32_t *sorted) {
  const uint32_t each = (uint32_t)(s->histogram.block / 8), ranks = w->ranks;
  uint32_t *end = s->counts[w->index]; /* of the keys of each owner; at first, of the one before it */
  memset(end, 0, (ranks + 1) * sizeof *end);
  for (uint64_t i = 0; i < n; i++) end[keys[i] / each + 1]++;
  for (uint32_t r = 1; r <= ranks; r++) end[r] += end[r - 1];
  for (uint64_t i = 0; i < n; i++) sorted[end[keys[i] / each]++] = keys[i];
  for (uint32_t i = 1; i <= ranks; i++) {
    const uint32_t r = (w->rank + i) % ranks, from = r ? end[r - 1] : 0, count = end[r] - from;
    uint64_t place = 0;
    if (!count) continue;
    if (scree_atomic_fetch_add_poll(w, scree_global_at(s->k->map, &s->totals, r, 8 * (uint64_t)ranks), count, 8,
                                    &place))
      return;
    if (place + count > s->space)
      scree_fail(w, SCREE_ENOMEM, "intsort: an inbox has no space for the keys of its rank: take another form");
    else
      scree_put_nbi(w, scree_global_at(s->k->map, &s->inbox, r, 4 * place), sorted + from, 4 * (uint64_t)count);
  }
}

/* The keys of a worker, to the words of their values. */
static void count(const intsort *s, scree_worker *w) {
  const uint64_t begin = scree__keys_share(s->locals, w->threads, w->index),
                 end = scree__keys_share(s->locals, w->threads, w->index + 1);
  if (s->k->form == COUNTS) add_counts(s, w, s->keys + begin, end - begin);
  if (s->k->form == EXCHANGE) put_by_owner(s, w, s->keys + begin, end - begin, s->sorted + begin);
  for (uint64_t i = begin; i < end && s->k->form == DELEGATES; i++)
    tally_cast(w, s->tally, scree_global_at(s->k->map, &s->histogram, 0, 8 * (uint64_t)s->keys[i]), 8, s->keys[i]);
}

/* Sums up this rank's part, and sends its total to all ranks. */
static void sum_up(const intsort *s, scree_worker *w) {
  uint64_t first, n, sum = 0, *words = part_of(s, w->rank, &first, &n);
  if (s->k->form == EXCHANGE) {
    const uint32_t *keys = scree_global_local(s->k->map, scree_global_at(s->k->map, &s->inbox, w->rank, 0));
    for (uint64_t i = 0; i < totals_of(s, w->rank)[w->ranks]; i++) words[keys[i] - first]++;
  }
  for (uint64_t v = 0; v < n; v++) sum = words[v] += sum;
  for (uint32_t r = 0; r < w->ranks; r++)
    scree_put_value_nbi(w, scree_global_at(s->k->map, &s->totals, r, 8 * (uint64_t)w->rank), sum, 8);
}

/* How many keys are below a value. */
static uint64_t rank_of(const intsort *s, scree_worker *w, uint64_t value) {
  uint64_t below = 0;
  if (value == 0 || scree_get_poll(w, &below, scree_global_at(s->k->map, &s->histogram, 0, 8 * (value - 1)), 8))
    return 0;
  for (uint64_t r = 0; r < (value - 1) / (s->histogram.block / 8); r++) below += totals_of(s, w->rank)[r];
  return below;
}

static void test_ranks(intsort *s, scree_worker *w, uint64_t iteration) {
  for (uint32_t t = 0; t < SCREE__KEYS_TESTS && s->k->options->class != SCREE__KEYS_TINY; t++) {
    const uint64_t i = s->class->index[t] - s->first;
    if (i < s->locals) s->wrong += rank_of(s, w, s->keys[i]) != scree__keys_rank(s->class, t, iteration);
  }
}

static void work(scree_worker *w, void *arg) {
  intsort *s = arg;
  uint64_t first, n, *words = part_of(s, w->rank, &first, &n);
  for (uint32_t i = 1; i <= SCREE__KEYS_ITERATIONS; i++) {
    if (w->index == 0 && n) memset(words, 0, 8 * n);
    if (w->index == 0) totals_of(s, w->rank)[w->ranks] = 0;
    if (w->index == 0 && w->rank == 0) scree__keys_change(s->keys, i, s->class->values);
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
  const scree__keys_class *c = ((intsort *)k->state)->class;
  k->items = (uint64_t)SCREE__KEYS_ITERATIONS << c->keys;
  k->figure[0] = (double)(UINT64_C(1) << c->keys);
  return scree_run_workers(k->world, scree_worker_of(k->world, 0)->threads, work, k->state);
}

/* Each rank makes all keys of all ranks, and counts those of its part by itself. */
static scree_status check(scree__irregular *k, uint64_t *wrong) {
  intsort *s = k->state;
  const uint64_t keys = UINT64_C(1) << s->class->keys, values = UINT64_C(1) << s->class->values;
  uint64_t first, n, sum = 0, x = scree__keys_jump(0),
                     *words = part_of(s, scree_worker_of(k->world, 0)->rank, &first, &n);
  uint32_t *counts = s->counts[0], head[2 * SCREE__KEYS_ITERATIONS + 1];
  memset(counts, 0, values * sizeof *counts);
  for (uint64_t i = 0; i < keys; i++) {
    const uint32_t key = scree__keys_next(&x, s->class->values);
    if (i >= sizeof head / sizeof *head)
      counts[key]++;
    else
      head[i] = key;
  }
  for (uint32_t i = 1; i <= SCREE__KEYS_ITERATIONS; i++) scree__keys_change(head, i, s->class->values);
  for (size_t i = 0; i < sizeof head / sizeof *head; i++) counts[head[i]]++;
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
