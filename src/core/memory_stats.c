/* memory_stats.c - the memory that a world holds on this rank, without what MPI and the C library take for themselves. */
#include "core/memory_stats.h"

#include "base/page_offset.h"
#include "core/world.h"

static void add_types(const scree_world *world, scree__memory *add) {
  const scree__worker *me = &world->worker;
  uint64_t lane = sizeof **me->lane + sizeof **me->state;
  add->tables += world->type_count *
                 (sizeof *world->types + sizeof *me->lane + sizeof *me->state + world->ranks * lane + SCREE__PAGE);
  for (uint32_t i = 0; i < world->type_count; i++)
    for (const scree__reassembly *a = world->types[i].reassemblies; a; a = a->next)
      add->overflow += sizeof *a + a->total;
}

void scree__memory_read(const scree_world *world, scree__memory *out) {
  const scree__worker *me = &world->worker;
  uint64_t queue = sizeof *me->waiting + sizeof *me->waiting_dests + sizeof *me->is_waiting;
  *out = (scree__memory){.blocks = me->self_pool.used,
                         .overflow = me->overflow_bytes + me->spares * (sizeof(scree__block) + world->min_block),
                         .tables = sizeof *world + 2 * SCREE_ITEM_MAX +
                                   world->ranks * (queue + sizeof *world->all_registrations) +
                                   (world->transport->topology->nodes - 1) * 2 * sizeof *world->notices};
  add_types(world, out);
  world->transport->ops->memory(world->transport, out);
}

uint64_t scree__memory_sum(const scree__memory *m) {
  return m->blocks + m->overflow + m->inbox + m->receives + m->tables;
}

void scree__memory_print(const scree_world *world, FILE *to, bool json) {
  scree__memory m;
  scree__memory_read(world, &m);
  fprintf(to,
          json ? "\"memory\":{\"blocks\":%llu,\"overflow\":%llu,\"inbox\":%llu,\"receives\":%llu,\"tables\":%llu,"
                 "\"sum\":%llu}"
               : "  memory: blocks %llu, overflow %llu, inbox %llu, receives %llu, tables %llu, sum %llu bytes\n",
          (unsigned long long)m.blocks, (unsigned long long)m.overflow, (unsigned long long)m.inbox,
          (unsigned long long)m.receives, (unsigned long long)m.tables, (unsigned long long)scree__memory_sum(&m));
}
