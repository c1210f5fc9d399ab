/* provenance.h - where a job ran, for the JSON report: machine, MPI thread level, binding of ranks and threads. */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H
#include <cjson/cJSON.h>

#include "commands/places.h"

/* These add an object or array of their name; cJSON passes over what finds no memory. */
void cli_add_machine(cJSON *root, double load);
void cli_add_mpi(cJSON *root, const scree_world *world);
void cli_add_binding(cJSON *root, const cli_place *places, uint32_t ranks);

#endif
