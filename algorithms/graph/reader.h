/* reader.h - what a reader of one format gets, and what readers share.
 *
 * Room: the record of formats, the weights that the caller asked for, errors that name file and line. */
#ifndef SCREE__READER_H
#define SCREE__READER_H
#include "internal.h"
#include "lines.h"

typedef struct scree__reader {
  scree_graphs *graphs;
  const scree_graph_options *options;
  scree__file file;
} scree__reader;

/* A format: one file, one record. `load` is collective; its file is open on all ranks, of the same size. */
typedef struct scree__format {
  const char *name;
  scree_status (*load)(scree__reader *reader, scree_graph **graph);
} scree__format;

extern const scree__format scree__format_dimacs, scree__format_edges;

/* Opens the lines that this rank reads, of those that begin at `from` and behind: its part; of a gzip file, and if
 * `alone`, all on rank 0 and none elsewhere. Collective; the caller closes them on SCREE_OK. */
scree_status scree__reader_lines(scree__reader *reader, uint64_t from, bool alone, scree__lines *lines);

/* graphs->why = "FILE:LINE: found X, expected Y"; X is the word at `at`. Local. */
scree_status scree__expected(scree__reader *reader, const scree__lines *lines, const char *at, const char *expected);
/* The same with a reason of scree__lines_next. */
scree_status scree__unreadable(scree__reader *reader, const scree__lines *lines, const char *why);

/* Agrees on a status that came up behind the last line returned: the text that is first in the file counts. */
scree_status scree__agree_lines(scree__reader *reader, scree_status status, const scree__lines *lines);

/* The builder of a graph with n vertices, weights as the options say: `given` tells whether the file has some. */
scree_status scree__reader_builder(scree__reader *reader, uint64_t n, bool directed, bool given,
                                   scree_graph_builder **builder);
/* The weight of edge u - v: w of the file, or as the options say. Equal for v - u if not directed. */
double scree__weight(const scree_graph_options *options, bool directed, uint64_t u, uint64_t v, double w);
/* The kind of what scree__weight returns; `given` of the file's. */
scree_weight_kind scree__weight_kind(const scree_graph_options *options, scree_weight_kind given);

#endif
