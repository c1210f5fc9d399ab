/* one_input.h - one input of a fuzzer: how to read it, and the file.
 *
 * Room: what the fuzzer and the tests share. */
#ifndef FUZZ_ONE_INPUT_H
#define FUZZ_ONE_INPUT_H
#include <stddef.h>
#include <stdint.h>

/* Loads a graph on one virtual rank. Byte 0: the format, modulo their number (scree_graph_format, so one that is new
 * has its turn by itself). Byte 1: options, see one_input.c. The rest is the file. True if it was loaded, false if it
 * was refused with a reason; anything else ends the process. */
int fuzz_one_input(const uint8_t *data, size_t size);

#endif
