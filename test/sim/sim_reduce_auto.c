/* sim_reduce_auto.c - reduced types in the simulator: when the option combine=auto stops using caches, and which types
 * are refused. */
#include <scree/reduced.h>
#include <scree/scree_sim.h>

#include "harness.h"
#include "reduce/caches.h"

typedef struct {
  uint32_t key, unused;
  uint64_t weight;
} note;

static void add(note *kept, const note *item) {
  kept->weight += item->weight;
}
#define KEY(item)    ((item)->key)
#define WEIGHT(item) ((item)->weight)

SCREE_MESSAGE_REDUCED(sum, note, KEY, add);
SCREE_MESSAGE_FILTERED(lowest, note, KEY, WEIGHT);

/* Of entries of 40 bytes: the smallest cache holds 12, of which 8 are used. */
typedef struct {
  uint64_t key, more[3];
} broad_note;
static void keeps(broad_note *kept, const broad_note *item) {
  kept->more[0] += item->more[0];
}
SCREE_MESSAGE_REDUCED(broad, broad_note, KEY, keeps);

/* ---- option combine=auto ---- */

typedef enum { SENDS, TRIES, HOPS, WAYS } way;

typedef struct {
  uint32_t type;
  way way;       /* whose look-ups are measured: sends, tries, or the rank that passes on */
  bool filtered; /* else its items wait */
  uint64_t sent, keys, handled, weight;
  scree_reduced_stats stats;
} stream;

static void on_stream(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  stream *s = arg;
  s->handled += batch->count;
  for (uint32_t i = 0; i < batch->count; i++) s->weight += ((const note *)items)[i].weight;
}

static void send_item(scree_worker *w, const stream *s, note item) {
  const sum_type sum = {s->type};
  const lowest_type lowest = {s->type};
  const uint32_t to = w->ranks - 1;
  if (s->way == HOPS)
    s->filtered ? lowest_send_at_once(w, lowest, to, item) : sum_send_at_once(w, sum, to, item);
  else if (s->way == SENDS)
    s->filtered ? lowest_send(w, lowest, to, item) : sum_send(w, sum, to, item);
  else
    while (!(s->filtered ? lowest_try_send(w, lowest, to, item) : sum_try_send(w, sum, to, item))) scree_progress(w);
}

static void send_stream(scree_world *world, void *stream_) {
  stream *s = stream_;
  scree_worker *w = scree_worker_of(world, 0);
  const scree_type_desc desc = {.size = sizeof desc,
                                .name = "stream",
                                .item = sizeof(note),
                                .flags = SCREE_ROUTED,
                                .fn = on_stream,
                                .arg = s,
                                .reduction = s->filtered ? lowest__reduction() : sum__reduction()};
  scree_reduced_stats stats = {.size = sizeof stats};
  check_equal(scree_register(world, &desc, &s->type), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint64_t i = 0; i < s->sent && w->rank == 0; i++) send_item(w, s, (note){(uint32_t)(i % s->keys), 0, 1});
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(scree_stats_reduced(world, s->type, &stats), SCREE_OK);
  if (stats.looked_up) s->stats = stats; /* of one rank */
}

static stream run_by(way how, bool filtered, uint64_t sent, uint64_t keys) {
  const scree_sim_config config = {.seed = 1, .ranks = how == HOPS ? 4 : 2, .nodes = 1};
  scree_options o = SCREE_OPTIONS_INIT;
  stream s = {.way = how, .filtered = filtered, .sent = sent, .keys = keys};
  if (how == HOPS) o.route = SCREE_ROUTE_ROOK;
  check_equal(scree_sim_run(&config, &o, send_stream, &s, NULL), SCREE_OK);
  check_equal(s.weight, sent);
  check_equal(s.handled + s.stats.combined, sent);
  return s;
}

static stream run_stream(uint64_t sent, uint64_t keys) {
  return run_by(SENDS, false, sent, keys);
}

HARNESS_TEST(watched_everywhere) {
  for (way how = SENDS; how < WAYS; how++)
    for (int filtered = 0; filtered < 2; filtered++) {
      const stream once = run_by(how, filtered, 100000, 100000);
      check_equal(once.stats.switched_off, 1);
      check_equal(once.stats.looked_up, SCREE__REDUCE_WINDOW);
    }
}

/* All keys differ: off after the first window, again after the one that follows 2^20 items, and then not before 2^21
 * more. Few keys: never. */
HARNESS_TEST(watched) {
  check_equal(run_stream(4000, 4000).stats.switched_off, 0);
  const stream once = run_stream(100000, 100000);
  check_equal(once.stats.switched_off, 1);
  check_equal(once.stats.looked_up, SCREE__REDUCE_WINDOW);
  const stream twice = run_stream((1 << 20) + 200000, 1 << 30);
  check_equal(twice.stats.switched_off, 2);
  check_equal(twice.stats.looked_up, 2 * SCREE__REDUCE_WINDOW);
  const stream longer = run_stream((5 << 20) / 2, 1 << 30);
  check_equal(longer.stats.switched_off, 2);
  const stream few = run_stream(200000, 100);
  check_equal(few.stats.switched_off, 0);
  check_equal(few.stats.combined, 200000 - 100);
}

/* ---- what is refused ---- */

typedef struct {
  const char *expected;
  uint32_t flags;
  bool reduced, sorted, broad;
} refusal;

static uint64_t no_key(const void *item) {
  return 0;
}

static void refuse(scree_world *world, void *refusal_) {
  const refusal *r = refusal_;
  const scree_type_desc desc = {.size = sizeof desc,
                                .name = "odd",
                                .item = r->broad ? sizeof(broad_note) : sizeof(note),
                                .flags = r->flags,
                                .fn = on_stream,
                                .sort = r->sorted ? no_key : NULL,
                                .reduction = !r->reduced ? NULL
                                             : r->broad  ? broad__reduction()
                                                         : sum__reduction()};
  uint32_t id;
  check_equal(scree_register(world, &desc, &id), r->expected ? SCREE_EINVAL : SCREE_OK);
  if (r->expected) check_contains(scree_error_text(world), r->expected);
}

HARNESS_TEST(registrations) {
  const scree_sim_config config = {.seed = 3, .ranks = 2, .nodes = 1};
  scree_options o = SCREE_OPTIONS_INIT;
  refusal small = {"reduced type 'odd': a cache of 512 bytes holds 8 items of 40 bytes, legal are 16 and more: set "
                   "combine_cache to 640 or more",
                   SCREE_ROUTED, true, false, true},
          sorted = {"reduced type 'odd' with a sort key", SCREE_ROUTED, true, true, false},
          plain = {"type 'odd': flags 68: SCREE_UNREDUCED (64) is for types of", SCREE_ROUTED | SCREE_UNREDUCED, false,
                   false, false},
          later = {NULL, SCREE_ROUTED | SCREE_UNREDUCED, true, false, true};
  o.combine_cache = 512;
  check_equal(scree_sim_run(&config, &o, refuse, &small, NULL), SCREE_OK);
  check_equal(scree_sim_run(&config, &o, refuse, &later, NULL), SCREE_OK);
  check_equal(scree_sim_run(&config, NULL, refuse, &sorted, NULL), SCREE_OK);
  o.combine_cache = 640;
  small.expected = NULL;
  check_equal(scree_sim_run(&config, &o, refuse, &small, NULL), SCREE_OK);
  check_equal(scree_sim_run(&config, &o, refuse, &plain, NULL), SCREE_OK);
}

HARNESS_MAIN
