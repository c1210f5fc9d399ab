/* context.h - user-level contexts: functions with stacks of their own that take turns in one thread. */
#ifndef SCREE__CONTEXT_H
#define SCREE__CONTEXT_H
#include <stddef.h>
#include <stdint.h>

#include "base/tools.h"

/* All but `at` is read only when the context is first entered, freed, or announced to a tool; a switch reads `at` of
 * one and writes that of the other. */
typedef struct scree__context {
  void *at; /* where it continues next: in its stack, in the frame of its last switch. NULL: fn was not called yet */
  void (*fn)(void *arg);
  void *arg;
  char *stack; /* its lowest byte; NULL: a thread's own stack, until the address sanitizer reports where it is */
  size_t bytes;
  void *tool;        /* what a sanitizer knows of it */
  uint32_t valgrind; /* its number there */
  uint32_t guard;    /* bytes under `stack` that fault, where scree__context_new has mapped it */
} scree__context;

/* A context that calls fn(arg) when it first runs, on a new stack of about `stack` bytes, which ends in a page that
 * faults. fn must not return: its last act is scree__context_exit. When fn is done it may also switch away, and run
 * another function when it next runs: this costs a call; a new context costs two system calls. NULL: no memory. */
scree__context *scree__context_new(size_t stack, void (*fn)(void *arg), void *arg);
/* The calling thread's own stack, as a context to come back to. NULL: no memory. */
scree__context *scree__context_adopt(void);
/* Frees a context that does not run and, if it was adopted, to which none switches any more. NULL is legal. */
void scree__context_free(scree__context *context);

/* Makes the same of memory of the caller's, the stack being memory[0 .. bytes - 1]; both belong to the caller until
 * scree__context_drop. Memory of a context that has exited or was dropped may be used again. Allocates nothing, but for
 * the thread sanitizer. */
void scree__context_new_on(scree__context *context, void *memory, size_t bytes, void (*fn)(void *arg), void *arg);
void scree__context_drop(scree__context *context);

/* Switches from the running context to another one; returns when some context switches back. Both belong to the thread
 * that calls. What is per thread (errno, thread-local variables, the signal mask, floating-point modes) is not
 * switched. */
void scree__context_switch(scree__context *from, scree__context *to);
/* The same for the last time: `from` never runs again. */
_Noreturn void scree__context_exit(scree__context *from, scree__context *to);

/* Loads into the cache what a context will read of its stack when it next runs: the frames of the switch and of its
 * callers. Reads the context itself, whose line should have been prefetched a few switches earlier. */
static inline void scree__context_prefetch(const scree__context *context) {
  const char *at = context->at;
  __builtin_prefetch(at, 1);
  __builtin_prefetch(at + 64, 1);
  __builtin_prefetch(at + 128, 1);
}

/* ---- a switch to a context that has run, as part of the function that switches: for one that does little else ---- */

/* A jump checks no frame that it leaves, and the owner of a stack checks that stack's canary. */
#if defined(__has_attribute)
#if __has_attribute(no_stack_protector)
#define SCREE__WITHOUT_CANARY __attribute__((no_stack_protector))
#endif
#endif
#ifndef SCREE__WITHOUT_CANARY
#define SCREE__WITHOUT_CANARY
#endif

/* Attributes of a function that contains SCREE__CONTEXT_HOP: it must not be inlined. */
#define SCREE__SWITCHES SCREE__NOT_INSTRUMENTED SCREE__WITHOUT_CANARY __attribute__((noinline))

#if defined(__x86_64__) && !defined(SCREE__TSAN) && !defined(SCREE__ASAN)
/* The call is never made. It shows the compiler that control may come back: otherwise it takes a jump in this function
 * for its end. */
#define SCREE__CONTEXT_HOP(from, to)                                                                                   \
  do {                                                                                                                 \
    void *here_[5];                                                                                                    \
    (from)->at = here_;                                                                                                \
    if (__builtin_setjmp(here_) == 0) {                                                                                \
      if ((to)->at) __builtin_longjmp((to)->at, 1);                                                                    \
      scree__context_switch(from, to);                                                                                 \
    }                                                                                                                  \
  } while (0)
#else
#define SCREE__CONTEXT_HOP(from, to) scree__context_switch(from, to)
#endif

/* A thread-local variable that is found without a call also in a shared library; few bytes, so that a library that is
 * loaded late finds space for it. */
#define SCREE__NEAR_TLS __attribute__((tls_model("initial-exec")))
#endif
