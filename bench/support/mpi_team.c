/* mpi_team.c - posting and completing windows of requests under a lock, and samples for dangling requests. */
#include "mpi_team.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "thread/cpu.h"

enum { MARK = 0x5a };

/* ---- under the lock ---- */

/* Requests that are complete and that their thread has not completed, in all windows. */
static void sample(team_member *me) {
  const team *t = me->team;
  me->user.samples++;
  for (uint32_t i = 0; i < t->threads; i++)
    for (int k = 0; k < t->member[i].posted; k++) {
      int complete = 0;
      MPI_Request_get_status(t->member[i].requests[k], &complete, MPI_STATUS_IGNORE);
      me->user.sampled_sends++;
      me->user.dangling_sends += (uint64_t)complete;
    }
}

static void enter(team_member *me, scree__priority priority) {
  team *t = me->team;
  if (!t->locked) return;
  scree__lock_enter(&t->lock, &me->user, priority);
  if (t->sample && me->user.entries % t->sample == 0) sample(me);
}

static void leave(const team_member *me, scree__priority priority) {
  if (me->team->locked) scree__lock_leave(&me->team->lock, priority);
}

void team_send(team_member *me, int to, int tag, size_t bytes) {
  const team *t = me->team;
  enter(me, SCREE__HIGH);
  MPI_Isend(me->out, (int)bytes, MPI_BYTE, to, tag, t->comm, &me->requests[me->posted++]);
  leave(me, SCREE__HIGH);
}

void team_receive(team_member *me, int from, int tag, size_t bytes) {
  const team *t = me->team;
  char *slot = me->in + (size_t)me->slots++ * t->bytes;
  me->slot_bytes = bytes;
  enter(me, SCREE__HIGH);
  MPI_Irecv(slot, (int)bytes, MPI_BYTE, from, tag, t->comm, &me->requests[me->posted++]);
  leave(me, SCREE__HIGH);
}

/* Both ends of each slot. */
static void take_in(team_member *me) {
  const size_t last = me->slot_bytes - 1;
  for (int i = 0; i < me->slots; i++) {
    char *slot = me->in + (size_t)i * me->team->bytes;
    me->wrong += slot[0] != MARK || slot[last] != MARK;
    slot[0] = slot[last] = 0;
  }
  me->received += (uint64_t)me->slots;
  me->slots = 0;
}

void team_wait(team_member *me) {
  for (uint64_t polls = 0;; polls++) {
    int done = 0;
    enter(me, SCREE__LOW);
    MPI_Testall(me->posted, me->requests, &done, me->statuses);
    if (done) me->posted = 0;
    leave(me, SCREE__LOW);
    if (done) break;
    if (polls < me->team->spin)
      scree__cpu_pause();
    else
      sched_yield();
  }
  take_in(me);
}

/* ---- teams ---- */

static bool make_member(team *t, uint32_t index, int requests) {
  team_member *me = &t->member[index];
  *me = (team_member){.team = t,
                      .index = index,
                      .requests = calloc((size_t)requests, sizeof(MPI_Request)),
                      .statuses = calloc((size_t)requests, sizeof(MPI_Status)),
                      .in = calloc((size_t)requests, t->bytes),
                      .out = malloc(t->bytes)};
  if (!me->requests || !me->statuses || !me->in || !me->out) return false;
  memset(me->out, MARK, t->bytes);
  return true;
}

/* With more threads than cores a thread that spins keeps the next one from its core. */
static uint64_t spin_of(uint32_t threads) {
  MPI_Comm node;
  int ranks = 1;
  cpu_set_t mine;
  MPI_Comm_split_type(bench_comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  const int cores = sched_getaffinity(0, sizeof mine, &mine) ? 1 : CPU_COUNT(&mine);
  return (uint64_t)ranks * threads > (uint64_t)cores ? 0 : 256;
}

team *team_make(team_kind kind, uint32_t threads, size_t bytes, int requests, const scree__sockets *sockets) {
  static const uint64_t locks[TEAM_KINDS] = {
      [TEAM_MUTEX] = SCREE_LOCK_MUTEX, [TEAM_TICKET] = SCREE_LOCK_TICKET, [TEAM_PRIORITY] = SCREE_LOCK_PRIORITY};
  team *t = aligned_alloc(SCREE__LINE, sizeof *t);
  bool made = t != NULL;
  if (!t) return NULL;
  memset(t, 0, sizeof *t);
  t->threads = kind == TEAM_ONE ? 1 : threads;
  t->locked = kind != TEAM_ONE && kind != TEAM_MULTIPLE;
  t->bytes = bytes;
  t->comm = bench_comm;
  MPI_Comm_rank(t->comm, &t->rank);
  MPI_Comm_size(t->comm, &t->ranks);
  t->spin = spin_of(t->threads);
  scree__lock_init(&t->lock, locks[kind], t->spin);
  if (sockets && sockets->count > 1) scree__lock_count_sockets(&t->lock, sockets);
  for (uint32_t i = 0; i < t->threads; i++) made = make_member(t, i, requests) && made;
  if (made) return t;
  team_free(t);
  return NULL;
}

void team_free(team *t) {
  for (uint32_t i = 0; t && i < t->threads; i++) {
    free(t->member[i].requests);
    free(t->member[i].statuses);
    free(t->member[i].in);
    free(t->member[i].out);
  }
  if (t) scree__lock_destroy(&t->lock);
  free(t);
}

static void *run_member(void *arg) {
  team_member *me = arg;
  me->team->job(me, me->team->n);
  return NULL;
}

/* This thread is the first one: where only one thread calls MPI, it is the one that initialised MPI. */
void team_run(team *t, uint64_t n) {
  pthread_t thread[TEAM_THREADS_MAX];
  t->n = n;
  for (uint32_t i = 1; i < t->threads; i++)
    if (pthread_create(&thread[i], NULL, run_member, &t->member[i])) abort();
  run_member(&t->member[0]);
  for (uint32_t i = 1; i < t->threads; i++) pthread_join(thread[i], NULL);
}

bool team_check(team *t, uint64_t each) {
  bool good = true;
  for (uint32_t i = 0; i < t->threads; i++) {
    good = good && t->member[i].received == each && t->member[i].wrong == 0;
    t->member[i].received = t->member[i].wrong = 0;
  }
  return good;
}

void team_counts(const team *t, scree__lock_user *all) {
  *all = (scree__lock_user){0};
  for (uint32_t i = 0; i < t->threads; i++) {
    const scree__lock_user *user = &t->member[i].user;
    all->entries += user->entries;
    all->waits += user->waits;
    all->again += user->again;
    all->fair += user->fair;
    all->socket_again += user->socket_again;
    all->socket_fair += user->socket_fair;
    all->samples += user->samples;
    all->sampled_sends += user->sampled_sends;
    all->dangling_sends += user->dangling_sends;
  }
}
