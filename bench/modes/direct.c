/* direct.c - operations on random words and pieces of the next rank's part: by messages, by this rank itself, and as
 * global_direct=auto chooses, beside plain loads and stores of the same words; and large transfers beside records of
 * the same bytes, a get's latency beside a message there and back. */
#include <math.h>
#include <scree/global.h>
#include <stdlib.h>
#include <string.h>

#include "modes.h"

enum { WORDS = 1 << 20, PIECE_MAX = 1 << 20, LIST = 4096, WORLDS = 3 };
typedef enum { LOAD, STORE, GET, PUT, ADD, GATHER, SCATTER, RECORD, COPIED, PING, CHAIN } what;
typedef struct {
  const char *name;
  what what;
  uint64_t bytes, tasks; /* tasks: that wait; 0: implicit */
  int over;              /* the row that it is compared with; -1: none */
} op;

typedef struct {
  const op *op;
  uint64_t random, count;
} worker_args;
SCREE_TASK(doer, worker_args);
SCREE_VARIABLE(records);
typedef struct {
  uint64_t number;
} ball;
SCREE_MESSAGE(balls, ball);

typedef struct {
  scree_world *world;
  scree_worker *w;
  const scree_global_map *map;
  scree_global words; /* of each rank: their own index, and so are those after WORDS of them */
  uint64_t *others;   /* of the next rank, or of this one where that is not mapped */
  doer_type doer;
  records_type records;
  balls_type balls;
  uint64_t random, wrong, received, left; /* left: of a chain */
  char *buffer;
  uint32_t next; /* rank */
  scree_address list[LIST];
} context;
typedef struct {
  context *of;
  const op *op;
} job;

static uint64_t index_from(uint64_t *random) {
  return bench_draw(random) >> 32 & (WORDS - 1);
}
static scree_address word_at(const context *c, uint64_t index) {
  return scree_global_at(c->map, &c->words, c->next, 8 * index);
}

/* ---- one operation each ---- */

static void run_plain(context *c, const op *o, uint64_t n) {
  uint64_t sum = 0, index;
  for (uint64_t i = 0; i < n; i++) {
    index = index_from(&c->random);
    if (o->what == LOAD)
      sum += ((volatile uint64_t *)c->others)[index] - index;
    else
      ((volatile uint64_t *)c->others)[index] = index;
  }
  c->wrong += sum;
}

static void run_doer(scree_task *self, const worker_args *args) {
  context *c = scree_task_arg(self);
  const op *o = args->op;
  uint64_t random = args->random, value = 0, wrong = 0;
  for (uint64_t i = 0; i < args->count; i++) {
    const uint64_t index = index_from(&random);
    const scree_address a = word_at(c, index);
    scree_status status;
    if (o->what == GET)
      status = scree_get(self, &value, a, 8);
    else if (o->what == PUT)
      status = scree_put_value(self, a, value = index, 8);
    else
      status = scree_atomic_fetch_add(self, a, 0, 8, &value);
    if (status) return;
    wrong += value - index;
  }
  c->wrong += wrong;
}
SCREE_TASK_BODY(doer, worker_args, run_doer);

static void run_implicit(context *c, const op *o, uint64_t n) {
  const bool words = o->bytes == 8;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t index = index_from(&c->random) & ~(words ? UINT64_C(0) : UINT64_C(7));
    if (o->what == ADD)
      scree_atomic_fetch_add_nbi(c->w, word_at(c, index), 0, 8, NULL);
    else if (o->what == GET)
      scree_get_nbi(c->w, c->buffer, word_at(c, index), o->bytes);
    else if (words)
      scree_put_value_nbi(c->w, word_at(c, index), index, 8);
    else /* after the words */
      scree_put_nbi(c->w, word_at(c, WORDS + (o->bytes < LIST * 8 ? index : 0)), c->buffer, o->bytes);
  }
}

static void run_lists(context *c, const op *o, uint64_t n) {
  uint64_t *values = (void *)c->buffer, some;
  for (uint64_t i = 0; i < n; i += some) {
    some = n - i < LIST ? n - i : LIST;
    for (uint64_t k = 0; k < some; k++) {
      values[k] = index_from(&c->random);
      c->list[k] = word_at(c, values[k]);
    }
    if (o->what == SCATTER)
      scree_scatter_poll(c->w, c->list, values, some, 8);
    else
      scree_gather_poll(c->w, values, c->list, some, 8);
  }
}

/* ---- messages ---- */

static void on_records(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  context *c = arg;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) {
    size_t bytes;
    const void *record = scree_record_next(&items, &bytes);
    if (bytes % 2) memcpy(c->buffer, record, bytes); /* those of an odd size are copied to their destination */
    c->received++;
  }
}
SCREE_VARIABLE_HANDLER(records, on_records);
static void on_balls(scree_worker *w, const scree_batch *batch, const ball *items, void *arg) {
  context *c = arg;
  (void)batch;
  c->received = items->number;
  if (w->rank == 0 && !c->left) return;
  if (w->rank == 0) c->left--;
  balls_send(w, c->balls, 1 - w->rank, *items);
  scree_flush_lane(w, c->balls.id, 1 - w->rank);
}
SCREE_HANDLER(balls, ball, on_balls);

static void run_messages(context *c, const op *o, uint64_t n) {
  if (o->what == CHAIN) c->left = n - 1, n = 1;
  for (uint64_t i = 1; i <= n && !scree_error(c->world); i++) {
    if (o->what < PING) {
      records_send(c->w, c->records, 1, c->buffer, o->bytes - (o->what == COPIED));
      continue;
    }
    balls_send(c->w, c->balls, 1, (ball){i});
    scree_flush_lane(c->w, c->balls.id, 1);
    while (o->what == PING && c->received != i && !scree_error(c->world)) scree_progress(c->w);
  }
}

/* ---- rounds ---- */

/* Transfers and latencies are of rank 0 alone. */
static bool is_alone(const op *o) {
  return o->what >= RECORD || o->bytes > 4096 || (o->tasks == 1 && o->over >= 0 && o->bytes == 0);
}

static void run_job(void *arg, uint64_t n) {
  const job *j = arg;
  context *c = j->of;
  const op *o = j->op;
  scree_begin(c->w);
  c->received = 0;
  if (is_alone(o) && c->w->rank != 0) {
  } else if (o->what <= STORE)
    run_plain(c, o, n);
  else if (o->what >= RECORD)
    run_messages(c, o, n);
  else if (o->what >= GATHER)
    run_lists(c, o, n);
  else if (!o->tasks)
    run_implicit(c, o, n);
  for (uint64_t i = 0; i < o->tasks && !(is_alone(o) && c->w->rank != 0); i++)
    doer_spawn(c->w, c->doer, NULL, (worker_args){o, bench_draw(&c->random), n / o->tasks + (i < n % o->tasks)});
  scree_end(c->w, NULL);
}

static bool check(void *arg, uint64_t n) {
  const context *c = ((const job *)arg)->of;
  const uint64_t *words = scree_global_local(c->map, scree_global_at(c->map, &c->words, c->w->rank, 0));
  uint64_t wrong = c->wrong;
  (void)n;
  for (uint64_t i = 0; i < WORDS; i++) wrong += words[i] != i;
  return wrong == 0 && scree_error(c->world) == SCREE_OK;
}

static bool open_context(context *c, const char *transport, uint64_t direct) {
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  options.global_direct = direct;
  options.global_heap = 3 * WORDS * sizeof(uint64_t);
  *c = (context){.world = bench_open(transport, NULL), .buffer = calloc(1, PIECE_MAX)};
  if (!c->world || !c->buffer || scree_tasks_open(c->world, NULL) || scree_global_open(c->world, &options))
    return false;
  c->w = scree_worker_of(c->world, 0);
  c->map = scree_global_map_of(c->world);
  c->random = c->w->rank + 1;
  c->next = (c->w->rank + 1) % c->w->ranks;
  if (scree_symmetric_alloc(c->world, 2 * WORDS * sizeof(uint64_t) + PIECE_MAX, &c->words)) return false;
  uint64_t *words = scree_global_local(c->map, scree_global_at(c->map, &c->words, c->w->rank, 0));
  for (uint64_t i = 0; i < WORDS; i++) words[i] = i;
  c->others = direct == SCREE_GLOBAL_DIRECT_OFF ? words : scree_global_local(c->map, word_at(c, 0));
  return !doer_register(c->world, c, &c->doer) && !records_register(c->world, c, &c->records) &&
         !balls_register(c->world, c, &c->balls);
}
static bool close_context(context *c) {
  free(c->buffer);
  return !c->world || scree_close(c->world) == SCREE_OK;
}

/* ---- operations by three methods ---- */

static const op ops[] = {
    {"load", LOAD, 8, 0, -1},
    {"store", STORE, 8, 0, -1},
    {"get, 1 task", GET, 8, 1, 0},
    {"get, 1,024 tasks", GET, 8, 1024, 0},
    {"put, 1 task", PUT, 8, 1, 1},
    {"put, 1,024 tasks", PUT, 8, 1024, 1},
    {"fetch_add, 1,024 tasks", ADD, 8, 1024, -1},
    {"fetch_add, implicit", ADD, 8, 0, -1},
    {"put, implicit", PUT, 8, 0, 1},
    {"put, implicit", PUT, 32, 0, -1},
    {"put, implicit", PUT, 64, 0, -1},
    {"put, implicit", PUT, 256, 0, -1},
    {"put, implicit", PUT, 4096, 0, -1},
    {"get, implicit", GET, 8, 0, 0},
    {"get, implicit", GET, 64, 0, -1},
    {"get, implicit", GET, 256, 0, -1},
    {"get, implicit", GET, 4096, 0, -1},
    {"gather of 4,096", GATHER, 8, 0, 0},
    {"scatter of 4,096", SCATTER, 8, 0, 1},
};
enum { OPS = sizeof ops / sizeof *ops };

static void report(bench *b, const bench_variant *v, int i) {
  const bench_variant *of = &v[(size_t)WORLDS * (size_t)i];
  const double plain = ops[i].over < 0 ? (double)NAN : v[WORLDS * ops[i].over + 1].seconds;
  bench_row(b, BENCH_TEXT("operation", "%-22s", ops[i].name), BENCH_CELL("bytes", " %5.0f", (double)ops[i].bytes, 1),
            BENCH_CELL("off_seconds", " %8.1f", of[0].seconds, 1e9),
            BENCH_CELL("on_seconds", " %8.1f", of[1].seconds, 1e9),
            BENCH_CELL("auto_seconds", " %8.1f", of[2].seconds, 1e9),
            BENCH_CELL("gain", " %6.2f", of[0].seconds / of[1].seconds, 1),
            BENCH_CELL("plain_ratio", " %6.2f", plain / of[1].seconds, 1),
            BENCH_CELL("spread", " %6.0f%%", of[1].spread, 100));
}

bool bench_global_direct(bench *b) {
  static const uint64_t ways[WORLDS] = {SCREE_GLOBAL_DIRECT_OFF, SCREE_GLOBAL_DIRECT_ON, SCREE_GLOBAL_DIRECT_AUTO};
  context *c = calloc(WORLDS, sizeof *c);
  bench_variant v[OPS * WORLDS];
  job jobs[OPS * WORLDS];
  bool good = bench_all(c != NULL);
  for (int i = 0; good && i < WORLDS; i++) good = open_context(&c[i], "shm", ways[i]);
  for (int i = 0; i < OPS * WORLDS; i++) {
    jobs[i] = (job){&c[i % WORLDS], &ops[i / WORLDS]};
    v[i] = (bench_variant){.name = ops[i / WORLDS].name, .run = run_job, .check = check, .arg = &jobs[i]};
  }
  good = good && bench_rounds(b, v, OPS * WORLDS);
  if (b->rank == 0)
    printf("%-22s %5s %8s %8s %8s %6s %6s %7s\n", "", "bytes", "off", "on", "auto", "gain", "plain", "spread");
  for (int i = 0; i < OPS && good; i++) report(b, v, i);
  for (int i = 0; c && i < WORLDS; i++) good = close_context(&c[i]) && good;
  free(c);
  return good;
}

/* ---- transfers, and latency ---- */

#define SIZE(bytes, over)                                                                                              \
  {"record", RECORD, bytes, 0, over}, {"record, copied", COPIED, bytes, 0, over}, {"put", PUT, bytes, 0, over}, {      \
    "get", GET, bytes, 0, over                                                                                         \
  }
static const op transfers[] = {{"message there and back", PING, 0, 0, 0},
                               {"in scree_end", CHAIN, 0, 0, 0},
                               {"get, 1 task", GET, 0, 1, 0},
                               SIZE(65536, 3),
                               SIZE(262144, 7),
                               SIZE(PIECE_MAX, 11)};
enum { TRANSFERS = sizeof transfers / sizeof *transfers };

static bool transfer(bench *b, const char *transport, uint64_t direct) {
  static context c;
  bench_variant v[TRANSFERS];
  job jobs[TRANSFERS];
  bool good = open_context(&c, transport, direct);
  for (int i = 0; i < TRANSFERS; i++) {
    jobs[i] = (job){&c, &transfers[i]};
    v[i] = (bench_variant){.name = transfers[i].name, .run = run_job, .check = check, .arg = &jobs[i]};
  }
  good = good && bench_rounds(b, v, TRANSFERS);
  for (int i = 0; i < TRANSFERS && good; i++)
    bench_row(b, BENCH_TEXT("transport", "%-4s", transport),
              BENCH_TEXT("direct", " %-4s", direct == SCREE_GLOBAL_DIRECT_OFF ? "off" : "auto"),
              BENCH_TEXT("operation", " %-22s", transfers[i].name),
              BENCH_CELL("bytes", " %7.0f", (double)transfers[i].bytes, 1),
              BENCH_CELL("seconds", " %9.2f", v[i].seconds, 1e6),
              BENCH_CELL("rate", " %8.2f", (double)transfers[i].bytes / v[i].seconds, 1e-9),
              BENCH_CELL("ratio", " %6.2f", v[transfers[i].over].seconds / v[i].seconds, 1),
              BENCH_CELL("spread", " %6.0f%%", v[i].spread, 100));
  return close_context(&c) && good;
}

bool bench_global_transfers(bench *b) {
  bool good = true;
  if (b->rank == 0)
    printf("%-4s %-4s %-22s %7s %9s %8s %6s %7s\n", "", "", "", "bytes", "us", "GB/s", "speed", "spread");
  for (int i = 0; bench_transports[i] && good; i++) good = transfer(b, bench_transports[i], SCREE_GLOBAL_DIRECT_OFF);
  return good && transfer(b, "shm", SCREE_GLOBAL_DIRECT_AUTO);
}
