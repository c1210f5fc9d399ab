/* option_table.h - reads, checks and prints the fields of a struct of options, driven by one row for each field.
 *
 * A table is an array of scree_option rows, each with the offset of its field; `fields` is the struct that the rows
 * describe. Used for the options of a world, of a kernel's variants and of the command line. All functions are local
 * and may be called by any thread; none allocates. */
#ifndef SCREE__OPTION_TABLE_H
#define SCREE__OPTION_TABLE_H
#include <scree/options.h>

#include "base/sized.h"

/* Begins the initializer of a row; designated initializers of further fields may follow. */
#define SCREE__ROW(name_, kind_, choices_, help_)                                                                      \
  .name = name_, .kind = SCREE_KIND_##kind_, .choices = choices_, .help = help_

/* Makes a row of an X macro such as SCREE_OPTIONS, whose fields are in `type`. */
#define SCREE__OPTION_OF(type, field, kind_, def_, min_, max_, choices_, rare_, help_)                                 \
  {                                                                                                                    \
    .name = #field, .kind = SCREE_KIND_##kind_, .def = def_, .min = min_, .max = max_, .choices = choices_,            \
    .help = help_, .offset = offsetof(type, field), .rare = rare_                                                      \
  }

/* Returns whether that is the name of the row: `length` bytes, of which none counts as another. */
bool scree__option_is(const scree_option *row, const char *name, size_t length);

/* The row of that name, '-' and '_' being the same; NULL if there is none. */
const scree_option *scree__option_find(const scree_option *rows, size_t count, const char *name);

/* The row that was probably meant by `name`, as by scree__nearest; NULL: none is near. */
const scree_option *scree__option_nearest(const scree_option *rows, size_t count, const char *name);

/* Reads `text` into the field. `text` of a FLAG may be NULL, which means on. Returns 0, or -1 with the field unchanged
 * and one line in why[size]: the option, the value, its origin, the legal range, the remedy. `origin` is "" or follows
 * the value, as " (from SCREE_MEMORY)". */
int scree__option_parse(const scree_option *row, void *fields, const char *text, const char *origin, char *why,
                        size_t size);

/* Checks the value that the field holds; an unset one is legal. Returns and reports as scree__option_parse does. */
int scree__option_check(const scree_option *row, const void *fields, const char *origin, char *why, size_t size);

/* Stores the row's default in a field that is unset, and checks another one. */
int scree__option_fill(const scree_option *row, void *fields, char *why, size_t size);

bool scree__option_is_unset(const scree_option *row, const void *fields);

/* Stores the row's default in the field. */
void scree__option_set_default(const scree_option *row, void *fields);

/* Writes the field's value as text that scree__option_parse reads back. An unset field gives the word that means unset,
 * or "" if the row has none. */
void scree__option_format(const scree_option *row, const void *fields, char *text, size_t size);

/* Writes the default as text, in the same way. */
void scree__option_format_default(const scree_option *row, char *text, size_t size);

/* Returns what stands for the value in help: "N", "FILE". Returns NULL for a flag, which takes no value. */
const char *scree__option_placeholder(const scree_option *row);

/* Writes the legal values: "auto|shm|mpi", "auto, 1 to 1M", "above 0 and below 1". */
void scree__option_format_legal(const scree_option *row, char *text, size_t size);

/* Writes the variable of the option of that name: SCREE_FLUSH_AGE. */
enum { SCREE__VARIABLE_BYTES = 96 };
void scree__option_variable(const char *name, char *text, size_t size);

/* Checks the field, or if it is unset takes the value from the row's variable, or else the default; *from becomes 'f',
 * 'e' or 'd'. `type` is the name of the struct. Returns and reports as scree__option_parse does. */
int scree__option_resolve(const scree_option *row, const char *type, void *fields, char *from, char *why, size_t size);

/* A feature's options: the fields of `given` over those of `own`, which are unset, and where both are unset the
 * variable SCREE_NAME of the row, else its default. Returns and reports as scree__sized_copy and scree__option_parse
 * do. */
int scree__options_read(const scree_option *rows, size_t count, const scree__sized *type, void *own, const void *given,
                        char *why, size_t size);
#endif
