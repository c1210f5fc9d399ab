/* graph/files.h - graphs from files and generators, their size before they are loaded, and graphs into files. The terms
 * and rules of graph.h apply. C11 and C++. */
#ifndef SCREE_GRAPH_FILES_H
#define SCREE_GRAPH_FILES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scree/graph/build.h>
#include <scree/options.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  SCREE_FORMAT_AUTO,   /* by name and content, as below; otherwise an edge list */
  SCREE_FORMAT_DIMACS, /* .gr, or a line "p sp ..." */
  SCREE_FORMAT_EDGES,
  SCREE_FORMAT_MATRIX_MARKET, /* "%%MatrixMarket ..." */
  SCREE_FORMAT_TUPLES,        /* never by content */
  SCREE_FORMAT_IMAGE,         /* by its first bytes */
  SCREE_FORMAT_SG,            /* .sg; never by content */
  SCREE_FORMAT_WSG,           /* .wsg; never by content */
  SCREE_FORMAT_METIS,         /* .graph, .metis; never by content */
} scree_graph_format;
/* The ids of an edge list that are vertices. */
typedef enum {
  SCREE_BASE_SEEN, /* those that occur */
  SCREE_BASE_0,    /* 0 up to the largest that occurs; an id below the base is an error */
  SCREE_BASE_1,    /* the same, from 1 */
} scree_graph_base;
typedef enum { SCREE_DIRECTION_UNSET, SCREE_DIRECTED, SCREE_UNDIRECTED } scree_graph_direction;
typedef enum {
  SCREE_WEIGHTS_GIVEN,        /* those of the file, if any; uniform floats in [0, 1) for a generator */
  SCREE_WEIGHTS_DROP,         /* no weights, as BFS needs none */
  SCREE_WEIGHTS_UNIT,         /* all 1 */
  SCREE_WEIGHTS_RANDOM_INT,   /* uniform integers in lo .. hi */
  SCREE_WEIGHTS_RANDOM_FLOAT, /* uniform floats in [0, 1) */
} scree_weights_from;
typedef enum { SCREE_RELABEL_NONE, SCREE_RELABEL_DEGREE } scree_relabel; /* DEGREE: scree_graph_relabel_by_degree */

/* How to read or generate a graph. All zero is the default:  scree_graph_options o = {0}; */
typedef struct scree_graph_options {
  scree_graph_format format;
  scree_graph_direction direction;      /* required for edge lists; must not contradict the file */
  scree_graph_base base;                /* SEEN */
  const char *vertices;                 /* a file of additional vertices for an edge list: one id per line,
                                      further columns are ignored; NULL: none. Not with base. Not copied */
  scree_distribution_kind distribution; /* BLOCK */
  scree_relabel relabel;                /* NONE: vertices in ascending order of their labels */
  scree_weights_from weights;
  uint32_t lo, hi;          /* of RANDOM_INT */
  uint64_t seed;            /* of random weights, a pure function of the seed and the ends of the edge */
  uint32_t columns[3];      /* of an edge list, from 1: source, target, weight or 0; all 0: 1,2 */
  const char *weights_file; /* of tuples: 4-byte floats in the order of the edges; NULL: none. Not copied */
  uint64_t skip_lines;      /* of an edge list: so many lines at its start are skipped */
  bool header;              /* of an edge list: so is the first line after them but for comments: headings */
  bool first_edge;     /* of an edge list: the first line is an edge, even if it looks like the counts of a header */
  char separator;      /* of an edge list: what ends a column, which may have blanks in it or be empty; ' ': any number
                          of blanks and tabs; 0: by the line: a comma that follows its first value, or a tab, or blanks.
                          With each of them a column may be in double quotes (RFC 4180) */
  const char *comment; /* of an edge list: lines that begin so are comments too; NULL: none. Not copied */
  const char
      *map; /* a file of lines OLD NEW, one for each vertex, which gets the label OLD instead of NEW; the labels of
                          the file have no gaps. NULL: none. Not copied */
  const char *name;            /* what messages call the file; NULL: its path. Not copied */
  uint32_t scale;              /* of tuples: 2^scale vertices, 1 .. 40; 0: up to the largest id that occurs */
  bool dedup, drop_self_loops; /* of parallel edges only the one of minimum weight stays; no edge from a vertex to
                                  itself. Rank 0 prints a line to standard error with the numbers of edges that were
                                  dropped */
  bool trust;                  /* of an image: its checksums are not verified */
} scree_graph_options;

/* The i-th option of reading a graph, with its help and legal values; NULL past the last. Local; any time, any
 * thread. */
const scree_option *scree_graph_option_at(size_t i);
/* Sets an option from its text on the command line: format auto|dimacs|edges|matrix-market|tuples|image|sg|wsg|metis;
 * columns S,D[,W]; random-weights LO..HI|float[,SEED]; header ... as the table above has them. The text of a flag is
 * "on", "" or NULL. Returns 0; 1 if no such option is known; or -1 with a line in why[size] that names the option, the
 * value and the legal values. Local. */
int scree_graph_options_set(scree_graph_options *options, const char *name, const char *text, char *why, size_t size);

/* Loads a graph. `spec` is a file or "kron:SCALE[,EDGEFACTOR[,SEED]]" (2^SCALE vertices, EDGEFACTOR (16) edges per
 * vertex, SEED 1; a file of that name is "./kron:...") or another generator (scree_generator_at). Files:
 *   DIMACS shortest-path (.gr): directed, labels 1 .. n from its header.
 *   Matrix Market coordinate: pattern, integer or real; labels 1 .. n. An entry is an arc from row to column, or, of a
 *     symmetric matrix or with UNDIRECTED, an edge; a symmetric one lists each edge once, on or below the diagonal.
 *   Edge lists: two or more columns of ids below 2^63; comments with # % ~ or a lone c. Lines of headings or of a
 *     single count are refused with a hint, and so is a first line that counts vertices and edges: two or three
 *     numbers, of which the last is that of the lines that follow, of at most so many vertices, or exceeds the first,
 *     which no other id does. Lists of less than 4 lines are taken as they are. Vertices: `base`.
 *   Edge tuples of the Graph500 reference: 12 bytes per edge, undirected, float weights in `weights_file`; vertices: 0
 *     up to the largest id, or `scale`.
 *   METIS (.graph, .metis): undirected, each edge at both ends, a self loop once; labels 1 .. n. Edge weights are
 *     integers; vertex sizes and weights are checked to be numbers, and otherwise ignored.
 *   Serialized graphs of the GAP Benchmark Suite (.sg, with weights .wsg): little-endian, int64 offsets, int32 vertices
 *     and weights; labels 0 .. n-1. An undirected one has both arcs of each edge, which are one edge, and a self loop
 *     once. Of a directed one the arcs by heads are not read; with UNDIRECTED each arc by tails is an edge. With BLOCK,
 *     and without UNDIRECTED, a rank reads its rows alone, in the memory that they have at the end; those of an .sg
 *     file stay where it is mapped if ranks have blocks of a power of two, and only the user and root may write the
 *     file.
 *   Images, written by scree_graph_write: mapped if the number of ranks and the distribution are those of the writer,
 *     and only the user and root may write the file; else copied, and the copy is checked. Each rank verifies the
 *     checksums of the blocks of 64 KiB that it maps or reads, unless `trust`; a file with a damaged block is refused.
 *     Images of 0.2 carry none: rank 0 prints a line to standard error that says so, unless `trust`.
 * With weights other than SCREE_WEIGHTS_GIVEN the weights of a file are ignored, valid or not.
 * Counts in a header must match. A byte order mark of UTF-8 is skipped. Text files may be compressed with gzip or zstd,
 * which is recognised by content; one rank then reads the file. All ranks read other files in parts, so every rank must
 * be able to read the file. `options` may be NULL. Collective. Rank 0 prints a line to standard error if columns of an
 * edge list were not read and no option decided that. An edge list needs additional 16 bytes per edge (24 with
 * weights), and labels with gaps the memory described at scree_graph_label. */
scree_status scree_graph_load(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                              scree_graph **graph);

/* What is known of a graph before it is loaded: for scree_graph_plan. */
typedef enum {
  SCREE_ESTIMATE_EXACT,       /* by a generator's numbers or a header */
  SCREE_ESTIMATE_UPPER_BOUND, /* it has no more than that, by the size of the file */
  SCREE_ESTIMATE_GUESS,       /* by the size of a compressed file */
  SCREE_ESTIMATE_SAMPLE       /* by a sample of the lines of an edge list */
} scree_estimate_kind;
typedef struct scree_size_estimate {
  scree_graph_shape shape; /* integer weights in text count as doubles, as they are read */
  uint64_t edges;
  bool labels; /* there may be gaps in the labels: 8 more bytes per vertex on every rank */
  scree_estimate_kind kind;
  bool in_place; /* rows are read where they stay: construction takes no more than the graph */
  uint64_t vertices_min, vertices_max, edges_min, edges_max; /* the range in which the numbers are likely to be */
} scree_size_estimate;
/* Examines a spec, the first lines of a file, or up to 4 MiB of an edge list. Arguments and errors as of
 * scree_graph_load. Collective. */
scree_status scree_graph_estimate(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                                  scree_size_estimate *estimate);

/* The number of ranks for which an image was written, on which it is mapped; 0: the file is not an image, or cannot be
 * read. Local; any time, without a world. */
uint32_t scree_image_ranks(const char *path);

/* How to write a graph. All zero is the default. */
typedef struct scree_write_options {
  scree_graph_format format; /* AUTO: by the suffix of the name: .gr .txt .mtx .tuples .scree .sg .wsg
                                .graph .metis */
  const char *weights_file;  /* of tuples: the file for the weights, as 4-byte floats */
} scree_write_options;

/* The format in which a graph is written to a file of that name; AUTO: the name tells no format. Local. */
scree_graph_format scree_graph_written_format(const char *path, const scree_write_options *options);

/* The label that vertex 0 gets when a graph is written to a file of that name and read again; the others follow.
 * UINT64_MAX: vertices keep their labels, or the name tells no format. Local. */
uint64_t scree_graph_written_base(const char *path, const scree_write_options *options);

/* Writes a graph to a file that every rank can access. Text formats are compressed with gzip if the name ends in .gz;
 * the ranks write them sequentially. All ranks write tuples, sg, wsg and images in parallel. Contents:
 *   dimacs: the arcs, vertex v (not its label) as v + 1; weights are required. It is read as directed.
 *   edges: labels; an undirected edge once. Vertices without an edge are lost.
 *   matrix-market: vertex v as v + 1; "general" if directed, otherwise "symmetric".
 *   tuples: those of the Graph500 reference, 12 bytes per edge, vertex v as v; undirected graphs only. Weights must be
 *     floats.
 *   sg, wsg: those of the GAP Benchmark Suite, vertex v as v, rows sorted; without weights, or with integer weights up
 *     to 2^31 - 1. metis: vertex v as v + 1, undirected, without weights or with integer weights. All three only of the
 *     block distribution.
 *   image: the rows of each rank as they lie in memory, with labels and weights, and checksums. On the same
 *     number of ranks with the same distribution, weights kept or dropped, scree_graph_load maps it without copying
 *     rows. Otherwise it rebuilds the graph, faster than from text. The byte order must be the same.
 * Weights are preserved exactly; floats and doubles are read as doubles from text. A regular file is written as
 * a new file, PATH.RANDOM.scree-part, and gets its name when it is complete: on failure a file of that name is as it
 * was, unless its directory takes no new files. A symbolic link of another user than root is not followed. Collective;
 * idle world. Errors: SCREE_EINVAL (the graph or the name does not match the format, the file cannot be opened),
 * SCREE_ESTATE (not written completely: disk full), SCREE_ENOMEM. Undefined: overwriting the image file from which a
 * graph in use was loaded. */
scree_status scree_graph_write(const scree_graph *g, const char *path, const scree_write_options *options);

#ifdef __cplusplus
}
#endif
#endif
