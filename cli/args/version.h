/* version.h - names and versions of this program, its MPI and its compiler. All functions are local. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H
#include <stddef.h>

/* The MPI that it was compiled for: "openmpi", "mpich", or "mpi" for any other. */
const char *cli_mpi_name(void);
/* What the MPI library that it runs with says of itself: the first line. */
void cli_mpi_version(char *text, size_t size);
const char *cli_compiler(void);

/* To standard output: scree and its version; the MPI; the compiler; a line each. */
void cli_print_version(void);

#endif
