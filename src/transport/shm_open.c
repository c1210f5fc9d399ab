/* shm_open.c - one segment for the ranks of a node: made without a name where possible, agreed on by all, and a name
 * removed before first use, so that nothing stays in /dev/shm. */
#include "transport/shm_open.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/idle.h"
#include "transport/shm.h"

typedef struct {
  scree__shm shm; /* must be first */
  scree__comm *comm;
  scree__idle_scheduler scheduler;
} node_shm;

static void close_shm(scree__transport *t) {
  node_shm *n = (node_shm *)t;
  scree__comm *comm = n->comm;
  scree__shm_free(&n->shm);
  scree__shm_segment_free(n->shm.segment);
  free(n->shm.segment);
  free(n);
  scree__comm_close(comm);
}

static const scree__transport_ops ops = {
    .name = "shm",
    .take = scree__shm_take,
    .put = scree__shm_put,
    .accepts = scree__shm_accepts,
    .push = scree__shm_push,
    .peek = scree__shm_peek,
    .pop = scree__shm_pop,
    .release = scree__shm_release,
    .set_min_block = scree__shm_set_min_block,
    .in_flight = scree__shm_in_flight,
    .memory = scree__shm_memory,
    .close = close_shm,
};

/* A rank whose process is gone will never be idle. Relaxed: the pids were stored before the world opened. */
static void find_dead_peers(void *context) {
  scree__transport *t = context;
  const scree__topology *at = t->topology;
  for (uint32_t i = 0; i < at->node_size; i++) {
    pid_t pid = (pid_t)AO_load(&t->slots[i].pid);
    if (pid == 0 || kill(pid, 0) == 0 || errno != ESRCH) continue;
    t->fault->lost = true;
    scree__fault_raise(t->fault, SCREE_EPEER, "rank %u (process %ld) has died", at->node_ranks[i], (long)pid);
  }
}

/* True if `mine` is true on every rank of the node. */
static bool all_on_node(const scree__comm *c, bool mine) {
  return scree__comm_agree(c->node, mine ? SCREE_OK : SCREE_ENOMEM) == SCREE_OK;
}

/* Of what just failed, by errno. */
static bool no_shared_memory(const scree__comm *c, const scree__shm_segment *segment) {
  scree__fault_raise(
      c->fault, SCREE_ENOMEM,
      "no shared memory (%zu bytes in /dev/shm): %s: mount a larger /dev/shm, lower the option memory, or "
      "use transport=auto",
      segment->bytes, strerror(errno));
  return false;
}

/* The leader makes the object and broadcasts its path; an empty path means that it could not. */
static bool map_one(const scree__comm *c, scree__shm_segment *segment, bool named) {
  scree__shm_segment_name name = {.path = ""};
  bool leader = c->topology.node_index == 0, mine = true;
  if (leader) mine = scree__shm_segment_create(segment, named, &name) && scree__shm_segment_reserve_head(segment);
  if (!mine) no_shared_memory(c, segment);
  bool known = MPI_Bcast(&name, sizeof name, MPI_BYTE, 0, c->node) == MPI_SUCCESS;
  if (!leader) mine = known && scree__shm_segment_attach(segment, &name);
  if (!leader && !mine && name.path[0]) no_shared_memory(c, segment);
  mine = known && all_on_node(c, mine);
  if (leader) scree__shm_segment_unlink(&name);
  if (!mine) scree__shm_segment_free(segment);
  return mine;
}

/* Without a name where the ranks see each other's descriptors: a name would outlive a leader that is killed here. */
static bool map_together(const scree__comm *c, scree__shm_segment *segment) {
  return map_one(c, segment, false) || map_one(c, segment, true);
}

/* The inbox, and the first blocks: a rank without any could not send. */
static bool reserve_mine(scree__shm *s) {
  if (!scree__shm_segment_reserve_inbox(s->segment, s->area)) return false;
  s->pool.granted = scree__shm_segment_grant(s->segment, s->area, 0, 1);
  return s->pool.granted > 0;
}

static bool setup_mine(node_shm *n) {
  const scree__comm *c = n->comm;
  if (scree__shm_init(&n->shm, n->shm.segment, c->topology.node_index, c->index_on_node) && reserve_mine(&n->shm))
    return true;
  return no_shared_memory(c, n->shm.segment);
}

/* Processes in other pid namespaces cannot be told from dead ones: then none is watched. */
static bool sees_all_pids(const scree__transport *t) {
  for (uint32_t i = 0; i < t->topology->node_size; i++)
    if (kill((pid_t)AO_load(&t->slots[i].pid), 0) != 0 && errno == ESRCH) return false;
  return true;
}

static bool setup(node_shm *n, const scree_options *options) {
  scree__comm *c = n->comm;
  scree__transport *t = &n->shm.base;
  uint32_t index = c->topology.node_index;
  if (!all_on_node(c, setup_mine(n))) return false;
  t->ops = &ops;
  t->page = scree__shm_segment_page(n->shm.segment, 0);
  t->slots = scree__shm_segment_slots(n->shm.segment);
  AO_store(&t->slots[index].pid, (AO_t)getpid());
  if (!all_on_node(c, true)) return false; /* all pids are stored: MPI orders the relaxed stores */
  bool watch = all_on_node(c, sees_all_pids(t));
  scree__idle_scheduler_init(&n->scheduler, options->spin, watch ? find_dead_peers : NULL, t);
  t->scheduler = &n->scheduler.base;
  return true;
}

scree__transport *scree__shm_open(scree__comm *comm, const scree_options *options) {
  node_shm *n = calloc(1, sizeof *n);
  scree__shm_segment *segment = calloc(1, sizeof *segment);
  if (!n || !segment) scree__fault_no_memory(comm->fault, sizeof *n + sizeof *segment, "the transport");
  bool ok = all_on_node(comm, n && segment);
  if (ok) {
    n->comm = comm;
    n->shm.segment = segment;
    n->shm.base = (scree__transport){.topology = &comm->topology,
                                     .collective = &comm->collective,
                                     .fault = comm->fault,
                                     .options = *options,
                                     .note = ""};
    scree__shm_segment_plan(segment, comm->topology.node_size, 1, options->memory, options->in_flight);
    ok = map_together(comm, segment) && setup(n, options);
  }
  if (ok) return &n->shm.base;
  if (segment && segment->map) scree__shm_segment_free(segment);
  if (n) scree__shm_free(&n->shm);
  free(segment);
  free(n);
  return NULL;
}
