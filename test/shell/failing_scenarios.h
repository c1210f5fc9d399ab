/* failing_scenarios.h - what prog_failing_call.c, which makes calls fail, and failing_scenarios.c, which has the
 * scenarios, share. */
#ifndef FAILING_SCENARIOS_H
#define FAILING_SCENARIOS_H
#include <mpi.h>
#include <scree/graph.h>
#include <scree/kernel.h>
#include <stdbool.h>

enum { TEXT = 4096, PATH = 512 };

/* ---- scenarios, of failing_scenarios.c ---- */

typedef struct {
  char name[64];
  scree_status (*run)(void); /* its calls are counted, and fail */
  void (*before)(void);
  uint64_t (*result)(void); /* after a run that ended well; 0: as it should be, or the same each time */
  void (*after)(void);
  scree_options options;
  char path[PATH], weights[PATH], vertices[PATH];
  scree_graph_options how;
  const scree_kernel *kernel;
  const char *algorithm;
} scenario;

extern scenario scenarios[200];
extern size_t scenario_count;
extern const scenario *playing; /* set by prog_failing_call.c */
/* Lists them, and writes the files that they read. Collective. */
void add_scenarios(void);
/* The scenario, which failed, has left a file that is neither as before nor whole. */
bool half_written(void);

/* ---- the rest, of prog_failing_call.c ---- */

extern int rank, ranks;
extern const char *directory;
extern MPI_Comm comm;
uint64_t reduce(uint64_t mine, MPI_Op op);
void barrier(void);
uint64_t mixed(uint64_t a, uint64_t b);

/* Kept from run to run while nothing fails. */
extern struct kept {
  scree_world *world;
  scree_graphs *graphs;
  scree_solver *solver;
  const char *registered; /* the variant of it whose types are surely registered */
  scree_graph *graph;
  scree_answer answer;
} kept;
extern char world_text[TEXT]; /* of a world that the scenario has closed */

void drop_graph(void);
void drop_all(void);
/* Fatal on purpose: the scenarios need what it checks. */
void need(scree_status status, const char *what);
void need_graphs(void);
void need_graph(const char *spec, const scree_graph_options *options);
#endif
