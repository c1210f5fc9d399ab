/* lookup.c - checked mode: whether bytes are of an allocation that is not freed, by rank 0's table. Workers keep copies
 * of the entries that they have requested, until these are freed. */
#include "core/fail.h"
#include "core/progress.h"
#include "global/operation.h"

static const char *const policies[] = {"PARTITION", "PARTITION_HERE", "PARTITION_RANDOM", "LOCAL",
                                       "REMOTE",    "REPLICATE",      "CYCLIC",           "exported"};

typedef struct {
  uint64_t future; /* 0: rank 0 fails the world if they are not */
  scree_address address;
  uint64_t bytes, from;
} find_args;
typedef struct {
  uint64_t future, place;
} forget_args;
/* EINVAL: no allocation has them; one that has the same offset, if its bytes are not 0. ESTATE: it was freed. */
typedef struct {
  uint64_t status;
  scree_global array;
} found;
_Static_assert(sizeof(found) <= SCREE_FUTURE_MAX, "it is the value of a future");

/* ---- bytes of an allocation ---- */

static uint64_t bytes_of_rank(const scree_global_map *map, const scree_global *g, uint32_t rank) {
  if (g->policy == SCREE_GLOBAL_REPLICATE) return g->bytes;
  if (g->policy == SCREE_GLOBAL_CYCLIC) return g->block;
  if (g->policy == SCREE_GLOBAL_LOCAL || g->policy == SCREE_GLOBAL_EXPORTED) return rank == g->first ? g->bytes : 0;
  const uint64_t before = (rank + map->ranks - g->first) % map->ranks * g->block;
  if (before >= g->bytes) return 0;
  return g->bytes - before < g->block ? g->bytes - before : g->block;
}

static bool within(uint64_t at, uint64_t bytes, uint64_t low, uint64_t size) {
  return at >= low && bytes <= size && at - low <= size - bytes;
}

static uint64_t offset_of(const scree_global_map *map, const scree_global *g) {
  return g->policy == SCREE_GLOBAL_CYCLIC ? g->offset / map->ranks : g->offset;
}

static bool has(const scree_global_map *map, const scree_global *g, scree_address a, uint64_t bytes) {
  const uint64_t low = offset_of(map, g);
  if (!scree_global_is_linear(a)) {
    const uint32_t rank = scree_global_owner(map, a);
    const uint64_t size = rank < map->ranks ? bytes_of_rank(map, g, rank) : 0;
    return within(scree_global_offset(map, a), bytes, low, size);
  }
  if (g->policy == SCREE_GLOBAL_CYCLIC) return within(a, bytes, g->offset, g->bytes);
  for (uint32_t r = 0; r < map->ranks; r++) {
    const uint64_t at = scree_global_below(map, a, r), n = scree_global_below(map, a + bytes, r) - at;
    if (n && !within(at, n, low, bytes_of_rank(map, g, r))) return false;
  }
  return true;
}

/* ---- on rank 0 ---- */

static found find_in_table(const scree__global_world *g, scree_address a, uint64_t bytes) {
  const scree_global_map *map = &g->map;
  const uint64_t offset = scree_global_offset(map, a);
  const uint32_t owner = scree_global_owner(map, a);
  found f = {.status = SCREE_EINVAL};
  bool freed;
  for (uint64_t i = 0; i < map->ranks; i++) { /* the owner is first; the others only tell what has the same offset */
    const scree_global *array =
        scree__allocator_covering(&g->allocator, (uint32_t)((owner + i) % map->ranks), offset, &freed);
    if (!array) continue;
    if (i == 0 && has(map, array, a, bytes)) return (found){freed ? SCREE_ESTATE : SCREE_OK, *array};
    if (!within(offset, 1, offset_of(map, array), array->block)) continue;
    f.array = *array;
    break;
  }
  return f;
}

static void refuse(scree__globals *own, const char *call, const char *task, uint32_t from, const scree__global_op *op,
                   const found *f) {
  const scree_global_map *map = &own->of->map;
  const scree_global *a = &f->array;
  const bool freed = f->status == SCREE_ESTATE;
  char near[200] = "";
  if (a->bytes)
    snprintf(near, sizeof near, "; allocation %u, %s, %llu bytes, byte 0 on rank %u%s", a->place, policies[a->policy],
             (unsigned long long)a->bytes, a->first, freed ? ", had them and was freed" : ", has other bytes there");
  scree__fail(own->me, (scree_status)f->status, call,
              "%s of rank %u: %llu bytes at address %llx (rank %u, byte %llu of its part) are of no allocation that "
              "lives%s",
              task, from, (unsigned long long)op->bytes, (unsigned long long)op->address,
              scree_global_owner(map, op->address), (unsigned long long)scree_global_offset(map, op->address), near);
}

void scree__run_find(scree_task *self, const void *args_) {
  const find_args *args = args_;
  scree__globals *own = scree__globals_of(scree__home(self)->me);
  const found f = find_in_table(own->of, args->address, args->bytes);
  const scree__global_op op = {.address = args->address, .bytes = args->bytes};
  if (args->future) {
    own->of->copied = true;
    scree_future_set_at(scree_task_worker(self), args->future, &f, sizeof f);
  } else if (f.status) {
    refuse(own, "global memory", "a handler", (uint32_t)args->from, &op, &f);
  }
}

/* ---- copies ---- */

void scree__run_forget(scree_task *self, const void *args_) {
  const forget_args *args = args_;
  scree__globals *own = scree__globals_of(scree__home(self)->me);
  for (uint32_t i = 0; i < SCREE__KNOWN; i++)
    if (own->known[i].place == args->place) own->known[i] = (scree_global){.bytes = 0};
  scree_future_set_at(scree_task_worker(self), args->future, NULL, 0);
}

/* By a task of rank 0, which waits until no worker has a copy. */
scree_status scree__forget_everywhere(scree_task *self, scree__global_world *g, uint32_t place) {
  scree_worker *w = scree_task_worker(self);
  const uint32_t threads = scree__home(self)->me->end.taking;
  scree_future f;
  if (!g->copied) return SCREE_OK;
  scree_status status = scree_future_open(w, &f, 0, w->ranks * threads, NULL);
  const forget_args args = {status ? 0 : scree_future_number(&f), place};
  for (uint32_t i = 0; i < w->ranks * threads && !status; i++)
    scree__task_spawn_on(w, g->tasks, g->forget, NULL, scree_worker_number(w, i / threads, i % threads), &args);
  if (!status) status = scree_future_wait(self, &f, NULL);
  if (!status) scree_future_close(&f);
  return status;
}

/* ---- at the caller ---- */

/* False: the world has failed. A task waits for rank 0, the worker's own stack makes progress. */
static bool request(scree__globals *own, const scree__global_op *op, found *f) {
  scree__worker *me = own->me;
  scree_future future;
  const bool open = scree_future_open(&me->head, &future, sizeof *f, 1, NULL) == SCREE_OK;
  const find_args args = {open ? scree_future_number(&future) : 0, op->address, op->bytes, me->head.rank};
  if (!args.future) return false;
  scree__task_spawn_on(&me->head, own->of->tasks, own->of->find, NULL, 0, &args);
  if (me->on_own_stack) {
    if (scree_future_wait(own->tasks->current, &future, f)) return false;
  } else {
    while (!scree_future_test(&future, f) && !me->failed) scree__wait_a_turn(me);
    if (me->failed) return false;
  }
  return scree_future_close(&future), true;
}

bool scree__global_is_live(scree__globals *own, const scree__global_op *op) {
  const bool linear = scree_global_is_linear(op->address);
  if (!op->bytes || (!linear && scree_global_offset(&own->of->map, op->address) >= SCREE_GLOBAL_HEAP_MAX / 2))
    return true; /* stacks: their rank knows */
  for (uint32_t i = 0; i < SCREE__KNOWN; i++)
    if (own->known[i].bytes && has(&own->of->map, &own->known[i], op->address, op->bytes)) return true;
  found f;
  if (own->me->in.handler) { /* it cannot wait: rank 0 fails the world if they are not */
    const find_args args = {0, op->address, op->bytes, own->me->head.rank};
    scree__task_spawn_on(&own->me->head, own->of->tasks, own->of->find, NULL, 0, &args);
    return true;
  }
  if (!request(own, op, &f)) return false;
  char task[80] = "the own stack";
  if (own->me->on_own_stack) snprintf(task, sizeof task, "task '%s'", own->tasks->current->closure.type->name);
  if (f.status)
    refuse(own, op->call, task, own->me->head.rank, op, &f);
  else
    own->known[own->known_next++ % SCREE__KNOWN] = f.array;
  return !f.status;
}

scree_status scree_global_find(scree_task *self, scree_address a, uint64_t bytes, scree_global *array) {
  const char *call = "scree_global_find";
  const scree_status status = scree__task_may_wait(self, call);
  if (status) return status;
  scree__globals *own = scree__globals_for(scree_task_worker(self), call);
  const scree__global_op op = {.call = call, .address = a, .bytes = bytes ? bytes : 1};
  found f;
  if (own && !scree__is_given(own->tasks, array, call, "place for the handle")) return SCREE_EINVAL;
  if (!own || !request(own, &op, &f)) return own && own->me->failed ? own->me->failure.status : SCREE_ESTATE;
  if (f.status)
    return scree__refuse(own->me, (scree_status)f.status, call, "%llu bytes at address %llx are of %s",
                         (unsigned long long)bytes, (unsigned long long)a,
                         f.status == SCREE_ESTATE ? "an allocation that was freed in this epoch" : "no allocation");
  *array = f.array;
  return SCREE_OK;
}
