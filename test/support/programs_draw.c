/* programs_draw.c - a program from a seed. */
#include <stdlib.h>

#include "programs_inside.h"

static void draw_options(program *p, uint64_t *random) {
  scree_options *o = &p->options;
  static const uint64_t pools[] = {0, 1, 2, 3, 8}, sizes[] = {0, 1, 100, 1024, 4096};
  *o = (scree_options)SCREE_OPTIONS_INIT;
  o->memory = UINT64_C(4096) << below(random, 6);
  o->pool_blocks = pools[below(random, 5)];
  o->coalesce_bytes = sizes[below(random, 5)];
  o->in_flight = 1 + below(random, 4);
  o->batch_max = 1 + below(random, 8);
  o->flush_age = below(random, 2) ? 0 : 1000 * below(random, 1000);
  o->checked = below(random, 2);
  o->counter_start = below(random, 3) ? 0 : UINT64_MAX - 1 - below(random, 20);
  o->overflow_max = UINT64_C(1) << 40;
}

static void draw_traffic(program *p, uint64_t *random) {
  p->epochs = 1 + below(random, MOST_EPOCHS);
  p->first_messages = below(random, 12);
  p->fanout = 1 + below(random, 4);
  p->depth = below(random, 4);
  p->answer_odds = 1 + below(random, 3);
  p->postpones = below(random, 2);
  p->big = below(random, 8) == 0;
  p->hands_over = below(random, 2);
  p->from[TEXT] = below(random, 2) ? 0 : below(random, p->epochs);
  p->from[SUM] = p->from[LEAST] = MOST_EPOCHS;
  p->mute = below(random, 4) ? NOBODY : below(random, p->config.ranks);
  p->slims = 1;
  for (uint32_t k = 0; k < MOST_EPOCHS; k++) p->to[k] = NOBODY;
}

/* The options of a soak program that took very long: docs/reliability.md. */
static void tighten(program *p, uint64_t *random) {
  scree_options *o = &p->options;
  *o = (scree_options)SCREE_OPTIONS_INIT;
  o->transport = SCREE_TRANSPORT_MPI;
  o->chaos = 1 + below(random, 1000);
  o->memory = 65536;
  o->coalesce_bytes = 1000;
  o->in_flight = 2;
  o->batch_max = 1;
  o->flush_age = 0;
  o->pool_blocks = 5;
  o->checked = 1;
  o->counter_start = UINT64_MAX - 1 - below(random, 20);
  o->overflow_max = UINT64_C(1) << 40;
  p->slims = MOST_SLIMS;
  for (uint32_t k = 0; k < MOST_EPOCHS; k++)
    if (below(random, 3) == 0) p->to[k] = below(random, p->config.ranks);
}

static void draw_fault(program *p, fault *f, uint64_t *random) {
  static const scree_status codes[] = {SCREE_EINVAL, SCREE_ENOMEM, SCREE_EMPI};
  f->rank = below(random, p->config.ranks);
  f->epoch = below(random, p->epochs);
  f->after = below(random, 7);
  f->misuse = below(random, 4) == 0;
  f->code = f->misuse ? SCREE_ESTATE : codes[below(random, 3)];
}

/* Half of the programs have no fault even then; some have two, some run out of memory in handlers. */
static void draw_faults(program *p, uint64_t *random) {
  if (below(random, 2)) return;
  p->fault_count = below(random, 3);
  p->gives_up = below(random, 2);
  for (uint32_t i = 0; i < p->fault_count; i++) draw_fault(p, &p->faults[i], random);
  if (p->fault_count < 2) p->options.overflow_max = UINT64_C(5000) << below(random, 4);
}

/* Workers, and which take part. Half of the programs, and tight ones, have one thread a rank. */
static void draw_workers(program *p, bool tight, uint32_t fixed, uint64_t *random) {
  uint32_t threads = tight || below(random, 2) ? 1 : 1 + below(random, MOST_THREADS);
  if (fixed) threads = fixed;
  p->config.threads = threads;
  for (kind k = SLIM; k <= TEXT; k++) p->flags[k] = below(random, 3);
  for (uint32_t e = 0; e < p->epochs; e++) {
    bool same = e > 0 && below(random, 2);
    p->takers[e] = same ? p->takers[e - 1] : 1 + below(random, threads);
    p->alone[e] = p->takers[e] == 1 && below(random, 2);
    p->first[e] = !same || p->alone[e] || p->alone[e - 1] || e == p->from[TEXT] || below(random, 4) == 0;
  }
  for (uint32_t i = 0; i < p->fault_count; i++) p->faults[i].worker = below(random, p->takers[p->faults[i].epoch]);
}

/* Last, so that it changes nothing else in the program of a seed. */
static void draw_quiet(program *p, uint64_t *random) {
  for (uint32_t e = 0; e < p->epochs; e++) p->quiet[e] = p->hands_over && e > 0 && below(random, 4) == 0;
}

/* Behind that, for the same reason. */
static void draw_lock(program *p, uint64_t *random) {
  if (p->config.threads > 1) p->options.lock = below(random, 3);
}

/* Over a simulated MPI; one in four has no lock. */
static void draw_level(program *p, uint64_t *random) {
  if (p->config.threads > 1 && below(random, 4) == 0) p->options.thread_level = SCREE_THREAD_LEVEL_MULTIPLE;
}

/* In a quarter of the programs, but not in tight ones. Some faults are then raised by handlers on a progress thread. */
static void draw_progress(program *p, bool tight, uint64_t *random) {
  if (tight || below(random, 4)) return;
  p->options.progress = SCREE_PROGRESS_FULL;
  for (uint32_t i = 0; i < p->fault_count; i++)
    if (p->faults[i].after > 0 && below(random, 3) == 0) p->faults[i].worker = p->config.threads;
}

/* Some look at the requests of all workers of a rank, at each entry or now and then. */
static void draw_samples(program *p, uint64_t *random) {
  if (p->config.threads > 1 && below(random, 8) == 0) p->options.lock_sample = 1 + below(random, 16);
}

/* Last of all: one thread of each rank calls MPI. That needs blocks that travel by it. */
static void draw_caller(program *p, uint64_t *random) {
  const uint32_t drawn = below(random, 6);
  if (p->options.progress == SCREE_PROGRESS_FULL || p->config.nodes < 2) return;
  if (drawn == 0) p->options.thread_level = SCREE_THREAD_LEVEL_FUNNELED;
  if (drawn == 1) p->options.progress = SCREE_PROGRESS_COMM;
}

/* Half of the programs; a communication thread serves no routes, but routed types on `direct`. */
static void draw_route(program *p, uint64_t *random) {
  const uint32_t route = below(random, SCREE_ROUTE_RING + 1);
  p->routed = below(random, 2);
  if (!p->routed) return;
  if (p->options.progress == SCREE_PROGRESS_COMM) return;
  p->options.route = route;
  p->options.aggregate = below(random, 2);
  p->any_source[SLIM] = p->any_source[WIDE] = below(random, 4) == 0;
}

static void draw_receives(program *p, uint64_t *random) {
  if (below(random, 4) == 0) p->options.receives = 1 + below(random, 8);
}

static void draw_detector(program *p, uint32_t fixed, uint64_t *random) {
  const uint64_t drawn = below(random, 2) ? SCREE_DETECTOR_FLAT : SCREE_DETECTOR_NODE;
  p->options.detector = fixed ? fixed - 1 : drawn;
}

/* In half of the programs with postponed work, but not in tight ones: they wait in sends. */
static void draw_polls(program *p, bool tight, uint64_t *random) {
  p->polls = below(random, 2) && p->postpones && !tight;
}

/* A third of the programs: some of the kinds of types are. */
static void draw_urgent(program *p, uint64_t *random) {
  const uint32_t drawn = below(random, 3);
  if (drawn || p->options.progress == SCREE_PROGRESS_COMM) return;
  p->options.urgent = SCREE_URGENT_TYPES_ON;
  for (kind k = SLIM; k <= TEXT; k++) p->more[k] = below(random, 2) ? SCREE_URGENT : 0;
}

static void draw_reduced_type(program *p, kind k, uint64_t *random) {
  p->flags[k] = below(random, 3);
  p->more[k] = below(random, 8) == 0 ? SCREE_UNREDUCED : 0;
  p->any_source[k] = below(random, 2);
  p->from[k] = below(random, 4) ? 0 : below(random, p->epochs);
  p->first[p->from[k]] = true;
}

/* Caches of the least size that is legal for both types, and larger ones. Few of these programs are checked:
 * there nothing is combined. In some, items wait for few steps of the simulator, each of which takes 1000 ns. */
static void draw_caches(scree_options *o, uint64_t *random) {
  static const uint64_t modes[] = {SCREE_REDUCE_AUTO, SCREE_REDUCE_ON, SCREE_REDUCE_ON, SCREE_REDUCE_OFF};
  const uint64_t least = 16 * sum__reduction()->entry, sizes[] = {least, least, 3 * least + 1, 65536};
  o->reduce = modes[below(random, 4)];
  o->reduce_cache = sizes[below(random, 4)];
  o->checked = below(random, 8) == 0;
  if (below(random, 4) == 0) o->flush_age = 20 * below(random, 100);
}

/* Half of the programs have reduced types, but tight ones none: they are checked. Behind all others: it may change what they
 * drew, but in those programs alone. */
static void draw_reduced(program *p, bool tight, uint64_t *random) {
  static const uint32_t sum_keys[] = {1, 3, 20, UINT32_MAX}, least_keys[] = {1, 4, LEAST_KEYS};
  if (tight || below(random, 2)) return;
  const uint32_t which = below(random, 3);
  if (which != 1) draw_reduced_type(p, SUM, random);
  if (which != 2) draw_reduced_type(p, LEAST, random);
  p->reduced_share = 1 + below(random, 7);
  p->sum_keys = sum_keys[below(random, 4)];
  p->least_keys = least_keys[below(random, 3)];
  draw_caches(&p->options, random);
  p->config.max_steps *= 10;                  /* the longest of 40,000 programs took 9.5 million */
  const bool crowded = below(random, 4) == 0; /* caches are full, and lanes have no room for what leaves them */
  if (crowded) p->first_messages += 100;
  if (crowded) p->options.pool_blocks = 1;
  const uint32_t route = below(random, SCREE_ROUTE_RING + 1);
  if (p->routed || p->options.progress == SCREE_PROGRESS_COMM || below(random, 2)) return;
  p->options.route = route; /* of these types alone */
  p->options.aggregate = below(random, 2);
}

void program_draw(program *p, uint64_t seed, program_kind kind, program_shape shape) {
  uint64_t random = seed;
  p->seed = seed;
  const bool tight = kind == PROGRAM_TIGHT;
  uint32_t ranks = tight ? 2 + below(&random, MOST_TIGHT_RANKS - 1) : 1 + below(&random, 9);
  uint32_t nodes = tight ? 2 + below(&random, 3) : 1 + below(&random, ranks);
  if (shape.ranks) ranks = shape.ranks;
  p->config = (scree_sim_config){.seed = seed,
                                 .ranks = ranks,
                                 .nodes = nodes < ranks ? nodes : ranks,
                                 .max_steps = 2000000,
                                 .quiet = !getenv("SCREE_TEST_VERBOSE")};
  draw_options(p, &random);
  draw_traffic(p, &random);
  if (tight) tighten(p, &random);
  if (kind == PROGRAM_WITH_FAULTS) draw_faults(p, &random);
  draw_workers(p, tight, shape.threads, &random);
  draw_quiet(p, &random);
  draw_lock(p, &random);
  draw_detector(p, shape.detector, &random);
  draw_level(p, &random);
  draw_progress(p, tight, &random);
  draw_samples(p, &random);
  draw_caller(p, &random);
  draw_route(p, &random);
  draw_receives(p, &random);
  draw_polls(p, tight, &random);
  draw_urgent(p, &random);
  draw_reduced(p, tight, &random);
}
