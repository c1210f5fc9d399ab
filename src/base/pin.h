/* pin.h - binds threads to cores. */
#ifndef SCREE__PIN_H
#define SCREE__PIN_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Binds threads 1 to count - 1 to cores of those that the calling thread may run on: it counts as thread 0 and is left
 * alone. Neighbouring cores, or scattered; in turn, where there are fewer cores. False: the reason is in why[size], and
 * some are bound. Local; the threads exist. */
bool scree__pin_threads(const pthread_t *threads, uint32_t count, bool scatter, char *why, size_t size);
#endif
