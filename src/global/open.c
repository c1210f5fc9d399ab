/* open.c - how global memory joins a world: options, the memory of the node, the library's tasks, a holder of each
 * worker. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/option_table.h"
#include "core/epoch.h"
#include "core/fail.h"
#include "core/progress.h"
#include "global/operation.h"

#define NAME "scree_global_open"

enum { PAGE = 4096 };

/* ---- options ---- */

#define OPTION(...) SCREE__OPTION_OF(scree__global_options, __VA_ARGS__),
static const scree_option rows[] = {SCREE_GLOBAL_OPTIONS(OPTION)};

static int read_options(scree__global_options *o, const scree_global_options *given, char *why, size_t size) {
  static const scree__sized sized = {"scree_global_options", "SCREE_GLOBAL_OPTIONS_INIT", sizeof(scree_global_options)};
  o->user = (scree_global_options)SCREE_GLOBAL_OPTIONS_INIT;
  if (scree__options_read(rows, sizeof rows / sizeof *rows, &sized, o, given, why, size)) return -1;
  if ((o->global_stripe & (o->global_stripe - 1)) == 0) return 0;
  snprintf(why, size, "global_stripe %llu is not a power of two: use %llu", (unsigned long long)o->global_stripe,
           1ULL << (63 - __builtin_clzll(o->global_stripe)));
  return -1;
}

/* ---- holders ---- */

static void begin(scree__worker *me, scree__holder *holder) {
  ((scree__globals *)holder)->front.taking = me->world->taking; /* end.taking is of the previous epoch */
}

/* What was freed in this epoch is no longer in use. */
static void leave(scree__worker *me, scree__holder *holder) {
  scree__globals *own = (scree__globals *)holder;
  scree__windows_leave(own);
  scree__words_settle(own);
  if (scree__worker_number(me) == 0) scree__allocator_recycle(&own->of->allocator);
}

static void drop(scree__worker *me, scree__holder *holder) {
  (void)me;
  scree__slots_drop((scree__globals *)holder);
}

static void discard(scree__global_world *of) {
  free(of->near);
  scree__node_memory_close(&of->memory);
  scree__allocator_close(&of->allocator);
  scree__delegates_free(of);
  scree__windows_close(of);
  free(of->own);
  free(of);
}

static void free_holder(scree__holder *holder) {
  scree__globals *own = (scree__globals *)holder;
  SCREE__INVARIANT(own->of->holders > 0 && (own->me->failed || !own->granted));
  scree__slots_free(own);
  if (--own->of->holders == 0) discard(own->of);
}

static const scree__holder_ops ops = {.begin = begin,
                                      .leave = leave,
                                      .report = scree__global_report,
                                      .stats = scree__global_print_stats,
                                      .drop = drop,
                                      .free = free_holder};

scree__globals *scree__globals_of(const scree__worker *me) {
  return (scree__globals *)scree__holder_of(me, &ops);
}

scree__globals *scree__globals_for(scree_worker *worker, const char *call) {
  scree__worker *me = scree__worker_of(worker);
  scree__globals *own = scree__globals_of(me);
  if (own && me->in_epoch) return scree__dropped(me, call, SCREE_ALL) ? NULL : own;
  if (scree__tasks_for(worker, call))
    scree__fail(me, SCREE_ESTATE, call, "the world has no global memory: call " NAME " first");
  return NULL;
}

const scree_global_map *scree_global_map_of(const scree_world *world) {
  const scree__globals *own = world ? scree__globals_of(world->worker[0]) : NULL;
  return own ? &own->of->map : NULL;
}

/* ---- opening ---- */

/* True if other ranks of the node access this one's part. */
static bool is_shared(const scree__global_world *of) {
  uint32_t mapped = 0;
  for (uint32_t r = 0; r < of->map.ranks; r++) mapped += of->memory.area[r] != NULL;
  return mapped > 1 && of->options.global_direct != SCREE_GLOBAL_DIRECT_OFF;
}

/* For each worker: the parts that inline functions may touch, all zeros, so it takes memory only for ranks of this
 * node. NULL: none may, in a checked world, where memory is short, and where a get needs a barrier that is not
 * inline. */
static scree__global_near *make_near(const scree__global_world *of) {
#if SCREE__STORES_ARE_SEEN_AT_ONCE
  if (!of->world->checked) return calloc((size_t)of->world->threads * of->map.ranks, sizeof(scree__global_near));
#endif
  (void)of;
  return NULL;
}

static void join_all(scree__global_world *of) {
  of->near = make_near(of);
  of->holders = of->world->threads;
  of->shared = is_shared(of);
  for (uint32_t w = 0; w < of->world->threads; w++) {
    scree__worker *me = of->world->worker[w];
    of->own[w] = (scree__globals){.holder.ops = &ops,
                                  .me = me,
                                  .of = of,
                                  .tasks = scree__tasks_of(me),
                                  .outstanding_max = of->options.global_outstanding};
    scree__tasks *tasks = of->own[w].tasks;
    tasks->leave_later = scree__implicit_leave_later;
    of->own[w].front = (scree__global_front){.current = &tasks->current,
                                             .serial = &tasks->serial,
                                             .map = of->map,
                                             .threads = me->head.threads,
                                             .taking = 1,
                                             .failed = &me->failed,
                                             .near = of->near ? of->near + (size_t)w * of->map.ranks : NULL};
    of->own[w].alone = me->head.threads == 1 && !of->shared;
    me->head.above = &of->own[w].front;
    scree__holder_join(me, &of->own[w].holder);
  }
}

static scree__global_world *make(scree_world *world, const scree__global_options *options) {
  const uint64_t unit = options->global_stripe > PAGE ? options->global_stripe : PAGE;
  scree__global_world *of = calloc(1, sizeof *of);
  if (!of) return NULL;
  of->world = world;
  of->options = *options;
  of->random = scree__hash(world->ranks);
  of->own = aligned_alloc(SCREE__LINE, world->threads * sizeof *of->own);
  scree_global_map_init(&of->map, world->ranks, scree__round_up(options->global_heap, unit), options->global_stripe);
  const bool made =
      world->rank != 0 || scree__allocator_open(&of->allocator, world->ranks, of->map.heap, options->global_stripe,
                                                (uint32_t)scree__hash((uintptr_t)of ^ scree__now(world->worker[0])),
                                                (uint32_t)scree__numbers_left(&world->options));
  if (made && of->own && scree__windows_open(of)) return of;
  discard(of);
  return NULL;
}

/* What each rank has found wrong, and the options that have to be the same. */
typedef struct {
  uint64_t status, stripe;
} opinion;
_Static_assert(sizeof(opinion) <= sizeof(scree__registration), "gathered into memory that each world already has");

static scree_status agree(scree_world *world, scree_status mine, uint64_t stripe, const char *why) {
  scree__worker *me = world->worker[0];
  opinion o = {.status = mine, .stripe = stripe}, *all = (void *)world->all_registrations;
  const scree_status status = scree__gather(world, NAME, &o, all, sizeof o);
  if (status) return status;
  if (mine) return scree__misuse(me, mine, NAME, "%s", why);
  for (uint32_t r = 0; r < world->ranks; r++) {
    if (all[r].status)
      return scree__misuse(me, (scree_status)all[r].status, NAME,
                           "rank %u has refused its options: its text has the reason", r);
    if (all[r].stripe != all[0].stripe)
      return scree__misuse(me, SCREE_EINVAL, NAME,
                           "global_stripe is %llu on rank 0, %llu on rank %u: set the same on all",
                           (unsigned long long)all[0].stripe, (unsigned long long)all[r].stripe, r);
  }
  return SCREE_OK;
}

static scree_status register_tasks(scree__global_world *of) {
  const struct {
    const char *name;
    uint32_t bytes, *id;
    scree__task_fn *fn;
  } types[] = {{"global: allocate", 24, &of->allocate, scree__run_allocate},
               {"global: reserve", 24, &of->reserve, scree__run_reserve},
               {"global: release", 48, &of->release, scree__run_release},
               {"global: withdraw", 16, &of->withdraw, scree__run_withdraw},
               {"global: find", 32, &of->find, scree__run_find},
               {"global: forget", 16, &of->forget, scree__run_forget}};
  scree_status status = SCREE_OK;
  for (uint32_t i = 0; i < sizeof types / sizeof *types && !status; i++)
    status = scree__task_register(of->world, types[i].name, types[i].bytes, types[i].fn, NULL, &of->tasks, types[i].id);
  return status;
}

static scree_status register_messages(scree__global_world *of) {
  enum { FIXED = SCREE__GLOBAL_SIZES - 1, WORDS = 2 * SCREE__GLOBAL_SIZES, COUNT = WORDS + SCREE__WORD_KINDS + 5 };
  const uint32_t head = sizeof(scree__global_request);
  scree_type_desc d[COUNT] = {{0}};
  uint32_t ids[COUNT], n = 0;
  for (; n < FIXED; n++)
    d[n] = (scree_type_desc){
        .name = "global: request", .item = head + scree__global_data[n], .fn = scree__on_global_request};
  d[n++] = (scree_type_desc){.name = "global: request", .fn = scree__on_global_record};
  for (uint32_t i = 0; i < FIXED; i++)
    d[n++] =
        (scree_type_desc){.name = "global: reply", .item = 8 + scree__global_data[i], .fn = scree__on_global_reply};
  d[n++] = (scree_type_desc){.name = "global: reply", .fn = scree__on_global_reply_record};
  for (uint32_t i = 0; i < SCREE__WORD_KINDS; i++)
    d[n++] = (scree_type_desc){.name = "global: word", .item = 16, .fn = scree__on_words};
  d[n++] = (scree_type_desc){.name = "global: words done", .item = 8, .fn = scree__on_words_done};
  d[n++] = (scree_type_desc){.name = "global: gather", .item = 16, .fn = scree__on_gather};
  d[n++] = (scree_type_desc){.name = "global: gathered", .item = 16, .fn = scree__on_gathered};
  d[n++] = (scree_type_desc){.name = "global: scatter", .item = 16, .fn = scree__on_scatter};
  d[n++] = (scree_type_desc){.name = "global: scattered", .item = 8, .fn = scree__on_scattered};
  for (uint32_t i = 0; i < COUNT; i++) {
    d[i].size = sizeof *d;
    d[i].flags = d[i].item ? SCREE_TO_WORKER | SCREE_ROUTED : SCREE_TO_WORKER;
    d[i].arg = i < WORDS ? (void *)(uintptr_t)&scree__global_data[i % SCREE__GLOBAL_SIZES]
                         : (void *)(uintptr_t)(i - WORDS + SCREE__GLOBAL_PUT);
  }
  const scree_status status = scree_register_all(of->world, d, COUNT, ids);
  memcpy(of->request, ids, sizeof of->request);
  memcpy(of->reply, ids + SCREE__GLOBAL_SIZES, sizeof of->reply);
  for (uint32_t w = 0; w < of->world->threads; w++)
    memcpy(of->own[w].front.type, ids + WORDS, sizeof of->own[w].front.type);
  const uint32_t *further = ids + WORDS + SCREE__WORD_KINDS;
  of->words_done = further[0];
  of->gather = further[1];
  of->gathered = further[2];
  of->scatter = further[3];
  of->scattered = further[4];
  return status;
}

static scree_status open_with(scree_world *world, scree__global_world *of) {
  scree_status status = scree__node_memory_open(world, NAME, of->map.heap, false,
                                                of->options.global_direct != SCREE_GLOBAL_DIRECT_OFF, &of->memory);
  if (status) {
    discard(of);
    return status;
  }
  of->map.area = of->memory.area;
  join_all(of);
  status = register_tasks(of);
  return status ? status : register_messages(of);
}

scree_status scree_global_open(scree_world *world, const scree_global_options *options) {
  scree__global_options own;
  char why[256] = "no memory: free memory on this host";
  const scree_status refused = scree__in_idle_world(world, NAME);
  if (refused) return refused;
  if (scree__agreed(world)) return scree__agreed(world);
  scree__worker *me = world->worker[0];
  if (!scree__tasks_of(me) || scree__globals_of(me))
    return scree__misuse(me, SCREE_ESTATE, NAME, "%s",
                         scree__globals_of(me) ? "the world has global memory already: open it once"
                                               : "the world has no tasks: call scree_tasks_open first");
  const bool legal = read_options(&own, options, why, sizeof why) == 0;
  scree__global_world *of = legal ? make(world, &own) : NULL;
  const scree_status mine = of ? SCREE_OK : legal ? SCREE_ENOMEM : SCREE_EINVAL;
  const scree_status status = agree(world, mine, legal ? own.global_stripe : 0, why);
  if (!status) return open_with(world, of);
  if (of) discard(of);
  return status;
}
