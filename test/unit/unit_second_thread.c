/* unit_second_thread.c - a thread that does not own the worker calls all public functions that are not inline, in
 * checked worlds also inlined sends, while the owner works: each call is refused, and the owner fails the world. The
 * address and the thread sanitizer have nothing to report, because such a call changes nothing but atomic words. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "core/epoch.h"
#include "harness.h"
#include "threads_transport.h"

enum { RANKS = 2, INTRUDER = RANKS, ROUNDS = 200, PASSES = 3 };

typedef struct {
  threads_node node;
  ping_type ping;
  words_type words;
  AO_t world; /* of rank 0, once its first epoch is open */
  AO_t gone;  /* the intruder has made its last call */
  uint64_t round;
  bool checked;
} scene;

typedef struct {
  scene *all;
  ping_type ping;
  words_type words;
} player;

static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  const player *me = arg;
  for (uint32_t i = 0; i < batch->count; i++)
    if (items[i] > 0) ping_send(w, me->ping, (w->rank + 1) % RANKS, items[i] - 1);
}

static void on_words(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {}

SCREE_HANDLER(ping, uint64_t, on_ping);
SCREE_VARIABLE_HANDLER(words, on_words);

/* ---- the intruder ---- */

/* These are legal. */
static void right_calls(scree_worker *w, const scene *s) {
  scree_world *world = scree_world_of(w);
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

/* What is checked inline is refused in checked worlds alone. */
static void wrong_call(const call_row *row, scree_worker *w, const scene *s) {
  const char kind = row->where[THREAD];
  caller a = {.world = scree_world_of(w), .w = w, .ping = s->ping, .words = s->words};
  if (kind == 'F' || kind == 'r' || (kind == 'f' && s->checked))
    check_text(row->call(&a) == row->refused, "%s: not refused", row->title);
}

static scree_world *wait_for_world(const scene *s) {
  AO_t world;
  while (!(world = AO_load_acquire(&s->world))) sched_yield();
  return (scree_world *)world;
}

/* Each round begins with another call, which is the one that finds the owner at work. */
static void intrude(scene *s) {
  scree_worker *w = scree_worker_of(wait_for_world(s), 0);
  for (int i = 0; i < 20; i++) right_calls(w, s);
  for (uint64_t i = 0; i < PASSES * call_rows_count; i++) {
    wrong_call(&call_rows[(s->round + i) % call_rows_count], w, s);
    right_calls(w, s);
  }
  AO_store_release(&s->gone, 1);
}

/* ---- the owners ---- */

/* Sends until the world fails. */
static void one_epoch(scree_worker *w, const player *me) {
  static const char record[9000];
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0) AO_store_release(&me->all->world, (AO_t)scree_world_of(w));
  while (!scree_error(scree_world_of(w))) {
    for (uint32_t i = 0; i < 50; i++) ping_send(w, me->ping, i % RANKS, i % 3);
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
  check_equal(ping_register(world, &me, &me.ping), SCREE_OK);
  check_equal(words_register(world, &me, &me.words), SCREE_OK);
  if (rank == 0) s->ping = me.ping, s->words = me.words;
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

static void one_round(uint64_t round, bool checked) {
  scene *s = calloc(1, sizeof *s);
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 16;
  options.batch_max = 3;
  options.checked = checked;
  if (check(s && threads_open(&s->node, RANKS, &options))) {
    s->round = round;
    s->checked = checked;
    threads_run(RANKS + 1, act, s);
    threads_close(&s->node);
  }
  free(s);
}

static void many_rounds(bool checked) {
  for (uint64_t round = 0; round < ROUNDS && harness_failures() == 0; round++) one_round(round, checked);
}

HARNESS_TEST(all_calls) {
  many_rounds(false);
}

HARNESS_TEST(all_calls_checked) {
  many_rounds(true);
}

/* A child is told apart from its parent, and from its own children. */
HARNESS_TEST(forks_are_counted) {
  const AO_t before = scree__forks();
  int status = 1;
  const pid_t child = fork();
  if (child == 0) {
    const AO_t here = scree__forks();
    const pid_t own = fork();
    if (own == 0) _exit(here == before || scree__forks() == here || scree__forks() == before);
    harness_exit(own < 0 || waitpid(own, &status, 0) != own || status);
  }
  check(child > 0 && waitpid(child, &status, 0) == child);
  check_equal(status, 0);
  check_equal(scree__forks(), before);
}

HARNESS_MAIN
