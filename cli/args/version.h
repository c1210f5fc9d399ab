/* version.h - names and versions of this program, its MPI and its compiler. All functions are local. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H
#include <stddef.h>

/* The MPI that it was compiled for: "openmpi", "mpich", or "mpi" for any other. */
const char *cli_mpi_name(void);
/* The first line of the version text of the MPI library in use. */
void cli_mpi_version(char *text, size_t size);
const char *cli_compiler(void);
/* Returns the commit that was built, with "-changed" if its sources were changed, or "" if they are no checkout. */
const char *cli_commit(void);
/* Returns the options of the compiler that the build was configured with. */
const char *cli_build(void);

/* Prints the version of scree, its commit, the MPI, the compiler and its options to standard output, one per line. */
void cli_print_version(void);

#endif
