/* unit_graph_text.c - tests of words, lines and options of graphs.
 *
 * It tests what needs no world: parse.h, lines.h, the text of options. */
#include <scree/graph.h>
#include <unistd.h>
#include <zlib.h>

#include "file/lines.h"
#include "file/parse.h"
#include "graph/u64_vector.h"
#include "harness.h"
#include "members.h"

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void takes_id(const char *text, uint64_t expected) {
  uint64_t id = 99;
  const char *p = text;
  check_text(!scree__parse_number(&p, 0, INT64_MAX, &id), "%s is an id", text);
  check_equal(id, expected);
  check_equal(p - text, strcspn(text, " \t"));
}

static void refuses_id(const char *text) {
  uint64_t id;
  const char *p = text;
  check_text(scree__parse_number(&p, 0, INT64_MAX, &id) != NULL, "'%s' is not an id", text);
  check(p == text);
}

HARNESS_TEST(ids) {
  takes_id("0", 0);
  takes_id("007 8", 7);
  takes_id("4294967296\t1", UINT64_C(1) << 32);
  takes_id("9223372036854775807", INT64_MAX);
  refuses_id("9223372036854775808");
  refuses_id("99999999999999999999999");
  refuses_id("-1");
  refuses_id("+1");
  refuses_id("1.0");
  refuses_id("1,2");
  refuses_id("x");
  refuses_id("");
  const char *five = "5", *ten = "10";
  uint64_t n;
  check(scree__parse_number(&five, 0, 4, &n) != NULL);
  check(scree__parse_number(&five, 6, 9, &n) != NULL);
  check(scree__parse_number(&ten, 0, 9, &n) != NULL);
  check(scree__parse_number(&five, 5, 5, &n) == NULL);
}

static void takes_weight(const char *text, double expected, bool is_decimal) {
  double w = -1;
  bool decimal = false;
  const char *p = text;
  check_text(!scree__parse_weight(&p, &w, &decimal), "%s is a weight", text);
  check_text(w == expected, "%s is %.17g", text, w);
  check_equal(decimal, is_decimal);
}

static void refuses_weight(const char *text, const char *expected) {
  double w;
  bool decimal = false;
  const char *p = text;
  check_string(scree__parse_weight(&p, &w, &decimal), expected);
  check(p == text);
}

HARNESS_TEST(weights) {
  takes_weight("0", 0, false);
  takes_weight("4294967295 x", 4294967295.0, false);
  takes_weight("1.0", 1, true);
  takes_weight("0.002025", 0.002025, true);
  takes_weight(".5", 0.5, true);
  takes_weight("1e3", 1000, true);
  takes_weight("1E-3", 0.001, true);
  takes_weight("4294967296.", 4294967296.0, true);
  refuses_weight("4294967296", "a weight of at most 4294967295, or with a decimal point");
  takes_weight("-0.0", 0, true);
  takes_weight("-0", 0, false);
  refuses_weight("--0", "a weight of 0 or more");
  refuses_weight("-", "a weight of 0 or more");
  refuses_weight("-1", "a weight of 0 or more");
  refuses_weight("-0.5", "a weight of 0 or more");
  refuses_weight("1e999", "a weight that a double holds");
  refuses_weight("nan", "a weight");
  refuses_weight("inf", "a weight");
  refuses_weight("0x10", "a weight");
  refuses_weight("1.2.3", "a weight");
  refuses_weight("1,5", "a weight");
  refuses_weight("", "a weight");
}

HARNESS_TEST(found) {
  char text[24];
  check_string(scree__quote_word("src dst", text, sizeof text), "'src'");
  check_string(scree__quote_word("", text, sizeof text), "the end of the line");
  check_string(scree__quote_word("\x1b[2J\xff", text, sizeof text), "'?[2J?'");
  check_string(scree__quote_word("abcdefghijklmnopqrstuvwxyz", text, sizeof text), "'abcdefghijklmnopqr...'");
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static char path[64];

static const char *file_of(const void *data, size_t bytes) {
  snprintf(path, sizeof path, "/tmp/scree-lines-XXXXXX");
  int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
  close(fd);
  return path;
}

static scree__file open_file(const void *data, size_t bytes) {
  scree__file file;
  char why[128] = "";
  check_text(scree__file_open(&file, file_of(data, bytes), why, sizeof why), "%s", why);
  return file;
}

static void close_file(scree__file *file) {
  scree__file_close(file);
  unlink(path);
}

/* Whatever the cuts, each line comes once, in its part, with its number. */
HARNESS_TEST(parts) {
  static const char text[] = "a\nbb\r\n\n\ndddd 1 2\neeeee\n\nlast";
  static const char *const expected[] = {"a", "bb", "", "", "dddd 1 2", "eeeee", "", "last"};
  size_t size = sizeof text - 1;
  scree__file file = open_file(text, size);
  for (uint64_t ranks = 1; ranks <= size + 2; ranks++) {
    size_t lines = 0;
    for (uint32_t r = 0; r < ranks; r++) {
      scree__lines l;
      char why[128], *line;
      uint64_t from, to;
      scree_distribution_block_range(size, r, (uint32_t)ranks, &from, &to);
      if (!check(scree__lines_open(&l, &file, from, to, why, sizeof why))) return;
      while (scree__lines_next(&l, &line, why, sizeof why) == SCREE__LINE_OK) {
        check(l.start >= from && l.start < to);
        check_string(line, lines < 8 ? expected[lines] : "too many");
        check_equal(scree__lines_number(&l), ++lines);
      }
      scree__lines_close(&l);
    }
    check_equal(lines, 8);
  }
  close_file(&file);
}

static size_t count_lines(const scree__file *file, scree__line_result *last, char *why, size_t size, uint64_t *number) {
  scree__lines l;
  char *line;
  size_t n = 0;
  *last = SCREE__LINE_ERROR;
  *number = 0;
  if (!check(scree__lines_open(&l, file, 0, UINT64_MAX, why, size))) return 0;
  while ((*last = scree__lines_next(&l, &line, why, size)) == SCREE__LINE_OK) n++;
  *number = scree__lines_number(&l);
  scree__lines_close(&l);
  return n;
}

/* Longer than the buffer, so that lines lie across its end. */
static char *long_text(size_t *size) {
  char *text = malloc(4 << 20);
  *size = 0;
  for (int i = 0; i < 200000; i++) *size += (size_t)sprintf(text + *size, "%d %d\n", i, i * 7);
  return text;
}

static size_t pack(const char *text, size_t size, void *packed, size_t room) {
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)text,
                .avail_in = (unsigned)size,
                .next_out = packed,
                .avail_out = (unsigned)room};
  check(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  check(deflate(&z, Z_FINISH) == Z_STREAM_END);
  deflateEnd(&z);
  return z.total_out;
}

HARNESS_TEST(long_files) {
  size_t size;
  char why[128] = "", *text = long_text(&size), *packed = malloc(4 << 20);
  size_t bytes = pack(text, size, packed, 4 << 20);
  uint64_t number;
  scree__line_result last;
  scree__file file = open_file(text, size);
  check(!file.compression);
  check_equal(count_lines(&file, &last, why, sizeof why, &number), 200000);
  check_equal(last, SCREE__LINE_END);
  close_file(&file);
  file = open_file(packed, bytes);
  check(file.compression == &scree__compression_gzip);
  check_equal(count_lines(&file, &last, why, sizeof why, &number), 200000);
  check_equal(last, SCREE__LINE_END);
  close_file(&file);
  for (size_t cut = 1; cut < bytes; cut += bytes / 5) {
    file = open_file(packed, bytes - cut);
    check(count_lines(&file, &last, why, sizeof why, &number) <= 200000);
    check_equal(last, SCREE__LINE_ERROR);
    check_contains(why, "truncated gzip file");
    close_file(&file);
  }
  packed[bytes - 6] ^= 0x55; /* of the checksum */
  file = open_file(packed, bytes);
  count_lines(&file, &last, why, sizeof why, &number);
  check_equal(last, SCREE__LINE_ERROR);
  check_contains(why, "damaged gzip file");
  close_file(&file);
  free(text);
  free(packed);
}

/* Zero bytes may follow the last member. Whatever else follows one is refused with its byte. */
HARNESS_TEST(after_a_gzip_member) {
  static char packed[1 << 19];
  enum { ZEROS = 300000 /* more than a buffer */ };
  const size_t member = pack("1 2\n", 4, packed, sizeof packed);
  const struct {
    const char *text;
    size_t zeros; /* in front of the text */
    size_t bytes, lines;
    bool bad;
  } cases[] = {{"", 1, 0, 1, false},
               {"", ZEROS, 0, 1, false},
               {"3 4\n", 0, 4, 1, true},
               {"garbage", 0, 7, 1, true},
               {"\x1e\x8b\b", 0, 3, 1, true},
               {"x", 1, 1, 1, true},
               {"\x1f\x8b", ZEROS, 2, 1, true},
               {packed, 0, member, 2, false},
               {packed, 3, member, 1, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char why[128] = "", byte[64];
    uint64_t number;
    scree__line_result last;
    memset(packed + member, 0, cases[i].zeros);
    memcpy(packed + member + cases[i].zeros, cases[i].text, cases[i].bytes);
    scree__file file = open_file(packed, member + cases[i].zeros + cases[i].bytes);
    check_equal(count_lines(&file, &last, why, sizeof why, &number), cases[i].lines);
    check_equal(last, cases[i].bad ? SCREE__LINE_ERROR : SCREE__LINE_END);
    snprintf(byte, sizeof byte, "damaged gzip file: found 0x%02x at byte %zu, expected a member",
             (unsigned char)*cases[i].text, member + cases[i].zeros);
    if (cases[i].bad) check_contains(why, byte);
    close_file(&file);
  }
}

/* Members cut lines anywhere, at their ends too, and some hold no end of a line: each line is in one part, with its
 * number. */
HARNESS_TEST(members) {
  static const char text[] = "first line, over some members\n\n12\r\n345\n\n6\nlast";
  static const char *const expected[] = {"first line, over some members", "", "12", "345", "", "6", "last"};
  static unsigned char packed[1 << 14];
  for (size_t piece = 1; piece < sizeof text + 1; piece++)
    for (int zstd = 0; zstd < 2; zstd++) {
      size_t starts[64], count = 0, lines = 0;
      size_t bytes =
          members_pack(text, sizeof text - 1, piece, zstd ? MEMBERS_ZSTD : MEMBERS_BGZIP, packed, sizeof packed);
      check(bytes > 0);
      scree__file file = open_file(packed, bytes);
      for (size_t at = 0; at < bytes && check(at < bytes); count++) {
        starts[count] = at;
        at = (size_t)file.compression->member_end(file.fd, at);
        if (!check(at > starts[count])) return;
      }
      check_equal(count, piece < sizeof text - 1 ? 2 + (sizeof text - 2) / piece : 1); /* one is empty */
      for (size_t r = 0; r < count; r++) {
        scree__lines l;
        char why[128], *line;
        if (!check(scree__lines_open_members(&l, &file, starts[r], r + 1 < count ? starts[r + 1] : bytes, why,
                                             sizeof why)))
          return;
        while (scree__lines_next(&l, &line, why, sizeof why) == SCREE__LINE_OK) {
          check_string(line, lines < 7 ? expected[lines] : "too many");
          check_equal(scree__lines_number(&l), ++lines);
        }
        scree__lines_close(&l);
      }
      check_equal(lines, 7);
      close_file(&file);
    }
}

HARNESS_TEST(bad_lines) {
  char why[128] = "", *text = malloc(200000);
  uint64_t number;
  scree__line_result last;
  memset(text, 'x', 200000);
  memcpy(text, "1 2\n", 4);
  scree__file file = open_file(text, 200000);
  check_equal(count_lines(&file, &last, why, sizeof why, &number), 1);
  check_equal(last, SCREE__LINE_ERROR);
  check_equal(number, 2);
  check_contains(why, "more than 65536 bytes");
  close_file(&file);
  file = open_file("1 2\n3\0 4\n", 9);
  check_equal(count_lines(&file, &last, why, sizeof why, &number), 1);
  check_equal(number, 2);
  check_contains(why, "NUL");
  close_file(&file);
  free(text);
}

/* A comment may be longer than a line, whichever part begins within it. */
HARNESS_TEST(long_comments) {
  enum { LONG = 100000, SIZE = 5 * LONG };
  static const char *const starts[] = {"# ", " \t%", "c ", "// "}, *const edges[] = {"1 2", "3 4", "5 6", "7 8"};
  static char text[SIZE], packed[SIZE];
  size_t size = 0;
  for (int i = 0; i < 4; i++) {
    const size_t start = (size_t)sprintf(text + size, "%s", starts[i]);
    memset(text + size + start, '1' + i, LONG);
    size += start + LONG;
    size += (size_t)sprintf(text + size, "\r\n%s\n", edges[i]);
  }
  const size_t packed_size = pack(text, size, packed, sizeof packed);
  for (size_t cut = 1; cut <= size + 1; cut += 1 + size / 29)
    for (int zipped = 0; zipped < 2; zipped++) {
      scree__file file = open_file(zipped ? packed : text, zipped ? packed_size : size);
      uint64_t count = 0;
      file.comment = "//";
      for (int part = 0; part < 2 - zipped; part++) {
        scree__lines l;
        char why[128] = "", *line;
        const uint64_t to = part || zipped ? UINT64_MAX : cut;
        if (!check(scree__lines_open(&l, &file, part ? cut : 0, to, why, sizeof why))) return;
        for (; scree__lines_next(&l, &line, why, sizeof why) == SCREE__LINE_OK && count < 8; count++) {
          if (count % 2)
            check_string(line, edges[count / 2]);
          else
            check(scree__line_is_comment(line, file.comment));
          check_equal(scree__lines_number(&l), count + 1);
        }
        check_string(why, "");
        scree__lines_close(&l);
      }
      check_equal(count, 8);
      close_file(&file);
    }
}

HARNESS_TEST(no_files) {
  scree__file file;
  char why[128];
  check(!scree__file_open(&file, "/nonexistent/graph.gr", why, sizeof why));
  check_contains(why, "No such file");
  check(!scree__file_open(&file, "/tmp", why, sizeof why));
  check_contains(why, "Is a directory");
}

/* ---- sets of ids, options ---------------------------------------------------------------------------------------- */

HARNESS_TEST(unique) {
  scree__u64_vector w = {0};
  static const uint64_t in[] = {5, UINT64_MAX, 5, 0, 1 << 20, 256, UINT64_C(1) << 40, 0, 255},
                        out[] = {0, 5, 255, 256, 1 << 20, UINT64_C(1) << 40, UINT64_MAX};
  check(scree__u64_vector_sort_unique(&w));
  check_equal(w.count, 0);
  for (int round = 0; round < 100; round++) check(scree__u64_vector_append(&w, in, sizeof in / sizeof *in));
  check(scree__u64_vector_sort_unique(&w));
  check_equal(w.count, 7);
  for (size_t i = 0; i < 7 && i < w.count; i++) check_equal(w.at[i], out[i]);
  check(scree__u64_vector_append(&w, in, 9));
  check_equal(w.count, 16);
  free(w.at);
}

static scree_graph_options set(const char *name, const char *text) {
  scree_graph_options o = {0};
  char why[256] = "";
  check_text(scree_graph_options_set(&o, name, text, why, sizeof why) == 0, "--%s %s: %s", name, text ? text : "", why);
  return o;
}

static void refuses(const char *name, const char *text, const char *part) {
  scree_graph_options o = {0}, zero = {0};
  char why[256] = "";
  check_equal(scree_graph_options_set(&o, name, text, why, sizeof why), -1);
  check_contains(why, name);
  check_contains(why, text);
  check_contains(why, part);
  check(!memcmp(&o, &zero, sizeof o));
}

HARNESS_TEST(options) {
  check_equal(set("format", "dimacs").format, SCREE_FORMAT_DIMACS);
  check_equal(set("format", "edges").format, SCREE_FORMAT_EDGES);
  check_equal(set("distribution", "hash").distribution, SCREE_DISTRIBUTION_HASH);
  check_equal(set("directed", NULL).direction, SCREE_DIRECTED);
  check_equal(set("undirected", "").direction, SCREE_UNDIRECTED);
  check_equal(set("unit-weights", NULL).weights, SCREE_WEIGHTS_UNIT);
  scree_graph_options o = set("columns", "2,3,4");
  check(o.columns[0] == 2 && o.columns[1] == 3 && o.columns[2] == 4);
  check(set("relabel", "degree").relabel == SCREE_RELABEL_DEGREE);
  check(set("relabel", "none").relabel == SCREE_RELABEL_NONE);
  o = set("columns", "2,1");
  check(o.columns[0] == 2 && o.columns[1] == 1 && o.columns[2] == 0);
  o = set("skip-lines", "12");
  check_equal(o.skip_lines, 12);
  o = set("first-line", "edge");
  check(o.first_edge);
  o = set("separator", "tab");
  check_equal(o.separator, '\t');
  o = set("separator", ";");
  check_equal(o.separator, ';');
  o = set("comment", "//");
  check_string(o.comment, "//");
  o = set("header", "");
  check(o.header);
  refuses("skip-lines", "-1", "is not a whole number; legal: 0 to 9223372036854775807");
  refuses("skip-lines", "1x", "is not a whole number");
  refuses("first-line", "count", "edge");
  refuses("separator", "ab", "one of , |");
  refuses("separator", "", "one of , |");
  refuses("separator", "1", "one of , |");
  refuses("comment", "", "with neither a digit nor a blank");
  refuses("comment", "1", "with neither a digit nor a blank");
  o = set("random-weights", "1..100");
  check(o.weights == SCREE_WEIGHTS_RANDOM_INT && o.lo == 1 && o.hi == 100 && o.seed == 1);
  o = set("random-weights", "0..4294967295,77");
  check(o.hi == UINT32_MAX && o.seed == 77);
  o = set("random-weights", "float,5");
  check(o.weights == SCREE_WEIGHTS_RANDOM_FLOAT && o.seed == 5);
}

HARNESS_TEST(bad_options) {
  static const char *const columns[] = {"", "1", "1,1", "0,1", "1,2,", "1,2,0", "1,2,2", "1,2,3,4", "a,b", "1,65"},
                           *const weights[] = {"",      "5",      "5..",    "9..5",   "1..4294967296",
                                               "1..2,", "1..2,x", "float,", "floats", "-1..5"};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) refuses("columns", columns[i], "S,D");
  for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) refuses("random-weights", weights[i], "LO..HI");
  refuses("format", "gr", "auto|dimacs|edges|matrix-market|tuples");
  refuses("relabel", "random", "none|degree");
  refuses("distribution", "blocks", "block|cyclic|hash");
  scree_graph_options o = {0};
  char why[256];
  check_equal(scree_graph_options_set(&o, "delta", "1", why, sizeof why), 1);
  check_equal(scree_graph_options_set(&o, "directed", NULL, why, sizeof why), 0);
  check_equal(scree_graph_options_set(&o, "directed", NULL, why, sizeof why), 0);
  check_equal(scree_graph_options_set(&o, "undirected", NULL, why, sizeof why), -1);
  check_equal(scree_graph_options_set(&o, "unit-weights", NULL, why, sizeof why), 0);
  check_equal(scree_graph_options_set(&o, "random-weights", "1..2", why, sizeof why), -1);
}

HARNESS_MAIN
