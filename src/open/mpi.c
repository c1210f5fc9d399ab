/* mpi.c - opens worlds on MPI: agrees on the options and chooses the transport. Blocking MPI calls are made while a world
 * opens, and nowhere else. */
#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/launched.h"
#include "base/options.h"
#include "core/world.h"
#include "open/mpi_process.h"
#include "transport/chaos.h"
#include "transport/hybrid.h"
#include "transport/shm_open.h"

static void say(const char *what, const char *why) {
  fprintf(stderr, "scree: %s: %s\n", what, why);
}

/* N ranks that each see one: the launcher and the MPI library do not belong together. */
static scree_status check_singleton(int world_ranks) {
  const char *name;
  long announced = scree__launched_ranks(&name);
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

/* One attempt to open a world. */
typedef struct {
  MPI_Comm comm;
  scree_options options; /* resolved */
  scree_world *world;
} opening;

/* What this rank alone may know. */
static void say_here(const opening *o, const char *why) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(o->comm, &rank);
  MPI_Comm_size(o->comm, &ranks);
  fprintf(stderr, "scree: rank %d of %d: scree_open: %s\n", rank, ranks, why);
}

/* Makes what the attempt needs before any collective call of its own, and agrees on it: the options are resolved alike on
 * all ranks, or all refuse them. */
static scree_status prepare(opening *o, const scree_options *given) {
  char why[320] = "no memory for a world: free memory on this host, or start fewer ranks on it";
  int rank;
  o->world = scree__world_new();
  uint64_t status = o->world ? SCREE_OK : SCREE_ENOMEM;
  if (!status && scree__options_complete(&o->options, given, why, sizeof why)) status = SCREE_EINVAL;
  uint64_t hash = digest(&o->options), mine[3] = {status, hash, ~hash}, max[3];
  MPI_Comm_rank(o->comm, &rank);
  if (MPI_Allreduce(mine, max, 3, MPI_UINT64_T, MPI_MAX, o->comm) != MPI_SUCCESS) return SCREE_EMPI;
  if (status == SCREE_ENOMEM) say_here(o, why);
  if (status == SCREE_EINVAL) say("scree_open", why);
  if (max[0]) return (scree_status)max[0];
  if (max[1] == ~max[2]) return SCREE_OK;
  if (rank == 0)
    say("scree_open", "options differ between ranks: give all of them the same fields and SCREE_* variables");
  return SCREE_EINVAL;
}

/* With more ranks than cores on a node, a rank that spins keeps the others from working. */
static void never_spin_when_oversubscribed(opening *o, scree__comm *comm) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores > 0 && comm->topology.node_size > (unsigned long)cores) o->options.spin = comm->spin = 0;
}

static bool on_all(const scree__comm *comm, bool mine) {
  return scree__comm_agree(comm->comm, mine ? SCREE_OK : SCREE_ENOMEM) == SCREE_OK;
}

static scree__comm *open_comm(opening *o, bool by_memory) {
  scree__comm *comm = scree__comm_open(o->comm, by_memory, o->options.spin, &o->world->fault);
  if (comm && by_memory) never_spin_when_oversubscribed(o, comm);
  return comm;
}

static scree__transport *open_mpi_alone(opening *o) {
  scree__comm *comm = open_comm(o, false);
  if (!comm) return NULL;
  scree__transport *t = scree__mpi_alone_open(comm, &o->options);
  if (on_all(comm, t != NULL)) return t;
  if (t)
    t->ops->close(t);
  else
    scree__comm_close(comm);
  return NULL;
}

/* Takes over `near`; all ranks or none. */
static scree__transport *add_far(scree__transport *near, scree__comm *comm, const scree_options *options) {
  if (comm->topology.nodes == 1) return near;
  scree__mpi *far = scree__mpi_new(comm, options);
  scree__transport *t = far ? scree__hybrid_open(near, far) : NULL;
  if (on_all(comm, t != NULL)) return t;
  if (far && !t) scree__mpi_free(far);
  if (!t) t = near;
  t->ops->close(t);
  return NULL;
}

/* Shared memory on the node, and MPI between nodes. *unavailable: some node has no shared memory. */
static scree__transport *open_hybrid(opening *o, bool *unavailable) {
  scree__comm *comm = open_comm(o, true);
  *unavailable = !comm;
  if (!comm) return NULL;
  scree__transport *near = scree__shm_open(comm, &o->options);
  *unavailable = !on_all(comm, near != NULL);
  if (!*unavailable) return add_far(near, comm, &o->options);
  if (near)
    near->ops->close(near);
  else
    scree__comm_close(comm);
  return NULL;
}

/* By MPI alone each rank counts as a node; the ranks that share a node are counted first, for its cores. */
static scree__transport *open_mpi_only(opening *o) {
  scree__comm *comm = open_comm(o, true);
  if (!comm) return NULL;
  scree__comm_close(comm);
  return open_mpi_alone(o);
}

static scree__transport *open_transport(opening *o) {
  if (o->options.transport == SCREE_TRANSPORT_MPI) return open_mpi_only(o);
  bool unavailable;
  scree__transport *t = open_hybrid(o, &unavailable);
  if (!unavailable || o->options.transport == SCREE_TRANSPORT_SHM) return t;
  scree__fault_clear(&o->world->fault);
  t = open_mpi_alone(o);
  if (t) t->note = "shared memory is unavailable on some node: all blocks go by MPI";
  return t;
}

static scree__transport *with_chaos(opening *o, scree__transport *t) {
  uint64_t seed = t->options.chaos;
  scree__transport *chaos = seed ? scree__chaos_open(t, seed) : t;
  if (!chaos) scree__fault_no_memory(&o->world->fault, t->options.memory, "the chaos decorator");
  return chaos;
}

static scree_status refuse_in_fork(void) {
  fprintf(stderr,
          "scree: scree_open: process %ld was forked from process %ld after MPI was initialised there, and cannot use "
          "that MPI: open worlds in process %ld, or fork before MPI is initialised\n",
          (long)getpid(), scree__mpi_forked_from(), scree__mpi_forked_from());
  return SCREE_ESTATE;
}

static scree_status ready(void) {
  int yes = 0, over = 0, ranks = 1;
  if (scree__mpi_forked_from()) return refuse_in_fork();
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

/* All ranks get a transport, or none does; the world may fail on one rank alone. It is closed in any case when all have
 * agreed, since communicators are freed together. */
static scree_status open_mine(opening *o) {
  scree__fault *fault = &o->world->fault;
  scree__transport *t = open_transport(o);
  if (!t) return fault->status ? fault->status : fault->text[0] ? SCREE_EMPI : SCREE_ENOMEM;
  scree__fault_clear(fault); /* of what was tried before */
  o->world->transport = t;
  t = with_chaos(o, t);
  return t ? scree__world_init(o->world, t) : SCREE_ENOMEM;
}

/* The ranks where something failed have its text. */
static scree_status open_together(opening *o) {
  scree_status status = open_mine(o), known = SCREE_OK;
  const char *text = o->world->fault.text;
  if (status != SCREE_OK && text[0]) say_here(o, text);
  known = scree__comm_agree(o->comm, text[0] ? status : SCREE_OK);
  status = scree__comm_agree(o->comm, status);
  if (status != SCREE_OK && known == SCREE_OK) say_here(o, scree_status_text(status));
  scree__fault_clear(&o->world->fault);
  return status;
}

scree_status scree_open_mpi(MPI_Comm comm, const scree_options *options, scree_world **world) {
  opening o = {.comm = comm};
  scree_status status = ready();
  if (status == SCREE_OK) status = prepare(&o, options);
  if (status == SCREE_OK) status = open_together(&o);
  if (status != SCREE_OK) {
    if (o.world) scree__world_free(o.world);
    return status;
  }
  scree__mpi_use();
  o.world->on_closed = scree__mpi_leave;
  o.world->thread_level = scree__mpi_thread_level();
  *world = o.world;
  return SCREE_OK;
}

scree_status scree_open(const scree_options *options, scree_world **world) {
  scree_status status = scree__mpi_start();
  if (status != SCREE_OK) return status;
  status = scree_open_mpi(MPI_COMM_WORLD, options, world);
  scree__mpi_leave();
  return status;
}
