/* check.c - scree check: reads configurations of a study, and answers each.
 *
 * The parser of the command line itself checks them, so that every option of a kernel is an axis. */
#include "package/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/version.h"
#include "base/launched.h"
#include "package/allocation.h"
#include "package/configuration.h"
#include "package/machine.h"
#include "package/tried.h"

static void add_text(cJSON *names, const char *name) {
  cJSON_AddItemToArray(names, cJSON_CreateString(name));
}

/* Prints the object as one line, and frees it. */
static void print(cJSON *object) {
  char *text = cJSON_PrintUnformatted(object);
  puts(text ? text : "{\"why\":\"no memory\"}");
  fflush(stdout); /* the process that has sent the configuration waits for it */
  cJSON_free(text);
  cJSON_Delete(object);
}

/* Options of the library that the environment sets. */
static void add_environment(cJSON *root) {
  scree_options options = SCREE_OPTIONS_INIT;
  char from[CLI_WORLD] = "", why[512] = "", text[64];
  cJSON *environment = cJSON_AddObjectToObject(root, "environment");
  if (scree_options_resolve(&options, from, why, sizeof why)) cJSON_AddStringToObject(root, "why", why);
  for (size_t i = 0; i < scree_option_count() && !*why; i++) {
    if (from[i] != 'e') continue;
    scree_option_format(&options, i, text, sizeof text);
    cJSON_AddStringToObject(environment, scree_option_at(i)->name, text);
  }
}

static void add_machine(cJSON *root) {
  const package_allocation here = package_allocation_find();
  cJSON_AddNumberToObject(root, "nodes", (double)here.nodes);
  cJSON_AddNumberToObject(root, "slots", (double)here.slots);
  cJSON_AddStringToObject(root, "allocation", here.from ? here.from : "");
  cJSON_AddBoolToObject(root, "launched", scree__launched() != NULL);
  cJSON_AddNumberToObject(root, "cores", (double)package_cores());
  cJSON_AddNumberToObject(root, "fit", (double)package_fit());
}

static void print_program(void) {
  char mpi[256];
  cJSON *root = cJSON_CreateObject(), *kernels = cJSON_AddArrayToObject(root, "kernels");
  cli_mpi_version(mpi, sizeof mpi);
  for (size_t i = 0; cli_kernel_at(i); i++) add_text(kernels, cli_kernel_at(i)->name);
  cJSON_AddStringToObject(root, "version", SCREE_VERSION);
  cJSON_AddStringToObject(root, "mpi", cli_mpi_name());
  cJSON_AddStringToObject(root, "mpi_library", mpi);
  add_environment(root);
  add_machine(root);
  print(root);
}

static void answer_configuration(const cJSON *question, cJSON *answer) {
  package_configuration c = {.axes = cJSON_GetObjectItemCaseSensitive(question, "axes")};
  const cJSON *ranks = cJSON_GetObjectItemCaseSensitive(question, "ranks");
  c.ranks = cJSON_IsNumber(ranks) && ranks->valuedouble > 0 ? (uint64_t)ranks->valuedouble : 0;
  c.elsewhere = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(question, "elsewhere"));
  const bool legal = package_read(&c);
  cJSON *words = cJSON_AddArrayToObject(answer, "words"), *defaults = cJSON_AddArrayToObject(answer, "defaults");
  const cJSON *axis;
  for (size_t i = 0; i < c.count && legal; i++) add_text(words, c.words[i]);
  for (axis = c.kernel ? c.axes->child : NULL; axis; axis = axis->next)
    if (cJSON_IsString(axis) && package_is_default(c.kernel, axis->string, axis->valuestring))
      add_text(defaults, axis->string);
  cJSON_AddNumberToObject(answer, "threads", c.threads);
  if (*c.why) cJSON_AddStringToObject(answer, legal ? "cannot" : "why", c.why);
  package_free(&c);
}

static void answer_tune(const cJSON *question, const char *kernel, cJSON *answer) {
  const cJSON *delta = cJSON_GetObjectItemCaseSensitive(question, "delta");
  char why[512] = "", *axes = NULL;
  const bool known = package_tried(kernel, cJSON_IsNumber(delta) ? delta->valuedouble : 0, &axes, why, sizeof why);
  if (!known) cJSON_AddStringToObject(answer, "why", why);
  if (known) cJSON_AddStringToObject(answer, "axes", axes);
  if (known) cJSON_AddBoolToObject(answer, "source", cli_kernel_subcommand(kernel)->kernel->source);
  free(axes);
}

static void answer(const char *line) {
  cJSON *question = cJSON_Parse(line), *answer = cJSON_CreateObject();
  const char *kernel = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(question, "tune"));
  if (kernel)
    answer_tune(question, kernel, answer);
  else if (cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(question, "axes")))
    answer_configuration(question, answer);
  else
    cJSON_AddStringToObject(answer, "why", "a line is no JSON object with axes or tune");
  cJSON_Delete(question);
  print(answer);
}

int cli_check_study(const cli_args *args) {
  const study_request *request = &args->study;
  if (request->operand_count != 1 || strcmp(request->operands[0], "-") != 0)
    return fprintf(stderr, "scree: check: it reads configurations from standard input: scree check -\n"), 2;
  char *line = NULL;
  size_t size = 0;
  print_program();
  while (getline(&line, &size, stdin) > 0) answer(line);
  free(line);
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  perror("scree: standard output");
  return 1;
}
