/* message_rate.c - how many small messages a second.
 *
 * Room: updates to random ranks: each rank sends items to random ranks, whose handler does one read-modify-write in a
 * table of its own (as HPCC RandomAccess and bale's histogram do). Against it, in the same run and in turns: the plain
 * loop over the same indices and table (floor, always 8-byte items), and hand-written MPI (common_by_hand.c). */
#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "message_rate.h"

typedef struct {
  uint64_t index;
} item8;

typedef struct {
  uint64_t index, value;
} item16;

SCREE_MESSAGE(update8, item8);
SCREE_MESSAGE(update16, item16);

typedef struct {
  uint64_t *table;
  uint64_t seen;
} target;

static void on_update8(scree_worker *w, const scree_run *run, const item8 *items, void *arg) {
  target *t = arg;
  uint64_t *table = t->table;
  for (uint32_t i = 0; i < run->count; i++) table[items[i].index]++;
  t->seen += run->count;
  (void)w;
}

static void on_update16(scree_worker *w, const scree_run *run, const item16 *items, void *arg) {
  target *t = arg;
  uint64_t *table = t->table;
  for (uint32_t i = 0; i < run->count; i++) table[items[i].index] += items[i].value;
  t->seen += run->count;
  (void)w;
}

SCREE_HANDLER(update8, item8, on_update8);
SCREE_HANDLER(update16, item16, on_update16);

/* A world on one transport, with both types. */
typedef struct {
  scree_world *world;
  scree_worker *w;
  update8_type t8;
  update16_type t16;
  target to;
} side;

static bool open_side(side *s, uint64_t transport) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.transport = transport;
  if (scree_open_mpi(MPI_COMM_WORLD, &options, &s->world) != SCREE_OK) return false;
  s->w = scree_worker_of(s->world, 0);
  return update8_register(s->world, &s->to, &s->t8) == SCREE_OK &&
         update16_register(s->world, &s->to, &s->t16) == SCREE_OK;
}

static void send8(side *s, const job *j) {
  uint64_t x = j->seed;
  scree_begin(s->w);
  for (uint64_t i = 0; i < j->items; i++) {
    uint64_t draw = bench_draw(&x);
    update8_send(s->w, s->t8, job_dest(j, draw), (item8){job_index(j, draw)});
  }
  scree_end(s->w, NULL);
}

static void send16(side *s, const job *j) {
  uint64_t x = j->seed;
  scree_begin(s->w);
  for (uint64_t i = 0; i < j->items; i++) {
    uint64_t draw = bench_draw(&x);
    update16_send(s->w, s->t16, job_dest(j, draw), (item16){job_index(j, draw), 1});
  }
  scree_end(s->w, NULL);
}

static double run_scree(side *s, const job *j, int item_bytes) {
  s->to = (target){j->table, 0};
  MPI_Barrier(MPI_COMM_WORLD);
  double start = bench_now();
  if (item_bytes == 8)
    send8(s, j);
  else
    send16(s, j);
  return bench_slowest(bench_now() - start);
}

/* The same indices, no messages. */
static double run_floor(const job *j) {
  uint64_t x = j->seed, *table = j->table;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = bench_now();
  for (uint64_t i = 0; i < j->items; i++) table[job_index(j, bench_draw(&x))]++;
  __asm__ __volatile__("" ::: "memory");
  return bench_slowest(bench_now() - start);
}

/* Every update adds one, so the tables of all ranks add up to what was sent. */
static bool sum_is_right(const job *j, uint64_t updates) {
  uint64_t mine = 0, all = 0;
  for (uint64_t i = 0; i <= j->mask; i++) mine += j->table[i];
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all == updates * (uint64_t)j->ranks;
}

typedef struct {
  uint64_t transport; /* SCREE_TRANSPORT_SHM or _mpi */
  int item_bytes, table_log2;
  bool huge, remote, usual;
} row;

static const row rows[] = {
    {SCREE_TRANSPORT_SHM, 8, 20, false, false, true},   {SCREE_TRANSPORT_MPI, 8, 20, false, false, true},
    {SCREE_TRANSPORT_SHM, 16, 20, false, false, true},  {SCREE_TRANSPORT_MPI, 16, 20, false, false, true},
    {SCREE_TRANSPORT_SHM, 8, 10, false, false, true},   {SCREE_TRANSPORT_SHM, 8, 25, true, false, true},
    {SCREE_TRANSPORT_SHM, 8, 20, false, true, true},    {SCREE_TRANSPORT_MPI, 8, 10, false, false, false},
    {SCREE_TRANSPORT_MPI, 8, 25, true, false, false},   {SCREE_TRANSPORT_SHM, 16, 25, true, false, false},
    {SCREE_TRANSPORT_MPI, 16, 25, true, false, false},  {SCREE_TRANSPORT_SHM, 16, 10, false, false, false},
    {SCREE_TRANSPORT_MPI, 16, 10, false, false, false}, {SCREE_TRANSPORT_MPI, 8, 20, false, true, false},
    {SCREE_TRANSPORT_SHM, 8, 20, true, false, false},   {SCREE_TRANSPORT_SHM, 16, 20, false, true, false},
};

static void report(bench *b, const row *r, const job *j, double seconds, double floor, double by_hand, double spread) {
  if (b->rank != 0) return;
  const char *transport = r->transport == SCREE_TRANSPORT_SHM ? "shm" : "mpi";
  const char *pages = r->huge ? "huge" : "4k", *pattern = r->remote ? "remote" : "random";
  double rate = (double)j->items / seconds;
  printf("%-4s %3d B  2^%-2d %-5s %-7s %8.1f %8.1f %8.1f %7.2f %7.2f %6.0f%%\n", transport, r->item_bytes,
         r->table_log2, pages, pattern, rate / 1e6, (double)j->items / floor / 1e6, (double)j->items / by_hand / 1e6,
         floor / seconds, by_hand / seconds, 100 * spread);
  cJSON *record = bench_record(b);
  cJSON_AddStringToObject(record, "transport", transport);
  cJSON_AddNumberToObject(record, "ranks", b->ranks);
  cJSON_AddNumberToObject(record, "item_bytes", r->item_bytes);
  cJSON_AddNumberToObject(record, "table_words", (double)(j->mask + 1));
  cJSON_AddStringToObject(record, "pages", pages);
  cJSON_AddStringToObject(record, "pattern", pattern);
  cJSON_AddNumberToObject(record, "rate", rate);
  cJSON_AddNumberToObject(record, "floor_ratio", floor / seconds);
  cJSON_AddNumberToObject(record, "mpi_ratio", by_hand / seconds);
  cJSON_AddNumberToObject(record, "spread", spread);
}

/* All three in turns, so that drift hits them alike; the first round warms up. */
static bool run_row(bench *b, const row *r, side *s) {
  size_t words = (size_t)1 << r->table_log2;
  job j = {.ranks = (uint32_t)b->ranks,
           .rank = (uint32_t)b->rank,
           .remote = r->remote && b->ranks > 1,
           .items = UINT64_C(1) << (b->scale ? b->scale : 22),
           .mask = words - 1,
           .seed = 88172645463325252u + (uint64_t)b->rank,
           .table = bench_table(words * sizeof(uint64_t), r->huge)};
  if (!j.table) return false;
  double *ours = calloc((size_t)b->rounds, sizeof *ours), *floors = calloc((size_t)b->rounds, sizeof *floors),
         *hands = calloc((size_t)b->rounds, sizeof *hands);
  bool good = ours && floors && hands;
  for (int i = -1; good && i < b->rounds; i++) {
    double floor = run_floor(&j), mine = run_scree(s, &j, r->item_bytes), hand = run_by_hand(&j, r->item_bytes);
    if (i >= 0) ours[i] = mine, floors[i] = floor, hands[i] = hand;
  }
  good = good && sum_is_right(&j, 3 * (uint64_t)(b->rounds + 1) * j.items) && scree_error(s->world) == SCREE_OK;
  if (good) {
    double seconds = bench_median(ours, b->rounds);
    report(b, r, &j, seconds, bench_median(floors, b->rounds), bench_median(hands, b->rounds),
           (ours[b->rounds - 1] - ours[0]) / seconds);
  } else if (b->rank == 0) {
    fprintf(stderr, "message_rate: updates are missing (%s)\n", scree_error_text(s->world));
  }
  free(ours);
  free(floors);
  free(hands);
  free(j.table);
  return good;
}

int main(int argc, char **argv) {
  bench b;
  if (!bench_start(&b, argc, argv, "message_rate",
                   "small updates to random ranks, against a plain loop and MPI by hand; "
                   "--scale: log2 of the items a rank sends, default 22"))
    return bench_finish(&b, 2);
  side sides[2] = {{.world = NULL}};
  if (!open_side(&sides[0], SCREE_TRANSPORT_SHM) || !open_side(&sides[1], SCREE_TRANSPORT_MPI))
    return bench_finish(&b, 1);
  if (b.rank == 0)
    printf("%-4s %5s  %-4s %-5s %-7s %8s %8s %8s %7s %7s %7s   (million items a second a rank)\n", "", "item", "table",
           "pages", "pattern", "scree", "floor", "mpi", "/floor", "/mpi", "spread");
  bool good = true;
  for (size_t i = 0; good && i < sizeof rows / sizeof *rows; i++)
    if (b.full || rows[i].usual) good = run_row(&b, &rows[i], &sides[rows[i].transport == SCREE_TRANSPORT_MPI]);
  for (int i = 0; i < 2; i++)
    if (scree_close(sides[i].world) != SCREE_OK) good = false;
  return bench_finish(&b, good ? 0 : 1);
}
