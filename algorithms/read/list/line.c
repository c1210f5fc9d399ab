/* line.c - comments and separators of edge lists, and advice where a line is not an edge. */
#include "read/list/line.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "file/parse.h"
#include "graph/consensus.h"

bool scree__list_skips(const scree_graph_options *o, const char *line) {
  return !*scree__skip_blanks(line) || scree__line_is_comment(line, o->comment);
}

/* ---- fields ---- */

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* The position after blanks and tabs; *tabs: how many of them are tabs. */
static const char *skip_run(const char *p, unsigned *tabs) {
  for (*tabs = 0; is_blank(*p); p++) *tabs += *p == '\t';
  return p;
}

/* The closing quote of the value whose quote is at p, or NULL. Two quotes stand for one within the value. */
static const char *closing_quote(const char *p) {
  while ((p = strchr(p + 1, '"')) && p[1] == '"') p++;
  return p;
}

static char separator_of(const scree_graph_options *o, const char *line) {
  unsigned before, after;
  if (o->separator) return o->separator;
  const char *p = skip_run(line, &before), *quote = *p == '"' ? closing_quote(p) : NULL;
  const size_t digits = strspn(p, "0123456789");
  const char *end = quote ? quote + 1 : p + digits, *next = skip_run(end, &after);
  if (*next == ',' && (quote || digits || next == p)) return ',';
  if (!quote) skip_run(scree__word_end(p), &after);
  return before || after ? '\t' : 0;
}

scree__list_fields scree__list_fields_by(char by, const char *line) {
  const bool blanks = !by || by == SCREE__LIST_BLANKS;
  const char *at = blanks ? scree__skip_blanks(line) : line;
  return (scree__list_fields){.by = by, .more = !blanks || *at, .at = at};
}

scree__list_fields scree__list_fields_of(const scree_graph_options *o, const char *line) {
  return scree__list_fields_by(separator_of(o, line), line);
}

/* Blanks in front of the field, a tab only if tabs do not separate. */
static const char *skip_blanks(const scree__list_fields *f) {
  const char *p = f->at;
  while (is_blank(*p) && *p != f->by) p++;
  return p;
}

/* Returns the end of the text at p. */
static const char *text_end(const scree__list_fields *f, const char *p) {
  if (!f->by || f->by == SCREE__LIST_BLANKS) return scree__word_end(p);
  const char *end = strchrnul(p, f->by);
  while (end > p && is_blank(end[-1])) end--;
  return end;
}

/* Moves past what follows the text of a field, which ends at p. Returns false if that is no separator. */
static bool pass_separator(scree__list_fields *f, const char *p) {
  unsigned tabs;
  const char *next = skip_run(p, &tabs);
  if (!f->by || f->by == SCREE__LIST_BLANKS) {
    f->at = next;
    f->more = *next;
    f->gap = !f->by && tabs > 1;
    return !*next || next > p;
  }
  while (is_blank(*p) && *p != f->by) p++;
  const char *by = strchrnul(p, f->by);
  f->more = *by;
  f->at = by + f->more;
  return by == p;
}

scree__list_field scree__list_next_field(scree__list_fields *f) {
  scree__list_field field = {.at = f->at, .end = f->at, .missing = !f->more};
  if (field.missing) return field;
  if (f->gap) field.wrong = "a value after one tab";
  if (f->gap) return field;
  field.at = skip_blanks(f);
  if (*field.at != '"') {
    field.end = text_end(f, field.at);
    pass_separator(f, field.end);
    return field;
  }
  const char *close = closing_quote(field.at);
  field.end = close ? close : strchr(field.at, 0);
  field.wrong = close ? NULL : "a closing quote in the same line";
  if (!pass_separator(f, close ? close + 1 : field.end)) field.wrong = "a separator after the closing quote";
  field.at += close != NULL;
  return field;
}

bool scree__list_leaves_open(scree__list_fields f, scree__list_field *field) {
  if (!f.by || f.by == SCREE__LIST_BLANKS || !f.more || !strchr(f.at, '"')) return false;
  do *field = scree__list_next_field(&f);
  while (f.more);
  return *field->at == '"' && field->wrong;
}

scree_status scree__list_field_error(scree__reader *reader, const scree__lines *lines, const scree__list_field *field,
                                     const char *expected) {
  char found[64];
  snprintf(found, sizeof found, "%s", field->missing ? "the end of the line" : "an empty field");
  if (!field->missing && field->at < field->end) scree__quote_text(field->at, field->end, found, sizeof found);
  return scree__why(reader->graphs, SCREE_EINVAL, "%s:%" PRIu64 ": found %s, expected %s", reader->file.path,
                    scree__lines_number(lines), found, expected);
}

/* ---- headings ---- */

scree__list_headings scree__list_headings_of(const scree_graph_options *o, const char *line) {
  static const char sources[] = " source src from fromnodeid from_node from_id source_id sourceid tail ",
                    targets[] = " target tgt dst dest destination to tonodeid to_node to_id target_id targetid head ";
  const char by = o->separator ? o->separator : strchr(line, ',') ? ',' : strchr(line, '\t') ? '\t' : ' ';
  scree__list_fields fields = scree__list_fields_by(by, line);
  scree__list_headings h = {.source = 0};
  for (uint32_t column = 1; fields.more; column++) {
    char word[16];
    const scree__list_field f = scree__list_next_field(&fields);
    const int length = snprintf(word, sizeof word, " %.*s ", (int)(f.end - f.at), f.at);
    const bool fits = length > 2 && length < (int)sizeof word;
    if (!h.source && fits && strcasestr(sources, word)) h.source = column;
    if (!h.target && fits && strcasestr(targets, word)) h.target = column;
    h.index |= column == 1 && f.at == f.end && !f.wrong;
  }
  return h;
}

/* ---- advice ---- */

/* Whether the next line that is in memory begins with a number, or there is none. */
static bool number_follows(const scree_graph_options *o, const scree__lines *l) {
  char start[8];
  for (const char *p = l->buffer + l->at, *end = l->buffer + l->have, *next; p < end; p = next) {
    next = memchr(p, '\n', (size_t)(end - p));
    next = next ? next + 1 : end;
    snprintf(start, sizeof start, "%.*s", (int)strcspn(p, "\r\n"), p);
    if (scree__list_skips(o, start)) continue;
    p = scree__skip_blanks(start);
    return isdigit((unsigned char)p[*p == '"']);
  }
  return true;
}

/* Returns true if tabs separate and the field is empty or has blanks in it: these may have been meant to separate. */
static bool is_shifted(const scree_graph_options *o, const char *line, const scree__list_field *field) {
  const size_t length = (size_t)(field->end - field->at);
  if (field->missing || !strchr(line, '\t') || scree__list_fields_of(o, line).by == ',') return false;
  return !length || memchr(field->at, ' ', length);
}

/* ---- words ---- */

#define NUMBERED                                                                                                       \
  "; ids are whole numbers: number words by awk '/^[^#%~]/{if(!($1 in n))n[$1]=k++;if(!($2 in n))n[$2]=k++;print "     \
  "n[$1],n[$2]}'"

/* A word as awk and scree both find it. */
static bool is_word(const scree__list_field *f) {
  if (f->missing || f->wrong || f->at == f->end) return false;
  for (const char *p = f->at; p < f->end; p++)
    if (strchr(" \t,;|\"'", *p)) return false;
  return true;
}

/* Returns true if awk finds the same two words, or skips the line as scree does. `bytes`: its length in the file. */
static bool awk_reads(const scree_graph_options *o, const char *line, uint64_t bytes) {
  if (bytes > strlen(line) + 1) return false; /* awk keeps CR */
  if (!*line || strchr("#%~", *line)) return true;
  if (scree__list_skips(o, line)) return false;
  scree__list_fields fields = scree__list_fields_of(o, line);
  const scree__list_field source = scree__list_next_field(&fields), target = scree__list_next_field(&fields);
  return is_word(&source) && is_word(&target);
}

/* Returns true if NUMBERED makes the graph of this file that these options say. */
static bool awk_numbers(const scree_graph_options *o, const scree__file *file) {
  enum { MAX = 1 << 26 /* bytes of a file that is examined */ };
  char why[128], *line;
  scree__lines lines;
  const bool plain = !o->columns[2] && o->columns[0] <= 1 && o->columns[1] <= 2 && !o->separator && !o->comment &&
                     !o->header && !o->skip_lines && !o->vertices && !o->base;
  if (!plain || file->compression || file->size > MAX) return false;
  if (!scree__lines_open(&lines, file, 0, UINT64_MAX, why, sizeof why)) return false;
  scree__line_result result;
  do result = scree__lines_next(&lines, &line, why, sizeof why);
  while (result == SCREE__LINE_OK && awk_reads(o, line, lines.next - lines.start));
  scree__lines_close(&lines);
  return result == SCREE__LINE_END;
}

void scree__list_advise(const scree_graph_options *o, const scree__lines *lines, const char *line,
                        const scree__list_field *field, bool first, char *text, size_t size) {
  const char *p = scree__skip_blanks(line);
  p += *p == '"';
  const char by = strchr(p, ';') ? ';' : strchr(p, '|') ? '|' : 0;
  const bool letters = isalpha((unsigned char)*p), marks = *p && strchr("/*!;@$&:", *p);
  const scree__list_headings headings = scree__list_headings_of(o, line);
  *text = 0;
  if (*p == '\'')
    snprintf(text, size, "; values are read in double quotes, not in single ones");
  else if (marks)
    snprintf(text, size, "; if it is a comment, --comment '%.*s'", p[1] == *p ? 2 : 1, p);
  else if (by && !o->separator)
    snprintf(text, size, "; columns that '%c' separates need --separator '%c'%s", by, by,
             first && letters ? ", a line of headings --header" : "");
  else if (first && letters && (number_follows(o, lines) || (headings.source && headings.target)))
    snprintf(text, size, "; a line of headings needs --header");
  else if (!o->separator && is_shifted(o, line, field))
    snprintf(
        text, size,
        "; each tab separates two columns: --columns says which are read, and --separator blanks takes any blanks and "
        "tabs for one separator");
  else if (letters)
    snprintf(text, size, "%s", awk_numbers(o, lines->file) ? NUMBERED : "; ids are whole numbers");
  else if (first && field->missing)
    snprintf(text, size, "; a line that holds a count needs --skip-lines %" PRIu64, scree__lines_number(lines));
}
