/* provenance.h - the place of a job, for the JSON report: machine, MPI thread level, binding of ranks and threads. */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H
#include <cjson/cJSON.h>

#include "args/args.h"

enum {
  CLI_PLACEMENTS = 64 /* ranks recorded */,
  CLI_THREADS = 8 /* threads per rank: the ones with most CPU seconds */
};

typedef struct {
  char name[16], cores[104]; /* cores: the ones that it may use, such as "0-3,8" */
  double seconds;            /* of CPU time, user and system */
  int64_t core;              /* the last one it ran on; -1: unknown */
} cli_thread;

typedef struct {
  char host[64], cores[104];
  int64_t core;     /* of the main thread */
  uint64_t threads; /* besides the main one */
  cli_thread thread[CLI_THREADS];
} cli_placement;

/* Each adds an object or array. Without memory cJSON leaves it out. */
void cli_add_command(cJSON *root, const cli_args *args, const char *started);
void cli_add_versions(cJSON *root);
/* Those of the library, with where each was set. */
void cli_add_options(cJSON *root, const cli_args *args);
void cli_add_machine(cJSON *root, double load);
void cli_add_mpi(cJSON *root, const scree_world *world);
void cli_add_binding(cJSON *root, const cli_placement *placements, uint32_t ranks);

/* True if the thread, on `host`, shared a core with the main thread of the rank at `placement`, possibly its own: both
 * are on one host, and they last ran on the same core or are both bound to the same single core. */
bool cli_shares(const char *host, const cli_thread *thread, const cli_placement *placement);

#endif
