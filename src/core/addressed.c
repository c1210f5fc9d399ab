/* addressed.c - whether a map fits a type of items that are sent by key. */
#include "core/world.h"

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
