/* endpoint.c - the transport of an endpoint in the simulator: shared memory's data path over plain memory, the token
 * for a clock and a core, and collectives over shared variables. Delays and refusals are the chaos decorator's. */
#include "sim/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  scree__shm shm; /* must be first */
  scree__sim *sim;
  scree__topology topology;
  scree__scheduler scheduler;
  scree__collective collective;
  uint64_t gathers, rounds;
} virtual_endpoint;

/* ---- scheduling ---- */

static virtual_endpoint *of_scheduler(scree__scheduler *s) {
  return SCREE__CONTAINER(s, virtual_endpoint, scheduler);
}

/* When the run has been given up, every wait ends. */
static void check_hung(virtual_endpoint *v) {
  scree__fault *fault = v->shm.base.fault;
  if (!v->sim->token.hung || fault->lost) return;
  fault->lost = true;
  scree__fault_raise(fault, SCREE_EPEER, "the simulated run hung (seed %llu)", (unsigned long long)v->sim->config.seed);
}

static void yield_point(scree__scheduler *s) {
  virtual_endpoint *v = of_scheduler(s);
  scree__token_step(&v->sim->token);
  check_hung(v);
}

static void backoff(scree__scheduler *s, uint32_t polls) {
  (void)polls;
  virtual_endpoint *v = of_scheduler(s);
  scree__token_yield(&v->sim->token);
  check_hung(v);
}

/* A step is a microsecond, and no time is 0. */
static uint64_t now(scree__scheduler *s) {
  return (of_scheduler(s)->sim->token.steps + 1) * 1000;
}

static int make(scree__scheduler *s, pthread_t *thread, void *(*fn)(void *), void *arg) {
  *thread = scree__token_start(&of_scheduler(s)->sim->token, fn, arg);
  return *thread ? 0 : EAGAIN;
}

static void join(scree__scheduler *s, pthread_t thread) {
  scree__token_join(&of_scheduler(s)->sim->token, (uint32_t)thread);
}

static void wait(scree__scheduler *s, pthread_cond_t *changed, pthread_mutex_t *lock) {
  (void)changed;
  pthread_mutex_unlock(lock);
  scree__token_sleep(&of_scheduler(s)->sim->token);
  pthread_mutex_lock(lock);
}

static void wake(scree__scheduler *s, pthread_cond_t *changed) {
  (void)changed;
  scree__token_wake_rank(&of_scheduler(s)->sim->token);
}

static const scree__scheduler_ops scheduler_ops = {
    .backoff = backoff, .yield_point = yield_point, .now = now, .make = make, .join = join, .wait = wait, .wake = wake};

/* ---- collectives ---- */

static virtual_endpoint *of_collective(scree__collective *c) {
  return SCREE__CONTAINER(c, virtual_endpoint, collective);
}

/* The others cannot be notified by this gather, so the run is given up. */
static scree_status no_memory(virtual_endpoint *v, size_t bytes) {
  v->sim->token.hung = true;
  scree__fault_raise(v->shm.base.fault, SCREE_ENOMEM, "no memory for a gather of %zu bytes in the simulator", bytes);
  return SCREE_ENOMEM;
}

static void release(const void *key) {
  if (scree__order) scree__order->release(key);
}

static void acquire(const void *key) {
  if (scree__order) scree__order->acquire(key);
}

/* By first workers. All ranks have read gather n before any rank is at n + 2: two buffers suffice. In a run that was
 * given up they may be in different ones. */
static scree_status gather(scree__collective *collective, const void *mine, void *all, size_t bytes) {
  virtual_endpoint *v = of_collective(collective);
  const scree__fault *fault = v->shm.base.fault;
  scree__sim_gather *g = &v->sim->gather[v->gathers++ & 1];
  uint32_t ranks = v->sim->config.ranks;
  check_hung(v);
  if (fault->lost) return SCREE_EPEER;
  if (g->arrived == 0 || g->arrived == ranks) {
    g->arrived = 0;
    if (g->bytes < bytes) {
      free(g->all);
      g->all = malloc(bytes * ranks);
      g->bytes = g->all ? bytes : 0;
    }
  }
  if (!g->all) return no_memory(v, bytes * ranks);
  memcpy(g->all + scree__topology_rank(&v->topology) * bytes, mine, bytes);
  release(g);
  g->arrived++;
  bool more = true;
  while (g->arrived < ranks && !fault->lost && more)
    if (collective->wait)
      more = collective->wait(collective->context);
    else
      backoff(&v->scheduler, 0);
  if (g->arrived < ranks && !more) scree__fault_raise(v->shm.base.fault, SCREE_EPEER, "a gather was given up");
  if (fault->lost || g->arrived < ranks) return SCREE_EPEER;
  acquire(g);
  memcpy(all, g->all, bytes * ranks);
  return SCREE_OK;
}

static uint32_t leaders(const scree__sim *sim) {
  return sim->options.detector == SCREE_DETECTOR_NODE ? sim->config.nodes : sim->config.ranks;
}

static scree_status round_start(scree__collective *collective, const scree__round *mine) {
  virtual_endpoint *v = of_collective(collective);
  scree__sim_round *r = &v->sim->round[v->rounds & 1];
  if (r->arrived == 0 || r->arrived == leaders(v->sim)) *r = (scree__sim_round){.sum = {.min = UINT64_MAX}};
  yield_point(&v->scheduler);
  scree__round_add(&r->sum, mine);
  release(r);
  r->arrived++;
  return SCREE_OK;
}

static bool round_test(scree__collective *collective, scree__round *out) {
  virtual_endpoint *v = of_collective(collective);
  yield_point(&v->scheduler);
  const scree__sim_round *r = &v->sim->round[v->rounds & 1];
  if (r->arrived < leaders(v->sim)) return false;
  acquire(r);
  *out = r->sum;
  v->rounds++;
  return true;
}

/* It arrives at once. */
static void say(scree__collective *collective, const scree__standing *all, uint32_t count, bool send) {
  (void)send;
  for (uint32_t i = 0; i < count; i++) {
    AO_store(&collective->heard[all[i].rank].idle, all[i].idle);
    AO_store(&collective->heard[all[i].rank].call, (AO_t)all[i].call + 1);
  }
}

static const scree__collective_ops collective_ops = {
    .gather = gather, .round_start = round_start, .round_test = round_test, .say = say};

/* ---- open, close ---- */

static void close_endpoint(scree__transport *t) {
  scree__shm_free((scree__shm *)t);
  free(t);
}

static const scree__transport_ops ops = SCREE__SHM_OPS("sim", close_endpoint);

static scree__topology topology_of(const scree__sim *sim, uint32_t rank, uint32_t worker) {
  uint32_t node = sim->node_of[rank], first = sim->first[node], threads = sim->threads;
  return (scree__topology){.endpoint = rank * threads + worker,
                           .endpoints = sim->config.ranks * threads,
                           .threads = threads,
                           .node = node,
                           .nodes = sim->config.nodes,
                           .node_index = (rank - first) * threads + worker,
                           .node_size = (sim->first[node + 1] - first) * threads,
                           .local_rank = rank - first,
                           .local_ranks = sim->first[node + 1] - first,
                           .leaders = sim->leaders,
                           .node_endpoints = sim->identity + first * threads,
                           .node_of = sim->node_of};
}

scree__transport *scree__sim_endpoint_open(scree__sim *sim, uint32_t rank, uint32_t worker, uint32_t hop_class,
                                           scree__fault *fault) {
  virtual_endpoint *v = calloc(1, sizeof *v);
  if (!v) return NULL;
  v->sim = sim;
  v->topology = topology_of(sim, rank, worker);
  v->scheduler.ops = &scheduler_ops;
  v->collective = (scree__collective){.ops = &collective_ops, .heard = sim->heard};
  v->shm.base = (scree__transport){.ops = &ops,
                                   .topology = &v->topology,
                                   .collective = &v->collective,
                                   .scheduler = &v->scheduler,
                                   .fault = fault,
                                   .page = scree__shm_segment_page(sim->segments, v->topology.node),
                                   .slots = scree__shm_segment_slots(sim->segments) +
                                            (v->topology.endpoint - v->topology.node_index),
                                   .options = sim->options,
                                   .note = ""};
  if (scree__shm_init(&v->shm, &sim->segments[hop_class], v->topology.endpoint, sim->identity)) return &v->shm.base;
  close_endpoint(&v->shm.base);
  return NULL;
}
