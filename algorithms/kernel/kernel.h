/* kernel.h - the records of a kernel and of a variant, and one run of a variant: what the driver works on.
 *
 * The driver registers message types of variants that run, chooses a variant by name, checks options, allocates memory,
 * reaches agreement, measures time, counts and calls the watcher, for all kernels. A kernel or a variant holds only
 * what is its own. */
#ifndef SCREE__KERNEL_H
#define SCREE__KERNEL_H
#include <scree/kernel.h>
#include <scree/memory.h>
#include <scree/reduced.h>

#include "base/clock.h"
#include "base/option_table.h"
#include "ordering/ordering.h"

/* Tables of a variant, or of all variants of a kernel; bytes unless it says bits. */
typedef struct {
  uint32_t local;                                          /* for each vertex of the rank */
  uint32_t worker;                                         /* for each vertex of the rank and each worker */
  uint32_t whole_bits;                                     /* for each vertex of the whole graph */
  uint32_t saving_bits;                                    /* the same, of a table that is there if it pays (whole.h) */
  uint32_t node_bits;                                      /* the same, in an array of the node */
  unsigned orderings;                                      /* that the variant keeps with the graph, at most */
  unsigned (*wanted)(const scree_graph *g, uint64_t runs); /* of them, for so many runs, 0: not known. NULL: all */
  /* By rules of its own, of the rank's vertices, with these options (NULL: those of a plan, unset); NULL: none. */
  uint64_t (*more)(const scree_graph *g, uint64_t locals, const void *options);
} scree__memory_use;

/* One run on one rank, or of one worker of it: then runs of the other workers follow in memory, and that of the
 * progress thread, if there is one, is the last. The handlers find theirs through their context; the fields are the
 * variant's to change. */
typedef struct scree__run {
  scree_worker *worker; /* of a progress thread: set in its handlers */
  const scree_graph *graph;
  const uint32_t *types;          /* of the variant's messages, in their order */
  uint32_t spawns;                /* the type by which tasks are spawned, which setup sets; 0: none */
  bool reduced;                   /* the first of them has a reduction */
  bool has_source;                /* the source vertex is on this rank */
  uint32_t source;                /* its local index, if so */
  void *result[SCREE_ARRAYS_MAX]; /* of local vertices, as the kernel lists them */
  const void *options;            /* the kernel's structure: all fields in range, those with a default set */
  double figure[SCREE_FIGURES_MAX];
  uint64_t passes;                /* see scree_answer */
  const char *reason;             /* see scree_answer; the same on all ranks */
  uint64_t runs;                  /* see scree_solver_expect */
  const char *preparation_reason; /* see scree_answer */
  double prepared;                /* seconds of scree__run_prepare, and their ticks */
  uint64_t prepared_ticks;
  const char *pruning, *sums, *saving_reason; /* see scree_answer */
  scree_watch watch;
  scree_work work;  /* of this rank */
  uint64_t batches; /* handled */
  uint64_t handler_ticks, queue_ticks, watched;
  void *shared; /* the kernel's state, common to its variants, and the variant's own, zeroed: see their records */
  void *own;
  void *kept; /* of the solver, for all its runs: see the kernel's record */
  const struct scree__kernel *kernel;
  struct scree__run_memory *memory; /* of the rank, in this run (memory.h) */
} scree__run;

/* A message of a variant, and the receiver of a batch of them from `sender`. */
typedef struct scree__message {
  const char *name;
  uint32_t item; /* bytes */
  void (*take)(scree__run *run, uint32_t sender, const void *items, uint32_t count);
  /* name__reduction of a type of reduced.h, whose caches are off but during scree__run_reduce. NULL: none */
  const scree__reduction *(*reduction)(void);
} scree__message;

enum { SCREE__MESSAGES_MAX = 4 };

/* The last row of a table of options. */
#define SCREE__OPTIONS_END                                                                                             \
  {                                                                                                                    \
    .row = {.name = NULL }                                                                                             \
  }

typedef struct scree__variant {
  scree_algorithm about;
  const scree_kernel_option *options; /* that it takes; ends with SCREE__OPTIONS_END. NULL: none */
  bool workers;                       /* it runs all workers of a rank, each with a run; else worker 0 alone */
  bool progress;                      /* its handlers may run on a progress thread; else progress=full is refused */
  bool tuned;                         /* tried in tuning; false: only for comparisons */
  scree__memory_use memory;           /* beside the graph and the answer */
  size_t own;                         /* bytes of run->own. 0: the variant sets it, if it needs any */
  scree__message messages[SCREE__MESSAGES_MAX];            /* those without a name are none */
  uint64_t (*sort[SCREE__MESSAGES_MAX])(const void *item); /* as in scree_type_desc */
  uint32_t flags[SCREE__MESSAGES_MAX]; /* of their registration; SCREE_ROUTED is added except for types to workers: they
                                        * are sent by SCREE_MESSAGE_ROUTED */
  /* The variant that runs in its place on this graph, with these options (NULL: those of a plan, unset), for so many
   * runs (0: not known). Sets the reason if it depends on options or runs. NULL: itself. The same on all ranks;
   * collective with a graph that has graphs, local with one of a plan. */
  const struct scree__variant *(*choose)(const scree_graph *graph, const void *options, uint64_t runs,
                                         const char **reason);
  /* Collective, outside epochs and before the clock runs: memory, caches, and orderings of the graph. Returns what all
   * ranks have agreed on. NULL: nothing to do. */
  scree_status (*setup)(scree__run *run);
  /* Collective, outside epochs. The arrays are empty but for the source. Waits only in epochs, which
   * scree__run_end or scree__run_ended ends. Returns the status of the world, or what all ranks have agreed on
   * by scree_graphs_agree. */
  scree_status (*solve)(scree__run *run);
  /* Frees what the driver does not: all but the caches and what scree__run_alloc returned. Called in any case. Local.
   * NULL: nothing to do. */
  void (*teardown)(scree__run *run);
} scree__variant;

typedef struct scree__kernel {
  scree_kernel about;
  const scree__variant *const *variants; /* ends with NULL */
  size_t shared;                         /* bytes of run->shared */
  size_t kept;                           /* bytes of run->kept, zeroed when the solver is opened */
  /* The hooks of all variants; NULL: nothing to do. Collective; each returns what all ranks have agreed on. `setup`
   * comes before that of the variant. `finish` comes after the clock has stopped and the work is summed; messages of
   * the variant still arrive. */
  scree_status (*setup)(scree__run *run);
  scree_status (*finish)(scree__run *run);
  scree_status (*validate)(const scree_graph *graph, uint64_t source, const void *options, const scree_answer *answer,
                           scree_verdict *verdict);
  /* In place of `validate`, of kernels whose answer is in what they keep. Collective. */
  scree_status (*check)(scree_graphs *graphs, void *kept, scree_verdict *verdict);
  void (*release)(void *kept); /* frees what `kept` points to. Local; when the solver is closed. NULL: nothing to do */
  double passes;               /* see scree_kernel_passes; 0: 0.5 */
  double (*passes_by)(const void *options); /* if they depend on options; NULL: they do not. Local */
  scree__memory_use memory;                 /* of all variants, beside the graph and the answer */
} scree__kernel;

/* All kernels; ends with NULL. */
extern const scree__kernel *const scree__kernels[];

static inline const scree__kernel *scree__kernel_of(const scree_kernel *kernel) {
  return (const scree__kernel *)kernel; /* whose first member it is */
}

/* ---- for variants ---- */

/* Endpoints of this rank, one run each: its workers, and its progress thread if there is one. Local. */
uint32_t scree__run_endpoints(const scree__run *run);

/* Refuses a directed graph: of kernels that are about edges. Collective. */
scree_status scree__run_undirected(scree__run *run);

/* Adds what the other workers of the rank, and its progress thread, counted to the work of the first one, whose run
 * this is. Local. */
void scree__run_add_workers(scree__run *run);

/* Switches the caches of the variant's first message on, or off, as they are after each run. What they combine is moved
 * from work.messages to work.pruned. False: there is no memory, or the option combine_cache is too small. Local; idle
 * world. */
bool scree__run_reduce(const scree__run *run, bool on);

/* Makes an ordering in `solve`, when it is first needed: its time counts as preparation. Returns what `make` does.
 * Collective, outside epochs. */
scree_status scree__run_prepare(scree__run *run, scree_status (*make)(scree__run *run));

/* Zeroed memory, as by scree_graphs_alloc, that is freed when the run is over; not for many small pieces. NULL: there
 * is none, and scree__run_ready reports it. Local; owner's thread, and no handler. */
void *scree__run_alloc(const scree__run *run, size_t bytes);

/* Opens an array that the ranks of the node share, the same bytes on all ranks, which is closed when the run is over;
 * a few in a run. Collective; returns what all ranks have agreed on. */
scree_status scree__run_share(const scree__run *run, size_t bytes, const scree_node_array **array);

/* Agrees that all ranks are `ready`, and got all memory that they requested from scree__run_alloc, for `what`.
 * Collective. */
scree_status scree__run_ready(const scree__run *run, bool ready, const char *what);

/* One step of the epoch of a run: as scree_test, but handles all that has arrived before more is sent: work on values
 * that are already out of date is superseded, and makes more of it elsewhere. Runs handlers. */
static inline bool scree__run_test_reduce(scree__run *run, bool idle, scree_reduce *reduce) {
  if (idle) return scree_test(run->worker, true, reduce);
  uint64_t before;
  do {
    before = run->batches;
    if (scree_test(run->worker, false, reduce)) return true;
  } while (run->batches != before);
  return false;
}
static inline bool scree__run_test(scree__run *run, bool idle) {
  return scree__run_test_reduce(run, idle, NULL);
}

/* The code of a run whose last epoch ended by scree_test. Local. */
static inline scree_status scree__run_status(const scree__run *run) {
  return scree_error(scree_world_of(run->worker));
}

/* Around a rank's own work: the time between the two calls, without handlers, counts as queue_seconds. */
static inline uint64_t scree__work_begin(const scree__run *run) {
  return scree__ticks() - run->handler_ticks;
}
static inline void scree__work_end(scree__run *run, uint64_t begun) {
  run->queue_ticks += scree__ticks() - run->handler_ticks - begun;
}

/* Calls the watcher. `_often` is for loops: it does so from time to time. */
void scree__run_watch(scree__run *run);
static inline void scree__run_watch_often(scree__run *run) {
  if (run->watch.fn && scree__ticks() - run->watched > 1 << 23) scree__run_watch(run);
}

/* Ends an epoch, counts it, and calls the watcher. `inout` is reduced over the ranks unless it is NULL. */
static inline scree_status scree__run_end(scree__run *run, scree_reduce *inout) {
  const scree_status status = scree_end(run->worker, inout);
  run->work.epochs++;
  scree__run_watch(run);
  return status;
}
/* Does so for an epoch that scree__run_test has ended. Returns the status of the world. */
static inline scree_status scree__run_ended(scree__run *run) {
  run->work.epochs++;
  scree__run_watch(run);
  return scree__run_status(run);
}

/* ---- options (options.c) ---- */

/* Copies a caller's structure, which may be NULL, into `full` of kernel->options_size bytes, checks the fields, and
 * sets those that are unset to their defaults. Returns 0, or -1 with a line in why[size]. Local. */
int scree__kernel_options_complete(const scree_kernel *kernel, const void *options, void *full, char *why, size_t size);

#endif
