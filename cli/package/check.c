/* check.c - scree check: reads configurations of a study, and answers each.
 *
 * The parser of the command line itself checks them, so that every option of a kernel is an axis. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/version.h"
#include "base/launched.h"
#include "package/configuration.h"
#include "package/package.h"

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

static void answer_configuration(const cJSON *question, cJSON *answer) {
  package_configuration c = {.axes = cJSON_GetObjectItemCaseSensitive(question, "axes")};
  if (!cJSON_IsObject(c.axes)) {
    cJSON_AddStringToObject(answer, "why", "a line is no JSON object with axes");
    return;
  }
  const cJSON *ranks = cJSON_GetObjectItemCaseSensitive(question, "ranks");
  c.ranks = cJSON_IsNumber(ranks) && ranks->valuedouble > 0 ? (uint64_t)ranks->valuedouble : 0;
  c.writes = cJSON_GetObjectItemCaseSensitive(question, "writes");
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

/* ---- what tuning tries of a kernel ---- */

static const char of_worlds[] = "coalesce-bytes = auto, 1K..256K*4\n"
                                "in-flight = 4, 2, 16\n"
                                "flush-age = 1ms, 100us, 10ms\n"
                                "batch-max = 8192, 1024\n"
                                "spin = 256, 0, 4096\n"
                                "distribution = block, cyclic, hash\n"
                                "relabel = auto, degree\n";

/* "algorithm = opt, dc", of the variants that are worth a try. */
static void write_algorithms(FILE *to, const scree_kernel *kernel) {
  size_t count = 0;
  for (size_t i = 0; scree_kernel_variant_at(kernel, i); i++) count += scree_kernel_variant_tuned(kernel, i);
  if (count < 2) return;
  fputs("algorithm = ", to);
  for (size_t i = 0, k = 0; scree_kernel_variant_at(kernel, i); i++)
    if (scree_kernel_variant_tuned(kernel, i))
      fprintf(to, "%s%s", k++ ? ", " : "", scree_kernel_variant_at(kernel, i)->name);
  fputc('\n', to);
}

/* "queue = buckets, dary if algorithm = dc" */
static void write_axis(FILE *to, const scree_kernel *kernel, const char *name, const char *values) {
  char variants[256];
  cli_name_variants(kernel, name, true, "|", "|", variants, sizeof variants);
  fprintf(to, "%s = %s", name, values);
  if (!cli_is_of_all(kernel, name)) fprintf(to, " if algorithm = %s", variants);
  fputc('\n', to);
}

/* Lines of a sweep file. The width of buckets is that which a run chose, times a factor. */
static void write_all(FILE *to, const scree_kernel *kernel) {
  fprintf(to, "kernel = %s\n", kernel->name);
  write_algorithms(to, kernel);
  for (size_t i = 0; cli_kernel_option_at(kernel, i); i++) {
    const scree_kernel_option *option = cli_kernel_option_at(kernel, i);
    if (option->tried) write_axis(to, kernel, option->row.name, option->tried);
  }
  if (scree_kernel_option_find(kernel, SIZE_MAX, "delta"))
    write_axis(to, kernel, "delta", "auto, {0.25}, {0.5}, {2}, {4}");
  fputs(of_worlds, to);
}

static void add_kernel(cJSON *kernels, const scree_kernel *kernel) {
  char *axes = NULL;
  size_t size;
  cJSON *object = cJSON_AddObjectToObject(kernels, kernel->name);
  FILE *to = open_memstream(&axes, &size);
  if (to) write_all(to, kernel);
  if (to && fclose(to) == 0) cJSON_AddStringToObject(object, "axes", axes);
  cJSON_AddBoolToObject(object, "source", kernel->source);
  cJSON *work = cJSON_AddArrayToObject(object, "work");
  for (size_t i = 0; cli_kernel_option_at(kernel, i); i++)
    if (cli_kernel_option_at(kernel, i)->changes_work) add_text(work, cli_kernel_option_at(kernel, i)->row.name);
  free(axes);
}

/* ---- lines ---- */

static void print_program(void) {
  char mpi[256];
  cJSON *root = cJSON_CreateObject(), *kernels = cJSON_AddObjectToObject(root, "kernels");
  cli_mpi_version(mpi, sizeof mpi);
  for (size_t i = 0; cli_kernel_at(i); i++) add_kernel(kernels, cli_kernel_at(i));
  cJSON_AddStringToObject(root, "version", SCREE_VERSION);
  cJSON_AddStringToObject(root, "mpi", cli_mpi_name());
  cJSON_AddStringToObject(root, "mpi_library", mpi);
  add_environment(root);
  add_machine(root);
  print(root);
}

static void answer(const char *line) {
  cJSON *question = cJSON_Parse(line), *answer = cJSON_CreateObject();
  answer_configuration(question, answer);
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
