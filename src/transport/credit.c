/* credit.c - credits: counts and messages. Credit messages are few: none while blocks go both ways. Their slots are
 * fixed; a message that finds none free is sent later, and returns more credits then. */
#include "transport/credit.h"

#include <stdlib.h>

#include "base/clock.h"
#include "transport/idle.h"
#include "transport/requests.h"

enum { WORDS = sizeof(scree__credits) / sizeof(uint32_t) };
enum { ERRORS_MAX = 1000, STARTS_MAX = 3 }; /* while a world closes */

static bool good(scree__credit *c, const char *call, int code) {
  scree_status status = scree__mpi_check(c->fault, call, code);
  if (status != SCREE_OK) c->fault->status = status;
  return status == SCREE_OK;
}

static void no_requests(MPI_Request *requests) {
  for (int i = 0; i < SCREE__CREDIT_MESSAGES; i++) requests[i] = MPI_REQUEST_NULL;
}

/* ---- receiving ---- */

/* Posts the receives that are not. One that could not be posted is tried again. */
static bool post(scree__credit *c) {
  for (int i = 0; i < SCREE__CREDIT_MESSAGES; i++) {
    if (c->receiving[i] != MPI_REQUEST_NULL) continue;
    int code = MPI_Irecv(&c->in[i], WORDS, MPI_UINT32_T, MPI_ANY_SOURCE, c->tag, c->receives, &c->receiving[i]);
    if (code != MPI_SUCCESS) c->receiving[i] = MPI_REQUEST_NULL;
    if (!good(c, "MPI_Irecv", code)) return false;
  }
  return true;
}

/* A message with an error has arrived all the same. */
static void receive(scree__credit *c) {
  int count = 0, done[SCREE__CREDIT_MESSAGES];
  MPI_Status statuses[SCREE__CREDIT_MESSAGES];
  int code = MPI_Testsome(SCREE__CREDIT_MESSAGES, c->receiving, &count, done, statuses);
  bool each = code == MPI_ERR_IN_STATUS;
  if (!good(c, "MPI_Testsome", code) && !each) return;
  if (count == MPI_UNDEFINED) count = 0;
  for (int i = 0; i < count; i++) {
    c->received++;
    if (each && statuses[i].MPI_ERROR != MPI_SUCCESS)
      scree__credit_write_off(c);
    else
      scree__credit_returned(c, c->in[done[i]].from, c->in[done[i]].count);
  }
  post(c);
}

/* ---- counts ---- */

static bool is_overdue(const scree__credit *c, uint32_t to) {
  return c->due[to] > 0 && 2u * c->due[to] >= c->window;
}

/* A message that failed may have arrived all the same, so more than the window may be due. */
static void set_due(scree__credit *c, uint32_t to, uint32_t count) {
  SCREE__INVARIANT(c->overdue >= is_overdue(c, to) && c->overdue <= c->comm->peers.topology->endpoints);
  c->overdue -= is_overdue(c, to);
  c->due[to] = (uint8_t)(count < UINT8_MAX ? count : UINT8_MAX);
  c->overdue += is_overdue(c, to);
}

uint32_t scree__credit_spend(scree__credit *c, uint32_t dest) {
  uint32_t returned = c->due[dest];
  set_due(c, dest, 0);
  c->spent[dest]++;
  SCREE__INVARIANT(c->spent[dest] > 0);
  return returned;
}

/* More than are spent can return where some were written off. Relaxed: another thread takes `returned` as permission to
 * pass a block over, and this one spends the credit. */
void scree__credit_returned(scree__credit *c, uint32_t from, uint32_t count) {
  if (count > c->spent[from]) count = c->spent[from];
  c->spent[from] = (uint8_t)(c->spent[from] - count);
  if (c->returned) AO_int_store(&c->returned[from], AO_int_load(&c->returned[from]) + count);
}

void scree__credit_write_off(scree__credit *c) {
  for (uint32_t e = 0; e < c->comm->peers.topology->endpoints; e++) scree__credit_returned(c, e, c->spent[e]);
}

/* ---- sending ---- */

/* The ranks of one worker's number follow each other, as their communicator sums them. */
static size_t by_worker(const scree__credit *c, uint32_t endpoint) {
  const scree__comm *comm = c->comm;
  return (size_t)(endpoint % comm->peers.threads) * comm->all.meeting.ranks + endpoint / comm->peers.threads;
}

/* Its send has failed, but it may arrive all the same. Its credits are due again: in a failed world more may return
 * than were spent. */
static void doubt(scree__credit *c, int i) {
  c->doubtful |= (uint32_t)1 << i;
  c->fault->doubtful++;
  set_due(c, c->dests[i], c->due[c->dests[i]] + c->out[i].count);
}

/* A test that failed and left the request is repeated. */
static bool is_free(scree__credit *c, int i) {
  int done = 0;
  if (c->sending[i] == MPI_REQUEST_NULL) return true;
  if (good(c, "MPI_Test of a credit message", MPI_Test(&c->sending[i], &done, MPI_STATUS_IGNORE))) return done;
  if (c->sending[i] != MPI_REQUEST_NULL) return false;
  c->sent[by_worker(c, c->dests[i])]--;
  doubt(c, i);
  return true;
}

/* -1: all are in use. */
static int free_slot(scree__credit *c) {
  for (int i = 0; i < SCREE__CREDIT_MESSAGES; i++)
    if (is_free(c, i) && !(c->doubtful >> i & 1)) return i;
  return -1;
}

static bool send_due(scree__credit *c, int i, uint32_t to) {
  const scree__comm *comm = c->comm;
  c->out[i] = (scree__credits){c->endpoint, c->due[to]};
  c->dests[i] = to;
  int code = MPI_Isend(&c->out[i], WORDS, MPI_UINT32_T, (int)(to / comm->peers.threads), c->tag,
                       comm->to[to % comm->peers.threads], &c->sending[i]);
  if (code != MPI_SUCCESS) c->sending[i] = MPI_REQUEST_NULL;
  SCREE__INVARIANT(c->out[i].count > 0 && !(c->doubtful >> i & 1));
  set_due(c, to, 0);
  if (!good(c, "MPI_Isend", code)) {
    doubt(c, i);
    return false;
  }
  c->sent[by_worker(c, to)]++;
  return true;
}

/* The endpoints take turns. Some endpoint must be overdue. */
static uint32_t next_overdue(scree__credit *c) {
  uint32_t to = c->turn;
  while (!is_overdue(c, to)) to = (to + 1) % c->comm->peers.topology->endpoints;
  c->turn = (to + 1) % c->comm->peers.topology->endpoints;
  return to;
}

static void send_overdue(scree__credit *c) {
  int i;
  do i = c->overdue > 0 ? free_slot(c) : -1;
  while (i >= 0 && send_due(c, i, next_overdue(c)));
}

/* The usual case, in which no other endpoint waits, needs no search for `to`. */
void scree__credit_add_due(scree__credit *c, uint32_t to, uint32_t count) {
  set_due(c, to, c->due[to] + count);
  if (!is_overdue(c, to)) return;
  if (c->overdue == 1) c->turn = to;
  send_overdue(c);
}

void scree__credit_poll(scree__credit *c) {
  send_overdue(c);
  receive(c);
}

/* ---- open, close ---- */

scree_status scree__credit_open(scree__credit *c, scree__comm *comm, uint32_t worker, uint32_t hop_class,
                                const scree__options *options) {
  uint32_t endpoints = comm->peers.topology->endpoints;
  *c = (scree__credit){.comm = comm,
                       .fault = &comm->peers.fault[worker],
                       .endpoint = comm->peers.topology[worker].endpoint,
                       .receives = comm->to[worker],
                       .tag = scree__comm_tag(SCREE__CREDIT_TAG, hop_class),
                       .window = options->in_flight,
                       .received = (uint32_t)scree__first_count(options, SCREE__COUNTS_CREDIT_MESSAGES),
                       .summing = MPI_REQUEST_NULL};
  no_requests(c->sending);
  no_requests(c->receiving);
  c->spent = calloc(endpoints, sizeof *c->spent);
  c->due = calloc(endpoints, sizeof *c->due);
  c->sent = calloc(endpoints, sizeof *c->sent);
  if (!c->spent || !c->due || !c->sent) return SCREE_ENOMEM;
  c->sent[by_worker(c, c->endpoint)] = c->received; /* as if it had sent itself those that it begins with */
  return post(c) ? SCREE_OK : SCREE_EMPI;
}

/* Ranks that wait for one whose calls fail are not notified, because epochs are over. */
static bool is_overlong(const scree__credit *c, uint64_t since) {
  const uint64_t limit = c->comm->hang_timeout, waited = scree__clock_ns() - since;
  if (limit && waited >= limit / 2) scree__comm_send_standing(c->comm);
  if (!limit || waited < limit) return false;
  scree__fault_raise(
      c->fault, SCREE_EPEER,
      "closing: this rank waits no longer for others (option hang-timeout): credit messages are missing, "
      "or a reduction: find the first error of the other ranks");
  return true;
}

/* Waits until it is over for all workers, while messages are taken in: a send may be over only when it is received. A
 * single error does not end it, since other ranks wait for this one. */
static void wait_until(scree__credit *const *all, bool (*over)(scree__credit *)) {
  scree__idle idle = {0};
  uint32_t threads = all[0]->comm->peers.threads, errors = 0;
  const uint64_t since = scree__clock_ns();
  for (uint32_t polls = 0; errors < ERRORS_MAX; polls++) {
    bool done = true;
    for (uint32_t w = 0; w < threads; w++) done &= over(all[w]);
    if (done) return;
    scree__comm_hear(all[0]->comm);
    for (uint32_t w = 0; w < threads; w++) {
      receive(all[w]);
      errors += all[w]->fault->status != SCREE_OK;
      all[w]->fault->status = SCREE_OK;
    }
    if (polls % 64 == 63 && is_overlong(all[0], since)) return;
    scree__idle_backoff(&idle, polls);
  }
}

static bool are_sent(scree__credit *c) {
  bool all = scree__comm_heard(c->comm);
  for (int i = 0; i < SCREE__CREDIT_MESSAGES; i++) all &= is_free(c, i);
  return all;
}

/* Without a result nothing more is expected. */
static bool is_summed(scree__credit *c) {
  int done = 0;
  if (good(c, "MPI_Test", MPI_Test(&c->summing, &done, MPI_STATUS_IGNORE))) return done;
  if (c->summing != MPI_REQUEST_NULL) return false;
  c->expected = c->received;
  return true;
}

/* Both counts may have wrapped. */
static bool are_received(scree__credit *c) {
  return (int32_t)(c->received - c->expected) >= 0;
}

/* What all workers of this rank have sent, by worker and rank, is summed in the first one's table. */
static void add_sent(scree__credit *const *all) {
  const scree__comm *comm = all[0]->comm;
  for (uint32_t w = 1; w < comm->peers.threads; w++)
    for (uint32_t i = 0; i < comm->peers.topology->endpoints; i++) all[0]->sent[i] += all[w]->sent[i];
}

static bool start_sum(scree__credit *const *all, uint32_t w) {
  const scree__comm *comm = all[0]->comm;
  for (int i = 0; i < STARTS_MAX; i++) {
    int code = MPI_Ireduce_scatter_block(all[0]->sent + (size_t)w * comm->all.meeting.ranks, &all[w]->expected, 1,
                                         MPI_UINT32_T, MPI_SUM, comm->to[w], &all[w]->summing);
    if (good(all[w], "MPI_Ireduce_scatter_block", code)) return true;
    all[w]->summing = MPI_REQUEST_NULL;
  }
  return false;
}

/* Credit messages are counted neither by epochs nor by their senders, so all endpoints learn how many were sent to
 * them. One that is not received could reach a later world. A sum that cannot be started is tried again, because the
 * others wait for it; in the end this rank stops waiting, after it has started the other sums. */
static void settle(scree__credit *const *all) {
  const scree__comm *comm = all[0]->comm;
  bool started = true;
  wait_until(all, are_sent);
  add_sent(all);
  for (uint32_t w = 0; w < comm->peers.threads; w++) started &= start_sum(all, w);
  if (!started) return;
  wait_until(all, is_summed);
  wait_until(all, are_received);
}

static bool requests_end(scree__credit *c) {
  bool over = scree__requests_end(&c->summing, 1);
  over &= scree__requests_end(c->sending, SCREE__CREDIT_MESSAGES);
  over &= scree__receives_end(c->receiving, SCREE__CREDIT_MESSAGES);
  return over;
}

bool scree__credit_close(scree__credit *const *all, bool together) {
  uint32_t threads = all[0]->comm->peers.threads;
  bool over = true;
  if (together) settle(all);
  for (uint32_t w = 0; w < threads; w++) over &= requests_end(all[w]);
  for (uint32_t w = 0; over && w < threads; w++) {
    free(all[w]->spent);
    free(all[w]->due);
    free(all[w]->sent);
  }
  return over;
}
