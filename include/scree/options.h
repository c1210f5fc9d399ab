/* options.h - the one table of options.
 *
 * Room: every knob of a world stands here once, typed, with unit, default, range and help. The struct below, its
 * defaults, the SCREE_* environment variables, the flags of the command line, docs/options.md and the print-out of
 * "value and where it came from" are all generated from it. C11 and C++. */
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

/* X(field, kind, default, least, most, choices, help)
 * kind: COUNT (a number), SIZE (bytes; suffixes K M G), TIME (nanoseconds; suffixes ns us ms s), CHOICE (a word)
 * choices: the words of a CHOICE; of any other kind, "" or a word that stands for 0, which is then legal beside the
 * range */
/* clang-format off */
#define SCREE_OPTIONS(X)                                                                                               \
  X(transport, CHOICE, 0, 0, 2, "auto|shm|mpi",                                                                        \
    "how blocks travel: auto takes shared memory on a node and MPI between nodes, and MPI alone where shared memory "      \
    "cannot be had; shm is the same, but opening fails there")                                     \
  X(coalesce_bytes, SIZE, 0, 1, UINT64_C(1) << 20, "auto",                                                             \
    "bytes of records that a block takes before it leaves; auto finds each lane's own size, 1K to 64K")                \
  X(memory, SIZE, UINT64_C(16) << 20, 4096, UINT64_C(1) << 36, "",                                                     \
    "memory of a rank for blocks, per pool; blocks get smaller as more destinations are in use")                       \
  X(huge_pages, CHOICE, 1, 0, 1, "off|on",                                                                             \
    "ask for huge pages for private pools and graph arrays; off leaves it to the system")                              \
  X(pool_blocks, COUNT, 0, 0, 1 << 20, "",                                                                             \
    "most blocks in a pool; 0 leaves it to the memory option (a study of back-pressure sets it)")                      \
  X(in_flight, COUNT, 4, 1, 64, "",                                                                                    \
    "most blocks on their way from one rank to another")                                                               \
  X(batch_max, COUNT, 8192, 1, 1 << 24, "",                                                                            \
    "most items that a handler gets in one call")                                                                      \
  X(flush_age, TIME, 1000000, 0, UINT64_C(3600000000000), "",                                                           \
    "age of a lane's oldest message at which its block leaves, full or not")                                           \
  X(overflow_max, SIZE, 0, 0, UINT64_C(1) << 44, "",                                                                   \
    "most private memory for what handlers send beyond the pools; 0 takes a quarter of the rank's share of memory")    \
  X(spin, COUNT, 256, 0, 1 << 24, "",                                                                                  \
    "idle polls before a rank yields its core")                                                                        \
  X(hang_timeout, TIME, UINT64_C(60000000000), 0, UINT64_C(86400000000000), "",                                        \
    "silence in an epoch after which a rank prints the hang report; 0 switches it off")                                \
  X(checked, CHOICE, 0, 0, 1, "off|on",                                                                                \
    "check the caller's use of every send (state, thread, type, size), at a cost")                                     \
  X(stats, CHOICE, 0, 0, 2, "off|table|json",                                                                          \
    "print the statistics of the world on standard error when it closes")                                              \
  X(chaos, COUNT, 0, 0, UINT64_MAX - 1, "",                                                                            \
    "seed of random delays, reordering and refusals in the transport; 0 switches them off")                            \
  X(counter_start, COUNT, 0, 0, UINT64_MAX - 1, "",                                                                    \
    "first value of the created and completed counters (tests of wrap-around)")
/* clang-format on */

/* Every field holds SCREE_UNSET or a value in the option's range. */
typedef struct scree_options {
#define SCREE__FIELD(field, kind, def, min, max, choices, help) uint64_t field;
  SCREE_OPTIONS(SCREE__FIELD)
#undef SCREE__FIELD
} scree_options;

/* All fields unset:  scree_options o = SCREE_OPTIONS_INIT;  o.memory = 1 << 20; */
#define SCREE__INIT(field, kind, def, min, max, choices, help) SCREE_UNSET,
#define SCREE_OPTIONS_INIT                                                                                             \
  { SCREE_OPTIONS(SCREE__INIT) }

/* Values of the choices, in the order of their words. */
enum { SCREE_TRANSPORT_AUTO, SCREE_TRANSPORT_SHM, SCREE_TRANSPORT_MPI };
enum { SCREE_HUGE_PAGES_OFF, SCREE_HUGE_PAGES_ON };
enum { SCREE_CHECKED_OFF, SCREE_CHECKED_ON };
enum { SCREE_STATS_OFF, SCREE_STATS_TABLE, SCREE_STATS_JSON };

/* The field of a COUNT, SIZE, TIME or CHOICE is a uint64_t, of a REAL a double, of a FLAG a bool. */
typedef enum {
  SCREE_KIND_COUNT,  /* a whole number */
  SCREE_KIND_SIZE,   /* bytes */
  SCREE_KIND_TIME,   /* nanoseconds */
  SCREE_KIND_CHOICE, /* the index of a word in `choices` */
  SCREE_KIND_REAL,   /* a finite number */
  SCREE_KIND_FLAG    /* off or on */
} scree_option_kind;

typedef struct scree_option {
  const char *name; /* as on the command line: words joined by '-' */
  scree_option_kind kind;
  uint64_t def, min, max; /* of COUNT, SIZE, TIME, CHOICE */
  const char *choices;    /* CHOICE: the words, joined by '|'; COUNT, SIZE, TIME: "" or a word that means 0;
                                         * REAL: "" or a word that means unset */
  const char *help;       /* one line */
  size_t offset;          /* of the field in its struct */
  double real_def, real_min, real_max; /* of a REAL */
  bool exclusive;                      /* real_min and real_max themselves are not legal */
} scree_option;

/* Number of options, and the i-th one. Local; any time, any thread. */
size_t scree_option_count(void);
const scree_option *scree_option_at(size_t i);

/* Parses `text` (units allowed: 16K, 50us) into the field of option `name` ('-' and '_' are the same).
 * Returns 0, or -1 with one line in why[size] that names the option, the value, the legal range and the remedy.
 * Local; any time, any thread. */
int scree_options_set(scree_options *options, const char *name, const char *text, char *why, size_t size);

/* Fills every unset field: first from the environment (SCREE_MEMORY=64M), then with the default. Warns once per
 * process on standard error of each SCREE_* variable that no option has, with the nearest name. Returns 0, or -1
 * with the reason in why[size]. from[i], when given, becomes 'f' (field), 'e' (environment) or 'd' (default) for
 * option i. Local. */
int scree_options_resolve(scree_options *options, char *from, char *why, size_t size);

/* Writes the value of option i as text that scree_options_set reads back. Local; any thread. */
void scree_option_format(const scree_options *options, size_t i, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
