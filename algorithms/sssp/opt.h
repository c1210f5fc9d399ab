/* opt.h - what the variant opt keeps of its windows, and its pull phase (opt_pull.c). */
#ifndef SCREE__SSSP_OPT_H
#define SCREE__SSSP_OPT_H
#include "kernel/bits.h"
#include "ordering/ordering.h"
#include "sssp/relax.h"

typedef struct {
  const scree__weight_sorted *rows;
  uint64_t *at;    /* of a vertex: the next arc of its row */
  uint32_t *queue; /* a ring of local vertices that were improved below the limit */
  uint64_t first, count, room;
  unsigned char *marks; /* of a vertex: SCREE__IN_QUEUE, SCREE__IS_OPEN */
  uint32_t *open;       /* vertices of final distance whose rows are not at their end */
  uint64_t open_count;
  uint64_t opened, again; /* vertices whose rows were begun, and begun again, all over */
  bool left;              /* the windows were left: the horizon has taken over */
  double limit;           /* of the window: b */
  double width;           /* of windows */
  bool fixed;             /* the user chose the width */
  uint64_t settled;       /* arcs of this rank's vertices in final distance, all over */
  uint64_t waiting;       /* pending arcs of open rows */
  double next;            /* the smallest pending sum */
  AO_t *final;            /* in the pull phase: vertices of final distance, by packed location */
  scree__node_bits bits;  /* which has it */
} scree__windows;

enum { SCREE__IN_QUEUE = 1, SCREE__IS_OPEN = 2 };

/* The distance of v was improved: its row begins anew, now if the distance is below the limit. */
static inline void scree__windows_improved(scree__run *run, uint32_t v, double distance) {
  scree__windows *w = run->own;
  w->at[v] = run->graph->offsets[v];
  if (w->marks[v] & SCREE__IN_QUEUE || !(distance < w->limit)) return;
  w->marks[v] |= SCREE__IN_QUEUE;
  uint64_t end = w->first + w->count++;
  w->queue[end < w->room ? end : end - w->room] = v;
}

/* Requests a final distance, over an arc of this weight. */
typedef struct {
  double weight;
  uint32_t target, requester; /* local indices, on the receiver and on the sender */
} scree__request_item;

/* Handlers of the messages 1 and 2 of the variant: scree__request_item, scree__bits_item. */
void scree__opt_answer(scree__run *run, uint32_t sender, const void *items, uint32_t count);
void scree__opt_take_final(scree__run *run, uint32_t sender, const void *items, uint32_t count);

/* Begins an epoch in which all vertices without a final distance request those of their neighbours. `next`, the same
 * on all ranks, is more than any final distance and no more than any other. */
scree_status scree__opt_request(scree__run *run, scree__windows *w);

#endif
