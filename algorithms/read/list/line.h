/* line.h - a line of an edge list, or of its file of vertices, before it is parsed: comments, and fields by one rule
 * for every separator; and the remedy where it is not an edge. Local. */
#ifndef SCREE__LIST_LINE_H
#define SCREE__LIST_LINE_H
#include "read/reader.h"

enum { SCREE__LIST_BLANKS = ' ' /* the separator that is any number of blanks and tabs */ };

/* Whether it is skipped: empty, or a comment with # % ~, a lone c, or by the options. */
bool scree__list_skips(const scree_graph_options *options, const char *line);

/* Reads the fields of a line in their order. */
typedef struct scree__list_fields {
  char by;        /* what separates them; 0: blanks and tabs, but not two tabs */
  bool more;      /* there is a further field */
  bool gap;       /* two tabs are in front of it, where blanks separate */
  const char *at; /* the start of the next field */
} scree__list_fields;

/* A field: its text, without the blanks around it and without the quotes of RFC 4180; at == end if it is empty. */
typedef struct scree__list_field {
  const char *at, *end;
  bool missing;      /* the line has no such field */
  const char *wrong; /* what was expected in place of its text; or NULL */
} scree__list_field;

/* The fields are separated as the options say; else by commas if one follows the first number or value in quotes, or
 * nothing; else by tabs if one follows the first word, or nothing; else by blanks. */
scree__list_fields scree__list_fields_of(const scree_graph_options *options, const char *line);
/* The same with a given separator. */
scree__list_fields scree__list_fields_by(char by, const char *line);
scree__list_field scree__list_next_field(scree__list_fields *fields);
/* A quote in the fields that are left is not closed; `field` is then that one. */
bool scree__list_leaves_open(scree__list_fields fields, scree__list_field *field);

/* Columns of a line of headings; 0: there is no such heading. */
typedef struct scree__list_headings {
  uint32_t source, target;
  bool index; /* the first heading is empty, as of an index that pandas writes */
} scree__list_headings;
scree__list_headings scree__list_headings_of(const scree_graph_options *options, const char *line);

/* graphs->why = "FILE:LINE: found X, expected Y". */
scree_status scree__list_field_error(scree__reader *reader, const scree__lines *lines, const scree__list_field *field,
                                     const char *expected);

/* Writes "; " and what may help, or nothing, about a line that is not an edge by that field. `first`: no edge came
 * before it in the file. */
void scree__list_advise(const scree_graph_options *options, const scree__lines *lines, const char *line,
                        const scree__list_field *field, bool first, char *text, size_t size);

#endif
