/* threads_transport.c - ranks as threads: the data path of shm.c, a gather under a lock, one node. */
#include "threads_transport.h"

#include <stdlib.h>
#include <string.h>

#include "core/pass.h"
#include "core/send.h"
#include "open/features.h"
#include "open/resolve.h"
#include "transport/idle.h"

typedef struct {
  scree__shm shm; /* must be first */
  threads_node *node;
  scree__topology topology;
  scree__collective collective;
  scree__idle_scheduler scheduler;
  scree__fault fault; /* until a world takes the rank */
} thread_rank;

/* Two buffers: no rank is at round n + 2 before all have read round n. */
static scree_status gather(scree__collective *collective, const void *mine, void *all, size_t bytes) {
  const thread_rank *t = SCREE__CONTAINER(collective, thread_rank, collective);
  threads_node *n = t->node;
  pthread_mutex_lock(&n->lock);
  uint32_t round = n->round;
  char *buffer = n->gathered[round & 1];
  memcpy(buffer + scree__topology_rank(&t->topology) * bytes, mine, bytes);
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

static void leave_open(scree__transport *t) {
  (void)t; /* others may still return blocks: threads_close frees it */
}

static const scree__collective_ops collective_ops = {.gather = gather};
static const scree__transport_ops ops = SCREE__SHM_OPS("threads", leave_open);

static const uint32_t one_node[THREADS_MAX];

static scree__shm_segment *segment_of(threads_node *n, uint32_t hop_class) {
  return hop_class ? &n->further[hop_class - 1] : &n->segment;
}

static scree__transport *open_endpoint(threads_node *n, uint32_t hop_class, uint32_t endpoint,
                                       const scree__options *options) {
  thread_rank *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->node = n;
  uint32_t endpoints = n->ranks * n->threads;
  t->topology = (scree__topology){.endpoint = endpoint,
                                  .endpoints = endpoints,
                                  .threads = n->threads,
                                  .nodes = 1,
                                  .node_index = endpoint,
                                  .node_size = endpoints,
                                  .local_ranks = n->ranks,
                                  .leaders = n->identity,
                                  .node_endpoints = n->identity,
                                  .node_of = one_node};
  t->collective.ops = &collective_ops;
  scree__idle_scheduler_init(&t->scheduler, 0, NULL, NULL);
  t->shm.base = (scree__transport){.ops = &ops,
                                   .topology = &t->topology,
                                   .collective = &t->collective,
                                   .scheduler = &t->scheduler.base,
                                   .fault = &t->fault,
                                   .page = scree__shm_segment_page(&n->segment, 0),
                                   .slots = scree__shm_segment_slots(&n->segment),
                                   .options = *options,
                                   .note = ""};
  if (scree__shm_init(&t->shm, segment_of(n, hop_class), endpoint, n->identity)) return &t->shm.base;
  free(t);
  return NULL;
}

bool threads_open(threads_node *n, uint32_t ranks, const scree_options *options) {
  scree__options all;
  char why[200];
  *n = (threads_node){.ranks = ranks, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
  if (scree__options_complete(&all, options, why, sizeof why) != 0) return false;
  n->threads = scree__options_endpoints(&all);
  n->classes = scree__hops_classes(&all, ranks, 1);
  uint32_t endpoints = ranks * n->threads;
  if (n->classes > THREADS_CLASSES) return false;
  for (uint32_t i = 0; i < endpoints; i++) n->identity[i] = i;
  for (uint32_t c = 0; c < n->classes; c++) {
    scree__shm_segment_plan(segment_of(n, c), endpoints, 1, all.memory / n->threads / n->classes, all.in_flight);
    if (!scree__shm_segment_plain(segment_of(n, c))) return false;
    for (uint32_t i = 0; i < endpoints; i++) {
      scree__shm_segment_start_inbox(segment_of(n, c), i, scree__first_count(&all, SCREE__COUNTS_INBOX));
      scree__detection_first(&all, i % n->threads, scree__shm_segment_slots(segment_of(n, c)) + i,
                             scree__shm_segment_page(segment_of(n, c), 0));
      if (!(n->path[c * endpoints + i] = open_endpoint(n, c, i, &all))) return false;
    }
  }
  return true;
}

void threads_close(threads_node *n) {
  for (uint32_t i = 0; i < n->classes * n->ranks * n->threads; i++) {
    if (n->path[i]) scree__shm_free((scree__shm *)n->path[i]);
    free(n->path[i]);
  }
  for (uint32_t c = 0; c < n->classes; c++) scree__shm_segment_free(segment_of(n, c));
}

scree__transport **threads_rank(threads_node *n, uint32_t rank) {
  return &n->path[rank * n->threads];
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

scree_world *threads_world(threads_node *node, uint32_t rank) {
  const scree__options *options = &node->path[0]->options;
  scree_world *world = scree__world_new((uint32_t)options->threads, node->threads, scree__features);
  scree__transport *paths[THREADS_CLASSES * THREADS_MAX];
  const uint32_t endpoints = node->ranks * node->threads;
  for (uint32_t i = 0; i < node->classes * node->threads; i++)
    paths[i] = node->path[i / node->threads * endpoints + rank * node->threads + i % node->threads];
  return world && scree__world_init(world, options, node->classes, paths) == SCREE_OK ? world : NULL;
}

void threads_run(uint32_t ranks, void (*fn)(void *, uint32_t), void *context) {
  pthread_t threads[THREADS_MAX];
  start starts[THREADS_MAX];
  for (uint32_t i = 0; i < ranks; i++) {
    starts[i] = (start){fn, context, i};
    if (pthread_create(&threads[i], NULL, run_one, &starts[i])) abort(); /* the others would wait for it */
  }
  for (uint32_t i = 0; i < ranks; i++) pthread_join(threads[i], NULL);
}
