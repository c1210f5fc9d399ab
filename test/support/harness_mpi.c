/* harness_mpi.c - test programs of several ranks: one summary, and an outcome that all ranks agree on.
 *
 * It waits only by polling: under a launcher that put
 * more ranks than cores on the machine, a rank that waits inside MPI may take the core from the one it waits for. */
#include <fcntl.h>
#include <unistd.h>

#include "harness.h"
#include "harness_watchdog.h"
#include "open/mpi_process.h"
#include "ranks.h"

static MPI_Comm comm = MPI_COMM_NULL;

int harness_level = MPI_THREAD_FUNNELED;

static bool agree_of_ranks(bool mine) {
  uint64_t bad = !mine, all;
  ranks_reduce(comm, &bad, &all, 1, RANKS_MAX);
  return all == 0;
}

/* Only rank 0 prints passed tests and summaries; failed checks can still be written to the real standard error. */
static bool hush(void) {
  const char *verbose = getenv("SCREE_TEST_VERBOSE");
  int keep = dup(STDERR_FILENO);
  harness__err = keep < 0 ? NULL : fdopen(keep, "w");
  if (!harness__err) return false;
  setvbuf(harness__err, NULL, _IOLBF, 0);
  unsetenv("CMOCKA_XML_FILE");
  if (verbose && strcmp(verbose, "1") == 0) return true;
  int null = open("/dev/null", O_WRONLY);
  return null >= 0 && dup2(null, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0;
}

typedef struct {
  int argc;
  char **argv;
} group;

static int run_group(void *arg, int rank, int ranks) {
  const group *g = arg;
  harness_rank = rank;
  harness_ranks = ranks;
  if (!ranks_are_local) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  harness__watch(NULL);
  if (rank > 0 && !hush()) abort();
  harness__agree = agree_of_ranks;
  int rc = harness__main(g->argc, g->argv);
  if (ranks_are_local) return rc;
  harness__watch("MPI_Finalize");
  MPI_Comm_free(&comm);
  scree__mpi_finalize();
  return rc;
}

int harness__mpi_main(int argc, char **argv) {
  group g = {argc, argv};
  harness__err = stderr;
  if (!getenv("SCREE_RANKS")) harness__watch("MPI_Init"); /* a thread: local ranks make it later */
  return ranks_run(&g.argc, &g.argv, harness_level, false, run_group, &g);
}
