/* prog_misuse.c - calls that a program makes at a wrong time or with nothing, of which the table of
 * test/rules/calls.c has none, since they concern the process; for closing.sh.
 *   prog_misuse ROW   prints "returned: TEXT" of the call's status, and the text of the world, if it is open */
#include <scree/scree_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static scree_world *world;
static scree_status inside;

SCREE_MESSAGE(ping, uint64_t);
static void on_ping(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  scree_world *second;
  (void)w, (void)batch, (void)items, (void)arg;
  inside = scree_open(NULL, &second);
}
SCREE_HANDLER(ping, uint64_t, on_ping);

static scree_status open_in_handler(void) {
  ping_type ping;
  scree_worker *w = scree_worker_of(world, 0);
  if (ping_register(world, NULL, &ping) || scree_begin(w)) exit(9);
  ping_send(w, ping, 0, 1);
  return scree_end(w, NULL) ? SCREE_OK : inside;
}
static scree_status open_on_nothing(void) {
  scree_world *none;
  return scree_open_mpi(MPI_COMM_NULL, NULL, &none);
}
static scree_status open_after_the_end(void) {
  if (scree_close(world)) exit(9);
  return scree_open(NULL, &world);
}
static scree_status run_nothing(void) {
  return scree_run_workers(world, 1, NULL, NULL);
}
static scree_status close_after_the_end(void) {
  MPI_Finalize();
  return scree_close(world);
}

#define ROWS(X) X(open_in_handler) X(open_on_nothing) X(open_after_the_end) X(run_nothing) X(close_after_the_end)

int main(int argc, char **argv) {
  if (argc < 2 || scree_open(NULL, &world)) return 2;
#define PLAY(row)                                                                                                      \
  if (strcmp(argv[1], #row) == 0) printf("returned: %s\n", scree_status_text(row()));
  ROWS(PLAY)
  return 0; /* with the world open: the message about that is a part of the test */
}
