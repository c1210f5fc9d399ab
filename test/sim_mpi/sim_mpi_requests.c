/* sim_mpi_requests.c - requests: when one is complete, and what that does to buffers. */
#include <stdlib.h>
#include <string.h>

#include "sim_mpi.h"

sim_mpi_request *sim_mpi_new_request(sim_mpi_kind kind, sim_mpi_comm *comm, MPI_Request *handle) {
  sim_mpi *s = sim_mpi_here;
  sim_mpi_request *q = calloc(1, sizeof *q);
  size_t at = 0;
  if (!q) abort();
  *q = (sim_mpi_request){
      .kind = kind, .owner = sim_mpi_me(), .comm = comm, .complete_at = UINT64_MAX, .peer = MPI_ANY_SOURCE};
  while (at < s->requests.count && s->requests.at[at]) at++;
  if (at < s->requests.count)
    s->requests.at[at] = q;
  else
    sim_mpi_push(&s->requests, q);
  *handle = (MPI_Request)(intptr_t)(at + 1);
  return q;
}

static sim_mpi_request *request_of(MPI_Request handle) {
  sim_mpi *s = sim_mpi_here;
  size_t at = (size_t)(intptr_t)handle - 1;
  sim_mpi_request *q = at < s->requests.count ? s->requests.at[at] : NULL;
  if (!q || q->owner != sim_mpi_me()) {
    sim_mpi_wrong("rank %u uses a request that is not its own or was freed", sim_mpi_me());
    return NULL;
  }
  return q;
}

static void free_request(MPI_Request *handle) {
  sim_mpi *s = sim_mpi_here;
  size_t at = (size_t)(intptr_t)*handle - 1;
  sim_mpi_request *q = s->requests.at[at];
  free(q->copy);
  free(q);
  s->requests.at[at] = NULL;
  *handle = MPI_REQUEST_NULL;
}

static void set_status(MPI_Status *status, const sim_mpi_request *q) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = q ? q->peer : MPI_ANY_SOURCE;
  status->MPI_TAG = q ? q->tag : MPI_ANY_TAG;
  status->MPI_ERROR = q ? q->error : MPI_SUCCESS;
  sim_mpi_here->bytes = q ? q->bytes : 0;
}

/* Of the status that was set last: scree reads it at once, and the internal fields differ between MPIs. */
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  if (status->MPI_SOURCE == MPI_ANY_SOURCE || type != MPI_BYTE) sim_mpi_wrong("a count of no message, or of no bytes");
  *count = (int)sim_mpi_here->bytes;
  return MPI_SUCCESS;
}

/* The effect on the buffers: from now on they are the program's. */
static void finish(sim_mpi_request *q) {
  if (q->kind == SIM_MPI_RECEIVE && !q->cancelled && q->error == MPI_SUCCESS) {
    sim_mpi_acquire(q->copy, true);
    memcpy(q->buffer, q->copy, q->bytes);
  }
  if (q->kind == SIM_MPI_SEND && memcmp(q->buffer, q->copy, q->bytes) != 0)
    sim_mpi_wrong("rank %u wrote to a buffer of %zu bytes to %d, tag %d, before its send was complete", q->owner,
                  q->bytes, q->peer, q->tag);
}

static bool is_complete(sim_mpi_request *q) {
  return sim_mpi_over(q->complete_at) && (q->kind != SIM_MPI_COLLECTIVE || sim_mpi_round_done(q));
}

/* True: the request was complete, and is freed. */
static bool test(MPI_Request *handle, MPI_Status *status, int *error) {
  sim_mpi_request *q = request_of(*handle);
  *error = MPI_ERR_OTHER;
  if (!q) return false;
  *error = MPI_SUCCESS;
  if (!is_complete(q)) return false;
  finish(q);
  *error = q->error;
  set_status(status, q);
  free_request(handle);
  return true;
}

/* An error of a receive that has got a message loses the message. That of a send comes when it is complete, and its
 * message arrives all the same. That of a reduction leaves the request as it was, to be tested again. Others are not
 * drawn: a gather that fails on one rank alone leaves the others waiting in any MPI. */
static int draw_error(MPI_Request handle, int code) {
  sim_mpi_request *q = code != MPI_SUCCESS && !sim_mpi_here->token.hung ? request_of(handle) : NULL;
  if (!q || (q->kind == SIM_MPI_COLLECTIVE && q->may_fail)) return code;
  if (q->kind != SIM_MPI_COLLECTIVE && sim_mpi_over(q->complete_at) && !q->cancelled)
    q->error = code;
  else
    sim_mpi_no_error();
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  int error = MPI_SUCCESS, code = sim_mpi_enter(true);
  *flag = 1;
  if (*request == MPI_REQUEST_NULL) {
    set_status(status, NULL);
    return MPI_SUCCESS;
  }
  *flag = 0;
  code = draw_error(*request, code);
  if (code != MPI_SUCCESS) return code;
  sim_mpi_deliver();
  *flag = test(request, status, &error);
  return error;
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
  int code = sim_mpi_enter(false);
  *flag = request == MPI_REQUEST_NULL;
  if (*flag || code != MPI_SUCCESS) return code;
  sim_mpi_deliver();
  sim_mpi_request *q = request_of(request);
  *flag = q && is_complete(q);
  if (*flag) set_status(status, q);
  return MPI_SUCCESS;
}

/* Half of the errors are those of a send that is complete. False: the call fails. */
static bool fail_one(int count, const MPI_Request requests[], int code) {
  if (scree__one_in(&sim_mpi_here->random, 2)) return false;
  for (int i = 0; i < count; i++) {
    sim_mpi_request *q = requests[i] == MPI_REQUEST_NULL ? NULL : request_of(requests[i]);
    if (!q || q->kind != SIM_MPI_SEND || !sim_mpi_over(q->complete_at)) continue;
    q->error = code;
    return true;
  }
  return false;
}

int MPI_Testsome(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  int code = sim_mpi_enter(true), active = 0;
  *outcount = 0;
  if (code != MPI_SUCCESS && (sim_mpi_here->token.hung || !fail_one(incount, requests, code))) return code;
  code = MPI_SUCCESS;
  sim_mpi_deliver();
  for (int i = 0; i < incount; i++) {
    int error;
    if (requests[i] == MPI_REQUEST_NULL) continue;
    active++;
    if (!test(&requests[i], statuses ? &statuses[*outcount] : MPI_STATUS_IGNORE, &error)) continue;
    indices[(*outcount)++] = i;
    if (error != MPI_SUCCESS) code = MPI_ERR_IN_STATUS;
  }
  if (active == 0) *outcount = MPI_UNDEFINED;
  return code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  int done = 0, code = MPI_SUCCESS;
  while (!done && code == MPI_SUCCESS) {
    code = sim_mpi_enter(false);
    if (code != MPI_SUCCESS || *request == MPI_REQUEST_NULL) break;
    sim_mpi_deliver();
    done = test(request, status, &code);
    if (!done) scree__token_yield(&sim_mpi_here->token);
  }
  return code;
}

int MPI_Cancel(MPI_Request *request) {
  int code = sim_mpi_enter(false);
  sim_mpi_request *q = code == MPI_SUCCESS ? request_of(*request) : NULL;
  if (!q) return code;
  if (q->kind != SIM_MPI_RECEIVE) sim_mpi_wrong("rank %u cancels what is not a receive", q->owner);
  if (q->complete_at != UINT64_MAX) return MPI_SUCCESS; /* it has a message */
  sim_mpi_withdraw(q);
  q->cancelled = true;
  q->complete_at = sim_mpi_here->token.steps;
  return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request *request) {
  int code = sim_mpi_enter(false);
  sim_mpi_request *q = code == MPI_SUCCESS ? request_of(*request) : NULL;
  if (!q) return code;
  sim_mpi_wrong("rank %u frees an active request of kind %d", q->owner, q->kind);
  if (q->kind == SIM_MPI_RECEIVE) sim_mpi_withdraw(q);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
