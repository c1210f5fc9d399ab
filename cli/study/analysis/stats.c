/* stats.c - medians, ratios and their confidence intervals.
 *
 * The resampling uses a fixed seed, so that equal values always yield equal intervals. */
#include "study/analysis/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { SAMPLES = 2000, BELOW = SAMPLES / 40 }; /* 2.5 % of the samples are below the interval, as many above it */

/* The values to resample. */
typedef struct {
  double *sorted;
  size_t *times; /* how often each was drawn in this resample */
  size_t n;
} sample;

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool sample_open(sample *d, const double *values, size_t n) {
  *d = (sample){malloc(n * sizeof *d->sorted), malloc(n * sizeof *d->times), n};
  if (!d->sorted || !d->times) return false;
  memcpy(d->sorted, values, n * sizeof *values);
  qsort(d->sorted, n, sizeof *d->sorted, ascending);
  return true;
}

static void sample_close(sample *d) {
  free(d->sorted);
  free(d->times);
}

static double sample_median(const sample *d) {
  return (d->sorted[(d->n - 1) / 2] + d->sorted[d->n / 2]) / 2;
}

double study_middle(double *values, size_t n) {
  if (n > 0) qsort(values, n, sizeof *values, ascending);
  return n > 0 ? (values[(n - 1) / 2] + values[n / 2]) / 2 : 0;
}

/* The median of n draws. */
static double sample_draw(const sample *d, uint64_t *state) {
  memset(d->times, 0, d->n * sizeof *d->times);
  for (size_t k = 0; k < d->n; k++) d->times[scree__draw(state) % d->n]++;
  size_t i = 0, passed = d->times[0];
  while (passed <= (d->n - 1) / 2) passed += d->times[++i];
  double lower = d->sorted[i];
  while (passed <= d->n / 2) passed += d->times[++i];
  return (lower + d->sorted[i]) / 2;
}

/* The interval of median(a) or, if b is given, of median(a) / median(b). */
static study_interval draw_interval(const sample *a, const sample *b) {
  double medians[SAMPLES];
  uint64_t state = 1;
  for (size_t i = 0; i < SAMPLES; i++) {
    medians[i] = sample_draw(a, &state);
    if (b) medians[i] /= sample_draw(b, &state);
  }
  qsort(medians, SAMPLES, sizeof medians[0], ascending);
  return (study_interval){.low = medians[BELOW - 1],
                          .median = b ? sample_median(a) / sample_median(b) : sample_median(a),
                          .high = medians[SAMPLES - BELOW],
                          .n = b && b->n < a->n ? b->n : a->n};
}

study_interval study_median(const double *values, size_t n) {
  study_interval interval = {0};
  sample a = {0};
  if (n > 0 && sample_open(&a, values, n)) interval = draw_interval(&a, NULL);
  sample_close(&a);
  return interval;
}

study_interval study_ratio(const double *a, size_t na, const double *b, size_t nb) {
  study_interval interval = {0};
  sample over = {0}, under = {0};
  if (na > 0 && nb > 0 && sample_open(&over, a, na) && sample_open(&under, b, nb))
    interval = draw_interval(&over, &under);
  sample_close(&over);
  sample_close(&under);
  return interval;
}
