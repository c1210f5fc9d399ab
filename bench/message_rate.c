/* message_rate.c - small messages per second.
 *
 * Each rank sends updates to random ranks, whose handler does one read-modify-write in its own table, as HPCC
 * RandomAccess and bale's histogram do. The baselines run in the same process, interleaved: the plain loop over the
 * same indices and table, coalescing alone (both in common_floor.c), and hand-written MPI (common_handwritten.c). */
#include "message_rate.h"

#include "modes.h"

enum { SCALE = 22, LINE = 64 }; /* LINE: bytes of a cache line */

typedef struct {
  const char *transport;
  int bytes, table_log2;
  bool huge, remote;
} row;

/* Without --full: the rows that docs/performance.md quotes. */
static const row usual[] = {
    {"shm", 8, 20, false, false},  {"mpi", 8, 20, false, false}, {"shm", 16, 20, false, false},
    {"mpi", 16, 20, false, false}, {"shm", 8, 10, false, false}, {"shm", 8, 25, true, false},
    {"shm", 8, 20, false, true},
};

enum { SCREE, FLOOR, LISTED, SORTED, MPI, VARIANTS };

static void head(const bench *b) {
  bench_head(b, "%-4s %5s  %-4s %-5s %-7s %8s %8s %8s %8s %8s %7s %7s %7s %7s %8s %7s\n", "", "item", "table", "pages",
             "pattern", "scree", "drawn", "listed", "sorted", "mpi", "/drawn", "/listed", "/sorted", "/mpi", "lines",
             "spread");
}

static void report(bench *b, const row *r, const job *j, const bench_variant *variants) {
  double rate[VARIANTS];
  for (int i = 0; i < VARIANTS; i++) rate[i] = 1 / variants[i].seconds;
  bench_row(
      b, BENCH_TEXT("transport", "%-4s", r->transport), BENCH_CELL("ranks", NULL, b->ranks, 1),
      BENCH_CELL("item_bytes", " %3.0f B", r->bytes, 1), BENCH_CELL("table_words", NULL, (double)(j->mask + 1), 1),
      BENCH_CELL(NULL, "  2^%-2.0f", r->table_log2, 1), BENCH_TEXT("pages", " %-5s", r->huge ? "huge" : "4k"),
      BENCH_TEXT("pattern", " %-7s", r->remote ? "remote" : "random"), BENCH_CELL("rate", " %8.1f", rate[SCREE], 1e-6),
      BENCH_CELL("seconds", NULL, variants[SCREE].seconds, 1), BENCH_CELL("drawn_rate", " %8.1f", rate[FLOOR], 1e-6),
      BENCH_CELL("listed_rate", " %8.1f", rate[LISTED], 1e-6), BENCH_CELL("sorted_rate", " %8.1f", rate[SORTED], 1e-6),
      BENCH_CELL("mpi_rate", " %8.1f", rate[MPI], 1e-6),
      BENCH_CELL("floor_ratio", " %7.2f", rate[SCREE] / rate[FLOOR], 1),
      BENCH_CELL("listed_ratio", " %7.2f", rate[SCREE] / rate[LISTED], 1),
      BENCH_CELL("sorted_ratio", " %7.2f", rate[SCREE] / rate[SORTED], 1),
      BENCH_CELL("mpi_ratio", " %7.2f", rate[SCREE] / rate[MPI], 1),
      BENCH_CELL("lines_rate", " %8.1f", rate[SCREE] * r->bytes / LINE, 1e-6),
      BENCH_CELL("spread", " %6.0f%%", variants[SCREE].spread, 100));
}

/* Every update adds one, so the sum of all tables is the number of updates sent: in the rounds, and to warm up. */
static bool sum_is_correct(const bench *b, const job *j) {
  uint64_t mine = 0, all = 0;
  for (uint64_t i = 0; i <= j->mask; i++) mine += j->table[i];
  bench_sum(&mine, &all, 1);
  const bool good = all == (ranks_are_local ? MPI : VARIANTS) * (uint64_t)(b->rounds + 1) * j->items * j->dests;
  if (!good && b->rank == 0) fprintf(stderr, "message_rate: updates are missing\n");
  return good;
}

static bool run_row(bench *b, const row *r) {
  if (!bench_has(r->transport)) return true;
  job j = bench_job(b, r->bytes, SCALE, r->table_log2);
  update_side side = {0};
  j.remote = r->remote && b->ranks > 1;
  j.table = bench_alloc((j.mask + 1) * sizeof *j.table, r->huge);
  bench_variant variants[VARIANTS] = {
      [SCREE] = {.name = "scree", .run = update_run, .check = update_check, .arg = &side, .n = j.items},
      [FLOOR] = {.name = "drawn", .timed = run_floor, .arg = &j, .n = j.items},
      [LISTED] = {.name = "listed", .timed = run_listed, .arg = &j, .n = j.items},
      [SORTED] = {.name = "sorted", .timed = run_sorted, .arg = &j, .n = j.items},
      [MPI] = {.name = "mpi", .timed = run_handwritten, .arg = &j, .mpi = true, .n = j.items}};
  bool good = bench_all(j.table) && update_open(&side, r->transport, &j) && bench_rounds(b, variants, VARIANTS) &&
              sum_is_correct(b, &j);
  if (good) report(b, r, &j, variants);
  good = update_close(&side) && good;
  scree_huge_free(j.table);
  return good;
}

#define BYTES(N) N,
static const size_t sizes[] = {UPDATE_SIZES(BYTES) 0};

/* Every item size, table size and pattern. */
static bool run_full(bench *b) {
  static const int tables[] = {10, 20, 25};
  bool good = true;
  for (int mpi = 0; bench_transports[mpi]; mpi++)
    for (int table = 0; table < 3; table++)
      for (int remote = 0; remote < 2; remote++)
        for (const size_t *bytes = sizes; good && *bytes; bytes++)
          if (bench_wants(b, *bytes))
            good = run_row(b, &(row){bench_transports[mpi], (int)*bytes, tables[table], tables[table] == 25, remote});
  return good;
}

static bool run(bench *b) {
  bool good = true;
  head(b);
  if (b->full) return run_full(b);
  for (int mpi = 0; good && b->bytes && bench_transports[mpi]; mpi++)
    good = run_row(b, &(row){bench_transports[mpi], (int)b->bytes, 20, false, false});
  if (b->bytes) return good;
  for (size_t i = 0; good && i < sizeof usual / sizeof *usual; i++) good = run_row(b, &usual[i]);
  return good;
}

const bench_mode bench_modes[] = {
    {.name = "message_rate",
     .what = "small updates to random ranks, in million items per second per rank, against the plain loop over drawn "
             "indices and over a list of them, coalescing without messages (sorted) and hand-written MPI; lines: "
             "million cache lines of items; --scale: log2 of the items that a rank sends, default 22",
     .run = run,
     .sizes = sizes},
    {.name = "route",
     .what =
         "a routed type against a plain one, each route against direct, and messages to workers by lanes for workers "
         "or ranks; --scale: log2 of the items that a rank sends, default 20",
     .run = bench_route,
     .own = bench_route_options,
     .thread_level = MPI_THREAD_SERIALIZED},
    {.name = "workers",
     .what = "P workers in one rank against P ranks of one worker: million messages per second of each worker, "
             "microseconds of an empty epoch, and the ratios of both; --scale: log2 of the messages that each sends, "
             "default 20",
     .run = bench_workers,
     .needs_mpi = true, /* worlds of some of the ranks */
     .thread_level = MPI_THREAD_SERIALIZED},
    {0}};
