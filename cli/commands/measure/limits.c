/* limits.c - scree limits: prints the measured eager limit and the control variables of the MPI library (MPI_T). */
#include "commands/measure/eager.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "args/version.h"
#include "commands/output.h"
#include "commands/session.h"
#include "record/field.h"

/* ---- control variables ---- */

/* Adds the value of a variable that is not bound to an object, if it is a number or text. */
static void add_value(cJSON *variables, const char *name, MPI_Datatype type, int index) {
  MPI_T_cvar_handle handle;
  int count, number = 0;
  unsigned natural = 0;
  unsigned long word = 0;
  unsigned long long wide = 0;
  char text[1024] = "";
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return;
  if (type == MPI_CHAR && count < (int)sizeof text && !MPI_T_cvar_read(handle, text)) {
    cJSON_AddStringToObject(variables, name, text);
  } else if (count == 1) {
    if (type == MPI_INT && !MPI_T_cvar_read(handle, &number)) cJSON_AddNumberToObject(variables, name, number);
    if (type == MPI_UNSIGNED && !MPI_T_cvar_read(handle, &natural)) cJSON_AddNumberToObject(variables, name, natural);
    if (type == MPI_UNSIGNED_LONG && !MPI_T_cvar_read(handle, &word))
      cJSON_AddNumberToObject(variables, name, (double)word);
    if (type == MPI_UNSIGNED_LONG_LONG && !MPI_T_cvar_read(handle, &wide))
      cJSON_AddNumberToObject(variables, name, (double)wide);
  }
  MPI_T_cvar_handle_free(&handle);
}

static void add_variable(cJSON *variables, int index) {
  char name[256] = "", help[1];
  int name_size = sizeof name, help_size = sizeof help, verbosity, bind, scope;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum words;
  if (MPI_T_cvar_get_info(index, name, &name_size, &verbosity, &type, &words, help, &help_size, &bind, &scope)) return;
  bool wanted = strcasestr(name, "eager") || strcasestr(name, "rndv");
  if (wanted && bind == MPI_T_BIND_NO_OBJECT && !cJSON_GetObjectItemCaseSensitive(variables, name))
    add_value(variables, name, type, index);
}

/* The control variables on eager limits; NULL: no memory. */
static cJSON *read_variables(void) {
  cJSON *variables = cJSON_CreateObject();
  int level, count = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS) return variables;
  if (MPI_T_cvar_get_num(&count) != MPI_SUCCESS) count = 0;
  for (int i = 0; variables && i < count; i++) add_variable(variables, i);
  MPI_T_finalize();
  return variables;
}

/* ---- printing ---- */

static bool print_json(int64_t eager, const cJSON *variables, FILE *to) {
  char library[256];
  cJSON *root = cJSON_CreateObject();
  cli_mpi_version(library, sizeof library);
  cJSON_AddNumberToObject(root, "eager_bytes", (double)eager);
  cJSON_AddNumberToObject(root, "max_tried", CLI_EAGER_MAX);
  cJSON_AddStringToObject(root, "mpi", cli_mpi_name());
  cJSON_AddStringToObject(root, "mpi_library", library);
  return cli_put_json(root, cJSON_AddItemReferenceToObject(root, "variables", (cJSON *)variables), to);
}

static void print_table(int64_t eager, const cJSON *variables, FILE *to) {
  char library[256];
  const cJSON *one;
  cli_mpi_version(library, sizeof library);
  fprintf(to, "%s\neager limit (completes before its receive is posted): up to %" PRId64 " bytes%s\n", library, eager,
          eager == CLI_EAGER_MAX ? ", or more" : "");
  if (variables->child) fprintf(to, "\ncontrol variables of the library:\n");
  cJSON_ArrayForEach(one, variables) {
    if (cJSON_IsString(one))
      fprintf(to, "  %-44s %s\n", one->string, one->valuestring);
    else
      fprintf(to, "  %-44s %.17g\n", one->string, one->valuedouble);
  }
}

/* Rank 0 writes the JSON file and then, unless that is standard output, prints a table. */
static scree_status print(const cli_args *args, scree_graphs *graphs, int64_t eager, cli_output *json) {
  const bool first = scree_graphs_worker(graphs)->rank == 0, aside = args->json && !strcmp(args->json, "-");
  cJSON *variables = first ? read_variables() : NULL;
  bool good = !first || (variables && (!json->to || print_json(eager, variables, json->to)));
  scree_status status = cli_close_output(graphs, json, cli_ready(graphs, good, "the JSON text"));
  if (first && !aside && !status) print_table(eager, variables, stdout);
  cJSON_Delete(variables);
  return status || aside ? status : cli_flush_stdout(graphs);
}

static scree_status measure(const cli_args *args, scree_graphs *graphs) {
  const scree_worker *w = scree_graphs_worker(graphs);
  const bool takes_part = w->rank < 2;
  cli_output json;
  scree_status status =
      scree_graphs_agree(graphs, w->ranks < 2 ? SCREE_EINVAL : SCREE_OK,
                         "limits: this needs two ranks, and the job has one; start it as: mpirun -n 2 scree limits");
  if (!status) status = cli_open_output(graphs, "json", args->json, &json);
  if (status) return status;
  char *buffer = takes_part ? calloc(1, CLI_EAGER_MAX) : NULL;
  status = cli_ready(graphs, !takes_part || buffer, "a message");
  int64_t eager = !status && takes_part ? cli_find_eager((int)w->rank, buffer) : 0;
  free(buffer);
  return status ? cli_close_output(graphs, &json, status) : print(args, graphs, eager, &json);
}

int cli_limits(const cli_args *args, scree_world *world) {
  return cli_with_graphs(args, world, measure);
}
