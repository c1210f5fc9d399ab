/* prog_opening.c - a program of several ranks that opens a world and closes it, for tests of shared memory from
 * outside.
 *   prog_opening        each rank prints "opened RANKS" and the files of /dev/shm that it maps
 *   prog_opening CALL   rank 0 is killed, like by SIGKILL, before its CALLth MPI_Bcast or MPI_Allreduce; from 1 */
#include <scree/scree.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose.h"

static long calls_left;

static int count_call(mpi_call *c) {
  int rank;
  if (calls_left && (c->kind == CALL_Bcast || c->kind == CALL_Allreduce)) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && --calls_left == 0) kill(getpid(), SIGKILL);
  }
  return c->make(c);
}

static void print_maps(void) {
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    const char *path = strstr(line, "/dev/shm/");
    if (path) printf("maps %s", path);
  }
  if (maps) fclose(maps);
}

int main(int argc, char **argv) {
  scree_world *world;
  mpi_hook = count_call;
  calls_left = argc > 1 ? atol(argv[1]) : 0;
  scree_status status = scree_open(NULL, &world);
  calls_left = 0;
  if (status != SCREE_OK) return 10 + (int)status;
  printf("opened %u\n", scree_worker_of(world, 0)->ranks);
  print_maps();
  fflush(stdout);
  return (int)scree_close(world);
}
