/* cost.c - estimates the cost of a race.
 *
 * Rungs as in Jamieson & Talwalkar (AISTATS 2016): each rung keeps a third of the candidates of the previous one and
 * spends three times the work on each. */
#include "study/tune/tune.h"

static uint64_t work_of(const tune_price *price, size_t rung) {
  uint64_t work = price->first;
  for (size_t k = 1; k < rung && k < 20; k++) work *= TUNE_KEEP;
  return work;
}

uint64_t tune_sources(const tune_price *price, size_t rung) {
  uint64_t work = work_of(price, rung);
  return work < price->max ? work : price->max;
}

size_t tune_jobs(const tune_price *price, size_t rung) {
  uint64_t sources = tune_sources(price, rung), jobs = (work_of(price, rung) + sources - 1) / sources;
  return jobs < TUNE_ROUNDS ? (size_t)jobs : TUNE_ROUNDS;
}

double tune_job_seconds(const tune_price *price, uint64_t sources) {
  return price->overhead + (double)sources * price->solve;
}

size_t tune_next(size_t n) {
  return (n + TUNE_KEEP - 1) / TUNE_KEEP;
}

double tune_final_seconds(const tune_price *price, size_t n, size_t rounds, uint64_t sources) {
  return (double)n * price->check + (double)((n + 1) * rounds) * tune_job_seconds(price, sources);
}

double tune_race_seconds(const tune_price *price, size_t n) {
  double seconds = 0;
  size_t rung = 1;
  for (; n > TUNE_FINALISTS; n = tune_next(n), rung++)
    seconds += (double)((n + 1) * tune_jobs(price, rung)) * tune_job_seconds(price, tune_sources(price, rung));
  return seconds + tune_final_seconds(price, n, TUNE_ROUNDS, tune_sources(price, rung));
}

size_t tune_size(const tune_price *price, double seconds, size_t max) {
  while (max && tune_race_seconds(price, max) > seconds) max--;
  return max;
}
