/* sim_graph_metis.c - tests of METIS files on virtual ranks, plain and compressed: which line is which vertex, weights,
 * what is left unread, and what is refused. */
#include "graph_files.h"

static void few_ranks(file_case *c, const char *text, size_t size) {
  c->path = graph_case_file(text, size, ".graph");
  for (uint32_t ranks = 1; ranks <= 5; ranks += 2) graph_case_run(ranks, size, load, c);
  unlink(c->path);
}

HARNESS_TEST(good) {
  file_case cases[] = {
      {"3 2\n2\n1 3\n2\n", .options = none, .arcs = "1>2:1 2>1:1 2>3:1 3>2:1", .n = 3, .edges = 2},
      {"% c\n\t% d\n3 2 0\r\n2\r\n%\r\n1\t3\r\n 2 \r\n", .options = undirected, .arcs = "1>2:1 2>1:1 2>3:1 3>2:1",
       .n = 3, .edges = 2},
      {"6 2 000 0\n\n4 5\n\n2\n2\n\n", .options = none, .arcs = "2>4:1 2>5:1 4>2:1 5>2:1", .n = 6, .edges = 2},
      {"2 1\n2\n1\n\n% c\n  \n\n", .options = none, .arcs = "1>2:1 2>1:1", .n = 2,
       .edges = 1}, /* empty lines after it */
      {"2 1 1\n2 7\n1 7", .options = none, .arcs = "1>2:7 2>1:7", .n = 2, .edges = 1, .weight = SCREE_WEIGHT_UINT32},
      {"2 1 001\n2 0\n1 0\n", .options = {.weights = SCREE_WEIGHTS_DROP}, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 1},
      {"2 1 001\n2 0\n1 0\n", .options = {.weights = SCREE_WEIGHTS_UNIT, .distribution = SCREE_DISTRIBUTION_HASH},
       .arcs = "1>2:1 2>1:1", .n = 2, .edges = 1, .weight = SCREE_WEIGHT_UINT32},
      {"2 1 10\n9 2\n8 1\n", .options = none, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 1},
      {"2 1 10 3\n9 9 9 2\n8 8 8 1\n", .options = none, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 1},
      {"2 1 100\n5 2\n5 1\n", .options = none, .arcs = "1>2:1 2>1:1", .n = 2, .edges = 1},
      {"3 1 111 2\n5 1 1 2 4294967295\n5 1 1 1 4294967295\n5 1 1\n", .options = none,
       .arcs = "1>2:4294967295 2>1:4294967295", .n = 3, .edges = 1, .weight = SCREE_WEIGHT_UINT32},
      {"2 4 1\n1 3 2 5 2 5 2 6\n1 5 1 5 1 6\n", .options = none, /* parallel edges, a self loop */
       .arcs = "1>1:3 1>2:5 1>2:5 1>2:6 2>1:5 2>1:5 2>1:6", .n = 2, .edges = 4, .weight = SCREE_WEIGHT_UINT32},
      {"1 0\n\n", .options = none, .arcs = "", .n = 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    run(&cases[i], cases[i].text, strlen(cases[i].text), i % 2 ? ".graph" : ".metis");
  cases[1].ending = ".graph.gz";
  run_all(&cases[1], 1); /* compressed too */
}

HARNESS_TEST(bad) {
  file_case cases[] = {
      {"% only\n", .part = "found the end of the file, expected the line 'VERTICES EDGES [FORMAT [CONSTRAINTS]]'"},
      {"x 2\n", .part = ":1: found 'x', expected a number of vertices, 1 .. 1099511627776"},
      {"%\n0 0\n", .part = ":2: found '0', expected a number of vertices, 1 .. 1099511627776"},
      {"3\n", .part = ":1: found the end of the line, expected a number of edges"},
      {"3 -1\n", .part = ":1: found '-1', expected a number of edges"},
      {"3 2 2\n", .part = ":1: found '2', expected a format of three digits 0 or 1"},
      {"3 2 020\n", .part = ":1: found '020', expected a format of three digits 0 or 1"},
      {"3 2 1000\n", .part = ":1: found '1000', expected a format of three digits 0 or 1"},
      {"3 2 1 1\n", .part = ":1: found '1', expected 0, as the format says that there are no vertex weights"},
      {"3 2 10 x\n", .part = ":1: found 'x', expected a number of vertex weights, 0 .. 1048576"},
      {"3 2 10 1 1\n", .part = ":1: found '1', expected the end of the line"},
      {"3 2\n2\n1 4\n2\n", .part = ":3: found '4', expected a vertex id of 1 .. 3"},
      {"3 2\n2\n0 3\n2\n", .part = ":3: found '0', expected a vertex id of 1 .. 3"},
      {"3 2\n2\n1 3\nx\n", .part = ":4: found 'x', expected a vertex id of 1 .. 3"},
      {"3 2\n2\n1 3\n2\n\n1\n", .part = ":6: found '1', expected no line after those of the vertices"},
      {"3 2\n2\n1 3\n", .part = ":1: found 2 lines of vertices in the file, expected 3 as this line says"},
      {"% c\n4 2\n2\n1 3\n2\n", .part = ":2: found 3 lines of vertices in the file, expected 4 as this line says"},
      {"3 3\n2\n1 3\n2\n", .part = ":1: found 2 edges in the file, expected 3 as this line says"},
      {"3 1\n2\n1 3\n2\n", .part = ":1: found more than 1 edges in the file, expected 1 as this line says"},
      {"3 2\n2\n3\n\n",
       .part = "found 2 neighbours of larger and 0 of smaller id than their vertex that are not the same edges; "
               "expected each edge of an undirected graph at both its ends"},
      {"3 2\n2 3\n1\n2\n", .part = "found 2 neighbours of larger and 2 of smaller id than their vertex"},
      {"2 1 1\n2 7\n1 8\n", .part = "that are not the same edges of the same weights; expected each edge"},
      {"2 1 1\n2\n1 8\n", .part = ":2: found the end of the line, expected the weight of an edge, 0 .. 4294967295"},
      {"2 1 1\n2 1\n1 -1\n", .part = ":3: found '-1', expected the weight of an edge, 0 .. 4294967295"},
      {"2 1 1\n2 1\n1 1.5\n", .part = ":3: found '1.5', expected the weight of an edge"},
      {"2 1 1\n2 1\n1 4294967296\n", .part = ":3: found '4294967296', expected the weight of an edge"},
      {"2 1 110\n1 1 2\n1\n", .part = ":3: found the end of the line, expected the size or a weight of the vertex"},
      {"2 1 10\n1 2\n-3 1\n", .part = ":3: found '-3', expected the size or a weight of the vertex"},
      {"2 1\n2\n1\n", .options = directed, .part = "found --directed, but a METIS graph states that"},
      {"2 1\n2\n1\n", .options = {.base = SCREE_BASE_0}, .part = "found --base, but a METIS graph states that"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) few_ranks(&cases[i], cases[i].text, strlen(cases[i].text));
}

/* A hub's line is longer than any buffer; the line of an error after it is right. */
HARNESS_TEST(long_line) {
  enum { LEAVES = 20000 };
  char *text = malloc(LEAVES * 10);
  size_t size = (size_t)sprintf(text, "%d %d\n", LEAVES + 1, LEAVES);
  for (int i = 2; i <= LEAVES + 1; i++) size += (size_t)sprintf(text + size, "%d ", i);
  for (int i = 0; i < LEAVES; i++) size += (size_t)sprintf(text + size, "\n%s", i == LEAVES - 2 ? "1 x" : "1");
  file_case c = {.part = ":20001: found 'x', expected a vertex id of 1 .. 20001"};
  few_ranks(&c, text, size);
  free(text);
}

/* Cut anywhere it is refused: except where only the end of its last line is missing. */
HARNESS_TEST(truncated) {
  static const char text[] = "4 4 11\n1 2 33 4 44\n1 1 33 3 55\n% c\n1 2 55 4 66\n1 1 44 3 66\n";
  const size_t whole = sizeof text - 2;
  for (size_t size = 1; size < whole; size++) {
    file_case c = {.part = "expected"};
    few_ranks(&c, text, size);
  }
}

HARNESS_MAIN
