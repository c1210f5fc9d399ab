/* steps.c - the order of the runs of a plan: shuffled rounds with the control configuration in between. */
#include <stdlib.h>

#include "base/random.h"
#include "study/plan/plan.h"

enum { CONTROL_EVERY = 8 };

/* Fisher-Yates shuffle with the number of the round as seed. */
static void shuffle(size_t *order, size_t n, uint64_t round) {
  uint64_t state = round;
  for (size_t i = 0; i < n; i++) order[i] = i;
  for (size_t i = n; i > 1; i--) {
    size_t k = (size_t)(scree__draw(&state) % i), was = order[i - 1];
    order[i - 1] = order[k];
    order[k] = was;
  }
}

/* Writes all steps; `order` is scratch space for plan->count indices. Returns their number. */
static size_t fill(const study_plan *plan, size_t *order, study_step *steps) {
  size_t n = 0, runs = 0;
  uint64_t controls = 0;
  bool alone = plan->count == 1; /* the configuration is its own control */
  steps[n++] = (study_step){.configuration = plan->control};
  for (uint64_t round = 1; round <= plan->repeat; round++) {
    shuffle(order, plan->count, round);
    for (size_t i = 0; i < plan->count; i++) {
      if (!alone && runs++ % CONTROL_EVERY == 0)
        steps[n++] = (study_step){.configuration = plan->control, .repetition = ++controls, .control = true};
      steps[n++] = (study_step){.configuration = order[i], .repetition = round};
    }
  }
  if (!alone) steps[n++] = (study_step){.configuration = plan->control, .repetition = ++controls, .control = true};
  return n;
}

study_step *study_steps(const study_plan *plan, size_t *count) {
  size_t runs = plan->count * (size_t)plan->repeat;
  size_t *order = calloc(plan->count, sizeof *order);
  study_step *steps = calloc(runs + runs / CONTROL_EVERY + 3, sizeof *steps);
  *count = 0;
  if (order && steps) {
    *count = fill(plan, order, steps);
  } else {
    free(steps);
    steps = NULL;
  }
  free(order);
  return steps;
}
