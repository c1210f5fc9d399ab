/* register.c - registering types: what each needs on this rank, and the check that all ranks register the same. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/huge.h"
#include "core/epoch.h"
#include "core/fail.h"
#include "core/holder.h"
#include "core/pass.h"
#include "core/progress.h"
#include "core/send.h"
#include "thread/page_offset.h"

enum { MIN_VARIABLE_BLOCK = 4096 };
#define REFUSE(world, status, ...) scree__misuse((world)->worker[0], status, "scree_register", __VA_ARGS__)

static scree_status grow_table(void **table, size_t count, size_t size) {
  void *bigger = realloc(*table, count * size);
  if (!bigger) return SCREE_ENOMEM;
  *table = bigger;
  return SCREE_OK;
}

/* As many as fit in the pages that are taken anyway. A send by an unknown id finds lanes without space in them. */
static bool grow_rows(scree__lane_row **table, size_t count, scree__lane *closed) {
  const size_t end = SCREE__TYPES_OFFSET + count * sizeof **table, at = end + SCREE__PAGE - 1;
  const size_t rows = (at / SCREE__PAGE * SCREE__PAGE - SCREE__TYPES_OFFSET) / sizeof **table;
  scree__lane_row *bigger = scree__alloc_at(SCREE__TYPES_OFFSET, rows * sizeof *bigger);
  if (!bigger) return false;
  for (size_t i = 0; i < rows; i++) bigger[i] = (scree__lane_row){closed, 0};
  if (*table) memcpy(bigger, *table, (count - 1) * sizeof *bigger);
  scree__free_at(*table);
  *table = bigger;
  return true;
}

/* Where no type is routed, programs see the lanes themselves. */
static bool grow_lanes(scree__worker *me, size_t count) {
  const bool apart = scree__route_classes_of(me->world) > 1;
  void *by_hop = me->lanes.by_hop;
  scree__lane *closed = me->world->hops.closed;
  bool made = grow_rows(&me->lanes.row, count, closed) && (!apart || grow_rows(&me->lanes.shown, count, closed));
  if (made && apart) made = grow_table(&by_hop, count, sizeof *me->lanes.by_hop) == SCREE_OK;
  me->head.by_hop = me->lanes.by_hop = by_hop;
  me->head.row = apart ? me->lanes.shown : me->lanes.row;
  me->head.types = (uint32_t)count - 1;
  return made;
}

static bool grow_worker(scree__worker *me, size_t count) {
  void *state = me->lanes.state, *arrivals = me->in.arrivals;
  bool bad =
      grow_table(&state, count, sizeof *me->lanes.state) || grow_table(&arrivals, count, sizeof *me->in.arrivals);
  me->lanes.state = state;
  me->in.arrivals = arrivals;
  return !bad && grow_lanes(me, count);
}

static bool grow_tables(scree_world *world, size_t count) {
  void *types = world->types;
  bool bad = grow_table(&types, count, sizeof *world->types);
  world->types = types;
  for (uint32_t w = 0; w < world->endpoints && !bad; w++) bad = !grow_worker(world->worker[w], count);
  return !bad;
}

uint32_t scree__lanes_made(const scree_world *world, const scree__type *type) {
  return type->next ? type->lanes : world->worker[0]->head.dests;
}

static scree__lane *new_lanes(uint32_t type, uint32_t count) {
  static char nowhere[1]; /* next == limit: the first send takes the slow path */
  size_t bytes = count * sizeof(scree__lane);
  scree__lane *lane = scree__alloc_at(scree__lanes_offset((type - 1) * bytes), bytes);
  for (uint32_t i = 0; lane && i < count; i++) lane[i] = (scree__lane){nowhere, nowhere};
  return lane;
}

static scree_status no_memory(scree_world *world, const scree_type_desc *desc) {
  return REFUSE(
      world, SCREE_ENOMEM,
      "type '%.47s': no memory for the lanes to %u ranks%s: free memory on this host, or start fewer ranks on it",
      desc->name, world->ranks, desc->sort ? ", or to sort batches (option batch_max)" : "");
}

static void show_lanes(scree__worker *me, uint32_t type, uint32_t dests, uint16_t *const *next) {
  scree__lane *lane = me->lanes.row[type].lane;
  me->lanes.shown[type] = (scree__lane_row){next ? me->world->hops.closed : lane, dests};
  me->lanes.by_hop[type] = (scree__by_hop){next ? next[0] : NULL, lane};
  me->head.routed_types = type + 1;
  me->head.tag = me->endpoint << 16;
}

static bool add_lanes(scree__worker *me, uint32_t type, const scree__type *of) {
  SCREE__INVARIANT(type > 0 && of->lanes > 0 && of->dests > 0);
  me->lanes.row[type] = (scree__lane_row){new_lanes(type, scree__lanes_made(me->world, of)), of->dests};
  if (me->lanes.shown) show_lanes(me, type, of->dests, of->next);
  me->lanes.state[type] = calloc(of->lanes, sizeof **me->lanes.state);
  me->in.arrivals[type] = (scree__arrivals){0};
  return me->lanes.row[type].lane && me->lanes.state[type];
}

/* A batch has batch_max items, or those of the largest block that there can be. */
static bool grow_sorter(scree__worker *me, const scree_type_desc *desc) {
  const uint64_t max = ((uint64_t)SCREE__BLOCK_MAX + desc->item - 1) / desc->item, set = me->world->options.batch_max;
  const size_t count = (size_t)(set < max ? set : max);
  return scree__sorter_grow(&me->in.sorter, count, count * desc->item);
}

/* The rows of no type, and what features print of them. */
static void close_row(scree__worker *me, uint32_t type) {
  me->lanes.row[type] = (scree__lane_row){me->world->hops.closed, 0};
  if (me->lanes.shown) me->lanes.shown[type] = me->lanes.row[type];
  if (me->lanes.by_hop) me->lanes.by_hop[type] = (scree__by_hop){0};
}

/* A type that may be the one that is being registered. */
static void drop_type(scree_world *world, uint32_t type) {
  for (uint32_t w = 0; w < world->endpoints; w++) {
    scree__worker *me = world->worker[w];
    scree__drop_reassemblies(&me->in.arrivals[type]);
    scree__free_at(me->lanes.row[type].lane);
    free(me->lanes.state[type]);
    close_row(me, type);
  }
  SCREE__FEATURES(f, world)
  if ((*f)->drop_type) (*f)->drop_type(world, type);
}

bool scree__types_open(scree_world *world) {
  if (!grow_tables(world, 1)) return false;
  *world->types = (scree__type){0};
  for (uint32_t w = 0; w < world->endpoints; w++) close_row(world->worker[w], 0);
  SCREE__FEATURES(f, world)
  if ((*f)->open) (*f)->open(world);
  return true;
}

void scree__types_free(scree_world *world) {
  for (uint32_t i = 1; i <= world->type_count; i++) drop_type(world, i);
  for (uint32_t w = 0; w < world->endpoints; w++) {
    scree__worker *me = world->worker[w];
    scree__free_at(me->lanes.row);
    scree__free_at(me->lanes.shown);
    free(me->lanes.by_hop);
    free(me->lanes.state);
    free(me->in.arrivals);
  }
  free(world->types);
  world->types = NULL;
  world->type_count = 0;
}

static uint8_t class_of(const scree_world *world, uint32_t flags) {
  return (uint8_t)(scree__direct_class(world->worker[0]) + (flags & SCREE_URGENT ? world->urgent : 0));
}

/* Everything that can fail, before the ranks compare. */
static scree_status prepare_type(scree_world *world, const scree_type_desc *desc) {
  uint16_t *const *next = scree__hops_of(world, desc->flags);
  uint32_t i = world->type_count + 1,
           dests = desc->flags & SCREE_TO_WORKER ? world->ranks * world->threads : world->ranks;
  const uint32_t within = desc->flags & SCREE_TO_WORKER ? world->threads : 0; /* lanes to workers of this rank */
  const uint32_t lanes = next ? world->hops.count + within : dests;
  if (!grow_tables(world, i + 1)) return no_memory(world, desc);
  scree__type *type = &world->types[i];
  *type = (scree__type){.item = desc->item,
                        .flags = desc->flags,
                        .record = desc->item + (next ? SCREE__TAG : 0),
                        .hop_class = class_of(world, desc->flags),
                        .fn = desc->fn,
                        .handler = desc->fn,
                        .sort = desc->sort,
                        .arg = desc->arg,
                        .dests = dests,
                        .next = next,
                        .lanes = lanes};
  bool made = true;
  for (uint32_t w = 0; w < world->endpoints; w++) {
    made &= add_lanes(world->worker[w], i, type);
    if (desc->sort) made &= grow_sorter(world->worker[w], desc);
  }
  SCREE__FEATURES(f, world)
  if ((*f)->add_type) made &= (*f)->add_type(world, desc, type);
  if (!made) {
    drop_type(world, i);
    return no_memory(world, desc);
  }
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

/* True if a newer release's description sets a field that this release does not know. */
static bool has_more(const scree_type_desc *given) {
  for (size_t i = sizeof *given; i < given->size; i++)
    if (((const char *)given)[i]) return true;
  return false;
}

static scree_status check_urgent(scree_world *world, const scree_type_desc *desc) {
  if (!(desc->flags & SCREE_URGENT) || world->urgent) return SCREE_OK;
  return REFUSE(world, SCREE_EINVAL,
                "type '%s' with SCREE_URGENT, and the option urgent_types is off: set it to on "
                "(SCREE_URGENT_TYPES=on, or scree_options.urgent_types), or register the type without the flag",
                desc->name);
}

static uint32_t features_flags(const scree_world *world) {
  uint32_t flags = 0;
  SCREE__FEATURES(f, world) flags |= (*f)->flags;
  return flags;
}

static scree_status check_desc(scree_world *world, const scree_type_desc *desc, const scree_type_desc *given) {
  if (!desc->size || !desc->name || !desc->fn)
    return REFUSE(world, SCREE_EINVAL, "description without size, name or handler: use NAME_register");
  if (has_more(given))
    return REFUSE(world, SCREE_EINVAL,
                  "type '%s': the description (%zu bytes) sets fields that this release of the library does "
                  "not have (it knows %zu bytes): leave them zero, or use the program's own release",
                  desc->name, desc->size, sizeof *desc);
  if (desc->sort && !desc->item)
    return REFUSE(
        world, SCREE_EINVAL,
        "type '%s': sort with a variable length, legal: NULL, or an item of 1..%d bytes: let the handler sort "
        "its records",
        desc->name, SCREE_ITEM_MAX);
  const bool routed = desc->flags & SCREE_ROUTED;
  const uint32_t max = SCREE_ITEM_MAX - (routed ? SCREE__TAG : 0);
  if (desc->item > max)
    return REFUSE(world, SCREE_EINVAL,
                  "type '%s': item of %u bytes, legal 1..%u: send larger ones as a variable-length type", desc->name,
                  desc->item, max);
  const uint32_t flags = desc->flags & ~features_flags(world);
  const uint32_t plain = flags & ~(uint32_t)(SCREE_ROUTED | SCREE_ANY_SOURCE | SCREE_URGENT);
  if (routed && (plain > SCREE_TO_WORKER || !desc->item))
    return REFUSE(world, SCREE_EINVAL,
                  "routed type '%s': flags %u, item of %u bytes, legal: 0, SCREE_SERIAL (%d) or SCREE_TO_WORKER (%d), "
                  "with SCREE_ANY_SOURCE (%d) or SCREE_URGENT (%d) or without, and a fixed size",
                  desc->name, desc->flags - SCREE_ROUTED, desc->item, SCREE_SERIAL, SCREE_TO_WORKER, SCREE_ANY_SOURCE,
                  SCREE_URGENT);
  if (!routed && (flags & ~(uint32_t)SCREE_URGENT) > SCREE_TO_WORKER)
    return REFUSE(world, SCREE_EINVAL,
                  "type '%s': flags %u, legal: 0, SCREE_SERIAL (%d) or SCREE_TO_WORKER (%d), with SCREE_URGENT "
                  "(%d) or without; SCREE_ANY_SOURCE (%d) is for routed types",
                  desc->name, desc->flags, SCREE_SERIAL, SCREE_TO_WORKER, SCREE_URGENT, SCREE_ANY_SOURCE);
  scree_status status = check_urgent(world, desc);
  SCREE__FEATURES(f, world)
  if (!status && (*f)->check_type) status = (*f)->check_type(world, desc);
  return status ? status : prepare_type(world, desc);
}

/* The same verdict, and the same text, on every rank. */
static scree_status compare(scree_world *world) {
  const scree__registration *all = world->all_registrations;
  for (uint32_t r = 0; r < world->ranks; r++) {
    if (all[r].status && all[world->rank].status) return (scree_status)all[r].status; /* this rank has set its text */
    if (all[r].status)
      return scree__misuse(
          world->worker[0], (scree_status)all[r].status, "scree_register", "type '%.47s' refused on rank %u: %s%s",
          all[r].name, r, scree_status_text((scree_status)all[r].status),
          all[r].status == SCREE_ENOMEM ? ": free memory on its host, or start fewer ranks on it" : "");
    if (memcmp(&all[0], &all[r], offsetof(scree__registration, digest)) != 0)
      return scree__misuse(
          world->worker[0], SCREE_EINVAL, "scree_register",
          "types differ: rank 0 registers '%.47s' (%u bytes, flags %u, number %u), rank %u '%.47s' (%u "
          "bytes, flags %u, number %u): register the same types in the same order on all ranks",
          all[0].name, all[0].item, all[0].flags, all[0].index, r, all[r].name, all[r].item, all[r].flags,
          all[r].index);
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
    scree__pool_reset(&me->out.self_pool, need);
    for (uint32_t c = 0; c < world->classes; c++) me->path[c]->ops->set_min_block(me->path[c], need);
    scree__spares_free(me);
  }
}

/* Gathers each rank's description of a type, and compares them. */
static scree_status agree_on_type(scree_world *world, const scree__registration *mine) {
  scree_status status = scree__gather(world, "scree_register", mine, world->all_registrations, sizeof *mine);
  return status == SCREE_OK ? compare(world) : status;
}

/* What this rank registers as that type; if fewer, "(none)" and a byte that no type's name has. */
static scree__registration registration_of(const scree_world *world, uint32_t type) {
  scree__registration r = {.name = "(none)\0-", .index = type};
  if (!scree__has_type(world, type)) return r;
  const scree__type *of = &world->types[type];
  r.item = of->item;
  r.flags = of->flags;
  memcpy(r.name, of->name, sizeof r.name);
  return r;
}

/* Digests all types from `first` on, in which bytes after a name are zero. */
static uint64_t digest(const scree_world *world, uint32_t first) {
  uint64_t sum = 0;
  for (uint32_t i = first; i <= world->type_count; i++) {
    const scree__registration r = registration_of(world, i);
    for (size_t k = 0; k < sizeof r; k++) sum = scree__hash(sum + ((const unsigned char *)&r)[k]);
  }
  return sum;
}

/* The ranks agree on type `first`; if their digests differ, so does one of the types after it. */
static scree_status compare_others(scree_world *world, uint32_t first) {
  scree_status status = SCREE_OK;
  bool differ = false;
  for (uint32_t r = 1; r < world->ranks; r++)
    differ |= world->all_registrations[r].digest != world->all_registrations[0].digest;
  for (uint32_t i = first + 1; differ && !status; i++) {
    const scree__registration mine = registration_of(world, i);
    status = agree_on_type(world, &mine);
  }
  return status;
}

/* Prepares them, as far as the first that is refused. What the ranks compare: that one, or the first and the digest. */
static scree__registration prepare_types(scree_world *world, const scree_type_desc *given, uint32_t count) {
  const uint32_t first = world->type_count + 1;
  for (uint32_t i = 0; i < count; i++, world->type_count++) {
    const scree_type_desc *next = i ? (const void *)((const char *)given + i * given->size) : given;
    const scree_type_desc desc = i && next->size != given->size ? (scree_type_desc){0} : read_desc(next);
    scree__registration refused = {.status = check_desc(world, &desc, next), .index = world->type_count + 1};
    if (!refused.status) continue;
    if (desc.name) snprintf(refused.name, sizeof refused.name, "%s", desc.name);
    return refused;
  }
  scree__registration mine = registration_of(world, first);
  mine.digest = digest(world, first);
  return mine;
}

scree_status scree_register_all(scree_world *world, const scree_type_desc *descs, uint32_t count, uint32_t *ids) {
  scree_status status = scree__in_idle_world(world, "scree_register");
  if (!status) status = scree__agreed(world);
  for (uint32_t i = 0; ids && i < count; i++) ids[i] = 0;
  if (status) return status;
  if (count && (!descs || !ids)) {
    scree__misuse(world->worker[0], SCREE_EINVAL, "scree_register", "no %s: pass one that is not NULL",
                  descs ? "place for the id" : "description");
    return scree__refuse_type(world, "", SCREE_EINVAL);
  }
  const uint32_t first = world->type_count + 1;
  const scree__registration mine = prepare_types(world, descs, count);
  status = agree_on_type(world, &mine);
  if (!status) status = compare_others(world, first);
  while (status && world->type_count >= first) drop_type(world, world->type_count--);
  for (uint32_t i = first; i <= world->type_count; i++) {
    set_min_block(world, world->types[i].record);
    ids[i - first] = i;
  }
  return status;
}

scree_status scree_register(scree_world *world, const scree_type_desc *desc, uint32_t *id) {
  return scree_register_all(world, desc, 1, id);
}

scree_status scree__refuse_type(scree_world *world, const char *name, scree_status status) {
  scree__registration refused = {.status = status, .index = world->type_count};
  snprintf(refused.name, sizeof refused.name, "%s", name);
  return agree_on_type(world, &refused);
}

scree_status scree__address(scree_world *world, const char *name, uint32_t type, uint32_t owner, uint64_t index,
                            size_t narrow) {
  char call[SCREE__NAME + 16];
  scree__worker *me = world->worker[0];
  snprintf(call, sizeof call, "%.*s_address", SCREE__NAME, name);
  const scree_status refused = scree__in_idle_world(world, call);
  if (refused) return refused;
  if (scree__agreed(world)) return scree__agreed(world);
  if (!scree__has_type(world, type))
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
