/* hybrid.c - level-synchronous BFS by all workers of each rank over one bitmap, one array of levels and one of parents
 * (Amer, PhD thesis 2015, ch. V). No instruction here is an atomic read-modify-write.
 *
 * Workers of a rank race for vertices only with relaxed loads and stores. Two that set bits of one word of `seen` at
 * the same time may lose a bit; the next worker that is offered that vertex then reads its level, which decides. Two
 * that both find a level unset both set it, to the same value; both store a parent, and either is one; and both put the
 * vertex into their queue. Each has also stored its number in `finder`: the number that stays there determines whose
 * entry counts, and the other entry is skipped when the queues are read, one level later, when all stores are ordered
 * before the loads by the end of the epoch. A bit of another rank's vertex that is lost costs a message.
 *
 * All tables are the rank's, but for two queues of each worker, which are touched as far as they are filled. A line of
 * `seen` that one worker writes must come back from its core before another one reads it. So where the bitmaps of all
 * workers together take at most an eighth of the graph, each worker reads one of its own first, and `seen` once for
 * each vertex. */
#include <atomic_ops.h>

#include "bfs/variants.h"
#include "graph/structure.h"
#include "kernel/bits.h"
#include "kernel/memory.h"
#include "kernel/whole.h"

enum { AHEAD = 8, CHUNK = 128 }; /* vertices: between prefetching a row and reading it; that a worker takes in a row */

typedef struct {
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
} offer_item;
SCREE_MESSAGE_ROUTED(offer, offer_item);

/* The state of one worker. A level's vertices are in one half, those that it finds are put into the other. */
typedef struct {
  __attribute__((aligned(64))) uint32_t *half[2];
  uint64_t *known; /* bits of `seen` that this worker has read or set; NULL: none are kept */
  uint64_t found[2];
  int64_t depth; /* level of the vertices that it finds */
} queue;

typedef struct {
  AO_t *seen;            /* a bit for each packed location, as in scree__frontier */
  unsigned char *finder; /* of local vertices: the worker whose entry counts */
  bool prune;
  uint32_t workers;
  scree__run *runs; /* of each worker */
  scree_status *status;
  queue queues[]; /* of each worker */
} hybrid;

static bool is_seen(const hybrid *h, uint64_t i) {
  return AO_load(&h->seen[i / 64]) >> i % 64 & 1;
}
static void set_seen(hybrid *h, uint64_t i) {
  AO_store(&h->seen[i / 64], AO_load(&h->seen[i / 64]) | (AO_t)1 << i % 64);
}

/* Returns whether a worker of the rank has met i, and marks i as met. */
static inline bool meet(hybrid *h, uint64_t *known, uint64_t i) {
  const uint64_t bit = UINT64_C(1) << i % 64;
  if (known) {
    if (known[i / 64] & bit) return true;
    known[i / 64] |= bit;
  }
  if (is_seen(h, i)) return true;
  set_seen(h, i);
  return false;
}

/* Local v is offered a parent. False: it has one. */
static bool take_vertex(scree__run *run, hybrid *h, uint32_t v, scree_location parent) {
  queue *q = &h->queues[run->worker->index];
  AO_t *level = (AO_t *)(void *)&scree__level(run)[v];
  if ((int64_t)AO_load(level) >= 0) return false;
  AO_store(level, (AO_t)q->depth);
  AO_store((AO_t *)&scree__parent(run)[v], scree_graph_vertex(run->graph, parent));
  AO_char_store(&h->finder[v], (unsigned char)run->worker->index);
  q->half[q->depth & 1][q->found[q->depth & 1]++] = v;
  return true;
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  hybrid *h = run->own;
  const offer_item *item = items;
  uint64_t *known = h->queues[run->worker->index].known;
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t v = item[i].target;
    if (!meet(h, known, first | v)) take_vertex(run, h, v, scree_location_make(sender, item[i].parent));
  }
  run->work.rejected += count; /* accepted ones are subtracted later: correct_rejected */
}

/* `wide` and `prune` are constants. */
static inline __attribute__((always_inline)) void push_row(scree__run *run, hybrid *h, uint32_t u, bool wide,
                                                           bool prune) {
  const scree_graph *g = run->graph;
  const uint64_t begin = g->offsets[u], end = g->offsets[u + 1], mask = (UINT64_C(1) << g->local_bits) - 1;
  const uint32_t bits = g->local_bits, rank = run->worker->rank;
  const offer_type type = {run->types[0]};
  uint64_t *known = h->queues[run->worker->index].known, sent = 0, direct = 0;
  for (uint64_t e = begin; e < end; e++) {
    const uint64_t head = scree__head_get(g->targets, wide, e);
    const uint32_t owner = (uint32_t)(head >> bits), local = (uint32_t)(head & mask);
    if (prune) {
      if (meet(h, known, head)) continue;
      if (owner == rank) {
        take_vertex(run, h, local, scree_location_make(rank, u));
        direct++;
        continue;
      }
    }
    offer_send(run->worker, type, owner, (offer_item){local, u});
    sent++;
  }
  run->work.messages += sent;
  run->work.direct += direct;
  run->work.rejected += direct;
  run->work.edges += end - begin;
  run->work.pruned += end - begin - sent - direct;
}

/* The entries from..to of a queue that worker `owner` filled, as far as they count. */
static inline __attribute__((always_inline)) void push_chunk(scree__run *run, hybrid *h, const uint32_t *entry,
                                                             uint64_t count, uint32_t owner, bool wide, bool prune) {
  const scree_graph *g = run->graph;
  for (uint64_t i = 0; i < count; i++) {
    if (i + 2 * AHEAD < count) {
      __builtin_prefetch(&g->offsets[entry[i + 2 * AHEAD]]);
      __builtin_prefetch(&h->finder[entry[i + 2 * AHEAD]]);
    }
    if (i + AHEAD < count) {
      const char *row = (const char *)g->targets + g->offsets[entry[i + AHEAD]] * (wide ? 8 : 4);
      __builtin_prefetch(row);
      __builtin_prefetch(row + 64);
    }
    if (AO_char_load(&h->finder[entry[i]]) != owner) continue;
    run->work.useful++;
    push_row(run, h, entry[i], wide, prune);
  }
}

/* The queues of all workers are divided into chunks, which workers take in turn. */
static void push_level(scree__run *run, hybrid *h, uint32_t half) {
  uint64_t begun = scree__work_begin(run), chunk = 0;
  for (uint32_t w = 0; w < h->workers; w++) {
    const queue *q = &h->queues[w];
    for (uint64_t at = 0; at < q->found[half]; at += CHUNK, chunk++) {
      if (chunk % h->workers != run->worker->index) continue;
      const uint64_t left = q->found[half] - at, count = left < CHUNK ? left : CHUNK;
      const uint32_t *entry = q->half[half] + at;
      if (run->graph->wide)
        h->prune ? push_chunk(run, h, entry, count, w, true, true) : push_chunk(run, h, entry, count, w, true, false);
      else
        h->prune ? push_chunk(run, h, entry, count, w, false, true) : push_chunk(run, h, entry, count, w, false, false);
    }
  }
  scree__work_end(run, begun);
}

/* What is found contributes to the sum until the end of the epoch. A vertex that was found twice counts twice: the sum
 * is only compared with 0. */
static scree_status end_level(scree__run *run, const queue *q, scree_reduce *total) {
  const uint64_t *found = &q->found[q->depth & 1];
  bool over = false;
  while (!over) {
    *total = (scree_reduce){.sum = {*found}, .min = UINT64_MAX};
    over = scree_test(run->worker, true, total);
  }
  return scree_error(scree_world_of(run->worker));
}

/* Each worker runs this. */
static void search(scree_worker *worker, void *arg) {
  hybrid *h = ((scree__run *)arg)->own;
  scree__run *run = &h->runs[worker->index];
  queue *q = &h->queues[worker->index];
  scree_reduce total = {.sum = {1}, .min = UINT64_MAX};
  scree_status status = SCREE_OK;
  while (total.sum[0] && status == SCREE_OK) {
    const uint32_t half = (uint32_t)(q->depth & 1);
    q->found[++q->depth & 1] = 0; /* that half was read in the epoch before last, which is over on all workers */
    status = scree_begin(worker);
    if (status) break;
    push_level(run, h, half);
    status = end_level(run, q, &total);
    run->work.epochs++;
    if (worker->index == 0) scree__run_watch(run);
  }
  h->status[worker->index] = status;
}

/* Each vertex that was reached, except the source, accounts for one accepted offer. */
static void correct_rejected(scree__run *run) {
  run->work.useful -= run->has_source;
  run->work.rejected -= run->work.useful;
}

static scree_status solve(scree__run *run) {
  hybrid *h = run->own;
  scree_status status = scree_run_workers(scree_world_of(run->worker), h->workers, search, run);
  scree__run_add_workers(run);
  correct_rejected(run);
  return status ? status : h->status[0];
}

static size_t bitmap_bytes(const scree_graph *g) {
  return (size_t)(scree_graph_slots(g) / 64 + 1) * 8;
}

static void make_queue(const scree__run *run, queue *q, bool keeps) {
  const size_t bytes = (size_t)(run->graph->locals + 1) * sizeof(uint32_t);
  if (keeps) q->known = scree__run_alloc(run, bitmap_bytes(run->graph));
  for (int i = 0; i < 2; i++) q->half[i] = scree__run_alloc(run, bytes);
}

static void init(hybrid *h, scree__run *run) {
  const scree_graph *g = run->graph;
  h->workers = run->worker->threads;
  h->runs = run;
  h->prune = !((const scree_bfs_options *)run->options)->no_pruning;
  h->status = scree__run_alloc(run, h->workers * sizeof *h->status);
  h->seen = scree__run_alloc(run, bitmap_bytes(g));
  h->finder = scree__run_alloc(run, (size_t)g->locals + 1);
  const bool keeps = h->workers > 1 && h->workers * bitmap_bytes(g) <= scree__part_bytes(g) / SCREE__WHOLE_SHARE;
  for (uint32_t w = 0; w < h->workers; w++) make_queue(run, &h->queues[w], keeps);
  if (!run->has_source || run->memory->lacking) return;
  h->queues[0].half[0][h->queues[0].found[0]++] = run->source;
  set_seen(h, (uint64_t)scree_graph_rank(g) << g->local_bits | run->source);
}

static scree_status setup(scree__run *run) {
  hybrid *h = scree__run_alloc(run, sizeof *h + run->worker->threads * sizeof(queue));
  for (uint32_t w = 0; w < run->worker->threads; w++) run[w].own = h;
  if (h) init(h, run);
  return scree__run_ready(run, true, "a frontier");
}

static const scree_kernel_option options[] = {SCREE__NO_PRUNING(scree_bfs_options), SCREE__OPTIONS_END};

const scree__variant scree__bfs_hybrid = {
    .about = {"hybrid", "level by all workers of a rank (threads) as published, to compare"},
    .options = options,
    .workers = true,
    .messages = {{"bfs.hybrid", sizeof(offer_item), take, NULL}},
    .setup = setup,
    .solve = solve,
    .memory = {.local = 1, .worker = 8, .whole_bits = 1, .saving_bits = 8},
};
