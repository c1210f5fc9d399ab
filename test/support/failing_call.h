/* failing_call.h - what a program calls in the preloaded module failing_call.so, whose functions it finds by dlsym. */
#ifndef FAILING_CALL_H
#define FAILING_CALL_H
#include <stddef.h>

/* From now on this process's calls are counted, and the k-th fails; 0: none fails. */
typedef void failing_call_arm_fn(long k);
/* Ends this and returns how many calls there were; `text` describes the one that failed, "" if none did. */
typedef long failing_call_disarm_fn(char *text, size_t size);

/* Where the k-th call returns to, in the last run of which none failed; NULL: unknown. */
typedef const void *failing_call_site_fn(long k);
/* How many allocations of the process are not freed. */
typedef long failing_call_live_fn(void);

#define FAILING_CALL_ARM    "failing_call_arm"
#define FAILING_CALL_DISARM "failing_call_disarm"
#endif
