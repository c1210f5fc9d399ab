/* allocator.c - first fit in lists of extents that are sorted by offset. Such a list is cut into leaves of up to LEAF
 * extents, so that a large one changes in one leaf, and a search for space skips leaves whose extents are too small. */
#include "global/allocator.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

enum { ALIGN = 64, CHUNK = 1 << 20 }; /* CHUNK: memory is reserved in multiples of it */
enum { LEAF = 256 };

typedef struct {
  uint64_t at, bytes;
  uint32_t place; /* of an allocation, in the table; 0: it is free */
} extent;

/* Extents that follow one another in the list, at least one. */
typedef struct scree__leaf {
  uint64_t first, largest; /* offset of its first extent; bytes of its largest one */
  extent *extent;
  uint32_t count, room;
} leaf;

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

/* ---- leaves ---- */

static void refresh(leaf *l) {
  SCREE__INVARIANT(l->count > 0 && l->count <= LEAF && l->count <= l->room);
  l->first = l->extent[0].at;
  l->largest = 0;
  for (uint32_t i = 0; i < l->count; i++)
    if (l->extent[i].bytes > l->largest) l->largest = l->extent[i].bytes;
}

static bool grow(leaf *l, uint32_t room) {
  extent *more = realloc(l->extent, room * sizeof *more);
  if (!more) return false;
  l->extent = more;
  l->room = room;
  return true;
}

/* A leaf without extents, which the caller adds. */
static bool insert_leaf(scree__extents *s, uint32_t at, uint32_t extents) {
  if (s->count == s->room) {
    const uint32_t room = s->room ? 2 * s->room : 1;
    leaf *more = realloc(s->leaf, room * sizeof *more);
    if (!more) return false;
    s->leaf = more;
    s->room = room;
  }
  leaf made = {0};
  if (!grow(&made, extents)) return false;
  memmove(&s->leaf[at + 1], &s->leaf[at], (s->count++ - at) * sizeof made);
  s->leaf[at] = made;
  return true;
}

/* The upper half of a full leaf becomes the next one. */
static bool split(scree__extents *s, uint32_t at) {
  if (!insert_leaf(s, at + 1, LEAF)) return false;
  leaf *full = &s->leaf[at], *next = full + 1;
  memcpy(next->extent, full->extent + LEAF / 2, LEAF / 2 * sizeof *next->extent);
  next->count = full->count = LEAF / 2;
  refresh(full);
  refresh(next);
  return true;
}

static bool insert(scree__extents *s, uint32_t at, uint32_t i, extent e) {
  if (!s->count && !insert_leaf(s, 0, 8)) return false;
  if (s->leaf[at].count == LEAF) {
    if (!split(s, at)) return false;
    if (i > LEAF / 2) at++, i -= LEAF / 2;
  }
  leaf *l = &s->leaf[at];
  if (l->count == l->room && !grow(l, 2 * l->room)) return false;
  memmove(&l->extent[i + 1], &l->extent[i], (l->count++ - i) * sizeof e);
  l->extent[i] = e;
  l->first = l->extent[0].at;
  if (e.bytes > l->largest) l->largest = e.bytes;
  return true;
}

static void erase(scree__extents *s, uint32_t at, uint32_t i) {
  leaf *l = &s->leaf[at];
  memmove(&l->extent[i], &l->extent[i + 1], (--l->count - i) * sizeof *l->extent);
  if (l->count) {
    refresh(l);
    return;
  }
  free(l->extent);
  memmove(l, l + 1, (--s->count - at) * sizeof *l);
}

/* The leaf that an extent at that offset belongs to, and its place there. */
static uint32_t leaf_of(const scree__extents *s, uint64_t at) {
  uint32_t low = 0, high = s->count;
  while (low + 1 < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (s->leaf[middle].first <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}
static uint32_t place_of(const leaf *l, uint64_t at) {
  uint32_t low = 0, high = l->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (l->extent[middle].at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---- spaces ---- */

/* Adds the bytes to the extents beside them, or to the bytes beyond the top, which no extent touches. Without memory
 * for the list the bytes are lost, and nothing else. */
static void give(scree__space *s, uint64_t at, uint64_t bytes) {
  SCREE__INVARIANT(bytes && at + bytes <= s->top);
  const uint32_t in = leaf_of(&s->free, at);
  leaf *l = s->free.count ? &s->free.leaf[in] : NULL;
  const uint32_t i = l ? place_of(l, at) : 0;
  const bool of_next = l && i == l->count;
  extent *before = i ? &l->extent[i - 1] : NULL;
  extent *after = !of_next ? (l ? &l->extent[i] : NULL) : in + 1 < s->free.count ? s->free.leaf[in + 1].extent : NULL;
  SCREE__INVARIANT((!before || before->at + before->bytes <= at) && (!after || at + bytes <= after->at));
  if (before && before->at + before->bytes != at) before = NULL;
  if (after && at + bytes != after->at) after = NULL;
  if (at + bytes == s->top) {
    s->top = before ? before->at : at;
    if (before) erase(&s->free, in, i - 1);
  } else if (before) {
    before->bytes += bytes + (after ? after->bytes : 0);
    if (before->bytes > l->largest) l->largest = before->bytes;
    if (after) erase(&s->free, in + of_next, of_next ? 0 : i);
  } else if (after) {
    *after = (extent){at, bytes + after->bytes, 0};
    refresh(&s->free.leaf[in + of_next]);
  } else {
    insert(&s->free, in, i, (extent){at, bytes, 0});
  }
}

/* Returns false if there are not so many bytes in one piece; *left is then how many there are. */
static bool take(scree__space *s, uint64_t bytes, uint64_t limit, uint64_t *at, uint64_t *left) {
  for (uint32_t n = 0; n < s->free.count; n++) {
    leaf *l = &s->free.leaf[n];
    if (l->largest < bytes) continue;
    uint32_t i = 0;
    while (l->extent[i].bytes < bytes) i++;
    *at = l->extent[i].at;
    l->extent[i].at += bytes;
    l->extent[i].bytes -= bytes;
    if (l->extent[i].bytes)
      refresh(l);
    else
      erase(&s->free, n, i);
    return true;
  }
  *left = limit > s->top ? limit - s->top : 0;
  for (uint32_t n = 0; n < s->free.count; n++)
    if (s->free.leaf[n].largest > *left) *left = s->free.leaf[n].largest;
  if (limit < s->top || limit - s->top < bytes) return false;
  *at = s->top;
  s->top += bytes;
  return true;
}

static void close_extents(scree__extents *s) {
  for (uint32_t n = 0; n < s->count; n++) free(s->leaf[n].extent);
  free(s->leaf);
}
static void close_space(scree__space *s) {
  close_extents(&s->free);
  close_extents(&s->taken);
}

/* Notes which allocation has taken these bytes. Returns false if there is no memory for the list. */
static bool note_taken(scree__space *s, uint64_t at, uint64_t bytes, uint32_t place) {
  const uint32_t in = leaf_of(&s->taken, at);
  return insert(&s->taken, in, s->taken.count ? place_of(&s->taken.leaf[in], at) : 0, (extent){at, bytes, place});
}
static void note_given(scree__space *s, uint64_t at) {
  const uint32_t in = leaf_of(&s->taken, at);
  erase(&s->taken, in, place_of(&s->taken.leaf[in], at));
}
/* Returns the place of the allocation that has this byte, or 0. */
static uint32_t taken_at(const scree__space *s, uint64_t at) {
  if (!s->taken.count) return 0;
  const leaf *l = &s->taken.leaf[leaf_of(&s->taken, at)];
  const uint32_t after = place_of(l, at + 1);
  const extent *e = after ? &l->extent[after - 1] : NULL;
  return e && at - e->at < e->bytes ? e->place : 0;
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
  a->table[*place].generation = a->seed - a->generations;
  return true;
}

static void unuse(scree__allocator *a, uint32_t place) {
  a->table[place].state = UNUSED;
  a->table[place].next = a->unused;
  a->unused = place;
}

/* A place that had all generations is not used again. */
static void forget(scree__allocator *a, uint32_t place) {
  allocation *of = &a->table[place];
  SCREE__INVARIANT(of->state != UNUSED);
  note_given(space_of(a, &of->at), of->at.at);
  give(space_of(a, &of->at), of->at.at, of->at.bytes);
  a->live_bytes -= of->at.outside ? 0 : of->at.bytes * (of->at.everywhere ? a->ranks : 1);
  of->state = UNUSED;
  if (of->generation != a->seed) unuse(a, place);
}

static allocation *find(const scree__allocator *a, const scree_global *array) {
  allocation *of = array->place && array->place < a->count ? &a->table[array->place] : NULL;
  return of && of->state == LIVE && of->generation == array->generation ? of : NULL;
}

/* ---- all of it ---- */

/* The first unit of the parts is never allocated: linear address 0 is none. The first place of the table ends its
 * lists. */
bool scree__allocator_open(scree__allocator *a, uint32_t ranks, uint64_t heap, uint64_t stripe, uint32_t seed,
                           uint32_t generations) {
  uint32_t none;
  *a = (scree__allocator){
      .heap = heap, .seed = seed, .generations = generations, .unit = stripe > ALIGN ? stripe : ALIGN, .ranks = ranks};
  a->all.top = a->unit;
  a->own = calloc(ranks, sizeof *a->own);
  a->outside = calloc(ranks, sizeof *a->outside);
  return a->own && a->outside && find_place(a, &none);
}

void scree__allocator_close(scree__allocator *a) {
  for (uint32_t r = 0; a->own && r < a->ranks; r++) close_space(&a->own[r]);
  for (uint32_t r = 0; a->outside && r < a->ranks; r++) close_space(&a->outside[r]);
  close_space(&a->all);
  free(a->own);
  free(a->outside);
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
  const bool placed = find_place(a, &array->place);
  if (!placed || !note_taken(space_of(a, at), at->at, at->bytes, array->place)) {
    if (placed) unuse(a, array->place);
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

const scree_global *scree__allocator_covering(const scree__allocator *a, uint32_t rank, uint64_t offset, bool *freed) {
  uint32_t place;
  if (offset >= a->heap) {
    place = taken_at(&a->outside[rank], offset - a->heap);
  } else {
    place = taken_at(&a->all, offset);
    if (!place) place = taken_at(&a->own[rank], a->heap - 1 - offset);
  }
  *freed = place && a->table[place].state == QUARANTINED;
  return place ? &a->table[place].array : NULL;
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
