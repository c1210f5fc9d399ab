/* field.h - what a command has found: a struct, and a row for each of its fields. Both printers read the rows: one
 * makes a JSON object, the other text or a table for people. */
#ifndef CLI_FIELD_H
#define CLI_FIELD_H
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/counters.h"

/* Kinds of fields. A field has no value, and is left out, if it is NULL, SCREE_UNSET or NAN. */
typedef enum {
  CLI_END,      /* of the rows */
  CLI_OBJECT,   /* its members are `rows`; its text comes before theirs */
  CLI_TEXT,     /* const char * */
  CLI_FLAG,     /* bool; text has two alternatives, as in "directed|undirected" */
  CLI_NUMBER,   /* uint32_t */
  CLI_COUNT,    /* uint64_t */
  CLI_ID,       /* uint64_t of which JSON has all digits: a double holds no id from 2^53 on */
  CLI_BYTES,    /* uint64_t; text has MiB, GiB, ... */
  CLI_MIB,      /* uint64_t of bytes; text has the number of MiB */
  CLI_SECONDS,  /* double; text has us, ms or s */
  CLI_MILLIONS, /* double; text has millions */
  CLI_PERCENT,  /* double from 0 to 1 */
  CLI_FIXED,    /* double; text has `digits` after the point */
  CLI_REAL      /* double; text has `digits` */
} cli_kind;

enum { CLI_TABLES = 4 };

typedef struct cli_field {
  const char *name; /* of the JSON member; NULL if JSON does not have it */
  const char *text; /* in text, with @ for the value; the heading of a column; NULL if text does not have it */
  const struct cli_field *rows; /* of an OBJECT: fields of the struct at `at` */
  uint16_t at;                  /* its offset in the struct */
  uint8_t kind, digits;
  int8_t width[CLI_TABLES]; /* of its column in each table; below 0: aligned to the left; 0: it has no column there */
} cli_field;

/* Begins the initializer of a row; designated initializers of further members may follow. */
#define CLI_ROW(STRUCT, FIELD, KIND, NAME, TEXT)                                                                       \
  .name = NAME, .text = TEXT, .at = offsetof(STRUCT, FIELD), .kind = CLI_##KIND

/* Adds members to an object. Without memory cJSON leaves them out. */
void cli_add_fields(cJSON *to, const cli_field *rows, const void *record);
/* Adds the counters; returns the last, or NULL if there is no memory. */
cJSON *cli_add_counts(cJSON *to, const scree__counter *rows, const void *counts);
/* Writes the object, if `whole`, and frees it. Returns false if there was no memory for it. */
bool cli_put_json(cJSON *root, bool whole, FILE *to);

/* Prints the texts of the rows one after another. */
void cli_print_text(const cli_field *rows, const void *record, FILE *to);
/* Prints the columns of a table without an end of the line: values, or headings if `record` is NULL. */
void cli_print_columns(const cli_field *rows, int table, const void *record, FILE *to);
/* Writes a time as "1.2 us", "3.40 ms" or "5.678 s". */
void cli_format_time(double seconds, char *text, size_t size);

#endif
