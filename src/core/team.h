/* team.h - the threads of a rank's workers: those that the library makes (team.c, progress_thread.c), and those that
 * the program brings (join.c). */
#ifndef SCREE__TEAM_H
#define SCREE__TEAM_H
#include "core/world.h"

/* team.c */
scree_status scree__team_open(scree_world *world);
void scree__team_close(scree_world *world);
scree_status scree__team_agree(scree__worker *me, const char *name, uint32_t n, scree_status mine);
void scree__team_begin(scree_world *world, uint32_t n);
void scree__team_end(scree_world *world);
void scree__team_run(scree__worker *me, const char *name, scree_work_fn *fn, void *arg);

/* progress_thread.c */
void scree__progress_serve(scree__worker *me);
void scree__progress_begin(scree_world *world);
void scree__progress_end(scree_world *world);
#endif
