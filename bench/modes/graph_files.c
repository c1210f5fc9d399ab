/* graph_files.c - BFS and SSSP on real graphs, against serial yardsticks.
 *
 * This file lists the graphs and how each is read. The environment variable SCREE_TEST_DATA names their folder, default
 * ../shared/data. A missing file is skipped with a message. */
#include <stdlib.h>
#include <unistd.h>

#include "graph_runs.h"
#include "modes.h"

enum { SOURCES = 16 };

#define INTEGERS .weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 1, .hi = 100

#define JOB(FILE, NAME, WEIGHTS, ...)                                                                                  \
  { FILE, NAME, WEIGHTS, {__VA_ARGS__}, true, true, SOURCES, true }
static const graph_job jobs[] = {
    JOB("p2p-31/p2p-31.e.gz", "p2p-31", "1..100", .direction = SCREE_UNDIRECTED, .columns = {1, 2, 3}),
    JOB("soc-Slashdot0902.txt.gz", "Slashdot", "1..100", .direction = SCREE_DIRECTED, INTEGERS),
    JOB("cal.cedge", "California", "lengths", .direction = SCREE_UNDIRECTED, .columns = {2, 3, 4}),
    JOB("luxembourg_osm.edges.gz", "Luxembourg", "1..100", .direction = SCREE_UNDIRECTED, INTEGERS),
    JOB("rome99.gr", "Rome", "metres", .format = SCREE_FORMAT_AUTO),
};

static bool run_file(bench *b, const graph_job *job) {
  const char *folder = getenv("SCREE_TEST_DATA");
  char path[4096];
  graph_job local = *job;
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data", job->spec);
  local.spec = path;
  if (access(path, R_OK) == 0) return graph_runs(b, &local);
  if (b->rank == 0) printf("%-12s skipped: no file %s\n", job->name, path);
  return true;
}

bool bench_graph_files(bench *b) {
  bool good = true;
  graph_runs_head(b);
  for (size_t i = 0; good && i < sizeof jobs / sizeof jobs[0]; i++) good = run_file(b, &jobs[i]);
  return good;
}
