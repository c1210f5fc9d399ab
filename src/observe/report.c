/* report.c - the hang report: what is outstanding on the worker of the calling thread. A signal handler may request
 * it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/epoch.h"
#include "core/holder.h"
#include "core/pass.h"
#include "core/progress.h"
#include "observe/lock_stats.h"
#include "observe/observe.h"
#include "reduce/caches.h"

static void print_types(const scree__worker *me, FILE *to) {
  const scree_world *world = me->world;
  for (uint32_t i = 1; i <= world->type_count; i++) {
    uint64_t sent = 0, open = 0;
    for (uint32_t d = 0; d < world->types[i].lanes; d++) {
      sent += me->lanes.state[i][d].items;
      open += me->lanes.state[i][d].block != NULL;
    }
    const uint64_t held = scree__caches_held(me, i);
    if (held) fprintf(to, "  type '%s': waiting to be combined %llu\n", world->types[i].name, (unsigned long long)held);
    fprintf(to, "  type '%s': sent %llu, handled %llu, lanes with content %llu\n", world->types[i].name,
            (unsigned long long)sent, (unsigned long long)me->in.arrivals[i].handled, (unsigned long long)open);
  }
}

/* Workers of this node that have not added their token: they have not been idle in scree_end or scree_test yet.
 * Relaxed, as is all that a report reads of others: a snapshot from which nothing is concluded. */
static void print_missing(const scree__worker *me, FILE *to) {
  const scree__transport *t = me->transport;
  uint32_t shown = 0, endpoints = me->world->endpoints;
  for (uint32_t i = 0; i < t->topology->node_size && shown < 16; i++) {
    uint32_t endpoint = t->topology->node_endpoints[i];
    uint32_t index = endpoint % endpoints;
    if (!scree__is_member(&me->end, index) || (int64_t)(AO_load(&t->slots[i].contributed) - me->end.epoch) > 0)
      continue;
    fprintf(to, shown++ == 0 ? "  not idle yet in this epoch: rank %u" : ", %u", endpoint / endpoints);
    if (index == me->head.threads)
      fputs(" progress thread", to);
    else if (endpoints > 1)
      fprintf(to, " worker %u", index);
  }
  if (shown) fprintf(to, "%s\n", shown == 16 ? ", ..." : "");
}

/* The state of a rank: of one on another node, what it has sent (see scree__say_standing). Relaxed, as above. */
static void describe_rank(const scree__worker *me, uint32_t rank, char *text, size_t size) {
  const scree__transport *t = me->transport;
  const scree__topology *at = t->topology;
  const bool own = rank == me->head.rank, near = at->node_of[rank] == at->node;
  const scree__heard *heard = near ? NULL : &t->collective->heard[rank];
  uint32_t i = 0;
  while (near && at->node_endpoints[i] / at->threads != rank) i++;
  const scree__node_slot *slot = &t->slots[i];
  const AO_t said = near ? 1 : AO_load(&heard->call), call = near ? AO_load(&slot->call) : said - 1;
  const char *name = scree__call_name(own && me->watch.call ? me->watch.call : (uint32_t)call);
  if (said == 0)
    snprintf(text, size, "unknown: on another node, and busy, in code of the program, or dead");
  else
    snprintf(text, size, "idle in %llu epochs so far, %s%s",
             (unsigned long long)(near ? AO_load(&slot->contributed) - me->end.first : AO_load(&heard->idle)),
             *name ? own ? "now in " : "now or last in " : "in code of the program", name);
}

/* Which call each rank is in. Consecutive ones in the same state share a line. */
static void print_calls(const scree__worker *me, FILE *to) {
  enum { SHOWN = 64 }; /* lines */
  char text[2][160];
  uint32_t first = 0;
  describe_rank(me, 0, text[0], sizeof *text);
  for (uint32_t rank = 1, lines = 0; rank <= me->head.ranks && lines < SHOWN; rank++) {
    if (rank < me->head.ranks) describe_rank(me, rank, text[1], sizeof *text);
    if (rank < me->head.ranks && strcmp(text[0], text[1]) == 0) continue;
    fprintf(to, rank - first > 1 ? "  ranks %u to" : "  rank", first);
    fprintf(to, " %u: %s\n", rank - 1, text[0]);
    first = rank;
    lines++;
    memcpy(text[0], text[1], sizeof *text);
  }
}

static uint64_t in_flight(const scree__worker *me) {
  uint64_t sum = 0;
  for (uint32_t c = 0; c < me->world->classes; c++) sum += me->path[c]->ops->in_flight(me->path[c]);
  return sum;
}

static bool is_at_work(const scree__worker *me) {
  for (uint32_t c = 0; c < me->world->classes; c++)
    if (me->in.current[c].block) return true;
  return false;
}

/* Of each class of hops: what is in flight, and the rank for whose lane the current block may wait. */
static void print_classes(const scree__worker *me, FILE *to) {
  const scree_world *world = me->world;
  for (uint32_t c = 0; world->classes > 1 && c < world->classes; c++) {
    const scree__current *current = &me->in.current[c];
    const scree__transport *t = me->path[c];
    fprintf(to, "  hops of class %u%s: blocks in flight %llu", c, scree__is_urgent(me, c) ? " (urgent types)" : "",
            (unsigned long long)t->ops->in_flight(t));
    if (current->block && scree__is_routed(&world->types[current->block->wire.segment.type])) {
      fprintf(to, ", a block from rank %u with %u items left", current->block->wire.owner / world->endpoints,
              current->left);
      if (!me->in.handler && !me->failed) /* else items may have been moved over its tag */
        fprintf(to, ", the next one through rank %u", scree__next_rank(me, c));
    }
    fputc('\n', to);
  }
  if (scree__route_classes_of(world) > 1)
    fprintf(to, "  passed on: %llu items; progress steps in which a block waited for space: %llu\n",
            (unsigned long long)me->passing.passed, (unsigned long long)me->passing.stalls);
}

static void print_state(const scree__worker *me, FILE *to) {
  const scree_world *world = me->world;
  scree__transport *t = me->transport;
  const scree__node_slot *slot = &t->slots[t->topology->node_index];
  fprintf(to, "scree: report of rank %u of %u", world->rank, world->ranks);
  if (scree__is_progress(me))
    fputs(", progress thread", to);
  else if (world->threads > 1)
    fprintf(to, ", worker %u of %u", me->head.index, world->threads);
  fprintf(to,
          " (node %u of %u, %s): epoch %llu %s%s%s\n"
          "  created %llu, completed %llu (handled %llu blocks), held %llu, released %llu\n"
          "  blocks in flight %llu, lanes with content %u, destinations waiting %u, overflow %llu bytes, own blocks "
          "%llu%s\n"
          "  detector %s: epochs ended here %llu, detection rounds %llu%s; idle polls since the last progress %u\n",
          t->topology->node, t->topology->nodes, t->ops->name, (unsigned long long)(me->end.epoch - me->end.first),
          me->in_epoch ? "open" : "not begun", me->in_epoch ? me->end.contributed ? ", idle" : ", not idle" : "",
          me->failed ? ", failed" : "", (unsigned long long)AO_load(&slot->created),
          (unsigned long long)AO_load(&slot->completed), (unsigned long long)me->end.handled,
          (unsigned long long)me->end.held, (unsigned long long)me->end.released, (unsigned long long)in_flight(me),
          me->lanes.open, me->out.waiting_count, (unsigned long long)me->out.overflow_bytes,
          (unsigned long long)(me->out.self[0].length + me->out.self[1].length),
          is_at_work(me) ? ", one being handled" : "", scree__detector_name(world),
          (unsigned long long)(AO_load(&me->end.group.page->ended) - me->end.first),
          (unsigned long long)me->end.rounds.count, me->end.rounds.open ? ", one open" : "", me->watch.idle_turns);
}

static void print_all(const scree_world *world, FILE *to) {
  const scree__worker *me = scree__caller(world);
  print_state(me, to);
  if (me->failed) fprintf(to, "  failed: %s\n", me->failure.text);
  if (scree__in_poll(me))
    fputs("  inside a poll function\n", to);
  else if (me->in.handler)
    fprintf(to, "  inside the handler of type '%s'\n", world->types[me->in.handler].name);
  if (me->in_epoch && scree__polls_hold(me)) fputs("  a poll function holds work\n", to);
  if (me->in_epoch) print_missing(me, to);
  print_types(me, to);
  print_classes(me, to);
  SCREE__HOLDERS(h, me, report)(me, h, to);
  scree__lock_print(world, scree__one_worker(me), to, false);
  print_calls(me, to);
}

/* Whole lines, in writes of no more bytes than a pipe accepts at once: reports of several ranks do not mix within a
 * line. */
static void write_lines(const char *text, size_t size, FILE *to) {
  for (size_t n; size > 0; text += n, size -= n) {
    n = size < PIPE_BUF ? size : PIPE_BUF;
    const char *end = memrchr(text, '\n', n);
    if (end) n = (size_t)(end + 1 - text);
    fwrite(text, 1, n, to);
    fflush(to);
  }
}

void scree_report_print(const scree_world *world, FILE *to) {
  if (scree__not_printed(world, "scree_report_print", to)) return;
  char *text;
  size_t size;
  FILE *whole = open_memstream(&text, &size);
  if (!whole) {
    print_all(world, to);
    return;
  }
  print_all(world, whole);
  fclose(whole);
  write_lines(text, size, to);
  free(text);
}
