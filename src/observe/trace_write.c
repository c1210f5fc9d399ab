/* trace_write.c - the rings of all endpoints, written by rank 0: worker by worker, and of one worker of each rank a
 * piece at a time, so that memory does not grow with what was recorded. */
#include <string.h>
#include <unistd.h>

#include "observe/json.h"
#include "observe/trace.h"

enum { HOST = 64 };

/* What a rank sends about a worker's ring. */
typedef struct {
  uint64_t held, dropped;
  uint32_t leader;
  char host[HOST];
} heading;

typedef struct {
  uint64_t count;
  scree__event events[];
} piece;

static heading heading_of(scree_world *world, uint32_t w) {
  const scree__ring *ring = &world->rings[w];
  const scree__group *group = &world->worker[w]->end.group;
  heading h = {.held = scree__ring_held(ring), .leader = group->count > 1 && group->index == 0};
  h.dropped = ring->total - h.held;
  if (gethostname(h.host, sizeof h.host - 1)) strcpy(h.host, "unknown host");
  return h;
}

static void write_heading(scree_world *world, uint32_t rank, uint32_t w, const heading *h) {
  const scree__tracing *tracing = scree__tracing_of(world);
  scree__endpoint_trace endpoint = {.track = {rank, w, world->endpoints},
                                    .progress = w >= world->threads,
                                    .host = h->host,
                                    .events = h->held,
                                    .dropped = h->dropped,
                                    .clock_offset = tracing->last[rank].offset,
                                    .clock_error = tracing->last[rank].error,
                                    .leader = h->leader};
  scree__trace_endpoint(&endpoint, tracing->to);
}

static void write_event(scree_world *world, uint32_t rank, uint32_t w, const scree__event *e) {
  const scree__tracing *tracing = scree__tracing_of(world);
  int64_t begin = scree__clock_common(tracing, rank, e->begin), end = scree__clock_common(tracing, rank, e->end);
  const bool typed = e->kind == SCREE__EVENT_BATCH || e->kind == SCREE__EVENT_TASK;
  const char *type = typed ? world->types[e->type].name : "";
  scree__trace_event(e, (scree__track){rank, w, world->endpoints}, begin, end, type, tracing->to);
}

static size_t read_piece(scree_world *world, uint32_t w, uint64_t at) {
  piece *mine = scree__tracing_of(world)->mine;
  mine->count = scree__ring_read(&world->rings[w], at, mine->events, scree__tracing_of(world)->piece);
  return mine->count;
}

static void write_piece(scree_world *world, uint32_t rank, uint32_t w, const piece *from) {
  for (uint64_t i = 0; i < from->count; i++) write_event(world, rank, w, &from->events[i]);
}

/* Of the rank with the most events of this worker. */
static uint64_t max_events(scree_world *world, const heading *all) {
  uint64_t max = 0;
  for (uint32_t r = 0; r < world->ranks; r++)
    if (all[r].held > max) max = all[r].held;
  return max;
}

static scree_status collect_worker(scree_world *world, uint32_t w) {
  scree__tracing *tracing = scree__tracing_of(world);
  const size_t bytes = scree__trace_piece_bytes(tracing);
  _Static_assert(sizeof(heading) <= SCREE__PIECE_MIN * sizeof(scree__event), "a table of these fits");
  heading h = heading_of(world, w);
  scree_status status = scree__gather(world, SCREE__TRACE, &h, tracing->all, sizeof h);
  if (status != SCREE_OK) return status;
  const uint64_t end = max_events(world, tracing->all);
  for (uint32_t r = 0; r < world->ranks && world->rank == 0; r++)
    write_heading(world, r, w, (const heading *)tracing->all + r);
  for (uint64_t at = 0; at < end; at += tracing->piece) {
    read_piece(world, w, at);
    if ((status = scree__gather(world, SCREE__TRACE, tracing->mine, tracing->all, bytes)) != SCREE_OK) return status;
    for (uint32_t r = 0; r < world->ranks && world->rank == 0; r++)
      write_piece(world, r, w, (const piece *)(const void *)((const char *)tracing->all + r * bytes));
  }
  return SCREE_OK;
}

scree_status scree__trace_collect(scree_world *world, const char *failure) {
  FILE *to = scree__tracing_of(world)->to;
  bool first = world->rank == 0;
  scree_status status = SCREE_OK;
  if (first) scree__clocks_settle(scree__tracing_of(world), world->ranks);
  if (first) scree__trace_begin(to);
  for (uint32_t w = 0; w < world->endpoints && status == SCREE_OK; w++) status = collect_worker(world, w);
  const char *missing = status == SCREE_OK ? "" : world->faults[0].text;
  if (first) scree__trace_end(world->ranks, world->endpoints, failure, missing, to);
  return status;
}

void scree__trace_write_own(scree_world *world, const char *failure, const char *missing) {
  FILE *to = scree__tracing_of(world)->to;
  scree__trace_begin(to);
  for (uint32_t w = 0; w < world->endpoints; w++) {
    heading h = heading_of(world, w);
    write_heading(world, 0, w, &h);
    for (uint64_t at = 0; read_piece(world, w, at) > 0; at += scree__tracing_of(world)->piece)
      write_piece(world, 0, w, scree__tracing_of(world)->mine);
  }
  scree__trace_end(world->ranks, world->endpoints, failure, missing, to);
}
