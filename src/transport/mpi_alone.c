/* mpi_alone.c - all blocks by MPI, each rank a node of one endpoint with counters of its own. */
#include <stdlib.h>

#include "transport/idle.h"
#include "transport/mpi.h"

/* What a node shares, for a node of one endpoint. */
typedef struct {
  scree__node_page page; /* must be first */
  scree__node_slot slot;
  scree__idle_scheduler scheduler;
} private_node;

static void close_mpi(scree__transport *t) {
  scree__mpi *m = (scree__mpi *)t;
  scree__comm *comm = m->hop_class == 0 ? m->comm : NULL;
  private_node *node = (private_node *)(void *)t->page;
  scree__mpi_close(m);
  free(node);
  if (comm) comm->peers.ops->close(&comm->peers);
}

static const scree__transport_ops ops = SCREE__TRANSPORT_OPS("mpi", scree__mpi_, scree__mpi_peek, close_mpi);

scree__transport *scree__mpi_alone_open(scree__comm *comm, uint32_t hop_class, const scree__options *options) {
  private_node *node = aligned_alloc(SCREE__LINE, (sizeof *node + SCREE__LINE - 1) / SCREE__LINE * SCREE__LINE);
  scree__mpi *m = node ? scree__mpi_open(comm, hop_class, options) : NULL;
  if (!m) {
    scree__fault_no_memory(comm->peers.fault, sizeof *node, "the counters of a node");
    free(node);
    return NULL;
  }
  *node = (private_node){.slot = {.created = 0}};
  scree__idle_scheduler_init(&node->scheduler, options->spin, NULL, NULL);
  m->base.ops = &ops;
  m->base.page = &node->page;
  m->base.slots = &node->slot;
  m->base.scheduler = &node->scheduler.base;
  return &m->base;
}
