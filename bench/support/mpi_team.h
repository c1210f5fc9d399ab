/* mpi_team.h - threads of one process that send and receive by MPI: under a lock of the library, under MPI's own, or
 * only one thread. Each call of MPI enters the lock for itself: with high priority to post, with low priority to poll
 * (Amer, PhD thesis, 2015, ch. VI). */
#ifndef BENCH_MPI_TEAM_H
#define BENCH_MPI_TEAM_H
#include <mpi.h>
#include <stdbool.h>

#include "thread/lock.h"

enum { TEAM_WINDOW = 64, TEAM_THREADS_MAX = 8 };

/* Who calls MPI: one thread; several under a lock, one kind each; several at once. */
typedef enum { TEAM_ONE, TEAM_MUTEX, TEAM_TICKET, TEAM_PRIORITY, TEAM_MULTIPLE, TEAM_KINDS } team_kind;

struct team;

/* One thread. Its window is a list of requests, which it completes together. */
typedef struct {
  scree__lock_user user;
  struct team *team;
  uint32_t index;
  MPI_Request *requests; /* written inside the lock alone */
  MPI_Status *statuses;
  int posted;
  char *in, *out; /* a slot for each receive of a window; what is sent */
  int slots;
  size_t slot_bytes;        /* of each message of this window */
  uint64_t received, wrong; /* messages; those whose contents differ from what was sent */
} team_member;

typedef struct team {
  scree__lock lock;
  bool locked;
  uint32_t threads;
  size_t bytes; /* of the largest message */
  MPI_Comm comm;
  int rank, ranks;
  uint64_t spin;                            /* polls for nothing before a thread yields */
  uint64_t sample;                          /* entries between two samples for dangling requests; 0: none */
  void (*job)(team_member *me, uint64_t n); /* of each thread, n times */
  uint64_t n;
  team_member member[TEAM_THREADS_MAX];
} team;

/* `requests` in a window, at most. `sockets`: by which entries are counted, or NULL. NULL: no memory. */
team *team_make(team_kind kind, uint32_t threads, size_t bytes, int requests, const scree__sockets *sockets);
void team_free(team *t);

/* Runs the job of all threads. */
void team_run(team *t, uint64_t n);
/* True if each thread has received `each` messages, all of them right. Clears the counts. */
bool team_check(team *t, uint64_t each);
/* What the threads counted, in total. */
void team_counts(const team *t, scree__lock_user *all);

/* By a thread of the job. team_wait completes what it has posted; what it receives then has one size. */
void team_send(team_member *me, int to, int tag, size_t bytes);
void team_receive(team_member *me, int from, int tag, size_t bytes);
void team_wait(team_member *me);
#endif
