/* mpi_stats.c - statistics of several ranks whose standard error is one file: no record is torn. */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <scree/scree.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"
#include "ranks.h"
#include "setting.h"

enum { WORLDS = 20 };

/* A world with a lane to every rank, which prints its statistics when it is closed. */
static void one_world(uint64_t stats) {
  tally t;
  if (!tally_in(&t, setting_open(&(setting){.stats = stats}))) return;
  check_equal(scree_begin(t.w), SCREE_OK);
  number_send_all(t.w, t.number, 1);
  check_equal(scree_end(t.w, NULL), SCREE_OK);
  check_equal(scree_close(t.world), SCREE_OK);
}

/* A new file, the same on all ranks; each write appends to it, as to a log or a terminal. */
static int open_shared(void) {
  char mine[32] = "", path[sizeof mine];
  if (harness_rank == 0) strcpy(mine, "/tmp/mpi_stats-XXXXXX");
  int made = harness_rank == 0 ? mkstemp(mine) : -1;
  ranks_reduce(MPI_COMM_WORLD, mine, path, sizeof mine / sizeof(uint64_t), RANKS_MAX);
  int fd = open(path, O_RDWR | O_APPEND);
  check(harness_all(fd >= 0));
  if (made >= 0) close(made);
  if (harness_rank == 0) unlink(path);
  return fd;
}

/* What all ranks print on standard error, to be freed. */
static char *printed(uint64_t stats) {
  capture_to(open_shared());
  for (int i = 0; i < WORLDS; i++) one_world(stats);
  harness_all(true);
  char *text = capture_end();
  check(*text);
  return text;
}

HARNESS_TEST(json) {
  int lines = 0;
  char *text = printed(SCREE_STATS_JSON), *rest = text;
  for (char *line; (line = strsep(&rest, "\n")) && *line; lines++) {
    cJSON *record = cJSON_ParseWithOpts(line, NULL, true);
    check_text(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(record, "lanes")) == harness_ranks,
               "not a whole record: %s", line);
    cJSON_Delete(record);
  }
  check_equal(lines, WORLDS * harness_ranks);
  free(text);
}

/* A head, some lines, and then a line for each lane, before the next rank's head. */
HARNESS_TEST(table) {
  int tables = 0, lanes = harness_ranks;
  char *text = printed(SCREE_STATS_TABLE), *rest = text;
  for (char *line; (line = strsep(&rest, "\n")) && *line;) {
    if (strncmp(line, "scree: rank ", 12) == 0) {
      check_equal(lanes, harness_ranks);
      lanes = 0;
      tables++;
    } else if (strncmp(line, "  number ", 9) == 0) {
      lanes++;
    } else {
      check_text(strncmp(line, "  ", 2) == 0 && lanes == 0, "not in its place: %s", line);
    }
  }
  check_equal(lanes, harness_ranks);
  check_equal(tables, WORLDS * harness_ranks);
  free(text);
}

/* It is MPICH's variable. */
HARNESS_TEST(thread_of_mpich) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  scree_world *world = NULL;
  if (ranks_are_local) harness_skip(HARNESS_NO_MPI);
  MPI_Get_library_version(library, &length);
  setenv("MPIR_CVAR_ASYNC_PROGRESS", "1", 1);
  check_equal(scree_open(NULL, &world), SCREE_OK);
  unsetenv("MPIR_CVAR_ASYNC_PROGRESS");
  char *text = capture_stats(world, false);
  check_equal(strstr(text, "; MPICH has a progress thread (MPIR_CVAR_ASYNC_PROGRESS)") != NULL,
              strstr(library, "MPICH") != NULL);
  free(text);
  check_equal(scree_close(world), SCREE_OK);
}

HARNESS_MPI_MAIN
