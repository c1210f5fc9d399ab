/* failing_worlds.c - a world with messages, reduced and sorted, with tasks, and with global memory: scenarios in which
 * calls fail. The ranks of one process share what is static here. */
#include "failing_worlds.h"

#include <scree/global.h>
#include <scree/reduced.h>
#include <scree/task_loop.h>
#include <scree/task_sync.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 16 };

typedef struct {
  char bytes[40];
} item;
SCREE_MESSAGE(ping, item);

static uint64_t pings;
static void on_ping(scree_worker *w, const scree_batch *batch, const item *items, void *arg) {
  (void)w, (void)items, (void)arg;
  pings += batch->count;
}
SCREE_HANDLER(ping, item, on_ping);

/* Reduced, and sorted: what such types need is made when they are registered. */
typedef struct {
  uint32_t key, weight;
} tally;
#define KEY(item) ((item)->key)
static void add_weights(tally *kept, const tally *item) {
  kept->weight += item->weight;
}
SCREE_MESSAGE_REDUCED(sum, tally, KEY, add_weights);
SCREE_MESSAGE(sorted, tally);

static uint64_t weights;
static void on_tally(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  (void)w, (void)arg;
  for (uint32_t i = 0; i < batch->count; i++) weights += ((const tally *)items)[i].weight;
}
static uint64_t key_of(const void *item) {
  return ((const tally *)item)->key;
}
SCREE_HANDLER(sum, tally, on_tally);

static bool holds_nothing(scree_worker *w, void *arg) {
  (void)w, (void)arg;
  return false;
}

/* What is refused on this rank alone leaves its world as it was. */
scree_status use_world(scree_world *world) {
  ping_type type;
  sum_type sums;
  sorted_type sorted;
  scree_worker *w = scree_worker_of(world, 0);
  scree_status status = ping_register(world, NULL, &type);
  if (!status) status = sum_register_with(world, SCREE_UNREDUCED, NULL, &sums);
  const scree_type_desc desc = {
      .size = sizeof desc, .name = "sorted", .item = sizeof(tally), .fn = on_tally, .sort = key_of};
  if (!status) status = scree_register(world, &desc, &sorted.id);
  if (!status && scree_combine_type(world, sums.id, SCREE_COMBINE_ON) != SCREE_ENOMEM) status = scree_error(world);
  if (!status && scree_on_idle(world, holds_nothing, NULL) != SCREE_ENOMEM) status = scree_error(world);
  if (!status) status = scree_begin(w);
  if (status) return status;
  for (int i = 0; i < 3000; i++) {
    const tally one = {(uint32_t)i % 50, 1};
    ping_send(w, type, (uint32_t)i % w->ranks, (item){{0}});
    sum_send(w, sums, (uint32_t)i % w->ranks, one);
    sorted_send(w, sorted, (uint32_t)i % w->ranks, one);
  }
  return scree_end(w, NULL);
}

/* Tasks, each of which waits for what one on another rank sets, and one that runs a loop with a result on all ranks. */
typedef struct {
  uint64_t future;
} asked;
SCREE_TASK(asks, uint64_t);
SCREE_TASK(sets, asked);
SCREE_TASK(loops, uint64_t);
SCREE_LOOP_REDUCED(counts, tally, uint64_t);
static struct {
  asks_type asks;
  sets_type sets;
  loops_type loops;
  counts_type counts;
  uint64_t answers;
} tasks[RANKS_MAX]; /* by rank */

static void run_sets(scree_task *self, const asked *args) {
  scree_future_set_at(scree_task_worker(self), args->future, &(uint64_t){1}, sizeof(uint64_t));
}
SCREE_TASK_BODY(sets, asked, run_sets);

/* The condition stays open: the library frees it. */
static bool opens_objects(scree_worker *w) {
  scree_mutex mutex;
  scree_condition condition;
  return !scree_mutex_open(w, &mutex) && !scree_condition_open(w, &condition) && !scree_mutex_close(w, mutex);
}

static void run_asks(scree_task *self, const uint64_t *n) {
  scree_worker *w = scree_task_worker(self);
  scree_scope *scope = scree_finish(self);
  scree_future future;
  uint64_t value = 0;
  if (!scope || (*n < 2 && !opens_objects(w)) || scree_future_open(w, &future, sizeof value, 1, NULL)) return;
  sets_spawn_on(w, tasks[w->rank].sets, scope, scree_worker_number(w, (uint32_t)*n % w->ranks, 0),
                (asked){scree_future_number(&future)});
  if (scree_future_wait(self, &future, &value) || scree_finish_end(self, scope)) return;
  scree_future_close(&future);
  tasks[w->rank].answers += value;
}
SCREE_TASK_BODY(asks, uint64_t, run_asks);

static void run_counts(scree_task *self, uint64_t begin, uint64_t end, const tally *args, uint64_t *value) {
  (void)self;
  *value = (end - begin) * args->weight;
}
SCREE_LOOP_REDUCED_BODY(counts, tally, uint64_t, run_counts, scree_combine_sum_u64);

static void run_loops(scree_task *self, const uint64_t *n) {
  const uint32_t rank = scree_task_worker(self)->rank;
  counts_reduce(self, tasks[rank].counts, SCREE_LOOP_PARTITION, 0, *n, 1, (tally){0, 1}, &tasks[rank].answers);
}
SCREE_TASK_BODY(loops, uint64_t, run_loops);

scree_status use_tasks(scree_world *world) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_status status = scree_tasks_open(world, NULL);
  if (!status) status = asks_register(world, NULL, &tasks[w->rank].asks);
  if (!status) status = sets_register(world, NULL, &tasks[w->rank].sets);
  if (!status) status = loops_register(world, NULL, &tasks[w->rank].loops);
  if (!status) status = counts_register(world, NULL, &tasks[w->rank].counts);
  if (!status) status = scree_begin(w);
  if (status) return status;
  for (uint64_t i = 0; i < 200; i++) asks_spawn(w, tasks[w->rank].asks, NULL, i);
  loops_spawn(w, tasks[w->rank].loops, NULL, 300);
  return scree_end(w, NULL);
}

/* Global memory: a task of each rank allocates, moves bytes of others by each operation, and exports. */
SCREE_TASK(moves, uint64_t);
static struct {
  moves_type type[RANKS_MAX];
  scree_global all; /* on all ranks */
  scree_reduce end; /* max: of what tasks were refused */
  uint64_t sum;
} global;
enum { WORDS = 20000, WORD = 8 }; /* more than one record */

static scree_status move(scree_task *self, const scree_global *own, uint64_t *words) {
  scree_worker *w = scree_task_worker(self);
  const scree_global_map *map = scree_global_map_of(scree_world_of(w));
  const scree_address there = scree_global_at(map, &global.all, (w->rank + 1) % w->ranks, 0);
  const scree_address mine = scree_global_at(map, own, 0, 0), at[] = {there, there + WORD};
  scree_global row;
  uint64_t got[4] = {0};
  scree_status status = scree_put(self, there, words, WORDS * WORD);
  if (!status) status = scree_get(self, words, there, WORDS * WORD);
  if (!status) status = scree_copy(self, mine, there, WORDS * WORD);
  if (!status) status = scree_gather(self, got, at, 2, WORD);
  scree_atomic_fetch_add_nbi(w, there, 5, WORD, NULL);
  scree_get_nbi(w, &got[2], mine + WORD, WORD);
  if (!status) status = scree_quiet(self);
  if (!status) status = scree_get(self, &got[3], there, WORD);
  if (!status) status = scree_global_export(self, words, WORDS * WORD, true, &row);
  if (!status) status = scree_global_free(self, &row);
  for (int i = 0; i < 4; i++) global.sum += got[i];
  return status;
}

static void run_moves(scree_task *self, const uint64_t *n) {
  uint64_t *words = calloc(WORDS, WORD);
  scree_global own;
  scree_status status = words ? scree_global_alloc(self, WORDS * WORD, SCREE_GLOBAL_LOCAL, &own) : SCREE_ENOMEM;
  if (words) words[0] = words[1] = *n;
  if (!words) scree_fail(scree_task_worker(self), SCREE_ENOMEM, "free memory on this host");
  if (!status) status = move(self, &own, words);
  if (!status) status = scree_global_free(self, &own);
  if (status > global.end.max) global.end.max = status;
  free(words);
}
SCREE_TASK_BODY(moves, uint64_t, run_moves);

scree_status use_global(scree_world *world) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_tasks_options deep = SCREE_TASKS_OPTIONS_INIT;
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  options.global_direct = SCREE_GLOBAL_DIRECT_OFF;
  deep.task_stack = 65536; /* what tasks call themselves */
  memset(&global, 0, sizeof global);
  scree_status status = scree_tasks_open(world, &deep);
  if (!status) status = scree_global_open(world, &options);
  if (!status) status = moves_register(world, NULL, &global.type[w->rank]);
  if (!status) status = scree_symmetric_alloc(world, WORDS * WORD, &global.all);
  if (!status) status = scree_begin(w);
  if (status) return status;
  moves_spawn(w, global.type[w->rank], NULL, w->rank + 1);
  status = scree_end(w, &global.end);
  return status ? status : (scree_status)global.end.max;
}

void clear_used(void) {
  pings = weights = global.sum = 0;
  memset(tasks, 0, sizeof tasks);
}

uint64_t sum_used(void) {
  uint64_t answers = 0;
  for (int rank = 0; rank < RANKS_MAX; rank++) answers += tasks[rank].answers;
  return pings + weights + answers + global.sum;
}
