/* task_sleepers.h - the memory of tasks that sleep. */
#ifndef TASK_SLEEPERS_H
#define TASK_SLEEPERS_H
#include "common.h"

/* Rows: bytes of each of 100,000 sleeping tasks, of the heap and of all resident memory. Collective. */
bool task_sleepers(bench *b);
#endif
