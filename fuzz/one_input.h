/* one_input.h - one input of a fuzzer: its format, and the call that loads it. Shared by the fuzzer and the tests. */
#ifndef FUZZ_ONE_INPUT_H
#define FUZZ_ONE_INPUT_H
#include <stddef.h>
#include <stdint.h>

/* Loads a graph on virtual ranks. Byte 0: the format, modulo the number of formats (scree_graph_format), so that a
 * new format is included; the quotient, modulo 3, is the number of ranks less 1. Byte 1: options, as options_of reads them. The rest is the file. True if it was loaded, false
 * if it was refused with a reason; anything else ends the process. */
int fuzz_one_input(const uint8_t *data, size_t size);

#endif
