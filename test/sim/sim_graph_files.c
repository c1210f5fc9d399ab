/* sim_graph_files.c - tests of the readers on virtual ranks: good files, the traps that real ones bring, real ones.
 *
 * Each file is read on several numbers of ranks, plain and as gzip. */
#include "capture.h"
#include "graph_files.h"

HARNESS_TEST(dimacs) {
  static const char plain[] =
      "c a comment\n\np sp 4 5\nc another\na 1 2 7\na 2 3 0\na 1 2 9\na 4 4 1\na 3 1 4294967295\n",
                    arcs[] = "1>2:7 1>2:9 2>3:0 3>1:4294967295 4>4:1";
  const scree_graph_options cyclic = {.format = SCREE_FORMAT_DIMACS, .distribution = SCREE_DISTRIBUTION_CYCLIC},
                            hashed = {.distribution = SCREE_DISTRIBUTION_HASH}, drop = {.weights = SCREE_WEIGHTS_DROP},
                            unit = {.weights = SCREE_WEIGHTS_UNIT};
#define ROW(text_, ending_, options_, arcs_, n_, edges_, weight_)                                                      \
  {text_, ending_, options_, .arcs = arcs_, .n = n_, .edges = edges_, .weight = SCREE_WEIGHT_##weight_}
  file_case cases[] = {
      ROW(plain, ".gr", none, arcs, 4, 5, UINT32),
      ROW(plain, ".txt", none, arcs, 4, 5, UINT32),
      ROW(plain, ".gr", directed, arcs, 4, 5, UINT32),
      ROW(plain, ".x", cyclic, arcs, 4, 5, UINT32),
      ROW("p\tsp 2 1\r\na 1\t2   3 \r\n", ".gr", none, "1>2:3", 2, 1, UINT32),
      ROW("p sp 2 2\na 1 2 3\na 2 1 0.25", ".gr", hashed, "1>2:3 2>1:0.25", 2, 2, DOUBLE),
      ROW("p sp 3 1\na 1 2 3\n", ".gr", drop, "1>2:1", 3, 1, NONE),
      ROW("p sp 3 1\na 1 2 3\n", ".gr", unit, "1>2:1", 3, 1, UINT32),
      ROW("c p sp 9 9\ncomment\np sp 2 0\n", ".gr", none, "", 2, 0, UINT32),
  };
  run_all(cases, sizeof cases / sizeof *cases);
}

HARNESS_TEST(bad_dimacs) {
  file_case cases[] = {
      {"p sp 4 2\na 1 2 7\n", ".gr", none, .part = ":1: found 1 arcs in the file, expected 2"},
      {"c\np sp 4 1\na 1 2 7\na 1 2 7\n", ".gr", none, .part = ":2: found more than 1 arcs in the file, expected 1"},
      {"a 1 2 7\n", ".gr", none, .part = ":1: found 'a', expected the line 'p sp VERTICES ARCS'"},
      {"c only\n", ".gr", none, .part = "found the end of the file, expected the line 'p sp"},
      {"p max 4 2\n", ".gr", none, .part = ":1: found 'max', expected 'sp'"},
      {"p sp x 2\n", ".gr", none, .part = ":1: found 'x', expected a number of vertices"},
      {"p sp 0 0\n", ".gr", none, .part = ":1: found '0', expected a number of vertices"},
      {"p sp 4\n", ".gr", none, .part = ":1: found the end of the line, expected a number of arcs"},
      {"p sp 4 1 9\n", ".gr", none, .part = ":1: found '9', expected the end of the line"},
      {"p sp 4 2\na 1 2 7\np sp 4 2\n", ".gr", none, .part = ":3: found 'p', expected 'a TAIL HEAD LENGTH'"},
      {"p sp 4 1\na 0 2 7\n", ".gr", none, .part = ":2: found '0', expected a vertex id of 1 .. 4"},
      {"p sp 4 1\na 1 5 7\n", ".gr", none, .part = ":2: found '5', expected a vertex id of 1 .. 4"},
      {"p sp 4 1\na 1 4294967297 7\n", ".gr", none, .part = ":2: found '4294967297', expected a vertex id of 1 .. 4"},
      {"p sp 4 2\na 1 2 1\na 1 3 -7\n", ".gr", none, .part = ":3: found '-7', expected a weight of 0 or more"},
      {"p sp 4 1\na 1 3\n", ".gr", none, .part = ":2: found the end of the line, expected a weight"},
      {"p sp 4 1\na 1 3 4294967296\n", ".gr", none, .part = ":2: found '4294967296', expected a weight of at most"},
      {"p sp 4 1\na 1 3 2 2\n", ".gr", none, .part = ":2: found '2', expected the end of the line"},
      {"p sp 4 1\nb 1 3 2\n", ".gr", none, .part = ":2: found 'b', expected 'a TAIL HEAD LENGTH'"},
      {"p sp 4 1\na 1 3 2\n", ".gr", undirected, .part = "found --undirected, but a DIMACS graph states"},
      {"p sp 4 1\na 1 3 2\n", ".gr", {.columns = {1, 2, 0}}, .part = "found --columns, but"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 135634\n", ".gr", none,
       .part = ":1: found a Git LFS pointer"},
  };
  run_all(cases, sizeof cases / sizeof *cases);
}

HARNESS_TEST(edge_lists) {
  file_case cases[] = {
      {"# comment\n% too\n~ and\nc this\nc\n\n  # e\n1 2\r\n  2 \t 7 \t\r\n7\t1\n1 2\n7 7\n#\n", .options = directed,
       .arcs = "1>2:1 1>2:1 2>7:1 7>1:1 7>7:1", .n = 3, .edges = 5},
      {"5 3\r\n3 4\r\n", .options = undirected, .arcs = "3>4:1 3>5:1 4>3:1 5>3:1", .n = 3, .edges = 2},
      {"5 5\n", .options = undirected, .arcs = "5>5:1", .n = 1, .edges = 1},
      {"9223372036854775807 1099511627776\n4294967296 0", .options = directed,
       .arcs = "4294967296>0:1 9223372036854775807>1099511627776:1", .n = 4, .edges = 2},
      {"1 2 30\n2 3 0\n", .options = weighted, .arcs = "1>2:30 2>3:0", .n = 3, .edges = 2,
       .weight = SCREE_WEIGHT_UINT32},
      {"1 2 30\n2 3 .5\n3 1 1e-3\n", .options = weighted, .arcs = "1>2:30 2>3:0.5 3>1:0.001", .n = 3, .edges = 3,
       .weight = SCREE_WEIGHT_DOUBLE},
      {"0 4 9 0.5\n1 9 4 2.5\n", .options = {.direction = SCREE_UNDIRECTED, .columns = {2, 3, 4}},
       .arcs = "4>9:0.5 4>9:2.5 9>4:0.5 9>4:2.5", .n = 2, .edges = 2, .weight = SCREE_WEIGHT_DOUBLE},
      {"7 1 2\n8 2 3\n", .options = {.direction = SCREE_DIRECTED, .columns = {3, 2, 1}}, .arcs = "2>1:7 3>2:8", .n = 3,
       .edges = 2, .weight = SCREE_WEIGHT_UINT32},
      {"1 2 x\n", .options = {.direction = SCREE_DIRECTED, .columns = {1, 2, 0}}, .arcs = "1>2:1", .n = 2, .edges = 1},
      {"1 2\n2 1\n", .options = {.direction = SCREE_DIRECTED, .weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 4, .hi = 4},
       .arcs = "1>2:4 2>1:4", .n = 2, .edges = 2, .weight = SCREE_WEIGHT_UINT32},
      {"p sp 2 1\na 1 2 7\n", ".gr", .options = {.direction = SCREE_DIRECTED, .format = SCREE_FORMAT_EDGES},
       .part = ":1: found 'p', expected a vertex id"},
  };
  run_all(cases, sizeof cases / sizeof *cases);
}

HARNESS_TEST(bad_edge_lists) {
  file_case cases[] = {
      {"1 2\n", .options = none, .part = "expected --directed or --undirected"},
      {"src dst time\n1 2 3\n", .options = directed,
       .part =
           ":1: found 'src', expected a vertex id of 0 .. 9223372036854775807 in column 1; a line of headings needs "
           "--header"},
      {"# c\n5\n1 2\n", .options = directed,
       .part = ":2: found the end of the line, expected a vertex id of 0 .. 9223372036854775807 in column 2; a line "
               "that holds a count needs --skip-lines 2"},
      {"alice bob\nbob carol\n", .options = directed, .part = "in column 1; ids are whole numbers"},
      {"1 2\n2 carol\n3 bob\n", .options = directed, .part = ":2: found 'carol'"},
      {"from;to\n1;2\n", .options = directed,
       .part = "; columns that ';' separates need --separator ';', a line of headings --header"},
      {"1|2\n2|3\n", .options = directed, .part = ":1: found '1|2'"},
      {"1|2\n2|3\n", .options = directed, .part = "; columns that '|' separates need --separator '|'"},
      {"'1','2'\n", .options = directed, .part = "; values are read in double quotes, not in single ones"},
      {"1 2\n// two\n2 3\n", .options = directed, .part = ":2: found '//', expected a vertex id"},
      {"1 2\n// two\n2 3\n", .options = directed, .part = "; if it is a comment, --comment '//'"},
      {"1;2;\n2;;3\n", .options = {.direction = SCREE_DIRECTED, .separator = ';'},
       .part = ":2: found an empty field, expected a vertex id of 0 .. 9223372036854775807 in column 2"},
      {"1,2\n3,,4\n", .options = directed,
       .part = ":2: found an empty field, expected a vertex id of 0 .. 9223372036854775807 in column 2"},
      {"1 2\n2 3\n", .options = {.direction = SCREE_DIRECTED, .skip_lines = 2}, .part = "found no edge"},
      {"1 2\n2 3\n", .options = {.direction = SCREE_DIRECTED, .skip_lines = 3}, .part = "found no edge"},
      {"1 2\n", ".gr", .options = {.header = true}, .part = "found --header, but a DIMACS graph states"},
      {"cx\n1 2\n", .options = directed, .part = ":1: found 'cx'"},
      {"99999999999999999999999999 0\n", .options = directed, .part = ":1: found '9999999999"},
      {"1 2\n2 3\n3\n", .options = directed, .part = ":3: found the end of the line, expected a vertex id"},
      {"# c\n1 2\n-3 4\n", .options = directed, .part = ":3: found '-3', expected a vertex id"},
      {"1 9223372036854775808\n", .options = directed, .part = ":1: found '9223372036854775808', expected a vertex id"},
      {"1 2\n1;2\n", .options = directed, .part = ":2: found '1;2', expected a vertex id"},
      {"1 2.5\n", .options = directed, .part = ":1: found '2.5', expected a vertex id"},
      {"1 2 3\n1 3\n", .options = weighted, .part = ":2: found the end of the line, expected a weight in column 3"},
      {"1 2 3\n\n1 3 -1\n", .options = weighted, .part = ":3: found '-1', expected a weight of 0 or more in column 3"},
      {"1 2 4294967296\n", .options = weighted, .part = ":1: found '4294967296', expected a weight of at most"},
      {"1 2 nan\n", .options = weighted, .part = ":1: found 'nan', expected a weight"},
      {"1 2\n", .options = {.direction = SCREE_DIRECTED, .columns = {1, 5, 0}},
       .part = ":1: found the end of the line, expected another column"},
      {"# nothing\n\n", .options = directed, .part = "found no edge"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n", .options = directed,
       .part = ":1: found a Git LFS pointer, expected the graph itself"},
      {"<!DOCTYPE html>\n", .options = directed, .part = ":1: found markup"},
      {"1 2\n3 bad\n4 5\n6 worse\n7 8\n", .options = directed, .part = ":2: found 'bad'"},
  };
  run_all(cases, sizeof cases / sizeof *cases);
}

HARNESS_TEST(empty_files) {
  file_case plain = {.options = directed, .part = "found an empty file, expected a graph"},
            zipped = {.options = directed, .part = "found no edge"};
  static unsigned char packed[64];
  run(&plain, "", 0, ".txt");
  run(&plain, "", 0, ".gr");
  run(&plain, "", 0, ".mtx");
  run(&zipped, packed, pack("", packed, sizeof packed), ".txt");
}

/* Cut anywhere, and damaged: a bit of the checksum, which lies `back` bytes before the end. */
HARNESS_TEST(damaged) {
  static const struct {
    size_t (*pack)(const char *text, void *packed, size_t room);
    const char *ending, *truncated, *damaged;
    size_t back, max; /* the shortest cut that leaves a whole file of no edge */
  } kinds[] = {{pack, ".txt.gz", "truncated gzip file", "damaged gzip file", 6, 3},
               {pack_zstd, ".txt.zst", "truncated zstd file", "damaged zstd file", 1, 5}};
  static unsigned char packed[1 << 17];
  static char text[1 << 17];
  size_t size = 0;
  for (int i = 0; i < 8000; i++) size += (size_t)sprintf(text + size, "%d %d\n", i, (i * 7919) % 8009);
  for (int k = 0; k < 2; k++) {
    const size_t bytes = kinds[k].pack(text, packed, sizeof packed);
    file_case c = {.options = directed, .part = kinds[k].truncated};
    for (size_t cut = 1; cut < bytes - kinds[k].max; cut += bytes / 9) run(&c, packed, bytes - cut, kinds[k].ending);
    run(&c, packed, kinds[k].max + 1, kinds[k].ending);
    c.part = kinds[k].damaged;
    packed[bytes - kinds[k].back] ^= 1;
    run(&c, packed, bytes, kinds[k].ending);
  }
}

/* A long file with one bad line: its number is exact, whichever rank has it. */
HARNESS_TEST(line_numbers) {
  static char text[1 << 16];
  for (int bad = 1; bad <= 4000; bad += 571) {
    char part[64];
    size_t size = 0;
    for (int i = 1; i <= 4000; i++)
      size += (size_t)sprintf(text + size, i == bad ? "%d oops\n" : "%d 1%s", i, i % 3 ? "\n" : "\r\n");
    snprintf(part, sizeof part, ":%d: found 'oops'", bad);
    file_case c = {.options = directed, .part = part};
    run(&c, text, size, ".txt");
  }
}

/* Random weights are a function of the ends: of both in either order, if the graph is undirected. */
static void random_weights(scree_graphs *graphs, void *arg) {
  const file_case *c = arg;
  scree_graph *g = NULL;
  if (!check_equal(scree_graph_load(graphs, c->path, &c->options, &g), SCREE_OK)) return;
  scree_reduce r = {.min = UINT64_MAX};
  for (uint64_t e = 0; e < g->offsets[g->locals]; e++) {
    uint64_t w = (uint64_t)scree_graph_weight(g, e);
    r.min = w < r.min ? w : r.min;
    r.max = w > r.max ? w : r.max;
  }
  check_equal(scree_graphs_reduce(graphs, &r), SCREE_OK);
  check_equal(r.min == r.max, !g->directed);
  check_equal(g->weight_max, r.max);
  scree_graph_free(g);
}

HARNESS_TEST(both_orders) {
  static const char text[] = "1 2\n2 1\n";
  file_case c = {.options = {.weights = SCREE_WEIGHTS_RANDOM_INT, .hi = UINT32_MAX, .seed = 8}};
  c.path = graph_case_file(text, strlen(text), ".txt");
  for (uint32_t ranks = 1; ranks <= 3; ranks++) {
    c.options.direction = SCREE_UNDIRECTED;
    graph_case_run(ranks, ranks, random_weights, &c);
    c.options.direction = SCREE_DIRECTED;
    graph_case_run(ranks, ranks, random_weights, &c);
  }
  unlink(c.path);
}

/* ---- what is accepted, but noted on standard error ---- */

/* Prints on standard error `part`, once; "": nothing. */
static void noted(file_case c, const char *part) {
  capture_start();
  c.path = graph_case_file(c.text, strlen(c.text), ".txt");
  graph_case_run(3, 1, load, &c);
  char *said = capture_end();
  const char *found = *part ? strstr(said, part) : NULL;
  check_text(*part ? found && !strstr(found + 1, part) : !*said, "%s prints '%s'", c.text, said);
  unlink(c.path);
  free(said);
}

HARNESS_TEST(unread_columns) {
  file_case c = {"1 2 3\n2 3 4\n", .options = directed, .arcs = "1>2:1 2>3:1", .n = 3, .edges = 2};
  noted(c, "columns 1,2 are read, the others are left unread; --columns S,D[,W]");
  c.options.columns[0] = 1;
  c.options.columns[1] = 2;
  noted(c, ""); /* decided */
}

/* ---- real graphs ------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *file, *part, *vertices;
  scree_graph_options options;
  uint64_t n, edges;
  char path[512], ids[512];
  uint64_t digest;
} real_case;

static void load_real(scree_graphs *graphs, void *arg) {
  real_case *c = arg;
  scree_graph *g = NULL;
  scree_status status = scree_graph_load(graphs, c->path, &c->options, &g);
  if (c->part) {
    check_equal(status, SCREE_EINVAL);
    check_contains(scree_graphs_error(graphs), c->part);
    return;
  }
  if (!check_text(status == SCREE_OK, "%s", scree_graphs_error(graphs))) return;
  check_equal(g->vertices.n, c->n);
  check_equal(g->edges, c->edges);
  uint64_t digest = graph_case_digest(g);
  if (!c->digest) c->digest = digest;
  check_equal(digest, c->digest);
  scree_graph_free(g);
}

HARNESS_TEST(real_graphs) {
  real_case cases[] = {
      {"rome99.gr", .n = 3353, .edges = 8870},
      {"cal.cedge", .options = {.direction = SCREE_UNDIRECTED, .columns = {2, 3, 4}}, .n = 21048, .edges = 21693},
      {"luxembourg_osm.edges.gz", .options = undirected, .n = 114599, .edges = 119666},
      {"Wiki-Vote.txt.gz", .options = directed, .n = 7115, .edges = 103689},
      {"soc-Slashdot0902.txt.gz", .options = directed, .n = 82168, .edges = 948464},
      {"CollegeMsg.txt.gz", ":1: found 'src'", .options = directed},
      {"CollegeMsg.txt.gz", .options = {.direction = SCREE_DIRECTED, .header = true, .columns = {1, 2}}, .n = 1899,
       .edges = 59835},
      {"graphalytics/example/example-directed.e", NULL, "graphalytics/example/example-directed.v", weighted, 10, 17,
       .digest = 0},
      {"graphalytics/sssp/undir-input.e",
       NULL,
       "graphalytics/sssp/undir-input.v",
       {.direction = SCREE_UNDIRECTED, .columns = {1, 2, 3}},
       12,
       14,
       .digest = 0},
      {"p2p-31/p2p-31.e.gz", NULL, "p2p-31/p2p-31.v.gz", weighted, 62586, 147892, .digest = 0}};
  bool any = false;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *path = harness_data(cases[i].file);
    if (!path) continue;
    any = true;
    snprintf(cases[i].path, sizeof cases[i].path, "%s", path);
    if (cases[i].vertices) snprintf(cases[i].ids, sizeof cases[i].ids, "%s", harness_data(cases[i].vertices));
    if (cases[i].vertices) cases[i].options.vertices = cases[i].ids;
    graph_case_run(1, 1, load_real, &cases[i]);
    if (i < 2 || cases[i].vertices || harness_full()) graph_case_run(5, 1, load_real, &cases[i]);
  }
  if (!any) harness_skip(HARNESS_NO_DATA);
}

/* Ids and weights that need more space than those before them, numbers of all lengths, ids far from 0 and apart. */
HARNESS_TEST(widths) {
  file_case cases[] = {
      {"1 2 3\n# c\n2 5000000000 4294967295\n# c\n3 1 0.5\n", .options = weighted,
       .arcs = "1>2:3 2>5000000000:4294967295 3>1:0.5", .n = 4, .edges = 3, .weight = SCREE_WEIGHT_DOUBLE},
      {"7 8 0.5\n# c\n8 9 4\n", .options = weighted, .arcs = "7>8:0.5 8>9:4", .n = 3, .edges = 2,
       .weight = SCREE_WEIGHT_DOUBLE},
      {"1234567 12345678\n123456789 12345678901\n123456789012345 1234567890123456\n12 7\n", .options = directed,
       .arcs = "123456789012345>1234567890123456:1 123456789>12345678901:1 1234567>12345678:1 12>7:1", .n = 8,
       .edges = 4},
      {"123456789012345 123456789012344 0.50000000000000\r\n123456789012345 123456789012345 000000000000007\n",
       .options = weighted, .arcs = "123456789012345>123456789012344:0.5 123456789012345>123456789012345:7", .n = 2,
       .edges = 2, .weight = SCREE_WEIGHT_DOUBLE},
      {"1000000000001 1000000000003\n1000000000700 1000000000001\n1000000000129 1000000000129\n", .options = directed,
       .arcs = "1000000000001>1000000000003:1 1000000000129>1000000000129:1 1000000000700>1000000000001:1", .n = 4,
       .edges = 3},
      {"1 2 0.002025\n2 3 .5\n3 4 1e-3\n4 5 0.1\n5 6 123456.789012345678\n6 7 5.\n7 8 0.30000000000000004\n",
       .options = weighted, /* quick and careful parsing give the same double */
       .arcs = "1>2:0.0020249999999999999 2>3:0.5 3>4:0.001 4>5:0.10000000000000001 5>6:123456.78901234567 6>7:5 "
               "7>8:0.30000000000000004",
       .n = 8, .edges = 7, .weight = SCREE_WEIGHT_DOUBLE},
      {"65 129\n700000 1\n1000000000000 129\n", .options = directed, .arcs = "1000000000000>129:1 65>129:1 700000>1:1",
       .n = 5, .edges = 3}};
  run_all(cases, sizeof cases / sizeof *cases);
}

HARNESS_MAIN
