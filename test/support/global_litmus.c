/* global_litmus.c - the table. */
#include "global_litmus.h"

static bool buffered(uint64_t (*got)[LITMUS_STEPS], const uint64_t *last) {
  (void)last;
  return !got[0][1] && !got[1][1];
}
static bool passed(uint64_t (*got)[LITMUS_STEPS], const uint64_t *last) {
  (void)last;
  return got[1][0] && !got[1][1];
}
static bool two_orders(uint64_t (*got)[LITMUS_STEPS], const uint64_t *last) {
  (void)last;
  return got[2][0] && !got[2][1] && got[3][0] && !got[3][1];
}
static bool went_back(uint64_t (*got)[LITMUS_STEPS], const uint64_t *last) {
  return got[1][0] > got[1][1] || last[0] != 2;
}
static bool loaded_early(uint64_t (*got)[LITMUS_STEPS], const uint64_t *last) {
  (void)last;
  return got[0][0] && got[1][0];
}
#define PUT(word, value)                                                                                               \
  { word, value, WAITS }
#define GET(word)                                                                                                      \
  { word, 0, WAITS }
#define FENCED(word, value)                                                                                            \
  { word, value, FENCED }
#define QUIET(word, value)                                                                                             \
  { word, value, QUIETED }
const litmus litmus_tests[LITMUS_TESTS] = {
    {"store buffering", {{PUT(0, 1), GET(1)}, {PUT(1, 1), GET(0)}}, buffered},
    {"message passing", {{PUT(0, 1), PUT(1, 1)}, {GET(1), GET(0)}}, passed},
    {"independent reads",
     {{PUT(0, 1), PUT(0, 1)}, {PUT(1, 1), PUT(1, 1)}, {GET(0), GET(1)}, {GET(1), GET(0)}},
     two_orders},
    {"coherence", {{PUT(0, 1), PUT(0, 2)}, {GET(0), GET(0)}}, went_back},
    {"load buffering", {{GET(0), PUT(1, 1)}, {GET(1), PUT(0, 1)}}, loaded_early},
    {"coherence by fences", {{FENCED(0, 1), FENCED(0, 2)}, {GET(0), GET(0)}}, went_back},
    {"message passing by quiet", {{QUIET(0, 1), QUIET(1, 1)}, {GET(1), GET(0)}}, passed},
    {"store buffering by quiet", {{QUIET(0, 1), GET(1)}, {QUIET(1, 1), GET(0)}}, buffered},
};
