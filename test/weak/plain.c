/* plain.c - plain accesses: two of which one writes, from different threads, need an order, by vector clocks. */
#include <string.h>

#include "weak.h"

enum { GRANULES = 1 << 20, CELLS = 4, PROBES = 16 };

typedef struct {
  uint8_t thread, mask, write; /* mask: bytes of the granule; 0: the cell is free */
  uint32_t clock;
  weak_site site;
} cell;

/* Eight bytes. */
typedef struct {
  uintptr_t at;
  uint32_t run;
  cell of[CELLS];
} granule;

static granule granules[GRANULES];
static uint32_t run;

void weak_plain_begin(void) {
  run++;
}

/* NULL: it has not been touched; *free: where it may be. */
static granule *known(uintptr_t at, granule **free) {
  uint32_t i = (uint32_t)((at >> 3) * 0x9E3779B97F4A7C15ull >> 40) % GRANULES;
  for (int k = 0; k < PROBES; k++, i = (i + 1) % GRANULES) {
    if (granules[i].run == run && granules[i].at == at) return &granules[i];
    if (granules[i].run != run) break;
  }
  *free = &granules[i];
  return NULL;
}

/* One that is not there replaces another, if necessary. */
static granule *find(uintptr_t at) {
  granule *new, *g = known(at, &new);
  if (g) return g;
  *new = (granule){.at = at, .run = run};
  return new;
}

static void touch(uintptr_t at, cell mine) {
  const weak_thread *me = weak_thread_of(mine.thread);
  granule *g = find(at);
  cell *to = NULL;
  for (cell *c = g->of; c < g->of + CELLS; c++) {
    const bool same = c->thread == mine.thread, inside = (c->mask & ~mine.mask) == 0;
    if (!c->mask || (same && inside && c->write <= mine.write)) {
      to = c;
      continue;
    }
    if (same || !(c->mask & mine.mask) || !(c->write || mine.write)) continue;
    if (c->clock > me->now.clock[c->thread])
      weak_find(c->write ? mine.write ? "two writes" : "a read after a write" : "a write after a read", c->thread,
                c->site, mine.site);
    if (inside && mine.write) c->mask = 0, to = c;
  }
  *(to ? to : &g->of[weak_draw(CELLS)]) = mine;
}

void weak_plain(const volatile void *at_, size_t bytes, bool write, uint32_t place) {
  uintptr_t at = (uintptr_t)at_;
  if (!weak_runs() || weak_is_ignored(at)) return;
  const weak_thread *me = weak_thread_of(weak_me());
  const weak_site site = weak_here(place);
  weak_total.plain++;
  while (bytes > 0) {
    const uintptr_t base = at & ~(uintptr_t)7, skip = at - base, n = bytes < 8 - skip ? bytes : 8 - skip;
    touch(base, (cell){.thread = (uint8_t)weak_me(),
                       .mask = (uint8_t)(((1u << n) - 1) << skip),
                       .write = write,
                       .clock = me->now.clock[weak_me()],
                       .site = site});
    at += n, bytes -= n;
  }
}

void weak_copied(void *to, const void *from, size_t bytes, uint32_t place) {
  static bool here; /* what is called in here copies too */
  if (here) return;
  here = true;
  if (from) weak_plain(from, bytes, false, place);
  weak_plain(to, bytes, true, place);
  here = false;
}

/* Newly allocated memory has no history. */
void weak_fresh(const void *at, size_t bytes) {
  if (!weak_runs() || !at) return;
  const uintptr_t from = (uintptr_t)at & ~(uintptr_t)7, to = (uintptr_t)at + bytes;
  granule *g, *unused;
  weak_forget(from, to);
  for (uintptr_t a = from; a < to; a += 8)
    if ((g = known(a, &unused))) memset(g->of, 0, sizeof g->of);
}

/* Other accesses must come before. The C library allocates freed memory anew by itself: it has no past from now on. */
void weak_freed(void *at, size_t bytes, uint32_t place) {
  if (!weak_runs() || !at) return;
  granule *unused;
  for (uintptr_t a = (uintptr_t)at; a < (uintptr_t)at + bytes; a += 8)
    if (known(a & ~(uintptr_t)7, &unused)) weak_plain((void *)a, 8, true, place);
  weak_fresh(at, bytes);
}
