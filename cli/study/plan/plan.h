/* plan.h - what a sweep is to run.
 *
 * Room: from a sweep file, a preset or --axis words to configurations, and their order. Starts nothing.
 *
 * A sweep file has one statement a line; '#' begins a comment, double quotes keep a value whole:
 *
 *     title = coalescing sizes of Distributed Control
 *     kernel = sssp                      # the subcommand
 *     scale = fit                        # or graph = FILE-or-generator
 *     ranks = 1, cores
 *     algorithm = dc, delta
 *     coalesce-bytes = auto, 64..64K*4   # 64, 256, 1K, ... 64K; 10..20+5 is 10, 15, 20; LO..HI alone is one word
 *     delta = 2, 8 if algorithm = delta  # an axis only where the condition holds
 *     k = default, 1 if algorithm = kla  # default: absent
 *     skip if algorithm = chaotic and scale > 14
 *     repeat = 5
 *
 * Every statement but title, repeat, timeout, launcher, control and skip is an axis. Axes of one name add up, each line
 * where its condition holds. A condition is comparisons (= != < <= > >=) of an axis of an earlier line with a value,
 * or with values joined by '|', which are joined by `and`; an axis that is absent is equal to nothing and unequal to
 * everything but `default`. Values that are the same number (64K, 65536) are the same value, which an axis has once.
 * control is written as the key of a configuration, or as a part of it: the first that has it all is the control. */
#ifndef STUDY_PLAN_H
#define STUDY_PLAN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *name, *value;
} study_setting;

typedef struct {
  study_setting *settings; /* in the order of the plan's axes; an axis that does not apply is absent */
  size_t count;
  const char *key; /* "algorithm=dc ranks=2 ...", of all settings: unique in a plan */
} study_configuration;

typedef struct {
  const char *name;
  const char **values; /* each once, in the order of the file; of all lines, whether or not a condition ever holds */
  size_t count;
} study_axis;

/* Numbers of this machine that values may be made of: `cores`, `cores*2`, `eager-64`, `2..cores*2`, `fit-2`. What they
 * make is rounded to a whole number, 0 at least. In quotes they are text. */
typedef struct {
  const char *name;
  uint64_t value;
} study_word;

typedef struct {
  const char *title;    /* "" if none is given */
  const char *launcher; /* template, or NULL */
  uint64_t repeat;      /* runs of each configuration */
  double timeout;       /* seconds for one run */
  study_axis *axes;
  size_t axis_count;
  study_configuration *configurations;
  size_t count;
  size_t control;      /* the configuration that is run again and again */
  uint64_t words_used; /* bit i: a value is made of word i of the source, or compared with it */
  char *text;          /* the plan as canonical text: equal texts, equal plans. What --resume compares */
} study_plan;

/* Where a plan comes from. `file` is text of a sweep file, or NULL. `axes` are NAME=VALUES as given on the command
 * line: they replace all lines of that name, at the place of the first; graph replaces scale too, and scale graph. Such
 * an axis may have a condition too; one named like a statement that is no axis is as in `set`. `set` are words of
 * statements that are no axes, as "repeat=3", which replace the file's. At most 64 words of the machine. */
typedef struct {
  const char *file, *file_name; /* the name for messages */
  const char *const *axes;
  size_t axis_count;
  const char *const *set;
  size_t set_count;
  const study_word *words;
  size_t word_count;
} study_source;

/* Makes the plan; NULL with the reason in why[size]: file and line or option, what was found, what is legal, the
 * remedy. Local. Checks syntax, conditions, numbers and limits (at most 100,000 configurations), not whether an axis
 * is known to a subcommand: that is study_check. */
study_plan *study_plan_make(const study_source *source, char *why, size_t size);
void study_plan_free(study_plan *plan);

/* The value of an axis in a configuration; NULL if it is absent. */
const char *study_value(const study_configuration *c, const char *axis);

/* Reads a number as values have them: 16K, 1.5, 50us, 1e3. False: it is a word. K M G are powers of 1024; times are in
 * nanoseconds. */
bool study_number(const char *text, double *number);

/* One run of the plan. */
typedef struct {
  size_t configuration;
  uint64_t repetition; /* from 1; of a control from 1 too; 0: the warm-up */
  bool control;        /* a run of the control configuration between the others */
} study_step;

/* All runs in their order: a warm-up of the control configuration; then round by round, each configuration once a
 * round, shuffled by the round's number, with the control before the first run, before every 8th behind that, and at
 * the end; a plan of one configuration has no such controls. The order is a function of the plan alone. The caller
 * frees it. NULL: no memory. */
study_step *study_steps(const study_plan *plan, size_t *count);

/* The i-th preset: its name, a line on it, its text. NULL name past the last. */
typedef struct {
  const char *name, *help, *text;
} study_preset;
study_preset study_preset_at(size_t i);

#endif
