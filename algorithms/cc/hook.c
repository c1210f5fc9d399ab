/* hook.c - union-find over the nodes. Joining takes one epoch, however many unions there are: a union that meets
 * another rank's vertex is sent to that rank. Its greater location decreases at each step, so it terminates. */
#include "cc/hook.h"

#define IS_ROOT (UINT64_C(1) << 63) /* beside a location in an answer */

static uint64_t own_location(const scree_graph *g, uint32_t local) {
  return (uint64_t)scree_graph_rank(g) << g->local_bits | local;
}
/* The location of its root in the forest of the node. */
static uint64_t root_of(const scree__cc_state *s, uint64_t local) {
  return s->forest.first + scree__cc_up(&s->forest, s->forest.own + local);
}

/* ---- unions ---- */

/* Rem's algorithm, as join in forest.c. Here b may be on another rank, so the path from it is not changed. */
void scree__cc_unite(scree__run *run, uint64_t a, uint64_t b) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  for (;;) {
    if (a < b) {
      uint64_t swap = a;
      a = b;
      b = swap;
    }
    scree_location at = scree_graph_unpack(g, a);
    if (a == b) return;
    if (scree_location_owner(at) != scree_graph_rank(g)) {
      scree__cc_send(run, scree_location_owner(at), (uint32_t)scree_location_local(at), b);
      return;
    }
    const uint64_t root = root_of(s, scree_location_local(at));
    if (root != a) {
      a = root; /* which may be less than b now, and on another rank */
      continue;
    }
    const uint64_t r = scree_location_local(at), above = scree__component(run)[r];
    if (above == b) return;
    if (above > b) scree__component(run)[r] = b; /* and what was above is to be joined with b, unless r was a root */
    if (above == a) return;
    a = above;
  }
}

void scree__cc_take_unions(scree__run *run, const scree__cc_link *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    scree__cc_unite(run, own_location(run->graph, items[i].target), scree__cc_value(&items[i]));
}

/* ---- search ---- */

/* During a search, a pointer that is known to lead to a root of all carries IS_ROOT. */
static void take_requests(scree__run *run, uint32_t sender, const scree__cc_request *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t root = root_of(s, items[i].target);
    const scree_location at = scree_graph_unpack(run->graph, root);
    const bool own = scree_location_owner(at) == scree_graph_rank(run->graph);
    const uint64_t above = own ? scree__component(run)[scree_location_local(at)] : root;
    scree__cc_send(run, sender, items[i].from, own && above == root ? above | IS_ROOT : above);
  }
}

static void take_answers(scree__run *run, const scree__cc_link *items, uint32_t count) {
  scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t above = scree__cc_value(&items[i]);
    scree__component(run)[items[i].target] = above;
    if (above & IS_ROOT) s->left.sum[0]--;
  }
}

static void swap(uint32_t *a, uint32_t *b) {
  uint32_t other = *a;
  *a = *b;
  *b = other;
}

/* Moves those of the first `count` roots that do not know their root of all to the front; returns their number. */
static uint64_t bring_forward(const scree__run *run, scree__cc_state *s, uint64_t count) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t above = scree__component(run)[s->roots[i]];
    if (!(above & IS_ROOT) && above != own_location(run->graph, s->roots[i])) swap(&s->roots[i], &s->roots[kept++]);
  }
  return kept;
}

static scree_status search_round(scree__run *run, uint64_t count) {
  scree__cc_state *s = run->own;
  s->left = (scree_reduce){.sum = {count}, .min = UINT64_MAX};
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  for (uint64_t i = 0; i < count; i++) {
    scree_location at = scree_graph_unpack(run->graph, scree__component(run)[s->roots[i]] & ~IS_ROOT);
    scree__cc_send_request(run, scree_location_owner(at), (uint32_t)scree_location_local(at), s->roots[i]);
  }
  scree__work_end(run, begun);
  return scree__run_end(run, &s->left);
}

scree_status scree__cc_search(scree__run *run) {
  scree__cc_state *s = run->own;
  uint64_t count = bring_forward(run, s, s->count);
  scree_status status;
  scree__cc_of(run)->take_requests = take_requests;
  scree__cc_of(run)->take_links = take_answers;
  do {
    status = search_round(run, count);
    count = bring_forward(run, s, count);
  } while (status == SCREE_OK && s->left.sum[0]);
  for (uint64_t i = 0; i < s->count; i++) scree__component(run)[s->roots[i]] &= ~IS_ROOT;
  return status;
}
