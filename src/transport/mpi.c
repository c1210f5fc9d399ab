/* mpi.c - the data path over MPI.
 *
 * The receiver controls the flow, by credits (credit.h): a completed MPI_Isend means only that its buffer is free.
 * Requests are tested lazily, in one batched call, when blocks run out (Amer, PhD thesis 2015, ch. V). Receives are
 * posted again after their block has been handled. No call here waits, except scree__mpi_close. */
#include "transport/mpi.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "base/options.h"
#include "block/stack.h"
#include "transport/idle.h"
#include "transport/requests.h"

/* A lane's block whose size is a power of two is shorter by TRIM, so that its header and MPI's own do not push it over
 * a limit up to which MPI sends at once (56 bytes were seen to be MPI's). */
enum { TRIM = 128 };

/* ---- sends ---- */

static void put_sent(scree__mpi *m, scree__block *block) {
  if (m->sent)
    scree__stack_push(m->sent, NULL, block);
  else if (block->storage == SCREE__STORAGE_MPI)
    scree__pool_put(&m->pool, block); /* else a failure notice */
}

/* MPI_Isend, or the test of its request, has failed. The message may arrive all the same, now or later, so the block is
 * not written off, and stays as it is. */
static void doubt(scree__mpi *m, uint32_t dest) {
  m->doubtful++;
  m->base.fault->doubtful++;
  scree__credit_returned(&m->credit, dest, 1);
}

static void complete_send(scree__mpi *m, scree__block *block, int code) {
  scree_status status = scree__mpi_check(m->base.fault, "MPI_Isend", code);
  if (status == SCREE_OK) {
    put_sent(m, block);
    return;
  }
  m->base.fault->status = status;
  doubt(m, block->dest);
}

static void remove_done(scree__mpi *m) {
  int kept = 0;
  for (int i = 0; i < m->sends; i++) {
    if (!m->blocks[i]) continue;
    m->requests[kept] = m->requests[i];
    m->blocks[kept++] = m->blocks[i];
  }
  SCREE__INVARIANT(kept < m->sends && m->sends <= m->sends_max);
  m->sends = kept;
}

/* Some send must be in flight. */
static void reclaim(scree__mpi *m) {
  int count = 0;
  int code = MPI_Testsome(m->sends, m->requests, &count, m->done, m->statuses);
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
    m->base.fault->status = scree__mpi_check(m->base.fault, "MPI_Testsome", code);
  if ((code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) || count == MPI_UNDEFINED) return;
  for (int i = 0; i < count; i++) {
    complete_send(m, m->blocks[m->done[i]], code == MPI_SUCCESS ? MPI_SUCCESS : m->statuses[i].MPI_ERROR);
    m->blocks[m->done[i]] = NULL;
  }
  if (count > 0) remove_done(m);
}

void scree__mpi_poll_sends(scree__mpi *m) {
  const int before = m->sends;
  if (before == 0) return;
  scree__mpi_lock(m, SCREE__LOW);
  reclaim(m);
  scree__mpi_polled(m, m->sends < before);
}

static void trim(const scree__mpi *m, scree__block *block) {
  block->capacity = ((uint32_t)1 << block->class_log2) - (block->class_log2 > m->pool.min ? TRIM : 0);
}

scree__block *scree__mpi_carve(scree__mpi *m, size_t want) {
  if (want > m->largest) want = m->largest;
  scree__block *block = scree__pool_take(&m->pool, want);
  if (block && block->class_log2 <= m->pool.lane) trim(m, block);
  return block;
}

scree__block *scree__mpi_take(scree__transport *t, uint32_t dest, size_t want) {
  (void)dest;
  scree__mpi_poll_sends(scree__mpi_of(t));
  return scree__mpi_carve(scree__mpi_of(t), want);
}

void scree__mpi_put(scree__transport *t, scree__block *block) {
  scree__pool_put(&scree__mpi_of(t)->pool, block);
}

bool scree__mpi_accepts(scree__transport *t, uint32_t dest) {
  scree__mpi *m = scree__mpi_of(t);
  if (scree__credit_left(&m->credit, dest)) return true;
  const uint32_t before = m->credit.received;
  scree__mpi_lock(m, SCREE__LOW);
  scree__credit_poll(&m->credit);
  scree__mpi_polled(m, m->credit.received != before);
  return scree__credit_left(&m->credit, dest);
}

static bool grow(scree__mpi *m) {
  if (m->sends < m->sends_max) return true;
  size_t room = m->sends_max ? 2 * (size_t)m->sends_max : 64;
  void *requests = realloc(m->requests, room * sizeof *m->requests);
  if (requests) m->requests = requests;
  void *blocks = realloc(m->blocks, room * sizeof *m->blocks);
  if (blocks) m->blocks = blocks;
  void *done = realloc(m->done, room * sizeof *m->done);
  if (done) m->done = done;
  void *statuses = realloc(m->statuses, room * sizeof *m->statuses);
  if (statuses) m->statuses = statuses;
  if (!requests || !blocks || !done || !statuses) return false;
  m->sends_max = (int)room;
  return true;
}

static scree_status send(scree__mpi *m, uint32_t dest, scree__block *block) {
  scree__fault *fault = m->base.fault;
  if (!grow(m)) {
    put_sent(m, block);
    fault->written_off++;
    snprintf(fault->text, sizeof fault->text,
             "no memory for %d requests of MPI: free memory on this host, start fewer ranks on it, or lower the option "
             "in-flight",
             m->sends + 1);
    return SCREE_ENOMEM;
  }
  int bytes = (int)(sizeof block->wire + block->wire.segment.bytes);
  uint32_t threads = m->comm->peers.threads;
  block->wire.credits = scree__credit_spend(&m->credit, dest);
  scree_status status = scree__mpi_check(fault, "MPI_Isend",
                                         MPI_Isend(&block->wire, bytes, MPI_BYTE, (int)(dest / threads), m->tag,
                                                   m->comm->to[dest % threads], &m->requests[m->sends]));
  if (status == SCREE_OK) return status;
  doubt(m, dest);
  scree__credit_add_due(&m->credit, dest, block->wire.credits);
  return status;
}

scree_status scree__mpi_push(scree__transport *t, uint32_t dest, scree__block *block) {
  scree__mpi *m = scree__mpi_of(t);
  scree__mpi_lock(m, SCREE__HIGH);
  scree_status status = send(m, dest, block);
  if (status == SCREE_OK) m->blocks[m->sends++] = block; /* inside: see scree__mpi_sample */
  scree__mpi_unlock(m, SCREE__HIGH);
  return status;
}

/* ---- open, close ---- */

void scree__mpi_set_min_block(scree__transport *t, uint32_t bytes) {
  scree__mpi *m = scree__mpi_of(t);
  m->begun = true;
  scree__mpi_poll_sends(m);
  scree__pool_reset(&m->pool, bytes);
}

uint64_t scree__mpi_in_flight(const scree__transport *t) {
  return (uint64_t)((const scree__mpi *)t)->sends;
}

uint32_t scree__mpi_load(const scree__transport *t, uint32_t dest) {
  return ((const scree__mpi *)t)->credit.spent[dest];
}

void scree__mpi_add_memory(const scree__mpi *m, uint32_t touched, size_t requests, scree__memory *add) {
  size_t request = sizeof *m->requests + sizeof *m->blocks + sizeof *m->done + sizeof *m->statuses;
  add->blocks += m->pool.used;
  add->receives += (uint64_t)m->ring * (touched + sizeof(scree__block));
  add->tables += sizeof *m + m->comm->peers.topology->endpoints * SCREE__CREDIT_BYTES + requests * request;
}

void scree__mpi_memory(const scree__transport *t, scree__memory *add) {
  const scree__mpi *m = (const scree__mpi *)t;
  scree__mpi_add_memory(m, m->touched, (size_t)m->sends_max, add);
}

/* At least of one item, whatever its size. */
static size_t lane_block(const scree__options *o) {
  size_t largest = scree__lane_block(o);
  return largest < 2 * SCREE_ITEM_MAX ? 2 * SCREE_ITEM_MAX : largest;
}

static size_t pool_bytes(const scree__options *o) {
  size_t min = lane_block(o) + 2 * sizeof(scree__block), bytes = o->memory / scree__options_endpoints(o);
  return bytes < min ? min : bytes;
}

/* The same on all ranks, because options are. */
static size_t largest_block(const scree__options *o) {
  scree__pool plan = {.bytes = pool_bytes(o)};
  scree__pool_allow_large(&plan, scree__lane_block(o));
  size_t largest = scree__pool_largest(&plan);
  return largest < lane_block(o) ? lane_block(o) : largest;
}

static bool make_pool(scree__mpi *m) {
  const scree__options *o = &m->base.options;
  size_t bytes = pool_bytes(o);
  void *arena = scree__huge_alloc(bytes, o->huge_pages, true);
  if (!arena) return false;
  m->pool = (scree__pool){.arena = arena, .bytes = bytes, .granted = bytes, .storage = SCREE__STORAGE_MPI};
  m->pool.max = (uint32_t)o->test_pool_blocks;
  scree__pool_allow_large(&m->pool, scree__lane_block(o));
  return true;
}

static void release_memory(scree__mpi *m) {
  scree_huge_free(m->pool.arena);
  for (int i = 0; i < m->ring; i++) free(m->arrived[i]);
  free(m->requests);
  free(m->blocks);
  free(m->done);
  free(m->statuses);
}

static bool make(scree__mpi *m, scree__comm *comm, uint32_t worker, uint32_t hop_class, const scree__options *options) {
  m->base = (scree__transport){.ops = &scree__mpi_ops,
                               .topology = &comm->peers.topology[worker],
                               .collective = &comm->peers.collective,
                               .fault = &comm->peers.fault[worker],
                               .options = *options,
                               .lock = comm->users ? &comm->users[worker] : NULL,
                               .note = ""};
  m->comm = comm;
  m->hop_class = hop_class;
  m->tag = scree__comm_tag(SCREE__BLOCK_TAG, hop_class);
  m->largest = largest_block(options);
  m->ring = (int)options->test_receives;
  m->polls = (uint32_t)scree__first_count(options, SCREE__COUNTS_POLLS);
  for (int i = 0; i < m->ring; i++) m->receives[i] = MPI_REQUEST_NULL;
  return scree__credit_open(&m->credit, comm, worker, hop_class, options) == SCREE_OK && make_pool(m) &&
         scree__mpi_make_receives(m);
}

scree__mpi *scree__mpi_open(scree__comm *comm, uint32_t hop_class, const scree__options *options) {
  size_t bytes = comm->peers.threads * sizeof(scree__mpi);
  scree__mpi *all = aligned_alloc(SCREE__LINE, bytes);
  bool made = all != NULL;
  if (made) memset(all, 0, bytes);
  for (uint32_t w = 0; all && w < comm->peers.threads; w++) {
    if (make(&all[w], comm, w, hop_class, options)) continue;
    made = false;
    if (!comm->peers.fault->text[0]) *comm->peers.fault = comm->peers.fault[w]; /* the text of MPI, if there is one */
  }
  if (made) return all;
  scree__fault_no_memory(comm->peers.fault,
                         options->memory + comm->peers.threads * options->test_receives * largest_block(options),
                         "blocks that MPI carries");
  if (all) scree__mpi_close(all);
  return NULL;
}

/* A closed world has had all its blocks received, so its sends complete. Those of a lost or abandoned one may not. A
 * single error does not end the wait: a rank that gave up here would leave the others in the sum of credit messages. */
static void finish_sends(scree__mpi *m) {
  scree__idle idle = {0};
  uint32_t errors = 0;
  for (uint32_t polls = 0; m->sends > 0 && !m->base.fault->lost && errors < SCREE__TESTS_MAY_FAIL; polls++) {
    reclaim(m);
    errors += m->base.fault->status != SCREE_OK;
    m->base.fault->status = SCREE_OK;
    scree__idle_backoff(&idle, polls);
  }
}

static bool requests_end(scree__mpi *m) {
  bool over = scree__requests_end(m->requests, m->sends);
  over &= scree__receives_end(m->receives, m->ring);
  return over;
}

void scree__mpi_close(scree__mpi *all) {
  uint32_t threads = all[0].comm->peers.threads;
  scree__credit *credits[SCREE__ENDPOINTS_MAX] = {NULL};
  const bool abandoned = all[0].base.fault->abandoned;
  bool doubtful = false;
  for (uint32_t w = 0; w < threads; w++) {
    if (!abandoned) finish_sends(&all[w]);
    credits[w] = &all[w].credit;
  }
  bool over = scree__credit_close(credits, all[0].begun && !all[0].base.fault->lost && !abandoned);
  for (uint32_t w = 0; w < threads; w++) {
    over &= requests_end(&all[w]);
    doubtful |= all[w].doubtful || all[w].credit.doubtful;
  }
  all[0].base.fault->abandoned |= !over;
  if (!over || doubtful) return;
  for (uint32_t w = 0; w < threads; w++) release_memory(&all[w]);
  free(all);
}

static void close_paths(scree__transport *t) {
  scree__mpi_close(scree__mpi_of(t));
}

const scree__transport_ops scree__mpi_ops = SCREE__TRANSPORT_OPS("mpi", scree__mpi_, scree__mpi_peek, close_paths);
