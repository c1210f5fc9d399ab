/* version.c - names and versions of this program, its MPI and its compiler. */
#include "args/version.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include <scree/scree.h>

#include <commit.h> /* which the build writes */

const char *cli_mpi_name(void) {
#if defined(OPEN_MPI)
  return "openmpi";
#elif defined(MPICH)
  return "mpich";
#else
  return "mpi";
#endif
}

void cli_mpi_version(char *text, size_t size) {
  char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int n;
  MPI_Get_library_version(all, &n); /* legal before MPI_Init */
  all[strcspn(all, "\n")] = 0;
  for (char *p = all; *p; p++)
    if (*p == '\t') *p = ' ';
  snprintf(text, size, "%s", all);
}

const char *cli_compiler(void) {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

const char *cli_commit(void) {
  return SCREE_COMMIT;
}

const char *cli_build(void) {
  return SCREE_BUILD;
}

void cli_print_version(void) {
  char mpi[256];
  cli_mpi_version(mpi, sizeof mpi);
  printf("scree %s\n", SCREE_VERSION);
  if (*cli_commit()) printf("commit: %s\n", cli_commit());
  printf("mpi: %s (%s)\ncompiler: %s\nbuild: %s\n", cli_mpi_name(), mpi, cli_compiler(), cli_build());
}
