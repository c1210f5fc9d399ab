/* reader.h - what the reader of a format gets, and what readers share: parts of files, errors that name file and line,
 * the builder. */
#ifndef SCREE__READER_H
#define SCREE__READER_H
#include "file/lines.h"
#include "graph/exchange.h"

typedef struct scree__reader {
  scree_graphs *graphs;
  const scree_graph_options *options;
  const char *name; /* of the file in messages; NULL: its path */
  scree__file file;
} scree__reader;

/* Opens the file on all ranks, which must see the same one, not empty. Collective; the caller closes it in any case. */
scree_status scree__reader_open(scree__reader *reader, const char *path);

/* Opens the lines that this rank reads, of those that begin at `from` or later: its part, of a compressed file by
 * members, as far as it says where they begin, else all on rank 0 (then they are `scattered`); if `alone`, all on rank
 * 0 and none elsewhere. Collective; the caller closes them on SCREE_OK. */
scree_status scree__reader_lines(scree__reader *reader, uint64_t from, bool alone, scree__lines *lines);

/* Opens all lines of the file on this rank. Local; graphs->why is set on failure; the caller closes them on
 * SCREE_OK. */
scree_status scree__reader_first_lines(scree__reader *reader, scree__lines *lines);

/* graphs->why = "FILE:LINE: found X, expected Y"; X is the word at `at`. Local. */
scree_status scree__reader_parse_error(scree__reader *reader, const scree__lines *lines, const char *at,
                                       const char *expected);
/* Skips the word at *p and the blanks after it, and returns true, if it is `word`. */
bool scree__accept_word(const char **p, const char *word);
/* The same as scree__reader_parse_error with a reason of scree__lines_next. */
scree_status scree__reader_read_error(scree__reader *reader, const scree__lines *lines, const char *why);

/* Reads bytes at .. at + bytes - 1 of an open file, which has them. Local; graphs->why is set on failure. */
scree_status scree__reader_bytes(scree__reader *reader, const scree__file *file, void *to, uint64_t bytes, uint64_t at);

/* The consensus on a status that arose at the last line returned: the text that is first in the file counts,
 * of scattered lines that of any rank. Collective. */
scree_status scree__reader_consensus(scree__reader *reader, scree_status status, const scree__lines *lines);

/* Begins a builder for n vertices and at least `edges` edges, if the graph fits into memory; `given` is the kind of the
 * file's weights, which the options may replace. Collective. */
scree_status scree__reader_builder(scree__reader *reader, uint64_t n, uint64_t edges, bool directed,
                                   scree_weight_kind given, scree_graph_builder **builder);
#endif
