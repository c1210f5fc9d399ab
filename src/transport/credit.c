/* credit.c - credits: counts and messages. Credit messages are few: none while blocks go both ways. Their slots are
 * fixed; a message that finds none free is sent later, and returns more credits then. */
#include "transport/credit.h"

#include <stdlib.h>
#include <string.h>

#include "transport/idle.h"

enum { CREDIT_TAG = 2 };

static bool good(scree__credit *c, const char *call, int code) {
  scree_status status = scree__mpi_check(c->comm->fault, call, code);
  if (status != SCREE_OK) c->comm->fault->status = status;
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
    int code =
        MPI_Irecv(&c->counts_in[i], 1, MPI_UINT32_T, MPI_ANY_SOURCE, CREDIT_TAG, c->comm->comm, &c->receiving[i]);
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
      scree__credit_returned(c, (uint32_t)statuses[i].MPI_SOURCE, c->counts_in[done[i]]);
  }
  post(c);
}

/* ---- sending ---- */

/* -1: all are in use. */
static int free_slot(scree__credit *c) {
  for (int i = 0; i < SCREE__CREDIT_MESSAGES; i++) {
    int done = 0;
    if (c->sending[i] == MPI_REQUEST_NULL) return i;
    if (good(c, "MPI_Test of a credit message", MPI_Test(&c->sending[i], &done, MPI_STATUS_IGNORE)) && done) return i;
  }
  return -1;
}

static void send_due(scree__credit *c, uint32_t to) {
  int i = free_slot(c), code = MPI_SUCCESS;
  c->pending = true;
  if (i < 0) return;
  c->counts_out[i] = c->due[to];
  code = MPI_Isend(&c->counts_out[i], 1, MPI_UINT32_T, (int)to, CREDIT_TAG, c->comm->comm, &c->sending[i]);
  if (code != MPI_SUCCESS) c->sending[i] = MPI_REQUEST_NULL;
  if (!good(c, "MPI_Isend", code)) return;
  c->due[to] = 0;
  c->sent[to]++;
}

static bool is_due(const scree__credit *c, uint32_t to) {
  return 2u * c->due[to] >= c->window;
}

static void send_pending(scree__credit *c) {
  c->pending = false;
  for (uint32_t r = 0; r < c->comm->topology.ranks; r++)
    if (c->due[r] > 0 && is_due(c, r)) send_due(c, r);
}

/* ---- counts ---- */

uint32_t scree__credit_spend(scree__credit *c, uint32_t dest) {
  uint32_t returned = c->due[dest];
  c->due[dest] = 0;
  c->spent[dest]++;
  return returned;
}

/* More than are spent can return where some were written off. */
void scree__credit_returned(scree__credit *c, uint32_t from, uint32_t count) {
  c->spent[from] = (uint8_t)(count < c->spent[from] ? c->spent[from] - count : 0);
}

void scree__credit_write_off(scree__credit *c) {
  memset(c->spent, 0, c->comm->topology.ranks * sizeof *c->spent);
}

void scree__credit_add_due(scree__credit *c, uint32_t to, uint32_t count) {
  c->due[to] = (uint8_t)(c->due[to] + count);
  if (count > 0 && is_due(c, to)) send_due(c, to);
}

void scree__credit_poll(scree__credit *c) {
  if (c->pending) send_pending(c);
  receive(c);
}

/* ---- open, close ---- */

scree_status scree__credit_open(scree__credit *c, scree__comm *comm, uint64_t window) {
  uint32_t ranks = comm->topology.ranks;
  *c = (scree__credit){.comm = comm, .window = window};
  no_requests(c->sending);
  no_requests(c->receiving);
  c->spent = calloc(ranks, sizeof *c->spent);
  c->due = calloc(ranks, sizeof *c->due);
  c->sent = calloc(ranks, sizeof *c->sent);
  if (!c->spent || !c->due || !c->sent) return SCREE_ENOMEM;
  return post(c) ? SCREE_OK : SCREE_EMPI;
}

/* Waits, without stopping the progress of MPI. An error ends it too. */
static void finish(scree__credit *c, MPI_Request *request) {
  int done = 0;
  scree__idle idle = {0};
  for (uint32_t polls = 0; !done; polls++) {
    if (!good(c, "MPI_Test", MPI_Test(request, &done, MPI_STATUS_IGNORE))) return;
    if (done) return;
    receive(
        c); /* else another rank's message, which may be complete only when it is received, keeps that rank from here */
    scree__idle_backoff(&idle, polls);
  }
}

/* Credit messages are counted neither by epochs nor by their senders, so all ranks learn how many were sent to them. One
 * that is left behind could reach a later world. */
static void settle(scree__credit *c) {
  MPI_Request request = MPI_REQUEST_NULL;
  uint32_t expected = 0;
  scree__idle idle = {0};
  c->comm->fault->status = SCREE_OK;
  for (int i = 0; i < SCREE__CREDIT_MESSAGES; i++) finish(c, &c->sending[i]);
  int code = MPI_Ireduce_scatter_block(c->sent, &expected, 1, MPI_UINT32_T, MPI_SUM, c->comm->comm, &request);
  if (good(c, "MPI_Ireduce_scatter_block", code)) finish(c, &request);
  for (uint32_t polls = 0; c->received < expected && !c->comm->fault->status; polls++) {
    receive(c);
    scree__idle_backoff(&idle, polls);
  }
}

void scree__credit_close(scree__credit *c, bool together) {
  if (together) settle(c);
  for (int i = 0; i < SCREE__CREDIT_MESSAGES; i++) {
    if (c->sending[i] != MPI_REQUEST_NULL) MPI_Request_free(&c->sending[i]);
    if (c->receiving[i] == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&c->receiving[i]);
    MPI_Wait(&c->receiving[i], MPI_STATUS_IGNORE); /* local: the receive is either cancelled or done */
  }
  free(c->spent);
  free(c->due);
  free(c->sent);
}
