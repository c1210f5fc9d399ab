/* memory.c - memory that a world uses on a rank, by ranks and by live destinations.
 *
 * Examines worlds on shared memory and on MPI after opening, and inside an epoch in which every rank has sent one item
 * to some ranks. The figures are the library's own memory statistics and the kernel's PSS (proportional set size),
 * which includes what MPI uses. Rank 0 also runs 64 ranks in the simulator, with 1, 2 and 4 workers each, of which one
 * sends, and with --full up to 1,024 ranks; these rows are from the memory statistics alone. Start it with the number of ranks to examine; the ranks need no cores of their own. */
#include <scree/scree_mpi.h>
#include <scree/scree_sim.h>
#include <string.h>

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

static void report(bench *b, const char *where, uint32_t ranks, uint32_t workers, uint32_t open_blocks, footprint f) {
  const double k = 1. / 1024;
  f.sum = f.blocks + f.overflow + f.inbox + f.receives + f.tables;
  bench_row(b, BENCH_TEXT("world", "%-4s", where), BENCH_CELL("ranks", " %6.0f", ranks, 1),
            BENCH_CELL("workers", " %7.0f", workers, 1), BENCH_CELL("live_destinations", " %6.0f", open_blocks, 1),
            BENCH_CELL("block_bytes", " %9.1f", (double)f.blocks, k),
            BENCH_CELL("overflow_bytes", NULL, (double)f.overflow, 1),
            BENCH_CELL("inbox_bytes", " %9.1f", (double)f.inbox, k),
            BENCH_CELL("receive_bytes", " %9.1f", (double)f.receives, k),
            BENCH_CELL("table_bytes", " %9.1f", (double)f.tables, k),
            BENCH_CELL("account_bytes", " %9.1f", (double)f.sum, k),
            BENCH_CELL(f.process ? "process_bytes" : NULL, " %9.1f", (double)f.process, k));
}

/* Maximum over the ranks of each figure separately. */
static footprint max(footprint f) {
  int64_t mine[] = {(int64_t)f.blocks,   (int64_t)f.overflow, (int64_t)f.inbox,
                    (int64_t)f.receives, (int64_t)f.tables,   f.process};
  int64_t all[sizeof mine / sizeof *mine];
  MPI_Allreduce(mine, all, sizeof mine / sizeof *mine, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return (footprint){
      (uint64_t)all[0], (uint64_t)all[1], (uint64_t)all[2], (uint64_t)all[3], (uint64_t)all[4], 0, all[5]};
}

/* Sends one item to each of the next `open_blocks` ranks, reads the footprint while the items are still in lanes, and
 * ends the epoch. */
static bool spread(scree_worker *w, probes_type t, uint32_t open_blocks, uint64_t before, footprint *out) {
  if (scree_begin(w)) return false;
  for (uint32_t i = 1; i <= open_blocks; i++) probes_send(w, t, (w->rank + i) % w->ranks, i);
  *out = footprint_of(scree_world_of(w), before);
  return scree_end(w, NULL) == SCREE_OK;
}

/* ---- on MPI ---- */

/* Each row opens a world, because blocks are never returned to the arena. All ranks send, so each receives as many
 * items as it sends. */
static bool run_world(bench *b, uint64_t transport, uint32_t open_blocks) {
  uint64_t received = 0, before = pss();
  footprint f = {0};
  probes_type t;
  scree_world *world = bench_world(transport);
  bool good = bench_all(world && probes_register(world, &received, &t) == SCREE_OK);
  if (good && open_blocks == 0) f = footprint_of(world, before);
  if (good && open_blocks)
    good = spread(scree_worker_of(world, 0), t, open_blocks, before, &f) && received == open_blocks;
  f = max(f);
  if (bench_all(good)) report(b, bench_transport(transport), (uint32_t)b->ranks, 1, open_blocks, f);
  return world && scree_close(world) == SCREE_OK && good;
}

/* ---- in the simulator ---- */

typedef struct {
  uint32_t open_blocks;
  footprint f;       /* rank 0's */
  uint64_t received; /* by all ranks */
  bool bad;
} sim_row;

/* Only rank 0 sends: if a thousand ranks did, they would touch gigabytes. */
static void sim_rank(scree_world *world, void *arg) {
  sim_row *row = arg;
  scree_worker *w = scree_worker_of(world, 0);
  probes_type t;
  if (probes_register(world, &row->received, &t)) {
    row->bad = true;
    return;
  }
  footprint f = footprint_of(world, 0);
  if (row->open_blocks && !spread(w, t, w->rank ? 0 : row->open_blocks, 0, &f)) row->bad = true;
  if (w->rank == 0) row->f = f;
}

static bool run_sim(bench *b, uint32_t ranks, uint32_t workers, uint32_t open_blocks) {
  scree_sim_config config = {
      .seed = 1, .ranks = ranks, .nodes = 1, .max_steps = UINT64_C(1) << 40, .unperturbed = true, .threads = workers};
  sim_row row = {.open_blocks = open_blocks};
  if (scree_sim_run(&config, NULL, sim_rank, &row, NULL) != SCREE_OK || row.bad || row.received != open_blocks)
    return false;
  report(b, "sim", ranks, workers, open_blocks, row.f);
  return true;
}

/* 0, 1, 2, 4 ..., ranks - 1. */
static uint32_t next_count(uint32_t open_blocks, uint32_t ranks) {
  uint32_t twice = open_blocks ? 2 * open_blocks : 1;
  return twice >= ranks && open_blocks < ranks - 1 ? ranks - 1 : twice;
}

int main(int argc, char **argv) {
  static const uint64_t transports[] = {SCREE_TRANSPORT_SHM, SCREE_TRANSPORT_MPI};
  bench b;
  if (!bench_start(&b, argc, argv, "memory",
                   "memory that a world uses on a rank, by ranks and by live destinations; --full: also in the "
                   "simulator, up to 1,024 ranks"))
    return bench_finish(&b, 2);
  if (b.rank == 0)
    printf("%-4s %6s %7s %6s %9s %9s %9s %9s %9s %9s   (KiB per rank, maximum over the ranks)\n", "", "ranks",
           "workers", "live", "blocks", "inbox", "receives", "tables", "sum", "process");
  bool good = true;
  for (int i = 0; good && i < 2; i++)
    for (uint32_t open_blocks = 0; good && open_blocks < (uint32_t)b.ranks;
         open_blocks = next_count(open_blocks, (uint32_t)b.ranks))
      good = bench_all(run_world(&b, transports[i], open_blocks));
  for (uint32_t workers = 1; good && b.rank == 0 && workers <= 4; workers *= 2)
    good = run_sim(&b, 64, workers, 0) && run_sim(&b, 64, workers, 63);
  for (uint32_t ranks = 2; b.full && good && b.rank == 0 && ranks <= 1024; ranks *= 2) good = run_sim(&b, ranks, 1, 0);
  for (uint32_t open_blocks = 1; b.full && good && b.rank == 0 && open_blocks < 1024;
       open_blocks = next_count(open_blocks, 1024))
    good = run_sim(&b, 1024, 1, open_blocks);
  if (b.rank == 0 && !good) fprintf(stderr, "memory: the last world failed, or items are missing\n");
  return bench_finish(&b, bench_all(good) ? 0 : 1);
}
