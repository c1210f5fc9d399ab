/* context.c - contexts by ucontext and setjmp. The system's calls that switch contexts set the signal mask, a system
 * call each time; so they only enter a new stack, and from then on switches are jumps, which take nanoseconds
 * (Engelschall, "Portable Multithreading: the Signal Stack Trick", USENIX 2000, compares the methods). Each switch is
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

#ifdef SCREE__ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
/* The compiler's own jump is a few instructions without a call, so that calls and returns stay balanced and the
 * processor predicts the returns that follow. clang has it for some processors only; the thread sanitizer needs to
 * intercept the C library's jump. The address sanitizer's _longjmp discards its state of the stack, with a system call
 * each time, which takes half of the time of a simulated run; callers must not discard it either. */
#if defined(SCREE__ASAN) || (defined(__x86_64__) && !defined(SCREE__TSAN))
typedef void *jump_buffer[5];
#define set_jump(buffer) __builtin_setjmp(buffer)
#define jump(buffer)     __builtin_longjmp(buffer, 1)
#else
typedef jmp_buf jump_buffer;
#define set_jump(buffer) _setjmp(buffer)
#define jump(buffer)     _longjmp(buffer, 1)
#endif
#ifdef SCREE__TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* ---- sanitizers: before and after a switch ---- */

#ifdef SCREE__ASAN
static _Thread_local scree__context *left; /* the context that ran before */
#endif

static void leaving(scree__context *from, scree__context *to, bool for_ever) {
#ifdef SCREE__ASAN
  left = from;
  __sanitizer_start_switch_fiber(for_ever ? NULL : &from->tool, to->stack, to->bytes);
#endif
#ifdef SCREE__TSAN
  __tsan_switch_to_fiber(to->tool, 0);
#endif
  (void)from, (void)to, (void)for_ever;
}

static void arrived(scree__context *here) {
#ifdef SCREE__ASAN
  const void *bottom;
  __sanitizer_finish_switch_fiber(here->tool, &bottom, &left->bytes);
  left->stack = (char *)bottom;
#endif
  (void)here;
}

/* ---- switching ---- */

static _Thread_local struct {
  scree__context *here;
  ucontext_t start; /* not in a frame, which would be left without a return */
} entering;

static void entry(void) {
  scree__context *here = entering.here;
  arrived(here);
  here->fn(here->arg);
  abort(); /* fn returned */
}

SCREE__NOT_INSTRUMENTED static void go(scree__context *to) {
  if (to->at) jump(to->at);
  entering.here = to;
  getcontext(&entering.start);
  entering.start.uc_link = NULL;
  entering.start.uc_stack = (stack_t){.ss_sp = to->stack, .ss_size = to->bytes};
  makecontext(&entering.start, entry, 0);
  setcontext(&entering.start);
  abort(); /* setcontext fails for no context that makecontext made */
}

SCREE__NOT_INSTRUMENTED SCREE__WITHOUT_CANARY void scree__context_switch(scree__context *from, scree__context *to) {
  jump_buffer here;
  leaving(from, to, false);
  from->at = &here;
  if (set_jump(here) == 0) {
    if (to->at) jump(to->at); /* not by a call */
    go(to);
  }
  arrived(from);
}

_Noreturn void scree__context_exit(scree__context *from, scree__context *to) {
  leaving(from, to, true);
  go(to);
  abort();
}

/* ---- on memory of the caller's ---- */

void scree__context_new_on(scree__context *c, void *memory, size_t bytes, void (*fn)(void *arg), void *arg) {
  *c = (scree__context){.fn = fn, .arg = arg, .stack = memory, .bytes = bytes};
#ifdef SCREE__ASAN
  __asan_unpoison_memory_region(memory, bytes); /* frames that were left without a return */
#endif
#ifdef SCREE__TSAN
  c->tool = __tsan_create_fiber(0);
#endif
#ifdef SCREE__VALGRIND
  c->valgrind = (uint32_t)VALGRIND_STACK_REGISTER(c->stack, c->stack + bytes);
#endif
}

void scree__context_drop(scree__context *c) {
#ifdef SCREE__TSAN
  if (c->tool) __tsan_destroy_fiber(c->tool);
#endif
#ifdef SCREE__VALGRIND
  VALGRIND_STACK_DEREGISTER(c->valgrind);
#endif
  (void)c;
}

/* ---- open, close ---- */

scree__context *scree__context_adopt(void) {
  scree__context *c = calloc(1, sizeof *c);
#ifdef SCREE__TSAN
  if (c) c->tool = __tsan_get_current_fiber();
#endif
  return c;
}

/* Used stacks, kept for later contexts: to map, touch and unmap one costs as much as a short simulated run.
 * They stay until the process ends. A sanitizer keeps its state of a stack until the stack is unmapped. */
#if defined(SCREE__ASAN) || defined(SCREE__TSAN)
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

scree__context *scree__context_new(size_t stack, void (*fn)(void *arg), void *arg) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (stack + page - 1) / page * page;
  scree__context *c = malloc(sizeof *c);
  char *map = c ? take_kept(bytes + page) : NULL;
  if (c && !map) map = map_stack(bytes + page, page);
  if (!map) {
    free(c);
    return NULL;
  }
  scree__context_new_on(c, map + page, bytes, fn, arg);
  c->guard = (uint32_t)page;
  return c;
}

void scree__context_free(scree__context *c) {
  if (!c) return;
  if (c->guard) {
    scree__context_drop(c);
    keep_or_unmap(c->stack - c->guard, c->bytes + c->guard);
  }
  free(c);
}
