/* votes.c - workers of a rank count votes: a type to workers, a concurrent type and a serial type. */
#include <scree/scree.h>
#include <stdatomic.h>

enum { VOTES = 30000, CHOICES = 7, WORKERS = 2 };

typedef struct {
  uint32_t choice, count;
} result;

/* What the workers of a rank share. */
typedef struct {
  uint32_t counts[WORKERS][CHOICES]; /* by worker: each row is one thread's */
  _Atomic uint64_t points;           /* of all workers */
  result best;                       /* of serial handlers, and on rank 0 alone */
} state;

SCREE_MESSAGE(vote, uint32_t);
SCREE_MESSAGE(point, uint32_t);
SCREE_MESSAGE(winner, result);

/* To a worker: its row is its own. */
static void on_vote(scree_worker *w, const scree_batch *batch, const uint32_t *choices, void *arg) {
  uint32_t *counts = ((state *)arg)->counts[w->index];
  for (uint32_t i = 0; i < batch->count; i++) counts[choices[i]]++;
}
SCREE_HANDLER(vote, uint32_t, on_vote);

/* Concurrent: any worker, several at once. One addition for the whole batch. */
static void on_point(scree_worker *w, const scree_batch *batch, const uint32_t *points, void *arg) {
  uint64_t sum = 0;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) sum += points[i];
  atomic_fetch_add_explicit(&((state *)arg)->points, sum, memory_order_relaxed);
}
SCREE_HANDLER(point, uint32_t, on_point);

/* Serial: one at a time. */
static void on_winner(scree_worker *w, const scree_batch *batch, const result *results, void *arg) {
  result *best = &((state *)arg)->best;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++)
    if (results[i].count > best->count) *best = results[i];
}
SCREE_HANDLER(winner, result, on_winner);

typedef struct {
  state shared;
  vote_type vote;
  point_type point;
  winner_type winner;
} job;

/* Votes go to all workers of all ranks; a choice is counted by the worker with its number, in turn. */
static void count_votes(scree_worker *w, void *arg) {
  job *j = arg;
  uint32_t workers = w->ranks * WORKERS, mine = w->rank * WORKERS + w->index;
  if (scree_begin(w)) return;
  for (uint32_t i = mine; i < VOTES; i += workers) {
    uint32_t choice = i % CHOICES * (i % 3) % CHOICES, counter = choice % workers;
    vote_send(w, j->vote, scree_worker_number(w, counter / WORKERS, counter % WORKERS), choice);
    point_send(w, j->point, choice % w->ranks, choice);
  }
  scree_end(w, NULL);

  if (scree_begin(w)) return;
  for (uint32_t c = 0; c < CHOICES; c++)
    if (c % workers == mine) winner_send(w, j->winner, 0, (result){c, j->shared.counts[w->index][c]});
  scree_end(w, NULL);
}

int main(void) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world;
  static job j;
  options.threads = WORKERS;
  if (scree_open(&options, &world)) return 1;
  if (vote_register_with(world, SCREE_TO_WORKER, &j.shared, &j.vote) || point_register(world, &j.shared, &j.point) ||
      winner_register_with(world, SCREE_SERIAL, &j.shared, &j.winner))
    return 1;
  if (scree_run_workers(world, WORKERS, count_votes, &j)) return 1;

  scree_worker *w = scree_worker_of(world, 0);
  scree_reduce all = SCREE_REDUCE_INIT;
  all.sum[0] = atomic_load(&j.shared.points);
  if (scree_begin(w) || scree_end(w, &all)) return 1; /* an epoch of the first workers */
  if (w->rank == 0)
    printf("choice %u wins with %u votes; %d points\n", j.shared.best.choice, j.shared.best.count, (int)all.sum[0]);
  return scree_close(world) != SCREE_OK;
}
