/* prog_closing.c - a program that opens three worlds and closes them in a given order, sees
 * when MPI is finalised, and chooses the thread level.
 *   prog_closing ORDER         ORDER: a permutation of 0, 1 and 2; scree initialises MPI. Worlds 0 and 2 are opened by
 *                              scree_open, world 1 on a communicator. Prints "finalised by the last" on rank 0
 *   prog_closing ORDER mine    the program initialises MPI and finalises it. Prints "finalised by the program"
 *   prog_closing refused       opening fails for an option, beside an open world and alone. Prints "refused"
 *   prog_closing meanwhile     another thread opens a world while MPI is finalised. Prints what scree_open returns
 *   prog_closing level LEVEL   MPI gives LEVEL; prints what scree_open returns */
#include <atomic_ops.h>
#include <pthread.h>
#include <sched.h>
#include <scree/scree_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "interpose.h"

SCREE_MESSAGE(count, uint64_t);

static void on_count(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *sum) {
  (void)w, (void)items;
  *(uint64_t *)sum += batch->count;
}
SCREE_HANDLER(count, uint64_t, on_count);

static int level = -1, finalised;

static int watch(mpi_call *c) {
  const int code = c->make(c);
  finalised += c->kind == CALL_Finalize;
  if (level >= 0 && (c->kind == CALL_Init_thread || c->kind == CALL_Query_thread)) *c->result = level;
  return code;
}

static void check(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "prog_closing: failed: %s\n", what);
  exit(9);
}

typedef struct {
  scree_world *world;
  count_type count;
  uint64_t sum;
} opened;

static void open_one(opened *o, int i) {
  scree_status status = i == 1 ? scree_open_mpi(MPI_COMM_WORLD, NULL, &o->world) : scree_open(NULL, &o->world);
  check(status == SCREE_OK, "a world opens");
  check(count_register(o->world, &o->sum, &o->count) == SCREE_OK, "its type");
}

static void work(opened *o) {
  scree_worker *w = scree_worker_of(o->world, 0);
  uint64_t before = o->sum;
  check(scree_begin(w) == SCREE_OK, "an epoch begins");
  count_send_all(w, o->count, 1);
  check(scree_end(w, NULL) == SCREE_OK, "it ends");
  check(o->sum == before + w->ranks, "all messages are handled");
}

/* After each close all remaining worlds still work. */
static int in_order(const char *order, bool mine) {
  opened o[3] = {{.sum = 0}};
  int rank, given;
  if (mine) MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
  for (int i = 0; i < 3; i++) open_one(&o[i], i);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; i++) {
    opened *next = &o[order[i] - '0'];
    check(scree_close(next->world) == SCREE_OK, "a world closes");
    next->world = NULL;
    check(finalised == (i == 2 && !mine), "MPI lives as long as a world, and no longer");
    for (int k = 0; k < 3; k++)
      if (o[k].world) work(&o[k]);
  }
  if (mine) MPI_Finalize();
  check(finalised == 1, "MPI is finalised once");
  if (rank == 0) puts(mine ? "finalised by the program" : "finalised by the last");
  return 0;
}

static int refused(void) {
  opened o = {.sum = 0};
  scree_world *world = NULL;
  scree_options options = SCREE_OPTIONS_INIT;
  options.in_flight = 1000;
  open_one(&o, 0);
  check(scree_open(&options, &world) == SCREE_EINVAL && !world, "an option out of range");
  check(!finalised, "the other world keeps MPI");
  work(&o);
  check(scree_close(o.world) == SCREE_OK && finalised == 1, "the last finalises");
  check(scree_open(NULL, &world) == SCREE_ESTATE && !world && finalised == 1, "no world opens after that");
  puts("refused");
  return 0;
}

static AO_t returned;
static pthread_t second;

static void *open_second(void *world) {
  const scree_status status = scree_open(NULL, world);
  AO_store_release(&returned, 1);
  return (void *)(uintptr_t)status;
}

/* An opening that does not wait for MPI_Finalize returns before it, well within 0.1 s. */
static int finalise_slowly(mpi_call *c) {
  static scree_world *world;
  if (c->kind != CALL_Finalize) return c->make(c);
  check(pthread_create(&second, NULL, open_second, &world) == 0, "a thread starts");
  const uint64_t until = scree__clock_ns() + 100000000;
  while (scree__clock_ns() < until && !AO_load_acquire(&returned)) sched_yield();
  return watch(c);
}

static int meanwhile(void) {
  opened o = {.sum = 0};
  void *status;
  mpi_hook = finalise_slowly;
  open_one(&o, 0);
  check(scree_close(o.world) == SCREE_OK && finalised == 1, "the last finalises");
  check(pthread_join(second, &status) == 0, "the thread returns");
  puts(scree_status_text((scree_status)(uintptr_t)status));
  return 0;
}

static int with_level(const char *name) {
  static const struct {
    const char *name;
    int level;
  } levels[] = {{"single", MPI_THREAD_SINGLE},
                {"funneled", MPI_THREAD_FUNNELED},
                {"serialized", MPI_THREAD_SERIALIZED},
                {"multiple", MPI_THREAD_MULTIPLE}};
  scree_world *world = NULL;
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
    if (strcmp(levels[i].name, name) == 0) level = levels[i].level;
  scree_status status = scree_open(NULL, &world);
  printf("%s, %s\n", scree_status_text(status), world ? scree_thread_level(world) : "no world");
  fflush(stdout);
  check(finalised == (status != SCREE_OK), "a failed opening finalises MPI");
  if (world) check(scree_close(world) == SCREE_OK, "it closes");
  check(finalised == 1, "MPI is finalised once");
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  mpi_hook = watch;
  if (strcmp(argv[1], "refused") == 0) return refused();
  if (strcmp(argv[1], "meanwhile") == 0) return meanwhile();
  if (strcmp(argv[1], "level") == 0) return argc < 3 ? 2 : with_level(argv[2]);
  return in_order(argv[1], argc > 2);
}
