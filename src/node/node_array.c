/* node_array.c - arrays of a node: how they join a world, which keeps them for the next, and frees them. */
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "core/epoch.h"
#include "core/fail.h"
#include "core/holder.h"
#include "core/progress.h"
#include "node/node_memory.h"

#define NAME "scree_node_array_open"

enum { CHUNK = 1 << 24 }; /* bytes that are reserved by one call of the system: a signal makes it begin anew */

typedef struct array {
  scree_node_array is; /* first */
  scree__node_memory memory;
  char *alone;           /* of a rank that shares with no other */
  size_t capacity, part; /* bytes; of them, those that this rank reserves and zeroes, from `begin` on */
  char *begin;
  bool used;
  struct array *next;
} array;

typedef struct {
  scree__holder holder; /* first */
  scree_world *world;
  array *first;
  uint32_t *alone_index, *alone_leader, *index, *leader; /* by rank, in one allocation that begins with the first */
  bool share;
  char why[sizeof((scree__worker *)NULL)->failure.text]; /* not */
} arrays;

static const scree__topology *topology_of(const scree_world *world) {
  return world->worker[0]->transport->topology;
}

/* ---- freeing ---- */

static void discard(array *a) {
  scree__node_memory_close(&a->memory);
  scree_huge_free(a->alone);
  free(a);
}

/* Those that no rank uses any more: all have closed them before they entered a collective call. */
static void discard_unused(arrays *of) {
  for (array **at = &of->first, *a; (a = *at);) {
    if (a->used) {
      at = &a->next;
      continue;
    }
    *at = a->next;
    discard(a);
  }
}

static void free_all(scree__holder *holder) {
  arrays *of = (arrays *)holder;
  for (array *a = of->first; a; a = a->next) a->used = false;
  discard_unused(of);
  free(of->alone_index);
  free(of);
}

/* Shared memory is counted by the rank that has reserved it, so once in a node. */
static void print_stats(const scree__worker *me, const scree__holder *holder, FILE *to, bool json) {
  const arrays *of = (const arrays *)holder;
  unsigned long long bytes = 0;
  (void)me;
  for (const array *a = of->first; a; a = a->next) bytes += a->part;
  if (json)
    fprintf(to, ",\"node_arrays\":{\"shared\":%s,\"reserved\":%llu}", of->share ? "true" : "false", bytes);
  else
    fprintf(to, "  arrays of the node: reserved %llu; %s\n", bytes, of->share ? "shared" : of->why);
}

static const scree__holder_ops ops = {.stats = print_stats, .free = free_all};

/* ---- joining a world ---- */

static void locate(arrays *of) {
  const scree__topology *t = topology_of(of->world);
  const uint32_t ranks = of->world->ranks;
  for (uint32_t r = 0; r < ranks; r++) {
    of->alone_index[r] = r == of->world->rank ? 0 : UINT32_MAX;
    of->alone_leader[r] = r;
    of->index[r] = UINT32_MAX;
    of->leader[r] = t->leaders[t->node_of[r]] / t->threads;
  }
  for (uint32_t i = 0; i < t->node_size; i += t->threads) of->index[t->node_endpoints[i] / t->threads] = i / t->threads;
}

static void decide(arrays *of) {
  const bool off = of->world->options.node_arrays == SCREE_NODE_ARRAYS_OFF;
  of->share = !off && topology_of(of->world)->nodes < of->world->ranks;
  if (!of->share) snprintf(of->why, sizeof of->why, off ? "node_arrays is off" : "each rank is a node");
}

/* NULL: no memory. */
static arrays *join(scree_world *world) {
  arrays *of = (arrays *)scree__holder_of(world->worker[0], &ops);
  if (of) return of;
  of = calloc(1, sizeof *of);
  uint32_t *tables = calloc((size_t)world->ranks * 4, sizeof *tables);
  if (!of || !tables) {
    free(of);
    free(tables);
    return NULL;
  }
  *of = (arrays){.holder.ops = &ops, .world = world, .alone_index = tables};
  of->alone_leader = tables + world->ranks;
  of->index = of->alone_leader + world->ranks;
  of->leader = of->index + world->ranks;
  locate(of);
  decide(of);
  scree__holder_join(world->worker[0], &of->holder);
  return of;
}

/* ---- opening ---- */

typedef struct {
  uint64_t bytes, ok;
} claim;
_Static_assert(sizeof(claim) <= sizeof(scree__registration), "gathered into memory that each world already has");

/* All ranks have come. */
static scree_status agree(scree_world *world, uint64_t bytes, bool ok) {
  const claim mine = {bytes, ok}, *all = (void *)world->all_registrations;
  const scree_status status = scree__gather(world, NAME, &mine, world->all_registrations, sizeof mine);
  for (uint32_t r = 0; r < world->ranks && !status; r++) {
    if (all[r].bytes != all[0].bytes)
      return scree__misuse(world->worker[0], SCREE_EINVAL, NAME,
                           "%llu bytes on rank 0, %llu on rank %u: pass the same on all ranks",
                           (unsigned long long)all[0].bytes, (unsigned long long)all[r].bytes, r);
    if (!all[r].ok)
      return scree__misuse(world->worker[0], SCREE_ENOMEM, NAME,
                           "rank %u has no memory for an array of %llu bytes: free memory on its host, or mount a "
                           "larger /dev/shm",
                           r, (unsigned long long)bytes);
  }
  return status;
}

static array *find_kept(const arrays *of, size_t bytes) {
  array *a = of->first;
  while (a && (a->used || !a->alone != of->share || a->capacity < bytes || a->capacity / 2 > bytes)) a = a->next;
  return a;
}

static bool reserve(array *a) {
  for (uint64_t low = 0; low < a->part;) {
    low = a->part - low < CHUNK ? a->part : low + CHUNK;
    if (!scree__node_memory_reserve(&a->memory, low, 0)) return false;
  }
  return true;
}

/* This rank's part of the memory, which all ranks have mapped. */
static void divide(array *a) {
  const uint64_t area = a->memory.bytes, before = area * a->memory.index;
  const uint64_t left = a->capacity > before ? a->capacity - before : 0;
  a->is.at = scree__shm_segment_arena(&a->memory.segment, 0);
  a->begin = a->is.at + before;
  a->part = left < area ? left : area;
}

/* A new one too, so that its pages are there before it is used. */
static void touch(array *a) {
  memset(a->begin, 0, a->part);
}

static scree_status map_shared(arrays *of, array *a) {
  const scree_status status = scree__node_memory_open(of->world, NAME, a->capacity, true, true, &a->memory);
  if (status) return status;
  divide(a);
  const bool reserved = reserve(a);
  if (reserved) touch(a);
  return agree(of->world, a->capacity, reserved);
}

static scree_status map_alone(arrays *of, array *a) {
  a->alone = scree__huge_alloc(a->capacity, of->world->options.huge_pages, false);
  a->is.at = a->begin = a->alone;
  a->part = a->capacity;
  if (a->alone) touch(a);
  return agree(of->world, a->capacity, a->alone);
}

/* Auto does without, on all ranks. */
static bool give_up(arrays *of, scree_status status) {
  char *text = of->world->worker[0]->failure.text;
  if (status != SCREE_ENOMEM || !of->share || of->world->options.node_arrays == SCREE_NODE_ARRAYS_ON) return false;
  snprintf(of->why, sizeof of->why, "%s", text);
  text[0] = 0;
  of->share = false;
  return true;
}

static scree_status make(arrays *of, array *a, size_t bytes) {
  discard_unused(of);
  a->capacity = (bytes / 4096 + 1) * 4096;
  scree_status status = of->share ? map_shared(of, a) : map_alone(of, a);
  if (give_up(of, status)) {
    scree__node_memory_close(&a->memory);
    status = map_alone(of, a);
  }
  if (status) {
    discard(a);
    return status;
  }
  a->next = of->first;
  of->first = a;
  return SCREE_OK;
}

static void describe(const arrays *of, array *a, size_t bytes) {
  const scree__topology *t = topology_of(of->world);
  const bool share = !a->alone;
  a->is = (scree_node_array){.at = a->is.at,
                             .bytes = bytes,
                             .ranks = share ? t->node_size / t->threads : 1,
                             .index = share ? a->memory.index : 0,
                             .index_of = share ? of->index : of->alone_index,
                             .leader_of = share ? of->leader : of->alone_leader,
                             .alone = share ? NULL : of->why,
                             .simulated = share && of->world->worker[0]->transport->scheduler->ops->yield_point};
}

scree_status scree_node_array_open(scree_world *world, size_t bytes, const scree_node_array **out) {
  scree_status status = scree__in_idle_world(world, NAME);
  if (status) return status;
  if (scree__agreed(world)) return scree__agreed(world);
  if (!out) return scree__misuse(world->worker[0], SCREE_EINVAL, NAME, "no place for the array: pass what is not NULL");
  arrays *of = join(world);
  array *kept = of ? find_kept(of, bytes) : NULL, *a = kept ? kept : calloc(1, sizeof *a);
  status = agree(world, bytes, of && a && bytes <= SIZE_MAX / 4);
  if (status) {
    if (!kept) free(a);
    return status;
  }
  if (kept) {
    touch(a);
    status = agree(world, bytes, true);
  } else {
    status = make(of, a, bytes);
  }
  if (status) return status;
  describe(of, a, bytes);
  a->used = true;
  *out = &a->is;
  return SCREE_OK;
}

void scree_node_array_close(scree_world *world, const scree_node_array *closed) {
  const arrays *of = world ? (arrays *)scree__holder_of(world->worker[0], &ops) : NULL;
  for (array *a = of ? of->first : NULL; a; a = a->next)
    if (&a->is == closed) a->used = false;
}

void scree__node_array_yield(scree_worker *worker) {
  scree__yield_point(scree__worker_of(worker)->transport);
}
