/* sim_graph_traps.c - the traps that real graph files bring, a named test for each.
 *
 * One test for each trap: what is accepted, what is refused, and with which message. */
#include "capture.h"
#include "graph_files.h"

static void one(file_case c) {
  run_all(&c, 1);
}

static void header_counts(void **state) {
  (void)state;
  one((file_case){"p sp 3 3\na 1 2 1\na 2 3 1\n", ".gr", .part = ":1: found 2 arcs in the file, expected 3"});
  one((file_case){"p sp 3 1\na 1 2 1\na 2 3 1\n", ".gr", .part = ":1: found more than 1 arcs in the file, expected 1"});
  one((file_case){"p sp 2 1\na 1 3 1\n", ".gr", .part = ":2: found '3', expected a vertex id of 1 .. 2"});
  one((file_case){"%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n",
                  .part = ":2: found 2 entries in the file, expected 3"});
}

static void gaps(void **state) {
  (void)state;
  one((file_case){"10 20\n20 40\n", .options = directed, .arcs = "10>20:1 20>40:1", .n = 3, .edges = 2});
  one((file_case){"1 3\n", .options = {.direction = SCREE_DIRECTED, .base = SCREE_BASE_1}, .arcs = "1>3:1", .n = 3,
                  .edges = 1});
  one((file_case){"1 900000000000 5000000000000\n", .options = directed, .arcs = "1>900000000000:1", .n = 2,
                  .edges = 1});
}

static void tabs_and_crlf(void **state) {
  (void)state;
  one((file_case){"1\t2\r\n \t 2 \t 3 \t\r\n3\t\t1\r\n", .options = directed, .arcs = "1>2:1 2>3:1 3>1:1", .n = 3,
                  .edges = 3});
  one((file_case){"p\tsp 2 1\r\na\t1\t2\t3\r\n", ".gr", .arcs = "1>2:3", .n = 2, .edges = 1,
                  .weight = SCREE_WEIGHT_UINT32});
}

static void text_header(void **state) {
  (void)state;
  one((file_case){"src dst time\n1 2 3\n", .options = directed,
                  .part =
                      ":1: found 'src', expected a vertex id of 0 .. 9223372036854775807 in column 1; put '#' before "
                      "a line of headings"});
}

static void count_only_first_line(void **state) {
  (void)state;
  one((file_case){"5\n1 2\n", .options = directed,
                  .part =
                      ":1: found the end of the line, expected a vertex id of 0 .. 9223372036854775807 in column 2; "
                      "put '#' before a line that holds a count"});
  one((file_case){"1 2\n5\n", .options = directed,
                  .part =
                      ":2: found the end of the line, expected a vertex id of 0 .. 9223372036854775807 in column 2"});
}

/* Runs a case on some ranks, and compares what it said on standard error: this part of it, or "" for nothing. */
static void told(file_case c, const char *part) {
  capture_start();
  c.path = graph_case_file(c.text, strlen(c.text), ".txt");
  graph_case_run(3, 1, load, &c);
  char *said = capture_end();
  if (*part)
    check_contains(said, part);
  else
    check_string(said, "");
  unlink(c.path);
  free(said);
}

/* "vertices edges" reads as an edge: nothing is refused, but it is told. */
static void counts_as_first_edge(void **state) {
  (void)state;
  file_case c = {"4 4\n1 2\n2 3\n3 4\n4 1\n", .options = directed, .arcs = "1>2:1 2>3:1 3>4:1 4>1:1 4>4:1", .n = 4,
                 .edges = 5};
  told(c, "the first line is read as an edge, but may count: 4 is the largest id, and 4 lines follow; put "
          "'#' before it");
  c.text = "4 3\n1 2\n2 3\n3 4\n4 1\n";
  c.arcs = "1>2:1 2>3:1 3>4:1 4>1:1 4>3:1";
  told(c, "");
  c.text = "# a long comment, for which the first of three ranks has no edge at all, and the second none either\n"
           "#\n4 4\n1 2\n2 3\n3 4\n4 1\n";
  c.arcs = "1>2:1 2>3:1 3>4:1 4>1:1 4>4:1";
  told(c, "4 is the largest id, and 4 lines follow");
}

/* A Matrix Market file without its banner begins with "rows columns entries". */
static void counts_of_a_matrix(void **state) {
  (void)state;
  file_case c = {"5 5 4\n1 2\n2 3\n3 4\n4 1\n", .options = directed, .arcs = "1>2:1 2>3:1 3>4:1 4>1:1 5>5:1", .n = 5,
                 .edges = 5};
  told(c, "may count: 5 is the largest id, and 4 lines follow; put '#' before it");
  c.text = "3 5 4\n1 2\n2 3\n3 4\n3 1\n"; /* a matrix that is not square */
  c.arcs = "1>2:1 2>3:1 3>1:1 3>4:1 3>5:1";
  told(c, "may count: 5 is the largest id, and 4 lines follow");
  c.text = "5 5 4\n1 2 7\n2 3 7\n3 4 7\n4 1 7\n";
  c.arcs = "1>2:7 2>3:7 3>4:7 4>1:7 5>5:4";
  c.options = weighted;
  c.weight = SCREE_WEIGHT_UINT32;
  told(c, "may count: 5 is the largest id, and 4 lines follow");
  c.text = "5 5 3\n1 2 7\n2 3 7\n3 4 7\n4 1 7\n";
  c.arcs = "1>2:7 2>3:7 3>4:7 4>1:7 5>5:3";
  told(c, "");
  c.text = "4 5 4\n1 2 7\n2 3 7\n3 4 7\n4 6 7\n"; /* not the largest id */
  c.arcs = "1>2:7 2>3:7 3>4:7 4>5:4 4>6:7";
  c.n = 6;
  told(c, "");
}

static void comments(void **state) {
  (void)state;
  one((file_case){"# a\n% b\n~ c\nc d\nc\n\n  # e\n1 2\n#\n", .options = directed, .arcs = "1>2:1", .n = 2,
                  .edges = 1});
  one((file_case){"cx\n1 2\n", .options = directed, .part = ":1: found 'cx'"});
  one((file_case){"c p sp 9 9\ncomment\np sp 2 0\n", ".gr", .arcs = "", .n = 2, .weight = SCREE_WEIGHT_UINT32});
}

static void truncated(void **state) {
  (void)state;
  static unsigned char packed[4096];
  static char text[4096];
  for (int i = 0; i < 300; i++) sprintf(text + strlen(text), "%d %d\n", i, i * 31 % 307);
  size_t bytes = pack(text, packed, sizeof packed);
  file_case c = {.options = directed, .part = "truncated gzip file: unexpected end of file"};
  for (size_t cut = 1; cut < bytes - 3; cut += 131) run(&c, packed, bytes - cut, ".gz");
  bytes = pack_zstd(text, packed, sizeof packed);
  c.part = "truncated zstd file";
  for (size_t cut = 1; cut < bytes - 5; cut += 131) run(&c, packed, bytes - cut, ".zst");
}

static void lfs_pointer(void **state) {
  (void)state;
  static const char text[] = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 135634\n";
  one((file_case){text, .options = directed, .part = ":1: found a Git LFS pointer, expected the graph itself"});
  one((file_case){text, ".gr", .part = ":1: found a Git LFS pointer"});
}

static void self_loops(void **state) {
  (void)state;
  one((file_case){"1 1\n1 2\n", .options = directed, .arcs = "1>1:1 1>2:1", .n = 2, .edges = 2});
  one((file_case){"1 1\n1 2\n", .options = undirected, .arcs = "1>1:1 1>2:1 2>1:1", .n = 2, .edges = 2});
}

static void parallel_edges(void **state) {
  (void)state;
  one((file_case){"1 2 5\n1 2 3\n2 1 5\n", .options = {.direction = SCREE_UNDIRECTED, .columns = {1, 2, 3}},
                  .arcs = "1>2:3 1>2:5 1>2:5 2>1:3 2>1:5 2>1:5", .n = 2, .edges = 3, .weight = SCREE_WEIGHT_UINT32});
}

static void zero_weights(void **state) {
  (void)state;
  one((file_case){"1 2 0\n2 1 0.0\n", .options = weighted, .arcs = "1>2:0 2>1:0", .n = 2, .edges = 2,
                  .weight = SCREE_WEIGHT_DOUBLE});
  one((file_case){"p sp 2 1\na 1 2 0\n", ".gr", .arcs = "1>2:0", .n = 2, .edges = 1, .weight = SCREE_WEIGHT_UINT32});
}

/* Quick and careful parsing give the same double. */
static void decimals(void **state) {
  (void)state;
  one((file_case){"1 2 0.002025\n2 3 .5\n3 4 1e-3\n4 5 0.1\n5 6 123456.789012345678\n6 7 5.\n7 8 0.30000000000000004\n",
                  .options = weighted,
                  .arcs = "1>2:0.0020249999999999999 2>3:0.5 3>4:0.001 4>5:0.10000000000000001 5>6:123456.78901234567 "
                          "6>7:5 7>8:0.30000000000000004",
                  .n = 8, .edges = 7, .weight = SCREE_WEIGHT_DOUBLE});
}

static void large_ids(void **state) {
  (void)state;
  one((file_case){"4294967296 4294967297\n9223372036854775807 0\n", .options = directed,
                  .arcs = "4294967296>4294967297:1 9223372036854775807>0:1", .n = 4, .edges = 2});
  one((file_case){"9223372036854775808 0\n", .options = directed, .part = ":1: found '9223372036854775808', expected"});
  one((file_case){"99999999999999999999999999 0\n", .options = directed, .part = ":1: found '9999999999"});
}

static void empty_file(void **state) {
  (void)state;
  file_case c = {.options = directed, .part = "found an empty file, expected a graph"};
  run(&c, "", 0, ".txt");
  run(&c, "", 0, ".mtx");
  one((file_case){"\n", .options = directed, .part = "found no edge"});
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(header_counts),
                                          cmocka_unit_test(gaps),
                                          cmocka_unit_test(tabs_and_crlf),
                                          cmocka_unit_test(text_header),
                                          cmocka_unit_test(count_only_first_line),
                                          cmocka_unit_test(counts_as_first_edge),
                                          cmocka_unit_test(counts_of_a_matrix),
                                          cmocka_unit_test(comments),
                                          cmocka_unit_test(truncated),
                                          cmocka_unit_test(lfs_pointer),
                                          cmocka_unit_test(self_loops),
                                          cmocka_unit_test(parallel_edges),
                                          cmocka_unit_test(zero_weights),
                                          cmocka_unit_test(decimals),
                                          cmocka_unit_test(large_ids),
                                          cmocka_unit_test(empty_file)};
HARNESS_MAIN(tests)
