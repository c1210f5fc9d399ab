/* cost.c - estimates the cost of a race.
 *
 * Rungs as in Jamieson & Talwalkar (AISTATS 2016): each rung keeps a third of the candidates of the previous one and
 * spends three times the work on each. */
#include "study/tune/tune.h"

static uint64_t work_of(const tune_cost *cost, size_t rung) {
  uint64_t work = cost->first;
  for (size_t k = 1; k < rung && k < 20; k++) work *= TUNE_KEEP;
  return work;
}

uint64_t tune_sources(const tune_cost *cost, size_t rung) {
  uint64_t work = work_of(cost, rung);
  return work < cost->max ? work : cost->max;
}

size_t tune_jobs(const tune_cost *cost, size_t rung) {
  uint64_t sources = tune_sources(cost, rung), jobs = (work_of(cost, rung) + sources - 1) / sources;
  return jobs < TUNE_ROUNDS ? (size_t)jobs : TUNE_ROUNDS;
}

double tune_job_seconds(const tune_cost *cost, uint64_t sources) {
  return cost->overhead + (double)sources * cost->solve;
}

size_t tune_next(size_t n) {
  return (n + TUNE_KEEP - 1) / TUNE_KEEP;
}

double tune_final_seconds(const tune_cost *cost, size_t n, size_t rounds, uint64_t sources) {
  return (double)n * cost->check + (double)((n + 1) * rounds) * tune_job_seconds(cost, sources);
}

double tune_race_seconds(const tune_cost *cost, size_t n) {
  double seconds = 0;
  size_t rung = 1;
  for (; n > TUNE_FINALISTS; n = tune_next(n), rung++)
    seconds += (double)((n + 1) * tune_jobs(cost, rung)) * tune_job_seconds(cost, tune_sources(cost, rung));
  return seconds + tune_final_seconds(cost, n, TUNE_ROUNDS, tune_sources(cost, rung));
}

size_t tune_size(const tune_cost *cost, double seconds, size_t max) {
  while (max && tune_race_seconds(cost, max) > seconds) max--;
  return max;
}
