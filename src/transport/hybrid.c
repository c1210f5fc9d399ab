/* both.c - shared memory to ranks of this node, MPI to the others.
 *
 * Room: picking by destination; no path of its own. */
#include "transport/hybrid.h"

#include <stdlib.h>

typedef struct {
  scree__transport base; /* must be first */
  scree__transport *near, *far;
  bool far_turn; /* which inbox to look at first */
} both;

static both *of(scree__transport *t) {
  return (both *)t;
}

static bool is_near(const both *b, uint32_t rank) {
  return b->base.group->place_on_node[rank] != UINT32_MAX;
}

static scree__block *take(scree__transport *t, uint32_t dest, size_t want) {
  both *b = of(t);
  if (!is_near(b, dest)) return scree__mpi_take(b->far, dest, want);
  return scree__shm_take(b->near, dest, want);
}

static void put(scree__transport *t, scree__block *block) {
  both *b = of(t);
  if (block->home == SCREE__HOME_SHM)
    scree__shm_put(b->near, block);
  else
    scree__mpi_put(b->far, block);
}

static bool accepts(scree__transport *t, uint32_t dest) {
  both *b = of(t);
  return is_near(b, dest) ? scree__shm_accepts(b->near, dest) : scree__mpi_accepts(b->far, dest);
}

static void hand_up(both *b, scree__transport *in) {
  b->base.written_off += in->written_off;
  in->written_off = 0;
  b->base.lost |= in->lost;
  if (!in->fault) return;
  b->base.fault = in->fault;
  snprintf(b->base.fault_text, sizeof b->base.fault_text, "%s", in->fault_text);
  in->fault = SCREE_OK;
}

static scree_status push(scree__transport *t, uint32_t dest, scree__block *block) {
  both *b = of(t);
  if (is_near(b, dest)) return scree__shm_push(b->near, dest, block);
  scree_status status = scree__mpi_push(b->far, dest, block);
  if (status) snprintf(t->fault_text, sizeof t->fault_text, "%s", b->far->fault_text);
  return status;
}

/* Turns, so that a busy node does not starve what comes from afar. */
static scree__block *peek(scree__transport *t) {
  both *b = of(t);
  b->far_turn = !b->far_turn;
  scree__block *block = b->far_turn ? scree__mpi_peek(b->far) : scree__shm_peek(b->near);
  if (!block) block = b->far_turn ? scree__shm_peek(b->near) : scree__mpi_peek(b->far);
  hand_up(b, b->far);
  return block;
}

static void pop(scree__transport *t, scree__block *block) {
  both *b = of(t);
  if (is_near(b, block->wire.run.origin))
    scree__shm_pop(b->near, block);
  else
    scree__mpi_pop(b->far, block);
}

static void release(scree__transport *t, scree__block *block) {
  both *b = of(t);
  if (is_near(b, block->wire.run.origin))
    scree__shm_release(b->near, block);
  else
    scree__mpi_release(b->far, block);
}

static void fit(scree__transport *t, uint32_t least_bytes) {
  both *b = of(t);
  scree__shm_fit(b->near, least_bytes);
  scree__mpi_fit(b->far, least_bytes);
}

static uint64_t in_flight(const scree__transport *t) {
  const both *b = (const both *)t;
  return scree__shm_in_flight(b->near) + scree__mpi_in_flight(b->far);
}

static void memory(const scree__transport *t, scree__memory *add) {
  const both *b = (const both *)t;
  scree__shm_memory(b->near, add);
  scree__mpi_memory(b->far, add);
}

static void relax(scree__transport *t, uint32_t round) {
  both *b = of(t);
  scree__shm_relax(b->near, round);
  hand_up(b, b->near);
}

static void close_both(scree__transport *t) {
  both *b = of(t);
  b->far->lost |= t->lost;
  scree__mpi_finish(b->far);
  b->near->ops->close(b->near); /* closes the group too */
  free(b);
}

static const scree__transport_ops ops = {
    .name = "shm+mpi",
    .take = take,
    .put = put,
    .accepts = accepts,
    .push = push,
    .peek = peek,
    .pop = pop,
    .release = release,
    .wave_start = scree__group_wave_start,
    .wave_test = scree__group_wave_test,
    .gather = scree__group_gather,
    .fit = fit,
    .in_flight = in_flight,
    .memory = memory,
    .relax = relax,
    .now = scree__group_now,
    .close = close_both,
};

scree__transport *scree__both_open(scree__transport *shm, scree__transport *mpi) {
  both *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->base = *shm;
  b->base.ops = &ops;
  b->near = shm;
  b->far = mpi;
  return &b->base;
}
