/* guard_budget.h - how many stacks of the process end in a page that faults: each is two mappings, of which the system
 * allows a process 65,530 unless it is configured otherwise (vm.max_map_count). Any thread. */
#ifndef SCREE__GUARD_BUDGET_H
#define SCREE__GUARD_BUDGET_H
#include <stdbool.h>
#include <stdint.h>

/* Reserves guard pages for that many stacks. False: they are used up. */
bool scree__guards_take(uint32_t stacks);
void scree__guards_give(uint32_t stacks);
/* Stacks of the process that may have one, by a file like /proc/sys/vm/max_map_count. */
uint32_t scree__guards_allowed(const char *path);
#endif
