/* team.h - the threads of a rank's workers: those that the library makes (team.c, progress_thread.c), and those that the
 * program brings (join.c). */
#ifndef SCREE__TEAM_H
#define SCREE__TEAM_H
#include <pthread.h>

#include "core/worker.h"

typedef struct scree__joiner scree__joiner;

/* A call of scree_join_workers by threads of the program: see join.c. */
typedef struct {
  uint32_t n, come;             /* how many are waited for, the most that one of them wants; that have come */
  uint64_t claimed;             /* their indices, one bit each */
  const scree__joiner *speaker; /* which speaks for the rank */
  scree_status status;
  char why[200];      /* it is refused */
  bool decided, over; /* all have come and know the status; and have run */
  uint32_t arrived;   /* threads inside the call, those that wait for the end of the last one too */
  uint32_t leaving;   /* of those that came, how many have yet to leave before others may come */
} scree__joining;

/* What the workers behind the first one run, and whether they do. */
typedef struct {
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t changed;
  scree__joining joining;
  uint64_t runs; /* started so far */
  uint32_t size; /* workers in the last of them */
  bool closing;
  bool progressing; /* the progress thread has not come back from the run */
  AO_t left;        /* the workers have returned from the run: see progress_thread.c */
  uint32_t busy;    /* of them, those that have not returned */
  scree_work_fn *fn;
  void *arg;
  uint32_t made; /* threads */
  pthread_t thread[SCREE__ENDPOINTS_MAX];
} scree__team;

/* team.c */
scree_status scree__team_open(scree_world *world);
void scree__team_close(scree_world *world);
scree_status scree__team_agree(scree__worker *me, const char *name, uint32_t n, scree_status mine);
void scree__team_begin(scree_world *world, uint32_t n);
void scree__team_end(scree_world *world);
void scree__team_run(scree__worker *me, const char *name, scree_work_fn *fn, void *arg);
/* The thread that calls MPI for the rank, if there is one, begins and stops. */
void scree__service_resume(const scree_world *world);
void scree__service_pause(const scree_world *world);

/* progress_thread.c */
void scree__progress_serve(scree__worker *me);
void scree__progress_begin(scree_world *world);
void scree__progress_end(scree_world *world);
#endif
