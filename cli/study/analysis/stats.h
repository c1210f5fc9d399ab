/* stats.h - from records to medians, and what they say.
 *
 * Room: arithmetic over results; prints nothing. */
#ifndef STUDY_STATS_H
#define STUDY_STATS_H
#include "study/results/results.h"

/* A median with its 95 % interval: percentiles of the medians of 2,000 samples drawn with replacement (Efron 1979),
 * by a fixed seed. n: values; 0: all is 0, for want of values or of memory. */
typedef struct {
  double low, median, high;
  size_t n;
} study_interval;
study_interval study_median(const double *values, size_t n);
/* The median alone; sorts the values. 0: there are none. */
double study_middle(double *values, size_t n);
/* The interval of median(a) / median(b), samples drawn from both. */
study_interval study_ratio(const double *a, size_t na, const double *b, size_t nb);

/* All repetitions of one configuration; controls and the warm-up do not count. */
typedef struct study_group {
  const char *key;
  const study_setting *settings;
  size_t count;
  study_interval seconds, teps;
  double work[STUDY_WORK_COUNT];  /* medians */
  double *runs;                   /* seconds of each ok run, in the order of steps */
  size_t ok, bad;                 /* runs; bad: with any other status */
  bool validated;                 /* at least one of its answers was checked, and none was wrong */
  study_status worst;             /* of the bad ones: INVALID if one is, else the first; STUDY_OK if there is none */
  const char *message;            /* its message, or "" */
  const study_record *first;      /* its first record: command, environment */
  size_t problem;                 /* below `problems` of the table */
  const struct study_group *best; /* of its problem; NULL: none */
} study_group;

typedef struct {
  const study_results *results;
  study_axis *axes; /* those that take more than one value, absence counted as one; words first, as in the
                       plan, then numbers ascend */
  size_t axis_count;
  study_group *groups; /* in the order of the axes' values, the last axis fastest, absence last */
  size_t count;
  /* Groups that differ in an axis that states the problem, as scale, are compared by nothing but growth. */
  size_t problems;
  /* Least median seconds of those without a bad run; if there is none, of those that ran and had no wrong answer. Of
   * several problems: that of the one whose best takes the longest. NULL: none. */
  const study_group *best;
  /* The control configuration through the sweep: seconds of each of its runs; its spread, as (highest - lowest) /
   * median of a running median of 3, or of the runs themselves if they are fewer than 5; and its drift, as a ratio of
   * the medians of the last third to the first third. */
  double *control;
  size_t controls;
  double control_spread;
  study_interval drift;
  double noise; /* typical half width of an interval over its median */
} study_table;

/* NULL: no memory. `results` must outlive it. */
study_table *study_table_make(const study_results *results);
void study_table_free(study_table *table);

/* Has it a time, and was no answer wrong? What is not usable is compared with nothing. */
bool study_usable(const study_group *group);

/* The value of an axis in a configuration; NULL if it is absent. */
const char *study_group_value(const study_group *group, const char *axis);

/* Does the axis say what is computed, and not how: kernel, graph, scale, ...? */
bool study_states_problem(const char *axis);

/* Share of the variance of log(seconds), less its mean in the problem, over the groups that the axis explains alone (eta
 * squared: between its values, over all), 0 to 1; 0 of an axis that states the problem. Groups without the axis are no value of it: that they differ from the others is due to the axis
 * that decides who has it. */
double study_share(const study_table *table, const study_axis *axis);

/* The configuration that an axis is looked at from: the best of the table; if that has no such axis, the fastest of its
 * problem without a wrong answer that has it. NULL: none. */
const study_group *study_reference(const study_table *table, const study_axis *axis);

/* Do two configurations agree in all axes of the table but `but`, which may be NULL? */
bool study_alike(const study_table *table, const study_axis *but, const study_group *a, const study_group *b);
/* Do they in the axes that state the problem, or in all others? */
bool study_same_problem(const study_table *table, const study_group *a, const study_group *b);
bool study_same_settings(const study_table *table, const study_group *a, const study_group *b);

/* Along an axis of numbers, with all other axes as in `at`: the usable groups, in ascending order of the axis; those
 * where it holds a word, as auto, are left out. Returns how many; the caller frees *line. 0: none, or no memory. */
size_t study_line(const study_table *table, const study_axis *axis, const study_group *at, const study_group ***line);

/* The same configuration in two tables. beyond_noise: the interval of after to before leaves 1 out, and the change is
 * larger than the noise of both tables and than what the control configuration did by itself. Fewer than STUDY_TELLING
 * runs on a side (ratio.n) never are. */
enum { STUDY_TELLING = 3 };
typedef struct {
  const study_group *before, *after;
  study_interval ratio;
  bool beyond_noise;
} study_change;
/* All configurations that are usable in both, from the most changed, faster or slower, to the least. The caller frees
 * *changes. 0: none, or no memory. */
size_t study_compare(const study_table *before, const study_table *after, study_change **changes);

/* The groups by their keys; the caller frees the list. NULL: no memory. And the one of `table`, which `keyed` is of, with
 * the key of a group of another table; NULL: none. */
const study_group **study_keyed(const study_table *table);
const study_group *study_find(const study_table *table, const study_group **keyed, const study_group *group);

#endif
