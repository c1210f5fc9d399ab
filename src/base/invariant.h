/* invariant.h - conditions that hold whenever their line is reached, whatever a program does. They are checked where
 * the library is built for its tests (SCREE__TESTED: test/meson.build); in a release they are no code. A condition has
 * no side effect, and reads only what its thread may read there; it calls functions that are cheap or bounded. */
#ifndef SCREE__INVARIANT_H
#define SCREE__INVARIANT_H

#ifdef SCREE__TESTED
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Ends the process as a crash does, which all drivers of tests report, with the seed. The rank is known where a
 * launcher has started it. */
static __attribute__((cold, unused, noreturn)) void scree__invariant_broken(const char *file, int line,
                                                                            const char *text) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = getenv("PMI_RANK");
  fprintf(stderr, "scree: %s%s, process %ld: %s:%d: the invariant does not hold: %s\n", rank ? "rank " : "no launcher",
          rank ? rank : "", (long)getpid(), file, line, text);
  abort();
}
#define SCREE__INVARIANT(condition) ((condition) ? (void)0 : scree__invariant_broken(__FILE__, __LINE__, #condition))
#else
#define SCREE__INVARIANT(condition) ((void)(0 && (condition)))
#endif
#endif
