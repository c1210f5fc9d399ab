/* parse.c - reads sweep files and options; options replace lines of the file. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "study/plan/make.h"
#include "study/util/printable.h"

static const char *const settings[STUDY_SETTINGS] = {"title", "repeat", "timeout", "control"};

/* NAME = REST, as text. */
typedef struct {
  const char *name, *rest; /* rest: after the '=' */
} statement;

static size_t setting_of(const char *name) {
  size_t i = 0;
  while (i < STUDY_SETTINGS && strcmp(settings[i], name)) i++;
  return i;
}

/* ---- statements ---- */

/* The index of the axis, appended if it is new. */
static bool add_name(study_maker *m, study_draft *d, const char *name, size_t *axis) {
  for (*axis = 0; *axis < d->names.count; ++*axis)
    if (strcmp(d->names.values[*axis], name) == 0) return true;
  return study_plan_add(m, &d->names, name);
}

/* A launcher's template without quotes is one value, whatever blanks and commas it has. */
static bool read_values(study_maker *m, const statement *s, const char **at, study_list *values) {
  const char *text = study_plan_skip_blanks(s->rest);
  size_t n = strlen(text);
  if (strcmp(s->name, "launcher") || !strchr(text, '{') || strchr(text, '"')) return study_plan_values(m, at, values);
  while (isspace((unsigned char)text[n - 1])) n--;
  *at = text + strlen(text);
  return study_plan_add(m, values, study_plan_copy(m, text, n));
}

/* A line of an axis: values, optionally with a condition. */
static bool read_axis(study_maker *m, study_draft *d, const statement *s) {
  study_line line = {0};
  const char *at = s->rest;
  if (!add_name(m, d, s->name, &line.axis) || !read_values(m, s, &at, &line.values)) return false;
  if (*at && !study_plan_condition(m, at + 2, &d->names, line.axis, false, &line.when)) return false;
  if (!study_plan_grow(m, &d->lines, d->line_count, sizeof line)) return false;
  return d->lines[d->line_count++] = line, true;
}

static bool read_skip(study_maker *m, study_draft *d, const char *at) {
  study_condition condition = {0};
  at = study_plan_skip_blanks(at);
  if (!study_plan_keyword(at, "if"))
    return study_plan_fail(
        m, "'skip %s': a condition is missing; write for example: skip if algorithm = chaotic and scale > 14", at);
  if (!study_plan_condition(m, at + 2, &d->names, d->names.count, false, &condition) ||
      !study_plan_grow(m, &d->skips, d->skip_count, sizeof condition))
    return false;
  return d->skips[d->skip_count++] = condition, true;
}

/* A statement other than an axis. Quotes around the whole text are removed. */
static bool read_setting(study_maker *m, study_draft *d, size_t i, const char *text) {
  study_statement *s = &d->settings[i];
  size_t n = strlen(text);
  if (s->option && !m->option) return true; /* replaced */
  if (s->text && !m->option)
    return study_plan_fail(m, "'%s' is already given in line %zu; remove one of them", settings[i], s->line);
  if (n >= 2 && text[0] == '"' && strchr(text + 1, '"') == text + n - 1) text++, n -= 2;
  if (n == 0) return study_plan_fail(m, "'%s' has no value; give one, or remove the line", settings[i]);
  *s = (study_statement){.text = study_plan_copy(m, text, n), .option = m->option, .line = m->line};
  return s->text != NULL;
}

/* Splits NAME = REST. */
static bool split(study_maker *m, const char *text, statement *s) {
  size_t n = strcspn(text, "= \t\n\v\f\r");
  const char *equals = study_plan_skip_blanks(text + n);
  if (*equals != '=')
    return study_plan_fail(m, "'%s' is not a statement; statements are NAME = VALUES and skip if CONDITION", text);
  for (size_t i = 0; i < n; i++)
    if (!isalnum((unsigned char)text[i]) && !strchr("._-", text[i])) n = 0;
  if (n == 0 || !isalpha((unsigned char)text[0]))
    return study_plan_fail(
        m, "'%.*s' is not a name; names begin with a letter and consist of letters, digits, '-', '_' and '.'",
        (int)(equals - text), text);
  s->rest = study_plan_skip_blanks(equals + 1);
  s->name = study_plan_copy(m, text, n);
  return s->name != NULL;
}

/* The plan is stored in results, which must be text that can be printed. */
static bool check_text(study_maker *m, const char *text) {
  for (size_t n; *text; text += n) {
    n = study_printable(text);
    if (n == 0)
      return study_plan_fail(m, "byte %d is not text; a plan is text in UTF-8, without control characters",
                             (unsigned char)*text);
  }
  return true;
}

/* ---- options ---- */

/* NAME=VALUES of the command line; done: it was read. */
typedef struct {
  statement statement;
  bool done;
} option;

typedef struct {
  option *options;
  size_t count;
} options;

/* True if the option replaces lines of that name. graph and scale replace each other. */
static bool replaces(const char *option, const char *name) {
  if (strcmp(option, name) == 0) return true;
  return (strcmp(option, "graph") == 0 && strcmp(name, "scale") == 0) ||
         (strcmp(option, "scale") == 0 && strcmp(name, "graph") == 0);
}

static bool read_option(study_maker *m, study_draft *d, option *o) {
  size_t line = m->line;
  if (o->done) return true;
  o->done = true;
  m->option = o->statement.name;
  if (!read_axis(m, d, &o->statement)) return false;
  m->option = NULL;
  m->line = line;
  return true;
}

/* If options replace this line of the file, reads them instead, each once. Conditions may still use the name. */
static bool replace(study_maker *m, study_draft *d, const options *all, const char *name, bool *replaced) {
  size_t axis;
  for (size_t i = 0; i < all->count; i++) {
    option *o = &all->options[i];
    if (!replaces(o->statement.name, name)) continue;
    *replaced = true;
    if (!add_name(m, d, name, &axis) || !read_option(m, d, o)) return false;
  }
  return true;
}

/* Splits the options. Statements other than axes are read at once. */
static bool split_options(study_maker *m, study_draft *d, options *all) {
  const study_source *source = m->source;
  for (size_t i = 0; i < source->axis_count + source->set_count; i++) {
    const char *text = i < source->axis_count ? source->axes[i] : source->set[i - source->axis_count];
    option o = {0};
    m->option = "axis";
    if (!check_text(m, text) || !split(m, text, &o.statement)) return false;
    m->option = o.statement.name;
    size_t setting = setting_of(o.statement.name);
    if (strcmp(o.statement.name, "skip") == 0)
      return study_plan_fail(m, "skip is legal only in sweep files; write it into one");
    if (setting < STUDY_SETTINGS) {
      if (!read_setting(m, d, setting, o.statement.rest)) return false;
      continue;
    }
    if (!study_plan_grow(m, &all->options, all->count, sizeof o)) return false;
    all->options[all->count++] = o;
  }
  m->option = NULL;
  return true;
}

/* ---- the file ---- */

static bool read_statement(study_maker *m, study_draft *d, const options *all, const char *text) {
  statement s;
  bool replaced = false;
  if (study_plan_keyword(text, "skip") && *study_plan_skip_blanks(text + 4) != '=') return read_skip(m, d, text + 4);
  if (!split(m, text, &s)) return false;
  size_t setting = setting_of(s.name);
  if (setting < STUDY_SETTINGS) return read_setting(m, d, setting, s.rest);
  if (!replace(m, d, all, s.name, &replaced)) return false;
  return replaced || read_axis(m, d, &s);
}

/* The length of a line without its comment and trailing blanks. */
static size_t content(const char *line, size_t n) {
  bool quoted = false;
  size_t end = 0;
  while (end < n && (quoted || line[end] != '#')) quoted ^= line[end++] == '"';
  while (end > 0 && isspace((unsigned char)line[end - 1])) end--;
  return end;
}

static bool read_line(study_maker *m, study_draft *d, const options *all, const char *line, size_t n) {
  size_t end = content(line, n);
  char *text = study_plan_copy(m, line, end);
  if (!text || !check_text(m, text)) return false;
  const char *begin = study_plan_skip_blanks(text);
  return !*begin || read_statement(m, d, all, begin);
}

bool study_plan_read(study_maker *m, study_draft *d) {
  options all = {0};
  if (!split_options(m, d, &all)) return false;
  for (const char *at = m->source->file; at && *at;) {
    size_t n = strcspn(at, "\n");
    m->line++;
    if (!read_line(m, d, &all, at, n)) return false;
    at += n + (at[n] == '\n');
  }
  m->line = 0;
  for (size_t i = 0; i < all.count; i++)
    if (!read_option(m, d, &all.options[i])) return false;
  return true;
}
