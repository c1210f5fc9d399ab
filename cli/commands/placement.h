/* placement.h - the cores on which the ranks and their threads run, gathered on rank 0. */
#ifndef CLI_PLACEMENT_H
#define CLI_PLACEMENT_H
#include "args/args.h"

enum { CLI_PLACEMENTS = 64 /* ranks recorded */, CLI_THREADS = 8 /* threads per rank, those with most CPU seconds */ };

typedef struct {
  char name[16], cores[104]; /* cores: those that it may run on, such as "0-3,8" */
  double seconds;            /* of CPU time, user and system */
  int64_t core;              /* where it last ran; -1: unknown */
} cli_thread;

typedef struct {
  char host[64], cores[104];
  int64_t core;     /* of the main thread */
  uint64_t threads; /* besides the main one */
  cli_thread thread[CLI_THREADS];
} cli_placement;

/* *placements: on rank 0 those of the first CLI_PLACEMENTS ranks, which the caller frees; NULL elsewhere. Collective,
 * idle world; once per world, since it registers a message type. */
scree_status cli_find_placements(scree_graphs *graphs, cli_placement **placements);

/* True if the thread, on `host`, shared a core with the main thread of the rank at `placement`, possibly its own: both
 * are on one host, and they last ran on the same core or are both bound to the same single core. */
bool cli_shares(const char *host, const cli_thread *thread, const cli_placement *placement);

#endif
