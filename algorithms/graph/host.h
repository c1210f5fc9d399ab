/* host.h - what this node has for its ranks.
 *
 * Room: how many they are, and the memory that is left. */
#ifndef SCREE__HOST_H
#define SCREE__HOST_H
#include <scree/scree.h>

/* Ranks of a world on the node of this one. Local. */
uint32_t scree__ranks_on_node(const scree_world *world);

/* Bytes that processes of this node can still take without swapping: MemAvailable of /proc/meminfo, or what the memory
 * limits of this process's control group and of those above it leave (version 2), if that is less. UINT64_MAX where
 * neither is known. `root` stands before each path: "", but in tests. Local. */
uint64_t scree__memory_left(const char *root);

#endif
