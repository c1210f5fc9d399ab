/* stats.c - the statistics of a rank, as a struct, a table or JSON. */
#include <stdlib.h>

#include "base/sized.h"
#include "core/epoch.h"
#include "core/holder.h"
#include "core/lane.h"
#include "core/pass.h"
#include "observe/json.h"
#include "observe/lock_stats.h"
#include "observe/memory_stats.h"
#include "observe/observe.h"
#include "reduce/caches.h"

scree__workers scree__stats_readable(const scree_world *world) {
  const scree__worker *me = scree__caller(world);
  if (!me) return (scree__workers){0, 0};
  return world->running ? scree__one_worker(me) : (scree__workers){0, world->endpoints};
}

static void add_worker(const scree__worker *me, scree_stats *to) {
  if (me->end.epochs > to->epochs) to->epochs = me->end.epochs;
  to->detection_rounds += me->end.rounds;
  to->detection_messages += me->end.messages;
  to->created += me->end.created;
  to->completed += me->end.handled;
  to->items_handled += me->in.items;
  to->batches += me->in.batches;
  to->waits += me->waits;
  to->passed += me->passing.passed;
  to->stalls += me->passing.stalls;
  to->open_peak += me->lanes.open_peak;
  to->overflow_blocks += me->out.overflow_blocks;
  to->overflow_peak += me->out.overflow_peak;
}

scree_status scree_stats_read(const scree_world *world, scree_stats *stats) {
  const scree__workers these = scree__stats_readable(world);
  if (these.end == 0) return world ? SCREE_ESTATE : SCREE_EINVAL;
  scree_stats sum = {.size = sizeof sum};
  for (uint32_t w = these.first; w < these.end; w++) add_worker(world->worker[w], &sum);
  return scree__sized_fill(stats, &sum, sizeof sum) ? SCREE_OK : SCREE_EINVAL;
}

static void add_lane(const scree__lane_state *from, scree_lane_stats *to) {
  to->items += from->items;
  to->bytes += from->bytes;
  to->blocks_full += from->blocks[SCREE__FLUSH_FULL];
  to->blocks_aged += from->blocks[SCREE__FLUSH_EARLY];
  to->blocks_end += from->blocks[SCREE__FLUSH_END];
}

/* The lanes of a routed type are counted by the next rank; of one to workers, by its worker 0, or by the worker of this
 * rank. */
static uint32_t dest_of(const scree__worker *me, uint32_t type, uint32_t lane) {
  const uint32_t rank = scree__lane_hop(me, type, lane).rank, count = me->world->hops.count;
  if (!(me->world->types[type].flags & SCREE_TO_WORKER)) return rank;
  return rank * me->head.threads + (lane >= count ? lane - count : 0);
}

scree_status scree_stats_lane(const scree_world *world, uint32_t type, uint32_t dest, scree_lane_stats *stats) {
  const scree__workers these = scree__stats_readable(world);
  if (these.end == 0) return world ? SCREE_ESTATE : SCREE_EINVAL;
  if (!scree__has_type(world, type) || dest >= world->types[type].dests) return SCREE_EINVAL;
  const scree__worker *first = world->worker[these.first];
  scree_lane_stats sum = {.size = sizeof sum};
  const bool routed = scree__is_routed(&world->types[type]);
  const uint32_t end = routed ? world->types[type].lanes : dest + 1;
  for (uint32_t l = routed ? 0 : dest; l < end; l++) {
    if (routed && dest_of(first, type, l) != dest) continue;
    sum.coalesce_bytes = scree__coalesce_bytes(first, &first->lanes.state[type][l]);
    for (uint32_t w = these.first; w < these.end; w++) add_lane(&world->worker[w]->lanes.state[type][l], &sum);
  }
  return scree__sized_fill(stats, &sum, sizeof sum) ? SCREE_OK : SCREE_EINVAL;
}

scree_status scree_stats_reduced(const scree_world *world, uint32_t type, scree_reduced_stats *stats) {
  const scree__workers these = scree__stats_readable(world);
  if (these.end == 0) return world ? SCREE_ESTATE : SCREE_EINVAL;
  if (!scree__has_type(world, type)) return SCREE_EINVAL;
  scree_reduced_stats sum = {.size = sizeof sum};
  for (uint32_t w = these.first; w < these.end; w++) scree__cache_add(world->worker[w], type, &sum);
  return scree__sized_fill(stats, &sum, sizeof sum) ? SCREE_OK : SCREE_EINVAL;
}

/* Nothing where no type is routed. */
static void print_passed(const scree_world *world, const scree_stats *s, FILE *to) {
  if (scree__route_classes_of(world) > 1)
    fprintf(to, "  passed on: %llu items; progress steps in which a block waited for space: %llu\n",
            (unsigned long long)s->passed, (unsigned long long)s->stalls);
}

static void print_passed_json(const scree_stats *s, FILE *to) {
  fprintf(to, ",\"passed\":%llu,\"stalls\":%llu", (unsigned long long)s->passed, (unsigned long long)s->stalls);
}

/* Of what joins the worker. */
static void print_held(const scree__worker *me, FILE *to, bool json) {
  SCREE__HOLDERS(h, me, stats)(me, h, to, json);
}

static void print_worker(const scree__worker *me, FILE *to) {
  scree_stats s = {.size = sizeof s};
  add_worker(me, &s);
  if (scree__is_progress(me))
    fputs("  progress thread", to);
  else
    fprintf(to, "  worker %u", me->head.index);
  fprintf(to,
          ": epochs %llu, blocks created %llu, completed %llu, items handled %llu in %llu batches, waits %llu, "
          "overflow blocks %llu\n",
          (unsigned long long)s.epochs, (unsigned long long)s.created, (unsigned long long)s.completed,
          (unsigned long long)s.items_handled, (unsigned long long)s.batches, (unsigned long long)s.waits,
          (unsigned long long)s.overflow_blocks);
  print_passed(me->world, &s, to);
  scree__lock_print(me->world, scree__one_worker(me), to, false);
  print_held(me, to, false);
}

static void print_workers(const scree_world *world, FILE *to) {
  if (world->endpoints == 1) print_held(world->worker[0], to, false);
  for (uint32_t w = 0; world->endpoints > 1 && w < world->endpoints; w++) print_worker(world->worker[w], to);
}

/* A note that the route has no effect here; "": it has, or there is none. */
static const char *note_of_route(const scree_world *world) {
  if (world->options.route == SCREE_ROUTE_DIRECT || scree__hops_of(world, SCREE_ROUTED)) return "";
  return "the option route has no effect here: all hops would be to the destination";
}

static void print_notes(const scree_world *world, FILE *to) {
  char of_lock[200];
  scree__lock_note(world, of_lock, sizeof of_lock);
  if (world->worker[0]->transport->note[0]) fprintf(to, "  note: %s\n", world->worker[0]->transport->note);
  if (of_lock[0]) fprintf(to, "  note: %s\n", of_lock);
  if (note_of_route(world)[0]) fprintf(to, "  note: %s\n", note_of_route(world));
}

static void print_table(const scree_world *world, const scree_stats *s, FILE *to) {
  fprintf(to,
          "scree: rank %u of %u (%s): epochs %llu, detection rounds %llu, blocks created %llu, completed %llu, items "
          "handled %llu "
          "in %llu batches, waits %llu, overflow blocks %llu (peak %llu bytes)\n",
          world->rank, world->ranks, world->worker[0]->transport->ops->name, (unsigned long long)s->epochs,
          (unsigned long long)s->detection_rounds, (unsigned long long)s->created, (unsigned long long)s->completed,
          (unsigned long long)s->items_handled, (unsigned long long)s->batches, (unsigned long long)s->waits,
          (unsigned long long)s->overflow_blocks, (unsigned long long)s->overflow_peak);
  fprintf(to, "  detector: %s, messages for detection %llu\n", scree__detector_name(world),
          (unsigned long long)s->detection_messages);
  if (world->thread_level)
    fprintf(to, "  MPI thread level: %s (requested: %s: %s)\n", world->thread_level, world->level_requested,
            world->level_reason);
  print_notes(world, to);
  print_passed(world, s, to);
  scree__caches_print(world, to, false);
  scree__lock_print(world, scree__stats_readable(world), to, false);
  print_workers(world, to);
  scree__memory_print(world, to, false);
  fprintf(to, "  %-24s %6s %14s %16s %10s %10s %10s %8s\n", "type", "to", "items", "bytes", "full", "aged", "at end",
          "coalesce");
  for (uint32_t i = 1; i <= world->type_count; i++)
    for (uint32_t d = 0; d < world->types[i].dests; d++) {
      scree_lane_stats stats = {.size = sizeof stats}, *l = &stats;
      scree_stats_lane(world, i, d, l);
      if (!l->items && !l->bytes) continue;
      fprintf(to, "  %-24s %6u %14llu %16llu %10llu %10llu %10llu %8llu\n", world->types[i].name, d,
              (unsigned long long)l->items, (unsigned long long)l->bytes, (unsigned long long)l->blocks_full,
              (unsigned long long)l->blocks_aged, (unsigned long long)l->blocks_end,
              (unsigned long long)l->coalesce_bytes);
    }
}

static void print_lanes(const scree_world *world, FILE *to) {
  const char *comma = "";
  for (uint32_t i = 1; i <= world->type_count; i++)
    for (uint32_t d = 0; d < world->types[i].dests; d++) {
      scree_lane_stats stats = {.size = sizeof stats}, *l = &stats;
      scree_stats_lane(world, i, d, l);
      if (!l->items && !l->bytes) continue;
      fprintf(to, "%s{\"type\":", comma);
      scree__json_string(world->types[i].name, to);
      fprintf(
          to, ",\"to\":%u,\"items\":%llu,\"bytes\":%llu,\"full\":%llu,\"aged\":%llu,\"at_end\":%llu,\"coalesce\":%llu}",
          d, (unsigned long long)l->items, (unsigned long long)l->bytes, (unsigned long long)l->blocks_full,
          (unsigned long long)l->blocks_aged, (unsigned long long)l->blocks_end, (unsigned long long)l->coalesce_bytes);
      comma = ",";
    }
}

static void print_worker_json(const scree__worker *me, FILE *to) {
  scree_stats s = {.size = sizeof s};
  add_worker(me, &s);
  fprintf(to,
          "{\"epochs\":%llu,\"created\":%llu,\"completed\":%llu,\"items_handled\":%llu,\"batches\":%llu,"
          "\"waits\":%llu,\"overflow_blocks\":%llu",
          (unsigned long long)s.epochs, (unsigned long long)s.created, (unsigned long long)s.completed,
          (unsigned long long)s.items_handled, (unsigned long long)s.batches, (unsigned long long)s.waits,
          (unsigned long long)s.overflow_blocks);
  print_passed_json(&s, to);
  scree__lock_print(me->world, scree__one_worker(me), to, true);
  print_held(me, to, true);
  fputc('}', to);
}

static void print_workers_json(const scree_world *world, FILE *to) {
  fprintf(to, ",\"workers\":[");
  for (uint32_t w = 0; w < world->threads; w++) {
    if (w) fputc(',', to);
    print_worker_json(world->worker[w], to);
  }
  fprintf(to, "]");
  if (world->endpoints == world->threads) return;
  fprintf(to, ",\"progress_thread\":");
  print_worker_json(world->worker[world->threads], to);
}

static void print_notes_json(const scree_world *world, FILE *to) {
  char notes[500], of_lock[200];
  const char *first = world->worker[0]->transport->note, *route = note_of_route(world);
  scree__lock_note(world, of_lock, sizeof of_lock);
  snprintf(notes, sizeof notes, "%s%s%s%s%s", first, first[0] && of_lock[0] ? "; " : "", of_lock,
           (first[0] || of_lock[0]) && route[0] ? "; " : "", route);
  scree__json_string(notes, to);
}

static void print_json(const scree_world *world, const scree_stats *s, FILE *to) {
  const bool mpi = world->thread_level != NULL;
  fprintf(to,
          "{\"rank\":%u,\"ranks\":%u,\"transport\":\"%s\",\"epochs\":%llu,\"rounds\":%llu,\"created\":%llu,"
          "\"completed\":%llu,\"items_handled\":%llu,\"batches\":%llu,\"waits\":%llu,\"overflow_blocks\":%llu,"
          "\"overflow_peak\":%llu,\"detector\":\"%s\",\"detection_messages\":%llu,\"thread_level\":\"%s\","
          "\"level_requested\":\"%s\",\"level_reason\":\"%s\"",
          world->rank, world->ranks, world->worker[0]->transport->ops->name, (unsigned long long)s->epochs,
          (unsigned long long)s->detection_rounds, (unsigned long long)s->created, (unsigned long long)s->completed,
          (unsigned long long)s->items_handled, (unsigned long long)s->batches, (unsigned long long)s->waits,
          (unsigned long long)s->overflow_blocks, (unsigned long long)s->overflow_peak, scree__detector_name(world),
          (unsigned long long)s->detection_messages, scree_thread_level(world), mpi ? world->level_requested : "none",
          mpi ? world->level_reason : "no MPI is called");
  print_passed_json(s, to);
  scree__lock_print(world, scree__stats_readable(world), to, true);
  fputs(",\"note\":", to);
  print_notes_json(world, to);
  fputc(',', to);
  scree__memory_print(world, to, true);
  print_workers_json(world, to);
  fputs(",\"reduced\":[", to);
  scree__caches_print(world, to, true);
  fprintf(to, "],\"lanes\":[");
  print_lanes(world, to);
  fprintf(to, "]}\n");
}

static void print(const scree_world *world, FILE *to, bool json) {
  scree_stats s = {.size = sizeof s};
  scree_stats_read(world, &s);
  (json ? print_json : print_table)(world, &s, to);
}

/* Prints this instead: the counters belong to other threads. */
static bool other_workers_run(const scree_world *world, FILE *to) {
  if (!world->running) return false;
  fprintf(to,
          "scree: rank %u of %u: scree_stats_print: called inside scree_run_workers: call it after the workers have "
          "returned\n",
          world->rank, world->ranks);
  return true;
}

/* In one piece: other ranks may write to the same file, and standard error has no buffer to hold it together. */
void scree_stats_print(const scree_world *world, FILE *to, bool json) {
  if (scree__not_printed(world, "scree_stats_print", to) || other_workers_run(world, to)) return;
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

static void print_at_close(scree_world *world) {
  if (world->options.stats) scree_stats_print(world, stderr, world->options.stats == SCREE_STATS_JSON);
}

const scree__feature scree__stats_feature = {.report = scree_report_print, .close = print_at_close};
