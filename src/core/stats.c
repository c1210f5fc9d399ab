/* stats.c - what a rank did: read, print as a table or as JSON.
 *
 * Room: statistics only; nothing here runs while messages flow. */
#include <string.h>

#include "core/world.h"

void scree_stats_read(const scree_world *world, scree_stats *stats) {
  const scree__worker *me = &world->worker;
  *stats = (scree_stats){.epochs = me->epochs,
                         .waves = me->waves,
                         .created = me->created,
                         .completed = me->handled,
                         .items_handled = me->items_handled,
                         .batches = me->batches,
                         .waits = me->waits,
                         .overflow_blocks = me->overflow_blocks,
                         .overflow_peak = me->overflow_peak};
}

scree_status scree_stats_lane(const scree_world *world, uint32_t type, uint32_t dest, scree_lane_stats *stats) {
  if (type >= world->type_count || dest >= world->ranks) return SCREE_EINVAL;
  *stats = world->worker.state[type][dest].stats;
  return SCREE_OK;
}

static void print_table(const scree_world *world, const scree_stats *s, FILE *to) {
  fprintf(to,
          "scree: rank %u of %u (%s): epochs %llu, waves %llu, blocks created %llu, completed %llu, items handled %llu "
          "in %llu batches, waits %llu, overflow blocks %llu (peak %llu bytes)\n",
          world->rank, world->ranks, world->transport->ops->name, (unsigned long long)s->epochs,
          (unsigned long long)s->waves, (unsigned long long)s->created, (unsigned long long)s->completed,
          (unsigned long long)s->items_handled, (unsigned long long)s->batches, (unsigned long long)s->waits,
          (unsigned long long)s->overflow_blocks, (unsigned long long)s->overflow_peak);
  if (world->transport->note[0]) fprintf(to, "  note: %s\n", world->transport->note);
  fprintf(to, "  %-24s %6s %14s %16s %10s %10s %10s\n", "type", "to", "items", "bytes", "full", "aged", "at end");
  for (uint32_t i = 0; i < world->type_count; i++)
    for (uint32_t d = 0; d < world->ranks; d++) {
      const scree_lane_stats *l = &world->worker.state[i][d].stats;
      if (!l->items && !l->bytes) continue;
      fprintf(to, "  %-24s %6u %14llu %16llu %10llu %10llu %10llu\n", world->types[i].name, d,
              (unsigned long long)l->items, (unsigned long long)l->bytes, (unsigned long long)l->blocks_full,
              (unsigned long long)l->blocks_aged, (unsigned long long)l->blocks_end);
    }
}

/* Names of types are the caller's: quote them as JSON wants it. */
static void print_string(const char *s, FILE *to) {
  fputc('"', to);
  for (; *s; s++)
    if (*s == '"' || *s == '\\')
      fprintf(to, "\\%c", *s);
    else if ((unsigned char)*s < 32)
      fprintf(to, "\\u%04x", (unsigned)*s);
    else
      fputc(*s, to);
  fputc('"', to);
}

static void print_lanes(const scree_world *world, FILE *to) {
  const char *comma = "";
  for (uint32_t i = 0; i < world->type_count; i++)
    for (uint32_t d = 0; d < world->ranks; d++) {
      const scree_lane_stats *l = &world->worker.state[i][d].stats;
      if (!l->items && !l->bytes) continue;
      fprintf(to, "%s{\"type\":", comma);
      print_string(world->types[i].name, to);
      fprintf(to, ",\"to\":%u,\"items\":%llu,\"bytes\":%llu,\"full\":%llu,\"aged\":%llu,\"at_end\":%llu}", d,
              (unsigned long long)l->items, (unsigned long long)l->bytes, (unsigned long long)l->blocks_full,
              (unsigned long long)l->blocks_aged, (unsigned long long)l->blocks_end);
      comma = ",";
    }
}

static void print_json(const scree_world *world, const scree_stats *s, FILE *to) {
  fprintf(to,
          "{\"rank\":%u,\"ranks\":%u,\"transport\":\"%s\",\"epochs\":%llu,\"waves\":%llu,\"created\":%llu,"
          "\"completed\":%llu,\"items_handled\":%llu,\"batches\":%llu,\"waits\":%llu,\"overflow_blocks\":%llu,"
          "\"overflow_peak\":%llu,\"note\":",
          world->rank, world->ranks, world->transport->ops->name, (unsigned long long)s->epochs,
          (unsigned long long)s->waves, (unsigned long long)s->created, (unsigned long long)s->completed,
          (unsigned long long)s->items_handled, (unsigned long long)s->batches, (unsigned long long)s->waits,
          (unsigned long long)s->overflow_blocks, (unsigned long long)s->overflow_peak);
  print_string(world->transport->note, to);
  fprintf(to, ",\"lanes\":[");
  print_lanes(world, to);
  fprintf(to, "]}\n");
}

void scree_stats_print(const scree_world *world, FILE *to, bool json) {
  scree_stats s;
  scree_stats_read(world, &s);
  flockfile(to);
  if (json)
    print_json(world, &s, to);
  else
    print_table(world, &s, to);
  funlockfile(to);
  fflush(to);
}

void scree__stats_at_close(const scree_world *world) {
  if (world->options.stats) scree_stats_print(world, stderr, world->options.stats == SCREE_STATS_JSON);
}
