/* shared.c - SSSP in arrays of the node: Delta-stepping in which each rank may relax any vertex. Distance and parent
 * are one word, lowered by compare-and-swap; the rows of all vertices are in an array too. A rank keeps the vertices
 * that it improved in bins of its own. In a step each rank publishes its lowest bucket, the ranks take parts of that
 * from each other, and then each goes on alone in the next buckets (as in bucket fusion, Zhang et al., CGO 2020).
 * Between steps they wait for each other in the array. No more ranks work than there are cores, and on a small graph
 * only one. */
#include "sssp/shared.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sssp/shared_bins.h"

/* Buckets in which a rank goes on alone in a step; vertices that it relaxes in one, an eighth of all within these
 * limits; vertices that are prefetched together; that a rank takes from another at a time at most; vertices of the
 * graph for each rank that works, which is faster alone on fewer; polls before it leaves its core. */
enum { BUCKETS_AHEAD = 32, STEP_MIN = 64, STEP_MAX = 4096, BATCH = 64, PART = 32, A_RANK = 1 << 15, SPINS = 256 };
/* Vertices from which on the horizon, which takes two fifths of the memory, does it. */
enum { LARGE = 1 << 23 };
#define NONE UINT32_MAX

/* What a rank publishes for a step. Written by its rank before it, except for `taken`. Two take turns: while a rank
 * publishes for the next step, others may still read what it has published for this one. */
typedef struct {
  _Alignas(128) AO_t next; /* lowest bucket */
  AO_t begin, end;         /* of its vertices in the list */
  _Alignas(128) AO_t taken;
} line;

typedef struct {
  _Alignas(128) AO_t arrived;
  _Alignas(128) AO_t turn;
  _Alignas(128) AO_t source; /* packed location */
  line line[];
} board;

typedef struct scree__shared {
  const scree_node_array *array;
  const scree__node_rows *rows;
  board *board;
  AO_t *word;     /* by packed location: distance << 32 | parent; all bits: not reached */
  uint32_t *list; /* of vertices that are published, a part for each rank and turn */
  uint32_t ranks, part;
  uint32_t shift;                      /* of a distance: its bucket */
  uint32_t lowest, own, relaxed, step; /* lowest bucket of all, and of this rank; vertices in this step; its turn */
  uint32_t enough;                     /* vertices in a step */
  uint64_t no_yield_until;             /* ns: it sleeps instead */
  scree__bins *bins;
} shared;

/* ---- relaxing ---- */

/* `alone` is a constant: no other rank works. No order is needed: a word says all of its vertex. */
static inline __attribute__((always_inline)) void relax_row(scree__run *run, shared *s, uint32_t u, bool alone) {
  const uint32_t from = (uint32_t)(AO_load(&s->word[u]) >> 32), begin = s->rows->offsets[u],
                 end = s->rows->offsets[u + 1];
  const scree__short_arc *const arcs = s->rows->arcs;
  uint64_t direct = 0, reached = 0;
  for (uint32_t e = begin; e < end; e++) {
    const uint32_t head = arcs[e].head, d = from + arcs[e].weight;
    AO_t old = AO_load(&s->word[head]);
    while (d < (uint32_t)(old >> 32)) {
      const AO_t lower = (AO_t)d << 32 | u;
      scree_node_array_step(s->array, run->worker);
      const AO_t seen = alone ? old : AO_fetch_compare_and_swap(&s->word[head], old, lower);
      if (alone) AO_store(&s->word[head], lower);
      if (seen == old) {
        scree__bins_put(s->bins, d >> s->shift, head, d);
        direct++;
        reached += old == ~(AO_t)0;
        break;
      }
      old = seen;
    }
  }
  run->work.useful += reached;
  run->work.superseded += direct - reached;
  run->work.direct += direct;
  run->work.edges += end - begin;
  run->work.pruned += end - begin - direct;
}

static inline __attribute__((always_inline)) void relax_all(scree__run *run, shared *s, const uint32_t *vertices,
                                                            uint32_t n, bool alone) {
  enum { ROW = 4, ARCS = 2 };
  for (uint32_t i = 0; i < n; i++) {
    if (i + ROW < n) {
      __builtin_prefetch(&s->rows->offsets[vertices[i + ROW]]);
      __builtin_prefetch((const void *)&s->word[vertices[i + ROW]]);
    }
    if (i + ARCS < n) __builtin_prefetch(&s->rows->arcs[s->rows->offsets[vertices[i + ARCS]]]);
    relax_row(run, s, vertices[i], alone);
  }
  s->relaxed += n;
}

static inline __attribute__((always_inline)) void empty_bin(scree__run *run, shared *s, uint32_t bucket, bool alone) {
  uint32_t batch[BATCH];
  for (uint32_t n; (n = scree__bins_take(s->bins, bucket, batch, BATCH));) relax_all(run, s, batch, n, alone);
}

/* The lowest bucket in which this rank has a vertex, or an entry that is old. */
static uint32_t lowest(const shared *s) {
  for (uint32_t i = 0; i < SCREE__BINS; i++)
    if (scree__bins_any(s->bins, s->lowest + i)) return s->lowest + i;
  return NONE;
}

/* ---- a step ---- */

/* Beside a process that computes a yield takes a time slice, where a sleep ends on time:
 * docs/decisions/0002-idle.md. */
static void leave_core(shared *s) {
  enum { EXPENSIVE = 500000, SLEEP = 20000, NO_YIELDS = 20 }; /* ns; times as long as an expensive yield took */
  const uint64_t now = scree__clock_ns();
  if (now < s->no_yield_until) {
    nanosleep(&(struct timespec){0, SLEEP}, NULL);
    return;
  }
  sched_yield();
  const uint64_t took = scree__clock_ns() - now;
  if (took > EXPENSIVE) s->no_yield_until = now + NO_YIELDS * took;
}

/* All ranks that work have come. What they wrote before it is seen after it. False: the world has failed, and this rank
 * has left the epoch. */
static bool wait_for_all(scree__run *run, shared *s) {
  board *const b = s->board;
  const AO_t turn = AO_load(&b->turn);
  if (AO_fetch_and_add1_full(&b->arrived) == s->ranks - 1) {
    AO_store(&b->arrived, 0);
    AO_store_release(&b->turn, turn + 1);
    return true;
  }
  for (uint32_t polls = 0; AO_load_acquire(&b->turn) == turn; polls++) {
    if (scree_test(run->worker, false, NULL)) return false;
    if (polls > SPINS) leave_core(s);
  }
  return true;
}

static line *line_of(const shared *s, uint32_t rank) {
  return &s->board->line[2 * rank + s->step % 2];
}

/* Publishes this rank's vertices of its lowest bucket, as many as have room; the others stay in the bin. */
static void publish(const scree__run *run, shared *s) {
  line *const own = line_of(s, run->worker->rank);
  const uint32_t begin = (2 * run->worker->rank + s->step % 2) * s->part;
  s->own = lowest(s);
  AO_store(&own->next, s->own);
  AO_store(&own->begin, begin);
  AO_store(&own->taken, begin);
  AO_store(&own->end, begin + (s->own == NONE ? 0 : scree__bins_take(s->bins, s->own, s->list + begin, s->part)));
}

static uint32_t lowest_of_all(const shared *s) {
  AO_t least = NONE;
  for (uint32_t r = 0; r < s->ranks; r++) {
    const AO_t next = AO_load(&line_of(s, r)->next);
    least = next < least ? next : least;
  }
  return (uint32_t)least;
}

/* Takes parts of what a rank published. */
static void take_from(scree__run *run, shared *s, line *of) {
  const AO_t end = AO_load(&of->end), all = end - AO_load(&of->begin), some = all / 8 + 1 < PART ? all / 8 + 1 : PART;
  while (AO_load(&of->taken) < end) {
    scree_node_array_step(s->array, run->worker);
    const AO_t at = AO_fetch_and_add(&of->taken, some);
    if (at >= end) return;
    relax_all(run, s, s->list + at, (uint32_t)(at + some < end ? some : end - at), false);
  }
}

/* The rest of its bucket is always emptied: entries of one bin at a time wait to be taken. */
static void work(scree__run *run, shared *s) {
  const uint64_t begun = scree__work_begin(run);
  for (uint32_t i = 0; i < s->ranks; i++) take_from(run, s, line_of(s, (run->worker->rank + i) % s->ranks));
  if (s->own != NONE) empty_bin(run, s, s->own, false);
  for (uint32_t b = s->lowest; b <= s->lowest + BUCKETS_AHEAD && s->relaxed < s->enough; b++)
    empty_bin(run, s, b, false);
  scree__work_end(run, begun);
  scree__run_watch_often(run);
}

/* False: as above. */
static bool work_together(scree__run *run, shared *s) {
  for (;; s->step++) {
    publish(run, s);
    if (!wait_for_all(run, s)) return false;
    s->lowest = lowest_of_all(s);
    s->relaxed = 0;
    if (s->lowest == NONE) return true;
    work(run, s);
  }
}

static bool work_alone(scree__run *run, shared *s) {
  const uint64_t begun = scree__work_begin(run);
  for (; (s->lowest = lowest(s)) != NONE; empty_bin(run, s, s->lowest, true)) {
    if (scree_test(run->worker, false, NULL)) return false;
    scree__run_watch_often(run);
  }
  scree__work_end(run, begun);
  return true;
}

static void answer(const scree__run *run, const shared *s) {
  const scree_graph *g = run->graph;
  const AO_t *const own = s->word + ((uint64_t)run->worker->rank << g->local_bits);
  for (uint64_t u = 0; u < g->locals; u++) {
    const AO_t word = AO_load(&own[u]);
    if (word == ~(AO_t)0) continue;
    scree__distance(run)[u] = (double)(word >> 32);
    scree__parent(run)[u] = scree_graph_vertex(g, scree_graph_unpack(g, (uint32_t)word));
  }
}

scree_status scree__shared_solve(scree__run *run) {
  shared *s = scree__sssp_of(run)->shared;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  if (run->worker->rank == 0) scree__bins_put(s->bins, 0, (uint32_t)AO_load(&s->board->source), 0);
  if (run->worker->rank >= s->ranks || (s->ranks == 1 ? work_alone(run, s) : work_together(run, s)))
    while (!scree_test(run->worker, true, NULL)) continue;
  status = scree__run_ended(run);
  if (status == SCREE_OK) answer(run, s);
  return status;
}

/* ---- memory ---- */

bool scree__shared_fits(const scree_graph *g) {
  return g->vertices.n < LARGE && g->weight <= SCREE_WEIGHT_UINT32 && !g->wide &&
         g->weight_max * (double)g->vertices.n < (double)UINT32_MAX;
}

uint64_t scree__shared_bytes(const scree_graph *g, uint64_t locals) {
  return scree__bins_capacity(scree_graph_slots(g)) * sizeof(scree__bin_entry) + sizeof(scree__bins) +
         locals * (sizeof(AO_t) + sizeof(uint32_t)) + sizeof(board) + 2 * sizeof(line);
}

/* Buckets as wide as the mean weight; more than the bins can hold at a time: false. */
static scree_status choose_width(const scree__run *run, shared *s, bool *few) {
  double mean = 0;
  const bool any = run->graph->weight_max > 0;
  const scree_status status = any ? scree__mean_weight(run->graph, &mean) : SCREE_OK;
  const double weight = mean * run->graph->weight_max;
  while (s->shift < 31 && 1.5 * (double)(UINT64_C(1) << s->shift) <= weight) s->shift++;
  const double span = run->graph->weight_max / (double)(UINT64_C(1) << s->shift) + 2;
  *few = span + 2 * BUCKETS_AHEAD < SCREE__BINS;
  scree__sssp_of(run)->delta = (double)(UINT64_C(1) << s->shift);
  return status;
}

/* The simulator has no cores. */
static uint32_t ranks_that_work(const scree__run *run, const shared *s) {
  const uint64_t cores = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN), some = run->graph->vertices.n / A_RANK + 1;
  const uint64_t most = s->array->simulated ? UINT32_MAX : cores < some ? cores : some;
  return most < s->array->ranks ? (uint32_t)most : s->array->ranks;
}

static scree_status open_array(scree__run *run, shared *s) {
  const uint64_t slots = scree_graph_slots(run->graph), lines = 2 * run->worker->ranks * sizeof(line);
  const uint64_t mine = UINT64_C(1) << run->graph->local_bits, first = run->worker->rank * mine;
  const scree_status status =
      scree__run_share(run, sizeof(board) + lines + slots * (sizeof *s->word + sizeof *s->list), &s->array);
  if (status || s->array->ranks < run->worker->ranks) return status; /* memory is short: the ranks share no more */
  s->board = (board *)s->array->at;
  s->word = (AO_t *)(s->array->at + sizeof(board) + lines);
  s->list = (uint32_t *)(s->word + slots);
  s->ranks = ranks_that_work(run, s);
  s->part = (uint32_t)(slots / s->ranks / 2);
  s->enough = (uint32_t)(run->graph->vertices.n / s->ranks / 8);
  s->enough = s->enough < STEP_MIN ? STEP_MIN : s->enough > STEP_MAX ? STEP_MAX : s->enough;
  for (uint64_t u = 0; u < mine; u++) AO_store(&s->word[first + u], ~(AO_t)0);
  if (run->worker->rank == 0) AO_store(&s->board->arrived, 0); /* an array of the world has old values */
  return SCREE_OK;
}

scree_status scree__shared_make(scree__run *run) {
  const scree__node_rows *rows;
  bool few;
  if (!scree__shared_fits(run->graph)) return SCREE_OK;
  scree_status status = scree__node_rows_of(run->graph, &rows);
  if (status || !rows->array) return status;
  shared *s = scree__run_alloc(run, sizeof *s), none = {0};
  status = choose_width(run, s ? s : &none, &few);
  if (status == SCREE_OK) status = scree__run_ready(run, s != NULL, "a board");
  if (status || !few) return status;
  s->rows = rows;
  status = open_array(run, s);
  if (status || !s->word) return status;
  if (run->has_source) {
    const uint64_t at = scree_graph_pack(run->graph, scree_location_make(run->worker->rank, run->source));
    AO_store(&s->word[at], at);
    AO_store(&s->board->source, at);
  }
  if (run->worker->rank < s->ranks) s->bins = scree__bins_make(run, s->word);
  scree__sssp_of(run)->shared = s;
  return scree__run_ready(run, true, "buckets"); /* all have written their words */
}
