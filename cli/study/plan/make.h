/* make.h - a plan under construction: statements, lists, conditions; private to this folder.
 *
 * Functions that return false have written the reason to m->why. All memory belongs to the plan and is freed with it. */
#ifndef STUDY_PLAN_MAKE_H
#define STUDY_PLAN_MAKE_H
#include "study/plan/plan.h"

enum {
  STUDY_CONFIGURATIONS_MAX = 100000,
  STUDY_VALUES_MAX = 2000, /* of an axis */
  STUDY_REPEAT_MAX = 10000,
  STUDY_RUNS_MAX = 10000000 /* configurations times repeat */
};

typedef struct study_block study_block;

typedef struct {
  const study_source *source;
  study_block *blocks; /* all memory of the plan */
  char *why;
  size_t size;
  const char *option; /* what is being read: this option, or if NULL ... */
  size_t line;        /* ... this line of the file, or if 0 the plan as a whole */
  uint64_t constants_used;
} study_maker;

/* Writes where and what to why. Always false. */
bool study_plan_fail(study_maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Zeroed memory; NULL with a message if there is none. */
void *study_plan_memory(study_maker *m, size_t bytes);
char *study_plan_copy(study_maker *m, const char *text, size_t n);
/* Makes space for one more item after `count` items of `bytes` each at *items. */
bool study_plan_grow(study_maker *m, void *items, size_t count, size_t bytes);
void study_plan_blocks_free(study_block *blocks);

/* ---- numbers.c ---- */

typedef enum { STUDY_PLAIN, STUDY_SIZE, STUDY_TIME } study_unit;

typedef struct {
  double value;
  study_unit unit;
  bool computed; /* from a constant of this machine */
} study_operand;

/* Reads text[n]: a number, or a constant C of this machine as C, C*F, C/F, C+N or C-N. False without a message: it is
 * neither. */
bool study_plan_operand(study_maker *m, const char *text, size_t n, study_operand *operand);
/* Prints a number as in values: 4K, 1500ns, 0.1. */
void study_plan_print(char *text, size_t size, double value, study_unit unit);

/* ---- values.c ---- */

typedef struct {
  const char **values;
  size_t count;
} study_list;

/* The value `default`: the axis is absent. */
extern const char study_plan_default[];

/* True if both are the same text or the same number; study_plan_default equals only itself. */
bool study_plan_same(const char *a, const char *b);
/* Appends a value unless it is in the list. */
bool study_plan_add(study_maker *m, study_list *list, const char *value);
/* Reads a list from *at to its end or to the word `if`. */
bool study_plan_values(study_maker *m, const char **at, study_list *list);
/* Reads a quoted value; *at is at the opening quote. NULL: there is no closing quote. */
const char *study_plan_quoted(study_maker *m, const char **at);
/* True if `at` begins with the word, followed by a blank or the end. */
bool study_plan_keyword(const char *at, const char *word);
const char *study_plan_skip_blanks(const char *at);
/* What surrounds a value in keys and canonical text: a quote if it could be misread without, else "". */
const char *study_plan_quote(const char *value);

/* ---- conditions.c ---- */

typedef enum { STUDY_EQUAL, STUDY_UNEQUAL, STUDY_LESS, STUDY_AT_MOST, STUDY_MORE, STUDY_AT_LEAST } study_comparator;

typedef struct {
  size_t axis;
  study_comparator is;
  study_list values;
} study_comparison;

typedef struct {
  study_comparison *comparisons;
  size_t count;
} study_condition;

/* Reads a condition to the end of the text; it may use the first `axes` of names. `loose`: `and` may be omitted, as in
 * control. */
bool study_plan_condition(study_maker *m, const char *at, const study_list *names, size_t axes, bool loose,
                          study_condition *condition);
/* True if it holds for these values, indexed by axis (NULL: absent). */
bool study_plan_holds(const study_condition *condition, const char *const *values);

/* ---- parse.c ---- */

/* A line of an axis. */
typedef struct {
  size_t axis;
  study_list values;
  study_condition when;
} study_line;

enum { STUDY_TITLE, STUDY_REPEAT, STUDY_TIMEOUT, STUDY_CONTROL, STUDY_SETTINGS };

/* A statement that is not an axis, and its position. */
typedef struct {
  const char *text; /* NULL: not given */
  const char *option;
  size_t line;
} study_statement;

typedef struct {
  study_list names; /* of axes, in the order of their first occurrence */
  study_line *lines;
  size_t line_count;
  study_condition *skips;
  size_t skip_count;
  study_statement settings[STUDY_SETTINGS];
} study_draft;

/* Reads the file and the options. */
bool study_plan_read(study_maker *m, study_draft *draft);

/* ---- cross.c ---- */

/* Makes plan->axes, plan->configurations and their keys. */
bool study_plan_cross(study_maker *m, const study_draft *draft, study_plan *plan);

#endif
