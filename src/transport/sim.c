/* sim.c - the transport of a virtual rank.
 *
 * Room: shared memory's data path over plain memory, with the baton for a clock and a core, and a reduction between
 * the leaders of virtual nodes. Delays and refusals are the chaos decorator's. */
#include "transport/sim.h"

#include <stdlib.h>
#include <string.h>

static scree__sim_rank *rank_of(scree__transport *t) {
  return (scree__sim_rank *)t;
}

/* Once the run is given up, every wait ends. */
static void look(scree__transport *t) {
  const scree__sim *sim = rank_of(t)->sim;
  if (!sim->hung || t->lost) return;
  t->lost = true;
  t->fault = SCREE_EPEER;
  snprintf(t->fault_text, sizeof t->fault_text, "the simulated run hung (seed %llu)",
           (unsigned long long)sim->config.seed);
}

static void point(scree__transport *t) {
  scree__sim_step(rank_of(t)->sim, t->rank);
  look(t);
}

static void relax(scree__transport *t, uint32_t round) {
  (void)round;
  scree__sim_yield(rank_of(t)->sim, t->rank);
  look(t);
}

/* A step is a microsecond. */
static uint64_t now(scree__transport *t) {
  return rank_of(t)->sim->steps * 1000;
}

/* Everybody must have read gather n before anybody can be at n + 2: two buffers do. */
static scree_status gather(scree__transport *t, const void *mine, void *all, size_t bytes) {
  scree__sim_rank *r = rank_of(t);
  scree__sim_gather *g = &r->sim->gather[r->gathers++ & 1];
  if (g->arrived == 0 || g->arrived == t->ranks) {
    g->arrived = 0;
    if (g->bytes < bytes) {
      free(g->all);
      g->all = malloc(bytes * t->ranks);
      g->bytes = bytes;
    }
  }
  memcpy(g->all + t->rank * bytes, mine, bytes);
  g->arrived++;
  while (g->arrived < t->ranks && !t->lost) relax(t, 0);
  if (t->lost) return SCREE_EPEER;
  memcpy(all, g->all, bytes * t->ranks);
  return SCREE_OK;
}

static scree_status wave_start(scree__transport *t, const scree__wave *mine) {
  scree__sim_rank *r = rank_of(t);
  scree__sim_wave *w = &r->sim->wave[r->waves & 1];
  if (w->arrived == 0 || w->arrived == t->nodes) *w = (scree__sim_wave){.sum = {.min = UINT64_MAX}};
  point(t);
  scree__wave_add(&w->sum, mine);
  w->arrived++;
  return SCREE_OK;
}

static bool wave_test(scree__transport *t, scree__wave *out) {
  scree__sim_rank *r = rank_of(t);
  point(t);
  const scree__sim_wave *w = &r->sim->wave[r->waves & 1];
  if (w->arrived < t->nodes) return false;
  *out = w->sum;
  r->waves++;
  return true;
}

static void close_rank(scree__transport *t) {
  scree__shm_free((scree__shm *)t);
  free(t);
}

static const scree__transport_ops ops = {
    .name = "sim",
    .take = scree__shm_take,
    .put = scree__shm_put,
    .accepts = scree__shm_accepts,
    .push = scree__shm_push,
    .peek = scree__shm_peek,
    .pop = scree__shm_pop,
    .release = scree__shm_release,
    .wave_start = wave_start,
    .wave_test = wave_test,
    .gather = gather,
    .fit = scree__shm_fit,
    .in_flight = scree__shm_in_flight,
    .memory = scree__shm_memory,
    .relax = relax,
    .point = point,
    .now = now,
    .close = close_rank,
};

static uint32_t node_of(const scree__sim *sim, uint32_t rank) {
  uint32_t node = 0;
  while (rank >= sim->first[node + 1]) node++;
  return node;
}

scree__transport *scree__sim_rank_open(scree__sim *sim, uint32_t rank) {
  scree__sim_rank *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  uint32_t node = node_of(sim, rank), first = sim->first[node];
  r->sim = sim;
  r->shm.base = (scree__transport){.ops = &ops,
                                   .rank = rank,
                                   .ranks = sim->config.ranks,
                                   .node = node,
                                   .nodes = sim->config.nodes,
                                   .index = rank - first,
                                   .size = sim->first[node + 1] - first,
                                   .leaders = sim->leaders,
                                   .node_ranks = sim->identity + first,
                                   .page = scree__segment_page(&sim->segment, node),
                                   .slots = scree__segment_slots(&sim->segment) + first,
                                   .options = sim->options};
  if (scree__shm_init(&r->shm, &sim->segment, rank, sim->identity)) return &r->shm.base;
  close_rank(&r->shm.base);
  return NULL;
}
