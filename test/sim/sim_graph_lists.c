/* sim_graph_lists.c - tests of edge lists that could mislead, on virtual ranks: as others write them, with a first line
 * that counts, what is not a list, and maps of ids. */
#include "graph_files.h"

/* Lists as others write them. */
HARNESS_TEST(foreign_lists) {
  static const char two[] = "1>2:1 2>3:1";
  file_case cases[] = {{"\xef\xbb\xbf"
                        "1 2\n2 3\n",
                        .options = directed, .arcs = two, .n = 3, .edges = 2},
                       {"\xef\xbb\xbf"
                        "# c\n1 2\r\n2 3",
                        .options = directed, .arcs = two, .n = 3, .edges = 2},
                       {"\xef\xbb\xbf"
                        "p sp 3 2\na 1 2 1\na 2 3 1\n",
                        .arcs = two, .n = 3, .edges = 2, .weight = SCREE_WEIGHT_UINT32},
                       {"\xef\xbb\xbf%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n", .arcs = two,
                        .n = 3, .edges = 2},
                       {"\xef\xbb\xbf"
                        "3 2\n2\n1 3\n2\n",
                        ".graph", .arcs = "1>2:1 2>1:1 2>3:1 3>2:1", .n = 3, .edges = 2},
                       {"# c\nfrom to\n1 2\n2 3\n", .options = {.direction = SCREE_DIRECTED, .header = true},
                        .arcs = two, .n = 3, .edges = 2},
                       {"one\n# two\n1 2\n2 3\n", .options = {.direction = SCREE_DIRECTED, .skip_lines = 2},
                        .arcs = two, .n = 3, .edges = 2},
                       {"one\n# two\nfrom to\n1 2\n2 3\n",
                        .options = {.direction = SCREE_DIRECTED, .skip_lines = 1, .header = true}, .arcs = two, .n = 3,
                        .edges = 2},
                       {"from;the way;to\n1;New York;2\n2 ; a; 3\n", .arcs = two, .n = 3, .edges = 2,
                        .options = {.direction = SCREE_DIRECTED, .columns = {1, 3}, .separator = ';', .header = true}},
                       {"1\ta b\t2\n2\tc\t3\t\n", .arcs = two, .n = 3, .edges = 2,
                        .options = {.direction = SCREE_DIRECTED, .columns = {1, 3}, .separator = '\t'}},
                       {"1|2|0.5\n2|3|4\n", .arcs = "1>2:0.5 2>3:4", .n = 3, .edges = 2, .weight = SCREE_WEIGHT_DOUBLE,
                        .options = {.direction = SCREE_DIRECTED, .columns = {1, 2, 3}, .separator = '|'}},
                       {"// one\n1 2\n  // two\n2 3\n# three\n", .arcs = two, .n = 3, .edges = 2,
                        .options = {.direction = SCREE_DIRECTED, .comment = "//"}},
                       {"1 2 -0.0\n2 3 -0\n3 1 -0e5\n", .options = weighted, .arcs = "1>2:0 2>3:0 3>1:0", .n = 3,
                        .edges = 3, .weight = SCREE_WEIGHT_DOUBLE},
                       {"1 2 -0\n2 3 7\n", .options = weighted, .arcs = "1>2:0 2>3:7", .n = 3, .edges = 2,
                        .weight = SCREE_WEIGHT_UINT32},
                       {"1 2 --0\n", .options = weighted, .part = ":1: found '--0', expected a weight of 0 or more"}};
  run_all(cases, sizeof cases / sizeof *cases);
}

/* Of parallel edges the lightest stays. */
HARNESS_TEST(simplified) {
  static const char list[] = "1 2 5\n2 1 3\n1 1 4\n1 1 2\n2 3 1\n";
  file_case cases[] = {
      {list, .options = {.direction = SCREE_UNDIRECTED, .columns = {1, 2, 3}, .dedup = true},
       .arcs = "1>1:2 1>2:3 2>1:3 2>3:1 3>2:1", .n = 3, .edges = 3, .weight = SCREE_WEIGHT_UINT32},
      {list, .options = {.direction = SCREE_UNDIRECTED, .columns = {1, 2, 3}, .drop_self_loops = true},
       .arcs = "1>2:3 1>2:5 2>1:3 2>1:5 2>3:1 3>2:1", .n = 3, .edges = 3, .weight = SCREE_WEIGHT_UINT32},
      {list, .options = {.direction = SCREE_DIRECTED, .columns = {1, 2, 3}, .dedup = true, .drop_self_loops = true},
       .arcs = "1>2:5 2>1:3 2>3:1", .n = 3, .edges = 3, .weight = SCREE_WEIGHT_UINT32}};
  run_all(cases, sizeof cases / sizeof *cases);
}

/* One rule for all separators: what is read of the line, "1>2:3" of columns 1,2,3 or others, or why it is refused. */
HARNESS_TEST(fields) {
  static const struct {
    const char *line, *result, *columns;
    char separator;
  } rows[] = {
      {"1,2,3", "1>2:3", "123", 0},
      {"1\t2\t3", "1>2:3", "123", 0},
      {"1 2\t3", "1>2:3", "123", 0},
      {" 1 , 2\t,3 ", "1>2:3", "123", 0},
      {"1\t 2 \t3\t", "1>2:3", "123", 0},
      {"1;2;3;;", "1>2:3", "123", ';'},
      {"1,,2,,3", "1>2:3", "135", 0},
      {"1\t\t2\t\t3", "1>2:3", "135", 0},
      {"1;;2; ;3", "1>2:3", "135", ';'},
      {",1,2,3", "1>2:3", "234", 0},
      {"\t1\t2\t3", "1>2:3", "234", 0},
      {";1;2;3", "1>2:3", "234", ';'},
      {"\"a,b\",1,2,3", "1>2:3", "234", 0},
      {"\"a\tb\"\t1\t2\t3", "1>2:3", "234", 0},
      {"\"a b\" 1 2 3", "1>2:3", "234", 0},
      {"two words\t1\t2\t3", "1>2:3", "234", '\t'},
      {"a\t\t1\t2\t3", "1>2:3", "345", 0},
      {"\"1\",\"2\",\"3\"", "1>2:3", "123", 0},
      {"\"1\";\"2\" ;\"3\"", "1>2:3", "123", ';'},
      {"\"1\" \"2\" \"3\"", "1>2:3", "123", 0},
      {"1\t\t2  3", "1>2:3", "123", ' '},
      {"1,2,3,\"x\"\"y\",z\"", "1>2:3", "123", 0},
      {"1 2 3 \"x", "1>2:3", "123", 0},
      {"1 2\t\t9", "1>2:1", "12", 0},
      {"1,,3", "found an empty field, expected a vertex id of 0 .. 9223372036854775807 in column 2", "123", 0},
      {"1\t\t3", "--separator blanks takes any blanks and tabs for one separator", "123", 0},
      {"\t1\t2", "found an empty field, expected a vertex id of 0 .. 9223372036854775807 in column 1", "123", 0},
      {"1\t2\t", "found an empty field, expected a weight in column 3", "123", 0},
      {"1\t2", "found the end of the line, expected a weight in column 3", "123", 0},
      {"1 2\t\t3", "found an empty field, expected a value after one tab in column 3", "123", 0},
      {"1,2 3", "found '2 3', expected a vertex id of 0 .. 9223372036854775807 in column 2", "123", 0},
      {"1\t2 3", "found '2 3', expected a vertex id of 0 .. 9223372036854775807 in column 2; each tab", "123", 0},
      {"\"1,2,3", "found '\"1,2,3', expected a closing quote in the same line in column 1", "123", 0},
      {"1,2,3,\"x", "found '\"x', expected a closing quote in the same line", "123", 0},
      {"1\t2\t3\ty\t\"x", "found '\"x', expected a closing quote in the same line", "123", 0},
      {"\"1\"2,3,4", "expected a separator after the closing quote in column 1", "123", ','},
      {"01,2,3", "found '01', expected a vertex id without leading zeros in column 1", "123", 0},
      {"1,00,3", "found '00', expected a vertex id without leading zeros in column 2", "123", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[256], arcs[64] = "";
    const char *line = rows[i].line, *result = rows[i].result;
    const bool good = strchr(result, '>') != NULL;
    /* The first line is always read on the slow path, the last one, of the usual form, on the quick one. */
    snprintf(text, sizeof text, "%s\n%s\n# c\n%s\n", line, line, line);
    file_case c = {text, .options = {.direction = SCREE_DIRECTED, .separator = rows[i].separator}};
    for (size_t k = 0; rows[i].columns[k]; k++) c.options.columns[k] = (uint32_t)(rows[i].columns[k] - '0');
    if (good) snprintf(arcs, sizeof arcs, "%s %s %s", result, result, result);
    if (good)
      c.arcs = arcs, c.n = 2, c.edges = 3, c.weight = rows[i].columns[2] ? SCREE_WEIGHT_UINT32 : SCREE_WEIGHT_NONE;
    else
      c.part = result;
    run_all(&c, 1);
  }
}

/* Adjacency lists, LGL and lists with an index in front are refused; lists that resemble them are read. */
HARNESS_TEST(resembling) {
#define ADJACENCY "numbers, each beginning with another one, as an adjacency list has them"
#define REGULAR   "numbers, each beginning with a vertex that is in the rows of all its neighbours"
#define LGL       ": found a vertex in a comment in front of its neighbours, as LGL has it"
  const scree_graph_options said = {.direction = SCREE_DIRECTED, .format = SCREE_FORMAT_EDGES},
                            columns = {.direction = SCREE_DIRECTED, .columns = {1, 2, 0}},
                            headed = {.direction = SCREE_DIRECTED, .header = true},
                            headed_both = {.direction = SCREE_UNDIRECTED, .header = true},
                            headed_23 = {.direction = SCREE_DIRECTED, .header = true, .columns = {2, 3, 0}},
                            skipped = {.direction = SCREE_DIRECTED, .skip_lines = 1};
  file_case cases[] = {
      {"1 2 3 4\n2 1 3\n3 1 2\n4 1\n", .options = directed, .part = "found rows of 2 to 4 " ADJACENCY},
      {"# by\n1 2\n2 1 3\n3 2 4\n4 3\n", .options = undirected, .part = "found rows of 2 to 3 " ADJACENCY},
      {"1,2,3,4\n2,1,3\n3,1,2\n4,1\n", .options = directed, .part = ADJACENCY},
      {"1\t2\t3\t4\n2\t1\t3\n3\t1\t2\n4\n", .options = directed, .part = "found rows of 1 to 4 " ADJACENCY},
      {"1 2 3\n2 1 3\n3 1 2\n", .options = directed, .part = "found rows of 3 " REGULAR},
      {"# by\n4,1,3\n1,2,4\n2,3,1\n3,2,4\n", .options = undirected, .part = "found rows of 3 " REGULAR},
      {"1 2 3\n2 3 1\n3 4 1\n4 1 2\n", .options = directed, .arcs = "1>2:1 2>3:1 3>4:1 4>1:1", .n = 4, .edges = 4},
      {"1 2 2\n2 1 1\n", .options = directed, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 2},
      {"# 1\n2 5\n3 5\n# 2\n3 5\n", .options = directed, .part = ":4" LGL},
      {"# 1\n2\n3\n# 2\n3\n", .options = directed, .part = ":4" LGL},
      {"1 2 3 4\n2 1 3\n", .options = said, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 2},
      {"1 2 3 4\n2 1 3\n", .options = columns, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 2},
      {"# 4 5\n# 4\n1 2\n2 1\n", .options = directed, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 2},
      {"1 2 9\n1 3\n2 1 9 9\n", .options = directed, .arcs = "1>2:1 1>3:1 2>1:1", .n = 3, .edges = 3},
      {"1 2\n2 1 9\n", .options = directed, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 2},
      {"1 2 5 6\n2 1 7 8\n", .options = directed, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 2},
      {"1 2 red\n2 1 dark blue\n", .options = directed, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 2},
      {",source,target\n0,1,2\n", .options = headed,
       .part = ":1: found headings of source and target in columns 2 and 3, expected --columns 2,3"},
      {",source,target\n0,1,2\n", .options = skipped, .part = "expected --columns 2,3"},
      {"# c\n\"\"\t\"From\"\t\"To\"\n0\t1\t2\n", .options = headed, .part = ":2: found headings of source and target"},
      {"to,from\n1,2\n", .options = headed, .part = "in columns 2 and 1, expected --columns 2,1"},
      {",a,b\n0,1,2\n", .options = headed, .part = ":1: found an empty heading in column 1, as of an index"},
      {",source,target\n0,1,2\n", .options = headed_23, .arcs = "1>2:1", .n = 2, .edges = 1},
      {"to,from\n1,2\n", .options = headed_both, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 1},
      {"Source,Target,Weight\n1,2,3\n", .options = headed, .arcs = "1>2:1", .n = 2, .edges = 1},
      {"source target\nalice bob\n", .options = directed, .part = "a line of headings needs --header"},
  };
  run_all(cases, sizeof cases / sizeof *cases);
}

/* Only the start of a file is examined: the first rows of a ring, the last one of which is far away. */
HARNESS_TEST(long_regular) {
  enum { ROWS = 8000, BYTES = 32 };
  char *text = calloc(ROWS, BYTES);
  for (int i = 0, at = 0; text && i < ROWS; i++)
    at += snprintf(text + at, BYTES, "%d %d %d\n", i, (i + ROWS - 1) % ROWS, (i + 1) % ROWS);
  file_case c = {text, .options = undirected, .part = "found rows of 3 " REGULAR};
  if (check(text)) run(&c, text, strlen(text), ".txt");
  free(text);
}

/* Files that are something else, by content and by name. */
HARNESS_TEST(foreign_files) {
  static const scree_graph_options dimacs = {.format = SCREE_FORMAT_DIMACS};
  static const struct {
    const char *data, *part, *ending;
    size_t bytes;
    const scree_graph_options *options;
  } cases[] = {
      {"\xff\xfe\061\0 \0002\0\n\0", ":1: found UTF-16, expected ASCII or UTF-8: convert it by 'iconv", ".txt", 10,
       &directed},
      {"\xfe\xff\0001\0 \0002\0\n", ":1: found UTF-16", ".gr", 10, &dimacs},
      {"1\0 \0002\0\n\0", ":1: found UTF-16", ".txt", 8, &directed},
      {"\xfd\067zXZ\0\0\4", ":1: found a file that xz packed", ".txt.xz", 8, &directed},
      {"PK\3\4\24\0\0\0", ":1: found a zip archive", ".zip", 8, &directed},
      {"BZh91AY&SY\0", ":1: found a file that bzip2 packed", ".bz2", 11, &directed},
      {"7z\xbc\xaf\x27\x1c\0\4", ":1: found a 7z archive", ".7z", 8, &directed},
      {"1 2\n", ":1: found a GML graph, expected an edge list: make one by python3", ".gml", 4, &directed},
      {"1 2\n", ":1: found a Pajek graph", ".net", 4, &directed},
      {"1 2\n", ":1: found a DOT graph", ".dot", 4, &directed},
      {"Creator \"me\"\ngraph\n[\n", ":1: found a GML graph", ".txt", 22, &directed},
      {"graph [\n", ":1: found a GML graph", ".txt", 8, &directed},
      {"*Vertices 3\n", ":1: found a Pajek graph", ".txt", 12, &directed},
      {"strict digraph G {\n", ":1: found a DOT graph", ".txt", 19, &directed},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    file_case c = {.options = *cases[i].options, .part = cases[i].part};
    run(&c, cases[i].data, cases[i].bytes, cases[i].ending);
  }
  file_case c = {
      .options = {.direction = SCREE_DIRECTED, .format = SCREE_FORMAT_EDGES}, .arcs = "1>2:1", .n = 2, .edges = 1};
  run(&c, "1 2\n", 4, ".gml"); /* its name is refuted */
}

/* ---- a first line that counts ---- */

#define CYCLE "1 2\n2 3\n3 4\n4 1\n"
#define ARCS  "1>2:1 2>3:1 3>4:1 4>1:1"

HARNESS_TEST(counts) {
  static const char late[] = "# a long comment, for which the first of three ranks has no edge at all, and the second "
                             "none either\n#\n4 4\n" CYCLE;
  const scree_graph_options forced = {.direction = SCREE_DIRECTED, .first_edge = true},
                            skipped = {.direction = SCREE_DIRECTED, .skip_lines = 1},
                            based = {.direction = SCREE_DIRECTED, .base = SCREE_BASE_0};
  file_case cases[] = {
      /* lines that follow: as many as edges */
      {"4 4\n" CYCLE, .options = directed,
       .part = ":1: found '4 4', which may count vertices and edges: 4 lines follow; expected --skip-lines 1 if so, or "
               "--first-line edge if it is an edge"},
      {"4 4\n" CYCLE, .options = forced, .arcs = ARCS " 4>4:1", .n = 4, .edges = 5},
      {"4 4\n" CYCLE, .options = skipped, .arcs = ARCS, .n = 4, .edges = 4},
      {late, .options = directed, .part = ":3: found '4 4', which may count vertices and edges: 4 lines follow"},
      {late, .options = {.direction = SCREE_DIRECTED, .skip_lines = 3}, .arcs = ARCS, .n = 4, .edges = 4},
      {"3,4\n0,1\n1,2\n2,0\n0,2\n", .options = directed, .part = ":1: found '3 4'"},
      {"5 5 4\n" CYCLE, .options = directed,
       .part = "found '5 5 4', which may count vertices and edges: 4 lines follow"},
      {"3 5 4\n" CYCLE, .options = directed, .part = "4 lines follow"}, /* not square */
      {"5 5 4\n1 2 7\n2 3 7\n3 4 7\n4 1 7\n", .options = weighted, .part = "4 lines follow"},
      /* ids with gaps: no more of them than vertices */
      {"4 5\n10 20\n20 30\n30 40\n40 10\n20 40\n", .options = directed, .part = "found '4 5'"},
      {"4 5\n10 20\n20 4\n4 40\n40 10\n20 40\n", .options = directed, .part = "found '4 5'"},
      {"3 5\n10 20\n20 30\n30 40\n40 10\n20 40\n", .options = directed, .n = 6, .edges = 6,
       .arcs = "10>20:1 20>30:1 20>40:1 30>40:1 3>5:1 40>10:1"},
      {"1 4\n2 3\n3 4\n4 2\n1 3\n", .options = directed, .n = 4, .edges = 5, .arcs = "1>3:1 1>4:1 2>3:1 3>4:1 4>2:1"},
      /* more edges than vertices, and no larger id */
      {"4 9\n" CYCLE, .options = directed,
       .part = ":1: found '4 9', which may count vertices and edges: no other id exceeds 4; expected --skip-lines 1"},
      {"4 9\n" CYCLE, .options = based, .part = "no other id exceeds 4"},
      {"4 9\n" CYCLE, .options = forced, .arcs = ARCS " 4>9:1", .n = 5, .edges = 5},
      {"4 4 9\n" CYCLE, .options = directed, .part = "found '4 4 9', which may count vertices and edges: no other"},
      {"3 9\n" CYCLE, .options = directed, .arcs = "1>2:1 2>3:1 3>4:1 3>9:1 4>1:1", .n = 5, .edges = 5},
      /* neither */
      {"4 3\n" CYCLE, .options = directed, .arcs = ARCS " 4>3:1", .n = 4, .edges = 5},
      {"5 5 3\n1 2 7\n2 3 7\n3 4 7\n4 1 7\n", .options = weighted, .arcs = "1>2:7 2>3:7 3>4:7 4>1:7 5>5:3", .n = 5,
       .edges = 5, .weight = SCREE_WEIGHT_UINT32},
      {"4 5 4\n1 2 7\n2 3 7\n3 4 7\n4 6 7\n", .options = weighted, .arcs = "1>2:7 2>3:7 3>4:7 4>5:4 4>6:7", .n = 6,
       .edges = 5, .weight = SCREE_WEIGHT_UINT32}, /* not the largest id */
      {"3 4\n1 2\n", .options = directed, .arcs = "1>2:1 3>4:1", .n = 4, .edges = 2},
      {"1 2\n2 3\n3 1\n", .options = directed, .arcs = "1>2:1 2>3:1 3>1:1", .n = 3, .edges = 3}};
  run_all(cases, sizeof cases / sizeof *cases);
}

/* As real graphs have it: ids from 0, and more lines than a rank's buffer holds. */
HARNESS_TEST(counts_of_many) {
  static char text[1 << 17];
  size_t size = (size_t)sprintf(text, "4000 12001\n");
  for (int i = 0; i < 12001; i++) size += (size_t)sprintf(text + size, "%d %d\n", i % 4000, (i * 7919) % 4000);
  file_case c = {.options = undirected,
                 .part = ":1: found '4000 12001', which may count vertices and edges: 12001 lines follow"};
  run(&c, text, size, ".txt");
  c.part = ":1: found '4000 12001', which may count vertices and edges: no other id exceeds 4000";
  run(&c, text, size / 2, ".txt");
}

/* ---- maps of ids ---- */

typedef struct {
  const file_case *c;
  const char *graph;
} mapped;

/* Labels need not ascend with the vertices here. */
static void load_mapped(scree_graphs *graphs, void *arg) {
  const mapped *m = arg;
  char text[2048];
  uint64_t min, max;
  scree_graph *g = NULL;
  scree_status status = scree_graph_load(graphs, m->graph, &m->c->options, &g);
  if (m->c->part) {
    check_equal(status, SCREE_EINVAL);
    check_contains(scree_graphs_error(graphs), m->c->part);
    check_contains(scree_graphs_error(graphs), m->c->options.map);
    check(!g);
    return;
  }
  if (!check_text(status == SCREE_OK, "%s", scree_graphs_error(graphs))) return;
  describe(g, text, sizeof text);
  if (!scree_graph_rank(g)) check_string(text, m->c->arcs);
  check_equal(scree_graph_label_range(g, &min, &max), SCREE_OK);
  const uint32_t *by_label;
  check_equal(scree_graph_by_label(g, &by_label), SCREE_OK);
  for (uint64_t u = 1; u < g->locals && by_label; u++) check(g->labels[by_label[u - 1]] < g->labels[by_label[u]]);
  for (uint64_t u = 1; u < g->locals && !by_label; u++) {
    const uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u - 1));
    const uint64_t w = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    check_equal(g->labels[u - 1] < g->labels[u], v < w);
  }
  scree_graph_free(g);
}

#define SQUARE "%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n2 3\n3 4\n4 1\n"

HARNESS_TEST(maps) {
  static const struct {
    const char *map, *arcs, *part;
  } cases[] = {
      {"5 1\n70 2\n# c\n\n9000000000000000000 4\n800\t3\n",
       "5>70:1 70>800:1 800>9000000000000000000:1 9000000000000000000>5:1", NULL},
      {"8 1\n2 2\n6 3\n4 4", "2>6:1 4>8:1 6>4:1 8>2:1", NULL}, /* in no order */
      {"4 1\n3 2\n2 3\n1 4 and more\n", "1>4:1 2>1:1 3>2:1 4>3:1", NULL},
      {"1 1\n2 2\n3 3\n", NULL, ": found no line of the new id 4, expected one for each of 1 .. 4"},
      {"1 1\n2 2\n3 3\n4 3\n5 4\n", NULL, ": found two lines of the new id 3, expected one"},
      {"4 1\n3 2\n4 3\n1 4\n", NULL, ": found the old id 4 twice, expected it once"},
      {"1 1\n2 2\n3 3\n4 5\n", NULL, ":4: found '5', expected a new id, one of the graph: 1 .. 4"},
      {"1 1\nx 2\n", NULL, ":2: found 'x', expected an old id"},
      {"1 1\n2\n", NULL, ":2: found the end of the line, expected a new id"},
  };
  static const scree_distribution_kind kinds[] = {SCREE_DISTRIBUTION_BLOCK, SCREE_DISTRIBUTION_CYCLIC,
                                                  SCREE_DISTRIBUTION_HASH};
  char graph[64], map[64];
  snprintf(graph, sizeof graph, "%s", graph_case_file(SQUARE, strlen(SQUARE), ".mtx"));
  for (size_t i = 0; i < 3 * sizeof cases / sizeof *cases && !harness_failures(); i++) {
    const char *text = cases[i / 3].map;
    snprintf(map, sizeof map, "%s", graph_case_file(text, strlen(text), ".map"));
    file_case c = {.options = {.map = map, .distribution = kinds[i % 3]},
                   .part = cases[i / 3].part,
                   .arcs = cases[i / 3].arcs,
                   .n = 4,
                   .edges = 4};
    mapped m = {&c, graph};
    for (uint32_t k = 0; k < GRAPH_CASE_RANKS; k++) graph_case_run(graph_case_ranks[k], k, load_mapped, &m);
    unlink(map);
  }
  unlink(graph);
}

HARNESS_MAIN
