/* virtual_nodes.h - ranks of one machine as if on several: shared memory inside a part, MPI between the parts.
 *
 * A program that names it gets an MPI_Comm_split_type that knows it. */
#ifndef VIRTUAL_NODES_H
#define VIRTUAL_NODES_H
extern int virtual_nodes; /* rank r is on node r modulo this many; 1: as it is */
#endif
