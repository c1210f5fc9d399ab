/* caller.c - one step of the thread that calls MPI: what clients have passed to it, and what has arrived for them.
 * Never waits. Faults of clients' paths are the caller's. */
#include "transport/funnel/funnel.h"

static scree__client *client_of(const scree__funnel *f, uint32_t endpoint) {
  return &f->clients[endpoint % f->endpoints];
}

/* The client counted the block as published. Its window had a credit left; see client.c. */
static void send(scree__funnel *f, scree__block *block) {
  scree__client *c = client_of(f, block->wire.owner);
  scree__mpi *m = c->path;
  scree__mpi_poll_sends(m);
  scree_status status = scree__mpi_push(&m->base, block->dest, block);
  if (AO_load(&c->requests) != (AO_t)m->sends_max) AO_store(&c->requests, (AO_t)m->sends_max);
  if (status != SCREE_OK) f->fault->status = status;
}

static void serve(scree__funnel *f, scree__block *block) {
  if (block->wire.owner / f->endpoints == f->comm->all.meeting.rank)
    send(f, block);
  else
    scree__mpi_release(&client_of(f, block->dest)->path->base, block);
}

static bool is_wanted(AO_t *hint) {
  if (!AO_load(hint)) return false;
  AO_store(hint, 0);
  return true;
}

/* Release: pairs with the client's acquire. The cell is free: see client.c. */
static bool hand_over(scree__client *c) {
  scree__transport *path = &c->path->base;
  scree__block *block = scree__mpi_peek(path);
  if (!block) return false;
  scree__mpi_pop(path, block);
  SCREE__INVARIANT(!AO_load(&c->arrived[c->tail % SCREE__RECEIVES_MAX]));
  AO_store_release(&c->arrived[c->tail++ % SCREE__RECEIVES_MAX], (AO_t)block);
  return true;
}

static bool poll(scree__client *c) {
  scree__mpi *m = c->path;
  const int sends = m->sends;
  const uint32_t credits = m->credit.received;
  if (is_wanted(&c->wants_blocks)) scree__mpi_poll_sends(m);
  if (is_wanted(&c->wants_credits)) scree__credit_poll(&m->credit);
  bool moved = false;
  while (hand_over(c)) moved = true;
  return moved || m->sends != sends || m->credit.received != credits;
}

bool scree__funnel_turn(scree__funnel *f) {
  bool moved = false;
  for (scree__block *block = scree__stack_take(&f->outbox, NULL), *next; block; block = next) {
    next = block->next;
    serve(f, block);
    moved = true;
  }
  for (uint32_t w = f->first; w < f->endpoints; w++) moved |= poll(&f->clients[w]);
  if (f->fault->lost && !AO_load(&f->lost)) AO_store(&f->lost, 1);
  return moved;
}

/* ---- the first worker, if it calls: it serves the others whenever it polls for blocks of its own ---- */

static scree__block *peek(scree__transport *t) {
  scree__funnel *f = ((scree__mpi *)t)->serving;
  f->service.moved += scree__funnel_turn(f);
  return scree__mpi_peek(t);
}

static void close_caller(scree__transport *t) {
  scree__mpi *m = (scree__mpi *)t;
  scree__funnel_close(m->serving);
  scree__mpi_close(m);
}

const scree__transport_ops scree__caller_ops = SCREE__TRANSPORT_OPS("mpi", scree__mpi_, peek, close_caller);
