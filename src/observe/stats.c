/* stats.c - the statistics of a rank, as a struct, a table or JSON. */
#include <stdlib.h>

#include "base/counters.h"
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

#define COUNTER(FIELD, OF, TEXT) SCREE__COUNTER(scree_stats, FIELD, OF, TEXT)
const scree__counter scree__stats_counters[] = {
    COUNTER(epochs, MAX, "epochs"),
    COUNTER(detection_rounds, RANKS, "detection rounds"),
    COUNTER(created, SUM, "blocks created"),
    COUNTER(completed, SUM, "completed"),
    COUNTER(items_handled, SUM, "items handled"),
    COUNTER(batches, SUM, "batches"),
    COUNTER(waits, SUM, "waits"),
    COUNTER(overflow_blocks, SUM, "overflow blocks"),
    COUNTER(overflow_peak, RANKS, "overflow peak in bytes"),
    COUNTER(detection_messages, SUM, "messages for detection"),
    COUNTER(passed, SUM, "items passed on"),
    COUNTER(stalls, SUM, "progress steps in which a passed block waited"),
    COUNTER(open_peak, RANKS, "lanes with items at one time"),
    {0},
};
#undef COUNTER

static scree_stats of_worker(const scree__worker *me) {
  return (scree_stats){.size = sizeof(scree_stats),
                       .epochs = me->end.epochs,
                       .detection_rounds = me->end.rounds.count,
                       .detection_messages = me->end.rounds.messages,
                       .created = me->end.created,
                       .completed = me->end.handled,
                       .items_handled = me->in.items,
                       .batches = me->in.batches,
                       .waits = me->waits,
                       .passed = me->passing.passed,
                       .stalls = me->passing.stalls,
                       .open_peak = me->lanes.open_peak,
                       .overflow_blocks = me->out.overflow_blocks,
                       .overflow_peak = me->out.overflow_peak};
}

scree_status scree_stats_read(const scree_world *world, scree_stats *stats) {
  const scree__workers these = scree__stats_readable(world);
  if (these.end == 0) return world ? SCREE_ESTATE : SCREE_EINVAL;
  scree_stats sum = {.size = sizeof sum};
  for (uint32_t w = these.first; w < these.end; w++) {
    const scree_stats one = of_worker(world->worker[w]);
    scree__counters_add(scree__stats_counters, &sum, &one);
  }
  return scree__sized_fill(stats, &sum, sizeof sum) ? SCREE_OK : SCREE_EINVAL;
}

#define COUNTER(FIELD, OF, TEXT) SCREE__COUNTER(scree_lane_stats, FIELD, OF, TEXT)
const scree__counter scree__lane_counters[] = {
    COUNTER(items, SUM, "items"),
    COUNTER(bytes, SUM, "bytes"),
    COUNTER(blocks_full, SUM, "full"),
    COUNTER(blocks_aged, SUM, "aged"),
    COUNTER(blocks_end, SUM, "at end"),
    COUNTER(coalesce_bytes, MAX, "coalesce"),
    {0},
};
#undef COUNTER

static scree_lane_stats of_lane(const scree__lane_state *lane, uint64_t coalesce_bytes) {
  return (scree_lane_stats){.size = sizeof(scree_lane_stats),
                            .items = lane->items,
                            .bytes = lane->bytes,
                            .blocks_full = lane->blocks[SCREE__FLUSH_FULL],
                            .blocks_aged = lane->blocks[SCREE__FLUSH_EARLY],
                            .blocks_end = lane->blocks[SCREE__FLUSH_END],
                            .coalesce_bytes = coalesce_bytes};
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
    const uint64_t bytes = scree__coalesce_bytes(first, &first->lanes.state[type][l]);
    for (uint32_t w = these.first; w < these.end; w++) {
      const scree_lane_stats one = of_lane(&world->worker[w]->lanes.state[type][l], bytes);
      scree__counters_add(scree__lane_counters, &sum, &one);
    }
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

/* Of what joins the worker. */
static void print_held(const scree__worker *me, FILE *to, bool json) {
  SCREE__HOLDERS(h, me, stats)(me, h, to, json);
}

static void print_worker(const scree__worker *me, FILE *to) {
  const scree_stats s = of_worker(me);
  if (scree__is_progress(me))
    fputs("  progress thread: ", to);
  else
    fprintf(to, "  worker %u: ", me->head.index);
  scree__counters_print(scree__stats_counters, &s, to, false);
  fputc('\n', to);
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

/* Calls fn for each lane that has had messages. */
typedef void lane_printer(const scree__type *type, uint32_t dest, const scree_lane_stats *lane, bool first, FILE *to);
static void each_lane(const scree_world *world, FILE *to, lane_printer *print_one) {
  bool first = true;
  for (uint32_t i = 1; i <= world->type_count; i++)
    for (uint32_t d = 0; d < world->types[i].dests; d++) {
      scree_lane_stats lane = {.size = sizeof lane};
      scree_stats_lane(world, i, d, &lane);
      if (!lane.items && !lane.bytes) continue;
      print_one(&world->types[i], d, &lane, first, to);
      first = false;
    }
}

static void print_lane(const scree__type *type, uint32_t dest, const scree_lane_stats *lane, bool first, FILE *to) {
  (void)first;
  fprintf(to, "  %-24s %6u", type->name, dest);
  for (const scree__counter *row = scree__lane_counters; row->name; row++)
    fprintf(to, " %14llu", (unsigned long long)scree__counter_value(row, lane));
  fputc('\n', to);
}

static void print_table(const scree_world *world, const scree_stats *s, FILE *to) {
  fprintf(to, "scree: rank %u of %u (%s): ", world->rank, world->ranks, world->worker[0]->transport->ops->name);
  scree__counters_print(scree__stats_counters, s, to, false);
  fprintf(to, "\n  detector: %s\n", scree__detector_name(world));
  if (world->thread_level)
    fprintf(to, "  MPI thread level: %s (requested: %s: %s)\n", world->thread_level, world->level_requested,
            world->level_reason);
  print_notes(world, to);
  scree__caches_print(world, to, false);
  scree__lock_print(world, scree__stats_readable(world), to, false);
  print_workers(world, to);
  scree__memory_print(world, to, false);
  fprintf(to, "  %-24s %6s", "type", "to");
  for (const scree__counter *row = scree__lane_counters; row->name; row++) fprintf(to, " %14s", row->text);
  fputc('\n', to);
  each_lane(world, to, print_lane);
}

static void print_lane_json(const scree__type *type, uint32_t dest, const scree_lane_stats *lane, bool first,
                            FILE *to) {
  fputs(first ? "{\"type\":" : ",{\"type\":", to);
  scree__json_string(type->name, to);
  fprintf(to, ",\"to\":%u", dest);
  scree__counters_print(scree__lane_counters, lane, to, true);
  fputc('}', to);
}

static void print_worker_json(const scree__worker *me, FILE *to) {
  const scree_stats s = of_worker(me);
  fprintf(to, "{\"worker\":%u", me->head.index);
  scree__counters_print(scree__stats_counters, &s, to, true);
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
          "{\"rank\":%u,\"ranks\":%u,\"transport\":\"%s\",\"detector\":\"%s\",\"thread_level\":\"%s\","
          "\"level_requested\":\"%s\",\"level_reason\":\"%s\"",
          world->rank, world->ranks, world->worker[0]->transport->ops->name, scree__detector_name(world),
          scree_thread_level(world), mpi ? world->level_requested : "none",
          mpi ? world->level_reason : "no MPI is called");
  scree__counters_print(scree__stats_counters, s, to, true);
  scree__lock_print(world, scree__stats_readable(world), to, true);
  fputs(",\"note\":", to);
  print_notes_json(world, to);
  scree__memory_print(world, to, true);
  print_workers_json(world, to);
  fputs(",\"reduced\":[", to);
  scree__caches_print(world, to, true);
  fputs("],\"lanes\":[", to);
  each_lane(world, to, print_lane_json);
  fputs("]}\n", to);
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
