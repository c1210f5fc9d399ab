/* prog_world.c - not a test: what shell tests launch.
 *   prog_world work          an epoch full of messages on scree_open's world; rank 0 prints "done RANKS TRANSPORT NOTE"
 *   prog_world node          rank 0 prints "node RANKS TRANSPORT", the ranks on its node
 *   prog_world stay DIR      every rank writes its process id to DIR/RANK and stays in an epoch; SIGUSR1 requests
 *                            the hang report
 *   prog_world fail          rank 1 fails the world; every rank closes it and returns the code
 *   prog_world leave FILE    the same, but no rank closes it. Standard error goes to FILE, and no process ends before
 *                            all have written there: a launcher kills them when the first fails
 *   prog_world open FILE     no rank closes a healthy world
 *   prog_world quit          rank 1 ends its process, without a message, in an epoch
 *   prog_world never FILE    rank 1 never ends its epoch; the hang hook ends the job. Standard error goes to FILE,
 *                            because launchers drop output in flight when a job aborts
 *   prog_world busy FILE     the same, but rank 1 does not call the library at all
 *   prog_world inside        a handler waits for another message
 *   prog_world postpone      rank 0 holds work forever
 *   prog_world skip          rank 1 skips an epoch
 *   prog_world fewer         rank 1 registers fewer types
 *   prog_world gone          rank 1 fails where the others register, and closes
 *   prog_world astray        the same, in an epoch of its own
 * With SCREE_RANKS in the environment it starts that many ranks itself. */
#include <mpi.h>
#include <scree/local.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/world.h"

SCREE_MESSAGE(count, uint64_t);

static uint64_t counted;
static bool waits; /* in the handler */
static bool leaves;

static void on_count(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  (void)items, (void)arg;
  counted += batch->count;
  while (waits) scree_progress(w);
}
SCREE_HANDLER(count, uint64_t, on_count);

enum { ITEMS = 300000 };

static scree_status work(scree_world *world, scree_worker *w, count_type t) {
  scree_status status = scree_begin(w);
  for (uint32_t i = 0; status == SCREE_OK && i < ITEMS; i++) count_send(w, t, i % w->ranks, i);
  if (status == SCREE_OK) status = scree_end(w, NULL);
  const scree__transport *transport = world->worker[0]->transport;
  if (status == SCREE_OK && counted != (uint64_t)ITEMS) status = SCREE_EINVAL;
  if (status == SCREE_OK && w->rank == 0) printf("done %u %s %s\n", w->ranks, transport->ops->name, transport->note);
  fflush(stdout);
  return status;
}

static void print_node(const scree_world *world, const scree_worker *w) {
  if (w->rank == 0) printf("node %u %s\n", scree_node_ranks(world), world->worker[0]->transport->ops->name);
  fflush(stdout);
}

static void on_usr1(int number) {
  (void)number;
  scree_report_request();
}

static void stay(scree_worker *w, const char *dir) {
  char path[4096], whole[4096];
  signal(SIGUSR1, on_usr1);
  scree_begin(w);
  snprintf(path, sizeof path, "%s/.%u", dir, w->rank);
  snprintf(whole, sizeof whole, "%s/%u", dir, w->rank);
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%ld\n", (long)getpid());
  fclose(file);
  rename(path, whole); /* it is there when it is whole */
  while (!scree_test(w, false, NULL)) {
  }
}

static scree_status fail(scree_worker *w, bool quit) {
  scree_begin(w);
  if (w->rank == 1 && quit) exit(7);
  if (w->rank == 1) scree_fail(w, SCREE_EINVAL, "as asked");
  return scree_end(w, NULL);
}

/* After the library has written its last words. */
__attribute__((destructor(101))) static void leave_together(void) {
  if (leaves) MPI_Barrier(MPI_COMM_WORLD);
}

static void give_up(scree_world *world, scree_status status, void *arg) {
  (void)world, (void)arg;
  fprintf(stderr, "the hang hook was called: %s\n", scree_status_text(status));
  fflush(stderr);
  if (getenv("SCREE_RANKS")) _exit(3);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void never_end(scree_world *world, scree_worker *w, bool busy) {
  if (w->rank != 1) scree_hang_hook(world, give_up, NULL);
  scree_begin(w);
  if (w->rank != 1) scree_end(w, NULL);
  while (!busy) scree_progress(w);
  for (;;) pause();
}

static scree_status hang(scree_world *world, scree_worker *w, count_type t, char what) {
  waits = what == 'i';
  if ((what == 'g' || what == 'a') && w->rank == 1) {
    if (what == 'a') scree_begin(w);
    scree_fail(w, SCREE_EINVAL, "as asked");
    return what == 'a' ? scree_end(w, NULL) : SCREE_EINVAL;
  }
  if ((what == 'f' && w->rank == 0) || what == 'g' || what == 'a') return count_register(world, NULL, &t);
  if (what == 'f' || (what == 's' && w->rank == 1)) return SCREE_OK;
  scree_status status = scree_begin(w);
  if (what == 'i') count_send(w, t, 0, 1);
  while (what == 'p' && w->rank == 0) scree_test(w, false, NULL);
  return status ? status : scree_end(w, NULL);
}

static scree_status run(scree_world *world, void *argv_) {
  char **argv = argv_;
  const char *what = argv[1] ? argv[1] : "work", *file = argv[1] ? argv[2] : NULL;
  count_type t;
  scree_worker *w = scree_worker_of(world, 0);
  scree_status status = count_register(world, NULL, &t);
  if (status == SCREE_OK && strcmp(what, "work") == 0)
    status = work(world, w, t);
  else if (strcmp(what, "node") == 0)
    print_node(world, w);
  else if (strcmp(what, "fail") == 0 || strcmp(what, "leave") == 0 || strcmp(what, "quit") == 0)
    status = fail(w, what[0] == 'q');
  else if (strcmp(what, "inside") == 0 || strcmp(what, "postpone") == 0 || strcmp(what, "skip") == 0 ||
           strcmp(what, "fewer") == 0 || strcmp(what, "gone") == 0 || strcmp(what, "astray") == 0)
    status = hang(world, w, t, what[0]);
  else if (strcmp(what, "stay") == 0 && file)
    stay(w, file);
  else if ((strcmp(what, "never") == 0 || strcmp(what, "busy") == 0) && file && freopen(file, "a", stderr))
    never_end(world, w, what[0] == 'b');
  return status;
}

int main(int argc, char **argv) {
  scree_world *world;
  const char *ranks = getenv("SCREE_RANKS");
  if (ranks) return (int)scree_local_run(NULL, (uint32_t)atoi(ranks), run, argv);
  scree_status status = scree_open(NULL, &world);
  if (status != SCREE_OK) return 10 + (int)status;
  status = run(world, argv);
  leaves = argc > 2 && (strcmp(argv[1], "leave") == 0 || strcmp(argv[1], "open") == 0);
  if (leaves) return freopen(argv[2], "a", stderr) && !setvbuf(stderr, NULL, _IONBF, 0) ? (int)status : 9;
  scree_status closed = scree_close(world);
  return status != SCREE_OK ? (int)status : (int)closed;
}
