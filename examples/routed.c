/* routed.c - 16 virtual ranks of the simulator send to each other by the route rook. */
#include <scree/routed.h>
#include <scree/scree_sim.h>

SCREE_MESSAGE_ROUTED(visit, uint32_t);
static void on_visit(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *handled) {
  (void)w, (void)items;
  *(uint64_t *)handled += batch->count;
}
SCREE_HANDLER(visit, uint32_t, on_visit);

static uint64_t handled, passed; /* virtual ranks share them */

static void one_rank(scree_world *world, void *arg) {
  scree_worker *w = scree_worker_of(world, 0);
  visit_type visit;
  scree_stats stats = {.size = sizeof stats};
  (void)arg;
  if (visit_register(world, &handled, &visit) || scree_begin(w)) return;
  for (uint32_t dest = 0; dest < w->ranks; dest++) visit_send(w, visit, dest, w->rank);
  scree_end(w, NULL);
  scree_stats_read(world, &stats);
  passed += stats.passed;
}

int main(void) {
  scree_sim_config config = {.seed = 1, .ranks = 16, .nodes = 4};
  scree_options options = SCREE_OPTIONS_INIT;
  options.route = SCREE_ROUTE_ROOK;
  if (scree_sim_run(&config, &options, one_rank, NULL, NULL)) return 1;
  printf("%d handled, %d passed on\n", (int)handled, (int)passed);
  return 0;
}
