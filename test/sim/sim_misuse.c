/* sim_misuse.c - wrong use is refused: one test for each way, of the code and of the words.
 *
 * Checked worlds and checked files catch more than others; both are tested, on two ranks. */
#ifndef SCREE_CHECKED
#define SCREE_CHECKED
#endif
#include <pthread.h>
#include <scree/addressed.h>
#include <scree/scree_sim.h>

#include "capture.h"
#include "harness.h"

SCREE_MESSAGE(ping, uint64_t);
SCREE_MESSAGE(narrow, uint32_t);
SCREE_VARIABLE(words);

typedef struct misuse misuse;

/* One virtual rank of the test that runs. */
typedef struct {
  const misuse *how;
  scree_world *world;
  scree_worker *w;
  ping_type ping;
  words_type words;
  uint64_t handled;
} actor;

/* A wrong call by rank 1, in an epoch or in a handler: it fails the world, on both ranks. */
struct misuse {
  const char *name;
  void (*inside)(actor *), (*handler)(actor *), (*outside)(actor *);
  scree_status code;
  const char *text; /* part of what rank 1 then says */
};

static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  actor *a = arg;
  (void)w, (void)items;
  if (a->handled == 0 && a->w->rank == 1 && a->how->handler) a->how->handler(a);
  a->handled += batch->count;
}

static void on_words(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  (void)w, (void)batch, (void)items, (void)arg;
}

SCREE_HANDLER(ping, uint64_t, on_ping);
SCREE_VARIABLE_HANDLER(words, on_words);

static void play(scree_world *world, void *how) {
  actor a = {.how = how, .world = world, .w = scree_worker_of(world, 0)};
  bool wrong = a.w->rank == 1;
  check_equal(ping_register(world, &a, &a.ping), SCREE_OK);
  check_equal(words_register(world, &a, &a.words), SCREE_OK);
  if (wrong && a.how->outside) a.how->outside(&a);
  check_equal(scree_begin(a.w), SCREE_OK);
  if (wrong && a.how->inside) a.how->inside(&a);
  ping_send_all(a.w, a.ping, 7);
  check_equal(scree_end(a.w, NULL), a.how->code);
  check_equal(scree_error(world), a.how->code);
  check_equal(scree_error_rank(world), 1);
  check_contains(scree_error_text(world), wrong ? a.how->text : "rank 1 reported");
  check_contains(scree_error_text(world), wrong ? "rank 1 of 2" : "rank 0 of 2");
  check_equal(scree_begin(a.w), a.how->code);
  check_equal(ping_register(world, &a, &a.ping), a.how->code);
}

static void one_misuse(void **state) {
  const misuse *how = *state;
  scree_options options = SCREE_OPTIONS_INIT;
  options.checked = 1;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = 2, .nodes = 1 + seed % 2};
    check_equal(scree_sim_run(&config, &options, play, (void *)(uintptr_t)how, NULL), how->code);
  }
}

/* ---- the wrong calls ---- */

static void send_outside(actor *a) {
  ping_send(a->w, a->ping, 0, 1);
}
static void hold_outside(actor *a) {
  scree_hold(a->w, 1);
}
static void release_outside(actor *a) {
  scree_release(a->w, 1);
}
static void flush_outside(actor *a) {
  scree_flush(a->w, SCREE_ALL);
}
static void send_too_far(actor *a) {
  ping_send(a->w, a->ping, 2, 1);
}
static void try_too_far(actor *a) {
  check(!ping_try_send(a->w, a->ping, 7, 1));
}
static void send_words_too_far(actor *a) {
  words_send(a->w, a->words, 2, "x", 1);
}
static void flush_too_far(actor *a) {
  scree_flush_lane(a->w, a->ping.id, 2);
}
static void flush_unknown(actor *a) {
  scree_flush(a->w, 2);
}
static void send_wrong_size(actor *a) {
  narrow_send(a->w, (narrow_type){a->ping.id}, 0, 1);
}
static void send_fixed_as_words(actor *a) {
  words_send(a->w, (words_type){a->ping.id}, 0, "x", 1);
}
static void send_huge(actor *a) {
  check(!words_try_send(a->w, a->words, 0, "x", (size_t)1 << 31));
}
static void send_unregistered(actor *a) {
  scree__slot(a->w, 9, 0, 8, true);
}
static void begin(actor *a) {
  check_equal(scree_begin(a->w), SCREE_ESTATE);
}
static void end(actor *a) {
  check_equal(scree_end(a->w, NULL), SCREE_ESTATE);
}
static void test(actor *a) {
  check(scree_test(a->w, true, NULL));
}
static void progress(actor *a) {
  check(!scree_progress(a->w));
}
static void fail_without_code(actor *a) {
  scree_fail(a->w, SCREE_OK, "words of the caller");
}
static void fail_with_code(actor *a) {
  scree_fail(a->w, SCREE_EMPI, "words of the caller");
}

static void register_(actor *a) {
  ping_type more;
  check_equal(ping_register(a->world, a, &more), SCREE_ESTATE);
}

static void close_(actor *a) {
  check_equal(scree_close(a->world), SCREE_ESTATE);
}

static void flush_all(actor *a) {
  scree_flush(a->w, SCREE_ALL);
}
static void flush_one(actor *a) {
  scree_flush_lane(a->w, a->ping.id, 0);
}
static void try_ping(actor *a) {
  check(ping_try_send(a->w, a->ping, 0, 1));
}
static void try_words(actor *a) {
  check(words_try_send(a->w, a->words, 0, "x", 1));
}

/* ---- calls by a thread that does not own the worker ---- */

typedef struct {
  void (*call)(actor *);
  actor *a;
} errand;

static void *run_errand(void *arg) {
  const errand *e = arg;
  e->call(e->a);
  return NULL;
}

static void by_another_thread(void (*call)(actor *), actor *a) {
  errand e = {call, a};
  pthread_t thread;
  if (check_equal(pthread_create(&thread, NULL, run_errand, &e), 0)) pthread_join(thread, NULL);
}

#define BY_THREAD(call)                                                                                                \
  static void thread_##call(actor *a) {                                                                                \
    by_another_thread(call, a);                                                                                        \
  }
BY_THREAD(send_wrong_size) /* the size is looked at after the thread */
BY_THREAD(send_too_far)
BY_THREAD(try_ping)
BY_THREAD(try_words)
BY_THREAD(begin)
BY_THREAD(end)
BY_THREAD(test)
BY_THREAD(progress)
BY_THREAD(register_)
BY_THREAD(close_)
BY_THREAD(flush_all)
BY_THREAD(flush_one)
BY_THREAD(hold_outside)
BY_THREAD(release_outside)
BY_THREAD(fail_with_code)

static const misuse misuses[] = {
    {"send_outside_an_epoch", NULL, NULL, send_outside, SCREE_ESTATE, "send outside an epoch: call scree_begin"},
    {"hold_outside_an_epoch", NULL, NULL, hold_outside, SCREE_ESTATE, "scree_hold: no epoch is open"},
    {"release_outside_an_epoch", NULL, NULL, release_outside, SCREE_ESTATE, "scree_release: no epoch is open"},
    {"flush_outside_an_epoch", NULL, NULL, flush_outside, SCREE_ESTATE, "inside an epoch"},
    {"destination_out_of_range", send_too_far, NULL, NULL, SCREE_EINVAL,
     "destination 2 of type 'ping' is out of range 0..1"},
    {"destination_out_of_range_in_a_try", try_too_far, NULL, NULL, SCREE_EINVAL, "destination 7 of type 'ping'"},
    {"destination_out_of_range_in_a_handler", NULL, send_too_far, NULL, SCREE_EINVAL, "destination 2 of type 'ping'"},
    {"destination_out_of_range_variable", send_words_too_far, NULL, NULL, SCREE_EINVAL,
     "destination 2 of type 'words'"},
    {"flush_out_of_range", flush_too_far, NULL, NULL, SCREE_EINVAL, "destination 2"},
    {"flush_of_an_unknown_type", flush_unknown, NULL, NULL, SCREE_EINVAL, "type 2"},
    {"item_of_another_size", send_wrong_size, NULL, NULL, SCREE_EINVAL,
     "item of 4 bytes sent by type 'ping', registered with 8"},
    {"variable_send_of_a_fixed_type", send_fixed_as_words, NULL, NULL, SCREE_EINVAL,
     "record of 1 bytes by type 'ping'"},
    {"record_beyond_the_limit", send_huge, NULL, NULL, SCREE_EINVAL, "record of 2147483648 bytes by type 'words'"},
    {"type_not_registered", send_unregistered, NULL, NULL, SCREE_EINVAL,
     "type 9 is not registered with this world (it has 2)"},
    {"begin_in_an_epoch", begin, NULL, NULL, SCREE_ESTATE, "scree_begin: this thread has an open epoch"},
    {"register_in_an_epoch", register_, NULL, NULL, SCREE_ESTATE, "scree_register: an epoch is open"},
    {"close_in_an_epoch", close_, NULL, NULL, SCREE_ESTATE, "scree_close: an epoch is open"},
    {"begin_in_a_handler", NULL, begin, NULL, SCREE_ESTATE, "scree_begin: called inside the handler of type 'ping'"},
    {"end_in_a_handler", NULL, end, NULL, SCREE_ESTATE, "scree_end: called inside the handler of type 'ping'"},
    {"test_in_a_handler", NULL, test, NULL, SCREE_ESTATE, "scree_test: called inside the handler of type 'ping'"},
    {"progress_in_a_handler", NULL, progress, NULL, SCREE_ESTATE,
     "scree_progress: called inside the handler of type 'ping'"},
    {"register_in_a_handler", NULL, register_, NULL, SCREE_ESTATE,
     "scree_register: called inside the handler of type 'ping'"},
    {"close_in_a_handler", NULL, close_, NULL, SCREE_ESTATE, "scree_close: called inside the handler of type 'ping'"},
    {"send_by_another_thread", thread_send_wrong_size, NULL, NULL, SCREE_ESTATE,
     "send: type 'ping': called by a second thread"},
    {"checked_send_by_another_thread", thread_send_too_far, NULL, NULL, SCREE_ESTATE,
     "send: type 'ping': called by a second thread"},
    {"try_by_another_thread", thread_try_ping, NULL, NULL, SCREE_ESTATE,
     "send: type 'ping': called by a second thread"},
    {"variable_try_by_another_thread", thread_try_words, NULL, NULL, SCREE_ESTATE,
     "send: type 'words': called by a second thread"},
    {"begin_by_another_thread", thread_begin, NULL, NULL, SCREE_ESTATE, "scree_begin: called by a second thread"},
    {"end_by_another_thread", thread_end, NULL, NULL, SCREE_ESTATE, "scree_end: called by a second thread"},
    {"test_by_another_thread", thread_test, NULL, NULL, SCREE_ESTATE, "scree_test: called by a second thread"},
    {"progress_by_another_thread", thread_progress, NULL, NULL, SCREE_ESTATE,
     "scree_progress: called by a second thread"},
    {"register_by_another_thread", thread_register_, NULL, NULL, SCREE_ESTATE,
     "scree_register: called by a second thread"},
    {"close_by_another_thread", thread_close_, NULL, NULL, SCREE_ESTATE, "scree_close: called by a second thread"},
    {"flush_by_another_thread", thread_flush_all, NULL, NULL, SCREE_ESTATE, "scree_flush: called by a second thread"},
    {"flush_of_a_lane_by_another_thread", thread_flush_one, NULL, NULL, SCREE_ESTATE,
     "scree_flush_lane: type 'ping': called by a second thread"},
    {"hold_by_another_thread", thread_hold_outside, NULL, NULL, SCREE_ESTATE, "scree_hold: called by a second thread"},
    {"release_by_another_thread", thread_release_outside, NULL, NULL, SCREE_ESTATE,
     "scree_release: called by a second thread"},
    {"failure_by_another_thread", thread_fail_with_code, NULL, NULL, SCREE_ESTATE,
     "scree_fail: called by a second thread"},
    {"failure_without_a_code", NULL, fail_without_code, NULL, SCREE_EINVAL, "scree_fail: words of the caller"},
    {"failure_of_the_caller", fail_with_code, NULL, NULL, SCREE_EMPI, "scree_fail: words of the caller"},
};
enum { MISUSES = sizeof misuses / sizeof misuses[0] };

/* ---- calls that are refused, and harm nothing ---- */

static void refuse(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_lane_stats lane;
  ping_type type;
  (void)unused;
  check_equal(ping_register(world, NULL, &type), SCREE_OK);
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
  check_contains(scree_error_text(world), "scree_end: no epoch is open: call scree_begin first");
  check(scree_test(w, true, NULL));
  check_contains(scree_error_text(world), "scree_test: no epoch is open");
  check(!scree_progress(w));
  check_contains(scree_error_text(world), "scree_progress: no epoch is open");
  check_equal(scree_stats_lane(world, 1, 0, &lane), SCREE_EINVAL);
  check_equal(scree_stats_lane(world, 0, w->ranks, &lane), SCREE_EINVAL);
  check(scree_worker_of(world, 1) == NULL);
  check(scree_world_of(w) == world);
  check_equal(scree_error(world), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  check_equal(scree_error(world), SCREE_OK);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

static void ask_elsewhere(actor *a) {
  scree_lane_stats lane;
  scree_stats stats;
  progress(a);
  end(a);
  begin(a);
  close_(a);
  check_equal(scree_stats_lane(a->world, 0, 0, &lane), SCREE_ESTATE);
  scree_stats_read(a->world, &stats);
  check_equal(stats.epochs, 0);
  check_equal(strlen(scree_error_text(a->world)), 0);
  capture_start();
  scree_stats_print(a->world, stderr, false);
  scree_report_print(a->world, stderr);
  char *said = capture_end();
  check_contains(said, "scree_stats_print: called by a second thread");
  check_contains(said, "scree_report_print: called by a second thread");
  free(said);
}

/* In an idle world a refused call harms nothing, whichever thread makes it. */
static void refuse_thread(scree_world *world, void *unused) {
  actor a = {.world = world, .w = scree_worker_of(world, 0)};
  (void)unused;
  check_equal(ping_register(world, &a, &a.ping), SCREE_OK);
  for (int i = 0; i < 2; i++) {
    check_equal(scree_begin(a.w), SCREE_OK);
    check_equal(scree_error(world), SCREE_OK);
    check_contains(scree_error_text(world), i == 0 ? "" : "scree_progress: called by a second thread");
    check_equal(scree_end(a.w, NULL), SCREE_OK);
    by_another_thread(ask_elsewhere, &a);
  }
}

static void refused_to_a_thread(void **unused) {
  (void)unused;
  scree_sim_config config = {.seed = 4, .ranks = 2, .nodes = 1};
  check_equal(scree_sim_run(&config, NULL, refuse_thread, NULL, NULL), SCREE_OK);
}

static void refused_outside(void **unused) {
  (void)unused;
  scree_sim_config config = {.seed = 3, .ranks = 2, .nodes = 1};
  check_equal(scree_sim_run(&config, NULL, refuse, NULL, NULL), SCREE_OK);
}

static void check_description(scree_world *world, scree_type_desc desc, const char *text) {
  uint32_t id = 77;
  check_equal(scree_register(world, &desc, &id), SCREE_EINVAL);
  check_equal(id, 77);
  check_contains(scree_error_text(world), text);
}

static void describe(scree_world *world, void *unused) {
  scree_worker *w = scree_worker_of(world, 0);
  size_t size = sizeof(scree_type_desc);
  (void)unused;
  check_description(world,
                    (scree_type_desc){.size = size, .name = NULL, .item = 8, .flags = 0, .fn = on_words, .arg = NULL},
                    "description without size, name or handler");
  check_description(world, (scree_type_desc){.size = size, .name = "t", .item = 8, .flags = 0, .fn = NULL, .arg = NULL},
                    "description without");
  check_description(
      world,
      (scree_type_desc){
          .size = offsetof(scree_type_desc, arg), .name = "t", .item = 8, .flags = 0, .fn = on_words, .arg = NULL},
      "description without");
  check_description(world,
                    (scree_type_desc){.size = 0, .name = "t", .item = 8, .flags = 0, .fn = on_words, .arg = NULL},
                    "description without");
  check_description(
      world,
      (scree_type_desc){.size = size, .name = "t", .item = SCREE_ITEM_MAX + 1, .flags = 0, .fn = on_words, .arg = NULL},
      "item of 32769 bytes, legal 1..32768");
  check_description(world,
                    (scree_type_desc){.size = size, .name = "t", .item = 8, .flags = 3, .fn = on_words, .arg = NULL},
                    "type 't': flags 3, legal: 0, SCREE_SERIAL (1) or SCREE_TO_WORKER (2)");
  bool odd = w->rank == 2;
  check_description(
      world,
      (scree_type_desc){.size = size, .name = "t", .item = odd ? 16 : 8, .flags = 0, .fn = on_words, .arg = NULL},
      "types differ: rank 0 registers 't' (8 bytes, flags 0, number 0), rank 2 't' (16 bytes, flags 0, number 0)");
  check_description(
      world,
      (scree_type_desc){.size = size, .name = odd ? "u" : "t", .item = 8, .flags = 0, .fn = on_words, .arg = NULL},
      "types differ: rank 0 registers 't' (8 bytes, flags 0, number 0), rank 2 'u' (8 bytes, flags 0, number 0)");
  check_description(
      world, (scree_type_desc){.size = size, .name = "t", .item = 8, .flags = odd ? 3 : 0, .fn = on_words, .arg = NULL},
      odd ? "flags 3" : "type 't' refused on rank 2: invalid argument");
  check_description(
      world, (scree_type_desc){.size = size, .name = "t", .item = 8, .flags = odd, .fn = on_words, .arg = NULL},
      "types differ: rank 0 registers 't' (8 bytes, flags 0, number 0), rank 2 't' (8 bytes, flags 1, number 0)");
  ping_type type;
  check_equal(ping_register(world, NULL, &type), SCREE_OK); /* nothing of the above is left behind */
  check_equal(type.id, 0);
}

static void registrations(void **unused) {
  (void)unused;
  scree_sim_config config = {.seed = 5, .ranks = 3, .nodes = 2};
  check_equal(scree_sim_run(&config, NULL, describe, NULL, NULL), SCREE_OK);
}

static void leave_open(scree_world *world, void *unused) {
  (void)unused;
  check_equal(scree_begin(scree_worker_of(world, 0)), SCREE_OK);
}

static void epoch_left_open(void **unused) {
  (void)unused;
  scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1};
  check_equal(scree_sim_run(&config, NULL, leave_open, NULL, NULL), SCREE_ESTATE);
}

static void never(scree_world *world, void *unused) {
  (void)world, (void)unused;
  check_text(false, "the simulator ran");
}

static void check_refused(scree_status (*fn)(void), const char *text) {
  capture_start();
  scree_status status = fn();
  char *said = capture_end();
  check_equal(status, SCREE_EINVAL);
  check_contains(said, text);
  free(said);
}

static scree_status bad_option(void) {
  scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1};
  scree_options options = SCREE_OPTIONS_INIT;
  options.in_flight = 65;
  return scree_sim_run(&config, &options, never, NULL, NULL);
}
static scree_status no_ranks(void) {
  return scree_sim_run(&(scree_sim_config){.seed = 1, .ranks = 0, .nodes = 1}, NULL, never, NULL, NULL);
}
static scree_status too_many_nodes(void) {
  return scree_sim_run(&(scree_sim_config){.seed = 1, .ranks = 3, .nodes = 4}, NULL, never, NULL, NULL);
}

static void configurations(void **unused) {
  (void)unused;
  check_refused(bad_option, "in-flight");
  check_refused(bad_option, "65");
  check_refused(bad_option, "64");
  check_refused(no_ranks, "0 ranks on 1 nodes: legal are 1..4096");
  check_refused(too_many_nodes, "3 ranks on 4 nodes");
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
  (void)t;
  return scree_location_make(0, key);
}
SCREE_MESSAGE(far, byte);
SCREE_ADDRESSED_BY(far, byte, at, table, far_locate, table_last);
static void on_far(scree_worker *w, const scree_batch *batch, const byte *items, void *arg) {
  uint64_t *sum = arg;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) *sum += items[i].at;
}
SCREE_HANDLER(far, byte, on_far);

static void cut_off(scree_world *world, void *sum) {
  static const table map = {19};
  scree_worker *w = scree_worker_of(world, 0);
  far_type t;
  far_map m = {NULL};
  check_equal(far_register(world, sum, &t), SCREE_OK);
  check_equal(far_address(world, t, &map, &m), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 1) far_send_to(w, t, m, 255, (byte){0});
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 1) check(far_try_send_to(w, t, m, 256, (byte){0}));
  check_equal(scree_end(w, NULL), SCREE_EINVAL);
  if (w->rank == 1)
    check_contains(scree_error_text(world), "local index 256 does not fit into its field of type 'far'");
}

static void cut_off_is_seen(void **unused) {
  (void)unused;
  uint64_t sum = 0;
  scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1, .quiet = true};
  check_equal(scree_sim_run(&config, NULL, cut_off, &sum, NULL), SCREE_EINVAL);
  check_equal(sum, 255);
}

static const struct CMUnitTest more[] = {
    cmocka_unit_test(refused_outside), cmocka_unit_test(refused_to_a_thread), cmocka_unit_test(registrations),
    cmocka_unit_test(epoch_left_open), cmocka_unit_test(configurations),      cmocka_unit_test(cut_off_is_seen),
};
enum { MORE = sizeof more / sizeof more[0] };

int main(int argc, char **argv) {
  struct CMUnitTest tests[MISUSES + MORE];
  for (size_t i = 0; i < MISUSES; i++)
    tests[i] = (struct CMUnitTest){misuses[i].name, one_misuse, NULL, NULL, (void *)(uintptr_t)&misuses[i]};
  memcpy(tests + MISUSES, more, sizeof more);
  return harness__main(argc, argv, tests, MISUSES + MORE);
}
