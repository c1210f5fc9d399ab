/* trace.c - the option --trace, around any command that opens a world. */
#include "commands/trace.h"

#include <errno.h>
#include <string.h>

#include "commands/session.h"

/* The highest code of all ranks; 1 if they cannot agree. Collective. */
static int agree(scree_world *world, int mine) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_reduce r = {.min = UINT64_MAX, .max = (uint64_t)mine};
  return scree_begin(w) == SCREE_OK && scree_end(w, &r) == SCREE_OK ? (int)r.max : 1;
}

static bool open_file(const cli_args *args, cli_trace *trace) {
  trace->to = scree__output_open(&trace->file, args->trace);
  if (trace->to) return true;
  fprintf(stderr, "scree: option '--trace': '%s' cannot be written: %s; name a file in a writable directory\n",
          args->trace, strerror(errno));
  return false;
}

/* 0, or 1 and a message. */
static int close_file(const cli_args *args, cli_trace *trace, bool complete) {
  if (!trace->to) return 0;
  const int error = scree__output_close(&trace->file, trace->to, complete);
  trace->to = NULL;
  if (!error || !complete) return 0;
  fprintf(stderr, "scree: option '--trace': '%s' was not written in full: %s; free space there, or name another file\n",
          args->trace, strerror(error));
  return 1;
}

int cli_trace_begin(const cli_args *args, scree_world *world, cli_trace *trace) {
  *trace = (cli_trace){.to = NULL};
  if (!args->trace) return 0;
  const bool writer = scree_worker_of(world, 0)->rank == 0;
  int code = agree(world, writer && !open_file(args, trace) ? 2 : 0);
  scree_status status = code ? SCREE_OK : scree_trace(world, trace->to);
  if (status) code = cli_failed(world, NULL, status);
  if (code) close_file(args, trace, false);
  return code;
}

int cli_trace_end(const cli_args *args, scree_world *world, cli_trace *trace, int code) {
  if (!args->trace) return code;
  const bool failed = scree_error(world) != SCREE_OK;
  scree_status status = scree_trace(world, NULL);
  int mine = status && !failed ? cli_failed(world, NULL, status) : 0;
  const int unwritten = close_file(args, trace, code != 2 && !mine);
  if (mine < code) mine = code;
  if (mine < unwritten) mine = unwritten;
  return failed ? mine : agree(world, mine);
}
