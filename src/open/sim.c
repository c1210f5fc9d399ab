/* sim.c - opens worlds in the simulator: one thread for each virtual rank. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/options.h"
#include "core/world.h"
#include "transport/chaos.h"
#include "transport/sim.h"

typedef struct {
  scree__sim *sim;
  uint32_t rank;
} thread_arg;

static scree__transport *open_transport(scree__sim *sim, uint32_t rank, scree__fault *fault) {
  scree__transport *t = scree__sim_rank_open(sim, rank, fault);
  if (!t || sim->config.unperturbed) return t;
  scree__transport *chaos = scree__chaos_open(t, sim->config.seed);
  if (!chaos) t->ops->close(t);
  return chaos;
}

/* NULL: no memory. */
static scree_world *open_world(scree__sim *sim, uint32_t rank) {
  scree_world *world = scree__world_new();
  scree__transport *t = world ? open_transport(sim, rank, &world->fault) : NULL;
  if (t && scree__world_init(world, t) == SCREE_OK) return world;
  if (world) scree__world_free(world);
  return NULL;
}

static void note(scree__sim *sim, scree_status status) {
  if (status > sim->worst) sim->worst = status;
}

static void run_rank(scree__sim *sim, uint32_t rank) {
  scree_world *world = open_world(sim, rank);
  if (!world) { /* the others would wait for it */
    sim->hung = true;
    note(sim, SCREE_ENOMEM);
    return;
  }
  sim->fn(world, sim->arg);
  if (sim->hung && !sim->config.quiet) scree_report_print(world, stderr);
  if (!world->worker.in_epoch) {
    note(sim, scree_close(world));
    return;
  }
  note(sim, SCREE_ESTATE); /* fn left an epoch open: the world cannot be closed together */
  scree__world_free(world);
}

static void *thread_main(void *arg) {
  thread_arg a = *(thread_arg *)arg;
  while (sem_wait(&a.sim->threads[a.rank].turn)) {
  }
  run_rank(a.sim, a.rank);
  scree__sim_leave(a.sim, a.rank);
  return NULL;
}

static bool check(const scree_sim_config *c) {
  if (c->ranks >= 1 && c->ranks <= 4096 && c->nodes >= 1 && c->nodes <= c->ranks) return true;
  fprintf(stderr, "scree: scree_sim_run: %u ranks on %u nodes: legal are 1..4096 ranks on 1..ranks nodes\n", c->ranks,
          c->nodes);
  return false;
}

static bool make_tables(scree__sim *sim) {
  uint32_t ranks = sim->config.ranks, nodes = sim->config.nodes;
  sim->identity = malloc(ranks * sizeof *sim->identity);
  sim->leaders = malloc(nodes * sizeof *sim->leaders);
  sim->first = malloc((nodes + 1) * sizeof *sim->first);
  sim->threads = calloc(ranks, sizeof *sim->threads);
  if (!sim->identity || !sim->leaders || !sim->first || !sim->threads) return false;
  for (uint32_t i = 0; i < ranks; i++) {
    sim->identity[i] = i;
    sim->threads[i].weight = 1;
    sem_init(&sim->threads[i].turn, 0, 0);
  }
  for (uint32_t i = 0; i <= nodes; i++) sim->first[i] = (uint32_t)((uint64_t)i * ranks / nodes);
  for (uint32_t i = 0; i < nodes; i++) sim->leaders[i] = sim->first[i];
  return true;
}

static bool setup(scree__sim *sim) {
  if (!make_tables(sim)) return false;
  sem_init(&sim->over, 0, 0);
  sim->running = sim->config.ranks;
  sim->random = sim->config.seed;
  sim->persistence = 1;
  scree__shm_segment_plan(&sim->segment, sim->config.ranks, sim->config.nodes, sim->options.memory,
                          sim->options.in_flight);
  return scree__shm_segment_plain(&sim->segment);
}

static void teardown(scree__sim *sim) {
  scree__shm_segment_free(&sim->segment);
  for (uint32_t i = 0; sim->threads && i < sim->config.ranks; i++) sem_destroy(&sim->threads[i].turn);
  for (int i = 0; i < 2; i++) free(sim->gather[i].all);
  free(sim->identity);
  free(sim->leaders);
  free(sim->first);
  free(sim->threads);
}

/* Only one of the threads runs at a time, and to wake a thread on another core takes longer than on the same one, on
 * virtual machines ten times as long: all go on the core that the caller is on. */
static void share_core(pthread_attr_t *attr) {
  int core = sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  if (core >= 0 && core < CPU_SETSIZE) CPU_SET((size_t)core, &set);
  if (CPU_COUNT(&set)) pthread_attr_setaffinity_np(attr, sizeof set, &set);
}

/* Threads that could not be made leave at once, and the run counts as hung. */
static void run_threads(scree__sim *sim, pthread_t *threads, thread_arg *args) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  if (sim->config.ranks > 256) pthread_attr_setstacksize(&attr, 512 * 1024);
  share_core(&attr);
  uint32_t made = 0;
  for (; made < sim->config.ranks; made++) {
    args[made] = (thread_arg){sim, made};
    if (pthread_create(&threads[made], &attr, thread_main, &args[made])) break;
  }
  pthread_attr_destroy(&attr);
  for (uint32_t i = made; i < sim->config.ranks; i++) {
    sim->threads[i].done = sim->hung = true;
    sim->running--;
    note(sim, SCREE_ENOMEM);
  }
  if (made > 0) {
    sem_post(&sim->threads[0].turn);
    while (sem_wait(&sim->over)) {
    }
  }
  for (uint32_t i = 0; i < made; i++) pthread_join(threads[i], NULL);
}

static scree_status run(scree__sim *sim) {
  pthread_t *threads = calloc(sim->config.ranks, sizeof *threads);
  thread_arg *args = calloc(sim->config.ranks, sizeof *args);
  if (threads && args && setup(sim))
    run_threads(sim, threads, args);
  else
    note(sim, SCREE_ENOMEM);
  free(threads);
  free(args);
  teardown(sim);
  if (!sim->hung) return sim->worst;
  if (!sim->config.quiet)
    fprintf(stderr, "scree: the simulated run of %u ranks on %u nodes hung: seed %llu, %llu steps\n", sim->config.ranks,
            sim->config.nodes, (unsigned long long)sim->config.seed, (unsigned long long)sim->steps);
  return sim->worst > SCREE_OK ? sim->worst : SCREE_EPEER;
}

scree_status scree_sim_run(const scree_sim_config *config, const scree_options *options, scree_sim_fn *fn, void *arg,
                           uint64_t *steps) {
  char why[320];
  if (!check(config)) return SCREE_EINVAL;
  scree__sim sim = {.config = *config, .fn = fn, .arg = arg};
  if (sim.config.max_steps == 0) sim.config.max_steps = 20000000;
  if (scree__options_complete(&sim.options, options, why, sizeof why)) {
    fprintf(stderr, "scree: scree_sim_run: %s\n", why);
    return SCREE_EINVAL;
  }
  scree_status status = run(&sim);
  if (steps) *steps = sim.steps;
  return status;
}
