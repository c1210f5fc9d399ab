/* common_handwritten.c - updates to random ranks in carefully written plain MPI.
 *
 * The hand-written baseline of message_rate: two 64 KiB buffers per destination, MPI_Isend of the full one while the
 * other fills, receives posted in advance. It has no flow control, no sends from handlers and no termination detection:
 * an empty buffer marks the end of a stream. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "message_rate.h"

enum { BUFFER = 65536, AHEAD = 4, TAG = 7 };

typedef struct {
  char *next, *limit; /* in the current buffer */
  char *fill[2];      /* the two buffers */
  int which;
  MPI_Request sending; /* of the other buffer */
} lane;

typedef struct {
  const job *j;
  lane *lanes;
  char *incoming[AHEAD];
  MPI_Request receiving[AHEAD];
  int oldest;
  uint32_t still_sending; /* ranks whose end has not arrived */
} handwritten;

static void apply(const handwritten *h, const char *items, size_t bytes) {
  uint64_t *table = h->j->table;
  const uint64_t *words = (const uint64_t *)(const void *)items;
  size_t n = bytes / sizeof *words, step = (size_t)h->j->bytes / sizeof *words;
  if (step == 1)
    for (size_t i = 0; i < n; i++) table[words[i]]++;
  else
    for (size_t i = 0; i < n; i += step) table[words[i]] += words[i + step - 1];
}

static void post(handwritten *h, int i) {
  MPI_Irecv(h->incoming[i], BUFFER, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &h->receiving[i]);
}

static void poll_incoming(handwritten *h) {
  int arrived, bytes;
  MPI_Status status;
  MPI_Test(&h->receiving[h->oldest], &arrived, &status);
  if (!arrived) return;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (bytes == 0) h->still_sending--;
  apply(h, h->incoming[h->oldest], (size_t)bytes);
  post(h, h->oldest);
  h->oldest = (h->oldest + 1) % AHEAD;
}

static void wait_sent(handwritten *h, lane *l) {
  for (int done = 0; !done;) {
    MPI_Test(&l->sending, &done, MPI_STATUS_IGNORE);
    if (!done) poll_incoming(h);
  }
}

static void flush_lane(handwritten *h, uint32_t dest) {
  lane *l = &h->lanes[dest];
  char *full = l->fill[l->which];
  size_t bytes = (size_t)(l->next - full);
  if (dest == h->j->rank) {
    apply(h, full, bytes);
  } else {
    wait_sent(h, l);
    MPI_Isend(full, (int)bytes, MPI_BYTE, (int)dest, TAG, MPI_COMM_WORLD, &l->sending);
    l->which = !l->which;
    poll_incoming(h);
  }
  l->next = l->fill[l->which];
  l->limit = l->next + BUFFER;
}

/* One send loop per item size. Its copy of the job cannot alias the stores. */
#define SEND_ALL(BYTES)                                                                                                \
  static void send_all##BYTES(handwritten *h) {                                                                        \
    const job j = *h->j;                                                                                               \
    lane *lanes = h->lanes;                                                                                            \
    uint64_t x = j.seed;                                                                                               \
    for (uint64_t i = 0; i < j.items; i++) {                                                                           \
      uint64_t draw = bench_draw(&x), item[BYTES / 8] = {0};                                                           \
      item[BYTES / 8 - 1] = 1;                                                                                         \
      item[0] = job_index(&j, draw);                                                                                   \
      lane *l = &lanes[job_dest(&j, draw)];                                                                            \
      memcpy(l->next, item, BYTES);                                                                                    \
      l->next += BYTES;                                                                                                \
      if (l->next == l->limit) flush_lane(h, (uint32_t)(l - lanes));                                                   \
    }                                                                                                                  \
  }
UPDATE_SIZES(SEND_ALL)

static void send_all(handwritten *h) {
#define SEND(BYTES)                                                                                                    \
  case BYTES:                                                                                                          \
    send_all##BYTES(h);                                                                                                \
    break;
  switch (h->j->bytes) { UPDATE_SIZES(SEND) }
}

static void finish(handwritten *h) {
  for (uint32_t d = 0; d < h->j->dests; d++) {
    if (h->lanes[d].next > h->lanes[d].fill[h->lanes[d].which]) flush_lane(h, d);
    if (d != h->j->rank) flush_lane(h, d); /* empty: the end */
  }
  while (h->still_sending > 0) poll_incoming(h);
  for (uint32_t d = 0; d < h->j->dests; d++) wait_sent(h, &h->lanes[d]);
}

static void allocate(handwritten *h) {
  h->lanes = calloc(h->j->dests, sizeof *h->lanes);
  for (uint32_t d = 0; d < h->j->dests; d++) {
    char *first = aligned_alloc(4096, BUFFER), *second = aligned_alloc(4096, BUFFER);
    h->lanes[d] = (lane){first, first + BUFFER, {first, second}, 0, MPI_REQUEST_NULL};
  }
  for (int i = 0; i < AHEAD; i++) {
    h->incoming[i] = aligned_alloc(4096, BUFFER);
    post(h, i);
  }
}

static void release(handwritten *h) {
  for (int i = 0; i < AHEAD; i++) {
    MPI_Cancel(&h->receiving[i]);
    MPI_Wait(&h->receiving[i], MPI_STATUS_IGNORE);
    free(h->incoming[i]);
  }
  for (uint32_t d = 0; d < h->j->dests; d++) {
    free(h->lanes[d].fill[0]);
    free(h->lanes[d].fill[1]);
  }
  free(h->lanes);
}

double run_handwritten(void *given) {
  const job *j = given;
  handwritten h = {.j = j, .still_sending = j->dests - 1};
  allocate(&h);
  MPI_Barrier(MPI_COMM_WORLD);
  double start = bench_now();
  send_all(&h);
  finish(&h);
  double seconds = bench_now() - start;
  MPI_Barrier(MPI_COMM_WORLD);
  release(&h);
  return seconds;
}
