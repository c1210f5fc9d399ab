/* alltoall.c - all ranks to all ranks, evenly or not.
 *
 * Every rank sends its share of 8-byte items to destinations drawn uniformly or by Zipf's law (rank k, from 0, gets a
 * share proportional to 1 / (k + 1)^s) through the library on each transport. The baseline is MPI_Alltoallv of the same
 * items in bulks that stay in the cache. Any number of ranks works, even more than cores. With more than two ranks, two
 * of them run first while the others sleep; the last column is the rate of all ranks over that of two. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { BULK = 1 << 16 }; /* items per rank in one MPI_Alltoallv */

typedef struct {
  uint64_t value;
} item;
SCREE_MESSAGE(move, item);

/* The items of a rank, and the items that it received. */
typedef struct {
  uint32_t ranks, rank;
  uint64_t items;
  uint32_t *dest;
  uint64_t seen, sum;
} job;

static uint64_t value_of(const job *j, uint64_t i) {
  return (i * j->ranks + j->rank) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Exponent 0 is uniform. */
static bool draw_destinations(job *j, double exponent) {
  double *sum = bench_zipf_sums(j->ranks, exponent);
  uint64_t x = 88172645463325252u + j->rank;
  j->dest = calloc(j->items, sizeof *j->dest);
  for (uint64_t i = 0; sum && j->dest && i < j->items; i++) j->dest[i] = bench_zipf_draw(sum, j->ranks, bench_draw(&x));
  free(sum);
  return sum && j->dest;
}

/* ---- the library ---- */

typedef struct {
  scree_world *world;
  scree_worker *w;
  move_type t;
  job *j; /* of the current row */
} context;

static void on_items(scree_worker *w, const scree_batch *batch, const item *items, void *arg) {
  job *j = ((context *)arg)->j;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < batch->count; i++) sum += items[i].value;
  j->sum += sum;
  j->seen += batch->count;
  (void)w;
}
SCREE_HANDLER(move, item, on_items);

static bool open_context(context *s, const char *transport) {
  s->world = bench_open(transport, NULL);
  if (!s->world) return false;
  s->w = scree_worker_of(s->world, 0);
  return move_register(s->world, s, &s->t) == SCREE_OK;
}

static void run_library(void *arg, uint64_t n) {
  const context *s = arg;
  const job *j = s->j;
  scree_begin(s->w);
  for (uint64_t i = 0; i < n; i++) move_send(s->w, s->t, j->dest[i], (item){value_of(j, i)});
  scree_end(s->w, NULL);
}

/* No item is lost or duplicated: the sums of what all sent and all received agree, and so does the count of each
 * rank. */
static bool check(job *j) {
  uint64_t sums[2] = {j->sum, 0}, all[2], *to = calloc(2 * j->ranks, sizeof *to), *to_all = to + j->ranks;
  bool good = to;
  for (uint64_t i = 0; good && i < j->items; i++) {
    sums[1] += value_of(j, i);
    to[j->dest[i]]++;
  }
  if (good) bench_sum(to, to_all, j->ranks);
  bench_sum(sums, all, 2);
  good = good && all[0] == all[1] && to_all[j->rank] == j->seen;
  j->sum = j->seen = 0;
  free(to);
  return good;
}

static bool check_library(void *arg, uint64_t n) {
  const context *s = arg;
  (void)n;
  return check(s->j) && scree_error(s->world) == SCREE_OK;
}

/* ---- MPI ---- */

typedef struct {
  job *j;
  uint64_t *out, *in;
  int capacity; /* of `in`, items */
  int *counts, *starts, *in_counts, *in_starts;
} rival;

static int prefix_sum(const int *counts, int *starts, uint32_t n) {
  int sum = 0;
  for (uint32_t i = 0; i < n; sum += counts[i++]) starts[i] = sum;
  return sum;
}

/* Sorts items first .. first + n by destination. */
static void pack(rival *r, uint64_t first, uint64_t n) {
  const job *j = r->j;
  const uint32_t *dest = j->dest + first;
  memset(r->counts, 0, j->ranks * sizeof *r->counts);
  for (uint64_t i = 0; i < n; i++) r->counts[dest[i]]++;
  prefix_sum(r->counts, r->starts, j->ranks);
  for (uint64_t i = 0; i < n; i++) r->out[r->starts[dest[i]]++] = value_of(j, first + i);
  prefix_sum(r->counts, r->starts, j->ranks);
}

static void exchange(rival *r) {
  job *j = r->j;
  MPI_Alltoall(r->counts, 1, MPI_INT, r->in_counts, 1, MPI_INT, bench_comm);
  int received = prefix_sum(r->in_counts, r->in_starts, j->ranks);
  if (received > r->capacity) {
    free(r->in);
    r->in = malloc((size_t)received * sizeof *r->in);
    r->capacity = received;
    if (!r->in) MPI_Abort(bench_comm, 1);
  }
  MPI_Alltoallv(r->out, r->counts, r->starts, MPI_UINT64_T, r->in, r->in_counts, r->in_starts, MPI_UINT64_T,
                bench_comm);
  for (int i = 0; i < received; i++) j->sum += r->in[i];
  j->seen += (uint64_t)received;
}

static void run_mpi(void *arg, uint64_t n) {
  rival *r = arg;
  for (uint64_t first = 0; first < n; first += BULK) {
    pack(r, first, n - first < BULK ? n - first : BULK);
    exchange(r);
  }
}

static bool check_mpi(void *arg, uint64_t n) {
  (void)n;
  return check(((rival *)arg)->j);
}

static bool open_rival(rival *r, job *j) {
  size_t size = sizeof *r->counts;
  *r = (rival){.j = j,
               .out = malloc(BULK * sizeof *r->out),
               .counts = calloc(j->ranks, size),
               .starts = calloc(j->ranks, size),
               .in_counts = calloc(j->ranks, size),
               .in_starts = calloc(j->ranks, size)};
  return r->out && r->counts && r->starts && r->in_counts && r->in_starts;
}

static void close_rival(rival *r) {
  free(r->out);
  free(r->in);
  free(r->counts);
  free(r->starts);
  free(r->in_counts);
  free(r->in_starts);
}

/* ---- rows ---- */

enum { VARIANTS = 3, ROWS = 4 };

/* The number of rows to run, and the rates of two ranks. */
typedef struct {
  int rows;
  double by_two[ROWS][VARIANTS];
} plan;

static void report(bench *b, double exponent, const bench_variant *variant, double mpi, double by_two) {
  const double rate = 1 / variant->seconds; /* per rank */
  bench_row(b, BENCH_CELL("zipf", "zipf %-4.1f", exponent, 1), BENCH_CELL("ranks", " %6.0f", b->ranks, 1),
            BENCH_TEXT("way", "  %-14s", variant->name), BENCH_CELL("item_bytes", NULL, sizeof(item), 1),
            BENCH_CELL("rate", " %9.1f", rate, 1e-6), BENCH_CELL(NULL, " %9.1f", rate * b->ranks, 1e-6),
            BENCH_CELL("mpi_ratio", " %8.2f", mpi / variant->seconds, 1),
            BENCH_CELL("spread", " %6.0f%%", variant->spread, 100),
            BENCH_CELL("two_ranks_ratio", " %8.2f", rate * b->ranks / by_two, 1));
}

static bool run_row(bench *b, double exponent, context *shm, context *mpi, double *by_two) {
  job j = {.ranks = (uint32_t)b->ranks, .rank = (uint32_t)b->rank};
  j.items = (UINT64_C(1) << (b->scale ? b->scale : 22)) / j.ranks;
  if (j.items == 0) j.items = 1;
  rival r;
  shm->j = mpi->j = &j;
  bench_variant variants[VARIANTS] = {
      {.name = "MPI_Alltoallv", .run = run_mpi, .check = check_mpi, .arg = &r, .mpi = true, .n = j.items},
      {.name = "scree mpi", .run = run_library, .check = check_library, .arg = mpi, .mpi = true, .n = j.items},
      {.name = "scree shm", .run = run_library, .check = check_library, .arg = shm, .n = j.items},
  };
  bool good = open_rival(&r, &j) && draw_destinations(&j, exponent);
  good = bench_all(good) && bench_rounds(b, variants, VARIANTS);
  for (int i = ranks_are_local ? 2 : 0; good && i < VARIANTS; i++) {
    if (b->ranks <= 2 || by_two[i] == 0) by_two[i] = b->ranks / variants[i].seconds;
    report(b, exponent, &variants[i], variants[0].seconds, by_two[i]);
  }
  close_rival(&r);
  free(j.dest);
  return good;
}

static bool run_ranks(bench *b, void *arg) {
  static const double exponents[ROWS] = {0, 1, 0.5, 2}; /* the first two by default */
  plan *p = arg;
  context shm = {.world = NULL}, mpi = {.world = NULL};
  if (!open_context(&shm, "shm") || (!ranks_are_local && !open_context(&mpi, "mpi"))) return false;
  bool good = true;
  for (int i = 0; good && i < p->rows; i++) good = run_row(b, exponents[i], &shm, &mpi, p->by_two[i]);
  good = scree_close(shm.world) == SCREE_OK && good;
  return (!mpi.world || scree_close(mpi.world) == SCREE_OK) && good;
}

static bool run(bench *b) {
  plan p = {.rows = b->full ? ROWS : 2};
  if (b->rank == 0)
    printf("%-9s %6s  %-14s %9s %9s %8s %7s %8s   (million items per second)\n", "", "ranks", "", "per rank",
           "all ranks", "/MPI", "spread", "/2 ranks");
  return (b->ranks <= 2 || bench_on_ranks(b, 2, run_ranks, &p)) && bench_on_ranks(b, b->ranks, run_ranks, &p);
}

const bench_mode bench_modes[] = {
    {.name = "alltoall",
     .what =
         "8-byte items to uniform and skewed destinations, from 2 ranks and from all, against MPI_Alltoallv; --scale: "
         "log2 of the items of all ranks, default 22",
     .run = run},
    {0}};
