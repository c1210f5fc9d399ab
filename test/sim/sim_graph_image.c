/* sim_graph_image.c - tests of the binary file that is mapped, on virtual ranks: mapped or rebuilt it is the same
 * graph, and damaged it is refused. */
#include <math.h>
#include <sys/stat.h>

#include "file/image.h"
#include "graph_cases.h"
#include "image_sums.h"

enum { IMAGE_MAX = 1 << 20 };

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
  scree_distribution_kind distribution;
} damage;

static void try_damage(scree_graphs *graphs, void *arg) {
  const damage *d = arg;
  scree_graph *g = NULL;
  const scree_graph_options how = {.format = SCREE_FORMAT_IMAGE, .distribution = d->distribution};
  scree_status status = scree_graph_load(graphs, d->path, &how, &g);
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

enum { PARTS = 2 };

/* Returns the bytes of the file. */
static uint64_t layout(const char *bytes, scree__image_header *h, scree__image_part parts[PARTS]) {
  uint64_t arcs[PARTS];
  memcpy(h, bytes, sizeof *h);
  memcpy(arcs, bytes + sizeof *h, sizeof arcs);
  return scree__image_parts(h, arcs, parts);
}
static void fit_sums(char *bytes) {
  scree__image_header h;
  scree__image_part parts[PARTS];
  layout(bytes, &h, parts);
  image_sums_fit(bytes, &h, parts);
}

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
  damage d = {v->path, part, SCREE_DISTRIBUTION_BLOCK};
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

/* Any bit after the header, whatever the checksums say: refused, or a graph that can be traversed. */
HARNESS_TEST(damaged_rows) {
  static victim v;
  static char bytes[IMAGE_MAX];
  make_victim(&v);
  for (size_t i = sizeof(scree__image_header) + 2 * sizeof(uint64_t); i < v.size; i++) {
    if (!v.bytes[i] && i % 13) continue; /* most is padding */
    memcpy(bytes, v.bytes, v.size);
    bytes[i] ^= (char)(1 << i % 8);
    fit_sums(bytes);
    attempt(&v, bytes, v.size, NULL);
  }
  unlink(v.path);
}

/* One word changed: the error. */
HARNESS_TEST(told) {
  static victim v;
  make_victim(&v);
  scree__image_header h;
  scree__image_part parts[PARTS];
  check_equal(layout(v.bytes, &h, parts), v.size);
  const double nan = (double)NAN;
  const struct {
    size_t at;
    const void *word;
    size_t bytes;
    const char *part;
  } cases[] = {
      {8, "\1\2\3\4", 4, "another byte order"},
      {12, "\3\0\0\0", 4, "another version"},
      {12, "\1\0\0\0", 4, "its checksum differs"},
      {24, "\7", 1, "its checksum differs"},
      {scree__image_head_bytes(2), "\377\377", 2, "found damaged labels"},
      {parts[0].offsets.at + 8, "\377\377\377", 3, "found damaged rows: offsets"},
      {parts[1].offsets.at, "\1", 1, "found damaged rows: offsets"},
      {parts[0].heads.at, "\377\377\377\377", 4, "found damaged rows: heads"},
      {parts[1].weights.at, &nan, 8, "found damaged rows: weights"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static char bytes[IMAGE_MAX];
    memcpy(bytes, v.bytes, v.size);
    memcpy(bytes + cases[i].at, cases[i].word, cases[i].bytes);
    if (cases[i].at > sizeof h) {
      attempt(&v, bytes, v.size, "their checksum differs");
      fit_sums(bytes);
    }
    attempt(&v, bytes, v.size, cases[i].part);
  }
  unlink(v.path);
}

/* ---- drawn damage ---- */

enum { LARGE_VERTICES = 9000, LARGE_EDGES = 20000, FILE_BLOCK = 4096, IMAGES = 1000 };

/* An image of 2 ranks all of whose arrays but the offsets have several blocks, also the labels in both orders. */
static void make_large_victim(victim *v) {
  static char text[LARGE_EDGES * 24];
  char path[64];
  size_t n = 0;
  for (uint64_t i = 0; i < LARGE_EDGES; i++) {
    const uint64_t head = i < LARGE_VERTICES ? i : scree__hash_draw(1, i) % LARGE_VERTICES;
    n += (size_t)snprintf(text + n, sizeof text - n, "%u %u %u.5\n", (unsigned)(scree__hash(i) % 500 * 3),
                          (unsigned)head * 3, (unsigned)i % 50);
  }
  snprintf(path, sizeof path, "%s", text_file(text, ""));
  snprintf(v->path, sizeof v->path, "%s", graph_case_file("", 0, ".scree"));
  image_case c = {.spec = path,
                  .path = v->path,
                  .options = {.direction = SCREE_UNDIRECTED,
                              .columns = {1, 2, 3},
                              .distribution = SCREE_DISTRIBUTION_CYCLIC,
                              .relabel = SCREE_RELABEL_DEGREE}};
  graph_case_run(PARTS, 1, write_image, &c);
  v->size = load_bytes(v->path, v->bytes);
  unlink(path);
}

/* A range of the file that is damaged. */
typedef struct {
  uint64_t at, bytes;
} stretch;
enum { STRETCHES = 4 + 3 * PARTS };

static void find_stretches(const victim *v, stretch found[STRETCHES]) {
  scree__image_header h;
  scree__image_part parts[PARTS];
  check_equal(layout(v->bytes, &h, parts), v->size);
  const uint64_t head = sizeof h + PARTS * sizeof(uint64_t), sums = parts[0].offsets.sums;
  size_t n = 0;
  found[n++] = (stretch){0, head};
  for (int by_label = 0; by_label < 2; by_label++) {
    const scree__image_section labels = scree__image_labels(&h, by_label);
    check_equal(scree__image_blocks(labels.bytes), 2);
    found[n++] = (stretch){labels.at, labels.bytes};
  }
  found[n++] = (stretch){sums, scree__image_sums_end(&h, parts) - sums};
  for (uint32_t i = 0; i < PARTS; i++) {
    check(parts[i].heads.bytes > SCREE__IMAGE_BLOCK && parts[i].weights.bytes > SCREE__IMAGE_BLOCK);
    found[n++] = (stretch){parts[i].offsets.at, parts[i].offsets.bytes};
    found[n++] = (stretch){parts[i].heads.at, parts[i].heads.bytes};
    found[n++] = (stretch){parts[i].weights.at, parts[i].weights.bytes};
  }
}

static const char *const kinds[] = {"a bit", "a byte", "zeros", "exchanged", "cut"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Damages the copy at a byte. Returns the size that it has then. */
static size_t damage_at(char *bytes, size_t size, uint64_t at, int kind, uint64_t random) {
  static char block[FILE_BLOCK];
  const uint64_t here = at / FILE_BLOCK, whole = size / FILE_BLOCK;
  const size_t length = here < whole ? FILE_BLOCK : size % FILE_BLOCK;
  char *from = bytes + here * FILE_BLOCK, *to = bytes + random % whole * FILE_BLOCK;
  if (kind == 0) bytes[at] ^= (char)(1 << random % 8);
  if (kind == 1) bytes[at] ^= (char)(1 + random % 255);
  if (kind == 2) memset(from, 0, length);
  if (kind == 3) {
    memcpy(block, from, length);
    memmove(from, to, length);
    memcpy(to, block, length);
  }
  return kind == 4 ? at : size;
}

/* On the ranks that wrote it and on others, mapped and copied: all are refused. */
HARNESS_TEST(drawn_damage) {
  static victim v;
  static char bytes[IMAGE_MAX];
  stretch found[STRETCHES];
  make_large_victim(&v);
  find_stretches(&v, found);
  for (uint64_t i = 0, tried = 0; tried < IMAGES && i < 2 * IMAGES; i++) {
    const stretch *s = &found[i % STRETCHES];
    const int kind = (int)(i / STRETCHES % KINDS);
    const uint64_t at = s->at + scree__hash_draw(2, i) % s->bytes, way = scree__hash_draw(4, i);
    memcpy(bytes, v.bytes, v.size);
    const size_t size = damage_at(bytes, v.size, at, kind, scree__hash_draw(3, i));
    if (size == v.size && !memcmp(bytes, v.bytes, size)) continue; /* it was as it is now */
    tried++;
    store_bytes(v.path, bytes, size);
    check_equal(chmod(v.path, way % 2 ? 0600 : 0620), 0);
    damage d = {v.path, size ? "found " : "empty", SCREE_DISTRIBUTION_CYCLIC};
    const unsigned before = harness_failures();
    graph_case_run(PARTS, i, try_damage, &d);
    graph_case_run(way / 2 % 2 ? 3 : 1, i, try_damage, &d);
    check_text(harness_failures() == before, "%s at byte %llu", kinds[kind], (unsigned long long)at);
  }
  unlink(v.path);
}

/* The file stays readable as long as nobody changes the checksum. */
HARNESS_TEST(checksum) {
  check_equal(scree__checksum("", 0), UINT64_C(0x2d06800538d394c2));
  check_equal(scree__checksum("scree", 5), UINT64_C(0xfd2f0ba4c04a3892));
}

HARNESS_MAIN
