/* sim_graph_formats.c - tests of Matrix Market files, --base, --vertices and zstd, on virtual ranks.
 *
 * These are the formats that sim_graph_files.c does not cover. */
#include "graph_files.h"

HARNESS_TEST(matrix_market) {
  file_case cases[] = {
      {"%%MatrixMarket matrix coordinate pattern general\n% c\n\n3 3 3\n1 2\n2 1\n3 3\n", .options = none,
       .arcs = "1>2:1 2>1:1 3>3:1", .n = 3, .edges = 3},
      {"%%matrixmarket MATRIX Coordinate integer GENERAL\r\n4 4 2\r\n1 2 7\r\n4\t1  0\r\n", .options = directed,
       .arcs = "1>2:7 4>1:0", .n = 4, .edges = 2, .weight = SCREE_WEIGHT_UINT32},
      {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 0.5\n2 1 1.5e+00", .options = none,
       .arcs = "1>2:0.5 2>1:1.5", .n = 2, .edges = 2, .weight = SCREE_WEIGHT_DOUBLE},
      {"%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 1\n3 3\n", .options = none,
       .arcs = "1>2:1 1>3:1 2>1:1 3>1:1 3>3:1", .n = 4, .edges = 3},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 2.25\n", .options = undirected,
       .arcs = "1>2:2.25 2>1:2.25", .n = 2, .edges = 1, .weight = SCREE_WEIGHT_DOUBLE},
      {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", .options = undirected, .arcs = "1>2:1 2>1:1",
       .n = 2, .edges = 1},
      {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 9\n", .options = {.weights = SCREE_WEIGHTS_DROP},
       .arcs = "1>2:1", .n = 2, .edges = 1},
      {"%%MatrixMarket matrix coordinate pattern general\n5 5 0\n", .options = none, .arcs = "", .n = 5},
      {" %%MatrixMarket matrix coordinate pattern general\n 2 2 1\n 1 2\n", .options = none, .arcs = "1>2:1", .n = 2,
       .edges = 1},
      {"\r\n\n\t%MatrixMarket matrix coordinate integer general\n  % c\n2 2 1\n1 2 9\n", .options = none,
       .arcs = "1>2:9", .n = 2, .edges = 1, .weight = SCREE_WEIGHT_UINT32},
  };
  run_all(cases, sizeof cases / sizeof *cases);
}

#define BANNER "%%MatrixMarket matrix coordinate "

HARNESS_TEST(bad_matrix_market) {
  file_case cases[] = {
      {BANNER "complex general\n1 1 0\n", .options = none,
       .part = ":1: found 'complex', expected 'pattern', 'integer' or 'real'"},
      {"%%MatrixMarket matrix array real general\n1 1\n1\n", .options = none,
       .part = ":1: found 'array', expected 'coordinate': a sparse matrix"},
      {BANNER "real skew-symmetric\n1 1 0\n", .options = none,
       .part = ":1: found 'skew-symmetric', expected 'general' or 'symmetric'"},
      {BANNER "real hermitian\n1 1 0\n", .options = none, .part = ":1: found 'hermitian', expected 'general'"},
      {"%%MatrixMarket vector coordinate real general\n", .options = none,
       .part = ":1: found 'vector', expected 'matrix'"},
      {BANNER "real\n1 1 0\n", .options = none, .part = ":1: found the end of the line, expected 'general'"},
      {BANNER "real general x\n1 1 0\n", .options = none, .part = ":1: found 'x', expected the end of the line"},
      {BANNER "pattern general\n% only\n", .options = none, .part = "expected the line 'ROWS COLUMNS ENTRIES'"},
      {BANNER "pattern general\n3 4 1\n1 2\n", .options = none,
       .part = ":2: found '4', expected as many columns as rows"},
      {BANNER "pattern general\n0 0 0\n", .options = none, .part = ":2: found '0', expected a number of rows"},
      {BANNER "pattern general\n3 3\n", .options = none,
       .part = ":2: found the end of the line, expected a number of entries"},
      {BANNER "pattern general\n3 3 1 1\n", .options = none, .part = ":2: found '1', expected the end of the line"},
      {BANNER "pattern general\n3 3 2\n1 2\n", .options = none, .part = ":2: found 1 entries in the file, expected 2"},
      {BANNER "pattern general\n3 3 1\n1 2\n2 3\n", .options = none,
       .part = ":2: found more than 1 entries in the file, expected 1"},
      {BANNER "pattern general\n3 3 1\n0 2\n", .options = none,
       .part = ":3: found '0', expected a vertex id of 1 .. 3"},
      {BANNER "pattern general\n3 3 1\n1 4\n", .options = none,
       .part = ":3: found '4', expected a vertex id of 1 .. 3"},
      {BANNER "pattern general\n3 3 1\n1 2 5\n", .options = none,
       .part = ":3: found '5', expected the end of the line"},
      {BANNER "real general\n3 3 1\n1 2\n", .options = none,
       .part = ":3: found the end of the line, expected a weight"},
      {BANNER "real general\n3 3 1\n1 2 -1.5\n", .options = none,
       .part = ":3: found '-1.5', expected a weight of 0 or more"},
      {BANNER "pattern symmetric\n3 3 4\n2 1\n3 1\n1 2\n3 2\n", .options = none,
       .part = ":5: found '1 2', expected an entry on or below the diagonal"},
      {BANNER "pattern symmetric\n3 3 1\n2 1\n", .options = directed,
       .part = ":1: found --directed, but the matrix is symmetric"},
      {"\n" BANNER "pattern symmetric\n3 3 1\n2 1\n", .options = directed,
       .part = ":2: found --directed, but the matrix is symmetric"},
      {BANNER "pattern general\n3 3 1\n2 1\n", .options = {.columns = {1, 2, 0}},
       .part = "found --columns, but a Matrix Market file states where"},
      {BANNER "pattern general\n3 3 1\n2 1\n", .options = {.base = SCREE_BASE_0},
       .part = "found --base, but a Matrix Market file states where"},
      {"1 2\n", .options = {.format = SCREE_FORMAT_MATRIX_MARKET}, .part = ":1: found '1', expected '%%MatrixMarket'"},
  };
  run_all(cases, sizeof cases / sizeof *cases);
}

/* Each file of the arcs 1 2 and 2 3, whose weights no graph could have. */
HARNESS_TEST(bad_weights_are_not_read) {
  const scree_graph_options third = {.direction = SCREE_DIRECTED, .columns = {1, 2, 3}};
  const file_case files[] = {
      {.text = BANNER "real general\n3 3 2\n1 2 -1.5\n2 3 2\n", .ending = ".mtx"},
      {.text = BANNER "real general\n3 3 2\n1 2 nan\n2 3 inf\n", .ending = ".mtx"},
      {.text = BANNER "integer general\n3 3 2\n1 2 9007199254740993\n2 3 x\n", .ending = ".mtx"},
      {.text = BANNER "real general\n3 3 2\n1 2 1e400\n2 3 1.5D0 \r\n", .ending = ".mtx"},
      {.text = "p sp 3 2\na 1 2 -5\na 2 3 1\n", .ending = ".gr"},
      {.text = "1 2 -5\n2 3 1\n", .ending = ".txt", .options = third},
      {.text = "1 2 0.5\n2 3\n", .ending = ".txt", .options = third}, /* as a column that is left unread */
      {.text = "-5,1,2\nx,2,3\n",
       .ending = ".csv",
       .options = {.direction = SCREE_DIRECTED, .columns = {2, 3, 1}, .separator = ','}},
      {.text = "3 2 1\n2 -1\n1 x 3 2\n2 4294967296\n", .ending = ".graph"},
  };
  const scree_weights_from from[] = {SCREE_WEIGHTS_DROP, SCREE_WEIGHTS_UNIT, SCREE_WEIGHTS_RANDOM_INT};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
      file_case c = files[i];
      c.options.weights = from[k];
      c.options.lo = c.options.hi = 1;
      const bool both = strcmp(c.ending, ".graph") == 0;
      c.arcs = both ? "1>2:1 2>1:1 2>3:1 3>2:1" : "1>2:1 2>3:1";
      c.n = 3, c.edges = 2, c.weight = k ? SCREE_WEIGHT_UINT32 : SCREE_WEIGHT_NONE;
      run_all(&c, 1);
    }
  file_case lacking[] = {
      {"p sp 3 1\na 1 2\n",
       ".gr",
       {.weights = SCREE_WEIGHTS_DROP},
       .part = ":2: found the end of the line, expected a w"},
      {"p sp 3 1\na 1 2 -1 4\n",
       ".gr",
       {.weights = SCREE_WEIGHTS_DROP},
       .part = ":2: found '4', expected the end of the"},
  };
  run_all(lacking, sizeof lacking / sizeof *lacking);
}

HARNESS_TEST(bases) {
  const scree_graph_options zero = {.direction = SCREE_DIRECTED, .base = SCREE_BASE_0},
                            one = {.direction = SCREE_UNDIRECTED, .base = SCREE_BASE_1};
  file_case cases[] = {
      {"1 3\n", .options = zero, .arcs = "1>3:1", .n = 4, .edges = 1},
      {"0 0\n", .options = zero, .arcs = "0>0:1", .n = 1, .edges = 1},
      {"2 4\n", .options = one, .arcs = "2>4:1 4>2:1", .n = 4, .edges = 1},
      {"1 2\n# c\n0 3\n", .options = one, .part = ":3: found '0', expected a vertex id of 1 .. 9223372036854775807"},
      {"1 2\n1099511627777 5\n", .options = one,
       .part = "found the vertex id 1099511627777, expected at most 1099511627776 with --base"},
  };
  run_all(cases, sizeof cases / sizeof *cases);
}

/* ---- --vertices -------------------------------------------------------------------------------------------------- */

static void with_vertices(const char *vertices, file_case *cases, size_t count) {
  char path[64];
  snprintf(path, sizeof path, "%s", graph_case_file(vertices, strlen(vertices), ".v"));
  for (size_t i = 0; i < count; i++) cases[i].options.vertices = path;
  run_all(cases, count);
  unlink(path);
}

HARNESS_TEST(vertices) {
  file_case good[] = {{"1 2\n", .options = directed, .arcs = "1>2:1", .n = 4, .edges = 1},
                      {"# none\n", .options = directed, .arcs = "", .n = 3}},
            bad[] = {
                {"1 2\n", .options = {.direction = SCREE_DIRECTED, .base = SCREE_BASE_0},
                 .part = "found --base and --vertices"},
                {"p sp 2 0\n", .options = none,
                 .part = "found --vertices, but a DIMACS graph states that it is directed, which vertices it has and"}};
  with_vertices("# ids\n9\tx\r\n1\n\n9\n7000000000 more\n", good, 2);
  with_vertices("1\n", bad, 2);
}

typedef struct {
  const char *path;
  scree_graph_options options;
  const char *part;
} vertices_case;

static void load_bad(scree_graphs *graphs, void *arg) {
  const vertices_case *c = arg;
  scree_graph *g = NULL;
  check_equal(scree_graph_load(graphs, c->path, &c->options, &g), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), c->part);
  check_contains(scree_graphs_error(graphs), c->options.vertices);
}

HARNESS_TEST(bad_vertices) {
  static const char *const text[] = {"1\n2\nthree\n", "", NULL}, *const part[] = {
                                                                     ":3: found 'three', expected a vertex id",
                                                                     "found an empty file", "No such file"};
  char edges[64], ids[64];
  snprintf(edges, sizeof edges, "%s", graph_case_file("1 2\n", 4, ".e"));
  for (int i = 0; i < 3; i++) {
    snprintf(ids, sizeof ids, "%s", text[i] ? graph_case_file(text[i], strlen(text[i]), ".v") : "/nonexistent.v");
    vertices_case c = {edges, {.direction = SCREE_DIRECTED, .vertices = ids}, part[i]};
    for (uint32_t ranks = 1; ranks <= 4; ranks++) graph_case_run(ranks, ranks, load_bad, &c);
    if (text[i]) unlink(ids);
  }
  unlink(edges);
}

/* ---- compressed -------------------------------------------------------------------------------------------------- */

/* Several members or frames are one text, also where a line lies across. */
HARNESS_TEST(concatenated) {
  static unsigned char packed[256];
  file_case c = {.options = directed, .arcs = "1>23:1 4>5:1", .n = 4, .edges = 2};
  size_t bytes = pack("1 2", packed, sizeof packed);
  bytes += pack("3\n4 5\n", packed + bytes, sizeof packed - bytes);
  run(&c, packed, bytes, ".txt.gz");
  bytes = pack_zstd("1 2", packed, sizeof packed);
  bytes += pack_zstd("3\n4 5\n", packed + bytes, sizeof packed - bytes);
  run(&c, packed, bytes, ".txt.zst");
}

/* ---- one member, with more text than a buffer holds: the other ranks get pieces ---------------------------------- */

enum { EDGES = 30, COMMENTS = 200, TEXT = 1 << 19 };

static void run_member(file_case *c, const char *text, const char *ending) {
  static unsigned char packed[1 << 16];
  char name[32];
  snprintf(name, sizeof name, "%s.gz", ending);
  run_some(c, packed, pack(text, packed, sizeof packed), name, 1, 3);
  snprintf(name, sizeof name, "%s.zst", ending);
  run_some(c, packed, pack_zstd(text, packed, sizeof packed), name, 0, 3);
}

static size_t add_comments(char *text, size_t size, const char *mark) {
  for (int k = 0; k < COMMENTS; k++)
    size += (size_t)sprintf(text + size, "%s makes the text long: %d\n", mark, k * 7919);
  return size;
}

typedef struct {
  const char *ending, *header, *line, *comment; /* the first line, and what each one begins with */
  const scree_graph_options *options;
  uint64_t n;
} long_format;

/* A line has its number in any piece, and the first one that is wrong is named. */
static void run_long(const long_format *f) {
  static char text[TEXT], arcs[1 << 10], part[64];
  const int header = *f->header ? 1 + (strchr(f->header, '\n') != NULL) : 0, last = header + EDGES * (COMMENTS + 1) + 1;
  size_t size = (size_t)sprintf(text, "%s%s", f->header, header ? "\n" : ""), length = 0;
  for (int i = 0; i < EDGES; i++) {
    const char *weight = i < EDGES / 2 ? "3" : "4.5";
    size += (size_t)sprintf(text + size, "%s%d %d %s\n", f->line, 100 + i, 200 + i, weight);
    length += (size_t)sprintf(arcs + length, "%s%d>%d:%s", i ? " " : "", 100 + i, 200 + i, weight);
    size = add_comments(text, size, f->comment);
  }
  file_case good = {.options = *f->options, .arcs = arcs, .n = f->n, .edges = EDGES, .weight = SCREE_WEIGHT_DOUBLE},
            bad = {.options = *f->options, .part = part};
  good.read_max = 2 * size; /* the rank that decompresses does not read all again */
  run_member(&good, text, f->ending);
  snprintf(part, sizeof part, ":%d: found 'oops'", last);
  sprintf(text + size, "%s7 oops\n", f->line);
  run_member(&bad, text, f->ending);
  snprintf(part, sizeof part, ":%d: found a line of more than", last); /* by the rank that scatters */
  memset(text + size, '7', 1 << 17);
  run_member(&bad, text, f->ending);
  snprintf(part, sizeof part, ":%d: found 'y'", header + 2);
  strstr(text, " makes")[-1] = 'y';
  run_member(&bad, text, f->ending);
}

HARNESS_TEST(scattered) {
  static const long_format formats[] = {
      {".txt", "", "", "#", &weighted, 2 * EDGES},
      {".gr", "p sp 300 30", "a ", "c", &none, 300},
      {".mtx", "%%MatrixMarket matrix coordinate real general\n300 300 30", "", "%", &none, 300}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) run_long(&formats[i]);
}

/* Which vertex a line belongs to depends on those before it. */
HARNESS_TEST(scattered_vertices) {
  enum { FIRST = 101, LAST = FIRST + 2 * EDGES - 1 }; /* those with an edge */
  static char text[TEXT], arcs[1 << 10], part[64];
  size_t size = (size_t)sprintf(text, "%d %d\n", LAST, EDGES), length = 0;
  for (int u = 1; u <= LAST; u++) {
    const int v = u % 2 ? u + 1 : u - 1;
    size += (size_t)(u < FIRST ? sprintf(text + size, "\n") : sprintf(text + size, "%d\n", v));
    if (u < FIRST) continue;
    size = add_comments(text, size, "%");
    length += (size_t)sprintf(arcs + length, "%s%d>%d:1", u > FIRST ? " " : "", u, v);
  }
  file_case good = {.options = none, .arcs = arcs, .n = LAST, .edges = EDGES}, bad = {.options = none, .part = part};
  good.read_max = 2 * size;
  run_member(&good, text, ".graph");
  sprintf(text + size, "1\n");
  snprintf(part, sizeof part, ":%d: found '1', expected no line after", 2 + LAST + 2 * EDGES * COMMENTS);
  run_member(&bad, text, ".graph");
}

HARNESS_MAIN
