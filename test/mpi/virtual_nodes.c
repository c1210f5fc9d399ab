/* virtual_nodes.c - MPI_Comm_split_type in front of MPI's own, through its profiling interface. */
#include "virtual_nodes.h"

#include <mpi.h>

int virtual_nodes = 1;

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out) {
  MPI_Comm part;
  int rank;
  if (virtual_nodes == 1 || type != MPI_COMM_TYPE_SHARED) return PMPI_Comm_split_type(comm, type, key, info, out);
  PMPI_Comm_rank(comm, &rank);
  int code = PMPI_Comm_split(comm, rank % virtual_nodes, key, &part);
  if (code != MPI_SUCCESS) return code;
  code = PMPI_Comm_split_type(part, type, key, info, out);
  PMPI_Comm_free(&part);
  return code;
}
