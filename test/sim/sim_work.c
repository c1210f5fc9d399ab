/* sim_work.c - laws of work: what the counters of runs of kernels say on a given graph, where every answer would be
 * right without it.
 *
 * Covered are counters and watchers of all kernels, savings (pruning, sums), preparation, the variant that is chosen,
 * and what is special about variants of SSSP: k, which counts arcs, the sorting of a batch, the workers of dc-hybrid
 * and a progress thread beside them. */
#include <scree/pagerank.h>
#include <scree/scree_sim.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "kernel/kernel.h"
#include "kernels.h"
#include "sssp/relax.h"

enum { RANKS = 3, PATH = 101, FAN = 25, FAN_VERTICES = 52 };

/* ---- the driver ---- */

typedef struct law law;
typedef struct {
  const law *law;
  kernel_layer layer;
  scree_graph *graph;
  uint64_t source;
} place;

/* A law, of a graph on some virtual ranks: a specification, or a directed graph that `make` makes. It holds with each
 * of `seeds` seeds, 1 by default, and each number of threads up to `threads`. */
struct law {
  void (*holds)(const place *p);
  const char *graph;
  void (*make)(case_graph *c);
  uint64_t vertices;
  const void *row; /* what it compares with */
  uint32_t ranks, nodes, threads;
  uint64_t seeds, progress;
  bool perturbed;
};

static void play_law(scree_world *world, void *arg) {
  const law *l = arg;
  place p = {.law = l, .source = 0};
  case_graph given = {.shape = {.n = l->vertices, .weight = SCREE_WEIGHT_UINT32, .directed = true}};
  if (!kernels_open(world, &p.layer)) return;
  if (l->make) l->make(&given);
  if (l->make)
    p.graph = case_graph_build(p.layer.graphs, &given, 2);
  else
    check_equal(scree_graph_load(p.layer.graphs, l->graph, NULL, &p.graph), SCREE_OK);
  if (!l->make && p.graph) check_equal(scree_graph_random_source(p.graph, 1, &p.source), SCREE_OK);
  if (check(p.graph != NULL)) l->holds(&p);
  scree_graph_free(p.graph);
  kernels_close(&p.layer);
  case_graph_free(&given);
}

static void obey(law l) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.progress = l.progress ? l.progress : SCREE_UNSET;
  for (uint32_t threads = l.threads != 0; threads <= l.threads; threads++)
    for (uint64_t seed = 1; seed <= (l.seeds ? l.seeds : 1); seed++) {
      const scree_sim_config config = {.seed = seed,
                                       .ranks = l.ranks,
                                       .nodes = l.nodes ? l.nodes : 1,
                                       .threads = threads,
                                       .unperturbed = !l.perturbed};
      check_equal(scree_sim_run(&config, &options, play_law, &l, NULL), SCREE_OK);
    }
}

/* LAW(name, field...) { body } adds a test. */
#define LAW(name, ...)                                                                                                 \
  static void name(const place *p);                                                                                    \
  static void name##_holds(void **no_state) {                                                                          \
    obey((law){.holds = name, __VA_ARGS__});                                                                           \
  }                                                                                                                    \
  __attribute__((constructor)) static void add_##name(void) {                                                          \
    harness_add((struct CMUnitTest){#name, name##_holds, NULL, NULL, NULL});                                           \
  }                                                                                                                    \
  static void name(const place *p)

static scree_solver *solver_of(const place *p, const char *kernel) {
  return p->layer.solver[kernel_row_find(kernel)];
}

/* Sets options from words such as "algorithm=kla k=7 no-pruning", and runs the kernel. */
static bool solve_with(const place *p, const char *kernel_name, const char *words, scree_watch watch,
                       scree_answer *answer) {
  const scree_kernel *kernel = scree_kernel_find(kernel_name);
  _Alignas(scree_kernel_options) char how[512];
  char why[200], copy[200], *at = copy;
  scree_kernel_options_init(kernel, how);
  ((scree_kernel_options *)how)->watch = watch;
  snprintf(copy, sizeof copy, "%s", words);
  for (char *word; (word = strsep(&at, " ")) != NULL;) {
    char *value = strchr(word, '=');
    if (value) *value++ = 0;
    if (strcmp(word, "algorithm") == 0)
      ((scree_kernel_options *)how)->algorithm = value;
    else if (*word && !check_text(!scree_kernel_options_set(kernel, how, word, value, why, sizeof why), "%s", why))
      return false;
  }
  return check_text(scree_solver_run(solver_of(p, kernel_name), p->graph, p->source, how, answer) == SCREE_OK,
                    "%s %s: %s", kernel_name, words, scree_graphs_error(p->layer.graphs));
}

static scree_work work_of(const place *p, const char *kernel, const char *words) {
  scree_answer a = {0};
  solve_with(p, kernel, words, (scree_watch){0}, &a);
  const scree_work work = a.work;
  scree_answer_free(&a);
  return work;
}

/* ---- all kernels ---- */

typedef struct {
  uint64_t calls;
  scree_work last;
} watched;

static void watch(const scree_work *work, void *arg) {
  watched *w = arg;
  check(work->messages >= w->last.messages && work->edges >= w->last.edges && work->epochs >= w->last.epochs);
  w->last = *work;
  w->calls++;
}

/* Runs variant i of row k; what holds for all kernels. */
static bool run(const place *p, size_t k, size_t i, bool no_pruning, scree_answer *answer) {
  const scree_kernel *kernel = scree_kernel_find(kernel_rows[k]->name);
  const char *variant = scree_kernel_variant_at(kernel, i)->name;
  char name[80], words[80];
  watched w = {0};
  snprintf(name, sizeof name, "%s %s", kernel->name, variant);
  snprintf(words, sizeof words, "algorithm=%s%s", variant, no_pruning ? " no-pruning" : "");
  if (!solve_with(p, kernel->name, words, (scree_watch){watch, &w}, answer)) return false;
  const scree_work *work = &answer->work;
  const double parts = work->handler_seconds + work->queue_seconds + work->wait_seconds;
  check_text(parts > 0 && parts <= 1.01 * RANKS * answer->seconds, "%s: %g of %g", name, parts, answer->seconds);
  check_text(work->bytes >= work->messages * 4 && (work->messages == 0 || work->blocks > 0), "%s: bytes", name);
  check_text(work->edges > 0 && work->epochs > 0 && work->detection_rounds > 0, "%s: epochs", name);
  /* Variants of one long epoch call the watcher from time to time, by the clock; the others after each epoch. */
  check_text(work->epochs < 2 || (w.calls > 0 && w.last.epochs + 1 >= work->epochs), "%s: %u calls, %u of %u epochs",
             name, (unsigned)w.calls, (unsigned)w.last.epochs, (unsigned)work->epochs);
  if (kernel->source) return true;
  /* Seconds are virtual and shared out by real ticks: on a busy machine a few blocks have less than a nanosecond. */
  check_text(work->queue_seconds > 0 && (work->handler_seconds > 0 || work->blocks < 10),
             "%s: handlers %g s, own work %g s", name, work->handler_seconds, work->queue_seconds);
  check_text(work->messages > 0 && work->bytes <= work->messages * 72, "%s: bytes", name); /* blocks of values */
  check_text(work->detection_rounds >= work->epochs, "%s: rounds", name);
  check_text(w.calls > 0 && w.last.epochs <= work->epochs, "%s: %u calls", name, (unsigned)w.calls);
  return true;
}

static void look_at(const place *p, size_t k, size_t i) {
  const scree_kernel *kernel = scree_kernel_find(kernel_rows[k]->name);
  const char *name = scree_kernel_variant_at(kernel, i)->name;
  scree_answer a = {0}, plain = {0};
  const scree_work *work = &a.work;
  if (!run(p, k, i, false, &a)) return;
  const uint64_t outcomes = work->useful + work->superseded + work->rejected;
  if (kernel->source && run(p, k, i, true, &plain)) {
    check_text(plain.work.messages + plain.work.direct >= work->messages + work->direct, "%s made less without pruning",
               name);
  } else if (strcmp(kernel->name, "cc") == 0) { /* label propagation offers labels, only as messages */
    const bool offers = strcmp(name, "label") == 0;
    check_equal(outcomes, offers ? work->messages : 0);
    check(!offers || (work->useful > 0 && work->edges == work->messages));
  } else if (strcmp(kernel->name, "pagerank") == 0) {
    check(a.passes > 0 && a.passes <= SCREE_PAGERANK_ITERATIONS && a.figure[2] == 1);
    check(work->edges == a.passes * p->graph->arcs ||
          work->edges == (a.passes + 1) * p->graph->arcs); /* sent, not needed */
    check_equal(work->epochs, a.passes + 1);               /* the last change */
    check_equal(outcomes + work->direct + work->pruned, 0);
  }
  scree_answer_free(&plain);
  scree_answer_free(&a);
}

/* If nothing is pruned, each arc of a reached vertex carries a message: exactly one in BFS by levels. */
static void level_tells_all(const place *p) {
  const size_t bfs = kernel_row_find("bfs");
  size_t i = 0;
  scree_answer a;
  scree_reduce arcs = SCREE_REDUCE_INIT;
  while (strcmp(scree_kernel_variant_at(scree_kernel_find("bfs"), i)->name, "level") != 0) i++;
  if (!run(p, bfs, i, true, &a)) return;
  check(a.work.pruned == 0 && a.work.direct == 0);
  for (uint64_t u = 0; u < p->graph->locals; u++)
    if (((const int64_t *)a.array[0])[u] >= 0) arcs.sum[0] += scree_graph_degree(p->graph, u);
  check_equal(scree_graphs_reduce(p->layer.graphs, &arcs), SCREE_OK);
  check_equal(a.work.messages, arcs.sum[0]);
  check_equal(a.work.edges, arcs.sum[0]);
  scree_answer_free(&a);
}

static void prepared(const place *p) {
  const scree_kernel_options wrong = {.size = sizeof wrong, .algorithm = "dfs"};
  for (size_t k = 0; kernel_rows[k]; k++) {
    check_equal(scree_solver_prepare(p->layer.solver[k], p->graph, NULL), SCREE_OK);
    check_equal(scree_solver_prepare(p->layer.solver[k], p->graph, &wrong), SCREE_EINVAL);
  }
}

LAW(work, .graph = "kron:9", .ranks = RANKS, .nodes = 2, .seeds = 3) {
  const scree_algorithm *a;
  prepared(p);
  level_tells_all(p);
  for (size_t k = 0; kernel_rows[k]; k++)
    for (size_t i = 0; (a = scree_kernel_variant_at(scree_kernel_find(kernel_rows[k]->name), i)) != NULL; i++)
      if (strcmp(a->name, "chaotic") != 0) look_at(p, k, i); /* whose work depends only on the schedule */
}

/* ---- what the runs that are expected decide ---- */

typedef struct {
  const char *kernel;
  bool directed;
  uint64_t runs;
  const char *prepared, *reason; /* a part of it; NULL: none */
} expectation;

static const expectation expectations[] = {
    {"bfs", false, 1, "likely parents", "hubs pay from"},
    {"bfs", false, 0, "likely parents, the arcs of hubs", "many runs"},
    {"bfs", true, 1, NULL, "a transposed copy pays from"},
    {"bfs", true, 1000, "a transposed copy, the arcs of hubs", "many runs"},
    {"sssp", false, 1, "rows sorted by weight", NULL},
    {"pagerank", false, 1, "the ranks that read each vertex", NULL}, /* of two nodes */
};

static bool is_same(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

/* The second run finds what the first one made. */
static void run_twice(scree_graphs *graphs, const scree_graph *g, const expectation *e, bool prepare) {
  scree_solver *solver;
  scree_answer answer;
  scree_verdict verdict = {.valid = false};
  if (!check_equal(scree_solver_open(graphs, scree_kernel_find(e->kernel), &solver), SCREE_OK)) return;
  scree_solver_expect(solver, e->runs);
  if (prepare) check_equal(scree_solver_prepare(solver, g, NULL), SCREE_OK);
  for (int i = prepare; i < 2 && check_equal(scree_solver_run(solver, g, 1, NULL, &answer), SCREE_OK); i++) {
    const char *said = answer.preparation_reason, *made = i ? NULL : e->prepared;
    check_text(is_same(answer.prepared, made), "%s, %u runs: prepared %s", e->kernel, (unsigned)e->runs,
               answer.prepared ? answer.prepared : "nothing");
    check_text(e->reason ? said && strstr(said, e->reason) : !said, "%s, %u runs: because %s", e->kernel,
               (unsigned)e->runs, said ? said : "of nothing");
    check(answer.preparation_seconds > 0 && answer.seconds > 0);
    check_equal(scree_solver_validate(solver, g, 1, NULL, &answer, &verdict), SCREE_OK);
    check(verdict.valid);
    scree_answer_free(&answer);
  }
  scree_solver_close(solver);
}

LAW(expected_runs, .graph = "path:2", .ranks = RANKS, .nodes = 2, .perturbed = true) {
  for (size_t i = 0; i < 2 * sizeof expectations / sizeof *expectations; i++) {
    const expectation *e = &expectations[i / 2];
    scree_graph *g, *transpose = NULL;
    if (!check_equal(scree_graph_load(p->layer.graphs, "kron:11,2", NULL, &g), SCREE_OK)) break; /* it has hubs */
    if (e->directed) check_equal(scree_graph_transpose(g, &transpose), SCREE_OK);
    run_twice(p->layer.graphs, transpose ? transpose : g, e, i % 2);
    scree_graph_free(transpose);
    scree_graph_free(g);
  }
}

/* ---- the default of shortest paths ---- */

typedef struct {
  uint32_t ranks;
  uint64_t runs;
  const char *graph, *words;
  const char *algorithm, *reason;
} choice;

static const choice choices[] = {
    {2, 1, "kron:9", "", "dc", "one run is over before"},     {1, 1, "kron:9", "", "dc", "one run is over before"},
    {2, 2, "kron:9", "", "opt", "pay from two runs on"},      {2, 0, "kron:9", "", "opt", "pay from two runs on"},
    {2, 1, "kron:9", "delta=0.5", "opt", "a width is given"}, {3, 1, "kron:9", "", "opt", "on many ranks"},
    {2, 1, "grid:30,30", "", "opt", "few arcs per vertex"},   {2, 2, "uniform:300,4000", "", "dc", "without hubs"},
};

static void choose(const place *p) {
  const choice *c = p->law->row;
  scree_answer answer;
  scree_solver_expect(solver_of(p, "sssp"), c->runs);
  if (!solve_with(p, "sssp", c->words, (scree_watch){0}, &answer)) return;
  const bool horizon = strcmp(c->graph, "kron:9") != 0; /* which has its own reason */
  check_text(!strcmp(answer.algorithm, c->algorithm) && answer.reason && (horizon || strstr(answer.reason, c->reason)),
             "%u ranks, %u runs of %s: %s, because %s", (unsigned)c->ranks, (unsigned)c->runs, c->graph,
             answer.algorithm, answer.reason ? answer.reason : "of nothing");
  check(strcmp(c->algorithm, "dc") != 0 || !answer.prepared);
  scree_answer_free(&answer);
}

/* Only the number of vertices decides: no such graph is made. */
static void large_graphs(void) {
  const scree__variant *variant = scree__kernel_of(scree_kernel_find("sssp"))->variants[0];
  for (unsigned bits = 20; bits <= 21; bits++) {
    const scree_graph g = {.vertices = {.n = UINT64_C(1) << bits, .ranks = 2}, .arcs = UINT64_C(32) << bits};
    const char *reason = NULL, *name = variant->choose(&g, NULL, 1, &reason)->about.name;
    check_text(strcmp(name, bits < 21 ? "dc" : "opt") == 0, "2^%u vertices: %s, because %s", bits, name, reason);
  }
}

HARNESS_TEST(default_of_paths) {
  large_graphs();
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
    obey((law){choose, .graph = choices[i].graph, .ranks = choices[i].ranks, .row = &choices[i], .perturbed = true});
}

/* ---- options pruning and sums ----
 *
 * An answer states which place its rank used, and why another one than was requested; each place saves messages.
 * sim_property compares the answers. */

enum { TABLE, CACHE, OFF, WAYS };
static const char *const words[WAYS] = {"table", "cache", "off"};

typedef struct {
  const char *kernel, *variant, *option;
  bool bits; /* its table has one for each vertex, which takes little on any number of ranks here */
} subject;
static const subject subjects[] = {{"bfs", "level", "pruning", true},
                                   {"bfs", "dc", "pruning", false},
                                   {"sssp", "dc", "pruning", false},
                                   {"pagerank", "push", "sums", false}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct {
  const char *in_force, *why; /* if a table is requested; NULL if that table is used */
  const char *option;         /* the only one that is tried, or NULL */
} shape;

static void says(const subject *s, const scree_answer *a, const char *word, const char *why) {
  const bool sums = strcmp(s->option, "sums") == 0;
  const char *said = sums ? a->sums : a->pruning;
  check_string(said ? said : "nothing", word);
  check_text((sums ? a->pruning : a->sums) == NULL, "%s says both", s->kernel);
  if (why)
    check_contains(a->saving_reason ? a->saving_reason : "nothing", why);
  else
    check_text(a->saving_reason == NULL, "%s %s by %s: %s", s->kernel, s->variant, word, a->saving_reason);
}

/* If a table was requested and another place is in force, the figures of that place count. */
static void all_ways(const place *p, const subject *s, const shape *of) {
  scree_answer a[WAYS];
  for (uint64_t way = TABLE; way < WAYS; way++) {
    char how[80];
    snprintf(how, sizeof how, "algorithm=%s %s=%s", s->variant, s->option, words[way]);
    if (!solve_with(p, s->kernel, how, (scree_watch){0}, &a[way])) return;
  }
  const bool other = of->in_force && !s->bits, sums = strcmp(s->option, "sums") == 0;
  says(s, &a[TABLE], other ? of->in_force : words[TABLE], other ? of->why : NULL);
  says(s, &a[CACHE], words[CACHE], NULL);
  says(s, &a[OFF], words[OFF], NULL);
  check_text(a[CACHE].work.messages < a[OFF].work.messages, "%s %s: a cache saves nothing", s->kernel, s->variant);
  const bool saves = !other || strcmp(of->in_force, words[OFF]) != 0;
  check_text(saves == (a[TABLE].work.messages < a[OFF].work.messages), "%s %s: a table, and sent", s->kernel,
             s->variant);
  check_text((a[CACHE].work.pruned > 0) == !sums && a[OFF].work.pruned == 0, "%s %s: pruned", s->kernel, s->variant);
  for (uint64_t way = TABLE; way < WAYS; way++) scree_answer_free(&a[way]);
}

static void savings(const place *p) {
  const shape *of = p->law->row;
  for (size_t i = 0; i < SUBJECTS; i++)
    if (!of->option || strcmp(of->option, subjects[i].option) == 0) all_ways(p, &subjects[i], of);
}
LAW(as_asked, .graph = "kron:9", .ranks = 3, .nodes = 2, .row = &(shape){0}) {
  savings(p);
}
LAW(too_many_ranks, .graph = "uniform:512,8192", .ranks = 40, .nodes = 2,
    .row = &(shape){"cache", "too much memory", "pruning"}) {
  savings(p);
}
LAW(few_arcs, .graph = "kron:9,1", .ranks = 4, .nodes = 2, .row = &(shape){"off", "fewer arcs", "sums"}) {
  savings(p);
}

/* ---- variants of SSSP ---- */

static void make_path(case_graph *c) {
  for (uint64_t v = 1; v < PATH; v++) case_graph_add(c, v - 1, v, 1);
}
/* A superstep for each k arcs of the path, and one that finds the last vertex without an arc to go on with. */
LAW(k_counts_arcs, .make = make_path, .vertices = PATH, .ranks = 2) {
  static const uint64_t ks[] = {1, 2, 7, 10, 99, 100, 101, 1000};
  for (size_t i = 0; i < 2 * sizeof ks / sizeof *ks; i++) {
    char words[80];
    snprintf(words, sizeof words, "algorithm=kla k=%" PRIu64 "%s", ks[i / 2], i % 2 ? " no-pruning" : "");
    check_equal(work_of(p, "sssp", words).epochs, (PATH - 1) / ks[i / 2] + 1);
  }
  /* Each superstep costs more than it does: k grows as fast as it can, 1 + 2 + 4 + 8 + 16 + 32 + 64 arcs. */
  check_equal(work_of(p, "sssp", "algorithm=kla").epochs, 7);
}

/* 0 leads to 1 .. FAN by light arcs, they lead to the last vertex, on the other rank, by heavy arcs of mixed
 * lengths. */
static void make_fan(case_graph *c) {
  for (uint64_t v = 1; v <= FAN; v++) {
    case_graph_add(c, 0, v, 1);
    case_graph_add(c, v, FAN_VERTICES - 1, (double)(100 + v * 7 % FAN));
  }
}
LAW(batches_are_sorted, .make = make_fan, .vertices = FAN_VERTICES, .ranks = 2) {
  check(work_of(p, "sssp", "algorithm=delta delta=10 no-pruning").superseded > 0);
  const scree_work work = work_of(p, "sssp", "algorithm=delta-sort delta=10 no-pruning");
  check_equal(work.superseded, 0);
  check_equal(work.useful, FAN + 1);
}

/* One worker does what dc does; several share the vertices of one rank. */
LAW(workers_share, .graph = "kron:11", .ranks = 1, .threads = 4) {
  const scree_work alone = work_of(p, "sssp", "algorithm=dc"), work = work_of(p, "sssp", "algorithm=dc-hybrid");
  check_equal(work.useful, alone.useful);
  check_equal(work.epochs, 1);
  if (scree_graphs_worker(p->layer.graphs)->threads == 1) {
    check_equal(work.messages, alone.messages);
    check_equal(work.direct, alone.direct);
    check_equal(work.edges, alone.edges);
  } else { /* some of a rank's own vertices are another worker's to process */
    check_equal(alone.messages, 0);
    check(work.messages > work.useful / 8);
    check_equal(work.bytes, work.messages * sizeof(scree__relax_item));
  }
}

/* A progress thread passes lowered distances to workers, in messages of 24 bytes; relaxations are counted once. */
LAW(progress_thread_hands_over, .graph = "kron:9", .ranks = 2, .threads = 3, .seeds = 4, .perturbed = true,
    .progress = SCREE_PROGRESS_FULL) {
  const scree_work work = work_of(p, "sssp", "algorithm=dc-hybrid");
  const uint64_t rest = work.bytes - work.messages * sizeof(scree__relax_item);
  check_equal(work.messages + work.direct, work.useful + work.superseded + work.rejected);
  check(rest % 24 == 0);
  check(rest / 24 <= work.useful + work.superseded);
  check_text(rest > 0, "the progress threads lowered nothing");
}

HARNESS_MAIN
