/* judge.c - adds up what was counted, and compares. */
#include <stdio.h>
#include <string.h>

#include "traffic.h"

enum { VALUE = 63 }; /* bits */

void note_extreme(extremes *e, uint64_t value) {
  const uint64_t mask = (UINT64_C(1) << VALUE) - 1, v = value & mask, min = mask - v;
  if (v > e->max) e->max = v;
  if (min > e->min) e->min = min;
}

/* Returns whether all noted values equal this one; true also if there are none. */
static bool all_are(const extremes *e, uint64_t value) {
  const uint64_t mask = (UINT64_C(1) << VALUE) - 1;
  return (e->max == 0 && e->min == 0) || (e->max == (value & mask) && e->min == mask - (value & mask));
}

static uint64_t min_of(const extremes *e) {
  return ((UINT64_C(1) << VALUE) - 1) - e->min;
}

void fold(account *into, const account *a) {
  uint64_t *sum = (uint64_t *)&into->sum, *max = (uint64_t *)&into->max;
  const uint64_t *more = (const uint64_t *)&a->sum, *other = (const uint64_t *)&a->max;
  for (size_t i = 0; i < sizeof a->sum / sizeof *sum; i++) sum[i] += more[i];
  for (size_t i = 0; i < sizeof a->max / sizeof *max; i++)
    if (other[i] > max[i]) max[i] = other[i];
}

void add_totals(traffic_totals *into, const traffic_totals *t) {
  const uint64_t *more = (const uint64_t *)t;
  for (size_t i = 0; i < sizeof *t / sizeof *more; i++) ((uint64_t *)into)[i] += more[i];
}

void print_totals(const traffic_totals *t) {
#define PRINT(name) printf(#name " %llu, ", (unsigned long long)t->name);
  TRAFFIC_TOTALS(PRINT)
  printf("\n");
}

#define WRONG(...) return snprintf(why, WHY, __VA_ARGS__), false
typedef unsigned long long number;

static bool has_filtered(const program *p) {
  for (uint32_t i = 0; i < p->types; i++)
    if (p->type[i].kind->family > SUMMED) return true;
  return false;
}

bool judge_epoch(const program *p, const account *a, uint32_t k, char *why) {
  const epoch_sums *e = &a->sum.epoch[k];
  if (e->sent != e->handled || e->sent_hash != e->handled_hash)
    WRONG("epoch %u: %llu messages sent, %llu handled, sums of hashes %016llx and %016llx", k, (number)e->sent,
          (number)e->handled, (number)e->sent_hash, (number)e->handled_hash);
  for (uint32_t r = 0; has_filtered(p) && r < p->ranks; r++)
    for (uint32_t i = 0; i < SLOTS; i++)
      if (a->max.high_sent[k][r][i] != a->max.high_handled[k][r][i])
        WRONG("epoch %u: of key %u of filtered types rank %u got %llu, sent was %llu", k, i, r,
              (number)a->max.high_handled[k][r][i], (number)a->max.high_sent[k][r][i]);
  return true;
}

static bool judge_reduction(const account *a, uint32_t k, char *why) {
  const epoch_sums *e = &a->sum.epoch[k];
  const extremes *part = &a->max.part[k], *result = a->max.result[k];
  const uint64_t expected[4] = {e->given, e->given_hash, min_of(part), part->max};
  static const char *const names[] = {"sum", "sum of hashes", "minimum", "maximum"};
  for (int i = 0; i < 4; i++)
    if (!all_are(&result[i], expected[i]))
      WRONG("epoch %u: the %s is reduced to %llu to %llu, expected %llu", k, names[i], (number)min_of(&result[i]),
            (number)result[i].max, (number)expected[i]);
  return true;
}

/* A failure ends the same epoch on every worker, with the highest code raised. */
static bool judge_failure(const program *p, const account *a, char *why) {
  const uint64_t raised = a->max.raised >> 32, by = UINT32_MAX - (a->max.raised & UINT32_MAX), seen = a->max.seen.max;
  const uint32_t epoch = (uint32_t)(seen >> 40), status = seen & 0xffff;
  const bool nowhere = !a->max.seen.max && !a->max.seen.min; /* before the first epoch, or between two */
  if (!all_are(&a->max.status, a->max.status.max))
    WRONG("the ranks end with codes up to %llu", (number)a->max.status.max);
  if (!all_are(&a->max.seen, seen))
    WRONG("a failure is seen as %llx to %llx", (number)min_of(&a->max.seen), (number)seen);
  if (p->wide && a->max.status.max == SCREE_ENOMEM) return true;
  if (nowhere || a->max.status.max != raised || status != raised || (seen >> 16 & 0xffffff) != by)
    WRONG("code %llu was raised by rank %llu; the run ended with %llu, epoch %u with %u of rank %u", (number)raised,
          (number)by, (number)a->max.status.max, epoch, status, (uint32_t)(seen >> 16 & 0xffffff));
  if (a->sum.epoch[epoch].left || a->sum.epoch[epoch].failed != (uint64_t)p->ranks * p->epoch[epoch].takers)
    WRONG("%llu workers leave the failed epoch %u without an error, %llu with its failure",
          (number)a->sum.epoch[epoch].left, epoch, (number)a->sum.epoch[epoch].failed);
  return true;
}

static bool judge_saved(const program *p, const account *a, char *why) {
  for (uint32_t i = 0; i < p->types; i++)
    if (a->sum.saved[i])
      WRONG("of items of type %u (%s), sent less handled less combined are %lld", i, p->type[i].kind->name,
            (long long)a->sum.saved[i]);
  return true;
}

bool judge(const program *p, const account *a, char *why) {
  if (a->sum.flaws) WRONG("%llu flaws", (number)a->sum.flaws);
  const bool failed = a->max.raised || a->max.status.max != SCREE_OK;
  if (failed && !judge_failure(p, a, why)) return false;
  for (uint32_t k = 0; k < p->epochs; k++) {
    const uint64_t workers = (uint64_t)p->ranks * p->epoch[k].takers;
    if (!failed && a->sum.epoch[k].left != workers)
      WRONG("epoch %u was left by %llu of %llu workers", k, (number)a->sum.epoch[k].left, (number)workers);
    if (a->sum.epoch[k].left != workers) continue;
    if (!judge_epoch(p, a, k, why) || !judge_reduction(a, k, why)) return false;
    if (a->sum.epoch[k].added != a->sum.epoch[k].found) WRONG("epoch %u: words do not hold what was added to them", k);
  }
  return failed || judge_saved(p, a, why);
}
