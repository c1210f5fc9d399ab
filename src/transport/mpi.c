/* mpi.c - the data path over MPI.
 *
 * Room: what mpi.h declares. The receiver controls the flow: a block is sent with MPI_Issend, which completes when a
 * receive has matched it, and receives are posted again only after their block has been handled; a completed
 * MPI_Isend would be no back-pressure. Requests are tested lazily, in one batched call, when blocks run out (Amer,
 * PhD thesis 2015, ch. V). No call here waits, but for those of finish. */
#include "transport/mpi.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "transport/idle.h"

enum { TAG = 1 };

static scree__mpi *mpi_of(scree__transport *t) {
  return (scree__mpi *)t;
}

/* ---- sends ---- */

static void sent(scree__mpi *m, scree__block *block) {
  m->out[block->dest]--;
  if (block->home == SCREE__HOME_MPI) scree__pool_put(&m->pool, block); /* else a notice of the core's */
}

/* The send is over. If it failed, nobody will handle the block. */
static void judge(scree__mpi *m, scree__block *block, int code) {
  sent(m, block);
  scree_status status = scree__mpi_check(&m->base, "MPI_Issend", code);
  if (status == SCREE_OK) return;
  m->base.fault = status;
  m->base.written_off++;
}

static void forget_done(scree__mpi *m) {
  int kept = 0;
  for (int i = 0; i < m->sends; i++) {
    if (!m->blocks[i]) continue;
    m->requests[kept] = m->requests[i];
    m->blocks[kept++] = m->blocks[i];
  }
  m->sends = kept;
}

static void reclaim(scree__mpi *m) {
  int count = 0;
  if (m->sends == 0) return;
  int code = MPI_Testsome(m->sends, m->requests, &count, m->done, m->statuses);
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
    m->base.fault = scree__mpi_check(&m->base, "MPI_Testsome", code);
  if ((code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) || count == MPI_UNDEFINED) return;
  for (int i = 0; i < count; i++) {
    judge(m, m->blocks[m->done[i]], code == MPI_SUCCESS ? MPI_SUCCESS : m->statuses[i].MPI_ERROR);
    m->blocks[m->done[i]] = NULL;
  }
  if (count > 0) forget_done(m);
}

scree__block *scree__mpi_take(scree__transport *t, uint32_t dest, size_t want) {
  (void)dest;
  scree__mpi *m = mpi_of(t);
  if (want > m->largest) want = m->largest;
  reclaim(m);
  return scree__pool_take(&m->pool, want);
}

void scree__mpi_put(scree__transport *t, scree__block *block) {
  scree__pool_put(&mpi_of(t)->pool, block);
}

bool scree__mpi_accepts(scree__transport *t, uint32_t dest) {
  scree__mpi *m = mpi_of(t);
  if (m->out[dest] >= t->options.in_flight) reclaim(m);
  return m->out[dest] < t->options.in_flight;
}

static bool grow(scree__mpi *m) {
  if (m->sends < m->room) return true;
  size_t room = m->room ? 2 * (size_t)m->room : 64;
  void *requests = realloc(m->requests, room * sizeof *m->requests);
  if (requests) m->requests = requests;
  void *blocks = realloc(m->blocks, room * sizeof *m->blocks);
  if (blocks) m->blocks = blocks;
  void *done = realloc(m->done, room * sizeof *m->done);
  if (done) m->done = done;
  void *statuses = realloc(m->statuses, room * sizeof *m->statuses);
  if (statuses) m->statuses = statuses;
  if (!requests || !blocks || !done || !statuses) return false;
  m->room = (int)room;
  return true;
}

static scree_status send(scree__mpi *m, uint32_t dest, scree__block *block) {
  if (!grow(m)) {
    snprintf(m->base.fault_text, sizeof m->base.fault_text, "no memory for %d requests", m->sends + 1);
    return SCREE_ENOMEM;
  }
  int bytes = (int)(sizeof block->wire + block->wire.run.bytes);
  return scree__mpi_check(
      &m->base, "MPI_Issend",
      MPI_Issend(&block->wire, bytes, MPI_BYTE, (int)dest, TAG, m->base.group->comm, &m->requests[m->sends]));
}

scree_status scree__mpi_push(scree__transport *t, uint32_t dest, scree__block *block) {
  scree__mpi *m = mpi_of(t);
  m->out[dest]++;
  scree_status status = send(m, dest, block);
  if (status != SCREE_OK) {
    sent(m, block);
    return status;
  }
  m->blocks[m->sends++] = block;
  return SCREE_OK;
}

/* ---- receives ---- */

static scree_status post(scree__mpi *m, unsigned i) {
  scree__block *block = m->arrived[i];
  return scree__mpi_check(&m->base, "MPI_Irecv",
                          MPI_Irecv(&block->wire, (int)(sizeof block->wire + m->largest), MPI_BYTE, MPI_ANY_SOURCE, TAG,
                                    m->base.group->comm, &m->receives[i]));
}

/* Posts again what is free, in the order of the ring: a message takes the receive that was posted first, and the core
 * looks at the oldest alone. A receive that could not be posted is tried again, before all behind it: a failed world
 * still has to take in what was sent to it. */
static void post_free(scree__mpi *m) {
  while (m->free_count > 0) {
    scree_status status = post(m, m->free);
    if (status != SCREE_OK) {
      m->receives[m->free] = MPI_REQUEST_NULL;
      m->base.fault = status;
      return;
    }
    m->free = (m->free + 1) % SCREE__RECEIVES;
    m->free_count--;
  }
}

/* The receive goes to the end of the ring: its place in it is the oldest one's neighbour, since one block is handled
 * at a time. */
static void post_again(scree__mpi *m, unsigned i) {
  m->receives[i] = MPI_REQUEST_NULL;
  if (m->free_count++ == 0) m->free = i;
  post_free(m);
}

/* An error of a receive: the block is lost, and counts as handled by this rank. */
static bool came(scree__mpi *m, unsigned i) {
  int here = 0;
  if (m->free_count > 0) post_free(m);
  if (m->receives[i] == MPI_REQUEST_NULL) return false;
  int code = MPI_Test(&m->receives[i], &here, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS) return here;
  m->base.fault = scree__mpi_check(&m->base, "MPI_Test of a receive", code);
  m->base.written_off++;
  m->oldest = (i + 1) % SCREE__RECEIVES;
  post_again(m, i);
  return false;
}

/* Messages match receives in the order of posting, so the oldest receive is the one to look at. */
scree__block *scree__mpi_peek(scree__transport *t) {
  scree__mpi *m = mpi_of(t);
  if (!m->is_here) m->is_here = came(m, m->oldest);
  return m->is_here ? m->arrived[m->oldest] : NULL;
}

void scree__mpi_pop(scree__transport *t, scree__block *block) {
  scree__mpi *m = mpi_of(t);
  block->slot = (uint16_t)m->oldest;
  m->oldest = (m->oldest + 1) % SCREE__RECEIVES;
  m->is_here = false;
}

void scree__mpi_release(scree__transport *t, scree__block *block) {
  post_again(mpi_of(t), block->slot);
}

/* ---- open, fit, finish ---- */

void scree__mpi_fit(scree__transport *t, uint32_t least_bytes) {
  scree__mpi *m = mpi_of(t);
  reclaim(m);
  scree__pool_reset(&m->pool, least_bytes);
}

uint64_t scree__mpi_in_flight(const scree__transport *t) {
  return (uint64_t)((const scree__mpi *)t)->sends;
}

/* As large as any rank's: options are equal on all ranks, and so are registrations. */
static size_t largest_block(const scree_options *o) {
  size_t largest = o->coalesce_bytes ? (size_t)1 << scree__log2_up(o->coalesce_bytes) : 65536;
  return largest < 2 * SCREE_ITEM_MAX ? 2 * SCREE_ITEM_MAX : largest;
}

static bool make_pool(scree__mpi *m) {
  size_t least = m->largest + 2 * sizeof(scree__block), bytes = m->base.options.memory;
  if (bytes < least) bytes = least;
  void *arena = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (arena == MAP_FAILED) return false;
  m->pool = (scree__pool){.arena = arena, .bytes = bytes, .granted = bytes, .owner = SCREE__HOME_MPI};
  m->pool.most = (uint32_t)m->base.options.pool_blocks;
  return true;
}

static bool make_receives(scree__mpi *m) {
  size_t stride = m->largest + sizeof(scree__block);
  for (unsigned i = 0; i < SCREE__RECEIVES; i++) {
    m->receives[i] = MPI_REQUEST_NULL;
    m->arrived[i] = aligned_alloc(SCREE__LINE, stride);
    if (!m->arrived[i]) return false;
  }
  for (unsigned i = 0; i < SCREE__RECEIVES; i++)
    if (post(m, i) != SCREE_OK) return false;
  return true;
}

static void release_memory(scree__mpi *m) {
  if (m->pool.arena) munmap(m->pool.arena, m->pool.bytes);
  for (unsigned i = 0; i < SCREE__RECEIVES; i++) free(m->arrived[i]);
  free(m->requests);
  free(m->blocks);
  free(m->done);
  free(m->statuses);
  free(m->out);
  free(m);
}

scree__transport *scree__mpi_open(scree__transport *base) {
  scree__mpi *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->base = *base;
  m->largest = largest_block(&base->options);
  m->out = calloc(base->ranks, sizeof *m->out);
  for (unsigned i = 0; i < SCREE__RECEIVES; i++) m->receives[i] = MPI_REQUEST_NULL;
  if (m->out && make_pool(m) && make_receives(m)) return &m->base;
  snprintf(base->fault_text, sizeof base->fault_text, "%s", m->base.fault_text);
  scree__mpi_finish(&m->base);
  return NULL;
}

/* A closed world has had all its blocks taken in, so its sends complete; those of a lost one are given up. */
void scree__mpi_finish(scree__transport *t) {
  scree__mpi *m = mpi_of(t);
  for (uint32_t round = 0; m->sends > 0 && !t->lost; round++) {
    reclaim(m);
    if (m->base.fault) break;
    scree__idle(round, 0);
  }
  for (int i = 0; i < m->sends; i++) MPI_Request_free(&m->requests[i]);
  for (unsigned i = 0; i < SCREE__RECEIVES; i++) {
    if (m->receives[i] == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&m->receives[i]);
    MPI_Wait(&m->receives[i], MPI_STATUS_IGNORE); /* local: the receive is either cancelled or done */
  }
  release_memory(m);
}
