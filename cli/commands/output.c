/* output.c - files that rank 0 writes.
 *
 * The result reaches rank 0 in portions of consecutive vertex ids, one epoch per portion. */
#include "commands/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PORTION = 1 << 16 }; /* vertices at a time */

/* ---- open and close ---- */

scree_status cli_open_file(scree_graphs *graphs, const char *option, const char *name, FILE **file) {
  *file = NULL;
  if (!name) return SCREE_OK;
  bool writer = scree_rank(scree_graphs_worker(graphs)) == 0;
  if (writer) *file = strcmp(name, "-") == 0 ? stdout : fopen(name, "w");
  return scree_graphs_agree(graphs, writer && !*file ? SCREE_EINVAL : SCREE_OK,
                            "option '--%s': '%s' cannot be written: %s; name a file in a directory that can", option,
                            name, strerror(errno));
}

scree_status cli_close_file(scree_graphs *graphs, const char *name, FILE *file) {
  if (!name) return SCREE_OK;
  int error = 0;
  if (file) {
    errno = 0;
    bool bad = fflush(file) != 0 || ferror(file);
    error = bad ? errno ? errno : EIO : 0;
    if (file != stdout && fclose(file) != 0 && !error) error = errno;
  }
  return scree_graphs_agree(graphs, error ? SCREE_ESTATE : SCREE_OK, "'%s' was not written in full: %s", name,
                            strerror(error));
}

/* ---- the answer ---- */

typedef struct {
  uint64_t index;  /* of the vertex in its portion */
  uint64_t value;  /* bits of the distance or rank; level or component */
  uint64_t parent; /* of levels */
} line_item;
SCREE_MESSAGE(line, line_item);

static void take_lines(scree_worker *worker, const scree_batch *batch, const line_item *items, void *arg) {
  (void)worker;
  line_item *portion = arg;
  for (uint32_t i = 0; i < batch->count; i++) portion[items[i].index] = items[i];
}
SCREE_HANDLER(line, line_item, take_lines);

/* By local vertex; all kinds have 8 bytes. */
static const void *values_of(const kernel_answer *answer) {
  if (answer->distance) return answer->distance;
  if (answer->level) return answer->level;
  return answer->component ? (const void *)answer->component : answer->rank;
}

static void send_lines(const scree_graph *g, const kernel_answer *answer, line_type type, uint64_t from, uint64_t end) {
  scree_worker *worker = scree_graphs_worker(g->graphs);
  for (uint64_t v = from; v < end; v++) {
    scree_location place = scree_graph_location(g, scree_graph_nth(g, v));
    if (scree_location_owner(place) != scree_rank(worker)) continue;
    uint64_t u = scree_location_local(place);
    line_item item = {.index = v - from};
    memcpy(&item.value, (const uint64_t *)values_of(answer) + u, sizeof item.value);
    if (answer->level) item.parent = answer->parent[u];
    line_send(worker, type, 0, item);
  }
}

static void print_distance(FILE *file, uint64_t label, double distance, bool integers) {
  if (!(distance < INFINITY))
    fprintf(file, "%" PRIu64 "\tinf\n", label);
  else if (integers)
    fprintf(file, "%" PRIu64 "\t%" PRIu64 "\n", label, (uint64_t)distance);
  else
    fprintf(file, "%" PRIu64 "\t%.17g\n", label, distance);
}

static void print_level(FILE *file, uint64_t label, int64_t level, const scree_graph *g, uint64_t parent) {
  if (level < 0)
    fprintf(file, "%" PRIu64 "\t-1\t-1\n", label);
  else
    fprintf(file, "%" PRIu64 "\t%" PRId64 "\t%" PRIu64 "\n", label, level, scree_graph_label(g, parent));
}

static void print_lines(FILE *file, const scree_graph *g, const line_item *portion, uint64_t from, uint64_t end,
                        const kernel_answer *answer) {
  bool integers = g->weight == SCREE_WEIGHT_UINT32 || g->weight == SCREE_WEIGHT_NONE;
  for (uint64_t v = from; v < end; v++) {
    const line_item *item = &portion[v - from];
    const uint64_t label = scree_graph_label(g, scree_graph_nth(g, v));
    double number;
    memcpy(&number, &item->value, sizeof number);
    if (answer->level)
      print_level(file, label, (int64_t)item->value, g, item->parent);
    else if (answer->component)
      fprintf(file, "%" PRIu64 "\t%" PRIu64 "\n", label, scree_graph_label(g, item->value));
    else
      print_distance(file, label, number, integers && answer->distance);
  }
}

/* One portion; *stop: rank 0 could not write an earlier one. */
static scree_status write_portion(const scree_graph *g, const kernel_answer *answer, FILE *file, line_item *portion,
                                  line_type type, uint64_t from, bool *stop) {
  uint64_t end = g->vertices.n - from < PORTION ? g->vertices.n : from + PORTION;
  scree_worker *worker = scree_graphs_worker(g->graphs);
  scree_reduce failed = {{file && ferror(file), 0}, 0, 0};
  scree_status status = scree_begin(worker);
  if (status) return status;
  send_lines(g, answer, type, from, end);
  status = scree_end(worker, &failed);
  *stop = failed.sum[0] != 0;
  if (status == SCREE_OK && file && !*stop) print_lines(file, g, portion, from, end, answer);
  return status;
}

scree_status cli_write_answer(const scree_graph *g, const kernel_answer *answer, FILE *file) {
  line_type type;
  line_item *portion = file ? calloc(PORTION, sizeof *portion) : NULL;
  scree_status status = scree_graphs_agree(g->graphs, file && !portion ? SCREE_ENOMEM : SCREE_OK,
                                           "rank 0: no memory to write %d lines at a time", PORTION);
  if (status == SCREE_OK) status = line_register(scree_world_of(scree_graphs_worker(g->graphs)), portion, &type);
  bool stop = false;
  for (uint64_t from = 0; from < g->vertices.n && status == SCREE_OK && !stop; from += PORTION)
    status = write_portion(g, answer, file, portion, type, from, &stop);
  free(portion);
  return status;
}
