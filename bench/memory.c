/* memory.c - memory that a world uses on a rank, by ranks and by live destinations.
 *
 * Examines worlds on shared memory and on MPI after opening, and inside an epoch in which every rank has sent one item
 * to some ranks. The figures are the library's own memory statistics and the kernel's PSS (proportional set size),
 * which includes the memory of MPI. Start it with the number of ranks to examine; the ranks need no cores of their own.
 * ./dev simulate has the same for more ranks, and for several workers. */

#include "common.h"
#include "observe/memory_stats.h"

SCREE_MESSAGE(probes, uint64_t);

static void on_probes(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  (void)w, (void)items;
  *(uint64_t *)arg += batch->count;
}
SCREE_HANDLER(probes, uint64_t, on_probes);

/* Bytes of this process; 0 if the kernel does not report PSS. */
static uint64_t pss(void) {
  FILE *file = fopen("/proc/self/smaps_rollup", "re");
  char line[256];
  unsigned long long kib = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Pss: %llu kB", &kib) == 1) break;
  if (file) fclose(file);
  return kib * 1024;
}

typedef struct {
  uint64_t blocks, overflow, inbox, receives, tables, sum;
  int64_t process; /* difference of PSS */
} footprint;

static footprint footprint_of(const scree_world *world, uint64_t before) {
  scree__memory m;
  scree__memory_read(world, &m);
  return (footprint){
      m.blocks, m.overflow, m.inbox, m.receives, m.tables, 0, before ? (int64_t)pss() - (int64_t)before : 0};
}

static void report(bench *b, const char *transport, uint32_t live, footprint f) {
  const double k = 1. / 1024;
  f.sum = f.blocks + f.overflow + f.inbox + f.receives + f.tables;
  bench_row(
      b, BENCH_TEXT("world", "%-4s", transport), BENCH_CELL("ranks", " %6.0f", b->ranks, 1),
      BENCH_CELL("live_destinations", " %6.0f", live, 1), BENCH_CELL("block_bytes", " %9.1f", (double)f.blocks, k),
      BENCH_CELL("overflow_bytes", NULL, (double)f.overflow, 1),
      BENCH_CELL("inbox_bytes", " %9.1f", (double)f.inbox, k),
      BENCH_CELL("receive_bytes", " %9.1f", (double)f.receives, k),
      BENCH_CELL("table_bytes", " %9.1f", (double)f.tables, k), BENCH_CELL("account_bytes", " %9.1f", (double)f.sum, k),
      BENCH_CELL(f.process ? "process_bytes" : NULL, " %9.1f", (double)f.process, k));
}

/* Maximum over the ranks of each figure separately. */
static footprint max(footprint f) {
  int64_t mine[] = {(int64_t)f.blocks,   (int64_t)f.overflow, (int64_t)f.inbox,
                    (int64_t)f.receives, (int64_t)f.tables,   f.process};
  int64_t all[sizeof mine / sizeof *mine];
  ranks_reduce(MPI_COMM_WORLD, mine, all, sizeof mine / sizeof *mine, RANKS_MAX);
  return (footprint){
      (uint64_t)all[0], (uint64_t)all[1], (uint64_t)all[2], (uint64_t)all[3], (uint64_t)all[4], 0, all[5]};
}

/* Sends one item to each of the next `live` ranks, reads the footprint while the items are still in lanes, and
 * ends the epoch. */
static bool spread(scree_worker *w, probes_type t, uint32_t live, uint64_t before, footprint *out) {
  if (scree_begin(w)) return false;
  for (uint32_t i = 1; i <= live; i++) probes_send(w, t, (w->rank + i) % w->ranks, i);
  *out = footprint_of(scree_world_of(w), before);
  return scree_end(w, NULL) == SCREE_OK;
}

/* Each row opens a world, because blocks are never returned to the arena. All ranks send, so each receives as many
 * items as it sends. */
static bool run_world(bench *b, const char *transport, uint32_t live) {
  uint64_t received = 0, before = pss();
  footprint f = {0};
  probes_type t;
  scree_world *world = bench_open(transport, NULL);
  bool good = bench_all(world && probes_register(world, &received, &t) == SCREE_OK);
  if (good && live == 0) f = footprint_of(world, before);
  if (good && live) good = spread(scree_worker_of(world, 0), t, live, before, &f) && received == live;
  f = max(f);
  if (bench_all(good)) report(b, transport, live, f);
  return world && scree_close(world) == SCREE_OK && good;
}

/* 0, 1, 2, 4 ..., ranks - 1. */
static uint32_t next_count(uint32_t live, uint32_t ranks) {
  uint32_t twice = live ? 2 * live : 1;
  return twice >= ranks && live < ranks - 1 ? ranks - 1 : twice;
}

static bool run(bench *b) {
  const uint32_t ranks = (uint32_t)b->ranks;
  bool good = true;
  if (b->rank == 0)
    printf("%-4s %6s %6s %9s %9s %9s %9s %9s %9s   (KiB per rank, maximum over the ranks)\n", "", "ranks", "live",
           "blocks", "inbox", "receives", "tables", "sum", "process");
  for (int i = 0; bench_transports[i]; i++)
    for (uint32_t live = 0; good && live < ranks; live = next_count(live, ranks))
      good = bench_all(run_world(b, bench_transports[i], live));
  if (b->rank == 0 && !good) fprintf(stderr, "memory: the last world failed, or items are missing\n");
  return good;
}

const bench_mode bench_modes[] = {
    {.name = "memory", .what = "memory that a world uses on a rank, by ranks and by live destinations", .run = run},
    {0}};
