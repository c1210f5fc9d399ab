/* harness_mpi.c - test programs of several ranks: one summary, and an outcome that all ranks agree on.
 *
 * It waits only by polling: under a launcher that put
 * more ranks than cores on the machine, a rank that waits inside MPI may take the core from the one it waits for. */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include "harness.h"
#include "harness_watchdog.h"
#include "open/mpi_process.h"

static MPI_Comm comm = MPI_COMM_NULL;

int harness_level = MPI_THREAD_FUNNELED;

static void wait_for(MPI_Request *request) {
  int done = 0;
  while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) sched_yield();
}

static bool agree_by_mpi(bool mine) {
  int in = mine, out = 0;
  MPI_Request request;
  if (MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_MIN, comm, &request) != MPI_SUCCESS) return false;
  wait_for(&request);
  return out == 1;
}

/* Only rank 0 tells of passed tests and summaries; failed checks keep a way to the real standard error. */
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

int harness__mpi_main(int argc, char **argv, const struct CMUnitTest *tests, size_t count) {
  int level;
  harness__err = stderr;
  harness__watch("MPI_Init");
  if (MPI_Init_thread(&argc, &argv, harness_level, &level) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &harness_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &harness_ranks);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  harness__watch(NULL);
  if (harness_rank > 0 && !hush()) MPI_Abort(comm, 1);
  harness__agree = agree_by_mpi;
  int rc = harness__main(argc, argv, tests, count);
  harness__watch("MPI_Finalize");
  MPI_Comm_free(&comm);
  scree__mpi_finalize();
  return rc;
}
