/* main.c - the scree command, from the command line to an exit code: 0 well, 1 a wrong answer or a failed run, 2 bad usage or input. The
 * ranks end together, so that a launcher cannot kill rank 0 before it has said why. */
#include <signal.h>
#include <stdio.h>

#include "args/args.h"
#include "args/version.h"
#include "base/launched.h"
#include "commands/commands.h"
#include "commands/session.h"
#include "commands/signals.h"
#include "commands/trace.h"
#include "study/study.h"
#include "study/util/printable.h"

/* What goes to people who only asked, or asked badly. One rank speaks, and the others wait for it. */
static int say(const cli_args *args, cli_action action) {
  if (action == CLI_HELP) cli_print_help(args->command, study_print_help);
  if (action == CLI_VERSION) cli_print_version();
  if (action == CLI_BAD) study_complain(args->why);
  if (fflush(stdout) == 0 && !ferror(stdout)) return action == CLI_BAD ? 2 : 0;
  perror("scree: standard output");
  return 1;
}

static int close_world(scree_world *world, int code) {
  scree_status status = scree_close(world);
  return status != SCREE_OK && code == 0 ? 1 : code;
}

/* *speaker: the lowest rank that refuses its command line, which one rank alone may do for lack of memory; rank 0 if none
 * does. False: nobody runs. Collective. */
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

int main(int argc, char **argv) {
#define DEFAULT(field, kind, def, min, max, choices, help) def,
  const scree_options defaults = {sizeof defaults, SCREE_OPTIONS(DEFAULT)};
#undef DEFAULT
  static cli_args args; /* static: what it points to lives as long as the process */
  cli_action action = cli_parse(argc, argv, &args);
  const char *variable;
  if (action != CLI_RUN && scree__launched_ranks(&variable) == 1) return say(&args, action);
  if (action == CLI_RUN && args.command->words) return run_alone(&args);
  if (action == CLI_BAD) signal(SIGTERM, SIG_IGN); /* a launcher that ends the job must not cut off the reason */
  scree_world *world;
  scree_status status = scree_open(action == CLI_RUN ? &args.options : &defaults, &world);
  if (status && action != CLI_RUN) return say(&args, action); /* better said often than not at all */
  if (status) return status == SCREE_EINVAL ? 2 : 1;
  scree_worker *worker = scree_worker_of(world, 0);
  uint32_t rank = worker->rank, speaker;
  bool run = all_run(world, action, &speaker);
  if (scree_error(world)) return close_world(world, cli_failed(world, NULL, scree_error(world)));
  if (!run) return close_world(world, rank == speaker ? say(&args, action) : action == CLI_BAD || speaker ? 2 : 0);
  cli_install_signals(rank, worker->ranks);
  cli_trace trace;
  int code = cli_trace_begin(&args, world, &trace);
  if (!code) code = cli_trace_end(&args, world, &trace, cli_run_command(&args, world));
  return close_world(world, code);
}
