/* work.h - a run, timed and counted. */
#ifndef SCREE__KERNEL_WORK_H
#define SCREE__KERNEL_WORK_H
#include "kernel/kernel.h"

/* Solves; on success sets seconds and work of the answer, of all ranks, and adds what was prepared in between. `runs`:
 * of this rank. Collective. */
scree_status scree__solve_timed(scree__run *run, const scree__variant *variant, uint32_t runs, scree_answer *answer);

#endif
