/* run.h - what the ways to compute PageRank share: the message, a run, the ops record.
 *
 * Room: internal to algorithms/pagerank. */
#ifndef SCREE__PAGERANK_RUN_H
#define SCREE__PAGERANK_RUN_H
#include <scree/pagerank.h>
#include <string.h>

/* A share or a sum of shares, a double in 8 bytes that need no alignment, so that a message has 12. Whose it is, the
 * way knows. */
typedef struct scree__pr_share {
  uint32_t vertex;
  char value[sizeof(double)];
} scree__pr_share;
SCREE_MESSAGE(pr_share, scree__pr_share);

/* One run on one rank. */
typedef struct scree__pr_run {
  scree_worker *worker;
  const scree_graph *graph;
  pr_share_type share;
  double damping;
  double *rank;    /* of local vertices */
  double *hand;    /* of local vertices: what each of its arcs hands on in this iteration; 0 without arcs */
  scree_work work; /* of this rank: sent, edges, epochs */
  void *own;       /* the way's own state */
} scree__pr_run;

typedef struct scree__pr_way {
  scree_algorithm about;
  /* Collective, outside epochs: memory, and what is made of the graph. Sets run->own, which `leave` frees, called in
   * any case. Returns what all ranks have agreed on. */
  scree_status (*enter)(scree__pr_run *run);
  void (*send)(scree__pr_run *run); /* in an epoch: of run->hand */
  void (*take)(scree__pr_run *run, uint32_t sender, const scree__pr_share *items, uint32_t count);
  /* After the epoch: run->rank[u] = base + damping * what u got. Returns the sum of the changes. Local. */
  double (*collect)(scree__pr_run *run, double base);
  void (*leave)(scree__pr_run *run); /* local */
} scree__pr_way;

extern const scree__pr_way scree__pr_pull, scree__pr_push;

static inline double scree__pr_value(const scree__pr_share *item) {
  double value;
  memcpy(&value, item->value, sizeof value);
  return value;
}
static inline void scree__pr_send(scree__pr_run *run, uint32_t owner, uint32_t vertex, double value) {
  scree__pr_share item = {.vertex = vertex};
  memcpy(item.value, &value, sizeof value);
  pr_share_send(run->worker, run->share, owner, item);
  run->work.sent++;
}

#endif
