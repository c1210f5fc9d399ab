/* common_rounds.c - times several variants of one job, interleaved.
 *
 * Warms up, finds how many repetitions a round needs, runs the rounds, and agrees across ranks on failures. */
#include <math.h>
#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { REPETITIONS_MAX = 1 << 24 };
static const double round_seconds = 0.02; /* at least */

/* Times one run: seconds on the slowest rank, or infinity if the check failed on some rank. */
static double time_run(const bench_variant *variant, uint64_t n) {
  bench_all(true); /* a barrier */
  double start = bench_now(), seconds;
  if (variant->timed) {
    seconds = variant->timed(variant->arg);
  } else {
    variant->run(variant->arg, n);
    seconds = bench_now() - start;
  }
  return bench_slowest(!variant->check || variant->check(variant->arg, n) ? seconds : INFINITY);
}

/* The best of three: with more ranks than cores, earlier work may prolong a short run, which would then seem long
 * enough. Infinity if one failed. */
static double quickest(const bench_variant *variant) {
  double min = INFINITY;
  for (int i = 0; i < 3; i++) {
    double seconds = time_run(variant, variant->n);
    if (!isfinite(seconds)) return seconds;
    if (seconds < min) min = seconds;
  }
  return min;
}

/* Warms up. The times are the same on all ranks, so all ranks reach the same decisions. */
static bool warm_up(bench_variant *variant) {
  if (variant->mpi && ranks_are_local) return true;
  if (variant->n > 0) return isfinite(time_run(variant, variant->n));
  variant->n = 1;
  double seconds = quickest(variant);
  while (isfinite(seconds) && seconds < round_seconds && variant->n < REPETITIONS_MAX) {
    double times = 1.2 * round_seconds / seconds;
    variant->n *= times > 32 ? 32 : times < 2 ? 2 : (uint64_t)times;
    seconds = quickest(variant);
  }
  return isfinite(seconds);
}

static bool report_failure(const bench *b, const bench_variant *variant) {
  if (b->rank == 0) fprintf(stderr, "%s: %s: the check failed: not all work was done\n", b->name, variant->name);
  return false;
}

static void conclude(const bench *b, bench_variant *variant, double *seconds) {
  if (variant->mpi && ranks_are_local) {
    variant->seconds = variant->spread = (double)NAN;
    return;
  }
  double median = bench_median(seconds, b->rounds);
  variant->seconds = median / (double)variant->n;
  variant->spread = (seconds[b->rounds - 1] - seconds[0]) / median;
}

bool bench_rounds(const bench *b, bench_variant *variants, int count) {
  double *seconds = calloc((size_t)count * (size_t)b->rounds, sizeof *seconds);
  bool good = bench_all(seconds != NULL);
  for (int i = 0; good && i < count; i++) good = warm_up(&variants[i]) || report_failure(b, &variants[i]);
  for (int round = 0; good && round < b->rounds; round++)
    for (int i = 0; good && i < count; i++) {
      if (variants[i].mpi && ranks_are_local) continue;
      double *at = &seconds[i * b->rounds + round];
      *at = time_run(&variants[i], variants[i].n);
      good = isfinite(*at) || report_failure(b, &variants[i]);
    }
  for (int i = 0; good && i < count; i++) conclude(b, &variants[i], &seconds[i * b->rounds]);
  free(seconds);
  return good;
}

const char *bench_transports[] = {"shm", "mpi", NULL};

bool bench_has(const char *transport) {
  return !ranks_are_local || strcmp(transport, "mpi") != 0;
}

bool bench_each_transport(bench *b, bool (*measure)(bench *b, const char *transport)) {
  bool good = true;
  for (int i = 0; bench_transports[i] && good; i++) good = measure(b, bench_transports[i]);
  return good;
}

scree_world *bench_open(const char *transport, const char *words) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  char text[256], why[256] = "", *rest = text;
  snprintf(text, sizeof text, "%s", words ? words : "");
  int bad = transport ? scree_options_set(&options, "transport", transport, why, sizeof why) : 0;
  for (char *name; !bad && (name = strsep(&rest, " "));) {
    char *value = strchr(name, '=');
    if (!value) continue;
    *value++ = 0;
    bad = scree_options_set(&options, name, value, why, sizeof why);
  }
  if (bad) fprintf(stderr, "%s\n", why);
  if (bad) return NULL;
  return (ranks_are_local ? scree_open(&options, &world) : scree_open_mpi(bench_comm, &options, &world)) ? NULL : world;
}
