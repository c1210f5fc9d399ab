/* format.h - file formats: one file, one record; and which of them a file has. */
#ifndef SCREE__FORMAT_H
#define SCREE__FORMAT_H
#include "read/reader.h"

/* Options that describe a file, for scree__format.takes. */
enum {
  SCREE__TAKES_DIRECTED = 1,
  SCREE__TAKES_UNDIRECTED = 2,
  SCREE__TAKES_COLUMNS = 4,
  SCREE__TAKES_BASE = 8,
  SCREE__TAKES_VERTICES = 16,
  SCREE__TAKES_WEIGHTS_FILE = 32,
  SCREE__TAKES_SCALE = 64,
  SCREE__TAKES_LINES = 128, /* which lines are read, and how they are separated */
  SCREE__TAKES_TRUST = 256  /* checksums need not be verified */
};

/* A format: one file, one record. */
typedef struct scree__format {
  const char *name, *what; /* value of the option; for messages: "a DIMACS graph" */
  unsigned takes;          /* options that apply to it */
  const char *instead;     /* why the others do not apply: "says itself that ..." */
  bool binary;             /* has no lines */
  /* Whether the file is of this format: by its name without .gz or .zst, its first bytes (decompressed, ended by NUL),
   * and its first line that is no comment, without leading blanks ("": there is none). NULL: never detected. Local, on
   * rank 0. */
  bool (*known)(const char *path, const char *head, const char *line);
  /* Collective; the file is open on all ranks, of the same size. */
  scree_status (*load)(scree__reader *reader, scree_graph **graph);
  /* Fills in shape, but for the distribution, and edges from the header. NULL: estimate.c does it. Local; graphs->why
   * is set on failure. */
  scree_status (*estimate)(scree__reader *reader, scree_size_estimate *estimate);
} scree__format;

extern const scree__format scree__format_dimacs, scree__format_edges, scree__format_matrix_market, scree__format_tuples,
    scree__format_image, scree__format_sg, scree__format_wsg, scree__format_metis;

/* The format of the open file, by the options or by name and content, if the options fit it. Collective. */
scree_status scree__format_of(scree__reader *reader, const scree__format **format);

#endif
