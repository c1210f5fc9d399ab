/* open.c - opening a world on MPI.
 *
 * Room: scree_open and scree_open_mpi: options, agreement, and which transport it will be. Blocking MPI calls are
 * made here and nowhere else. */
#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "core/world.h"
#include "transport/chaos.h"
#include "transport/hybrid.h"

static void say(const char *what, const char *why) {
  fprintf(stderr, "scree: %s: %s\n", what, why);
}

/* How many ranks the launcher announces, as launchers and their environment put it. */
static long announced_ranks(const char **name) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "SLURM_STEP_NUM_TASKS"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = getenv(names[i]);
    long n = text ? strtol(text, NULL, 10) : 0;
    *name = names[i];
    if (n > 1) return n;
  }
  return 1;
}

/* N ranks that each see one: the launcher and the MPI library do not belong together. */
static scree_status check_singleton(int world_ranks) {
  const char *name;
  long announced = announced_ranks(&name);
  if (world_ranks != 1 || announced == 1) return SCREE_OK;
  fprintf(stderr,
          "scree: scree_open: the launcher announces %ld ranks (%s), the MPI library sees 1, so each would work alone: "
          "use the launcher of the MPI that scree was built with (mpirun.openmpi for Open MPI, mpiexec.hydra for "
          "MPICH; srun --mpi=pmix or --mpi=pmi2)\n",
          announced, name);
  return SCREE_EINVAL;
}

static uint64_t digest(const scree_options *o) {
  uint64_t hash = UINT64_C(1469598103934665603), words[sizeof *o / sizeof(uint64_t)];
  memcpy(words, o, sizeof *o);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) hash = (hash ^ words[i]) * UINT64_C(1099511628211);
  return hash;
}

/* Resolved alike on all ranks, or refused on all. */
static scree_status agree_on_options(MPI_Comm comm, const scree_options *given, scree_options *out) {
  char why[320] = "";
  int rank;
  uint64_t bad = scree__options_complete(out, given, why, sizeof why) != 0, hash = digest(out);
  uint64_t mine[3] = {bad, hash, ~hash}, max[3];
  MPI_Comm_rank(comm, &rank);
  if (MPI_Allreduce(mine, max, 3, MPI_UINT64_T, MPI_MAX, comm) != MPI_SUCCESS) return SCREE_EMPI;
  if (bad) say("scree_open", why);
  if (max[0]) return SCREE_EINVAL;
  if (max[1] == ~max[2]) return SCREE_OK;
  if (rank == 0)
    say("scree_open", "options differ between ranks: give all of them the same fields and SCREE_* variables");
  return SCREE_EINVAL;
}

/* More ranks than cores on a node: who spins keeps the others from working. */
static void never_spin_when_crowded(scree__transport *t) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores > 0 && t->size > (unsigned long)cores) t->options.spin = 0;
}

static bool on_all(const scree__transport *t, bool mine) {
  int ours = 0, my = mine;
  return MPI_Allreduce(&my, &ours, 1, MPI_INT, MPI_MIN, t->group->comm) == MPI_SUCCESS && ours;
}

/* Ranks of one node crowd its cores also where each counts as a node. */
static scree__transport *open_mpi_alone(MPI_Comm comm, scree__transport *base) {
  scree__group *group = scree__group_open(comm, false, base);
  if (!group) return NULL;
  scree__transport *t = scree__mpi_alone_open(base);
  if (!t) scree__group_close(group);
  return t;
}

static scree__transport *open_shm(MPI_Comm comm, scree__transport *base) {
  scree__group *group = scree__group_open(comm, true, base);
  if (!group) return NULL;
  never_spin_when_crowded(base);
  scree__transport *near = scree__shm_open(base);
  if (!on_all(base, near != NULL)) {
    if (near)
      near->ops->close(near);
    else
      scree__group_close(group);
    return NULL;
  }
  return near;
}

/* Takes over `near`; all ranks or none. */
static scree__transport *add_far(scree__transport *near, scree__transport *base) {
  if (base->nodes == 1) return near;
  scree__transport *far = scree__mpi_open(near), *t = far ? scree__both_open(near, far) : NULL;
  bool all = on_all(base, t != NULL);
  if (all) return t;
  memcpy(base->fault_text, near->fault_text, sizeof base->fault_text);
  if (far && !t) scree__mpi_finish(far);
  if (!t) t = near;
  t->ops->close(t);
  return NULL;
}

static scree__transport *open_transport(MPI_Comm comm, scree__transport *base) {
  if (base->options.transport == SCREE_TRANSPORT_MPI) {
    scree__transport probe = *base; /* how crowded the node is */
    scree__group *group = scree__group_open(comm, true, &probe);
    if (!group) {
      memcpy(base->fault_text, probe.fault_text, sizeof base->fault_text);
      return NULL;
    }
    never_spin_when_crowded(&probe);
    base->options.spin = probe.options.spin;
    scree__group_close(group);
    return open_mpi_alone(comm, base);
  }
  scree__transport *near = open_shm(comm, base);
  if (near) return add_far(near, base);
  if (base->options.transport == SCREE_TRANSPORT_SHM) return NULL;
  snprintf(base->note, sizeof base->note, "shared memory cannot be had on some node: all blocks go by MPI");
  return open_mpi_alone(comm, base);
}

static scree__transport *with_chaos(scree__transport *t) {
  uint64_t seed = t->options.chaos;
  scree__transport *chaos = seed ? scree__chaos_open(t, seed) : t;
  if (!chaos) t->ops->close(t);
  return chaos;
}

static scree_status ready(void) {
  int yes = 0, over = 0, ranks = 1;
  MPI_Initialized(&yes);
  if (yes) MPI_Finalized(&over);
  if (!yes || over) {
    say("scree_open_mpi",
        yes ? "MPI is finalised" : "MPI is not initialised: call MPI_Init_thread first, or use scree_open");
    return SCREE_ESTATE;
  }
  MPI_Comm_size(MPI_COMM_WORLD, &ranks); /* only asked for its size: a singleton is a matter of the whole job */
  return check_singleton(ranks);
}

/* What may go wrong on one rank alone. */
static scree_status open_mine(MPI_Comm comm, scree__transport *base, scree_world **world) {
  scree__transport *t = open_transport(comm, base);
  if (t) t = with_chaos(t);
  if (!t) return base->fault_text[0] ? SCREE_EMPI : SCREE_ENOMEM;
  scree_status status = scree__world_make(t, world);
  if (status != SCREE_OK) t->ops->close(t);
  return status;
}

/* The worst status of all ranks. */
static scree_status agree(MPI_Comm comm, scree_status status) {
  int mine = (int)status, worst = (int)SCREE_EMPI;
  if (MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) return SCREE_EMPI;
  return (scree_status)worst;
}

scree_status scree_open_mpi(MPI_Comm comm, const scree_options *options, scree_world **world) {
  scree__transport base = {.rank = 0};
  scree_status status = ready();
  if (status == SCREE_OK) status = agree_on_options(comm, options, &base.options);
  if (status != SCREE_OK) return status;
  scree_world *mine = NULL;
  status = open_mine(comm, &base, &mine);
  scree_status worst = agree(comm, status);
  if (worst == SCREE_OK) {
    *world = mine;
    return SCREE_OK;
  }
  if (status == SCREE_OK)
    scree__world_drop(mine);
  else
    say("scree_open", base.fault_text[0] ? base.fault_text : "no memory, or no shared memory (transport = shm)");
  return worst;
}

static void finalize(void) {
  MPI_Finalize();
}

scree_status scree_open(const scree_options *options, scree_world **world) {
  int there = 0;
  MPI_Initialized(&there);
  if (!there) {
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return SCREE_EMPI;
  }
  scree_status status = scree_open_mpi(MPI_COMM_WORLD, options, world);
  if (there) return status;
  if (status == SCREE_OK)
    (*world)->on_closed = finalize;
  else
    MPI_Finalize();
  return status;
}
