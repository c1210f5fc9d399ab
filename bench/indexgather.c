/* indexgather.c - bale's index gather: reading random locations of a table distributed over all ranks.
 *
 * Every rank walks a list of locations drawn in advance and sends a request for each. The handler of the request sends
 * the word back, and the handler of the reply stores it at the request's position in the list. The baseline is the
 * local gather: the same list, a table of the same size, no messages. Any number of ranks works. */
#include <stdlib.h>
#include <string.h>

#include "common_requests.h"

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
  uint64_t count; /* locations in the list */
  bench_location *locations;
  uint64_t *table, *received;
  uint32_t rank;
} job;

typedef struct {
  scree_world *world;
  scree_worker *w;
  requests_type requests;
  replies_type replies;
  job *j; /* of the current row */
} context;

static void on_requests(scree_worker *w, const scree_batch *batch, const request *items, void *arg) {
  const context *s = arg;
  const uint64_t *table = s->j->table;
  uint32_t requester = batch->source;
  for (uint32_t i = 0; i < batch->count; i++) {
    __builtin_prefetch(&table[items[scree_batch_ahead(batch, i, AHEAD)].index]);
    replies_send(w, s->replies, requester, (reply){table[items[i].index], items[i].slot});
  }
}

static void on_replies(scree_worker *w, const scree_batch *batch, const reply *items, void *arg) {
  uint64_t *received = ((const context *)arg)->j->received;
  for (uint32_t i = 0; i < batch->count; i++) received[items[i].slot] = items[i].value;
  (void)w;
}

SCREE_HANDLER(requests, request, on_requests);
SCREE_HANDLER(replies, reply, on_replies);

static bool open_context(context *s, uint64_t transport) {
  s->world = bench_world(transport);
  if (!s->world) return false;
  s->w = scree_worker_of(s->world, 0);
  return requests_register(s->world, s, &s->requests) == SCREE_OK &&
         replies_register(s->world, s, &s->replies) == SCREE_OK;
}

static void run_library(void *arg, uint64_t n) {
  const context *s = arg;
  const bench_location *locations = s->j->locations;
  scree_begin(s->w);
  for (uint64_t i = 0; i < n; i++)
    requests_send(s->w, s->requests, locations[i].rank, (request){locations[i].index, (uint32_t)i});
  scree_end(s->w, NULL);
}

static void run_local(void *arg, uint64_t n) {
  const job *j = arg;
  const uint64_t *table = j->table;
  uint64_t *received = j->received;
  for (uint64_t i = 0; i < n; i++) received[i] = table[j->locations[i].index];
  __asm__ __volatile__("" ::: "memory");
}

/* Every word must be that of its location. Clears them. */
static bool check(job *j, bool local) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < j->count; i++)
    wrong += j->received[i] != bench_hash(local ? j->rank : j->locations[i].rank, j->locations[i].index);
  memset(j->received, 0, j->count * sizeof *j->received);
  return wrong == 0;
}

static bool check_library(void *arg, uint64_t n) {
  const context *s = arg;
  (void)n;
  return check(s->j, false) && scree_error(s->world) == SCREE_OK;
}

static bool check_local(void *arg, uint64_t n) {
  (void)n;
  return check(arg, true);
}

static bool open_job(job *j, const bench *b, const bench_kernel_row *row) {
  *j = (job){.count = UINT64_C(1) << (b->scale ? b->scale : 21), .rank = (uint32_t)b->rank};
  j->locations = bench_locations(j->count, (uint32_t)b->ranks, row->words, 88172645463325252u + j->rank);
  j->table = bench_alloc(row->words * sizeof *j->table, row->huge);
  j->received = bench_alloc(j->count * sizeof *j->received, row->huge);
  for (uint32_t i = 0; j->table && i < row->words; i++) j->table[i] = bench_hash(j->rank, i);
  return bench_all(j->locations && j->table && j->received);
}

typedef struct {
  context shm, mpi;
} transports;

static bool run_row(bench *b, const bench_kernel_row *row, void *arg) {
  transports *t = arg;
  job j;
  bool good = open_job(&j, b, row);
  t->shm.j = t->mpi.j = &j;
  bench_variant variants[] = {
      {.name = "local gather", .run = run_local, .check = check_local, .arg = &j, .n = j.count},
      {.name = "scree shm", .run = run_library, .check = check_library, .arg = &t->shm, .n = j.count},
      {.name = "scree mpi", .run = run_library, .check = check_library, .arg = &t->mpi, .n = j.count},
  };
  enum { VARIANTS = sizeof variants / sizeof *variants };
  good = good && bench_rounds(b, variants, VARIANTS);
  for (int i = 0; good && i < VARIANTS; i++) bench_kernel_report(b, row, &variants[i], variants[0].seconds);
  free(j.locations);
  scree_huge_free(j.table);
  scree_huge_free(j.received);
  return good;
}

int main(int argc, char **argv) {
  static const bench_kernel_row rows[] = {
      {1 << 20, false, true}, {1 << 10, false, true}, {1 << 20, true, false}, {1 << 25, true, false}};
  bench b;
  if (!bench_start(&b, argc, argv, "indexgather",
                   "bale's index gather, by request and reply, against the local gather; --scale: log2 of the requests "
                   "per rank, default 21"))
    return bench_finish(&b, 2);
  transports t = {.shm = {.world = NULL}};
  if (!open_context(&t.shm, SCREE_TRANSPORT_SHM) || !open_context(&t.mpi, SCREE_TRANSPORT_MPI))
    return bench_finish(&b, 1);
  bench_kernel_head(&b, "words");
  bool good = bench_kernel_rows(&b, rows, sizeof rows / sizeof *rows, run_row, &t);
  good = bench_close(t.shm.world, t.mpi.world) && good;
  return bench_finish(&b, good ? 0 : 1);
}
