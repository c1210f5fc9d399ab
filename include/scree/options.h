/* options.h - the table of all options of a world, with type, unit, default, range and help.
 *
 * The struct below, its defaults, the SCREE_* environment variables, the flags of the command line, scree-options(7)
 * (`scree man options` prints it) and the reports of values and their sources are generated from this table. C11 and
 * C++. */
#ifndef SCREE_OPTIONS_H
#define SCREE_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Unset, in every struct of options: an integer field holds SCREE_UNSET, a real one SCREE_UNSET_REAL, a pointer NULL,
 * a flag or an enum zero. An unset field takes its value from the environment where it has a variable, else its
 * default. */
#define SCREE_UNSET      UINT64_MAX
#define SCREE_UNSET_REAL (-1.0)

/* X(field, kind, default, min, max, choices, rare, help)
 * kind: COUNT (a number), SIZE (bytes; suffixes K M G), TIME (nanoseconds; suffixes ns us ms s), CHOICE (a word)
 * choices: the words of a CHOICE; for any other kind, "" or a word that means 0, which is then legal in addition to the
 * range
 * rare: scree --help leaves it out
 * help: a short --help has the text up to the first ';'
 * The order of the rows is part of the binary interface: a new row goes to the end. */
/* clang-format off */
#define SCREE_OPTIONS(X)                                                                                               \
  X(transport, CHOICE, 0, 0, 2, "auto|shm|mpi", false,                                                                 \
    "how blocks travel; auto uses shared memory within a node and MPI between nodes, and falls back to MPI if shared " \
    "memory is unavailable; shm fails instead; mpi uses MPI everywhere")                                               \
  X(coalesce_bytes, SIZE, 0, 1, UINT64_C(1) << 20, "auto", false,                                                      \
    "bytes at which a block is published; those of its records count; auto adapts the size of each lane, 1K to 64K")   \
  X(memory, SIZE, UINT64_C(16) << 20, 4096, UINT64_C(1) << 36, "", false,                                              \
    "memory for blocks per rank and pool; blocks get smaller as more destinations are in use")                         \
  X(huge_pages, CHOICE, 1, 0, 1, "off|on", true,                                                                       \
    "request huge pages for private pools and graph arrays; off leaves the decision to the system")                    \
  X(in_flight, COUNT, 4, 1, 64, "", false,                                                                             \
    "blocks in flight from a rank to another")                                                                         \
  X(batch_max, COUNT, 8192, 1, 1 << 24, "", false,                                                                     \
    "maximum items in one handler call")                                                                               \
  X(flush_age, TIME, 1000000, 0, UINT64_C(3600000000000), "", false,                                                   \
    "age at which a block is published; that of the oldest message in its lane")                                       \
  X(overflow_max, SIZE, 0, 0, UINT64_C(1) << 44, "", false,                                                            \
    "maximum memory for overflow; messages of handlers take private memory when pools are empty; 0: a quarter of the " \
    "rank's share of memory")                                                                                          \
  X(spin, COUNT, 256, 0, 1 << 24, "", true,                                                                            \
    "idle polls before a rank yields its core")                                                                        \
  X(hang_timeout, TIME, UINT64_C(60000000000), 0, UINT64_C(86400000000000), "", false,                                 \
    "time without progress until a report; a rank without progress in an epoch prints the hang report; 0 switches it " \
    "off")                                                                                                             \
  X(checked, CHOICE, 0, 0, 1, "off|on", false,                                                                         \
    "check every send; its state, thread, type and size; slow")                                                        \
  X(stats, CHOICE, 0, 0, 2, "off|table|json", false,                                                                   \
    "print statistics when a world closes; to standard error")                                                         \
  X(chaos, COUNT, 0, 0, UINT64_MAX - 1, "", true,                                                                      \
    "seed of random delays, reordering and refusals in the transport; 0 switches them off")                            \
  X(threads, COUNT, 1, 1, 64, "", false,                                                                               \
    "workers of each rank; each is a thread of its own, in scree_run_workers")                                         \
  X(pin, CHOICE, 0, 0, 2, "off|compact|scatter", false,                                                                \
    "bind each worker's thread to a core; to neighbouring cores among those of its rank, or to cores far apart; off "  \
    "leaves them to the system")                                                                                       \
  X(trace_events, COUNT, 65536, 16, 1 << 28, "", true,                                                                 \
    "events that a trace keeps of each worker, the newest ones; 40 bytes each")                                        \
  X(lock, CHOICE, 0, 0, 2, "mutex|ticket|priority", true,                                                              \
    "order in which the workers of a rank call MPI; mutex leaves it to the system; ticket serves them as they come; "  \
    "priority serves those that send or post a receive before those that poll")                                        \
  X(detector, CHOICE, 0, 0, 1, "node|flat", true,                                                                      \
    "how the end of an epoch is found; node reads the counters of all ranks of a node and adds up those of nodes by "  \
    "reductions; flat adds up those of all ranks by reductions")                                                       \
  X(thread_level, CHOICE, 0, 0, 3, "auto|funneled|serialized|multiple", true,                                          \
    "thread level that MPI has to give; with funneled one thread of a rank calls MPI, with serialized its workers "    \
    "do, one at a time, with multiple they do at once; auto is funneled with one worker, else serialized")             \
  X(progress, CHOICE, 0, 0, 2, "none|full|comm", false,                                                                \
    "who makes progress beside the workers; full adds a thread to each rank, which handles messages of concurrent "    \
    "types in scree_run_workers while the workers compute; comm adds one that calls MPI for the workers and does "     \
    "nothing else")                                                                                                    \
  X(lock_sample, COUNT, 0, 0, 1 << 20, "", true,                                                                       \
    "entries of a worker into the lock between two at which it counts requests of MPI that are complete and not yet " \
    "noticed; with it entries are also counted by socket; 0: neither")                                                 \
  X(route, CHOICE, 0, 0, 5, "direct|rook|hypercube|dissemination|node|ring", false,                                    \
    "path of messages of routed types; direct to their destination; rook within a row, then a column of a grid; "      \
    "hypercube by the bits in which ranks differ; dissemination by the bits of their distance; node by one "           \
    "connection for each pair of nodes; ring from rank to rank")                                                       \
  X(aggregate, CHOICE, 0, 0, 1, "worker|rank", true,                                                                   \
    "which lanes messages of routed types to workers share; worker has one for each worker; rank has one for all "     \
    "workers of a rank, where they are scattered")                                                                     \
  X(combine, CHOICE, 0, 0, 2, "auto|on|off", false,                                                                    \
    "combine messages of reduced types; they wait for others of their key; auto measures whether it pays; on and off " \
    "do not")                                                                                                          \
  X(combine_cache, SIZE, UINT64_C(1) << 20, 512, UINT64_C(1) << 32, "", true,                                          \
    "bytes of the cache in which each worker keeps messages of a reduced type")                                        \
  X(urgent_types, CHOICE, 0, 0, 1, "off|on", true,                                                                     \
    "whether types may be urgent; their messages have a class of hops of their own, which receivers examine first")   \
  X(node_arrays, CHOICE, 0, 0, 2, "auto|on|off", true,                                                                 \
    "arrays of kernels are shared by the ranks of a node; auto does without where shared memory is short; on fails "   \
    "there; off sends messages instead")
/* clang-format on */

/* Every option's field holds SCREE_UNSET or a value in the option's range. `size` tells the library which fields the
 * program knows. A struct of an older release is shorter: the fields that it lacks count as unset, and are neither read
 * nor written. A struct of a newer release is longer: it is accepted if all fields unknown to the library are unset. */
typedef struct scree_options {
  size_t size; /* sizeof(scree_options), by SCREE_OPTIONS_INIT */
#define SCREE__FIELD(field, kind, def, min, max, choices, rare, help) uint64_t field;
  SCREE_OPTIONS(SCREE__FIELD)
#undef SCREE__FIELD
} scree_options;

/* All fields unset:  scree_options o = SCREE_OPTIONS_INIT;  o.memory = 1 << 20; */
#define SCREE__INIT(field, kind, def, min, max, choices, rare, help) SCREE_UNSET,
#define SCREE_OPTIONS_INIT                                                                                             \
  { sizeof(scree_options), SCREE_OPTIONS(SCREE__INIT) }

/* Values of the choices, in the order of their words. */
enum { SCREE_TRANSPORT_AUTO, SCREE_TRANSPORT_SHM, SCREE_TRANSPORT_MPI };
enum { SCREE_HUGE_PAGES_OFF, SCREE_HUGE_PAGES_ON };
enum { SCREE_CHECKED_OFF, SCREE_CHECKED_ON };
enum { SCREE_STATS_OFF, SCREE_STATS_TABLE, SCREE_STATS_JSON };
enum { SCREE_PIN_OFF, SCREE_PIN_COMPACT, SCREE_PIN_SCATTER };
enum { SCREE_DETECTOR_NODE, SCREE_DETECTOR_FLAT };
enum { SCREE_LOCK_MUTEX, SCREE_LOCK_TICKET, SCREE_LOCK_PRIORITY };
enum {
  SCREE_THREAD_LEVEL_AUTO,
  SCREE_THREAD_LEVEL_FUNNELED,
  SCREE_THREAD_LEVEL_SERIALIZED,
  SCREE_THREAD_LEVEL_MULTIPLE
};
enum {
  SCREE_ROUTE_DIRECT,
  SCREE_ROUTE_ROOK,
  SCREE_ROUTE_HYPERCUBE,
  SCREE_ROUTE_DISSEMINATION,
  SCREE_ROUTE_NODE,
  SCREE_ROUTE_RING
};
enum { SCREE_AGGREGATE_WORKER, SCREE_AGGREGATE_RANK };
enum { SCREE_COMBINE_AUTO, SCREE_COMBINE_ON, SCREE_COMBINE_OFF };
enum { SCREE_URGENT_TYPES_OFF, SCREE_URGENT_TYPES_ON };
enum { SCREE_NODE_ARRAYS_AUTO, SCREE_NODE_ARRAYS_ON, SCREE_NODE_ARRAYS_OFF };
/* FULL: only from the field, see docs/threads.md, section 9. */
enum { SCREE_PROGRESS_NONE, SCREE_PROGRESS_FULL, SCREE_PROGRESS_COMM };

/* The field of a COUNT, SIZE, TIME or CHOICE is a uint64_t, of a REAL a double, of a FLAG a bool, of a NAME a
 * const char *. */
typedef enum {
  SCREE_KIND_COUNT,  /* a whole number */
  SCREE_KIND_SIZE,   /* bytes */
  SCREE_KIND_TIME,   /* nanoseconds */
  SCREE_KIND_CHOICE, /* a word in `choices`: `min` for the first one, min + 1 for the second one ... */
  SCREE_KIND_REAL,   /* a finite number */
  SCREE_KIND_FLAG,   /* off or on */
  SCREE_KIND_NAME,   /* a text that is not empty, and is not copied */
  SCREE_KIND_FORM    /* a text that `read` understands */
} scree_option_kind;

typedef struct scree_option {
  const char *name; /* as on the command line: words joined by '-' */
  scree_option_kind kind;
  uint64_t def, min, max; /* of COUNT, SIZE, TIME, CHOICE */
  const char *choices;    /* CHOICE: the words, joined by '|'; COUNT, SIZE, TIME: "" or a word that means 0;
                                         * REAL: "" or a word that means unset; NAME, FORM: its placeholder in help */
  const char *help;       /* one line */
  size_t offset;          /* of the field in its struct */
  double real_def, real_min, real_max; /* of a REAL */
  bool exclusive;                      /* real_min and real_max themselves are not legal */
  bool rare;                           /* scree --help leaves it out; scree --help all has it */
  uint32_t bytes;                      /* of the field, if it is an enum, a bool or a narrower number; 0: as above */
  /* FORM: stores the text in the struct of the field. Returns false, with *fields as it was, if it is not legal. A FLAG
   * may have one, which also checks other fields. */
  bool (*read)(void *fields, const char *text);
} scree_option;

/* Number of options, and the i-th one. Local; any time, any thread. */
size_t scree_option_count(void);
const scree_option *scree_option_at(size_t i);

/* Parses `text` (units allowed: 16K, 50us) into the field of option `name` ('-' and '_' are the same).
 * Returns 0, or -1 with one line in why[size] that names the option, the value, the legal range and the remedy, and
 * *options as it was. Fails also if *options has no such field, or a size that no release has.
 * Local; any time, any thread. */
int scree_options_set(scree_options *options, const char *name, const char *text, char *why, size_t size);

/* Fills every unset field that *options has: first from the environment (SCREE_MEMORY=64M), then with the default.
 * Warns once per process on standard error of each SCREE_* variable that belongs to no option, with the nearest name.
 * Returns 0, or -1 with the reason in why[size] and *options as it was. On success, if from is not NULL, from[i]
 * becomes 'f' (field), 'e' (environment) or 'd' (default) for each option i that *options has. Local. */
int scree_options_resolve(scree_options *options, char *from, char *why, size_t size);

/* Writes the value of option i as text that scree_options_set reads back; "" if it is unset or *options has no such
 * field. Local; any thread. */
void scree_option_format(const scree_options *options, size_t i, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
