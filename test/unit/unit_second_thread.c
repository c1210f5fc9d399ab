/* unit_second_thread.c - a thread that does not own the worker calls all public functions that are not inline, in checked
 * worlds also inlined sends, while the owner works: each call is refused, and the owner fails the world. The address and
 * the thread sanitizer have nothing to report, because such a call changes nothing but atomic words. */
#include <stdlib.h>
#include <string.h>

#include "core/world.h"
#include "harness.h"
#include "threads_transport.h"

enum { RANKS = 2, INTRUDER = RANKS, ROUNDS = 200, PASSES = 3 };

SCREE_MESSAGE(hop, uint64_t); /* how often it still hops */
SCREE_VARIABLE(words);

typedef struct {
  threads_node node;
  hop_type hop;
  words_type words;
  AO_t world; /* of rank 0, once its first epoch is open */
  AO_t gone;  /* the intruder has made its last call */
  uint64_t round;
  bool checked;
  FILE *nowhere;
} scene;

typedef struct {
  scene *all;
  hop_type hop;
  words_type words;
} player;

static void on_hop(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  const player *me = arg;
  for (uint32_t i = 0; i < batch->count; i++)
    if (items[i] > 0) hop_send(w, me->hop, (w->rank + 1) % RANKS, items[i] - 1);
}

static void on_words(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  (void)w, (void)batch, (void)items, (void)arg;
}

SCREE_HANDLER(hop, uint64_t, on_hop);
SCREE_VARIABLE_HANDLER(words, on_words);

/* ---- the intruder ---- */

static void wrong_progress(scree_worker *w, const scene *s) {
  (void)s;
  check(!scree_progress(w));
}
static void wrong_begin(scree_worker *w, const scene *s) {
  (void)s;
  check_equal(scree_begin(w), SCREE_ESTATE);
}
static void wrong_end(scree_worker *w, const scene *s) {
  (void)s;
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
}
static void wrong_test(scree_worker *w, const scene *s) {
  (void)s;
  check(scree_test(w, true, NULL));
}
static void wrong_register(scree_worker *w, const scene *s) {
  hop_type t;
  check_equal(hop_register(scree_world_of(w), (void *)(uintptr_t)s, &t), SCREE_ESTATE);
}
static void wrong_close(scree_worker *w, const scene *s) {
  (void)s;
  check_equal(scree_close(scree_world_of(w)), SCREE_ESTATE);
}
static void wrong_flush(scree_worker *w, const scene *s) {
  (void)s;
  scree_flush(w, SCREE_ALL);
}
static void wrong_flush_lane(scree_worker *w, const scene *s) {
  scree_flush_lane(w, s->hop.id, 1);
}
static void wrong_hold(scree_worker *w, const scene *s) {
  (void)s;
  scree_hold(w, 1);
}
static void wrong_release(scree_worker *w, const scene *s) {
  (void)s;
  scree_release(w, 1);
}
static void wrong_fail(scree_worker *w, const scene *s) {
  (void)s;
  scree_fail(w, SCREE_EMPI, "of the intruder");
}
static void wrong_send(scree_worker *w, const scene *s) {
  void *slot = scree__slot(w, s->hop.id, 1, SCREE_ITEM_MAX, true);
  if (check(slot != NULL)) memset(slot, 1, SCREE_ITEM_MAX);
}
static void wrong_try(scree_worker *w, const scene *s) {
  void *slot = scree__slot(w, s->hop.id, 0, sizeof(uint64_t), false);
  if (check(slot != NULL)) memset(slot, 2, sizeof(uint64_t));
}
static void wrong_inline_send(scree_worker *w, const scene *s) {
  if (!s->checked) return;
  hop_send(w, s->hop, 1, 1);
  check(hop_try_send(w, s->hop, 0, 1));
  hop_send_all(w, s->hop, 1);
}
static void wrong_words(scree_worker *w, const scene *s) {
  static const char record[20000];
  words_send(w, s->words, 1, record, sizeof record);
}
static void wrong_try_words(scree_worker *w, const scene *s) {
  check(words_try_send(w, s->words, 1, "ab", 2));
}
static void wrong_range(scree_worker *w, const scene *s) {
  check(scree__out_of_range(w, s->hop.id, RANKS));
}
static void wrong_stats(scree_worker *w, const scene *s) {
  scree_stats stats;
  scree_lane_stats lane;
  (void)s;
  scree_stats_read(scree_world_of(w), &stats);
  check_equal(stats.epochs, 0);
  check_equal(scree_stats_lane(scree_world_of(w), 0, 0, &lane), SCREE_ESTATE);
}
static void wrong_print(scree_worker *w, const scene *s) {
  scree_stats_print(scree_world_of(w), s->nowhere, false);
  scree_stats_print(scree_world_of(w), s->nowhere, true);
  scree_report_print(scree_world_of(w), s->nowhere);
}
static void wrong_hook(scree_worker *w, const scene *s) {
  (void)s;
  scree_hang_hook(scree_world_of(w), NULL, NULL);
}

/* These are legal. */
static void right_calls(scree_worker *w, const scene *s) {
  scree_world *world = scree_world_of(w);
  (void)s;
  check(scree_worker_of(world, 0) == w);
  check_equal(scree_node_ranks(world), RANKS);
  check_equal(scree_options_of(world)->batch_max, 3);
  check(strcmp(scree_thread_level(world), "none") == 0);
  scree_status error = scree_error(world);
  check(error == SCREE_OK || error == SCREE_ESTATE);
  check(scree_error_rank(world) == 0);
  const char *text = scree_error_text(world);
  check(strlen(text) == 0 || strstr(text, "called by a second thread"));
}

static void (*const calls[])(scree_worker *, const scene *) = {
    wrong_progress, wrong_begin, wrong_end,   wrong_test,  wrong_register,  wrong_close,       wrong_flush,
    wrong_hold,     wrong_send,  wrong_try,   wrong_words, wrong_try_words, wrong_range,       wrong_flush_lane,
    wrong_release,  wrong_fail,  wrong_stats, wrong_print, wrong_hook,      wrong_inline_send, right_calls};
enum { CALLS = sizeof calls / sizeof *calls };

static scree_world *wait_for_world(const scene *s) {
  AO_t world;
  while (!(world = AO_load_acquire(&s->world))) sched_yield();
  return (scree_world *)world;
}

/* Each round begins with another call, which is the one that finds the owner at work. */
static void intrude(scene *s) {
  scree_worker *w = scree_worker_of(wait_for_world(s), 0);
  for (int i = 0; i < 20; i++) right_calls(w, s);
  for (uint64_t i = 0; i < (uint64_t)PASSES * CALLS; i++) calls[(s->round + i) % CALLS](w, s);
  AO_store_release(&s->gone, 1);
}

/* ---- the owners ---- */

/* Sends until the world fails. */
static void one_epoch(scree_worker *w, const player *me) {
  static const char record[9000];
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0) AO_store_release(&me->all->world, (AO_t)scree_world_of(w));
  while (!scree_error(scree_world_of(w))) {
    for (uint32_t i = 0; i < 50; i++) hop_send(w, me->hop, i % RANKS, i % 3);
    words_send(w, me->words, 1 - w->rank, record, sizeof record);
    scree_progress(w);
    scree_flush(w, SCREE_ALL);
  }
  check_equal(scree_end(w, NULL), SCREE_ESTATE);
}

static void play(scene *s, uint32_t rank) {
  player me = {.all = s};
  scree_world *world = threads_world(&s->node, rank);
  if (!check(world != NULL)) return;
  check_equal(hop_register(world, &me, &me.hop), SCREE_OK);
  check_equal(words_register(world, &me, &me.words), SCREE_OK);
  if (rank == 0) s->hop = me.hop, s->words = me.words;
  one_epoch(scree_worker_of(world, 0), &me);
  if (rank == 0) check_contains(scree_error_text(world), "rank 0 of 2: ");
  check_contains(scree_error_text(world), rank == 0 ? "called by a second thread" : "rank 0 reported");
  while (rank == 0 && !AO_load_acquire(&s->gone)) {
    check_equal(scree_begin(scree_worker_of(world, 0)), SCREE_ESTATE);
    check_equal(scree_error(world), SCREE_ESTATE);
    sched_yield();
  }
  check_equal(scree_close(world), SCREE_ESTATE);
}

static void act(void *context, uint32_t part) {
  if (part == INTRUDER)
    intrude(context);
  else
    play(context, part);
}

static void one_round(uint64_t round, bool checked, FILE *nowhere) {
  scene *s = calloc(1, sizeof *s);
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 16;
  options.batch_max = 3;
  options.checked = checked;
  if (check(s && threads_open(&s->node, RANKS, &options))) {
    s->round = round;
    s->checked = checked;
    s->nowhere = nowhere;
    threads_run(RANKS + 1, act, s);
    threads_close(&s->node);
  }
  free(s);
}

static void many_rounds(bool checked) {
  FILE *nowhere = fopen("/dev/null", "w");
  if (!check(nowhere != NULL)) return;
  for (uint64_t round = 0; round < ROUNDS && harness_failures() == 0; round++) one_round(round, checked, nowhere);
  fclose(nowhere);
}

static void all_calls(void **unused) {
  (void)unused;
  many_rounds(false);
}

static void all_calls_checked(void **unused) {
  (void)unused;
  many_rounds(true);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(all_calls), cmocka_unit_test(all_calls_checked)};
HARNESS_MAIN(tests)
