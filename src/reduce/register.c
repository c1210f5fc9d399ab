/* register.c - how caches join worlds: what a reduced type needs when it is registered, and switching it later. */
#include <stdlib.h>
#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "reduce/caches.h"

/* The mode of the type, else that of the option. */
static uint64_t mode_of(const scree_world *world, uint32_t flags) {
  return flags & SCREE_UNREDUCED ? SCREE_COMBINE_OFF : world->options.combine;
}

/* Entries of a cache: a power of two. */
static uint32_t entries_of(const scree_world *world, const scree__reduction *reduction) {
  const uint64_t max = world->options.combine_cache / reduction->entry;
  return max ? (uint32_t)1 << (63 - __builtin_clzll(max)) : 0;
}

static scree_status check_room(scree_world *world, const char *call, const char *name, const scree__reduction *of) {
  const uint32_t entries = entries_of(world, of);
  if (entries >= SCREE__CACHE_MIN) return SCREE_OK;
  return scree__misuse(
      world->worker[0], SCREE_EINVAL, call,
      "reduced type '%s': a cache of %llu bytes holds %u items of %u bytes, legal are %d and more: set "
      "combine_cache to %u or more, or combine to off",
      name, (unsigned long long)world->options.combine_cache, entries, of->entry, SCREE__CACHE_MIN,
      SCREE__CACHE_MIN * of->entry);
}

static scree_status check_type(scree_world *world, const scree_type_desc *desc) {
  const char *call = "scree_register";
  if (desc->flags & SCREE_UNREDUCED && !desc->reduction)
    return scree__misuse(world->worker[0], SCREE_EINVAL, call,
                         "type '%s': flags %u: SCREE_UNREDUCED (%d) is for types of SCREE_MESSAGE_REDUCED or "
                         "SCREE_MESSAGE_FILTERED",
                         desc->name, desc->flags, SCREE_UNREDUCED);
  if (desc->reduction && desc->flags & SCREE_URGENT)
    return scree__misuse(world->worker[0], SCREE_EINVAL, call,
                         "reduced type '%s' with SCREE_URGENT: its messages would wait to be combined: register it "
                         "without the flag, or as a type that is not reduced",
                         desc->name);
  if (desc->reduction && desc->sort)
    return scree__misuse(
        world->worker[0], SCREE_EINVAL, call,
        "reduced type '%s' with a sort key, legal: NULL: register it as a type that is not reduced, or "
        "sort in its handler",
        desc->name);
  if (!desc->reduction || mode_of(world, desc->flags) == SCREE_COMBINE_OFF) return SCREE_OK;
  return check_room(world, call, desc->name, desc->reduction);
}

_Static_assert(sizeof(scree__caches) <= SCREE__LINE, "on a line of its own");
static scree__caches *caches_of(scree__worker *me) {
  scree__caches *c = scree__caches_of(me);
  if (c) return c;
  c = aligned_alloc(SCREE__LINE, SCREE__LINE);
  if (!c) return NULL;
  *c = (scree__caches){.holder.ops = &scree__caches_ops};
  scree__holder_join(me, &c->holder);
  return c;
}

/* Sends by an id that is not a type's find a cache that no send uses, as long as the id is below a multiple of this. */
enum { ROWS = 64 };

static void open_none(scree_world *world) {
  static scree__cache none[ROWS]; /* never written */
  for (uint32_t w = 0; w < world->endpoints; w++) world->worker[w]->head.cache = none;
}

/* Tables that reach that type. */
static bool grow(scree__worker *me, scree__caches *c, uint32_t types) {
  const size_t rows = ((size_t)types + ROWS - 1) / ROWS * ROWS;
  scree__cache *shown = c ? realloc(c->shown, rows * sizeof *shown) : NULL;
  if (!shown) return false;
  memset(shown + c->types, 0, (rows - c->types) * sizeof *shown);
  c->shown = me->head.cache = shown;
  scree__cache_kept *kept = realloc(c->kept, types * sizeof *kept);
  if (!kept) return false;
  memset(kept + c->types, 0, (types - c->types) * sizeof *kept);
  c->kept = kept;
  c->types = types;
  return true;
}

static uint32_t log2_of(uint32_t n) {
  return 31 - (uint32_t)__builtin_clz(n);
}

/* What a cache of auto has to combine to stay on; 0: it is not measured. The same for all workers. */
static uint64_t min_of(const scree_world *world, uint32_t item, const scree__reduction *of, uint64_t mode) {
  return mode == SCREE_COMBINE_AUTO ? 1 + scree__reduce_needed(world, item, of->entry, entries_of(world, of)) : 0;
}

/* `type` is, or will be, registered with that `reduction`. */
static bool make(scree__worker *me, uint32_t type, const scree__reduction *of, bool routed, uint64_t min) {
  scree__caches *caches = scree__caches_of(me);
  scree__cache *c = &caches->shown[type];
  scree__cache_kept *kept = &caches->kept[type];
  kept->room = entries_of(me->world, of);
  kept->entries = calloc(kept->room, of->entry);
  if (of->holds) c->used = malloc(kept->room * sizeof *c->used);
  kept->epoch = (uint64_t)1 << (32 + log2_of(2 * me->transport->topology->endpoints - 1));
  const uint64_t first = scree__first_count(&me->world->options, SCREE__COUNTS_FILTERED);
  c->to = of->holds ? SCREE__TO | (routed ? me->head.tag : 0) : kept->epoch * (first ? first : 1);
  c->shift = 64 - log2_of(kept->room);
  c->review = min ? c->missed + SCREE__REDUCE_WINDOW : UINT64_MAX;
  kept->seen = c->combined;
  kept->off = false;
  kept->pause = 0;
  kept->min = min;
  return kept->entries && (c->used || !of->holds);
}

static bool add_type(scree_world *world, const scree_type_desc *desc, scree__type *type) {
  const uint32_t i = world->type_count + 1;
  const scree__reduction *of = desc->reduction;
  const uint64_t mode = mode_of(world, desc->flags);
  if (!of) return true;
  const uint64_t min = min_of(world, desc->item, of, mode);
  bool made = true;
  for (uint32_t w = 0; w < world->endpoints && made; w++) {
    scree__worker *me = world->worker[w];
    scree__caches *c = caches_of(me);
    made = grow(me, c, i + 1);
    if (made) c->kept[i].of = of;
    made = made && (mode == SCREE_COMBINE_OFF || make(me, i, of, scree__is_routed(type), min));
  }
  type->en_route = &scree__caches_en_route;
  return made;
}

/* The memory of that type's cache; what it has counted stays. */
static void free_entries(scree__caches *c, uint32_t type) {
  free(c->kept[type].entries);
  free(c->shown[type].used);
  c->kept[type].entries = NULL;
  c->kept[type].room = 0;
  c->shown[type].used = NULL;
}

static void drop_type(scree_world *world, uint32_t type) {
  for (uint32_t w = 0; w < world->endpoints; w++) {
    scree__caches *c = scree__caches_of(world->worker[w]);
    if (!c || type >= c->types) continue;
    free_entries(c, type);
    c->shown[type] = (scree__cache){0};
    c->kept[type] = (scree__cache_kept){0};
  }
}

const scree__feature scree__reduce_feature = {.open = open_none,
                                              .flags = SCREE_UNREDUCED,
                                              .check_type = check_type,
                                              .add_type = add_type,
                                              .drop_type = drop_type};

/* ---- scree_combine_type ---- */

static const scree__reduction *reduction_of(const scree_world *world, uint32_t type) {
  const scree__cache_kept *kept = scree__cache_of(world->worker[0], type);
  return kept ? kept->of : NULL;
}

static scree_status check_mode(scree_world *world, uint32_t type, uint64_t mode) {
  const char *call = "scree_combine_type";
  if (!world) return SCREE_EINVAL;
  scree__worker *me = world->worker[0];
  scree_status refused = scree__outside_handlers(me, call);
  if (refused) return refused;
  if (me->in_epoch || world->running)
    return scree__misuse(me, SCREE_ESTATE, call, "an epoch is open, or scree_run_workers: call it afterwards");
  if (scree__agreed(world)) return scree__agreed(world);
  if (!reduction_of(world, type))
    return scree__misuse(me, SCREE_EINVAL, call, "type %u is not a reduced type of this world (it has %u types)", type,
                         world->type_count);
  if (mode > SCREE_COMBINE_OFF)
    return scree__misuse(me, SCREE_EINVAL, call, "mode %llu, legal: SCREE_COMBINE_AUTO (%d), _ON (%d) or _OFF (%d)",
                         (unsigned long long)mode, SCREE_COMBINE_AUTO, SCREE_COMBINE_ON, SCREE_COMBINE_OFF);
  return mode == SCREE_COMBINE_OFF ? SCREE_OK
                                   : check_room(world, call, world->types[type].name, reduction_of(world, type));
}

scree_status scree_combine_type(scree_world *world, uint32_t type, uint64_t mode) {
  scree_status status = check_mode(world, type, mode);
  if (status) return status;
  const scree__type *of = &world->types[type];
  const scree__reduction *reduction = reduction_of(world, type);
  const uint64_t min = min_of(world, of->item, reduction, mode);
  bool made = true;
  for (uint32_t w = 0; w < world->endpoints; w++) {
    free_entries(scree__caches_of(world->worker[w]), type);
    if (mode == SCREE_COMBINE_OFF) continue;
    made = made && make(world->worker[w], type, reduction, scree__is_routed(of), min);
  }
  if (made) return SCREE_OK;
  for (uint32_t w = 0; w < world->endpoints; w++) free_entries(scree__caches_of(world->worker[w]), type);
  return scree__misuse(world->worker[0], SCREE_ENOMEM, "scree_combine_type",
                       "type '%s': no memory for caches of %llu bytes: set combine_cache to less, or combine to off",
                       of->name, (unsigned long long)world->options.combine_cache);
}
