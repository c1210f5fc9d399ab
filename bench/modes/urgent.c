/* urgent.c - how long a message takes behind plain ones that wait at its receiver, urgent and plain.
 *
 * Two ranks. Rank 0 sends 64 full blocks of items, whose handler works a little, and then one question; rank 1 answers it.
 * Measured is the time from the question to the answer, median of the rounds, in which urgent and plain take turns. */
#include <stdlib.h>

#include "modes.h"

enum { BLOCKS = 64, BLOCK = 4096, ITEM = 64, WORK = 100, KINDS = 2, ROUNDS = 51 };

typedef struct {
  uint64_t number, pad[ITEM / 8 - 1];
} load;
SCREE_MESSAGE(loads, load);
SCREE_MESSAGE(asks, uint64_t);

typedef struct {
  scree_world *world;
  scree_worker *w;
  loads_type load;
  asks_type ask[KINDS], answer[KINDS]; /* urgent, and plain */
  uint64_t loads, answers, sum;
} context;

static void on_load(scree_worker *w, const scree_batch *batch, const load *items, void *arg) {
  context *c = arg;
  uint64_t x = c->sum;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++)
    for (int k = 0; k < WORK; k++) x = x * UINT64_C(6364136223846793005) + items[i].number;
  c->sum = x;
  c->loads += batch->count;
}
SCREE_HANDLER(loads, load, on_load);

/* Of a question the item is its kind; of an answer, KINDS more. */
static void on_ask(scree_worker *w, const scree_batch *batch, const void *given, void *arg) {
  const uint64_t *items = given;
  context *c = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    if (items[i] >= KINDS) {
      c->answers++;
      continue;
    }
    const asks_type type = c->answer[items[i]];
    asks_send(w, type, batch->source, items[i] + KINDS);
    scree_flush_lane(w, type.id, batch->source);
  }
}

static bool open_types(context *c) {
  static const char *const names[2][KINDS] = {{"ask_urgent", "ask"}, {"answer_urgent", "answer"}};
  bool good = loads_register(c->world, c, &c->load) == SCREE_OK;
  for (int i = 0; i < 2 * KINDS && good; i++) {
    const scree_type_desc desc = {.size = sizeof desc,
                                  .name = names[i / KINDS][i % KINDS],
                                  .item = sizeof(uint64_t),
                                  .flags = i % KINDS == 0 ? SCREE_URGENT : 0,
                                  .fn = on_ask,
                                  .arg = c};
    good = scree_register(c->world, &desc, i < KINDS ? &c->ask[i].id : &c->answer[i - KINDS].id) == SCREE_OK;
  }
  return good;
}

static bool open_context(context *c, uint64_t transport) {
  scree_options o = SCREE_OPTIONS_INIT;
  o.transport = transport;
  o.urgent = SCREE_URGENT_TYPES_ON;
  o.in_flight = BLOCKS;
  o.coalesce_bytes = BLOCK;
  o.memory = UINT64_C(16) << 20;
  if (!bench_all(scree_open(&o, &c->world) == SCREE_OK)) return false;
  c->w = scree_worker_of(c->world, 0);
  return open_types(c);
}

/* One epoch; seconds from the question to the answer, of rank 0. */
static double ask(context *c, int kind) {
  const uint64_t answers = c->answers;
  double seconds = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  scree_begin(c->w);
  if (c->w->rank == 0) {
    for (uint64_t i = 0; i < BLOCKS * (BLOCK / ITEM); i++) loads_send(c->w, c->load, 1, (load){.number = i});
    scree_flush_lane(c->w, c->load.id, 1);
    seconds = -bench_now();
    asks_send(c->w, c->ask[kind], 1, (uint64_t)kind);
    scree_flush_lane(c->w, c->ask[kind].id, 1);
    while (c->answers == answers && !scree_error(c->world)) scree_progress(c->w);
    seconds += bench_now();
  }
  scree_end(c->w, NULL);
  return seconds;
}

static bool report(bench *b, const context *c, const char *transport, double (*seconds)[KINDS], int rounds) {
  double *one = malloc((size_t)rounds * sizeof *one), median[KINDS];
  if (!one) return false;
  for (int k = 0; k < KINDS; k++) {
    for (int i = 0; i < rounds; i++) one[i] = seconds[i][k];
    median[k] = bench_median(one, rounds);
  }
  free(one);
  const uint64_t loads = (uint64_t)(rounds + 1) * KINDS * BLOCKS * (BLOCK / ITEM);
  const bool good = c->w->rank == 0 ? c->answers == (uint64_t)(rounds + 1) * KINDS : c->loads == loads;
  if (b->rank > 0) return good;
  printf("%-4s %10.1f %10.1f %8.3f\n", transport, 1e6 * median[0], 1e6 * median[1], median[0] / median[1]);
  cJSON *record = bench_record(b);
  cJSON_AddStringToObject(record, "transport", transport);
  cJSON_AddNumberToObject(record, "urgent_seconds", median[0]);
  cJSON_AddNumberToObject(record, "plain_seconds", median[1]);
  cJSON_AddNumberToObject(record, "ratio", median[0] / median[1]);
  return good;
}

static bool run_transport(bench *b, uint64_t transport) {
  context c = {0};
  const int rounds = b->rounds > ROUNDS ? b->rounds : ROUNDS;
  double(*seconds)[KINDS] = calloc((size_t)rounds, sizeof *seconds);
  bool good = bench_all(seconds && open_context(&c, transport));
  for (int i = -1; i < rounds && good; i++) /* the first round warms up */
    for (int k = 0; k < KINDS; k++) {
      const double one = ask(&c, k);
      if (i >= 0) seconds[i][k] = one;
    }
  good = good && scree_error(c.world) == SCREE_OK && report(b, &c, bench_transport(transport), seconds, rounds);
  free(seconds);
  if (c.world && scree_close(c.world) != SCREE_OK) good = false;
  return bench_all(good);
}

bool bench_urgent(bench *b) {
  if (b->rank == 0) printf("%-4s %10s %10s %8s\n", "", "urgent us", "plain us", "ratio");
  return run_transport(b, SCREE_TRANSPORT_SHM) && run_transport(b, SCREE_TRANSPORT_MPI);
}
