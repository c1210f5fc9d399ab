/* header.c - the header of a serialized graph: whether the file has the bytes for its counts, and the size of the
 * graph. */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "build/weights.h"
#include "graph/consensus.h"
#include "read/serialized/serialized.h"

/* The int64 at byte `at` of the header. SCREE_EINVAL unless it is min .. max. */
static scree_status read_count(scree__reader *reader, const char *header, uint64_t at, const char *what, uint64_t min,
                               uint64_t max, uint64_t *count) {
  memcpy(count, header + at, sizeof *count);
  *count = le64toh(*count);
  if (*count >= min && *count <= max) return SCREE_OK;
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s: byte %" PRIu64 ": found %" PRId64 " %s, expected %" PRIu64 " .. %" PRIu64, reader->file.path,
                    at, (int64_t)*count, what, min, max);
}

static scree_status check_size(scree__reader *reader, const scree__serialized *h) {
  const uint64_t size = reader->file.size, expected = scree__serialized_bytes(h);
  if (size == expected) return SCREE_OK;
  scree__serialized other = *h;
  other.weighted = !h->weighted;
  const char *instead = h->weighted ? "; it may have no weights: --format sg" : "; it may have weights: --format wsg";
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s: found %" PRIu64 " bytes, expected %" PRIu64 " for %" PRIu64 " vertices and %" PRIu64
                    " arcs, %sdirected, with%s weights%s",
                    reader->file.path, size, expected, h->n, h->arcs, h->directed ? "" : "un", h->weighted ? "" : "out",
                    size == scree__serialized_bytes(&other) ? instead : "");
}

scree_status scree__serialized_header(scree__reader *reader, bool weighted, scree__serialized *h) {
  const char *path = reader->file.path;
  const uint64_t size = reader->file.size;
  char header[SCREE__SERIALIZED_HEADER];
  if (reader->file.compression)
    return scree__why(reader->graphs, SCREE_EINVAL, "%s: found a compressed serialized graph; decompress it first",
                      path);
  if (size < sizeof header)
    return scree__why(reader->graphs, SCREE_EINVAL, "%s: found %" PRIu64 " bytes, expected %zu or more: a header", path,
                      size, sizeof header);
  scree_status status = scree__reader_bytes(reader, &reader->file, header, sizeof header, 0);
  if (status) return status;
  if (*header & ~1)
    return scree__why(reader->graphs, SCREE_EINVAL, "%s: byte 0: found %u, expected 0 (undirected) or 1 (directed)",
                      path, (unsigned)(unsigned char)*header);
  *h = (scree__serialized){.directed = *header, .weighted = weighted};
  status = read_count(reader, header, SCREE__SERIALIZED_ARCS_AT, "arcs, for a file of this size", 0,
                      size / scree__serialized_arc_bytes(h), &h->arcs);
  if (!status)
    status =
        read_count(reader, header, SCREE__SERIALIZED_VERTICES_AT, "vertices", 1, SCREE__SERIALIZED_VERTICES_MAX, &h->n);
  return status ? status : check_size(reader, h);
}

scree_graph_shape scree__serialized_shape(const scree__reader *reader, const scree__serialized *h) {
  const scree_graph_options *o = reader->options;
  return (scree_graph_shape){.n = h->n,
                             .distribution = o->distribution,
                             .weight = scree__weight_kind(o, h->weighted ? SCREE_WEIGHT_UINT32 : SCREE_WEIGHT_NONE),
                             .directed = h->directed && o->direction != SCREE_UNDIRECTED};
}

uint64_t scree__serialized_edges(const scree__serialized *h) {
  return h->directed ? h->arcs : (h->arcs + 1) / 2;
}

scree_status scree__serialized_estimate(scree__reader *reader, bool weighted, scree_size_estimate *o) {
  scree__serialized h;
  scree_status status = scree__serialized_header(reader, weighted, &h);
  if (status) return status;
  o->shape = scree__serialized_shape(reader, &h);
  o->edges = scree__serialized_edges(&h);
  o->in_place = scree__serialized_has_rows(reader, &h);
  return SCREE_OK;
}
