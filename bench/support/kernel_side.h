/* kernel_side.h - a kernel of the command line that reads no graph, as a variant of a benchmark. */
#ifndef KERNEL_SIDE_H
#define KERNEL_SIDE_H
#include <scree/kernel.h>

#include "common.h"

typedef struct {
  const char *world_options;  /* or NULL */
  const scree_kernel *kernel; /* kernel_side_open sets this and what follows */
  scree_world *world;
  scree_graphs *graphs;
  scree_graph *graph;
  scree_solver *solver;
  scree_kernel_options *how;
  scree_answer answer; /* of the last run */
} kernel_side;

/* Opens the kernel, zeroed but for world_options, and makes it the variant *v, which keeps its name and number of jobs.
 * `options` are as "algorithm=counts class=B", and formatted as by printf. Collective over bench_comm. Call
 * kernel_side_close in any case. Returns false if rank 0 has printed a reason. */
bool kernel_side_open(kernel_side *s, bench_variant *v, const scree_kernel *kernel, const char *transport,
                      const char *options, ...) __attribute__((format(printf, 5, 6)));
bool kernel_side_close(kernel_side *s);
/* Measures by each transport, after the head of a table of kernel_side_rows. */
bool kernel_side_table(bench *b, bool (*measure)(bench *b, const char *transport));
/* Runs variants in turns, of which the last two are of messages and of MPI, and prints a row of each: millions of
 * `items` a second, and that over those two. */
bool kernel_side_rows(bench *b, const char *transport, bench_variant *v, int count, double items);
/* MPI_Waitall without statuses: gcc warns of the constant MPI_STATUSES_IGNORE of MPICH. */
static inline void bench_wait_all(int count, MPI_Request *requests) {
  MPI_Status *volatile none = MPI_STATUSES_IGNORE;
  MPI_Waitall(count, requests, none);
}

#endif
