/* serial.c - queue BFS, binary-heap Dijkstra, union-find, PageRank. */
#include "yardstick/serial.h"

#include <math.h>
#include <scree/memory.h>
#include <string.h>

bool serial_scratch_open(serial_scratch *scratch, const serial_csr *csr) {
  *scratch = (serial_scratch){.queue = scree_huge_alloc((csr->n + 1) * sizeof *scratch->queue),
                              .visited = scree_huge_alloc((csr->n / 64 + 1) * sizeof *scratch->visited),
                              .heap = scree_huge_alloc((csr->m + 2) * sizeof *scratch->heap)};
  if (!scratch->queue || !scratch->visited || !scratch->heap) {
    serial_scratch_close(scratch);
    return false;
  }
  memset(scratch->queue, 1, (csr->n + 1) * sizeof *scratch->queue); /* touches the pages */
  memset(scratch->visited, 1, (csr->n / 64 + 1) * sizeof *scratch->visited);
  return true;
}

void serial_scratch_close(serial_scratch *scratch) {
  scree_huge_free(scratch->queue);
  scree_huge_free(scratch->visited);
  scree_huge_free(scratch->heap);
  *scratch = (serial_scratch){0};
}

/* ---- breadth first ---- */

static void begin(const serial_csr *csr, uint32_t source, uint32_t *level, uint32_t *parent, uint32_t *queue) {
  memset(level, 0xff, csr->n * sizeof *level);
  memset(parent, 0xff, csr->n * sizeof *parent);
  level[source] = 0;
  parent[source] = source;
  queue[0] = source;
}

void serial_queue_bfs(const serial_csr *csr, const serial_scratch *scratch, uint32_t source, uint32_t *level,
                      uint32_t *parent) {
  uint32_t *queue = scratch->queue;
  uint64_t tail = 1;
  begin(csr, source, level, parent, queue);
  for (uint64_t head = 0; head < tail; head++) {
    uint32_t u = queue[head], next = level[u] + 1;
    for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++) {
      uint32_t v = csr->targets[e];
      if (level[v] != SERIAL_UNREACHED) continue;
      level[v] = next;
      parent[v] = u;
      queue[tail++] = v;
    }
  }
}

/* A bitmap of visited vertices fits in the cache when the levels of a large graph do not. */
void serial_bitmap_bfs(const serial_csr *csr, const serial_scratch *scratch, uint32_t source, uint32_t *level,
                       uint32_t *parent) {
  uint32_t *queue = scratch->queue;
  uint64_t *visited = scratch->visited, tail = 1;
  begin(csr, source, level, parent, queue);
  memset(visited, 0, (csr->n / 64 + 1) * sizeof *visited);
  visited[source / 64] |= UINT64_C(1) << source % 64;
  for (uint64_t head = 0; head < tail; head++) {
    uint32_t u = queue[head], next = level[u] + 1;
    for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++) {
      uint32_t v = csr->targets[e];
      uint64_t bit = UINT64_C(1) << v % 64;
      if (visited[v / 64] & bit) continue;
      visited[v / 64] |= bit;
      level[v] = next;
      parent[v] = u;
      queue[tail++] = v;
    }
  }
}

bool serial_bfs(const serial_csr *csr, uint32_t source, uint32_t *level, uint32_t *parent) {
  serial_scratch scratch;
  if (!serial_scratch_open(&scratch, csr)) return false;
  serial_bitmap_bfs(csr, &scratch, source, level, parent);
  serial_scratch_close(&scratch);
  return true;
}

/* ---- Dijkstra ---- */

typedef serial_heap_item entry;

/* heap[1 .. count]; each arc pushes at most once. */
static inline void push(entry *heap, uint64_t *count, double key, uint32_t v) {
  uint64_t i = ++*count;
  for (; i > 1 && heap[i / 2].key > key; i /= 2) heap[i] = heap[i / 2];
  heap[i] = (entry){key, v};
}

/* The hole goes down to a leaf along the smaller children; the last entry then rises from there. */
static inline entry pop(entry *heap, uint64_t *count) {
  entry top = heap[1], last = heap[(*count)--];
  uint64_t i = 1, child;
  for (; (child = 2 * i) < *count; i = child) {
    child += heap[child + 1].key < heap[child].key;
    heap[i] = heap[child];
  }
  if (child == *count) {
    heap[i] = heap[child];
    i = child;
  }
  for (; i > 1 && heap[i / 2].key > last.key; i /= 2) heap[i] = heap[i / 2];
  heap[i] = last;
  return top;
}

/* Inlined once per kind of weight. */
static inline __attribute__((always_inline)) void dijkstra(const serial_csr *csr, uint32_t source, double *dist,
                                                           entry *heap, scree_weight_kind kind) {
  uint64_t count = 0;
  for (uint64_t v = 0; v < csr->n; v++) dist[v] = INFINITY;
  dist[source] = 0;
  push(heap, &count, 0, source);
  while (count) {
    entry top = pop(heap, &count);
    if (top.key > dist[top.v]) continue;
    for (uint64_t e = csr->offsets[top.v]; e < csr->offsets[top.v + 1]; e++) {
      uint32_t v = csr->targets[e];
      double d = top.key + (kind == SCREE_WEIGHT_UINT32   ? ((const uint32_t *)csr->weights)[e]
                            : kind == SCREE_WEIGHT_FLOAT  ? (double)((const float *)csr->weights)[e]
                            : kind == SCREE_WEIGHT_DOUBLE ? ((const double *)csr->weights)[e]
                                                          : 1);
      if (d >= dist[v]) continue;
      dist[v] = d;
      push(heap, &count, d, v);
    }
  }
}

void serial_heap_dijkstra(const serial_csr *csr, const serial_scratch *scratch, uint32_t source, double *dist) {
  switch (csr->kind) {
  case SCREE_WEIGHT_UINT32:
    dijkstra(csr, source, dist, scratch->heap, SCREE_WEIGHT_UINT32);
    break;
  case SCREE_WEIGHT_FLOAT:
    dijkstra(csr, source, dist, scratch->heap, SCREE_WEIGHT_FLOAT);
    break;
  case SCREE_WEIGHT_DOUBLE:
    dijkstra(csr, source, dist, scratch->heap, SCREE_WEIGHT_DOUBLE);
    break;
  case SCREE_WEIGHT_NONE:
    dijkstra(csr, source, dist, scratch->heap, SCREE_WEIGHT_NONE);
    break;
  }
}

bool serial_dijkstra(const serial_csr *csr, uint32_t source, double *dist) {
  serial_scratch scratch;
  if (!serial_scratch_open(&scratch, csr)) return false;
  serial_heap_dijkstra(csr, &scratch, source, dist);
  serial_scratch_close(&scratch);
  return true;
}

/* ---- the whole graph ---- */

void serial_greedy_set(const serial_csr *csr, unsigned char *out) {
  memset(out, 0, csr->n);
  for (uint32_t u = 0; u < csr->n; u++)
    for (uint64_t e = csr->offsets[u]; !out[u] && e < csr->offsets[u + 1]; e++)
      if (csr->targets[e] != u) out[csr->targets[e]] = 1;
}

void serial_union_find(const serial_csr *csr, uint32_t *parent) {
  for (uint32_t u = 0; u < csr->n; u++) parent[u] = u;
  for (uint32_t u = 0; u < csr->n; u++)
    for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++) {
      uint32_t a = u, b = csr->targets[e];
      while (parent[a] != parent[b]) {
        uint32_t high = parent[a] > parent[b] ? a : b, low = high == a ? b : a, old = parent[high];
        parent[high] = parent[low];
        if (old == high) break;
        a = old;
        b = low;
      }
    }
  for (uint32_t u = 0; u < csr->n; u++) parent[u] = parent[parent[u]];
}

void serial_pagerank(const serial_csr *csr, int iterations, double *rank, double *share) {
  const double n = (double)csr->n;
  for (uint64_t u = 0; u < csr->n; u++) rank[u] = 1 / n;
  for (int i = 0; i < iterations; i++) {
    double dangling = 0;
    for (uint64_t u = 0; u < csr->n; u++) {
      const uint64_t degree = csr->offsets[u + 1] - csr->offsets[u];
      share[u] = degree ? rank[u] / (double)degree : 0;
      if (!degree) dangling += rank[u];
    }
    for (uint64_t u = 0; u < csr->n; u++) {
      double received = 0;
      for (uint64_t e = csr->offsets[u]; e < csr->offsets[u + 1]; e++) received += share[csr->targets[e]];
      rank[u] = (0.15 + 0.85 * dangling) / n + 0.85 * received;
    }
  }
}
