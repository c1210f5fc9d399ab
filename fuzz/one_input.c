/* one_input.c - runs one input of a fuzzer through all of scree_graph_load, on several numbers of ranks, which must
 * give the same graph or the same error.
 *
 * The file lies in memory. The memory that a graph may take is limited, so that a header that promises 2^40 vertices is
 * refused as on a machine with full memory, and one that promises 2^20 costs no time. */
#include "one_input.h"

#include <scree/graph.h>
#include <scree/scree_sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash.h"
#include "file/decompress.h"
#include "file/image.h"
#include "graph/exchange.h"
#include "graph/structure.h"
#include "image_sums.h"
#include "members.h"

enum { FORMATS = SCREE_FORMAT_METIS + 1, HEADER = 2, PARTS = 3, SMALL = 512, PACKED = 128, MEMORY = 4 << 20 };

/* What came of an input; but for `status`, only if it is SCREE_OK or SCREE_EINVAL. */
typedef struct {
  scree_status status;
  char error[SCREE__TEXT_MAX];
  uint64_t n, edges, arcs, digest;
} outcome;

typedef struct {
  char *path;
  scree_graph_options options;
  outcome got;
} job;

/* The same for the same arcs, weights and labels, whatever ranks have them. Collective. */
static uint64_t digest(const scree_graph *g) {
  scree_reduce r = {.min = UINT64_MAX};
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    r.sum[0] += scree__hash_draw(scree_graph_label(g, tail), tail);
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      const double weight = scree_graph_weight(g, e);
      uint64_t bits;
      memcpy(&bits, &weight, sizeof bits);
      r.sum[1] += scree__hash_draw(scree__hash_draw(tail, scree_graph_vertex(g, scree_graph_target(g, e))), bits);
    }
  }
  if (scree_graphs_reduce(g->graphs, &r) != SCREE_OK) abort();
  return scree__hash_draw(r.sum[0], r.sum[1]);
}

/* The promises of a loaded graph. Collective. */
static void check_graph(const scree_graph *g, outcome *got) {
  uint64_t arcs = g->offsets[g->locals];
  for (uint64_t e = 0; e < arcs; e++)
    if (scree_graph_vertex(g, scree_graph_target(g, e)) >= g->vertices.n || !(scree_graph_weight(g, e) >= 0)) abort();
  got->n = g->vertices.n, got->edges = g->edges, got->arcs = g->arcs;
  got->digest = digest(g);
  if (!g->labels || !g->vertices.n) return;
  scree_reduce first = {.min =
                            scree_graph_label(g, 0)}; /* its owner knows it, to the others it is the largest number */
  if (scree_graphs_reduce(g->graphs, &first) == SCREE_OK && scree_graph_find(g, first.min) != 0) abort();
}

static void rank(scree_world *world, void *arg) {
  job *j = arg;
  scree_graphs *graphs = NULL;
  scree_graph *g = NULL;
  if (scree_graphs_open(world, &graphs) != SCREE_OK) abort();
  graphs->memory_left = MEMORY; /* reading it from the system, too, takes a tenth of the time of an input */
  const scree_status status = j->got.status = scree_graph_load(graphs, j->path, &j->options, &g);
  if (status == SCREE_OK) check_graph(g, &j->got);
  if (status && (g || !*scree_graphs_error(graphs))) abort(); /* refused without a reason */
  if (status) snprintf(j->got.error, sizeof j->got.error, "%s", scree_graphs_error(graphs));
  scree_graph_free(g);
  scree_graphs_close(graphs);
}

#if defined __SANITIZE_ADDRESS__ || defined FUZZ_SANITIZED
enum { EXTRA_MIB = 2048 }; /* the sanitizer delays the reuse of freed memory, and of each of five ranks */
#else
enum { EXTRA_MIB = 256 };
#endif

/* To the present use and EXTRA_MIB. */
static void limit_memory(void) {
  unsigned long long kib = 0;
  char line[256];
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmData: %llu", &kib) == 1) break;
  if (file) fclose(file);
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit)) return;
  limit.rlim_cur = (kib << 10) + ((rlim_t)EXTRA_MIB << 20);
  setrlimit(RLIMIT_DATA, &limit);
}

int fuzz_format = -1;

static scree_graph_options options_of(const uint8_t *data) {
  scree_graph_options o = {.format = (scree_graph_format)(fuzz_format < 0 ? data[0] % FORMATS : fuzz_format),
                           .direction = (scree_graph_direction)(data[1] % 3),
                           .base = (scree_graph_base)(data[1] / 3 % 3),
                           .distribution = (scree_distribution_kind)(data[1] / 9 % 3)};
  for (uint32_t c = 0; c < 3 && data[1] / 27 % 2; c++) o.columns[c] = c + 1;
  const int lines = data[1] / 54; /* 0 .. 4 */
  o.header = lines == 1;
  o.separator = lines == 2 ? ';' : 0;
  o.skip_lines = lines == 3;
  o.first_edge = lines >= 3;
  o.comment = lines == 3 ? "//" : NULL;
  return o;
}

/* ---- images without their gaps: the header, what follows it, and the parts; the file gets them where they belong, and
 * the right checksums, as a writer who means harm would do it ---- */

typedef struct {
  const uint8_t *at;
  size_t left;
} bytes;

static void take(bytes *from, void *to, size_t n) {
  n = n < from->left ? n : from->left;
  memcpy(to, from->at, n);
  from->at += n, from->left -= n;
}

/* The whole file, which the caller frees. What is not small is cut off after its header. */
static uint8_t *unpack_image(bytes from, size_t *size) {
  struct {
    scree__image_header h;
    uint64_t arcs[PARTS];
  } head = {0};
  scree__image_part part[PARTS];
  take(&from, &head.h, sizeof head.h);
  memcpy(head.h.magic, SCREE__IMAGE_MAGIC, sizeof head.h.magic);
  head.h.order = SCREE__IMAGE_ORDER, head.h.version = SCREE__IMAGE_VERSION;
  head.h.ranks = 1 + head.h.ranks % PARTS;
  take(&from, head.arcs, head.h.ranks * sizeof *head.arcs);
  head.h.check = scree__image_check(&head.h, head.arcs);
  bool small =
      head.h.n <= SMALL && head.h.distribution <= SCREE_DISTRIBUTION_HASH && head.h.weight <= SCREE_WEIGHT_DOUBLE;
  for (uint32_t i = 0; i < head.h.ranks; i++) small &= head.arcs[i] <= SMALL;
  *size = small ? scree__image_parts(&head.h, head.arcs, part) : scree__image_head_bytes(head.h.ranks);
  uint8_t *file = calloc(1, *size + sizeof head);
  if (!file) abort();
  memcpy(file, &head, sizeof head);
  if (!small) return file;
  const uint64_t labels = head.h.flags / SCREE__IMAGE_LABELS % 2 + head.h.flags / SCREE__IMAGE_BY_LABEL % 2;
  take(&from, file + scree__image_head_bytes(head.h.ranks), labels * head.h.n * sizeof(uint64_t));
  for (uint32_t i = 0; i < head.h.ranks; i++) {
    take(&from, file + part[i].offsets.at, part[i].offsets.bytes);
    if (!part[i].arcs) continue;
    take(&from, file + part[i].heads.at, part[i].weights.at - part[i].heads.at); /* with the gap */
    take(&from, file + part[i].weights.at, part[i].weights.bytes);
  }
  image_sums_fit((char *)file, &head.h, part);
  return file;
}

int fuzz_file(const uint8_t *data, size_t size, char path[64]) {
  int fd = memfd_create("input", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  snprintf(path, 64, "/proc/self/fd/%d", fd);
  return fd;
}

/* Whether all ranks name the first fault of a file; of binary formats each names one of its own part. */
static bool names_first(scree_graph_format format) {
  return format == SCREE_FORMAT_AUTO || format == SCREE_FORMAT_DIMACS || format == SCREE_FORMAT_EDGES ||
         format == SCREE_FORMAT_MATRIX_MARKET || format == SCREE_FORMAT_METIS;
}

/* Ends the process if two runs differ in what they say. Memory is not the same on all numbers of ranks. */
static void compare(const outcome *a, const outcome *b, scree_graph_format format) {
  const bool same = a->status == b->status && (!names_first(format) || !strcmp(a->error, b->error)) && a->n == b->n &&
                    a->edges == b->edges && a->arcs == b->arcs && a->digest == b->digest;
  const bool memory = a->status == SCREE_ENOMEM || b->status == SCREE_ENOMEM;
  if (same || memory) return;
  for (const outcome *o = a; o; o = o == a ? b : NULL)
    fprintf(stderr, "status %d: '%s'; %llu vertices, %llu edges, %llu arcs, digest %llx\n", (int)o->status, o->error,
            (unsigned long long)o->n, (unsigned long long)o->edges, (unsigned long long)o->arcs,
            (unsigned long long)o->digest);
  abort();
}

enum { RANKS = 3 };

/* Loads the file of j->path on the first `count` of 1, 2 and 5 ranks, which say the same as *first. It is set if it has
 * no vertices and no error. */
static void load_on(job *j, size_t count, outcome *first) {
  static const uint32_t ranks[RANKS] = {1, 2, 5};
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 16;
  options.overflow_max = MEMORY;
  for (size_t i = 0; i < count; i++) {
    const scree_sim_config config = {.seed = 1, .ranks = ranks[i], .nodes = 1, .unperturbed = true};
    j->got = (outcome){.status = SCREE_ENOMEM};
    scree_sim_run(&config, &options, rank, j, NULL);                    /* may fail: a handler may run out of memory */
    char *advice = j->options.name ? strstr(j->got.error, "; ") : NULL; /* by what else is in memory */
    if (advice) *advice = 0;
    if (!first->n && !*first->error) *first = j->got;
    compare(first, &j->got, j->options.format);
  }
}

/* Neither compressed nor an image, which has no members. */
static bool is_text(const uint8_t *file, size_t size) {
  unsigned char magic[SCREE__MAGIC] = {0};
  memcpy(magic, file, size < sizeof magic ? size : sizeof magic);
  return !scree__compression_gzip.known(magic) && !scree__compression_zstd.known(magic) &&
         magic[0] != (unsigned char)*SCREE__IMAGE_MAGIC;
}

/* A text and its members, of one kind or another, of the same name: what the ranks say of both is the same. */
static void load_packed(job *j, const uint8_t *text, size_t size, outcome *first) {
  enum { MEMBERS = 8, PIECES = 3 /* of some lines, to be scattered */, A_MEMBER = 64 /* bytes beside its text */ };
  const size_t room = 2 * size + (MEMBERS + 2) * A_MEMBER;
  unsigned char *packed = malloc(room);
  const members_kind kind = (members_kind)(size % MEMBERS_KINDS);
  const size_t piece = size / (kind == MEMBERS_GZIP ? PIECES : MEMBERS) + 1;
  const size_t bytes = packed && size ? members_pack((const char *)text, size, piece, kind, packed, room) : 0;
  j->options.name = "input";
  load_on(j, 1, first);
  if (bytes) {
    const int fd = fuzz_file(packed, bytes, j->path);
    load_on(j, RANKS, first);
    close(fd);
  }
  free(packed);
}

int fuzz_graph(const uint8_t *data, size_t size) {
  static int limited;
  if (size < HEADER) return 0;
  if (!limited++) limit_memory();
  char path[64];
  job j = {.path = path, .options = options_of(data)};
  uint8_t *image = NULL;
  size_t bytes_of_image = 0;
  if (j.options.format == SCREE_FORMAT_IMAGE && data[0] >= PACKED)
    image = unpack_image((bytes){data + HEADER, size - HEADER}, &bytes_of_image);
  int fd = image ? fuzz_file(image, bytes_of_image, path) : fuzz_file(data + HEADER, size - HEADER, path);
  free(image);
  outcome first = {.n = 0};
  if (data[0] >= PACKED && names_first(j.options.format) && is_text(data + HEADER, size - HEADER))
    load_packed(&j, data + HEADER, size - HEADER, &first);
  else
    load_on(&j, RANKS, &first);
  close(fd);
  return first.status == SCREE_OK;
}
