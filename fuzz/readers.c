/* readers.c - the entry point of libFuzzer; built and run by ./dev fuzz. */
#include "one_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_one_input(data, size);
  return 0;
}
