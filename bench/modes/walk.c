/* walk.c - the random walks of `scree walk` by plain messages, each of which takes a walk to the owner of its vertex,
 * and by rounds of plain MPI, as Morari et al. (2014, section V.C) describe their rival: a rank goes on with all of
 * its walks until they have left it, then all are exchanged. */
#include "irregular/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_side.h"
#include "modes.h"

enum { DEGREE = 16, STEPS = 32, SEED = 1, AHEAD = 16 };

typedef struct {
  uint64_t random;
  uint32_t vertex, walk, left, unused; /* left: steps */
} walker;
SCREE_MESSAGE(walkers, walker);

/* Vertex v is of rank v % ranks. */
typedef struct {
  scree_world *world;
  scree_worker *w;
  walkers_type t;
  uint32_t rank, ranks;
  uint64_t vertices, done, sum, right; /* walks that have ended here, and a sum of their last vertices; that of all */
  uint64_t *graph;                     /* rows of own vertices */
  walker *here, *away, *received;      /* of MPI: of this rank; to each rank; from all */
  int *counts;                         /* and places: of `away`, of `received` */
} context;

static uint64_t *word_of(const context *c, const walker *k) {
  return &c->graph[(uint64_t)(k->vertex / c->ranks) * DEGREE + scree__walk_below(scree__walk_next(k->random), DEGREE)];
}
static void step(const context *c, walker *k) {
  k->vertex = (uint32_t)*word_of(c, k);
  k->random = scree__walk_next(k->random);
  k->left--;
}
static void end(context *c, const walker *k) {
  c->done++;
  c->sum += scree__hash_draw(k->walk, k->vertex);
}
static walker first(const context *c, uint64_t walk) {
  (void)c;
  return (walker){scree__walk_random(SEED, walk), (uint32_t)(2 * walk), (uint32_t)walk, STEPS, 0};
}
static uint64_t walks_of(const context *c) {
  return c->vertices / 2;
}

/* ---- messages ---- */

static void on_walkers(scree_worker *w, const scree_batch *batch, const walker *items, void *arg) {
  context *c = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    __builtin_prefetch(word_of(c, &items[scree_batch_ahead(batch, i, AHEAD)]));
    walker k = items[i];
    step(c, &k);
    if (k.left)
      walkers_send(w, c->t, k.vertex % c->ranks, k);
    else
      end(c, &k);
  }
}
SCREE_HANDLER(walkers, walker, on_walkers);

static void run_messages(void *arg, uint64_t n) {
  context *c = arg;
  (void)n;
  scree_begin(c->w);
  for (uint64_t i = 0; i < walks_of(c); i++)
    if (2 * i % c->ranks == c->rank) walkers_send(c->w, c->t, c->rank, first(c, i));
  scree_end(c->w, NULL);
}

/* ---- rounds of MPI ---- */

/* Continues each walk until it leaves this rank; `away` then holds the walks that left, by rank. */
static void go_on(context *c, uint64_t count) {
  const uint64_t room = walks_of(c) / c->ranks + c->ranks;
  for (uint64_t i = 0; i < count; i++) {
    walker k = c->here[i];
    do step(c, &k);
    while (k.left && k.vertex % c->ranks == c->rank);
    const uint32_t to = k.vertex % c->ranks;
    if (k.left)
      c->away[to * 2 * room + (uint64_t)c->counts[to]++] = k;
    else
      end(c, &k);
  }
}

static void run_mpi(void *arg, uint64_t n) {
  context *c = arg;
  const uint32_t ranks = c->ranks;
  const uint64_t room = walks_of(c) / ranks + ranks;
  int *out = c->counts, *places = out + ranks, *in = places + ranks, *at = in + ranks;
  uint64_t count = 0, all = 0;
  (void)n;
  for (uint64_t i = 0; i < walks_of(c); i++)
    if (2 * i % ranks == c->rank) c->here[count++] = first(c, i);
  for (uint64_t done = c->done; all < walks_of(c);) {
    memset(out, 0, ranks * sizeof *out);
    go_on(c, count);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, bench_comm);
    for (uint32_t r = 0, sum = 0; r < ranks; r++) {
      out[r] *= (int)sizeof(walker), in[r] *= (int)sizeof(walker);
      places[r] = (int)(2 * room * sizeof(walker)) * (int)r;
      at[r] = (int)sum, sum += (uint32_t)in[r];
      count = sum / sizeof(walker);
    }
    MPI_Alltoallv(c->away, out, places, MPI_BYTE, c->received, in, at, MPI_BYTE, bench_comm);
    walker *swap = c->here;
    c->here = c->received, c->received = swap;
    const uint64_t mine = c->done - done;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, bench_comm);
  }
}

/* ---- both ---- */

static bool check(void *arg, uint64_t n) {
  context *c = arg;
  const uint64_t mine[] = {c->done, c->sum};
  uint64_t all[2];
  (void)n;
  bench_sum(mine, all, 2);
  c->done = c->sum = 0;
  return all[0] == walks_of(c) && all[1] == c->right;
}

static bool open_context(context *c, const bench *b, const char *transport) {
  *c = (context){.world = bench_open(transport, NULL), .rank = (uint32_t)b->rank, .ranks = (uint32_t)b->ranks};
  c->vertices = UINT64_C(1) << (b->scale ? b->scale : 18);
  const uint64_t own = c->vertices / c->ranks + 1, room = 2 * (walks_of(c) / c->ranks + c->ranks);
  c->graph = malloc(own * DEGREE * sizeof *c->graph);
  c->here = malloc(room * c->ranks * sizeof *c->here);
  c->away = malloc(room * c->ranks * sizeof *c->away);
  c->received = malloc(room * c->ranks * sizeof *c->received);
  c->counts = malloc(4 * c->ranks * sizeof *c->counts);
  if (!bench_all(c->world && c->graph && c->here && c->away && c->received && c->counts)) return false;
  c->w = scree_worker_of(c->world, 0);
  for (uint64_t v = c->rank; v < c->vertices; v += c->ranks)
    for (uint64_t i = 0; i < DEGREE; i++)
      c->graph[v / c->ranks * DEGREE + i] = scree__walk_neighbour(SEED, v * DEGREE + i, c->vertices);
  for (uint64_t i = 0; i < walks_of(c); i++) {
    walker k = first(c, i);
    for (; k.left; k.left--) {
      k.random = scree__walk_next(k.random);
      k.vertex = (uint32_t)scree__walk_neighbour(
          SEED, (uint64_t)k.vertex * DEGREE + scree__walk_below(k.random, DEGREE), c->vertices);
    }
    c->right += scree__hash_draw(k.walk, k.vertex);
  }
  return walkers_register(c->world, c, &c->t) == SCREE_OK;
}

static bool measure(bench *b, const char *transport) {
  context c;
  kernel_side k[2] = {{0}};
  if (!open_context(&c, b, transport)) return false;
  bench_variant v[] = {
      {.name = "scree, gets", .n = 1},
      {.name = "scree, gathers", .n = 1},
      {.name = "messages", .run = run_messages, .check = check, .arg = &c, .n = 1},
      {.name = "rounds of MPI", .run = run_mpi, .check = check, .arg = &c, .n = 1, .mpi = true},
  };
  for (int i = 0; i < 2; i++)
    if (!kernel_side_open(&k[i], &v[i], bench_irregular("walk"), transport,
                          "algorithm=%s vertices=%llu degree=%d steps=%d seed=%d global-direct=off",
                          i ? "gathers" : "gets", (unsigned long long)c.vertices, DEGREE, STEPS, SEED))
      return false;
  const bool good = kernel_side_rows(b, transport, v, 4, (double)(walks_of(&c) * STEPS));
  for (int i = 0; i < 2; i++) kernel_side_close(&k[i]);
  free(c.graph);
  free(c.here);
  free(c.away);
  free(c.received);
  free(c.counts);
  return scree_close(c.world) == SCREE_OK && good;
}

bool bench_walk(bench *b) {
  return kernel_side_table(b, measure);
}
