/* draw.c - a program from a row: its shape, options over the ranges of their table, types, epochs, faults. */
#include <stdio.h>
#include <string.h>

#include "base/option_table.h"
#include "traffic.h"

enum { CACHE_MIN = 16 * 48, CACHE_MAX = 1 << 24 };

/* ---- words and streams ---- */

static bool is_name(const char *word, const char *name) {
  for (; *name; word++, name++)
    if (*word != *name && (*word != '_' || *name != '-')) return false;
  return *word == '=';
}

const char *traffic_word(const char *row, const char *name) {
  const char *found = NULL;
  while (*row) {
    if (is_name(row, name)) found = strchr(row, '=') + 1;
    row += strcspn(row, " ");
    row += strspn(row, " ");
  }
  return found;
}

uint64_t traffic_stream(const program *p, const char *name, uint64_t i) {
  uint64_t key = p->seed;
  for (; *name; name++) key = scree__hash(key ^ (unsigned char)*name);
  return scree__hash_draw(key, i);
}

static uint64_t draw(const program *p, const char *name, uint64_t i, uint64_t n) {
  return (traffic_stream(p, name, i) >> 16) % n;
}

/* ---- the shape ---- */

static uint32_t draw_shape(const program *p, const char *name, uint32_t min, uint32_t max, uint32_t odds) {
  const char *text = traffic_word(p->row, name);
  if (text) return (uint32_t)strtoul(text, NULL, 10);
  return draw(p, name, 1, odds) ? min : min + (uint32_t)draw(p, name, 0, max - min + 1);
}

/* What is fixed may be more than the tables of the engine hold. */
static bool shape_is_legal(program *p, char *why) {
  const uint64_t cores = (uint64_t)p->ranks * p->threads * p->epochs;
  if (p->ranks == 0 || p->ranks > MOST_RANKS || p->nodes == 0 || p->threads == 0 || p->threads > MOST_THREADS ||
      p->epochs > MOST_EPOCHS || p->types == 0 || p->types > MOST_TYPES || p->fanout == 0 || p->odds == 0 ||
      p->text > 5 || p->keys > 3 || p->faults > 2 || p->tasks > 3 || p->epochs == 0) {
    snprintf(why, WHY, "row '%s': a value of the shape is out of its range: test/traffic/traffic.h", p->row);
    return false;
  }
  static const uint64_t texts[] = {7, 60, 3000, 9000, 200 << 10, 1 << 20}, keys[] = {1, 7, 200, UINT32_MAX};
  p->nodes = 1 + (p->nodes - 1) % p->ranks;
  p->text_max = texts[p->text];
  p->key_count = keys[p->keys];
  p->quota = (1024 + (640 << 10) / cores) << p->scale;
  return true;
}

/* ---- options ---- */

/* Bounds where those of the table make no sense, or `max` 0: the option is not drawn. Those that are not `always` do
 * not count in wide programs. An option that is not here is drawn over its whole range. */
static const struct {
  const char *name;
  uint64_t min, max;
  bool always;
} bounds[] = {
    {"hang-timeout", 0, 0, true},                  /* only prints */
    {"stats", 0, 0, true},                         /* only prints */
    {"threads", 0, 0, true},                       /* of the shape */
    {"memory", 4096, 1 << 17, false},              /* programs are small */
    {"coalesce-bytes", 1, 8192, false},            /* so that blocks fill up */
    {"overflow-max", 1, UINT64_C(1) << 40, false}, /* else the program may fail */
    {"combine-cache", CACHE_MIN, CACHE_MAX, true}, /* 16 entries are legal; all workers of a small host have one */
    {"combine-cache", CACHE_MIN, 1 << 14, false},  /* so that they fill up */
    {"test-receives", 1, 8, false},                /* each has the memory of a block */
    {"test-numbers-left", 0, 64, true},            /* so that they start again */
    {"in-flight", 1, 16, false},
    {"spin", 0, 100, false}, /* where ranks outnumber cores, it is time: with 1000, minutes */
};

/* Uniform in the number of bits above the minimum. */
static uint64_t magnitude(uint64_t min, uint64_t span, uint64_t *random) {
  uint64_t bits = 0;
  while (bits < 64 && span >> bits) bits++;
  bits = below(random, bits + 1);
  const uint64_t drawn = bits == 0 ? 0 : scree__draw(random) >> (64 - bits);
  return min + (drawn > span ? span : drawn);
}

static uint64_t draw_value(const program *p, const scree_option *row, uint64_t min, uint64_t max, uint64_t *random) {
  const uint64_t span = max - min;
  if (row->kind == SCREE_KIND_CHOICE) return min + scree__draw(random) % (span + 1);
  if (below(random, 4) < p->tight) return min + below(random, span < 8 ? span + 1 : 8);
  switch (below(random, 8)) {
  case 0:
    return max - below(random, span < 20 ? span + 1 : 20);
  case 1:
    return SCREE_UNSET;
  default:
    return magnitude(min, span, random);
  }
}

static void draw_option(program *p, const scree_option *row, uint64_t *field) {
  const bool of_tests =
      strncmp(row->name, "test-", 5) == 0; /* drawn as when it was an option: seeds keep their programs */
  uint64_t random = traffic_stream(p, row->name + (of_tests ? 5 : 0), 0), min = row->min, max = row->max;
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    if (strcmp(bounds[i].name, row->name) != 0 || (p->wide && !bounds[i].always)) continue;
    if (bounds[i].max == 0) return;
    min = bounds[i].min, max = bounds[i].max;
  }
  if (p->options && below(&random, 1 + 3 * (p->options - 1)) == 0) *field = draw_value(p, row, min, max, &random);
}

/* Memory for overflow suffices, but in some programs that may fail; not where many tasks are stolen, by messages of
 * handlers that scree_close may send too. */
static void draw_overflow(program *p) {
  uint64_t *max = &p->drawn.overflow_max;
  const bool steals = p->tasks && p->global && p->bytes;
  if (traffic_word(p->row, "overflow-max")) return;
  if (p->wide && draw(p, "overflow-max", 3, 4)) *max = SCREE_UNSET;
  if (!p->wide && *max != SCREE_UNSET) *max = UINT64_C(1) << 40;
  if (p->faults && !steals && draw(p, "overflow-max", 1, 2)) *max = UINT64_C(5000) << draw(p, "overflow-max", 2, 4);
}

/* Combinations that are refused. */
static void make_legal(program *p) {
  scree__options *o = &p->drawn;
  if (!p->mpi) p->nodes = 1, o->transport = SCREE_UNSET;
  if ((p->ranks == 1 || !p->mpi) && o->progress == SCREE_PROGRESS_COMM) o->progress = SCREE_PROGRESS_NONE;
  if (o->progress == SCREE_PROGRESS_COMM) { /* which needs blocks that travel by MPI, and serves one class of hops */
    o->transport = SCREE_TRANSPORT_MPI;
    o->route = SCREE_ROUTE_DIRECT;
    o->aggregate = SCREE_AGGREGATE_WORKER;
    o->urgent_types = SCREE_URGENT_TYPES_OFF;
  }
  if (o->progress != SCREE_UNSET && o->progress && o->thread_level == SCREE_THREAD_LEVEL_FUNNELED)
    o->thread_level = SCREE_THREAD_LEVEL_AUTO;
  if (p->reduced && draw(p, "checked", 1, 8)) o->checked = SCREE_UNSET; /* a checked world combines nothing */
  o->threads = p->threads;
}

static bool draw_options(program *p, char *why) {
  p->drawn = (scree__options)SCREE__OPTIONS_INIT;
  const scree_option *row;
  for (size_t i = 0; (row = scree__option_at(i)); i++) {
    uint64_t *field = (uint64_t *)((char *)&p->drawn + row->offset);
    const char *text = traffic_word(p->row, row->name);
    char value[64];
    if (!text) {
      draw_option(p, row, field);
    } else if (strncmp(text, "default", 7) != 0) {
      snprintf(value, sizeof value, "%.*s", (int)strcspn(text, " "), text);
      if (scree__option_parse(row, &p->drawn, value, "", why, WHY)) return false;
    }
  }
  draw_overflow(p);
  make_legal(p);
  return true;
}

/* ---- types, epochs, faults ---- */

static void draw_type(program *p, uint32_t i) {
  drawn_type *t = &p->type[i];
  uint32_t kind =
      (uint32_t)draw(p, "kind", i, i == 0 ? 3 : traffic_kind_count); /* the first is small, and there at once */
  if ((p->reduced && i + 1 == p->types) || (i && draw(p, "of reduced", i, 6) == 0))
    kind = traffic_kind_count - 1 - (uint32_t)draw(p, "kind", i, 3);
  t->kind = &traffic_kinds[kind];
  const bool reduced = t->kind->family >= SUMMED && i + 1 == p->types;
  if (p->tasks && i && !reduced && ((p->bytes && i == 1) || draw(p, "of tasks", i, 3) == 0))
    t->kind = &traffic_kinds[traffic_kind_count + draw(p, "kind of tasks", i, 2)];
  t->from = i == 0 || draw(p, "from", i, 3) ? 0 : (uint32_t)draw(p, "from epoch", i, p->epochs);
  if (p->loops && i && !reduced && (i == 1 || draw(p, "of loops", i, 3) == 0))
    t->kind = &traffic_kinds[traffic_kind_count + (draw(p, "kind of loops", i, 4) ? 2 : 3)];
  if (t->kind->family == TASK || t->kind->family == LOOP) {
    t->flags = SCREE_TO_WORKER;
    return;
  }
  t->flags = (uint32_t)draw(p, "workers", i, 3);
  if (t->kind->flags & SCREE_ROUTED && draw(p, "any source", i, 3) == 0) t->flags |= SCREE_ANY_SOURCE;
  if (t->kind->family >= SUMMED) {
    if (draw(p, "unreduced", i, 8) == 0) t->flags |= SCREE_UNREDUCED;
    return;
  }
  if (p->drawn.urgent_types == SCREE_URGENT_TYPES_ON && draw(p, "urgent", i, 2)) t->flags |= SCREE_URGENT;
  t->sorted = t->kind->family == FIXED && draw(p, "sorted", i, 4) == 0;
}

static bool begins_here(const program *p, uint32_t e) {
  for (uint32_t i = 0; i < p->types; i++)
    if (p->type[i].from == e) return true;
  return e == 0 || p->epoch[e].alone || p->epoch[e - 1].alone || p->epoch[e].takers != p->epoch[e - 1].takers ||
         draw(p, "first", e, 4) == 0;
}

static void draw_epoch(program *p, uint32_t e) {
  drawn_epoch *d = &p->epoch[e];
  const bool same = e > 0 && draw(p, "same", e, 2);
  d->key = traffic_stream(p, "epoch", e);
  d->pattern = draw(p, "uniform", e, 4) ? UNIFORM : (pattern)draw(p, "pattern", e, PATTERNS);
  d->one = (uint32_t)draw(p, "one", e, p->ranks);
  d->takers = same ? p->epoch[e - 1].takers : 1 + (uint32_t)draw(p, "takers", e, p->threads);
  d->alone = d->takers == 1 && draw(p, "alone", e, 2);
  d->first = begins_here(p, e);
  d->tested = p->postpones == 1 || draw(p, "tested", e, 2);
  d->held = p->hands && e > 0 && draw(p, "held", e, 4) == 0;
  d->mute = p->mute ? (uint32_t)draw(p, "mute rank", e, p->ranks) : UINT32_MAX;
}

static void draw_fault(program *p, uint32_t i) {
  static const scree_status codes[] = {SCREE_EINVAL, SCREE_ENOMEM, SCREE_EMPI};
  drawn_fault *f = &p->fault[i];
  f->rank = (uint32_t)draw(p, "fault rank", i, p->ranks);
  f->epoch = (uint32_t)draw(p, "fault epoch", i, p->epochs);
  f->after = (uint32_t)draw(p, "fault after", i, 7);
  f->misuse = draw(p, "misuse", i, 4) == 0;
  f->code = f->misuse ? SCREE_ESTATE : codes[draw(p, "code", i, 3)];
  f->worker = (uint32_t)draw(p, "fault worker", i, p->epoch[f->epoch].takers);
  if (has_progress(p) && f->after && draw(p, "fault of progress", i, 3) == 0) f->worker = p->threads;
}

bool traffic_draw(program *p, const char *row, char *why) {
  const char *seed = traffic_word(row, "seed");
  *p = (program){.row = row, .seed = seed ? strtoull(seed, NULL, 10) : 1};
#define DRAW(name, min, max, odds) p->name = draw_shape(p, #name, min, max, odds);
  TRAFFIC_SHAPE(DRAW)
  if (!shape_is_legal(p, why) || !draw_options(p, why)) return false;
  if (!p->tasks) p->global = p->loops = p->objects = 0;
  if (!p->global) p->bytes = 0;
  for (uint32_t i = 0; i < p->types; i++) draw_type(p, i);
  for (uint32_t e = 0; e < p->epochs; e++) draw_epoch(p, e);
  for (uint32_t i = 0; i < p->faults; i++) draw_fault(p, i);
  return true;
}
