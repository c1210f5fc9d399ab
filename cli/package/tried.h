/* tried.h - what tuning tries of a kernel. */
#ifndef PACKAGE_TRIED_H
#define PACKAGE_TRIED_H
#include <stdbool.h>
#include <stddef.h>

/* Writes the axes as lines of a sweep file; the caller frees *axes. delta: the width of buckets that a run chose; 0:
 * none. False: no kernel with a graph has the name, and why[size] says so. */
bool package_tried(const char *kernel, double delta, char **axes, char *why, size_t size);

#endif
