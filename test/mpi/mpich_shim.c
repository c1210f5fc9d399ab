/* mpich_shim.c - lets MPICH's ranks share cores; preloaded by the tests alone, never part of the library.
 *
 * It interposes two functions of UCX, the layer below MPICH.
 *
 * MPICH polls without ever giving up the core, so with more ranks than cores each wait inside MPI (start, end, the
 * test's own MPI) costs whole time slices. And when UCX closes a connection over TCP it waits for a peer that may have
 * ended, which sometimes hangs MPI_Finalize. Here a poll that finds nothing yields after a few times, and closing a
 * connection waits for nothing; so a program under the shim ends with a barrier of its own. */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

unsigned ucp_worker_progress(void *worker);
void *ucp_disconnect_nb(void *endpoint);

enum { POLLS_BEFORE_YIELD = 8 };
typedef unsigned progress_fn(void *worker);

static progress_fn *real_progress(void) {
  void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
  progress_fn *fn;
  memcpy(&fn, &symbol, sizeof fn); /* ISO C has no cast between the two */
  return fn;
}

unsigned ucp_worker_progress(void *worker) {
  static _Thread_local progress_fn *progress;
  static _Thread_local int empty;
  if (!progress) progress = real_progress();
  unsigned events = progress(worker);
  empty = events ? 0 : empty + 1;
  if (empty == POLLS_BEFORE_YIELD) {
    empty = 0;
    sched_yield();
  }
  return events;
}

void *ucp_disconnect_nb(void *endpoint) {
  (void)endpoint;
  return NULL; /* "closed at once" */
}
