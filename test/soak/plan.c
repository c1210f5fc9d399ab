/* plan.c - draws a program from a seed: library options over the ranges of their table, message types, traffic. */
#include <stdio.h>
#include <string.h>

#include "soak.h"

/* Not drawn: what only prints. The watchdog of test/soak.sh takes the place of hang_timeout. */
static bool is_drawn(const scree_option *row) {
  return strcmp(row->name, "stats") != 0 && strcmp(row->name, "hang-timeout") != 0;
}

/* Uniform in the number of bits above the minimum. */
static uint64_t draw_magnitude(const scree_option *row, uint64_t *random) {
  uint64_t span = row->max - row->min, bits = 0, drawn;
  while (bits < 64 && span >> bits) bits++;
  bits = below(random, bits + 1);
  drawn = bits == 0 ? 0 : scree__draw(random) >> (64 - bits);
  return row->min + (drawn > span ? span : drawn);
}

static uint64_t draw_value(const scree_option *row, uint64_t *random) {
  const uint64_t span = row->max - row->min;
  if (row->kind == SCREE_KIND_CHOICE) return row->min + below(random, span + 1);
  switch (below(random, 8)) {
  case 0:
    return row->min + below(random, span < 4 ? span + 1 : 4);
  case 1:
    return row->max - below(random, span < 20 ? span + 1 : 20);
  case 2:
  case 3:
    return row->def;
  default:
    return draw_magnitude(row, random);
  }
}

static uint64_t *field(plan *p, const scree_option *row) {
  return (uint64_t *)((char *)&p->options + row->offset);
}

/* It is refused where nothing travels by MPI, and with routes or urgent types. */
static void allow_communication_thread(scree_options *o) {
  o->transport = SCREE_TRANSPORT_MPI;
  o->route = SCREE_ROUTE_DIRECT;
  o->aggregate = SCREE_AGGREGATE_WORKER;
  o->urgent = SCREE_URGENT_TYPES_OFF;
}

/* The least size that is legal has 16 entries of the larger type; the largest one that is drawn fits into a small host, times all
 * workers of its ranks. */
static void fit_caches(scree_options *o) {
  const uint64_t least = LEAST_CACHE, most = UINT64_C(1) << 24;
  if (o->reduce_cache == SCREE_UNSET) return;
  if (o->reduce_cache < least) o->reduce_cache = least;
  if (o->reduce_cache > most) o->reduce_cache = most;
}

/* In half of the programs an option is drawn with probability 1/4, so that single settings meet the defaults. */
static void draw_options(plan *p, uint64_t *random) {
  const uint64_t odds = below(random, 2) ? 1 : 4;
  for (size_t i = 0; i < scree_option_count(); i++) {
    const scree_option *row = scree_option_at(i);
    uint64_t value = draw_value(row, random);
    if (!p->defaults && is_drawn(row) && below(random, odds) == 0) *field(p, row) = value;
  }
  if (p->options.threads != SCREE_UNSET)
    p->options.threads = 1 + p->options.threads % 3; /* parked, but for the first */
  if (p->options.thread_level == SCREE_THREAD_LEVEL_FUNNELED)
    p->options.progress = SCREE_PROGRESS_NONE; /* a thread for that would be refused over MPI */
  if (p->options.progress == SCREE_PROGRESS_COMM) allow_communication_thread(&p->options);
  fit_caches(&p->options);
  p->options.stats = SCREE_STATS_OFF;
  p->options.hang_timeout = 0;
}

static bool fix_options(plan *p, const fixed_options *fixed) {
  char name[64], why[400];
  for (uint32_t i = 0; i < fixed->count; i++) {
    const char *value = strchr(fixed->set[i], '=');
    snprintf(name, sizeof name, "%.*s", (int)(value ? value - fixed->set[i] : 0), fixed->set[i]);
    if (value && scree_options_set(&p->options, name, value + 1, why, sizeof why) == 0) continue;
    fprintf(stderr, "soak: --set '%s': %s\n", fixed->set[i], value ? why : "NAME=VALUE is expected");
    return false;
  }
  return true;
}

static void draw_reduced(plan *p, uint64_t *random) {
  static const uint64_t keys[] = {1, 7, 200, UINT64_MAX};
  for (uint32_t i = 0; i < REDUCED; i++) {
    p->flags[i] = below(random, 2) ? SCREE_ANY_SOURCE : 0;
    if (!p->defaults && below(random, 8) == 0) p->flags[i] |= SCREE_UNREDUCED;
  }
  p->tally_keys = keys[below(random, 4)];
}

/* At least one type is there from the start. */
static void draw_types(plan *p, uint64_t *random) {
  for (uint32_t i = 0; i < KINDS; i++) p->order[i] = (kind)i;
  for (uint32_t i = KINDS - 1; i > 0; i--) {
    uint64_t j = below(random, i + 1);
    kind k = p->order[i];
    p->order[i] = p->order[j];
    p->order[j] = k;
  }
  for (uint32_t i = 0; i < KINDS; i++) {
    uint64_t fate = below(random, 4);
    p->from[p->order[i]] = i == 0 || fate > 1 ? 0 : fate == 1 ? (uint32_t)below(random, p->epochs) : EPOCHS_MAX;
  }
}

static void draw_traffic(plan *p, uint64_t *random) {
  static const uint64_t texts[] = {0, 7, 100, 3000, 20000, TEXT_MAX};
  p->roots = (uint64_t)1 << below(random, 12);
  p->burst = 1U << below(random, 12);
  p->depth = (uint32_t)below(random, 5);
  p->fanout = 1 + (uint32_t)below(random, 4);
  p->odds = 1 + (uint32_t)below(random, 3);
  p->text_max = texts[below(random, 6)];
  p->bytes_max = (uint64_t)1 << (14 + below(random, 12));
  p->nanoseconds = 1000000000;
  p->postpones = below(random, 2);
  p->mails = below(random, 2);
  p->calm = below(random, 2);
}

/* For figures of many messages: small ones from the start, long bursts, few pauses. */
static void enlarge_traffic(plan *p) {
  p->from[WORD] = 0;
  p->roots *= 32;
  p->burst *= 8;
  p->bytes_max <<= 10;
  p->calm = true;
  if (p->defaults) p->nanoseconds = UINT64_C(5000000000);
}

bool plan_draw(plan *p, uint64_t seed, uint64_t number, bool defaults, const fixed_options *fixed) {
  *p = (plan){.seed = seed, .number = number, .defaults = defaults, .options = SCREE_OPTIONS_INIT};
  p->key = scree__hash_draw(seed, number);
  uint64_t random = p->key;
  draw_options(p, &random);
  p->epochs = 1 + (uint32_t)below(&random, EPOCHS_MAX);
  draw_types(p, &random);
  draw_traffic(p, &random);
  draw_reduced(p, &random);
  if (defaults || below(&random, 2)) enlarge_traffic(p);
  return fix_options(p, fixed);
}

void plan_print(const plan *p, char *text, size_t size) {
  char value[64];
  int at = snprintf(text, size, "--seed %llu --program %llu%s", (unsigned long long)p->seed,
                    (unsigned long long)p->number, p->defaults ? " --default" : "");
  for (size_t i = 0; i < scree_option_count() && at > 0 && (size_t)at < size; i++) {
    const scree_option *row = scree_option_at(i);
    scree_option_format(&p->options, i, value, sizeof value);
    if (is_drawn(row) && value[0]) at += snprintf(text + at, size - (size_t)at, " --set %s=%s", row->name, value);
  }
}
