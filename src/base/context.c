/* context.c - contexts by ucontext and setjmp. The system's calls that switch contexts set the signal mask, a system call
 * each time; so they only enter a new stack, and from then on switches are jumps, which take nanoseconds
 * (Engelschall, "Portable Multithreading: the Signal Stack Trick", USENIX 2000, compares the ways). Each switch is
 * announced to the sanitizers. */
#undef _FORTIFY_SOURCE /* its longjmp refuses to go to another stack */
#include "base/context.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN
#elif __has_feature(thread_sanitizer)
#define WITH_TSAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN
#elif defined(__SANITIZE_THREAD__)
#define WITH_TSAN
#endif
#ifdef WITH_ASAN
#include <sanitizer/common_interface_defs.h>
#define NOT_INSTRUMENTED __attribute__((noinline, no_sanitize("address")))
#else
#define NOT_INSTRUMENTED
#endif
/* The compiler's own jump is a few instructions without a call, so that calls and returns stay balanced and the processor
 * predicts the returns that follow. clang has it for some processors only; the thread sanitizer wants to see the C
 * library's. The address sanitizer's _longjmp forgets what it knows of the stack, with a system call each time: half of
 * the time of a simulated run; the callers must not do so either. */
#if defined(WITH_ASAN) || (defined(__x86_64__) && !defined(WITH_TSAN))
typedef void *jump_buffer[5];
#define set_jump(buffer) __builtin_setjmp(buffer)
#define jump(buffer)     __builtin_longjmp(buffer, 1)
#else
typedef jmp_buf jump_buffer;
#define set_jump(buffer) _setjmp(buffer)
#define jump(buffer)     _longjmp(buffer, 1)
#endif
#ifdef WITH_TSAN
#include <sanitizer/tsan_interface.h>
#endif

struct scree__context {
  union {
    ucontext_t start; /* of the first turn; not in a frame, which would be left without a return */
    jump_buffer at;   /* where the next turn continues */
  };
  bool entered;
  void (*fn)(void *);
  void *arg;
  char *map; /* the stack, with its guard page at the low end; NULL: a thread's own */
  size_t map_bytes;
  const void *bottom; /* what the address sanitizer knows of the stack */
  size_t bytes;
  void *fake_stack;
  void *fiber; /* of the thread sanitizer */
};

/* ---- sanitizers: before and after a switch ---- */

static void leaving(scree__context *from, scree__context *to, bool for_ever) {
#ifdef WITH_ASAN
  __sanitizer_start_switch_fiber(for_ever ? NULL : &from->fake_stack, to->bottom, to->bytes);
#endif
#ifdef WITH_TSAN
  __tsan_switch_to_fiber(to->fiber, 0);
#endif
  (void)from, (void)to, (void)for_ever;
}

static _Thread_local scree__context *left; /* the context that had the turn before */

static void arrived(scree__context *here) {
#ifdef WITH_ASAN
  __sanitizer_finish_switch_fiber(here->fake_stack, &left->bottom, &left->bytes);
#endif
  (void)here;
}

/* ---- switching ---- */

static _Thread_local scree__context *entering;

static void entry(void) {
  scree__context *here = entering;
  arrived(here);
  here->fn(here->arg);
  abort(); /* fn returned */
}

NOT_INSTRUMENTED static void go(scree__context *to) {
  if (to->entered) jump(to->at);
  to->entered = true;
  entering = to;
  setcontext(&to->start);
  abort(); /* setcontext fails for no context that makecontext made */
}

NOT_INSTRUMENTED void scree__context_switch(scree__context *from, scree__context *to) {
  leaving(from, to, false);
  left = from;
  if (set_jump(from->at) == 0) {
    if (to->entered) jump(to->at); /* not by a call */
    go(to);
  }
  arrived(from);
}

_Noreturn void scree__context_exit(scree__context *from, scree__context *to) {
  leaving(from, to, true);
  left = from;
  go(to);
  abort();
}

/* ---- open, close ---- */

scree__context *scree__context_adopt(void) {
  scree__context *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->entered = true;
#ifdef WITH_TSAN
  c->fiber = __tsan_get_current_fiber();
#endif
  return c;
}

/* Stacks that were used, for the contexts to come: to map, touch and unmap one costs as much as a short simulated run.
 * They stay until the process ends. A sanitizer's knowledge of what was on a stack ends with its mapping only. */
#if defined(WITH_ASAN) || defined(WITH_TSAN)
enum { KEPT = 0 };
#else
enum { KEPT = 64 };
#endif
static struct {
  pthread_mutex_t lock;
  size_t bytes; /* of each */
  uint32_t n;
  char *map[KEPT + 1];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static char *take_kept(size_t bytes) {
  pthread_mutex_lock(&kept.lock);
  char *map = kept.n && kept.bytes == bytes ? kept.map[--kept.n] : NULL;
  pthread_mutex_unlock(&kept.lock);
  return map;
}

static void keep_or_unmap(char *map, size_t bytes) {
  pthread_mutex_lock(&kept.lock);
  if (!kept.n) kept.bytes = bytes;
  bool keep = kept.n + (size_t)1 <= KEPT && kept.bytes == bytes; /* KEPT may be 0 */
  if (keep) kept.map[kept.n++] = map;
  pthread_mutex_unlock(&kept.lock);
  if (!keep) munmap(map, bytes);
}

static char *map_stack(size_t bytes, size_t page) {
  char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (map == MAP_FAILED) return NULL;
  if (mprotect(map, page, PROT_NONE) == 0) return map;
  munmap(map, bytes);
  return NULL;
}

static bool make_stack(scree__context *c, size_t stack) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  c->map_bytes = (stack + page - 1) / page * page + page;
  c->map = take_kept(c->map_bytes);
  if (!c->map) c->map = map_stack(c->map_bytes, page);
  if (!c->map) return false;
  c->bottom = c->map + page;
  c->bytes = c->map_bytes - page;
  getcontext(&c->start);
  c->start.uc_link = NULL;
  c->start.uc_stack = (stack_t){.ss_sp = c->map + page, .ss_size = c->bytes};
  makecontext(&c->start, entry, 0);
  return true;
}

scree__context *scree__context_new(size_t stack, void (*fn)(void *arg), void *arg) {
  scree__context *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->fn = fn;
  c->arg = arg;
  if (!make_stack(c, stack)) {
    scree__context_free(c);
    return NULL;
  }
#ifdef WITH_TSAN
  c->fiber = __tsan_create_fiber(0);
#endif
  return c;
}

void scree__context_free(scree__context *c) {
  if (!c) return;
#ifdef WITH_TSAN
  if (c->map && c->fiber) __tsan_destroy_fiber(c->fiber);
#endif
  if (c->map) keep_or_unmap(c->map, c->map_bytes);
  free(c);
}
