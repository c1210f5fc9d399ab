/* bandwidth.c - bytes per second from one rank to another.
 *
 * Rank 0 streams fixed-size items of 1 to 32 KiB and variable-length records of 1 KiB to 1 MiB to rank 1 through the
 * library on each transport. The baseline is MPI_Isend and MPI_Irecv with a window of messages of the same size, whose
 * sender writes both ends of each in place. `MPI, copied` is the same program with a sender that copies each message
 * into the window, as it must if the data are elsewhere: a send of the library ends with the caller's buffer free. The
 * receiver checks both ends of every item. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { WINDOW_BYTES = 1 << 20, WINDOW_MAX = 64, WINDOW_MIN = 4 };

SCREE_VARIABLE(records);

/* What the receiver counted. */
typedef struct {
  size_t bytes; /* of an item */
  uint64_t seen, sum, bad;
} stream;

static void take(stream *s, const void *item, size_t bytes) {
  uint64_t number = 0;
  if (bytes != s->bytes || !bench_stamped(item, bytes, &number)) s->bad++;
  s->sum += number;
  s->seen++;
}

static bool all_received(stream *s, uint64_t n, bool receiver) {
  bool good = s->bad == 0 && s->seen == (receiver ? n : 0) && s->sum == (receiver ? n * (n - 1) / 2 : 0);
  s->seen = s->sum = 0;
  return good;
}

/* ---- the library ---- */

typedef struct {
  stream s;
  char *copy; /* the item to send */
  scree_world *world;
  scree_worker *w;
  const bench_item *item; /* NULL: variable length */
  uint32_t type;
} context;

static void on_items(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  context *me = arg;
  const char *at = items;
  for (uint32_t i = 0; i < batch->count; i++) take(&me->s, at + i * me->s.bytes, me->s.bytes);
  (void)w;
}

static void on_records(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  context *me = arg;
  size_t bytes;
  for (uint32_t i = 0; i < batch->count; i++) {
    const void *record = scree_record_next(&items, &bytes);
    take(&me->s, record, bytes);
  }
  (void)w;
}

SCREE_VARIABLE_HANDLER(records, on_records);

static bool open_context(context *me, const char *transport, size_t bytes, bool variable) {
  *me = (context){.world = bench_open(transport, NULL), .s = {.bytes = bytes}, .copy = calloc(1, bytes)};
  if (!bench_all(me->world && me->copy)) return false;
  me->w = scree_worker_of(me->world, 0);
  if (variable) {
    records_type t;
    scree_status status = records_register(me->world, me, &t);
    if (status == SCREE_OK) me->type = t.id;
    return status == SCREE_OK;
  }
  me->item = bench_item_of(bytes);
  const scree_type_desc desc = {
      .size = sizeof desc, .name = "items", .item = (uint32_t)bytes, .fn = on_items, .arg = me};
  return me->item && scree_register(me->world, &desc, &me->type) == SCREE_OK;
}

static bool close_context(context *me) {
  free(me->copy);
  return me->world && scree_close(me->world) == SCREE_OK;
}

static void run_library(void *arg, uint64_t n) {
  context *me = arg;
  scree_begin(me->w);
  for (uint64_t i = 0; me->w->rank == 0 && i < n; i++) {
    bench_stamp(me->copy, me->s.bytes, i);
    if (me->item)
      me->item->send(me->w, me->type, 1, me->copy);
    else
      records_send(me->w, (records_type){me->type}, 1, me->copy, me->s.bytes);
  }
  scree_end(me->w, NULL);
}

static bool check_library(void *arg, uint64_t n) {
  context *me = arg;
  return all_received(&me->s, n, me->w->rank == 1) && scree_error(me->world) == SCREE_OK;
}

/* ---- MPI ---- */

typedef struct {
  stream s;
  int rank, window;
  char *copy;    /* the item to send; NULL: it is written in place */
  char *buffers; /* window of them */
  MPI_Request requests[WINDOW_MAX];
} rival;

static char *buffer(const rival *r, uint64_t i) {
  return r->buffers + i % (uint64_t)r->window * r->s.bytes;
}

static void send_mpi(rival *r, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    MPI_Request *request = &r->requests[i % (uint64_t)r->window];
    MPI_Wait(request, MPI_STATUS_IGNORE);
    bench_stamp(r->copy ? r->copy : buffer(r, i), r->s.bytes, i);
    if (r->copy) memcpy(buffer(r, i), r->copy, r->s.bytes);
    MPI_Isend(buffer(r, i), (int)r->s.bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, request);
  }
  for (int i = 0; i < r->window; i++) MPI_Wait(&r->requests[i], MPI_STATUS_IGNORE);
}

static void post(rival *r, uint64_t i) {
  MPI_Irecv(buffer(r, i), (int)r->s.bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &r->requests[i % (uint64_t)r->window]);
}

static void receive_mpi(rival *r, uint64_t n) {
  uint64_t window = (uint64_t)r->window;
  for (uint64_t i = 0; i < n && i < window; i++) post(r, i);
  for (uint64_t i = 0; i < n; i++) {
    MPI_Status status;
    int bytes;
    MPI_Wait(&r->requests[i % window], &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    take(&r->s, buffer(r, i), (size_t)bytes);
    if (i + window < n) post(r, i + window);
  }
}

static void run_mpi(void *arg, uint64_t n) {
  rival *r = arg;
  if (r->rank == 0)
    send_mpi(r, n);
  else
    receive_mpi(r, n);
}

static bool check_mpi(void *arg, uint64_t n) {
  rival *r = arg;
  return all_received(&r->s, n, r->rank == 1);
}

static bool open_rival(rival *r, int rank, size_t bytes, bool copied) {
  size_t window = WINDOW_BYTES / bytes;
  if (window > WINDOW_MAX) window = WINDOW_MAX;
  if (window < WINDOW_MIN) window = WINDOW_MIN;
  *r = (rival){.s = {.bytes = bytes}, .rank = rank, .window = (int)window};
  r->buffers = calloc(window, bytes);
  r->copy = copied ? calloc(1, bytes) : NULL;
  for (int i = 0; i < WINDOW_MAX; i++) r->requests[i] = MPI_REQUEST_NULL;
  return r->buffers && (r->copy || !copied);
}

static void close_rival(rival *r) {
  free(r->buffers);
  free(r->copy);
}

/* ---- rows ---- */

static void report(bench *b, size_t bytes, bool variable, const bench_variant *variant, double mpi) {
  bench_row(b, BENCH_CELL("item_bytes", "%8.0f", (double)bytes, 1),
            BENCH_TEXT("kind", " %-9s", variable ? "variable" : "fixed"), BENCH_TEXT("way", " %-11s", variant->name),
            BENCH_CELL("seconds", NULL, variant->seconds, 1),
            BENCH_CELL("bytes_per_second", " %9.2f", (double)bytes / variant->seconds, 1e-9),
            BENCH_CELL("mpi_ratio", " %7.2f", mpi / variant->seconds, 1),
            BENCH_CELL("spread", " %6.0f%%", variant->spread, 100));
}

static bool run_row(bench *b, size_t bytes, bool variable) {
  context shm = {.world = NULL}, mpi = {.world = NULL};
  rival in_place, copied;
  bool mine = open_rival(&in_place, b->rank, bytes, false);
  mine &= open_rival(&copied, b->rank, bytes, true);
  bool good = bench_all(mine) && open_context(&shm, "shm", bytes, variable) &&
              (ranks_are_local || open_context(&mpi, "mpi", bytes, variable));
  uint64_t n = (UINT64_C(1) << (b->scale ? b->scale : 26)) / bytes;
  if (n == 0) n = 1;
  bench_variant variants[] = {
      {.name = "MPI", .run = run_mpi, .check = check_mpi, .arg = &in_place, .mpi = true, .n = n},
      {.name = "MPI, copied", .run = run_mpi, .check = check_mpi, .arg = &copied, .mpi = true, .n = n},
      {.name = "scree mpi", .run = run_library, .check = check_library, .arg = &mpi, .mpi = true, .n = n},
      {.name = "scree shm", .run = run_library, .check = check_library, .arg = &shm, .n = n}};
  enum { VARIANTS = sizeof variants / sizeof *variants };
  good = good && bench_rounds(b, variants, VARIANTS);
  for (int i = ranks_are_local ? 3 : 0; good && i < VARIANTS; i++)
    report(b, bytes, variable, &variants[i], variants[0].seconds);
  if (!close_context(&shm)) good = false;
  if (!close_context(&mpi) && !ranks_are_local) good = false;
  close_rival(&in_place);
  close_rival(&copied);
  return good;
}

/* Every power of two; for variable lengths every other one by default. */
static bool run(bench *b) {
  bench_head(b, "%8s %-9s %-11s %9s %7s %7s\n", "bytes", "", "", "GB/s", "/MPI", "spread");
  for (size_t bytes = 1024; bytes <= SCREE_ITEM_MAX; bytes *= 2)
    if (bench_wants(b, bytes) && !run_row(b, bytes, false)) return false;
  for (size_t bytes = 1024; bytes <= 1 << 20; bytes *= b->full || b->bytes ? 2 : 4)
    if (bench_wants(b, bytes) && !run_row(b, bytes, true)) return false;
  return true;
}

static const size_t sizes[] = {1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15,
                               1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 0};

const bench_mode bench_modes[] = {
    {.name = "bandwidth",
     .what =
         "large items from rank 0 to rank 1, against MPI_Isend and MPI_Irecv; --scale: log2 of the bytes per round, "
         "default 26",
     .run = run,
     .ranks = 2,
     .sizes = sizes},
    {0}};
