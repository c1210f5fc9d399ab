/* programs.c - a program drawn from a seed, and the ledger that judges it.
 *
 * Room: nested sends, three types (one of variable length, some records larger than a block), scoped, tested and
 * empty epochs, postponed work, holds, flushes, tiny pools, and faults. Virtual ranks run one at a time, so the
 * ledger is plain memory that all of them share. */
#include "programs.h"

#include <scree/scree_sim.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

enum { MOST_MESSAGES = 20000, MOST_EPOCHS = 5, MOST_RANKS = 9, LARGE = 9000 };

typedef struct {
  uint32_t id, depth; /* depth: how often it may still be answered */
} note;

typedef struct {
  note head;
  uint64_t pad[4];
} wide_note;

typedef struct {
  uint8_t epoch, dest, handled;
} entry;

typedef struct program program;

SCREE_MESSAGE(slim, note);
SCREE_MESSAGE(wide, wide_note);
SCREE_VARIABLE(text);

/* What one virtual rank knows. */
typedef struct {
  program *all;
  scree_worker *w;
  slim_type slim;
  wide_type wide;
  text_type text;
  uint64_t random, handled;
  note postponed[MOST_MESSAGES / 8];
  uint32_t postponed_count;
  uint32_t epoch;
} player;

struct program {
  uint64_t seed;
  scree_sim_config config;
  scree_options options;
  uint32_t epochs, first_messages, fanout, depth, answer_odds;
  bool postpones, faults, big;
  uint32_t fault_rank, fault_epoch, fault_after;
  scree_status fault_code, seen[MOST_RANKS];
  uint32_t seen_epoch[MOST_RANKS];
  bool fault_raised, wrong;
  char why[256];
  uint32_t sent[MOST_EPOCHS], handled[MOST_EPOCHS], count;
  uint64_t failures;
  player players[MOST_RANKS];
  entry ledger[MOST_MESSAGES];
};

#define WRONG(p, ...)                                                                                                  \
  do {                                                                                                                 \
    if (!(p)->wrong) snprintf((p)->why, sizeof(p)->why, __VA_ARGS__);                                                  \
    (p)->wrong = true;                                                                                                 \
  } while (0)

static uint32_t below(uint64_t *random, uint32_t n) { return (uint32_t)(scree__draw(random) % n); }

/* ---- sending and handling, with entries in the ledger ---- */

static void send_text(player *me, uint32_t dest, note n) {
  static char large[LARGE];
  uint32_t extra = below(&me->random, me->all->big ? LARGE - sizeof n : 60);
  char bytes[LARGE];
  memcpy(bytes, large, sizeof n + extra);
  memcpy(bytes, &n, sizeof n);
  text_send(me->w, me->text, dest, bytes, sizeof n + extra);
}

static void send_one(player *me, uint32_t depth) {
  program *p = me->all;
  if (p->count >= MOST_MESSAGES || p->fault_raised) return;
  uint32_t dest = below(&me->random, p->config.ranks);
  note n = {p->count++, depth};
  p->ledger[n.id] = (entry){(uint8_t)me->epoch, (uint8_t)dest, 0};
  p->sent[me->epoch]++;
  wide_note w = {n, {n.id, n.id, n.id, n.id}};
  switch (below(&me->random, 4)) {
  case 0: wide_send(me->w, me->wide, dest, w); break;
  case 1: send_text(me, dest, n); break;
  case 2:
    if (slim_try_send(me->w, me->slim, dest, n)) break;
    /* fall through */
  default: slim_send(me->w, me->slim, dest, n);
  }
  if (below(&me->random, 16) == 0) scree_flush(me->w, below(&me->random, 2) ? SCREE_ALL : me->slim.id);
}

static void answer(player *me, note n) {
  program *p = me->all;
  for (uint32_t i = 0; n.depth > 0 && i < p->fanout; i++)
    if (below(&me->random, p->answer_odds) == 0) send_one(me, n.depth - 1);
}

static void maybe_fail(player *me) {
  program *p = me->all;
  if (!p->faults || me->w->rank != p->fault_rank || me->epoch != p->fault_epoch || me->handled < p->fault_after) return;
  if (p->fault_raised) return;
  p->fault_raised = true;
  scree_fail(me->w, p->fault_code, "a fault of the test's");
}

static void handle(player *me, int source, note n) {
  program *p = me->all;
  if (n.id >= p->count || source < 0 || source >= (int)p->config.ranks) {
    WRONG(p, "rank %u got message %u of %u from %d", me->w->rank, n.id, p->count, source);
    return;
  }
  entry *e = &p->ledger[n.id];
  if (e->dest != me->w->rank) WRONG(p, "message %u for rank %u handled on %u", n.id, e->dest, me->w->rank);
  if (e->epoch != me->epoch) WRONG(p, "message %u of epoch %u handled in %u", n.id, e->epoch, me->epoch);
  if (e->handled++) WRONG(p, "message %u handled twice", n.id);
  p->handled[me->epoch]++;
  me->handled++;
  maybe_fail(me);
  if (p->postpones && n.depth > 0 && me->postponed_count < MOST_MESSAGES / 8 && (n.id & 1))
    me->postponed[me->postponed_count++] = n;
  else
    answer(me, n);
}

static void on_slim(scree_worker *w, const scree_run *run, const note *items, void *arg) {
  (void)w;
  for (uint32_t i = 0; i < run->count; i++) handle(arg, run->source, items[i]);
}

static void on_wide(scree_worker *w, const scree_run *run, const wide_note *items, void *arg) {
  player *me = arg;
  for (uint32_t i = 0; i < run->count; i++) {
    for (int k = 0; k < 4; k++)
      if (items[i].pad[k] != items[i].head.id) WRONG(me->all, "wide message %u is damaged", items[i].head.id);
    handle(me, run->source, items[i].head);
  }
  (void)w;
}

static void on_text(scree_worker *w, const scree_run *run, const void *items, void *arg) {
  const void *at = items;
  (void)w;
  for (uint32_t i = 0; i < run->count; i++) {
    size_t bytes;
    note n;
    const char *record = scree_record(&at, &bytes);
    memcpy(&n, record, sizeof n);
    for (size_t k = sizeof n; k < bytes; k++)
      if (record[k]) WRONG(((player *)arg)->all, "text message %u is damaged at %zu of %zu", n.id, k, bytes);
    handle(arg, run->source, n);
  }
}

SCREE_HANDLER(slim, note, on_slim);
SCREE_HANDLER(wide, wide_note, on_wide);
SCREE_VARIABLE_HANDLER(text, on_text);

/* ---- epochs ---- */

static bool pop_and_work(player *me) {
  if (me->postponed_count == 0) return false;
  answer(me, me->postponed[--me->postponed_count]);
  return true;
}

/* A hold that another call releases keeps the epoch open in between. */
static void hold_for_a_while(player *me) {
  scree_hold(me->w, 2);
  for (uint32_t i = below(&me->random, 8); i > 0; i--) scree_progress(me->w);
  send_one(me, 1);
  scree_release(me->w, 2);
}

static void tested_epoch(player *me, scree_reduce *total) {
  for (;;) {
    bool worked = pop_and_work(me);
    total->sum[0] = me->handled; /* handlers may have run inside the sends above */
    if (scree_test(me->w, !worked && me->postponed_count == 0, total)) return;
  }
}

static void scoped_epoch(player *me, scree_reduce *total) {
  while (pop_and_work(me)) {}
  scree_end(me->w, total);
}

/* The moment at which one worker leaves: all of the epoch's messages must have been handled by then. */
static void judge_epoch(player *me, const scree_reduce *total) {
  program *p = me->all;
  uint32_t rank = me->w->rank;
  scree_status status = scree_error(scree_world_of(me->w));
  if (status != SCREE_OK) {
    p->seen[rank] = status;
    p->seen_epoch[rank] = me->epoch;
    return;
  }
  if (p->sent[me->epoch] != p->handled[me->epoch])
    WRONG(p, "rank %u leaves epoch %u with %u of %u messages handled", rank, me->epoch, p->handled[me->epoch],
          p->sent[me->epoch]);
  if (me->postponed_count) WRONG(p, "rank %u leaves epoch %u with postponed work", rank, me->epoch);
  uint32_t ranks = p->config.ranks;
  if (total->sum[1] != ranks || total->min != 7 || total->max != 7 + ranks - 1)
    WRONG(p, "reduction of epoch %u: sum %llu min %llu max %llu", me->epoch, (unsigned long long)total->sum[1],
          (unsigned long long)total->min, (unsigned long long)total->max);
}

static void open_epoch(player *me) {
  program *p = me->all;
  me->handled = 0;
  if (scree_begin(me->w) != SCREE_OK) return;
  uint32_t n = below(&me->random, 4) ? below(&me->random, p->first_messages + 1) : 0;
  if (n && below(&me->random, 4) == 0) hold_for_a_while(me);
  for (uint32_t i = 0; i < n; i++) send_one(me, p->depth);
}

/* Handlers of postponing programs leave work behind inside scree_end, which only scree_test can wait for. */
static bool is_tested(const program *p, uint32_t epoch) { return p->postpones || ((p->seed >> 8) + epoch) % 2; }

static void play_epoch(player *me) {
  program *p = me->all;
  open_epoch(me);
  scree_reduce total = {{me->handled, 1}, 7 + me->w->rank, 7 + me->w->rank};
  if (is_tested(p, me->epoch)) tested_epoch(me, &total);
  else scoped_epoch(me, &total);
  judge_epoch(me, &total);
}

static void play(scree_world *world, void *arg) {
  program *p = arg;
  player *me = &p->players[scree_rank(scree_worker_of(world, 0))];
  me->all = p;
  me->w = scree_worker_of(world, 0);
  me->random = p->seed ^ ((uint64_t)me->w->rank << 40);
  if (slim_register(world, me, &me->slim) || wide_register(world, me, &me->wide) || text_register(world, me, &me->text)) {
    WRONG(p, "registration: %s", scree_error_text(world));
    return;
  }
  for (me->epoch = 0; me->epoch < p->epochs && scree_error(world) == SCREE_OK; me->epoch++) play_epoch(me);
  if (scree_error(world) != SCREE_OK) p->failures++;
}

/* ---- a program and its verdict ---- */

static void draw_options(program *p, uint64_t *random) {
  scree_options *o = &p->options;
  static const uint64_t pools[] = {0, 1, 2, 3, 8}, sizes[] = {0, 1, 100, 1024, 4096};
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

static void draw_program(program *p, uint64_t seed, bool faults) {
  uint64_t random = seed;
  p->seed = seed;
  p->options = (scree_options)SCREE_OPTIONS_INIT;
  uint32_t ranks = 1 + below(&random, MOST_RANKS);
  p->config = (scree_sim_config){.seed = seed, .ranks = ranks, .nodes = 1 + below(&random, ranks), .max_steps = 2000000,
                                 .quiet = !getenv("LOUD")};
  draw_options(p, &random);
  p->epochs = 1 + below(&random, MOST_EPOCHS);
  p->first_messages = below(&random, 12);
  p->fanout = 1 + below(&random, 4);
  p->depth = below(&random, 4);
  p->answer_odds = 1 + below(&random, 3);
  p->postpones = below(&random, 2);
  p->big = below(&random, 8) == 0;
  p->faults = faults && below(&random, 2);
  p->fault_rank = below(&random, ranks);
  p->fault_epoch = below(&random, p->epochs);
  p->fault_after = 1 + below(&random, 6);
  p->fault_code = below(&random, 2) ? SCREE_ENOMEM : SCREE_EMPI;
}

/* A fault ends the same epoch on every rank, with the same code. */
static void judge_fault(program *p) {
  for (uint32_t r = 0; r < p->config.ranks; r++)
    if (p->seen[r] != p->seen[0] || p->seen_epoch[r] != p->seen_epoch[0] || p->seen[r] != p->fault_code)
      WRONG(p, "fault %d of rank %u in epoch %u: rank %u saw %d in epoch %u, rank 0 %d in %u", (int)p->fault_code,
            p->fault_rank, p->fault_epoch, r, (int)p->seen[r], p->seen_epoch[r], (int)p->seen[0], p->seen_epoch[0]);
}

static void judge_run(program *p, scree_status status, uint64_t steps) {
  if (p->fault_raised) {
    judge_fault(p);
    return;
  }
  if (status != SCREE_OK)
    WRONG(p, "run ended with '%s' after %llu steps", scree_status_text(status), (unsigned long long)steps);
  for (uint32_t i = 0; i < p->count; i++)
    if (p->ledger[i].handled != 1) WRONG(p, "message %u was handled %u times", i, p->ledger[i].handled);
}

bool program_run(uint64_t seed, bool faults, program_totals *totals, char *why, size_t size) {
  program *p = calloc(1, sizeof *p);
  if (!p) return false;
  draw_program(p, seed, faults);
  uint64_t steps = 0;
  scree_status status = scree_sim_run(&p->config, &p->options, play, p, &steps);
  judge_run(p, status, steps);
  totals->messages += p->count;
  totals->failures += p->fault_raised;
  totals->steps += steps;
  bool right = !p->wrong;
  if (!right) snprintf(why, size, "seed %llu (%u ranks, %u nodes): %s", (unsigned long long)seed, p->config.ranks,
                       p->config.nodes, p->why);
  free(p);
  return right;
}
