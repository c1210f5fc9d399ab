/* intsort.c - ranks keys as NAS IS does (keys.h): 10 times, with two keys changed each time. The histogram of all
 * values is in global memory, in equal parts on the ranks; how keys are counted in it is the form's. Then each rank
 * sums up its part, and the ranks exchange their totals. */
#include "irregular/intsort/intsort.h"

#include <stdio.h>

enum { SHARE_MIN = 32 /* keys of a worker: those that change are in the first share */ };

static const scree__intsort_form *const forms[] = {&scree__intsort_by_counts, &scree__intsort_by_delegates,
                                                   &scree__intsort_by_exchange};

static void run_tally(scree_worker *w, void *word, const uint32_t *key, uint8_t *unused, void *arg) {
  (void)w, (void)key, (void)unused, (void)arg;
  ++*(uint64_t *)word;
}
SCREE_DELEGATE_BODY(tally, uint32_t, uint8_t, run_tally);

/* Keys are sums of four uniform numbers: equal ranges of values have up to 8/3 of the mean. */
static uint64_t inbox_space(const scree__keys_class *c, uint64_t ranks) {
  const uint64_t keys = UINT64_C(1) << c->keys, max = keys / ranks * 3 + 1024;
  return max < keys ? max : keys;
}

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  const scree__keys_class *c = &scree__keys_classes[o->class];
  const uint64_t keys = UINT64_C(1) << c->keys;
  p->heap = (UINT64_C(8) << c->values) / p->ranks + 16 * (uint64_t)p->ranks + (1 << 16);
  p->own = 8 * keys / p->ranks + (UINT64_C(4) << c->values) * p->threads;
  if (forms[p->form]->inbox) p->heap += 4 * inbox_space(c, p->ranks);
  if (keys / p->ranks / SCREE__INTSORT_WORKERS >= SHARE_MIN || o->class == SCREE__KEYS_TINY) return true;
  snprintf(why, size, "%llu keys on %u ranks: take at most %llu", (unsigned long long)keys, p->ranks,
           (unsigned long long)(keys / SCREE__INTSORT_WORKERS / SHARE_MIN));
  return false;
}

static scree_status open(scree__irregular *k) {
  scree__intsort_state *s = k->state;
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
  scree__intsort_state *s = k->state;
  free(s->keys);
  free(s->sorted);
  for (int t = 0; t < SCREE__INTSORT_WORKERS; t++) free(s->counts[t]);
}

static scree_status prepare(scree__irregular *k) {
  scree__intsort_state *s = k->state;
  uint64_t x = scree__keys_jump(4 * s->first);
  for (uint64_t i = 0; i < s->locals; i++) s->keys[i] = scree__keys_next(&x, s->class->values);
  s->wrong = 0;
  if (!forms[k->form]->inbox || s->inbox.bytes) return SCREE_OK;
  return scree__irregular_alloc(k, 4 * s->space, SCREE_GLOBAL_REPLICATE, &s->inbox);
}

/* Sums up this rank's part, and sends its total to all ranks. */
static void sum_up(const scree__intsort_state *s, scree_worker *w) {
  const scree__intsort_form *form = forms[s->k->form];
  uint64_t first, n, sum = 0, *words = scree__intsort_part(s, w->rank, &first, &n);
  if (form->take_in) form->take_in(s, w, words, first);
  for (uint64_t v = 0; v < n; v++) sum = words[v] += sum;
  for (uint32_t r = 0; r < w->ranks; r++)
    scree_put_value_nbi(w, scree_global_at(s->k->map, &s->totals, r, 8 * (uint64_t)w->rank), sum, 8);
}

/* How many keys are below a value. */
static uint64_t rank_of(const scree__intsort_state *s, scree_worker *w, uint64_t value) {
  uint64_t below = 0;
  if (value == 0 || scree_get_poll(w, &below, scree__intsort_word(s, value - 1), 8)) return 0;
  for (uint64_t r = 0; r < (value - 1) / (s->histogram.block / 8); r++) below += scree__intsort_totals(s, w->rank)[r];
  return below;
}

static void test_ranks(scree__intsort_state *s, scree_worker *w, uint64_t iteration) {
  for (uint32_t t = 0; t < SCREE__KEYS_TESTS && s->k->options->class != SCREE__KEYS_TINY; t++) {
    const uint64_t i = s->class->index[t] - s->first;
    if (i < s->locals) s->wrong += rank_of(s, w, s->keys[i]) != scree__keys_rank(s->class, t, iteration);
  }
}

static void work(scree_worker *w, void *arg) {
  scree__intsort_state *s = arg;
  const uint64_t begin = scree__keys_share(s->locals, w->threads, w->index),
                 end = scree__keys_share(s->locals, w->threads, w->index + 1);
  uint64_t first, n, *words = scree__intsort_part(s, w->rank, &first, &n);
  for (uint32_t i = 1; i <= SCREE__KEYS_ITERATIONS; i++) {
    if (w->index == 0 && n) memset(words, 0, 8 * n);
    if (w->index == 0) scree__intsort_totals(s, w->rank)[w->ranks] = 0;
    if (w->index == 0 && w->rank == 0) scree__keys_change(s->keys, i, s->class->values);
    for (int step = 0; step < 4; step++) { /* each rank has cleared its part; has counted; has all totals; has tested */
      if (scree_begin(w)) return;
      if (step == 1) forms[s->k->form]->count(s, w, begin, end - begin);
      if (step == 2 && w->index == 0) sum_up(s, w);
      if (step == 3 && w->index == 0) test_ranks(s, w, i);
      if (scree_end(w, NULL)) return;
    }
  }
}

static scree_status run(scree__irregular *k) {
  const scree__keys_class *c = ((scree__intsort_state *)k->state)->class;
  k->items = (uint64_t)SCREE__KEYS_ITERATIONS << c->keys;
  k->figure[0] = (double)(UINT64_C(1) << c->keys);
  return scree_run_workers(k->world, scree_worker_of(k->world, 0)->threads, work, k->state);
}

const scree__irregular_methods scree__intsort = {
    .state = sizeof(scree__intsort_state),
    .plan = plan,
    .open = open,
    .prepare = prepare,
    .run = run,
    .check = scree__intsort_check,
    .close = close_it,
    .wrong = "ranks of keys differ from those of the benchmark, or of a serial count",
};
