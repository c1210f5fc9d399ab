/* threads_transport.c - the data path of shm.c, a gather by lock, one node.
 *
 * Room: what threads_transport.h declares. */
#include "threads_transport.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  scree__shm shm; /* must be first */
  threads_node *node;
} threads_seat;

/* Two buffers: nobody is at round n + 2 before all have read round n. */
static scree_status gather(scree__transport *t, const void *mine, void *all, size_t bytes) {
  threads_node *n = ((threads_seat *)t)->node;
  pthread_mutex_lock(&n->lock);
  uint32_t round = n->round;
  char *buffer = n->gathered[round & 1];
  memcpy(buffer + t->rank * bytes, mine, bytes);
  if (++n->arrived == n->ranks) {
    n->arrived = 0;
    n->round++;
    pthread_cond_broadcast(&n->changed);
  }
  while (n->round == round) pthread_cond_wait(&n->changed, &n->lock);
  memcpy(all, buffer, bytes * n->ranks);
  pthread_mutex_unlock(&n->lock);
  return SCREE_OK;
}

static void relax(scree__transport *t, uint32_t round) {
  (void)t, (void)round;
  sched_yield();
}

static uint64_t now(scree__transport *t) {
  struct timespec at;
  (void)t;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static void leave_open(scree__transport *t) {
  (void)t; /* others may still return blocks: threads_close frees it */
}

static const scree__transport_ops ops = {
    .name = "threads",
    .take = scree__shm_take,
    .put = scree__shm_put,
    .accepts = scree__shm_accepts,
    .push = scree__shm_push,
    .peek = scree__shm_peek,
    .pop = scree__shm_pop,
    .release = scree__shm_release,
    .gather = gather,
    .fit = scree__shm_fit,
    .in_flight = scree__shm_in_flight,
    .memory = scree__shm_memory,
    .relax = relax,
    .now = now,
    .close = leave_open,
};

static scree__shm *open_rank(threads_node *n, uint32_t rank, const scree_options *options) {
  threads_seat *seat = calloc(1, sizeof *seat);
  if (!seat) return NULL;
  seat->node = n;
  seat->shm.base = (scree__transport){.ops = &ops,
                                      .rank = rank,
                                      .ranks = n->ranks,
                                      .nodes = 1,
                                      .index = rank,
                                      .size = n->ranks,
                                      .leaders = n->identity,
                                      .node_ranks = n->identity,
                                      .page = scree__segment_page(&n->segment, 0),
                                      .slots = scree__segment_slots(&n->segment),
                                      .options = *options};
  if (scree__shm_init(&seat->shm, &n->segment, rank, n->identity)) return &seat->shm;
  free(seat);
  return NULL;
}

bool threads_open(threads_node *n, uint32_t ranks, const scree_options *options) {
  scree_options all = *options;
  char why[200];
  *n = (threads_node){.ranks = ranks, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
  if (scree_options_resolve(&all, NULL, why, sizeof why) != 0) return false;
  scree__segment_plan(&n->segment, ranks, 1, all.memory, all.in_flight);
  if (!scree__segment_plain(&n->segment)) return false;
  for (uint32_t i = 0; i < ranks; i++) n->identity[i] = i;
  for (uint32_t i = 0; i < ranks; i++)
    if (!(n->rank[i] = open_rank(n, i, &all))) return false;
  return true;
}

void threads_close(threads_node *n) {
  for (uint32_t i = 0; i < n->ranks; i++) {
    if (n->rank[i]) scree__shm_free(n->rank[i]);
    free(n->rank[i]);
  }
  scree__segment_free(&n->segment);
}

scree__transport *threads_rank(threads_node *n, uint32_t rank) {
  return &n->rank[rank]->base;
}

typedef struct {
  void (*fn)(void *, uint32_t);
  void *context;
  uint32_t rank;
} start;

static void *run_one(void *arg) {
  start *s = arg;
  s->fn(s->context, s->rank);
  return NULL;
}

void threads_run(uint32_t ranks, void (*fn)(void *, uint32_t), void *context) {
  pthread_t threads[THREADS_MOST];
  start starts[THREADS_MOST];
  for (uint32_t i = 0; i < ranks; i++) {
    starts[i] = (start){fn, context, i};
    if (pthread_create(&threads[i], NULL, run_one, &starts[i])) abort(); /* the others would wait for it */
  }
  for (uint32_t i = 0; i < ranks; i++) pthread_join(threads[i], NULL);
}
