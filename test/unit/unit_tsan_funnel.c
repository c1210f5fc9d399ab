/* unit_tsan_funnel.c - blocks that pass between the endpoints of a rank and the one thread that calls MPI, under real
 * threads: rank 0's is its first worker, rank 1's a communication thread, which its first worker stops and starts.
 *
 * The simulated MPI runs one thread at a time and cannot show a wrong memory order; the thread sanitizer can. MPI is a
 * loop inside this process, under a lock: only callers take it, so it orders nothing for their clients. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "harness.h"
#include "open/resolve.h"
#include "transport/funnel/funnel.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ROUNDS = 20, BLOCKS = 60 };
#else
enum { ROUNDS = 100, BLOCKS = 200 };
#endif
enum { RANKS = 2, WORKERS = 3, ENDPOINTS = RANKS * WORKERS, REQUESTS = 1024, TAGS = 3, WORDS = 50 };

/* ---- MPI ---- */

typedef struct {
  bool used, done, receives;
  void *buffer;
  int bytes; /* that a receive has taken */
} request;

typedef struct message {
  struct message *next;
  size_t bytes;
  char data[];
} message;

typedef struct {
  message *first, *last;
  int posted[REQUESTS], head, tail; /* receives */
} mailbox;

static pthread_mutex_t mpi = PTHREAD_MUTEX_INITIALIZER;
static request requests[REQUESTS];
static mailbox mail[ENDPOINTS][TAGS];
static _Atomic uint32_t callers[RANKS], at_once;

/* A communicator is that of a worker's index, as its rank knows it. */
static MPI_Comm handle(uint32_t rank, uint32_t worker) {
  return (MPI_Comm)(intptr_t)(1 + rank * WORKERS + worker);
}
static uint32_t rank_of(MPI_Comm comm) {
  return (uint32_t)((intptr_t)comm - 1) / WORKERS;
}
static uint32_t worker_of(MPI_Comm comm) {
  return (uint32_t)((intptr_t)comm - 1) % WORKERS;
}

static int new_request(bool receives, bool done, void *buffer) {
  int i = 1;
  while (requests[i].used) i++;
  requests[i] = (request){true, done, receives, buffer, 0};
  return i;
}

static void match(mailbox *m) {
  while (m->first && m->head != m->tail) {
    message *msg = m->first;
    request *q = &requests[m->posted[m->head++ % REQUESTS]];
    memcpy(q->buffer, msg->data, msg->bytes);
    q->bytes = (int)msg->bytes;
    q->done = true;
    m->first = msg->next;
    free(msg);
  }
}

static void enter(uint32_t rank) {
  if (atomic_fetch_add_explicit(&callers[rank], 1, memory_order_relaxed)) at_once++;
  pthread_mutex_lock(&mpi);
}
static int leave(uint32_t rank) {
  pthread_mutex_unlock(&mpi);
  atomic_fetch_sub_explicit(&callers[rank], 1, memory_order_relaxed);
  return MPI_SUCCESS;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *out) {
  const size_t bytes = (size_t)count * (type == MPI_BYTE ? 1 : sizeof(uint32_t));
  message *msg = malloc(sizeof *msg + bytes);
  if (!msg) abort();
  *msg = (message){.bytes = bytes};
  memcpy(msg->data, data, bytes);
  enter(rank_of(comm));
  mailbox *m = &mail[(uint32_t)dest * WORKERS + worker_of(comm)][tag];
  if (m->first)
    m->last->next = msg;
  else
    m->first = msg;
  m->last = msg;
  match(m);
  *out = (MPI_Request)(intptr_t)new_request(false, true, NULL);
  return leave(rank_of(comm));
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *out) {
  enter(rank_of(comm));
  mailbox *m = &mail[rank_of(comm) * WORKERS + worker_of(comm)][tag];
  int i = new_request(true, false, buffer);
  m->posted[m->tail++ % REQUESTS] = i;
  match(m);
  *out = (MPI_Request)(intptr_t)i;
  return leave(rank_of(comm));
}

static bool test(MPI_Request *handle_of) {
  if (*handle_of == MPI_REQUEST_NULL) return false;
  request *q = &requests[(intptr_t)*handle_of];
  if (!q->done) return false;
  q->used = false;
  *handle_of = MPI_REQUEST_NULL;
  return true;
}

int MPI_Test(MPI_Request *handle_of, int *done, MPI_Status *status) {
  pthread_mutex_lock(&mpi);
  const int bytes = *handle_of == MPI_REQUEST_NULL ? 0 : requests[(intptr_t)*handle_of].bytes;
  *done = test(handle_of);
  pthread_mutex_unlock(&mpi);
  if (status != MPI_STATUS_IGNORE) *status = (MPI_Status){.MPI_TAG = bytes}; /* the tag is not used */
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  (void)type; /* bytes */
  *count = status->MPI_TAG;
  return MPI_SUCCESS;
}

int MPI_Testsome(int count, MPI_Request all[], int *some, int at[], MPI_Status statuses[]) {
  pthread_mutex_lock(&mpi);
  *some = 0;
  for (int i = 0; i < count; i++)
    if (test(&all[i])) at[(*some)++] = i;
  pthread_mutex_unlock(&mpi);
  return MPI_SUCCESS;
}

int MPI_Cancel(MPI_Request *handle_of) {
  pthread_mutex_lock(&mpi);
  requests[(intptr_t)*handle_of].done = true;
  pthread_mutex_unlock(&mpi);
  return MPI_SUCCESS;
}

int MPI_Iallreduce(const void *mine, void *sum, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *out) {
  enter(rank_of(comm));
  memcpy(sum, mine, sizeof(scree__round));
  *out = (MPI_Request)(intptr_t)new_request(false, true, NULL);
  return leave(rank_of(comm));
}

/* ---- two ranks ---- */

typedef struct {
  scree__comm comm;
  scree__topology topology[WORKERS];
  scree__fault faults[WORKERS];
  MPI_Comm to[WORKERS];
  scree__mpi *paths;
  scree__transport *of[WORKERS];
} rank_state;

typedef struct {
  rank_state rank[RANKS];
  pthread_barrier_t begin, end;
  _Atomic uint32_t finished[ROUNDS]; /* endpoints, relaxed */
} stage;

static bool round_test(scree__collective *collective, scree__round *out) {
  int done = 0;
  scree__comm *c = (scree__comm *)collective;
  MPI_Test(&c->round, &done, MPI_STATUS_IGNORE);
  if (done) *out = c->sum;
  return done;
}
static scree_status round_start(scree__collective *collective, const scree__round *mine) {
  scree__comm *c = (scree__comm *)collective;
  c->mine = *mine;
  MPI_Iallreduce(&c->mine, &c->sum, 1, MPI_BYTE, MPI_SUM, c->all.comm, &c->round);
  return SCREE_OK;
}
static const scree__collective_ops collective_ops = {.round_start = round_start, .round_test = round_test};

static void open_rank(stage *s, uint32_t rank) {
  rank_state *r = &s->rank[rank];
  scree_options given = SCREE_OPTIONS_INIT;
  scree__options options;
  char why[200];
  given.threads = WORKERS;
  given.memory = WORKERS * 4096;
  given.coalesce_bytes = 256;
  given.in_flight = 2;
  given.spin = 0;
  given.thread_level = rank ? SCREE_THREAD_LEVEL_AUTO : SCREE_THREAD_LEVEL_FUNNELED;
  given.progress = rank ? SCREE_PROGRESS_COMM : SCREE_PROGRESS_NONE;
  assert_int_equal(scree__options_complete(&options, &given, why, sizeof why), 0);
  r->comm = (scree__comm){.peers = {.collective.ops = &collective_ops,
                                    .all = &r->comm.all.meeting,
                                    .topology = r->topology,
                                    .fault = r->faults,
                                    .threads = WORKERS},
                          .all = {.meeting = {.rank = rank, .ranks = RANKS}, .comm = handle(rank, 0)},
                          .to = r->to,
                          .round = MPI_REQUEST_NULL};
  for (uint32_t w = 0; w < WORKERS; w++) {
    r->to[w] = handle(rank, w);
    r->topology[w] =
        (scree__topology){.endpoint = rank * WORKERS + w, .endpoints = ENDPOINTS, .threads = WORKERS, .nodes = RANKS};
  }
  assert_non_null(r->paths = scree__mpi_open(&r->comm, 0, &options));
  assert_true(scree__funnel_open(r->paths, &options, r->of));
}

/* ---- an endpoint ---- */

static void fill(scree__block *block, uint32_t owner, uint64_t number) {
  uint64_t *words = (uint64_t *)(void *)scree__block_data(block);
  const uint32_t count = block->capacity < WORDS * 8 ? block->capacity / 8 : WORDS;
  block->wire.owner = owner;
  block->wire.segment = (scree__segment){.origin = owner, .bytes = count * 8, .count = count};
  for (uint32_t i = 0; i < count; i++) words[i] = owner + number + i;
}

static bool is_right(scree__block *block) {
  const uint64_t *words = (const uint64_t *)(void *)scree__block_data(block);
  for (uint32_t i = 1; i < block->wire.segment.count; i++)
    if (words[i] != words[0] + i) return false;
  return words[0] >= block->wire.owner;
}

static bool receive(scree__transport *t) {
  scree__block *block = t->ops->peek(t);
  if (!block) return false;
  t->ops->pop(t, block);
  check(is_right(block));
  t->ops->release(t, block);
  return true;
}

static bool send(scree__transport *t, uint32_t dest, uint64_t number) {
  scree__block *block = t->ops->accepts(t, dest) ? t->ops->take(t, dest, 256) : NULL;
  if (!block) return false;
  block->dest = dest;
  fill(block, t->topology->endpoint, number);
  check_equal(t->ops->push(t, dest, block), SCREE_OK);
  return true;
}

/* To each endpoint of the other rank in turn. It stays until all have what was sent to them: who calls MPI serves. */
static void exchange(stage *s, scree__transport *t, uint32_t round) {
  const uint32_t other = 1 - t->topology->endpoint / WORKERS;
  uint32_t sent = 0, got = 0;
  bool told = false;
  while (atomic_load_explicit(&s->finished[round], memory_order_relaxed) < ENDPOINTS) {
    bool moved = receive(t);
    got += moved;
    if (sent < WORKERS * BLOCKS && send(t, other * WORKERS + sent % WORKERS, sent)) {
      sent++;
      moved = true;
    }
    if (!told && sent == WORKERS * BLOCKS && got == WORKERS * BLOCKS) {
      told = true;
      atomic_fetch_add_explicit(&s->finished[round], 1, memory_order_relaxed);
    }
    if (!moved) sched_yield();
  }
  check_equal(got, WORKERS * BLOCKS);
}

/* An errand of the communication thread. */
static void reduce(scree__collective *c, uint64_t value) {
  scree__round in = {.completed = value}, out;
  check_equal(c->ops->round_start(c, &in), SCREE_OK);
  while (!c->ops->round_test(c, &out)) sched_yield();
  check_equal(out.completed, value);
}

typedef struct {
  stage *s;
  uint32_t endpoint;
} place;

/* Rank 1's first worker may use the paths while the thread is paused, plainly. */
static void *run_endpoint(void *arg) {
  const place *p = arg;
  rank_state *r = &p->s->rank[p->endpoint / WORKERS];
  scree__transport *t = r->of[p->endpoint % WORKERS];
  const bool starts = p->endpoint == WORKERS;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    if (starts) t->service->resume(t->service);
    pthread_barrier_wait(&p->s->begin);
    exchange(p->s, t, round);
    if (starts) reduce(t->collective, round);
    pthread_barrier_wait(&p->s->end);
    if (!starts) continue;
    t->service->pause(t->service);
    for (uint32_t w = 0; w < WORKERS; w++) {
      scree__mpi_poll_sends(&r->paths[w]);
      scree__credit_poll(&r->paths[w].credit);
    }
  }
  return NULL;
}

HARNESS_TEST(blocks_change_hands) {
  static stage s;
  pthread_t threads[ENDPOINTS];
  place places[ENDPOINTS];
  pthread_barrier_init(&s.begin, NULL, ENDPOINTS);
  pthread_barrier_init(&s.end, NULL, ENDPOINTS);
  for (uint32_t r = 0; r < RANKS; r++) open_rank(&s, r);
  for (uint32_t e = 0; e < ENDPOINTS; e++) {
    places[e] = (place){&s, e};
    if (pthread_create(&threads[e], NULL, run_endpoint, &places[e])) abort();
  }
  for (uint32_t e = 0; e < ENDPOINTS; e++) pthread_join(threads[e], NULL);
  for (uint32_t w = 0; w < WORKERS; w++) { /* of the rank whose sends are all complete */
    scree__transport *t = s.rank[1].of[w];
    t->ops->put(t, t->ops->take(t, 0, 256)); /* takes back what was sent */
    check_equal(t->ops->in_flight(t), 0);
  }
  for (uint32_t r = 0; r < RANKS; r++) {
    check_equal(s.rank[r].faults[0].status, SCREE_OK);
    s.rank[r].of[0]->ops->close(s.rank[r].of[0]);
  }
  check_equal(at_once, 0);
}

/* A thread that has an open round, and no block, rests. */
static bool is_never_over(scree__collective *collective, scree__round *out) {
  return false;
}

HARNESS_TEST(an_open_round_moves_nothing) {
  static const scree__collective_ops ops = {.round_start = round_start, .round_test = is_never_over};
  static rank_state r = {.comm = {.peers.collective.ops = &ops, .all = {.comm = (MPI_Comm)1}}};
  static scree__funnel f;
  f.inner = &r.comm.peers.collective;
  f.fault = &r.faults[0];
  AO_store(&f.errands.round, SCREE__ASKED);
  check(scree__run_errands(&f)); /* it is started */
  for (int i = 0; i < 3; i++) check(!scree__run_errands(&f));
  check(AO_load(&f.errands.round) == SCREE__ASKED);
}

HARNESS_MAIN
