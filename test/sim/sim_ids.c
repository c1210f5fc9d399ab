/* sim_ids.c - an id that is not registered in the world fails it, whatever is sent by it: a zeroed one, that of a
 * refused registration, one of another world. So does a destination that does not exist.
 *
 * This file is compiled without SCREE_CHECK_INLINE, and most worlds are unchecked. */
#undef SCREE_CHECK_INLINE
#include <scree/reduced.h>
#include <scree/scree_sim.h>

#include "harness.h"

enum { RANKS = 3, BAD = 1 }; /* BAD: the rank that sends */

SCREE_MESSAGE(word, uint64_t);
SCREE_MESSAGE_ROUTED(hop, uint64_t);
SCREE_VARIABLE(bytes);
#define KEY(v)            (*(v))
#define LEVEL(v)          ((void)(v), 0u)
#define COMBINE(kept, v_) ((void)(kept), (void)(v_))
SCREE_MESSAGE_REDUCED(sum, uint64_t, KEY, COMBINE);
SCREE_MESSAGE_FILTERED(seen, uint32_t, KEY, LEVEL);

static void never_handled(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  check_text(false, "a message was handled");
}
SCREE_HANDLER(word, uint64_t, never_handled);
SCREE_HANDLER(sum, uint64_t, never_handled);
SCREE_HANDLER(hop, uint64_t, never_handled);
static void never_seen(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  never_handled(w, batch, NULL, arg);
}
SCREE_HANDLER(seen, uint32_t, never_seen);
static void never_read(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  never_handled(w, batch, NULL, arg);
}
SCREE_VARIABLE_HANDLER(bytes, never_read);

static void send_word(scree_worker *w, uint32_t id, uint32_t to) {
  word_send(w, (word_type){id}, to, 1);
}
static void send_words(scree_worker *w, uint32_t id, uint32_t to) {
  word_send_all(w, (word_type){id}, 1);
}
static void try_word(scree_worker *w, uint32_t id, uint32_t to) {
  while (!word_try_send(w, (word_type){id}, to, 1)) scree_progress(w);
}
static void send_hop(scree_worker *w, uint32_t id, uint32_t to) {
  hop_send(w, (hop_type){id}, to, 1);
}
static void send_bytes(scree_worker *w, uint32_t id, uint32_t to) {
  bytes_send(w, (bytes_type){id}, to, "x", 1);
}
static void send_sum(scree_worker *w, uint32_t id, uint32_t to) {
  sum_send(w, (sum_type){id}, to, 1);
}
static void try_sum(scree_worker *w, uint32_t id, uint32_t to) {
  while (!sum_try_send(w, (sum_type){id}, to, 1)) scree_progress(w);
}
static void send_seen(scree_worker *w, uint32_t id, uint32_t to) {
  seen_send(w, (seen_type){id}, to, 1);
}
static void (*const sends[])(scree_worker *, uint32_t, uint32_t) = {send_word,  send_words, try_word, send_hop,
                                                                    send_bytes, send_sum,   try_sum,  send_seen};

/* What is registered before the send: nothing; one type, or two of which the second is reduced; one that is refused. */
enum { NONE, ONE, REDUCED, REFUSED, BEFORE };
static const uint32_t ids[] = {0, 3, 63};

typedef struct {
  int before;
  uint32_t id;
  void (*send)(scree_worker *, uint32_t, uint32_t);
} misuse;

static uint32_t number_of(scree_world *world, const misuse *how) {
  scree_type_desc descs[] = {word_desc(0, NULL), sum_desc(0, NULL)};
  uint32_t id[2];
  const uint32_t count = how->before == REDUCED ? 2 : how->before == ONE;
  check_equal(scree_register_all(world, descs, count, id), SCREE_OK);
  if (how->before != REFUSED) return how->id;
  descs[0].item = SCREE_ITEM_MAX + 1;
  id[0] = 1;
  check_equal(scree_register(world, descs, id), SCREE_EINVAL);
  return id[0];
}

static void play(scree_world *world, void *arg) {
  const misuse *how = arg;
  scree_worker *w = scree_worker_of(world, 0);
  const uint32_t id = number_of(world, how);
  char text[80];
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == BAD) how->send(w, id, 2);
  check_equal(scree_end(w, NULL), SCREE_EINVAL);
  check_equal(scree_error_rank(world), BAD);
  snprintf(text, sizeof text, "send: type %u is not registered with this world (it has %d, numbered from 1)", id,
           how->before == REFUSED ? 0 : how->before);
  if (w->rank == BAD) check_contains(scree_error_text(world), text);
}

static void play_all(bool checked, uint64_t route) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.checked = checked;
  options.route = route;
  for (size_t s = 0; s < sizeof sends / sizeof *sends; s++)
    for (int before = 0; before < BEFORE; before++)
      for (size_t i = 0; i < sizeof ids / sizeof *ids && !harness_failures(); i++) {
        misuse how = {before, ids[i], sends[s]};
        scree_sim_config config = {.seed = s + 1, .ranks = RANKS, .nodes = 2, .quiet = true};
        check_equal(scree_sim_run(&config, &options, play, &how, NULL), SCREE_EINVAL);
        if (harness_failures()) printf("send %zu, before %d, id %u\n", s, before, ids[i]);
      }
}

/* ---- destinations that do not exist, by the id of a type that has a handler ---- */

typedef struct {
  size_t send;
  uint32_t to, flags, dests;
} stray;

static uint32_t id_for(scree_world *world, const stray *s) {
  const scree_type_desc descs[] = {word_desc(s->flags, NULL), word_desc(s->flags, NULL),  word_desc(s->flags, NULL),
                                   hop_desc(s->flags, NULL),  bytes_desc(s->flags, NULL), sum_desc(0, NULL),
                                   sum_desc(0, NULL),         seen_desc(0, NULL)};
  uint32_t id;
  check_equal(scree_register(world, &descs[s->send], &id), SCREE_OK);
  return id;
}

static void play_stray(scree_world *world, void *arg) {
  const stray *s = arg;
  scree_worker *w = scree_worker_of(world, 0);
  const uint32_t id = id_for(world, s);
  char text[80];
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == BAD) sends[s->send](w, id, s->to);
  check_equal(scree_end(w, NULL), SCREE_EINVAL);
  check_equal(scree_error_rank(world), BAD);
  snprintf(text, sizeof text, "send: destination %u of type '", s->to);
  if (w->rank == BAD) check_contains(scree_error_text(world), text);
  snprintf(text, sizeof text, "' is out of range 0..%u%s: send to one of these %s", s->dests - 1,
           s->to == UINT32_MAX ? " (it is -1)" : "", s->flags ? "workers" : "ranks");
  if (w->rank == BAD) check_contains(scree_error_text(world), text);
}

static void stray_all(bool checked, uint64_t route, uint32_t flags) {
  enum { THREADS = 2 };
  scree_options options = SCREE_OPTIONS_INIT;
  options.checked = checked;
  options.route = route;
  options.threads = THREADS;
  const uint32_t dests = flags & SCREE_TO_WORKER ? RANKS * THREADS : RANKS;
  const uint32_t to[] = {dests, dests + 1, RANKS * THREADS, UINT32_MAX - 1, UINT32_MAX};
  for (size_t k = 0; k < sizeof sends / sizeof *sends; k++)
    for (size_t i = 0; i < sizeof to / sizeof *to && !harness_failures(); i++) {
      stray s = {k, to[i], flags, dests};
      scree_sim_config config = {.seed = k + 1, .ranks = RANKS, .nodes = 2, .quiet = true};
      if (sends[k] == send_words || (flags && k > 4)) continue; /* it has no destination; reduced types go to ranks */
      check_equal(scree_sim_run(&config, &options, play_stray, &s, NULL), SCREE_EINVAL);
      if (harness_failures()) printf("send %zu, to %u\n", k, to[i]);
    }
}

HARNESS_TEST(destinations) {
  stray_all(false, SCREE_ROUTE_DIRECT, 0);
  stray_all(true, SCREE_ROUTE_DIRECT, 0);
}
HARNESS_TEST(destinations_by_a_route) {
  stray_all(false, SCREE_ROUTE_RING, 0);
}
HARNESS_TEST(workers) {
  stray_all(false, SCREE_ROUTE_DIRECT, SCREE_TO_WORKER);
  stray_all(false, SCREE_ROUTE_RING, SCREE_TO_WORKER);
}
HARNESS_TEST(unchecked) {
  play_all(false, SCREE_ROUTE_DIRECT);
}
HARNESS_TEST(unchecked_by_a_route) {
  play_all(false, SCREE_ROUTE_RING);
}
HARNESS_TEST(checked) {
  play_all(true, SCREE_ROUTE_DIRECT);
}

HARNESS_MAIN
