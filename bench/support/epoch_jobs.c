/* epoch_jobs.c - the epochs of epoch_jobs.h. */
#include "epoch_jobs.h"

static void on_tick(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  epoch_context *s = arg;
  for (uint32_t i = 0; i < batch->count; i++) s->sum += items[i];
  s->seen += batch->count;
  (void)w;
}
SCREE_HANDLER(ticks, uint64_t, on_tick);

bool epoch_open(epoch_context *s) {
  s->w = scree_worker_of(s->world, 0);
  return ticks_register(s->world, s, &s->t) == SCREE_OK;
}

void epoch_empty(void *arg, uint64_t n) {
  const epoch_context *s = arg;
  for (uint64_t i = 0; i < n; i++) {
    scree_begin(s->w);
    scree_end(s->w, NULL);
  }
}

void epoch_message(void *arg, uint64_t n) {
  const epoch_context *s = arg;
  const uint32_t next = (s->w->rank + 1) % s->w->ranks;
  for (uint64_t i = 0; i < n; i++) {
    scree_begin(s->w);
    ticks_send(s->w, s->t, next, i + 1);
    scree_end(s->w, NULL);
  }
}

static bool check(epoch_context *s, uint64_t n, uint64_t expected) {
  scree_stats stats;
  scree_stats_read(s->world, &stats);
  const bool good = stats.epochs - s->epochs == n && s->seen == expected && s->sum == expected * (expected + 1) / 2 &&
                    !s->wrong_sum && scree_error(s->world) == SCREE_OK;
  s->per_epoch = n ? (double)(stats.detection_messages - s->messages) / (double)n : 0;
  s->epochs = stats.epochs;
  s->messages = stats.detection_messages;
  s->seen = s->sum = 0;
  return good;
}

bool epoch_check_empty(void *arg, uint64_t n) {
  return check(arg, n, 0);
}

bool epoch_check_message(void *arg, uint64_t n) {
  return check(arg, n, n);
}

bool epoch_on_ranks(bench *b, bool (*run)(bench *b, void *unused)) {
  bool good = true;
  for (int n = 2; good && n < b->ranks; n *= 2) good = bench_on_ranks(b, n, run, NULL);
  return good && bench_on_ranks(b, b->ranks, run, NULL);
}
