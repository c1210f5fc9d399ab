/* sim_no_memory.c - each call of the library for memory fails, one a run (of calls in one place the first two), on
 * virtual ranks: while worlds are opened, used for messages, tasks and global memory (failing_worlds.c), and closed.
 * All ranks end with the same status, a failed world says how to get memory, nothing crashes or hangs, and all that was
 * allocated is freed. The program has its own malloc (failing_call.c). Over the simulated MPI nothing fails, and all is
 * freed. */
#include <dirent.h>
#include <scree/scree_sim.h>
#include <unistd.h>

#include "failing_call.h"
#include "failing_worlds.h"
#include "harness.h"

enum { RANKS = 3, TEXT = 4096 };

failing_call_arm_fn failing_call_arm;
failing_call_disarm_fn failing_call_disarm;
failing_call_live_fn failing_call_live;
failing_call_site_fn failing_call_site;

typedef struct {
  const char *name;
  scree_status (*use)(scree_world *world);
  uint32_t threads, nodes;
} scenario;

typedef struct {
  const scenario *of;
  uint32_t used; /* ranks whose world was opened */
  scree_status status[RANKS];
  char text[RANKS * TEXT];
} run;

static void play(scree_world *world, void *arg) {
  run *r = arg;
  const uint32_t rank = scree_worker_of(world, 0)->rank;
  r->status[rank] = r->of->use(world);
  if (r->status[rank]) strncat(r->text, scree_error_text(world), TEXT - 1);
  r->used++;
}

/* If the simulator itself finds no memory, the run ends before all ranks have a world, or is given up. */
static void check_run(const run *r, scree_status status, long k, const char *call) {
  const bool opened = r->used == RANKS && !strstr(r->text, "in the simulator");
  check_text(!status || status == SCREE_ENOMEM || !opened, "status %d", (int)status);
  for (uint32_t i = 1; opened && i < RANKS; i++)
    check_text(r->status[i] == r->status[0], "rank %u ends with status %d, rank 0 with %d", i, (int)r->status[i],
               (int)r->status[0]);
  if (opened && r->status[0])
    check_text(strstr(r->text, " free ") || strstr(r->text, "lower") || strstr(r->text, "raise"), "no remedy: %s",
               r->text);
  if (harness_failures()) printf("%s: call %ld of the process: %s\n", r->of->name, k, call);
}

/* Returns the number of calls. `k`: the one that fails, 0: none. */
static long once(const scenario *s, long k, uint64_t *result) {
  const scree_sim_config config = {.seed = 1, .ranks = RANKS, .nodes = s->nodes, .threads = s->threads, .quiet = true};
  char call[160];
  run r = {.of = s};
  clear_used();
  failing_call_arm(k);
  const scree_status status = scree_sim_run(&config, NULL, play, &r, NULL);
  const long calls = failing_call_disarm(call, sizeof call);
  check_run(&r, status, k, call);
  if (k && !status && !r.status[0]) check_equal(sum_used(), *result);
  *result = sum_used();
  return calls;
}

/* It is not the first or second call in its place. */
static bool is_like_others(long k) {
  int same = 0;
  const void *site = failing_call_site(k);
  for (long i = 1; i < k && same < 2; i++) same += failing_call_site(i) == site;
  return same == 2 && !harness_full();
}

/* Files and shared memory that are open. */
static long open_files(void) {
  long count = 0;
  DIR *all = opendir("/proc/self/fd");
  while (all && readdir(all)) count++;
  if (all) closedir(all);
  return count;
}

static void find_level(scree_world *world, void *over_mpi) {
  *(bool *)over_mpi = strcmp(scree_thread_level(world), "none") != 0;
}
static bool is_over_mpi(void) {
  const scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1};
  bool over_mpi = false;
  check_equal(scree_sim_run(&config, NULL, find_level, &over_mpi, NULL), SCREE_OK);
  return over_mpi;
}

static void each_call_fails(void **state) {
  const scenario *s = *state;
  uint64_t result = 0;
  long calls = 0;
  for (int i = 0; i < 2; i++) calls = once(s, 0, &result); /* the second one makes nothing that stays in the process */
  const long before = failing_call_live(), files = open_files();
  check_equal(once(s, 0, &result), calls);
  check_equal(failing_call_live(), before);
  check_equal(open_files(), files);
  if (is_over_mpi()) return; /* the simulated MPI ends the process if it finds no memory */
  long failed = 0;
  for (long k = 1; k <= calls && harness_failures() == 0; k++) {
    uint64_t of_run = result;
    if (is_like_others(k)) continue;
    failed++;
    once(s, k, &of_run);
    check_text(failing_call_live() == before, "%s, call %ld failed: %ld allocations are left", s->name, k,
               failing_call_live() - before);
  }
  check(failed > 50);
  printf("%s: %ld of %ld calls failed\n", s->name, failed, calls);
}

static scenario scenarios[] = {{"messages", use_world, 1, 1},
                               {"messages_between_nodes", use_world, 2, 3},
                               {"tasks", use_tasks, 2, 1},
                               {"global_memory", use_global, 1, 1}};

int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
    harness_add((struct CMUnitTest){scenarios[i].name, each_call_fails, NULL, NULL, &scenarios[i]});
  return harness__main(argc, argv);
}
