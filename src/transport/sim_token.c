/* sim_baton.c - who runs next.
 *
 * Room: the one running thread passes the baton at scheduling points, to a rank drawn from the seed. Lots are uneven
 * and drawn anew from time to time, so that some ranks are starved for long: rare orders come up often. */
#include "base/random.h"
#include "transport/sim.h"

enum { REDEAL = 400 };

/* Lots of 1, 16 or 256. */
static void deal(scree__sim *sim) {
  for (uint32_t i = 0; i < sim->config.ranks; i++) sim->seats[i].weight = 1u << (4 * (scree__draw(&sim->random) % 3));
  sim->hurry = 1u << (scree__draw(&sim->random) % 6);
}

static uint32_t round_robin(const scree__sim *sim, uint32_t rank) {
  do rank = (rank + 1) % sim->config.ranks;
  while (sim->seats[rank].done);
  return rank;
}

static uint32_t draw_next(scree__sim *sim, uint32_t rank) {
  if (sim->config.unperturbed) return round_robin(sim, rank);
  uint64_t total = 0;
  for (uint32_t i = 0; i < sim->config.ranks; i++)
    if (!sim->seats[i].done) total += sim->seats[i].weight;
  uint64_t at = scree__draw(&sim->random) % total;
  for (uint32_t i = 0;; i++) {
    if (sim->seats[i].done) continue;
    if (at < sim->seats[i].weight) return i;
    at -= sim->seats[i].weight;
  }
}

static void pass(scree__sim *sim, uint32_t from, uint32_t to) {
  if (from == to) return;
  sem_post(&sim->seats[to].turn);
  while (sem_wait(&sim->seats[from].turn)) {
  }
}

static void count(scree__sim *sim) {
  if (++sim->steps > sim->config.max_steps) sim->hung = true;
  if (!sim->config.unperturbed && sim->steps % REDEAL == 1) deal(sim);
}

/* A scheduling point: the baton may pass on. */
void scree__sim_step(scree__sim *sim, uint32_t rank) {
  count(sim);
  if (sim->config.unperturbed || !scree__one_in(&sim->random, sim->hurry)) return;
  pass(sim, rank, draw_next(sim, rank));
}

/* The rank has nothing to do: let another one run. */
void scree__sim_yield(scree__sim *sim, uint32_t rank) {
  count(sim);
  uint32_t next = draw_next(sim, rank);
  pass(sim, rank, next == rank ? round_robin(sim, rank) : next);
}

/* The rank's thread ends. */
void scree__sim_leave(scree__sim *sim, uint32_t rank) {
  sim->seats[rank].done = true;
  if (--sim->left == 0)
    sem_post(&sim->over);
  else
    sem_post(&sim->seats[draw_next(sim, rank)].turn);
}
