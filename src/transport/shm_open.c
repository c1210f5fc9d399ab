/* shm_open.c - one segment for the endpoints of a node: made without a name where possible, agreed on by all ranks, and a
 * name removed before first use, so that nothing stays in /dev/shm. Where each rank is a node, its workers share plain
 * memory. */
#include "transport/shm_open.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/idle.h"
#include "transport/shm.h"

/* Of one worker; those of a rank are an array. */
typedef struct {
  SCREE__OWN_LINE scree__shm shm; /* must be first */
  scree__comm *comm;
  uint32_t hop_class;
  scree__idle_scheduler scheduler;
} node_shm;

static void close_shm(scree__transport *t) {
  node_shm *n = (node_shm *)t;
  scree__comm *comm = n->hop_class == 0 ? n->comm : NULL;
  scree__shm_free(&n->shm);
  if (scree__topology_worker(t->topology) > 0) return;
  scree__shm_segment_free(n->shm.segment);
  free(n->shm.segment);
  free(n);
  if (comm) scree__comm_close(comm);
}

static const scree__transport_ops ops = SCREE__SHM_OPS("shm", close_shm);

/* A rank whose process is gone will never be idle. Relaxed: the pids were stored before the world opened. */
static void find_dead_peers(void *context) {
  scree__transport *t = context;
  const scree__topology *at = t->topology;
  for (uint32_t i = 0; i < at->node_size; i++) {
    pid_t pid = (pid_t)AO_load(&t->slots[i].pid);
    if (pid == 0 || kill(pid, 0) == 0 || errno != ESRCH) continue;
    t->fault->lost = true;
    scree__fault_raise(t->fault, SCREE_EPEER, "rank %u (process %ld) has died", at->node_endpoints[i] / at->threads,
                       (long)pid);
  }
}

/* True if `mine` is true on every rank of the node. */
static bool all_on_node(const scree__comm *c, bool mine) {
  if (c->node == MPI_COMM_NULL) return mine;
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
  bool leader = c->index == 0, mine = true;
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
  if (c->node == MPI_COMM_NULL) return scree__shm_segment_plain(segment);
  return map_one(c, segment, false) || map_one(c, segment, true);
}

/* The inbox, and the first blocks: an endpoint without any could not send. */
static bool reserve_mine(scree__shm *s) {
  if (!scree__shm_segment_reserve_inbox(s->segment, s->area)) return false;
  s->pool.granted = scree__shm_segment_grant(s->segment, s->area, 0, 1);
  return s->pool.granted > 0;
}

static bool setup_mine(node_shm *all) {
  const scree__comm *c = all->comm;
  bool made = true;
  for (uint32_t w = 0; w < c->threads && made; w++) {
    scree__shm *s = &all[w].shm;
    made = scree__shm_init(s, s->segment, c->topology[w].node_index, c->index_on_node) && reserve_mine(s);
  }
  return made ? true : no_shared_memory(c, all->shm.segment);
}

/* Processes in other pid namespaces cannot be told from dead ones: then none is watched. */
static bool sees_all_pids(const scree__transport *t) {
  for (uint32_t i = 0; i < t->topology->node_size; i++)
    if (kill((pid_t)AO_load(&t->slots[i].pid), 0) != 0 && errno == ESRCH) return false;
  return true;
}

static void setup_endpoint(node_shm *n) {
  scree__transport *t = &n->shm.base;
  t->ops = &ops;
  t->page = scree__shm_segment_page(n->shm.segment, 0);
  t->slots = scree__shm_segment_slots(n->shm.segment);
  AO_store(&t->slots[t->topology->node_index].pid, (AO_t)getpid());
}

static bool setup(node_shm *all, const scree_options *options) {
  scree__comm *c = all->comm;
  if (!all_on_node(c, setup_mine(all))) return false;
  for (uint32_t w = 0; w < c->threads; w++) setup_endpoint(&all[w]);
  if (!all_on_node(c, true)) return false; /* all pids are stored: MPI orders the relaxed stores */
  bool watch = all_on_node(c, sees_all_pids(&all->shm.base));
  for (uint32_t w = 0; w < c->threads; w++) {
    scree__transport *t = &all[w].shm.base;
    scree__idle_scheduler_init(&all[w].scheduler, options->spin, watch ? find_dead_peers : NULL, t);
    t->scheduler = &all[w].scheduler.base;
  }
  return true;
}

static node_shm *allocate(scree__comm *comm, uint32_t hop_class, scree__shm_segment *segment,
                          const scree_options *options) {
  size_t bytes = comm->threads * sizeof(node_shm);
  node_shm *all = aligned_alloc(SCREE__LINE, bytes);
  if (!all) return NULL;
  memset(all, 0, bytes);
  for (uint32_t w = 0; w < comm->threads; w++) {
    all[w].comm = comm;
    all[w].hop_class = hop_class;
    all[w].shm.segment = segment;
    all[w].shm.base = (scree__transport){.topology = &comm->topology[w],
                                         .collective = &comm->collective,
                                         .fault = &comm->fault[w],
                                         .options = *options,
                                         .note = ""};
  }
  return all;
}

static void discard(node_shm *all, scree__shm_segment *segment, uint32_t threads) {
  if (segment && segment->map) scree__shm_segment_free(segment);
  for (uint32_t w = 0; all && w < threads; w++) scree__shm_free(&all[w].shm);
  free(segment);
  free(all);
}

bool scree__shm_open(scree__comm *comm, uint32_t hop_class, const scree_options *options, scree__transport **out) {
  scree__shm_segment *segment = calloc(1, sizeof *segment);
  node_shm *all = segment ? allocate(comm, hop_class, segment, options) : NULL;
  if (!all) scree__fault_no_memory(comm->fault, comm->threads * sizeof *all + sizeof *segment, "the transport");
  bool ok = all_on_node(comm, all != NULL);
  if (ok) {
    scree__shm_segment_plan(segment, comm->topology->node_size, 1, options->memory / comm->threads, options->in_flight);
    ok = map_together(comm, segment) && setup(all, options);
  }
  for (uint32_t w = 0; ok && w < comm->threads; w++) out[w] = &all[w].shm.base;
  if (!ok) discard(all, segment, comm->threads);
  return ok;
}
