/* group.h - the cold and rare side of MPI: communicators, waves, gathers.
 *
 * Room: what the MPI transports share. Only nonblocking calls wait here, in a loop that yields. */
#ifndef SCREE__GROUP_H
#define SCREE__GROUP_H
#include <mpi.h>

#include "transport/transport.h"

typedef struct scree__group {
  MPI_Comm comm;    /* all ranks: blocks and gathers */
  MPI_Comm node;    /* the ranks of this node; MPI_COMM_NULL if each rank is a node */
  MPI_Comm leaders; /* MPI_COMM_NULL on other ranks */
  MPI_Datatype wave_type;
  MPI_Op wave_op;
  MPI_Request wave; /* the open one */
  scree__wave mine, sum;
  uint32_t failed_tests;                               /* of waves */
  uint32_t *leader_ranks, *node_ranks, *place_on_node; /* node -> rank; place -> rank; rank -> place or UINT32_MAX */
} scree__group;

/* Collective. Fills `base` (rank, nodes, leaders, group) from a duplicate of comm. by_memory: ranks that can share
 * memory form a node; else each rank is one. NULL: the reason is in base->fault_text. */
scree__group *scree__group_open(MPI_Comm comm, bool by_memory, scree__transport *base);
void scree__group_close(scree__group *group);

/* Ops of every MPI transport; t->group is set. */
scree_status scree__group_gather(scree__transport *t, const void *mine, void *all, size_t bytes);
scree_status scree__group_wave_start(scree__transport *t, const scree__wave *mine);
bool scree__group_wave_test(scree__transport *t, scree__wave *out);
uint64_t scree__group_now(scree__transport *t);

/* Turns an MPI return code into SCREE_OK, or SCREE_EMPI with MPI's own words in t->fault_text. */
scree_status scree__mpi_check(scree__transport *t, const char *call, int code);
#endif
