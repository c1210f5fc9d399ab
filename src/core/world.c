/* world.c - making a world on a transport, registering types, closing: the cold, collective side of the core. */
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "base/huge.h"
#include "base/page_offset.h"
#include "core/world.h"

#define IN_RUN "called inside scree_run_workers: call it behind"
enum { MIN_BLOCK = 1024, MIN_VARIABLE_BLOCK = 4096 };

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
  scree__pool *pool = &me->self_pool;
  size_t bytes = world->memory < 2 * SCREE_ITEM_MAX + 128 ? 2 * SCREE_ITEM_MAX + 128 : world->memory;
  void *arena = scree__huge_alloc(bytes, world->options.huge_pages, true);
  if (!arena) return false;
  *pool = (scree__pool){.arena = arena, .bytes = bytes, .granted = bytes, .storage = SCREE__STORAGE_SELF};
  pool->max = (uint32_t)world->options.pool_blocks;
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
  me->endpoint = at->endpoint;
  scree__detector_choose(me);
  scree__ignore_past_requests(me);
  const size_t queues = (size_t)me->world->classes * at->endpoints;
  me->waiting = calloc(queues, sizeof *me->waiting);
  me->waiting_dests = calloc(queues, sizeof *me->waiting_dests);
  me->is_waiting = calloc(queues, sizeof *me->is_waiting);
  me->sink = malloc((size_t)2 * SCREE__RECORD_MAX);
  return me->waiting && me->waiting_dests && me->is_waiting && me->sink && make_self_pool(me);
}

static void free_lanes(scree__worker *me) {
  for (uint32_t i = 0; i < me->world->type_count; i++) {
    scree__drop_reassemblies(&me->arrivals[i]);
    scree__free_at(me->lane[i]);
    free(me->state[i]);
    scree__caches_free(me, i);
  }
  free(me->caches);
  free(me->kept);
  scree__free_at(me->lane);
  scree__free_at(me->shown);
  free(me->by_hop);
  free(me->state);
  free(me->arrivals);
}

static void free_spares(scree__worker *me) {
  for (; me->spare; me->spares--) {
    scree__block *block = me->spare;
    me->spare = block->next;
    free(block);
  }
}

static void free_worker(scree__worker *me) {
  free_lanes(me);
  free_spares(me);
  scree_huge_free(me->self_pool.arena);
  free(me->waiting);
  free(me->waiting_dests);
  free(me->is_waiting);
  free(me->sink);
  scree__sorter_free(&me->sorter);
  scree__free_at(me);
}

/* A peer that one worker has lost is lost to the rank. */
static void close_transports(scree_world *world) {
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
  for (uint32_t w = 0; w < world->endpoints; w++) free_worker(world->worker[w]);
  scree__tracing_free(world);
  scree__hops_close(world);
  free(world->types);
  if (!world->faults[0].abandoned) free(world->notices);
  free(world->all_registrations);
  scree__free_at(world);
}

scree_world *scree__world_new(uint32_t threads, uint32_t endpoints) {
  _Static_assert(offsetof(scree__worker, head) + sizeof(scree_worker) <= SCREE__TYPES_OFFSET, "what sends read of it");
  scree_world *world = scree__alloc_at(0, sizeof *world);
  if (!world) return NULL;
  pthread_mutex_init(&world->team.lock, NULL);
  pthread_cond_init(&world->team.changed, NULL);
  pthread_mutex_init(&world->raising, NULL);
  world->taking = world->classes = 1;
  world->threads = threads;
  for (; world->endpoints < endpoints; world->endpoints++) {
    scree__worker *me = scree__alloc_at(SCREE__WORKER_OFFSET, sizeof *me);
    if (!me) return scree__world_free(world), NULL;
    me->world = world;
    me->ring = &world->rings[world->endpoints];
    world->worker[world->endpoints] = me;
  }
  return world;
}

static void start_counters(const scree__worker *me) {
  scree__node_slot *slot = &me->transport->slots[me->transport->topology->node_index];
  AO_store(&slot->created, me->world->options.counter_start);
  AO_store(&slot->completed, me->world->options.counter_start);
}

static void set_paths(scree_world *world, uint32_t classes, scree__transport *const *paths) {
  world->classes = classes;
  for (uint32_t i = 0; i < classes * world->endpoints; i++)
    world->worker[i % world->endpoints]->path[i / world->endpoints] = paths[i];
  for (uint32_t w = 0; w < world->endpoints; w++) world->worker[w]->transport = world->worker[w]->path[0];
}

scree_status scree__world_init(scree_world *world, const scree_options *options, uint32_t classes,
                               scree__transport *const *paths) {
  const scree__topology *at = paths[0]->topology;
  set_paths(world, classes, paths);
  world->urgent = options->urgent == SCREE_URGENT_TYPES_ON;
  world->rank = scree__topology_rank(at);
  world->ranks = scree__topology_ranks(at);
  world->options = *options;
  world->checked = world->options.checked;
  world->min_block = MIN_BLOCK;
  world->memory = world->options.memory / classes / world->endpoints;
  world->overflow_max = world->options.overflow_max;
  if (!world->overflow_max) world->overflow_max = share_of_memory(at->local_ranks) / 4;
  world->overflow_max /= world->endpoints;
  world->all_registrations =
      calloc(world->ranks, sizeof(scree__registration)); /* here, where all ranks agree on success */
  bool made = world->all_registrations && make_notices(world) && scree__hops_open(world);
  for (uint32_t w = 0; w < world->endpoints && made; w++) made = make_worker(world->worker[w]);
  if (!made) {
    scree__fault_no_memory(&world->faults[0], SCREE_ITEM_MAX + world->options.memory, "messages to itself");
    return SCREE_ENOMEM;
  }
  for (uint32_t w = 0; w < world->endpoints; w++) start_counters(world->worker[w]);
  return scree__team_open(world);
}

scree_worker *scree_worker_of(scree_world *world, uint32_t w) {
  return w < world->threads ? &world->worker[w]->head : NULL;
}

uint32_t scree_node_ranks(const scree_world *world) {
  return world->worker[0]->transport->topology->local_ranks;
}

const char *scree_thread_level(const scree_world *world) {
  return world->thread_level ? world->thread_level : "none";
}

scree_world *scree_world_of(scree_worker *worker) {
  return scree__worker_of(worker)->world;
}

const scree_options *scree_options_of(const scree_world *world) {
  return &world->options;
}

void scree_hang_hook(scree_world *world, scree_hang_fn *hook, void *arg) {
  if (scree__dropped(world->worker[0], "scree_hang_hook", SCREE_ALL)) return;
  world->hang_hook = hook;
  world->hang_arg = arg;
}

/* ---- registration ---- */

static scree_status grow_table(void **table, size_t count, size_t size) {
  void *bigger = realloc(*table, count * size);
  if (!bigger) return SCREE_ENOMEM;
  *table = bigger;
  return SCREE_OK;
}

static bool grow_lane_table(scree__lane ***table, size_t count) {
  scree__lane **bigger = scree__alloc_at(SCREE__TYPES_OFFSET, count * sizeof *bigger);
  if (!bigger) return false;
  if (*table) memcpy(bigger, *table, (count - 1) * sizeof *bigger);
  scree__free_at(*table);
  *table = bigger;
  return true;
}

/* Where no type is routed, programs see the lanes themselves. */
static bool grow_lanes(scree__worker *me, size_t count) {
  const bool apart = scree__route_classes_of(me->world) > 1;
  void *by_hop = me->by_hop;
  bool made = grow_lane_table(&me->lane, count) && (!apart || grow_lane_table(&me->shown, count));
  if (made && apart) made = grow_table(&by_hop, count, sizeof *me->by_hop) == SCREE_OK;
  me->head.by_hop = me->by_hop = by_hop;
  me->head.lane = (scree__lane *const *)(apart ? me->shown : me->lane);
  return made;
}

static bool grow_worker(scree__worker *me, size_t count) {
  void *state = me->state, *arrivals = me->arrivals;
  bool bad = grow_table(&state, count, sizeof *me->state) || grow_table(&arrivals, count, sizeof *me->arrivals);
  me->state = state;
  me->arrivals = arrivals;
  return !bad && grow_lanes(me, count);
}

static bool grow_tables(scree_world *world, size_t count) {
  void *types = world->types;
  bool bad = grow_table(&types, count, sizeof *world->types);
  world->types = types;
  for (uint32_t w = 0; w < world->endpoints && !bad; w++) bad = !grow_worker(world->worker[w], count);
  return !bad;
}

static scree__lane *new_lanes(uint32_t type, uint32_t count) {
  static char nowhere[1]; /* next == limit: the first send takes the slow path */
  size_t bytes = count * sizeof(scree__lane);
  scree__lane *lane = scree__alloc_at(scree__lanes_offset(type * bytes), bytes);
  for (uint32_t i = 0; lane && i < count; i++) lane[i] = (scree__lane){nowhere, nowhere};
  return lane;
}

static scree_status no_memory(scree_world *world, const scree_type_desc *desc) {
  return scree__misuse(world->worker[0], SCREE_ENOMEM, "scree_register",
                       "type '%.47s': no memory for the lanes to %u ranks%s: free memory on this host, or start fewer "
                       "ranks on it",
                       desc->name, world->ranks, desc->sort ? ", or to sort batches (option batch_max)" : "");
}

static void show_lanes(scree__worker *me, uint32_t type, uint16_t *const *next) {
  me->shown[type] = next ? me->world->hops.closed : me->lane[type];
  me->by_hop[type] = (scree__by_hop){next ? next[0] : NULL, me->lane[type]};
  me->head.routed_types = type + 1;
  me->head.tag = me->endpoint << 16;
}

static bool add_lanes(scree__worker *me, uint32_t type, uint32_t lanes, uint16_t *const *next) {
  me->lane[type] = new_lanes(type, lanes);
  if (me->shown) show_lanes(me, type, next);
  me->state[type] = calloc(lanes, sizeof **me->state);
  me->arrivals[type] = (scree__arrivals){0};
  return me->lane[type] && me->state[type];
}

/* A batch has batch_max items, or those of the largest block that there can be. */
static bool grow_sorter(scree__worker *me, const scree_type_desc *desc) {
  const uint64_t most = ((uint64_t)SCREE__BLOCK_MAX + desc->item - 1) / desc->item, set = me->world->options.batch_max;
  const size_t count = (size_t)(set < most ? set : most);
  return scree__sorter_grow(&me->sorter, count, count * desc->item);
}

static void drop_last_type(scree_world *world) {
  for (uint32_t w = 0; w < world->endpoints; w++) {
    scree__free_at(world->worker[w]->lane[world->type_count]);
    free(world->worker[w]->state[world->type_count]);
    scree__caches_free(world->worker[w], world->type_count);
  }
}

static uint8_t class_of(const scree_world *world, uint32_t flags) {
  return (uint8_t)(scree__direct_class(world->worker[0]) + (flags & SCREE_URGENT ? world->urgent : 0));
}

/* Everything that can fail, before the ranks compare. */
static scree_status prepare_type(scree_world *world, const scree_type_desc *desc) {
  uint16_t *const *next = scree__hops_of(world, desc->flags);
  uint32_t i = world->type_count, dests = desc->flags & SCREE_TO_WORKER ? world->ranks * world->threads : world->ranks;
  const uint32_t within = desc->flags & SCREE_TO_WORKER ? world->threads : 0; /* lanes to workers of this rank */
  const uint32_t lanes = next ? world->hops.count + within : dests;
  if (!grow_tables(world, i + 1)) return no_memory(world, desc);
  bool made = true;
  for (uint32_t w = 0; w < world->endpoints; w++) {
    made &= add_lanes(world->worker[w], i, lanes, next);
    if (desc->sort) made &= grow_sorter(world->worker[w], desc);
  }
  made &= scree__caches_make(world, desc, next != NULL);
  if (!made) {
    drop_last_type(world);
    return no_memory(world, desc);
  }
  world->types[i] = (scree__type){.item = desc->item,
                                  .flags = desc->flags,
                                  .record = desc->item + (next ? SCREE__TAG : 0),
                                  .hop_class = class_of(world, desc->flags),
                                  .fn = desc->fn,
                                  .sort = desc->sort,
                                  .arg = desc->arg,
                                  .dests = dests,
                                  .next = next,
                                  .lanes = lanes,
                                  .reduction = desc->reduction};
  world->types[i].handler = desc->fn;
  if (world->tracing) world->types[i].fn = scree__traced_batch;
  snprintf(world->types[i].name, SCREE__NAME, "%s", desc->name);
  return SCREE_OK;
}

/* The fields of the first release; a program of any release has at least these. */
enum { DESC_MIN = offsetof(scree_type_desc, arg) + sizeof(void *) };

/* What the program knows of a description; all else is zero. A size that no release has gives an empty one. */
static scree_type_desc read_desc(const scree_type_desc *given) {
  scree_type_desc desc = {0};
  if (!given || given->size < DESC_MIN) return desc;
  memcpy(&desc, given, given->size < sizeof desc ? given->size : sizeof desc);
  return desc;
}

/* Does a newer release's description hold something that this release does not know? */
static bool has_more(const scree_type_desc *given) {
  for (size_t i = sizeof *given; i < given->size; i++)
    if (((const char *)given)[i]) return true;
  return false;
}

static scree_status check_urgent(scree_world *world, const scree_type_desc *desc) {
  const char *call = "scree_register";
  if (!(desc->flags & SCREE_URGENT)) return SCREE_OK;
  if (!world->urgent)
    return scree__misuse(world->worker[0], SCREE_EINVAL, call,
                         "type '%s' with SCREE_URGENT, and the option urgent is off: set it to on (SCREE_URGENT=on, or "
                         "scree_options.urgent), or register the type without the flag",
                         desc->name);
  if (desc->reduction)
    return scree__misuse(world->worker[0], SCREE_EINVAL, call,
                         "reduced type '%s' with SCREE_URGENT: its messages would wait to be combined: register it "
                         "without the flag, or as a type that is not reduced",
                         desc->name);
  return SCREE_OK;
}

static scree_status check_desc(scree_world *world, const scree_type_desc *desc, const scree_type_desc *given) {
  const char *call = "scree_register";
  scree__worker *me = world->worker[0];
  if (!desc->size || !desc->name || !desc->fn)
    return scree__misuse(me, SCREE_EINVAL, call, "description without size, name or handler: use NAME_register");
  if (has_more(given))
    return scree__misuse(me, SCREE_EINVAL, call,
                         "type '%s': the description (%zu bytes) sets fields that this release of the library does "
                         "not have (it knows %zu bytes): leave them zero, or use the release that the program was "
                         "compiled against",
                         desc->name, desc->size, sizeof *desc);
  if (desc->sort && !desc->item)
    return scree__misuse(me, SCREE_EINVAL, call,
                         "type '%s': sort with a variable length, legal: NULL, or an item of 1..%d bytes: let the "
                         "handler sort its records",
                         desc->name, SCREE_ITEM_MAX);
  const bool routed = desc->flags & SCREE_ROUTED;
  const uint32_t max = SCREE_ITEM_MAX - (routed ? SCREE__TAG : 0);
  if (desc->item > max)
    return scree__misuse(me, SCREE_EINVAL, call,
                         "type '%s': item of %u bytes, legal 1..%u: send larger ones as a "
                         "variable-length type",
                         desc->name, desc->item, max);
  const uint32_t plain = desc->flags & ~(uint32_t)(SCREE_ROUTED | SCREE_ANY_SOURCE | SCREE_UNREDUCED | SCREE_URGENT);
  if (routed && (plain > SCREE_TO_WORKER || !desc->item))
    return scree__misuse(
        me, SCREE_EINVAL, call,
        "routed type '%s': flags %u, item of %u bytes, legal: 0, SCREE_SERIAL (%d) or SCREE_TO_WORKER (%d), "
        "with SCREE_ANY_SOURCE (%d) or SCREE_URGENT (%d) or without, and a fixed size",
        desc->name, desc->flags - SCREE_ROUTED, desc->item, SCREE_SERIAL, SCREE_TO_WORKER, SCREE_ANY_SOURCE,
        SCREE_URGENT);
  if (!routed && (desc->flags & ~(uint32_t)SCREE_URGENT) > SCREE_TO_WORKER)
    return scree__misuse(
        me, SCREE_EINVAL, call,
        "type '%s': flags %u, legal: 0, SCREE_SERIAL (%d) or SCREE_TO_WORKER (%d), with SCREE_URGENT "
        "(%d) or without; SCREE_ANY_SOURCE (%d) is for routed types, SCREE_UNREDUCED (%d) for reduced ones",
        desc->name, desc->flags, SCREE_SERIAL, SCREE_TO_WORKER, SCREE_URGENT, SCREE_ANY_SOURCE, SCREE_UNREDUCED);
  scree_status status = check_urgent(world, desc);
  if (!status) status = scree__caches_check(world, desc);
  return status ? status : prepare_type(world, desc);
}

static bool same(const scree__registration *a, const scree__registration *b) {
  return strncmp(a->name, b->name, SCREE__NAME) == 0 && a->item == b->item && a->flags == b->flags &&
         a->index == b->index;
}

/* The same verdict, and the same text, on every rank. */
static scree_status compare(scree_world *world, const scree__registration *all) {
  for (uint32_t r = 0; r < world->ranks; r++) {
    if (all[r].status && all[world->rank].status) return (scree_status)all[r].status; /* this rank has set its text */
    if (all[r].status)
      return scree__misuse(
          world->worker[0], (scree_status)all[r].status, "scree_register", "type '%.47s' refused on rank %u: %s%s",
          all[r].name, r, scree_status_text((scree_status)all[r].status),
          all[r].status == SCREE_ENOMEM ? ": free memory on its host, or start fewer ranks on it" : "");
    if (strncmp(all[0].name, all[r].name, SCREE__NAME) == 0 && all[0].flags != all[r].flags)
      return scree__misuse(
          world->worker[0], SCREE_EINVAL, "scree_register",
          "types differ: rank 0 registers '%.47s' with flags %u, rank %u with flags %u: register the same "
          "types in the same order on all ranks",
          all[0].name, all[0].flags, r, all[r].flags);
    if (!same(&all[0], &all[r]))
      return scree__misuse(world->worker[0], SCREE_EINVAL, "scree_register",
                           "types differ: rank 0 registers '%.47s' (%u bytes, number %u), rank %u '%.47s' (%u bytes, "
                           "number %u): register the same types in the same order on all ranks",
                           all[0].name, all[0].item, all[0].index, r, all[r].name, all[r].item, all[r].index);
  }
  return SCREE_OK;
}

/* From now on any block holds any item. Private blocks of the old size are freed. */
static void set_min_block(scree_world *world, uint32_t item) {
  uint32_t need = item ? (uint32_t)1 << scree__log2_up(item) : MIN_VARIABLE_BLOCK;
  if (need <= world->min_block) return;
  world->min_block = need;
  for (uint32_t w = 0; w < world->endpoints; w++) {
    scree__worker *me = world->worker[w];
    scree__pool_reset(&me->self_pool, need);
    for (uint32_t c = 0; c < world->classes; c++) me->path[c]->ops->set_min_block(me->path[c], need);
    free_spares(me);
  }
}

static scree_status agree_on_type(scree_world *world, const scree_type_desc *desc, scree_status mine) {
  scree__transport *t = world->worker[0]->transport;
  scree__registration record = {.status = mine, .index = world->type_count};
  if (desc->name) snprintf(record.name, sizeof record.name, "%s", desc->name);
  if (mine == SCREE_OK) {
    record.item = desc->item;
    record.flags = desc->flags;
  }
  scree__registration *all = world->all_registrations;
  scree_status status = t->collective->ops->gather(t->collective, &record, all, sizeof record);
  if (status == SCREE_OK) return compare(world, all);
  return scree__misuse(world->worker[0], status, "scree_register", "type '%.47s': the ranks cannot agree on it: %s",
                       record.name, t->fault->text);
}

scree_status scree__in_idle_world(scree_world *world, const char *call) {
  scree__worker *me = world->worker[0];
  scree_status refused = scree__outside_handlers(me, call);
  if (refused) return refused;
  if (me->in_epoch) return scree__misuse(me, SCREE_ESTATE, call, "an epoch is open: end it first");
  if (world->running) return scree__misuse(me, SCREE_ESTATE, call, IN_RUN);
  return SCREE_OK;
}

scree_status scree_register(scree_world *world, const scree_type_desc *given, uint32_t *id) {
  scree_status refused = scree__in_idle_world(world, "scree_register");
  if (refused) return refused;
  if (scree__agreed(world)) return scree__agreed(world);
  const scree_type_desc desc = read_desc(given);
  scree_status mine = check_desc(world, &desc, given);
  scree_status status = agree_on_type(world, &desc, mine);
  if (status != SCREE_OK) {
    if (mine == SCREE_OK) drop_last_type(world);
    return status;
  }
  set_min_block(world, world->types[world->type_count].record);
  *id = world->type_count++;
  return SCREE_OK;
}

scree_status scree__address(scree_world *world, const char *name, uint32_t type, uint32_t owner, uint64_t index,
                            size_t narrow) {
  char call[SCREE__NAME + 16];
  scree__worker *me = world->worker[0];
  snprintf(call, sizeof call, "%.*s_address", SCREE__NAME, name);
  const scree_status refused = scree__in_idle_world(world, call);
  if (refused) return refused;
  if (scree__agreed(world)) return scree__agreed(world);
  if (type >= world->type_count)
    return scree__misuse(me, SCREE_EINVAL, call, "type %u is not registered with this world (it has %u)", type,
                         world->type_count);
  const uint32_t dests = world->types[type].dests;
  if (owner >= dests)
    return scree__misuse(me, SCREE_EINVAL, call,
                         "the map has owners 0..%u, type '%s' destinations 0..%u: make it of %u", owner,
                         world->types[type].name, dests - 1, dests);
  if (narrow)
    return scree__misuse(
        me, SCREE_EINVAL, call,
        "the map has local indices 0..%llu, and the field of type '%s' that carries them has %zu bytes: "
        "make it wider, or use more ranks",
        (unsigned long long)index, world->types[type].name, narrow);
  return SCREE_OK;
}

/* ---- close ---- */

/* The last epoch, an empty one, is the barrier: in it the ranks agree on a failure that only some of them know of. */
scree_status scree_close(scree_world *world) {
  scree__worker *me = world->worker[0];
  scree_status refused = scree__in_idle_world(world, "scree_close");
  if (refused) return refused;
  if (!scree__agreed(world)) {
    refused = scree_begin(&me->head);
    if (refused) return refused;
    world->poll_count = 0;      /* what they work on may be gone */
    scree_end(&me->head, NULL); /* no rank needs this one any more */
  }
  scree_status status = scree__agreed(world);
  scree__trace_at_close(world);
  scree__stats_at_close(world);
  void (*on_closed)(void) = world->on_closed;
  scree__world_free(world);
  if (on_closed) on_closed();
  return status;
}
