/* sim_report.c - the hang report of a world with a route, asked for at any time: in handlers, behind a failure, between turns. */
#include <scree/scree_sim.h>
#include <string.h>

#include "capture.h"
#include "harness.h"

enum { RANKS = 16, ROUNDS = 50 };

SCREE_MESSAGE_ROUTED(visit, uint64_t);

typedef struct {
  scree_world *world[RANKS];
  FILE *to;
  bool fails;
  uint64_t handled;
} stage;

/* Items that would be absurd tags; the report of a world whose block is half passed on must not read them as such. */
static void on_visit(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  stage *s = arg;
  (void)items;
  s->handled += batch->count;
  scree_report_print(s->world[w->rank], s->to);
  if (s->fails && s->handled > RANKS * ROUNDS) {
    scree_report_request(); /* answered behind this handler */
    scree_fail(w, SCREE_ENOMEM, "as planned");
  }
}
SCREE_HANDLER(visit, uint64_t, on_visit);

static void play(scree_world *world, void *arg) {
  stage *s = arg;
  scree_worker *w = scree_worker_of(world, 0);
  visit_type visit;
  s->world[w->rank] = world;
  check_equal(visit_register(world, s, &visit), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (int k = 0; k < ROUNDS; k++)
    for (uint32_t dest = 0; dest < w->ranks; dest++) {
      visit_send(w, visit, dest, UINT64_C(0xfffefffefffefffe));
      if (k % 16 == 0) scree_report_print(world, s->to);
    }
  check_equal(scree_end(w, NULL), s->fails ? SCREE_ENOMEM : SCREE_OK);
}

/* The ranks that reports name as the next hop. */
static uint64_t next_hops(FILE *from) {
  static const char before[] = "by way of rank ";
  char line[4096];
  uint64_t found = 0;
  rewind(from);
  while (fgets(line, sizeof line, from)) {
    const char *at = strstr(line, before);
    if (!at) continue;
    check(strtoul(at + sizeof before - 1, NULL, 10) < RANKS);
    found++;
  }
  return found;
}

static void reports(bool fails) {
  uint64_t found = 0;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    const scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 4, .quiet = true};
    scree_options o = SCREE_OPTIONS_INIT;
    stage s = {.to = tmpfile(), .fails = fails};
    if (!check(s.to)) return;
    o.route = SCREE_ROUTE_ROOK;
    capture_start(); /* what was requested */
    check_equal(scree_sim_run(&config, &o, play, &s, NULL), fails ? SCREE_ENOMEM : SCREE_OK);
    free(capture_end());
    check(ftell(s.to) > 0);
    found += next_hops(s.to);
    fclose(s.to);
  }
  check(found > 0);
}

static void in_handlers(void **unused) {
  (void)unused;
  reports(false);
}

static void behind_a_failure(void **unused) {
  (void)unused;
  reports(true);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(in_handlers), cmocka_unit_test(behind_a_failure)};
HARNESS_MAIN(tests)
