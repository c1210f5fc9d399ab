/* uts.c - the unbalanced trees of UTS (Olivier et al. 2006), in turns: walked serially by rank 0, while the others
 * sleep; by the kernel of the command line, on tasks that are stolen; and by messages, where a vertex that has children
 * goes to a rank that its number draws, and waits there in a queue. */
#include <math.h>
#include <stdlib.h>

#include "irregular/irregular.h"
#include "irregular/tree.h"
#include "kernel_side.h"
#include "modes.h"

const scree_kernel *bench_irregular(const char *name) {
  const scree_kernel *k;
  for (size_t i = 0; (k = scree__irregular_at(i)); i++)
    if (strcmp(k->name, name) == 0) return k;
  return NULL;
}

typedef struct {
  bench *b;
  const scree__tree *tree;
  uint64_t vertices;
  scree__vertex *queue; /* a stack */
  uint64_t waiting, space;
  bool lacking;
  scree_world *world;
  uint32_t type;
} job;

static void push(job *j, const scree__vertex *v) {
  if (j->waiting == j->space) {
    scree__vertex *bigger = realloc(j->queue, (j->space = 2 * j->space + 64) * sizeof *bigger);
    if (!bigger) abort();
    j->queue = bigger;
  }
  j->queue[j->waiting++] = *v;
}

/* ---- serial ---- */

static bool walk(bench *b, void *arg) {
  job *j = arg;
  const scree__vertex root = scree__tree_root(j->tree);
  (void)b;
  j->vertices = 1;
  push(j, &root);
  while (j->waiting) {
    const scree__vertex v = j->queue[--j->waiting];
    j->vertices += v.children;
    for (uint32_t i = 0; i < v.children; i++) {
      const scree__vertex child = scree__tree_child(j->tree, &v, i);
      if (child.children) push(j, &child);
    }
  }
  return true;
}

static double run_serial(void *arg) {
  job *j = arg;
  j->vertices = 0;
  const double start = bench_now();
  bench_on_ranks(j->b, 1, walk, j);
  return bench_now() - start;
}

static bool check(void *arg, uint64_t n) {
  const job *j = arg;
  uint64_t all;
  (void)n;
  bench_sum(&j->vertices, &all, 1);
  return all == j->tree->vertices;
}

/* ---- messages ---- */

SCREE_MESSAGE(vertex, scree__vertex);

static void on_vertices(scree_worker *w, const scree_batch *batch, const scree__vertex *items, void *arg) {
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) push(arg, &items[i]);
}
SCREE_HANDLER(vertex, scree__vertex, on_vertices);

static void expand(job *j, scree_worker *w) {
  const scree__vertex v = j->queue[--j->waiting];
  const vertex_type type = {j->type};
  j->vertices += v.children;
  for (uint32_t i = 0; i < v.children; i++) {
    const scree__vertex child = scree__tree_child(j->tree, &v, i);
    if (child.children)
      vertex_send(w, type, bench_below((uint64_t)scree__tree_read(child.state) << 32, w->ranks), child);
  }
}

static void run_messages(void *arg, uint64_t n) {
  job *j = arg;
  scree_worker *w = scree_worker_of(j->world, 0);
  const scree__vertex root = scree__tree_root(j->tree);
  (void)n;
  j->vertices = w->rank == 0;
  if (w->rank == 0) push(j, &root);
  if (scree_begin(w)) return;
  while (!scree_test(w, j->waiting == 0, NULL))
    for (int i = 0; i < 64 && j->waiting; i++) expand(j, w);
}

/* ---- rows ---- */

static uint64_t tree = 0;
const bench_own_option bench_uts_options[] = {
    {{SCREE__ROW("tree", COUNT, "", "0: T1, 1: T3, 2: T1L, 3: T3L; default 0"), .max = 3}, &tree}, {{0}, NULL}};

enum { SERIAL, WHOLE, VERTEX, MEMORY, MESSAGES, VARIANTS };

static double rate(const bench_variant *v) {
  return v->seconds > 0 ? 1 / v->seconds : 0;
}

/* Of the large trees only the serial walk and the first form: seconds each. */
static bool run_row(bench *b, const char *transport) {
  static const char *const names[] = {"T1", "T3", "T1L", "T3L"}, *const forms[] = {NULL, "whole", "vertex", "memory"};
  const scree__tree *t = &scree__trees[(int)tree];
  job jobs[VARIANTS] = {{0}};
  kernel_side side[MESSAGES] = {{0}};
  bench_variant v[VARIANTS] = {
      {.name = "serial"}, {.name = "whole"}, {.name = "vertex"}, {.name = "memory"}, {.name = "messages"}};
  vertex_type type = {0};
  bool good = true;
  const int variants = tree < 2 ? VARIANTS : VERTEX;
  for (int i = 0; i < variants && good; i++) {
    jobs[i] = (job){.b = b, .tree = t};
    v[i].arg = &jobs[i], v[i].n = t->vertices, v[i].check = check;
    if (i == SERIAL || i == MESSAGES) continue;
    good = kernel_side_open(&side[i], &v[i], bench_irregular("uts"), transport, "algorithm=%s tree=%s%s", forms[i],
                            names[(int)tree], i == MEMORY ? " global-direct=off" : "");
  }
  v[SERIAL].timed = run_serial;
  v[MESSAGES].run = run_messages;
  if (good) jobs[MESSAGES].world = bench_open(transport, NULL);
  good = good && bench_all(jobs[MESSAGES].world) && !vertex_register(jobs[MESSAGES].world, &jobs[MESSAGES], &type);
  jobs[MESSAGES].type = type.id;
  good = good && bench_rounds(b, v, variants);
  if (good)
    bench_row(b, BENCH_TEXT("transport", "%-4s", transport), BENCH_TEXT("tree", " %4s", names[(int)tree]),
              BENCH_CELL("serial_rate", " %8.2f", rate(&v[SERIAL]), 1e-6),
              BENCH_CELL("whole_rate", " %8.2f", rate(&v[WHOLE]), 1e-6),
              BENCH_CELL("vertex_rate", " %8.2f", rate(&v[VERTEX]), 1e-6),
              BENCH_CELL("memory_rate", " %8.2f", rate(&v[MEMORY]), 1e-6),
              BENCH_CELL("messages_rate", " %8.2f", rate(&v[MESSAGES]), 1e-6),
              BENCH_CELL("whole_ratio", " %7.2f", v[SERIAL].seconds / v[WHOLE].seconds, 1),
              BENCH_CELL("memory_ratio", " %7.2f", v[SERIAL].seconds * rate(&v[MEMORY]), 1),
              BENCH_CELL("fullest", " %7.3f", side[WHOLE].answer.figure[3], 1),
              BENCH_CELL("spread", " %6.0f%%", v[WHOLE].spread, 100));
  for (int i = WHOLE; i < MESSAGES && i < variants; i++) good = kernel_side_close(&side[i]) && good;
  for (int i = 0; i < VARIANTS; i++) free(jobs[i].queue);
  return (!jobs[MESSAGES].world || scree_close(jobs[MESSAGES].world) == SCREE_OK) && good;
}

bool bench_uts(bench *b) {
  if (b->rank == 0)
    printf("%-4s %4s %8s %8s %8s %8s %8s %7s %7s %7s %7s\n", "", "tree", "serial", "whole", "vertex", "memory",
           "messages", "whole/s", "mem./s", "fullest", "spread");
  return bench_each_transport(b, run_row);
}
