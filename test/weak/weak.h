/* weak.h - a simulated memory of C11 under the library's own code, in the simulator.
 *
 * Sources are compiled unmodified with -fsanitize=thread and linked with these files in place of the sanitizer's
 * library: each atomic operation is a call (calls.c). An atomic object keeps its last stores, each with the view that
 * its release left (memory.c): what its thread knew of all atomic objects, and a vector clock. A load returns, by the
 * seed, any store that coherence and the thread's own view allow; an acquire joins the view. Plain accesses are
 * compared by their clocks (plain.c). What else orders threads comes from the simulator (scree__order), and from locks,
 * which are wrapped.
 *
 * A plain store may be placed before newer ones that its thread does not know of, in the modification order, and then
 * stays older than them; but two unordered stores of different values are a finding, unless they are meant (report.c).
 * What is seq_cst orders atomic objects alone, not plain accesses. Not modelled: values out of thin air, what follows
 * from consume. */
#ifndef WEAK_H
#define WEAK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scree/global.h>

#include "sim/token.h"

enum { WEAK_THREADS = 96, WEAK_FRAMES = 64, WEAK_STORES = 6 };

/* What a thread knows, or what a store has released. */
typedef struct {
  uint32_t *seen, count; /* by atomic object: the last store known of, as its place in the modification order */
  uint32_t clock[WEAK_THREADS];
} weak_view;

typedef struct {
  weak_view now;
  weak_view acquired; /* of stores that relaxed loads have read: a fence joins them */
  weak_view released; /* as a fence has left it: later relaxed stores carry it, if `fenced` */
  bool fenced;
  bool foreign;                /* it acts as a thread that owns no worker */
  uint32_t frame[WEAK_FRAMES]; /* calls of functions that are open */
  uint32_t frames, stack;      /* stack: their number in report.c, 0: not yet known */
} weak_thread;

/* Where something was done, for reports. */
typedef struct {
  uint32_t place, stack;
} weak_site;

typedef struct {
  uint64_t runs, loads, stale, updates, stores, earlier, plain; /* earlier: stores before newer ones */
  uint64_t failed;                                              /* compare-and-swaps, on a stale value */
} weak_counts;
extern weak_counts weak_total;

/* run.c */
extern const scree__order_ops weak_order; /* to be scree__order */
extern bool weak_fatal;                   /* a finding ends the program */
void weak_observe(bool on);
bool weak_runs(void); /* by the calling thread of the system */
uint32_t weak_me(void);
weak_thread *weak_thread_of(uint32_t i);
uint64_t weak_draw(uint64_t n); /* 0 .. n - 1, by the seed */
uint64_t weak_odds(void);       /* of the run: 1 or 2 */
void weak_step(void);           /* a yield point */
void weak_yield(void);          /* this thread waits for others */
void weak_ignore(const void *from, size_t bytes);
void weak_ignore_none(void);
bool weak_is_ignored(uintptr_t at);

/* report.c. Places are offsets in the program. */
uint32_t weak_offset(const void *pc);
weak_site weak_here(uint32_t place); /* in the calling thread */
/* Two acts that nothing orders; the first finding of a run stays. */
void weak_find(const char *what, uint32_t other_thread, weak_site first, weak_site then);
const char *weak_finding(void); /* of the run; NULL: none */
void weak_report_begin(uint64_t seed);

/* view.c */
void weak_join(weak_view *to, const weak_view *from);
void weak_join_seen(weak_view *to, const weak_view *from); /* of atomic objects alone */
void weak_clear(weak_view *view);
uint32_t *weak_seen(weak_view *view, uint32_t object);

/* objects.c */
typedef struct {
  uint64_t value;
  weak_view *released; /* by its thread, or by the stores that it continues; NULL: nothing */
  uint32_t thread;     /* that stored it */
  weak_site site;
  uint32_t place; /* in the modification order; they grow */
  bool continues; /* a read-modify-write: it follows the one before at once */
} weak_stored;
typedef struct {
  uintptr_t at;
  uint32_t count;
  weak_stored last[WEAK_STORES]; /* in modification order */
} weak_object;
typedef struct {
  volatile void *at;
  int bytes, order, failure; /* order if it fails */
  uint32_t place;
} weak_access;
uint32_t weak_object_of(const weak_access *a);
weak_object *weak_object_at(uint32_t id);
/* Before store `index`, or after the last; takes `released`. Returns its place in the modification order. */
uint32_t weak_object_add(weak_object *o, uint32_t index, weak_stored stored);
uint64_t weak_read(const weak_access *a);
void weak_write(const weak_access *a, uint64_t value);
void weak_forget(uintptr_t from, uintptr_t to); /* atomic objects in memory that is allocated anew */
void weak_objects_end(void);

/* memory.c */
typedef enum { WEAK_ADD, WEAK_SUB, WEAK_OR, WEAK_AND, WEAK_EXCHANGE, WEAK_COMPARE } weak_op;
uint64_t weak_load(weak_access a);
void weak_store(weak_access a, uint64_t value);
/* Returns the value before; *done: stored. */
uint64_t weak_update(weak_access a, weak_op op, uint64_t operand, uint64_t expected, bool *done);
void weak_fence(int order);
void weak_memory_end(void);

/* litmus.c */
void weak_litmus(void **unused); /* tests */
void weak_atomics(void **unused);
/* Of a world with tasks: 64 bytes on each rank, which all ranks of a node access directly, at one address. An epoch is
 * open then; NULL: it failed. `map` and `words` are of the first rank. */
struct scree_worker *weak_open_words(struct scree_world *world, const scree_global_map **map, scree_global *words);

/* directed.c */
/* Plays seeds from SCREE_TEST_SEED on, default 1, until a check fails or there is a finding. */
void weak_for_seeds(void (*play)(uint64_t seed));
/* Only where MPI is simulated: else NULL. */
void sim_mpi_let_fail(uint32_t calls) __attribute__((weak));
void weak_deque(void **unused); /* tests */
void weak_stolen(void **unused);
void weak_texts(void **unused);
void weak_foreign(void **unused);
void weak_comm(void **unused);
/* An epoch in which one worker, `this`, fails. All read the text as soon as there is one, as threads that own no worker
 * too. */
struct scree_worker;
void weak_fail_one(struct scree_worker *w, bool this);

/* alone.c */
void weak_run_threads(uint64_t seed, uint32_t threads, void (*run)(void *arg, uint32_t thread), void *arg);
void weak_counters(void **unused); /* tests */
void weak_pauses(void **unused);

/* words.c */
void weak_words(void **unused); /* tests */
void weak_program_order(void **unused);

/* plain.c */
void weak_plain(const volatile void *at, size_t bytes, bool write, uint32_t place);
void weak_copied(void *to, const void *from, size_t bytes, uint32_t place); /* by a function of the C library */
void weak_fresh(const void *at, size_t bytes);
void weak_freed(void *at, size_t bytes, uint32_t place);
void weak_plain_begin(void);
#endif
