/* reader.h - what a reader of one format gets, and what readers share.
 *
 * Room: the record of formats, the weights that the caller asked for, errors that name file and line. */
#ifndef SCREE__READER_H
#define SCREE__READER_H
#include "graph/internal.h"
#include "graph/lines.h"

typedef struct scree__reader {
  scree_graphs *graphs;
  const scree_graph_options *options;
  scree__file file;
} scree__reader;

/* Options that say something about a file, for scree__format.takes. */
enum {
  SCREE__TAKES_DIRECTED = 1,
  SCREE__TAKES_UNDIRECTED = 2,
  SCREE__TAKES_COLUMNS = 4,
  SCREE__TAKES_BASE = 8,
  SCREE__TAKES_VERTICES = 16,
  SCREE__TAKES_WEIGHTS_FILE = 32,
  SCREE__TAKES_SCALE = 64
};

/* A format: one file, one record. */
typedef struct scree__format {
  const char *name, *what; /* as the option says it; in words: "a DIMACS graph" */
  unsigned takes;          /* options that make sense with it */
  const char *instead;     /* why it does not take the others: "says itself that ..." */
  bool binary;             /* no text: it has no lines to look at */
  /* Is it this format? By the name of the file without .gz or .zst, the first bytes (of the unpacked file, ended by
   * NUL), and the first line that is no comment, without blanks in front ("": none was found). NULL: only by the
   * user's word. Local, on rank 0. */
  bool (*known)(const char *path, const char *head, const char *line);
  /* Collective; the file is open on all ranks, of the same size. */
  scree_status (*load)(scree__reader *reader, scree_graph **graph);
} scree__format;

/* In the order of scree_graph_format, without AUTO. */
extern const scree__format scree__format_dimacs, scree__format_edges, scree__format_matrix_market,
    scree__format_adjacency, scree__format_tuples, scree__format_image;

/* Opens the file on all ranks, which must see the same one, not empty. Collective; the caller closes it in any case. */
scree_status scree__reader_open(scree__reader *reader, const char *path);

/* The format of the open file, by the options or by name and content, and whether the options fit it. Collective. */
scree_status scree__reader_format(scree__reader *reader, const scree__format **format);

/* Opens the lines that this rank reads, of those that begin at `from` and behind: its part; of a compressed file, and
 * if `alone`, all on rank 0 and none elsewhere. Collective; the caller closes them on SCREE_OK. */
scree_status scree__reader_lines(scree__reader *reader, uint64_t from, bool alone, scree__lines *lines);

/* graphs->why = "FILE:LINE: found X, expected Y"; X is the word at `at`. Local. */
scree_status scree__expected(scree__reader *reader, const scree__lines *lines, const char *at, const char *expected);
/* True, and the word is stepped over, if it is `word`; *p is at a word then, or at the end of the line. */
bool scree__take_word(const char **p, const char *word);
/* The same as scree__expected with a reason of scree__lines_next. */
scree_status scree__unreadable(scree__reader *reader, const scree__lines *lines, const char *why);

/* A line that edge lists and adjacency lists pass over: empty, or a comment with # % ~ or a lone c. */
bool scree__comment(const char *line);

/* Agrees on a status that came up behind the last line returned: the text that is first in the file counts. */
scree_status scree__agree_lines(scree__reader *reader, scree_status status, const scree__lines *lines);

/* The builder of a graph with n vertices and as many edges or more, if it fits into memory; weights as the options say:
 * `given` is the kind of the file's. Collective. */
scree_status scree__reader_builder(scree__reader *reader, uint64_t n, uint64_t edges, bool directed,
                                   scree_weight_kind given, scree_graph_builder **builder);
/* The weight of edge u - v: w of the file, or as the options say. Equal for v - u if not directed. */
double scree__weight(const scree_graph_options *options, bool directed, uint64_t u, uint64_t v, double w);
/* The kind of what scree__weight returns; `given` of the file's. */
scree_weight_kind scree__weight_kind(const scree_graph_options *options, scree_weight_kind given);

#endif
