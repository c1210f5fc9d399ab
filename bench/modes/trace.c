/* trace.c - the cost of tracing a world.
 *
 * Two worlds of each transport do the same, interleaved: one is traced, one is not. Items go to random ranks, whose
 * handler adds them to a table that fits the cache; epochs are empty. What the lines of this benchmark cannot tell, the
 * cost of the library's being able to trace, is the difference of message_rate between two versions of it. */
#include "epoch_jobs.h"
#include "modes.h"

enum { ITEMS = 1 << 18, WORDS = 1 << 12 }; /* of a job */

SCREE_MESSAGE(update, uint64_t);

typedef struct {
  epoch_context epochs; /* must be first */
  update_type t;
  uint64_t seen; /* since the last check */
  uint64_t table[WORDS];
} context;

static void on_update(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  context *s = arg;
  for (uint32_t i = 0; i < batch->count; i++) s->table[items[i]]++;
  s->seen += batch->count;
  (void)w;
}
SCREE_HANDLER(update, uint64_t, on_update);

static bool open_context(context *s, uint64_t transport, FILE *trace) {
  *s = (context){.epochs.world = bench_world(transport)};
  return s->epochs.world && epoch_open(&s->epochs) && update_register(s->epochs.world, s, &s->t) == SCREE_OK &&
         scree_trace(s->epochs.world, trace) == SCREE_OK;
}

static void run_items(void *arg, uint64_t n) {
  const context *s = arg;
  scree_worker *w = s->epochs.w;
  uint64_t x = 88172645463325252u + w->rank;
  for (uint64_t i = 0; i < n; i++) {
    scree_begin(w);
    for (int k = 0; k < ITEMS; k++) {
      const uint64_t draw = bench_draw(&x);
      update_send(w, s->t, bench_below(draw, w->ranks), (draw >> 20) % WORDS);
    }
    scree_end(w, NULL);
  }
}

static bool check_items(void *arg, uint64_t n) {
  context *s = arg;
  scree_worker *w = s->epochs.w;
  scree_reduce all = {.sum = {s->seen}, .min = UINT64_MAX};
  bool good = epoch_check_empty(&s->epochs, n);
  s->seen = 0;
  scree_begin(w);
  scree_end(w, &all);
  s->epochs.epochs++;
  return good && all.sum[0] == n * ITEMS * w->ranks;
}

static void report(bench *b, const bench_variant *off, const bench_variant *on, const char *transport, double jobs) {
  bench_row(b, BENCH_TEXT("operation", "%-10s", off->name), BENCH_TEXT("transport", " %-4s", transport),
            BENCH_CELL("ranks", NULL, b->ranks, 1), BENCH_CELL("seconds_off", " %12.3f", off->seconds / jobs, 1e9),
            BENCH_CELL("seconds_on", " %12.3f", on->seconds / jobs, 1e9),
            BENCH_CELL("ratio", " %8.3f", on->seconds / off->seconds, 1),
            BENCH_CELL(NULL, " %6.0f%%", off->spread, 100), BENCH_CELL(NULL, " %6.0f%%", on->spread, 100));
}

static bool measure(bench *b, uint64_t transport, FILE *file) {
  static context off, on;
  if (!open_context(&off, transport, NULL) || !open_context(&on, transport, file)) return false;
  bench_variant variants[] = {
      {.name = "an item", .run = run_items, .check = check_items, .arg = &off},
      {.name = "an item", .run = run_items, .check = check_items, .arg = &on},
      {.name = "an epoch", .run = epoch_empty, .check = epoch_check_empty, .arg = &off},
      {.name = "an epoch", .run = epoch_empty, .check = epoch_check_empty, .arg = &on},
  };
  bool good = bench_rounds(b, variants, 4);
  if (good) report(b, &variants[0], &variants[1], bench_transport(transport), ITEMS);
  if (good) report(b, &variants[2], &variants[3], bench_transport(transport), 1);
  return bench_close(off.epochs.world, on.epochs.world) && good;
}

bool bench_trace(bench *b) {
  FILE *nowhere = fopen("/dev/null", "w");
  if (b->rank == 0)
    printf("%-10s %-4s %12s %12s %8s %7s %7s\n", "", "", "off ns", "on ns", "on/off", "spread", "spread");
  bool good = bench_all(nowhere != NULL) && measure(b, SCREE_TRANSPORT_SHM, nowhere) &&
              measure(b, SCREE_TRANSPORT_MPI, nowhere);
  if (nowhere) fclose(nowhere);
  return good;
}
