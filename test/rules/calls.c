/* calls.c - one table of calls. */
#ifndef SCREE_CHECK_INLINE
#define SCREE_CHECK_INLINE /* inlined sends check destinations */
#endif
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"

SCREE_MESSAGE(narrow, uint32_t);

static void never(scree_worker *w, void *arg) {
  (void)w, (void)arg;
  abort();
}
static bool never_idle(scree_worker *w, void *arg) {
  never(w, arg);
  return false;
}
static void never_handled(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  (void)batch, (void)items;
  never(w, arg);
}

static long register_more(const caller *a) {
  uint32_t id;
  const scree_type_desc desc = {
      .size = sizeof desc, .name = "more", .item = 8, .flags = 0, .fn = never_handled, .arg = NULL};
  return (long)scree_register(a->world, &desc, &id);
}
/* What a refused send gets to write into is as large as it requested. */
static long write_slot(const caller *a, uint32_t size, bool may_wait) {
  void *slot = scree__slot(a->w, a->ping.id, 1, size, may_wait);
  if (slot) memset(slot, 1, size);
  return slot != NULL;
}
static bool is_refused(char *text, const char *part) {
  const bool found = strstr(text, part) != NULL;
  free(text);
  return found;
}
static long print_all(const caller *a) {
  return is_refused(capture_stats(a->world, false), "scree_stats_print: called by a ") &&
         is_refused(capture_stats(a->world, true), "scree_stats_print: called by a ") &&
         is_refused(capture_report(a->world), "scree_report_print: called by a ");
}
static long stats_read(const caller *a) {
  scree_stats stats = {.size = sizeof stats};
  return (long)scree_stats_read(a->world, &stats);
}
static long lane_read(const caller *a) {
  scree_lane_stats lane = {.size = sizeof lane};
  return (long)scree_stats_lane(a->world, 1, 0, &lane);
}
static const char record[20000];

#define NOTHING(call) ((call), 0)
#define STATE         SCREE_ESTATE
#define INVALID       SCREE_EINVAL
/* X(title, name, call, returned where refused, places, code, text) */
#define CALLS(X)                                                                                                       \
  /*                                                                           I E H P i T t X                     */  \
  X(begin, "scree_begin", scree_begin(a->w), STATE, "-FFF-Frc", 0, NULL)                                               \
  X(end, "scree_end", scree_end(a->w, NULL), STATE, "r-FF-Fr-", 0, NULL)                                               \
  X(test, "scree_test", scree_test(a->w, true, NULL), true, "r-FF-Fr-", 0, NULL)                                       \
  X(progress, "scree_progress", scree_progress(a->w), false, "r.FF-Fr-", 0, NULL)                                      \
  X(register, "scree_register", register_more(a), STATE, "-FFF-Frc", 0, NULL)                                          \
  X(on_idle, "scree_on_idle", scree_on_idle(a->world, never_idle, a), STATE, "-FFF-Frc", 0, NULL)                      \
  X(run_workers, "scree_run_workers", scree_run_workers(a->world, 1, never, a), STATE, "-FFF-Frc", 0, NULL)            \
  X(close, "scree_close", scree_close(a->world), STATE, "-FFF-Fr-", 0, NULL)                                           \
  X(send, "send", NOTHING(ping_send(a->w, a->ping, 0, 1)), 0, "F...Ff--", 0, NULL)                                     \
  X(send_all, "send", NOTHING(ping_send_all(a->w, a->ping, 1)), 0, "F...Ff--", 0, NULL)                                \
  X(try_send, "send", ping_try_send(a->w, a->ping, 0, 1), true, "-...-f--", 0, NULL)                                   \
  X(send_words, "send", NOTHING(words_send(a->w, a->words, 1, record, sizeof record)), 0, "F...FF--", 0, NULL)         \
  X(try_words, "send", words_try_send(a->w, a->words, 0, "x", 1), true, "F...FF--", 0, NULL)                           \
  X(slot, "send", write_slot(a, SCREE_ITEM_MAX, true), true, "-----F--", 0, NULL)                                      \
  X(try_slot, "send", write_slot(a, sizeof(uint64_t), false), true, "-----F--", 0, NULL)                               \
  X(by_number, "send", NOTHING(scree_send(a->w, a->ping.id, 0, record)), 0, "F...FF--", 0, NULL)                       \
  X(try_by_number, "send", scree_try_send(a->w, a->ping.id, 0, record), true, "-...-F--", 0, NULL)                     \
  X(send_bytes, "send", NOTHING(scree_send_bytes(a->w, a->words.id, 1, record, 9)), 0, "F...FF--", 0, NULL)            \
  X(flush, "scree_flush", NOTHING(scree_flush(a->w, SCREE_ALL)), 0, "F....F--", 0, NULL)                               \
  X(flush_lane, "scree_flush_lane", NOTHING(scree_flush_lane(a->w, a->ping.id, 1)), 0, "F....F--", 0, NULL)            \
  X(hold, "scree_hold", NOTHING((scree_hold(a->w, 1), scree_release(a->w, 1))), 0, "F...FF--", 0, NULL)                \
  X(release, "scree_release", NOTHING(scree_release(a->w, 1)), 0, "F----F--", 0, NULL)                                 \
  X(holds_more, "scree_on_idle: poll function 1 of 1 holds work again", a->holds = true, true, "----F---", 0, NULL)    \
  X(fail, "scree_fail", NOTHING(scree_fail(a->w, SCREE_EMPI, "words of the caller")), 0, "!!!!!F--", SCREE_EMPI,       \
    "scree_fail: words of the caller")                                                                                 \
  X(fail_without_code, "scree_fail", NOTHING(scree_fail(a->w, SCREE_OK, "words of the caller")), 0, "!!!!----",        \
    INVALID, "scree_fail: words of the caller")                                                                        \
  X(fail_with_no_code, "scree_fail", NOTHING(scree_fail(a->w, (scree_status)99, "words")), 0, "!!!!----", INVALID,     \
    "scree_fail: status 99, legal are 0..5 (scree_status): words")                                                     \
  X(stats_lane, "", lane_read(a), STATE, "-----rr-", 0, NULL)                                                          \
  X(stats_read, "", stats_read(a), STATE, "-----rr-", 0, NULL)                                                         \
  X(print, "", print_all(a), true, "-----rr-", 0, NULL)                                                                \
  X(hang_hook, "scree_hang_hook", NOTHING(scree_hang_hook(a->world, NULL, NULL)), 0, ".....F--", 0, NULL)              \
  X(send_too_far, "send", NOTHING(ping_send(a->w, a->ping, 2, 1)), 0, "-!!!-f--", INVALID,                             \
    "destination 2 of type 'ping' is out of range 0..1")                                                               \
  X(out_of_range, "send", scree__out_of_range(a->w, a->ping.id, 2), true, "-!!!-F--", INVALID,                         \
    "destination 2 of type 'ping'")                                                                                    \
  X(try_too_far, "send", ping_try_send(a->w, a->ping, 7, 1), true, "-!!!----", INVALID,                                \
    "destination 7 of type 'ping'")                                                                                    \
  X(words_too_far, "send", NOTHING(words_send(a->w, a->words, 2, "x", 1)), 0, "-!!!----", INVALID,                     \
    "destination 2 of type 'words'")                                                                                   \
  X(farthest, "send", NOTHING(ping_send(a->w, a->ping, UINT32_MAX, 1)), 0, "-!!!-f--", INVALID,                        \
    "destination 4294967295 of type 'ping' is out of range 0..1")                                                      \
  X(words_farthest, "send", NOTHING(words_send(a->w, a->words, UINT32_MAX, "x", 1)), 0, "-!!!----", INVALID,           \
    "destination 4294967295 of type 'words' is out of range 0..1")                                                     \
  X(flush_too_far, "scree_flush_lane", NOTHING(scree_flush_lane(a->w, a->ping.id, 2)), 0, "-!!!----", INVALID,         \
    "destination 2")                                                                                                   \
  X(flush_unknown, "scree_flush", NOTHING(scree_flush(a->w, 3)), 0, "-!!!----", INVALID, "type 3")                     \
  X(another_size, "send", NOTHING(narrow_send(a->w, (narrow_type){a->ping.id}, 0, 1)), 0, "-!!!-f--", INVALID,         \
    "item of 4 bytes sent by type 'ping', registered with 8")                                                          \
  X(bytes_of_another_size, "send", NOTHING(scree_send_bytes(a->w, a->ping.id, 0, record, 4)), 0, "-!!!----", INVALID,  \
    "item of 4 bytes sent by type 'ping', registered with 8")                                                          \
  X(words_by_number, "send", NOTHING(scree_send(a->w, a->words.id, 0, record)), 0, "-!!!----", INVALID,                \
    "type 'words' has a variable length: send by scree_send_bytes")                                                    \
  X(number_of_no_type, "send", scree_try_send(a->w, 9, 0, record), true, "-!!!----", INVALID,                          \
    "type 9 is not registered with this world (it has 2, numbered from 1)")                                            \
  X(number_too_far, "send", NOTHING(scree_send_bytes(a->w, a->ping.id, 2, record, 8)), 0, "-!!!----", INVALID,         \
    "destination 2 of type 'ping' is out of range 0..1")                                                               \
  X(no_item, "send", NOTHING(scree_send(a->w, a->ping.id, 0, NULL)), 0, "-!!!----", INVALID,                           \
    "no data for type 'ping'")                                                                                         \
  X(try_no_item, "send", scree_try_send(a->w, a->ping.id, 0, NULL), true, "-!!!----", INVALID,                         \
    "no data for type 'ping'")                                                                                         \
  X(no_bytes, "send", NOTHING(scree_send_bytes(a->w, a->words.id, 1, NULL, 9)), 0, "-!!!----", INVALID,                \
    "no data for type 'words'")                                                                                        \
  X(type_0, "send", NOTHING(scree_send(a->w, 0, 0, record)), 0, "-!!!----", INVALID,                                   \
    "type 0 is not registered with this world (it has 2, numbered from 1)")                                            \
  X(last_type, "send", scree_try_send(a->w, UINT32_MAX, UINT32_MAX, record), true, "-!!!----", INVALID,                \
    "type 4294967295 is not registered with this world")                                                               \
  X(flush_type_0, "scree_flush", NOTHING(scree_flush(a->w, 0)), 0, "-!!!----", INVALID, "type 0")                      \
  X(flush_last, "scree_flush_lane", NOTHING(scree_flush_lane(a->w, a->ping.id, UINT32_MAX)), 0, "-!!!----", INVALID,   \
    "destination 4294967295")                                                                                          \
  X(fail_without_text, "scree_fail", NOTHING(scree_fail(a->w, (scree_status)-1, NULL)), 0, "!!!!----", INVALID,        \
    "scree_fail: status -1, legal are 0..5 (scree_status): ")                                                          \
  X(fixed_as_words, "send", NOTHING(words_send(a->w, (words_type){a->ping.id}, 0, "x", 1)), 0, "-!!!----", INVALID,    \
    "record of 1 bytes by type 'ping'")                                                                                \
  X(huge_words, "send", words_try_send(a->w, a->words, 0, "x", (size_t)1 << 31), false, "-!!!----", INVALID,           \
    "record of 2147483648 bytes by type 'words'")                                                                      \
  X(unregistered, "send", NOTHING(scree__slot(a->w, 9, 0, 8, true)), 0, "-!!!----", INVALID,                           \
    "type 9 is not registered with this world (it has 2, numbered from 1)")                                            \
  X(garbage, "send", ping_try_send(a->w, (ping_type){0x7fff1234}, 0, 1), true, "-!!!----", INVALID,                    \
    "type 2147422772 is not registered with this world (it has 2")

#define FUNCTION(title, name, expression, refused, where, code, text)                                                  \
  static long call_##title(caller *a) {                                                                                \
    return (long)(expression);                                                                                         \
  }
CALLS(FUNCTION)

#define ROW(title, name, expression, refused, where, code, text)                                                       \
  {#title, name, call_##title, refused, where, code, text},
const call_row call_rows[] = {CALLS(ROW)};
const size_t call_rows_count = sizeof call_rows / sizeof *call_rows;

const char *call_place_text(int place) {
  static const char *const texts[PLACES] = {"epoch",
                                            "open",
                                            "called inside the handler of type 'ping'",
                                            "called inside a poll function: handlers and poll functions may send",
                                            "but this worker was idle",
                                            "called by a second thread",
                                            "called by a second thread",
                                            ""};
  return texts[place];
}
