/* trace_switch.c - switching a trace on and off: by scree_trace, and when a traced world closes. */
#include <stdlib.h>
#include <string.h>

#include "core/epoch.h"
#include "io/output_file.h"
#include "io/say.h"
#include "observe/trace.h"

enum { PIECES = 1 << 20 }; /* bytes of the pieces of all ranks, as far as each has its minimum */

/* ---- what a trace needs ---- */

size_t scree__trace_piece_bytes(const scree__tracing *tracing) {
  return sizeof(uint64_t) + tracing->piece * sizeof(scree__event);
}

static void free_tracing(scree_world *world) {
  scree__tracing *tracing = scree__tracing_of(world);
  if (!tracing) return;
  for (uint32_t w = 0; w < world->endpoints; w++) scree__ring_close(&world->rings[w]);
  for (uint32_t i = 1; i <= world->type_count; i++) world->types[i].fn = world->types[i].handler;
  *scree__feature_state(world, &scree__trace_feature) = NULL;
  if (!world->faults[0].abandoned) { /* else MPI may read and write them */
    free(tracing->mine);
    free(tracing->all);
  }
  free(tracing->first);
  free(tracing->last);
  free(tracing);
}

static bool allocate(scree_world *world) {
  const size_t ranks = world->ranks, of_one = PIECES / sizeof(scree__event) / ranks;
  scree__tracing *t = calloc(1, sizeof *t);
  if (!t) return false;
  *scree__feature_state(world, &scree__trace_feature) = t;
  t->piece = of_one > SCREE__PIECE_MIN ? of_one : SCREE__PIECE_MIN;
  t->mine = calloc(1, scree__trace_piece_bytes(t));
  t->all = calloc(ranks, scree__trace_piece_bytes(t));
  t->first = calloc(ranks, sizeof *t->first);
  t->last = calloc(ranks, sizeof *t->last);
  bool made = t->mine && t->all && t->first && t->last;
  for (uint32_t w = 0; w < world->endpoints && made; w++)
    made = scree__ring_open(&world->rings[w], world->options.trace_events);
  return made;
}

/* ---- steps that all ranks take together; a failed one has a reason ---- */

typedef struct {
  char text[320];
} reason;

/* What ranks compare: the request of rank 0, or the result. */
typedef struct {
  uint32_t on, status;
} report;

static scree_status no_gather(scree_world *world, scree_status status, reason *why) {
  snprintf(why->text, sizeof why->text, "the ranks cannot agree on it: %s", world->faults[0].text);
  return status;
}

/* The reports are valid until the next gather. */
static scree_status compare(scree_world *world, report mine, const report **all, reason *why) {
  _Static_assert(sizeof mine <= sizeof(scree__registration), "a table of these fits");
  *all = (const report *)(const void *)world->all_registrations;
  scree_status status = scree__gather(world, SCREE__TRACE, &mine, world->all_registrations, sizeof mine);
  return status == SCREE_OK ? status : no_gather(world, status, why);
}

static scree_status agree_on_memory(scree_world *world, bool made, reason *why) {
  const report *all;
  scree_status status = compare(world, (report){0, made ? SCREE_OK : SCREE_ENOMEM}, &all, why);
  for (uint32_t r = 0; r < world->ranks && status == SCREE_OK; r++) {
    if (!all[r].status) continue;
    status = SCREE_ENOMEM;
    snprintf(why->text, sizeof why->text,
             "rank %u has no memory for %llu events of each of its %u workers: lower the option trace-events, or free "
             "memory on its host",
             r, (unsigned long long)world->options.trace_events, world->endpoints);
  }
  return status;
}

static scree_status start(scree_world *world, FILE *to, reason *why) {
  scree_status status = agree_on_memory(world, allocate(world), why);
  if (status != SCREE_OK) return status;
  status = scree__clocks_measure(world, scree__tracing_of(world)->first);
  if (status != SCREE_OK) return no_gather(world, status, why);
  scree__tracing_of(world)->to = to;
  scree__tracing_of(world)->started = scree__now(world->worker[0]);
  for (uint32_t i = 1; i <= world->type_count; i++) world->types[i].fn = scree__traced_batch;
  for (uint32_t w = 0; w < world->endpoints; w++)
    world->worker[w]->end.trace.completed = world->worker[w]->end.trace.created = UINT64_MAX;
  return SCREE_OK;
}

static scree_status agree_on_file(scree_world *world, reason *why) {
  const report *all;
  int error = world->rank == 0 ? scree__output_flush(scree__tracing_of(world)->to) : 0;
  scree_status status = compare(world, (report){0, error ? SCREE_ESTATE : SCREE_OK}, &all, why);
  if (status != SCREE_OK || !all[0].status) return status;
  if (error)
    snprintf(why->text, sizeof why->text,
             "the trace was not written in full: %s: free space there, or pass another file", strerror(error));
  else
    snprintf(why->text, sizeof why->text, "rank 0 did not write the trace in full (its own message says more)");
  return SCREE_ESTATE;
}

static scree_status finish(scree_world *world, const char *failure, reason *why) {
  scree__tracing *tracing = scree__tracing_of(world);
  tracing->stopped = scree__now(world->worker[0]);
  scree_status status = scree__clocks_measure(world, tracing->last);
  if (status == SCREE_OK)
    status = scree__trace_collect(world, failure);
  else if (world->rank == 0)
    scree__trace_write_own(world, failure, world->faults[0].text);
  return status == SCREE_OK ? agree_on_file(world, why) : no_gather(world, status, why);
}

/* ---- where no status can report the result ---- */

/* Ranks that have lost another one, or MPI, cannot do anything together. */
static scree_status write_alone(scree_world *world, const char *failure, reason *why) {
  if (world->rank != 0) return SCREE_OK;
  scree__trace_write_own(world, failure, "the events of other ranks could not be collected after this failure");
  int error = scree__output_flush(scree__tracing_of(world)->to);
  if (!error) return SCREE_OK;
  snprintf(why->text, sizeof why->text, "the trace was not written in full: %s", strerror(error));
  return SCREE_ESTATE;
}

static void write_at_close(scree_world *world) {
  scree_status failed = scree__agreed(world), status;
  reason why = {""}, failure = {""};
  if (!scree__tracing_of(world)) return;
  if (failed != SCREE_OK) snprintf(failure.text, sizeof failure.text, "%s", scree__failure_text(world));
  if (failed == SCREE_EMPI || failed == SCREE_EPEER)
    status = write_alone(world, failure.text, &why);
  else
    status = finish(world, failure.text, &why);
  if (status != SCREE_OK && world->rank == 0) scree__say("scree: rank 0 of %u: %s\n", world->ranks, why.text);
  free_tracing(world);
}

static bool trace_type(scree_world *world, const scree_type_desc *desc, scree__type *type) {
  (void)desc;
  if (scree__tracing_of(world)) type->fn = scree__traced_batch;
  return true;
}

const scree__feature scree__trace_feature = {.add_type = trace_type, .close = write_at_close, .free = free_tracing};

/* ---- the call ---- */

static scree_status check_state(scree_world *world) {
  const char *name = SCREE__TRACE;
  if (!world) return SCREE_EINVAL;
  scree__worker *me = world->worker[0];
  scree_status refused = scree__outside_handlers(me, name);
  if (refused) return refused;
  if (me->in_epoch) return scree__misuse(me, SCREE_ESTATE, name, "an epoch is open: end it first");
  if (world->running)
    return scree__misuse(me, SCREE_ESTATE, name, "called inside scree_run_workers: call it before or after");
  return SCREE_OK;
}

static scree_status switch_on(scree_world *world, FILE *to, reason *why) {
  if (scree__tracing_of(world)) {
    snprintf(why->text, sizeof why->text, "the world is traced already: pass NULL first, which writes that trace");
    return SCREE_ESTATE;
  }
  scree_status status = start(world, to, why);
  if (status != SCREE_OK) free_tracing(world);
  return status;
}

static scree_status switch_off(scree_world *world, reason *why) {
  if (!scree__tracing_of(world)) return SCREE_OK;
  scree_status status = finish(world, "", why);
  free_tracing(world);
  return status;
}

scree_status scree_trace(scree_world *world, FILE *to) {
  reason why = {""};
  const report *all;
  scree_status status = check_state(world);
  if (status != SCREE_OK) return status;
  if (scree__agreed(world)) {
    write_at_close(world);
    return scree__agreed(world);
  }
  status = compare(world, (report){to != NULL, SCREE_OK}, &all, &why);
  if (status == SCREE_OK) status = all[0].on ? switch_on(world, to, &why) : switch_off(world, &why);
  if (status == SCREE_OK) return status;
  return scree__misuse(world->worker[0], status, SCREE__TRACE, "%s", why.text);
}
