/* epoch.h - which calls are legal when: the state of epochs, and the thread that owns a worker. Each function is
 * described where it is defined. */
#ifndef SCREE__EPOCH_H
#define SCREE__EPOCH_H
#include "core/world.h"

/* epoch.c */
/* The worker that this thread used last, or runs as; NULL: none. */
scree__worker *scree__here(void);
/* Where this thread keeps it: virtual ranks share a thread. */
void **scree__here_slot(void);
bool scree__all_begun(scree__worker *me);
/* Makes a step of detection, and returns whether the epoch has ended. */
bool scree__has_ended(scree__worker *me);
scree_status scree__outside_handlers(scree__worker *me, const char *call);
/* SCREE_OK: no epoch is open, nor scree_run_workers; else the call is refused. */
scree_status scree__in_idle_world(scree_world *world, const char *call);
/* The thread that calls MPI for the rank, if there is one, begins and stops. */
void scree__service_resume(const scree_world *world);
void scree__service_pause(const scree_world *world);

/* owner.c */
bool scree__refused(scree__worker *me, const char *call);
bool scree__dropped(scree__worker *me, const char *call, uint32_t type);
bool scree__not_printed(const scree_world *world, const char *call, FILE *to);
bool scree__bind(scree__worker *me, const char *call);
scree__worker *scree__caller(const scree_world *world);
void scree__take_requests(scree__worker *me);
AO_t scree__forks(void);
bool scree__is_forked(const scree_world *world);
#endif
