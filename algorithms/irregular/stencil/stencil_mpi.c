/* stencil_mpi.c - faces of `scree stencil` by plain MPI: each worker posts receives and sends of all its faces, and
 * waits for them. It needs ranks that a launcher of MPI has started; several workers of a rank call MPI at the same
 * time, under MPI's own lock. */
#include <sched.h>
#include <scree/scree_mpi.h>
#include <stdio.h>

#include "irregular/stencil/stencil.h"

enum { SPIN = 1000 /* polls between two that yield the core */ };

/* Of a worker's step: first all receives, then all sends. */
typedef struct {
  MPI_Comm comm;
  MPI_Request request[2 * SCREE__FACES];
  int count;
} posted;

static bool plan(const scree__irregular_plan *p, char *why, size_t size) {
  int ranks = 0, level = MPI_THREAD_SINGLE, started = 0;
  MPI_Initialized(&started);
  if (started) {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Query_thread(&level);
  }
  if (ranks != (int)p->ranks)
    snprintf(why, size, "algorithm=mpi: %d of %u ranks have MPI: start them by mpirun, or take another algorithm",
             ranks, p->ranks);
  else if ((p->threads > 1 || scree_options_of(p->world)->progress) && level != MPI_THREAD_MULTIPLE)
    snprintf(why, size,
             "algorithm=mpi: several threads of a rank call MPI at the same time: set thread_level=multiple");
  else
    return true;
  return false;
}

static scree_status prepare(scree__stencil_state *s) {
  MPI_Comm *comm = s->mpi;
  if (comm) return SCREE_OK;
  s->mpi = comm = malloc(sizeof *comm);
  if (!comm) return SCREE_ENOMEM;
  return MPI_Comm_dup(MPI_COMM_WORLD, comm) ? SCREE_EMPI : SCREE_OK;
}

static void close_it(scree__stencil_state *s) {
  if (s->mpi) MPI_Comm_free(s->mpi);
  free(s->mpi);
}

/* A face has one sender, so its number there is a tag that tells it from others of the same step; those of the next one
 * arrive later. */
static int tag_of(uint64_t thread, int face) {
  return (int)thread * SCREE__FACES + face;
}

static void send(scree__stencil_state *s, scree_worker *w, const scree__stencil_face *f, void *arg) {
  posted *p = arg;
  (void)w;
  MPI_Isend(f->face + 1, (int)f->cells, MPI_DOUBLE, (int)(f->to / s->threads), tag_of(f->to % s->threads, f->at),
            p->comm, &p->request[p->count++]);
}

static scree_status exchange(scree__stencil_state *s, scree_worker *w, uint64_t set, double *sent) {
  const uint64_t me = (uint64_t)w->rank * s->threads + w->index;
  double *received = scree__stencil_received(s, w->rank);
  posted p = {.comm = *(MPI_Comm *)s->mpi};
  MPI_Status unused[2 * SCREE__FACES];
  for (int f = 0; f < SCREE__FACES; f++) {
    const uint64_t from = scree__block_neighbour(&s->part[w->index].block, f / 2, f % 2);
    if (from != me)
      MPI_Irecv(received + scree__stencil_slot(s, w->index, set, f), (int)s->face_max, MPI_DOUBLE,
                (int)(from / s->threads), tag_of(w->index, f), p.comm, &p.request[p.count++]);
  }
  scree__stencil_send(s, w, set, &p, send);
  *sent = scree__stencil_now();
  for (int done = 0, polls = 1; !done; polls++) {
    MPI_Testall(p.count, p.request, &done, unused);
    if (!done && polls % SPIN == 0) sched_yield();
  }
  return SCREE_OK;
}

const scree__stencil_form scree__stencil_by_mpi = {
    .plan = plan, .prepare = prepare, .close = close_it, .exchange = exchange};
