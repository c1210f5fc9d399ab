/* huge.h - huge-page allocation with the choices that the library has, beyond scree/memory.h. Freed by scree_huge_free. */
#ifndef SCREE__HUGE_H
#define SCREE__HUGE_H
#include <scree/memory.h>
#include <stdbool.h>

/* As scree_huge_alloc. huge: ask for huge pages; else they are left to the system. lazy: not zeroed, and counted as taken only
 * when it is touched, as suits a pool that may never be used up; a table that is too large then ends the process. */
void *scree__huge_alloc(size_t bytes, bool huge, bool lazy);
#endif
