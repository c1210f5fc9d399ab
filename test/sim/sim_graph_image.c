/* sim_graph_image.c - tests of the binary file that is mapped, on virtual ranks: mapped or rebuilt it is the same
 * graph, and damaged it is refused. */
#include <math.h>
#include <sys/stat.h>

#include "file/image.h"
#include "graph_cases.h"

enum { IMAGE_MAX = 1 << 18 };

static const char *text_file(const char *text, const char *ending) {
  return graph_case_file(text, strlen(text), ending);
}

typedef struct {
  const char *spec, *path;
  scree_graph_options options;    /* of the graph written */
  scree_distribution_kind loaded; /* how it is read */
  uint64_t digest, edges;         /* set by the writer */
  bool mapped;                    /* expected */
} image_case;

static void write_image(scree_graphs *graphs, void *arg) {
  image_case *c = arg;
  scree_graph *g = NULL;
  check_text(scree_graph_load(graphs, c->spec, &c->options, &g) == SCREE_OK, "%s", scree_graphs_error(graphs));
  if (!g) return;
  c->digest = graph_case_digest(g);
  c->edges = g->edges;
  check_text(scree_graph_write(g, c->path, &(scree_write_options){.format = SCREE_FORMAT_IMAGE}) == SCREE_OK, "%s",
             scree_graphs_error(graphs));
  scree_graph_free(g);
}

static void read_image(scree_graphs *graphs, void *arg) {
  const image_case *c = arg;
  scree_graph *g = NULL;
  check_text(scree_graph_load(graphs, c->path, &(scree_graph_options){.distribution = c->loaded}, &g) == SCREE_OK, "%s",
             scree_graphs_error(graphs));
  if (!g) return;
  check_equal(graph_case_digest(g), c->digest);
  check_equal(g->edges, c->edges);
  check_equal(g->mapping != NULL, c->mapped);
  uint64_t *labels = graph_labels_of(g);
  for (uint64_t v = 0; check(labels != NULL) && v < g->vertices.n; v++) check_equal(scree_graph_find(g, labels[v]), v);
  free(labels);
  scree_graph_free(g);
}

HARNESS_TEST(over_ranks) {
  const char *gaps = text_file("5 9 2\n9 9 0\n70 5 2.5\n", "");
  char labelled[64], path[64];
  snprintf(labelled, sizeof labelled, "%s", gaps);
  snprintf(path, sizeof path, "%s", graph_case_file("", 0, ".scree"));
  const image_case graphs[] = {
      {"kron:7,4", path, {.relabel = SCREE_RELABEL_NONE}, 0, 0, 0, false},
      {"kron:7,4", path, {.relabel = SCREE_RELABEL_DEGREE, .distribution = SCREE_DISTRIBUTION_CYCLIC}, 0, 0, 0, false},
      {"star:70", path, {.weights = SCREE_WEIGHTS_DROP, .distribution = SCREE_DISTRIBUTION_HASH}, 0, 0, 0, false},
      {labelled, path, {.direction = SCREE_DIRECTED, .columns = {1, 2, 3}}, 0, 0, 0, false}};
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
    for (uint32_t from = 1; from <= 5; from += 2)
      for (uint32_t to = 1; to <= 5; to += 2)
        for (int kind = 0; kind < 3; kind++) {
          image_case c = graphs[i];
          c.loaded = (scree_distribution_kind)kind;
          c.mapped = from == to && c.loaded == c.options.distribution;
          graph_case_run(from, i, write_image, &c);
          check_equal(scree_image_ranks(path), from);
          graph_case_run(to, i + 1, read_image, &c);
        }
  check_equal(scree_image_ranks(labelled), 0);
  unlink(labelled);
  unlink(path);
  check_equal(scree_image_ranks(path), 0);
}

/* Of the caller's own weights, and of none. */
static void other_weights(scree_graphs *graphs, void *arg) {
  const image_case *c = arg;
  const scree_graph_options ways[] = {{.weights = SCREE_WEIGHTS_DROP},
                                      {.weights = SCREE_WEIGHTS_UNIT},
                                      {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 3, .hi = 9, .seed = 5}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    scree_graph *made = NULL, *read = NULL;
    check_equal(scree_graph_load(graphs, c->spec, &ways[i], &made), SCREE_OK);
    check_equal(scree_graph_load(graphs, c->path, &ways[i], &read), SCREE_OK);
    if (made && read) {
      check_equal(graph_case_digest(read), graph_case_digest(made));
      check(read->weight == made->weight && read->weight_max == made->weight_max);
    }
    scree_graph_free(made);
    scree_graph_free(read);
  }
}

HARNESS_TEST(weights) {
  char path[64];
  snprintf(path, sizeof path, "%s", graph_case_file("", 0, ".scree"));
  image_case c = {.spec = "kron:6,5", .path = path};
  graph_case_run(2, 1, write_image, &c);
  graph_case_run(2, 2, other_weights, &c);
  graph_case_run(3, 3, other_weights, &c);
  unlink(path);
}

/* ---- damage ---- */

static size_t load_bytes(const char *path, char *bytes) {
  FILE *file = fopen(path, "rb");
  size_t n = file ? fread(bytes, 1, IMAGE_MAX, file) : 0;
  if (file) fclose(file);
  return n;
}
static void store_bytes(const char *path, const char *bytes, size_t n) {
  FILE *file = fopen(path, "wb");
  assert_true(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

typedef struct {
  const char *path, *part; /* part of the error; NULL: it may load or not */
} damage;

static void try_damage(scree_graphs *graphs, void *arg) {
  const damage *d = arg;
  scree_graph *g = NULL;
  scree_status status = scree_graph_load(graphs, d->path, &(scree_graph_options){.format = SCREE_FORMAT_IMAGE}, &g);
  if (d->part) {
    check_equal(status, SCREE_EINVAL);
    check_contains(scree_graphs_error(graphs), d->part);
  }
  check(status == SCREE_OK || status == SCREE_EINVAL);
  if (g) graph_case_digest(g); /* reads every arc */
  scree_graph_free(g);
}

typedef struct {
  char path[64], bytes[IMAGE_MAX];
  size_t size;
} victim;

/* An image of 2 ranks, with labels. */
static void make_victim(victim *v) {
  char text[64];
  const scree_graph_options how = {.direction = SCREE_UNDIRECTED, .columns = {1, 2, 3}};
  snprintf(text, sizeof text, "%s", text_file("5 9 2.5\n9 9 0\n70 5 2.25\n70 8 1\n", ""));
  snprintf(v->path, sizeof v->path, "%s", graph_case_file("", 0, ".scree"));
  image_case c = {.spec = text, .path = v->path, .options = how};
  graph_case_run(2, 1, write_image, &c);
  v->size = load_bytes(v->path, v->bytes);
  unlink(text);
}

/* On as many ranks as it has parts, and on one; mapped, and copied as others may write it. */
static void attempt(const victim *v, const char *bytes, size_t size, const char *part) {
  damage d = {v->path, part};
  store_bytes(v->path, bytes, size);
  for (mode_t mode = 0600; mode <= 0620; mode += 020) {
    check_equal(chmod(v->path, mode), 0);
    graph_case_run(2, size, try_damage, &d);
    graph_case_run(1, size, try_damage, &d);
  }
}

HARNESS_TEST(damaged_header) {
  static victim v;
  static char bytes[IMAGE_MAX];
  make_victim(&v);
  for (size_t i = 0; i < sizeof(scree__image_header) + 2 * sizeof(uint64_t); i++) {
    memcpy(bytes, v.bytes, v.size);
    bytes[i] ^= (char)(1 << i % 8);
    attempt(&v, bytes, v.size, i < 8 ? "found no image of a graph" : "found ");
  }
  unlink(v.path);
}

HARNESS_TEST(truncated) {
  static victim v;
  make_victim(&v);
  for (size_t size = 1; size < v.size; size += size < 300 ? 7 : 611) attempt(&v, v.bytes, size, "found ");
  attempt(&v, v.bytes, v.size - 1, "as the header says");
  memset(v.bytes + v.size, 0, 8);
  attempt(&v, v.bytes, v.size + 8, "as the header says");
  unlink(v.path);
}

/* ---- a file that changes while its graph is in use ---- */

static void change_in_use(scree_graphs *graphs, void *arg) {
  const image_case *c = arg;
  static char garbage[IMAGE_MAX];
  scree_graph *g = NULL;
  check_text(scree_graph_load(graphs, c->path, NULL, &g) == SCREE_OK, "%s", scree_graphs_error(graphs));
  if (!g) return;
  check_equal(g->mapping_copied, c->mapped);
  memset(garbage, 0xff, sizeof garbage);
  for (int i = 0; i < 2; i++) {
    store_bytes(c->path, garbage, i ? 0 : sizeof garbage);
    check_equal(graph_case_digest(g), c->digest);
  }
  scree_graph_free(g);
}

/* Of another user, or writable by others: copied, where it is not rebuilt anyway. */
HARNESS_TEST(changed_in_use) {
  char path[64], text[64];
  snprintf(text, sizeof text, "%s", text_file("5 9 2.5\n9 9 0\n70 5 2.25\n70 8 1\n", ""));
  snprintf(path, sizeof path, "%s", graph_case_file("", 0, ".scree"));
  const uid_t me = geteuid();
  const struct {
    mode_t mode;
    uid_t owner;
  } files[] = {{0620, me}, {0602, me}, {0644, me ? me : 12345}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    for (uint32_t ranks = 1; ranks <= 3; ranks++) {
      image_case c = {.spec = text, .path = path, .options = {.direction = SCREE_UNDIRECTED, .columns = {1, 2, 3}}};
      if (files[i].owner == me && files[i].mode == 0644) continue; /* only root can give it away */
      graph_case_run(2, 1, write_image, &c);
      c.mapped = ranks == 2;
      check_equal(chmod(path, files[i].mode) || chown(path, files[i].owner, (gid_t)-1), 0);
      graph_case_run(ranks, 2, change_in_use, &c);
      check_equal(chown(path, me, (gid_t)-1), 0);
    }
  unlink(path);
  unlink(text);
}

/* Any bit after the header: refused, or a graph that can be traversed. */
HARNESS_TEST(damaged_rows) {
  static victim v;
  static char bytes[IMAGE_MAX];
  make_victim(&v);
  for (size_t i = sizeof(scree__image_header) + 2 * sizeof(uint64_t); i < v.size; i++) {
    if (!v.bytes[i] && i % 13) continue; /* most is padding */
    memcpy(bytes, v.bytes, v.size);
    bytes[i] ^= (char)(1 << i % 8);
    attempt(&v, bytes, v.size, NULL);
  }
  unlink(v.path);
}

/* One word changed: the error. */
HARNESS_TEST(told) {
  static victim v;
  make_victim(&v);
  scree__image_header h;
  scree__image_part parts[2];
  uint64_t arcs[2];
  memcpy(&h, v.bytes, sizeof h);
  memcpy(arcs, v.bytes + sizeof h, sizeof arcs);
  check_equal(scree__image_parts(&h, arcs, parts), v.size);
  const double nan = (double)NAN;
  const struct {
    size_t at;
    const void *word;
    size_t bytes;
    const char *part;
  } cases[] = {
      {8, "\1\2\3\4", 4, "another byte order"},
      {12, "\2\0\0\0", 4, "another version"},
      {24, "\7", 1, "its checksum differs"},
      {scree__image_head_bytes(2), "\377\377", 2, "found damaged labels"},
      {parts[0].offsets + 8, "\377\377\377", 3, "found damaged rows: offsets"},
      {parts[1].offsets, "\1", 1, "found damaged rows: offsets"},
      {parts[0].heads, "\377\377\377\377", 4, "found damaged rows: heads"},
      {parts[1].weights, &nan, 8, "found damaged rows: weights"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static char bytes[IMAGE_MAX];
    memcpy(bytes, v.bytes, v.size);
    memcpy(bytes + cases[i].at, cases[i].word, cases[i].bytes);
    attempt(&v, bytes, v.size, cases[i].part);
  }
  unlink(v.path);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(over_ranks),     cmocka_unit_test(weights),
                                          cmocka_unit_test(damaged_header), cmocka_unit_test(truncated),
                                          cmocka_unit_test(damaged_rows),   cmocka_unit_test(told),
                                          cmocka_unit_test(changed_in_use)};
HARNESS_MAIN(tests)
