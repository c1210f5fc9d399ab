/* texts.c - runs one input of a fuzzer through what the command line reads: plans, options, sources, results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/args.h"
#include "one_input.h"
#include "study/plan/plan.h"
#include "study/results/results.h"

int fuzz_plan(const uint8_t *data, size_t size) {
  static const study_constant constants[] = {{"cores", 2}, {"fit", 18}, {"eager", 4040}};
  char why[1024] = "", *text = strndup((const char *)data, size);
  size_t count = 0;
  study_plan *plan = study_plan_make(
      &(study_source){.file = text, .file_name = "plan", .constants = constants, .constant_count = 3}, why, sizeof why);
  if (!plan && !*why) abort(); /* refused without a reason */
  study_step *steps = plan ? study_steps(plan, &count) : NULL;
  for (size_t i = 0; i < count; i++)
    if (steps[i].configuration >= plan->count) abort();
  free(steps);
  study_plan_free(plan);
  free(text);
  return plan != NULL;
}

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
  static const char *const commands[] = {"sssp", "bfs", "cc", "pagerank", "info"};
  return parse(data, size, (char[]){"--options"}, commands, 5);
}

int fuzz_sources(const uint8_t *data, size_t size) {
  static const char *const commands[] = {"sssp", "bfs"};
  return parse(data, size, (char[]){"--sources-file"}, commands, 2);
}

int fuzz_results(const uint8_t *data, size_t size) {
  char path[64], why[1024] = "";
  const int fd = fuzz_file(data, size, path);
  study_results *r = study_results_read(path, why, sizeof why);
  if (!r && !*why) abort(); /* refused without a reason */
  const int good = r != NULL;
  study_results_free(r);
  if (good) study_writer_close(study_writer_open(path, NULL, true, why, sizeof why));
  close(fd);
  return good;
}
