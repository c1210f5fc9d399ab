/* prog_failing_call.c - makes every call of the library to the system fail, one after another, on one rank of several;
 * for failing_call.sh, which preloads failing_call.so. Linked with libscree.so, whose calls are the ones that count.
 *   prog_failing_call VICTIM DIRECTORY DRAW SEED [PART [K]]
 * VICTIM: the rank whose call fails. DIRECTORY: for files. DRAW: calls drawn of each scenario, 0: all. PART: only the
 * scenarios whose name contains this. K: only call number K.
 *
 * Each scenario runs once undisturbed, and then once for each of its calls. It must end on all ranks with the same
 * status: SCREE_OK, and the right result, or an error whose text names the rank and a remedy. */
#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <scree/scree_mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "failing_call.h"
#include "failing_scenarios.h"

enum { LIMIT = 60 };

int rank, ranks;
const char *directory;
MPI_Comm comm;
static int victim;
static failing_call_arm_fn *arm;
static failing_call_disarm_fn *disarm;

/* ---- ranks ---- */

static void wait_for(MPI_Request *request) {
  int done = 0;
  while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) sched_yield();
}

uint64_t reduce(uint64_t mine, MPI_Op op) {
  uint64_t all = 0;
  MPI_Request request;
  MPI_Iallreduce(&mine, &all, 1, MPI_UINT64_T, op, comm, &request);
  wait_for(&request);
  return all;
}

static bool all_true(bool mine) {
  return reduce(mine, MPI_MIN) == 1;
}

void barrier(void) {
  reduce(0, MPI_MIN);
}

/* ---- what is kept from run to run ---- */

struct kept kept;
char world_text[TEXT];

void drop_graph(void) {
  scree_answer_free(&kept.answer);
  scree_graph_free(kept.graph);
  kept.graph = NULL;
}

void drop_all(void) {
  drop_graph();
  scree_solver_close(kept.solver);
  scree_graphs_close(kept.graphs);
  if (kept.world) scree_close(kept.world);
  memset(&kept, 0, sizeof kept);
}

void need(scree_status status, const char *what) {
  if (status == SCREE_OK) return;
  const char *text = kept.graphs ? scree_graphs_error(kept.graphs) : "";
  fprintf(stderr, "prog_failing_call: rank %d: %s failed where nothing should: %s %s\n", rank, what,
          scree_status_text(status), text);
  MPI_Abort(comm, 1);
}

void need_graphs(void) {
  if (kept.graphs) return;
  scree_options o = SCREE_OPTIONS_INIT;
  o.spin = 1;
  o.threads = 2; /* for kernels that run all workers */
  need(scree_open_mpi(MPI_COMM_WORLD, &o, &kept.world), "scree_open_mpi");
  need(scree_graphs_open(kept.world, &kept.graphs), "scree_graphs_open");
}

void need_graph(const char *spec, const scree_graph_options *options) {
  need_graphs();
  if (!kept.graph) need(scree_graph_load(kept.graphs, spec, options, &kept.graph), spec);
}

uint64_t mixed(uint64_t a, uint64_t b) {
  a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
  return (a ^ a >> 31) * UINT64_C(0xbf58476d1ce4e5b9) ^ a >> 29;
}

/* ---- one run ---- */

static char *said; /* on standard error, in the run */

static char now[200]; /* the case that runs, for the handler of SIGALRM */

static void too_long(int signal) {
  (void)signal;
  if (write(STDOUT_FILENO, now, strlen(now)) < 0) _exit(2);
  _exit(3);
}

static const char *text_of(scree_status status) {
  static char text[2 * TEXT];
  const char *mine = "";
  if (!status) return "";
  if (kept.graphs) mine = scree_graphs_error(kept.graphs);
  if (kept.world && scree_error(kept.world)) mine = scree_error_text(kept.world);
  if (kept.world && !kept.graphs) mine = scree_error_text(kept.world);
  snprintf(text, sizeof text, "%s%s%s", mine, world_text, said);
  for (char *p = text; *p; p++)
    if (*p == '\n') *p = ' ';
  return text;
}

static bool helps(const char *text) {
  static const char *const remedies[] = {"use more ranks", "free memory", "raise", "name a",   "free space",
                                         "lower",          "smaller",     "mount", "use tran", "check "};
  char name[32];
  snprintf(name, sizeof name, "rank %d", victim);
  if (!strstr(text, name) && !strstr(text, directory)) return false;
  for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
    if (strstr(text, remedies[i])) return true;
  return false;
}

typedef struct {
  long calls;
  scree_status status;
  bool good;
  uint64_t result;
} outcome;

static int failures;

static void complain(const scenario *s, long k, const char *what, const char *call, const char *text) {
  failures++;
  printf("not ok - %s: %s; rank %d, %s; text: '%s'\n    again: test/shell/failing_call.sh library %d '%s' %ld\n",
         s->name, what, rank, call, text, victim, s->name, k);
  fflush(stdout);
}

/* True if there is a file in this folder whose name has that part. */
static bool has_file(const char *folder, const char *part) {
  bool found = false;
  DIR *all = opendir(folder);
  for (struct dirent *one; all && (one = readdir(all));) found |= strstr(one->d_name, part) != NULL;
  if (all) closedir(all);
  return found;
}

/* Shared memory of this rank, or an unfinished file. */
static bool left_behind(void) {
  char name[32];
  snprintf(name, sizeof name, "scree-%ld-", (long)getpid());
  return has_file("/dev/shm", name) || (rank == 0 && has_file(directory, ".scree-part"));
}

/* k: 0: none fails. `expected`: the result of an undisturbed run. */
static outcome once(const scenario *s, long k, uint64_t expected) {
  char call[160];
  playing = s;
  if (s->before) s->before();
  snprintf(now, sizeof now, "not ok - %s: rank %d still there after %d s, call %ld of rank %d failed\n", s->name, rank,
           LIMIT, k, victim);
  barrier();
  alarm(LIMIT);
  world_text[0] = 0;
  free(said);
  capture_start();
  if (rank == victim) arm(k);
  scree_status status = s->run();
  long calls = rank == victim ? disarm(call, sizeof call) : 0;
  if (rank != victim) call[0] = 0;
  said = capture_end();
  outcome o = {.status = status};
  o.calls = (long)reduce((uint64_t)calls, MPI_SUM);
  uint64_t max = reduce(status, MPI_MAX), min = reduce(status, MPI_MIN);
  alarm(0);
  const char *text = text_of(status);
  if (getenv("FAILING_CALL_SHOW") && rank == victim && k)
    printf("%s, %s: status %d: %s\n", s->name, call, (int)status, text);
  if (k && max != min)
    complain(s, k, "ranks end with different statuses", call, text);
  else if (k && status && rank == victim && !helps(text))
    complain(s, k, "the text lacks the rank (or the file) or a remedy", call, text);
  if (k && status == SCREE_EINVAL && !*s->path) complain(s, k, "the status is that of a wrong argument", call, text);
  if (status && half_written()) complain(s, k, "a file was left half written", call, text);
  if (left_behind()) complain(s, k, "something was left in /dev/shm or unfinished", call, text);
  if (!max && s->result) {
    o.result = s->result();
    if (k && o.result != expected) complain(s, k, "a wrong result", call, "");
  }
  if (s->after) s->after();
  if (max) drop_all();
  o.good = all_true(failures == 0);
  return o;
}

static uint64_t draw(uint64_t *seed) {
  return *seed = mixed(*seed + 1, 0x5bd1e995);
}

static bool play(const scenario *s, long count, uint64_t seed, long only) {
  int before = failures, refused = 0, survived = 0;
  outcome first = once(s, 0, 0);
  if (first.status) complain(s, 0, "failed undisturbed", "", text_of(first.status));
  long runs = 0;
  const bool drawn = count && !only; /* else one after the other, until a run makes fewer calls */
  for (long k = only ? only : 1; drawn ? runs < count && first.calls : !only || runs == 0; k++) {
    const outcome o = once(s, drawn ? 1 + (long)(draw(&seed) % (uint64_t)first.calls) : k, first.result);
    if (!drawn && o.calls < k) break;
    runs++;
    *(o.status ? &refused : &survived) += 1;
  }
  bool good = all_true(failures == before);
  if (rank == 0)
    printf("%s - %s: %ld of %ld calls of rank %d failed: %d runs refused, %d survived\n", good ? "ok" : "not ok",
           s->name, runs, first.calls, victim, refused, survived);
  fflush(stdout);
  return good;
}

static bool find_calls(void) {
  void *one = dlsym(RTLD_DEFAULT, FAILING_CALL_ARM), *other = dlsym(RTLD_DEFAULT, FAILING_CALL_DISARM);
  memcpy(&arm, &one, sizeof arm); /* ISO C has no cast between the two */
  memcpy(&disarm, &other, sizeof disarm);
  return arm && disarm;
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (argc < 5 || !find_calls()) {
    fprintf(stderr, "prog_failing_call VICTIM DIRECTORY DRAW SEED [PART [K]], with failing_call.so preloaded\n");
    MPI_Abort(comm, 2);
  }
  victim = atoi(argv[1]) % ranks;
  directory = argv[2];
  signal(SIGALRM, too_long);
  add_scenarios();
  size_t played = 0;
  for (size_t i = 0; i < scenario_count; i++) {
    if (argc > 5 && !strstr(scenarios[i].name, argv[5])) continue;
    if (!played || strncmp(scenarios[i].name, "kernel", 6) || scenarios[i].kernel != scenarios[i - 1].kernel)
      drop_all();
    play(&scenarios[i], atol(argv[3]), (uint64_t)atoll(argv[4]), argc > 6 ? atol(argv[6]) : 0);
    played++;
  }
  drop_all();
  bool good = all_true(failures == 0);
  if (rank == 0) printf("done: %zu scenarios, %s\n", played, good ? "all well" : "failures");
  fflush(stdout);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return !good;
}
