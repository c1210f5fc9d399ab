/* words.c - global memory, accessed directly: what an operation orders besides the words of global memory. */
#include <stdlib.h>

#include "global/operation.h"
#include "harness.h"
#include "weak.h"

enum { ROUNDS = 12 };

/* ---- atomics of global memory: one passes on the plain word that its rank has written before ---- */

typedef struct {
  uint64_t seed, flag, word;
} passed;

static uint64_t change(passed *s, uint64_t value) {
  const bool adds = s->seed & 1;
  return scree__atomic((char *)&s->flag, adds ? SCREE__GLOBAL_ADD : SCREE__GLOBAL_OR, s->seed & 2 ? 4 : 8, value, 0);
}

static void pass_word(void *arg, uint32_t thread) {
  passed *s = arg;
  if (thread == 0) {
    s->word = 1;
    change(s, 1);
  }
  for (int i = 0; thread && i < ROUNDS; i++)
    if (change(s, 0) & 1) check_equal(s->word, 1);
}

static void play_atomics(uint64_t seed) {
  passed *s = malloc(sizeof *s);
  *s = (passed){.seed = seed};
  weak_run_threads(seed, 2, pass_word, s);
  free(s);
}

void weak_words(void **unused) {
  (void)unused;
  if (sim_mpi_let_fail) harness_skip("without MPI");
  weak_for_seeds(play_atomics);
}
