/* hook.c - union-find over the ranks.
 *
 * Room: see hook.h. Joining takes one epoch, however many unions there are: a union that meets somebody else's vertex
 * moves on to that rank. Its greater place gets less at each step, so it comes to an end. */
#include "cc/hook.h"

#define IS_ROOT (UINT64_C(1) << 63) /* beside a place in an answer */

static uint64_t own_place(const scree_graph *g, uint32_t local) {
  return (uint64_t)scree_graph_rank(g) << g->local_bits | local;
}

/* ---- unions ---- */

/* Rem's algorithm; see join in forest.c. Here b may be anywhere, so what lies on its way stays as it is. */
void scree__cc_unite(scree__cc_run *run, uint64_t a, uint64_t b) {
  const scree_graph *g = run->graph;
  scree__cc_state *s = run->own;
  for (;;) {
    if (a < b) {
      uint64_t swap = a;
      a = b;
      b = swap;
    }
    scree_location place = scree_graph_unpack(g, a);
    if (a == b) return;
    if (scree_location_owner(place) != scree_graph_rank(g)) {
      scree__cc_send(run, scree_location_owner(place), (uint32_t)scree_location_local(place), b);
      return;
    }
    uint32_t r = s->up[scree_location_local(place)];
    uint64_t self = own_place(g, r), above = run->component[r];
    if (self != a) {
      a = self; /* which may be less than b now */
      continue;
    }
    if (above == b) return;
    if (above > b) run->component[r] = b; /* and what was above is to be joined with b, unless r was a root */
    if (above == a) return;
    a = above;
  }
}

void scree__cc_take_unions(scree__cc_run *run, const scree__cc_link *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    scree__cc_unite(run, own_place(run->graph, items[i].target), scree__cc_value(&items[i]));
}

/* ---- search ---- */

/* A pointer that is known to lead to a root of all carries IS_ROOT while a search is on. */
static void take_questions(scree__cc_run *run, uint32_t sender, const scree__cc_ask *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t r = s->up[items[i].target];
    uint64_t above = run->component[r];
    scree__cc_send(run, sender, items[i].from, above == own_place(run->graph, r) ? above | IS_ROOT : above);
  }
}

static void take_answers(scree__cc_run *run, const scree__cc_link *items, uint32_t count) {
  scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t above = scree__cc_value(&items[i]);
    run->component[items[i].target] = above;
    if (above & IS_ROOT) s->left.sum[0]--;
  }
}

static void exchange(uint32_t *a, uint32_t *b) {
  uint32_t swap = *a;
  *a = *b;
  *b = swap;
}

/* Those of the first `count` roots that do not know their root of all come to the front; returns how many they are. */
static uint64_t bring_forward(const scree__cc_run *run, scree__cc_state *s, uint64_t count) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t above = run->component[s->roots[i]];
    if (!(above & IS_ROOT) && above != own_place(run->graph, s->roots[i])) exchange(&s->roots[i], &s->roots[kept++]);
  }
  return kept;
}

static scree_status search_round(scree__cc_run *run, uint64_t count) {
  scree__cc_state *s = run->own;
  s->left = (scree_reduce){{count, 0}, UINT64_MAX, 0};
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t i = 0; i < count; i++) {
    scree_location place = scree_graph_unpack(run->graph, run->component[s->roots[i]] & ~IS_ROOT);
    const scree__cc_ask ask = {(uint32_t)scree_location_local(place), s->roots[i]};
    cc_ask_send(run->worker, run->ask, scree_location_owner(place), ask);
  }
  run->work.sent += count;
  run->work.epochs++;
  return scree_end(run->worker, &s->left);
}

scree_status scree__cc_search(scree__cc_run *run) {
  scree__cc_state *s = run->own;
  uint64_t count = bring_forward(run, s, s->count);
  scree_status status;
  run->take_asks = take_questions;
  run->take_links = take_answers;
  do {
    status = search_round(run, count);
    count = bring_forward(run, s, count);
  } while (status == SCREE_OK && s->left.sum[0]);
  for (uint64_t i = 0; i < s->count; i++) run->component[s->roots[i]] &= ~IS_ROOT;
  return status;
}
