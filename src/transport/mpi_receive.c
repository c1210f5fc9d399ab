/* mpi_receive.c - the receiving half of the data path over MPI: a ring of receives, posted again after their block has
 * been handled, and what is done about blocks that are lost or damaged. */
#include <stdlib.h>

#include "transport/mpi.h"
#include "transport/requests.h"

enum { CREDIT_EVERY = 64 }; /* polls for blocks: one for credit messages */

/* Dangling requests (Amer, PhD thesis, 2015, section VI.3) of all endpoints of the rank, by the thread that has just
 * entered the lock, at every so many entries: other threads change what is read here only inside the lock. */
void scree__mpi_sample(const scree__mpi *m) {
  const uint32_t worker = scree__topology_worker(m->base.topology);
  const scree__mpi *all = m - worker; /* see scree__mpi_open */
  scree__lock_user *to = &m->comm->users[worker];
  if (to->entries % m->comm->sample) return;
  to->samples++;
  for (uint32_t w = 0; w < m->comm->peers.threads; w++) {
    to->dangling_sends += scree__requests_complete(all[w].requests, all[w].sends, &to->sampled_sends);
    to->dangling_receives += scree__requests_complete(all[w].receives, all[w].ring, &to->sampled_receives);
  }
}

/* The receive that was posted after that one. */
static int after(const scree__mpi *m, int i) {
  return i + 1 == m->ring ? 0 : i + 1;
}

static scree_status post(scree__mpi *m, int i) {
  scree__block *block = m->arrived[i];
  return scree__mpi_check(m->base.fault, "MPI_Irecv",
                          MPI_Irecv(&block->wire, (int)(sizeof block->wire + m->largest), MPI_BYTE, MPI_ANY_SOURCE,
                                    m->tag, m->credit.receives, &m->receives[i]));
}

/* Posts again what is free, in the order of the ring: a message takes the receive that was posted first, and the core
 * examines only the oldest. A receive that could not be posted is tried again, before all after it: a failed world
 * still has to receive what was sent to it. */
static void post_free(scree__mpi *m) {
  while (m->freed >> m->free & 1) {
    scree_status status = post(m, m->free);
    if (status != SCREE_OK) {
      m->receives[m->free] = MPI_REQUEST_NULL;
      m->base.fault->status = status;
      return;
    }
    m->freed &= ~(UINT64_C(1) << m->free);
    m->free = after(m, m->free);
  }
}

/* The receive goes to the end of the ring. Blocks are released in the order in which they were popped, but a receive
 * that failed may be free before blocks that arrived earlier are: then it is posted after theirs. */
static void post_again(scree__mpi *m, int i) {
  SCREE__INVARIANT(i < m->ring && !(m->freed >> i & 1));
  m->receives[i] = MPI_REQUEST_NULL;
  m->freed |= UINT64_C(1) << i;
  post_free(m);
}

/* The block is lost, and counts as handled by this endpoint. If the sender is unknown, every endpoint that may be the
 * sender gets a credit. */
static void write_off(scree__mpi *m, int i, int source) {
  uint32_t ranks = m->comm->all.meeting.ranks, threads = m->comm->peers.threads;
  m->base.fault->written_off++;
  scree__credit_write_off(&m->credit);
  bool known = source >= 0 && (uint32_t)source < ranks;
  for (uint32_t e = 0; e < ranks * threads; e++)
    if (!known || e / threads == (uint32_t)source) scree__credit_add_due(&m->credit, e, 1);
  m->oldest = after(m, i);
  post_again(m, i);
}

/* A test that fails is repeated, as long as the request exists. */
static void lose(scree__mpi *m, int i, int code, int source) {
  m->base.fault->status = scree__mpi_check(m->base.fault, "MPI_Test of a receive", code);
  if (m->receives[i] == MPI_REQUEST_NULL)
    write_off(m, i, source);
  else
    m->base.fault->lost |= ++m->failed_tests > SCREE__TESTS_MAY_FAIL;
}

/* True if it is a complete block of this build. The values in its header are then used as indices of tables and as
 * bounds of copies. */
static bool is_whole(const scree__mpi *m, const scree__wire *wire, int count) {
  const uint64_t said = sizeof *wire + (uint64_t)wire->segment.bytes;
  return said == (uint64_t)count && wire->owner < m->base.topology->endpoints;
}

static void refuse(scree__mpi *m, int i, int count, int source) {
  const scree__wire *wire = &m->arrived[i]->wire;
  scree__fault_raise(m->base.fault, SCREE_EPEER,
                     "a block of %d bytes from rank %d states %llu bytes and endpoint %u, of 0 to %u: that "
                     "rank has another build of scree, or the block was damaged",
                     count, source, (unsigned long long)(sizeof *wire + (uint64_t)wire->segment.bytes), wire->owner,
                     m->base.topology->endpoints - 1);
  write_off(m, i, source);
}

static bool has_arrived(scree__mpi *m, int i) {
  int here = 0, count = 0;
  MPI_Status from = {.MPI_SOURCE = MPI_ANY_SOURCE};
  if (m->freed) post_free(m);
  if (m->receives[i] == MPI_REQUEST_NULL) return false;
  int code = MPI_Test(&m->receives[i], &here, &from);
  if (code != MPI_SUCCESS) {
    lose(m, i, code, from.MPI_SOURCE);
    return false;
  }
  if (!here) return false;
  const scree__wire *wire = &m->arrived[i]->wire;
  code = MPI_Get_count(&from, MPI_BYTE, &count);
  if (__builtin_expect(code != MPI_SUCCESS, 0)) {
    m->base.fault->status = scree__mpi_check(m->base.fault, "MPI_Get_count", code);
    write_off(m, i, from.MPI_SOURCE);
    return false;
  }
  if (__builtin_expect(!is_whole(m, wire, count), 0)) {
    refuse(m, i, count, from.MPI_SOURCE);
    return false;
  }
  if (wire->segment.bytes > m->touched) m->touched = wire->segment.bytes;
  scree__credit_returned(&m->credit, wire->owner, wire->credits);
  return true;
}

/* Messages match receives in the order of posting, so the oldest receive is the one to test. Credit messages are
 * received here too, by a rank that sends no more blocks and needs none: where a send is over only when it is received,
 * they would keep their senders from returning credits to others. */
scree__block *scree__mpi_peek(scree__transport *t) {
  scree__mpi *m = scree__mpi_of(t);
  const uint32_t before = m->credit.received;
  scree__mpi_lock(m, SCREE__LOW);
  if (m->credit.overdue > 0 || ++m->polls % CREDIT_EVERY == 0) scree__credit_poll(&m->credit);
  if (!m->is_here) m->is_here = has_arrived(m, m->oldest);
  scree__mpi_polled(m, m->is_here || m->credit.received != before);
  return m->is_here ? m->arrived[m->oldest] : NULL;
}

void scree__mpi_pop(scree__transport *t, scree__block *block) {
  scree__mpi *m = scree__mpi_of(t);
  SCREE__INVARIANT(m->is_here && block == m->arrived[m->oldest]);
  block->slot = (uint8_t)m->oldest;
  m->oldest = after(m, m->oldest);
  m->is_here = false;
}

void scree__mpi_release(scree__transport *t, scree__block *block) {
  scree__mpi *m = scree__mpi_of(t);
  scree__mpi_lock(m, SCREE__HIGH);
  scree__credit_add_due(&m->credit, block->wire.owner, 1);
  post_again(m, block->slot);
  scree__mpi_unlock(m, SCREE__HIGH);
}

bool scree__mpi_make_receives(scree__mpi *m) {
  size_t stride = m->largest + sizeof(scree__block);
  for (int i = 0; i < m->ring; i++) {
    m->receives[i] = MPI_REQUEST_NULL;
    m->arrived[i] = aligned_alloc(SCREE__LINE, stride);
    if (!m->arrived[i]) return false;
  }
  for (int i = 0; i < m->ring; i++)
    if (post(m, i) != SCREE_OK) return false;
  return true;
}
