/* texts.c - runs one input of a fuzzer through what the command line reads: options, sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/args.h"
#include "one_input.h"

/* A command line with that option, of a subcommand that has it. */
static int parse(const uint8_t *data, size_t size, char *option, const char *const *commands, size_t count) {
  char path[64], graph[] = "kron:4", command[16] = "",
                 *words[] = {(char[]){"scree"}, command, graph, option, path, NULL};
  cli_args args;
  if (size < 1) return 0;
  strncat(command, commands[data[0] % count], sizeof command - 1);
  const int fd = fuzz_file(data + 1, size - 1, path);
  const cli_action action = cli_parse(5, words, &args);
  if (action == CLI_BAD && !*args.why) abort(); /* refused without a reason */
  cli_args_free(&args);
  close(fd);
  return action != CLI_BAD;
}

int fuzz_options(const uint8_t *data, size_t size) {
  static const char *const commands[] = {"sssp", "bfs", "cc", "pagerank", "bc", "kcore", "mis", "colour", "tc", "info"};
  return parse(data, size, (char[]){"--options"}, commands, sizeof commands / sizeof *commands);
}

int fuzz_sources(const uint8_t *data, size_t size) {
  static const char *const commands[] = {"sssp", "bfs"};
  return parse(data, size, (char[]){"--sources-file"}, commands, 2);
}
