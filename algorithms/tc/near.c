/* near.c - triangles by rows that are on this node: a long one is compared with a hash table of the row that is
 * examined, or searched; short ones are merged. */
#include <string.h>

#include "tc/run.h"

/* PIECE to LINE: of long rows. SHORT: keys of a row that is merged, at most. TURN: vertices, and keys, at a time. */
enum { PIECE = 256, SEARCHES = 32, AHEAD = 8, FEW = 32, LINE = 64, SHORT = 8, TURN = 1024 };

static bool is_near(const scree__run *run, const scree__tc *t, uint64_t rank) {
  return (rank == run->worker->rank) | (t->how->node & (t->rows->index_of[rank] != UINT32_MAX));
}

/* ---- long rows ---- */

/* A vertex and its row, which is in a hash table while rows of earlier neighbours are compared with it. */
typedef struct {
  const scree__tc *t;
  scree__tc_part *p;
  scree__tc_row row;
  uint64_t self;  /* its own key */
  unsigned shift; /* of a hash; 64: the table is empty */
} examined;

static inline uint64_t hash_of(uint64_t key) {
  return key * UINT64_C(0x9E3779B97F4A7C15);
}
static inline uint64_t *filter_word(const examined *x, uint64_t hash) {
  return &x->p->filter[hash >> (64 - SCREE__TC_FILTER + 6)];
}
static inline unsigned filter_bit(uint64_t hash) {
  return (unsigned)(hash >> (64 - SCREE__TC_FILTER)) % 64;
}

/* At most a quarter of the slots is in use. */
static void enter(examined *x) {
  const uint64_t count = x->row.end - x->row.begin;
  x->shift = (unsigned)__builtin_clzll(4 * count - 1);
  const uint64_t mask = UINT64_MAX >> x->shift;
  memset(x->p->slots, 0, (mask + 1) * sizeof *x->p->slots);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t hash = hash_of(scree__head_get(x->row.keys, x->t->wide, x->row.begin + i));
    uint64_t k = hash >> x->shift;
    while (x->p->slots[k]) k = (k + 1) & mask;
    x->p->slots[k] = (uint32_t)i + 1;
    *filter_word(x, hash) |= UINT64_C(1) << filter_bit(hash);
  }
}

static void clear_filter(const examined *x) {
  for (uint64_t i = x->row.begin; i < x->row.end && x->shift < 64; i++)
    *filter_word(x, hash_of(scree__head_get(x->row.keys, x->t->wide, i))) = 0;
}

static inline uint64_t look_up_key(const examined *x, uint64_t key, uint64_t hash) {
  const uint32_t *slots = x->p->slots;
  const uint64_t mask = UINT64_MAX >> x->shift;
  for (uint64_t k = hash >> x->shift; slots[k]; k = (k + 1) & mask) {
    if (scree__head_get(x->row.keys, x->t->wide, x->row.begin + slots[k] - 1) != key) continue;
    x->p->found[slots[k] - 1]++;
    return 1;
  }
  return 0;
}

static uint64_t look_up(const examined *x, const uint64_t *keys, uint64_t count) {
  uint64_t triangles = 0;
  for (uint64_t i = 0; i < count; i++) triangles += look_up_key(x, keys[i], hash_of(keys[i]));
  return triangles;
}

/* Looks up those keys of `row` after the examined vertex that pass the filter: they are collected without branches,
 * which would be mispredicted. `wide` is a constant. */
static inline __attribute__((always_inline)) uint64_t look_up_rest(const examined *x, scree__tc_row row, bool wide) {
  uint64_t triangles = 0, keys[PIECE], count = 0;
  if (row.end - row.begin < FEW) { /* its end is known before its keys are loaded */
    for (uint64_t i = row.begin; i < row.end; i++) {
      const uint64_t key = scree__head_get(row.keys, wide, i), hash = hash_of(key);
      if (*filter_word(x, hash) >> filter_bit(hash) & 1) triangles += look_up_key(x, key, hash);
    }
    return triangles;
  }
  for (uint64_t i = row.end; i-- > row.begin;) {
    const uint64_t key = scree__head_get(row.keys, wide, i), hash = hash_of(key);
    if (key <= x->self) break;
    keys[count] = key;
    count += *filter_word(x, hash) >> filter_bit(hash) & 1;
    if (count < PIECE) continue;
    triangles += look_up(x, keys, count);
    count = 0;
  }
  return triangles + look_up(x, keys, count);
}

/* Searches a long row for each key of the examined one. */
static uint64_t search_each(const examined *x, scree__tc_row row) {
  uint64_t triangles = 0, at = row.begin;
  for (uint64_t i = x->row.begin; i < x->row.end && at < row.end; i++) {
    const uint64_t key = scree__head_get(x->row.keys, x->t->wide, i);
    at = scree__tc_search(row, x->t->wide, at, key);
    if (at == row.end || scree__head_get(row.keys, x->t->wide, at) != key) continue;
    x->p->found[i - x->row.begin]++;
    triangles++;
  }
  return triangles;
}

/* Triangles of the examined vertex and of the neighbour that has that row. */
static uint64_t compare(scree__run *run, examined *x, scree__tc_row row) {
  const uint64_t count = x->row.end - x->row.begin;
  if (row.begin == row.end) return 0;
  run->work.edges += row.end - row.begin;
  if (row.end - row.begin > SEARCHES * count) return search_each(x, row);
  if (x->shift == 64) enter(x);
  return x->t->wide ? look_up_rest(x, row, true) : look_up_rest(x, row, false);
}

/* The last keys of a row. */
static void prefetch(const scree__tc *t, uint64_t key) {
  const scree__tc_row row = scree__tc_row_of(t, scree__tc_location(t, key));
  const char *end = (const char *)row.keys + row.end * scree__head_bytes(t->wide);
  __builtin_prefetch(end - 1);
  __builtin_prefetch(end - LINE);
}

/* The keys of the neighbours whose rows are compared, at most those of a row of the graph. With classes of degrees they
 * are the earlier ones: of their rows only the part after the examined vertex counts, a third of the keys on Kronecker
 * graphs. Else they are the later ones, whose rows are shorter. */
static uint64_t *others(const scree__run *run, const examined *x, uint64_t u, uint64_t *near) {
  const scree__tc *t = x->t;
  uint64_t count = x->row.end - x->row.begin, *keys = x->p->keys, kept = 0;
  if (t->class_of) keys = scree__tc_neighbours(run, u, x->p->repeats, &count);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t key = t->class_of ? keys[i] : scree__head_get(x->row.keys, t->wide, x->row.begin + i);
    keys[kept] = key;
    kept += (!t->class_of | (key < x->self)) & is_near(run, t, scree__tc_location(t, key) >> run->graph->local_bits);
  }
  *near = kept;
  return keys;
}

/* The triangles that are found by rows on this node. */
static uint64_t compare_near(scree__run *run, examined *x, uint64_t u) {
  const scree__tc *t = x->t;
  uint64_t near, all = 0;
  const uint64_t *keys = others(run, x, u, &near);
  for (uint64_t i = 0; i < near; i++) __builtin_prefetch(scree__tc_offset_of(t, scree__tc_location(t, keys[i])));
  for (uint64_t i = 0; i < near && i < AHEAD; i++) prefetch(t, keys[i]);
  for (uint64_t i = 0; i < near; i++) {
    if (i + AHEAD < near) prefetch(t, keys[i + AHEAD]);
    const uint64_t location = scree__tc_location(t, keys[i]);
    const uint64_t triangles = compare(run, x, scree__tc_row_of(t, location));
    if (triangles) scree__tc_add(run, location, triangles);
    all += triangles;
  }
  clear_filter(x);
  return all;
}

static void examine_long(scree__run *run, examined *x, uint64_t u) {
  x->self = scree__tc_key_of(x->t, scree__tc_own_location(run->graph, u));
  const uint64_t all = compare_near(run, x, u);
  ((uint64_t *)run->result[0])[u] += all;
  for (uint64_t i = x->row.begin; i < x->row.end; i++) {
    const uint64_t location = scree__tc_location(x->t, scree__head_get(x->row.keys, x->t->wide, i));
    uint32_t *found = &x->p->found[i - x->row.begin];
    if (*found) scree__tc_add(run, location, *found);
    *found = 0;
    if (i + 1 < x->row.end && !is_near(run, x->t, location >> run->graph->local_bits))
      x->t->how->far(run, u, (uint32_t)(i - x->row.begin), location);
  }
}

/* ---- short rows ---- */

/* What the row of the neighbour at `at` and the rest of that of the examined vertex have in common, key by key: a table
 * costs more. `wide` is a constant. */
static inline __attribute__((always_inline)) uint64_t merge(scree__run *run, const examined *x, uint64_t at,
                                                            scree__tc_row row, bool wide) {
  uint64_t triangles = 0;
  while (at < x->row.end && row.begin < row.end) {
    const uint64_t one = scree__head_get(x->row.keys, wide, at), other = scree__head_get(row.keys, wide, row.begin);
    if (one == other) scree__tc_add(run, one, 1), triangles++;
    at += one <= other;
    row.begin += other <= one;
  }
  return triangles;
}

/* Of a row whose keys are packed locations, and ascend. */
static inline __attribute__((always_inline)) void examine_short(scree__run *run, const examined *x, uint64_t u,
                                                                scree__tc_rows own, bool wide) {
  const unsigned bits = run->graph->local_bits;
  const uint64_t mine = (uint64_t)run->worker->rank << bits;
  uint64_t all = 0;
  for (uint64_t i = x->row.begin; i + 1 < x->row.end; i++) {
    const uint64_t location = scree__head_get(x->row.keys, wide, i), local = location - mine;
    scree__tc_row row = {own.keys, 0, 0};
    if (local >> bits == 0)
      row.begin = own.offsets[local], row.end = own.offsets[local + 1];
    else if (is_near(run, x->t, location >> bits))
      row = scree__tc_row_of(x->t, location);
    else
      x->t->how->far(run, u, (uint32_t)(i - x->row.begin), location);
    const uint64_t triangles = merge(run, x, i + 1, row, wide);
    if (triangles) scree__tc_add(run, location, triangles);
    all += triangles;
  }
  run->work.edges += x->row.end - x->row.begin;
  if (all) ((uint64_t *)run->result[0])[u] += all;
}

/* ---- */

/* Those from `from` to `end` - 1, until enough keys have been compared. Returns the next one. */
static inline __attribute__((always_inline)) uint64_t examine(scree__run *run, uint64_t from, uint64_t end, bool wide) {
  const scree__tc *t = run->own;
  scree__tc_part *p = scree__tc_part_of(run);
  const scree__tc_rows own = scree__tc_rows_of(t, run->worker->rank);
  const uint64_t edges = run->work.edges + TURN, few = t->classed ? 0 : SHORT;
  const bool padded = p->repeats;
  uint64_t u = from, next = own.offsets[from];
  for (; u < end && run->work.edges < edges && p->fars < t->fars; u++) {
    examined x = {t, p, {own.keys, next, own.offsets[u + 1]}, 0, 64};
    next = x.row.end;
    while (padded && x.row.end > x.row.begin && !scree__tc_is_vertex(t, scree__head_get(own.keys, wide, x.row.end - 1)))
      x.row.end--;
    if (x.row.end - x.row.begin <= few)
      examine_short(run, &x, u, own, wide);
    else if (x.row.end > x.row.begin)
      examine_long(run, &x, u);
  }
  return u;
}

void scree__tc_examine(scree__run *run) {
  const scree__tc *t = run->own;
  scree__tc_part *p = scree__tc_part_of(run);
  const uint64_t begun = scree__work_begin(run);
  const uint64_t from = p->first + p->next, end = p->first + (p->count - p->next < TURN ? p->count : p->next + TURN);
  p->next = (t->wide ? examine(run, from, end, true) : examine(run, from, end, false)) - p->first;
  p->more.sum[0] = p->next < p->count;
  scree__work_end(run, begun);
}
