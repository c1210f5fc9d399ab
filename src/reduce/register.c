/* register.c - making the caches of a type when it is registered. */
#include <stdlib.h>

#include "core/world.h"

/* What the option says, or the type. */
static uint64_t mode_of(const scree_world *world, uint32_t flags) {
  return flags & SCREE_UNREDUCED ? SCREE_REDUCE_OFF : world->options.reduce;
}

/* Entries of a cache: a power of two. */
static uint32_t entries_of(const scree_world *world, const scree__reduction *reduction) {
  const uint64_t most = world->options.reduce_cache / reduction->entry;
  return most ? (uint32_t)1 << (63 - __builtin_clzll(most)) : 0;
}

static scree_status check_room(scree_world *world, const char *call, const char *name, const scree__reduction *of) {
  const uint32_t entries = entries_of(world, of);
  if (entries >= SCREE__CACHE_MIN) return SCREE_OK;
  return scree__misuse(
      world->worker[0], SCREE_EINVAL, call,
      "reduced type '%s': a cache of %llu bytes holds %u items of %u bytes, legal are %d and more: set "
      "reduce_cache to %u or more, or reduce to off",
      name, (unsigned long long)world->options.reduce_cache, entries, of->entry, SCREE__CACHE_MIN,
      SCREE__CACHE_MIN * of->entry);
}

scree_status scree__caches_check(scree_world *world, const scree_type_desc *desc) {
  const char *call = "scree_register";
  if (desc->flags & SCREE_UNREDUCED && !desc->reduction)
    return scree__misuse(world->worker[0], SCREE_EINVAL, call,
                         "type '%s': flags %u: SCREE_UNREDUCED (%d) is for types of SCREE_MESSAGE_REDUCED or "
                         "SCREE_MESSAGE_FILTERED",
                         desc->name, desc->flags, SCREE_UNREDUCED);
  if (desc->reduction && desc->sort)
    return scree__misuse(
        world->worker[0], SCREE_EINVAL, call,
        "reduced type '%s' with a sort key, legal: NULL: register it as a type that is not reduced, or "
        "sort in its handler",
        desc->name);
  if (!desc->reduction || mode_of(world, desc->flags) == SCREE_REDUCE_OFF) return SCREE_OK;
  return check_room(world, call, desc->name, desc->reduction);
}

/* Tables that reach that type. */
static bool grow(scree__worker *me, uint32_t types) {
  scree__cache *caches = realloc(me->caches, types * sizeof *caches);
  if (caches) me->caches = me->head.cache = caches;
  scree__cache_kept *kept = caches ? realloc(me->kept, types * sizeof *kept) : NULL;
  if (!kept) return false;
  me->kept = kept;
  for (; me->cache_types < types; me->cache_types++) {
    caches[me->cache_types] = (scree__cache){0};
    kept[me->cache_types] = (scree__cache_kept){0};
  }
  return true;
}

static uint32_t log2_of(uint32_t n) {
  return 31 - (uint32_t)__builtin_clz(n);
}

/* What a cache of auto has to combine to stay on; 0: it is not watched. Of all workers alike. */
static uint64_t least_of(const scree_world *world, uint32_t item, const scree__reduction *of, uint64_t mode) {
  return mode == SCREE_REDUCE_AUTO ? 1 + scree__reduce_least(world, item, of->entry, entries_of(world, of)) : 0;
}

/* `type` is, or will be, registered with that `reduction`. */
static bool make(scree__worker *me, uint32_t type, const scree__reduction *of, bool routed, uint64_t least) {
  scree__cache *c = &me->caches[type];
  scree__cache_kept *kept = &me->kept[type];
  kept->room = entries_of(me->world, of);
  kept->entries = calloc(kept->room, of->entry);
  if (of->holds) c->used = malloc(kept->room * sizeof *c->used);
  kept->epoch = (uint64_t)1 << (32 + log2_of(2 * me->transport->topology->endpoints - 1));
  c->to = of->holds ? SCREE__TO | (routed ? me->head.tag : 0) : kept->epoch;
  c->shift = 64 - log2_of(kept->room);
  c->review = least ? c->missed + SCREE__REDUCE_WINDOW : UINT64_MAX;
  kept->seen = c->combined;
  kept->off = false;
  kept->pause = 0;
  kept->least = least;
  return kept->entries && (c->used || !of->holds);
}

bool scree__caches_make(scree_world *world, const scree_type_desc *desc, bool routed) {
  const uint32_t type = world->type_count;
  const scree__reduction *of = desc->reduction;
  const uint64_t mode = mode_of(world, desc->flags);
  const uint64_t least = of ? least_of(world, desc->item, of, mode) : 0;
  bool made = true;
  for (uint32_t w = 0; of && w < world->endpoints; w++) {
    scree__worker *me = world->worker[w];
    made = made && grow(me, type + 1) && (mode == SCREE_REDUCE_OFF || make(me, type, of, routed, least));
  }
  return made;
}

/* The memory of that type's cache; what it has counted stays. */
static void free_entries(scree__worker *me, uint32_t type) {
  free(me->kept[type].entries);
  free(me->caches[type].used);
  me->kept[type].entries = NULL;
  me->kept[type].room = 0;
  me->caches[type].used = NULL;
}

/* Of a type that may be the one that is being registered. */
void scree__caches_free(scree__worker *me, uint32_t type) {
  if (type >= me->cache_types) return;
  free_entries(me, type);
  me->caches[type] = (scree__cache){0};
  me->kept[type] = (scree__cache_kept){0};
}

static scree_status check_mode(scree_world *world, uint32_t type, uint64_t mode) {
  const char *call = "scree_reduce_type";
  scree__worker *me = world->worker[0];
  scree_status refused = scree__outside_handlers(me, call);
  if (refused) return refused;
  if (me->in_epoch || world->running)
    return scree__misuse(me, SCREE_ESTATE, call, "an epoch is open, or scree_run_workers: call it behind");
  if (scree__agreed(world)) return scree__agreed(world);
  if (type >= world->type_count || !world->types[type].reduction)
    return scree__misuse(me, SCREE_EINVAL, call, "type %u is not a reduced type of this world (it has %u types)", type,
                         world->type_count);
  if (mode > SCREE_REDUCE_OFF)
    return scree__misuse(me, SCREE_EINVAL, call, "mode %llu, legal: SCREE_REDUCE_AUTO (%d), _ON (%d) or _OFF (%d)",
                         (unsigned long long)mode, SCREE_REDUCE_AUTO, SCREE_REDUCE_ON, SCREE_REDUCE_OFF);
  return mode == SCREE_REDUCE_OFF ? SCREE_OK
                                  : check_room(world, call, world->types[type].name, world->types[type].reduction);
}

scree_status scree_reduce_type(scree_world *world, uint32_t type, uint64_t mode) {
  scree_status status = check_mode(world, type, mode);
  if (status) return status;
  const scree__type *of = &world->types[type];
  const uint64_t least = least_of(world, of->item, of->reduction, mode);
  bool made = true;
  for (uint32_t w = 0; w < world->endpoints; w++) {
    free_entries(world->worker[w], type);
    if (mode == SCREE_REDUCE_OFF) continue;
    made = made && make(world->worker[w], type, of->reduction, scree__is_routed(of), least);
  }
  if (made) return SCREE_OK;
  for (uint32_t w = 0; w < world->endpoints; w++) free_entries(world->worker[w], type);
  return scree__misuse(world->worker[0], SCREE_ENOMEM, "scree_reduce_type",
                       "type '%s': no memory for caches of %llu bytes: set reduce_cache to less, or reduce to off",
                       of->name, (unsigned long long)world->options.reduce_cache);
}
