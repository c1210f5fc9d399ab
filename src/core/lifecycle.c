/* lifecycle.c - making a world on a transport, and closing it. */
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "base/huge.h"
#include "core/epoch.h"
#include "core/fail.h"
#include "core/holder.h"
#include "core/pass.h"
#include "core/progress.h"
#include "core/send.h"
#include "core/team.h"
#include "thread/page_offset.h"

enum { MIN_BLOCK = 1024 };

/* ---- open ---- */

/* The memory that this rank may use: the machine's, or the control groups' if that is less, shared by the node. */
static uint64_t share_of_memory(uint32_t local_ranks) {
  const uint64_t if_unknown = UINT64_C(1) << 32;
  uint64_t bytes = scree__memory_limit("");
  return (bytes == UINT64_MAX ? if_unknown : bytes) / local_ranks;
}

/* The pool of a worker's messages to itself. Its pages are allocated when they are touched. */
static bool make_self_pool(scree__worker *me) {
  const scree_world *world = me->world;
  scree__pool *pool = &me->out.self_pool;
  size_t bytes = world->memory < 2 * SCREE_ITEM_MAX + 128 ? 2 * SCREE_ITEM_MAX + 128 : world->memory;
  void *arena = scree__huge_alloc(bytes, world->options.huge_pages, true);
  if (!arena) return false;
  *pool = (scree__pool){.arena = arena, .bytes = bytes, .granted = bytes, .storage = SCREE__STORAGE_SELF};
  pool->max = (uint32_t)world->options.test_pool_blocks;
  scree__pool_allow_large(pool, scree__lane_block(&world->options));
  scree__pool_reset(pool, world->min_block);
  return true;
}

static bool make_notices(scree_world *world) {
  uint32_t count = world->worker[0]->transport->topology->nodes - 1;
  size_t stride = sizeof(scree__block) * 2;
  if (count == 0) return true;
  world->notices = aligned_alloc(SCREE__LINE, count * stride);
  if (!world->notices) return false;
  memset(world->notices, 0, count * stride);
  for (uint32_t i = 0; i < count; i++) {
    world->notices[2 * i].storage = SCREE__STORAGE_FIXED;
    world->notices[2 * i].capacity = sizeof(scree__block);
  }
  return true;
}

static bool make_worker(scree__worker *me) {
  const scree__topology *at = me->transport->topology;
  me->head.rank = scree__topology_rank(at);
  me->head.ranks = scree__topology_ranks(at);
  me->head.index = scree__topology_worker(at);
  me->head.threads = me->world->threads;
  me->head.indices = me->world->endpoints;
  me->head.dests = me->world->ranks * me->world->threads;
  me->endpoint = at->endpoint;
  me->record_id = scree__first_count(&me->world->options, SCREE__COUNTS_RECORDS);
  scree__detection_init(&me->end, me->transport, me->world->threads, me->world->endpoints, &me->world->options,
                        &me->world->page, me->tracer.ring);
  scree__ignore_past_requests(me);
  const size_t queues = (size_t)me->world->classes * at->endpoints;
  me->out.waiting = calloc(queues, sizeof *me->out.waiting);
  me->out.waiting_dests = calloc(queues, sizeof *me->out.waiting_dests);
  me->out.is_waiting = calloc(queues, sizeof *me->out.is_waiting);
  me->sink = malloc((size_t)2 * SCREE__RECORD_MAX);
  return me->out.waiting && me->out.waiting_dests && me->out.is_waiting && me->sink && make_self_pool(me);
}

static void free_worker(scree__worker *me) {
  while (me->holders) {
    scree__holder *gone = me->holders;
    me->holders = gone->next;
    gone->ops->free(gone);
  }
  scree__spares_free(me);
  scree_huge_free(me->out.self_pool.arena);
  free(me->out.waiting);
  free(me->out.waiting_dests);
  free(me->out.is_waiting);
  free(me->sink);
  scree__sorter_free(&me->in.sorter);
  scree__free_at(me);
}

/* A peer that one worker has lost is lost to the rank. If a gather has failed, some ranks may still be in it, on the
 * communicator of the world; if a send has failed, its message may still arrive there. All ranks know of it, and none
 * uses the communicator any more. */
static void close_transports(scree_world *world) {
  world->faults[0].abandoned |= scree__is_abandoned(AO_load(&world->agreed));
  for (uint32_t w = 1; w < world->endpoints; w++) {
    world->faults[0].lost |= world->faults[w].lost;
    world->faults[0].abandoned |= world->faults[w].abandoned;
  }
  for (uint32_t c = world->classes; c-- > 0;)
    for (uint32_t w = world->endpoints; w-- > 0;) {
      scree__transport *t = world->worker[w]->path[c];
      if (t) t->ops->close(t);
    }
}

/* The parts that scree__world_new has made, at least. */
void scree__world_free(scree_world *world) {
  scree__team_close(world);
  if (scree__here() && scree__here()->world == world) *scree__here_slot() = NULL;
  close_transports(world);
  scree__types_free(world);
  SCREE__FEATURES(f, world)
  if ((*f)->free) (*f)->free(world);
  for (uint32_t w = 0; w < world->endpoints; w++) free_worker(world->worker[w]);
  scree__hops_close(world);
  if (!world->faults[0].abandoned) free(world->notices);
  if (!world->faults[0].abandoned) free(world->all_registrations);
  scree__free_at(world);
}

scree_world *scree__world_new(uint32_t threads, uint32_t endpoints, const scree__feature *const *features) {
  _Static_assert(offsetof(scree__worker, head) + sizeof(scree_worker) <= SCREE__TYPES_OFFSET, "what sends read of it");
  scree_world *world = scree__alloc_at(0, sizeof *world);
  if (!world) return NULL;
  pthread_mutex_init(&world->team.lock, NULL);
  pthread_cond_init(&world->team.changed, NULL);
  pthread_mutex_init(&world->raising, NULL);
  world->taking = world->classes = 1;
  world->threads = threads;
  world->forks = scree__forks();
  world->features = features;
  for (; world->endpoints < endpoints; world->endpoints++) {
    scree__worker *me = scree__alloc_at(SCREE__WORKER_OFFSET, sizeof *me);
    if (!me) return scree__world_free(world), NULL;
    me->world = world;
    me->tracer.ring = &world->rings[world->endpoints];
    world->worker[world->endpoints] = me;
  }
  return world;
}

static void start_counters(const scree__worker *me) {
  scree__node_slot *slot = &me->transport->slots[me->transport->topology->node_index];
  scree__detection_first(&me->world->options, me->head.index, slot, me->end.group.page);
}

static bool is_idle(const scree__worker *me) {
  return !me->in_epoch && !me->in.handler && !me->lanes.open && !me->out.waiting_count;
}

static void set_paths(scree_world *world, uint32_t classes, scree__transport *const *paths) {
  world->classes = classes;
  for (uint32_t i = 0; i < classes * world->endpoints; i++)
    world->worker[i % world->endpoints]->path[i / world->endpoints] = paths[i];
  for (uint32_t w = 0; w < world->endpoints; w++) world->worker[w]->transport = world->worker[w]->path[0];
}

scree_status scree__world_init(scree_world *world, const scree__options *options, uint32_t classes,
                               scree__transport *const *paths) {
  const scree__topology *at = paths[0]->topology;
  set_paths(world, classes, paths);
  world->urgent = options->urgent_types == SCREE_URGENT_TYPES_ON;
  world->rank = scree__topology_rank(at);
  world->ranks = scree__topology_ranks(at);
  world->options = *options;
  world->team.runs = scree__first_count(options, SCREE__COUNTS_RUNS);
  AO_store(&world->begun, scree__first_count(options, SCREE__COUNTS_TOKENS));
  world->checked = world->options.checked;
  world->min_block = MIN_BLOCK;
  world->memory = world->options.memory / classes / world->endpoints;
  world->overflow_max = world->options.overflow_max;
  if (!world->overflow_max) world->overflow_max = share_of_memory(at->local_ranks) / 4;
  world->overflow_max /= world->endpoints;
  world->all_registrations =
      calloc(world->ranks, sizeof(scree__registration)); /* here, where all ranks agree on success */
  bool made = world->all_registrations && make_notices(world) && scree__hops_open(world) && scree__types_open(world);
  for (uint32_t w = 0; w < world->endpoints && made; w++) made = make_worker(world->worker[w]);
  if (!made) {
    scree__fault_no_memory(&world->faults[0], SCREE_ITEM_MAX + world->options.memory, "messages to itself");
    return SCREE_ENOMEM;
  }
  for (uint32_t w = 0; w < world->endpoints; w++) start_counters(world->worker[w]);
  return scree__team_open(world);
}

scree_worker *scree_worker_of(scree_world *world, uint32_t w) {
  if (!world) return NULL;
  if (w < world->threads) return &world->worker[w]->head;
  scree__worker *me = scree__caller(world);
  if (me)
    scree__refuse(me, SCREE_EINVAL, "scree_worker_of", "worker %u: legal are 0..%u (option threads is %u)", w,
                  world->threads - 1, world->threads);
  return NULL;
}

uint32_t scree_node_ranks(const scree_world *world) {
  return world ? world->worker[0]->transport->topology->local_ranks : 0;
}

const char *scree_thread_level(const scree_world *world) {
  return world && world->thread_level ? world->thread_level : "none";
}

scree_world *scree_world_of(scree_worker *worker) {
  return worker ? scree__worker_of(worker)->world : NULL;
}

const scree_options *scree_options_of(const scree_world *world) {
  return world ? &world->options.user : NULL;
}

/* ---- close ---- */

/* The last epoch, an empty one, is the barrier: in it the ranks agree on a failure that only some of them know of. */
scree_status scree_close(scree_world *world) {
  scree_status refused = scree__in_idle_world(world, "scree_close");
  if (refused) return refused;
  scree__worker *me = world->worker[0];
  if (!scree__agreed(world)) {
    refused = scree_begin(&me->head);
    if (refused) return refused;
    scree__show_call(me, SCREE__CALL_CLOSE);
    scree__polls_forget(world); /* what they work on may be gone */
    scree_end(&me->head, NULL); /* no rank needs this one any more */
  }
  scree_status status = scree__agreed(world);
  SCREE__INVARIANT(me->failed || is_idle(me));
  SCREE__FEATURES(f, world)
  if ((*f)->close) (*f)->close(world);
  scree__show_call(me, SCREE__CALL_CLOSED);
  scree__say_standing(me, false);
  void (*on_closed)(void) = world->on_closed;
  scree__world_free(world);
  if (on_closed) on_closed();
  return status;
}
