/* sim_graph_serialized.c - tests of the serialized graphs of the GAP Benchmark Suite, .sg and .wsg, against bytes made
 * by hand, on virtual ranks: what they contain, and the errors about damaged ones. */
#include "graph_files.h"

enum { BYTES = 1 << 18 };

/* A file under construction. */
typedef struct {
  char bytes[BYTES];
  size_t size;
} image;

static void put(image *f, const void *data, size_t bytes) {
  memcpy(f->bytes + f->size, data, bytes);
  f->size += bytes;
}
static void put_int64(image *f, int64_t value) {
  put(f, &value, sizeof value);
}

typedef struct {
  int32_t u, v, weight;
} arc;

/* The rows of the arcs by u, in their order; `back`: by v. */
static void put_rows(image *f, int64_t n, const arc *arcs, int64_t m, bool weighted, bool back) {
  int64_t offset = 0;
  for (int64_t u = 0; u <= n; u++) {
    put_int64(f, offset);
    for (int64_t e = 0; e < m; e++) offset += (back ? arcs[e].v : arcs[e].u) == u;
  }
  for (int64_t u = 0; u < n; u++)
    for (int64_t e = 0; e < m; e++) {
      if ((back ? arcs[e].v : arcs[e].u) != u) continue;
      put(f, back ? &arcs[e].u : &arcs[e].v, sizeof(int32_t));
      if (weighted) put(f, &arcs[e].weight, sizeof(int32_t));
    }
}

static void make(image *f, bool directed_one, int64_t n, const arc *arcs, int64_t m, bool weighted_one) {
  f->size = 0;
  put(f, &directed_one, 1);
  put_int64(f, m);
  put_int64(f, n);
  put_rows(f, n, arcs, m, weighted_one, false);
  if (directed_one) put_rows(f, n, arcs, m, weighted_one, true);
}

/* ---- what they hold ---- */

static const arc one_way[] = {{0, 1, 7}, {1, 0, 2}, {3, 1, 0}, {3, 3, 2147483647}},
                 symmetric[] = {{0, 1, 7}, {1, 0, 7}, {1, 3, 2}, {3, 1, 2}, {3, 3, 5}, {0, 1, 7}, {1, 0, 7}};
enum { ONE_WAY = sizeof one_way / sizeof *one_way, BOTH_WAYS = sizeof symmetric / sizeof *symmetric };

HARNESS_TEST(directed_files) {
  static image f;
  file_case plain[] = {
      {.options = none, .arcs = "0>1:1 1>0:1 3>1:1 3>3:1", .n = 6, .edges = 4},
      {.options = directed, .arcs = "0>1:1 1>0:1 3>1:1 3>3:1", .n = 6, .edges = 4},
      {.options = {.distribution = SCREE_DISTRIBUTION_HASH}, .arcs = "0>1:1 1>0:1 3>1:1 3>3:1", .n = 6, .edges = 4},
      {.options = undirected, .arcs = "0>1:1 0>1:1 1>0:1 1>0:1 1>3:1 3>1:1 3>3:1", .n = 6, .edges = 4},
      {.options = {.weights = SCREE_WEIGHTS_UNIT, .format = SCREE_FORMAT_SG},
       .arcs = "0>1:1 1>0:1 3>1:1 3>3:1",
       .n = 6,
       .edges = 4,
       .weight = SCREE_WEIGHT_UINT32}};
  make(&f, true, 6, one_way, ONE_WAY, false);
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) run(&plain[i], f.bytes, f.size, i == 4 ? ".x" : ".sg");
  file_case heavy[] = {
      {.options = none, .arcs = "0>1:7 1>0:2 3>1:0 3>3:2147483647", .n = 6, .edges = 4, .weight = SCREE_WEIGHT_UINT32},
      {.options = {.weights = SCREE_WEIGHTS_DROP},
       .arcs = "0>1:1 1>0:1 3>1:1 3>3:1",
       .n = 6,
       .edges = 4,
       .weight = SCREE_WEIGHT_NONE}};
  make(&f, true, 6, one_way, ONE_WAY, true);
  for (size_t i = 0; i < sizeof heavy / sizeof *heavy; i++) run(&heavy[i], f.bytes, f.size, ".wsg");
}

/* Weights below 0, and that differ in both directions of an edge, where none are read. */
HARNESS_TEST(bad_weights_are_not_read) {
  static image f;
  arc wrong[BOTH_WAYS];
  memcpy(wrong, symmetric, sizeof wrong);
  wrong[0].weight = -1, wrong[2].weight = 9;
  for (int distribution = SCREE_DISTRIBUTION_BLOCK; distribution <= SCREE_DISTRIBUTION_HASH; distribution++)
    for (int unit = 0; unit < 2; unit++) {
      file_case c = {.options = {.distribution = (scree_distribution_kind)distribution,
                                 .weights = unit ? SCREE_WEIGHTS_UNIT : SCREE_WEIGHTS_DROP},
                     .arcs = "0>1:1 0>1:1 1>0:1 1>0:1 1>3:1 3>1:1 3>3:1",
                     .n = 4,
                     .edges = 4,
                     .weight = unit ? SCREE_WEIGHT_UINT32 : SCREE_WEIGHT_NONE};
      make(&f, false, 4, wrong, BOTH_WAYS, true);
      run(&c, f.bytes, f.size, ".wsg");
    }
}

/* An undirected edge is at both ends in the file, and one edge of the graph. */
HARNESS_TEST(undirected_files) {
  static image f;
  file_case plain = {.options = none, .arcs = "0>1:1 0>1:1 1>0:1 1>0:1 1>3:1 3>1:1 3>3:1", .n = 4, .edges = 4},
            heavy = {.options = undirected,
                     .arcs = "0>1:7 0>1:7 1>0:7 1>0:7 1>3:2 3>1:2 3>3:5",
                     .n = 4,
                     .edges = 4,
                     .weight = SCREE_WEIGHT_UINT32},
            empty = {.options = none, .arcs = "", .n = 3};
  make(&f, false, 4, symmetric, BOTH_WAYS, false);
  run(&plain, f.bytes, f.size, ".sg");
  make(&f, false, 4, symmetric, BOTH_WAYS, true);
  run(&heavy, f.bytes, f.size, ".wsg");
  make(&f, false, 3, NULL, 0, false);
  run(&empty, f.bytes, f.size, ".sg");
}

/* ---- more arcs than are read at a time; rows that are a piece of the file, and others; weights that are drawn ---- */

enum { PATH = 9000 };

typedef struct {
  const char *path;
  scree_graph_options options;
} long_case;

/* Heads are local indices that their owners have. */
static void check_heads(const scree_graph *g) {
  for (uint64_t e = 0; e < g->offsets[g->locals]; e++) {
    const scree_location head = scree_graph_target(g, e);
    check(scree_location_local(head) < scree_distribution_count(&g->vertices, scree_location_owner(head)));
  }
}

static int32_t path_weight(uint64_t u, uint64_t v) {
  return (int32_t)((u < v ? u : v) % 97);
}

/* The path with the weights of the file. */
static void check_given(scree_graphs *graphs, void *arg) {
  const long_case *c = arg;
  scree_graph *g = NULL;
  check_text(scree_graph_load(graphs, c->path, &c->options, &g) == SCREE_OK, "%s", scree_graphs_error(graphs));
  for (uint64_t i = 0; g && i < g->locals; i++) {
    const uint64_t u = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), i));
    check_equal(scree_graph_degree(g, i), 1 + (u > 0 && u + 1 < PATH));
    for (uint64_t e = g->offsets[i]; e < g->offsets[i + 1]; e++) {
      const uint64_t v = scree_graph_vertex(g, scree_graph_target(g, e));
      check(v + 1 == u || u + 1 == v);
      check_equal(scree_graph_weight(g, e), path_weight(u, v));
    }
  }
  scree_graph_free(g);
}

static void compare(scree_graphs *graphs, void *arg) {
  const long_case *c = arg;
  scree_graph *read = NULL, *made = NULL;
  char spec[32];
  snprintf(spec, sizeof spec, "path:%d", PATH);
  check_text(scree_graph_load(graphs, c->path, &c->options, &read) == SCREE_OK, "%s", scree_graphs_error(graphs));
  check_equal(scree_graph_load(graphs, spec, &c->options, &made), SCREE_OK);
  if (read && made) {
    check_equal(graph_case_digest(read), graph_case_digest(made));
    check_equal(read->edges, made->edges);
    check_heads(read);
    check(read->weight_max == made->weight_max);
  }
  scree_graph_free(read);
  scree_graph_free(made);
}

static const char *write_path(bool weighted) {
  static image f;
  const bool no = false;
  f.size = 0;
  put(&f, &no, 1);
  put_int64(&f, 2 * (PATH - 1));
  put_int64(&f, PATH);
  for (int64_t u = 0; u <= PATH; u++) put_int64(&f, u == 0 ? 0 : u == PATH ? 2 * (PATH - 1) : 2 * u - 1);
  for (int32_t u = 0; u < PATH; u++)
    for (int32_t v = u - 1; v <= u + 1; v += 2) {
      if (v < 0 || v >= PATH) continue;
      const int32_t weight = path_weight((uint64_t)u, (uint64_t)v);
      put(&f, &v, sizeof v);
      if (weighted) put(&f, &weight, sizeof weight);
    }
  return graph_case_file(f.bytes, f.size, weighted ? ".wsg" : ".sg");
}

HARNESS_TEST(long_path) {
  for (int weighted = 0; weighted < 2; weighted++) {
    const char *path = write_path(weighted);
    for (int distribution = SCREE_DISTRIBUTION_BLOCK; distribution <= SCREE_DISTRIBUTION_HASH; distribution++)
      for (uint32_t ranks = 1; ranks <= 17; ranks += ranks < 5 ? 1 : 12) {
        const scree_weights_from from = ranks % 2 ? SCREE_WEIGHTS_RANDOM_INT : SCREE_WEIGHTS_RANDOM_FLOAT;
        long_case c = {path, {.distribution = (scree_distribution_kind)distribution, .weights = from}};
        c.options.lo = 1, c.options.hi = 99, c.options.seed = 3;
        graph_case_run(ranks, ranks, compare, &c);
        c.options.weights = SCREE_WEIGHTS_GIVEN;
        if (weighted) graph_case_run(ranks, ranks, check_given, &c);
      }
    unlink(path);
  }
}

/* ---- what was read is written byte for byte, the rows by heads included ---- */

static void rewrite(scree_graphs *graphs, void *arg) {
  char(*paths)[64] = arg;
  scree_graph *g = NULL;
  check_text(scree_graph_load(graphs, paths[0], NULL, &g) == SCREE_OK, "%s", scree_graphs_error(graphs));
  if (!g) return;
  check_text(scree_graph_write(g, paths[1], NULL) == SCREE_OK, "%s", scree_graphs_error(graphs));
  scree_graph_free(g);
}

static void check_rewritten(const image *f, const char *ending) {
  static char bytes[BYTES];
  char paths[2][64];
  for (int i = 0; i < 2; i++) snprintf(paths[i], sizeof paths[i], "%s", graph_case_file(f->bytes, f->size, ending));
  for (uint32_t ranks = 1; ranks <= 5; ranks++) {
    assert_int_equal(truncate(paths[1], 0), 0);
    graph_case_run(ranks, ranks, rewrite, paths);
    FILE *file = fopen(paths[1], "rb");
    check_equal(file ? fread(bytes, 1, sizeof bytes, file) : 0, f->size);
    check(memcmp(bytes, f->bytes, f->size) == 0);
    if (file) fclose(file);
  }
  for (int i = 0; i < 2; i++) unlink(paths[i]);
}

HARNESS_TEST(rewritten) {
  enum { N = 40 };
  static image f;
  static arc all[N * N];
  make(&f, true, 6, one_way, ONE_WAY, true);
  check_rewritten(&f, ".wsg");
  for (int32_t e = 0; e < N * N; e++) all[e] = (arc){e / N, e % N, e / N * (e % N)};
  make(&f, true, N, all, N * N, false);
  check_rewritten(&f, ".sg");
  make(&f, false, N, all, N * N, true);
  check_rewritten(&f, ".wsg");
}

/* ---- damage ---- */

/* One word changed: the error. */
HARNESS_TEST(told) {
  static image f, g;
  enum { HEADER = 17, ARCS = HEADER + 7 * 8 };
  static const struct {
    size_t at;
    const char *word;
    size_t bytes;
    const char *part;
  } cases[] = {
      {0, "\7", 1, ": byte 0: found 7, expected 0 (undirected) or 1 (directed)"},
      {1, "\377\377\377\377\377\377\377\377", 8, ": byte 1: found -1 arcs, for a file of this size, expected 0 .. 24"},
      {1, "\31", 1, ": byte 1: found 25 arcs, for a file of this size, expected 0 .. 24"},
      {1, "\3", 1, ": found 193 bytes, expected 177 for 6 vertices and 3 arcs, directed, with weights"},
      {9, "\0", 1, ": byte 9: found 0 vertices, expected 1 .. 2147483648"},
      {9, "\0\0\0\0\0\0\0\200", 8, ": byte 9: found -9223372036854775808 vertices, expected 1 .. 2147483648"},
      {9, "\1\0\0\200", 4, ": byte 9: found 2147483649 vertices, expected 1 .. 2147483648"},
      {9, "\7", 1, ": found 193 bytes, expected 209 for 7 vertices and 4 arcs, directed, with weights"},
      {HEADER, "\1", 1, ": byte 17: found offset 1 of vertex 0, expected 0 .. 0"},
      {HEADER + 8, "\5", 1, ": byte 25: found offset 5 of vertex 1, expected 0 .. 4"},
      {HEADER + 16, "\0", 1, ": byte 33: found offset 0 of vertex 2, expected 1 .. 4"},
      {HEADER + 24, "\377\377\377\377\377\377\377\377", 8, ": byte 41: found offset -1 of vertex 3, expected 2 .. 4"},
      {HEADER + 48, "\3", 1, ": byte 65: found offset 3 of vertex 6, expected 4 .. 4"},
      {ARCS + 8, "\6", 1, ": byte 81: found neighbour 6 of vertex 1, expected 0 .. 5"},
      {ARCS + 16, "\376\377\377\377", 4, ": byte 89: found neighbour -2 of vertex 3, expected 0 .. 5"},
      {ARCS + 28, "\375\377\377\377", 4, ": byte 101: found weight -3 of vertex 3, expected 0 .. 2147483647"},
  };
  make(&f, true, 6, one_way, ONE_WAY, true);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    file_case c = {.part = cases[i].part};
    g = f;
    memcpy(g.bytes + cases[i].at, cases[i].word, cases[i].bytes);
    run(&c, g.bytes, g.size, ".wsg");
  }
  file_case last = {.part = ": byte 49: found offset 6 of vertex 4, expected 7 .. 7"};
  make(&g, false, 4, symmetric, sizeof symmetric / sizeof *symmetric, false);
  g.bytes[HEADER + 32] = 6;
  run(&last, g.bytes, g.size, ".sg");
  memcpy(f.bytes + ARCS + 8, "\6", 1); /* of two errors the first */
  memcpy(f.bytes + ARCS + 24, "\6", 1);
  file_case c = {.part = ": byte 81: found neighbour 6"};
  run(&c, f.bytes, f.size, ".wsg");
}

HARNESS_TEST(asymmetric) {
  static image f;
  arc arcs[BOTH_WAYS];
  file_case c = {.part =
                     "found 3 neighbours of larger and 3 of smaller id than their vertex that are not the same edges "
                     "of the same weights; expected each edge of an undirected graph at both its ends"};
  memcpy(arcs, symmetric, sizeof arcs);
  arcs[3].weight = 3;
  make(&f, false, 4, arcs, BOTH_WAYS, true);
  run(&c, f.bytes, f.size, ".wsg");
  arcs[3].v = 0;
  c.part = "found 3 neighbours of larger and 3 of smaller id than their vertex that are not the same edges; expected";
  make(&f, false, 4, arcs, BOTH_WAYS, false);
  run(&c, f.bytes, f.size, ".sg");
  c.part = "found 3 neighbours of larger and 2 of smaller";
  make(&f, false, 4, arcs, BOTH_WAYS - 1, false);
  run(&c, f.bytes, f.size, ".sg");
}

HARNESS_TEST(wrong_options) {
  static image f, packed;
  make(&f, false, 4, symmetric, BOTH_WAYS, false);
  file_case cases[] = {
      {.options = directed, .ending = ".sg", .part = "byte 0: found --directed, but the file says that the graph is "},
      {.options = {.columns = {1, 2}}, .ending = ".sg", .part = "found --columns, but a serialized graph has its ver"},
      {.options = {.scale = 2}, .ending = ".wsg", .part = "found --scale, but a serialized graph with weights has"},
      {.ending = ".wsg",
       .part = "found 85 bytes, expected 113 for 4 vertices and 7 arcs, undirected, with weights; it "
               "may have no weights: --format sg"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run(&cases[i], f.bytes, f.size, cases[i].ending);
  make(&f, false, 4, symmetric, BOTH_WAYS, true);
  file_case heavy = {.part = "without weights; it may have weights: --format wsg"};
  run(&heavy, f.bytes, f.size, ".sg");
  file_case gzip = {.part = "found a compressed serialized graph; decompress it first"};
  packed.size = pack("any", packed.bytes, sizeof packed.bytes);
  run(&gzip, packed.bytes, packed.size, ".sg.gz");
}

/* ---- any damage: refused, or a graph that can be traversed ---- */

typedef struct {
  const char *path;
  bool short_one; /* must be refused */
} damage;

static void try_damage(scree_graphs *graphs, void *arg) {
  const damage *d = arg;
  scree_graph *g = NULL;
  scree_status status = scree_graph_load(graphs, d->path, NULL, &g);
  check(status == SCREE_EINVAL || (status == SCREE_OK && !d->short_one));
  check_contains(status ? scree_graphs_error(graphs) : d->path, d->path);
  if (g) graph_case_digest(g); /* reads every arc */
  scree_graph_free(g);
}

/* One rank, or four, have the arcs of an .sg file where it is mapped. */
static void attempt(const char *bytes, size_t size, bool short_one, bool weighted) {
  damage d = {graph_case_file(bytes, size, weighted ? ".wsg" : ".sg"), short_one};
  for (uint32_t ranks = 1; ranks <= 4; ranks += ranks) graph_case_run(ranks == 2 ? 3 : ranks, size, try_damage, &d);
  unlink(d.path);
}

HARNESS_TEST(truncated) {
  static image f;
  for (int kind = 0; kind < 4; kind++) {
    const bool one = kind % 2, weighted = kind / 2;
    make(&f, one, 4, one ? one_way : symmetric, one ? ONE_WAY : BOTH_WAYS, weighted);
    for (size_t size = 0; size < f.size; size += size < 18 || size + 2 > f.size ? 1 : 5)
      attempt(f.bytes, size, true, weighted);
    f.bytes[f.size] = 0;
    attempt(f.bytes, f.size + 1, true, weighted);
  }
}

HARNESS_TEST(any_bit) {
  static image f, g;
  for (int weighted = 0; weighted < 2; weighted++) {
    make(&f, false, 4, symmetric, BOTH_WAYS, weighted);
    for (size_t i = 0; i < f.size; i++) {
      g = f;
      g.bytes[i] ^= (char)(1 << i % 8);
      attempt(g.bytes, g.size, false, weighted);
    }
  }
}

HARNESS_MAIN
