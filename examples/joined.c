/* joined.c - the threads of an OpenMP team join as workers of scree: they compute, exchange, and compute on, in one
 * parallel region. */
#include <omp.h>
#include <scree/scree.h>

enum { NUMBERS = 100000, STEPS = 512, WORKERS = 2 };

SCREE_MESSAGE(sequence, uint32_t); /* how many steps it takes to 1 */

typedef struct {
  sequence_type type;
  uint32_t steps[NUMBERS]; /* of the numbers of this rank */
  uint64_t found[STEPS];   /* sequences by their steps: each is one worker's */
} job;

/* To a worker: no other thread counts these steps. */
static void on_sequence(scree_worker *w, const scree_batch *batch, const uint32_t *steps, void *arg) {
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) ((job *)arg)->found[steps[i]]++;
}
SCREE_HANDLER(sequence, uint32_t, on_sequence);

static uint32_t count_steps(uint64_t number) {
  uint32_t steps = 0;
  for (; number > 1; steps++) number = number % 2 ? 3 * number + 1 : number / 2;
  return steps;
}

static void exchange(scree_worker *w, void *arg) {
  job *j = arg;
  if (scree_begin(w)) return;
  for (uint32_t i = w->rank + w->ranks * w->index; i < NUMBERS; i += w->ranks * WORKERS) {
    uint32_t to = j->steps[i] % (w->ranks * WORKERS);
    sequence_send(w, j->type, scree_worker_number(w, to / WORKERS, to % WORKERS), j->steps[i]);
  }
  scree_end(w, NULL);
}

/* The number of sequences in the upper half, their steps in the lower one. */
static uint64_t most_frequent(scree_world *world, job *j) {
  uint32_t rank = scree_worker_of(world, 0)->rank, ranks = scree_worker_of(world, 0)->ranks;
  uint64_t best = 0;
#pragma omp parallel num_threads(WORKERS) reduction(max : best)
  {
    uint32_t threads = (uint32_t)omp_get_num_threads(), index = (uint32_t)omp_get_thread_num();
#pragma omp for schedule(dynamic, 64)
    for (uint32_t i = rank; i < NUMBERS; i += ranks) j->steps[i] = count_steps(i + 1);
    if (!scree_join_workers(world, threads, index, exchange, j)) {
#pragma omp for
      for (uint32_t s = 0; s < STEPS; s++)
        if (j->found[s] << 32 > best) best = j->found[s] << 32 | s;
    }
  }
  return best;
}

int main(void) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world;
  static job j;
  options.threads = WORKERS;
  omp_set_dynamic(0); /* a smaller team would be refused */
  if (scree_open(&options, &world) || sequence_register_with(world, SCREE_TO_WORKER, &j, &j.type)) return 1;
  scree_reduce all = SCREE_REDUCE_INIT;
  all.max = most_frequent(world, &j);
  scree_worker *w = scree_worker_of(world, 0);
  if (scree_error(world) || scree_begin(w) || scree_end(w, &all)) return 1;
  if (w->rank == 0) printf("%d sequences take %d steps\n", (int)(all.max >> 32), (int)(all.max & UINT32_MAX));
  return scree_close(world) != SCREE_OK;
}
