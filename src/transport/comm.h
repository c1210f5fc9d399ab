/* comm.h - the communicators of a world on MPI: the topology, gathers, and the reductions of detection rounds. Only
 * nonblocking calls wait here, in a loop that yields; the blocking calls of setup are made where a world opens. */
#ifndef SCREE__COMM_H
#define SCREE__COMM_H
#include <mpi.h>

#include "transport/collective.h"
#include "transport/fault.h"
#include "transport/topology.h"

typedef struct scree__comm {
  scree__collective collective; /* must be first */
  scree__topology topology;
  scree__fault *fault;
  uint64_t spin;    /* the option of that name */
  MPI_Comm comm;    /* all ranks: blocks and gathers */
  MPI_Comm node;    /* the ranks of this node; MPI_COMM_NULL if each rank is a node */
  MPI_Comm leaders; /* MPI_COMM_NULL on other ranks */
  MPI_Datatype round_type;
  MPI_Op round_op;
  MPI_Request round; /* the open one */
  scree__round mine, sum;
  uint32_t failed_tests;   /* of rounds */
  uint32_t *leader_ranks;  /* node -> rank */
  uint32_t *node_ranks;    /* index on this node -> rank */
  uint32_t *index_on_node; /* rank -> index on this node, UINT32_MAX: on another node */
} scree__comm;

/* Collective, on a duplicate of comm. by_memory: ranks that can share memory form a node; else each rank is a node.
 * NULL: the reason is in the fault's text. */
scree__comm *scree__comm_open(MPI_Comm comm, bool by_memory, uint64_t spin, scree__fault *fault);
/* Frees; but the communicators of a lost world stay, and with them what requests on them that are still active point to:
 * then the fault sink says `abandoned`. */
void scree__comm_close(scree__comm *comm);

/* The worst status of all ranks of a communicator. What one rank alone may fail to do while a world opens is agreed on
 * before the next collective call. Collective; blocks. */
scree_status scree__comm_agree(MPI_Comm comm, scree_status mine);

/* Turns an MPI return code into SCREE_OK, or SCREE_EMPI with MPI's own words in the fault's text. */
scree_status scree__mpi_check(scree__fault *fault, const char *call, int code);
#endif
