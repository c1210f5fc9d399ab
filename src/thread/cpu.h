/* cpu.h - properties of the processor: the length of a cache line, and the pause of a loop that waits. */
#ifndef SCREE__CPU_H
#define SCREE__CPU_H

enum { SCREE__LINE = 64 };
#define SCREE__OWN_LINE __attribute__((aligned(SCREE__LINE)))

/* Between two reads of a word that another core writes. */
static inline void scree__cpu_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}
#endif
