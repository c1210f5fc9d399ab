/* allocate.c - allocations: tasks of the library on rank 0, which has the tables, and on the ranks that take memory for
 * them. */
#include <string.h>

#include "base/random.h"
#include "core/epoch.h"
#include "core/fail.h"
#include "core/progress.h"
#include "global/global.h"

typedef struct {
  uint64_t future, bytes;
  uint32_t policy, home;
} allocate_args;
typedef struct {
  uint64_t future, low, high;
} reserve_args;
typedef struct {
  uint64_t future;
  scree_global array;
} release_args;

/* What rank 0 answers. With SCREE_ENOMEM, array.bytes: of each rank; offset: the largest free space, or, of block 1,
 * what cannot be reserved. */
typedef struct {
  uint64_t status;
  scree_global array;
} answer;
_Static_assert(sizeof(answer) <= SCREE_FUTURE_MAX, "an answer is the value of a future");

static scree__global_world *world_of(const scree_task *self) {
  return scree__globals_of(scree__home(self)->me)->of;
}

/* Spawns on rank 0's first worker, and waits for the future that the arguments begin with. */
static scree_status call_rank_0(scree_task *self, uint32_t type, void *args, void *value, size_t bytes) {
  scree_worker *w = scree_task_worker(self);
  scree_future f;
  scree_status status = scree_future_open(w, &f, bytes, 1, NULL);
  const uint64_t number = status ? 0 : scree_future_number(&f);
  if (!number) return status ? status : SCREE_ENOMEM;
  memcpy(args, &number, sizeof number);
  scree__task_spawn_on(w, world_of(self)->tasks, type, NULL, 0, args);
  status = scree_future_wait(self, &f, value);
  if (!status) scree_future_close(&f);
  return status;
}

/* ---- taking memory ---- */

static void worst_of(void *kept, const void *value) {
  uint64_t *a = kept;
  const uint64_t *b = value;
  if (*b > *a) *a = *b;
}

typedef struct {
  scree__node_memory *memory;
  uint64_t low, high, status;
} reservation;

static void reserve_mine(void *arg) {
  reservation *r = arg;
  r->status = scree__node_memory_reserve(r->memory, r->low, r->high) ? SCREE_OK : SCREE_ENOMEM;
}

/* On the worker's own stack: a task's is too small for the C library's files. */
void scree__run_reserve(scree_task *self, const void *args_) {
  const reserve_args *args = args_;
  reservation r = {&world_of(self)->memory, args->low, args->high, SCREE_OK};
  scree__call_on_own_stack(scree__home(self)->me, reserve_mine, &r);
  scree_future_set_at(scree_task_worker(self), args->future, &r.status, sizeof r.status);
}

/* On all ranks that have the bytes. */
static scree_status reserve(scree_task *self, scree__global_world *g, const scree__placement *at, uint64_t upto) {
  scree_worker *w = scree_task_worker(self);
  const uint32_t from = at->everywhere ? 0 : at->rank, count = at->everywhere ? w->ranks : 1;
  uint64_t worst = SCREE_OK;
  scree_future f;
  scree_status status = scree_future_open(w, &f, sizeof worst, count, worst_of);
  const reserve_args args = {status ? 0 : scree_future_number(&f), at->everywhere ? upto : 0,
                             at->everywhere ? 0 : upto};
  for (uint32_t r = from; r < from + count && !status; r++)
    scree__task_spawn_on(w, g->tasks, g->reserve, NULL, scree_worker_number(w, r, 0), &args);
  if (!status) status = scree_future_wait(self, &f, &worst);
  if (status) return status;
  scree_future_close(&f);
  if (!worst) scree__allocator_reserved(&g->allocator, at, upto);
  return (scree_status)worst;
}

/* ---- on rank 0 ---- */

/* The rank that has byte 0. */
static uint32_t first_of(scree__global_world *g, uint32_t policy, uint32_t home) {
  const uint32_t ranks = g->world->ranks;
  switch ((scree_global_policy)policy) {
  case SCREE_GLOBAL_PARTITION_HERE:
  case SCREE_GLOBAL_LOCAL:
  case SCREE_GLOBAL_EXPORTED:
    return home;
  case SCREE_GLOBAL_PARTITION_RANDOM:
    return (uint32_t)(scree__draw(&g->random) % ranks);
  case SCREE_GLOBAL_REMOTE:
    return (home + 1) % ranks;
  default:
    return 0;
  }
}

static void exhausted(answer *a, const scree__placement *at, uint64_t left, bool memory) {
  a->status = SCREE_ENOMEM;
  a->array.bytes = at->bytes;
  a->array.offset = left;
  a->array.block = memory;
}

void scree__run_allocate(scree_task *self, const void *args_) {
  const allocate_args *args = args_;
  scree__global_world *g = world_of(self);
  answer a = {SCREE_OK, {.bytes = args->bytes, .policy = args->policy}};
  scree__placement at;
  uint64_t left = 0;
  a.array.first = first_of(g, args->policy, args->home);
  if (!scree__allocator_take(&g->allocator, &a.array, &at, &left)) {
    exhausted(&a, &at, left, false);
  } else {
    const scree_global array = a.array;
    const uint64_t upto = at.outside ? 0 : scree__allocator_wants(&g->allocator, &at);
    if (upto && reserve(self, g, &at, upto)) {
      scree__allocator_undo(&g->allocator, &array);
      exhausted(&a, &at, upto, true);
    }
  }
  scree_future_set_at(scree_task_worker(self), args->future, &a, sizeof a);
}

/* ---- memory that exists ---- */

typedef struct {
  uint64_t future, at;
} withdraw_args;

void scree__run_withdraw(scree_task *self, const void *args_) {
  const withdraw_args *args = args_;
  scree__window_withdraw(scree__globals_of(scree__home(self)->me), args->at);
  scree_future_set_at(scree_task_worker(self), args->future, NULL, 0);
}

/* By a task of rank 0, which waits until its rank does not use it any more. */
static scree_status withdraw(scree_task *self, scree__global_world *g, const scree_global *array) {
  scree_worker *w = scree_task_worker(self);
  scree_future f;
  scree_status status = scree_future_open(w, &f, 0, 1, NULL);
  if (status) return status;
  const withdraw_args args = {scree_future_number(&f), array->offset};
  scree__task_spawn_on(w, g->tasks, g->withdraw, NULL, scree_worker_number(w, array->first, 0), &args);
  status = scree_future_wait(self, &f, NULL);
  if (!status) scree_future_close(&f);
  return status;
}

void scree__run_release(scree_task *self, const void *args_) {
  const release_args *args = args_;
  scree__global_world *g = world_of(self);
  if (!scree__allocator_free(&g->allocator, &args->array)) {
    scree__fail(scree__home(self)->me, SCREE_ESTATE, "scree_global_free",
                "allocation %u of %llu bytes (policy %u) was freed before, or is none of this world: free each once",
                args->array.place, (unsigned long long)args->array.bytes, args->array.policy);
    return;
  }
  if (scree__forget_everywhere(self, g, args->array.place)) return;
  if (args->array.policy == SCREE_GLOBAL_EXPORTED && withdraw(self, g, &args->array)) return;
  scree_future_set_at(scree_task_worker(self), args->future, NULL, 0);
}

/* ---- calls ---- */

static scree_status refuse(scree__global_world *g, scree__worker *me, const char *call, const answer *a) {
  const unsigned long long bytes = a->array.bytes, left = a->array.offset;
  if (a->array.block)
    return scree__refuse(
        me, SCREE_ENOMEM, call,
        "%llu bytes of a rank's part, up to byte %llu of it, are more memory than is left on a host of the "
        "world: free memory or space in /dev/shm there, or allocate less",
        bytes, left);
  return scree__refuse(me, SCREE_ENOMEM, call,
                       "%llu bytes of a rank's part, of which %llu are free in one piece (global_heap is %llu): "
                       "raise global_heap, or free allocations, which are used again when the epoch has ended",
                       bytes > g->map.heap ? g->map.heap + 1 : bytes, left, (unsigned long long)g->map.heap);
}

static scree_status check(scree__worker *me, const char *call, uint64_t bytes, uint32_t policy) {
  if (!bytes || policy >= SCREE_GLOBAL_POLICIES)
    return scree__refuse(me, SCREE_EINVAL, call, "%llu bytes by policy %u: legal are 1 or more by policies 0..%d",
                         (unsigned long long)bytes, policy, SCREE_GLOBAL_POLICIES - 1);
  if (policy == SCREE_GLOBAL_REMOTE && me->head.ranks == 1)
    return scree__refuse(me, SCREE_EINVAL, call,
                         "policy REMOTE in a world of one rank, where there is no other: use PARTITION");
  return SCREE_OK;
}

scree_status scree_global_alloc(scree_task *self, uint64_t bytes, scree_global_policy policy, scree_global *array) {
  const char *call = "scree_global_alloc";
  scree_status status = scree__task_may_wait(self, call);
  if (status) return status;
  scree__worker *me = scree__home(self)->me;
  scree__globals *own = scree__globals_for(&me->head, call);
  if (!own) return SCREE_ESTATE;
  if (!scree__is_given(own->tasks, array, call, "place for the handle")) return SCREE_EINVAL;
  if ((status = check(me, call, bytes, policy))) return status;
  allocate_args args = {.bytes = bytes, .policy = policy, .home = me->head.rank};
  answer a;
  if ((status = call_rank_0(self, own->of->allocate, &args, &a, sizeof a))) return status;
  if (a.status) return refuse(own->of, me, call, &a);
  *array = a.array;
  return SCREE_OK;
}

scree_status scree_global_export(scree_task *self, void *memory, uint64_t bytes, bool writable, scree_global *array) {
  const char *call = "scree_global_export";
  scree_status status = scree__task_may_wait(self, call);
  if (status) return status;
  scree__worker *me = scree__home(self)->me;
  scree__globals *own = scree__globals_for(&me->head, call);
  if (!own) return SCREE_ESTATE;
  if (!scree__is_given(own->tasks, array, call, "place for the handle")) return SCREE_EINVAL;
  if (!bytes || bytes > SCREE_GLOBAL_HEAP_MAX / 4 || !memory || (uintptr_t)memory % 8)
    return scree__refuse(me, SCREE_EINVAL, call,
                         "%llu bytes at %p: legal are 1 to 2^38 bytes that begin at a multiple of 8",
                         (unsigned long long)bytes, memory);
  allocate_args args = {.bytes = bytes, .policy = SCREE_GLOBAL_EXPORTED, .home = me->head.rank};
  answer a;
  if ((status = call_rank_0(self, own->of->allocate, &args, &a, sizeof a))) return status;
  if (a.status)
    return scree__refuse(me, SCREE_ENOMEM, call, "no addresses are left for %llu bytes: free what was exported before",
                         (unsigned long long)bytes);
  if (!scree__window_export(own, a.array.offset, bytes, memory, writable)) {
    scree__fail(me, SCREE_ENOMEM, call, "no memory for a table: free memory on this host");
    return SCREE_ENOMEM;
  }
  *array = a.array;
  return SCREE_OK;
}

scree_status scree_global_free(scree_task *self, const scree_global *array) {
  const char *call = "scree_global_free";
  const scree_status status = scree__task_may_wait(self, call);
  if (status) return status;
  scree__globals *own = scree__globals_for(scree_task_worker(self), call);
  if (!own) return SCREE_ESTATE;
  if (!scree__is_given(own->tasks, array, call, "allocation")) return SCREE_EINVAL;
  release_args args = {.array = *array};
  return call_rank_0(self, own->of->release, &args, NULL, 0);
}

/* ---- collective ---- */

/* What ranks compare. Of rank 0: what it has allocated, and how much each part has to reserve. */
typedef struct {
  uint64_t asked, upto;
  answer of;
} proposal;
_Static_assert(sizeof(proposal) <= sizeof(scree__registration), "gathered into memory that each world already has");

static void propose(scree__global_world *g, proposal *p, scree__placement *at) {
  uint64_t left = 0;
  p->of.array = (scree_global){.bytes = p->asked, .policy = SCREE_GLOBAL_REPLICATE};
  if (scree__allocator_take(&g->allocator, &p->of.array, at, &left))
    p->upto = scree__allocator_wants(&g->allocator, at);
  else
    exhausted(&p->of, at, left, false);
}

static scree_status compare(scree__worker *me, const char *call, const proposal *all) {
  for (uint32_t r = 0; r < me->head.ranks; r++) {
    if (all[r].asked && all[r].asked == all[0].asked) continue;
    return scree__misuse(
        me, SCREE_EINVAL, call,
        "rank 0 requests %llu bytes, rank %u requests %llu: legal is the same number on all ranks, 1 or more",
        (unsigned long long)all[0].asked, r, (unsigned long long)all[r].asked);
  }
  return SCREE_OK;
}

/* Each rank reserves its own; SCREE_OK on all, or an error on all. */
static scree_status reserve_together(scree__global_world *g, const char *call, proposal *mine) {
  scree__worker *me = g->world->worker[0];
  proposal *all = (void *)g->world->all_registrations;
  scree_status status = compare(me, call, all);
  const proposal chosen = all[0];
  if (status) return status;
  if (chosen.of.status) return refuse(g, me, call, &chosen.of);
  mine->of.status = !chosen.upto || scree__node_memory_reserve(&g->memory, chosen.upto, 0) ? SCREE_OK : SCREE_ENOMEM;
  if ((status = scree__gather(g->world, call, mine, all, sizeof *mine))) return status;
  answer failed = chosen.of;
  exhausted(&failed, &(scree__placement){.bytes = chosen.of.array.block}, chosen.upto, true);
  for (uint32_t r = 0; r < g->world->ranks; r++)
    if (all[r].of.status) return refuse(g, me, call, &failed);
  *mine = chosen;
  return SCREE_OK;
}

scree_status scree_symmetric_alloc(scree_world *world, uint64_t bytes, scree_global *array) {
  const char *call = "scree_symmetric_alloc";
  const scree_status refused = scree__in_idle_world(world, call);
  if (refused) return refused;
  if (scree__agreed(world)) return scree__agreed(world);
  scree__worker *me = world->worker[0];
  if (!array) return scree__misuse(me, SCREE_EINVAL, call, "no place for the handle: pass what is not NULL");
  scree__globals *own = scree__globals_of(me);
  if (!own)
    return scree__misuse(me, SCREE_ESTATE, call, "the world has no global memory: call scree_global_open first");
  proposal mine = {.asked = bytes};
  scree__placement at;
  if (world->rank == 0 && bytes) propose(own->of, &mine, &at);
  const scree_global taken = mine.of.array;
  scree_status status = scree__gather(world, call, &mine, world->all_registrations, sizeof mine);
  if (!status) status = reserve_together(own->of, call, &mine);
  if (world->rank == 0 && status) scree__allocator_undo(&own->of->allocator, &taken);
  if (world->rank == 0 && !status && mine.upto) scree__allocator_reserved(&own->of->allocator, &at, mine.upto);
  if (!status) *array = mine.of.array;
  return status;
}
