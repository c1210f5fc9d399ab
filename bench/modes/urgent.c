/* urgent.c - how long a message takes after plain ones that wait at its receiver, urgent and plain.
 *
 * Two ranks. Rank 0 sends 64 full blocks of items, whose handler works a little, and then one question; rank 1 answers
 * it. Measured is the time from the question to the answer, median of the rounds, in which urgent and plain take
 * turns. */
#include "modes.h"

enum { ITEM = 64, LOADS = 64 * 4096 / ITEM, WORK = 100, KINDS = 2, ROUNDS = 51 };

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

static bool open_context(context *c, const char *transport) {
  c->world = bench_open(transport, "urgent-types=on in-flight=64 coalesce-bytes=4096 memory=16M");
  if (!bench_all(c->world)) return false;
  c->w = scree_worker_of(c->world, 0);
  return open_types(c);
}

typedef struct {
  context *in;
  int kind;
} question;

/* One epoch; seconds from the question to the answer, of rank 0. */
static double ask(void *arg) {
  const question *q = arg;
  context *c = q->in;
  const uint64_t answers = c->answers;
  double seconds = 0;
  scree_begin(c->w);
  if (c->w->rank == 0) {
    for (uint64_t i = 0; i < LOADS; i++) loads_send(c->w, c->load, 1, (load){.number = i});
    scree_flush_lane(c->w, c->load.id, 1);
    seconds = -bench_now();
    asks_send(c->w, c->ask[q->kind], 1, (uint64_t)q->kind);
    scree_flush_lane(c->w, c->ask[q->kind].id, 1);
    while (c->answers == answers && !scree_error(c->world)) scree_progress(c->w);
    seconds += bench_now();
  }
  scree_end(c->w, NULL);
  return seconds;
}

static bool check(void *arg, uint64_t n) {
  context *c = ((const question *)arg)->in;
  const bool good = (c->w->rank == 0 ? c->answers == n : c->loads == n * LOADS) && scree_error(c->world) == SCREE_OK;
  c->answers = c->loads = 0;
  return good;
}

static bool run_transport(bench *b, const char *transport) {
  context c = {0};
  question kinds[KINDS] = {{&c, 0}, {&c, 1}};
  bench_variant v[KINDS] = {{.name = "urgent", .timed = ask, .check = check, .arg = &kinds[0], .n = 1},
                            {.name = "plain", .timed = ask, .check = check, .arg = &kinds[1], .n = 1}};
  const bool good = open_context(&c, transport) && bench_rounds(b, v, KINDS);
  if (good)
    bench_row(b, BENCH_TEXT("transport", "%-4s", transport), BENCH_CELL("urgent_seconds", " %10.1f", v[0].seconds, 1e6),
              BENCH_CELL("plain_seconds", " %10.1f", v[1].seconds, 1e6),
              BENCH_CELL("ratio", " %8.3f", v[0].seconds / v[1].seconds, 1));
  return c.world && scree_close(c.world) == SCREE_OK && good;
}

bool bench_urgent(bench *b) {
  if (b->rounds < ROUNDS) b->rounds = ROUNDS;
  if (b->rank == 0) printf("%-4s %10s %10s %8s\n", "", "urgent us", "plain us", "ratio");
  return run_transport(b, "shm") && run_transport(b, "mpi");
}
