/* main.c - the scree command, from the command line to an exit code: 0 success, 1 a wrong answer or a failed run, 2 bad
 * usage or input. The ranks end together, so that a launcher cannot kill rank 0 before it has printed the reason. */
#include <fcntl.h>
#include <scree/local.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "args/args.h"
#include "args/version.h"
#include "base/launched.h"
#include "commands/commands.h"
#include "commands/measure/bench.h"
#include "commands/session.h"
#include "commands/signals.h"
#include "commands/trace.h"
#include "package/package.h"
#include "ranks.h"
#include "util/patient.h"
#include "util/printable.h"

/* Help and errors of the command line. One rank prints them, and the others wait for it. */
static int say(const cli_args *args, cli_action action) {
  if (action == CLI_HELP) cli_print_help(args->command, args->help_all, package_print_help);
  if (action == CLI_VERSION) cli_print_version();
  if (action == CLI_BAD) cli_complain(args->why);
  if (fflush(stdout) == 0 && !ferror(stdout)) return action == CLI_BAD ? 2 : 0;
  perror("scree: standard output");
  return 1;
}

static int close_world(scree_world *world, int code) {
  scree_status status = scree_close(world);
  return status != SCREE_OK && code == 0 ? 1 : code;
}

/* *speaker: the lowest rank that refuses its command line, which may be a single rank that lacks memory; rank 0 if none
 * does. False: no rank runs. Collective. */
static bool all_run(scree_world *world, cli_action action, uint32_t *speaker) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_reduce r = {.sum = {action != CLI_RUN}, .min = action == CLI_BAD ? w->rank : UINT32_MAX};
  bool agreed = scree_begin(w) == SCREE_OK && scree_end(w, &r) == SCREE_OK;
  *speaker = r.min == UINT32_MAX ? 0 : (uint32_t)r.min;
  return agreed && r.sum[0] == 0;
}

/* A subcommand that launches jobs itself, or needs none. */
static int run_alone(const cli_args *args) {
  const char *variable;
  const long ranks = scree__launched_ranks(&variable);
  if (ranks == 1) return cli_run_alone(args);
  fprintf(
      stderr,
      "scree: 'scree %s' was started by a launcher as one of %ld ranks (%s); start it alone, or with one rank: it is "
      "one process\n",
      args->command->name, ranks, variable);
  return 2;
}

/* Runs a subcommand in an open world, and returns the exit code. */
static int run(cli_args *args, cli_action action, scree_world *world) {
  scree_worker *worker = scree_worker_of(world, 0);
  uint32_t rank = worker->rank, speaker;
  if (action == CLI_RUN && !cli_check_launched(args, worker->ranks)) action = CLI_BAD;
  const bool runs = all_run(world, action, &speaker);
  if (scree_error(world)) return cli_failed(world, NULL, scree_error(world));
  if (!runs) return rank == speaker ? say(args, action) : action == CLI_BAD || speaker ? 2 : 0;
  if (args->launcher) cli_install_signals(rank, worker->ranks);
  cli_trace trace;
  int code = cli_trace_begin(args, world, &trace);
  if (!code) code = cli_trace_end(args, world, &trace, cli_run_command(args, world));
  if (args->launcher) cli_end_signals();
  return code;
}

/* ---- ranks of the command's own ---- */

typedef struct {
  cli_args *args;
  int *codes; /* by rank; shared */
} own_ranks;

static scree_status run_rank(scree_world *world, void *job_) {
  const own_ranks *job = job_;
  const scree_worker *worker = scree_worker_of(world, 0);
  if (worker->rank == 0 && !isatty(STDOUT_FILENO)) setvbuf(stdout, NULL, _IOFBF, BUFSIZ); /* the others print nothing */
  job->codes[worker->rank] = run(job->args, CLI_RUN, world);
  return SCREE_OK;
}

static int code_of(scree_status status) {
  return status == SCREE_EINVAL ? 2 : status ? 1 : 0;
}

static int run_own(cli_args *args, uint32_t ranks) {
  const size_t bytes = ranks * sizeof(int);
  own_ranks job = {args, mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
  if (job.codes == MAP_FAILED) {
    perror("scree: memory for the ranks");
    return 1;
  }
  int code = code_of(scree_local_run(&args->options, ranks, run_rank, &job));
  for (uint32_t r = 0; r < ranks; r++)
    if (job.codes[r] > code) code = job.codes[r];
  return code;
}

/* ---- ranks of a launcher ---- */

static int run_launched(cli_args *args, cli_action action) {
#define DEFAULT(field, kind, def, min, max, choices, rare, help) def,
  const scree_options defaults = {sizeof defaults, SCREE_OPTIONS(DEFAULT)};
#undef DEFAULT
  if (action == CLI_BAD) signal(SIGTERM, SIG_IGN); /* a launcher that ends the job must not cut off the reason */
  scree_world *world;
  scree_status status = scree_open(action == CLI_RUN ? &args->options : &defaults, &world);
  if (status && action != CLI_RUN) return say(args, action); /* better printed several times than not at all */
  return status ? code_of(status) : close_world(world, run(args, action, world));
}

/* A closed descriptor among 0 to 2 would be given to the next file that is opened. In its place is one on which
 * reading, or writing, fails with the same error. */
static bool fill_standard_descriptors(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return false;
  return true;
}

int main(int argc, char **argv) {
  if (!fill_standard_descriptors()) return 1; /* nothing can be printed */
  cli_wait_for_readers();
  static cli_args args; /* static: what it points to lives as long as the process */
  cli_action action = cli_parse(argc, argv, &args);
  const char *variable;
  uint32_t ranks = 0;
  if (action == CLI_RUN && !cli_opens_world(args.command)) return run_alone(&args);
  if (action == CLI_RUN && !cli_choose_ranks(&args, &ranks)) action = CLI_BAD;
  if (action != CLI_RUN && scree__launched_ranks(&variable) == 1) return say(&args, action);
  if (action == CLI_RUN && !args.launcher) cli_install_own_signals();
  if (action == CLI_RUN && args.command->bit == CLI_BENCH) return cli_bench(&args, ranks);
  return ranks ? run_own(&args, ranks) : run_launched(&args, action);
}
