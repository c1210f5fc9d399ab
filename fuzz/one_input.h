/* one_input.h - one input of a fuzzer, by kind: what it is, and the call that reads it. Shared by the fuzzer and the
 * tests. */
#ifndef FUZZ_ONE_INPUT_H
#define FUZZ_ONE_INPUT_H
#include <stddef.h>
#include <stdint.h>

/* Loads a graph on 1, 2 and 5 virtual ranks. Byte 0: the format, modulo the number of formats (scree_graph_format), so
 * that a new format is included; from 128 on an image lacks its gaps and its checksum, and a text is read plain on one
 * rank, and in members of a compressed file, of a kind and a length that its length gives, on each number of ranks.
 * Byte 1: options, as options_of reads them. The rest is the file. True if it was loaded, false if it was refused with
 * a reason; anything else ends the process, as do a graph or a reason that depend on the number of ranks, or on
 * members. */
int fuzz_graph(const uint8_t *data, size_t size);
/* The format of all of them, in place of byte 0's; -1: none. */
extern int fuzz_format;

/* What the command line reads; byte 0 is the subcommand, modulo their number. */
int fuzz_options(const uint8_t *data, size_t size);
int fuzz_sources(const uint8_t *data, size_t size);

/* A file in memory with these bytes; its name is in path[64]. Returns its descriptor. */
int fuzz_file(const uint8_t *data, size_t size, char path[64]);

/* X(kind) */
#define FUZZ_KINDS(X) X(graph) X(options) X(sources)

#endif
