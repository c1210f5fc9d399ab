/* offsets.c - the offsets of a serialized graph, read as they are needed: their check, and the tail of an arc. */
#include <endian.h>
#include <inttypes.h>

#include "graph/consensus.h"
#include "read/serialized/serialized.h"

enum { ROWS = SCREE__SERIALIZED_HEADER /* the byte where the rows by tails begin */ };

scree_status scree__serialized_offset(scree__serialized_offsets *s, uint64_t u, uint64_t *offset) {
  if (u - s->first >= s->have) {
    const uint64_t left = s->h.n + 1 - u, count = left < SCREE__SERIALIZED_MANY ? left : SCREE__SERIALIZED_MANY;
    s->have = 0;
    s->byte = scree__serialized_offset_at(ROWS, u);
    scree_status status =
        scree__reader_bytes(s->reader, &s->reader->file, s->offsets, count * sizeof *s->offsets, s->byte);
    if (status) return status;
    s->first = u;
    s->have = count;
  }
  *offset = le64toh(s->offsets[u - s->first]);
  return SCREE_OK;
}

/* The first offset is 0, the last one the number of arcs, and none is below the one before it. */
scree_status scree__serialized_check_offset(scree__serialized_offsets *s, uint64_t u, uint64_t offset,
                                            uint64_t before) {
  const uint64_t max = u ? s->h.arcs : 0, min = u < s->h.n ? before : max;
  if (offset >= min && offset <= max) return SCREE_OK;
  s->byte = scree__serialized_offset_at(ROWS, u);
  return scree__why(s->reader->graphs, SCREE_EINVAL,
                    "%s: byte %" PRIu64 ": found offset %" PRId64 " of vertex %" PRIu64 ", expected %" PRIu64
                    " .. %" PRIu64,
                    s->reader->file.path, s->byte, (int64_t)offset, u, min, max);
}

scree_status scree__serialized_check_offsets(scree__serialized_offsets *s) {
  scree_worker *w = s->reader->graphs->worker;
  uint64_t from, to, before = 0;
  scree_distribution_block_range(s->h.n + 1, w->rank, w->ranks, &from, &to);
  scree_status status = from && from < to ? scree__serialized_offset(s, from - 1, &before) : SCREE_OK;
  for (uint64_t u = from, offset = 0; u < to && !status; u++, before = offset) {
    status = scree__serialized_offset(s, u, &offset);
    if (!status) status = scree__serialized_check_offset(s, u, offset, before);
  }
  return scree__consensus_by_key(s->reader->graphs, status, s->byte, NULL);
}

scree_status scree__serialized_tail(scree__serialized_offsets *s, uint64_t e, uint64_t *tail) {
  uint64_t low = 0, high = s->h.n, offset = 0; /* offset of low <= e < offset of high */
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    scree_status status = scree__serialized_offset(s, middle, &offset);
    if (status) return status;
    if (offset <= e)
      low = middle;
    else
      high = middle;
  }
  *tail = low;
  return SCREE_OK;
}
