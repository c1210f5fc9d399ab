/* open.c - one segment for the endpoints of a node: made without a name where possible, agreed on by all ranks, and a
 * name removed before first use, so that nothing stays in /dev/shm. Where each rank is a node, its workers share plain
 * memory. */
#include "transport/shm/open.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/idle.h"
#include "transport/shm/shm.h"

/* Of one worker; those of a rank are an array. */
typedef struct {
  SCREE__OWN_LINE scree__shm shm; /* must be first */
  scree__peers *peers;
  uint32_t hop_class;
  scree__idle_scheduler scheduler;
} node_shm;

static void close_shm(scree__transport *t) {
  node_shm *n = (node_shm *)t;
  scree__peers *peers = n->hop_class == 0 ? n->peers : NULL;
  scree__shm_free(&n->shm);
  if (scree__topology_worker(t->topology) > 0) return;
  scree__shm_segment_free(n->shm.segment);
  free(n->shm.segment);
  free(n);
  if (peers) peers->ops->close(peers);
}

static const scree__transport_ops ops = SCREE__SHM_OPS("shm", close_shm);

/* A rank whose process has died will never be idle. Relaxed: the pids were stored before the world opened. */
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

/* The text of what just failed, by errno. */
static bool no_shared_memory(const scree__peers *p, const scree__shm_segment *segment) {
  const char *larger = errno == EFBIG ? "raise the limit of file sizes (ulimit -f)" : "mount a larger /dev/shm";
  scree__fault_raise(p->fault, SCREE_ENOMEM,
                     "no shared memory (%zu bytes in /dev/shm%s): %s: %s, lower the option memory, or %s",
                     segment->bytes, p->memory_alone ? " or of this job" : "", strerror(errno), larger,
                     p->memory_alone ? "start fewer ranks" : "use transport=auto");
  return false;
}

/* Of the leader's to all of the node: the others' words are 0. */
static bool share_name(const scree__peers *p, scree__shm_segment_name *name) {
  enum { WORDS = sizeof *name / sizeof(uint64_t) };
  _Static_assert(sizeof *name == WORDS * sizeof(uint64_t), "a name is an array of words");
  uint64_t mine[WORDS], max[WORDS];
  memcpy(mine, name, sizeof mine);
  if (!p->node->ops->max(p->node, mine, max, WORDS)) return false;
  memcpy(name, max, sizeof max);
  return true;
}

/* The leader makes the object and sends its path; an empty path means that it could not. */
static bool map_one(const scree__peers *p, scree__shm_segment *segment, scree__shm_place place) {
  scree__shm_segment_name name = {.path = ""};
  bool leader = p->index == 0, mine = true;
  if (leader) mine = scree__shm_segment_create(segment, place, &name) && scree__shm_segment_reserve_head(segment);
  if (!mine) no_shared_memory(p, segment);
  bool known = share_name(p, &name);
  if (!leader) mine = known && scree__shm_segment_attach(segment, &name);
  if (!leader && !mine && name.path[0]) no_shared_memory(p, segment);
  mine = known && scree__peers_all_on_node(p, mine);
  if (leader) scree__shm_segment_unlink(&name);
  if (!mine) scree__shm_segment_free(segment);
  return mine;
}

/* Without a name where the ranks see each other's descriptors: a name would outlive a leader that is killed here. */
static bool map_together(const scree__peers *p, scree__shm_segment *segment) {
  if (!p->node) return scree__shm_segment_plain(segment);
  return map_one(p, segment, SCREE__SHM_UNNAMED) || map_one(p, segment, SCREE__SHM_NAMED);
}

/* The inbox, and the first blocks: an endpoint without any could not send. */
static bool reserve_mine(scree__shm *s) {
  if (!scree__shm_segment_reserve_inbox(s->segment, s->area)) return false;
  scree__shm_segment_start_inbox(s->segment, s->area, s->head);
  s->pool.granted = scree__shm_segment_grant(s->segment, s->area, 0, 1);
  return s->pool.granted > 0;
}

static bool setup_mine(node_shm *all) {
  const scree__peers *p = all->peers;
  bool made = true;
  for (uint32_t w = 0; w < p->threads && made; w++) {
    scree__shm *s = &all[w].shm;
    made = scree__shm_init(s, s->segment, p->topology[w].node_index, p->index_on_node) && reserve_mine(s);
  }
  return made ? true : no_shared_memory(p, all->shm.segment);
}

/* Processes in other pid namespaces cannot be distinguished from dead ones: then none is watched. */
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

static bool setup(node_shm *all, const scree__options *options) {
  scree__peers *p = all->peers;
  if (!scree__peers_all_on_node(p, setup_mine(all))) return false;
  for (uint32_t w = 0; w < p->threads; w++) setup_endpoint(&all[w]);
  if (!scree__peers_all_on_node(p, true)) return false; /* all pids are stored: MPI orders the relaxed stores */
  bool watch = scree__peers_all_on_node(p, sees_all_pids(&all->shm.base));
  for (uint32_t w = 0; w < p->threads; w++) {
    scree__transport *t = &all[w].shm.base;
    scree__idle_scheduler_init(&all[w].scheduler, options->spin, watch ? find_dead_peers : NULL, t);
    t->scheduler = &all[w].scheduler.base;
  }
  return true;
}

static node_shm *allocate(scree__peers *peers, uint32_t hop_class, scree__shm_segment *segment,
                          const scree__options *options) {
  size_t bytes = peers->threads * sizeof(node_shm);
  node_shm *all = aligned_alloc(SCREE__LINE, bytes);
  if (!all) return NULL;
  memset(all, 0, bytes);
  for (uint32_t w = 0; w < peers->threads; w++) {
    all[w].peers = peers;
    all[w].hop_class = hop_class;
    all[w].shm.segment = segment;
    all[w].shm.base = (scree__transport){.topology = &peers->topology[w],
                                         .collective = &peers->collective,
                                         .fault = &peers->fault[w],
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

/* Ranks that have no alternative use the memory of the job. */
static bool setup_again(node_shm *all, scree__shm_segment *segment, const scree__options *options) {
  scree__peers *p = all->peers;
  for (uint32_t w = 0; w < p->threads; w++) {
    scree__shm_free(&all[w].shm);
    all[w].shm.base.note = "there is no space in /dev/shm: blocks are in the job's own memory";
  }
  if (segment->map) scree__shm_segment_free(segment);
  scree__fault_clear(p->fault);
  return map_one(p, segment, SCREE__SHM_OF_JOB) && setup(all, options);
}

bool scree__shm_open(scree__peers *peers, uint32_t hop_class, const scree__options *options, scree__transport **out) {
  scree__shm_segment *segment = calloc(1, sizeof *segment);
  node_shm *all = segment ? allocate(peers, hop_class, segment, options) : NULL;
  if (!all) scree__fault_no_memory(peers->fault, peers->threads * sizeof *all + sizeof *segment, "the transport");
  bool ok = scree__peers_all_on_node(peers, all != NULL);
  if (ok) {
    scree__shm_segment_plan(segment, peers->topology->node_size, 1, options->memory / peers->threads,
                            options->in_flight);
    ok = map_together(peers, segment) && setup(all, options);
    if (!ok && peers->memory_alone) ok = setup_again(all, segment, options);
  }
  for (uint32_t w = 0; ok && w < peers->threads; w++) out[w] = &all[w].shm.base;
  if (!ok) discard(all, segment, peers->threads);
  return ok;
}
