/* row_sssp.c - shortest paths, against Dijkstra's algorithm. */
#include <math.h>

#include "kernels.h"

static bool solve(const serial_csr *g, uint64_t source, double *value) {
  return serial_dijkstra(g, (uint32_t)source, value);
}

const kernel_row row_sssp = {
    .name = "sssp",
    .solve = solve,
    .laws = NAMES | ORDER | REVERSE | SCALE | SPLIT | CLUTTER | UNREACHED,
    .choices = {{"delta", "- - *1 *0.333 *0.02 *0.001 *1e308"},
                {"frequency", "- 1 2 1000"},
                {"k", "- 0 1 2 3 1000"},
                {"queue", "- buckets dary"},
                {"no-pruning", "- - on"},
                {"pruning", "- table cache cache off"}},
    .refused = {{"delta", "delta", -2, "option 'delta': '-2' is out of range; legal: auto, above 0"},
                {"delta", "delta", 0, "option 'delta': '0' is out of range"},
                {"delta", "delta", (double)NAN, "legal: auto, above 0"},
                {"delta", "delta", (double)INFINITY, "legal: auto, above 0"},
                {"delta", "delta", 1e-9, "choose a larger one"},
                {"dc", "queue", 3, "option 'queue': '3' is not a known word; legal: buckets|dary"}},
};
