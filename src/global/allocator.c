/* allocator.c - first fit in sorted lists of extents. Allocations are few and large; programs divide them. */
#include "global/allocator.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, CHUNK = 1 << 20 }; /* CHUNK: memory is reserved in multiples of it */

typedef struct scree__extent {
  uint64_t at, bytes;
} extent;

typedef enum { UNUSED, LIVE, QUARANTINED } state;

typedef struct scree__allocation {
  state state;
  uint32_t generation, next; /* next: in one of the lists */
  scree__placement at;
  scree_global array;
} allocation;

static uint64_t round_up(uint64_t n, uint64_t to) {
  return (n + to - 1) & ~(to - 1);
}

/* ---- spaces ---- */

static bool insert(scree__space *s, uint32_t i, uint64_t at, uint64_t bytes) {
  if (s->count == s->room) {
    const uint32_t room = s->room ? 2 * s->room : 8;
    extent *more = realloc(s->free, room * sizeof *more);
    if (!more) return false;
    s->free = more;
    s->room = room;
  }
  memmove(&s->free[i + 1], &s->free[i], (s->count++ - i) * sizeof *s->free);
  s->free[i] = (extent){at, bytes};
  return true;
}

static void erase(scree__space *s, uint32_t i) {
  memmove(&s->free[i], &s->free[i + 1], (--s->count - i) * sizeof *s->free);
}

/* Without memory for the list the bytes are lost, and nothing else. */
static void give(scree__space *s, uint64_t at, uint64_t bytes) {
  uint32_t i = 0;
  while (i < s->count && s->free[i].at < at) i++;
  const bool after = i > 0 && s->free[i - 1].at + s->free[i - 1].bytes == at;
  const bool before = i < s->count && at + bytes == s->free[i].at;
  if (after) {
    s->free[i - 1].bytes += bytes + (before ? s->free[i].bytes : 0);
    if (before) erase(s, i);
    i--;
  } else if (before) {
    s->free[i].at = at;
    s->free[i].bytes += bytes;
  } else if (!insert(s, i, at, bytes)) {
    return;
  }
  if (s->free[i].at + s->free[i].bytes != s->top) return;
  s->top = s->free[i].at;
  erase(s, i);
}

/* False: none has so many; *left: the largest that there are. */
static bool take(scree__space *s, uint64_t bytes, uint64_t limit, uint64_t *at, uint64_t *left) {
  *left = limit > s->top ? limit - s->top : 0;
  for (uint32_t i = 0; i < s->count; i++) {
    extent *e = &s->free[i];
    if (e->bytes > *left) *left = e->bytes;
    if (e->bytes < bytes) continue;
    *at = e->at;
    e->at += bytes;
    e->bytes -= bytes;
    if (!e->bytes) erase(s, i);
    return true;
  }
  if (limit < s->top || limit - s->top < bytes) return false;
  *at = s->top;
  s->top += bytes;
  return true;
}

static scree__space *space_of(const scree__allocator *a, const scree__placement *at) {
  if (at->outside) return &a->outside[at->rank];
  return at->everywhere ? (scree__space *)&a->all : &a->own[at->rank];
}

/* The limit of a space: what grows from the other end. */
static uint64_t limit_of(const scree__allocator *a, const scree__placement *at) {
  uint64_t other = a->all.top;
  if (at->outside) return SCREE_GLOBAL_HEAP_MAX / 2 - a->heap; /* stacks of tasks are after it */
  if (!at->everywhere) return a->heap - other;
  other = 0;
  for (uint32_t r = 0; r < a->ranks; r++)
    if (a->own[r].top > other) other = a->own[r].top;
  return a->heap - other;
}

/* ---- policies ---- */

/* Bytes of each rank that has some; 0: more than there can be. */
static uint64_t block_of(const scree__allocator *a, const scree_global *array) {
  uint64_t parts = a->ranks, unit = ALIGN;
  if (array->policy == SCREE_GLOBAL_EXPORTED) return round_up(array->bytes, ALIGN);
  if (array->policy == SCREE_GLOBAL_LOCAL || array->policy == SCREE_GLOBAL_REPLICATE) parts = 1;
  if (array->policy == SCREE_GLOBAL_REMOTE) parts--;
  if (array->policy == SCREE_GLOBAL_CYCLIC) unit = a->unit;
  const uint64_t each = array->bytes / parts + (array->bytes % parts != 0);
  return each > a->heap ? 0 : round_up(each, unit);
}

/* ---- the table ---- */

static bool find_place(scree__allocator *a, uint32_t *place) {
  if (a->unused) {
    *place = a->unused;
    a->unused = a->table[*place].next;
    return true;
  }
  if (a->count == a->room) {
    const uint32_t room = a->room ? 2 * a->room : 64;
    allocation *more = realloc(a->table, room * sizeof *more);
    if (!more) return false;
    a->table = more;
    a->room = room;
  }
  *place = a->count++;
  a->table[*place].generation = a->seed;
  return true;
}

static void forget(scree__allocator *a, uint32_t place) {
  allocation *of = &a->table[place];
  give(space_of(a, &of->at), of->at.at, of->at.bytes);
  a->live_bytes -= of->at.outside ? 0 : of->at.bytes * (of->at.everywhere ? a->ranks : 1);
  of->state = UNUSED;
  of->next = a->unused;
  a->unused = place;
}

static allocation *find(const scree__allocator *a, const scree_global *array) {
  allocation *of = array->place && array->place < a->count ? &a->table[array->place] : NULL;
  return of && of->state == LIVE && of->generation == array->generation ? of : NULL;
}

/* ---- all of it ---- */

/* The first unit of the parts is never allocated: linear address 0 is none. The first place of the table ends its
 * lists. */
bool scree__allocator_open(scree__allocator *a, uint32_t ranks, uint64_t heap, uint64_t stripe, uint32_t seed) {
  uint32_t none;
  *a = (scree__allocator){.heap = heap, .seed = seed, .unit = stripe > ALIGN ? stripe : ALIGN, .ranks = ranks};
  a->all.top = a->unit;
  a->own = calloc(ranks, sizeof *a->own);
  a->outside = calloc(ranks, sizeof *a->outside);
  return a->own && a->outside && find_place(a, &none);
}

void scree__allocator_close(scree__allocator *a) {
  for (uint32_t r = 0; a->own && r < a->ranks; r++) free(a->own[r].free);
  for (uint32_t r = 0; a->outside && r < a->ranks; r++) free(a->outside[r].free);
  free(a->own);
  free(a->outside);
  free(a->all.free);
  free(a->table);
}

bool scree__allocator_take(scree__allocator *a, scree_global *array, scree__placement *at, uint64_t *left) {
  array->block = block_of(a, array);
  const bool outside = array->policy == SCREE_GLOBAL_EXPORTED;
  *at = (scree__placement){
      .everywhere = !outside && array->policy != SCREE_GLOBAL_LOCAL, .outside = outside, .rank = array->first};
  at->bytes = round_up(array->block, at->everywhere ? a->unit : ALIGN);
  if (!array->block) at->bytes = a->heap + 1; /* finds none, and how many there are */
  if (!take(space_of(a, at), at->bytes, limit_of(a, at), &at->at, left)) return false;
  if (!find_place(a, &array->place)) {
    give(space_of(a, at), at->at, at->bytes);
    return false;
  }
  allocation *of = &a->table[array->place];
  array->offset = outside ? a->heap + at->at : at->everywhere ? at->at : a->heap - at->at - at->bytes;
  if (array->policy == SCREE_GLOBAL_CYCLIC) array->offset *= a->ranks;
  array->generation = ++of->generation;
  of->state = LIVE;
  of->at = *at;
  of->array = *array;
  a->live_bytes += outside ? 0 : at->bytes * (at->everywhere ? a->ranks : 1);
  return true;
}

const scree_global *scree__allocator_at(const scree__allocator *a, uint32_t place, bool *freed) {
  *freed = a->table[place].state == QUARANTINED;
  return a->table[place].state == UNUSED ? NULL : &a->table[place].array;
}

void scree__allocator_undo(scree__allocator *a, const scree_global *array) {
  if (find(a, array)) forget(a, array->place);
}

bool scree__allocator_free(scree__allocator *a, const scree_global *array) {
  allocation *of = find(a, array);
  if (!of) return false;
  of->state = QUARANTINED;
  of->next = a->quarantined;
  a->quarantined = array->place;
  return true;
}

void scree__allocator_recycle(scree__allocator *a) {
  while (a->quarantined) {
    const uint32_t place = a->quarantined;
    a->quarantined = a->table[place].next;
    forget(a, place);
  }
}

uint64_t scree__allocator_wants(const scree__allocator *a, const scree__placement *at) {
  const uint64_t upto = at->at + at->bytes, chunks = round_up(upto, CHUNK), limit = limit_of(a, at);
  if (upto <= space_of(a, at)->reserved) return 0;
  return chunks < limit ? chunks : upto > limit ? upto : limit;
}

void scree__allocator_reserved(scree__allocator *a, const scree__placement *at, uint64_t upto) {
  scree__space *s = space_of(a, at);
  if (upto > s->reserved) s->reserved = upto;
}
