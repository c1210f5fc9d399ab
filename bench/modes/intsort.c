/* intsort.c - NAS IS: keys are ranked 10 times, two of them changed each time. In turns: the kernel of the command
 * line; what NAS's own code does by MPI, written again: keys are sorted into 1,024 buckets, which are distributed to
 * the ranks by how many keys they have, moved by one MPI_Alltoallv, and counted where they arrive; and messages, one
 * for each key. NAS's own program is run beside it by irregular.sh. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "irregular/intsort/keys.h"
#include "kernel_side.h"
#include "modes.h"

enum { BUCKETS_LOG2 = 10, BUCKETS = 1 << BUCKETS_LOG2, HEAD = 2 * SCREE__KEYS_ITERATIONS + 1 };

/* One rank's keys, and what it knows of the values that it counts. */
typedef struct {
  const scree__keys_class *class;
  uint32_t values; /* as a power of two */
  int rank, ranks;
  uint64_t first_key, locals, first, end;        /* first, end: of its values */
  uint32_t *keys, *sorted, *arrived, head[HEAD]; /* head: the first keys, some of which change, as they were */
  uint64_t space, *count; /* space: for keys that arrive; count: of each value, from `first` on */
  uint64_t tested[BUCKETS + SCREE__KEYS_TESTS], wrong, below; /* below: keys of lower ranks */
  scree_world *world;
  uint32_t type;
} job;

static bool open_job(const bench *b, job *j, int class, bool moves) {
  const scree__keys_class *c = &scree__keys_classes[class];
  const uint64_t keys = UINT64_C(1) << c->keys;
  *j = (job){.class = c, .values = c->values, .rank = b->rank, .ranks = b->ranks};
  j->first_key = scree__keys_share(keys, (uint64_t)b->ranks, (uint64_t)b->rank);
  j->locals = scree__keys_share(keys, (uint64_t)b->ranks, (uint64_t)b->rank + 1) - j->first_key;
  j->space = j->locals + j->locals / 2 + 1024;
  j->keys = bench_alloc(j->locals * sizeof *j->keys, false);
  if (moves) j->sorted = bench_alloc(j->locals * sizeof *j->sorted, false);
  if (moves) j->arrived = bench_alloc(j->space * sizeof *j->arrived, false);
  j->count = bench_alloc(sizeof *j->count << c->values, false);
  uint64_t x = scree__keys_jump(4 * j->first_key);
  for (uint64_t i = 0; j->keys && i < j->locals; i++) j->keys[i] = scree__keys_next(&x, c->values);
  if (j->keys) memcpy(j->head, j->keys, sizeof j->head);
  return bench_all(j->keys && j->count && (!moves || (j->sorted && j->arrived)));
}

static void free_job(const job *j) {
  scree_huge_free(j->keys);
  scree_huge_free(j->sorted);
  scree_huge_free(j->arrived);
  scree_huge_free(j->count);
}

/* Is the rank right of each tested value that this rank has? `count` is summed up. */
static void test_ranks(job *j, const uint64_t *values, uint64_t iteration) {
  for (uint32_t t = 0; t < SCREE__KEYS_TESTS; t++) {
    const uint64_t v = values[t];
    if (v < j->first || v >= j->end) continue;
    const uint64_t rank = j->below + (v > j->first ? j->count[v - 1 - j->first] : 0);
    j->wrong += rank != scree__keys_rank(j->class, t, iteration);
  }
}

static void sum_up(job *j) {
  for (uint64_t v = 1; v < j->end - j->first; v++) j->count[v] += j->count[v - 1];
}

static bool check(void *arg, uint64_t n) {
  job *j = arg;
  (void)n;
  return j->wrong == 0;
}

/* ---- MPI ---- */

static void sort_into_buckets(job *j, uint64_t *size) {
  const uint32_t shift = j->values - BUCKETS_LOG2;
  uint64_t at[BUCKETS];
  memset(size, 0, BUCKETS * sizeof *size);
  for (uint64_t i = 0; i < j->locals; i++) size[j->keys[i] >> shift]++;
  for (uint64_t b = 0, sum = 0; b < BUCKETS; sum += size[b++]) at[b] = sum;
  for (uint64_t i = 0; i < j->locals; i++) j->sorted[at[j->keys[i] >> shift]++] = j->keys[i];
}

/* Buckets go to a rank until the ranks so far have their share; its own are counted by value. */
static void scatter(job *j, const uint64_t *size, const uint64_t *all, int *send) {
  const uint64_t keys = UINT64_C(1) << j->class->keys;
  const uint32_t shift = j->values - BUCKETS_LOG2;
  uint64_t sum = 0, below = 0;
  memset(send, 0, (size_t)j->ranks * sizeof *send);
  j->first = j->end = 0;
  for (uint64_t b = 0, r = 0; b < BUCKETS; b++) {
    send[r] += (int)size[b];
    sum += all[b];
    if ((int)r == j->rank) j->end = (b + 1) << shift;
    if (sum < keys / (uint64_t)j->ranks * (r + 1) || (int)r == j->ranks - 1) continue;
    r++;
    below = sum;
    if ((int)r == j->rank) j->first = (b + 1) << shift, j->below = below;
  }
}

static void move(job *j, const int *send, int *receive, uint64_t *arrived) {
  int sent_at[64] = {0}, at[64] = {0};
  MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, bench_comm);
  for (int r = 1; r < j->ranks; r++) {
    sent_at[r] = sent_at[r - 1] + send[r - 1];
    at[r] = at[r - 1] + receive[r - 1];
  }
  *arrived = (uint64_t)(at[j->ranks - 1] + receive[j->ranks - 1]);
  if (*arrived > j->space) MPI_Abort(bench_comm, 1);
  MPI_Alltoallv(j->sorted, send, sent_at, MPI_UINT32_T, j->arrived, receive, at, MPI_UINT32_T, bench_comm);
}

static void rank_by_mpi(job *j, uint32_t iteration) {
  static uint64_t size[BUCKETS + SCREE__KEYS_TESTS], all[BUCKETS + SCREE__KEYS_TESTS];
  int send[64], receive[64];
  uint64_t arrived;
  if (j->rank == 0) scree__keys_change(j->keys, iteration, j->values);
  sort_into_buckets(j, size);
  for (uint32_t t = 0; t < SCREE__KEYS_TESTS; t++) {
    const uint64_t i = j->class->index[t] - j->first_key;
    size[BUCKETS + t] = i < j->locals ? j->keys[i] : 0;
  }
  MPI_Allreduce(size, all, BUCKETS + SCREE__KEYS_TESTS, MPI_UINT64_T, MPI_SUM, bench_comm);
  scatter(j, size, all, send);
  move(j, send, receive, &arrived);
  memset(j->count, 0, (j->end - j->first) * sizeof *j->count);
  for (uint64_t i = 0; i < arrived; i++) j->count[j->arrived[i] - j->first]++;
  sum_up(j);
  test_ranks(j, all + BUCKETS, iteration);
}

static double run_mpi(void *arg) {
  job *j = arg;
  memcpy(j->keys, j->head, sizeof j->head);
  MPI_Barrier(bench_comm);
  const double start = bench_now();
  for (uint32_t i = 1; i <= SCREE__KEYS_ITERATIONS; i++) rank_by_mpi(j, i);
  return bench_now() - start;
}

/* ---- messages ---- */

SCREE_MESSAGE(keys, uint32_t);
SCREE_MESSAGE(totals, uint64_t);

static void on_keys(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  const job *j = arg;
  uint64_t *count = j->count;
  const uint64_t first = j->first;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) count[items[i] - first]++;
}
SCREE_HANDLER(keys, uint32_t, on_keys);

static void on_totals(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) ((job *)arg)->below += items[i];
}
SCREE_HANDLER(totals, uint64_t, on_totals);

/* Each rank has its counts; the totals of lower ranks, and all tested values. */
static void exchange(job *j, scree_worker *w, uint64_t *tested) {
  scree_reduce all = SCREE_REDUCE_INIT;
  j->below = 0;
  scree_begin(w); /* after the epoch of the keys: all ranks have cleared `below` when it ends */
  scree_end(w, NULL);
  for (uint32_t t = 0; t < SCREE__KEYS_TESTS; t++) {
    const uint64_t i = j->class->index[t] - j->first_key;
    all.value[t] = (scree_reduce_value){.op = SCREE_SUM, .of.integer = i < j->locals ? (int64_t)j->keys[i] : 0};
  }
  scree_begin(w);
  for (int r = j->rank + 1; r < j->ranks && j->end > j->first; r++)
    totals_send(w, (totals_type){j->type + 1}, (uint32_t)r, j->count[j->end - j->first - 1]);
  scree_end(w, &all);
  for (uint32_t t = 0; t < SCREE__KEYS_TESTS; t++) tested[t] = (uint64_t)all.value[t].of.integer;
}

static void rank_by_messages(job *j, uint32_t iteration) {
  scree_worker *w = scree_worker_of(j->world, 0);
  const keys_type type = {j->type};
  const uint32_t each = (uint32_t)(((UINT64_C(1) << j->values) + (uint64_t)j->ranks - 1) / (uint64_t)j->ranks);
  uint64_t tested[SCREE__KEYS_TESTS];
  if (j->rank == 0) scree__keys_change(j->keys, iteration, j->values);
  memset(j->count, 0, (j->end - j->first) * sizeof *j->count);
  scree_begin(w); /* no key is handled on a rank that has not begun */
  for (uint64_t i = 0; i < j->locals; i++) keys_send(w, type, j->keys[i] / each, j->keys[i]);
  scree_end(w, NULL);
  sum_up(j);
  exchange(j, w, tested);
  test_ranks(j, tested, iteration);
}

static void run_messages(void *arg, uint64_t n) {
  job *j = arg;
  (void)n;
  memcpy(j->keys, j->head, sizeof j->head);
  for (uint32_t i = 1; i <= SCREE__KEYS_ITERATIONS; i++) rank_by_messages(arg, i);
}

static bool open_messages(job *j, const char *transport) {
  const uint64_t values = UINT64_C(1) << j->values, each = (values + (uint64_t)j->ranks - 1) / (uint64_t)j->ranks;
  keys_type keys = {0};
  totals_type totals = {0};
  j->first = each * (uint64_t)j->rank < values ? each * (uint64_t)j->rank : values;
  j->end = values - j->first < each ? values : j->first + each;
  j->world = bench_open(transport, NULL);
  if (!bench_all(j->world) || keys_register(j->world, j, &keys) || totals_register(j->world, j, &totals)) return false;
  j->type = keys.id;
  return totals.id == keys.id + 1;
}

/* ---- rows ---- */

static uint64_t class = 2;
const bench_own_option bench_intsort_options[] = {
    {{SCREE__ROW("class", COUNT, "", "0: S, 1: W, 2: A, 3: B, 4: C; default 2"), .max = 4}, &class}, {{0}, NULL}};

/* Delegates rank the classes S and W alone: they take a hundred times as long as counts. */
enum { COUNTS, EXCHANGE, MESSAGES, MPI, DELEGATES, VARIANTS };

static bool run_row(bench *b, const char *transport) {
  static const char *const names[] = {"counts", "exchange", "messages", "mpi", "delegates"}, *const classes[] = {
                                                                                                 "S", "W", "A", "B",
                                                                                                 "C"};
  const int c = (int)class, count = c > 1 ? DELEGATES : VARIANTS;
  job jobs[VARIANTS] = {{0}};
  kernel_side side[VARIANTS] = {{0}};
  bench_variant v[VARIANTS] = {[DELEGATES] = {.seconds = (double)NAN}};
  bool good = true;
  for (int i = 0; i < count && good; i++) {
    v[i] = (bench_variant){.name = names[i],
                           .n = (uint64_t)SCREE__KEYS_ITERATIONS << scree__keys_classes[c].keys,
                           .arg = &jobs[i],
                           .check = check,
                           .mpi = i == MPI};
    if (i == MPI)
      good = open_job(b, &jobs[i], c, true), v[i].timed = run_mpi;
    else if (i == MESSAGES)
      good = open_job(b, &jobs[i], c, false) && open_messages(&jobs[i], transport), v[i].run = run_messages;
    else
      good = kernel_side_open(&side[i], &v[i], bench_irregular("intsort"), transport,
                              "algorithm=%s class=%s global-direct=off", names[i], classes[c]);
  }
  good = good && bench_rounds(b, v, count);
  if (good)
    bench_row(b, BENCH_TEXT("transport", "%-4s", transport), BENCH_TEXT("class", " %5s", classes[c]),
              BENCH_CELL("counts_rate", " %8.1f", 1 / v[COUNTS].seconds, 1e-6),
              BENCH_CELL("exchange_rate", " %8.1f", 1 / v[EXCHANGE].seconds, 1e-6),
              BENCH_CELL("delegates_rate", " %9.1f", 1 / v[DELEGATES].seconds, 1e-6),
              BENCH_CELL("messages_rate", " %8.1f", 1 / v[MESSAGES].seconds, 1e-6),
              BENCH_CELL("mpi_rate", " %8.1f", 1 / v[MPI].seconds, 1e-6),
              BENCH_CELL("mpi_ratio", " %7.2f", v[MPI].seconds / v[COUNTS].seconds, 1),
              BENCH_CELL("exchange_ratio", " %7.2f", v[MPI].seconds / v[EXCHANGE].seconds, 1),
              BENCH_CELL("spread", " %6.0f%%", v[COUNTS].spread, 100));
  for (int i = 0; i < VARIANTS; i++) {
    if (side[i].kernel) good = kernel_side_close(&side[i]) && good;
    free_job(&jobs[i]);
  }
  return (!jobs[MESSAGES].world || scree_close(jobs[MESSAGES].world) == SCREE_OK) && good;
}

bool bench_intsort(bench *b) {
  if (b->rank == 0)
    printf("%-4s %5s %8s %8s %9s %8s %8s %7s %7s %7s\n", "", "class", "counts", "exchange", "delegates", "messages",
           "mpi", "/mpi", "exch./mpi", "spread");
  return bench_each_transport(b, run_row);
}
