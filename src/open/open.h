/* open.h - worlds among ranks that meet, by any kind of meeting. */
#ifndef SCREE__OPEN_H
#define SCREE__OPEN_H
#include "core/world.h"
#include "transport/meeting.h"

/* SCREE_OK if the ranks may open a world of these options, which are complete and the same on all, where they meet.
 * Else a status, the same on all ranks, after the reason was printed. Collective; blocks. */
typedef scree_status scree__allows_fn(scree__meeting *, const scree__options *);

/* As scree_open. */
scree_status scree__open(scree__meeting *, scree__allows_fn *, const scree_options *, scree_world **world);
/* Prints what possibly only this rank knows. */
void scree__say_here(const scree__meeting *, const char *why);
#endif
