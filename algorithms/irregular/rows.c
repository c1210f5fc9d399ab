/* rows.c - the records of the irregular kernels: names, options, forms. */
#include "irregular/frame.h"

#define FIELDS(field, word, kind_, def_, min_, max_, choices_, shown, help_)                                           \
  .row = {SCREE__ROW(word, kind_, choices_, help_), .def = def_, .min = min_, .max = max_,                             \
          .offset = offsetof(scree__irregular_options, field)},                                                        \
  .value = shown
#define ROW(...)                                                                                                       \
  { FIELDS(__VA_ARGS__) }
#define WORK(...) /* the row of an option that changes the work */                                                     \
  { FIELDS(__VA_ARGS__), .changes_work = true }
#define STEAL(def)                                                                                                     \
  ROW(steal, "steal", CHOICE, def, 0, 2, "off|rank|all", "WORD",                                                       \
      "from which workers one without tasks takes some: none, those of its rank, those of all ranks")
#define LIVE                                                                                                           \
  ROW(task_live, "task-live", COUNT, 1024, 1, 1 << 24, "", "N", "tasks of a worker that have begun and not returned")
#define DIRECT                                                                                                         \
  ROW(global_direct, "global-direct", CHOICE, 0, 0, 2, "auto|on|off", "WORD",                                          \
      "how ranks of a node use each other's parts of global memory; on: by loads and stores; off: by messages")

#define SEED ROW(seed, "seed", COUNT, 1, 0, UINT64_MAX >> 1, "", "N", "of what is drawn")
#define ORACLE                                                                                                         \
  ROW(validate_memory, "validate-memory", SIZE, 1 << 30, 0, UINT64_C(1) << 40, "", "BYTES",                            \
      "of each rank, that validation may take for a serial replay; if that needs more, a law is checked instead")

#define FORM(name_, options_, tuned_, help_)                                                                           \
  { .about = {name_, help_}, .options = options_, .workers = true, .tuned = tuned_, .solve = scree__irregular_solve }

#define COMMON(steal) STEAL(steal), LIVE, DIRECT /* of all kernels */

#define KERNEL(name_, help_, figures_, variants_, methods_)                                                            \
  {                                                                                                                    \
    .kernel = {.about = {.name = name_,                                                                                \
                         .help = help_,                                                                                \
                         .graphless = true,                                                                            \
                         .figures = figures_,                                                                          \
                         .options_name = "scree__irregular_options",                                                   \
                         .options_init = "scree_kernel_options_init",                                                  \
                         .options_size = sizeof(scree__irregular_options)},                                            \
               .variants = variants_,                                                                                  \
               .kept = sizeof(scree__irregular_kept),                                                                  \
               .setup = scree__irregular_setup,                                                                        \
               .check = scree__irregular_check,                                                                        \
               .release = scree__irregular_release},                                                                   \
    .methods = &methods_                                                                                               \
  }
#define FIGURES(...)                                                                                                   \
  { __VA_ARGS__ }

static const scree_kernel_option gups_options[] = {
    WORK(words, "words", SIZE, 1 << 20, 8, UINT64_C(1) << 36, "", "N", "words of the table, a power of two"),
    ROW(lookahead, "lookahead", COUNT, 1024, 0, UINT32_MAX, "", "N",
        "updates of a rank that wait at once, 0: as many as the lanes hold; HPCC allows 1024"),
    ROW(tasks, "tasks", COUNT, 1, 1, 1 << 20, "", "N", "tasks of a worker, which share the lookahead"),
    COMMON(SCREE_STEAL_RANK), SCREE__OPTIONS_END};
static const scree__variant gups_atomics =
    FORM("atomics", gups_options, true, "implicit atomic xors; lookahead counts those not yet sent");
static const scree__variant gups_complete =
    FORM("complete", gups_options, true, "the same; lookahead counts those not yet complete");
static const scree__variant *const gups_forms[] = {&gups_atomics, &gups_complete, NULL};

static const scree_kernel_option intsort_options[] = {
    WORK(class, "class", CHOICE, 0, 0, 5, "S|W|A|B|C|tiny", "NAME", "class of NAS IS; tiny: 4096 keys, for tests"),
    COMMON(SCREE_STEAL_RANK), SCREE__OPTIONS_END};
static const scree__variant intsort_counts =
    FORM("counts", intsort_options, true, "each rank counts its keys, and adds its counts");
static const scree__variant intsort_delegates =
    FORM("delegates", intsort_options, true, "each key is an asynchronous delegate");
static const scree__variant intsort_exchange =
    FORM("exchange", intsort_options, true, "each rank puts its keys, sorted by owner");
static const scree__variant *const intsort_forms[] = {&intsort_counts, &intsort_delegates, &intsort_exchange, NULL};

static const scree_kernel_option uts_options[] = {WORK(tree, "tree", CHOICE, 0, 0, 5,
                                                       "T1|T3|T1L|T3L|short-geometric|short-binomial", "NAME",
                                                       "tree of UTS's sample trees; or a short one, for tests"),
                                                  STEAL(SCREE_STEAL_ALL), LIVE, SCREE__OPTIONS_END};
static const scree_kernel_option uts_memory_options[] = {WORK(tree, "tree", CHOICE, 0, 0, 5,
                                                              "T1|T3|T1L|T3L|short-geometric|short-binomial", "NAME",
                                                              "tree of UTS's sample trees; or a short one, for tests"),
                                                         COMMON(SCREE_STEAL_ALL), SCREE__OPTIONS_END};
static const scree__variant uts_whole =
    FORM("whole", uts_options, true, "the tree is joined as a whole, by the end of the epoch");
static const scree__variant uts_vertex = FORM("vertex", uts_options, true, "each vertex waits for its children");
static const scree__variant uts_memory =
    FORM("memory", uts_memory_options, true, "the tree is in global memory, read by gets; joined as a whole");
static const scree__variant *const uts_forms[] = {&uts_whole, &uts_vertex, &uts_memory, NULL};

static const scree_kernel_option walk_options[] = {
    WORK(vertices, "vertices", SIZE, 1 << 18, 2, UINT64_C(1) << 32, "", "N",
         "vertices of the graph; half of them begin a walk"),
    ROW(degree, "degree", COUNT, 16, 1, 1 << 16, "", "N", "neighbours of each vertex"),
    WORK(steps, "steps", COUNT, 32, 1, UINT32_MAX, "", "N", "steps of a walk"),
    SEED,
    COMMON(SCREE_STEAL_RANK),
    SCREE__OPTIONS_END};
static const scree__variant walk_gets = FORM("gets", walk_options, true, "each walk is a task, and each step a get");
static const scree__variant walk_gathers =
    FORM("gathers", walk_options, true, "tasks gather the next vertices of many walks");
static const scree__variant *const walk_forms[] = {&walk_gets, &walk_gathers, NULL};

static const scree_kernel_option hashmap_options[] = {
    ROW(pool, "pool", SIZE, 1 << 20, 1, UINT64_C(1) << 32, "", "N", "strings; every tenth is in the map at first"),
    ROW(strings, "strings", CHOICE, 0, 0, 1, "own|shared", "WORD",
        "strings that a task looks up: of a part of the pool that is its own, or all"),
    WORK(tasks, "tasks", COUNT, 1024, 1, 1 << 20, "", "N",
         "tasks of a worker; of gathers, users, several of which are a task"),
    WORK(steps, "steps", COUNT, 256, 1, UINT32_MAX, "", "N", "strings that each task looks up"),
    SEED,
    ORACLE,
    COMMON(SCREE_STEAL_RANK),
    SCREE__OPTIONS_END};
static const scree__variant hashmap_gets =
    FORM("gets", hashmap_options, true, "by gets, puts and compare-and-swap of a slot");
static const scree__variant hashmap_delegates = FORM("delegates", hashmap_options, true, "by delegates on a bucket");
static const scree__variant hashmap_gathers =
    FORM("gathers", hashmap_options, true, "as gets, by tasks that gather the slots of many users");
static const scree__variant *const hashmap_forms[] = {&hashmap_gets, &hashmap_delegates, &hashmap_gathers, NULL};

static const scree_kernel_option stencil_options[] = {
    WORK(edge, "edge", COUNT, 64, 1, 1 << 12, "", "N", "cells along each axis of the grid"),
    WORK(steps, "steps", COUNT, 64, 1, UINT32_MAX, "", "N", "steps of all cells"),
    SEED,
    ORACLE,
    DIRECT,
    STEAL(SCREE_STEAL_RANK),
    LIVE,
    SCREE__OPTIONS_END};
static const scree__variant stencil_puts = FORM("puts", stencil_options, true, "faces are put into global memory");
static const scree__variant stencil_messages = FORM("messages", stencil_options, true, "faces are records");
static const scree__variant stencil_mpi =
    FORM("mpi", stencil_options, false, "by plain MPI: MPI_Isend, MPI_Irecv; needs ranks that mpirun starts");
static const scree__variant *const stencil_forms[] = {&stencil_puts, &stencil_messages, &stencil_mpi, NULL};

static const scree_kernel_option puts_options[] = {
    WORK(words, "words", COUNT, 1, 1, 1 << 16, "", "N", "words of 8 bytes that a put has"),
    WORK(tasks, "tasks", COUNT, 256, 1, 1 << 20, "", "N", "tasks of a worker"),
    WORK(steps, "steps", COUNT, 256, 1, UINT32_MAX, "", "N", "puts, or yields, of a task"), COMMON(SCREE_STEAL_RANK),
    SCREE__OPTIONS_END};
static const scree__variant puts_all =
    FORM("all", puts_options, true, "tasks of all ranks put to the others, and wait for each put");
static const scree__variant puts_one = FORM("one", puts_options, false, "those of one rank put to all others");
static const scree__variant puts_yield = FORM("yield", puts_options, false, "tasks yield, and put nothing");
static const scree__variant *const puts_forms[] = {&puts_all, &puts_one, &puts_yield, NULL};

static const scree__irregular_record records[] = {
    KERNEL("gups", "random updates of a table in global memory, as HPCC RandomAccess", FIGURES("words"), gups_forms,
           scree__gups),
    KERNEL("intsort", "ranks of integer keys, as NAS IS", FIGURES("keys"), intsort_forms, scree__intsort),
    KERNEL("uts", "vertices of an unbalanced tree, by ranks that steal",
           FIGURES("vertices", "leaves", "depth", "fullest", "moved"), uts_forms, scree__uts),
    KERNEL("walk", "random walks on a graph in global memory, as GMT has them", FIGURES("walks"), walk_forms,
           scree__walk),
    KERNEL("hashmap", "strings looked up and stored in a map in global memory, as GMT does", FIGURES("tasks", "found"),
           hashmap_forms, scree__hashmap),
    KERNEL("puts", "tasks that put and wait, or yield, and do nothing else", FIGURES("tasks"), puts_forms, scree__puts),
    KERNEL("stencil", "heat in a grid, by the stencil of 7 points", FIGURES("cells", "compute_s", "send_s", "wait_s"),
           stencil_forms, scree__stencil),
};

const scree_kernel *scree__irregular_at(size_t i) {
  return i < sizeof records / sizeof *records ? &records[i].kernel.about : NULL;
}
