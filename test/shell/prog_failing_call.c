/* prog_failing_call.c - lets every call of the library to the system fail, one after the other, on one rank of several;
 * for failing_call.sh, which preloads failing_call.so. Linked with libscree.so, whose calls are the ones that count.
 *   prog_failing_call VICTIM DIRECTORY DRAW SEED [PART [K]]
 * VICTIM: the rank whose call fails. DIRECTORY: for files. DRAW: calls drawn of each scenario, 0: all. PART: only the
 * scenarios whose name contains this. K: only call number K.
 *
 * Each scenario runs once undisturbed, and then once for each of its calls. It must end on all ranks with the same status:
 * SCREE_OK, and the right result, or an error whose text names the rank and a remedy. */
#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <scree/generate.h>
#include <scree/graph.h>
#include <scree/kernel.h>
#include <scree/scree_mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "failing_call.h"
#include "virtual_nodes.h"

enum { TEXT = 4096, PATH = 512, LIMIT = 60 };

static int rank, ranks, victim;
static const char *directory;
static MPI_Comm comm;
static failing_call_arm_fn *arm;
static failing_call_disarm_fn *disarm;

/* ---- ranks ---- */

static void wait_for(MPI_Request *request) {
  int done = 0;
  while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) sched_yield();
}

static uint64_t reduce(uint64_t mine, MPI_Op op) {
  uint64_t all = 0;
  MPI_Request request;
  MPI_Iallreduce(&mine, &all, 1, MPI_UINT64_T, op, comm, &request);
  wait_for(&request);
  return all;
}

static bool all_true(bool mine) {
  return reduce(mine, MPI_MIN) == 1;
}

static void barrier(void) {
  reduce(0, MPI_MIN);
}

/* ---- what is under test ---- */

/* Kept from call to call while nothing fails. */
static struct {
  scree_world *world;
  scree_graphs *graphs;
  scree_solver *solver;
  scree_graph *graph;
  scree_answer answer;
} kept;

static void drop_graph(void) {
  scree_answer_free(&kept.answer);
  scree_graph_free(kept.graph);
  kept.graph = NULL;
}

static void drop_all(void) {
  drop_graph();
  scree_solver_close(kept.solver);
  scree_graphs_close(kept.graphs);
  if (kept.world) scree_close(kept.world);
  memset(&kept, 0, sizeof kept);
}

/* On purpose fatal: without what scenarios need nothing can be tested. */
static void need(scree_status status, const char *what) {
  if (status == SCREE_OK) return;
  const char *text = kept.graphs ? scree_graphs_error(kept.graphs) : "";
  fprintf(stderr, "prog_failing_call: rank %d: %s failed where nothing should: %s %s\n", rank, what,
          scree_status_text(status), text);
  MPI_Abort(comm, 1);
}

static void need_graphs(void) {
  if (kept.graphs) return;
  scree_options o = SCREE_OPTIONS_INIT;
  o.spin = 1;
  need(scree_open_mpi(MPI_COMM_WORLD, &o, &kept.world), "scree_open_mpi");
  need(scree_graphs_open(kept.world, &kept.graphs), "scree_graphs_open");
}

static void need_graph(const char *spec, const scree_graph_options *options) {
  need_graphs();
  if (!kept.graph) need(scree_graph_load(kept.graphs, spec, options, &kept.graph), spec);
}

static uint64_t mixed(uint64_t a, uint64_t b) {
  a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
  return (a ^ a >> 31) * UINT64_C(0xbf58476d1ce4e5b9) ^ a >> 29;
}

/* Of the whole graph, on all ranks. */
static uint64_t digest(const scree_graph *g) {
  uint64_t sum = 0;
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      double w = scree_graph_weight(g, e);
      uint64_t bits, tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
      memcpy(&bits, &w, sizeof bits);
      tail = mixed(scree_graph_label(g, tail), scree_graph_label(g, scree_graph_vertex(g, scree_graph_target(g, e))));
      sum += mixed(tail, bits);
    }
  return reduce(sum, MPI_SUM);
}

/* ---- scenarios ---- */

typedef struct scenario {
  char name[64];
  scree_status (*run)(const struct scenario *s); /* its calls are counted, and fail */
  void (*before)(const struct scenario *s);
  uint64_t (*result)(
      const struct scenario *s); /* after a run that ended well; 0: as it should be, or the same each time */
  void (*after)(const struct scenario *s);
  scree_options options;
  char path[PATH], weights[PATH], vertices[PATH];
  scree_graph_options how;
  const scree_kernel *kernel;
  const char *algorithm;
} scenario;

/* A world, opened and closed. */

typedef struct {
  char bytes[40];
} item;
SCREE_MESSAGE(ping, item);

static uint64_t pings;
static void on_ping(scree_worker *w, const scree_batch *batch, const item *items, void *arg) {
  (void)w, (void)items, (void)arg;
  pings += batch->count;
}
SCREE_HANDLER(ping, item, on_ping);

static scree_status use_world(scree_world *world) {
  ping_type type;
  scree_worker *w = scree_worker_of(world, 0);
  scree_status status = ping_register(world, NULL, &type);
  if (!status) status = scree_begin(w);
  if (status) return status;
  for (int i = 0; i < 3000; i++) ping_send(w, type, (uint32_t)(i % ranks), (item){{0}});
  return scree_end(w, NULL);
}

static char world_text[TEXT];

static scree_status run_open(const scenario *s) {
  scree_world *world = NULL;
  pings = 0;
  world_text[0] = 0;
  scree_status status = scree_open_mpi(MPI_COMM_WORLD, &s->options, &world), last = SCREE_OK;
  if (!status) {
    status = use_world(world);
    if (status) snprintf(world_text, sizeof world_text, "%s", scree_error_text(world));
    last = scree_close(world);
  }
  return status ? status : last;
}
static void before_open(const scenario *s) {
  virtual_nodes = strstr(s->name, "nodes") ? 2 : 1;
}
static void after_open(const scenario *s) {
  (void)s;
  virtual_nodes = 1;
}
static uint64_t result_open(const scenario *s) {
  (void)s;
  return reduce(pings, MPI_SUM);
}

/* A graph layer in a new world. */

static void before_graphs(const scenario *s) {
  drop_all();
  need(scree_open_mpi(MPI_COMM_WORLD, &s->options, &kept.world), "scree_open_mpi");
}
static scree_status run_graphs(const scenario *s) {
  (void)s;
  return scree_graphs_open(kept.world, &kept.graphs);
}
static void after_graphs(const scenario *s) {
  (void)s;
  drop_all();
}

/* A graph. */

static void before_load(const scenario *s) {
  (void)s;
  need_graphs();
  drop_graph();
}
static scree_status run_load(const scenario *s) {
  return scree_graph_load(kept.graphs, s->path, &s->how, &kept.graph);
}
static uint64_t result_load(const scenario *s) {
  (void)s;
  uint64_t sum = digest(kept.graph);
  drop_graph();
  return sum;
}

static void before_transform(const scenario *s) {
  need_graph(s->path, &s->how);
}
static scree_graph *transformed;
static scree_status run_transpose(const scenario *s) {
  (void)s;
  return scree_graph_transpose(kept.graph, &transformed);
}
static scree_status run_relabel(const scenario *s) {
  (void)s;
  return scree_graph_relabel_by_degree(kept.graph, &transformed);
}
static uint64_t result_transform(const scenario *s) {
  (void)s;
  uint64_t sum = digest(transformed);
  scree_graph_free(transformed);
  transformed = NULL;
  return sum;
}
static scree_status run_estimate(const scenario *s) {
  scree_size_estimate e;
  return scree_graph_estimate(kept.graphs, s->path, &s->how, &e);
}

/* A kernel. The graph is new each time, since orderings stay with it. */

static void before_solver(const scenario *s) {
  (void)s;
  drop_all();
  need_graphs();
}
static scree_status run_solver(const scenario *s) {
  return scree_solver_open(kept.graphs, s->kernel, &kept.solver);
}

static void before_kernel(const scenario *s) {
  need_graphs();
  drop_graph();
  need_graph(s->path, &s->how);
  if (!kept.solver) need(scree_solver_open(kept.graphs, s->kernel, &kept.solver), "scree_solver_open");
}
static void *kernel_options(const scenario *s) {
  scree_kernel_options *o = malloc(s->kernel->options_size);
  scree_kernel_options_init(s->kernel, o);
  o->algorithm = s->algorithm;
  return o;
}
static scree_status run_kernel(const scenario *s) {
  void *o = kernel_options(s);
  scree_status status = scree_solver_run(kept.solver, kept.graph, 1, o, &kept.answer);
  free(o);
  return status;
}
static uint64_t result_kernel(const scenario *s) {
  void *o = kernel_options(s);
  scree_verdict verdict;
  need(scree_solver_validate(kept.solver, kept.graph, 1, o, &kept.answer, &verdict), "scree_solver_validate");
  free(o);
  if (!verdict.valid) printf("    rank %d: %s\n", rank, verdict.text);
  return !verdict.valid;
}
static void before_validate(const scenario *s) {
  before_kernel(s);
  need(run_kernel(s), s->name);
}
static scree_verdict judged;
static scree_status run_validate(const scenario *s) {
  void *o = kernel_options(s);
  scree_status status = scree_solver_validate(kept.solver, kept.graph, 1, o, &kept.answer, &judged);
  free(o);
  return status;
}
static uint64_t result_validate(const scenario *s) {
  (void)s;
  return !judged.valid;
}

/* A graph into a file, which is not there before, or holds something else. */

static const char earlier[] = "what was there before";

static void put_earlier(const char *path, const scenario *s) {
  FILE *file = rank == 0 && strstr(s->name, "over") ? fopen(path, "w") : NULL;
  if (file) fputs(earlier, file);
  if (file) fclose(file);
}
static void before_write(const scenario *s) {
  need_graph("kron:7,4", NULL);
  if (rank == 0) unlink(s->path);
  if (rank == 0 && s->weights[0]) unlink(s->weights);
  put_earlier(s->path, s);
  barrier();
}
static scree_status run_write(const scenario *s) {
  scree_write_options how = {.format = s->how.format, .weights_file = s->weights[0] ? s->weights : NULL};
  return scree_graph_write(kept.graph, s->path, &how);
}
static size_t content(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  size_t n = file ? fread(text, 1, size, file) : 0;
  if (file) fclose(file);
  return n;
}

/* Not there, as it was before, or, as the first of two files may be, of the same size as DIRECTORY/in.ENDING. */
static bool is_clean(const scenario *s, const char *path) {
  static char text[1 << 16], whole[1 << 16];
  char other[PATH];
  snprintf(other, sizeof other, "%s/in%s", directory, strchr(strrchr(path, '/'), '.'));
  size_t n = content(path, text, sizeof text), m = content(other, whole, sizeof whole);
  if (access(path, F_OK)) return true;
  return (n == m && s->weights[0]) || (n == sizeof earlier - 1 && memcmp(text, earlier, n) == 0);
}
static uint64_t result_write(const scenario *s) {
  scree_graph *again = NULL;
  scree_graph_options how = s->how;
  how.weights_file = s->weights[0] ? s->weights : NULL;
  need(scree_graph_load(kept.graphs, s->path, &how, &again), s->path);
  uint64_t sum = digest(again);
  scree_graph_free(again);
  return sum;
}

/* ---- one run ---- */

static char said[TEXT]; /* on standard error, in the run */

static int err_fd, err_to;

static void capture(void) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/err-%d", directory, rank);
  fflush(stderr);
  err_fd = dup(STDERR_FILENO);
  FILE *to = fopen(path, "w+");
  if (!to || err_fd < 0) MPI_Abort(comm, 1);
  err_to = dup(fileno(to));
  fclose(to);
  dup2(err_to, STDERR_FILENO);
}
static void release(void) {
  fflush(stderr);
  ssize_t n = pread(err_to, said, sizeof said - 1, 0);
  said[n > 0 ? n : 0] = 0;
  dup2(err_fd, STDERR_FILENO);
  close(err_fd);
  close(err_to);
}

static char now[200]; /* the case that runs, for the handler of SIGALRM */

static void too_long(int signal) {
  (void)signal;
  if (write(STDOUT_FILENO, now, strlen(now)) < 0) _exit(2);
  _exit(3);
}

static const char *text_of(scree_status status) {
  static char text[2 * TEXT];
  const char *mine = "";
  if (!status) return "";
  if (kept.graphs) mine = scree_graphs_error(kept.graphs);
  if (kept.world && scree_error(kept.world)) mine = scree_error_text(kept.world);
  if (kept.world && !kept.graphs) mine = scree_error_text(kept.world);
  snprintf(text, sizeof text, "%s%s%s", mine, world_text, said);
  for (char *p = text; *p; p++)
    if (*p == '\n') *p = ' ';
  return text;
}

static bool helps(const char *text) {
  static const char *const remedies[] = {"use more ranks", "free memory", "raise", "name a",   "free space",
                                         "lower",          "smaller",     "mount", "use tran", "check "};
  char name[32];
  snprintf(name, sizeof name, "rank %d", victim);
  if (!strstr(text, name) && !strstr(text, directory)) return false;
  for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
    if (strstr(text, remedies[i])) return true;
  return false;
}

typedef struct {
  long calls;
  scree_status status;
  bool good;
  uint64_t result;
} outcome;

static int failures;

static void complain(const scenario *s, long k, const char *what, const char *call, const char *text) {
  failures++;
  printf("not ok - %s: %s; rank %d, %s; text: '%s'\n    again: test/shell/failing_call.sh library %d '%s' %ld\n",
         s->name, what, rank, call, text, victim, s->name, k);
  fflush(stdout);
}

static bool half_written(const scenario *s) {
  return s->run == run_write && rank == 0 && !(is_clean(s, s->path) && (!s->weights[0] || is_clean(s, s->weights)));
}

/* Is there a file in this folder whose name has that part? */
static bool has_file(const char *folder, const char *part) {
  bool found = false;
  DIR *all = opendir(folder);
  for (struct dirent *one; all && (one = readdir(all));) found |= strstr(one->d_name, part) != NULL;
  if (all) closedir(all);
  return found;
}

/* Shared memory of this rank, or an unfinished file. */
static bool left_behind(void) {
  char name[32];
  snprintf(name, sizeof name, "scree-%ld-", (long)getpid());
  return has_file("/dev/shm", name) || (rank == 0 && has_file(directory, ".scree-part"));
}

/* k: 0: none fails. `expected`: the result of an undisturbed run. */
static outcome once(const scenario *s, long k, uint64_t expected) {
  char call[160];
  if (s->before) s->before(s);
  snprintf(now, sizeof now, "not ok - %s: rank %d still there after %d s, call %ld of rank %d failed\n", s->name, rank,
           LIMIT, k, victim);
  barrier();
  alarm(LIMIT);
  world_text[0] = 0;
  capture();
  if (rank == victim) arm(k);
  scree_status status = s->run(s);
  long calls = rank == victim ? disarm(call, sizeof call) : 0;
  if (rank != victim) call[0] = 0;
  release();
  outcome o = {.status = status};
  o.calls = (long)reduce((uint64_t)calls, MPI_SUM);
  uint64_t max = reduce(status, MPI_MAX), min = reduce(status, MPI_MIN);
  alarm(0);
  const char *text = text_of(status);
  if (getenv("FAILING_CALL_SHOW") && rank == victim && k)
    printf("%s, %s: status %d: %s\n", s->name, call, (int)status, text);
  if (k && max != min)
    complain(s, k, "ranks end with different statuses", call, text);
  else if (k && status && rank == victim && !helps(text))
    complain(s, k, "the text lacks the rank (or the file) or a remedy", call, text);
  if (status && half_written(s)) complain(s, k, "a file was left half written", call, text);
  if (left_behind()) complain(s, k, "something was left in /dev/shm or unfinished", call, text);
  if (!max && s->result) {
    o.result = s->result(s);
    if (k && o.result != expected) complain(s, k, "a wrong result", call, "");
  }
  if (s->after) s->after(s);
  if (max) drop_all();
  o.good = all_true(failures == 0);
  return o;
}

static uint64_t draw(uint64_t *seed) {
  return *seed = mixed(*seed + 1, 0x5bd1e995);
}

static bool play(const scenario *s, long count, uint64_t seed, long only) {
  int before = failures, refused = 0, survived = 0;
  outcome first = once(s, 0, 0);
  if (first.status) complain(s, 0, "failed undisturbed", "", text_of(first.status));
  outcome o = {.calls = first.calls};
  long k = only ? only : 1, runs = 0;
  if (!count || only) { /* until a run makes fewer calls */
    for (;; k++) {
      o = once(s, k, first.result);
      if (o.calls < k) break;
      runs++;
      if (o.status)
        refused++;
      else
        survived++;
      if (only) break;
    }
  } else {
    for (; runs < count && first.calls; runs++) {
      o = once(s, 1 + (long)(draw(&seed) % (uint64_t)first.calls), first.result);
      if (o.status)
        refused++;
      else
        survived++;
    }
  }
  bool good = all_true(failures == before);
  if (rank == 0)
    printf("%s - %s: %ld of %ld calls of rank %d failed: %d runs refused, %d survived\n", good ? "ok" : "not ok",
           s->name, runs, first.calls, victim, refused, survived);
  fflush(stdout);
  return good;
}

/* ---- the list ---- */

static scenario list[200];
static size_t count;

static scenario *add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static scenario *add(const char *format, ...) {
  va_list args;
  scenario *s = &list[count++];
  *s = (scenario){.options = SCREE_OPTIONS_INIT};
  s->options.spin = 1;
  va_start(args, format);
  vsnprintf(s->name, sizeof s->name, format, args);
  va_end(args);
  return s;
}

static void add_open(const char *name, uint64_t transport, uint64_t chaos, uint64_t memory) {
  scenario *s = add("open:%s", name);
  s->run = run_open, s->before = before_open, s->after = after_open, s->result = result_open;
  s->options.transport = transport;
  s->options.chaos = chaos;
  s->options.memory = memory;
}

static scenario *add_load(const char *name, const char *path, scree_graph_options how) {
  scenario *s = add("load:%s", name);
  s->run = run_load, s->before = before_load, s->result = result_load;
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
    {"adjacency", ".adj", {.format = SCREE_FORMAT_ADJACENCY, LIST}},
    {"tuples", ".tuples", {.format = SCREE_FORMAT_TUPLES}},
    {"image", ".scree", {.format = SCREE_FORMAT_IMAGE}},
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
      scenario *s = add("write:%s%s", formats[i].name, over ? ", over another" : "");
      s->run = run_write, s->before = before_write, s->result = result_write;
      s->how = formats[i].how;
      snprintf(s->path, sizeof s->path, "%s/out%s", directory, formats[i].ending);
      if (s->how.format == SCREE_FORMAT_TUPLES) path_of(s->weights, "out.weights");
    }
    const scenario *s = &list[count - 1];
    scenario *l = add_load(formats[i].name, "", formats[i].how);
    snprintf(l->path, sizeof l->path, "%s/in%s", directory, formats[i].ending);
    need_graph("kron:7,4", NULL);
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
    const scree_kernel *k = scree_kernel_at(i);
    scenario *s = add("solver:%s", k->name);
    s->run = run_solver, s->before = before_solver, s->after = after_graphs, s->kernel = k;
    for (size_t v = 0; scree_kernel_variant_at(k, v); v++) {
      s = add("kernel:%s:%s", k->name, scree_kernel_variant_at(k, v)->name);
      s->run = run_kernel, s->before = before_kernel, s->result = result_kernel;
      s->kernel = k, s->algorithm = scree_kernel_variant_at(k, v)->name;
      snprintf(s->path, sizeof s->path, "kron:8,8");
    }
    *add("x") = *s;
    s = &list[count - 1];
    snprintf(s->name, sizeof s->name, "validate:%s", k->name);
    s->run = run_validate, s->before = before_validate, s->result = result_validate;
  }
}

static void add_all(void) {
  add_open("auto", SCREE_TRANSPORT_AUTO, 0, 1 << 20);
  add_open("workers", SCREE_TRANSPORT_AUTO, 0, 1 << 20);
  list[count - 1].options.threads = 3;
  add_open("workers, two nodes", SCREE_TRANSPORT_AUTO, 0, 1 << 20);
  list[count - 1].options.threads = 2;
  add_open("shm", SCREE_TRANSPORT_SHM, 0, 1 << 20);
  add_open("mpi", SCREE_TRANSPORT_MPI, 0, 1 << 20);
  add_open("two nodes", SCREE_TRANSPORT_AUTO, 0, 1 << 20);
  add_open("two nodes, chaos, little memory", SCREE_TRANSPORT_AUTO, 1, 8192);
  scenario *s = add("graphs");
  s->run = run_graphs, s->before = before_graphs, s->after = after_graphs;
  for (size_t i = 0; scree_generator_at(i).name; i++) {
    const char *name = scree_generator_at(i).name;
    if (strcmp(name, "kron") == 0) add_load(name, "kron:7,4", (scree_graph_options){0});
  }
  const char *const names[] = {"transpose", "relabel"};
  for (int i = 0; i < 2; i++) {
    s = add("graph:%s", names[i]);
    s->run = i ? run_relabel : run_transpose, s->before = before_transform, s->result = result_transform;
    snprintf(s->path, sizeof s->path, "kron:7,4");
  }
  add_kernels();
  add_files();
}

static bool find_calls(void) {
  void *one = dlsym(RTLD_DEFAULT, FAILING_CALL_ARM), *other = dlsym(RTLD_DEFAULT, FAILING_CALL_DISARM);
  memcpy(&arm, &one, sizeof arm); /* ISO C has no cast between the two */
  memcpy(&disarm, &other, sizeof disarm);
  return arm && disarm;
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (argc < 5 || !find_calls()) {
    fprintf(stderr, "prog_failing_call VICTIM DIRECTORY DRAW SEED [PART [K]], with failing_call.so preloaded\n");
    MPI_Abort(comm, 2);
  }
  victim = atoi(argv[1]) % ranks;
  directory = argv[2];
  signal(SIGALRM, too_long);
  add_all();
  size_t played = 0;
  for (size_t i = 0; i < count; i++) {
    if (argc > 5 && !strstr(list[i].name, argv[5])) continue;
    if (!played || strncmp(list[i].name, "kernel", 6) || list[i].kernel != list[i - 1].kernel) drop_all();
    play(&list[i], atol(argv[3]), (uint64_t)atoll(argv[4]), argc > 6 ? atol(argv[6]) : 0);
    played++;
  }
  drop_all();
  bool good = all_true(failures == 0);
  if (rank == 0) printf("done: %zu scenarios, %s\n", played, good ? "all well" : "failures");
  fflush(stdout);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return !good;
}
