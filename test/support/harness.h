/* harness.h - what every test program shares: checks, the verdict over ranks and threads, the watchdog, the last line.
 *
 * A test file is cmocka as usual, but for three things. HARNESS_TEST(name) begins a body that needs no state, and adds
 * it to the tests of the program, which run in the order of their definitions. Bodies assert with check..., which may
 * be used from any thread and on any rank, and does not leave the body; cmocka's own assert_... leave the body, so they
 * are for the main thread of programs without ranks. The file ends with one of
 *   HARNESS_MAIN                 no launcher: unit and sim tests
 *   HARNESS_MPI_MAIN             every rank runs every body; MPI is up, unless ranks without a launcher have
 *                                    none (bench/support/ranks.h)
 * A test passes if some check was made and none failed, on no rank. The last line of a run that came to its end is
 *   harness: NAME done, R ranks, P passed, F failed, S skipped
 * and a run without it has failed, whatever its exit code.
 *
 * Environment: SCREE_TEST_TIMEOUT (seconds in which a test must make a check, default 120), SCREE_TEST_FULL=1 (the
 * whole product, not a sample), SCREE_TEST_VERBOSE=1 (ranks above 0 keep their output), SCREE_TEST_DATA (where real
 * graphs are), SCREE_TEST_FIRST_COUNTS (seed of the values near their ends at which the counters of worlds begin,
 * default 1; 0: they begin at 0), SCREE_TEST_RESULT (a file that gets the lines of this library's own, the last line
 * among them). */
#ifndef HARNESS_H
#define HARNESS_H
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Handlers, virtual ranks and bodies have the parameters of their kind, also those that they do not need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define HARNESS_TEST(name)                                                                                             \
  static void name(void **no_state);                                                                                   \
  __attribute__((constructor)) static void add_##name(void) {                                                          \
    harness_add((struct CMUnitTest)cmocka_unit_test(name));                                                            \
  }                                                                                                                    \
  static void name(void **no_state)
/* Adds a test to the program. */
void harness_add(struct CMUnitTest test);

/* All are true if the check held, and may be used in any thread. A failure prints rank, place and expression, and
 * fails the test; only the first 20 of a test are printed. */
#define check(cond)           harness__check((cond), __FILE__, __LINE__, "%s", #cond)
#define check_text(cond, ...) harness__check((cond), __FILE__, __LINE__, __VA_ARGS__)
#define check_equal(a, b)     harness__check_equal((uint64_t)(a), (uint64_t)(b), __FILE__, __LINE__, #a, #b)
#define check_string(a, b)    harness__check_string((a), (b), __FILE__, __LINE__, #a, #b)
/* `text` contains `part`: for error messages. */
#define check_contains(text, part) harness__check_contains((text), (part), __FILE__, __LINE__, #text)

/* cmocka's asserts count as checks: the functions that its macros expand to are counted. */
#define _assert_true(...)         (harness__moved(), (_assert_true)(__VA_ARGS__))
#define _assert_int_equal(...)    (harness__moved(), (_assert_int_equal)(__VA_ARGS__))
#define _assert_string_equal(...) (harness__moved(), (_assert_string_equal)(__VA_ARGS__))
#define _assert_memory_equal(...) (harness__moved(), (_assert_memory_equal)(__VA_ARGS__))

/* Leaves the test as skipped, with the reason in the summary. All ranks or none; main thread. */
void harness_skip(const char *reason);

/* Checks that failed in this test so far, on this rank: to stop a loop over seeds at the first bad one. */
unsigned harness_failures(void);

/* Writes what this process has run, where coverage is measured, since _exit does not; and ends it by that. */
void harness_keep_coverage(void);
__attribute__((noreturn)) void harness_exit(int code);

/* True with --setup full: take all of an option space instead of a sample. */
bool harness_full(void);

/* How many cases a test of drawn ones takes: SCREE_TEST_SEEDS if that is set; `full` of the full run; an eighth of
 * `usual` of a brief one (--setup brief: slow builds, as with sanitizers, which find other faults). */
uint64_t harness_seeds(uint64_t usual, uint64_t full);

/* Path of a file in the data directory, in static memory of the calling thread; NULL if it is not there. */
const char *harness_data(const char *file);
/* The reason to skip where it is not there. */
#define HARNESS_NO_DATA "real graphs are missing: CONTRIBUTING.md has their sources, SCREE_TEST_DATA is their directory"

/* The reason to skip where ranks were started without MPI. */
#define HARNESS_NO_MPI "ranks without a launcher have no MPI"

/* This rank and their number; 0 and 1 without MPI. */
extern int harness_rank, harness_ranks;

/* The thread level that is requested from MPI; set before harness__mpi_main where worlds need more than
 * MPI_THREAD_FUNNELED. */
extern int harness_level;

/* The same value on all ranks if `mine` is true on all. Collective; never waits inside MPI. */
bool harness_all(bool mine);

#define HARNESS_MAIN                                                                                                   \
  int main(int argc, char **argv) {                                                                                    \
    return harness__main(argc, argv);                                                                                  \
  }
#define HARNESS_MPI_MAIN                                                                                               \
  int main(int argc, char **argv) {                                                                                    \
    return harness__mpi_main(argc, argv);                                                                              \
  }
/* Adds the tests of an array of struct CMUnitTest. */
#define HARNESS_ADD(tests)                                                                                             \
  for (size_t test_ = 0; test_ < sizeof(tests) / sizeof((tests)[0]); test_++) harness_add((tests)[test_])
/* The same as HARNESS_MAIN, for tests that have a state or a setup. */
#define HARNESS_MAIN_OF(tests)                                                                                         \
  int main(int argc, char **argv) {                                                                                    \
    HARNESS_ADD(tests);                                                                                                \
    return harness__main(argc, argv);                                                                                  \
  }

/* ---- private -------------------------------------------------------------------------------------------------- */

void harness__moved(void); /* a check was made; any thread */
bool harness__check(bool ok, const char *file, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));
bool harness__check_equal(uint64_t a, uint64_t b, const char *file, int line, const char *a_text, const char *b_text);
bool harness__check_string(const char *a, const char *b, const char *file, int line, const char *a_text,
                           const char *b_text);
bool harness__check_contains(const char *text, const char *part, const char *file, int line, const char *name);

/* How ranks agree; replaced by harness_mpi.c. */
extern bool (*harness__agree)(bool mine);
extern FILE *harness__err; /* the real standard error, also where cmocka's is redirected */

int harness__main(int argc, char **argv);
int harness__mpi_main(int argc, char **argv);
#endif
