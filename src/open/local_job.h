/* local_job.h - processes that one process makes and waits for: the ranks of a job without a launcher. */
#ifndef SCREE__LOCAL_JOB_H
#define SCREE__LOCAL_JOB_H
#include <scree/scree.h>

#include "base/options.h"

/* What a rank does: the memory that its job shares is then known (transport/shm/local.h). Its status is the rank's
 * outcome. */
typedef scree_status scree__local_fn(void *arg);

/* Runs fn(arg) in `ranks` children, each bound to cores for the threads of a rank by the options, if there are enough,
 * and waits for them as scree_local_run does. Returns the highest of their statuses, or SCREE_EPEER, or SCREE_ENOMEM,
 * after the reason was printed. On a process of one thread, which is not a rank. */
scree_status scree__local_job(uint32_t ranks, const scree__options *options, scree__local_fn *fn, void *arg);
#endif
