/* mpi_alone.c - every block by MPI, every rank a node.
 *
 * Room: the ops record, and the private page that stands in for a shared one. */
#include <stdlib.h>

#include "transport/hybrid.h"
#include "transport/idle.h"

typedef struct {
  scree__node_page page;
  scree__node_slot slot;
} private_node;

static void relax(scree__transport *t, uint32_t round) {
  scree__idle(round, t->options.spin);
}

static void close_mpi(scree__transport *t) {
  scree__group *group = t->group;
  void *node = t->page; /* the private node starts with it */
  scree__mpi_finish(t);
  free(node);
  scree__group_close(group);
}

static const scree__transport_ops ops = {
    .name = "mpi",
    .take = scree__mpi_take,
    .put = scree__mpi_put,
    .accepts = scree__mpi_accepts,
    .push = scree__mpi_push,
    .peek = scree__mpi_peek,
    .pop = scree__mpi_pop,
    .release = scree__mpi_release,
    .wave_start = scree__group_wave_start,
    .wave_test = scree__group_wave_test,
    .gather = scree__group_gather,
    .fit = scree__mpi_fit,
    .in_flight = scree__mpi_in_flight,
    .memory = scree__mpi_memory,
    .relax = relax,
    .now = scree__group_now,
    .close = close_mpi,
};

scree__transport *scree__mpi_alone_open(scree__transport *base) {
  private_node *node = aligned_alloc(SCREE__LINE, sizeof *node);
  if (!node) return NULL;
  *node = (private_node){.slot = {.created = 0}};
  base->ops = &ops;
  base->page = &node->page;
  base->slots = &node->slot;
  scree__transport *t = scree__mpi_open(base);
  if (!t) free(node);
  return t;
}
