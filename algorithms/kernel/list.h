/* list.h - all kernels, a line for each. The command line lists them in this order. */
#ifndef SCREE__KERNEL_LIST_H
#define SCREE__KERNEL_LIST_H

/* clang-format off */
#define SCREE__KERNELS(X) \
  X(sssp) \
  X(bfs) \
  X(cc) \
  X(pagerank) \
  X(bc) \
  X(kcore) \
  X(mis) \
  X(colour) \
  X(tc)
/* clang-format on */

#endif
