/* block.h - a worker's block of a periodic grid of cells, with a layer of its neighbours' around it: what `scree
 * stencil`, its serial replay and its rivals compute on. Axes are 0, 1 and 2, the cells of axis 2 being next to each
 * other; side 0 of an axis is below, side 1 above. */
#ifndef SCREE__IRREGULAR_BLOCK_H
#define SCREE__IRREGULAR_BLOCK_H
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { SCREE__AXES = 3, SCREE__FACES = 6 };

typedef struct {
  uint64_t parts[SCREE__AXES], place[SCREE__AXES]; /* of the grid; of this block among them */
  uint64_t first[SCREE__AXES], cells[SCREE__AXES]; /* in the grid; of the block */
  uint64_t stride[SCREE__AXES];
  double *now, *next;
} scree__block;

/* Divides a grid of edge^3 cells into `workers` parts with the least surface; of equal ones, that which cuts axis 0
 * first: its faces are contiguous rows. */
static inline void scree__block_divide(uint64_t workers, uint64_t edge, uint64_t parts[SCREE__AXES]) {
  double best = 0;
  for (uint64_t a = 1; a <= workers; a++)
    for (uint64_t b = 1; workers % a == 0 && b <= workers / a; b++) {
      if (workers / a % b) continue;
      const uint64_t c = workers / a / b;
      const double faces = (double)(a > 1 ? a : 0) + (double)(b > 1 ? b : 0) + (double)(c > 1 ? c : 0);
      if (a > edge || b > edge || c > edge || (best > 0 && faces > best)) continue;
      best = faces;
      parts[0] = a, parts[1] = b, parts[2] = c;
    }
  if (best == 0) parts[0] = workers > 1 ? 0 : 1, parts[1] = parts[2] = 1; /* 0: there is no such division */
}

static inline uint64_t scree__block_share(uint64_t n, uint64_t parts, uint64_t i) {
  return n / parts * i + (i < n % parts ? i : n % parts);
}

/* Cells of the largest face of any block. */
static inline uint64_t scree__block_face_max(const uint64_t parts[SCREE__AXES], uint64_t edge) {
  uint64_t max = 0;
  for (int d = 0; d < SCREE__AXES; d++) {
    uint64_t n = 1;
    for (int e = 0; e < SCREE__AXES; e++) n *= e == d ? 1 : (edge + parts[e] - 1) / parts[e];
    if (n > max) max = n;
  }
  return max;
}

static inline uint64_t scree__block_bytes(const uint64_t parts[SCREE__AXES], uint64_t edge) {
  uint64_t n = 2 * sizeof(double);
  for (int d = 0; d < SCREE__AXES; d++) n *= (edge + parts[d] - 1) / parts[d] + 2;
  return n;
}

/* The block of a worker. False: no memory. */
static inline bool scree__block_open(scree__block *b, const uint64_t parts[SCREE__AXES], uint64_t edge,
                                     uint64_t worker) {
  uint64_t size = 1;
  for (int d = SCREE__AXES - 1; d >= 0; d--) {
    b->parts[d] = parts[d];
    b->place[d] = worker % parts[d];
    worker /= parts[d];
    b->first[d] = scree__block_share(edge, parts[d], b->place[d]);
    b->cells[d] = scree__block_share(edge, parts[d], b->place[d] + 1) - b->first[d];
    b->stride[d] = size;
    size *= b->cells[d] + 2;
  }
  b->now = calloc(size, sizeof *b->now);
  b->next = calloc(size, sizeof *b->next);
  return b->now && b->next;
}
static inline void scree__block_close(scree__block *b) {
  free(b->now);
  free(b->next);
}

/* The worker whose block is next to this one. */
static inline uint64_t scree__block_neighbour(const scree__block *b, int axis, int side) {
  uint64_t worker = 0;
  for (int d = 0; d < SCREE__AXES; d++) {
    const uint64_t move = d != axis ? 0 : side ? 1 : b->parts[d] - 1;
    worker = worker * b->parts[d] + (b->place[d] + move) % b->parts[d];
  }
  return worker;
}

static inline double *scree__block_row(const scree__block *b, double *cells, uint64_t i, uint64_t j) {
  return cells + (i + 1) * b->stride[0] + (j + 1) * b->stride[1] + 1;
}

/* The heat of a cell at first. */
static inline double scree__block_heat(uint64_t seed, uint64_t edge, uint64_t i, uint64_t j, uint64_t k) {
  return (double)(scree__hash_draw(seed, (i * edge + j) * edge + k) >> 11) * 0x1p-53;
}
static inline void scree__block_fill(scree__block *b, uint64_t seed, uint64_t edge) {
  for (uint64_t i = 0; i < b->cells[0]; i++)
    for (uint64_t j = 0; j < b->cells[1]; j++)
      for (uint64_t k = 0; k < b->cells[2]; k++)
        scree__block_row(b, b->now, i, j)[k] =
            scree__block_heat(seed, edge, b->first[0] + i, b->first[1] + j, b->first[2] + k);
}

/* One step of all cells; the halo is that of `now`. */
static inline void scree__block_step(scree__block *b) {
  const uint64_t y = b->stride[1], z = b->stride[0];
  for (uint64_t i = 0; i < b->cells[0]; i++)
    for (uint64_t j = 0; j < b->cells[1]; j++) {
      double *restrict to = scree__block_row(b, b->next, i, j);
      const double *restrict u = scree__block_row(b, b->now, i, j), *restrict below = u - y, *restrict above = u + y;
      const double *restrict under = u - z, *restrict over = u + z, *restrict left = u - 1, *restrict right = u + 1;
      for (uint64_t k = 0; k < b->cells[2]; k++)
        to[k] = u[k] + 0.125 * (left[k] + right[k] + (below[k] + above[k]) + (under[k] + over[k]) - 6 * u[k]);
    }
  double *swap = b->now;
  b->now = b->next, b->next = swap;
}

/* Copies a face: of the block's own cells to `face`, or what a neighbour has sent to the layer around them. Returns
 * its cells. */
static inline uint64_t scree__block_face(scree__block *b, int axis, int side, double *face, bool in) {
  const int a = axis == 0 ? 1 : 0, c = axis == 2 ? 1 : 2;
  const uint64_t at = in ? (side ? b->cells[axis] + 1 : 0) : side ? b->cells[axis] : 1;
  uint64_t n = 0;
  for (uint64_t i = 1; i <= b->cells[a]; i++) {
    double *row = b->now + at * b->stride[axis] + i * b->stride[a] + b->stride[c];
    if (c == 2 && in) memcpy(row, face + n, b->cells[c] * sizeof *row);
    if (c == 2 && !in) memcpy(face + n, row, b->cells[c] * sizeof *row);
    for (uint64_t j = 0; c != 2 && j < b->cells[c]; j++)
      if (in)
        row[j * b->stride[c]] = face[n + j];
      else
        face[n + j] = row[j * b->stride[c]];
    n += b->cells[c];
  }
  return n;
}

#endif
