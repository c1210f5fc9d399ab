/* credit.c - credits: counts and notes.
 *
 * Room: what credit.h declares. Notes are few: none while blocks go both ways. Slots for them are fixed; a note that
 * finds none is sent later, and says more then. */
#include "transport/credit.h"

#include <stdlib.h>
#include <string.h>

#include "transport/comm.h"
#include "transport/idle.h"

enum { NOTE_TAG = 2 };

static bool good(scree__credit *c, const char *call, int code) {
  scree_status status = scree__mpi_check(c->transport, call, code);
  if (status != SCREE_OK) c->transport->fault = status;
  return status == SCREE_OK;
}

static void no_requests(MPI_Request *requests) {
  for (int i = 0; i < SCREE__NOTES; i++) requests[i] = MPI_REQUEST_NULL;
}

/* ---- notes that come ---- */

/* Posts the receives that are not. One that cannot be is tried again. */
static bool post(scree__credit *c) {
  MPI_Comm comm = c->transport->group->comm;
  for (int i = 0; i < SCREE__NOTES; i++) {
    if (c->receiving[i] != MPI_REQUEST_NULL) continue;
    int code = MPI_Irecv(&c->text_in[i], 1, MPI_UINT32_T, MPI_ANY_SOURCE, NOTE_TAG, comm, &c->receiving[i]);
    if (code != MPI_SUCCESS) c->receiving[i] = MPI_REQUEST_NULL;
    if (!good(c, "MPI_Irecv", code)) return false;
  }
  return true;
}

/* A note with an error has come all the same. */
static void take_in(scree__credit *c) {
  int count = 0, done[SCREE__NOTES];
  MPI_Status statuses[SCREE__NOTES];
  int code = MPI_Testsome(SCREE__NOTES, c->receiving, &count, done, statuses);
  bool each = code == MPI_ERR_IN_STATUS;
  if (!good(c, "MPI_Testsome", code) && !each) return;
  if (count == MPI_UNDEFINED) count = 0;
  for (int i = 0; i < count; i++) {
    c->came++;
    if (each && statuses[i].MPI_ERROR != MPI_SUCCESS)
      scree__credit_forgive(c);
    else
      scree__credit_back(c, (uint32_t)statuses[i].MPI_SOURCE, c->text_in[done[i]]);
  }
  post(c);
}

/* ---- notes that go ---- */

/* -1: all are in use. */
static int free_slot(scree__credit *c) {
  for (int i = 0; i < SCREE__NOTES; i++) {
    int done = 0;
    if (c->sending[i] == MPI_REQUEST_NULL) return i;
    if (good(c, "MPI_Test of a note", MPI_Test(&c->sending[i], &done, MPI_STATUS_IGNORE)) && done) return i;
  }
  return -1;
}

static void note(scree__credit *c, uint32_t to) {
  int i = free_slot(c), code = MPI_SUCCESS;
  c->late = true;
  if (i < 0) return;
  c->text_out[i] = c->owed[to];
  code = MPI_Isend(&c->text_out[i], 1, MPI_UINT32_T, (int)to, NOTE_TAG, c->transport->group->comm, &c->sending[i]);
  if (code != MPI_SUCCESS) c->sending[i] = MPI_REQUEST_NULL;
  if (!good(c, "MPI_Isend", code)) return;
  c->late = false;
  c->owed[to] = 0;
  c->notes[to]++;
}

static bool is_due(const scree__credit *c, uint32_t to) {
  return 2u * c->owed[to] >= c->transport->options.in_flight;
}

static void send_late(scree__credit *c) {
  c->late = false;
  for (uint32_t r = 0; r < c->transport->ranks && !c->late; r++)
    if (c->owed[r] > 0 && is_due(c, r)) note(c, r);
}

/* ---- counts ---- */

uint32_t scree__credit_spend(scree__credit *c, uint32_t dest) {
  uint32_t back = c->owed[dest];
  c->owed[dest] = 0;
  c->out[dest]++;
  return back;
}

/* More than are out can come back where some were forgiven. */
void scree__credit_back(scree__credit *c, uint32_t from, uint32_t count) {
  c->out[from] = (uint8_t)(count < c->out[from] ? c->out[from] - count : 0);
}

void scree__credit_forgive(scree__credit *c) {
  memset(c->out, 0, c->transport->ranks * sizeof *c->out);
}

void scree__credit_owe(scree__credit *c, uint32_t from, uint32_t count) {
  c->owed[from] = (uint8_t)(c->owed[from] + count);
  if (count > 0 && is_due(c, from)) note(c, from);
}

void scree__credit_poll(scree__credit *c) {
  if (c->late) send_late(c);
  take_in(c);
}

/* ---- open, close ---- */

scree_status scree__credit_open(scree__credit *c, scree__transport *t) {
  *c = (scree__credit){.transport = t};
  no_requests(c->sending);
  no_requests(c->receiving);
  c->out = calloc(t->ranks, sizeof *c->out);
  c->owed = calloc(t->ranks, sizeof *c->owed);
  c->notes = calloc(t->ranks, sizeof *c->notes);
  if (!c->out || !c->owed || !c->notes) return SCREE_ENOMEM;
  return post(c) ? SCREE_OK : SCREE_EMPI;
}

/* Waits, without stopping other ranks. An error is as good as the end. */
static void finish(scree__credit *c, MPI_Request *request) {
  int done = 0;
  for (uint32_t round = 0; !done; round++) {
    if (!good(c, "MPI_Test", MPI_Test(request, &done, MPI_STATUS_IGNORE))) return;
    if (!done) scree__idle(round, 0);
  }
}

/* Notes are counted neither by epochs nor by their senders, so all ranks learn how many were sent to them. One that
 * stayed behind could reach a later world. */
static void settle(scree__credit *c) {
  MPI_Comm comm = c->transport->group->comm;
  MPI_Request request = MPI_REQUEST_NULL;
  uint32_t expected = 0;
  c->transport->fault = SCREE_OK;
  for (int i = 0; i < SCREE__NOTES; i++) finish(c, &c->sending[i]);
  int code = MPI_Ireduce_scatter_block(c->notes, &expected, 1, MPI_UINT32_T, MPI_SUM, comm, &request);
  if (good(c, "MPI_Ireduce_scatter_block", code)) finish(c, &request);
  for (uint32_t round = 0; c->came < expected && !c->transport->fault; round++) {
    take_in(c);
    scree__idle(round, 0);
  }
}

void scree__credit_close(scree__credit *c, bool together) {
  if (together) settle(c);
  for (int i = 0; i < SCREE__NOTES; i++) {
    if (c->sending[i] != MPI_REQUEST_NULL) MPI_Request_free(&c->sending[i]);
    if (c->receiving[i] == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&c->receiving[i]);
    MPI_Wait(&c->receiving[i], MPI_STATUS_IGNORE); /* local: the receive is either cancelled or done */
  }
  free(c->out);
  free(c->owed);
  free(c->notes);
}
