/* progress.h - the line of progress: what the command is doing, the share that is done and the seconds left, or the
 * seconds so far. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H
#include <pthread.h>

#include "args/args.h"

/* Of rank 0, on standard error if that is a terminal and there is no --quiet, of what has taken 2 seconds
 * (SCREE_TEST_PROGRESS_MS: other milliseconds, for tests). A thread draws it, since much of what takes long makes no
 * call. */
typedef struct {
  const char *what, *then;   /* then: of what follows once all is done; NULL: nothing */
  uint64_t done, total;      /* total 0: not known */
  double since, last, after; /* seconds: when it began, when it was drawn last, from when on it is */
  bool shown, drawn, over;
  pthread_t thread;
  pthread_mutex_t lock; /* of all above */
  pthread_cond_t ended;
} cli_progress;

/* From now on it shows `what`, and after its share is done `then`, or NULL. Local. */
void cli_progress_begin(cli_progress *progress, const cli_args *args, const scree_graphs *graphs, const char *what,
                        const char *then);
/* Draws once more what it showed; from now on it shows something else, with a clock of its own. Local. */
void cli_progress_enter(cli_progress *progress, const char *what);
/* The share that is done; a scree_load_fn. Local. */
void cli_progress_set(uint64_t done, uint64_t total, void *progress);
/* Draws once more, and removes the line. Local. */
void cli_progress_end(cli_progress *progress);

#endif
