/* gups.c - random updates of a table of words in global memory, by the rules of HPCC RandomAccess (Luszczek et al.
 * 2006): 4 updates a word, each an xor by the number of the generator that also says which word. Each rank has tasks
 * that issue a share of the updates as implicit atomics. Form STORED: a rank stores no more than `lookahead` of them
 * before they are sent, which its lanes may see to; COMPLETE: it has no more outstanding: its tasks wait for them. */
#include <stdio.h>

#include "irregular/irregular.h"
#include "irregular/stream.h"

enum { STORED, COMPLETE }; /* forms */

typedef struct {
  uint64_t first, count, window; /* window: 0: none */
} updater_args;
SCREE_TASK(updater, updater_args);

typedef struct {
  scree__irregular *k;
  updater_type updater;
  scree_global table;
  scree_address base; /* of word 0: words are linear from there on */
} gups;

static void run_updater(scree_task *self, const updater_args *args) {
  const gups *g = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  const uint64_t mask = g->k->options->words - 1;
  uint64_t x = scree__stream_at(args->first);
  for (uint64_t i = 0; i < args->count; i++) {
    x = scree__stream_next(x);
    scree_atomic_xor_nbi(w, g->base + 8 * (x & mask), x, 8, NULL);
    if (!args->window || (i + 1) % args->window) continue;
    if (g->k->form == STORED)
      scree_flush(w, SCREE_ALL);
    else if (scree_quiet(self))
      return;
  }
}
SCREE_TASK_BODY(updater, updater_args, run_updater);

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  p->heap = 8 * o->words / p->ranks + (1 << 16);
  if ((o->words & (o->words - 1)) == 0) return true;
  snprintf(why, size, "a table of %llu words; their number is a power of two: use %llu", (unsigned long long)o->words,
           1ULL << (63 - __builtin_clzll(o->words)));
  return false;
}

static scree_status open(scree__irregular *k) {
  gups *g = k->state;
  g->k = k;
  scree_status status = updater_register(k->world, g, &g->updater);
  if (!status) status = scree__irregular_alloc(k, 8 * k->options->words, SCREE_GLOBAL_CYCLIC, &g->table);
  g->base = scree_global_at(k->map, &g->table, 0, 0);
  return status;
}

static uint64_t set(const void *state, uint64_t *word, uint64_t i) {
  (void)state;
  return *word = i, 0;
}
static uint64_t is_wrong(const void *state, uint64_t *word, uint64_t i) {
  (void)state;
  return *word != i;
}

static scree_status prepare(scree__irregular *k) {
  const gups *g = k->state;
  scree__irregular_words(k, &g->table, set);
  return scree_error(k->world);
}

/* Do the lanes of a rank hold no more updates than that, which are messages of 16 bytes? Then they are sent in time. */
static bool lanes_hold(const scree_worker *w, uint64_t bytes, uint64_t updates) {
  const uint64_t each = bytes / 16 ? bytes / 16 : 1, lanes = (uint64_t)w->threads * w->threads * w->ranks;
  return bytes && each * lanes <= updates; /* 0: the library chooses */
}

static void work(scree_worker *w, void *arg) {
  const gups *g = arg;
  const scree__irregular_options *o = g->k->options;
  const uint64_t workers = (uint64_t)w->ranks * w->threads, all = SCREE__STREAM_UPDATES * o->words,
                 tasks = workers * o->tasks;
  const bool fits = g->k->form == STORED && lanes_hold(w, scree_options_of(g->k->world)->coalesce_bytes, o->lookahead);
  const uint64_t window = o->lookahead / w->threads / o->tasks, me = w->rank * w->threads + w->index;
  if (scree_begin(w)) return;
  for (uint64_t t = me * o->tasks; t < (me + 1) * o->tasks; t++) {
    const uint64_t first = all / tasks * t + (t < all % tasks ? t : all % tasks),
                   count = all / tasks + (t < all % tasks);
    updater_spawn(w, g->updater, NULL, (updater_args){first, count, o->lookahead && !fits ? window ? window : 1 : 0});
  }
  scree_end(w, NULL);
}

static scree_status run(scree__irregular *k) {
  k->items = SCREE__STREAM_UPDATES * k->options->words;
  k->figure[0] = (double)k->options->words;
  return scree_run_workers(k->world, scree_worker_of(k->world, 0)->threads, work, k->state);
}

/* Each rank replays all updates, serially, on its own words: they are then as they were at first. */
static scree_status check(scree__irregular *k, uint64_t *wrong) {
  const gups *g = k->state;
  const uint32_t rank = scree_worker_of(k->world, 0)->rank;
  uint64_t x = 1;
  for (uint64_t i = 0; i < SCREE__STREAM_UPDATES * k->options->words; i++) {
    x = scree__stream_next(x);
    const scree_address a = g->base + 8 * (x & (k->options->words - 1));
    if (scree_global_owner(k->map, a) == rank) *(uint64_t *)scree_global_local(k->map, a) ^= x;
  }
  *wrong = scree__irregular_words(k, &g->table, is_wrong);
  return SCREE_OK;
}

const scree__irregular_methods scree__gups = {
    .state = sizeof(gups),
    .plan = plan,
    .open = open,
    .prepare = prepare,
    .run = run,
    .check = check,
    .wrong = "words of the table differ from those of a serial replay",
};
