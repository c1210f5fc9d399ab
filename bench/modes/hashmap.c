/* hashmap.c - the tasks of `scree hashmap` by plain messages, and by plain MPI (GMT's rival: Morari et al. 2014,
 * section V.D): each of 1,024 users of a rank sends a string to the owner of its bucket, and goes on when the answer
 * has come. Own strings are messages too, whose handler prefetches; by MPI they are looked up at once. */
#include "irregular/hashmap/bucket.h"

#include <stdlib.h>

#include "kernel_side.h"
#include "modes.h"

enum { USERS = 1024, STEPS = 64, SEED = 1, AHEAD = 8, POSTED = 64, REQUEST = 1, REPLY = 2 };

typedef struct {
  scree__string string;
  uint32_t user, store; /* store: else take */
} request;
SCREE_MESSAGE(requests, request);
typedef struct {
  uint32_t user, done;
} reply;
SCREE_MESSAGE(replies, reply);

typedef struct {
  uint64_t random, step;
  request asks;
} user;

/* The buffers and requests of MPI. */
typedef struct {
  request in[POSTED];
  reply answer[POSTED], out[USERS];
  MPI_Request receiving[2 * POSTED], sending[USERS], replying[USERS]; /* requests, then replies; of users; in turn */
  uint64_t replied;
} mpi_state;

typedef struct {
  scree_world *world;
  scree_worker *w;
  requests_type requests;
  replies_type replies;
  uint32_t rank, ranks;
  uint64_t pool, buckets, found, stored, active; /* active: users with steps left */
  scree__map_slot *map;
  user users[USERS];
  mpi_state mpi;
  const kernel_side *kernel; /* whose tasks have found as many */
} context;

static scree__map_slot *bucket_of(const context *c, const scree__string *s) {
  return c->map + SCREE__BUCKET_SLOTS * scree__string_bucket(s, c->buckets);
}

static uint32_t serve(const context *c, const request *asked) {
  scree__map_slot *bucket = bucket_of(c, &asked->string);
  if (asked->store) return scree__bucket_store(bucket, &asked->string);
  scree__map_slot *slot = scree__bucket_find(bucket, &asked->string);
  if (slot) slot->state = SCREE__SLOT_FREE;
  return slot != NULL;
}

/* Makes the user's next request once it has an answer. Returns false if no steps are left. */
static bool next(context *c, uint32_t number, uint32_t done) {
  user *u = &c->users[number];
  const uint64_t count = c->pool / USERS / c->ranks;
  uint64_t index;
  bool reversed;
  c->found += done && !u->asks.store;
  c->stored += done && u->asks.store;
  if (done && !u->asks.store) {
    scree__string_reverse(&u->asks.string);
    u->asks.store = 1;
    return true;
  }
  if (u->step++ == STEPS) return c->active--, false;
  u->asks.string =
      scree__string_next(&u->random, SEED, count * (c->rank * (uint64_t)USERS + number), count, &index, &reversed);
  u->asks.store = 0;
  return true;
}

static void begin(context *c) {
  c->active = USERS;
  for (uint32_t i = 0; i < USERS; i++)
    c->users[i] = (user){scree__hash_draw(SEED, c->rank * (uint64_t)USERS + i), 0, {.user = i}};
}

/* ---- messages ---- */

static void send_next(context *c, scree_worker *w, uint32_t number, uint32_t done) {
  const request *asks = &c->users[number].asks;
  if (next(c, number, done)) requests_send(w, c->requests, scree__string_rank(&asks->string, c->ranks), *asks);
}

static void on_requests(scree_worker *w, const scree_batch *batch, const request *items, void *arg) {
  const context *c = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    const scree__string *ahead = &items[scree_batch_ahead(batch, i, AHEAD)].string;
    __builtin_prefetch(bucket_of(c, ahead) + scree__slot_at(ahead, 0), 1);
    replies_send(w, c->replies, batch->source, (reply){items[i].user, serve(c, &items[i])});
  }
}
static void on_replies(scree_worker *w, const scree_batch *batch, const reply *items, void *arg) {
  for (uint32_t i = 0; i < batch->count; i++) send_next(arg, w, items[i].user, items[i].done);
}
SCREE_HANDLER(requests, request, on_requests);
SCREE_HANDLER(replies, reply, on_replies);

static void run_messages(void *arg, uint64_t n) {
  context *c = arg;
  (void)n;
  begin(c);
  scree_begin(c->w);
  for (uint32_t i = 0; i < USERS; i++) send_next(c, c->w, i, 0);
  scree_end(c->w, NULL);
}

/* ---- MPI ---- */

static void post(context *c, int i) {
  mpi_state *m = &c->mpi;
  if (i < POSTED)
    MPI_Irecv(&m->in[i], sizeof(request), MPI_BYTE, MPI_ANY_SOURCE, REQUEST, bench_comm, &m->receiving[i]);
  else
    MPI_Irecv(&m->answer[i - POSTED], sizeof(reply), MPI_BYTE, MPI_ANY_SOURCE, REPLY, bench_comm, &m->receiving[i]);
}

static void ask(context *c, uint32_t number, uint32_t done) {
  const request *asks = &c->users[number].asks;
  while (next(c, number, done)) {
    const uint32_t to = scree__string_rank(&asks->string, c->ranks);
    if (to != c->rank) {
      MPI_Wait(&c->mpi.sending[number], MPI_STATUS_IGNORE); /* it has been answered */
      MPI_Isend(asks, sizeof *asks, MPI_BYTE, (int)to, REQUEST, bench_comm, &c->mpi.sending[number]);
      return;
    }
    done = serve(c, asks);
  }
}

static void answer(context *c, const request *asked, int source) {
  const uint64_t turn = c->mpi.replied++ % USERS;
  MPI_Wait(&c->mpi.replying[turn], MPI_STATUS_IGNORE);
  c->mpi.out[turn] = (reply){asked->user, serve(c, asked)};
  MPI_Isend(&c->mpi.out[turn], sizeof(reply), MPI_BYTE, source, REPLY, bench_comm, &c->mpi.replying[turn]);
}

static void poll(context *c) {
  int count, which[2 * POSTED];
  MPI_Status status[2 * POSTED];
  MPI_Testsome(2 * POSTED, c->mpi.receiving, &count, which, status);
  for (int i = 0; i < count; i++) {
    const reply got = which[i] < POSTED ? (reply){0, 0} : c->mpi.answer[which[i] - POSTED];
    if (which[i] < POSTED) answer(c, &c->mpi.in[which[i]], status[i].MPI_SOURCE);
    post(c, which[i]);
    if (which[i] >= POSTED) ask(c, got.user, got.done);
  }
}

static void run_mpi(void *arg, uint64_t n) {
  context *c = arg;
  MPI_Request all;
  (void)n;
  begin(c);
  for (int i = 0; i < 2 * POSTED; i++) post(c, i);
  for (uint32_t i = 0; i < USERS; i++) c->mpi.sending[i] = c->mpi.replying[i] = MPI_REQUEST_NULL;
  for (uint32_t i = 0; i < USERS; i++) ask(c, i, 0);
  while (c->active) poll(c);
  MPI_Ibarrier(bench_comm, &all);
  for (int done = 0; !done;) {
    poll(c);
    MPI_Test(&all, &done, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2 * POSTED; i++) {
    MPI_Cancel(&c->mpi.receiving[i]);
    MPI_Wait(&c->mpi.receiving[i], MPI_STATUS_IGNORE);
  }
  bench_wait_all(USERS, c->mpi.sending);
  bench_wait_all(USERS, c->mpi.replying);
}

/* ---- both ---- */

/* Restores the initial map. */
static void fill(context *c) {
  memset(c->map, 0, c->buckets * SCREE__BUCKET_BYTES);
  for (uint64_t i = 0; i < c->pool; i += SCREE__POOL_PART) {
    const scree__string s = scree__string_of(SEED, i);
    if (scree__string_rank(&s, c->ranks) == c->rank) scree__bucket_store(bucket_of(c, &s), &s);
  }
  c->found = c->stored = 0;
}

static bool check(void *arg, uint64_t n) {
  context *c = arg;
  const uint64_t mine[] = {c->found, c->stored};
  uint64_t all[2];
  (void)n;
  bench_sum(mine, all, 2);
  fill(c);
  return all[0] == all[1] && (double)all[0] == c->kernel->answer.figure[1];
}

static bool measure(bench *b, const char *transport) {
  static context c;
  kernel_side k[3] = {{0}};
  static const char *const forms[] = {"gets", "delegates", "gathers"};
  c = (context){
      .world = bench_open(transport, NULL), .rank = (uint32_t)b->rank, .ranks = (uint32_t)b->ranks, .kernel = k};
  c.pool = UINT64_C(1) << (b->scale ? b->scale : 20);
  c.buckets = scree__string_buckets(c.pool / SCREE__POOL_PART, c.ranks);
  c.map = malloc(c.buckets * SCREE__BUCKET_BYTES);
  if (!bench_all(c.world && c.map)) return false;
  c.w = scree_worker_of(c.world, 0);
  fill(&c);
  bench_variant v[] = {
      {.name = "scree, gets", .n = 1},
      {.name = "scree, delegates", .n = 1},
      {.name = "scree, gathers", .n = 1},
      {.name = "messages", .run = run_messages, .check = check, .arg = &c, .n = 1},
      {.name = "MPI", .run = run_mpi, .check = check, .arg = &c, .n = 1, .mpi = true},
  };
  for (int i = 0; i < 3; i++)
    if (!kernel_side_open(&k[i], &v[i], bench_irregular("hashmap"), transport,
                          "algorithm=%s pool=%llu tasks=%d steps=%d seed=%d global-direct=off", forms[i],
                          (unsigned long long)c.pool, USERS, STEPS, SEED))
      return false;
  bool good = bench_all(!requests_register(c.world, &c, &c.requests) && !replies_register(c.world, &c, &c.replies));
  good = good && kernel_side_rows(b, transport, v, 5, (double)STEPS * USERS * b->ranks);
  for (int i = 0; i < 3; i++) kernel_side_close(&k[i]);
  free(c.map);
  return scree_close(c.world) == SCREE_OK && good;
}

bool bench_hashmap(bench *b) {
  return kernel_side_table(b, measure);
}
