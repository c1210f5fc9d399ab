/* judge.c - adds up by plain MPI, outside scree, what the ranks sent and handled, and compares. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "soak.h"

enum { COLUMNS = 7, SAVED = EPOCHS_MAX * COLUMNS, SUMS = SAVED + REDUCED + 1 };

static void add_up(const void *mine, void *all, int n, MPI_Op op, MPI_Comm comm) {
  MPI_Request request;
  int done = 0;
  MPI_Iallreduce(mine, all, n, MPI_UINT64_T, op, comm, &request);
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) sched_yield();
}

/* ---- what all ranks must have in common ---- */

typedef struct {
  scree_status status;
  uint64_t epochs;
  bool differ;
} ending;

static ending compare_endings(const player *me, MPI_Comm comm) {
  uint64_t mine[4] = {me->status, ~(uint64_t)me->status, me->epoch, ~(uint64_t)me->epoch}, max[4];
  add_up(mine, max, 4, MPI_MAX, comm);
  return (ending){(scree_status)max[0], max[2], max[0] != ~max[1] || max[2] != ~max[3]};
}

/* A drawn limit of memory may be too small for the program; with the defaults nothing may fail. */
static bool may_fail(const player *me, scree_status status) {
  return status == SCREE_ENOMEM && !me->plan->defaults;
}

/* ---- sums of an epoch ---- */

static void put(const epoch_count *c, uint64_t row[COLUMNS]) {
  const uint64_t columns[COLUMNS] = {c->sent,  c->sent_hash,  c->handled, c->handled_hash,
                                     c->given, c->given_hash, c->flaws};
  memcpy(row, columns, sizeof columns);
}

static uint64_t judge_sums(const player *me, uint32_t k, const uint64_t row[COLUMNS], bool prints) {
  uint64_t sent = row[0], handled = row[2];
  if (row[6] && prints)
    printf("soak: program %" PRIu64 ", epoch %u: %" PRIu64
           " items of reduced types are not what they should be, or scree_reduce_type was refused\n",
           me->plan->number, k, row[6]);
  if (sent == handled && row[1] == row[3]) return row[6];
  if (prints)
    printf("soak: program %" PRIu64 ", epoch %u: %" PRIu64 " messages sent, %" PRIu64
           " handled, sums of hashes %016" PRIx64 " and %016" PRIx64 "\n",
           me->plan->number, k, sent, handled, row[1], row[3]);
  return sent > handled ? sent - handled : sent < handled ? handled - sent : 1;
}

/* The reduction of scree_end on this rank, against that of plain MPI. */
static bool reduction_is_right(const player *me, uint32_t k, const uint64_t row[COLUMNS]) {
  const epoch_count *c = &me->count[k];
  const uint64_t key = scree__hash_draw(me->plan->key, 1000 + k);
  uint64_t random = key, min = UINT64_MAX, max = 0;
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  below(&random, PATTERNS), below(&random, 2), below(&random, (uint64_t)ranks);
  const uint64_t mute = below(&random, 4 * (uint64_t)ranks);
  for (uint64_t r = 0; r < (uint64_t)ranks; r++) {
    uint64_t value = scree__hash_draw(key, r);
    if (r != mute && value < min) min = value;
    if (r != mute && value > max) max = value;
  }
  return c->is_mute || (c->reduced == row[4] && c->reduced_hash == row[5] && c->min == min && c->max == max);
}

static uint64_t count_wrong_reductions(const player *me, const uint64_t *sums, uint64_t epochs, MPI_Comm comm) {
  uint64_t mine = 0, all = 0;
  for (uint32_t k = 0; k < epochs; k++) {
    if (reduction_is_right(me, k, sums + k * COLUMNS)) continue;
    mine++;
    printf("soak: program %" PRIu64 ", epoch %u: the reduction is wrong: sum %" PRIu64 ", expected %" PRIu64 "\n",
           me->plan->number, k, me->count[k].reduced, sums[k * COLUMNS + 4]);
  }
  add_up(&mine, &all, 1, MPI_SUM, comm);
  return all;
}

/* The highest values of each key that were sent to this rank, against those that arrived. */
static uint64_t count_lost_highs(const player *me, uint64_t epochs, MPI_Comm comm) {
  static uint64_t sent[EPOCHS_MAX][RANKS_MAX][HIGH_KEYS];
  uint64_t mine = 0, all = 0;
  int rank;
  MPI_Comm_rank(comm, &rank);
  add_up(me->high_sent, sent, EPOCHS_MAX * RANKS_MAX * HIGH_KEYS, MPI_MAX, comm);
  for (uint32_t k = 0; k < epochs; k++)
    for (uint32_t i = 0; i < HIGH_KEYS; i++) {
      if (sent[k][rank][i] == me->high_handled[k][i]) continue;
      mine++;
      printf("soak: program %" PRIu64 ", epoch %u: of key %u of a filtered type rank %d got %016" PRIx64
             ", sent was %016" PRIx64 "\n",
             me->plan->number, k, i, rank, me->high_handled[k][i], sent[k][rank][i]);
    }
  add_up(&mine, &all, 1, MPI_SUM, comm);
  return all;
}

/* What of the reduced types was neither handled nor combined. */
static uint64_t judge_saved(const player *me, const uint64_t saved[REDUCED], bool prints) {
  uint64_t wrong = 0;
  for (uint32_t i = 0; i < REDUCED; i++) {
    if (saved[i] == 0) continue;
    wrong++;
    if (prints)
      printf("soak: program %" PRIu64 ": of items of %s type, sent less handled less combined are %" PRId64 "\n",
             me->plan->number, i ? "the filtered" : "the reduced", (int64_t)saved[i]);
  }
  return wrong;
}

static void judge_epochs(const player *me, const uint64_t *sums, uint64_t epochs, bool prints, verdict *v) {
  for (uint32_t k = 0; k < epochs; k++) {
    v->losses += judge_sums(me, k, sums + k * COLUMNS, prints);
    v->messages += sums[k * COLUMNS + 2];
  }
}

verdict judge(const player *me, MPI_Comm comm, bool time_is_over) {
  uint64_t mine[SUMS] = {0}, sums[SUMS];
  int rank;
  MPI_Comm_rank(comm, &rank);
  const ending end = compare_endings(me, comm);
  for (uint32_t k = 0; k < EPOCHS_MAX; k++) put(&me->count[k], mine + k * COLUMNS);
  memcpy(mine + SAVED, me->saved, sizeof me->saved);
  mine[SUMS - 1] = rank == 0 && time_is_over;
  add_up(mine, sums, SUMS, MPI_SUM, comm);
  verdict v = {.epochs = end.epochs, .is_over = sums[SUMS - 1] != 0};
  if (end.differ || (end.status != SCREE_OK && !may_fail(me, end.status))) v.losses = 1;
  if (v.losses || (end.status != SCREE_OK && rank == 0))
    printf("soak: program %" PRIu64 " ended on rank %d in epoch %u with status %d (%s), at most %d on any rank%s: %s\n",
           me->plan->number, rank, me->epoch, me->status, scree_status_text(me->status), end.status,
           end.differ ? "; the ranks differ" : "", me->why);
  if (v.losses == 0 && end.status == SCREE_OK) {
    judge_epochs(me, sums, end.epochs, rank == 0, &v);
    v.losses += count_wrong_reductions(me, sums, end.epochs, comm);
    v.losses += count_lost_highs(me, end.epochs, comm);
    v.losses += judge_saved(me, sums + SAVED, rank == 0);
  }
  v.refused = end.status != SCREE_OK && v.losses == 0;
  fflush(stdout);
  return v;
}
