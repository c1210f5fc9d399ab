/* standing.c - the states of the ranks of a node, sent to the ranks of other nodes by a rank that has made no progress
 * for long. A send is complete when it is received, so that a world that closes knows whether some remain. Nothing is
 * called unless a rank makes no progress, except a receive while a world closes. Errors are ignored: a report then
 * contains less. */
#include <string.h>

#include "transport/comm.h"

static void receive(scree__comm *c) {
  if (c->standing.receiving != MPI_REQUEST_NULL) return;
  if (MPI_Irecv(c->standing.in, sizeof c->standing.in, MPI_BYTE, MPI_ANY_SOURCE, SCREE__STANDING_TAG, c->all.comm,
                &c->standing.receiving) != MPI_SUCCESS)
    c->standing.receiving = MPI_REQUEST_NULL;
}

/* A standing, as received: relaxed, see scree__heard. */
static void hear_one(scree__comm *c, const scree__standing *s) {
  if (s->rank >= c->all.meeting.ranks) return;
  scree__heard *heard = &c->peers.collective.heard[s->rank];
  AO_store(&heard->idle, s->idle);
  AO_store(&heard->call, (AO_t)s->call + 1);
}

/* Takes what has arrived; the receive stays posted. */
void scree__comm_hear(scree__comm *c) {
  receive(c);
  while (c->standing.receiving != MPI_REQUEST_NULL) {
    MPI_Status from;
    int here = 0, bytes = 0;
    if (MPI_Test(&c->standing.receiving, &here, &from) != MPI_SUCCESS || !here) return;
    if (MPI_Get_count(&from, MPI_BYTE, &bytes) != MPI_SUCCESS) bytes = 0;
    for (size_t i = 0; i < (size_t)bytes / sizeof *c->standing.in; i++) hear_one(c, &c->standing.in[i]);
    receive(c);
  }
}

/* True if what was sent has been received. */
bool scree__comm_heard(scree__comm *c) {
  bool over = true;
  for (uint32_t i = 0; i < c->standing.sends; i++) {
    int done = 1;
    if (c->standing.sending[i] != MPI_REQUEST_NULL &&
        MPI_Test(&c->standing.sending[i], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      done = c->standing.sending[i] == MPI_REQUEST_NULL;
    over &= done;
  }
  return over;
}

/* Sends what was noted last to the ranks of other nodes, unless they have it, or some has yet to receive what was
 * sent. */
void scree__comm_send_standing(scree__comm *c) {
  const size_t bytes = c->standing.count * sizeof *c->standing.noted;
  if (c->standing.count == c->standing.sent && memcmp(c->standing.noted, c->standing.out, bytes) == 0) return;
  if (!scree__comm_heard(c)) return;
  memcpy(c->standing.out, c->standing.noted, bytes);
  c->standing.sent = c->standing.count;
  c->standing.sends = 0;
  for (uint32_t r = 0; r < c->all.meeting.ranks; r++) {
    if (c->peers.index_on_node[r * c->peers.threads] != UINT32_MAX) continue;
    MPI_Request *request = &c->standing.sending[c->standing.sends];
    if (MPI_Issend(c->standing.out, (int)bytes, MPI_BYTE, (int)r, SCREE__STANDING_TAG, c->all.comm, request) ==
        MPI_SUCCESS)
      c->standing.sends++;
  }
}

void scree__comm_say(scree__collective *collective, const scree__standing *all, uint32_t count, bool send) {
  scree__comm *c = (scree__comm *)collective;
  SCREE__INVARIANT(count <= SCREE__STANDINGS_MAX && c->standing.sends < c->all.meeting.ranks);
  memcpy(c->standing.noted, all, count * sizeof *all);
  c->standing.count = count;
  if (!send) return;
  scree__comm_enter(c, 0, SCREE__HIGH);
  scree__comm_send_standing(c);
  scree__comm_hear(c);
  scree__comm_leave(c, SCREE__HIGH);
}
