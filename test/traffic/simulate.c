/* simulate.c - programs in the simulator: virtual ranks run one at a time, so all share the counts, and when a worker
 * leaves an epoch, what was sent in it must have been handled on all of them. A row that fails is made smaller. */
#include <stdio.h>
#include <string.h>

#include "base/option_table.h"
#include "traffic.h"

enum { MAIL = 32, STEPS = 8000000, LEDGER = 1 << 16 };

typedef struct {
  parcel at[MAIL];
  uint32_t count;
} mailbox;

/* Messages of equal hash: of few bytes. */
typedef struct {
  uint64_t hash;
  uint32_t sent, handled;
} entry;

typedef struct {
  simulated base; /* must be first */
  account all;
  bool wrong, mpi_fails;
  char why[WHY];
  mailbox mail[MOST_RANKS][MOST_THREADS];
  uint32_t entries;
  entry ledger[LEDGER];
  home home[MOST_RANKS];
} stage;

static bool post(player *from, uint32_t rank, uint32_t worker, parcel one) {
  stage *s = from->home->stage;
  mailbox *m = &s->mail[rank][worker];
  if (m->count == MAIL) return false;
  m->at[m->count++] = one;
  return true;
}

/* Of this epoch; a sender may already be in the next one. */
static bool fetch(player *me, parcel *one) {
  stage *s = me->home->stage;
  mailbox *m = &s->mail[me->w->rank][me->w->index];
  for (uint32_t i = m->count; i-- > 0;) {
    if (m->at[i].epoch != me->epoch) continue;
    *one = m->at[i];
    m->at[i] = m->at[--m->count];
    return true;
  }
  return false;
}

/* Nothing is handled more often than it was sent, in an epoch that failed, too. A ledger that is full takes no more. */
static void enter(player *me, uint32_t type, uint64_t hash, bool handled) {
  stage *s = me->home->stage;
  entry *e = &s->ledger[hash % LEDGER];
  if (s->entries > LEDGER / 4 * 3) return;
  while (e->hash != hash && (e->sent || e->handled)) e = e == &s->ledger[LEDGER - 1] ? s->ledger : e + 1;
  s->entries += !e->sent && !e->handled;
  e->hash = hash;
  *(handled ? &e->handled : &e->sent) += 1;
  if (e->handled > e->sent)
    flaw(me, "a message of type %u (%s) is handled %u times that was sent %u times", type,
         s->base.p.type[type].kind->name, e->handled, e->sent);
}

/* The moment at which one worker leaves: all of the epoch's messages must have been handled by then. */
static void left(player *me) {
  stage *s = me->home->stage;
  char why[WHY];
  parcel one;
  if (!s->wrong && !judge_epoch(&s->base.p, &s->all, me->epoch, why)) {
    s->wrong = true;
    snprintf(s->why, WHY, "rank %u leaves: %.250s", me->w->rank, why);
  }
  if (s->base.p.hands && fetch(me, &one)) flaw(me, "it leaves with work that others hold it open for");
}

static const driver virtual_ranks = {.post = post, .fetch = fetch, .enter = enter, .left = left, .one_process = true};

void traffic_virtual_rank(scree_world *world, void *stage_) {
  stage *s = stage_;
  home *h = &s->home[scree_worker_of(world, 0)->rank];
  h->p = &s->base.p;
  h->driver = &virtual_ranks;
  h->stage = s;
  h->mpi_fails = s->mpi_fails;
  memset(h->type, 0, sizeof h->type);
  traffic_play(h, world, &s->all, 0);
  for (uint32_t i = 0; i <= s->base.p.threads; i++)
    if (h->player[i].why[0] && !s->wrong) {
      s->wrong = true;
      snprintf(s->why, WHY, "%s", h->player[i].why);
    }
}

simulated *traffic_prepare(const char *row, bool mpi_fails, char *why) {
  static stage *s; /* large, and used again */
  if (!s && !(s = malloc(sizeof *s))) abort();
  memset(s, 0, offsetof(stage, home));
  s->mpi_fails = mpi_fails;
  if (!traffic_draw(&s->base.p, row, why)) return NULL;
  const program *p = &s->base.p;
  s->base.config = (scree_sim_config){.seed = p->seed,
                                      .ranks = p->ranks,
                                      .nodes = p->nodes,
                                      .threads = p->threads,
                                      .max_steps = STEPS * (p->crowd || p->scale || p->bytes ? 10 : 1),
                                      .quiet = !getenv("SCREE_TEST_VERBOSE")};
  return &s->base;
}

bool traffic_judge(simulated *base, scree_status status, uint64_t steps, traffic_totals *totals, char *why) {
  stage *s = (stage *)base;
  const bool hung = status == SCREE_EPEER && s->all.max.status.max != SCREE_EPEER;
  s->all.sum.totals.steps = steps;
  s->all.sum.totals.failures = status != SCREE_OK;
  add_totals(totals, &s->all.sum.totals);
  snprintf(why, WHY, "%s", s->why);
  if (s->wrong) return false;
  if (s->mpi_fails && (status || !s->all.sum.epoch[base->p.epochs - 1].left)) return true; /* or types were refused */
  if (!hung && (!status || s->all.max.raised)) return judge(&base->p, &s->all, why);
  snprintf(why, WHY, "the run ended with '%s' after %llu steps", scree_status_text(status), (unsigned long long)steps);
  return false;
}

static bool run(const char *row, bool mpi_fails, traffic_totals *totals, char why[WHY]) {
  uint64_t steps = 0;
  simulated *s = traffic_prepare(row, mpi_fails, why);
  if (!s) return false;
  const scree_status status = scree_sim_run(&s->config, &s->p.drawn.user, traffic_virtual_rank, s, &steps);
  return traffic_judge(s, status, steps, totals, why);
}

/* ---- smaller rows ---- */

/* Takes the row if it is legal and its program fails. */
static bool take_row(char row[ROW], const char *other, bool mpi_fails, char why[WHY]) {
  static program p;
  char found[WHY];
  traffic_totals unused = {0};
  if (!traffic_draw(&p, other, found) || run(other, mpi_fails, &unused, found)) return false;
  strcpy(row, other);
  strcpy(why, found);
  return true;
}

static bool keep_number(char row[ROW], bool mpi_fails, const char *name, uint32_t value, char *why) {
  char longer[ROW];
  return snprintf(longer, ROW, "%s %s=%u", row, name, value) < ROW && take_row(row, longer, mpi_fails, why);
}

/* Options that are drawn become words; then word after word is left out. */
static void shrink_options(char row[ROW], bool mpi_fails, char *why) {
  static program p;
  char words[ROW], other[ROW], value[64];
  traffic_draw(&p, row, other);
  int at = snprintf(words, ROW, "%s options=0", row);
  const size_t first = strlen(row);
  const scree_option *o;
  for (size_t i = 0; (o = scree__option_at(i)) && at < ROW; i++) {
    scree__option_format(o, &p.drawn, value, sizeof value);
    if (value[0] && strcmp(o->name, "threads") != 0)
      at += snprintf(words + at, (size_t)(ROW - at), " %s=%s", o->name, value);
  }
  if (at >= ROW || !take_row(row, words, mpi_fails, why)) return;
  for (size_t from = first + strlen(" options=0"); row[from];) {
    const size_t next = from + 1 + strcspn(row + from + 1, " ");
    snprintf(other, ROW, "%.*s%s", (int)from, row, row + next);
    if (!take_row(row, other, mpi_fails, why)) from = next;
  }
}

/* The minimum value of the shape, else the half, repeatedly. */
static void shrink(char row[ROW], bool mpi_fails, char *why) {
  static program p;
  char unused[WHY];
#define SHRINK(name, min, max, odds)                                                                                   \
  traffic_draw(&p, row, unused);                                                                                       \
  if (p.name > min && !keep_number(row, mpi_fails, #name, min, why))                                                   \
    while (p.name > min + 1 && keep_number(row, mpi_fails, #name, (min + p.name) / 2, why))                            \
      traffic_draw(&p, row, unused);
  TRAFFIC_SHAPE(SHRINK)
  shrink_options(row, mpi_fails, why);
}

bool traffic_simulate(const char *row, bool mpi_fails, traffic_totals *totals, char *why, size_t size) {
  char found[WHY], small[ROW], again[WHY];
  const char *shrinks = getenv("SCREE_TEST_SHRINK");
  if (run(row, mpi_fails, totals, found)) return true;
  snprintf(small, ROW, "%s", row);
  strcpy(again, found);
  if (!shrinks || *shrinks != '0') shrink(small, mpi_fails, again);
  snprintf(why, size, "%s: %s; to replay: SCREE_TEST_ROW='%s', of which remains: %s", row, found, small, again);
  return false;
}
