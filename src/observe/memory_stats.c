/* memory_stats.c - the memory that a world holds on this rank, without the memory of MPI and of the C library. */
#include "observe/memory_stats.h"

#include "base/counters.h"
#include "core/pass.h"
#include "reduce/caches.h"
#include "thread/page_offset.h"

static void add_types(const scree__worker *me, scree__memory *add) {
  const scree_world *world = me->world;
  for (uint32_t i = 1; i <= world->type_count; i++) {
    const scree__type *type = &world->types[i];
    add->tables += sizeof *me->lanes.row + sizeof *me->lanes.state + sizeof *me->in.arrivals + SCREE__PAGE +
                   scree__lanes_made(world, type) * sizeof(scree__lane) + type->lanes * sizeof **me->lanes.state;
    for (const scree__reassembly *a = me->in.arrivals[i].reassemblies; a; a = a->next)
      add->overflow += sizeof *a + a->total;
  }
}

static void add_worker(const scree__worker *me, scree__memory *add) {
  uint64_t queue = sizeof *me->out.waiting + sizeof *me->out.waiting_dests + sizeof *me->out.is_waiting;
  add->blocks += me->out.self_pool.used;
  add->overflow += me->out.overflow_bytes + me->out.spares * (sizeof(scree__block) + me->world->min_block);
  add->tables += sizeof *me + 2 * SCREE__RECORD_MAX + me->world->classes * me->transport->topology->endpoints * queue;
  add->tables += scree__sorter_bytes(&me->in.sorter);
  add_types(me, add);
  add->tables += scree__caches_bytes(me);
  add->tables += me->tracer.ring->room * sizeof(scree__event);
  for (uint32_t c = 0; c < me->world->classes; c++) me->path[c]->ops->memory(me->path[c], add);
}

void scree__memory_read(const scree_world *world, scree__memory *out) {
  uint32_t others = world->worker[0]->transport->topology->nodes - 1;
  *out =
      (scree__memory){.tables = sizeof *world + (world->type_count + 1) * sizeof *world->types +
                                world->ranks * sizeof *world->all_registrations + others * 2 * sizeof *world->notices};
  out->tables += scree__hops_bytes(world);
  for (uint32_t w = 0; w < world->endpoints; w++) add_worker(world->worker[w], out);
}

uint64_t scree__memory_sum(const scree__memory *m) {
  return m->blocks + m->overflow + m->inbox + m->receives + m->tables;
}

#define COUNTER(FIELD) SCREE__COUNTER(scree__memory, FIELD, SUM, #FIELD)
static const scree__counter counters[] = {
    COUNTER(blocks), COUNTER(overflow), COUNTER(inbox), COUNTER(receives), COUNTER(tables), {0},
};
#undef COUNTER

void scree__memory_print(const scree_world *world, FILE *to, bool json) {
  scree__memory m;
  scree__memory_read(world, &m);
  fprintf(to, json ? ",\"memory\":{\"sum\":%llu" : "  memory: %llu bytes, of which ",
          (unsigned long long)scree__memory_sum(&m));
  scree__counters_print(counters, &m, to, json);
  fputs(json ? "}" : "\n", to);
}
