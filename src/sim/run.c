/* run.c - opens worlds in the simulator: one context for each virtual thread. */
#include <stdio.h>
#include <stdlib.h>

#include "core/epoch.h"
#include "core/pass.h"
#include "io/say.h"
#include "open/features.h"
#include "open/resolve.h"
#include "route/route.h"
#include "sim/sim.h"
#include "transport/chaos.h"

static scree__transport *open_transport(scree__sim *sim, uint32_t rank, uint32_t worker, uint32_t hop_class,
                                        scree__fault *fault) {
  scree__transport *t = scree__sim_endpoint_open(sim, rank, worker, hop_class, fault);
  if (!t || sim->config.unperturbed) return t;
  scree__transport *chaos = scree__chaos_open(t, sim->config.seed, hop_class);
  if (!chaos) t->ops->close(t);
  return chaos;
}

/* NULL: no memory. */
static scree_world *open_world(scree__sim *sim, uint32_t rank) {
  scree_world *world = scree__world_new(sim->config.threads, sim->threads, scree__features);
  scree__transport *paths[SCREE__HOP_CLASSES * SCREE__ENDPOINTS_MAX];
  uint32_t opened = 0, all = sim->classes * sim->threads;
  for (; world && opened < all; opened++) {
    uint32_t worker = opened % sim->threads;
    paths[opened] = open_transport(sim, rank, worker, opened / sim->threads, &world->faults[worker]);
    if (!paths[opened]) break;
  }
  if (world && opened == all) {
    if (scree__world_init(world, &sim->options, sim->classes, paths) == SCREE_OK) return world;
  } else {
    while (opened-- > 0) paths[opened]->ops->close(paths[opened]);
  }
  if (world) scree__world_free(world);
  return NULL;
}

static void note(scree__sim *sim, scree_status status) {
  if (status > sim->worst) sim->worst = status;
}

/* In a run that was given up the others may still read blocks in this rank's private memory. */
static void wait_for_all(scree__sim *sim) {
  sim->ended++;
  while (sim->token.hung && sim->ended < sim->config.ranks) scree__token_yield(&sim->token);
}

/* As each worker's own thread would; here they are one. */
static void report_all(const scree_world *world) {
  for (uint32_t w = 0; w < world->endpoints; w++) {
    *scree__here_slot() = world->worker[w];
    scree_report_print(world, stderr);
  }
  *scree__here_slot() = world->worker[0];
}

static void run_rank(void *arg, uint32_t rank) {
  scree__sim *sim = arg;
  scree_world *world = open_world(sim, rank);
  if (!world) { /* the others would wait for it */
    sim->token.hung = true;
    sim->ended++;
    note(sim, SCREE_ENOMEM);
    return;
  }
  sim->fn(world, sim->arg);
  if (sim->token.hung && !sim->config.quiet) report_all(world);
  wait_for_all(sim);
  if (!world->worker[0]->in_epoch) {
    note(sim, scree_close(world));
    return;
  }
  note(sim, SCREE_ESTATE); /* fn left an epoch open: the world cannot be closed together */
  scree__world_free(world);
}

static bool check(const scree_sim_config *c) {
  if (c->ranks < 1 || c->ranks > 4096 || c->nodes < 1 || c->nodes > c->ranks)
    scree__say("scree: scree_sim_run: %u ranks on %u nodes: legal are 1..4096 ranks on 1..ranks nodes\n", c->ranks,
               c->nodes);
  else if (c->threads > SCREE_THREADS_MAX)
    scree__say("scree: scree_sim_run: %u threads: legal are 1..%d, or 0: as the option of that name\n", c->threads,
               SCREE_THREADS_MAX);
  else
    return true;
  return false;
}

static bool make_tables(scree__sim *sim) {
  uint32_t ranks = sim->config.ranks, nodes = sim->config.nodes, threads = sim->threads;
  sim->identity = malloc(ranks * threads * sizeof *sim->identity);
  sim->leaders = malloc(nodes * sizeof *sim->leaders);
  sim->first = malloc((nodes + 1) * sizeof *sim->first);
  sim->node_of = malloc(ranks * sizeof *sim->node_of);
  sim->heard = calloc(ranks, sizeof *sim->heard);
  if (!sim->heard || !sim->identity || !sim->leaders || !sim->first || !sim->node_of) return false;
  for (uint32_t i = 0; i < ranks * threads; i++) sim->identity[i] = i;
  for (uint32_t i = 0; i <= nodes; i++) sim->first[i] = (uint32_t)((uint64_t)i * ranks / nodes);
  for (uint32_t i = 0; i < nodes; i++) sim->leaders[i] = sim->first[i] * threads;
  for (uint32_t r = 0, node = 0; r < ranks; r++) {
    while (r >= sim->first[node + 1]) node++;
    sim->node_of[r] = node;
  }
  return true;
}

/* Of all endpoints: no collective call comes between the opening of the worlds and what they do. */
static void start_counters(const scree__sim *sim, scree__shm_segment *segment) {
  for (uint32_t i = 0; i < segment->areas; i++) {
    scree__shm_segment_start_inbox(segment, i, scree__first_count(&sim->options, SCREE__COUNTS_INBOX));
    scree__detection_first(&sim->options, i % sim->threads, scree__shm_segment_slots(segment) + i,
                           scree__shm_segment_page(segment, sim->node_of[i / sim->threads]));
  }
}

static bool make_segments(scree__sim *sim) {
  sim->segments = calloc(sim->classes, sizeof *sim->segments);
  bool made = sim->segments != NULL;
  for (uint32_t c = 0; sim->segments && c < sim->classes; c++) {
    scree__shm_segment_plan(&sim->segments[c], sim->config.ranks * sim->threads, sim->config.nodes,
                            sim->options.memory / sim->threads / sim->classes, sim->options.in_flight);
    made = made && scree__shm_segment_plain(&sim->segments[c]);
    if (made) start_counters(sim, &sim->segments[c]);
  }
  return made;
}

static bool setup(scree__sim *sim) {
  if (!make_tables(sim)) return false;
  sim->token = (scree__token){.threads = sim->config.ranks * sim->threads,
                              .of_rank = sim->threads,
                              .seed = sim->config.seed,
                              .max_steps = sim->config.max_steps ? sim->config.max_steps : 20000000,
                              .unperturbed = sim->config.unperturbed,
                              .run = run_rank,
                              .arg = sim,
                              .local = scree__here_slot()};
  return make_segments(sim);
}

static void teardown(scree__sim *sim) {
  for (uint32_t c = 0; sim->segments && c < sim->classes; c++) scree__shm_segment_free(&sim->segments[c]);
  free(sim->segments);
  for (int i = 0; i < 2; i++) free(sim->gather[i].all);
  free(sim->identity);
  free(sim->leaders);
  free(sim->first);
  free(sim->node_of);
  free(sim->heard);
}

static scree_status run(scree__sim *sim) {
  if (!setup(sim) || !scree__token_run(&sim->token)) note(sim, SCREE_ENOMEM);
  teardown(sim);
  if (!sim->token.hung) return sim->worst;
  if (!sim->config.quiet)
    scree__say("scree: the simulated run of %u ranks on %u nodes hung: seed %llu, %llu steps\n", sim->config.ranks,
               sim->config.nodes, (unsigned long long)sim->config.seed, (unsigned long long)sim->token.steps);
  return sim->worst > SCREE_OK ? sim->worst : SCREE_EPEER;
}

scree_status scree_sim_run(const scree_sim_config *config, const scree_options *options, scree_sim_fn *fn, void *arg,
                           uint64_t *steps) {
  char why[320];
  if (!config || !fn) scree__say("scree: scree_sim_run: no %s: pass one\n", config ? "function" : "configuration");
  if (!config || !fn || !check(config)) return SCREE_EINVAL;
  scree__sim sim = {.config = *config, .fn = fn, .arg = arg};
  if (scree__options_complete(&sim.options, options, why, sizeof why)) {
    scree__say("scree: scree_sim_run: %s\n", why);
    return SCREE_EINVAL;
  }
  if (sim.config.threads == 0) sim.config.threads = (uint32_t)sim.options.threads;
  sim.options.threads = sim.config.threads;
  if (sim.options.test_first_counts) sim.options.test_first_counts ^= config->seed << 1;
  sim.threads = scree__options_endpoints(&sim.options);
  if (!scree__hops_allow(&sim.options, config->ranks, why, sizeof why)) {
    scree__say("scree: scree_sim_run: %s\n", why);
    return SCREE_EINVAL;
  }
  sim.classes = scree__hops_classes(&sim.options, config->ranks, config->nodes);
  sim.options.pin = SCREE_PIN_OFF; /* its threads are not the system's */
  scree_status status = run(&sim);
  if (steps) *steps = sim.token.steps;
  return status;
}
