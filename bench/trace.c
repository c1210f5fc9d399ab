/* trace.c - the cost of tracing a world.
 *
 * Two worlds of each transport do the same, interleaved: one is traced, one is not. Items go to random ranks, whose
 * handler adds them to a table that fits the cache; epochs are empty. What the lines of this benchmark cannot tell, the
 * cost of the library's being able to trace, is the difference of message_rate between two versions of it. */
#include "common.h"

enum { ITEMS = 1 << 18, WORDS = 1 << 12 }; /* of a job */

SCREE_MESSAGE(update, uint64_t);

typedef struct {
  scree_world *world;
  scree_worker *w;
  update_type t;
  uint64_t seen, epochs; /* since the last check; at the last check */
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
  *s = (context){.world = bench_world(transport)};
  if (!s->world) return false;
  s->w = scree_worker_of(s->world, 0);
  if (update_register(s->world, s, &s->t) != SCREE_OK) return false;
  return scree_trace(s->world, trace) == SCREE_OK;
}

static void run_items(void *arg, uint64_t n) {
  const context *s = arg;
  uint64_t x = 88172645463325252u + s->w->rank;
  for (uint64_t i = 0; i < n; i++) {
    scree_begin(s->w);
    for (int k = 0; k < ITEMS; k++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      update_send(s->w, s->t, (uint32_t)(x >> 32) % s->w->ranks, x % WORDS);
    }
    scree_end(s->w, NULL);
  }
}

static void run_epochs(void *arg, uint64_t n) {
  const context *s = arg;
  for (uint64_t i = 0; i < n; i++) {
    scree_begin(s->w);
    scree_end(s->w, NULL);
  }
}

static bool ended(context *s, uint64_t n) {
  scree_stats stats;
  scree_stats_read(s->world, &stats);
  bool good = stats.epochs - s->epochs == n && scree_error(s->world) == SCREE_OK;
  s->epochs = stats.epochs;
  return good;
}

static bool check_epochs(void *arg, uint64_t n) {
  return ended(arg, n);
}

static bool check_items(void *arg, uint64_t n) {
  context *s = arg;
  scree_reduce all = {.sum = {s->seen}, .min = UINT64_MAX};
  bool good = ended(s, n);
  s->seen = 0;
  scree_begin(s->w);
  scree_end(s->w, &all);
  s->epochs++;
  return good && all.sum[0] == n * ITEMS * s->w->ranks;
}

static void report(bench *b, const bench_variant *off, const bench_variant *on, const char *transport, double jobs) {
  if (b->rank == 0)
    printf("%-10s %-4s %12.3f %12.3f %8.3f %6.0f%% %6.0f%%\n", off->name, transport, 1e9 * off->seconds / jobs,
           1e9 * on->seconds / jobs, on->seconds / off->seconds, 100 * off->spread, 100 * on->spread);
  cJSON *record = bench_record(b);
  cJSON_AddStringToObject(record, "operation", off->name);
  cJSON_AddStringToObject(record, "transport", transport);
  cJSON_AddNumberToObject(record, "ranks", b->ranks);
  cJSON_AddNumberToObject(record, "seconds_off", off->seconds / jobs);
  cJSON_AddNumberToObject(record, "seconds_on", on->seconds / jobs);
  cJSON_AddNumberToObject(record, "ratio", on->seconds / off->seconds);
}

static bool measure(bench *b, uint64_t transport, FILE *file) {
  static context off, on;
  if (!open_context(&off, transport, NULL) || !open_context(&on, transport, file)) return false;
  bench_variant variants[] = {
      {.name = "an item", .run = run_items, .check = check_items, .arg = &off},
      {.name = "an item", .run = run_items, .check = check_items, .arg = &on},
      {.name = "an epoch", .run = run_epochs, .check = check_epochs, .arg = &off},
      {.name = "an epoch", .run = run_epochs, .check = check_epochs, .arg = &on},
  };
  bool good = bench_rounds(b, variants, 4);
  if (good) report(b, &variants[0], &variants[1], bench_transport(transport), ITEMS);
  if (good) report(b, &variants[2], &variants[3], bench_transport(transport), 1);
  return bench_close(off.world, on.world) && good;
}

int main(int argc, char **argv) {
  bench b;
  if (!bench_start(&b, argc, argv, "trace",
                   "nanoseconds of an item sent to a random rank, and of an empty epoch, in a world that is not traced "
                   "(off) and in one that is (on)"))
    return bench_finish(&b, 2);
  FILE *nowhere = fopen("/dev/null", "w");
  if (b.rank == 0)
    printf("%-10s %-4s %12s %12s %8s %7s %7s\n", "", "", "off ns", "on ns", "on/off", "spread", "spread");
  bool good = bench_all(nowhere != NULL) && measure(&b, SCREE_TRANSPORT_SHM, nowhere) &&
              measure(&b, SCREE_TRANSPORT_MPI, nowhere);
  if (nowhere) fclose(nowhere);
  return bench_finish(&b, good ? 0 : 1);
}
