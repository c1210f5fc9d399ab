/* without_hwloc.c - in place of pin.c and sockets.c where the library is built without hwloc. */
#include <stdio.h>

#include "thread/sockets.h"
#include "thread/thread.h"

bool scree__thread_pin(const pthread_t *threads, uint32_t count, scree__core_share share, bool scatter, char *why,
                       size_t size) {
  (void)threads, (void)count, (void)share, (void)scatter;
  snprintf(why, size,
           "threads cannot be bound to cores: this scree was built without hwloc: set the option pin to off");
  return false;
}

scree__sockets *scree__sockets_find(void) {
  return NULL;
}
