/* global.c - one-sided operations on random words of global memory, interleaved with messages of the program's own that
 * do the same: implicit adds and puts compared with updates of 16 bytes; gets and delegates that tasks wait for, and
 * gathers, compared with bale's index gather; and gets by how many tasks wait at once, which is how the latency of a
 * request is hidden (Nelson et al., Grappa). */
#include <scree/global.h>
#include <stdlib.h>
#include <string.h>

#include "modes/modes.h"

enum { WORDS = 1 << 20, MOST_TASKS = 16384, LIST = 1 << 21, GATHER = 1 << 16, AHEAD = 32 };

/* An update of 16 bytes; a request, and its reply, as in indexgather.c. */
typedef struct {
  uint64_t index, value;
} update;
SCREE_MESSAGE(updates, update);
typedef struct {
  uint32_t index, slot;
} request;
SCREE_MESSAGE(requests, request);
typedef struct __attribute__((packed)) {
  uint64_t value;
  uint32_t slot;
} reply;
SCREE_MESSAGE(replies, reply);

typedef struct {
  uint64_t random, count;
} task_args;
SCREE_TASK(getter, task_args);
SCREE_TASK(caller, task_args);
typedef struct {
  uint64_t add;
} read_args;
SCREE_DELEGATE(reader, read_args, uint64_t);

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
  caller_type caller;
  reader_type reader;
  scree_address *list; /* LIST random words of all ranks, and what was read of them */
  uint64_t *received;
  uint64_t random, added, listed, wrong; /* listed: of the list, that were read */
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
  for (uint32_t i = 0; i < batch->count; i++) {
    __builtin_prefetch(&words[items[scree_batch_ahead(batch, i, AHEAD)].index]);
    replies_send(w, c->replies, batch->source, (reply){words[items[i].index], items[i].slot});
  }
}
static void on_replies(scree_worker *w, const scree_batch *batch, const reply *items, void *arg) {
  const context *c = arg;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) c->received[items[i].slot] = items[i].value;
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
static uint64_t index_of(const context *c, uint64_t i) {
  return (scree_global_offset(c->map, c->list[i]) - c->words.offset) / sizeof(uint64_t);
}
static void run_requests(void *arg, uint64_t n) {
  context *c = arg;
  scree_begin(c->w);
  for (uint64_t i = 0; i < n; i++) {
    const uint32_t slot = i % LIST;
    requests_send(c->w, c->requests, scree_global_owner(c->map, c->list[slot]),
                  (request){(uint32_t)index_of(c, slot), slot});
  }
  scree_end(c->w, NULL);
  c->listed = n < LIST ? n : LIST;
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

static void run_getter(scree_task *self, const task_args *args) {
  context *c = scree_task_arg(self);
  uint64_t random = args->random;
  for (uint64_t i = 0, index, value = 0; i < args->count; i++) {
    const scree_address from = at(c, &c->words, bench_draw(&random), &index);
    if (scree_get(self, &value, from, 8)) return;
    c->wrong += value != index;
  }
}
SCREE_TASK_BODY(getter, task_args, run_getter);

static void read_word(scree_worker *w, void *object, const read_args *args, uint64_t *result, void *arg) {
  (void)w, (void)arg;
  *result = *(const uint64_t *)object + args->add;
}
SCREE_DELEGATE_BODY(reader, read_args, uint64_t, read_word);

static void run_caller(scree_task *self, const task_args *args) {
  context *c = scree_task_arg(self);
  uint64_t random = args->random;
  for (uint64_t i = 0, index, value = 0; i < args->count; i++) {
    const scree_address object = at(c, &c->words, bench_draw(&random), &index);
    if (reader_call(self, c->reader, object, 8, (read_args){i}, &value)) return;
    c->wrong += value != index + i;
  }
}
SCREE_TASK_BODY(caller, task_args, run_caller);

static task_args share_of(context *c, uint64_t n, uint64_t tasks, uint64_t i) {
  return (task_args){bench_draw(&c->random), n / tasks + (i < n % tasks)};
}
static void run_gets(context *c, uint64_t n, uint64_t tasks) {
  scree_begin(c->w);
  for (uint64_t i = 0; i < tasks; i++) getter_spawn(c->w, c->getter, NULL, share_of(c, n, tasks, i));
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
static void run_calls(void *arg, uint64_t n) {
  context *c = arg;
  scree_begin(c->w);
  for (uint64_t i = 0; i < 1024; i++) caller_spawn(c->w, c->caller, NULL, share_of(c, n, 1024, i));
  scree_end(c->w, NULL);
}
static void run_casts(void *arg, uint64_t n) {
  context *c = arg;
  scree_begin(c->w);
  for (uint64_t i = 0, index; i < n; i++)
    reader_cast(c->w, c->reader, at(c, &c->words, bench_draw(&c->random), &index), 8, (read_args){i});
  scree_end(c->w, NULL);
}
static void run_gathers(void *arg, uint64_t n) {
  context *c = arg;
  scree_begin(c->w);
  for (uint64_t i = 0; i < n; i += GATHER)
    scree_gather_poll(c->w, c->received + i % LIST, c->list + i % LIST, n - i < GATHER ? n - i : GATHER, 8);
  scree_end(c->w, NULL);
  c->listed = n < LIST ? n : LIST;
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
    {"update of 16 B", run_updates, 0},      {"add, implicit", run_adds, 0},
    {"put, implicit", run_puts, 0},          {"request and reply", run_requests, 3},
    {"gather of 65,536", run_gathers, 3},    {"get, 1,024 tasks", run_gets_1024, 3},
    {"get, 64 tasks", run_gets_64, 3},       {"get, 1 task", run_gets_1, 3},
    {"delegate, 1,024 tasks", run_calls, 5}, {"delegate, implicit", run_casts, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* All adds so far are in the sums, and all words are as they were. */
static bool check(void *arg, uint64_t n) {
  context *c = arg;
  for (uint64_t i = 0; i < c->listed; i++) c->wrong += c->received[i] != index_of(c, i);
  memset(c->received, 0xff, c->listed * sizeof *c->received);
  c->listed = 0;
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
  c->list = calloc(LIST, sizeof *c->list);
  c->received = calloc(LIST, sizeof *c->received);
  if (!bench_all(c->list && c->received)) return false;
  for (uint64_t i = 0, index; i < LIST; i++) c->list[i] = at(c, &c->words, bench_draw(&c->random), &index);
  memset(c->mine, 0, WORDS * sizeof *c->mine);
  for (uint64_t i = 0; i < WORDS; i++) words[i] = i;
  return !updates_register(c->world, c, &c->updates) && !requests_register(c->world, c, &c->requests) &&
         !replies_register(c->world, c, &c->replies) && !getter_register(c->world, c, &c->getter) &&
         !caller_register(c->world, c, &c->caller) && !reader_register(c->world, c, &c->reader);
}

static bool close_context(context *c) {
  free(c->list);
  free(c->received);
  return scree_close(c->world) == SCREE_OK;
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
              BENCH_TEXT("operation", " %-21s", rows[i].name), BENCH_CELL("seconds", " %8.1f", v[i].seconds, 1e9),
              BENCH_CELL("ratio", " %6.2f", v[rows[i].over].seconds / v[i].seconds, 1),
              BENCH_CELL("spread", " %6.0f%%", v[i].spread, 100));
  return close_context(&c) && good;
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
  return close_context(&c) && good;
}

static bool run_sweep(bench *b) {
  bench_head(b, "%-4s %6s %9s %7s %7s\n", "", "tasks", "ns a get", "speed", "spread");
  return bench_each_transport(b, sweep);
}

static bool run(bench *b) {
  bool good = true;
  if (b->rank == 0) printf("%-4s %-6s %-21s %8s %6s %7s\n", "", "direct", "operation", "ns", "speed", "spread");
  for (int i = 0; bench_transports[i] && good; i++) good = measure(b, bench_transports[i], SCREE_GLOBAL_DIRECT_OFF);
  return good && measure(b, "shm", SCREE_GLOBAL_DIRECT_AUTO);
}

const bench_mode bench_modes[] = {
    {.name = "global",
     .what = "ns an operation of one rank on random words of all ranks: implicit adds and puts "
             "over messages of 16 bytes, gathers and gets of tasks over requests and replies, delegates over gets",
     .run = run},
    {.name = "hide",
     .what = "ns a get of one rank on random words of all ranks, by how many of its tasks wait at once: 1 to 16,384",
     .run = run_sweep},
    {.name = "direct",
     .what = "ns an operation of one rank on random words and pieces of another one's part, by global_direct=off, on "
             "and auto, "
             "beside plain loads and stores",
     .run = bench_global_direct},
    {.name = "transfers",
     .what = "latency of a get, and rates of large puts and gets of one rank, beside messages and records",
     .ranks = 2,
     .run = bench_global_transfers},
    {0}};
