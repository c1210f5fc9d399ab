/* table.h - the memory of pools, graph arrays and the caller's own tables.
 *
 * Room: what scree/memory.h offers, with the choices that the library has. Freed by scree_table_free. */
#ifndef SCREE__TABLE_H
#define SCREE__TABLE_H
#include <scree/memory.h>
#include <stdbool.h>

/* As scree_table. huge: ask for huge pages; else they are left to the system. lazy: count it as taken only when it is
 * touched, as suits a pool that may never be used up; a table that is too large then ends the process. */
void *scree__table(size_t bytes, bool huge, bool lazy);
#endif
