/* readers.c - the entry point of libFuzzer; built and run by ./dev fuzz. FUZZ_KIND says what the inputs are: a kind of
 * one_input.h or a format of graphs. */
#include <scree/graph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_input.h"

static int (*one)(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const char *kind = getenv("FUZZ_KIND");
  scree_graph_options options = {0};
  char why[200];
  (void)argc, (void)argv;
#define TAKE(name)                                                                                                     \
  if (!kind || strcmp(kind, #name) == 0) one = fuzz_##name, kind = #name;
  FUZZ_KINDS(TAKE)
  if (one) return 0;
  if (scree_graph_options_set(&options, "format", kind, why, sizeof why))
    return fprintf(stderr, "%s\n", why), exit(2), 1;
  fuzz_format = (int)options.format;
  one = fuzz_graph;
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  one(data, size);
  return 0;
}
