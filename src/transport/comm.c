/* comm.c - communicators, gathers and detection rounds. */
#include "transport/comm.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "transport/idle.h"
#include "transport/requests.h"

enum { LOCK_WAIT = 1000 }; /* ns: waits for the lock that are shorter are not recorded */

scree_status scree__mpi_check(scree__fault *fault, const char *call, int code) {
  if (code == MPI_SUCCESS) return SCREE_OK;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  snprintf(fault->text, sizeof fault->text, "%s: %.100s", call, text);
  return SCREE_EMPI;
}

/* If a collective call of an opening has failed, the rank is lost to the others. */
static scree_status together(scree__fault *fault, const char *call, int code) {
  fault->lost |= code != MPI_SUCCESS;
  return scree__mpi_check(fault, call, code);
}

static bool max(scree__meeting *meeting, const uint64_t *mine, uint64_t *out, size_t words) {
  const MPI_Comm comm = ((scree__mpi_meeting *)meeting)->comm;
  if (meeting->fault->lost) return false;
  return !together(meeting->fault, "MPI_Allreduce", MPI_Allreduce(mine, out, (int)words, MPI_UINT64_T, MPI_MAX, comm));
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
      scree__mpi_check(c->peers.fault, "MPI_Type_contiguous", MPI_Type_contiguous(words, MPI_UINT64_T, &c->round_type));
  if (status == SCREE_OK) status = scree__mpi_check(c->peers.fault, "MPI_Type_commit", MPI_Type_commit(&c->round_type));
  if (status == SCREE_OK)
    status = scree__mpi_check(c->peers.fault, "MPI_Op_create", MPI_Op_create(add_rounds, 1, &c->round_op));
  return status;
}

/* Errors come back to scree instead of ending the job. */
static void return_errors(MPI_Comm comm) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

/* A rank that cannot determine its own number cannot take part. */
static scree_status find_self(MPI_Comm comm, scree__fault *fault, uint32_t *rank, uint32_t *ranks) {
  int index = 0, size = 1;
  scree_status status = together(fault, "MPI_Comm_rank", MPI_Comm_rank(comm, &index));
  if (status == SCREE_OK) status = together(fault, "MPI_Comm_size", MPI_Comm_size(comm, &size));
  *rank = (uint32_t)index;
  *ranks = (uint32_t)size;
  return status;
}

/* A launcher may give each rank cores of its own, or all of them the same. */
static scree_status share_cores(scree__comm *c) {
  MPI_Comm same;
  const int color = (int)(scree__thread_allowed_hash() % INT_MAX);
  scree_status status = together(c->peers.fault, "MPI_Comm_split", MPI_Comm_split(c->node.comm, color, 0, &same));
  if (status != SCREE_OK) return status;
  status = find_self(same, c->peers.fault, &c->peers.core_share.index, &c->peers.core_share.of);
  MPI_Comm_free(&same);
  return status;
}

/* by_memory: ranks that share memory form a node. By the option detector each rank leads detection, or a node's
 * first. */
static scree_status split(scree__comm *c, bool by_memory, const scree__options *options) {
  scree_status status =
      together(c->peers.fault, "MPI_Comm_split_type",
               MPI_Comm_split_type(c->all.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c->node.comm));
  if (status != SCREE_OK) return status;
  return_errors(c->node.comm);
  status = find_self(c->node.comm, c->peers.fault, &c->peers.local_rank, &c->peers.local_ranks);
  if (status == SCREE_OK && options->pin != SCREE_PIN_OFF) status = share_cores(c);
  if (status != SCREE_OK) return status;
  if (by_memory) c->peers.node = &c->node.meeting;
  if (!by_memory) MPI_Comm_free(&c->node.comm);
  c->node.meeting.rank = c->peers.index = by_memory ? c->peers.local_rank : 0;
  c->node.meeting.ranks = c->peers.size = by_memory ? c->peers.local_ranks : 1;
  const bool leads = options->detector != SCREE_DETECTOR_NODE || c->peers.index == 0;
  status = together(c->peers.fault, "MPI_Comm_split",
                    MPI_Comm_split(c->all.comm, leads ? 0 : MPI_UNDEFINED, 0, &c->leaders_comm));
  if (c->leaders_comm != MPI_COMM_NULL) return_errors(c->leaders_comm);
  return status;
}

/* The communicators on which the workers after the first one receive. */
static scree_status duplicate(scree__comm *c) {
  scree_status status = SCREE_OK;
  c->to[0] = c->all.comm;
  for (uint32_t w = 1; w < c->peers.threads && status == SCREE_OK; w++) {
    status = together(c->peers.fault, "MPI_Comm_dup", MPI_Comm_dup(c->all.comm, &c->to[w]));
    if (status == SCREE_OK) return_errors(c->to[w]);
  }
  return status;
}

static scree_status find_location(scree__comm *c, scree__location *mine) {
  mine->leader = c->all.meeting.rank;
  mine->index = c->peers.index;
  if (c->peers.size == 1) return SCREE_OK;
  return together(c->peers.fault, "MPI_Bcast", MPI_Bcast(&mine->leader, 1, MPI_UINT32_T, 0, c->node.comm));
}

/* After a poll that found nothing. While a world opens nothing else is watched. */
static bool wait(const scree__collective *collective, scree__idle *idle, uint32_t polls) {
  if (collective->wait) return collective->wait(collective->context);
  scree__idle_backoff(idle, polls);
  return true;
}

/* A test that fails is repeated, as long as the request exists; it is given up after too many of them, or when those
 * that wait decide so. Then the request stays active, and there is no other gather. */
static scree_status await_gather(scree__comm *c) {
  scree_status status = SCREE_OK;
  scree__idle idle = {.spin = c->peers.spin};
  int done = 0;
  for (uint32_t polls = 0, failed = 0;; polls++) {
    status = scree__mpi_check(c->peers.fault, "MPI_Test of MPI_Iallgather",
                              MPI_Test(&c->gathering, &done, MPI_STATUS_IGNORE));
    if (status == SCREE_OK && done) return status;
    if (status != SCREE_OK && (c->gathering == MPI_REQUEST_NULL || ++failed > SCREE__TESTS_MAY_FAIL)) return status;
    if (!wait(&c->peers.collective, &idle, polls)) return SCREE_EPEER;
  }
}

static scree_status gather(scree__collective *collective, const void *mine, void *all, size_t bytes) {
  scree__comm *c = (scree__comm *)collective;
  if (c->gathering != MPI_REQUEST_NULL) return SCREE_EPEER;
  if (bytes <= sizeof c->gathered) mine = memcpy(c->gathered, mine, bytes);
  scree_status status = scree__mpi_check(
      c->peers.fault, "MPI_Iallgather",
      MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, c->all.comm, &c->gathering));
  if (status == SCREE_OK) {
    status = await_gather(c);
    c->peers.fault->abandoned |= c->gathering != MPI_REQUEST_NULL;
    return status;
  }
  c->gathering = MPI_REQUEST_NULL;
  return status;
}

/* What may fail on one rank or one node comes first, and is agreed on before the ranks wait for each other. */
static scree_status map_ranks(scree__comm *c, scree__location *all) {
  scree__location mine = {0, 0};
  scree_status made = make_round_op(c), status = find_location(c, &mine);
  if (status == SCREE_OK) status = duplicate(c);
  if (status == SCREE_OK) status = scree__agree(c->peers.all, made);
  if (status == SCREE_OK) {
    status = gather(&c->peers.collective, &mine, all, sizeof mine);
    c->peers.fault->lost |= status != SCREE_OK;
  }
  if (status == SCREE_OK) scree__peers_locate(&c->peers, all, mine);
  return status;
}

/* `all` is for a location of each rank. */
static scree_status setup(scree__comm *c, MPI_Comm comm, bool by_memory, const scree__options *options,
                          scree__location *all) {
  scree_status status = together(c->peers.fault, "MPI_Comm_dup", MPI_Comm_dup(comm, &c->all.comm));
  if (status != SCREE_OK) return status;
  return_errors(c->all.comm);
  status = split(c, by_memory, options);
  return status == SCREE_OK ? map_ranks(c, all) : status;
}

/* Only the leader takes part in rounds, which is a first worker. */
static scree_status round_start(scree__collective *collective, const scree__round *mine) {
  scree__comm *c = (scree__comm *)collective;
  SCREE__INVARIANT(c->round == MPI_REQUEST_NULL && c->leaders_comm != MPI_COMM_NULL);
  c->mine = *mine;
  scree__comm_enter(c, 0, SCREE__HIGH);
  scree_status status =
      scree__mpi_check(c->peers.fault, "MPI_Iallreduce",
                       MPI_Iallreduce(&c->mine, &c->sum, 1, c->round_type, c->round_op, c->leaders_comm, &c->round));
  scree__comm_leave(c, SCREE__HIGH);
  return status;
}

/* A test that fails is repeated, as long as the request exists. If it is over without a result, no agreement is
 * possible: the rank has lost its peers. */
static void failed(scree__comm *c, scree_status status, bool over) {
  c->peers.fault->status = status;
  c->peers.fault->lost |= over || ++c->failed_tests > SCREE__TESTS_MAY_FAIL;
}

static bool round_test(scree__collective *collective, scree__round *out) {
  scree__comm *c = (scree__comm *)collective;
  int done = 0;
  scree__comm_enter(c, 0, SCREE__LOW);
  scree_status status = scree__mpi_check(c->peers.fault, "MPI_Test", MPI_Test(&c->round, &done, MPI_STATUS_IGNORE));
  scree__comm_polled(c, 0, done);
  if (status != SCREE_OK) {
    failed(c, status, c->round == MPI_REQUEST_NULL);
    return false;
  }
  if (done) *out = c->sum;
  return done;
}

static const scree__collective_ops ops = {
    .gather = gather, .round_start = round_start, .round_test = round_test, .say = scree__comm_say};

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

/* Where one thread calls MPI for all (src/transport/funnel) no other thread must be locked out. With
 * thread_level=multiple there is no lock, because unlocked calls of several workers share nothing here that changes:
 *   - Requests, blocks, credits, receives, counts and the fault sink belong to one endpoint, as without threads. Each
 *     endpoint receives on a communicator of its own, so that no two threads post receives or complete requests of one.
 *   - Several threads send on one communicator, to the same worker of other ranks; MPI serves them, and a receiver
 *     accepts blocks of different endpoints in any order.
 *   - Only first workers make collective calls: gathers outside
 *     epochs, one detection round at a time on leaders_comm. So no two threads of a rank are in collective calls of one
 *     communicator. What rounds use here is that worker's, though another thread may run add_rounds inside MPI, which
 *     orders that itself.
 *   - Topology, communicators and maps are written before the world is open.
 * False: no memory. */
static bool make_lock(scree__comm *c, const scree__options *options) {
  const uint64_t level = options->thread_level;
  if (c->peers.threads == 1 || options->progress == SCREE_PROGRESS_COMM) return true;
  if (level == SCREE_THREAD_LEVEL_FUNNELED || level == SCREE_THREAD_LEVEL_MULTIPLE) return true;
  c->lock = aligned_alloc(SCREE__LINE, sizeof *c->lock);
  c->users = aligned_alloc(SCREE__LINE, c->peers.threads * sizeof *c->users);
  if (c->lock) scree__lock_init(c->lock, options->lock, c->peers.spin);
  if (c->lock) scree__lock_start(c->lock, scree__first_count(options, SCREE__COUNTS_TICKETS));
  if (c->users) memset(c->users, 0, c->peers.threads * sizeof *c->users);
  return c->lock && c->users;
}

/* Where a rank runs on one socket there is nothing to count. */
static void observe_lock(scree__comm *c, const scree__options *options) {
  if (!c->lock || !options->lock_sample) return;
  c->sample = options->lock_sample;
  c->sockets = scree__sockets_find();
  for (uint32_t w = 0; c->sockets && w < c->peers.threads; w++) c->users[w].sockets = c->sockets->count;
  if (c->sockets && c->sockets->count > 1) scree__lock_count_sockets(c->lock, c->sockets);
}

static void never_spin(scree__peers *peers) {
  scree__comm *c = scree__comm_of(peers);
  peers->spin = 0;
  if (c->lock) c->lock->spin = 0;
}

static void free_all(scree__comm *c) {
  if (c->lock) scree__lock_destroy(c->lock);
  free(c->lock);
  free(c->users);
  free(c->sockets);
  free(c->to);
  free(c->standing.sending);
  free(c->peers.collective.heard);
  scree__peers_free(&c->peers);
  free(c);
}

static void free_handles(scree__comm *c) {
  if (c->round_op != MPI_OP_NULL) MPI_Op_free(&c->round_op);
  if (c->round_type != MPI_DATATYPE_NULL) MPI_Type_free(&c->round_type);
  for (uint32_t w = 1; c->to && w < c->peers.threads; w++)
    if (c->to[w] != MPI_COMM_NULL) MPI_Comm_free(&c->to[w]);
  if (c->leaders_comm != MPI_COMM_NULL) MPI_Comm_free(&c->leaders_comm);
  if (c->node.comm != MPI_COMM_NULL) MPI_Comm_free(&c->node.comm);
  if (c->all.comm != MPI_COMM_NULL) MPI_Comm_free(&c->all.comm);
}

/* Messages of a lost world may arrive later than this. Open MPI would deliver them to the next communicator that gets
 * the same context, whose order of messages they break; so no communicator gets it: they stay, and with them what
 * requests on them that are still active point to, and the fault sink then has `abandoned` set. */
static void close_comm(scree__peers *peers) {
  scree__comm *c = scree__comm_of(peers);
  const bool round_over = scree__requests_end(&c->round, 1); /* only in a lost world; both end */
  const bool said = scree__requests_end(c->standing.sending, c->standing.sending ? (int)c->standing.sends : 0);
  const bool heard = scree__receives_end(&c->standing.receiving, 1);
  const bool over = scree__requests_end(&c->gathering, 1) && round_over && said && heard;
  peers->fault->abandoned |= !over;
  if (!peers->fault->lost && !peers->fault->abandoned) free_handles(c);
  if (over) free_all(c);
}

static const scree__peers_ops peers_ops = {.never_spin = never_spin, .close = close_comm};
static const scree__meeting_ops within = {.max = max};

static scree__comm *allocate(uint32_t rank, uint32_t ranks, const scree__options *options, scree__fault *fault,
                             scree__ring *rings) {
  scree__comm *c = malloc(sizeof *c);
  const uint32_t threads = scree__options_endpoints(options);
  if (!c) return NULL;
  *c = (scree__comm){.peers = {.collective.ops = &ops,
                               .ops = &peers_ops,
                               .all = &c->all.meeting,
                               .fault = fault,
                               .spin = options->spin},
                     .all = {{&within, rank, ranks, fault}, MPI_COMM_NULL},
                     .node = {{&within, 0, 1, fault}, MPI_COMM_NULL},
                     .rings = rings,
                     .hang_timeout = options->hang_timeout,
                     .leaders_comm = MPI_COMM_NULL,
                     .round_type = MPI_DATATYPE_NULL,
                     .round_op = MPI_OP_NULL,
                     .round = MPI_REQUEST_NULL,
                     .gathering = MPI_REQUEST_NULL,
                     .standing = {.sending = calloc(ranks, sizeof(MPI_Request)), .receiving = MPI_REQUEST_NULL},
                     .to = calloc(threads, sizeof(MPI_Comm))};
  for (uint32_t w = 0; c->to && w < threads; w++) c->to[w] = MPI_COMM_NULL;
  const bool tables = scree__peers_allocate(&c->peers, ranks, threads), lock = make_lock(c, options);
  if (lock) observe_lock(c, options);
  c->peers.collective.heard = calloc(ranks, sizeof *c->peers.collective.heard);
  if (tables && c->to && lock && c->standing.sending && c->peers.collective.heard) return c;
  close_comm(&c->peers);
  return NULL;
}

static scree__peers *open_comm(scree__meeting *meeting, bool by_memory, const scree__options *options,
                               scree__fault *fault, scree__ring *rings) {
  const uint32_t ranks = meeting->ranks;
  scree__location *all = calloc(ranks, sizeof *all);
  scree__comm *c = all ? allocate(meeting->rank, ranks, options, fault, rings) : NULL;
  if (!c) scree__fault_no_memory(fault, ranks * sizeof *all, "the places of the ranks");
  scree_status status = scree__agree(meeting, c ? SCREE_OK : SCREE_ENOMEM);
  if (status == SCREE_OK) status = setup(c, ((scree__mpi_meeting *)meeting)->comm, by_memory, options, all);
  free(all);
  if (status == SCREE_OK) return &c->peers;
  if (c) close_comm(&c->peers);
  return NULL;
}

static const scree__meeting_ops callers = {.max = max, .open = open_comm, .by_mpi = true};

scree__mpi_meeting scree__mpi_meeting_of(MPI_Comm comm, scree__fault *fault) {
  uint32_t rank, ranks;
  if (find_self(comm, fault, &rank, &ranks)) ranks = 0;
  return (scree__mpi_meeting){{&callers, rank, ranks, fault}, comm};
}
