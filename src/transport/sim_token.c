/* sim_token.c - which virtual rank runs next. The running thread passes the token at yield points, to a rank drawn from
 * the seed. Weights are uneven and redrawn from time to time, so that some ranks are starved for long: rare orders come
 * up often. */
#include "base/random.h"
#include "transport/sim.h"

enum { REDRAW = 400 };

/* Weights of 1, 16 or 256. */
static void draw_weights(scree__sim *sim) {
  for (uint32_t i = 0; i < sim->config.ranks; i++) sim->threads[i].weight = 1u << (4 * (scree__draw(&sim->random) % 3));
  sim->persistence = 1u << (scree__draw(&sim->random) % 6);
}

static uint32_t round_robin(const scree__sim *sim, uint32_t rank) {
  do rank = (rank + 1) % sim->config.ranks;
  while (sim->threads[rank].done);
  return rank;
}

static uint32_t draw_next(scree__sim *sim, uint32_t rank) {
  if (sim->config.unperturbed) return round_robin(sim, rank);
  uint64_t total = 0;
  for (uint32_t i = 0; i < sim->config.ranks; i++)
    if (!sim->threads[i].done) total += sim->threads[i].weight;
  uint64_t at = scree__draw(&sim->random) % total;
  for (uint32_t i = 0;; i++) {
    if (sim->threads[i].done) continue;
    if (at < sim->threads[i].weight) return i;
    at -= sim->threads[i].weight;
  }
}

static void pass_token(scree__sim *sim, uint32_t from, uint32_t to) {
  if (from == to) return;
  sem_post(&sim->threads[to].turn);
  while (sem_wait(&sim->threads[from].turn)) {
  }
}

static void count_step(scree__sim *sim) {
  if (++sim->steps > sim->config.max_steps) sim->hung = true;
  if (!sim->config.unperturbed && sim->steps % REDRAW == 1) draw_weights(sim);
}

/* A yield point: the token may move on. */
void scree__sim_step(scree__sim *sim, uint32_t rank) {
  count_step(sim);
  if (sim->config.unperturbed || !scree__one_in(&sim->random, sim->persistence)) return;
  pass_token(sim, rank, draw_next(sim, rank));
}

/* The rank has nothing to do: another one runs. */
void scree__sim_yield(scree__sim *sim, uint32_t rank) {
  count_step(sim);
  uint32_t next = draw_next(sim, rank);
  pass_token(sim, rank, next == rank ? round_robin(sim, rank) : next);
}

/* The rank's thread ends. */
void scree__sim_leave(scree__sim *sim, uint32_t rank) {
  sim->threads[rank].done = true;
  if (--sim->running == 0)
    sem_post(&sim->over);
  else
    sem_post(&sim->threads[draw_next(sim, rank)].turn);
}
