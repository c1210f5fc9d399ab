/* load_rate.c - rate of reading edges from text, against a bare loop over the same bytes in memory.
 *
 * Temporary files with 2^scale random edges (default 20) each: an edge list, the same with weights, and a DIMACS file.
 * The variants are interleaved, each rank on its own share of the bytes:
 *   bare   a loop over the share in memory: parses the numbers and adds them; it knows the format and checks nothing
 *   parse  loading up to the edges: reads the share from the file (in the page cache), splits it into lines, checks
 *          them, and keeps the edges (an edge list) or passes them on in batches (DIMACS)
 *   load   scree_graph_load: parse, labels, messages to the owners, rows
 * The target is 0.7 of the rate of bare for parse on each rank. */
#include <scree/graph.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "file/scan.h"
#include "graph/exchange.h"
#include "read/list/edge_list.h"

enum { BATCH = 512 };

typedef struct {
  const char *name, *ending;
  char prefix;
  bool weighted;
} text_kind;

static const text_kind kinds[] = {
    {"edge list", ".txt", 0, false}, {"edge list, weights", ".wel", 0, true}, {"DIMACS", ".gr", 'a', true}};

typedef struct {
  const text_kind *kind;
  scree_graphs *graphs;
  scree_graph_options options;
  char path[64];
  uint64_t edges, expected; /* in the file: edges; sum of all numbers of its body */
  uint64_t header;          /* bytes before the body */
  char *part;               /* this rank's lines, in memory */
  size_t bytes;
  uint64_t sum; /* of the last run */
  scree__edge_staging staged;
  scree_graph *graph;
} state;

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool write_file(state *s, int scale) {
  FILE *file = fopen(s->path, "w");
  if (!file) return false;
  uint64_t x = 1, n = UINT64_C(1) << scale;
  if (s->kind->prefix) fprintf(file, "p sp %llu %llu\n", (unsigned long long)n, (unsigned long long)n);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t u = (bench_draw(&x) >> 24) % n + 1, v = (bench_draw(&x) >> 24) % n + 1, w = (bench_draw(&x) >> 24) % 100;
    if (s->kind->prefix) fputs("a ", file);
    fprintf(file, "%llu %llu", (unsigned long long)u, (unsigned long long)v);
    if (s->kind->weighted) fprintf(file, " %llu", (unsigned long long)w);
    fputc('\n', file);
    s->expected += u + v + (s->kind->weighted ? w : 0);
  }
  s->edges = n;
  return fclose(file) == 0;
}

/* This rank's lines, into memory. */
static bool read_part(state *s, uint64_t from, uint64_t to) {
  scree__file file;
  scree__lines lines;
  char why[128], *line;
  if (!scree__file_open(&file, s->path, why, sizeof why)) return false;
  if (!scree__lines_open(&lines, &file, from, to, why, sizeof why)) return false;
  s->part = malloc((size_t)(to - from) + SCREE__LINE_MAX);
  s->bytes = 0;
  while (s->part && scree__lines_next(&lines, &line, why, sizeof why) == SCREE__LINE_OK) {
    size_t length = strlen(line);
    if (*line == 'p') continue;
    memcpy(s->part + s->bytes, line, length);
    s->bytes += length;
    s->part[s->bytes++] = '\n';
  }
  scree__lines_close(&lines);
  scree__file_close(&file);
  return s->part != NULL;
}

/* ---- the variants ------------------------------------------------------------------------------------------------ */

static void bare(void *arg, uint64_t n) {
  (void)n;
  state *s = arg;
  const char *p = s->part, *end = p + s->bytes;
  uint64_t sum = 0;
  while (p < end) {
    if (s->kind->prefix) p += 2;
    for (;;) {
      uint64_t value = 0;
      for (; (unsigned)(*p - '0') <= 9; p++) value = value * 10 + (unsigned)(*p - '0');
      sum += value;
      if (*p++ == '\n') break;
    }
  }
  s->sum = sum;
}

static uint64_t sum_of(const scree_edge *edges, size_t count, bool weighted) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += edges[i].u + edges[i].v + (weighted ? (uint64_t)edges[i].weight : 0);
  return sum;
}

/* DIMACS: loading passes edges on in batches; here they are added up. */
static void parse_batches(state *s, scree__lines *lines) {
  const scree__plain_line plain = {.prefix = 'a', .weighted = true, .min = 1, .max = s->edges};
  scree__scan_notes seen = {0};
  scree_edge edges[BATCH];
  char why[128], *line;
  for (;;) {
    size_t count = scree__scan(lines, &plain, edges, BATCH, &seen);
    s->sum += sum_of(edges, count, true);
    if (count) continue;
    if (scree__lines_next(lines, &line, why, sizeof why) != SCREE__LINE_OK) break; /* reads on */
    unsigned long long u = 0, v = 0, w = 0;
    if (sscanf(line, "a %llu %llu %llu", &u, &v, &w) == 3) s->sum += u + v + w;
  }
}

/* An edge list: keeps the staged edges, as loading does. */
static void parse_staged(state *s, scree__reader *reader, scree__lines *lines) {
  scree__edge_list list;
  scree__edge_list_begin(&list, reader);
  if (scree__edge_list_read(&list, lines) == SCREE_OK) {
    s->staged = list.edges;
    return;
  }
  scree__staging_free(&list.edges);
}

static void parse(void *arg, uint64_t n) {
  (void)n;
  state *s = arg;
  scree__reader reader = {.graphs = s->graphs, .options = &s->options};
  scree__lines lines;
  char why[128];
  uint64_t from, to;
  uint32_t rank = scree_graphs_worker(s->graphs)->rank, ranks = scree_graphs_worker(s->graphs)->ranks;
  s->sum = 0;
  if (!scree__file_open(&reader.file, s->path, why, sizeof why)) return;
  scree_distribution_block_range(reader.file.size - s->header, rank, ranks, &from, &to);
  if (scree__lines_open(&lines, &reader.file, s->header + from, s->header + to, why, sizeof why)) {
    if (s->kind->prefix)
      parse_batches(s, &lines);
    else
      parse_staged(s, &reader, &lines);
    scree__lines_close(&lines);
  }
  scree__file_close(&reader.file);
}

static bool check_sum(void *arg, uint64_t n) {
  (void)n;
  state *s = arg;
  scree_reduce r = {.sum = {s->sum}, .min = UINT64_MAX};
  bool good = scree_graphs_reduce(s->graphs, &r) == SCREE_OK;
  s->sum = 0;
  return good && r.sum[0] == s->expected;
}

/* Adds up the staged edges here, outside the timed part. */
static bool check_staged(void *arg, uint64_t n) {
  state *s = arg;
  for (size_t i = 0; i < s->staged.count; i++) {
    s->sum += scree__staging_end(&s->staged, 2 * i) + scree__staging_end(&s->staged, 2 * i + 1);
    if (s->staged.weights) s->sum += (uint64_t)scree__staging_weight(&s->staged, i);
  }
  scree__staging_free(&s->staged);
  s->staged = (scree__edge_staging){0};
  return check_sum(arg, n);
}

static void load(void *arg, uint64_t n) {
  (void)n;
  state *s = arg;
  s->graph = NULL;
  if (scree_graph_load(s->graphs, s->path, &s->options, &s->graph) != SCREE_OK)
    fprintf(stderr, "load_rate: %s\n", scree_graphs_error(s->graphs));
}

static bool check_load(void *arg, uint64_t n) {
  (void)n;
  state *s = arg;
  bool good = s->graph && s->graph->edges == s->edges;
  scree_graph_free(s->graph);
  return good;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void report(bench *b, const state *s, const bench_variant *v, double bare) {
  const double rate = (double)s->bytes / v->seconds / 1e6, edges = (double)s->edges / b->ranks / v->seconds / 1e6;
  bench_row(b, BENCH_TEXT("file", "%-20s", s->kind->name), BENCH_TEXT("way", " %-6s", v->name),
            BENCH_CELL("ranks", " %5.0f", b->ranks, 1), BENCH_CELL("megabytes_a_second_a_rank", " %9.1f", rate, 1),
            BENCH_CELL("million_edges_a_second_a_rank", " %9.2f", edges, 1),
            BENCH_CELL("of_bare", " %8.2f", bare / v->seconds, 1), BENCH_CELL(NULL, " %7.0f %%", v->spread, 100));
}

static bool measure(bench *b, state *s) {
  uint64_t from, to;
  scree_reduce id = {.max = b->rank ? 0 : (uint64_t)getpid(), .min = UINT64_MAX};
  if (scree_graphs_reduce(s->graphs, &id) != SCREE_OK) return false;
  snprintf(s->path, sizeof s->path, "/tmp/scree-load-rate-%llu%s", (unsigned long long)id.max, s->kind->ending);
  bool good = bench_all(b->rank || write_file(s, b->scale ? b->scale : 20));
  scree_reduce r = {.sum = {s->expected, s->edges}, .min = UINT64_MAX};
  good = good && scree_graphs_reduce(s->graphs, &r) == SCREE_OK;
  s->expected = r.sum[0];
  s->edges = r.sum[1];
  char header[64];
  int length =
      snprintf(header, sizeof header, "p sp %llu %llu\n", (unsigned long long)s->edges, (unsigned long long)s->edges);
  s->header = s->kind->prefix ? (uint64_t)length : 0;
  scree__file file;
  char why[128];
  good = bench_all(good && scree__file_open(&file, s->path, why, sizeof why));
  if (!good) return false;
  scree__file_close(&file);
  scree_distribution_block_range(file.size - s->header, (uint32_t)b->rank, (uint32_t)b->ranks, &from, &to);
  bench_variant variants[] = {{.name = "bare", .run = bare, .check = check_sum, .arg = s, .n = 1},
                              {.name = "parse", .run = parse, .check = check_staged, .arg = s, .n = 1},
                              {.name = "load", .run = load, .check = check_load, .arg = s, .n = 1}};
  good = bench_all(read_part(s, s->header + from, s->header + to)) && bench_rounds(b, variants, 3);
  for (int i = 0; good && i < 3; i++) report(b, s, &variants[i], variants[0].seconds);
  free(s->part);
  if (b->rank == 0) unlink(s->path);
  return good;
}

static bool measure_all(bench *b, scree_graphs *graphs) {
  if (b->rank == 0)
    printf("%-20s %-6s %5s %9s %9s %8s %9s\n", "file", "way", "ranks", "MB/s", "Medges/s", "of bare", "spread");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    state s = {.kind = &kinds[i], .graphs = graphs};
    if (!kinds[i].prefix) s.options.direction = SCREE_DIRECTED;
    for (uint32_t c = 0; c < 3 && kinds[i].weighted && !kinds[i].prefix; c++) s.options.columns[c] = c + 1;
    if (!measure(b, &s)) return false;
  }
  return true;
}

static bool run(bench *b) {
  scree_graphs *graphs = NULL;
  scree_world *world = bench_open(NULL, NULL);
  if (!world) return false;
  const bool good = scree_graphs_open(world, &graphs) == SCREE_OK && measure_all(b, graphs);
  scree_graphs_close(graphs);
  return scree_close(world) == SCREE_OK && good;
}

const bench_mode bench_modes[] = {
    {.name = "load_rate",
     .what = "rate of reading graphs from text, against a bare loop in memory; --scale: log2 of the edges, default 20",
     .run = run},
    {0}};
