/* output.c - files that rank 0 writes.
 *
 * The result reaches rank 0 in portions of consecutive vertex ids, one epoch per portion. */
#include "commands/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "commands/session.h"
#include "util/pack.h"

enum { PORTION = 1 << 16 }; /* vertices at a time */

/* ---- open and close ---- */

/* What is written to out->to passes through a packer, if the name has such an ending. */
static void pack(cli_output *out) {
  FILE *packer = cli_pack(out->to, out->name);
  if (packer == out->to) return;
  out->packed = out->to;
  out->to = packer; /* NULL, and errno is ENOMEM: there is no memory for it */
  if (!packer) scree__output_close(&out->file, out->packed, false);
}

/* Closes both. 0, or an errno. */
static int finish(cli_output *out, bool complete) {
  if (!out->packed) return scree__output_close(&out->file, out->to, complete);
  errno = 0;
  const int error = fclose(out->to) ? errno ? errno : EIO : 0;
  const int unnamed = scree__output_close(&out->file, out->packed, complete && !error);
  out->packed = NULL;
  return error ? error : unnamed;
}

scree_status cli_open_output(scree_graphs *graphs, const char *option, const char *name, cli_output *out) {
  bool writer = scree_graphs_worker(graphs)->rank == 0;
  *out = (cli_output){.name = name};
  if (!name) return SCREE_OK;
  if (writer) out->to = scree__output_open(&out->file, name);
  if (out->to) pack(out);
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
  int error = out->to ? finish(out, !status) : 0;
  out->to = NULL;
  return status || !out->name ? status : agree_on_error(graphs, out->name, error);
}

void cli_drop_output(cli_output *out) {
  if (out->to && out->to != stdout) finish(out, false);
  out->to = NULL;
}

scree_status cli_flush_stdout(scree_graphs *graphs) {
  bool writer = scree_graphs_worker(graphs)->rank == 0;
  return agree_on_error(graphs, "standard output", writer ? scree__output_flush(stdout) : 0);
}

/* ---- the answer ---- */

typedef struct {
  uint64_t index;                    /* of the line in its portion */
  uint64_t label;                    /* of the vertex */
  uint64_t values[SCREE_ARRAYS_MAX]; /* of the arrays that are listed; all kinds have 8 bytes */
} line_item;
SCREE_MESSAGE(line, line_item);

/* What is written: the arrays that are listed. */
typedef struct {
  const scree_graph *g;
  FILE *file; /* on rank 0 */
  char by;    /* between columns */
  const uint64_t *arrays[SCREE_ARRAYS_MAX];
  scree_value_kind kinds[SCREE_ARRAYS_MAX];
  size_t count;
  uint64_t *names[SCREE_ARRAYS_MAX]; /* of vertices by their labels, where these cannot be computed; NULL otherwise */
  const uint32_t *by_label;          /* of scree_graph_by_label */
  uint64_t next;                     /* of those, the first that was not sent */
  line_item *portion;                /* on rank 0 */
  cli_progress *line;                /* or NULL */
} listing;

static void take_lines(scree_worker *worker, const scree_batch *batch, const line_item *items, void *arg) {
  (void)worker;
  line_item *portion = arg;
  for (uint32_t i = 0; i < batch->count; i++) portion[items[i].index] = items[i];
}
SCREE_HANDLER(line, line_item, take_lines);

static void send_line(const listing *l, line_type type, uint64_t index, uint64_t u) {
  const scree_graph *g = l->g;
  line_item item = {.index = index,
                    .label = scree_graph_label(g, scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u)))};
  for (size_t i = 0; i < l->count; i++) item.values[i] = l->names[i] ? l->names[i][u] : l->arrays[i][u];
  line_send(scree_graphs_worker(g->graphs), type, 0, item);
}

/* Sends this rank's lines from .. end-1. */
static void send_lines(listing *l, line_type type, uint64_t from, uint64_t end) {
  const scree_graph *g = l->g;
  for (uint64_t v = from; v < end && !l->by_label; v++) {
    scree_location place = scree_graph_location(g, v);
    if (scree_location_owner(place) == scree_graph_rank(g)) send_line(l, type, v - from, scree_location_local(place));
  }
  for (; l->by_label && l->next < g->locals; l->next++) {
    const uint64_t u = l->by_label[l->next];
    const uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    const uint64_t index = scree_graph_label_index(g, v);
    if (index >= end) break;
    send_line(l, type, index - from, u);
  }
}

static bool is_vertex(scree_value_kind kind) {
  return kind == SCREE_VALUE_VERTEX || kind == SCREE_VALUE_REPRESENTATIVE;
}

/* Distances are whole where weights are. */
static void print_value(const listing *l, size_t i, uint64_t value) {
  const bool whole = l->g->weight == SCREE_WEIGHT_UINT32 || l->g->weight == SCREE_WEIGHT_NONE;
  const scree_value_kind kind = l->kinds[i];
  const bool real = kind == SCREE_VALUE_DISTANCE || kind == SCREE_VALUE_REAL;
  char text[32];
  double x;
  memcpy(&x, &value, sizeof x);
  if (kind == SCREE_VALUE_DISTANCE && whole && x < INFINITY)
    snprintf(text, sizeof text, "%" PRIu64, (uint64_t)x);
  else if (real && x < INFINITY)
    scree__real_print_shortest(text, sizeof text, x);
  else if (real || value == SCREE_NO_VERTEX || (kind == SCREE_VALUE_LEVEL && (int64_t)value < 0))
    strcpy(text, "inf");
  else
    snprintf(text, sizeof text, "%" PRIu64, is_vertex(kind) && !l->names[i] ? scree_graph_label(l->g, value) : value);
  fprintf(l->file, "%c%s", l->by, text);
}

static void print_header(const listing *l, const scree_kernel *kernel, const cli_args *args) {
  fputs("id", l->file);
  for (size_t i = 0; kernel->arrays[i].name; i++)
    if (cli_is_written(args, &kernel->arrays[i])) fprintf(l->file, "%c%s", l->by, kernel->arrays[i].name);
  fputc('\n', l->file);
}

static void print_lines(const listing *l, uint64_t count) {
  for (uint64_t v = 0; v < count; v++) {
    fprintf(l->file, "%" PRIu64, l->portion[v].label);
    for (size_t i = 0; i < l->count; i++) print_value(l, i, l->portion[v].values[i]);
    fputc('\n', l->file);
  }
}

/* One portion; *stop: rank 0 could not write an earlier one. */
static scree_status write_portion(listing *l, line_type type, uint64_t from, bool *stop) {
  uint64_t end = l->g->vertices.n - from < PORTION ? l->g->vertices.n : from + PORTION;
  scree_worker *worker = scree_graphs_worker(l->g->graphs);
  scree_reduce failed = {.sum = {l->file && ferror(l->file)}};
  scree_status status = scree_begin(worker);
  if (status) return status;
  send_lines(l, type, from, end);
  status = scree_end(worker, &failed);
  *stop = failed.sum[0] != 0;
  if (status == SCREE_OK && l->file && !*stop) print_lines(l, end - from);
  return status;
}

/* ---- vertices in an answer, by their labels ---- */

typedef struct {
  uint64_t local, label;
} member;

static void take_member(const void *data, size_t bytes, void *arg) {
  const member *m = data;
  uint64_t *smallest = arg;
  (void)bytes;
  if (m->label < smallest[m->local]) smallest[m->local] = m->label;
}

/* The smallest label of all vertices that a local vertex represents. */
static scree_status find_smallest(const scree_graph *g, const uint64_t *array, uint64_t *smallest) {
  for (uint64_t u = 0; u < g->locals; u++) smallest[u] = SCREE_NO_VERTEX;
  scree_status status = scree_graphs_exchange_begin(g->graphs, take_member, smallest);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    const scree_location to = scree_graph_location(g, array[u]);
    const member m = {scree_location_local(to),
                      scree_graph_label(g, scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u)))};
    scree_graphs_exchange_send(g->graphs, scree_location_owner(to), &m, sizeof m);
  }
  return scree_graphs_exchange_end(g->graphs);
}

/* Replaces vertices by their values in `local`, an array over local vertices, or by their labels if that is NULL: some
 * at a time, and as often on all ranks. `buffer`: PORTION entries, twice. */
static scree_status translate(const scree_graph *g, const uint64_t *local, uint64_t *array, uint64_t *buffer) {
  const uint64_t max = scree_distribution_count(&g->vertices, 0);
  uint64_t *vertices = buffer, *values = buffer + PORTION;
  scree_status status = SCREE_OK;
  for (uint64_t from = 0; from < max && !status; from += PORTION) {
    const uint64_t end = from + PORTION < g->locals ? from + PORTION : g->locals;
    uint64_t count = 0;
    for (uint64_t u = from; u < end; u++)
      if (array[u] != SCREE_NO_VERTEX) vertices[count++] = array[u];
    status = local ? scree_graph_lookup_uint64(g, local, count, vertices, values)
                   : scree_graph_labels(g, count, vertices, values);
    count = 0;
    for (uint64_t u = from; u < end; u++)
      if (array[u] != SCREE_NO_VERTEX) array[u] = values[count++];
  }
  return status;
}

/* The labels of array i; of a graph that is not numbered by labels a representative is called by the smallest one. */
static scree_status name(listing *l, size_t i) {
  const scree_graph *g = l->g;
  const size_t bytes = ((size_t)g->locals + 1) * sizeof(uint64_t);
  const bool renamed = l->by_label && l->kinds[i] == SCREE_VALUE_REPRESENTATIVE;
  l->names[i] = scree_graphs_alloc(g->graphs, bytes);
  uint64_t *smallest = renamed ? scree_graphs_alloc(g->graphs, bytes) : NULL;
  uint64_t *buffer = scree_graphs_alloc(g->graphs, 2 * PORTION * sizeof *buffer);
  const bool ready = l->names[i] && buffer && (smallest || !renamed);
  scree_status status = cli_ready(g->graphs, ready, "the labels of an answer");
  if (!status) memcpy(l->names[i], l->arrays[i], bytes - sizeof(uint64_t));
  if (!status && renamed) status = find_smallest(g, l->arrays[i], smallest);
  if (!status) status = translate(g, smallest, l->names[i], buffer);
  scree_huge_free(smallest);
  scree_huge_free(buffer);
  return status;
}

static scree_status name_all(listing *l) {
  scree_status status = scree_graph_by_label(l->g, &l->by_label);
  for (size_t i = 0; i < l->count && !status; i++)
    if (l->g->labels && is_vertex(l->kinds[i])) status = name(l, i);
  return status;
}

/* What has been prepared, from a portion of its own. Collective. */
static scree_status write_listing(listing *l) {
  const scree_graph *g = l->g;
  line_type type;
  bool stop = false;
  if (l->file) l->portion = calloc(PORTION, sizeof *l->portion);
  scree_status status = cli_ready(g->graphs, !l->file || l->portion, "the lines of an answer");
  if (status == SCREE_OK) status = name_all(l);
  if (status == SCREE_OK)
    status =
        cli_registered(g->graphs, line_register(scree_world_of(scree_graphs_worker(g->graphs)), l->portion, &type));
  for (uint64_t from = 0; from < g->vertices.n && status == SCREE_OK && !stop; from += PORTION) {
    status = write_portion(l, type, from, &stop);
    if (l->line)
      cli_progress_set(g->vertices.n - from < PORTION ? g->vertices.n : from + PORTION, g->vertices.n, l->line);
  }
  for (size_t i = 0; i < l->count; i++) scree_huge_free(l->names[i]);
  free(l->portion);
  return status;
}

scree_status cli_write_answer(const scree_graph *g, const cli_args *args, const scree_answer *answer, FILE *file,
                              cli_progress *line) {
  const scree_kernel *kernel = args->kernel;
  listing l = {.g = g, .file = file, .by = cli_answer_separator(args->answer.file), .line = line};
  for (size_t i = 0; kernel->arrays[i].name; i++) {
    if (!cli_is_written(args, &kernel->arrays[i])) continue;
    l.arrays[l.count] = answer->array[i];
    l.kinds[l.count++] = kernel->arrays[i].kind;
  }
  if (file && args->answer.header) print_header(&l, kernel, args);
  return write_listing(&l);
}

scree_status cli_write_map(const scree_graph *g, uint64_t base, FILE *file) {
  uint64_t *ids = scree_graphs_alloc(g->graphs, ((size_t)g->locals + 1) * sizeof *ids);
  listing l = {.g = g, .file = file, .by = '\t', .arrays = {ids}, .kinds = {SCREE_VALUE_COUNT}, .count = 1};
  scree_status status = cli_ready(g->graphs, ids != NULL, "the new ids of vertices");
  for (uint64_t u = 0; u < g->locals && !status; u++) {
    const uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    ids[u] = base == UINT64_MAX ? scree_graph_label(g, v) : base + v;
  }
  if (!status) status = write_listing(&l);
  scree_huge_free(ids);
  return status;
}
