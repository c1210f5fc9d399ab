/* plan.h - the plan of a sweep: configurations and their order, from a sweep file, a preset or options.
 *
 * A sweep file has one statement per line; '#' begins a comment, double quotes keep a value whole:
 *
 *     title = coalescing sizes of Distributed Control
 *     kernel = sssp                      # the subcommand
 *     scale = fit                        # or graph = FILE-or-generator
 *     ranks = 1, cores
 *     algorithm = dc, delta
 *     coalesce-bytes = auto, 64..64K*4   # 64, 256, 1K, ... 64K; 10..20+5 is 10, 15, 20; LO..HI alone is a single value
 *     delta = 2, 8 if algorithm = delta  # the axis exists only where the condition holds
 *     k = default, 1 if algorithm = kla  # default: absent
 *     skip if algorithm = chaotic and scale > 14
 *     repeat = 5
 *
 * Every statement except title, repeat, timeout, control and skip is an axis. Several lines of one axis add up,
 * each where its condition holds. A condition joins comparisons by `and`; a comparison (= != < <= > >=) compares an axis
 * of an earlier line with a value, or with several values joined by '|'. An absent axis equals no value and differs from
 * all values except `default`. Values that are the same number (64K, 65536) count as one value.
 * control is the key of a configuration or a part of one: the first configuration that matches is the control. */
#ifndef STUDY_PLAN_H
#define STUDY_PLAN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *name, *value;
} study_setting;

typedef struct {
  study_setting *settings; /* in the order of the axes of the plan; axes that do not apply are absent */
  size_t count;
  const char *key; /* all settings, "algorithm=dc ranks=2 ...": unique in a plan */
} study_configuration;

typedef struct {
  const char *name;
  const char **values; /* of all lines, without duplicates, in the order of the file, whether or not conditions hold */
  size_t count;
} study_axis;

/* A constant of this machine that values may use: `cores`, `cores*2`, `eager-64`, `2..cores*2`, `fit-2`. Results are
 * rounded to whole numbers of at least 0. In quotes they are text. */
typedef struct {
  const char *name;
  uint64_t value;
} study_constant;

typedef struct {
  const char *title; /* "" if none is given */
  uint64_t repeat;   /* runs of each configuration */
  double timeout;    /* seconds per run */
  study_axis *axes;
  size_t axis_count;
  study_configuration *configurations;
  size_t count;
  size_t control;          /* index of the configuration that is repeated between the others */
  uint64_t constants_used; /* bit i: a value or a condition uses constant i of the source */
  char *text;              /* canonical text: equal texts mean equal plans; --resume compares them */
} study_plan;

/* The source of a plan. `file`: the text of a sweep file, or NULL. `axes`: NAME=VALUES from the command line; each
 * replaces all lines of that name at the position of the first, and graph and scale replace each other. An axis may have
 * a condition; one with the name of another statement is treated as if it were in `set`. `set`: statements that are not
 * axes, such as "repeat=3"; they replace those of the file. At most 64 constants. */
typedef struct {
  const char *file, *file_name; /* for messages */
  const char *const *axes;
  size_t axis_count;
  const char *const *set;
  size_t set_count;
  const study_constant *constants;
  size_t constant_count;
} study_source;

/* Makes the plan; NULL with the reason in why[size]: file and line or option, what was found, what is legal, the
 * remedy. Checks syntax, conditions, numbers and limits (at most 100,000 configurations); study_check checks that the
 * subcommands know the axes. */
study_plan *study_plan_make(const study_source *source, char *why, size_t size);
void study_plan_free(study_plan *plan);

/* The value of an axis in a configuration; NULL if it is absent. */
const char *study_value(const study_configuration *c, const char *axis);

/* Reads a number as in values: 16K, 1.5, 50us, 1e3. False: the text is not a number. K M G are powers of 1024; times
 * are in nanoseconds. */
bool study_number(const char *text, double *number);

/* One run of the plan. */
typedef struct {
  size_t configuration;
  uint64_t repetition; /* from 1, for controls too; 0: the warm-up */
  bool control;        /* an extra run of the control configuration */
} study_step;

/* All runs in order: a warm-up of the control configuration; then rounds that run each configuration once, shuffled with
 * the number of the round as seed; with an extra run of the control before the first run, before every 8th run after
 * that, and at the end. A plan of one configuration has no extra runs. The order depends on the plan alone. The caller
 * frees it. NULL: no memory. */
study_step *study_steps(const study_plan *plan, size_t *count);

/* The i-th preset: its name, one line of help, its text. The name is NULL past the last. */
typedef struct {
  const char *name, *help, *text;
} study_preset;
study_preset study_preset_at(size_t i);

#endif
