/* tools.h - which tools watch the memory of this build: SCREE__ASAN, SCREE__TSAN (sanitizers), SCREE__VALGRIND (its
 * header is installed; its requests are a few instructions without effect where the program does not run under it). */
#ifndef SCREE__TOOLS_H
#define SCREE__TOOLS_H
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SCREE__ASAN
#elif __has_feature(thread_sanitizer)
#define SCREE__TSAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SCREE__ASAN
#elif defined(__SANITIZE_THREAD__)
#define SCREE__TSAN
#endif
/* Attributes of functions that leave frames without a return, or read what other functions left on a stack. */
#ifdef SCREE__ASAN
#define SCREE__NOT_INSTRUMENTED __attribute__((noinline, no_sanitize("address")))
#else
#define SCREE__NOT_INSTRUMENTED
#endif
#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define SCREE__VALGRIND
#endif
#endif
#endif
