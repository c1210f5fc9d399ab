#include "task/guard_budget.h"

#include <atomic_ops.h>
#include <stdio.h>

#include "base/invariant.h"

enum { MAPPINGS_OF_A_STACK = 2, SHARE = 4, USUAL = 65530 };

uint32_t scree__guards_allowed(const char *path) {
  unsigned mappings = USUAL;
  FILE *file = fopen(path, "r");
  if (file && fscanf(file, "%u", &mappings) != 1) mappings = USUAL;
  if (file) fclose(file);
  return mappings / SHARE / MAPPINGS_OF_A_STACK;
}

static AO_t taken; /* only a number, which orders nothing: hence relaxed */

bool scree__guards_take(uint32_t stacks) {
  static AO_t allowed; /* +1; 0: not read yet. Threads that read it at once read the same */
  if (!AO_load(&allowed)) AO_store(&allowed, (AO_t)scree__guards_allowed("/proc/sys/vm/max_map_count") + 1);
  if (AO_fetch_and_add(&taken, stacks) + stacks < AO_load(&allowed)) return true;
  scree__guards_give(stacks);
  return false;
}

void scree__guards_give(uint32_t stacks) {
  SCREE__INVARIANT(AO_load(&taken) >= stacks);
  AO_fetch_and_add(&taken, (AO_t)0 - stacks);
}
