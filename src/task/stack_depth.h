/* stack_depth.h - the maximum depth of a stack, by its contents. */
#ifndef SCREE__STACK_DEPTH_H
#define SCREE__STACK_DEPTH_H
#include "base/context.h"

/* Bytes from the top of a stack down to the lowest word that is not zero. The memory was zero when the context was
 * made. Any thread, also in a signal handler. */
size_t scree__stack_depth(const scree__context *context);
#endif
