/* indexgather.c - bale's index gather: reading random locations of a table distributed over all ranks.
 *
 * Every rank walks a list of locations drawn in advance and sends a request for each. The handler of the request sends
 * the word back, and the handler of the reply stores it at the request's position in the list. The baseline is the
 * local gather: the same list, a table of the same size, no messages. Any number of ranks works. */
#include <string.h>

#include "common_requests.h"
#include "modes.h"

typedef struct {
  uint32_t index, slot; /* in the owner's table; in the requester's list */
} request;
SCREE_MESSAGE(requests, request);

typedef struct __attribute__((packed)) { /* 12 bytes instead of 16 */
  uint64_t value;
  uint32_t slot;
} reply;
SCREE_MESSAGE(replies, reply);

enum { AHEAD = 32 }; /* items that a handler prefetches ahead: its stores keep loads from overlapping by themselves */

typedef struct {
  bench_kernel_context in; /* must be first */
  requests_type requests;
  replies_type replies;
} context;

static void on_requests(scree_worker *w, const scree_batch *batch, const request *items, void *arg) {
  const context *s = arg;
  const uint64_t *table = s->in.job->table;
  uint32_t requester = batch->source;
  for (uint32_t i = 0; i < batch->count; i++) {
    __builtin_prefetch(&table[items[scree_batch_ahead(batch, i, AHEAD)].index]);
    replies_send(w, s->replies, requester, (reply){table[items[i].index], items[i].slot});
  }
}

static void on_replies(scree_worker *w, const scree_batch *batch, const reply *items, void *arg) {
  uint64_t *received = ((const context *)arg)->in.job->received;
  for (uint32_t i = 0; i < batch->count; i++) received[items[i].slot] = items[i].value;
  (void)w;
}

SCREE_HANDLER(requests, request, on_requests);
SCREE_HANDLER(replies, reply, on_replies);

static bool open_context(void *arg) {
  context *s = arg;
  return requests_register(s->in.world, s, &s->requests) == SCREE_OK &&
         replies_register(s->in.world, s, &s->replies) == SCREE_OK;
}

static void run_library(void *arg, uint64_t n) {
  const context *s = arg;
  const bench_location *locations = s->in.job->locations;
  scree_begin(s->in.w);
  for (uint64_t i = 0; i < n; i++)
    requests_send(s->in.w, s->requests, locations[i].rank, (request){locations[i].index, (uint32_t)i});
  scree_end(s->in.w, NULL);
}

static void run_local(void *arg, uint64_t n) {
  const bench_requests *j = arg;
  const uint64_t *table = j->table;
  uint64_t *received = j->received;
  for (uint64_t i = 0; i < n; i++) received[i] = table[j->locations[i].index];
  __asm__ __volatile__("" ::: "memory");
}

/* Checks that every word is that of its location, and clears the words. */
static bool check(bench_requests *j, bool local) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < j->count; i++)
    wrong += j->received[i] != bench_hash(local ? j->rank : j->locations[i].rank, j->locations[i].index);
  memset(j->received, 0, j->count * sizeof *j->received);
  return wrong == 0;
}

static bool check_library(void *arg, uint64_t n) {
  const context *s = arg;
  (void)n;
  return check(s->in.job, false) && scree_error(s->in.world) == SCREE_OK;
}

static bool check_local(void *arg, uint64_t n) {
  (void)n;
  return check(arg, true);
}

static void fill(bench_requests *j) {
  for (uint32_t i = 0; i < j->words; i++) j->table[i] = bench_hash(j->rank, i);
}

bool bench_indexgather(bench *b) {
  static const bench_kernel_row rows[] = {
      {1 << 20, false, true}, {1 << 10, false, true}, {1 << 20, true, false}, {1 << 25, true, false}};
  static const bench_kernel kernel = {.items = "words",
                                      .floor = "local gather",
                                      .ways = {"scree"},
                                      .transports = bench_transports,
                                      .scale = 21,
                                      .fetches = true,
                                      .zipf = -1,
                                      .context_bytes = sizeof(context),
                                      .open = open_context,
                                      .draw = bench_draw_uniform,
                                      .fill = fill,
                                      .run = run_library,
                                      .check = check_library,
                                      .run_floor = run_local,
                                      .check_floor = check_local};
  return bench_kernel_run(b, &kernel, rows, sizeof rows / sizeof *rows);
}
