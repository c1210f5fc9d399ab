/* ranks.c - local ranks add up by messages in a world of their own; others by MPI's profiling interface, below the
 * functions that tests put in front of MPI. */
#include "ranks.h"

#include <fcntl.h>
#include <sched.h>
#include <scree/local.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/launched.h"
#include "base/option_value.h"

typedef struct {
  uint64_t at, value;
} word;
SCREE_MESSAGE(words, word);

bool ranks_are_local;
bool ranks_first;

/* Of local ranks. */
static struct {
  scree_worker *w;
  words_type type;
  uint64_t *all;
  ranks_op op;
} adding;

static void add(uint64_t *to, uint64_t value) {
  if (adding.op == RANKS_SUM)
    *to += value;
  else if (value > *to)
    *to = value;
}

static void on_words(scree_worker *w, const scree_batch *batch, const word *items, void *arg) {
  (void)w, (void)arg;
  for (uint32_t i = 0; i < batch->count; i++) add(&adding.all[items[i].at], items[i].value);
}
SCREE_HANDLER(words, word, on_words);

static void reduce_local(const uint64_t *mine, uint64_t *all, size_t count) {
  adding.all = memcpy(all, mine, count * sizeof *all);
  scree_begin(adding.w);
  for (size_t i = 0; i < count; i++)
    for (uint32_t r = 0; mine[i] && r < adding.w->ranks; r++)
      if (r != adding.w->rank) words_send(adding.w, adding.type, r, (word){i, mine[i]});
  if (scree_end(adding.w, NULL) != SCREE_OK) abort(); /* a rank is gone: all of them are ended */
}

void ranks_wait(MPI_Request *request) {
  for (int done = 0; !done;) {
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (!done) sched_yield();
  }
}

void ranks_reduce(MPI_Comm comm, const void *mine, void *all, size_t count, ranks_op op) {
  MPI_Request request;
  adding.op = op;
  if (ranks_are_local) {
    reduce_local(mine, all, count);
    return;
  }
  PMPI_Iallreduce(mine, all, (int)count, MPI_UINT64_T, op == RANKS_SUM ? MPI_SUM : MPI_MAX, comm, &request);
  ranks_wait(&request);
}

/* Of values that are not negative, the greater one has the greater bits. */
double ranks_greatest(MPI_Comm comm, double mine) {
  uint64_t bits, all;
  memcpy(&bits, &mine, sizeof bits);
  ranks_reduce(comm, &bits, &all, 1, RANKS_MAX);
  memcpy(&mine, &all, sizeof mine);
  return mine;
}

/* Rank 0 makes it, and stays until all have mapped it. */
void *ranks_share(size_t bytes) {
  uint64_t mine[2] = {0, 0}, first[2];
  char path[64];
  const int file = ranks_first ? memfd_create("ranks", MFD_CLOEXEC) : -1;
  if (file >= 0 && ftruncate(file, (off_t)bytes) == 0) mine[0] = (uint64_t)getpid(), mine[1] = (uint64_t)file;
  ranks_reduce(MPI_COMM_WORLD, mine, first, 2, RANKS_MAX);
  snprintf(path, sizeof path, "/proc/%llu/fd/%llu", (unsigned long long)first[0], (unsigned long long)first[1]);
  const int from = open(path, O_RDWR | O_CLOEXEC);
  void *at = from >= 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, from, 0) : MAP_FAILED;
  if (at == MAP_FAILED) abort();
  ranks_reduce(MPI_COMM_WORLD, mine, first, 2, RANKS_MAX);
  close(from);
  if (file >= 0) close(file);
  return at;
}

/* ---- start ---- */

typedef struct {
  ranks_fn *fn;
  void *arg;
  bool bound;
  cpu_set_t cores; /* of the parent */
} start;

static scree_status run_local(scree_world *world, void *arg) {
  const start *s = arg;
  adding.w = scree_worker_of(world, 0);
  ranks_are_local = true;
  ranks_first = adding.w->rank == 0;
  if (!s->bound) sched_setaffinity(0, sizeof s->cores, &s->cores);
  if (words_register(world, NULL, &adding.type) != SCREE_OK) return SCREE_ENOMEM;
  return (scree_status)s->fn(s->arg, (int)adding.w->rank, (int)adding.w->ranks);
}

int ranks_run(int *argc, char ***argv, int level, bool bound, ranks_fn *fn, void *arg) {
  const char *text = scree__launched() ? NULL : getenv("SCREE_RANKS");
  start s = {.fn = fn, .arg = arg, .bound = bound};
  int given, rank, ranks;
  if (text) {
    uint64_t local;
    sched_getaffinity(0, sizeof s.cores, &s.cores);
    return (int)scree_local_run(NULL, scree__digits(&text, UINT32_MAX, &local) ? (uint32_t)local : 0, run_local, &s);
  }
  if (MPI_Init_thread(argc, argv, level, &given) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ranks_first = rank == 0;
  return fn(arg, rank, ranks);
}
