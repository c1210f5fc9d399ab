/* mpi.c - opens worlds on MPI. */
#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/launched.h"
#include "io/say.h"
#include "open/mpi_level.h"
#include "open/mpi_process.h"
#include "open/open_local.h"
#include "open/resolve.h"
#include "transport/comm.h"
#include "transport/shm/local.h"

static void say(const char *what, const char *why) {
  scree__say("scree: %s: %s\n", what, why);
}

/* N ranks that each see one: the launcher does not belong to the MPI library. */
static scree_status check_singleton(int world_ranks) {
  const char *name;
  long announced = scree__launched_ranks(&name);
  if (world_ranks != 1 || announced == 1) return SCREE_OK;
  scree__say(
      "scree: scree_open: the launcher announces %ld ranks (%s), the MPI library sees 1, so each would work alone: "
      "use the launcher of the MPI that scree was built with (mpirun.openmpi for Open MPI, mpiexec.hydra for "
      "MPICH; srun --mpi=pmix or --mpi=pmi2)\n",
      announced, name);
  return SCREE_EINVAL;
}

static scree_status refuse_in_fork(void) {
  scree__say(
      "scree: scree_open: process %ld was forked from process %ld after MPI was initialised there, and cannot use "
      "that MPI: open worlds in process %ld, or fork before MPI is initialised\n",
      (long)getpid(), scree__mpi_forked_from(), scree__mpi_forked_from());
  return SCREE_ESTATE;
}

static scree_status refuse_unknown(const char *call) {
  scree__say("scree: process %ld: scree_open: %s failed, so that the other ranks may wait for this one: end the job\n",
             (long)getpid(), call);
  return SCREE_EMPI;
}

static scree_status ready(const char *call) {
  int yes = 0, over = 0, ranks = 1;
  if (scree__mpi_forked_from()) return refuse_in_fork();
  if (MPI_Initialized(&yes) || (yes && MPI_Finalized(&over))) return refuse_unknown("MPI_Initialized or MPI_Finalized");
  if (!yes || over) {
    say(call,
        yes ? "MPI is finalised, and cannot be initialised again: open worlds before, and close the last one at the "
              "end of the program"
            : "MPI is not initialised: call MPI_Init_thread first, or use scree_open");
    return SCREE_ESTATE;
  }
  /* used only for its size: whether this is a singleton is decided by the whole job */
  if (MPI_Comm_size(MPI_COMM_WORLD, &ranks)) return refuse_unknown("MPI_Comm_size");
  return check_singleton(ranks);
}

static scree_status check_level(const scree__meeting *meeting, const scree__options *options) {
  char why[240];
  if (scree__level_suffices(options, why, sizeof why)) return SCREE_OK;
  scree__say_here(meeting, why);
  return SCREE_EMPI;
}

/* One thread calls MPI and no level was requested, on all ranks: nothing to compare. */
static bool any_level(const scree__options *o) {
  return scree__options_threads(o) == 1 && o->thread_level == SCREE_THREAD_LEVEL_AUTO;
}

static scree_status allows(scree__meeting *meeting, const scree__options *options) {
  return any_level(options) ? SCREE_OK : scree__agree(meeting, check_level(meeting, options));
}

/* *lost: other ranks may wait for this one inside MPI. */
static scree_status open_on(MPI_Comm comm, const char *call, const scree_options *options, scree_world **world,
                            bool *lost) {
  scree__fault fault = {.text = ""};
  scree_status status = ready(call);
  *lost = status == SCREE_EMPI;
  if (status != SCREE_OK) return status;
  if (comm == MPI_COMM_NULL) {
    say(call, "the communicator is MPI_COMM_NULL: only the ranks of a communicator call this");
    return SCREE_EINVAL;
  }
  scree__mpi_meeting callers = scree__mpi_meeting_of(comm, &fault);
  status = scree__open(&callers.meeting, allows, options, world);
  *lost = fault.lost;
  if (status != SCREE_OK) return status;
  scree__mpi_use();
  (*world)->on_closed = scree__mpi_leave;
  (*world)->is_cut_off = scree__mpi_is_over;
  scree__level_record(*world, scree__mpi_is_ours());
  return SCREE_OK;
}

static scree_status no_place(const char *call) {
  scree__say("scree: %s: no place for the world: pass what is not NULL\n", call);
  return SCREE_EINVAL;
}

scree_status scree_open_mpi(MPI_Comm comm, const scree_options *options, scree_world **world) {
  bool lost;
  if (!world) return no_place("scree_open_mpi");
  scree__mpi_use(); /* a world that is closed meanwhile must not finalise MPI */
  const scree_status status = open_on(comm, "scree_open_mpi", options, world, &lost);
  scree__mpi_leave();
  return status;
}

/* What to do where MPI gives less than such a world needs. */
static const char *level_remedy(const scree__options *o) {
  if (any_level(o)) return "";
  if (o->thread_level != SCREE_THREAD_LEVEL_AUTO) return ", or set the option thread_level to auto";
  return o->progress ? ", or set the options threads to 1 and progress to none" : ", or set the option threads to 1";
}

/* Options that are wrong are refused when the ranks compare them. */
static scree_status start_mpi(const scree_options *given) {
  scree__options all;
  char why[8];
  if (scree__options_complete(&all, given, why, sizeof why)) return scree__mpi_start(MPI_THREAD_FUNNELED, "");
  return scree__mpi_start(scree__level_wanted(&all), level_remedy(&all));
}

scree_status scree_open(const scree_options *options, scree_world **world) {
  if (!world) return no_place("scree_open");
  if (scree__local_meeting()) return scree__open_local(options, world);
  scree_status status = start_mpi(options);
  if (status != SCREE_OK) return status;
  bool lost;
  status = open_on(MPI_COMM_WORLD, "scree_open", options, world, &lost);
  if (lost) scree__mpi_abandon();
  scree__mpi_leave();
  return status;
}
