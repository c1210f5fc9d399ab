/* irregular.c - kernels on tasks and global memory, in turns with what programs without these do: hand-written MPI, and
 * messages of the library. The first mode is gups: HPCC RandomAccess, whose MPI form collects updates in buckets, at
 * most 1,024 on a rank, and sends the fullest one when there are as many; HPCC's own code polls for arrivals before
 * each update, `mpi` every 64 updates. */
#include <stdlib.h>
#include <string.h>

#include "irregular/stream.h"
#include "kernel_side.h"
#include "modes.h"

enum { SCALE = 21, PENDING = 1024, UPDATES_TAG = 1, END_TAG = 2, POLL = 64 };

/* A table of which each rank has a block. */
typedef struct {
  uint64_t words, each, first, locals, *table;
  int rank, ranks;
  uint64_t every; /* updates between two polls of MPI */
  scree_world *world;
  uint32_t type;
} job;

static void update(const job *j, uint64_t x) {
  j->table[(x & (j->words - 1)) - j->first] ^= x;
}

/* Returns the number of this rank's updates, and in *x the random number before the first of them. */
static uint64_t share(const job *j, uint64_t *x) {
  const uint64_t all = SCREE__STREAM_UPDATES * j->words, ranks = (uint64_t)j->ranks, rank = (uint64_t)j->rank;
  const uint64_t first = all / ranks * rank + (rank < all % ranks ? rank : all % ranks);
  *x = scree__stream_at(first);
  return all / ranks + (rank < all % ranks);
}

/* Applies all updates once more: each word must then equal its index. */
static bool check(void *arg, uint64_t n) {
  const job *j = arg;
  uint64_t x = 1, wrong = 0;
  (void)n;
  for (uint64_t i = 0; i < SCREE__STREAM_UPDATES * j->words; i++) {
    x = scree__stream_next(x);
    if ((x & (j->words - 1)) / j->each == (uint64_t)j->rank) update(j, x);
  }
  for (uint64_t i = 0; i < j->locals; i++) wrong += j->table[i] != j->first + i;
  return wrong == 0;
}

/* ---- MPI ---- */

typedef struct {
  const job *j;
  uint64_t *bucket, *count, pending; /* bucket: PENDING words of each rank */
  uint64_t sent[PENDING], arrived[PENDING];
  MPI_Request in, out;
  int ended;
} buckets;

static bool receive(buckets *h) {
  int there, n;
  MPI_Status s;
  MPI_Test(&h->in, &there, &s);
  if (!there) return false;
  MPI_Get_count(&s, MPI_UINT64_T, &n);
  h->ended += s.MPI_TAG == END_TAG;
  for (int i = 0; i < n; i++) update(h->j, h->arrived[i]);
  MPI_Irecv(h->arrived, PENDING, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, bench_comm, &h->in);
  return true;
}

/* Sends the fullest bucket if the last one that was sent has left. */
static void send_fullest(buckets *h) {
  int left, to = 0;
  MPI_Test(&h->out, &left, MPI_STATUS_IGNORE);
  if (!left) return;
  for (int r = 1; r < h->j->ranks; r++)
    if (h->count[r] > h->count[to]) to = r;
  memcpy(h->sent, h->bucket + (uint64_t)to * PENDING, h->count[to] * sizeof *h->sent);
  MPI_Isend(h->sent, (int)h->count[to], MPI_UINT64_T, to, UPDATES_TAG, bench_comm, &h->out);
  h->pending -= h->count[to];
  h->count[to] = 0;
}

static void put(buckets *h, uint64_t x) {
  const uint64_t to = (x & (h->j->words - 1)) / h->j->each;
  if (to == (uint64_t)h->j->rank) {
    update(h->j, x);
    return;
  }
  h->bucket[to * PENDING + h->count[to]++] = x;
  h->pending++;
}

/* Returns when all ranks have sent all their updates. */
static void finish(buckets *h, MPI_Request *ends) {
  int left = 0;
  while (h->pending) receive(h) ? (void)0 : send_fullest(h);
  while (!left) {
    receive(h);
    MPI_Test(&h->out, &left, MPI_STATUS_IGNORE);
  }
  for (int r = 0; r < h->j->ranks; r++) MPI_Isend(NULL, 0, MPI_UINT64_T, r, END_TAG, bench_comm, &ends[r]);
  while (h->ended < h->j->ranks) receive(h);
  bench_wait_all(h->j->ranks, ends);
}

static double run_mpi(void *arg) {
  const job *j = arg;
  static buckets h;
  h = (buckets){.j = j, .out = MPI_REQUEST_NULL};
  h.bucket = calloc((size_t)j->ranks * PENDING, sizeof *h.bucket);
  h.count = calloc((size_t)j->ranks, sizeof *h.count);
  MPI_Request *ends = calloc((size_t)j->ranks, sizeof(MPI_Request));
  MPI_Irecv(h.arrived, PENDING, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, bench_comm, &h.in);
  MPI_Barrier(bench_comm);
  uint64_t x;
  const double start = bench_now();
  const uint64_t n = share(j, &x);
  for (uint64_t i = 0; i < n;) {
    if (i % j->every == 0)
      while (receive(&h)) {
      }
    if (h.pending < PENDING)
      put(&h, x = scree__stream_next(x)), i++;
    else
      receive(&h), send_fullest(&h);
  }
  finish(&h, ends);
  const double seconds = bench_now() - start;
  MPI_Barrier(bench_comm);
  MPI_Cancel(&h.in);
  MPI_Wait(&h.in, MPI_STATUS_IGNORE);
  free(h.bucket);
  free(h.count);
  free(ends);
  return seconds;
}

/* ---- messages ---- */

SCREE_MESSAGE(updates, uint64_t);

static void on_updates(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  const job *j = arg;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) update(j, items[i]);
}
SCREE_HANDLER(updates, uint64_t, on_updates);

static void run_messages(void *arg, uint64_t unused) {
  const job *j = arg;
  scree_worker *w = scree_worker_of(j->world, 0);
  const updates_type type = {j->type};
  uint64_t x;
  (void)unused;
  const uint64_t n = share(j, &x), mask = j->words - 1, each = j->each;
  scree_begin(w);
  for (uint64_t i = 0; i < n; i++) {
    x = scree__stream_next(x);
    updates_send(w, type, (uint32_t)((x & mask) / each), x);
  }
  scree_end(w, NULL);
}

/* ---- rows ---- */

enum { TASKS, COMPLETE, FREE, MESSAGES, HPCC, MPI, VARIANTS };

static bool open_job(const bench *b, job *j, uint64_t words) {
  *j = (job){.words = words, .rank = b->rank, .ranks = b->ranks, .every = POLL};
  j->each = (words + (uint64_t)b->ranks - 1) / (uint64_t)b->ranks;
  j->first = j->each * (uint64_t)b->rank;
  j->locals = j->first >= words ? 0 : words - j->first < j->each ? words - j->first : j->each;
  j->table = bench_alloc(j->each * sizeof *j->table, false);
  for (uint64_t i = 0; j->table && i < j->locals; i++) j->table[i] = j->first + i;
  return bench_all(j->table != NULL);
}

static bool open_messages(job *j, const char *transport) {
  updates_type type = {0};
  j->world = bench_open(transport, NULL);
  if (!bench_all(j->world) || updates_register(j->world, j, &type)) return false;
  j->type = type.id;
  return true;
}

static bool run_row(bench *b, const char *transport) {
  const uint64_t words = UINT64_C(1) << (b->scale ? b->scale : SCALE);
  char blocks[64];
  job jobs[VARIANTS] = {{0}};
  kernel_side side[MESSAGES] = {{0}};
  bench_variant v[VARIANTS] = {
      {.name = "tasks"}, {.name = "tasks, no lookahead"}, {.name = "messages"}, {.name = "HPCC"}, {.name = "mpi"}};
  bool good = true;
  snprintf(blocks, sizeof blocks, "coalesce_bytes=%d", PENDING * 16 / b->ranks); /* of all lanes: PENDING updates */
  for (int i = 0; i < VARIANTS && good; i++) {
    v[i].n = SCREE__STREAM_UPDATES * words;
    v[i].arg = &jobs[i];
    v[i].check = check;
    v[i].mpi = i >= HPCC;
    if (i <= FREE) {
      if (i == TASKS) side[i].world_options = blocks;
      good = kernel_side_open(&side[i], &v[i], bench_irregular("gups"), transport,
                              "words=%llu lookahead=%d algorithm=%s global-direct=off", (unsigned long long)words,
                              i == FREE ? 0 : PENDING, i == COMPLETE ? "complete" : "atomics");
      continue;
    }
    good = open_job(b, &jobs[i], words) && (i != MESSAGES || open_messages(&jobs[i], transport));
    if (i == HPCC) jobs[i].every = 1;
    if (i == MESSAGES)
      v[i].run = run_messages;
    else
      v[i].timed = run_mpi;
  }
  good = good && bench_rounds(b, v, VARIANTS);
  if (good)
    bench_row(b, BENCH_TEXT("transport", "%-4s", transport), BENCH_CELL("words", " %9.0f", (double)words, 1),
              BENCH_CELL("rate", " %8.1f", 1 / v[TASKS].seconds, 1e-6),
              BENCH_CELL("complete_rate", " %8.1f", 1 / v[COMPLETE].seconds, 1e-6),
              BENCH_CELL("free_rate", " %8.1f", 1 / v[FREE].seconds, 1e-6),
              BENCH_CELL("messages_rate", " %8.1f", 1 / v[MESSAGES].seconds, 1e-6),
              BENCH_CELL("hpcc_rate", " %8.1f", 1 / v[HPCC].seconds, 1e-6),
              BENCH_CELL("mpi_rate", " %8.1f", 1 / v[MPI].seconds, 1e-6),
              BENCH_CELL("mpi_ratio", " %7.2f", v[MPI].seconds / v[TASKS].seconds, 1),
              BENCH_CELL("messages_ratio", " %7.2f", v[MESSAGES].seconds / v[TASKS].seconds, 1),
              BENCH_CELL("spread", " %6.0f%%", v[TASKS].spread, 100));
  for (int i = 0; i <= FREE; i++) good = kernel_side_close(&side[i]) && good;
  for (int i = MESSAGES; i < VARIANTS; i++) scree_huge_free(jobs[i].table);
  return (!jobs[MESSAGES].world || scree_close(jobs[MESSAGES].world) == SCREE_OK) && good;
}

static bool run(bench *b) {
  if (b->rank == 0)
    printf("%-4s %9s %8s %8s %8s %8s %8s %8s %7s %7s %7s\n", "", "words", "tasks", "complete", "free", "messages",
           "HPCC", "mpi", "/mpi", "/mess.", "spread");
  return bench_each_transport(b, run_row);
}

const bench_mode bench_modes[] = {
    {.name = "gups",
     .what = "million random updates per second of all ranks (HPCC RandomAccess): tasks that store 1,024, that have "
             "1,024 outstanding (complete), and that have no bound (free), messages, HPCC's form by MPI, and one that "
             "polls less "
             "often; --scale: log2 of the words of the table, default 21",
     .run = run},
    {.name = "intsort",
     .what = "million keys ranked per second of all ranks (NAS IS): the forms of scree intsort, messages, and what "
             "NAS's own code does by MPI",
     .run = bench_intsort,
     .own = bench_intsort_options},
    {.name = "uts",
     .what = "million vertices per second of all ranks (UTS): a serial walk, the forms of scree uts, and messages to "
             "random ranks",
     .run = bench_uts,
     .own = bench_uts_options},
    {.name = "walk",
     .what =
         "million steps per second of all ranks: the forms of scree walk, messages, and rounds of MPI; --scale: log2 "
         "of the vertices, default 18",
     .run = bench_walk},
    {.name = "hashmap",
     .what =
         "million strings per second of all ranks: the forms of scree hashmap, requests and replies by messages, and "
         "by MPI with 1,024 outstanding; --scale: log2 of the strings, default 20",
     .run = bench_hashmap},
    {.name = "stencil",
     .what = "million cells per second of all ranks: the forms of scree stencil, and MPI_Isend, MPI_Irecv and "
             "MPI_Waitall",
     .run = bench_stencil},
    {0}};
