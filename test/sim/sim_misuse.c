/* sim_misuse.c - wrong use is refused: the table of calls.h, a test for each call and place, of the code and of the
 * text.
 *
 * Also, what no row of the table can express: descriptions of types, configurations of the simulator, maps. Checked
 * worlds and checked files catch more than others; all is tested on two ranks. */
#ifndef SCREE_CHECK_INLINE
#define SCREE_CHECK_INLINE
#endif
#include <pthread.h>
#include <scree/addressed.h>
#include <scree/reduced.h>
#include <scree/routed.h>
#include <scree/scree_sim.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "capture.h"
#include "core/world.h"
#include "harness.h"

enum { SEEDS = 10, NAME = 80 };

/* A call in a place: rank 1 makes it, once. */
typedef struct {
  const call_row *row;
  int place;
  char kind; /* of row->where */
  char name[NAME];
} misuse;

/* One virtual rank of the test that runs. */
typedef struct {
  caller call;
  uint64_t idle_calls;
  bool made;
} player;
static player players[2];
static const misuse *how;

static scree_status code_of_call(void) {
  return how->kind == 'F' ? SCREE_ESTATE : how->kind == '!' ? how->row->code : SCREE_OK;
}

static void make(player *p) {
  p->made = true;
  const long returned = how->row->call(&p->call);
  const long expected = how->place == FAILED ? SCREE_EMPI : how->row->refused;
  if (how->kind != '.') check_text(returned == expected, "%s returned %ld, not %ld", how->name, returned, expected);
}

static void *make_there(void *p) {
  make(p);
  return NULL;
}

/* By a thread that does not own the worker. */
static void make_by_another(player *p) {
  pthread_t thread;
  if (check_equal(pthread_create(&thread, NULL, make_there, p), 0)) pthread_join(thread, NULL);
}

static void on_call(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  player *p = arg;
  if (!p->made && how->place == HANDLER && w->rank == 1) make(p);
}
static void on_words(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {}
SCREE_HANDLER(ping, uint64_t, on_call);
SCREE_VARIABLE_HANDLER(words, on_words);

/* In the first calls the handler counts as a cause of work of an idle worker. */
static bool on_idle(scree_worker *w, void *arg) {
  player *p = arg;
  if (scree__worker_of(w)->end.contributed) p->idle_calls++;
  const bool now = how->place == POLL || (how->place == IDLE_POLL && p->idle_calls > 100);
  if (!p->made && now && w->rank == 1) make(p);
  return p->call.holds;
}

/* Rank 0 keeps the epoch open until rank 1 has made its call. */
static void one_epoch(player *p) {
  const int place = how->place;
  scree_worker *w = p->call.w;
  check_equal(scree_begin(w), SCREE_OK);
  if (place == EPOCH && w->rank == 1) make(p);
  if (place == THREAD && w->rank == 1) make_by_another(p);
  if (place == FAILED && w->rank == 1) scree_fail(w, SCREE_EMPI, "the failure");
  if (place != IDLE_POLL || w->rank == 0) ping_send_all(w, p->call.ping, 7);
  const bool waits = place == POLL || place == IDLE_POLL || place == HANDLER;
  while (waits && w->rank == 0 && !players[1].made && !scree_error(p->call.world)) scree_progress(w);
  check_equal(scree_end(w, NULL), place == FAILED ? SCREE_EMPI : place == IDLE_THREAD ? SCREE_OK : code_of_call());
}

static void check_failed(const caller *a) {
  ping_type more;
  const char *text = scree_error_text(a->world);
  check_equal(scree_error(a->world), code_of_call());
  check_equal(scree_error_rank(a->world), 1);
  check_contains(text, a->w->rank == 1 ? "rank 1 of 2: " : "rank 0 of 2: rank 1 reported");
  char call[NAME];
  snprintf(call, sizeof call, ": %s:", how->row->name);
  if (a->w->rank == 1 && how->kind == 'F') check_contains(text, strchr(how->row->name, ':') ? how->row->name : call);
  if (a->w->rank == 1) check_contains(text, how->kind == 'F' ? call_place_text(how->place) : how->row->text);
  check_equal(scree_begin(a->w), code_of_call());
  check_equal(ping_register(a->world, NULL, &more), code_of_call());
}

static void play(actor *a) {
  scree_world *world = a->world;
  scree_worker *w = a->w;
  player *p = &players[w->rank];
  *p = (player){.call = {.world = world, .w = w}};
  check_equal(ping_register(world, p, &p->call.ping), SCREE_OK);
  check_equal(words_register(world, p, &p->call.words), SCREE_OK);
  check_equal(scree_on_idle(world, on_idle, p), SCREE_OK);
  if (how->place == OUTSIDE && w->rank == 1) make(p);
  if (how->place == OUTSIDE && w->rank == 1 && how->kind == 'r') {
    check_contains(scree_error_text(world), how->row->name);
    check_contains(scree_error_text(world), "no epoch is open");
  }
  one_epoch(p);
  if (code_of_call() && how->place != IDLE_THREAD) check_failed(&p->call);
  if (how->place == FAILED && w->rank == 1) make(p);
  if (how->place == IDLE_THREAD && w->rank == 1) make_by_another(p);
  check(p->made || w->rank == 0);
  if (how->place != IDLE_THREAD) return;
  check_equal(scree_begin(w), SCREE_OK); /* it harmed nothing */
  if (w->rank == 1 && *how->row->name) check_contains(scree_error_text(world), how->row->name);
  if (w->rank == 1 && *how->row->name) check_contains(scree_error_text(world), call_place_text(IDLE_THREAD));
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void check_some(scree__options *o, uint64_t seed) {
  const bool by_another = how->place == THREAD || how->place == IDLE_THREAD;
  o->checked = how->place == IDLE_POLL || by_another || how->kind == '!' || seed % 2;
}

static void one_misuse(void **state) {
  how = *state;
  const rule r = {.name = how->name,
                  .setup = &rule_world,
                  .code = how->place == FAILED ? SCREE_EMPI : code_of_call(),
                  .text = "",
                  .world = play,
                  .options = check_some,
                  .seeds = SEEDS};
  rule_run_one(&r);
  if (harness_failures()) printf("%s: row %s of test/rules/calls.c\n", how->name, how->row->title);
}

/* ---- what no row of the table can express ---- */

RULE_WORLD(refused_outside, SCREE_OK, "") {
  scree_world *world = a->world;
  scree_worker *w = a->w;
  scree_lane_stats lane = {.size = sizeof lane};
  ping_type type;
  check_equal(ping_register(world, NULL, &type), SCREE_OK);
  check_equal(scree_stats_lane(world, 2, 0, &lane), SCREE_EINVAL);
  check_equal(scree_stats_lane(world, 0, 0, &lane), SCREE_EINVAL);
  check_equal(scree_stats_lane(world, 1, w->ranks, &lane), SCREE_EINVAL);
  check(scree_worker_of(world, 1) == NULL);
  check_contains(scree_error_text(world), "scree_worker_of: worker 1: legal are 0..0 (option threads is 1)");
  check(scree_world_of(w) == world);
  check_equal(scree_error(world), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_error(world), SCREE_OK);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

/* NULL, 0 and -1 in an idle world: refused on all ranks, with the text, and without harm. */
static ping_type idle_ping;
static const scree_type_desc idle_desc = {.size = sizeof idle_desc, .name = "t", .item = 8, .fn = on_words};
static void never_work(scree_worker *w, void *arg) {
  check_text(false, "a worker ran");
}
#define NOTHINGS(X)                                                                                                    \
  X(scree_register(world, NULL, &id), SCREE_EINVAL, "scree_register: no description")                                  \
  X(scree_register(world, &idle_desc, NULL), SCREE_EINVAL, "scree_register: no place for the id")                      \
  X(scree_register_all(world, NULL, 0, NULL), SCREE_OK, "")                                                            \
  X(scree_on_idle(world, NULL, NULL), SCREE_EINVAL, "scree_on_idle: no function")                                      \
  X(scree_run_workers(world, 1, NULL, NULL), SCREE_EINVAL, "scree_run_workers: ")                                      \
  X(scree_run_workers(world, 0, never_work, NULL), SCREE_EINVAL, "scree_run_workers: ")                                \
  X(scree_run_workers(world, UINT32_MAX, never_work, NULL), SCREE_EINVAL, "scree_run_workers: ")                       \
  X(scree_worker_of(world, UINT32_MAX) != NULL, false, "scree_worker_of: worker 4294967295: legal are 0..0")           \
  X(scree_stats_read(world, NULL), SCREE_EINVAL, "")                                                                   \
  X(scree_stats_lane(world, idle_ping.id, 0, NULL), SCREE_EINVAL, "")                                                  \
  X(scree_stats_lane(world, 0, UINT32_MAX, NULL), SCREE_EINVAL, "")                                                    \
  X(scree_stats_lock(world, NULL), SCREE_EINVAL, "")                                                                   \
  X(scree_stats_reduced(world, idle_ping.id, NULL), SCREE_EINVAL, "")                                                  \
  X((scree_stats_print(world, NULL, true), 0), 0, "scree_stats_print: no file")                                        \
  X((scree_report_print(world, NULL), 0), 0, "scree_report_print: no file")                                            \
  X((scree_hang_hook(world, NULL, NULL), 0), 0, "")                                                                    \
  X(scree_option_at(SIZE_MAX) != NULL, false, "")                                                                      \
  X(strcmp(scree_status_text((scree_status)-1), "unknown status"), 0, "")

RULE_WORLD(nothing_in_an_idle_world, SCREE_OK, "") {
  scree_world *world = a->world;
  uint32_t id = 7;
  check_equal(ping_register(world, NULL, &idle_ping), SCREE_OK);
#define NOTHING_ROW(call, expected, text)                                                                              \
  check_equal(call, expected);                                                                                         \
  check_contains(scree_error_text(world), text);
  NOTHINGS(NOTHING_ROW)
  check_equal(id, 0);
  check_equal(scree_error(world), SCREE_OK);
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK);
  scree_hold(w, 0);
  scree_release(w, 0);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

/* Descriptions that are refused. sim_types has those that differ on some rank. */
static const struct {
  size_t size;
  scree_batch_fn *fn;
  const char *name;
  uint32_t item, flags;
  const char *text;
} descriptions[] = {
    {0, on_words, "t", 8, 0, "description without size, name or handler"},
    {offsetof(scree_type_desc, arg), on_words, "t", 8, 0, "description without"},
    {sizeof(scree_type_desc), on_words, NULL, 8, 0, "description without"},
    {sizeof(scree_type_desc), NULL, "t", 8, 0, "description without"},
    {sizeof(scree_type_desc), on_words, "t", SCREE_ITEM_MAX + 1, 0, "legal 1..32768"},
    {sizeof(scree_type_desc), on_words, "t", 8, 3, "3, legal: 0, SCREE_SERIAL (1) or SCREE_TO_WORKER (2)"},
    {sizeof(scree_type_desc), on_words, "t", 8, SCREE_ROUTED | 3, "routed type 't': flags 3, item of 8 bytes"},
    {sizeof(scree_type_desc), on_words, "t", 0, SCREE_ROUTED, "routed type 't': flags 0, item of 0 bytes, legal: 0"},
    {sizeof(scree_type_desc), on_words, "t", SCREE_ITEM_MAX - 3, SCREE_ROUTED, "item of 32765 bytes, legal 1..32764"}};

RULE_WORLD(registrations, SCREE_OK, "", .ranks = 3) {
  scree_world *world = a->world;
  for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++) {
    uint32_t id = 77;
    const scree_type_desc desc = {.size = descriptions[i].size,
                                  .name = descriptions[i].name,
                                  .item = descriptions[i].item,
                                  .flags = descriptions[i].flags,
                                  .fn = descriptions[i].fn};
    check_equal(scree_register(world, &desc, &id), SCREE_EINVAL);
    check_equal(id, 0);
    check_contains(scree_error_text(world), descriptions[i].text);
  }
  ping_type type;
  check_equal(ping_register(world, NULL, &type), SCREE_OK); /* nothing of the above remains */
  check_equal(type.id, 1);
  scree_type_desc largest = {.size = sizeof largest, .name = "t", .item = SCREE_ITEM_MAX, .fn = on_words};
  check_equal(scree_register(world, &largest, &type.id), SCREE_OK);
  largest.item -= 4, largest.flags = SCREE_ROUTED;
  check_equal(scree_register(world, &largest, &type.id), SCREE_OK);
}

RULE_WORLD(epoch_left_open, SCREE_ESTATE, "") {
  check_equal(scree_begin(a->w), SCREE_OK);
}

static void never(scree_world *world, void *unused) {
  check_text(false, "the simulator ran");
}
static void refuses(uint32_t ranks, uint32_t nodes, uint64_t in_flight, const char *text) {
  const scree_sim_config config = {.seed = 1, .ranks = ranks, .nodes = nodes};
  scree_options options = SCREE_OPTIONS_INIT;
  options.in_flight = in_flight;
  capture_start();
  const scree_status status = scree_sim_run(&config, &options, never, NULL, NULL);
  char *said = capture_end();
  check_equal(status, SCREE_EINVAL);
  check_contains(said, text);
  free(said);
}

HARNESS_TEST(configurations) {
  refuses(2, 1, 65, "in-flight");
  refuses(2, 1, 65, "65");
  refuses(2, 1, 65, "64");
  refuses(0, 1, SCREE_UNSET, "0 ranks on 1 nodes: legal are 1..4096");
  refuses(3, 4, SCREE_UNSET, "3 ranks on 4 nodes");
}

/* ---- a map whose last index is not the largest ---- */

typedef struct {
  uint8_t at;
} byte;
typedef struct {
  uint32_t last;
} table;
static inline scree_location table_last(const table *t) {
  return scree_location_make(0, t->last);
}
static inline scree_location far_locate(const table *t, uint64_t key) {
  return scree_location_make(0, key);
}
SCREE_MESSAGE(far, byte);
SCREE_ADDRESSED_BY(far, byte, at, table, far_locate, table_last);
static void on_far(scree_worker *w, const scree_batch *batch, const byte *items, void *arg) {
  uint64_t *sum = arg;
  for (uint32_t i = 0; i < batch->count; i++) *sum += items[i].at;
}
SCREE_HANDLER(far, byte, on_far);

RULE_WORLD(cut_off_is_seen, SCREE_EINVAL, "local index 256 does not fit into its field of type 'far'") {
  static const table map = {19};
  scree_world *world = a->world;
  scree_worker *w = a->w;
  uint64_t sum = 0;
  far_type t;
  far_map m = {NULL};
  check_equal(far_register(world, &sum, &t), SCREE_OK);
  check_equal(far_address(world, t, &map, &m), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 1) far_send_to(w, t, m, 255, (byte){0});
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 1) check(far_try_send_to(w, t, m, 256, (byte){0}));
  check_equal(scree_end(w, NULL), SCREE_EINVAL);
  check_equal(sum, w->rank == 0 ? 255 : 0);
}

/* ---- more releases than holds ---- */

static void use_flat(scree__options *o, uint64_t seed) {
  if (seed % 3 == 0) o->detector = SCREE_DETECTOR_FLAT;
}
RULE_WORLD(more_releases_than_holds, SCREE_ESTATE, "", .seeds = SEEDS, .options = use_flat) {
  scree_worker *w = a->w;
  for (int epoch = 0; epoch < 2; epoch++) {
    check_equal(scree_begin(w), SCREE_OK);
    scree_hold(w, 3);
    if (w->rank == 0) scree_release(w, epoch ? 7 : 6); /* of both ranks */
    if (scree_end(w, NULL) != (epoch ? SCREE_ESTATE : SCREE_OK)) check_text(false, "epoch %d", epoch);
  }
  check_contains(scree_error_text(a->world), "scree_release: all workers together have released more than they held");
}

/* ---- texts that name limits of the process ---- */

static void run_short(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK);
  scree_fail(w, SCREE_ENOMEM, "free memory on this host");
  check_equal(scree_end(w, NULL), SCREE_ENOMEM);
  check_contains(scree_error_text(world),
                 "free memory on this host; or raise the limit of the process (ulimit -d, 4294967296 KiB)");
}

HARNESS_TEST(limits_of_the_process) {
  const scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .quiet = true};
  struct rlimit kept, low;
  check_equal(getrlimit(RLIMIT_DATA, &kept), 0);
  low = kept;
  low.rlim_cur = (rlim_t)1 << 42;
  check_equal(setrlimit(RLIMIT_DATA, &low), 0);
  check_equal(scree_sim_run(&config, NULL, run_short, NULL, NULL), SCREE_ENOMEM);
  check_equal(setrlimit(RLIMIT_DATA, &kept), 0);
}

/* ---- a process that was forked while the world was open: its calls are refused, and the first one says so ---- */

RULE_WORLD(forked, SCREE_OK, "", .ranks = 1) {
  scree_world *world = a->world;
  scree_worker *w = a->w;
  ping_type type;
  int status = 1;
  check_equal(ping_register(world, NULL, &type), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  const pid_t child = fork();
  if (child == 0) {
    capture_start();
    bool bad = scree_progress(w);
    bad |= scree_error(world) != SCREE_OK;
    scree_flush(w, type.id);
    char *said = capture_end(), *one = strstr(said, "scree_progress: called by a forked process");
    harness_exit(bad || !one || strcmp(strchr(one, '\n'), "\n") != 0);
  }
  check(child > 0 && waitpid(child, &status, 0) == child);
  check_equal(status, 0);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

int main(int argc, char **argv) {
  static const char *const places[PLACES] = {"outside_an_epoch",
                                             "in_an_epoch",
                                             "in_a_handler",
                                             "in_a_poll_function",
                                             "in_a_poll_function_without_cause",
                                             "by_another_thread",
                                             "by_another_thread_outside",
                                             "in_a_failed_world"};
  misuse *all = calloc(call_rows_count * PLACES, sizeof *all), *next = all;
  for (size_t i = 0; i < call_rows_count; i++)
    for (int place = 0; place < PLACES; place++) {
      const char kind = call_rows[i].where[place];
      if (kind == '-') continue;
      *next = (misuse){.row = &call_rows[i], .place = place, .kind = kind == 'f' ? 'F' : kind};
      snprintf(next->name, NAME, "%s_%s", call_rows[i].title, places[place]);
      harness_add((struct CMUnitTest){next->name, one_misuse, NULL, NULL, next});
      next++;
    }
  const int rc = harness__main(argc, argv);
  free(all);
  return rc;
}
