/* stats.h - tables of results: groups, medians, intervals, effects of axes, changes. Pure arithmetic. */
#ifndef STUDY_STATS_H
#define STUDY_STATS_H
#include "study/results/results.h"

/* With fewer runs of a configuration nothing is concluded. */
enum { STUDY_MIN_RUNS = 3 };

/* A median with its 95 % interval: percentiles of the medians of 2,000 samples drawn with replacement (Efron 1979),
 * by a fixed seed. n: number of values; 0: no values or no memory, and all fields are 0. */
typedef struct {
  double low, median, high;
  size_t n;
} study_interval;
study_interval study_median(const double *values, size_t n);
/* The median alone; sorts the values. 0: there are none. */
double study_middle(double *values, size_t n);
/* The interval of median(a) / median(b), resampled from both. */
study_interval study_ratio(const double *a, size_t na, const double *b, size_t nb);

/* All repetitions of one configuration, without controls and the warm-up. */
typedef struct study_group {
  const char *key;
  const study_setting *settings;
  size_t count;
  study_interval seconds, teps;
  double work[STUDY_WORK_COUNT];  /* medians */
  double *runs;                   /* seconds of each ok run, in the order of steps */
  size_t ok, bad;                 /* numbers of runs; bad: with any other status */
  bool validated;                 /* at least one answer was checked, and none was wrong */
  study_status worst;             /* INVALID if any run is, else the status of the first bad run, else STUDY_OK */
  const char *message;            /* of that run, or "" */
  const study_record *first;      /* the first record: command, environment */
  size_t problem;                 /* index of the problem, below study_table.problems */
  const struct study_group *best; /* of its problem; NULL: none */
} study_group;

typedef struct {
  const study_results *results;
  study_axis *axes; /* those with more than one value, absence counted as one; values: words in the order of the
                       plan, then numbers ascending */
  size_t axis_count;
  study_group *groups; /* sorted by the values of the axes, the last axis varies fastest, absence last */
  size_t count;
  /* Groups of different problems (they differ in an axis such as scale) are compared only by growth. */
  size_t problems;
  /* The smallest median seconds among groups without a bad run, else among groups that ran without a wrong answer. With
   * several problems: the best of the problem whose best takes the longest. NULL: none. */
  const study_group *best;
  /* The control configuration during the sweep: the seconds of each run; the spread, (highest - lowest) / median of a
   * running median of 3, or of the runs themselves if there are fewer than 5; the drift, the ratio of the medians of
   * the last third and the first third. */
  double *control;
  size_t controls;
  double control_spread;
  study_interval drift;
  double noise; /* typical half width of an interval over its median */
} study_table;

/* NULL: no memory. `results` must outlive it. */
study_table *study_table_make(const study_results *results);
void study_table_free(study_table *table);

/* True if the group has a time and no wrong answer. Other groups take part in no comparison. */
bool study_usable(const study_group *group);

/* The value of an axis in a configuration; NULL if it is absent. */
const char *study_group_value(const study_group *group, const char *axis);

/* True if the axis says what is computed rather than how: kernel, graph, scale, ... */
bool study_states_problem(const char *axis);

/* The share, 0 to 1, of the variance of log(seconds) that the axis explains alone (eta squared: variance between its
 * values over total variance), after the mean of each problem is subtracted. 0 for an axis that states the problem.
 * Groups without the axis are not a value of it: their difference is due to the axis that decides which groups have it. */
double study_share(const study_table *table, const study_axis *axis);

/* The reference for the values of an axis: the best of the table or, if that lacks the axis, the fastest usable group of
 * the same problem that has it. NULL: none. */
const study_group *study_reference(const study_table *table, const study_axis *axis);

/* True if it cannot be told whether the best of a problem is the best: it has fewer than STUDY_MIN_RUNS runs, or fewer
 * than two configurations of its problem have that many. `best` may be NULL. */
bool study_too_few(const study_table *table, const study_group *best);

/* True if two configurations agree in all axes of the table except `but`, which may be NULL. */
bool study_alike(const study_table *table, const study_axis *but, const study_group *a, const study_group *b);
/* The same for the axes that state the problem, and for all other axes. */
bool study_same_problem(const study_table *table, const study_group *a, const study_group *b);
bool study_same_settings(const study_table *table, const study_group *a, const study_group *b);

/* The usable groups that agree with `at` in all other axes, in ascending order of this axis; groups whose value is a
 * word, such as auto, are left out. Returns their number; the caller frees *line. 0: none, or no memory. */
size_t study_line(const study_table *table, const study_axis *axis, const study_group *at, const study_group ***line);

/* The same configuration in two tables. beyond_noise: the interval of after / before excludes 1, and the change exceeds
 * the noise of both tables and the spread of the control configuration. Never true with fewer than STUDY_MIN_RUNS runs
 * on a side (ratio.n). */
typedef struct {
  const study_group *before, *after;
  study_interval ratio;
  bool beyond_noise;
} study_change;
/* All configurations that are usable in both, largest change first, faster or slower. Returns their number; the caller
 * frees *changes. 0: none, or no memory. */
size_t study_compare(const study_table *before, const study_table *after, study_change **changes);

/* The groups sorted by key; the caller frees the list. NULL: no memory. */
const study_group **study_keyed(const study_table *table);
/* The group of `table` with the key of a group of another table; `keyed`: study_keyed(table). NULL: none. */
const study_group *study_find(const study_table *table, const study_group **keyed, const study_group *group);

#endif
