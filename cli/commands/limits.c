/* limits.c - scree limits: prints the measured eager limit and the control variables of the MPI library (MPI_T). */
#include "commands/eager.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "args/version.h"
#include "commands/output.h"
#include "commands/session.h"

/* ---- what the library tells ---- */

/* Adds the value of a variable that is bound to no object, if it is a number or text. */
static void add_value(cJSON *told, const char *name, MPI_Datatype type, int index) {
  MPI_T_cvar_handle handle;
  int count, number = 0;
  unsigned natural = 0;
  unsigned long word = 0;
  unsigned long long wide = 0;
  char text[1024] = "";
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return;
  if (type == MPI_CHAR && count < (int)sizeof text && !MPI_T_cvar_read(handle, text)) {
    cJSON_AddStringToObject(told, name, text);
  } else if (count == 1) {
    if (type == MPI_INT && !MPI_T_cvar_read(handle, &number)) cJSON_AddNumberToObject(told, name, number);
    if (type == MPI_UNSIGNED && !MPI_T_cvar_read(handle, &natural)) cJSON_AddNumberToObject(told, name, natural);
    if (type == MPI_UNSIGNED_LONG && !MPI_T_cvar_read(handle, &word)) cJSON_AddNumberToObject(told, name, (double)word);
    if (type == MPI_UNSIGNED_LONG_LONG && !MPI_T_cvar_read(handle, &wide))
      cJSON_AddNumberToObject(told, name, (double)wide);
  }
  MPI_T_cvar_handle_free(&handle);
}

static void look_at(cJSON *told, int index) {
  char name[256] = "", help[1];
  int name_size = sizeof name, help_size = sizeof help, verbosity, bind, scope;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum words;
  if (MPI_T_cvar_get_info(index, name, &name_size, &verbosity, &type, &words, help, &help_size, &bind, &scope)) return;
  bool wanted = strcasestr(name, "eager") || strcasestr(name, "rndv");
  if (wanted && bind == MPI_T_BIND_NO_OBJECT && !cJSON_GetObjectItemCaseSensitive(told, name))
    add_value(told, name, type, index);
}

/* NULL: no memory. */
static cJSON *ask_library(void) {
  cJSON *told = cJSON_CreateObject();
  int level, count = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS) return told;
  if (MPI_T_cvar_get_num(&count) != MPI_SUCCESS) count = 0;
  for (int i = 0; told && i < count; i++) look_at(told, i);
  MPI_T_finalize();
  return told;
}

/* ---- printing ---- */

static bool print_json(int64_t eager, const cJSON *told, FILE *to) {
  char library[256];
  cJSON *root = cJSON_CreateObject();
  cli_mpi_version(library, sizeof library);
  cJSON_AddNumberToObject(root, "eager_bytes", (double)eager);
  cJSON_AddNumberToObject(root, "most_tried", CLI_EAGER_MOST);
  cJSON_AddStringToObject(root, "mpi", cli_mpi_name());
  cJSON_AddStringToObject(root, "mpi_library", library);
  char *text = cJSON_AddItemReferenceToObject(root, "told", (cJSON *)told) ? cJSON_Print(root) : NULL;
  if (text) fprintf(to, "%s\n", text);
  cJSON_free(text);
  cJSON_Delete(root);
  return text != NULL;
}

static void print_table(int64_t eager, const cJSON *told, FILE *to) {
  char library[256];
  const cJSON *one;
  cli_mpi_version(library, sizeof library);
  fprintf(to, "%s\nsent at once, before the receiver asks for it (eager): up to %" PRId64 " bytes%s\n", library, eager,
          eager == CLI_EAGER_MOST ? ", or more" : "");
  if (told->child) fprintf(to, "\nwhat the library tells:\n");
  cJSON_ArrayForEach(one, told) {
    if (cJSON_IsString(one))
      fprintf(to, "  %-44s %s\n", one->string, one->valuestring);
    else
      fprintf(to, "  %-44s %.17g\n", one->string, one->valuedouble);
  }
}

/* ---- the order ---- */

/* What was found, by rank 0: into the JSON file and then, unless that is standard output, as a table. */
static scree_status tell(const cli_args *args, scree_graphs *graphs, int64_t eager, FILE *json) {
  const bool first = scree_rank(scree_graphs_worker(graphs)) == 0, aside = args->json && !strcmp(args->json, "-");
  cJSON *told = first ? ask_library() : NULL;
  bool good = !first || (told && (!json || print_json(eager, told, json)));
  scree_status status = scree_graphs_agree(graphs, good ? SCREE_OK : SCREE_ENOMEM, "no memory for the JSON text");
  scree_status closed = cli_close_file(graphs, args->json, json);
  if (!status) status = closed;
  if (first && !aside && !status) print_table(eager, told, stdout);
  cJSON_Delete(told);
  return status || aside ? status : cli_close_file(graphs, "standard output", first ? stdout : NULL);
}

static scree_status look(const cli_args *args, scree_graphs *graphs) {
  const scree_worker *w = scree_graphs_worker(graphs);
  const bool takes_part = scree_rank(w) < 2;
  FILE *json;
  scree_status status = scree_graphs_agree(
      graphs, scree_ranks(w) < 2 ? SCREE_EINVAL : SCREE_OK,
      "limits: messages go between two ranks, and this job has one; start it as: mpirun -n 2 scree limits");
  if (!status) status = cli_open_file(graphs, "json", args->json, &json);
  if (status) return status;
  char *buffer = takes_part ? calloc(1, CLI_EAGER_MOST) : NULL;
  status = scree_graphs_agree(graphs, takes_part && !buffer ? SCREE_ENOMEM : SCREE_OK, "no memory for a message");
  int64_t eager = !status && takes_part ? cli_find_eager((int)scree_rank(w), buffer) : 0;
  free(buffer);
  return status ? status : tell(args, graphs, eager, json);
}

int cli_limits(const cli_args *args, scree_world *world) {
  scree_graphs *graphs = NULL;
  scree_status status = scree_graphs_open(world, &graphs);
  if (!status) status = look(args, graphs);
  int code = status ? cli_failed(world, graphs, status) : 0;
  scree_graphs_close(graphs);
  return code;
}
