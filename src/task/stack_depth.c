/* stack_depth.c - pages that were never touched are skipped: to read one would be a fault. */
#include "task/stack_depth.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/tools.h"

enum { AT_ONCE = 64 }; /* pages */

/* The first page from `page` on, before `end`, that was touched; where the system does not report it, all count as
 * touched. */
static uintptr_t first_touched(uintptr_t page, uintptr_t end, size_t size) {
  unsigned char there[AT_ONCE];
  while (page < end) {
    size_t pages = (end - page + size - 1) / size;
    if (pages > AT_ONCE) pages = AT_ONCE;
    if (mincore((void *)page, pages * size, there)) break;
    for (size_t i = 0; i < pages; i++, page += size)
      if (there[i] & 1) return page;
  }
  return page;
}

static SCREE__NOT_INSTRUMENTED size_t depth_of(const char *lowest, const char *top) {
  uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), end = (uintptr_t)top;
  uintptr_t page = first_touched((uintptr_t)lowest & ~(size - 1), end, size);
  const uint64_t *word = (const void *)(page > (uintptr_t)lowest ? page : (uintptr_t)lowest);
  while ((uintptr_t)word < end && !*(const volatile uint64_t *)word) word++;
  return end - (uintptr_t)word;
}

size_t scree__stack_depth(const scree__context *c) {
#ifdef SCREE__VALGRIND
  VALGRIND_DISABLE_ERROR_REPORTING; /* what is below the frames of a stack is forbidden to read */
#endif
  size_t depth = depth_of(c->stack, c->stack + c->bytes);
#ifdef SCREE__VALGRIND
  VALGRIND_ENABLE_ERROR_REPORTING;
#endif
  return depth;
}
