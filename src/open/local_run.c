/* local_run.c - worlds of ranks without a launcher. */
#include <dirent.h>
#include <mpi.h>
#include <scree/local.h>
#include <time.h>

#include "base/host.h"
#include "core/pass.h"
#include "io/say.h"
#include "open/local_job.h"
#include "open/mpi_process.h"
#include "open/open_local.h"
#include "open/resolve.h"
#include "route/route.h"
#include "thread/bind.h"
#include "thread/page_offset.h"
#include "transport/shm/local.h"

#define NAME "scree_local_run"

static scree_status refuse(scree_status status, const char *why) {
  scree__say("scree: " NAME ": %s\n", why);
  return status;
}

/* ---- a rank ---- */

static scree_status allows(scree__meeting *meeting, const scree__options *o) {
  const char *which = o->transport == SCREE_TRANSPORT_MPI ? "transport=mpi" : NULL;
  if (o->progress == SCREE_PROGRESS_COMM) which = "progress=comm";
  if (!which) return SCREE_OK;
  if (meeting->rank == 0)
    scree__say("scree: scree_open: %s needs MPI, and these ranks have none: start them by mpirun, or leave it out\n",
               which);
  return SCREE_EINVAL;
}

scree_status scree__open_local(const scree_options *options, scree_world **world) {
  scree_status status = scree__open(scree__local_meeting(), allows, options, world);
  if (status != SCREE_OK) return status;
  (*world)->thread_level = (*world)->level_requested = "none";
  snprintf((*world)->level_reason, sizeof(*world)->level_reason, "ranks without a launcher use no MPI");
  return SCREE_OK;
}

typedef struct {
  const scree_options *options;
  scree_rank_fn *fn;
  void *arg;
} work;

static scree_status run_rank(void *arg) {
  const work *w = arg;
  scree_world *world;
  scree_status status = scree__open_local(w->options, &world);
  if (status != SCREE_OK) return status;
  status = w->fn(world, w->arg);
  const scree_status closed = scree_close(world);
  return closed > status ? closed : status;
}

/* One rank shares memory with no other one, and has no parent. */
static scree_status run_here(work *w, const scree__options *options) {
  void *slots = scree__alloc_at(0, scree__local_bytes(1));
  if (!slots) return refuse(SCREE_ENOMEM, "no memory for a rank: free memory on this host");
  scree__local_start(slots, 1, options);
  scree__local_enter(slots, 0, 1);
  const scree_status status = run_rank(w);
  scree__local_enter(NULL, 0, 1);
  scree__free_at(slots);
  return status;
}

/* ---- before ---- */

/* 0: unknown. */
static unsigned listed_threads(void) {
  unsigned threads = 0;
  DIR *all = opendir("/proc/self/task");
  for (const struct dirent *at; all && (at = readdir(all));) threads += at->d_name[0] != '.';
  if (all) closedir(all);
  return threads;
}

/* A library that MPI loads may have made a thread that ends soon: UCX 1.18 does when it is loaded. */
static unsigned count_threads(void) {
  unsigned threads = listed_threads();
  for (int i = 0; i < 1000 && threads > 1; i++) {
    nanosleep(&(const struct timespec){.tv_nsec = 1000000}, NULL);
    threads = listed_threads();
  }
  return threads;
}

static scree_status check_process(uint32_t ranks) {
  char why[160];
  int there = 0;
  if (scree__local_meeting()) return refuse(SCREE_ESTATE, "called inside a rank: use the world that it has");
  MPI_Initialized(&there);
  if (there)
    return refuse(SCREE_ESTATE,
                  "MPI is initialised in this process, which can have no ranks of its own: call it before, "
                  "or open a world by scree_open");
  const unsigned threads = ranks > 1 ? count_threads() : 1;
  if (threads < 2) return SCREE_OK;
  snprintf(why, sizeof why,
           "this process has %u threads, and its ranks would have one of them: call it before other threads are made",
           threads);
  return refuse(SCREE_ESTATE, why);
}

static scree_status check(const scree_options *given, uint32_t ranks, scree__options *all) {
  char why[320];
  scree_status status = check_process(ranks);
  if (status != SCREE_OK) return status;
  snprintf(why, sizeof why, "%u ranks: legal are 1 to %d", ranks, SCREE_LOCAL_RANKS_MAX);
  if (ranks < 1 || ranks > SCREE_LOCAL_RANKS_MAX) return refuse(SCREE_EINVAL, why);
  if (scree__options_complete(all, given, why, sizeof why)) return refuse(SCREE_EINVAL, why);
  if (!scree__hops_allow(all, ranks, why, sizeof why)) return refuse(SCREE_EINVAL, why);
  return allows(&(scree__meeting){.rank = 0}, all);
}

scree_status scree_local_run(const scree_options *options, uint32_t ranks, scree_rank_fn *fn, void *arg) {
  scree__options all;
  work w = {options, fn, arg};
  scree_status status = fn ? check(options, ranks, &all) : refuse(SCREE_EINVAL, "no function: pass one");
  if (status == SCREE_OK && ranks == 1) return run_here(&w, &all);
  return status ? status : scree__local_job(ranks, &all, run_rank, &w);
}

uint32_t scree_local_ranks(const scree_options *options) {
  scree__options all;
  char why[8];
  const uint64_t quota = scree__cpu_quota("");
  uint64_t cores = scree__bind_cores(), threads = 1;
  if (!scree__options_complete(&all, options, why, sizeof why)) threads = scree__options_threads(&all);
  if (quota < 1000 * cores) cores = quota / 1000;
  const uint64_t ranks = cores / threads;
  return ranks < 1 ? 1 : ranks > SCREE_LOCAL_RANKS_MAX ? SCREE_LOCAL_RANKS_MAX : (uint32_t)ranks;
}
