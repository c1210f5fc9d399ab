/* one_input.c - runs one input of a fuzzer through all of scree_graph_load.
 *
 * The file lies in memory. The memory that a graph may take is limited, so that a header that promises 2^40 vertices is
 * refused as on a machine with full memory. */
#include "one_input.h"

#include <scree/graph.h>
#include <scree/scree_sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FORMATS = SCREE_FORMAT_METIS + 1, HEADER = 2 };

typedef struct {
  const char *path;
  scree_graph_options options;
  int loaded;
} job;

/* The promises of a loaded graph. */
static void check_graph(const scree_graph *g) {
  uint64_t arcs = g->offsets[g->locals];
  for (uint64_t e = 0; e < arcs; e++)
    if (scree_graph_vertex(g, scree_graph_target(g, e)) >= g->vertices.n || !(scree_graph_weight(g, e) >= 0)) abort();
  if (g->locals && g->labels && scree_graph_find(g, scree_graph_label(g, 0)) != 0) abort();
}

static void rank(scree_world *world, void *arg) {
  job *j = arg;
  scree_graphs *graphs = NULL;
  scree_graph *g = NULL;
  if (scree_graphs_open(world, &graphs) != SCREE_OK) abort();
  scree_status status = scree_graph_load(graphs, j->path, &j->options, &g);
  j->loaded = status == SCREE_OK;
  if (j->loaded) check_graph(g);
  if (!j->loaded && (g || !*scree_graphs_error(graphs))) abort(); /* refused without a reason */
  scree_graph_free(g);
  scree_graphs_close(graphs);
}

#if defined __SANITIZE_ADDRESS__ || defined FUZZ_SANITIZED
enum { EXTRA_MIB = 2048 }; /* the sanitizer delays the reuse of freed memory */
#else
enum { EXTRA_MIB = 256 };
#endif

/* To the present use and EXTRA_MIB. */
static void limit_memory(void) {
  unsigned long long kib = 0;
  char line[256];
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmData: %llu", &kib) == 1) break;
  if (file) fclose(file);
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit)) return;
  limit.rlim_cur = (kib << 10) + ((rlim_t)EXTRA_MIB << 20);
  setrlimit(RLIMIT_DATA, &limit);
}

int fuzz_format = -1;

static scree_graph_options options_of(const uint8_t *data) {
  scree_graph_options o = {.format = (scree_graph_format)(fuzz_format < 0 ? data[0] % FORMATS : fuzz_format),
                           .direction = (scree_graph_direction)(data[1] % 3),
                           .base = (scree_graph_base)(data[1] / 3 % 3),
                           .distribution = (scree_distribution_kind)(data[1] / 9 % 3)};
  for (uint32_t c = 0; c < 3 && data[1] / 27 % 2; c++) o.columns[c] = c + 1;
  const int lines = data[1] / 54; /* 0 .. 4 */
  o.header = lines == 1;
  o.separator = lines == 2 ? ';' : 0;
  o.skip_lines = lines == 3;
  o.first_edge = lines >= 3;
  o.comment = lines == 3 ? "//" : NULL;
  return o;
}

int fuzz_file(const uint8_t *data, size_t size, char path[64]) {
  int fd = memfd_create("input", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  snprintf(path, 64, "/proc/self/fd/%d", fd);
  return fd;
}

int fuzz_graph(const uint8_t *data, size_t size) {
  static int limited;
  if (size < HEADER) return 0;
  if (!limited++) limit_memory();
  char path[64];
  int fd = fuzz_file(data + HEADER, size - HEADER, path);
  job j = {.path = path, .options = options_of(data)};
  const scree_sim_config config = {
      .seed = 1, .ranks = 1 + (uint32_t)data[0] / FORMATS % 3, .nodes = 1, .unperturbed = true};
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 16;
  scree_sim_run(&config, &options, rank, &j, NULL); /* may fail: a handler may run out of memory */
  close(fd);
  return j.loaded;
}
