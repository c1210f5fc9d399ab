/* open.c - opens a world among ranks that meet: agrees on the options and chooses the transport. Blocking calls are
 * made only while a world opens. */
#include "open/open.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/epoch.h"
#include "core/pass.h"
#include "io/say.h"
#include "observe/observe.h"
#include "open/compare.h"
#include "open/features.h"
#include "open/mpi_level.h"
#include "open/resolve.h"
#include "route/route.h"
#include "thread/thread.h"
#include "transport/chaos.h"
#include "transport/funnel/funnel.h"
#include "transport/shm/hybrid.h"
#include "transport/shm/open.h"

void scree__say_here(const scree__meeting *meeting, const char *why) {
  scree__say("scree: rank %u of %u: scree_open: %s\n", meeting->rank, meeting->ranks, why);
}

/* One attempt to open a world. */
typedef struct {
  scree__meeting *meeting;
  scree__options options; /* resolved */
  scree__options share;   /* the same, with the memory of one class of hops */
  scree_world *world;
  uint32_t classes;
  bool cores_checked;
  scree__transport *paths[SCREE__HOP_CLASSES * SCREE__ENDPOINTS_MAX]; /* by class, for each endpoint of this rank */
} opening;

static scree__transport **paths_of(opening *o, uint32_t hop_class) {
  return o->paths + hop_class * o->world->endpoints;
}

/* Makes what the attempt needs before any collective call of its own, and agrees on it: the options are resolved alike
 * on all ranks, or all refuse them. */
static scree_status prepare(opening *o, const scree_options *given) {
  char why[320] = "no memory for a world: free memory on this host, or start fewer ranks on it";
  scree_status status = scree__options_complete(&o->options, given, why, sizeof why) ? SCREE_EINVAL : SCREE_OK;
  if (!status && !scree__hops_allow(&o->options, o->meeting->ranks, why, sizeof why)) status = SCREE_EINVAL;
  if (!status)
    o->world = scree__world_new((uint32_t)o->options.threads, scree__options_endpoints(&o->options), scree__features);
  if (!status && !o->world) status = SCREE_ENOMEM;
  const scree_status agreed = scree__compare(o->meeting, status, &o->options);
  if (status == SCREE_ENOMEM) scree__say_here(o->meeting, why);
  if (status == SCREE_EINVAL) scree__say("scree: scree_open: %s\n", why);
  return agreed;
}

/* What the threads of each rank are. */
static void describe_threads(const opening *o, char *text, size_t size) {
  static const char *const more[] = {[SCREE_PROGRESS_NONE] = "",
                                     [SCREE_PROGRESS_FULL] = " and a progress thread",
                                     [SCREE_PROGRESS_COMM] = " and a communication thread"};
  snprintf(text, size, "%llu%s", (unsigned long long)o->options.threads, more[o->options.progress]);
}

/* With more workers than cores on a node, one that spins keeps the others from working. */
static void never_spin_when_oversubscribed(opening *o, scree__peers *peers) {
  char threads[64];
  long cores = scree__thread_cores();
  const uint32_t mine = scree__options_threads(&o->options), all = mine * peers->local_ranks;
  if (cores <= 0 || all <= (unsigned long)cores) return;
  o->options.spin = 0;
  peers->ops->never_spin(peers);
  if (mine == 1 || peers->local_rank > 0) return;
  describe_threads(o, threads, sizeof threads);
  scree__say(
      "scree: warning: rank %u of %u: scree_open: %u %s (%u ranks of %s) on this node, which has %ld cores: they take "
      "turns, and none spins; lower the option threads, %sor start fewer ranks\n",
      peers->all->rank, peers->all->ranks, all, o->options.progress ? "threads" : "workers", peers->local_ranks,
      threads, cores, o->options.progress ? "set progress to none, " : "");
}

/* Where a launcher binds a rank to fewer cores than it has threads, the node may have enough of them. The first rank of
 * a node prints it. */
static void warn_of_shared_cores(const opening *o, const scree__peers *peers) {
  long allowed = scree__thread_allowed();
  const uint32_t mine = scree__options_threads(&o->options);
  if (o->options.progress == SCREE_PROGRESS_NONE || peers->local_rank > 0) return;
  if (allowed <= 0 || mine <= (unsigned long)allowed) return;
  scree__say(
      "scree: warning: rank %u of %u: scree_open: the %s thread shares a core with a worker: this rank has %u "
      "threads and "
      "may run on %ld cores; messages wait while the worker computes there; bind the rank to %u cores, or to none "
      "(mpirun --bind-to none)\n",
      peers->all->rank, peers->all->ranks, o->options.progress == SCREE_PROGRESS_COMM ? "communication" : "progress",
      mine, allowed, mine);
}

/* The first of the ranks that may run on the same cores prints it. */
static void warn_of_threads_on_one_core(const opening *o, const scree__peers *peers) {
  const long allowed = scree__thread_allowed();
  const uint32_t mine = scree__options_threads(&o->options), all = mine * peers->core_share.of;
  if (o->options.pin == SCREE_PIN_OFF || mine == 1 || peers->core_share.index > 0) return;
  if (allowed <= 0 || all <= (unsigned long)allowed) return;
  scree__say(
      "scree: warning: rank %u of %u: scree_open: pin binds several threads to one core: %u threads of %u ranks "
      "may run on "
      "%ld cores; lower the option threads, start fewer ranks, have the launcher allow more cores, or set pin to "
      "off\n",
      peers->all->rank, peers->all->ranks, all, peers->core_share.of, allowed);
}

static scree__peers *meet(opening *o, bool by_memory) {
  scree__peers *peers = o->meeting->ops->open(o->meeting, by_memory, &o->options, o->world->faults, o->world->rings);
  if (peers && !o->cores_checked) {
    never_spin_when_oversubscribed(o, peers);
    warn_of_shared_cores(o, peers);
    warn_of_threads_on_one_core(o, peers);
    o->cores_checked = true;
  }
  if (peers) o->classes = scree__hops_classes(&o->options, peers->all->ranks, peers->topology->nodes);
  o->share = o->options;
  if (peers) o->share.memory /= o->classes;
  return peers;
}

/* Those of the classes below `classes`. The first one of class 0 closes the peers; without it they are closed here. */
static void close_classes(opening *o, scree__peers *peers, uint32_t classes) {
  for (uint32_t i = classes * o->world->endpoints; i-- > 0;) o->paths[i]->ops->close(o->paths[i]);
  if (classes == 0) peers->ops->close(peers);
}

/* Each rank has one worker. */
static bool open_mpi_alone(opening *o, scree__peers *peers) {
  for (uint32_t c = 0; c < o->classes; c++) {
    scree__transport **path = paths_of(o, c);
    *path = scree__mpi_alone_open(scree__comm_of(peers), c, &o->share);
    if (scree__peers_all(peers, *path != NULL)) continue;
    close_classes(o, peers, *path ? c + 1 : c);
    return false;
  }
  return true;
}

/* The near path of each worker gets a far one in addition; all or none. */
static bool join_paths(scree__transport **paths, const scree__peers *peers, scree__transport *const *far) {
  scree__transport *near[SCREE__ENDPOINTS_MAX];
  uint32_t joined = 0, threads = peers->threads;
  for (; joined < threads; joined++) {
    near[joined] = paths[joined];
    scree__transport *t = scree__hybrid_open(near[joined], far[joined], peers);
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

/* True if the nodes and the options are compatible. All ranks know it, and the first one prints what is wrong. */
static bool allows_nodes(opening *o, const scree__peers *peers) {
  scree__fault *fault = o->world->faults;
  const bool one = peers->topology->nodes == 1;
  if (one ? scree__level_allows_one_node(&o->options) : scree__level_allows_nodes(&o->options)) return true;
  if (one)
    scree__level_refuse_one_node(fault, peers->all->ranks);
  else
    scree__level_refuse_nodes(&o->options, fault);
  if (peers->all->rank > 0) fault->text[0] = 0;
  return false;
}

/* A path by MPI for each endpoint; false: no memory, or no thread. */
static bool open_far(opening *o, scree__peers *peers, uint32_t hop_class, scree__transport **far) {
  scree__mpi *all = scree__mpi_open(scree__comm_of(peers), hop_class, &o->share);
  if (!all) return false;
  for (uint32_t w = 0; w < peers->threads; w++) far[w] = &all[w].base;
  if (!scree__funnel_is_needed(&o->options) || scree__funnel_open(all, &o->share, far)) return true;
  scree__mpi_close(all);
  return false;
}

/* All ranks or none. */
static bool add_far(opening *o, scree__peers *peers, uint32_t hop_class) {
  scree__transport *far[SCREE__ENDPOINTS_MAX];
  if (peers->topology->nodes == 1) return true;
  const bool opened = open_far(o, peers, hop_class, far),
             joined = opened && join_paths(paths_of(o, hop_class), peers, far);
  if (scree__peers_all(peers, joined)) return true;
  if (opened && !joined) far[0]->ops->close(far[0]);
  return false;
}

/* Shared memory among the workers of a node, and MPI between nodes. *unavailable: some node has no shared memory. */
static bool open_hybrid(opening *o, scree__peers *peers, bool *unavailable) {
  *unavailable = false;
  for (uint32_t c = 0; c < o->classes; c++) {
    bool near = scree__shm_open(peers, c, &o->share, paths_of(o, c));
    *unavailable = !scree__peers_all(peers, near);
    if (!*unavailable && allows_nodes(o, peers) && add_far(o, peers, c)) continue;
    close_classes(o, peers, near ? c + 1 : c);
    return false;
  }
  return true;
}

/* With MPI alone each rank counts as a node; its workers share its memory. */
static bool open_by_mpi(opening *o) {
  bool unavailable;
  scree__peers *peers = meet(o, false);
  if (!peers) return false;
  const bool alone = peers->threads == 1 && o->options.progress != SCREE_PROGRESS_COMM;
  return alone ? open_mpi_alone(o, peers) : open_hybrid(o, peers, &unavailable);
}

static bool open_paths(opening *o) {
  if (o->options.transport == SCREE_TRANSPORT_MPI) return open_by_mpi(o);
  bool unavailable = true;
  scree__peers *peers = meet(o, true);
  bool opened = peers && open_hybrid(o, peers, &unavailable);
  if (!unavailable || o->options.transport == SCREE_TRANSPORT_SHM || !o->meeting->ops->by_mpi) return opened;
  scree__fault_clear(o->world->faults);
  if (!open_by_mpi(o)) return false;
  o->paths[0]->note = "shared memory is unavailable on some node: all blocks travel by MPI";
  if (o->meeting->rank == 0)
    scree__say("scree: warning: scree_open: %s; mount a larger /dev/shm, or set transport=mpi\n", o->paths[0]->note);
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

/* All ranks get transports, or none does; the world may fail on one rank alone. It is closed in any case when all have
 * agreed, because communicators are freed collectively. */
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
  if (o->world->faults[0].lost) return SCREE_EMPI;
  if (status != SCREE_OK && text[0]) scree__say_here(o->meeting, text);
  known = scree__agree(o->meeting, text[0] ? status : SCREE_OK);
  status = scree__agree(o->meeting, status);
  if (o->world->faults[0].lost) return SCREE_EMPI;
  if (status != SCREE_OK && known == SCREE_OK) scree__say_here(o->meeting, scree_status_text(status));
  scree__fault_clear(o->world->faults);
  return status;
}

/* A collective call of MPI has failed here, so that nothing can be agreed on. */
static void say_lost(const scree__meeting *meeting) {
  char who[48];
  snprintf(who, sizeof who, "rank %u of %u", meeting->rank, meeting->ranks);
  if (!meeting->ranks) snprintf(who, sizeof who, "process %ld", (long)getpid());
  scree__say(
      "scree: %s: scree_open: %s: the other ranks may wait for this one inside MPI: end the job, by MPI_Abort or a "
      "code that is not 0\n",
      who, meeting->fault->text);
}

scree_status scree__open(scree__meeting *meeting, scree__allows_fn *allows, const scree_options *options,
                         scree_world **world) {
  opening o = {.meeting = meeting};
  const scree__worker *here = scree__here();
  if (here && here->in.handler) {
    scree__say_here(meeting, "called inside a handler or a poll function: open worlds outside of epochs");
    return SCREE_ESTATE;
  }
  scree_status status = meeting->fault->lost ? SCREE_EMPI : prepare(&o, options);
  scree__fault *const first = meeting->fault;
  if (status == SCREE_OK) {
    meeting->fault = o.world->faults;
    status = allows(meeting, &o.options);
    if (status == SCREE_OK) status = open_together(&o);
  }
  if (meeting->fault->lost) say_lost(meeting);
  first->lost |= meeting->fault->lost;
  meeting->fault = first;
  if (status == SCREE_OK)
    scree__watch_last_words(*world = o.world);
  else if (o.world)
    scree__world_free(o.world);
  return status;
}
