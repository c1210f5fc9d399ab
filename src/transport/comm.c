/* comm.c - communicators, gathers and detection rounds. */
#include "transport/comm.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "transport/idle.h"
#include "transport/requests.h"

enum { LOCK_WAIT = 1000 };      /* ns: waits for the lock that are shorter are not recorded */
enum { TESTS_MAY_FAIL = 1000 }; /* of reductions, in the life of a world */

scree_status scree__mpi_check(scree__fault *fault, const char *call, int code) {
  if (code == MPI_SUCCESS) return SCREE_OK;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  snprintf(fault->text, sizeof fault->text, "%s: %.100s", call, text);
  return SCREE_EMPI;
}

scree_status scree__comm_agree(MPI_Comm comm, scree_status mine) {
  int in = (int)mine, worst = (int)SCREE_EMPI;
  return MPI_Allreduce(&in, &worst, 1, MPI_INT, MPI_MAX, comm) == MPI_SUCCESS ? (scree_status)worst : SCREE_EMPI;
}

static void add_rounds(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)type;
  const scree__round *from = in;
  scree__round *to = inout;
  for (int i = 0; i < *count; i++) scree__round_add(&to[i], &from[i]);
}

static scree_status make_round_op(scree__comm *c) {
  _Static_assert(sizeof(scree__round) % sizeof(uint64_t) == 0, "a round is an array of words");
  const int words = (int)(sizeof(scree__round) / sizeof(uint64_t));
  scree_status status =
      scree__mpi_check(c->fault, "MPI_Type_contiguous", MPI_Type_contiguous(words, MPI_UINT64_T, &c->round_type));
  if (status == SCREE_OK) status = scree__mpi_check(c->fault, "MPI_Type_commit", MPI_Type_commit(&c->round_type));
  if (status == SCREE_OK)
    status = scree__mpi_check(c->fault, "MPI_Op_create", MPI_Op_create(add_rounds, 1, &c->round_op));
  return status;
}

/* Errors come back to scree instead of ending the job. */
static void return_errors(MPI_Comm comm) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

/* A launcher may give each rank cores of its own, or all of them the same. */
static scree_status share_cores(scree__comm *c) {
  MPI_Comm same;
  int index = 0, size = 1;
  const int color = (int)(scree__thread_allowed_hash() % INT_MAX);
  scree_status status = scree__mpi_check(c->fault, "MPI_Comm_split", MPI_Comm_split(c->node, color, 0, &same));
  if (status != SCREE_OK) return status;
  MPI_Comm_rank(same, &index);
  MPI_Comm_size(same, &size);
  MPI_Comm_free(&same);
  c->core_share = (scree__core_share){(uint32_t)index, (uint32_t)size};
  return SCREE_OK;
}

/* by_memory: ranks that share memory form a node. By the option detector each rank leads detection, or a node's first. */
static scree_status split(scree__comm *c, bool by_memory, const scree_options *options) {
  int index = 0, size = 1;
  scree_status status = scree__mpi_check(
      c->fault, "MPI_Comm_split_type", MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c->node));
  if (status != SCREE_OK) return status;
  return_errors(c->node);
  MPI_Comm_rank(c->node, &index);
  MPI_Comm_size(c->node, &size);
  c->local_rank = (uint32_t)index;
  c->local_ranks = (uint32_t)size;
  if (options->pin != SCREE_PIN_OFF) status = share_cores(c);
  if (status != SCREE_OK) return status;
  if (!by_memory) MPI_Comm_free(&c->node);
  c->index = by_memory ? c->local_rank : 0;
  c->size = by_memory ? c->local_ranks : 1;
  const bool leads = options->detector != SCREE_DETECTOR_NODE || c->index == 0;
  status = scree__mpi_check(c->fault, "MPI_Comm_split",
                            MPI_Comm_split(c->comm, leads ? 0 : MPI_UNDEFINED, 0, &c->leaders_comm));
  if (c->leaders_comm != MPI_COMM_NULL) return_errors(c->leaders_comm);
  return status;
}

/* The communicators on which the workers behind the first one receive. An error is kept until the ranks agree, since the
 * others go on. */
static scree_status duplicate(scree__comm *c) {
  scree_status worst = SCREE_OK;
  c->to[0] = c->comm;
  for (uint32_t w = 1; w < c->threads; w++) {
    scree_status status = scree__mpi_check(c->fault, "MPI_Comm_dup", MPI_Comm_dup(c->comm, &c->to[w]));
    if (status == SCREE_OK) return_errors(c->to[w]);
    if (status > worst) worst = status;
  }
  return worst;
}

/* Where a rank is. */
typedef struct {
  uint32_t leader; /* rank of its node's leader */
  uint32_t index;  /* on its node */
} location;

static scree_status find_location(scree__comm *c, location *mine) {
  mine->leader = c->rank;
  mine->index = c->index;
  if (c->size == 1) return SCREE_OK;
  return scree__mpi_check(c->fault, "MPI_Bcast", MPI_Bcast(&mine->leader, 1, MPI_UINT32_T, 0, c->node));
}

static void map_endpoints(scree__comm *c, uint32_t rank, const location *at, bool here) {
  for (uint32_t w = 0; w < c->threads; w++) {
    uint32_t endpoint = rank * c->threads + w, index = at->index * c->threads + w;
    c->index_on_node[endpoint] = here ? index : UINT32_MAX;
    if (here) c->node_endpoints[index] = endpoint;
  }
}

static void fill_topology(scree__comm *c, const location *all, location mine) {
  uint32_t nodes = 0, node = 0;
  for (uint32_t r = 0; r < c->ranks; r++) {
    map_endpoints(c, r, &all[r], all[r].leader == mine.leader);
    if (all[r].leader == r) {
      if (r == mine.leader) node = nodes;
      c->node_of[r] = nodes;
      c->leaders[nodes++] = r * c->threads;
    }
    c->node_of[r] = c->node_of[all[r].leader];
  }
  for (uint32_t w = 0; w < c->threads; w++)
    c->topology[w] = (scree__topology){.endpoint = c->rank * c->threads + w,
                                       .endpoints = c->ranks * c->threads,
                                       .threads = c->threads,
                                       .node = node,
                                       .nodes = nodes,
                                       .node_index = c->index * c->threads + w,
                                       .node_size = c->size * c->threads,
                                       .local_rank = c->local_rank,
                                       .local_ranks = c->local_ranks,
                                       .core_share = c->core_share,
                                       .leaders = c->leaders,
                                       .node_endpoints = c->node_endpoints,
                                       .node_of = c->node_of};
}

static scree_status gather(scree__collective *collective, const void *mine, void *all, size_t bytes) {
  scree__comm *c = (scree__comm *)collective;
  MPI_Request request;
  int done = 0;
  scree__idle idle = {.spin = c->spin};
  scree_status status =
      scree__mpi_check(c->fault, "MPI_Iallgather",
                       MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, c->comm, &request));
  for (uint32_t polls = 0; status == SCREE_OK && !done; polls++) {
    status = scree__mpi_check(c->fault, "MPI_Test", MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (!done) scree__idle_backoff(&idle, polls);
  }
  return status;
}

/* What may fail on one rank or one node comes first, and is agreed on before the ranks wait for each other. */
static scree_status map_ranks(scree__comm *c, location *all) {
  location mine = {0, 0};
  scree_status made = make_round_op(c), found = find_location(c, &mine), dup = duplicate(c);
  if (found > made) made = found;
  scree_status status = scree__comm_agree(c->comm, dup > made ? dup : made);
  if (status == SCREE_OK) status = gather(&c->collective, &mine, all, sizeof mine);
  if (status == SCREE_OK) fill_topology(c, all, mine);
  return status;
}

/* `all` is for a location of each rank. */
static scree_status setup(scree__comm *c, MPI_Comm comm, bool by_memory, const scree_options *options, location *all) {
  scree_status status = scree__mpi_check(c->fault, "MPI_Comm_dup", MPI_Comm_dup(comm, &c->comm));
  if (status != SCREE_OK) return status;
  int rank, ranks;
  return_errors(c->comm);
  MPI_Comm_rank(c->comm, &rank);
  MPI_Comm_size(c->comm, &ranks);
  c->rank = (uint32_t)rank;
  c->ranks = (uint32_t)ranks;
  status = split(c, by_memory, options);
  return status == SCREE_OK ? map_ranks(c, all) : status;
}

/* Rounds are the leader's affair, which is a first worker. */
static scree_status round_start(scree__collective *collective, const scree__round *mine) {
  scree__comm *c = (scree__comm *)collective;
  c->mine = *mine;
  scree__comm_enter(c, 0, SCREE__HIGH);
  scree_status status =
      scree__mpi_check(c->fault, "MPI_Iallreduce",
                       MPI_Iallreduce(&c->mine, &c->sum, 1, c->round_type, c->round_op, c->leaders_comm, &c->round));
  scree__comm_leave(c, SCREE__HIGH);
  return status;
}

/* A test that fails is repeated, as long as the request exists. What is over without a result can never be agreed on: the
 * rank has lost its peers. */
static void failed(scree__comm *c, scree_status status, bool over) {
  c->fault->status = status;
  c->fault->lost |= over || ++c->failed_tests > TESTS_MAY_FAIL;
}

static bool round_test(scree__collective *collective, scree__round *out) {
  scree__comm *c = (scree__comm *)collective;
  int done = 0;
  scree__comm_enter(c, 0, SCREE__LOW);
  scree_status status = scree__mpi_check(c->fault, "MPI_Test", MPI_Test(&c->round, &done, MPI_STATUS_IGNORE));
  scree__comm_polled(c, 0, done);
  if (status != SCREE_OK) {
    failed(c, status, c->round == MPI_REQUEST_NULL);
    return false;
  }
  if (done) *out = c->sum;
  return done;
}

static const scree__collective_ops ops = {.gather = gather, .round_start = round_start, .round_test = round_test};

/* ---- turns ---- */

void scree__comm_enter_traced(scree__comm *c, uint32_t worker, scree__priority priority) {
  const scree__lock_user *me = &c->users[worker];
  const uint64_t before = me->wait_ns;
  scree__lock_enter(c->lock, &c->users[worker], priority);
  const uint64_t waited = me->wait_ns - before, now = waited < LOCK_WAIT ? 0 : scree__clock_ns();
  if (now)
    scree__ring_add(&c->rings[worker], (scree__event){.kind = SCREE__EVENT_LOCK, .begin = now - waited, .end = now});
}

/* ---- open, close ---- */

/* Where one thread calls MPI for all (src/transport/funnel) there is nobody to lock out. With thread_level=multiple there is none, because unlocked calls of several workers share nothing here that changes:
 *   - Requests, blocks, credits, receives, counts and the fault sink belong to one endpoint, as without threads. Each
 *     endpoint receives on a communicator of its own, so that no two threads post receives or complete requests of one.
 *   - Several threads send on one communicator, to the same worker of other ranks; MPI serves them, and a receiver takes
 *     blocks of different endpoints in any order.
 *   - Collective calls are first workers' alone: gathers outside epochs, one detection round at a time on leaders_comm.
 *     So no two threads of a rank are in collective calls of one communicator. What rounds use here is that worker's, though another thread may run add_rounds inside MPI, which orders that itself.
 *   - Topology, communicators and maps are written before the world is open.
 * False: no memory. */
static bool make_lock(scree__comm *c, const scree_options *options) {
  const uint64_t level = options->thread_level;
  if (c->threads == 1 || options->progress == SCREE_PROGRESS_COMM) return true;
  if (level == SCREE_THREAD_LEVEL_FUNNELED || level == SCREE_THREAD_LEVEL_MULTIPLE) return true;
  c->lock = aligned_alloc(SCREE__LINE, sizeof *c->lock);
  c->users = aligned_alloc(SCREE__LINE, c->threads * sizeof *c->users);
  if (c->lock) scree__lock_init(c->lock, options->lock, c->spin);
  if (c->users) memset(c->users, 0, c->threads * sizeof *c->users);
  return c->lock && c->users;
}

/* Where a rank runs on one socket there is nothing to count. */
static void observe_lock(scree__comm *c, const scree_options *options) {
  if (!c->lock || !options->lock_sample) return;
  c->sample = options->lock_sample;
  c->sockets = scree__sockets_find();
  for (uint32_t w = 0; c->sockets && w < c->threads; w++) c->users[w].sockets = c->sockets->count;
  if (c->sockets && c->sockets->count > 1) scree__lock_count_sockets(c->lock, c->sockets);
}

void scree__comm_never_spin(scree__comm *c) {
  c->spin = 0;
  if (c->lock) c->lock->spin = 0;
}

static void free_all(scree__comm *c) {
  if (c->lock) scree__lock_destroy(c->lock);
  free(c->lock);
  free(c->users);
  free(c->sockets);
  free(c->topology);
  free(c->to);
  free(c->leaders);
  free(c->node_endpoints);
  free(c->node_of);
  free(c->index_on_node);
  free(c);
}

static scree__comm *allocate(size_t ranks, const scree_options *options, scree__fault *fault, scree__ring *rings) {
  scree__comm *c = malloc(sizeof *c);
  const uint32_t threads = scree__options_endpoints(options);
  if (!c) return NULL;
  *c = (scree__comm){.collective.ops = &ops,
                     .fault = fault,
                     .rings = rings,
                     .spin = options->spin,
                     .threads = threads,
                     .comm = MPI_COMM_NULL,
                     .node = MPI_COMM_NULL,
                     .leaders_comm = MPI_COMM_NULL,
                     .round_type = MPI_DATATYPE_NULL,
                     .round_op = MPI_OP_NULL,
                     .round = MPI_REQUEST_NULL,
                     .topology = calloc(threads, sizeof *c->topology),
                     .to = calloc(threads, sizeof(MPI_Comm)),
                     .leaders = calloc(ranks, sizeof *c->leaders),
                     .node_endpoints = calloc(ranks * threads, sizeof *c->node_endpoints),
                     .node_of = calloc(ranks, sizeof *c->node_of),
                     .index_on_node = calloc(ranks * threads, sizeof *c->index_on_node)};
  for (uint32_t w = 0; c->to && w < threads; w++) c->to[w] = MPI_COMM_NULL;
  bool lock = make_lock(c, options);
  if (lock) observe_lock(c, options);
  if (c->topology && c->to && c->leaders && c->node_endpoints && c->node_of && c->index_on_node && lock) return c;
  scree__comm_close(c);
  return NULL;
}

scree__comm *scree__comm_open(MPI_Comm comm, bool by_memory, const scree_options *options, scree__fault *fault,
                              scree__ring *rings) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  location *all = calloc((size_t)ranks, sizeof *all);
  scree__comm *c = all ? allocate((size_t)ranks, options, fault, rings) : NULL;
  if (!c) scree__fault_no_memory(fault, (size_t)ranks * sizeof *all, "the places of the ranks");
  scree_status status = scree__comm_agree(comm, c ? SCREE_OK : SCREE_ENOMEM);
  if (status == SCREE_OK) status = setup(c, comm, by_memory, options, all);
  free(all);
  if (status == SCREE_OK) return c;
  if (c) scree__comm_close(c);
  return NULL;
}

static void free_handles(scree__comm *c) {
  if (c->round_op != MPI_OP_NULL) MPI_Op_free(&c->round_op);
  if (c->round_type != MPI_DATATYPE_NULL) MPI_Type_free(&c->round_type);
  for (uint32_t w = 1; c->to && w < c->threads; w++)
    if (c->to[w] != MPI_COMM_NULL) MPI_Comm_free(&c->to[w]);
  if (c->leaders_comm != MPI_COMM_NULL) MPI_Comm_free(&c->leaders_comm);
  if (c->node != MPI_COMM_NULL) MPI_Comm_free(&c->node);
  if (c->comm != MPI_COMM_NULL) MPI_Comm_free(&c->comm);
}

/* Messages of a lost world may arrive later than this. Open MPI would deliver them to the next communicator that gets the
 * same context, whose order of messages they break; so no communicator gets it. */
void scree__comm_close(scree__comm *c) {
  const bool over = scree__requests_end(&c->round, 1); /* active only in a lost world */
  c->fault->abandoned |= !over;
  if (!c->fault->lost && !c->fault->abandoned) free_handles(c);
  if (over) free_all(c);
}
