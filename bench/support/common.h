/* common.h - shared parts of the benchmarks: options, rounds, medians, worlds, items of any size, the record.
 *
 * A benchmark runs under mpirun or, with --ranks N or SCREE_RANKS=N, starts its ranks itself; these have no MPI, so
 * that rows and columns of MPI are left out. Rank 0 prints. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H
#include <cjson/cJSON.h>
#include <mpi.h>
#include <scree/memory.h>
#include <scree/scree.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/option_table.h"
#include "ranks.h"

typedef struct {
  const char *name;
  int rank, ranks;           /* ranks: those taking part */
  bool full, is_help, quiet; /* quiet: no table */
  int rounds, scale;
  size_t bytes;     /* of items: rows of other sizes are left out; 0: none are */
  const char *json; /* file, "-", or NULL */
  char **rest;      /* arguments after --, up to NULL */
  cJSON *results;   /* array of flat records; rank 0 */
} bench;

/* An option of a mode's own, and the variable that its value goes to: a uint64_t of a COUNT, a double of a REAL. */
typedef struct {
  scree_option row;
  void *to;
} bench_own_option;

/* One of the jobs that a program can do. */
typedef struct {
  const char *name, *what; /* an argument; the help */
  bool (*run)(bench *b);
  const bench_own_option *own; /* up to one without a name; NULL: none */
  int ranks;                   /* that it needs; 0: any number */
  int thread_level;            /* that is requested from MPI; 0: MPI_THREAD_FUNNELED */
  bool needs_mpi;
  bool takes_rest;
  const size_t *sizes; /* of items, up to 0, that its --bytes takes; NULL: it has no such option */
} bench_mode;

/* The modes of a program, up to one without a name: it defines them, and main.c runs them. */
extern const bench_mode bench_modes[];

/* Runs the mode that the first argument names, otherwise the first one. Starts the ranks, reads --ranks N, --json
 * FILE|-, --full, --rounds N, --scale N and the mode's own options; on --help prints help. Returns the exit code: 1
 * after a failure, 2 for bad usage, which is reported on rank 0. */
int bench_main(int argc, char **argv, const bench_mode *modes);

/* Those that another program runs too: bench_modes of the four. */
extern const bench_mode bench_bandwidth[], bench_epoch[], bench_latency[], bench_message_rate[];

/* What such a program does with the results, instead of writing a record. Set before bench_main. */
typedef struct {
  bool quiet;
  bool (*take)(const bench *b, void *arg); /* on rank 0; false: the exit code is 1 */
  void *arg;
} bench_taker;
extern bench_taker bench_results;

/* Rows of items of that size are measured: --bytes is not given, or this. */
bool bench_wants(const bench *b, size_t bytes);

/* The ranks taking part: all of them, except inside bench_on_ranks. */
extern MPI_Comm bench_comm;

/* Calls `run` on the first n ranks, with bench_comm and b->ranks set to them; the others sleep. Collective over all
 * ranks. True on all ranks if it returned true on all of the first n. Without MPI several ranks, but not all, are left
 * out, and rank 0 prints that. */
bool bench_on_ranks(bench *b, int n, bool (*run)(bench *b, void *arg), void *arg);

/* All ranks share memory. Collective over all ranks. */
bool bench_one_node(void);

/* Sums over bench_comm. Collective. */
void bench_sum(const uint64_t *mine, uint64_t *all, size_t words);

/* A column of a table: its name in the record, NULL: it is not there; how rank 0 prints it, a text or a value times
 * `scale` (0: 1) as a double, NULL: it does not. A value that the row does not have is NAN, and not in the record. */
typedef struct {
  const char *name, *format, *text;
  double value, scale;
} bench_cell;
#define BENCH_TEXT(NAME, FORMAT, TEXT)                                                                                 \
  { NAME, FORMAT, TEXT, 0, 0 }
#define BENCH_CELL(NAME, FORMAT, VALUE, SCALE)                                                                         \
  { NAME, FORMAT, NULL, VALUE, SCALE }

/* Prints the head of a table on rank 0, unless there is none. */
void bench_head(const bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a row and adds its record. */
#define bench_row(b, ...)                                                                                              \
  bench_add_row(b, (const bench_cell[]){__VA_ARGS__}, sizeof((const bench_cell[]){__VA_ARGS__}) / sizeof(bench_cell))
void bench_add_row(bench *b, const bench_cell *cells, size_t count);

double bench_now(void); /* seconds */
/* The median of n values, which it sorts. */
double bench_median(double *values, int n);
/* The slowest rank's value, on all ranks. */
double bench_slowest(double mine);

/* One of several variants of a job, timed against the others. */
typedef struct {
  const char *name;
  void (*run)(void *arg, uint64_t n);   /* does the job n times */
  double (*timed)(void *arg);           /* instead: does it n times, returns the seconds that count */
  bool (*check)(void *arg, uint64_t n); /* not timed: true if all of it was done. Also prepares the next run */
  void *arg;
  bool mpi;               /* left out where there is no MPI: `seconds` and `spread` are NAN */
  uint64_t n;             /* jobs per round; 0: as many as take about 20 ms, found while warming up */
  double seconds, spread; /* out: of one job on the slowest rank, median of the rounds; (max - min) / median */
} bench_variant;

/* Interleaves the variants, so that drift affects them equally; the first round warms up. Every rank starts its time
 * after a common barrier: with more ranks than cores, a loop without messages is timed as if its rank were alone.
 * Collective. False on all ranks: a check failed on some rank, reported on rank 0. */
bool bench_rounds(const bench *b, bench_variant *variants, int count);

/* True if `mine` is true on all ranks. Collective. */
bool bench_all(bool mine);

/* The transports that rows compare; NULL past the last, and for that of MPI where there is none. */
extern const char *bench_transports[];
/* True if a world can have that transport. */
bool bench_has(const char *transport);
/* Measures each transport that a world can have, as long as `measure` returns true; returns whether all did. */
bool bench_each_transport(bench *b, bool (*measure)(bench *b, const char *transport));
/* A world of bench_comm by that transport and with these options: "detector=flat in-flight=64". What is NULL or not
 * given comes from the environment, as always. NULL: none; the reason is on standard error. */
scree_world *bench_open(const char *transport, const char *options);

/* Fixed-size items of many sizes, each with its own send as the library generates it. */
typedef struct {
  size_t bytes;
  void (*send)(scree_worker *w, uint32_t type, uint32_t dest, const void *item);
} bench_item;
extern const bench_item bench_items[];
extern const size_t bench_item_count, bench_item_sizes[]; /* the sizes up to 0 */
/* The option threads that the environment sets, or `otherwise`. */
uint64_t bench_threads(uint64_t otherwise);

/* NULL: no item of that size. */
const bench_item *bench_item_of(size_t bytes);

/* Writes a number to both ends of an item of 8 bytes or more; the second reads it and is true if both ends agree. */
void bench_stamp(void *item, size_t bytes, uint64_t number);
bool bench_stamped(const void *item, size_t bytes, uint64_t *number);

/* Zeroed memory whose pages have been touched, on huge pages if requested and available, otherwise on none. The caller
 * frees it with scree_huge_free. */
void *bench_alloc(size_t bytes, bool huge);

/* Zipf's law: k, from 0, is drawn in proportion to 1 / (k + 1)^s. sums: of the shares up to each k; NULL: no memory.
 * The caller frees them. */
double *bench_zipf_sums(uint32_t n, double s);
uint32_t bench_zipf_draw(const double *sums, uint32_t n, uint64_t draw);

/* The upper half of a draw, scaled to 0 .. n - 1. */
static inline uint32_t bench_below(uint64_t draw, uint32_t n) {
  return (uint32_t)(((draw >> 32) * n) >> 32);
}

/* The next word of a linear congruential generator (Knuth's MMIX constants); only its upper bits are random enough. */
static inline uint64_t bench_draw(uint64_t *x) {
  *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *x;
}
#endif
