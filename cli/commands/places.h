/* places.h - on which cores the ranks and their threads run.
 *
 * Room: what each rank knows of itself, brought to rank 0. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H
#include "args/args.h"

enum { CLI_PLACES = 64 /* ranks that are told of */, CLI_THREADS = 8 /* of a rank, those with most seconds */ };

typedef struct {
  char name[16], cores[104]; /* cores: that it may run on, as "0-3,8" */
  double seconds;            /* that it has run, in user and kernel mode */
  int64_t core;              /* the last that it ran on; -1: not known */
} cli_thread;

typedef struct {
  char host[64], cores[104];
  int64_t core;     /* of the main thread */
  uint64_t threads; /* beside the main one */
  cli_thread thread[CLI_THREADS];
} cli_place;

/* *places: on rank 0 those of the first CLI_PLACES ranks, which the caller frees; NULL elsewhere. Collective, idle world;
 * once per world, since it registers a message type. */
scree_status cli_find_places(scree_graphs *graphs, cli_place **places);

/* May or must this thread have shared a core with the main thread of a rank at `place`, which may be its own? True if
 * both are on one host, and that thread last ran on the core where this one last ran, or can run nowhere but on the one
 * core where this one can run. `host` is this one's. */
bool cli_shares(const char *host, const cli_thread *thread, const cli_place *place);

#endif
