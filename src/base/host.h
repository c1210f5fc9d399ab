/* host.h - the memory that this node has left. */
#ifndef SCREE__HOST_H
#define SCREE__HOST_H
#include <stdint.h>

/* Bytes that processes of this node can still take without swapping: MemAvailable of /proc/meminfo, or what the memory
 * limits of this process's control group and of those above it leave (version 2), if that is less. UINT64_MAX where
 * neither is known. `root` stands before each path: "", but in tests. Local. */
uint64_t scree__memory_left(const char *root);

#endif
