/* open_local.h - worlds among the ranks of scree_local_run. */
#ifndef SCREE__OPEN_LOCAL_H
#define SCREE__OPEN_LOCAL_H
#include "open/open.h"

/* As scree_open, in a rank of such a job. */
scree_status scree__open_local(const scree_options *options, scree_world **world);
#endif
