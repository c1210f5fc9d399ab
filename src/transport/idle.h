/* idle.h - the idle policy of real ranks: spin, then yield, then sleep. Never a wait inside MPI. */
#ifndef SCREE__IDLE_H
#define SCREE__IDLE_H
#include "transport/scheduler.h"

/* State of one waiting loop. */
typedef struct {
  uint64_t spin;           /* the option of that name: polls before the first yield */
  uint64_t since;          /* ns: first yield since something moved */
  uint64_t no_yield_until; /* ns: yields were expensive; sleep instead until then */
  uint32_t expensive;      /* such yields in a row */
} scree__idle;

/* Called after each poll that found nothing; `polls` counts them since something moved. */
void scree__idle_backoff(scree__idle *idle, uint32_t polls);

/* The scheduler of real ranks. */
typedef struct {
  scree__scheduler base; /* must be first */
  scree__idle idle;
  void (*watch)(void *context); /* called every 1024 idle polls; NULL: nothing to watch */
  void *context;
} scree__idle_scheduler;

void scree__idle_scheduler_init(scree__idle_scheduler *s, uint64_t spin, void (*watch)(void *context), void *context);
#endif
