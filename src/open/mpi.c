/* mpi.c - opens worlds on MPI: agrees on the options and chooses the transport. Blocking MPI calls are made while a world
 * opens, and nowhere else. */
#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/launched.h"
#include "base/options.h"
#include "core/pass.h"
#include "open/compare.h"
#include "open/features.h"
#include "open/mpi_level.h"
#include "open/mpi_process.h"
#include "route/route.h"
#include "thread/thread.h"
#include "transport/chaos.h"
#include "transport/funnel/funnel.h"
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

/* One attempt to open a world. */
typedef struct {
  MPI_Comm comm;
  scree_options options; /* resolved */
  scree_options share;   /* the same, with the memory of one class of hops */
  scree_world *world;
  uint32_t classes;
  bool cores_checked;
  scree__transport *paths[SCREE__HOP_CLASSES * SCREE__ENDPOINTS_MAX]; /* by class, for each endpoint of this rank */
} opening;

static scree__transport **paths_of(opening *o, uint32_t hop_class) {
  return o->paths + hop_class * o->world->endpoints;
}

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
  int ranks;
  MPI_Comm_size(o->comm, &ranks);
  scree_status status = scree__options_complete(&o->options, given, why, sizeof why) ? SCREE_EINVAL : SCREE_OK;
  if (!status && !scree__hops_allow(&o->options, (uint32_t)ranks, why, sizeof why)) status = SCREE_EINVAL;
  if (!status)
    o->world = scree__world_new((uint32_t)o->options.threads, scree__options_endpoints(&o->options), scree__features);
  if (!status && !o->world) status = SCREE_ENOMEM;
  const scree_status agreed = scree__compare(o->comm, status, &o->options);
  if (status == SCREE_ENOMEM) say_here(o, why);
  if (status == SCREE_EINVAL) say("scree_open", why);
  return agreed;
}

/* What the threads of each rank are. */
static void describe_threads(const opening *o, char *text, size_t size) {
  static const char *const more[] = {[SCREE_PROGRESS_NONE] = "",
                                     [SCREE_PROGRESS_FULL] = " and a progress thread",
                                     [SCREE_PROGRESS_COMM] = " and a communication thread"};
  snprintf(text, size, "%llu%s", (unsigned long long)o->options.threads, more[o->options.progress]);
}

/* Those of a rank. A communication thread is no endpoint. */
static uint32_t count_threads(const scree_options *o) {
  return scree__options_endpoints(o) + (o->progress == SCREE_PROGRESS_COMM);
}

/* With more workers than cores on a node, one that spins keeps the others from working. */
static void never_spin_when_oversubscribed(opening *o, scree__comm *comm) {
  char threads[64];
  long cores = scree__thread_cores();
  const uint32_t mine = count_threads(&o->options), all = mine * comm->local_ranks;
  if (cores <= 0 || all <= (unsigned long)cores) return;
  o->options.spin = 0;
  scree__comm_never_spin(comm);
  if (mine == 1 || comm->local_rank > 0) return;
  describe_threads(o, threads, sizeof threads);
  fprintf(stderr,
          "scree: rank %u of %u: scree_open: %u %s (%u ranks of %s) on this node, which has %ld cores: they take "
          "turns, and none spins; lower the option threads, %sor start fewer ranks\n",
          comm->rank, comm->ranks, all, o->options.progress ? "threads" : "workers", comm->local_ranks, threads, cores,
          o->options.progress ? "set progress to none, " : "");
}

/* Where a launcher binds a rank to fewer cores than it has threads, the node may have enough of them. The first rank of a
 * node speaks. */
static void warn_of_shared_cores(const opening *o, const scree__comm *comm) {
  long allowed = scree__thread_allowed();
  const uint32_t mine = count_threads(&o->options);
  if (o->options.progress == SCREE_PROGRESS_NONE || comm->local_rank > 0) return;
  if (allowed <= 0 || mine <= (unsigned long)allowed) return;
  fprintf(stderr,
          "scree: rank %u of %u: scree_open: the %s thread shares a core with a worker: this rank has %u threads and "
          "may run on %ld cores; messages wait while the worker computes there; bind the rank to %u cores, or to none "
          "(mpirun --bind-to none)\n",
          comm->rank, comm->ranks, o->options.progress == SCREE_PROGRESS_COMM ? "communication" : "progress", mine,
          allowed, mine);
}

/* The first of the ranks that may run on the same cores speaks. */
static void warn_of_threads_on_one_core(const opening *o, const scree__comm *comm) {
  const long allowed = scree__thread_allowed();
  const uint32_t mine = count_threads(&o->options), all = mine * comm->core_share.of;
  if (o->options.pin == SCREE_PIN_OFF || mine == 1 || comm->core_share.index > 0) return;
  if (allowed <= 0 || all <= (unsigned long)allowed) return;
  fprintf(stderr,
          "scree: rank %u of %u: scree_open: pin binds several threads to one core: %u threads of %u ranks may run on "
          "%ld cores; lower the option threads, start fewer ranks, have the launcher allow more cores, or set pin to "
          "off\n",
          comm->rank, comm->ranks, all, comm->core_share.of, allowed);
}

static bool on_all(const scree__comm *comm, bool mine) {
  return scree__comm_agree(comm->comm, mine ? SCREE_OK : SCREE_ENOMEM) == SCREE_OK;
}

static scree__comm *open_comm(opening *o, bool by_memory) {
  scree__comm *comm = scree__comm_open(o->comm, by_memory, &o->options, o->world->faults, o->world->rings);
  if (comm && !o->cores_checked) {
    never_spin_when_oversubscribed(o, comm);
    warn_of_shared_cores(o, comm);
    warn_of_threads_on_one_core(o, comm);
    o->cores_checked = true;
  }
  if (comm) o->classes = scree__hops_classes(&o->options, comm->ranks, comm->topology->nodes);
  o->share = o->options;
  if (comm) o->share.memory /= o->classes;
  return comm;
}

/* Those of the classes below `classes`. The first one of class 0 closes comm; without it comm is closed here. */
static void close_classes(opening *o, scree__comm *comm, uint32_t classes) {
  for (uint32_t i = classes * o->world->endpoints; i-- > 0;) o->paths[i]->ops->close(o->paths[i]);
  if (classes == 0) scree__comm_close(comm);
}

/* Each rank has one worker. */
static bool open_mpi_alone(opening *o, scree__comm *comm) {
  for (uint32_t c = 0; c < o->classes; c++) {
    scree__transport **path = paths_of(o, c);
    *path = scree__mpi_alone_open(comm, c, &o->share);
    if (on_all(comm, *path != NULL)) continue;
    close_classes(o, comm, *path ? c + 1 : c);
    return false;
  }
  return true;
}

/* The near path of each worker gets a far one beside it; all or none. */
static bool join_paths(scree__transport **paths, const scree__comm *comm, scree__transport *const *far) {
  scree__transport *near[SCREE__ENDPOINTS_MAX];
  uint32_t joined = 0, threads = comm->threads;
  for (; joined < threads; joined++) {
    near[joined] = paths[joined];
    scree__transport *t = scree__hybrid_open(near[joined], far[joined], comm);
    if (!t) break;
    paths[joined] = t;
  }
  if (joined == threads) return true;
  while (joined-- > 0) {
    free(paths[joined]);
    paths[joined] = near[joined];
  }
  return false;
}

/* Do the nodes and the options go together? All ranks know it, and the first one says what is wrong. */
static bool allows_nodes(opening *o, const scree__comm *comm) {
  scree__fault *fault = o->world->faults;
  const bool one = comm->topology->nodes == 1;
  if (one ? scree__level_allows_one_node(&o->options) : scree__level_allows_nodes(&o->options)) return true;
  if (one)
    scree__level_refuse_one_node(fault, comm->ranks);
  else
    scree__level_refuse_nodes(&o->options, fault);
  if (comm->rank > 0) fault->text[0] = 0;
  return false;
}

/* A path by MPI for each endpoint; false: no memory, or no thread. */
static bool open_far(opening *o, scree__comm *comm, uint32_t hop_class, scree__transport **far) {
  scree__mpi *all = scree__mpi_open(comm, hop_class, &o->share);
  if (!all) return false;
  for (uint32_t w = 0; w < comm->threads; w++) far[w] = &all[w].base;
  if (!scree__funnel_is_needed(&o->options) || scree__funnel_open(all, &o->share, far)) return true;
  scree__mpi_close(all);
  return false;
}

/* All ranks or none. */
static bool add_far(opening *o, scree__comm *comm, uint32_t hop_class) {
  scree__transport *far[SCREE__ENDPOINTS_MAX];
  if (comm->topology->nodes == 1) return true;
  const bool opened = open_far(o, comm, hop_class, far),
             joined = opened && join_paths(paths_of(o, hop_class), comm, far);
  if (on_all(comm, joined)) return true;
  if (opened && !joined) far[0]->ops->close(far[0]);
  return false;
}

/* Shared memory among the workers of a node, and MPI between nodes. *unavailable: some node has no shared memory. */
static bool open_hybrid(opening *o, scree__comm *comm, bool *unavailable) {
  *unavailable = false;
  for (uint32_t c = 0; c < o->classes; c++) {
    bool near = scree__shm_open(comm, c, &o->share, paths_of(o, c));
    *unavailable = !on_all(comm, near);
    if (!*unavailable && allows_nodes(o, comm) && add_far(o, comm, c)) continue;
    close_classes(o, comm, near ? c + 1 : c);
    return false;
  }
  return true;
}

/* By MPI alone each rank counts as a node; its workers share its memory. */
static bool open_by_mpi(opening *o) {
  bool unavailable;
  scree__comm *comm = open_comm(o, false);
  if (!comm) return false;
  const bool alone = comm->threads == 1 && o->options.progress != SCREE_PROGRESS_COMM;
  return alone ? open_mpi_alone(o, comm) : open_hybrid(o, comm, &unavailable);
}

static bool open_paths(opening *o) {
  if (o->options.transport == SCREE_TRANSPORT_MPI) return open_by_mpi(o);
  bool unavailable = true;
  scree__comm *comm = open_comm(o, true);
  bool opened = comm && open_hybrid(o, comm, &unavailable);
  if (!unavailable || o->options.transport == SCREE_TRANSPORT_SHM) return opened;
  scree__fault_clear(o->world->faults);
  if (!open_by_mpi(o)) return false;
  o->paths[0]->note = "shared memory is unavailable on some node: all blocks go by MPI";
  return true;
}

/* False: no memory for one of them; the others have it. */
static bool add_chaos(opening *o) {
  bool added = true;
  for (uint32_t i = 0; o->options.chaos && i < o->classes * o->world->endpoints; i++) {
    scree__transport *chaos = scree__chaos_open(o->paths[i], o->options.chaos, i / o->world->endpoints);
    if (chaos) o->paths[i] = chaos;
    added &= chaos != NULL;
  }
  if (!added) scree__fault_no_memory(o->world->faults, o->options.memory, "the chaos decorator");
  return added;
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

/* All ranks get transports, or none does; the world may fail on one rank alone. It is closed in any case when all have
 * agreed, since communicators are freed together. */
static scree_status open_mine(opening *o) {
  scree__fault *fault = o->world->faults;
  if (!open_paths(o)) return fault->status ? fault->status : fault->text[0] ? SCREE_EMPI : SCREE_ENOMEM;
  scree__fault_clear(fault); /* of what was tried before */
  bool complete = add_chaos(o);
  scree_status status = scree__world_init(o->world, &o->options, o->classes, o->paths);
  return complete ? status : SCREE_ENOMEM;
}

/* The ranks where something failed have its text. */
static scree_status open_together(opening *o) {
  scree_status status = open_mine(o), known = SCREE_OK;
  const char *text = o->world->faults[0].text;
  if (status != SCREE_OK && text[0]) say_here(o, text);
  known = scree__comm_agree(o->comm, text[0] ? status : SCREE_OK);
  status = scree__comm_agree(o->comm, status);
  if (status != SCREE_OK && known == SCREE_OK) say_here(o, scree_status_text(status));
  scree__fault_clear(o->world->faults);
  return status;
}

static scree_status check_level(const opening *o) {
  char why[240];
  if (scree__level_suffices(&o->options, why, sizeof why)) return SCREE_OK;
  say_here(o, why);
  return SCREE_EMPI;
}

/* One thread calls MPI and nothing was asked for, on all ranks: nothing to compare. */
static bool any_level(const scree_options *o) {
  return count_threads(o) == 1 && o->thread_level == SCREE_THREAD_LEVEL_AUTO;
}

scree_status scree_open_mpi(MPI_Comm comm, const scree_options *options, scree_world **world) {
  opening o = {.comm = comm};
  scree_status status = ready();
  if (status == SCREE_OK) status = prepare(&o, options);
  if (status == SCREE_OK && !any_level(&o.options)) status = scree__comm_agree(comm, check_level(&o));
  if (status == SCREE_OK) status = open_together(&o);
  if (status != SCREE_OK) {
    if (o.world) scree__world_free(o.world);
    return status;
  }
  scree__mpi_use();
  o.world->on_closed = scree__mpi_leave;
  scree__level_record(o.world, scree__mpi_is_ours());
  *world = o.world;
  return SCREE_OK;
}

/* What to do where MPI gives less than such a world needs. */
static const char *level_remedy(const scree_options *o) {
  if (any_level(o)) return "";
  if (o->thread_level != SCREE_THREAD_LEVEL_AUTO) return ", or set the option thread_level to auto";
  return o->progress ? ", or set the options threads to 1 and progress to none" : ", or set the option threads to 1";
}

/* Options that are wrong are refused when the ranks compare them. */
static scree_status start_mpi(const scree_options *given) {
  scree_options all;
  char why[8];
  if (scree__options_complete(&all, given, why, sizeof why)) return scree__mpi_start(MPI_THREAD_FUNNELED, "");
  return scree__mpi_start(scree__level_wanted(&all), level_remedy(&all));
}

scree_status scree_open(const scree_options *options, scree_world **world) {
  scree_status status = start_mpi(options);
  if (status != SCREE_OK) return status;
  status = scree_open_mpi(MPI_COMM_WORLD, options, world);
  scree__mpi_leave();
  return status;
}
