/* output.c - files that rank 0 writes.
 *
 * The result reaches rank 0 in portions of consecutive vertex ids, one epoch per portion. */
#include "commands/output.h"
#include "commands/session.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PORTION = 1 << 16 }; /* vertices at a time */

/* ---- open and close ---- */

scree_status cli_open_output(scree_graphs *graphs, const char *option, const char *name, cli_output *out) {
  bool writer = scree_rank(scree_graphs_worker(graphs)) == 0;
  *out = (cli_output){.name = name};
  if (!name) return SCREE_OK;
  if (writer) out->to = scree__output_open(&out->file, name);
  return scree_graphs_agree(graphs, writer && !out->to ? SCREE_EINVAL : SCREE_OK,
                            "option '--%s': '%s' cannot be written: %s; name a file in a writable directory", option,
                            name, strerror(errno));
}

static scree_status agree_on_error(scree_graphs *graphs, const char *name, int error) {
  return scree_graphs_agree(graphs, error ? SCREE_ESTATE : SCREE_OK,
                            "'%s' was not written in full: %s; free space there, or name another file", name,
                            strerror(error));
}

scree_status cli_close_output(scree_graphs *graphs, cli_output *out, scree_status status) {
  int error = out->to ? scree__output_close(&out->file, out->to, !status) : 0;
  out->to = NULL;
  return status || !out->name ? status : agree_on_error(graphs, out->name, error);
}

void cli_drop_output(cli_output *out) {
  if (out->to && out->to != stdout) scree__output_close(&out->file, out->to, false);
  out->to = NULL;
}

scree_status cli_flush_stdout(scree_graphs *graphs) {
  bool writer = scree_rank(scree_graphs_worker(graphs)) == 0;
  return agree_on_error(graphs, "standard output", writer ? scree__output_flush(stdout) : 0);
}

bool cli_put_json(cJSON *root, bool whole, FILE *to) {
  char *text = whole ? cJSON_Print(root) : NULL;
  if (text) fprintf(to, "%s\n", text);
  cJSON_free(text);
  cJSON_Delete(root);
  return text != NULL;
}

/* ---- the answer ---- */

typedef struct {
  uint64_t index;                    /* of the vertex in its portion */
  uint64_t values[SCREE_ARRAYS_MAX]; /* of the arrays that are listed; all kinds have 8 bytes */
} line_item;
SCREE_MESSAGE(line, line_item);

/* What is written: the arrays that are listed. */
typedef struct {
  const scree_graph *g;
  FILE *file; /* on rank 0 */
  const uint64_t *arrays[SCREE_ARRAYS_MAX];
  scree_value_kind kinds[SCREE_ARRAYS_MAX];
  size_t count;
  line_item *portion; /* on rank 0 */
  uint64_t *smallest; /* on rank 0, of a graph that is not numbered by labels: by representative; NULL otherwise */
} listing;

static void take_lines(scree_worker *worker, const scree_batch *batch, const line_item *items, void *arg) {
  (void)worker;
  line_item *portion = arg;
  for (uint32_t i = 0; i < batch->count; i++) portion[items[i].index] = items[i];
}
SCREE_HANDLER(line, line_item, take_lines);

static void send_lines(const listing *l, line_type type, uint64_t from, uint64_t end) {
  scree_worker *worker = scree_graphs_worker(l->g->graphs);
  for (uint64_t v = from; v < end; v++) {
    scree_location place = scree_graph_location(l->g, scree_graph_nth_vertex(l->g, v));
    if (scree_location_owner(place) != scree_rank(worker)) continue;
    line_item item = {.index = v - from};
    for (size_t i = 0; i < l->count; i++) item.values[i] = l->arrays[i][scree_location_local(place)];
    line_send(worker, type, 0, item);
  }
}

/* Distances are whole where weights are. */
static void print_real(FILE *file, double x, bool whole) {
  if (!(x < INFINITY))
    fprintf(file, "\tinf");
  else if (whole)
    fprintf(file, "\t%" PRIu64, (uint64_t)x);
  else
    fprintf(file, "\t%.17g", x);
}

/* The smallest label of those that `value` represents: that of the first line which has it. */
static uint64_t smallest(const listing *l, uint64_t value, uint64_t label) {
  if (!l->smallest) return scree_graph_label(l->g, value);
  if (l->smallest[value] == SCREE_NO_VERTEX) l->smallest[value] = label;
  return l->smallest[value];
}

static void print_value(const listing *l, scree_value_kind kind, uint64_t value, uint64_t label) {
  const bool whole = l->g->weight == SCREE_WEIGHT_UINT32 || l->g->weight == SCREE_WEIGHT_NONE;
  double real;
  memcpy(&real, &value, sizeof real);
  if (kind == SCREE_VALUE_DISTANCE || kind == SCREE_VALUE_REAL)
    print_real(l->file, real, whole && kind == SCREE_VALUE_DISTANCE);
  else if (kind == SCREE_VALUE_LEVEL || value == SCREE_NO_VERTEX)
    fprintf(l->file, "\t%" PRId64, kind == SCREE_VALUE_LEVEL ? (int64_t)value : -1);
  else if (kind == SCREE_VALUE_REPRESENTATIVE)
    fprintf(l->file, "\t%" PRIu64, smallest(l, value, label));
  else
    fprintf(l->file, "\t%" PRIu64, kind == SCREE_VALUE_VERTEX ? scree_graph_label(l->g, value) : value);
}

static void print_lines(const listing *l, uint64_t from, uint64_t end) {
  for (uint64_t v = from; v < end; v++) {
    uint64_t label = scree_graph_label(l->g, scree_graph_nth_vertex(l->g, v));
    fprintf(l->file, "%" PRIu64, label);
    for (size_t i = 0; i < l->count; i++) print_value(l, l->kinds[i], l->portion[v - from].values[i], label);
    fputc('\n', l->file);
  }
}

/* One portion; *stop: rank 0 could not write an earlier one. */
static scree_status write_portion(const listing *l, line_type type, uint64_t from, bool *stop) {
  uint64_t end = l->g->vertices.n - from < PORTION ? l->g->vertices.n : from + PORTION;
  scree_worker *worker = scree_graphs_worker(l->g->graphs);
  scree_reduce failed = {{l->file && ferror(l->file), 0}, 0, 0};
  scree_status status = scree_begin(worker);
  if (status) return status;
  send_lines(l, type, from, end);
  status = scree_end(worker, &failed);
  *stop = failed.sum[0] != 0;
  if (status == SCREE_OK && l->file && !*stop) print_lines(l, from, end);
  return status;
}

/* What rank 0 needs. */
static bool allocate(listing *l) {
  const uint64_t n = l->g->vertices.n;
  bool renamed = false;
  for (size_t i = 0; i < l->count; i++) renamed |= l->g->by_label && l->kinds[i] == SCREE_VALUE_REPRESENTATIVE;
  l->portion = calloc(PORTION, sizeof *l->portion);
  if (!l->portion || !renamed) return l->portion != NULL;
  l->smallest = malloc(n * sizeof *l->smallest);
  for (uint64_t v = 0; l->smallest && v < n; v++) l->smallest[v] = SCREE_NO_VERTEX;
  return l->smallest != NULL;
}

scree_status cli_write_answer(const scree_graph *g, const cli_args *args, const scree_answer *answer, FILE *file) {
  const scree_kernel *kernel = args->kernel;
  line_type type;
  listing l = {.g = g, .file = file};
  for (size_t i = 0; kernel->arrays[i].name; i++) {
    if (!cli_is_written(args, &kernel->arrays[i])) continue;
    l.arrays[l.count] = answer->array[i];
    l.kinds[l.count++] = kernel->arrays[i].kind;
  }
  scree_status status = cli_ready(g->graphs, !file || allocate(&l), "the lines of an answer");
  if (status == SCREE_OK)
    status = cli_registered(g->graphs, line_register(scree_world_of(scree_graphs_worker(g->graphs)), l.portion, &type));
  bool stop = false;
  for (uint64_t from = 0; from < g->vertices.n && status == SCREE_OK && !stop; from += PORTION)
    status = write_portion(&l, type, from, &stop);
  free(l.portion);
  free(l.smallest);
  return status;
}
