/* options.h - the options of a world, as the library takes them from a program of any release, and those of its
 * tests. */
#ifndef SCREE__OPTIONS_H
#define SCREE__OPTIONS_H
#include <scree/options.h>

#include "base/hash.h"
#include "base/sized.h"

/* What only tests set, as rows of SCREE_OPTIONS: by a field, or a variable as SCREE_TEST_RECEIVES. */
#define SCREE__TEST_OPTIONS(X)                                                                                         \
  X(test_pool_blocks, COUNT, 0, 0, 1 << 20, "", true, "maximum blocks in a pool, of each class of hops; 0: no limit")  \
  X(test_first_counts, COUNT, 0, 0, UINT64_MAX - 1, "", true,                                                          \
    "seed of the values near their ends at which counters and numbers begin; 0: all begin at 0, or 1")                 \
  X(test_receives, COUNT, 4, 1, 64, "", true, "receives that a worker keeps posted to MPI, for each class of hops")    \
  X(test_numbers_left, COUNT, 0, 0, 1 << 20, "", true,                                                                 \
    "values that identities, generations and numbers of objects have left before they start again; 0: all")

/* All options of a world. A test opens worlds with &o.user, where SCREE__OPTIONS_INIT has initialised o. */
typedef union scree__options {
  struct {
    size_t size;
#define SCREE__FIELD(field, kind, def, min, max, choices, rare, help) uint64_t field;
    SCREE_OPTIONS(SCREE__FIELD) SCREE__TEST_OPTIONS(SCREE__FIELD)
#undef SCREE__FIELD
  };
  scree_options user;
} scree__options;

/* `size` of those, which distinguishes them from the options that programs pass. */
#define SCREE__OPTIONS_SIZE (SIZE_MAX - sizeof(scree__options))
#define SCREE__OPTIONS_INIT                                                                                            \
  {                                                                                                                    \
    { SCREE__OPTIONS_SIZE, SCREE_OPTIONS(SCREE__INIT) SCREE__TEST_OPTIONS(SCREE__INIT) }                               \
  }

/* The kinds of counters. Those of one kind begin at the same value on all ranks. */
typedef enum {
  SCREE__COUNTS_BLOCKS,
  SCREE__COUNTS_HOLDS,
  SCREE__COUNTS_EPOCHS,
  SCREE__COUNTS_TOKENS,
  SCREE__COUNTS_RUNS,
  SCREE__COUNTS_RECORDS,
  SCREE__COUNTS_FILTERED, /* epochs */
  SCREE__COUNTS_INBOX,
  SCREE__COUNTS_TICKETS,
  SCREE__COUNTS_POLLS,
  SCREE__COUNTS_CREDITS,
  SCREE__COUNTS_CREDIT_MESSAGES,
  SCREE__COUNTS_ARRIVALS,
  SCREE__COUNTS_WRITTEN_OFF,
  SCREE__COUNTS_DOUBTFUL,
  SCREE__COUNTS_STEPS,
  SCREE__COUNTS_ROUNDS,
  SCREE__COUNTS_CLOSURES,
  SCREE__COUNTS_EXPOSED,
  SCREE__COUNTS_RANGES,
  SCREE__COUNTS_WAITERS,
  SCREE__COUNTS_NUMBERS
} scree__counted;

/* How many values such a counter has left before its end; 0: it begins at 0. */
static inline uint64_t scree__counts_left(const scree__options *o, scree__counted what) {
  return o->test_first_counts ? 1 + scree__hash_draw(o->test_first_counts, what) % 40 : 0;
}

/* Returns where a counter begins that wraps around: of 64 bits, or less, to which the value is cut. 0 but in tests. */
static inline uint64_t scree__first_count(const scree__options *o, scree__counted what) {
  return 0 - scree__counts_left(o, what);
}

/* The numbers of 1 to `max`, after which they start again: how many are left, 0: all; and the first one. */
static inline uint64_t scree__numbers_left(const scree__options *o) {
  return o->test_numbers_left ? o->test_numbers_left : scree__counts_left(o, SCREE__COUNTS_NUMBERS);
}
static inline uint64_t scree__first_number(const scree__options *o, uint64_t max) {
  const uint64_t left = scree__numbers_left(o);
  return left && left < max ? max - left + 1 : 1;
}

/* The i-th option, those of tests last; NULL past them. */
const scree_option *scree__option_at(size_t i);

/* The message about an option that is now unknown because only tests set it. Returns false, and writes "", if
 * there was none of that name, in which '-' and '_' are the same. Local. */
enum { SCREE__HINT_BYTES = 128 };
bool scree__option_hint(const char *name, char *text, size_t size);

/* Returns whether the environment variable, SCREE_..., is the variable of an option of the table or of one of `others`.
 * If it is neither, hint[size] becomes a message about what may have been meant, or "". A variable SCREE_TEST_... that
 * is near no option belongs to the harness of the tests and counts as known. Local. */
bool scree__option_has_variable(const char *variable, const char *const *others, size_t count, char *hint, size_t size);

extern const scree__sized scree__options_type;
/* Returns whether a program's struct has the field of a row; structs of older releases have fewer. */
static inline bool scree__option_is_in(const scree_options *options, const scree_option *row) {
  return row->offset + sizeof(uint64_t) <= options->size;
}

/* Threads of a rank that send and receive: its workers, and the progress thread if there is one. */
static inline uint32_t scree__options_endpoints(const scree__options *o) {
  return (uint32_t)o->threads + (o->progress == SCREE_PROGRESS_FULL);
}
/* Its threads: a communication thread is not an endpoint. */
static inline uint32_t scree__options_threads(const scree__options *o) {
  return scree__options_endpoints(o) + (o->progress == SCREE_PROGRESS_COMM);
}

#endif
