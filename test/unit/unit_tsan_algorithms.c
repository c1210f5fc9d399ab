/* unit_tsan_algorithms.c - the variants that run all workers of a rank, under real threads, on small dense graphs with
 * many equal distances: most vertices are offered several at once by all workers, and by progress threads. And all
 * variants on ranks that are threads, which share arrays of their node.
 *
 * Distances, and for each vertex its parent, are compared with serial answers; parents must lead to the source. */
#include <sys/mman.h>
#include <sys/stat.h>

#include "harness.h"
#include "kernels.h"
#include "threads_transport.h"

#if defined(__SANITIZE_THREAD__)
enum { TIMES = 12 };
#else
enum { TIMES = 48 };
#endif
enum { VERTICES = 300, EDGES = 1900, GRAPHS = 2 };

/* ---- the linker puts these in place of mmap and munmap: all ranks map a segment at one address, or the thread
 * sanitizer would take a word of it for several ---- */

typedef struct {
  ino_t inode;
  void *at;
  int users;
} segment;

static struct {
  pthread_mutex_t lock;
  segment mapped[64];
} segments = {.lock = PTHREAD_MUTEX_INITIALIZER};

void *__real_mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void *at, size_t bytes);
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *at, size_t bytes);

/* Of that file, or of that address; else one that is free. */
static segment *find_segment(ino_t inode, const void *at) {
  segment *unused = NULL;
  for (segment *m = segments.mapped; m < segments.mapped + 64; m++) {
    if (m->users && (m->inode == inode || m->at == at)) return m;
    if (!m->users) unused = m;
  }
  return unused;
}

void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  struct stat is;
  if (file < 0 || fstat(file, &is) != 0) return __real_mmap64(at, bytes, protection, flags, file, offset);
  pthread_mutex_lock(&segments.lock);
  segment *m = find_segment(is.st_ino, MAP_FAILED);
  if (!m->users) *m = (segment){is.st_ino, __real_mmap64(at, bytes, protection, flags, file, offset), 0};
  m->users++;
  pthread_mutex_unlock(&segments.lock);
  return m->at;
}

int __wrap_munmap(void *at, size_t bytes) {
  pthread_mutex_lock(&segments.lock);
  segment *m = find_segment(0, at);
  const bool last = !m || m->at != at || --m->users == 0;
  pthread_mutex_unlock(&segments.lock);
  return last ? __real_munmap(at, bytes) : 0;
}

/* ---- contests ---- */

typedef struct {
  threads_node node;
  case_graph given[GRAPHS];
  kernel_answers answers[GRAPHS];
  bool arrays; /* all variants, a few times */
} contest;

/* Weights of 0 make paths without length, in circles too. */
static void draw_graph(case_graph *c, double weights) {
  uint64_t state = 7;
  *c = (case_graph){.shape = {.n = VERTICES, .weight = SCREE_WEIGHT_UINT32}};
  for (uint64_t i = 0; i < EDGES; i++) {
    const uint64_t u = case_draw(&state, VERTICES), v = case_draw(&state, VERTICES);
    case_graph_add(c, u, v, (double)case_draw(&state, (uint64_t)weights));
  }
}

static void run_variants(const kernel_try *t, bool all) {
  const scree_algorithm *a;
  for (size_t k = 0; kernel_rows[k]; k++)
    for (size_t i = 0; (a = scree_kernel_variant_at(scree_kernel_find(kernel_rows[k]->name), i)) != NULL; i++)
      if (all || kernel_has_workers(k, i)) kernels_try(t, k, i);
}

static void solve(kernel_layer *layer, contest *c) {
  case_verdict verdict = {0};
  for (uint64_t k = 0; k < GRAPHS; k++) {
    scree_graph *g = case_graph_build(layer->graphs, &c->given[k], 2 + k);
    if (!check(g != NULL)) return;
    for (uint64_t draw = 0; draw < (c->arrays ? TIMES / 12 : TIMES) && harness_failures() == 0; draw++) {
      const kernel_try t = {.layer = layer,
                            .graph = g,
                            .given = &c->given[k],
                            .expected = c->answers[k].value,
                            .draw = draw,
                            .verdict = &verdict};
      run_variants(&t, c->arrays);
      check_text(!verdict.wrong, "graph %d, draw %d: %s", (int)k, (int)draw, verdict.text);
    }
    scree_graph_free(g);
  }
}

static void race(void *context, uint32_t rank) {
  contest *c = context;
  scree_world *world = threads_world(&c->node, rank);
  kernel_layer layer;
  if (!check(world != NULL)) return;
  if (kernels_open(world, &layer)) solve(&layer, c);
  kernels_close(&layer);
  check_equal(scree_close(world), SCREE_OK);
}

static void run(uint32_t ranks, uint32_t threads, uint64_t progress, uint64_t coalesce_bytes, bool arrays) {
  contest *c = calloc(1, sizeof *c);
  scree_options options = SCREE_OPTIONS_INIT;
  options.node_arrays = arrays ? SCREE_NODE_ARRAYS_ON : SCREE_NODE_ARRAYS_AUTO;
  options.threads = threads;
  options.progress = progress;
  options.memory = 1 << 20;
  options.coalesce_bytes = coalesce_bytes;
  if (!check(c != NULL)) return;
  c->arrays = arrays;
  draw_graph(&c->given[0], 3);
  draw_graph(&c->given[1], 100);
  for (uint64_t k = 0; k < GRAPHS; k++) check(kernels_solve(&c->given[k], &c->answers[k]));
  if (check(threads_open(&c->node, ranks, &options))) threads_run(ranks, race, c);
  threads_close(&c->node);
  for (uint64_t k = 0; k < GRAPHS; k++) kernels_forget(&c->answers[k]);
  for (uint64_t k = 0; k < GRAPHS; k++) case_graph_free(&c->given[k]);
  free(c);
}

HARNESS_TEST(one_rank) {
  run(1, 1, SCREE_PROGRESS_NONE, 0, false);
  run(1, 4, SCREE_PROGRESS_NONE, 64, false);
}

HARNESS_TEST(ranks) {
  run(2, 2, SCREE_PROGRESS_NONE, 0, false);
  run(2, 3, SCREE_PROGRESS_NONE, 64, false);
}

HARNESS_TEST(progress_threads) {
  run(2, 1, SCREE_PROGRESS_FULL, 64, false);
  run(2, 2, SCREE_PROGRESS_FULL, 64, false);
}

HARNESS_TEST(arrays_of_a_node) {
  run(3, 1, SCREE_PROGRESS_NONE, 64, true);
}

HARNESS_MAIN
