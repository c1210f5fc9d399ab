/* peers.h - the ranks of a world: which of them share a node, and their collective operations besides blocks. */
#ifndef SCREE__PEERS_H
#define SCREE__PEERS_H
#include "transport/collective.h"
#include "transport/meeting.h"
#include "transport/topology.h"

typedef struct scree__peers scree__peers;

typedef struct {
  /* No worker of this rank spins from now on. */
  void (*never_spin)(scree__peers *);
  /* Frees. Collective, unless the first worker's fault sink is `lost`. */
  void (*close)(scree__peers *);
} scree__peers_ops;

struct scree__peers {
  scree__collective collective; /* must be first */
  const scree__peers_ops *ops;
  scree__meeting *all, *node;       /* of this node's ranks; NULL: each rank is a node */
  bool memory_alone;                /* they cannot reach each other by MPI */
  scree__topology *topology;        /* of each worker of this rank */
  scree__fault *fault;              /* of each worker; the first's takes those of the calls here */
  uint32_t threads;                 /* endpoints of each rank */
  uint32_t index, size;             /* of this rank on its node; number of ranks there */
  uint32_t local_rank, local_ranks; /* the same, whether they form a node or not */
  scree__core_share core_share;     /* of these, by the cores that a launcher allows; only with the option pin */
  uint64_t spin;                    /* the option of that name */
  uint32_t *leaders;                /* node -> endpoint */
  uint32_t *node_endpoints;         /* index on this node -> endpoint */
  uint32_t *node_of;                /* rank -> node */
  uint32_t *index_on_node;          /* endpoint -> index on this node, UINT32_MAX: on another node */
};

/* Where a rank is. */
typedef struct {
  uint32_t leader; /* rank of its node's leader */
  uint32_t index;  /* on its node */
} scree__location;

/* False: no memory; what there is is freed by scree__peers_free. Local. */
bool scree__peers_allocate(scree__peers *p, uint32_t ranks, uint32_t threads);
void scree__peers_free(scree__peers *p);
/* Fills the tables. `all`: by rank. Local. */
void scree__peers_locate(scree__peers *p, const scree__location *all, scree__location mine);

/* True if `mine` is on all ranks; on all of the node. Collective; block. */
static inline bool scree__peers_all(const scree__peers *p, bool mine) {
  return scree__agree(p->all, mine ? SCREE_OK : SCREE_ENOMEM) == SCREE_OK;
}
static inline bool scree__peers_all_on_node(const scree__peers *p, bool mine) {
  return p->node ? scree__agree(p->node, mine ? SCREE_OK : SCREE_ENOMEM) == SCREE_OK : mine;
}
#endif
