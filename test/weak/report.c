/* report.c - findings: two acts, each with its stack; and those that are meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weak.h"

enum { DEPTH = 5, STACKS = 1 << 15, TEXT = 2400, PAIRS = 64, NAME = 80 };

/* Functions of which one act, or both, may be unordered. */
static const struct {
  const char *function, *reason;
} meant[] = {
    {"scree_task_yield",
     "`running` is a thread's own, but one for all virtual threads, whose tasks it is compared with"},
    {"scree__bound_lower", "a bound that is too high costs messages alone: see relax.h"},
    {"set_seen", "a bit that is lost is found by the vertex's level: see bfs/hybrid.c"},
    {"take_vertex",
     "workers that find a vertex at once store one level, and parents of which each is one: see bfs/hybrid.c"},
    {"free_round", "the simulated MPI: whoever takes a result counts under its token"},
    {"scree_register_all", "tests whose virtual ranks have one record of type ids: each stores the same"},
};

typedef struct {
  uint32_t place[DEPTH];
} stack;
static stack stacks[STACKS]; /* 0: unknown */
static uint32_t stacks_used = 1, table[2 * STACKS];
static char finding[TEXT];
static uint64_t seed_of_run;
static struct {
  uint32_t place[2];
  bool meant;
} judged[PAIRS];
static uint32_t judged_used;
extern const char __executable_start;

uint32_t weak_offset(const void *pc) {
  return (uint32_t)((uintptr_t)pc - (uintptr_t)&__executable_start);
}

static uint32_t hash_of(const stack *s) {
  uint64_t hash = 0;
  for (int i = 0; i < DEPTH; i++) hash = (hash ^ s->place[i]) * 0x9E3779B97F4A7C15ull;
  return (uint32_t)(hash >> 40);
}

/* Of the functions that are open. */
static uint32_t number_of(const weak_thread *me) {
  stack s = {{0}};
  for (uint32_t i = 0; i < DEPTH && i < me->frames; i++) s.place[i] = me->frame[(me->frames - 1 - i) % WEAK_FRAMES];
  uint32_t i = hash_of(&s) % (2 * STACKS);
  while (table[i] && memcmp(&stacks[table[i]], &s, sizeof s) != 0) i = (i + 1) % (2 * STACKS);
  if (table[i] || stacks_used == STACKS) return table[i];
  stacks[stacks_used] = s;
  return table[i] = stacks_used++;
}

weak_site weak_here(uint32_t place) {
  weak_thread *me = weak_thread_of(weak_me());
  if (!me->stack) me->stack = number_of(me);
  return (weak_site){place, me->stack};
}

/* "FUNCTION at FILE:LINE" of the site and of what called it, `depth` calls; the call, not what is after it. Of the site
 * all functions that it was inlined into, but for libatomic_ops'. */
static void add_site(char *text, size_t size, weak_site site, int depth) {
  char command[400], line[300];
  const stack *s = &stacks[site.stack];
  int n = snprintf(command, sizeof command, "addr2line -sfpi -e '/proc/%ld/exe' 0x%x", (long)getpid(), site.place - 1);
  for (int i = 0; i < depth && s->place[i]; i++)
    n += snprintf(command + n, sizeof command - (size_t)n, " 0x%x", s->place[i] - 1);
  FILE *from = popen(command, "r");
  while (from && fgets(line, sizeof line, from)) {
    const char *name = strncmp(line, " (inlined by) ", 14) == 0 ? line + 14 : line;
    line[strcspn(line, "\n")] = 0;
    if (strncmp(name, "AO_", 3) != 0) snprintf(text + strlen(text), size - strlen(text), " < %s", name);
  }
  if (from) pclose(from);
}

static bool is_meant(weak_site site) {
  char text[TEXT] = "", name[NAME];
  add_site(text, sizeof text, site, 0);
  for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
    snprintf(name, sizeof name, " < %s at ", meant[i].function);
    if (strstr(text, name)) return true;
  }
  return false;
}

static bool are_meant(weak_site a, weak_site b) {
  for (uint32_t i = 0; i < judged_used; i++)
    if (judged[i].place[0] == a.place && judged[i].place[1] == b.place) return judged[i].meant;
  const bool result = is_meant(a) || is_meant(b);
  if (judged_used == PAIRS) judged_used = 0;
  judged[judged_used].place[0] = a.place;
  judged[judged_used].place[1] = b.place;
  judged[judged_used++].meant = result;
  return result;
}

void weak_find(const char *what, uint32_t other_thread, weak_site first, weak_site then) {
  if (finding[0]) return;
  const uint32_t me = weak_me();
  weak_observe(false); /* what follows allocates */
  if (!are_meant(first, then)) {
    snprintf(finding, sizeof finding, "%s that nothing orders (seed %llu): thread %u", what,
             (unsigned long long)seed_of_run, other_thread);
    add_site(finding, sizeof finding, first, DEPTH);
    snprintf(finding + strlen(finding), sizeof finding - strlen(finding), "; thread %u", me);
    add_site(finding, sizeof finding, then, DEPTH);
  }
  weak_observe(true);
}

const char *weak_finding(void) {
  return finding[0] ? finding : NULL;
}

void weak_report_begin(uint64_t seed) {
  finding[0] = 0;
  seed_of_run = seed;
  memset(table, 0, sizeof table);
  stacks_used = 1;
}
