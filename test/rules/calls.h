/* calls.h - one table of calls: where each is legal, and what it does elsewhere.
 *
 * sim_misuse.c plays it in the simulator, unit_second_thread.c the column of the second thread on real threads. */
#ifndef CALLS_H
#define CALLS_H
#include "rules.h"

SCREE_VARIABLE(words);

/* What a call needs. */
typedef struct {
  scree_world *world;
  scree_worker *w;
  ping_type ping;   /* type 1 of two */
  words_type words; /* type 2 */
  bool holds;       /* what its poll function returns */
} caller;

/* Where: outside epochs, in an epoch, in a handler, in a poll function, in one of a worker that was idle without a
 * cause since; by another thread in an epoch of the owner and outside; in a failed world. */
enum { OUTSIDE, EPOCH, HANDLER, POLL, IDLE_POLL, THREAD, IDLE_THREAD, FAILED, PLACES };

typedef struct {
  const char *title, *name; /* of the row; of the call in texts */
  long (*call)(caller *a);
  long refused; /* what it returns where it is refused; of calls that return nothing 0 */
  /* For each place: '.' legal, 'r' refused without harm, 'F' fails the world with SCREE_ESTATE (in an idle world, in
   * its next epoch; by a thread outside an epoch: refused), 'f' the same in checked worlds, '!' the same with the code
   * and text below, 'c' returns the code of the failed world, '-' not played. */
  const char *where;
  scree_status code;
  const char *text;
} call_row;

extern const call_row call_rows[];
extern const size_t call_rows_count;

/* Part of the text of a call that is refused there. */
const char *call_place_text(int place);

#endif
