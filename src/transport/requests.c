/* requests.c - bounded tests of requests. */
#include "transport/requests.h"

#include "transport/idle.h"

enum { POLLS = 200 }; /* a tenth of a second, nearly all of it asleep */

/* A request that fails is over; if a test fails and keeps the request, nothing is known about it. */
static bool is_over(MPI_Request *request) {
  int done = 0;
  if (*request == MPI_REQUEST_NULL) return true;
  return MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS ? done : *request == MPI_REQUEST_NULL;
}

static bool are_over(MPI_Request *requests, int count) {
  bool all = true;
  for (int i = 0; i < count; i++) all &= is_over(&requests[i]);
  return all;
}

bool scree__requests_end(MPI_Request *requests, int count) {
  scree__idle idle = {.no_yield_until = UINT64_MAX};
  for (uint32_t polls = 0; polls < POLLS; polls++) {
    if (are_over(requests, count)) return true;
    scree__idle_backoff(&idle, polls);
  }
  return false;
}

bool scree__receives_end(MPI_Request *receives, int count) {
  for (int i = 0; i < count; i++)
    if (receives[i] != MPI_REQUEST_NULL) MPI_Cancel(&receives[i]);
  return scree__requests_end(receives, count);
}

uint64_t scree__requests_complete(const MPI_Request *requests, int count, uint64_t *active) {
  uint64_t complete = 0;
  for (int i = 0; i < count; i++) {
    int done = 0;
    if (requests[i] == MPI_REQUEST_NULL) continue;
    ++*active;
    if (MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE) == MPI_SUCCESS) complete += done != 0;
  }
  return complete;
}
