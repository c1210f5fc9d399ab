/* run.c - the subcommands that run a kernel: load, solve, validate, report. All ranks execute every step. */
#include "commands/commands.h"

#include <scree/generate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "commands/input.h"
#include "commands/output.h"
#include "commands/placement.h"
#include "commands/progress.h"
#include "commands/session.h"
#include "util/date.h"

typedef struct {
  const cli_args *args;
  double opened, prepared; /* seconds from the command line to the graph layer; of solvers' preparation */
  scree_world *world;
  scree_graphs *graphs;
  scree_graph *graph;
  scree_solver *solver;
  uint64_t *sources;
  cli_report report;
  scree_answer answer; /* of the last run */
  cli_output output, json;
  cli_placement *placements;
  cli_progress line;
  bool all_valid;
} session;

static bool is_first(const session *s) {
  return scree_graphs_worker(s->graphs)->rank == 0;
}

static bool is_several(const session *s) {
  return s->report.count + s->args->runs.warmup > 1;
}

/* ---- steps: each is collective and returns the same status on all ranks ---- */

static scree_status open_files(session *s) {
  scree_status status = cli_open_output(s->graphs, "output", s->args->answer.file, &s->output);
  return status ? status : cli_open_output(s->graphs, "json", s->args->json, &s->json);
}

static scree_status check_weights(const session *s) {
  if (!s->args->kernel->weights || s->graph->weight != SCREE_WEIGHT_NONE) return SCREE_OK;
  return scree_graphs_agree(s->graphs, SCREE_EINVAL,
                            "%s: %s needs weights, and this graph has none; name their column with --columns S,D,W, "
                            "draw them with --random-weights LO..HI|float[,SEED], or take --unit-weights",
                            cli_input_name(s->args->graph), s->args->kernel->name);
}

/* A kernel that reads no graph is run on one of one vertex. */
static scree_status make_graph(session *s) {
  scree_graph_builder *builder;
  const scree_graph_shape shape = {.n = 1};
  scree_status status = scree_graph_builder_begin(s->graphs, &shape, &builder);
  if (!status) status = scree_graph_builder_finish(builder, &s->graph);
  s->report.graph = s->graph;
  return status;
}

static scree_status load(session *s) {
  if (s->args->kernel->graphless) return make_graph(s);
  scree_graph_options how = s->args->graph_options;
  if (!s->args->kernel->weights && how.weights == SCREE_WEIGHTS_GIVEN) how.weights = SCREE_WEIGHTS_DROP;
  how.relabel = SCREE_RELABEL_NONE; /* cli_relabel does it, and takes the time */
  double start = cli_now();
  scree_status status = cli_load(s->args, &how, s->graphs, &s->graph);
  if (!status) status = check_weights(s);
  if (!status) status = cli_relabel(s->args, &s->graph, &s->report.relabel);
  if (!status) scree_graph_allow_reordering(s->graph);
  s->report.graph = s->graph;
  s->report.about.load_seconds = cli_now() - start;
  scree_graphs_enter(s->graphs, SCREE_PHASE_PREPARE);
  return status;
}

/* Counts the parallel edges if the answer depends on them, as coreness does. */
static scree_status count_parallel(session *s) {
  const char *figure = s->args->kernel->figures[0];
  uint64_t loops;
  s->report.copies_count =
      figure && strcmp(figure, "degeneracy") == 0 && (!scree_generator_is_named(s->args->graph) || s->args->json);
  if (!s->report.copies_count || s->graph->directed) return SCREE_OK;
  const scree_status status = cli_count_copies(s->graph, &loops, &s->report.about.parallel);
  if (!status) cli_note_parallel(s->args, s->graph, s->report.about.parallel, s->args->kernel->name);
  return status;
}

static scree_status allocate(session *s) {
  s->report.count = (size_t)(s->args->source.count * s->args->runs.repeat);
  s->report.runs = calloc(s->report.count, sizeof *s->report.runs);
  s->sources = calloc((size_t)(s->args->source.count + s->args->source.set), sizeof *s->sources);
  return cli_ready(s->graphs, s->report.runs && s->sources, "the figures of the runs");
}

/* The vertices of one run that has several sources. */
static scree_status find_source_set(session *s) {
  const cli_args *args = s->args;
  scree_bc_options *o = cli_of_source_set(args);
  scree_status status = SCREE_OK;
  for (uint64_t i = 0; i < args->source.set && !status; i++)
    status = cli_find_vertex(args, s->graph, "sources-file", args->source.list[i], &s->sources[i]);
  if (args->source.copies && !status && is_first(s))
    fprintf(stderr, "scree: option '--sources-file': %llu of %llu sources were listed before: each counts once\n",
            (unsigned long long)args->source.copies, (unsigned long long)(args->source.copies + args->source.set));
  o->source_list = s->sources;
  o->sources = args->source.set;
  return status;
}

static scree_status find_sources(session *s) {
  const cli_args *args = s->args;
  if (args->source.set) return find_source_set(s);
  if (!args->kernel->source) return SCREE_OK; /* the kernel does not read its source */
  if (!args->source.list && args->source.random) return cli_draw_sources(args, s->graph, s->sources);
  const uint64_t *labels = args->source.list ? args->source.list : &args->source.label;
  scree_status status = SCREE_OK;
  for (uint64_t i = 0; i < args->source.count && !status; i++)
    status = cli_find_vertex(args, s->graph, args->source.list ? "sources-file" : "source", labels[i], &s->sources[i]);
  return status;
}

static scree_status run_once(session *s, uint64_t source) {
  scree_answer_free(&s->answer);
  const scree_phase phase = scree_graphs_enter(s->graphs, SCREE_PHASE_SOLVE);
  scree_status status = scree_solver_run(s->solver, s->graph, source, s->args->how, &s->answer);
  scree_graphs_enter(s->graphs, phase);
  s->prepared += s->answer.preparation_seconds;
  return status;
}

static scree_status check(session *s, uint64_t source, cli_measure *m) {
  m->valid = true;
  if (!s->args->runs.validate) return SCREE_OK;
  scree_verdict verdict;
  const scree_phase phase = scree_graphs_enter(s->graphs, SCREE_PHASE_VALIDATE);
  if (!is_several(s)) cli_progress_enter(&s->line, "validating");
  scree_status status = scree_solver_validate(s->solver, s->graph, source, s->args->how, &s->answer, &verdict);
  scree_graphs_enter(s->graphs, phase);
  if (status) return status;
  m->valid = verdict.valid;
  s->all_valid &= verdict.valid;
  if (verdict.valid && *verdict.text && is_first(s)) fprintf(stderr, "scree: %s\n", verdict.text);
  if (!verdict.valid && is_first(s) && !s->args->kernel->source)
    fprintf(stderr, "scree: the answer is wrong: %s\n", verdict.text);
  else if (!verdict.valid && is_first(s))
    fprintf(stderr, "scree: the answer from %llu is wrong: %s\n", (unsigned long long)m->source, verdict.text);
  return SCREE_OK;
}

static bool is_stdout(const char *name) {
  return name && strcmp(name, "-") == 0;
}

static bool prints_table(const session *s) {
  return !s->args->study.quiet && !is_stdout(s->args->json) && !is_stdout(s->args->answer.file);
}

/* Reached vertices and traversed edges, where the table or the record has them. */
static scree_status count(session *s, cli_measure *m) {
  const bool levels = s->args->kernel->arrays[0].kind == SCREE_VALUE_LEVEL;
  if (!prints_table(s) && !s->args->json) return SCREE_OK;
  const scree_phase phase = scree_graphs_enter(s->graphs, SCREE_PHASE_COUNT);
  if (!is_several(s)) cli_progress_enter(&s->line, "counting");
  scree_status status = scree_graph_traversed(s->graph, levels ? NULL : s->answer.array[0],
                                              levels ? s->answer.array[0] : NULL, &m->reached, &m->edges);
  scree_graphs_enter(s->graphs, phase);
  return status;
}

static scree_status measure(session *s, uint64_t source, cli_measure *m) {
  scree_status status = run_once(s, source);
  if (status) return status;
  m->source = m->reached = SCREE_UNSET;
  if (s->args->kernel->source) status = scree_graph_labels(s->graph, 1, &source, &m->source);
  if (status) return status;
  m->seconds = s->answer.seconds;
  m->preparation_seconds = s->answer.preparation_seconds;
  m->work = s->answer.work;
  m->algorithm = s->answer.algorithm;
  m->reason = s->answer.reason;
  m->pruning = s->answer.pruning;
  m->sums = s->answer.sums;
  m->saving_reason = s->answer.saving_reason;
  m->prepared = s->answer.prepared;
  m->preparation_reason = s->answer.preparation_reason;
  m->workers = s->answer.workers;
  memcpy(m->figures, s->answer.figure, sizeof m->figures);
  if (!s->args->kernel->source) {
    m->edges = s->answer.passes * (s->args->kernel->graphless ? 1 : s->graph->edges);
  } else {
    status = count(s, m);
  }
  return status ? status : check(s, source, m);
}

/* Shows the share that is done of a known number of iterations, an epoch each. */
static void on_work(const scree_work *work, void *arg) {
  session *s = arg;
  cli_progress_set(work->epochs, (uint64_t)scree_kernel_passes(s->args->kernel, s->args->how), &s->line);
}

/* With several runs, the share that is done counts runs. */
static void begin_line(session *s) {
  const bool counted = cli_is_given(s->args, "iterations") && !cli_is_given(s->args, "tolerance");
  cli_progress_begin(&s->line, s->args, s->graphs, is_several(s) ? "running" : "preparing and solving", NULL);
  if (s->line.shown && !is_several(s) && counted) s->args->how->watch = (scree_watch){on_work, s};
}

static scree_status measure_all(session *s) {
  scree_status status = SCREE_OK;
  begin_line(s);
  scree_solver_expect(s->solver, s->report.count + s->args->runs.warmup);
  for (uint64_t i = 0; i < s->args->runs.warmup && status == SCREE_OK; i++) status = run_once(s, s->sources[0]);
  for (size_t i = 0; i < s->report.count && status == SCREE_OK; i++) {
    status = measure(s, s->sources[i / s->args->runs.repeat], &s->report.runs[i]);
    if (is_several(s)) cli_progress_set(i + 1, s->report.count, &s->line);
  }
  cli_progress_end(&s->line);
  return status;
}

/* Says that a run has ended above its tolerance, unless only a number of iterations was given. Returns false if the
 * tolerance was given too. */
static bool check_convergence(const session *s) {
  const scree_kernel *kernel = s->args->kernel;
  const bool given = cli_is_given(s->args, "tolerance");
  size_t i = 0;
  while (i < s->report.count && cli_has_converged(kernel, &s->report.runs[i])) i++;
  if (i == s->report.count || (!given && cli_is_given(s->args, "iterations"))) return true;
  if (is_first(s))
    fprintf(
        stderr,
        "scree: %s has not converged: iteration %g, the last one, changed the answer by %.3g in total; --iterations "
        "allows more, --tolerance larger changes\n",
        kernel->name, s->report.runs[i].figures[0], s->report.runs[i].figures[1]);
  return !given;
}

static scree_status write_answer(session *s) {
  if (!s->args->answer.file) return SCREE_OK;
  const bool apart = !is_stdout(s->args->answer.file); /* from what is written, which may be on the same terminal */
  if (apart) cli_progress_begin(&s->line, s->args, s->graphs, "writing", NULL);
  scree_status status = cli_write_answer(s->graph, s->args, &s->answer, s->output.to, &s->line);
  cli_progress_end(&s->line);
  return cli_close_output(s->graphs, &s->output, status);
}

/* Before anything is written, so that the seconds of the threads are those of the runs. */
static scree_status find_placements(session *s) {
  scree_status status = s->args->json ? cli_find_placements(s->graphs, &s->placements) : SCREE_OK;
  s->report.placements = s->placements;
  return status;
}

/* Where the time of the command went, and its memory. The solver counts what it prepares into a run's own figure.
 * Collective. */
static scree_status account(session *s) {
  if (s->args->graph) s->report.about.shown = cli_input_name(s->args->graph);
  cli_complete_report(&s->report);
  struct rusage usage;
  scree_phases *phases = &s->report.phases;
  *phases = scree_graphs_phases(s->graphs);
  s->report.wall_seconds = cli_now() - s->args->began;
  phases->seconds[SCREE_PHASE_START] += s->opened;
  phases->seconds[SCREE_PHASE_PREPARE] += s->prepared;
  phases->seconds[SCREE_PHASE_SOLVE] -= s->prepared;
  const uint64_t bytes = getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss * 1024;
  scree_reduce peak = {.sum = {bytes}, .min = UINT64_MAX, .max = bytes};
  scree_status status = scree_graphs_reduce(s->graphs, &peak);
  s->report.peak_sum = peak.sum[0];
  s->report.peak_max = peak.max;
  return status;
}

static scree_status write_json(session *s) {
  bool memory = !s->json.to || cli_print_json(&s->report, s->json.to);
  return cli_close_output(s->graphs, &s->json, cli_ready(s->graphs, memory, "the JSON text"));
}

/* Last: the table appears only if everything else succeeded. */
static scree_status print_table(session *s) {
  if (!prints_table(s)) return SCREE_OK;
  if (is_first(s)) cli_print_table(&s->report, stdout);
  return cli_flush_stdout(s->graphs);
}

static scree_status run_all(session *s) {
  scree_status status = open_files(s);
  if (status == SCREE_OK) status = load(s);
  if (status == SCREE_OK) status = count_parallel(s);
  if (status == SCREE_OK) status = allocate(s);
  if (status == SCREE_OK) status = scree_solver_open(s->graphs, s->args->kernel, &s->solver);
  if (status == SCREE_OK) status = find_sources(s);
  if (status == SCREE_OK) status = measure_all(s);
  scree_graphs_enter(s->graphs, SCREE_PHASE_WRITE);
  if (status == SCREE_OK) status = cli_sum_counters(s->graphs, &s->report.counters);
  if (status == SCREE_OK) status = find_placements(s);
  if (status == SCREE_OK) status = write_answer(s);
  if (status == SCREE_OK) status = account(s);
  if (status == SCREE_OK) status = write_json(s);
  return status == SCREE_OK ? print_table(s) : status;
}

int cli_run(const cli_args *args, scree_world *world) {
  session s = {.args = args, .world = world, .all_valid = true, .report = {.args = args}};
  cli_date(s.report.started);
  if (getloadavg(&s.report.load, 1) != 1) s.report.load = -1;
  s.opened = cli_now() - args->began;
  scree_status status = scree_graphs_open(world, &s.graphs);
  if (status) return cli_failed(world, NULL, status);
  status = run_all(&s);
  int code = status ? cli_failed(world, s.graphs, status) : 0;
  if (!status && (!check_convergence(&s) || !s.all_valid)) code = 1;
  cli_drop_output(&s.output);
  cli_drop_output(&s.json);
  scree_answer_free(&s.answer);
  scree_solver_close(s.solver);
  scree_graph_free(s.graph);
  scree_graphs_close(s.graphs);
  free(s.sources);
  free(s.report.runs);
  free(s.placements);
  return code;
}
