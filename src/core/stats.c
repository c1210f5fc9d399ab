/* stats.c - the statistics of a rank, as a struct, a table or JSON. */
#include <stdlib.h>

#include "core/memory_stats.h"
#include "core/world.h"

void scree_stats_read(const scree_world *world, scree_stats *stats) {
  const scree__worker *me = &world->worker;
  *stats = (scree_stats){0};
  if (scree__is_second_thread(me)) return;
  *stats = (scree_stats){.epochs = me->epochs,
                         .detection_rounds = me->detection_rounds,
                         .created = me->created,
                         .completed = me->handled,
                         .items_handled = me->items_handled,
                         .batches = me->batches,
                         .waits = me->waits,
                         .overflow_blocks = me->overflow_blocks,
                         .overflow_peak = me->overflow_peak};
}

scree_status scree_stats_lane(const scree_world *world, uint32_t type, uint32_t dest, scree_lane_stats *stats) {
  if (scree__is_second_thread(&world->worker)) return SCREE_ESTATE;
  if (type >= world->type_count || dest >= world->ranks) return SCREE_EINVAL;
  const scree__lane_state *state = &world->worker.state[type][dest];
  *stats = state->stats;
  stats->coalesce_bytes = scree__coalesce_bytes(&world->worker, state);
  return SCREE_OK;
}

static void print_table(const scree_world *world, const scree_stats *s, FILE *to) {
  fprintf(to,
          "scree: rank %u of %u (%s): epochs %llu, detection rounds %llu, blocks created %llu, completed %llu, items "
          "handled %llu "
          "in %llu batches, waits %llu, overflow blocks %llu (peak %llu bytes)\n",
          world->rank, world->ranks, world->transport->ops->name, (unsigned long long)s->epochs,
          (unsigned long long)s->detection_rounds, (unsigned long long)s->created, (unsigned long long)s->completed,
          (unsigned long long)s->items_handled, (unsigned long long)s->batches, (unsigned long long)s->waits,
          (unsigned long long)s->overflow_blocks, (unsigned long long)s->overflow_peak);
  if (world->thread_level) fprintf(to, "  MPI thread level: %s\n", world->thread_level);
  if (world->transport->note[0]) fprintf(to, "  note: %s\n", world->transport->note);
  scree__memory_print(world, to, false);
  fprintf(to, "  %-24s %6s %14s %16s %10s %10s %10s %8s\n", "type", "to", "items", "bytes", "full", "aged", "at end",
          "coalesce");
  for (uint32_t i = 0; i < world->type_count; i++)
    for (uint32_t d = 0; d < world->ranks; d++) {
      scree_lane_stats stats, *l = &stats;
      scree_stats_lane(world, i, d, l);
      if (!l->items && !l->bytes) continue;
      fprintf(to, "  %-24s %6u %14llu %16llu %10llu %10llu %10llu %8llu\n", world->types[i].name, d,
              (unsigned long long)l->items, (unsigned long long)l->bytes, (unsigned long long)l->blocks_full,
              (unsigned long long)l->blocks_aged, (unsigned long long)l->blocks_end,
              (unsigned long long)l->coalesce_bytes);
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
      scree_lane_stats stats, *l = &stats;
      scree_stats_lane(world, i, d, l);
      if (!l->items && !l->bytes) continue;
      fprintf(to, "%s{\"type\":", comma);
      print_string(world->types[i].name, to);
      fprintf(
          to, ",\"to\":%u,\"items\":%llu,\"bytes\":%llu,\"full\":%llu,\"aged\":%llu,\"at_end\":%llu,\"coalesce\":%llu}",
          d, (unsigned long long)l->items, (unsigned long long)l->bytes, (unsigned long long)l->blocks_full,
          (unsigned long long)l->blocks_aged, (unsigned long long)l->blocks_end, (unsigned long long)l->coalesce_bytes);
      comma = ",";
    }
}

static void print_json(const scree_world *world, const scree_stats *s, FILE *to) {
  fprintf(to,
          "{\"rank\":%u,\"ranks\":%u,\"transport\":\"%s\",\"epochs\":%llu,\"waves\":%llu,\"created\":%llu,"
          "\"completed\":%llu,\"items_handled\":%llu,\"batches\":%llu,\"waits\":%llu,\"overflow_blocks\":%llu,"
          "\"overflow_peak\":%llu,\"thread_level\":\"%s\",\"note\":",
          world->rank, world->ranks, world->transport->ops->name, (unsigned long long)s->epochs,
          (unsigned long long)s->detection_rounds, (unsigned long long)s->created, (unsigned long long)s->completed,
          (unsigned long long)s->items_handled, (unsigned long long)s->batches, (unsigned long long)s->waits,
          (unsigned long long)s->overflow_blocks, (unsigned long long)s->overflow_peak, scree_thread_level(world));
  print_string(world->transport->note, to);
  fputc(',', to);
  scree__memory_print(world, to, true);
  fprintf(to, ",\"lanes\":[");
  print_lanes(world, to);
  fprintf(to, "]}\n");
}

static void print(const scree_world *world, FILE *to, bool json) {
  scree_stats s;
  scree_stats_read(world, &s);
  (json ? print_json : print_table)(world, &s, to);
}

/* In one piece: other ranks may write to the same file, and standard error has no buffer to hold it together. */
void scree_stats_print(const scree_world *world, FILE *to, bool json) {
  if (scree__not_printed(world, "scree_stats_print", to)) return;
  char *text = NULL;
  size_t bytes;
  FILE *memory = open_memstream(&text, &bytes);
  if (memory) print(world, memory, json);
  if (memory && fclose(memory) == 0)
    fwrite(text, 1, bytes, to);
  else
    print(world, to, json); /* in pieces, rather than not at all */
  free(text);
  fflush(to);
}

void scree__stats_at_close(const scree_world *world) {
  if (world->options.stats) scree_stats_print(world, stderr, world->options.stats == SCREE_STATS_JSON);
}
