/* serialized.h - the serialized graphs of the GAP Benchmark Suite, for reader and writer: .sg without weights, .wsg
 * with integers. Little-endian, two's complement, no padding:
 *
 *   byte 0     1: directed, 0: undirected
 *   byte 1     int64: arcs; of an undirected graph both of each edge
 *   byte 9     int64: vertices
 *   byte 17    int64 for each vertex and one more: offset of its first arc; the last is the number of arcs
 *   then       each arc: int32 head; in .wsg also int32 weight
 *   then       of a directed graph offsets and arcs once more, by heads */
#ifndef SCREE__SERIALIZED_H
#define SCREE__SERIALIZED_H
#include <stdbool.h>
#include <stdint.h>

#define SCREE__SERIALIZED_VERTICES_MAX (UINT64_C(1) << 31)
enum { SCREE__SERIALIZED_HEADER = 17, SCREE__SERIALIZED_ARCS_AT = 1, SCREE__SERIALIZED_VERTICES_AT = 9 };

typedef struct scree__serialized {
  uint64_t n, arcs;
  bool directed, weighted;
} scree__serialized;

static inline uint64_t scree__serialized_arc_bytes(const scree__serialized *h) {
  return h->weighted ? 2 * sizeof(int32_t) : sizeof(int32_t);
}
/* The bytes of the offsets and arcs of one direction. */
static inline uint64_t scree__serialized_rows_bytes(const scree__serialized *h) {
  return (h->n + 1) * sizeof(int64_t) + h->arcs * scree__serialized_arc_bytes(h);
}
static inline uint64_t scree__serialized_bytes(const scree__serialized *h) {
  return SCREE__SERIALIZED_HEADER + (h->directed ? 2 : 1) * scree__serialized_rows_bytes(h);
}
/* The positions of offset u, of the rows that begin at byte `rows`, and of arc e. */
static inline uint64_t scree__serialized_offset_at(uint64_t rows, uint64_t u) {
  return rows + u * sizeof(int64_t);
}
static inline uint64_t scree__serialized_arc_at(const scree__serialized *h, uint64_t rows, uint64_t e) {
  return scree__serialized_offset_at(rows, h->n + 1) + e * scree__serialized_arc_bytes(h);
}

#endif
