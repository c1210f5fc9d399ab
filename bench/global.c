/* global.c - one-sided operations on random words of global memory, in turns with messages of the program's own that do the same:
 * implicit adds and puts beside updates of 16 bytes, gets that tasks wait for beside requests and replies; and gets by how many
 * tasks wait at once, which is how the latency of a request is hidden (Nelson et al., Grappa). */
#include <scree/global.h>
#include <string.h>

#include "modes/modes.h"

enum { WORDS = 1 << 20, MOST_TASKS = 16384 };

/* An update of 16 bytes; a request, and its reply. */
typedef struct {
  uint64_t index, value;
} update;
SCREE_MESSAGE(updates, update);
typedef struct {
  uint32_t index, slot;
} request;
SCREE_MESSAGE(requests, request);
typedef struct {
  uint64_t value;
} reply;
SCREE_MESSAGE(replies, reply);

typedef struct {
  uint64_t random, gets;
} get_args;
SCREE_TASK(getter, get_args);

typedef struct {
  scree_world *world;
  scree_worker *w;
  const scree_global_map *map;
  scree_global sums, words; /* of each rank: what is added to; words that are their own index */
  uint64_t *mine;           /* of sums */
  updates_type updates;
  requests_type requests;
  replies_type replies;
  getter_type getter;
  uint64_t random, added, received, wrong;
} context;

static scree_address at(const context *c, const scree_global *a, uint64_t draw, uint64_t *index) {
  *index = draw >> 32 & (WORDS - 1);
  return scree_global_at(c->map, a, bench_below(draw << 32, c->w->ranks), 8 * *index);
}

/* ---- the program's own messages ---- */

static void on_updates(scree_worker *w, const scree_batch *batch, const update *items, void *arg) {
  const context *c = arg;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) c->mine[items[i].index] += items[i].value;
}
static void on_requests(scree_worker *w, const scree_batch *batch, const request *items, void *arg) {
  const context *c = arg;
  const uint64_t *words = scree_global_local(c->map, scree_global_at(c->map, &c->words, w->rank, 0));
  for (uint32_t i = 0; i < batch->count; i++)
    replies_send(w, c->replies, batch->source, (reply){words[items[i].index]});
}
static void on_replies(scree_worker *w, const scree_batch *batch, const reply *items, void *arg) {
  context *c = arg;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) c->received += items[i].value < WORDS;
}
SCREE_HANDLER(updates, update, on_updates);
SCREE_HANDLER(requests, request, on_requests);
SCREE_HANDLER(replies, reply, on_replies);

static void run_updates(void *arg, uint64_t n) {
  context *c = arg;
  scree_begin(c->w);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t draw = bench_draw(&c->random);
    updates_send(c->w, c->updates, bench_below(draw << 32, c->w->ranks), (update){draw >> 32 & (WORDS - 1), 1});
  }
  scree_end(c->w, NULL);
  c->added += n;
}
static void run_requests(void *arg, uint64_t n) {
  context *c = arg;
  scree_begin(c->w);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t draw = bench_draw(&c->random);
    requests_send(c->w, c->requests, bench_below(draw << 32, c->w->ranks),
                  (request){(uint32_t)(draw >> 32 & (WORDS - 1)), (uint32_t)i});
  }
  scree_end(c->w, NULL);
}

/* ---- global memory ---- */

static void run_adds(void *arg, uint64_t n) {
  context *c = arg;
  scree_begin(c->w);
  for (uint64_t i = 0, index; i < n; i++)
    scree_atomic_fetch_add_nbi(c->w, at(c, &c->sums, bench_draw(&c->random), &index), 1, 8, NULL);
  scree_end(c->w, NULL);
  c->added += n;
}
static void run_puts(void *arg, uint64_t n) {
  context *c = arg;
  scree_begin(c->w);
  for (uint64_t i = 0, index; i < n; i++) {
    const scree_address to = at(c, &c->words, bench_draw(&c->random), &index);
    scree_put_value_nbi(c->w, to, index, 8);
  }
  scree_end(c->w, NULL);
}

static void run_getter(scree_task *self, const get_args *args) {
  context *c = scree_task_arg(self);
  uint64_t random = args->random;
  for (uint64_t i = 0, index, value = 0; i < args->gets; i++) {
    const scree_address from = at(c, &c->words, bench_draw(&random), &index);
    if (scree_get(self, &value, from, 8)) return;
    c->wrong += value != index;
  }
}
SCREE_TASK_BODY(getter, get_args, run_getter);

static void run_gets(context *c, uint64_t n, uint64_t tasks) {
  scree_begin(c->w);
  for (uint64_t i = 0; i < tasks; i++)
    getter_spawn(c->w, c->getter, NULL, (get_args){bench_draw(&c->random), n / tasks + (i < n % tasks)});
  scree_end(c->w, NULL);
}
static void run_gets_1(void *arg, uint64_t n) {
  run_gets(arg, n, 1);
}
static void run_gets_64(void *arg, uint64_t n) {
  run_gets(arg, n, 64);
}
static void run_gets_1024(void *arg, uint64_t n) {
  run_gets(arg, n, 1024);
}

/* Gets of so many tasks at once. */
typedef struct {
  context *of;
  uint64_t tasks;
} crowd;
static void run_crowd(void *arg, uint64_t n) {
  const crowd *c = arg;
  run_gets(c->of, n, c->tasks);
}

/* ---- rows ---- */

typedef struct {
  const char *name;
  void (*run)(void *arg, uint64_t n);
  int over; /* the row that it is compared with */
} row;
static const row rows[] = {
    {"update of 16 B", run_updates, 0},     {"add, implicit", run_adds, 0},         {"put, implicit", run_puts, 0},
    {"request and reply", run_requests, 3}, {"get, 1,024 tasks", run_gets_1024, 3}, {"get, 64 tasks", run_gets_64, 3},
    {"get, 1 task", run_gets_1, 3},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* All adds so far are in the sums, and all words are as they were. */
static bool check(void *arg, uint64_t n) {
  context *c = arg;
  uint64_t mine[3] = {c->added, 0, c->wrong}, all[3];
  (void)n;
  for (uint64_t i = 0; i < WORDS; i++) mine[1] += c->mine[i];
  bench_sum(mine, all, 3);
  return all[0] == all[1] && all[2] == 0 && scree_error(c->world) == SCREE_OK;
}

static bool open_context(context *c, const char *transport, uint64_t direct) {
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  options.global_direct = direct;
  options.global_heap = 4 * WORDS * sizeof(uint64_t);
  *c = (context){.world = bench_open(transport, NULL), .random = 1};
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  tasks.task_live = MOST_TASKS;
  if (!c->world || scree_tasks_open(c->world, &tasks) || scree_global_open(c->world, &options)) return false;
  c->w = scree_worker_of(c->world, 0);
  c->map = scree_global_map_of(c->world);
  c->random += c->w->rank;
  if (scree_symmetric_alloc(c->world, WORDS * sizeof(uint64_t), &c->sums) ||
      scree_symmetric_alloc(c->world, WORDS * sizeof(uint64_t), &c->words))
    return false;
  uint64_t *words = scree_global_local(c->map, scree_global_at(c->map, &c->words, c->w->rank, 0));
  c->mine = scree_global_local(c->map, scree_global_at(c->map, &c->sums, c->w->rank, 0));
  memset(c->mine, 0, WORDS * sizeof *c->mine);
  for (uint64_t i = 0; i < WORDS; i++) words[i] = i;
  return !updates_register(c->world, c, &c->updates) && !requests_register(c->world, c, &c->requests) &&
         !replies_register(c->world, c, &c->replies) && !getter_register(c->world, c, &c->getter);
}

static bool measure(bench *b, const char *transport, uint64_t direct) {
  context c;
  bench_variant v[ROWS];
  if (!open_context(&c, transport, direct)) return false;
  for (int i = 0; i < ROWS; i++)
    v[i] = (bench_variant){.name = rows[i].name, .run = rows[i].run, .check = check, .arg = &c};
  const bool good = bench_rounds(b, v, ROWS);
  for (int i = 0; i < ROWS && good; i++)
    bench_row(b, BENCH_TEXT("transport", "%-4s", transport), BENCH_TEXT("direct", " %-6s", direct ? "off" : "auto"),
              BENCH_TEXT("operation", " %-18s", rows[i].name), BENCH_CELL("seconds", " %8.1f", v[i].seconds, 1e9),
              BENCH_CELL("ratio", " %6.2f", v[rows[i].over].seconds / v[i].seconds, 1),
              BENCH_CELL("spread", " %6.0f%%", v[i].spread, 100));
  return scree_close(c.world) == SCREE_OK && good;
}

static bool check_crowd(void *arg, uint64_t n) {
  const crowd *c = arg;
  return check(c->of, n);
}

static bool sweep(bench *b, const char *transport) {
  enum { CROWDS = 8 };
  context c;
  crowd crowds[CROWDS];
  bench_variant v[CROWDS];
  if (!open_context(&c, transport, SCREE_GLOBAL_DIRECT_OFF)) return false;
  for (int i = 0; i < CROWDS; i++) {
    crowds[i] = (crowd){&c, i ? UINT64_C(1) << 2 * i : 1};
    v[i] = (bench_variant){.name = "get", .run = run_crowd, .check = check_crowd, .arg = &crowds[i]};
  }
  const bool good = bench_rounds(b, v, CROWDS);
  for (int i = 0; i < CROWDS && good; i++)
    bench_row(b, BENCH_TEXT("transport", "%-4s", transport), BENCH_CELL("tasks", " %6.0f", (double)crowds[i].tasks, 1),
              BENCH_CELL("seconds", " %9.1f", v[i].seconds, 1e9),
              BENCH_CELL("ratio", " %7.2f", v[0].seconds / v[i].seconds, 1),
              BENCH_CELL("spread", " %6.0f%%", v[i].spread, 100));
  return scree_close(c.world) == SCREE_OK && good;
}

static bool run_sweep(bench *b) {
  bool good = true;
  if (b->rank == 0) printf("%-4s %6s %9s %7s %7s\n", "", "tasks", "ns a get", "speed", "spread");
  for (int i = 0; bench_transports[i] && good; i++) good = sweep(b, bench_transports[i]);
  return good;
}

static bool run(bench *b) {
  bool good = true;
  if (b->rank == 0) printf("%-4s %-6s %-18s %8s %6s %7s\n", "", "direct", "operation", "ns", "speed", "spread");
  for (int i = 0; bench_transports[i] && good; i++) good = measure(b, bench_transports[i], SCREE_GLOBAL_DIRECT_OFF);
  return good && measure(b, "shm", SCREE_GLOBAL_DIRECT_AUTO);
}

const bench_mode bench_modes[] = {
    {.name = "global",
     .what = "ns an operation of one rank on random words of all ranks: implicit adds and puts "
             "over messages of 16 bytes, gets of tasks over requests and replies",
     .run = run},
    {.name = "hide",
     .what = "ns a get of one rank on random words of all ranks, by how many of its tasks wait at once: 1 to 16,384",
     .run = run_sweep},
    {0}};
