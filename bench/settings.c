/* settings.c - the effect of a world's options on the rate of small messages.
 *
 * Runs the job of message_rate with 8-byte items and a table of 2^20 words under many settings, interleaved, against
 * hand-written MPI. A row differs from the default in one option, or in two that belong together. */
#include <scree/scree_mpi.h>
#include <stdlib.h>

#include "common.h"
#include "message_rate.h"

typedef struct {
  const char *option, *value; /* NULL: the default */
  const char *also, *also_value;
} setting;

static const setting settings[] = {
    {NULL, NULL, NULL, NULL},
    {"coalesce_bytes", "1K", NULL, NULL},
    {"coalesce_bytes", "4K", NULL, NULL},
    {"coalesce_bytes", "8K", NULL, NULL},
    {"coalesce_bytes", "16K", NULL, NULL},
    {"coalesce_bytes", "32K", NULL, NULL},
    {"coalesce_bytes", "64K", NULL, NULL},
    {"coalesce_bytes", "128K", NULL, NULL},
    {"coalesce_bytes", "256K", NULL, NULL},
    {"in_flight", "1", NULL, NULL},
    {"in_flight", "2", NULL, NULL},
    {"in_flight", "8", NULL, NULL},
    {"in_flight", "16", NULL, NULL},
    {NULL, NULL, NULL, NULL}, /* again: the difference from the first is noise */
    {"batch_max", "512", NULL, NULL},
    {"batch_max", "8192", NULL, NULL},
    {"batch_max", "16384", NULL, NULL},
    {"batch_max", "8192", "coalesce_bytes", "64K"},
    {"flush_age", "100us", NULL, NULL},
    {"flush_age", "10ms", NULL, NULL},
    {"spin", "0", NULL, NULL},
    {"spin", "4096", NULL, NULL},
    {"memory", "2M", NULL, NULL},
    {"memory", "64M", NULL, NULL},
    {"huge_pages", "off", NULL, NULL},
    {"checked", "on", NULL, NULL},
};
enum { SETTINGS = sizeof settings / sizeof *settings, VARIANTS = SETTINGS + 1, WORDS = 1 << 20, SCALE = 20 };

SCREE_MESSAGE(update, uint64_t);

typedef struct {
  const job *j;
  scree_world *world;
  scree_worker *w;
  update_type type;
  uint64_t handled, expected;
} context;

static void on_update(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  context *s = arg;
  uint64_t *table = s->j->table;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) table[items[i]]++;
  s->handled += batch->count;
}
SCREE_HANDLER(update, uint64_t, on_update);

static bool set(scree_options *options, const char *name, const char *value) {
  char why[200] = "";
  if (!name || scree_options_set(options, name, value, why, sizeof why) == 0) return true;
  fprintf(stderr, "settings: %s\n", why);
  return false;
}

static bool open_context(context *s, const job *j, const setting *with, uint64_t transport) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.transport = transport;
  *s = (context){.j = j};
  if (!set(&options, with->option, with->value) || !set(&options, with->also, with->also_value)) return false;
  if (scree_open_mpi(MPI_COMM_WORLD, &options, &s->world) != SCREE_OK) return false;
  s->w = scree_worker_of(s->world, 0);
  return update_register(s->world, s, &s->type) == SCREE_OK;
}

static void send_all(void *arg, uint64_t n) {
  context *s = arg;
  const job *j = s->j;
  for (uint64_t k = 0; k < n; k++) {
    uint64_t x = j->seed;
    scree_begin(s->w);
    for (uint64_t i = 0; i < j->items; i++) {
      uint64_t draw = bench_draw(&x);
      update_send(s->w, s->type, job_dest(j, draw), job_index(j, draw));
    }
    scree_end(s->w, NULL);
  }
}

static bool all_handled(void *arg, uint64_t n) {
  context *s = arg;
  uint64_t mine = s->handled, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  s->expected += n * s->j->items * s->j->ranks;
  return all == s->expected && scree_error(s->world) == SCREE_OK;
}

static void run_mpi(void *arg, uint64_t n) {
  for (uint64_t k = 0; k < n; k++) run_handwritten(arg, sizeof(uint64_t));
}

static void report(bench *b, const job *j, const char *transport, const bench_variant *variants) {
  if (b->rank != 0) return;
  for (int i = 0; i < VARIANTS; i++) {
    const setting *with = i < SETTINGS ? &settings[i] : NULL;
    char name[80];
    snprintf(name, sizeof name, "%s%s%s%s%s%s%s",
             !with          ? "mpi by hand"
             : with->option ? with->option
                            : "default",
             with && with->option ? " " : "", with && with->option ? with->value : "", with && with->also ? ", " : "",
             with && with->also ? with->also : "", with && with->also ? " " : "",
             with && with->also ? with->also_value : "");
    double rate = (double)j->items / variants[i].seconds;
    printf("%-4s %-40s %8.1f %9.2f %7.2f %6.0f%%\n", transport, name, rate / 1e6,
           variants[0].seconds / variants[i].seconds, variants[SETTINGS].seconds / variants[i].seconds,
           100 * variants[i].spread);
    cJSON *record = bench_record(b);
    cJSON_AddStringToObject(record, "transport", transport);
    cJSON_AddStringToObject(record, "setting", name);
    cJSON_AddNumberToObject(record, "rate", rate);
    cJSON_AddNumberToObject(record, "default_ratio", variants[0].seconds / variants[i].seconds);
    cJSON_AddNumberToObject(record, "mpi_ratio", variants[SETTINGS].seconds / variants[i].seconds);
    cJSON_AddNumberToObject(record, "spread", variants[i].spread);
  }
}

static bool run_transport(bench *b, job *j, uint64_t transport) {
  context contexts[SETTINGS] = {{.world = NULL}};
  bench_variant variants[VARIANTS] = {{.name = NULL}};
  bool good = true;
  for (int i = 0; good && i < SETTINGS; i++) {
    good = bench_all(open_context(&contexts[i], j, &settings[i], transport));
    variants[i] = (bench_variant){.name = settings[i].option ? settings[i].option : "default",
                                  .run = send_all,
                                  .check = all_handled,
                                  .arg = &contexts[i],
                                  .n = 1};
  }
  variants[SETTINGS] = (bench_variant){.name = "mpi by hand", .run = run_mpi, .arg = j, .n = 1};
  good = good && bench_rounds(b, variants, VARIANTS);
  if (good) report(b, j, bench_transport(transport), variants);
  for (int i = 0; i < SETTINGS; i++)
    if (contexts[i].world && scree_close(contexts[i].world) != SCREE_OK) good = false;
  return good;
}

int main(int argc, char **argv) {
  bench b;
  if (!bench_start(&b, argc, argv, "settings",
                   "updates of 8 bytes to random ranks under various options; "
                   "--scale: log2 of the items that a rank sends, default 20; --full: also on shared memory"))
    return bench_finish(&b, 2);
  job j = {.ranks = (uint32_t)b.ranks,
           .rank = (uint32_t)b.rank,
           .items = UINT64_C(1) << (b.scale ? b.scale : SCALE),
           .mask = WORDS - 1,
           .seed = 88172645463325252u + (uint64_t)b.rank,
           .table = bench_alloc(WORDS * sizeof(uint64_t), false)};
  bool good = bench_all(j.table != NULL);
  if (b.rank == 0)
    printf("%-4s %-40s %8s %9s %7s %7s   (million items per second per rank)\n", "", "setting", "scree", "/default",
           "/mpi", "spread");
  good = good && run_transport(&b, &j, SCREE_TRANSPORT_MPI);
  if (good && b.full) good = run_transport(&b, &j, SCREE_TRANSPORT_SHM);
  scree_huge_free(j.table);
  return bench_finish(&b, good ? 0 : 1);
}
