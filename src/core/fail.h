/* fail.h - the failed state of a world. Each function is described where it is defined. */
#ifndef SCREE__FAIL_H
#define SCREE__FAIL_H
#include "core/world.h"

void scree__fail(scree__worker *me, scree_status status, const char *call, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
scree_status scree__misuse(scree__worker *me, scree_status status, const char *call, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
scree_status scree__refuse(scree__worker *me, scree_status status, const char *call, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* As scree_error_text, but for the library: that function also marks the text as read by the program. */
const char *scree__failure_text(const scree_world *world);
void scree__notify(scree__worker *me);
void scree__check_for_failure(scree__worker *me);
void scree__take_notice(scree__worker *me, const scree__block *block);
void scree__fail_gather(scree__worker *me, scree_status status, const char *call);
bool scree__is_of_gather(uint64_t key);
bool scree__is_abandoned(uint64_t key);
uint64_t scree__failure_key(scree_status status, uint32_t rank);
void scree__leave_failed_epoch(scree__worker *me, uint64_t key);

/* The status in a failure key: see fail.c. */
static inline scree_status scree__key_status(uint64_t key) {
  return (scree_status)(key >> 32 & UINT8_MAX);
}
/* Acquire: a thread that sees it may read the text, which no longer changes. */
static inline scree_status scree__agreed(const scree_world *world) {
  return scree__key_status(AO_load_acquire(&world->agreed));
}
#endif
