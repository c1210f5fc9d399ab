/* queues.c - the queues that Distributed Control can use on each rank. */
#include <scree/sssp.h>

#include "sssp/variants.h"

/* In the order of SCREE_SSSP_QUEUE_BUCKETS, ... */
static const scree__queue_kind *const kinds[] = {&scree__queue_buckets, &scree__queue_dary};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const scree_algorithm *scree_sssp_queue_at(size_t i) {
  return i < KINDS ? &kinds[i]->about : NULL;
}

const scree__queue_kind *scree__sssp_queue(uint64_t i) {
  return kinds[i];
}
