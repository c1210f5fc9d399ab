/* holder.h - the lists by which features join worlds: features that may hold work of a worker that no counter shows,
 * and features that take part in registration, in the hang report and in closing. The core calls them through these
 * lists only. */
#ifndef SCREE__HOLDER_H
#define SCREE__HOLDER_H
#include <scree/scree.h>
#include <stdio.h>

#include "core/world.h"

/* What holds work of one worker. Slots may be NULL. All are called by the worker's thread; none waits. */
typedef struct {
  /* Called when the worker has begun an epoch, and when it leaves it. */
  void (*begin)(scree__worker *me, scree__holder *);
  void (*leave)(scree__worker *me, scree__holder *);
  /* True if it holds what may cause a message: then the worker is not idle. Idempotent. */
  bool (*held)(const scree__worker *me, const scree__holder *);
  /* Sends what it holds, of a type or of SCREE_ALL, as far as there is space. */
  void (*empty)(scree__worker *me, scree__holder *, uint32_t type);
  /* Called in each progress step, also while a send waits: sends what has waited too long. True: it has sent. */
  bool (*age)(scree__worker *me, scree__holder *);
  /* Called after a progress step, but not while a send waits; `moved`: something moved. True: it has work, so the step
   * was not idle. */
  bool (*turn)(scree__worker *me, scree__holder *, bool moved);
  /* True if something would never end if the epoch ended now. text[size]: what that is; of size 0 it is not written. */
  bool (*verdict)(const scree__worker *me, const scree__holder *, char *text, size_t size);
  /* Lines of the hang report, and of the statistics. */
  void (*report)(const scree__worker *me, const scree__holder *, FILE *to);
  void (*stats)(const scree__worker *me, const scree__holder *, FILE *to, bool json);
  /* The world has failed: what it holds is dropped, and it accepts no more. */
  void (*drop)(scree__worker *me, scree__holder *);
  /* The world is freed. Never NULL. */
  void (*free)(scree__holder *);
} scree__holder_ops;

/* Part of a feature's own state of the worker. */
struct scree__holder {
  const scree__holder_ops *ops;
  scree__holder *next;
};

#define SCREE__FEATURES(f, world) for (const scree__feature *const *f = (world)->features; *f; f++)

/* Before those that have joined; in an idle world. */
static inline void scree__holder_join(scree__worker *me, scree__holder *holder) {
  holder->next = me->holders;
  me->holders = holder;
}
/* After those that have joined: it is called last. */
static inline void scree__holder_join_last(scree__worker *me, scree__holder *holder) {
  scree__holder **at = &me->holders;
  while (*at) at = &(*at)->next;
  *at = holder;
}
static inline void scree__holder_leave(scree__worker *me, const scree__holder *holder) {
  scree__holder **at = &me->holders;
  while (*at != holder) at = &(*at)->next;
  *at = holder->next;
}
/* The one with these operations; NULL: none has joined. */
static inline scree__holder *scree__holder_of(const scree__worker *me, const scree__holder_ops *ops) {
  scree__holder *h = me->holders;
  while (h && h->ops != ops) h = h->next;
  return h;
}

/* Calls the slot of all that have it. */
#define SCREE__HOLDERS(h, me, slot)                                                                                    \
  for (scree__holder *h = (me)->holders; h; h = h->next)                                                               \
    if (h->ops->slot) h->ops->slot

/* What a feature does with an item of a type that passes through this rank (pass.c). */
typedef enum {
  SCREE__EN_ROUTE_SEND,   /* send it on */
  SCREE__EN_ROUTE_REPORT, /* send it on, then call `sent` */
  SCREE__EN_ROUTE_ENDED,  /* it is not sent on: it was combined or is needless */
  SCREE__EN_ROUTE_HELD,   /* the feature holds it */
  SCREE__EN_ROUTE_STUCK   /* it stays in its block: there is no space for what must be sent first */
} scree__en_route;
struct scree__en_route_ops {
  const scree__holder_ops *holder; /* whose state is passed; where it has not joined, items are sent on */
  scree__en_route (*pass)(scree__worker *me, scree__holder *, uint32_t type, uint32_t hop_class, const char *item,
                          uint32_t tag);
  void (*sent)(scree__worker *me, scree__holder *, uint32_t type, const char *item, uint32_t tag);
};

/* What joins each world. Slots may be NULL. Called by the first worker's thread while no epoch is open, on all ranks in
 * the same order, but for report. */
struct scree__feature {
  /* The world opens; its workers are made. */
  void (*open)(scree_world *);
  /* scree_register: flags of types that the feature knows, besides the core's; may a type be registered, else the
   * status, with its text; makes what a type needs, after the core has (false: no memory); frees it, of any worker. */
  uint32_t flags;
  scree_status (*check_type)(scree_world *, const scree_type_desc *);
  bool (*add_type)(scree_world *, const scree_type_desc *, scree__type *);
  void (*drop_type)(scree_world *, uint32_t type);
  /* The hang report of the calling thread's worker; any thread, any time. */
  void (*report)(const scree_world *, FILE *to);
  /* The world closes, and its status is agreed on; then it is freed. */
  void (*close)(scree_world *);
  void (*free)(scree_world *);
};
/* Its state of the world: a word. */
static inline void **scree__feature_state(scree_world *world, const scree__feature *feature) {
  uint32_t i = 0;
  while (world->features[i] && world->features[i] != feature)
    i++; /* of one that has not joined: a word that nobody sets */
  return &world->feature_state[i];
}
#endif
