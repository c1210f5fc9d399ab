/* generate.h - graph generators: their names, and their edges as pure functions of an index.
 *
 * scree_graph_load makes a graph of a generator's text; this header is for programs that list the generators, check a
 * text, or need the edges themselves. All generated graphs are undirected, with float weights in [0, 1). Everything
 * here is local and may be called by any thread at any time. C11 and C++. */
#ifndef SCREE_GENERATE_H
#define SCREE_GENERATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scree/graph/build.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A generator's text is NAME:NUMBERS, as in "kron:16,8". Static strings. */
typedef struct scree_generator {
  const char *name;
  const char *numbers; /* the syntax of its numbers: "SCALE[,EDGEFACTOR[,SEED]]" */
  const char *help;    /* one line */
} scree_generator;

/* The i-th generator; NULLs past the last. */
scree_generator scree_generator_at(size_t i);

/* True if the text begins with a generator's name and a colon: scree_graph_load then takes it for a generator, whether
 * or not its numbers are legal. */
bool scree_generator_is_named(const char *text);

/* A generator with its numbers. Constant once made; any number of threads may read it. */
typedef struct scree_generated scree_generated;

/* Parses a text that names a generator. SCREE_EINVAL: it names none, or its numbers are illegal; SCREE_ENOMEM. On
 * failure a line in why[size] says what is expected. The caller frees the result by scree_generated_free. */
scree_status scree_generated_parse(const char *text, char *why, size_t size, scree_generated **generated);
void scree_generated_free(scree_generated *generated); /* NULL is ignored */

/* Number of vertices and of edges. */
uint64_t scree_generated_vertices(const scree_generated *generated);
uint64_t scree_generated_edges(const scree_generated *generated);
/* Edges first .. first + count - 1 of the graph, into edges[count]. Undefined: first + count exceeds the number of
 * edges. The same edges on every machine. */
void scree_generated_make(const scree_generated *generated, uint64_t first, uint64_t count, scree_edge *edges);

#ifdef __cplusplus
}
#endif
#endif
