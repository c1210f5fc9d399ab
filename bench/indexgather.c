/* indexgather.c - bale's index gather: reading random locations of a table that is dealt over all ranks.
 *
 * Room: every rank walks a list of locations drawn before and sends a request for each; the request's handler sends the
 * word back, and the reply's handler stores it where the list has the location. Against it the local gather: the same
 * list, a table of the same size, no messages. Any number of ranks. */
#include <stdlib.h>
#include <string.h>

#include "common_requests.h"

typedef struct {
  uint32_t index, slot; /* in the owner's table; in the asker's list */
} request;
SCREE_MESSAGE(requests, request);

typedef struct __attribute__((packed)) { /* 12 bytes, not 16: a quarter less to move */
  uint64_t value;
  uint32_t slot;
} reply;
SCREE_MESSAGE(replies, reply);

enum { AHEAD = 32 }; /* items that a handler prefetches ahead: its stores keep loads from overlapping by themselves */

typedef struct {
  uint64_t count; /* locations in the list */
  bench_location *locations;
  uint64_t *table, *got;
  uint32_t rank;
} job;

typedef struct {
  scree_world *world;
  scree_worker *w;
  requests_type ask;
  replies_type answer;
  job *j; /* the row's */
} context;

static void on_requests(scree_worker *w, const scree_batch *batch, const request *items, void *arg) {
  const context *s = arg;
  const uint64_t *table = s->j->table;
  uint32_t asker = batch->source;
  for (uint32_t i = 0; i < batch->count; i++) {
    __builtin_prefetch(&table[items[scree_batch_ahead(batch, i, AHEAD)].index]);
    replies_send(w, s->answer, asker, (reply){table[items[i].index], items[i].slot});
  }
}

static void on_replies(scree_worker *w, const scree_batch *batch, const reply *items, void *arg) {
  uint64_t *got = ((const context *)arg)->j->got;
  for (uint32_t i = 0; i < batch->count; i++) got[items[i].slot] = items[i].value;
  (void)w;
}

SCREE_HANDLER(requests, request, on_requests);
SCREE_HANDLER(replies, reply, on_replies);

static bool open_context(context *s, uint64_t transport) {
  s->world = bench_world(transport);
  if (!s->world) return false;
  s->w = scree_worker_of(s->world, 0);
  return requests_register(s->world, s, &s->ask) == SCREE_OK && replies_register(s->world, s, &s->answer) == SCREE_OK;
}

static void run_library(void *arg, uint64_t n) {
  const context *s = arg;
  const bench_location *locations = s->j->locations;
  scree_begin(s->w);
  for (uint64_t i = 0; i < n; i++)
    requests_send(s->w, s->ask, locations[i].rank, (request){locations[i].index, (uint32_t)i});
  scree_end(s->w, NULL);
}

static void run_local(void *arg, uint64_t n) {
  const job *j = arg;
  const uint64_t *table = j->table;
  uint64_t *got = j->got;
  for (uint64_t i = 0; i < n; i++) got[i] = table[j->locations[i].index];
  __asm__ __volatile__("" ::: "memory");
}

/* Every word must be the one of its location. Then they are wiped. */
static bool check(job *j, bool local) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < j->count; i++)
    wrong += j->got[i] != bench_hash(local ? j->rank : j->locations[i].rank, j->locations[i].index);
  memset(j->got, 0, j->count * sizeof *j->got);
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
  j->got = bench_alloc(j->count * sizeof *j->got, row->huge);
  for (uint32_t i = 0; j->table && i < row->words; i++) j->table[i] = bench_hash(j->rank, i);
  return bench_all(j->locations && j->table && j->got);
}

static bool run_row(bench *b, const bench_kernel_row *row, context *shm, context *mpi) {
  job j;
  bool good = open_job(&j, b, row);
  shm->j = mpi->j = &j;
  bench_variant variants[] = {
      {.name = "local gather", .run = run_local, .check = check_local, .arg = &j, .n = j.count},
      {.name = "scree shm", .run = run_library, .check = check_library, .arg = shm, .n = j.count},
      {.name = "scree mpi", .run = run_library, .check = check_library, .arg = mpi, .n = j.count},
  };
  enum { VARIANTS = sizeof variants / sizeof *variants };
  good = good && bench_rounds(b, variants, VARIANTS);
  for (int i = 0; good && i < VARIANTS; i++) bench_kernel_report(b, row, &variants[i], variants[0].seconds);
  free(j.locations);
  scree_huge_free(j.table);
  scree_huge_free(j.got);
  return good;
}

int main(int argc, char **argv) {
  static const bench_kernel_row rows[] = {
      {1 << 20, false, true}, {1 << 10, false, true}, {1 << 20, true, false}, {1 << 25, true, false}};
  bench b;
  if (!bench_start(&b, argc, argv, "indexgather",
                   "bale's index gather, by request and reply, against the local gather; --scale: log2 of the requests "
                   "of a rank, default 21"))
    return bench_finish(&b, 2);
  context shm = {.world = NULL}, mpi = {.world = NULL};
  if (!open_context(&shm, SCREE_TRANSPORT_SHM) || !open_context(&mpi, SCREE_TRANSPORT_MPI)) return bench_finish(&b, 1);
  if (b.rank == 0)
    printf("%8s %-5s %-12s %9s %8s %7s   (million words a second a rank)\n", "words", "pages", "", "rate", "/floor",
           "spread");
  bool good = true;
  for (size_t i = 0; good && i < sizeof rows / sizeof *rows; i++)
    if (b.full || rows[i].usual) good = run_row(&b, &rows[i], &shm, &mpi);
  if (scree_close(shm.world) != SCREE_OK) good = false;
  if (scree_close(mpi.world) != SCREE_OK) good = false;
  return bench_finish(&b, good ? 0 : 1);
}
