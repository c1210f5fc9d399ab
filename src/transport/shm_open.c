/* shm_open.c - one segment for the ranks of a node.
 *
 * Room: making it, if possible without a name, agreeing that it is there, and taking a name away before first use, so
 * that nothing stays in /dev/shm. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "transport/comm.h"
#include "transport/shm.h"

static void close_shm(scree__transport *t) {
  scree__shm *s = (scree__shm *)t;
  scree__group *group = t->group;
  scree__shm_free(s);
  scree__segment_free(s->segment);
  free(s->segment);
  free(s);
  scree__group_close(group);
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
    .wave_start = scree__group_wave_start,
    .wave_test = scree__group_wave_test,
    .gather = scree__group_gather,
    .fit = scree__shm_fit,
    .in_flight = scree__shm_in_flight,
    .memory = scree__shm_memory,
    .relax = scree__shm_relax,
    .now = scree__group_now,
    .close = close_shm,
};

/* True if it is true on every rank of the node. */
static bool all_on_node(const scree__transport *t, bool mine) {
  int ours = 0, my = mine;
  return MPI_Allreduce(&my, &ours, 1, MPI_INT, MPI_MIN, t->group->node) == MPI_SUCCESS && ours;
}

/* The leader makes the object and tells where it is; no path tells that it could not. */
static bool map_one(const scree__transport *t, scree__segment *segment, bool named) {
  scree__segment_place place = {.path = ""};
  bool mine = true;
  if (t->index == 0) mine = scree__segment_create(segment, named, &place) && scree__segment_reserve_head(segment);
  bool told = MPI_Bcast(&place, sizeof place, MPI_BYTE, 0, t->group->node) == MPI_SUCCESS;
  if (t->index != 0) mine = told && scree__segment_attach(segment, &place);
  mine = told && all_on_node(t, mine);
  if (t->index == 0) scree__segment_unlink(&place);
  if (!mine) scree__segment_free(segment);
  return mine;
}

/* Without a name where the ranks see each other's descriptors: a name would outlive a leader that is killed here. */
static bool map_together(const scree__transport *t, scree__segment *segment) {
  return map_one(t, segment, false) || map_one(t, segment, true);
}

/* The inbox, and the first blocks: a rank without any could not send. */
static bool reserve_mine(scree__shm *s) {
  if (!scree__segment_reserve_inbox(s->segment, s->area)) return false;
  s->pool.granted = scree__segment_grant(s->segment, s->area, 0, 1);
  return s->pool.granted > 0;
}

/* Processes in other pid namespaces cannot be told from dead ones: then none is watched. */
static bool sees_all_pids(const scree__transport *t) {
  for (uint32_t i = 0; i < t->size; i++)
    if (kill((pid_t)AO_load(&t->slots[i].pid), 0) != 0 && errno == ESRCH) return false;
  return true;
}

static bool settle(scree__shm *s) {
  scree__transport *t = &s->base;
  if (!all_on_node(t, scree__shm_init(s, s->segment, t->index, t->group->place_on_node) && reserve_mine(s)))
    return false;
  t->ops = &ops;
  t->page = scree__segment_page(s->segment, 0);
  t->slots = scree__segment_slots(s->segment);
  AO_store(&t->slots[t->index].pid, (AO_t)getpid());
  if (!all_on_node(t, true)) return false; /* all pids are there: MPI orders the relaxed stores */
  s->watch = all_on_node(t, sees_all_pids(t));
  return true;
}

scree__transport *scree__shm_open(const scree__transport *base) {
  scree__shm *s = calloc(1, sizeof *s);
  scree__segment *segment = calloc(1, sizeof *segment);
  bool ok = all_on_node(base, s && segment);
  if (ok) {
    s->base = *base;
    s->segment = segment;
    scree__segment_plan(segment, base->size, 1, base->options.memory, base->options.in_flight);
    ok = map_together(base, segment) && settle(s);
  }
  if (ok) return &s->base;
  if (segment && segment->map) scree__segment_free(segment);
  if (s) scree__shm_free(s);
  free(segment);
  free(s);
  return NULL;
}
