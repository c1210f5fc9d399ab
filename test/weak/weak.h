/* weak.h - a simulated memory of C11 under the library's own code, in the simulator.
 *
 * Sources are compiled unmodified with -fsanitize=thread and linked with these files in place of the sanitizer's library: each
 * atomic operation is a call (calls.c). An atomic object keeps its last stores, each with the view that its release left
 * (memory.c): what its thread knew of all atomic objects, and a vector clock. A load returns, by the seed, any store that coherence
 * and the thread's own view allow; an acquire joins the view. Plain accesses are compared by their clocks (plain.c). What else
 * orders threads, the simulator says (scree__order), and locks, which are wrapped.
 *
 * Not modelled: modification orders other than the order of execution, but two unordered stores of different values to one object
 * are a finding; operations that are seq_cst count as acq_rel, fences that are in full; values out of thin air. */
#ifndef WEAK_H
#define WEAK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/token.h"

enum { WEAK_THREADS = 96, WEAK_FRAMES = 64 };

/* Of a thread, or of what a store released. */
typedef struct {
  uint32_t *seen, count; /* by atomic object: the last store known of, counted from 0 */
  uint32_t clock[WEAK_THREADS];
} weak_view;

typedef struct {
  weak_view now;
  weak_view acquired; /* of stores that relaxed loads have read: a fence joins them */
  weak_view released; /* as a fence has left it: later relaxed stores carry it, if `fenced` */
  bool fenced;
  int locks;                   /* held: no yield point */
  uint32_t frame[WEAK_FRAMES]; /* calls of functions that are open */
  uint32_t frames;
} weak_thread;

typedef struct {
  uint64_t runs, loads, stale, updates, stores, plain, failed; /* failed: compare-and-swaps, on a stale value */
} weak_counts;
extern weak_counts weak_total;

/* run.c */
extern const scree__order_ops weak_order; /* to be scree__order */
bool weak_runs(void);                     /* by the calling thread of the system */
uint32_t weak_me(void);
weak_thread *weak_thread_of(uint32_t i);
uint64_t weak_draw(uint64_t n); /* 0 .. n - 1, by the seed */
void weak_step(void);           /* a yield point */
/* The first finding of the run; NULL: none. Plain accesses to what is ignored are not compared. */
const char *weak_finding(void);
void weak_ignore(const void *from, size_t bytes);
bool weak_is_ignored(uintptr_t at);
/* A finding: two places in the program, as their offsets in it. */
void weak_find(const char *what, uint32_t other_thread, const uint32_t other[2], uint32_t place);
uint32_t weak_offset(const void *pc);

/* view.c */
void weak_join(weak_view *to, const weak_view *from);
void weak_clear(weak_view *view);
uint32_t *weak_seen(weak_view *view, uint32_t object);

/* memory.c */
typedef enum { WEAK_ADD, WEAK_SUB, WEAK_OR, WEAK_AND, WEAK_EXCHANGE, WEAK_COMPARE } weak_op;
typedef struct {
  volatile void *at;
  int bytes, order, failure; /* order if it fails */
  uint32_t place;
} weak_access;
uint64_t weak_load(weak_access a);
void weak_store(weak_access a, uint64_t value);
/* Returns the value before; *done: stored. */
uint64_t weak_update(weak_access a, weak_op op, uint64_t operand, uint64_t expected, bool *done);
void weak_fence(int order);
void weak_forget(uintptr_t from, uintptr_t to); /* atomic objects in memory that is allocated anew */
void weak_memory_end(void);

/* plain.c */
void weak_plain(const volatile void *at, size_t bytes, bool write, uint32_t place);
void weak_fresh(const void *at, size_t bytes);
void weak_plain_begin(void);
#endif
