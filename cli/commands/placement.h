/* placement.h - the cores on which the ranks and their threads run, gathered on rank 0. */
#ifndef CLI_PLACEMENT_H
#define CLI_PLACEMENT_H
#include "record/provenance.h"

/* *placements: on rank 0 those of the first CLI_PLACEMENTS ranks, which the caller frees; NULL elsewhere. Collective,
 * idle world; once per world, since it registers a message type. */
scree_status cli_find_placements(scree_graphs *graphs, cli_placement **placements);

#endif
