/* sim_stats.c - the statistics of a known program, number by number, as table and as JSON.
 *
 * The runs are unperturbed, so every count is known. */
#include <cjson/cJSON.h>
#include <scree/reduced.h>
#include <scree/scree_sim.h>

#include "capture.h"
#include "harness.h"

enum { RANKS = 3, ITEMS = 1005, PER_BLOCK = 100, COALESCE = 8 * PER_BLOCK };

SCREE_MESSAGE(tick, uint64_t);
SCREE_MESSAGE(tock, uint32_t);
SCREE_VARIABLE(words);

typedef struct {
  tick_type tick;
  tock_type tock;
  words_type words;
  uint64_t handled, batches;
} clerk;

static void on_tick(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  ((clerk *)arg)->handled += batch->count;
  ((clerk *)arg)->batches++;
}
static void on_tock(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  ((clerk *)arg)->handled += batch->count;
  ((clerk *)arg)->batches++;
}
static void on_words(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  ((clerk *)arg)->handled += batch->count;
  ((clerk *)arg)->batches++;
}

SCREE_HANDLER(tick, uint64_t, on_tick);
SCREE_HANDLER(tock, uint32_t, on_tock);
SCREE_VARIABLE_HANDLER(words, on_words);

/* Sends ITEMS ticks to each rank, three tocks to itself with a flush after the first, and two records to rank 0: one
 * of 10 bytes, and one that takes a block of its own. */
static void work(scree_world *world, clerk *c) {
  scree_worker *w = scree_worker_of(world, 0);
  static const char record[10000];
  check_equal(tick_register(world, c, &c->tick), SCREE_OK);
  check_equal(tock_register(world, c, &c->tock), SCREE_OK);
  check_equal(words_register(world, c, &c->words), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t d = 0; d < RANKS; d++)
    for (uint64_t i = 0; i < ITEMS; i++) tick_send(w, c->tick, d, i);
  for (uint32_t i = 0; i < 3; i++) {
    tock_send(w, c->tock, w->rank, i);
    if (i == 0) scree_flush_lane(w, c->tock.id, w->rank);
  }
  words_send(w, c->words, 0, record, 10);
  words_send(w, c->words, 0, record, sizeof record);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void check_lane(const scree_world *world, uint32_t type, uint32_t dest, scree_lane_stats expected) {
  scree_lane_stats s = {.size = sizeof s};
  check_equal(scree_stats_lane(world, type, dest, &s), SCREE_OK);
  check_equal(s.items, expected.items);
  check_equal(s.bytes, expected.bytes);
  check_equal(s.blocks_full, expected.blocks_full);
  check_equal(s.blocks_aged, expected.blocks_aged);
  check_equal(s.blocks_end, expected.blocks_end);
  check_equal(s.coalesce_bytes, expected.coalesce_bytes);
}

/* A program of another release has a shorter or longer struct; one of 0.2 none whose size is set. */
#define CHECK_SIZES(type, read, first)                                                                                 \
  do {                                                                                                                 \
    struct {                                                                                                           \
      type known;                                                                                                      \
      uint64_t unknown;                                                                                                \
    } newer = {.known.size = sizeof newer, .unknown = 7};                                                              \
    type older = {.size = 2 * sizeof(size_t)}, none = {.size = 0}, odd = {.size = sizeof odd - 1},                     \
         huge = {.size = 8192};                                                                                        \
    memset((char *)&older + older.size, 7, sizeof older - older.size);                                                 \
    const type before = older;                                                                                         \
    check(read(&newer.known) == SCREE_OK && newer.known.size == sizeof newer && newer.unknown == 0);                   \
    check(read(&older) == SCREE_OK && older.first == newer.known.first && older.size == 2 * sizeof(size_t));           \
    check(memcmp((char *)&older + 16, (const char *)&before + 16, sizeof older - 16) == 0);                            \
    check(read(&none) == SCREE_EINVAL && read(&odd) == SCREE_EINVAL && read(&huge) == SCREE_EINVAL);                   \
  } while (0)

static void check_sizes(const scree_world *world, const clerk *c) {
#define READ(to)         scree_stats_read(world, to)
#define READ_LANE(to)    scree_stats_lane(world, c->tick.id, 0, to)
#define READ_REDUCED(to) scree_stats_reduced(world, c->tick.id, to)
  CHECK_SIZES(scree_stats, READ, epochs);
  CHECK_SIZES(scree_lane_stats, READ_LANE, items);
  CHECK_SIZES(scree_reduced_stats, READ_REDUCED, looked_up);
}

static void check_lanes(const scree_world *world, const clerk *c) {
  uint32_t me = scree_worker_of((scree_world *)(uintptr_t)world, 0)->rank;
  for (uint32_t d = 0; d < RANKS; d++) {
    check_lane(world, c->tick.id, d, (scree_lane_stats){0, ITEMS, 8 * ITEMS, ITEMS / PER_BLOCK, 0, 1, COALESCE});
    if (d == me)
      check_lane(world, c->tock.id, d, (scree_lane_stats){0, 3, 12, 0, 1, 1, COALESCE});
    else
      check_lane(world, c->tock.id, d, (scree_lane_stats){0, 0, 0, 0, 0, 0, COALESCE});
    if (d > 0) check_lane(world, c->words.id, d, (scree_lane_stats){0, 0, 0, 0, 0, 0, COALESCE});
  }
  check_lane(world, c->words.id, 0, (scree_lane_stats){0, 2, 24 + 10000, 1, 0, 1, COALESCE});
}

static uint64_t detection_rounds; /* of all ranks: which rank reads the counters is random */

/* 11 blocks of ticks to each rank, 2 of tocks, 1 + 1 of words. */
static void check_counts(const scree_world *world, const clerk *c) {
  scree_stats s = {.size = sizeof s};
  bool first = scree_worker_of((scree_world *)(uintptr_t)world, 0)->rank == 0;
  scree_stats_read(world, &s);
  check_equal(s.epochs, 1);
  detection_rounds += s.detection_rounds;
  check_equal(s.created, 11 * RANKS + 2 + 2);
  check_equal(s.completed, 11 * RANKS + 2 + (first ? 2 * RANKS : 0));
  check_equal(s.items_handled, ITEMS * RANKS + 3 + (first ? 2 * RANKS : 0));
  check_equal(s.items_handled, c->handled);
  check_equal(s.batches, c->batches);
  check_equal(s.waits, 0);
  check_equal(s.overflow_blocks, 0);
  check_equal(s.overflow_peak, 0);
  check_equal(s.open_peak, RANKS + 2); /* ticks to each rank, a tock, words */
}

static double number_of(const cJSON *object, const char *name) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  return check_text(cJSON_IsNumber(item), "no number '%s'", name) ? item->valuedouble : -1;
}

static void check_json(const scree_world *world) {
  char *text = capture_stats(world, true);
  cJSON *all = cJSON_Parse(text);
  uint32_t rank = scree_worker_of((scree_world *)(uintptr_t)world, 0)->rank;
  if (check_text(all != NULL, "no JSON: %s", text)) {
    const cJSON *lanes = cJSON_GetObjectItemCaseSensitive(all, "lanes");
    check(number_of(all, "rank") == rank && number_of(all, "ranks") == RANKS && number_of(all, "epochs") == 1);
    check(number_of(all, "created") == 11 * RANKS + 2 + 2);
    check_equal(cJSON_GetArraySize(lanes), RANKS + 2);
    const cJSON *tick = cJSON_GetArrayItem(lanes, 1);
    check_string(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tick, "type")), "tick");
    check(number_of(tick, "to") == 1 && number_of(tick, "items") == ITEMS && number_of(tick, "bytes") == 8 * ITEMS);
    check(number_of(tick, "blocks_full") == 10 && number_of(tick, "blocks_aged") == 0 &&
          number_of(tick, "blocks_end") == 1);
    check(number_of(tick, "coalesce_bytes") == COALESCE);
  }
  cJSON_Delete(all);
  free(text);
}

static void check_table(const scree_world *world) {
  char *text = capture_stats(world, false);
  check_contains(text, "epochs 1, ");
  check_contains(text, "blocks created 37, ");
  check_contains(text, "tick ");
  check_contains(text, " 8040 ");
  free(text);
}

static void counted(scree_world *world, void *unused) {
  clerk c = {.handled = 0};
  work(world, &c);
  check_lanes(world, &c);
  check_sizes(world, &c);
  check_counts(world, &c);
  check_json(world);
  check_table(world);
}

static scree_options options_of_800_bytes(void) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.coalesce_bytes = PER_BLOCK * 8;
  options.flush_age = UINT64_C(3600000000000);
  options.in_flight = 64;
  return options;
}

HARNESS_TEST(known_program) {
  scree_options options = options_of_800_bytes();
  for (uint32_t nodes = 1; nodes <= RANKS; nodes++) {
    scree_sim_config config = {.seed = 1, .ranks = RANKS, .nodes = nodes, .unperturbed = true};
    detection_rounds = 0;
    check_equal(scree_sim_run(&config, &options, counted, NULL, NULL), SCREE_OK);
    check(detection_rounds >= (nodes > 1 ? 2 * nodes : 1)); /* two balanced ones between nodes */
  }
}

/* Without a lock the option that names one is noted. */
static void no_lock(scree_world *world, void *reason_) {
  const char *reason = reason_;
  char *text = capture_stats(world, false);
  check_contains(text, "\n  note: the option lock=priority has no effect: ");
  check_contains(text, reason);
  free(text);
  text = capture_stats(world, true);
  cJSON *all = cJSON_Parse(text);
  const char *note = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(all, "note"));
  if (check_text(note != NULL, "no JSON, or no note: %s", text)) check_contains(note, reason);
  check(!cJSON_HasObjectItem(all, "lock_entries")); /* without the option lock_sample */
  cJSON_Delete(all);
  free(text);
}

HARNESS_TEST(lock_without_threads) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1, .unperturbed = true};
  char one[] = "each rank has one worker, which calls MPI without a lock", shared[] = "no block travels by MPI";
  options.lock = SCREE_LOCK_PRIORITY;
  check_equal(scree_sim_run(&config, &options, no_lock, one, NULL), SCREE_OK);
  config.threads = 2;
  check_equal(scree_sim_run(&config, &options, no_lock, shared, NULL), SCREE_OK);
}

SCREE_MESSAGE_ROUTED(parcel, uint32_t);

static void on_parcel(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  *(uint64_t *)arg += batch->count;
}
SCREE_HANDLER(parcel, uint32_t, on_parcel);

/* Both halves of the statistics, of a world whose ranks have passed on so many items each. */
static void check_passed(const scree_world *world, bool routed, uint64_t passed) {
  char *text = capture_stats(world, true), line[40];
  cJSON *all = cJSON_Parse(text);
  check(number_of(all, "passed") == (double)passed && number_of(all, "stalls") == 0);
  const cJSON *worker = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(all, "workers"), 0);
  check(number_of(worker, "passed") == (double)passed && number_of(worker, "stalls") == 0);
  cJSON_Delete(all);
  free(text);
  text = capture_stats(world, false);
  snprintf(line, sizeof line, ", items passed on %d, ", (int)passed);
  check((strstr(text, "passed on") != NULL) == routed);
  if (routed) check_contains(text, line);
  free(text);
}

/* Four ranks in two rows: what goes to the rank in the other row and column is passed on once, by the one beside the
 * sender. */
static void send_parcels(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  const bool routed = scree_options_of(world)->route != SCREE_ROUTE_DIRECT;
  uint64_t handled = 0;
  parcel_type parcel;
  check_equal(parcel_register(world, &handled, &parcel), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t d = 0; d < w->ranks; d++)
    for (uint32_t i = 0; i < 100; i++) parcel_send(w, parcel, d, i);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(handled, 400);
  check_passed(world, routed, routed ? 100 : 0);
}

HARNESS_TEST(passed_on) {
  scree_options options = SCREE_OPTIONS_INIT;
  const scree_sim_config config = {.seed = 1, .ranks = 4, .nodes = 2, .unperturbed = true};
  for (options.route = SCREE_ROUTE_DIRECT; options.route <= SCREE_ROUTE_ROOK; options.route++)
    check_equal(scree_sim_run(&config, &options, send_parcels, NULL, NULL), SCREE_OK);
}

static void find_note(scree_world *world, void *expected) {
  for (int json = 0; json < 2; json++) {
    char *text = capture_stats(world, json);
    check_equal(strstr(text, "the option route has no effect here") != NULL, *(const bool *)expected);
    free(text);
  }
}

/* Whether a rank forwards routed types to its workers or not. */
HARNESS_TEST(a_useless_route_is_noted) {
  const scree_sim_config config = {.seed = 1, .ranks = 4, .nodes = 1, .threads = 2, .unperturbed = true};
  for (uint64_t aggregate = 0; aggregate < 2; aggregate++)
    for (uint64_t route = SCREE_ROUTE_DIRECT; route <= SCREE_ROUTE_RING; route++) {
      scree_options options = SCREE_OPTIONS_INIT;
      bool expected = route == SCREE_ROUTE_NODE;
      options.route = route;
      options.aggregate = aggregate;
      check_equal(scree_sim_run(&config, &options, find_note, &expected, NULL), SCREE_OK);
    }
}

/* A name may hold anything. */
static void odd_names(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  clerk c = {.handled = 0};
  scree_type_desc desc = {
      .size = sizeof desc, .name = "a \"quoted\" \\ and\nbroken", .item = 8, .flags = 0, .fn = tick_batch, .arg = &c};
  check_equal(scree_register(world, &desc, &c.tick.id), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  tick_send(w, c.tick, 0, 1);
  check_equal(scree_end(w, NULL), SCREE_OK);
  char *text = capture_stats(world, true);
  cJSON *all = cJSON_Parse(text);
  const cJSON *lane = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(all, "lanes"), 0);
  check_string(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(lane, "type")), desc.name);
  cJSON_Delete(all);
  free(text);
}

HARNESS_TEST(names_are_quoted) {
  scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .unperturbed = true};
  check_equal(scree_sim_run(&config, NULL, odd_names, NULL, NULL), SCREE_OK);
}

/* ---- on standard error ---- */

static void only_work(scree_world *world, void *unused) {
  clerk c = {.handled = 0};
  work(world, &c);
}

HARNESS_TEST(printed_at_close) {
  scree_sim_config config = {.seed = 1, .ranks = RANKS, .nodes = 1, .unperturbed = true};
  scree_options options = options_of_800_bytes();
  options.stats = 1;
  char *text = capture_run(&config, &options, only_work, NULL, SCREE_OK);
  check_contains(text, "rank 2 of 3 (sim): epochs ");
  free(text);
  options.stats = 2;
  text = capture_run(&config, &options, only_work, NULL, SCREE_OK);
  const char *line = text;
  int lines = 0;
  for (const char *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
    cJSON *all = cJSON_ParseWithLength(line, (size_t)(end - line));
    check_text(cJSON_IsObject(all), "no JSON object: %.80s", line);
    cJSON_Delete(all);
  }
  check_equal(lines, RANKS);
  free(text);
}

HARNESS_MAIN
