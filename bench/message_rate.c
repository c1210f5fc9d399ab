/* message_rate.c - small messages per second.
 *
 * Each rank sends updates to random ranks, whose handler does one read-modify-write in its own table, as HPCC
 * RandomAccess and bale's histogram do. The baselines run in the same process, interleaved: the plain loop over the
 * same indices and table, coalescing alone (both in common_floor.c), and hand-written MPI (common_handwritten.c). */
#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <string.h>

#include "message_rate.h"
#include "modes.h"

/* A world on one transport, and the target of its handlers. */
typedef struct {
  scree_world *world;
  scree_worker *w;
  update_target to;
} context;

enum { LINE = 64 }; /* bytes of a cache line */

static bool open_context(context *s, uint64_t transport) {
  s->world = bench_world(transport);
  if (!s->world) return false;
  s->w = scree_worker_of(s->world, 0);
  for (uint32_t i = 0, id; i < UPDATE_SIZES; i++)
    if (!update_sizes[i].make[0](s->world, &s->to, &id) || id != i) return false;
  return true;
}

static double run_scree(context *s, const job *j, int item_bytes) {
  uint32_t type = 0;
  while (update_sizes[type].bytes != item_bytes) type++;
  s->to = (update_target){j->table, 0};
  MPI_Barrier(MPI_COMM_WORLD);
  double start = bench_now();
  scree_begin(s->w);
  update_sizes[type].send[0](s->w, type, j);
  scree_end(s->w, NULL);
  return bench_slowest(bench_now() - start);
}

/* Every update adds one, so the sum of all tables is the number of updates sent. */
static bool sum_is_correct(const job *j, uint64_t updates) {
  uint64_t mine = 0, all = 0;
  for (uint64_t i = 0; i <= j->mask; i++) mine += j->table[i];
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all == updates * (uint64_t)j->ranks;
}

typedef struct {
  uint64_t transport; /* SCREE_TRANSPORT_SHM or _MPI */
  int item_bytes, table_log2;
  bool huge, remote;
} row;

/* Without --full: the rows that docs/performance.md quotes. */
static const row usual[] = {
    {SCREE_TRANSPORT_SHM, 8, 20, false, false},  {SCREE_TRANSPORT_MPI, 8, 20, false, false},
    {SCREE_TRANSPORT_SHM, 16, 20, false, false}, {SCREE_TRANSPORT_MPI, 16, 20, false, false},
    {SCREE_TRANSPORT_SHM, 8, 10, false, false},  {SCREE_TRANSPORT_SHM, 8, 25, true, false},
    {SCREE_TRANSPORT_SHM, 8, 20, false, true},
};

/* The variants of a job. */
enum { SCREE, FLOOR, LISTED, SORTED, MPI, VARIANTS };

static double run_variant(int variant, context *s, const row *r, const job *j) {
  if (variant == FLOOR) return run_floor(j);
  if (variant == LISTED) return run_listed(j);
  if (variant == SORTED) return run_sorted(j, r->item_bytes);
  return variant == MPI ? run_handwritten(j, r->item_bytes) : run_scree(s, j, r->item_bytes);
}

static void head(const bench *b) {
  if (b->rank != 0) return;
  printf("%-4s %5s  %-4s %-5s %-7s %8s %8s %8s %8s %8s %7s %7s %7s %7s %8s %7s\n", "", "item", "table", "pages",
         "pattern", "scree", "drawn", "listed", "sorted", "mpi", "/drawn", "/listed", "/sorted", "/mpi", "lines",
         "spread");
}

static void report(bench *b, const row *r, const job *j, const double *seconds, double spread) {
  double rate[VARIANTS];
  for (int i = 0; i < VARIANTS; i++) rate[i] = (double)j->items / seconds[i];
  bench_row(
      b, BENCH_TEXT("transport", "%-4s", bench_transport(r->transport)), BENCH_CELL("ranks", NULL, b->ranks, 1),
      BENCH_CELL("item_bytes", " %3.0f B", r->item_bytes, 1), BENCH_CELL("table_words", NULL, (double)(j->mask + 1), 1),
      BENCH_CELL(NULL, "  2^%-2.0f", r->table_log2, 1), BENCH_TEXT("pages", " %-5s", r->huge ? "huge" : "4k"),
      BENCH_TEXT("pattern", " %-7s", r->remote ? "remote" : "random"), BENCH_CELL("rate", " %8.1f", rate[SCREE], 1e-6),
      BENCH_CELL("drawn_rate", " %8.1f", rate[FLOOR], 1e-6), BENCH_CELL("listed_rate", " %8.1f", rate[LISTED], 1e-6),
      BENCH_CELL("sorted_rate", " %8.1f", rate[SORTED], 1e-6), BENCH_CELL("mpi_rate", " %8.1f", rate[MPI], 1e-6),
      BENCH_CELL("floor_ratio", " %7.2f", rate[SCREE] / rate[FLOOR], 1),
      BENCH_CELL("listed_ratio", " %7.2f", rate[SCREE] / rate[LISTED], 1),
      BENCH_CELL("sorted_ratio", " %7.2f", rate[SCREE] / rate[SORTED], 1),
      BENCH_CELL("mpi_ratio", " %7.2f", rate[SCREE] / rate[MPI], 1),
      BENCH_CELL("lines_rate", " %8.1f", rate[SCREE] * r->item_bytes / LINE, 1e-6),
      BENCH_CELL("spread", " %6.0f%%", spread, 100));
}

static job make_job(const bench *b, const row *r) {
  size_t words = (size_t)1 << r->table_log2;
  uint64_t items = UINT64_C(1) << (b->scale ? b->scale : 22);
  return (job){.ranks = (uint32_t)b->ranks,
               .rank = (uint32_t)b->rank,
               .remote = r->remote && b->ranks > 1,
               .items = r->item_bytes > 16 ? items * 16 / (uint64_t)r->item_bytes : items,
               .mask = words - 1,
               .seed = 88172645463325252u + (uint64_t)b->rank,
               .table = bench_alloc(words * sizeof(uint64_t), r->huge)};
}

/* Interleaves all variants, so that drift affects them equally; the first round warms up. */
static bool run_row(bench *b, const row *r, context *s) {
  job j = make_job(b, r);
  size_t rounds = (size_t)b->rounds;
  double *seconds_of = calloc(VARIANTS * rounds, sizeof *seconds_of), median[VARIANTS];
  bool good = bench_all(j.table && seconds_of);
  for (int round = -1; good && round < b->rounds; round++)
    for (int variant = 0; variant < VARIANTS; variant++) {
      double seconds = run_variant(variant, s, r, &j);
      if (round >= 0) seconds_of[(size_t)variant * rounds + (size_t)round] = seconds;
    }
  good = good && sum_is_correct(&j, VARIANTS * (rounds + 1) * j.items) && scree_error(s->world) == SCREE_OK;
  if (good) {
    for (int variant = 0; variant < VARIANTS; variant++)
      median[variant] = bench_median(&seconds_of[(size_t)variant * rounds], b->rounds);
    report(b, r, &j, median, (seconds_of[rounds - 1] - seconds_of[0]) / median[SCREE]);
  } else if (b->rank == 0) {
    fprintf(stderr, "message_rate: updates are missing (%s)\n", scree_error_text(s->world));
  }
  free(seconds_of);
  scree_huge_free(j.table);
  return good;
}

/* Every item size, table size and pattern. */
static bool run_full(bench *b, context *contexts) {
  static const int tables[] = {10, 20, 25};
  bool good = true;
  for (int mpi = 0; mpi < 2; mpi++)
    for (int table = 0; table < 3; table++)
      for (int remote = 0; remote < 2; remote++)
        for (int i = 0; good && i < UPDATE_SIZES; i++) {
          uint64_t transport = mpi ? SCREE_TRANSPORT_MPI : SCREE_TRANSPORT_SHM;
          row r = {transport, update_sizes[i].bytes, tables[table], tables[table] == 25, remote};
          good = run_row(b, &r, &contexts[mpi]);
        }
  return good;
}

static bool run(bench *b) {
  context contexts[2] = {{.world = NULL}};
  if (!open_context(&contexts[0], SCREE_TRANSPORT_SHM) || !open_context(&contexts[1], SCREE_TRANSPORT_MPI))
    return false;
  head(b);
  bool good = true;
  for (size_t i = 0; !b->full && good && i < sizeof usual / sizeof *usual; i++)
    good = run_row(b, &usual[i], &contexts[usual[i].transport == SCREE_TRANSPORT_MPI]);
  if (b->full) good = run_full(b, contexts);
  return bench_close(contexts[0].world, contexts[1].world) && good;
}

int main(int argc, char **argv) {
  static const bench_mode modes[] = {
      {.name = "message_rate",
       .what = "small updates to random ranks, in million items per second per rank, against the plain loop over drawn "
               "indices "
               "and over a list of them, coalescing without messages (sorted) and hand-written MPI; lines: million "
               "cache lines "
               "of items; --scale: log2 of the items that a rank sends, default 22",
       .run = run},
      {.name = "route",
       .what =
           "a routed type against a plain one, each route against direct, and messages to workers; "
           "--scale: "
           "log2 of the items that a rank sends, default 20; --full: all sizes",
       .run = bench_route,
       .own = bench_route_options,
       .thread_level = MPI_THREAD_SERIALIZED},
      {.name = "workers",
       .what = "P workers in one rank against P ranks of one worker: million messages per second of each worker, "
               "microseconds "
               "of "
               "an empty epoch, and the ratios of both; --scale: log2 of the messages that each sends, default 20",
       .run = bench_workers,
       .thread_level = MPI_THREAD_SERIALIZED},
      {0}};
  return bench_main(argc, argv, modes);
}
