/* calls.c - what compilers call under -fsanitize=thread, and what the linker wraps. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "weak.h"

#define HERE weak_offset(__builtin_return_address(0))

#define PLAIN(name, n, write)                                                                                          \
  void __tsan_##name##n(void *at);                                                                                     \
  void __tsan_##name##n(void *at) {                                                                                    \
    weak_plain(at, n, write, HERE);                                                                                    \
  }
#define SIZE(n)                                                                                                        \
  PLAIN(read, n, false)                                                                                                \
  PLAIN(write, n, true)                                                                                                \
  PLAIN(unaligned_read, n, false)                                                                                      \
  PLAIN(unaligned_write, n, true)
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)

#define ATOMIC_UPDATE(bits, T, name, op)                                                                               \
  T __tsan_atomic##bits##_##name(volatile T *at, T value, int order);                                                  \
  T __tsan_atomic##bits##_##name(volatile T *at, T value, int order) {                                                 \
    bool done;                                                                                                         \
    return (T)weak_update((weak_access){at, sizeof(T), order, order, HERE}, op, value, 0, &done);                      \
  }
#define ATOMIC_COMPARE(bits, T, name)                                                                                  \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile T *at, T *expected, T value, int order, int failure);     \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile T *at, T *expected, T value, int order, int failure) {    \
    bool done;                                                                                                         \
    *expected =                                                                                                        \
        (T)weak_update((weak_access){at, sizeof(T), order, failure, HERE}, WEAK_COMPARE, value, *expected, &done);     \
    return done;                                                                                                       \
  }
#define ATOMIC(bits, T)                                                                                                \
  T __tsan_atomic##bits##_load(volatile T *at, int order);                                                             \
  T __tsan_atomic##bits##_load(volatile T *at, int order) {                                                            \
    return (T)weak_load((weak_access){at, sizeof(T), order, order, HERE});                                             \
  }                                                                                                                    \
  void __tsan_atomic##bits##_store(volatile T *at, T value, int order);                                                \
  void __tsan_atomic##bits##_store(volatile T *at, T value, int order) {                                               \
    weak_store((weak_access){at, sizeof(T), order, order, HERE}, value);                                               \
  }                                                                                                                    \
  ATOMIC_UPDATE(bits, T, fetch_add, WEAK_ADD)                                                                          \
  ATOMIC_UPDATE(bits, T, fetch_sub, WEAK_SUB)                                                                          \
  ATOMIC_UPDATE(bits, T, fetch_or, WEAK_OR)                                                                            \
  ATOMIC_UPDATE(bits, T, fetch_and, WEAK_AND)                                                                          \
  ATOMIC_UPDATE(bits, T, exchange, WEAK_EXCHANGE)                                                                      \
  ATOMIC_COMPARE(bits, T, strong)                                                                                      \
  ATOMIC_COMPARE(bits, T, weak)
ATOMIC(8, uint8_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

/* clang-format off */
void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) { weak_fence(order); }
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) { (void)order; }
void __tsan_read_range(void *at, size_t n);
void __tsan_read_range(void *at, size_t n) { weak_plain(at, n, false, HERE); }
void __tsan_write_range(void *at, size_t n);
void __tsan_write_range(void *at, size_t n) { weak_plain(at, n, true, HERE); }
/* clang-format on */

/* A context that ends never returns: the newest frames count. */
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller) {
  if (!weak_runs()) return;
  weak_thread *me = weak_thread_of(weak_me());
  me->frame[me->frames++ % WEAK_FRAMES] = weak_offset(caller);
  me->stack = 0;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void) {
  if (!weak_runs()) return;
  weak_thread *me = weak_thread_of(weak_me());
  me->frames -= me->frames > 0;
  me->stack = 0;
}

/* ---- locks and memory ---- */

#define WRAP(type, name, ...)                                                                                          \
  type __real_##name(__VA_ARGS__);                                                                                     \
  type __wrap_##name(__VA_ARGS__);                                                                                     \
  type __wrap_##name(__VA_ARGS__)

static int acquired(const pthread_mutex_t *lock, int code) {
  if (weak_runs() && code == 0) weak_order.acquire(lock);
  return code;
}
WRAP(int, pthread_mutex_trylock, pthread_mutex_t *lock) {
  return acquired(lock, __real_pthread_mutex_trylock(lock));
}
WRAP(int, pthread_mutex_lock, pthread_mutex_t *lock) {
  while (weak_runs() && __real_pthread_mutex_trylock(lock) != 0) weak_yield();
  return weak_runs() ? acquired(lock, 0) : __real_pthread_mutex_lock(lock);
}
WRAP(int, pthread_mutex_unlock, pthread_mutex_t *lock) {
  if (weak_runs()) weak_order.release(lock);
  return __real_pthread_mutex_unlock(lock);
}
WRAP(pthread_t, pthread_self, void) {
  return __real_pthread_self() + (weak_runs() && weak_thread_of(weak_me())->foreign);
}
WRAP(int, sched_yield, void) {
  if (!weak_runs()) return __real_sched_yield();
  weak_yield();
  return 0;
}
/* Copies that compilers leave to the library. */
WRAP(void *, memcpy, void *to, const void *from, size_t n) {
  if (weak_runs()) weak_copied(to, from, n, HERE);
  return __real_memcpy(to, from, n);
}
WRAP(void *, memset, void *to, int byte, size_t n) {
  if (weak_runs()) weak_copied(to, NULL, n, HERE);
  return __real_memset(to, byte, n);
}
WRAP(void *, malloc, size_t bytes) {
  void *at = __real_malloc(bytes);
  weak_fresh(at, malloc_usable_size(at));
  return at;
}
WRAP(void, free, void *at) {
  weak_freed(at, malloc_usable_size(at), HERE);
  __real_free(at);
}
WRAP(void *, calloc, size_t n, size_t bytes) {
  void *at = __real_calloc(n, bytes);
  weak_fresh(at, malloc_usable_size(at));
  return at;
}
WRAP(void *, aligned_alloc, size_t alignment, size_t bytes) {
  void *at = __real_aligned_alloc(alignment, bytes);
  weak_fresh(at, malloc_usable_size(at));
  return at;
}
WRAP(int, munmap, void *at, size_t bytes) {
  weak_fresh(at, bytes);
  return __real_munmap(at, bytes);
}
/* All that may be used is new, since the next realloc may stay there; what stays where it is keeps its past. */
WRAP(void *, realloc, void *old, size_t bytes) {
  const size_t had = old ? malloc_usable_size(old) : 0;
  const uintptr_t before = (uintptr_t)old;
  char *at = __real_realloc(old, bytes);
  const size_t has = malloc_usable_size(at), kept = (uintptr_t)at == before && had < has ? had : 0;
  if ((uintptr_t)at != before) weak_freed((void *)before, had, HERE);
  if ((uintptr_t)at != before || kept) weak_fresh(at + kept, has - kept);
  return at;
}
