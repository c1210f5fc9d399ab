/* failing_scenarios.c - the scenarios in which prog_failing_call makes calls fail: worlds that open and close, graphs
 * that are made, read and written, kernels and validators. */
#include "failing_scenarios.h"

#include <scree/generate.h>
#include <scree/scree_mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "failing_worlds.h"
#include "graph_labels.h"
#include "interpose.h"

/* A world, opened, used and closed. */

static scree_status run_open(void) {
  scree_world *world = NULL;
  clear_used();
  virtual_nodes = strstr(playing->name, "nodes") ? 2 : 1;
  scree_status status = scree_open_mpi(MPI_COMM_WORLD, &playing->options, &world), last = SCREE_OK;
  virtual_nodes = 1;
  if (!status) {
    status = strstr(playing->name, "tasks")    ? use_tasks(world)
             : strstr(playing->name, "global") ? use_global(world)
                                               : use_world(world);
    if (status) snprintf(world_text, sizeof world_text, "%s", scree_error_text(world));
    last = scree_close(world);
  }
  return status ? status : last;
}
static uint64_t result_open(void) {
  return reduce(sum_used(), MPI_SUM);
}

/* Of the whole graph, on all ranks. */
static uint64_t digest(const scree_graph *g) {
  uint64_t sum = 0, *labels = graph_labels_of(g);
  for (uint64_t u = 0; labels && u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      double w = scree_graph_weight(g, e);
      uint64_t bits, tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
      memcpy(&bits, &w, sizeof bits);
      tail = mixed(labels[tail], labels[scree_graph_vertex(g, scree_graph_target(g, e))]);
      sum += mixed(tail, bits);
    }
  free(labels);
  return reduce(sum, MPI_SUM);
}

/* Opens a graph layer in a new world. */

static void before_graphs(void) {
  drop_all();
  need(scree_open_mpi(MPI_COMM_WORLD, &playing->options, &kept.world), "scree_open_mpi");
}
static scree_status run_graphs(void) {
  return scree_graphs_open(kept.world, &kept.graphs);
}

/* A trace of a world, which continues if the trace does not begin. */

static FILE *trace_file;
static void before_trace(void) {
  char path[PATH];
  before_graphs();
  snprintf(path, sizeof path, "%s/trace", directory);
  trace_file = rank == 0 ? fopen(path, "w") : NULL;
  if (rank == 0 && !trace_file) MPI_Abort(comm, 1);
}
static scree_status run_trace(void) {
  scree_status status = scree_trace(kept.world, trace_file);
  scree_status used = use_world(kept.world);
  if (status || used) return status ? status : used;
  return scree_trace(kept.world, NULL);
}
static void after_trace(void) {
  drop_all(); /* it may write */
  if (trace_file) fclose(trace_file);
  trace_file = NULL;
}

/* A graph. */

static void before_load(void) {
  need_graphs();
  drop_graph();
}
static scree_status run_load(void) {
  return scree_graph_load(kept.graphs, playing->path, &playing->how, &kept.graph);
}
static uint64_t result_load(void) {
  uint64_t sum = digest(kept.graph);
  drop_graph();
  return sum;
}

static void before_transform(void) {
  need_graph(playing->path, &playing->how);
}
static scree_graph *transformed;
static scree_status run_transpose(void) {
  return scree_graph_transpose(kept.graph, &transformed);
}
static scree_status run_relabel(void) {
  return scree_graph_relabel_by_degree(kept.graph, SCREE_DISTRIBUTION_CYCLIC, &transformed);
}
static uint64_t result_transform(void) {
  uint64_t sum = digest(transformed);
  scree_graph_free(transformed);
  transformed = NULL;
  return sum;
}
static void before_auto(void) {
  before_load();
  need_graph(playing->path, &playing->how);
}
/* It may fail with its world only. */
static scree_status run_auto(void) {
  scree_relabel_outcome outcome;
  scree_status status = scree_graph_relabel_auto(&kept.graph, SCREE_DISTRIBUTION_CYCLIC, 1000, &outcome);
  if (scree_error(kept.world) == SCREE_OK) need(status, playing->name);
  return status;
}
static scree_status run_estimate(void) {
  scree_size_estimate e;
  return scree_graph_estimate(kept.graphs, playing->path, &playing->how, &e);
}

/* A solver, up to the types of its first variant. */

static void before_solver(void) {
  drop_all();
  need_graph(playing->path, &playing->how);
}
static scree_status run_solver(void) {
  scree_status status = scree_solver_open(kept.graphs, playing->kernel, &kept.solver);
  return status ? status : scree_solver_prepare(kept.solver, kept.graph, NULL);
}

/* A kernel, which has its types. The graph is new each time, since orderings stay with it. */

static scree_status run_kernel(void);
static void before_kernel(void) {
  need_graphs();
  drop_graph();
  need_graph(playing->path, &playing->how);
  if (!kept.solver) need(scree_solver_open(kept.graphs, playing->kernel, &kept.solver), "scree_solver_open");
  if (kept.registered == playing->algorithm) return;
  need(run_kernel(), playing->name);
  kept.registered = playing->algorithm;
  drop_graph();
  need_graph(playing->path, &playing->how);
}
static scree_kernel_options *kernel_options(void) {
  static _Alignas(scree_kernel_options) char options[512];
  scree_kernel_options *o = (scree_kernel_options *)(void *)options;
  scree_kernel_options_init(playing->kernel, o);
  o->algorithm = playing->algorithm;
  return o;
}
static scree_status run_kernel(void) {
  return scree_solver_run(kept.solver, kept.graph, 1, kernel_options(), &kept.answer);
}
static scree_verdict judged;
static scree_status run_validate(void) {
  return scree_solver_validate(kept.solver, kept.graph, 1, kernel_options(), &kept.answer, &judged);
}
static uint64_t result_validate(void) {
  return !judged.valid;
}
static uint64_t result_kernel(void) {
  need(run_validate(), "scree_solver_validate");
  if (!judged.valid) printf("    rank %d: %s\n", rank, judged.text);
  return !judged.valid;
}
static void before_validate(void) {
  before_kernel();
  need(run_kernel(), playing->name);
}

/* A graph into a file, which is not there before, or holds something else. */

static const char earlier[] = "what was there before";

static void put_earlier(const char *path) {
  FILE *file = rank == 0 && strstr(playing->name, "over") ? fopen(path, "w") : NULL;
  if (file) fputs(earlier, file);
  if (file) fclose(file);
}
/* A graph that the format can hold. */
static void need_graph_for(scree_graph_format format) {
  static const scree_graph_options integers = {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 1, .hi = 9};
  const bool whole = format == SCREE_FORMAT_WSG || format == SCREE_FORMAT_METIS;
  if (kept.graph && (kept.graph->weight == SCREE_WEIGHT_UINT32) != whole) drop_graph();
  need_graph("kron:7,4", whole ? &integers : NULL);
}
static void before_write(void) {
  need_graph_for(playing->how.format);
  if (rank == 0) unlink(playing->path);
  if (rank == 0 && playing->weights[0]) unlink(playing->weights);
  put_earlier(playing->path);
  barrier();
}
static scree_status run_write(void) {
  scree_write_options how = {.format = playing->how.format,
                             .weights_file = playing->weights[0] ? playing->weights : NULL};
  return scree_graph_write(kept.graph, playing->path, &how);
}
static size_t content(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  size_t n = file ? fread(text, 1, size, file) : 0;
  if (file) fclose(file);
  return n;
}

/* Not there, as it was before, or, as the first of two files may be, of the same size as DIRECTORY/in.ENDING. */
static bool is_clean(const char *path) {
  static char text[1 << 16], whole[1 << 16];
  char other[PATH];
  snprintf(other, sizeof other, "%s/in%s", directory, strchr(strrchr(path, '/'), '.'));
  size_t n = content(path, text, sizeof text), m = content(other, whole, sizeof whole);
  if (access(path, F_OK)) return true;
  return (n == m && playing->weights[0]) || (n == sizeof earlier - 1 && memcmp(text, earlier, n) == 0);
}
static uint64_t result_write(void) {
  scree_graph *again = NULL;
  scree_graph_options how = playing->how;
  how.weights_file = playing->weights[0] ? playing->weights : NULL;
  need(scree_graph_load(kept.graphs, playing->path, &how, &again), playing->path);
  uint64_t sum = digest(again);
  scree_graph_free(again);
  return sum;
}

bool half_written(void) {
  return playing->run == run_write && rank == 0 &&
         !(is_clean(playing->path) && (!playing->weights[0] || is_clean(playing->weights)));
}

/* ---- the list ---- */

scenario scenarios[200];
size_t scenario_count;
const scenario *playing;

static scenario *add(scenario row, const char *format, ...) __attribute__((format(printf, 2, 3)));
static scenario *add(scenario row, const char *format, ...) {
  va_list args;
  scenario *s = &scenarios[scenario_count++];
  *s = row;
  s->options = (scree_options)SCREE_OPTIONS_INIT;
  s->options.spin = 1;
  va_start(args, format);
  vsnprintf(s->name, sizeof s->name, format, args);
  va_end(args);
  return s;
}

static scree_options *add_open(const char *name, uint64_t transport) {
  scenario *s = add((scenario){.run = run_open, .result = result_open}, "open:%s", name);
  s->options.transport = transport;
  s->options.memory = 1 << 20;
  return &s->options;
}

static scenario *add_load(const char *name, const char *path, scree_graph_options how) {
  scenario *s = add((scenario){.run = run_load, .before = before_load, .result = result_load}, "load:%s", name);
  snprintf(s->path, sizeof s->path, "%s", path);
  s->how = how;
  return s;
}

typedef struct {
  const char *name, *ending;
  scree_graph_options how;
} format;

#define LIST .direction = SCREE_UNDIRECTED, .columns = {1, 2, 3}
static const format formats[] = {
    {"dimacs", ".gr", {.format = SCREE_FORMAT_DIMACS}},
    {"edges", ".txt", {.format = SCREE_FORMAT_EDGES, LIST}},
    {"edges, gzip", ".txt.gz", {.format = SCREE_FORMAT_EDGES, LIST}},
    {"matrix-market", ".mtx", {.format = SCREE_FORMAT_MATRIX_MARKET}},
    {"tuples", ".tuples", {.format = SCREE_FORMAT_TUPLES}},
    {"image", ".scree", {.format = SCREE_FORMAT_IMAGE}},
    {"wsg", ".wsg", {.format = SCREE_FORMAT_WSG}},
    {"metis", ".graph", {.format = SCREE_FORMAT_METIS}},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static void path_of(char *path, const char *name) {
  snprintf(path, PATH, "%s/%s", directory, name);
}

static void make_zstd(const char *from, const char *to) {
  static char text[1 << 18], packed[1 << 18];
  FILE *in = fopen(from, "r"), *out = fopen(to, "w");
  size_t n = in ? fread(text, 1, sizeof text, in) : 0, bytes = ZSTD_compress(packed, sizeof packed, text, n, 1);
  if (!out || ZSTD_isError(bytes) || fwrite(packed, 1, bytes, out) != bytes) MPI_Abort(comm, 1);
  fclose(out);
  fclose(in);
}

/* Writes the graphs that are read later, and lists what reads and writes each format. */
static void add_files(void) {
  char path[PATH];
  for (size_t i = 0; i < FORMATS; i++) {
    for (int over = 0; over < 2; over++) {
      scenario *s = add((scenario){.run = run_write, .before = before_write, .result = result_write}, "write:%s%s",
                        formats[i].name, over ? ", over another" : "");
      s->how = formats[i].how;
      snprintf(s->path, sizeof s->path, "%s/out%s", directory, formats[i].ending);
      if (s->how.format == SCREE_FORMAT_TUPLES) path_of(s->weights, "out.weights");
    }
    const scenario *s = &scenarios[scenario_count - 1];
    scenario *l = add_load(formats[i].name, "", formats[i].how);
    snprintf(l->path, sizeof l->path, "%s/in%s", directory, formats[i].ending);
    need_graph_for(l->how.format);
    if (s->weights[0]) path_of(l->weights, "in.weights"), l->how.weights_file = l->weights;
    scree_write_options how = {.format = l->how.format, .weights_file = l->weights[0] ? l->weights : NULL};
    need(scree_graph_write(kept.graph, l->path, &how), l->path);
    if (i == 1) {
      scenario *z = add_load("edges, zstd", "", l->how);
      path_of(z->path, "in.txt.zst");
      if (rank == 0) make_zstd(l->path, z->path);
      z = add_load("edges, vertices in a file", l->path, l->how);
      path_of(z->vertices, "in.txt");
      z->how.vertices = z->vertices;
      z = add_load("edges, random weights, cyclic, by degree", l->path, l->how);
      z->how.weights = SCREE_WEIGHTS_RANDOM_INT, z->how.lo = 1, z->how.hi = 9, z->how.columns[2] = 0;
      z->how.distribution = SCREE_DISTRIBUTION_CYCLIC, z->how.relabel = SCREE_RELABEL_DEGREE;
      z = add_load("estimate of edges", l->path, l->how);
      z->run = run_estimate, z->result = NULL;
    }
  }
  path_of(path, "in.scree");
  add_load("image, other distribution", path, (scree_graph_options){.distribution = SCREE_DISTRIBUTION_HASH});
  scenario *s = add_load("estimate of an image", path, (scree_graph_options){0});
  s->run = run_estimate, s->result = NULL;
  barrier();
}

static void add_kernels(void) {
  for (size_t i = 0; scree_kernel_at(i); i++) {
    scenario row = {.kernel = scree_kernel_at(i), .path = "kron:8,8"};
    row.run = run_solver, row.before = before_solver, row.after = drop_all;
    add(row, "solver:%s", row.kernel->name);
    row.run = run_kernel, row.before = before_kernel, row.after = NULL, row.result = result_kernel;
    for (size_t v = 0; scree_kernel_variant_at(row.kernel, v); v++) {
      row.algorithm = scree_kernel_variant_at(row.kernel, v)->name;
      add(row, "kernel:%s:%s", row.kernel->name, row.algorithm);
    }
    row.run = run_validate, row.before = before_validate, row.result = result_validate;
    add(row, "validate:%s", row.kernel->name);
  }
}

void add_scenarios(void) {
  add_open("auto", SCREE_TRANSPORT_AUTO);
  add_open("workers", SCREE_TRANSPORT_AUTO)->threads = 3;
  add_open("workers, two nodes", SCREE_TRANSPORT_AUTO)->threads = 2;
  add_open("tasks", SCREE_TRANSPORT_AUTO)->threads = 2;
  add_open("global memory", SCREE_TRANSPORT_AUTO);
  add_open("global memory, two nodes", SCREE_TRANSPORT_AUTO);
  add_open("shm", SCREE_TRANSPORT_SHM);
  add_open("mpi", SCREE_TRANSPORT_MPI);
  add_open("two nodes", SCREE_TRANSPORT_AUTO);
  scree_options *little = add_open("two nodes, chaos, little memory", SCREE_TRANSPORT_AUTO);
  little->chaos = 1, little->memory = 8192;
  scenario *s = add((scenario){.run = run_trace, .before = before_trace, .after = after_trace}, "trace");
  s->options.threads = 2;
  s->options.trace_events = 5000;
  add((scenario){.run = run_graphs, .before = before_graphs, .after = drop_all}, "graphs");
  add_load("kron", "kron:7,4", (scree_graph_options){0});
  scenario graph = {.before = before_transform, .result = result_transform, .path = "kron:7,4"};
  graph.run = run_transpose, add(graph, "graph:transpose");
  graph.run = run_relabel, add(graph, "graph:relabel");
  add((scenario){.run = run_auto, .before = before_auto, .result = result_load, .path = "kron:12"},
      "graph:relabel auto");
  add_kernels();
  add_files();
}
