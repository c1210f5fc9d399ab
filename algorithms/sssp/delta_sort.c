/* delta_sort.c - Delta-stepping whose batches are sorted by distance before they are applied (Firoz et al. 2015): of
 * several offers to one vertex in a batch the best comes first, and the others are rejected. From 0 on the bits of
 * distances are in the order of their values. */
#include "sssp/delta.h"

static uint64_t bits_of(const void *item) {
  uint64_t bits;
  memcpy(&bits, &((const scree__relax_item *)item)->distance, sizeof bits);
  return bits;
}

static const scree_kernel_option options[] = {SCREE__SSSP_DELTA, SCREE__NO_PRUNING(scree_sssp_options),
                                              SCREE__OPTIONS_END};

const scree__variant scree__sssp_delta_sort = {
    .about = {"delta-sort", "delta, where each batch of messages is first sorted by distance"},
    .options = options,
    .tuned = true,
    .messages = {{"sssp.delta_sort", sizeof(scree__relax_item), scree__delta_take, NULL}},
    .sort = {bits_of},
    .own = sizeof(scree__steps),
    .setup = scree__delta_setup,
    .solve = scree__delta_solve,
    .teardown = scree__delta_teardown,
    .memory = {.local = 16, .orderings = SCREE__ROWS},
};
