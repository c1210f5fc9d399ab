/* unit_route.c - routes as pure functions, for every number of ranks from 1 to 256, and 1,024: every pair is reached in
 * as many hops as promised, by classes that never fall, over few lanes; and nothing waits in a circle.
 *
 * What waits: a block that has arrived by a channel, which is a rank and a class, waits for blocks of the classes by
 * which its items go on from there. Lanes of one class share a pool, whose blocks return when the ranks at the far end
 * of any of them have passed them on. So a channel waits for the channels of all lanes of these classes. That includes
 * the graph of Dally & Seitz (IEEE Trans. Computers C-36 (1987)), in which it waits for the channels by which its items
 * go on. */
#include "base/random.h"
#include "harness.h"
#include "route/route.h"

#include <scree/options.h>

enum { ALL_TO = 256, LARGE = 1024, WORDS = LARGE / 64, UNKNOWN = UINT16_MAX, ON_THE_WAY = UINT16_MAX - 1 };
enum { UNSEEN, OPEN, DONE };

typedef struct {
  const scree__route *route;
  const scree__ranks *all;
  uint32_t ranks, classes, dest;
  uint32_t max_hops;
  bool reached, rises, ends; /* every pair is; classes never fall; nothing is passed on from the last class */
  uint16_t *hops;            /* to dest, by rank and class of arrival */
  uint32_t *waits;           /* by channel: the classes by which items go on */
  uint64_t *lanes;           /* by rank and class: a bit for each rank that is the next one */
  uint8_t *seen;             /* channels, by the search for a circle */
} graph;

static uint32_t channel(const graph *g, uint32_t rank, uint32_t hop_class) {
  return rank * g->classes + hop_class;
}

static graph graph_new(const scree__route *route, const scree__ranks *all) {
  const uint32_t ranks = all->ranks;
  graph g = {.route = route, .all = all, .ranks = ranks, .reached = true, .rises = true, .ends = true};
  g.classes = route->classes(all);
  const size_t channels = (size_t)ranks * g.classes;
  g.hops = malloc(channels * sizeof *g.hops);
  g.waits = calloc(channels, sizeof *g.waits);
  g.lanes = calloc(channels * WORDS, sizeof *g.lanes);
  g.seen = calloc(channels, sizeof *g.seen);
  if (!g.hops || !g.waits || !g.lanes || !g.seen) abort();
  return g;
}

static void graph_free(const graph *g) {
  free(g->hops);
  free(g->waits);
  free(g->lanes);
  free(g->seen);
}

static scree__hop hop_from(graph *g, uint32_t at, uint32_t arrived) {
  scree__hop to = g->route->next(g->all, at, arrived, g->dest);
  if (to.rank >= g->ranks || to.hop_class >= g->classes) {
    g->reached = false;
    return (scree__hop){g->dest, g->classes - 1};
  }
  g->lanes[channel(g, at, to.hop_class) * WORDS + to.rank / 64] |= UINT64_C(1) << to.rank % 64;
  return to;
}

/* Hops from a rank to the destination, of an item that came to it by that class. Each channel is followed once. */
static uint32_t hops_from(graph *g, uint32_t at, uint32_t arrived) {
  if (at == g->dest) return 0;
  uint16_t *known = &g->hops[channel(g, at, arrived)];
  if (*known == ON_THE_WAY) {
    g->reached = false;
    return 0;
  }
  if (*known != UNKNOWN) return *known;
  *known = ON_THE_WAY;
  const scree__hop to = hop_from(g, at, arrived);
  g->waits[channel(g, at, arrived)] |= (uint32_t)1 << to.hop_class;
  g->rises &= to.hop_class >= arrived;
  g->ends &= arrived != g->classes - 1;
  const uint32_t hops = 1 + hops_from(g, to.rank, to.hop_class);
  *known = (uint16_t)hops;
  return hops;
}

static void follow_all(graph *g, uint32_t dest) {
  g->dest = dest;
  memset(g->hops, 0xff, (size_t)g->ranks * g->classes * sizeof *g->hops);
  for (uint32_t from = 0; from < g->ranks; from++) {
    if (from == dest) continue;
    const scree__hop to = hop_from(g, from, 0);
    const uint32_t hops = 1 + hops_from(g, to.rank, to.hop_class);
    if (hops > g->max_hops) g->max_hops = hops;
  }
}

/* With one class nothing is passed on: the core does not compute hops. */
static graph explore_all(const scree__route *route, const scree__ranks *all) {
  graph g = graph_new(route, all);
  for (uint32_t dest = 0; g.classes > 1 && dest < all->ranks; dest++) follow_all(&g, dest);
  return g;
}

static graph explore(const scree__route *route, uint32_t ranks) {
  static scree__ranks all;
  all = (scree__ranks){.ranks = ranks, .nodes = 1};
  return explore_all(route, &all);
}

/* Does a circle of waits pass the channel, or one that it waits for? */
static bool in_a_circle(graph *g, uint32_t rank, uint32_t hop_class) {
  uint8_t *seen = &g->seen[channel(g, rank, hop_class)];
  if (*seen != UNSEEN) return *seen == OPEN;
  *seen = OPEN;
  for (uint32_t c = 0; c < g->classes; c++) {
    if (!(g->waits[channel(g, rank, hop_class)] & (uint32_t)1 << c)) continue;
    const uint64_t *lanes = &g->lanes[channel(g, rank, c) * WORDS];
    for (uint32_t to = 0; to < g->ranks; to++)
      if (lanes[to / 64] & UINT64_C(1) << to % 64 && in_a_circle(g, to, c)) return true;
  }
  *seen = DONE;
  return false;
}

static bool is_cyclic(graph *g) {
  for (uint32_t i = 0; g->classes > 1 && i < g->ranks * g->classes; i++)
    if (in_a_circle(g, i / g->classes, i % g->classes)) return true;
  return false;
}

static uint32_t max_lanes(const graph *g) {
  uint32_t max = 0;
  for (uint32_t rank = 0; rank < g->ranks; rank++) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < g->classes * WORDS; i++)
      lanes += (uint32_t)__builtin_popcountll(g->lanes[channel(g, rank, 0) * WORDS + i]);
    if (lanes > max) max = lanes;
  }
  return max;
}

/* ---- what each route promises ---- */

static uint32_t log2_down(uint32_t n) {
  uint32_t log2 = 0;
  while (n >> (log2 + 1)) log2++;
  return log2;
}
static uint32_t log2_up(uint32_t n) {
  return n > 1 ? log2_down(n - 1) + 1 : 0;
}
static uint32_t root_up(uint32_t n) {
  uint32_t root = 0;
  while (root * root < n) root++;
  return root;
}
static bool is_power_of_2(uint32_t n) {
  return log2_down(n) == log2_up(n);
}

static uint32_t hops_of_rook(uint32_t n) {
  return n > 2 ? 2 : 0;
}
static uint32_t lanes_of_rook(uint32_t n) {
  return 2 * root_up(n);
}
static uint32_t hops_of_hypercube(uint32_t n) {
  return log2_down(n) + (is_power_of_2(n) ? 0 : 2);
}
/* One more on the ranks of the cube that others hang on. */
static uint32_t lanes_of_hypercube(uint32_t n) {
  return log2_down(n) + !is_power_of_2(n);
}
static uint32_t hops_of_ring(uint32_t n) {
  return n - 1;
}
static uint32_t lanes_of_ring(uint32_t n) {
  return n > 1 ? 2 : 0;
}

static const struct {
  const scree__route *route;
  uint64_t option;
  uint32_t (*hops)(uint32_t ranks), (*lanes)(uint32_t ranks);
} promises[] = {
    {&scree__rook, SCREE_ROUTE_ROOK, hops_of_rook, lanes_of_rook},
    {&scree__hypercube, SCREE_ROUTE_HYPERCUBE, hops_of_hypercube, lanes_of_hypercube},
    {&scree__dissemination, SCREE_ROUTE_DISSEMINATION, log2_up, log2_up},
    {&scree__ring_route, SCREE_ROUTE_RING, hops_of_ring, lanes_of_ring},
};
enum { ROUTES = sizeof promises / sizeof promises[0] };

static void check_graph(graph *of, const char *name) {
  graph g = *of;
  const uint32_t ranks = g.ranks;
  check_text(g.classes >= 1 && g.classes <= SCREE__HOP_CLASSES, "%s, %u ranks: %u classes", name, ranks, g.classes);
  check_text(g.reached, "%s, %u ranks: a pair is not reached", name, ranks);
  check_text(g.rises, "%s, %u ranks: a hop of a lower class follows one of a higher", name, ranks);
  check_text(g.ends, "%s, %u ranks: what came by the last class is passed on", name, ranks);
  check_text(max_lanes(&g) < ranks + g.classes, "%s, %u ranks: %u lanes", name, ranks, max_lanes(&g));
  check_text(!is_cyclic(&g), "%s, %u ranks: channels wait in a circle", name, ranks);
}

static void check_route(size_t i, uint32_t ranks) {
  graph g = explore(promises[i].route, ranks);
  const char *name = promises[i].route->name;
  check_graph(&g, name);
  check_text(g.max_hops <= promises[i].hops(ranks), "%s, %u ranks: %u hops", name, ranks, g.max_hops);
  check_text(max_lanes(&g) <= promises[i].lanes(ranks), "%s, %u ranks: %u lanes", name, ranks, max_lanes(&g));
  graph_free(&g);
}

HARNESS_TEST(every_pair_and_no_circle) {
  for (size_t i = 0; i < ROUTES; i++) {
    for (uint32_t ranks = 1; ranks <= ALL_TO && harness_failures() == 0; ranks++) check_route(i, ranks);
    check_route(i, LARGE);
  }
}

/* ---- by nodes: of drawn sizes, whose ranks lie anywhere ---- */

static scree__ranks draw_nodes(uint32_t ranks, uint32_t nodes, uint64_t *random, uint32_t *tables) {
  uint32_t *node_of = tables, *first = node_of + ranks, *member = first + nodes + 1;
  uint32_t count = 0;
  for (uint32_t r = 0; r < ranks; r++) node_of[r] = r < nodes ? r : (uint32_t)(scree__draw(random) % nodes);
  for (uint32_t node = 0; node < nodes; node++) {
    first[node] = count;
    for (uint32_t r = 0; r < ranks; r++)
      if (node_of[r] == node) member[count++] = r;
  }
  first[nodes] = count;
  return (scree__ranks){ranks, nodes, node_of, first, member};
}

/* Two nodes are connected by one lane in each direction. */
static uint32_t lanes_between(graph *g) {
  uint32_t lanes = 0;
  for (uint32_t at = 0; at < g->ranks; at++)
    for (uint32_t to = 0; to < g->ranks; to++)
      lanes +=
          g->all->node_of[at] != g->all->node_of[to] && g->lanes[channel(g, at, 1) * WORDS + to / 64] >> to % 64 & 1;
  return lanes;
}

HARNESS_TEST(every_node_is_reached) {
  uint64_t random = 1;
  for (int n = 0; n < 200 && harness_failures() == 0; n++) {
    const uint32_t ranks = 1 + (uint32_t)(scree__draw(&random) % 48),
                   nodes = 1 + (uint32_t)(scree__draw(&random) % ranks);
    uint32_t tables[3 * 48 + 1];
    const scree__ranks all = draw_nodes(ranks, nodes, &random, tables);
    graph g = explore_all(&scree__node_route, &all);
    check_graph(&g, "node");
    check_equal(g.classes, nodes == 1 || nodes == ranks ? 1 : 3);
    check(g.max_hops <= 3);
    if (g.classes > 1) check_equal(lanes_between(&g), nodes * (nodes - 1));
    graph_free(&g);
  }
}

/* A bound that nothing comes near would show nothing. */
HARNESS_TEST(bounds_are_reached) {
  static const uint32_t ranks[] = {16, 27, 49, 64, 100};
  for (size_t i = 0; i < ROUTES; i++)
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
      graph g = explore(promises[i].route, ranks[k]);
      check(g.max_hops + 1 >= promises[i].hops(ranks[k]));
      check(4 * max_lanes(&g) >= 3 * promises[i].lanes(ranks[k]));
      graph_free(&g);
    }
}

/* ---- the largest worlds: pairs drawn at random ---- */

static uint32_t walk(const scree__route *route, uint32_t ranks, uint32_t from, uint32_t dest, uint32_t max) {
  const scree__ranks all = {.ranks = ranks, .nodes = 1};
  uint32_t at = from, arrived = 0, hops = 0;
  for (; at != dest && hops <= max; hops++) {
    const scree__hop to = route->next(&all, at, arrived, dest);
    check(to.rank < ranks && to.hop_class < route->classes(&all) && to.hop_class >= arrived);
    check(to.hop_class < route->classes(&all) - 1 || to.rank == dest);
    at = to.rank;
    arrived = to.hop_class;
  }
  return hops;
}

HARNESS_TEST(large_worlds) {
  static const uint32_t ranks[] = {4099, 32768, 65521, SCREE__ROUTED_MAX - 1, SCREE__ROUTED_MAX};
  uint64_t random = 1;
  for (size_t i = 0; i < ROUTES; i++)
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
      const uint32_t max = promises[i].hops(ranks[k]);
      check(scree__route_classes(promises[i].option, ranks[k], 1) <= SCREE__HOP_CLASSES);
      for (int n = 0; n < (promises[i].route->by_arrival ? 2 : 100) && harness_failures() == 0; n++) {
        const uint32_t from = (uint32_t)(scree__draw(&random) % ranks[k]);
        const uint32_t dest = n ? (uint32_t)(scree__draw(&random) % ranks[k]) : ranks[k] - 1;
        check(walk(promises[i].route, ranks[k], from, dest, max) <= max);
      }
    }
}

/* ---- routes that are wrong are found to be ---- */

static uint32_t two_classes(const scree__ranks *all) {
  return all->ranks > 1 ? 2 : 1;
}

/* A ring that is not cut. */
static scree__hop next_around(const scree__ranks *all, uint32_t at, uint32_t arrived, uint32_t dest) {
  return (scree__hop){(at + 1) % all->ranks, 0};
}

/* Rows and columns by one class. */
static scree__hop next_in_one_class(const scree__ranks *all, uint32_t at, uint32_t arrived, uint32_t dest) {
  scree__hop to = scree__rook.next(all, at, arrived, dest);
  return (scree__hop){to.rank, 0};
}

/* First the column, but by the class of rows. */
static scree__hop next_falling(const scree__ranks *all, uint32_t at, uint32_t arrived, uint32_t dest) {
  scree__hop to = scree__rook.next(all, at, arrived, dest);
  return (scree__hop){to.rank, 1 - to.hop_class};
}

/* Never arrives at the last rank. */
static scree__hop next_to_others(const scree__ranks *all, uint32_t at, uint32_t arrived, uint32_t dest) {
  if (dest + 1 < all->ranks) return (scree__hop){dest, 1};
  return (scree__hop){at ? 0 : 1, 0};
}

static graph explore_wrong(scree__hop (*next)(const scree__ranks *, uint32_t, uint32_t, uint32_t), uint32_t ranks) {
  const scree__route route = {.name = "wrong", .by_arrival = true, .classes = two_classes, .next = next};
  graph g = explore(&route, ranks);
  g.route = NULL;
  return g;
}

HARNESS_TEST(wrong_routes_are_found) {
  for (uint32_t ranks = 4; ranks <= 64; ranks++) {
    graph around = explore_wrong(next_around, ranks), one = explore_wrong(next_in_one_class, ranks);
    graph falling = explore_wrong(next_falling, ranks), others = explore_wrong(next_to_others, ranks);
    check(around.reached && is_cyclic(&around));
    check(one.reached && is_cyclic(&one));
    check(falling.reached && !falling.rises && !falling.ends);
    check(!others.reached);
    graph_free(&around);
    graph_free(&one);
    graph_free(&falling);
    graph_free(&others);
  }
}

/* ---- the table of routes ---- */

HARNESS_TEST(routes_of_the_option) {
  scree_options options = SCREE_OPTIONS_INIT;
  char why[200];
  check(scree__route_of(SCREE_ROUTE_DIRECT) == NULL);
  check(scree__route_of(SCREE_UNSET) == NULL);
  check_equal(scree__route_classes(SCREE_ROUTE_DIRECT, LARGE, 1), 1);
  for (size_t i = 0; i < ROUTES; i++) {
    check(scree__route_of(promises[i].option) == promises[i].route);
    check_equal(scree__route_classes(promises[i].option, 1, 1), 1);
    check(scree__route_classes(promises[i].option, 12, 1) > 1);
    check_equal(scree_options_set(&options, "route", promises[i].route->name, why, sizeof why), 0);
    check_equal(options.route, promises[i].option);
  }
}

HARNESS_MAIN
