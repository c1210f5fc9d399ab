/* line.c - comments and separators of edge lists, and advice where a line is not an edge. */
#include "read/list/line.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "file/parse.h"

bool scree__list_skips(const scree_graph_options *o, const char *line) {
  return !*scree__skip_blanks(line) || scree__line_is_comment(line, o->comment);
}

/* ---- separators ---- */

static char separator_of(const scree_graph_options *o, const char *line) {
  if (o->separator) return o->separator;
  const char *p = scree__skip_blanks(line);
  const size_t digits = strspn(p, "0123456789");
  return digits && *scree__skip_blanks(p + digits) == ',' ? ',' : 0;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* Joins the words of a value. False: there is none. */
static bool join(char *from, char *to) {
  while (from < to && is_blank(*from)) from++;
  while (from < to && is_blank(to[-1])) to--;
  for (char *p = from; p < to; p++)
    if (is_blank(*p)) *p = '_';
  return from < to;
}

const char *scree__list_split(const scree_graph_options *o, char *line) {
  const char by = separator_of(o, line);
  char *end;
  for (char *p = line; by && (end = strchr(p, by)); p = end + 1) {
    if (!join(p, end)) return end;
    *end = ' ';
    if (!strchr(end + 1, by)) join(end + 1, strchr(end + 1, 0));
  }
  return NULL;
}

/* ---- advice ---- */

/* Whether the next line that is in memory begins with a number, or there is none. */
static bool number_follows(const scree_graph_options *o, const scree__lines *l) {
  char start[8];
  for (const char *p = l->buffer + l->at, *end = l->buffer + l->have, *next; p < end; p = next) {
    next = memchr(p, '\n', (size_t)(end - p));
    next = next ? next + 1 : end;
    snprintf(start, sizeof start, "%.*s", (int)strcspn(p, "\r\n"), p);
    if (!scree__list_skips(o, start)) return isdigit((unsigned char)*scree__skip_blanks(start));
  }
  return true;
}

#define NUMBERED                                                                                                       \
  "; ids are whole numbers: number words by awk '!($1 in n){n[$1]=k++} !($2 in n){n[$2]=k++} {print n[$1],n[$2]}'"

void scree__list_advise(const scree_graph_options *o, const scree__lines *lines, const char *line, bool first,
                        scree__list_fault fault, char *text, size_t size) {
  const char *p = scree__skip_blanks(line);
  const char by = strchr(p, ';') ? ';' : strchr(p, '|') ? '|' : 0;
  const bool letters = isalpha((unsigned char)*p), marks = *p && strchr("/*!;@$&:", *p);
  *text = 0;
  if (strpbrk(p, "\"'"))
    snprintf(text, size, "; values in quotes are not read: remove the quotes by tr -d '\"'");
  else if (marks)
    snprintf(text, size, "; if it is a comment, --comment '%.*s'", p[1] == *p ? 2 : 1, p);
  else if (by && !o->separator)
    snprintf(text, size, "; columns that '%c' separates need --separator '%c'%s", by, by,
             first && letters ? ", a line of headings --header" : "");
  else if (first && letters && number_follows(o, lines))
    snprintf(text, size, "; a line of headings needs --header");
  else if (letters)
    snprintf(text, size, NUMBERED);
  else if (first && fault == SCREE__LIST_SHORT)
    snprintf(text, size, "; a line that holds a count needs --skip-lines %" PRIu64, scree__lines_number(lines));
}
