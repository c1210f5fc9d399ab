/* property_levels.c - BFS `direction` on a path, a tube, and another path.
 *
 * The levels of a path hold one vertex, so many of them go in one epoch (algorithms/bfs/far.c); those of the tube hold
 * so many that each goes alone again. No small graph does that: a level of the tube has as many vertices as a step is to
 * hold, and the tube as many levels as it takes to make steps short. Which messages were sent says what was entered. */
#include "property_levels.h"

#include <inttypes.h>
#include <scree/scree_sim.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 10, LEVELS = 18, WIDTH = 1100, END = 40, MOST_RANKS = 3 }; /* WIDTH: for each rank */

typedef struct {
  uint64_t width, n;
  case_verdict *verdict;
  uint64_t by_level, far; /* messages, of all ranks */
} job;

/* The first vertex of a level. */
static uint64_t first_of(const job *j, uint64_t level) {
  if (level < PATH) return level;
  if (level < PATH + LEVELS) return PATH + (level - PATH) * j->width;
  return PATH + LEVELS * j->width + (level - PATH - LEVELS);
}

static int64_t level_of(const job *j, uint64_t v) {
  uint64_t level = 0;
  while (level + 1 < PATH + LEVELS + END && first_of(j, level + 1) <= v) level++;
  return (int64_t)level;
}

/* Between each vertex and one or two of the next level; each of that has one. */
static void add_level(const job *j, scree_graph_builder *builder, uint64_t level) {
  const uint64_t from = first_of(j, level), to = first_of(j, level + 1), next = first_of(j, level + 2) - to;
  const uint64_t count = to - from, most = count > next ? count : next;
  for (uint64_t i = 0; i < most; i++) {
    scree_graph_builder_add(builder, from + i % count, to + i % next, 1);
    if (count == next && next > 1) scree_graph_builder_add(builder, from + i, to + (i + 7) % next, 1);
  }
}

static scree_graph *build(case_layer *layer, const job *j) {
  const scree_graph_shape shape = {.n = j->n, .distribution = SCREE_DISTRIBUTION_CYCLIC};
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  if (scree_graph_builder_begin(layer->graphs, &shape, &builder) != SCREE_OK) return NULL;
  const uint32_t rank = scree_graphs_worker(layer->graphs)->rank, ranks = scree_graphs_worker(layer->graphs)->ranks;
  for (uint64_t level = rank; level + 1 < PATH + LEVELS + END; level += ranks) add_level(j, builder, level);
  return scree_graph_builder_finish(builder, &g) == SCREE_OK ? g : NULL;
}

/* Messages of this type that this rank has sent, as its report says. */
static uint64_t sent(const scree_world *world, const char *type) {
  char *text = NULL, line[80];
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (!to) abort();
  scree_report_print(world, to);
  fclose(to);
  snprintf(line, sizeof line, "type '%s': sent ", type);
  const char *at = strstr(text, line);
  const uint64_t count = at ? strtoull(at + strlen(line), NULL, 10) : 0;
  free(text);
  return count;
}

static void look(case_layer *layer, scree_graph *g, job *j) {
  scree_bfs_options how = SCREE_BFS_OPTIONS_INIT;
  scree_answer r = {0};
  how.algorithm = "direction";
  if (scree_solver_run(layer->bfs, g, 0, &how, &r) != SCREE_OK) {
    case_wrong(j->verdict, "direction: %s", scree_graphs_error(layer->graphs));
    return;
  }
  const int64_t *level = r.array[0];
  for (uint64_t i = 0; i < r.locals; i++) {
    const uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), i));
    if (level[i] != level_of(j, v))
      case_wrong(j->verdict, "direction: vertex %" PRIu64 " has level %" PRIi64 ", not %" PRIi64, v, level[i],
                 level_of(j, v));
  }
  scree_answer_free(&r);
}

static void play(scree_world *world, void *arg) {
  job *j = arg;
  case_layer layer;
  if (case_open(world, &layer)) {
    scree_graph *g = build(&layer, j);
    if (g)
      look(&layer, g, j);
    else
      case_wrong(j->verdict, "no graph: %s", scree_graphs_error(layer.graphs));
    scree_graph_free(g);
  }
  j->by_level += sent(world, "bfs.direction");
  j->far += sent(world, "bfs.direction.reach");
  case_close(&layer);
}

bool property_levels(uint64_t seed, case_verdict *verdict) {
  const uint32_t ranks = 2 + (uint32_t)(seed % (MOST_RANKS - 1));
  scree_sim_config config = {.seed = seed, .ranks = ranks, .nodes = 1 + (uint32_t)(seed / 2 % 2), .quiet = true};
  job j = {.width = WIDTH * ranks, .n = PATH + LEVELS * WIDTH * ranks + END, .verdict = verdict};
  *verdict = (case_verdict){.wrong = false};
  scree_status status = scree_sim_run(&config, NULL, play, &j, NULL);
  if (status) case_wrong(verdict, "direction: %s", status == SCREE_EPEER ? "hung" : scree_status_text(status));
  if (j.far < j.width) case_wrong(verdict, "direction: it did not leave the levels: %" PRIu64 " messages", j.far);
  if (j.by_level < j.width) case_wrong(verdict, "direction: it did not come back: %" PRIu64 " messages", j.by_level);
  return !verdict->wrong;
}
