/* nothing.c - makes each call of a row in a separate process, and checks what it returned and said. */
#include "nothing.h"

#include <scree/scree_sim.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

/* The process of a call leaves its result here. */
typedef struct {
  bool made, ended;
  long returned;
  scree_status failed; /* of the world */
  char text[1024];
} outcome;

typedef struct {
  const nothing_row *row;
  nothing call;
  outcome *out;
} attempt;

static void ignore(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {}
static void ignore_record(const void *data, size_t bytes, void *arg) {}

static void make(attempt *a) {
  a->out->returned = a->row->call(&a->call);
  a->out->made = true;
}

typedef struct {
  attempt *of;
} one_args;
SCREE_TASK(one, one_args);
static void run_one(scree_task *self, const one_args *args) {
  args->of->call.self = self;
  make(args->of);
}
SCREE_TASK_BODY(one, one_args, run_one);

static void in_epoch(attempt *a, one_type type) {
  scree_worker *w = a->call.w;
  if (!check_equal(scree_begin(w), SCREE_OK)) return;
  if (a->row->where == TASK)
    one_spawn(w, type, NULL, (one_args){a});
  else
    make(a);
  scree_end(w, NULL);
}

static void with_tasks(attempt *a) {
  one_type type;
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  options.global_heap = 1 << 16;
  if (!check_equal(scree_tasks_open(a->call.world, NULL), SCREE_OK)) return;
  if (!check_equal(scree_global_open(a->call.world, &options), SCREE_OK)) return;
  if (!check_equal(one_register(a->call.world, NULL, &type), SCREE_OK)) return;
  if (a->row->where == IDLE)
    make(a);
  else
    in_epoch(a, type);
}

static void build(attempt *a) {
  const scree_graph_shape shape = {.n = 8, .weight = SCREE_WEIGHT_DOUBLE};
  scree_graph *made;
  if (!check_equal(scree_graph_builder_begin(a->call.graphs, &shape, &a->call.builder), SCREE_OK)) return;
  make(a);
  if (!a->call.builder) return;
  a->out->failed = scree_graph_builder_finish(a->call.builder, &made);
  if (!a->out->failed) scree_graph_free(made);
}

static void exchange(attempt *a) {
  if (!check_equal(scree_graphs_exchange_begin(a->call.graphs, ignore_record, NULL), SCREE_OK)) return;
  make(a);
  scree_graphs_exchange_end(a->call.graphs);
}

static void with_graph(attempt *a) {
  nothing *c = &a->call;
  const scree_kernel *kernel = scree_kernel_find("bfs");
  if (!check_equal(scree_graphs_open(c->world, &c->graphs), SCREE_OK)) return;
  if (!check_equal(scree_graph_load(c->graphs, "kron:4", NULL, &c->graph), SCREE_OK)) return;
  if (!check_equal(scree_solver_open(c->graphs, kernel, &c->solver), SCREE_OK)) return;
  if (!check_equal(scree_solver_run(c->solver, c->graph, 0, NULL, &c->answer), SCREE_OK)) return;
  if (a->row->where == GRAPH) make(a);
  if (a->row->where == BUILD) build(a);
  if (a->row->where == EXCHANGE) exchange(a);
  snprintf(a->out->text, sizeof a->out->text, "%s", scree_graphs_error(c->graphs));
}

static void play(scree_world *world, void *arg) {
  attempt *a = arg;
  nothing *c = &a->call;
  const scree_type_desc descs[] = {{.size = sizeof *descs, .name = "item", .item = 8, .fn = ignore},
                                   {.size = sizeof *descs, .name = "words", .fn = ignore}};
  uint32_t ids[2];
  c->world = world;
  c->w = scree_worker_of(world, 0);
  if (!check_equal(scree_register_all(world, descs, 2, ids), SCREE_OK)) return;
  c->type = ids[0];
  c->words = ids[1];
  if (a->row->where == PLAIN)
    make(a);
  else if (strchr("gbx", a->row->where))
    with_graph(a);
  else
    with_tasks(a);
  if (!a->out->failed) a->out->failed = scree_error(world);
  if (!*a->out->text) snprintf(a->out->text, sizeof a->out->text, "%s", scree_error_text(world));
}

/* cmocka's handlers would go on with the next test in this process. */
static void attempt_it(attempt *a) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
  const scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .quiet = true, .max_steps = 1000000};
  if (a->row->where == NOWHERE)
    make(a);
  else
    scree_sim_run(&config, NULL, play, a, NULL);
  a->out->ended = true;
}

static void check_outcome(const attempt *a, char expected, int how) {
  const outcome *o = a->out;
  const bool refused = a->row->returns ? o->returned != 0 : o->failed != SCREE_OK;
  char what[128];
  snprintf(what, sizeof what, "%s, argument %d is %s", a->row->name, a->call.argument + 1,
           a->call.value ? "-1" : "NULL or 0");
  if (!check_text(o->made && o->ended && how == 0, "%s: it did not return (signal %d)", what, how & 127)) return;
  if (expected != '.')
    check_text(refused, "%s: not refused: returned %ld, the world's status is %d", what, o->returned, (int)o->failed);
  if (expected == 't') check_text(*o->text != 0, "%s: no text", what);
}

static void attempt_one(const nothing_row *row, int argument, int value, char expected) {
  outcome *out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(out != MAP_FAILED);
  attempt a = {.row = row, .call = {.argument = argument, .value = value}, .out = out};
  int how = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    const unsigned before = harness_failures();
    attempt_it(&a);
    harness_exit(harness_failures() != before);
  }
  assert_true(child > 0 && waitpid(child, &how, 0) == child);
  check_outcome(&a, expected, how);
  munmap(out, sizeof *out);
}

static void each_argument(void **state) {
  const nothing_row *row = *state;
  int argument = 0;
  for (const char *at = row->expected; *at; argument++) {
    const size_t letters = strcspn(at, " ");
    for (size_t i = 0; i < letters; i++)
      if (at[i] != '-') attempt_one(row, argument, -(int)i, at[i]);
    at += letters + (at[letters] == ' ');
  }
}

int nothing_main(int argc, char **argv, const nothing_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    harness_add((struct CMUnitTest){rows[i].name, each_argument, NULL, NULL, (void *)(uintptr_t)&rows[i]});
  return harness__main(argc, argv);
}
