/* stencil.h - the state of `scree stencil`, and what its forms are: how faces travel. */
#ifndef SCREE__IRREGULAR_STENCIL_H
#define SCREE__IRREGULAR_STENCIL_H
#include <time.h>

#include "irregular/irregular.h"
#include "irregular/stencil/block.h"

enum { SCREE__STENCIL_WORKERS = 64 };

/* A worker's. */
typedef struct {
  _Alignas(128) scree__block block;
  double *face;               /* SCREE__FACES of them, each with a word in front */
  double compute, send, wait; /* seconds */
} scree__stencil_part;

/* How many cells of a face, after the first word of `face`, go to the worker that has that number among all; `slot` is
 * where they belong among what its rank receives, in doubles. */
typedef struct {
  double *face;
  uint64_t to, slot, cells;
  int at; /* which face it is there */
} scree__stencil_face;

typedef struct scree__stencil_state scree__stencil_state;
typedef struct {
  /* Before anything is allocated: what is wrong. Local; the same on all ranks. NULL: nothing. */
  bool (*plan)(const scree__irregular_plan *p, char *why, size_t size);
  scree_status (*open)(scree__stencil_state *s);    /* registers types; collective, of all forms; or NULL */
  scree_status (*prepare)(scree__stencil_state *s); /* before a run; collective; or NULL */
  void (*close)(scree__stencil_state *s);           /* local; or NULL */
  /* A step of a worker: its faces go to its neighbours, theirs are in this rank's `received` when it returns. *sent:
   * when it has sent its own. */
  scree_status (*exchange)(scree__stencil_state *s, scree_worker *w, uint64_t set, double *sent);
} scree__stencil_form;
extern const scree__stencil_form scree__stencil_by_puts, scree__stencil_by_messages, scree__stencil_by_mpi;

struct scree__stencil_state {
  scree__irregular *k;
  uint32_t faces;        /* messages: the type of a record */
  void *mpi;             /* mpi: its communicator */
  scree_global received; /* of each worker, two sets of faces: a neighbour may begin the next step meanwhile */
  uint64_t parts[SCREE__AXES], face_max;
  uint32_t ranks, threads;
  scree__stencil_part part[SCREE__STENCIL_WORKERS];
};

static inline double scree__stencil_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Where a face is among those that a rank receives. */
static inline uint64_t scree__stencil_slot(const scree__stencil_state *s, uint64_t thread, uint64_t set, int face) {
  return ((2 * thread + set) * SCREE__FACES + (uint64_t)face) * s->face_max;
}
static inline double *scree__stencil_received(const scree__stencil_state *s, uint32_t rank) {
  return scree_global_local(s->k->map, scree_global_at(s->k->map, &s->received, rank, 0));
}

/* Calls `send` for each face of the worker; one that it sends to itself is copied. */
void scree__stencil_send(scree__stencil_state *s, scree_worker *w, uint64_t set, void *arg,
                         void (*send)(scree__stencil_state *s, scree_worker *w, const scree__stencil_face *f,
                                      void *arg));

/* Counts cells that are not as in a serial replay, or breaks of the kernel's law. */
scree_status scree__stencil_check(scree__irregular *k, uint64_t *wrong);

#endif
