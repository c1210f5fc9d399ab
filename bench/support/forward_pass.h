/* forward_pass.h - the forward pass on one rank, without others: what it takes to pass an item on, and what to send one and to
 * handle one. */
#ifndef BENCH_FORWARD_PASS_H
#define BENCH_FORWARD_PASS_H
#include "common.h"

/* Seconds of one item, of 8 bytes. */
typedef struct {
  bench_variant forward;      /* of a routed type, from a block that has arrived to the lane of its next hop */
  bench_variant send, handle; /* of a routed type, by a lane; from a block that has arrived */
  bench_variant plain_send, plain_handle; /* of a plain type, with the route direct */
} forward_pass;

/* Measures with 2^scale items a round. Collective over bench_comm; false after a failure, which is reported. */
bool bench_forward_pass(const bench *b, int scale, forward_pass *out);
#endif
