/* compare.c - compares builds and options of the ranks, and prints in what they differ. */
#include "open/compare.h"

#include <stdio.h>
#include <string.h>

#include "base/option_table.h"
#include "block/inbox.h"
#include "block/node.h"
#include "io/say.h"
#include "transport/credit.h"
#include "transport/shm/segment.h"

enum { WORDS = SCREE__COMPARED_WORDS, OPTIONS_AT = SCREE__BUILD_WORDS, TEXT = 48 };
_Static_assert(OPTIONS_AT + sizeof(scree__options) / 8 <= WORDS, "options have their place");

/* What travels between ranks, or is shared by them, as bytes. */
static const struct {
  const char *what;
  uint64_t bytes;
} layout[] = {
    {"the record of options", sizeof(scree__options)},
    {"a block's header", sizeof(scree__block)},
    {"the part of it that travels", sizeof(scree__wire)},
    {"a segment's header", sizeof(scree__segment)},
    {"a fragment's header", sizeof(scree__fragment)},
    {"a credit message", sizeof(scree__credits)},
    {"a detection round", sizeof(scree__round)},
    {"a worker's counters", sizeof(scree__node_slot)},
    {"the page of a node", sizeof(scree__node_page)},
    {"an inbox", sizeof(scree__inbox)},
    {"the name of a segment", sizeof(scree__shm_segment_name)},
};
enum { ROWS = sizeof layout / sizeof *layout };
_Static_assert(1 + ROWS <= OPTIONS_AT, "the build has its place");

static void fill(uint64_t *words, const scree__options *options) {
  words[0] = SCREE_VERSION_NUMBER;
  for (size_t i = 0; i < ROWS; i++) words[1 + i] = layout[i].bytes;
  if (options) memcpy(words + OPTIONS_AT, options, sizeof *options);
}

static bool differs(const scree__compared *all, size_t word) {
  return all->max[word] != ~all->min[word];
}

static void say_version(uint64_t version, char *text) {
  const unsigned v = (unsigned)version;
  snprintf(text, TEXT, "%u.%u.%u", v / 1000000, v / 1000 % 1000, v % 1000);
}

/* 0: the builds are the same. */
static bool build_differs(const scree__compared *all, char *why, size_t size) {
  char max_text[TEXT], min_text[TEXT];
  if (differs(all, 0)) {
    say_version(all->max[0], max_text);
    say_version(~all->min[0], min_text);
    snprintf(why, size,
             "the version of scree is %s on some ranks and %s on others: build and start all ranks with the same one",
             min_text, max_text);
    return true;
  }
  for (size_t i = 0; i < ROWS; i++) {
    if (!differs(all, 1 + i)) continue;
    snprintf(why, size,
             "%s has %llu bytes on some ranks and %llu on others, though all have version " SCREE_VERSION
             " of scree: start the same build on all ranks",
             layout[i].what, (unsigned long long)~all->min[1 + i], (unsigned long long)all->max[1 + i]);
    return true;
  }
  return false;
}

static bool options_differ(const scree__compared *all, char *why, size_t size) {
  scree__options max, min;
  char max_text[TEXT], min_text[TEXT];
  memcpy(&max, all->max + OPTIONS_AT, sizeof max);
  for (size_t k = 0; k < sizeof min / 8; k++) memcpy((char *)&min + 8 * k, &(uint64_t){~all->min[OPTIONS_AT + k]}, 8);
  if (memcmp(&max, &min, sizeof max) == 0) return false;
  snprintf(why, size, "options differ between ranks");
  for (size_t i = 0; scree__option_at(i); i++) {
    scree__option_format(scree__option_at(i), &max, max_text, sizeof max_text);
    scree__option_format(scree__option_at(i), &min, min_text, sizeof min_text);
    if (strcmp(max_text, min_text) == 0) continue;
    snprintf(why, size,
             "option '%s' is %s on some ranks and %s on others: give all the same fields and SCREE_* variables",
             scree__option_at(i)->name, min_text, max_text);
    break;
  }
  return true;
}

scree_status scree__compare(scree__meeting *meeting, scree_status mine, const scree__options *options) {
  char why[320];
  scree__compared in = {.status = mine}, all;
  fill(in.max, mine ? NULL : options);
  for (size_t k = 0; k < WORDS; k++) in.min[k] = ~in.max[k];
  if (!meeting->ops->max(meeting, &in.status, &all.status, sizeof in / 8)) return SCREE_EMPI;
  const bool other_build = build_differs(&all, why, sizeof why);
  if (!other_build && all.status) return (scree_status)all.status;
  if (!other_build && !options_differ(&all, why, sizeof why)) return SCREE_OK;
  if (meeting->rank == 0) scree__say("scree: scree_open: %s\n", why);
  return SCREE_EINVAL;
}
