/* simulate.c - what routes cost and save with many ranks: the library in the simulator, unperturbed, with 64, 256 and
 * 1,024 virtual ranks, 16 on a node. Counts, no times: they depend on no machine.
 *
 * random: each rank sends 4,096 items of 8 bytes to random ranks. all: one to every rank. sssp: shortest paths of
 * kron:14 by Distributed Control, validated, with up to 256 ranks. `ring`, whose paths are long, runs with up to 64.
 *
 * workers: each rank has 4 workers, of which each sends as many items to random workers of all ranks, with 16, 64 and
 * 256 ranks; where the route is followed by /rank, with aggregate=rank: by one lane for each rank, where they are
 * scattered.
 *
 * memory: rank 0 sends an item to some of the others, 0 to all, with the default options and all ranks on one node; up
 * to 64 ranks also with 2 and 4 workers in each.
 *
 * Elsewhere blocks are of 4 KiB, since with coalesce-bytes auto they would grow where lanes are few. A worker's memory
 * is 20 MiB, of which lanes may take a quarter: 1,024 blocks. Of a block that holds few items one page is touched, so
 * the largest run, direct to all of 1,024 ranks, takes about 5 GiB. */
#include <scree/generate.h>
#include <scree/graph.h>
#include <scree/routed.h>
#include <scree/scree_sim.h>
#include <scree/sssp.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_value.h"
#include "observe/memory_stats.h"

enum {
  ITEMS = 4096,
  RING_MAX = 64,
  SSSP_MAX = 256,
  THREADS = 4,
  WORKERS_MAX = 256,
  MEMORY_WORKERS_MAX = 64,
  COALESCE = 4096,
  MEMORY = 20 << 20,
  ROUTES = 6,
  NODE = 16
};

SCREE_MESSAGE_ROUTED(probe, uint64_t);

typedef struct {
  const char *name;
  void (*run)(scree_world *world, void *row);
  uint32_t ranks_max, threads;
  bool defaults; /* options, and one node */
} workload;

/* The counts of all ranks, which run one at a time. */
typedef struct {
  const workload *work;
  uint32_t ranks;
  uint64_t route, aggregate;
  uint32_t live;                                              /* of memory: destinations */
  probe_type probe;                                           /* of all ranks */
  uint64_t sent, received, sent_sum, received_sum;            /* probes */
  uint64_t blocks, items, remote_items, remote_bytes, rounds; /* sums; remote: between two ranks, by each hop */
  uint64_t open_peak;                                         /* maximum over the ranks, as all that follow */
  scree__memory memory;
  uint64_t steps;
  bool bad;
} row;

static void on_probe(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  row *r = arg;
  (void)w;
  r->received += batch->count;
  for (uint32_t i = 0; i < batch->count; i++) r->received_sum += items[i];
}
SCREE_HANDLER(probe, uint64_t, on_probe);

/* ---- counting ---- */

/* A type is to ranks, or to as many workers of each. */
static void add_lanes(const scree_world *world, uint32_t rank, row *r) {
  const uint32_t threads = r->work->threads;
  scree_lane_stats lane = {.size = sizeof lane};
  for (uint32_t type = 1; scree_stats_lane(world, type, 0, &lane) == SCREE_OK; type++)
    for (uint32_t to = 0; scree_stats_lane(world, type, to, &lane) == SCREE_OK; to++) {
      if (to / threads == rank) continue;
      r->remote_items += lane.items;
      r->remote_bytes += lane.bytes;
    }
}

static void raise_to(uint64_t *max, uint64_t value) {
  if (value > *max) *max = value;
}

/* Adds the counts of this rank since its world was opened. */
static void count(const scree_world *world, uint32_t rank, row *r) {
  scree_stats s = {.size = sizeof s};
  scree__memory m;
  scree_stats_read(world, &s);
  scree__memory_read(world, &m);
  r->blocks += s.created;
  r->items += s.items_handled;
  r->rounds += s.detection_rounds;
  add_lanes(world, rank, r);
  raise_to(&r->open_peak, s.open_peak);
  raise_to(&r->memory.blocks, m.blocks);
  raise_to(&r->memory.overflow, m.overflow);
  raise_to(&r->memory.inbox, m.inbox);
  raise_to(&r->memory.tables, m.tables);
}

/* ---- workloads ---- */

/* Of splitmix64 (Steele, Lea & Flood, OOPSLA 2014). */
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

/* To ranks, or to workers where a rank has several. */
static void send_random(scree_worker *w, probe_type t, row *r) {
  const uint32_t threads = r->work->threads;
  uint64_t state = (uint64_t)scree_worker_number(w, w->rank, w->index) << 32;
  for (int i = 0; i < ITEMS; i++) {
    const uint64_t value = draw(&state);
    r->sent++;
    r->sent_sum += value;
    probe_send(w, t, (uint32_t)(value >> 32) % (r->ranks * threads), value);
  }
}

static void send_to_all(scree_worker *w, probe_type t, row *r) {
  r->sent += r->ranks;
  r->sent_sum += (uint64_t)r->ranks * w->rank;
  probe_send_all(w, t, w->rank);
}

static void send_to_live(scree_worker *w, probe_type t, row *r) {
  for (uint32_t i = 1; w->rank == 0 && i <= r->live; i++) {
    r->sent++;
    probe_send(w, t, i, 0);
  }
}

static void run_sends(scree_world *world, row *r, void (*send)(scree_worker *, probe_type, row *)) {
  scree_worker *w = scree_worker_of(world, 0);
  probe_type t;
  if (probe_register(world, r, &t) || scree_begin(w)) {
    r->bad = true;
    return;
  }
  send(w, t, r);
  if (scree_end(w, NULL)) r->bad = true;
  count(world, w->rank, r);
}

static void run_random(scree_world *world, void *arg) {
  run_sends(world, arg, send_random);
}
static void run_all(scree_world *world, void *arg) {
  run_sends(world, arg, send_to_all);
}

static void run_live(scree_world *world, void *arg) {
  run_sends(world, arg, send_to_live);
}

static void one_worker(scree_worker *w, void *arg) {
  row *r = arg;
  if (scree_begin(w)) r->bad = true;
  send_random(w, r->probe, r);
  if (scree_end(w, NULL)) r->bad = true;
}

static void run_workers(scree_world *world, void *arg) {
  row *r = arg;
  if (probe_register_with(world, SCREE_TO_WORKER, r, &r->probe) || scree_run_workers(world, THREADS, one_worker, r))
    r->bad = true;
  count(world, scree_worker_of(world, 0)->rank, r);
}

/* The first vertex of each rank that has arcs, at least one of which there is; the first of those. */
static scree_status choose_source(scree_graphs *graphs, const scree_graph *g, uint32_t rank, uint64_t *source) {
  scree_reduce r = {.min = UINT64_MAX};
  for (uint64_t u = g->locals; u-- > 0;)
    if (g->offsets[u + 1] > g->offsets[u]) r.min = scree_graph_vertex(g, scree_location_make(rank, u));
  const scree_status status = scree_graphs_reduce(graphs, &r);
  *source = r.min;
  return status;
}

static bool solve(scree_graphs *graphs, scree_solver *sssp, const scree_graph *g, uint32_t rank) {
  scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
  scree_answer result;
  scree_verdict verdict = {.valid = false};
  uint64_t source;
  how.algorithm = "dc";
  if (choose_source(graphs, g, rank, &source) || scree_solver_run(sssp, g, source, &how, &result)) return false;
  const bool good = scree_sssp_validate(g, source, result.array[0], &verdict) == SCREE_OK && verdict.valid;
  if (!good && rank == 0) fprintf(stderr, "simulate: sssp: %s\n", verdict.text);
  scree_answer_free(&result);
  return good;
}

/* The counts include those of making the graph and of validating the result. */
static void run_sssp(scree_world *world, void *arg) {
  row *r = arg;
  const uint32_t rank = scree_worker_of(world, 0)->rank;
  scree_graphs *graphs = NULL;
  scree_solver *sssp = NULL;
  scree_graph *g = NULL;
  const bool good = scree_graphs_open(world, &graphs) == SCREE_OK &&
                    scree_solver_open(graphs, scree_kernel_find("sssp"), &sssp) == SCREE_OK &&
                    scree_graph_load(graphs, "kron:14", NULL, &g) == SCREE_OK && solve(graphs, sssp, g, rank);
  if (!good) r->bad = true;
  count(world, rank, r);
  scree_graph_free(g);
  scree_solver_close(sssp);
  scree_graphs_close(graphs);
}

/* ---- rows ---- */

static const char *route_name(const row *r) {
  static const char *const names[ROUTES] = {
      [SCREE_ROUTE_DIRECT] = "direct",       [SCREE_ROUTE_ROOK] = "rook",
      [SCREE_ROUTE_HYPERCUBE] = "hypercube", [SCREE_ROUTE_DISSEMINATION] = "dissemination",
      [SCREE_ROUTE_NODE] = "node",           [SCREE_ROUTE_RING] = "ring"};
  static char text[32];
  if (r->work->defaults)
    snprintf(text, sizeof text, "%u", r->live);
  else
    snprintf(text, sizeof text, "%s%s", names[r->route], r->aggregate == SCREE_AGGREGATE_RANK ? "/rank" : "");
  return text;
}

static void head(void) {
  printf("%-7s %5s %-13s %9s %7s %10s %5s %6s %7s %7s %7s %8s %7s %8s %7s %9s\n", "", "ranks", "route", "blocks",
         "/direct", "bytes", "hops", "lanes", "/direct", "block", "/direct", "overflow", "inbox", "tables", "rounds",
         "steps");
  fflush(stdout);
}

static double over(uint64_t a, uint64_t b) {
  return b ? (double)a / (double)b : 0;
}

static void report(const row *r, const row *direct) {
  const uint64_t n = r->ranks;
  printf("%-7s %5u %-13s %9.1f %7.3f %10.0f %5.2f %6llu %7.3f %7.0f %7.3f %8.0f %7.0f %8.0f %7llu %9llu\n",
         r->work->name, r->ranks, route_name(r), over(r->blocks, n), over(r->blocks, direct->blocks),
         over(r->remote_bytes, n), over(r->remote_items, r->items), (unsigned long long)r->open_peak,
         over(r->open_peak, direct->open_peak), over(r->memory.blocks, 1024),
         over(r->memory.blocks, direct->memory.blocks), over(r->memory.overflow, 1024), over(r->memory.inbox, 1024),
         over(r->memory.tables, 1024), (unsigned long long)r->rounds, (unsigned long long)r->steps);
  fflush(stdout);
}

static bool run_row(row *r) {
  scree_sim_config config = {
      .seed = 1, .ranks = r->ranks, .threads = r->work->threads, .max_steps = UINT64_C(1) << 40, .unperturbed = true};
  config.nodes = r->work->defaults ? 1 : (r->ranks + NODE - 1) / NODE;
  scree_options options = SCREE_OPTIONS_INIT;
  options.route = r->route;
  options.aggregate = r->aggregate;
  options.coalesce_bytes = COALESCE;
  options.memory = (uint64_t)MEMORY * r->work->threads;
  options.flush_age = UINT64_C(3600000000000); /* none is flushed by age: time here is steps */
  options.huge_pages = SCREE_HUGE_PAGES_OFF;   /* a rank touches little of what it may use */
  const bool good =
      scree_sim_run(&config, r->work->defaults ? NULL : &options, r->work->run, r, &r->steps) == SCREE_OK && !r->bad &&
      r->received == r->sent && r->received_sum == r->sent_sum;
  if (!good)
    fprintf(stderr, "simulate: %s, %u ranks, route %s: the world failed, items are missing, or the result is wrong\n",
            r->work->name, r->ranks, route_name(r));
  return good;
}

static bool run_routes(const workload *work, uint32_t ranks) {
  row direct = {0};
  for (uint64_t route = SCREE_ROUTE_DIRECT; route < ROUTES; route++) {
    row r = {.work = work, .ranks = ranks, .route = route};
    if (route == SCREE_ROUTE_RING && ranks > RING_MAX) continue;
    if (!run_row(&r)) return false;
    if (route == SCREE_ROUTE_DIRECT) direct = r;
    report(&r, &direct);
  }
  return true;
}

static bool run_ranks(uint32_t ranks) {
  static const workload works[] = {{"random", run_random, UINT32_MAX, 1, false},
                                   {"all", run_all, UINT32_MAX, 1, false},
                                   {"sssp", run_sssp, SSSP_MAX, 1, false}};
  bool good = true;
  for (size_t i = 0; good && i < sizeof works / sizeof *works; i++)
    good = ranks > works[i].ranks_max || run_routes(&works[i], ranks);
  return good;
}

/* By one lane for each worker, or each rank. */
static bool run_aggregate(uint32_t ranks) {
  static const workload work = {"workers", run_workers, WORKERS_MAX, THREADS, false};
  static const uint64_t how[][2] = {{SCREE_ROUTE_DIRECT, SCREE_AGGREGATE_WORKER},
                                    {SCREE_ROUTE_DIRECT, SCREE_AGGREGATE_RANK},
                                    {SCREE_ROUTE_ROOK, SCREE_AGGREGATE_RANK}};
  row first = {0};
  for (size_t i = 0; ranks <= work.ranks_max && i < sizeof how / sizeof *how; i++) {
    row r = {.work = &work, .ranks = ranks, .route = how[i][0], .aggregate = how[i][1]};
    if (!run_row(&r)) return false;
    if (i == 0) first = r;
    report(&r, &first);
  }
  return true;
}

/* 0, 1, 2, 4 ..., ranks - 1 destinations; with several workers none and all. */
static bool run_memory(uint32_t ranks) {
  static const workload works[] = {{"memory", run_live, UINT32_MAX, 1, true},
                                   {"memory2", run_live, MEMORY_WORKERS_MAX, 2, true},
                                   {"memory4", run_live, MEMORY_WORKERS_MAX, 4, true}};
  for (size_t i = 0; i < sizeof works / sizeof *works && ranks <= works[i].ranks_max; i++) {
    row idle = {0};
    for (uint32_t live = 0; live < ranks;) {
      row r = {.work = &works[i], .ranks = ranks, .live = live};
      if (!run_row(&r)) return false;
      if (live == 0) idle = r;
      report(&r, &idle);
      live = live == ranks - 1 ? ranks : i || 2 * live >= ranks ? ranks - 1 : live ? 2 * live : 1;
    }
  }
  return true;
}

static int usage(FILE *to) {
  fputs("simulate [RANKS...]: blocks, lanes and memory of each route among that many virtual ranks (2 to 4096; by "
        "default 64, "
        "256 and 1024, which takes minutes and 5 GiB)\n"
        "blocks, bytes (between ranks): of a rank on average; lanes: with messages in them at one time, at most; then "
        "KiB of "
        "the rank that holds most; /direct: over those of the route direct; rounds: of detection, by all ranks; "
        "workers: to those of ranks that have 4 each, /rank: with aggregate=rank (16, 64 and 256 ranks); memory: with "
        "the default "
        "options, by destinations in use instead of routes, memory2 and memory4 with as many workers in each rank\n",
        to);
  return to == stderr ? 2 : 0;
}

int main(int argc, char **argv) {
  static const uint32_t usual[] = {64, 256, 1024}, of_workers[] = {16, 64, 256};
  uint32_t given[64];
  size_t n = 0;
  if (argc == 2 && !strcmp(argv[1], "--help")) return usage(stdout);
  for (int i = 1; i < argc; i++, n++) {
    const char *end = argv[i];
    uint64_t ranks;
    if (n == sizeof given / sizeof *given || !scree__digits(&end, 4096, &ranks) || *end || ranks < 2)
      return usage(stderr);
    given[n] = (uint32_t)ranks;
  }
  const size_t rows = n ? n : sizeof usual / sizeof *usual, groups = n ? n : sizeof of_workers / sizeof *of_workers;
  bool good = true;
  head();
  for (size_t i = 0; good && i < rows; i++) good = run_ranks(n ? given[i] : usual[i]);
  for (size_t i = 0; good && i < groups; i++) good = run_aggregate(n ? given[i] : of_workers[i]);
  for (size_t i = 0; good && i < rows; i++) good = run_memory(n ? given[i] : usual[i]);
  return good ? 0 : 1;
}
