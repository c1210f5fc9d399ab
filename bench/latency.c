/* latency.c - time of one item from rank to rank.
 *
 * Measures half the round trip of a ping-pong between two ranks: through the library on each transport (send, flush,
 * the handler sends the item back), by MPI_Send and MPI_Recv, and over a flag in shared memory, which is the limit of
 * the machine. Every item must come back intact. */
#include <atomic_ops.h>
#include <math.h>
#include <sched.h>
#include <scree/scree.h>
#include <stdlib.h>
#include <string.h>

#include "modes.h"

/* ---- the library ---- */

typedef struct {
  scree_world *world;
  scree_worker *w;
  uint32_t type, other;
  const bench_item *item;
  char *out;      /* the item to send */
  uint64_t round; /* items received so far */
  bool bad;
} context;

static void send_and_flush(const context *s) {
  s->item->send(s->w, s->type, s->other, s->out);
  scree_flush_lane(s->w, s->type, s->other);
}

static void on_item(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  context *s = arg;
  uint64_t number;
  if (batch->count != 1 || !bench_stamped(items, s->item->bytes, &number) || number != s->round) s->bad = true;
  s->round++;
  if (w->rank == 0) return;
  memcpy(s->out, items, s->item->bytes);
  send_and_flush(s);
}

static void run_library(void *arg, uint64_t n) {
  context *s = arg;
  s->round = 0;
  scree_begin(s->w);
  for (uint64_t i = 0; i < n && !scree_error(s->world); i++) {
    if (s->w->rank == 0) {
      bench_stamp(s->out, s->item->bytes, i);
      send_and_flush(s);
    }
    while (s->round <= i && !scree_error(s->world)) scree_progress(s->w);
  }
  scree_end(s->w, NULL);
}

static bool check_library(void *arg, uint64_t n) {
  const context *s = arg;
  return scree_error(s->world) == SCREE_OK && s->round == n && !s->bad;
}

static bool open_context(context *s, const char *transport, const bench_item *item) {
  *s = (context){.world = bench_open(transport, NULL), .item = item, .out = malloc(item->bytes)};
  if (!bench_all(s->world && s->out)) return false;
  memset(s->out, 0, item->bytes);
  s->w = scree_worker_of(s->world, 0);
  s->other = 1 - s->w->rank;
  const scree_type_desc desc = {
      .size = sizeof desc, .name = "item", .item = (uint32_t)item->bytes, .fn = on_item, .arg = s};
  return scree_register(s->world, &desc, &s->type) == SCREE_OK;
}

static bool close_context(context *s) {
  free(s->out);
  return s->world && scree_close(s->world) == SCREE_OK;
}

/* ---- the baselines ---- */

/* One direction: a flag that holds the number of the item that follows, plus one. */
typedef struct {
  AO_t turn;
  char pad[64 - sizeof(AO_t)];
  char item[SCREE_ITEM_MAX];
} mailbox;

typedef struct {
  size_t bytes;
  int rank;
  char *item;
  mailbox *box[2]; /* by writer; NULL: no shared memory between the two */
  AO_t turns[2];   /* items so far, by writer */
  bool bad;
} rival;

static void check_item(rival *r, uint64_t expected) {
  uint64_t number;
  if (!bench_stamped(r->item, r->bytes, &number) || number != expected) r->bad = true;
}

static void run_mpi(void *arg, uint64_t n) {
  rival *r = arg;
  int other = 1 - r->rank, bytes = (int)r->bytes;
  for (uint64_t i = 0; i < n; i++) {
    if (r->rank == 0) {
      bench_stamp(r->item, r->bytes, i);
      MPI_Send(r->item, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    }
    MPI_Recv(r->item, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_item(r, i);
    if (r->rank == 1) MPI_Send(r->item, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  }
}

/* Release: a rank that reads the turn also reads the item. */
static void post(rival *r) {
  mailbox *box = r->box[r->rank];
  memcpy(box->item, r->item, r->bytes);
  AO_store_release(&box->turn, ++r->turns[r->rank]);
}

/* Acquire: pairs with post. The other rank writes its box again only after the reply to this item. */
static void fetch(rival *r) {
  enum { SPINS_MAX = 20000 }; /* polls before yielding: the other rank may not be running */
  const mailbox *box = r->box[1 - r->rank];
  AO_t turn = ++r->turns[1 - r->rank];
  for (int spins = 1; AO_load_acquire(&box->turn) != turn; spins++)
    if (spins % SPINS_MAX == 0) sched_yield();
  memcpy(r->item, box->item, r->bytes);
}

static void run_flag(void *arg, uint64_t n) {
  rival *r = arg;
  for (uint64_t i = 0; i < n; i++) {
    if (r->rank == 0) {
      bench_stamp(r->item, r->bytes, i);
      post(r);
    }
    fetch(r);
    check_item(r, i);
    if (r->rank == 1) post(r);
  }
}

static bool check_rival(void *arg, uint64_t n) {
  (void)n;
  return !((const rival *)arg)->bad;
}

static bool open_rival(rival *r, int rank) {
  *r = (rival){.rank = rank, .item = calloc(1, SCREE_ITEM_MAX)};
  mailbox *both = bench_one_node() ? ranks_share(2 * sizeof *both) : NULL;
  for (int i = 0; both && i < 2; i++) r->box[i] = both + i;
  return r->item;
}

/* ---- rows ---- */

/* flag: NAN where there is none. */
static void report(bench *b, size_t bytes, const bench_variant *variant, double mpi, double flag) {
  bench_row(b, BENCH_CELL("item_bytes", "%7.0f", (double)bytes, 1), BENCH_TEXT("way", "  %-10s", variant->name),
            BENCH_CELL("seconds", " %9.3f", variant->seconds / 2, 1e6),
            BENCH_CELL("mpi_ratio", " %8.2f", variant->seconds / mpi, 1),
            BENCH_CELL("flag_ratio", " %8.2f", variant->seconds / flag, 1),
            BENCH_CELL("spread", " %6.0f%%", variant->spread, 100));
}

static bool run_row(bench *b, const bench_item *item, rival *r) {
  context shm = {.world = NULL}, mpi = {.world = NULL};
  r->bytes = item->bytes;
  bool good = open_context(&shm, "shm", item) && (ranks_are_local || open_context(&mpi, "mpi", item));
  bench_variant variants[] = {
      {.name = "MPI", .run = run_mpi, .check = check_rival, .arg = r, .mpi = true},
      {.name = "scree mpi", .run = run_library, .check = check_library, .arg = &mpi, .mpi = true},
      {.name = "scree shm", .run = run_library, .check = check_library, .arg = &shm},
      {.name = "flag", .run = run_flag, .check = check_rival, .arg = r}};
  int count = r->box[0] ? 4 : 3;
  good = good && bench_rounds(b, variants, count);
  for (int i = ranks_are_local ? 2 : 0; good && i < count; i++)
    report(b, item->bytes, &variants[i], variants[0].seconds, count == 4 ? variants[3].seconds : (double)NAN);
  if (!close_context(&shm)) good = false;
  if (!close_context(&mpi) && !ranks_are_local) good = false;
  return good;
}

static bool run(bench *b) {
  rival r;
  bool good = bench_all(open_rival(&r, b->rank));
  bench_head(b, "%7s  %-10s %9s %8s %8s %7s\n", "bytes", "", "us", "/MPI", "/flag", "spread");
  for (size_t i = 0; good && i < bench_item_count; i++)
    if (b->bytes ? b->bytes == bench_items[i].bytes : b->full || bench_items[i].bytes <= 1024)
      good = run_row(b, &bench_items[i], &r);
  free(r.item);
  return good;
}

const bench_mode bench_modes[] = {{.name = "latency",
                                   .what = "half the round trip of one item, against MPI and a shared-memory flag",
                                   .run = run,
                                   .ranks = 2,
                                   .sizes = bench_item_sizes},
                                  {.name = "urgent",
                                   .what = "time of a message after 64 blocks of plain ones, urgent and plain",
                                   .run = bench_urgent,
                                   .ranks = 2},
                                  {0}};
