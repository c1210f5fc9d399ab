/* warnings.c - describes the control configuration, and warns of what is missing, unchecked or not comparable. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "study/report/text.h"
#include "study/results/provenance.h"

enum { FEW = 5 }; /* runs: fewer give no reliable interval */

static const char *s(size_t count) {
  return count == 1 ? "" : "s";
}

static void print_control(const study_table *t, FILE *to) {
  if (t->results->count == 0) return;
  if (t->controls == 0) {
    fputs("There are no runs of the control configuration, so the stability of the machine is unknown.\n", to);
    return;
  }
  char text[96];
  study_print_ratio(text, sizeof text, &t->drift);
  fprintf(to, "The control ran %zu time%s", t->controls, s(t->controls));
  if (t->controls > 1) {
    fprintf(to, ": spread %.0f %%, last third / first third is %s", 100 * t->control_spread, text);
    if (t->drift.n > 1 && (t->drift.low > 1.02 || t->drift.high < 0.98))
      fprintf(to, "; the machine became %s during the sweep", t->drift.median > 1 ? "slower" : "faster");
  }
  fputs(".\n", to);
}

static bool crowded(const study_group *g) {
  return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(g->first->json, "threads_exceed_cores"));
}

void study_warn_runs(const study_table *t, const char *which, FILE *to) {
  size_t wrong = 0, single = 0, few = 0;
  for (size_t i = 0; i < t->count; i++) {
    const study_group *g = &t->groups[i];
    wrong += g->worst == STUDY_INVALID;
    single += g->ok == 1;
    few += g->ok > 1 && g->ok < FEW;
  }
  if (wrong) fprintf(to, "Warning: %s%zu configuration%s gave a WRONG answer.\n", which, wrong, s(wrong));
  if (single)
    fprintf(to, "Warning: %s%zu configuration%s ran only once, so the noise is unknown; use repeat=5.\n", which, single,
            s(single));
  if (few)
    fprintf(
        to,
        "Warning: %s%zu configuration%s had fewer than five runs: their intervals are little more than the range.\n",
        which, few, s(few));
}

static void warn_groups(const study_table *t, FILE *to) {
  size_t unchecked = 0, many = 0;
  for (size_t i = 0; i < t->count; i++) {
    const study_group *g = &t->groups[i];
    unchecked += study_usable(g) && !g->validated;
    many += crowded(g);
  }
  if (many)
    fprintf(to, "Warning: threads exceeded cores in %zu configuration%s: their times include waiting for a core.\n",
            many, s(many));
  if (unchecked)
    fprintf(to, "Warning: the answers of %zu configuration%s were not validated.\n", unchecked, s(unchecked));
}

/* Runs without a result by status, including controls. */
static void warn_bad(const study_results *r, FILE *to) {
#define COUNT(id, word) 0,
  size_t bad = 0, of[] = {STUDY_STATUSES(COUNT)};
#undef COUNT
  for (size_t i = 0; i < r->count; i++)
    if (r->records[i].status != STUDY_OK) bad++, of[r->records[i].status]++;
  if (bad == 0) return;
  fprintf(to, "Warning: %zu run%s ended without a result:", bad, s(bad));
  const char *before = " ";
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
    if (of[i]) fprintf(to, "%s%zu %s", before, of[i], study_status_word((study_status)i)), before = ", ";
  fputs(".\n", to);
}

static void warn_file(const study_results *r, FILE *to) {
  if (r->count < r->steps)
    fprintf(to, "Warning: the sweep is incomplete: %zu of %" PRIu64 " runs; scree sweep --resume continues it.\n",
            r->count, r->steps);
  if (r->torn)
    fprintf(to, "Warning: the last line of %s is incomplete, as after a kill; that run is not included.\n", r->name);
}

/* Facts that should be the same in all records, unless the MPI is an axis. */
static void warn_facts(const study_table *t, FILE *to) {
  static const char *const facts[] = {"host", "cpu", "kernel", "governor", "mpi_library"};
  for (size_t f = 0; f < sizeof facts / sizeof facts[0]; f++) {
    char first[256] = "", number[64];
    const char *other = NULL;
    if (strcmp(facts[f], "mpi_library") == 0 && study_varies(t, "mpi")) continue;
    for (size_t i = 0; i < t->results->count && !other; i++) {
      const char *fact = study_fact(&t->results->records[i], facts[f], number);
      if (fact && !*first) snprintf(first, sizeof first, "%s", fact);
      if (fact && strncmp(fact, first, sizeof first - 1) != 0) other = fact;
    }
    if (other)
      fprintf(to, "Warning: the runs were made in different environments: %s is '%s' in one and '%s' in another.\n",
              facts[f], first, other);
  }
}

void study_print_warnings(const study_table *t, FILE *to) {
  print_control(t, to);
  study_warn_runs(t, "", to);
  warn_groups(t, to);
  warn_bad(t->results, to);
  warn_file(t->results, to);
  warn_facts(t, to);
}
