/* pass.h - routes: their tables, and the forward pass at intermediate ranks. Each function is described where it is
 * defined. */
#ifndef SCREE__PASS_H
#define SCREE__PASS_H
#include "core/world.h"

/* hops.c: the tables of a route */
/* True if the options are compatible, with that many ranks. False: the reason is in why. */
bool scree__hops_allow(const scree__options *options, uint32_t ranks, char *why, size_t size);
uint32_t scree__hops_classes(const scree__options *options, uint32_t ranks, uint32_t nodes);
/* The tables of a type with these flags; NULL: it is direct. */
uint16_t *const *scree__hops_of(const scree_world *world, uint32_t flags);
bool scree__hops_open(scree_world *world);
void scree__hops_close(scree_world *world);
uint64_t scree__hops_bytes(const scree_world *world);

/* pass.c: from an arrived block of a routed type to handlers and further ranks */
bool scree__pass(scree__worker *me, uint32_t hop_class);
char *scree__pass_slot(scree__worker *me, uint32_t type, uint32_t lane, uint32_t bytes);
uint32_t scree__next_rank(const scree__worker *me, uint32_t hop_class);
#endif
