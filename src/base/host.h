/* host.h - the total and remaining memory of this node, and the share of its cpus that this process has. */
#ifndef SCREE__HOST_H
#define SCREE__HOST_H
#include <stddef.h>
#include <stdint.h>

/* The limits are those of the machine (/proc/meminfo), of this process's control group and of all groups above it, as
 * far as they are mounted, in versions 1 and 2. UINT64_MAX where nothing is known. `root` is a prefix of each path, ""
 * except in tests. Local. */

/* Bytes that processes of this node may take in total: MemTotal, or the minimum of the limits. */
uint64_t scree__memory_limit(const char *root);

/* Bytes that they can still take without swapping: MemAvailable, or what the limits leave, if that is less. */
uint64_t scree__memory_left(const char *root);

/* Writes which limits of this process, and not the memory of the host, may be why it gets no more memory, and what to
 * do: "; or raise the limit of the process (ulimit -d, 1024 KiB)". Writes "" if the process has none. Local. */
void scree__process_limits(char *text, size_t size);

/* Thousandths of a cpu that the processes of this control group may use in total; UINT64_MAX: there is no limit. `root`
 * as above. Local. */
uint64_t scree__cpu_quota(const char *root);

#endif
