/* provenance.h - where a job ran, for the JSON report: machine, MPI thread level, binding of ranks and threads. */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H
#include <cjson/cJSON.h>

#include "commands/placement.h"

/* Each adds an object or array. Without memory cJSON leaves it out. */
void cli_add_command(cJSON *root, const cli_args *args, const char *started);
void cli_add_versions(cJSON *root);
/* Those of the library, with where each was set. */
void cli_add_options(cJSON *root, const cli_args *args);
void cli_add_machine(cJSON *root, double load);
void cli_add_mpi(cJSON *root, const scree_world *world);
void cli_add_binding(cJSON *root, const cli_placement *placements, uint32_t ranks);

#endif
