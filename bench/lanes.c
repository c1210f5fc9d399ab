/* lanes.c - the cost of a send as the number of destinations grows.
 *
 * Only the sending half runs: 8-byte items to uniformly drawn destinations of a world whose transport
 * discards the blocks (support/nil_transport.h). They come from private memory, stay in flight until there is one per
 * rank, and are then reused. There is no receiver and no handler call, and each rank runs by itself. The baseline is a
 * loop that only draws destinations. */
#include "common.h"
#include "nil_transport.h"
#include "open/resolve.h"

typedef struct {
  uint64_t value;
} item;
SCREE_MESSAGE(spray, item);

/* ---- measurements ---- */

typedef struct {
  const char *name;
  bool huge;
  uint64_t coalesce_bytes, memory; /* SCREE_UNSET: the default */
  bool usual;
  scree__options options; /* resolved */
  char *arena;            /* used by one world at a time */
} kind;

typedef struct {
  nil_transport nil;
  const kind *kind;
  uint32_t dests;
  scree_world *world;
  scree_worker *w;
  spray_type t;
} context;

static const uint64_t seed = 88172645463325252u;

static void run_sends(void *arg, uint64_t n) {
  const context *s = arg;
  uint64_t x = seed;
  scree_begin(s->w);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t draw = bench_draw(&x);
    spray_send(s->w, s->t, bench_below(draw, s->dests), (item){draw});
  }
  scree_end(s->w, NULL);
}

/* Items are always counted; their values are checked during warm-up. */
static bool check_sends(void *arg, uint64_t n) {
  context *s = arg;
  nil_transport *nil = &s->nil;
  uint64_t x = seed, sum = 0;
  for (uint64_t i = 0; nil->check_items && i < n; i++) sum += bench_draw(&x);
  bool good = nil->items == n && nil->sum == sum && scree_error(s->world) == SCREE_OK;
  nil->items = nil->sum = 0;
  nil->check_items = false;
  return good;
}

static void run_draws(void *arg, uint64_t n) {
  uint32_t dests = *(const uint32_t *)arg;
  uint64_t x = seed, sum = 0;
  for (uint64_t i = 0; i < n; i++) sum += bench_below(bench_draw(&x), dests);
  __asm__ __volatile__("" ::"r"(sum));
}

static void never(scree_worker *w, const scree_batch *batch, const item *items, void *arg) {
  (void)w;
  (void)batch;
  (void)items;
  (void)arg;
}
SCREE_HANDLER(spray, item, never);

/* This rank is the last, so that it is not among the destinations. */
static bool open_context(context *s, const kind *k, uint32_t dests) {
  *s = (context){.kind = k, .dests = dests};
  bench_nil_transport(&s->nil, dests + 1, &k->options, k->arena);
  scree__transport *nil = &s->nil.base;
  s->world = scree__world_new(1, 1, scree__features);
  if (!s->world || scree__world_init(s->world, &nil->options, 1, &nil) != SCREE_OK) return false;
  s->w = scree_worker_of(s->world, 0);
  return spray_register(s->world, NULL, &s->t) == SCREE_OK;
}

static bool open_kind(kind *k) {
  char why[200];
  k->options = (scree__options)SCREE__OPTIONS_INIT;
  k->options.coalesce_bytes = k->coalesce_bytes;
  k->options.memory = k->memory;
  if (scree__options_complete(&k->options, &k->options.user, why, sizeof why) != 0) {
    fprintf(stderr, "lanes: %s\n", why);
    return false;
  }
  k->arena = bench_alloc(k->options.memory, k->huge);
  return k->arena;
}

static double bytes_per_block(const context *s) {
  uint64_t bytes = 0, blocks = 0;
  for (uint32_t d = 0; d < s->dests; d++) {
    scree_lane_stats lane = {.size = sizeof lane};
    if (scree_stats_lane(s->world, s->t.id, d, &lane) != SCREE_OK) continue;
    bytes += lane.bytes;
    blocks += lane.blocks_full + lane.blocks_aged + lane.blocks_end;
  }
  return blocks ? (double)bytes / (double)blocks : 0;
}

static void report(bench *b, const context *s, const bench_variant *variant, double draw, double fewest) {
  bench_row(b, BENCH_CELL("destinations", "%5.0f", s->dests, 1), BENCH_TEXT("blocks", "  %-22s", s->kind->name),
            BENCH_CELL("seconds", " %7.2f", variant->seconds, 1e9), BENCH_CELL("draw_seconds", " %7.2f", draw, 1e9),
            BENCH_CELL("fewest_ratio", " %8.2f", variant->seconds / fewest, 1),
            BENCH_CELL("block_bytes", " %9.0f", bytes_per_block(s), 1),
            BENCH_CELL("spread", " %6.0f%%", variant->spread, 100));
}

/* ---- rows: every round covers every number of destinations ---- */

enum { MIN_LOG2 = 1, MAX_LOG2 = 10, STEPS = MAX_LOG2 - MIN_LOG2 + 1, KINDS = 4 };

static bool run_all(bench *b, kind *kinds, context *contexts) {
  uint32_t many = 1 << MAX_LOG2;
  uint64_t n = UINT64_C(1) << (b->scale ? b->scale : 21);
  bench_variant variants[1 + KINDS * STEPS] = {{.name = "draw", .run = run_draws, .arg = &many, .n = n}};
  int count = 1;
  bool good = true;
  for (int k = 0; good && k < KINDS; k++) {
    if (!b->full && !kinds[k].usual) continue;
    good = open_kind(&kinds[k]);
    for (int i = MIN_LOG2; good && i <= MAX_LOG2; i++, count++) {
      context *s = &contexts[count - 1];
      good = open_context(s, &kinds[k], (uint32_t)1 << i);
      variants[count] =
          (bench_variant){.name = kinds[k].name, .run = run_sends, .check = check_sends, .arg = s, .n = n};
    }
  }
  good = bench_all(good) && bench_rounds(b, variants, count);
  for (int i = 1; good && i < count; i++)
    report(b, &contexts[i - 1], &variants[i], variants[0].seconds, variants[i - (i - 1) % STEPS].seconds);
  return good;
}

static bool run(bench *b) {
  static context contexts[KINDS * STEPS];
  kind kinds[KINDS] = {
      {.name = "default, huge pages",
       .huge = true,
       .coalesce_bytes = SCREE_UNSET,
       .memory = SCREE_UNSET,
       .usual = true},
      {.name = "default, 4 KiB pages", .coalesce_bytes = SCREE_UNSET, .memory = SCREE_UNSET, .usual = true},
      {.name = "64 KiB, huge pages", .huge = true, .coalesce_bytes = 1 << 16, .memory = 1 << 28},
      {.name = "64 KiB, 4 KiB pages", .coalesce_bytes = 1 << 16, .memory = 1 << 28}};
  if (b->rank == 0)
    printf("%5s  %-22s %7s %7s %8s %9s %7s   (send, draw: ns per send and per draw of a destination; filled: bytes per "
           "flushed block)\n",
           "dests", "blocks", "send", "draw", "/fewest", "filled", "spread");
  bool good = run_all(b, kinds, contexts);
  for (int i = 0; i < KINDS * STEPS; i++)
    if (contexts[i].world && scree_close(contexts[i].world) != SCREE_OK) good = false;
  for (int i = 0; i < KINDS; i++) scree_huge_free(kinds[i].arena);
  return good;
}

const bench_mode bench_modes[] = {
    {.name = "lanes",
     .what = "the cost of a send to 2 to 1,024 destinations, without receivers; --scale: log2 of the sends per round, "
             "default 21; --full: large blocks too",
     .run = run},
    {0}};
