/* programs_inside.h - a generated program and the ledger that judges it.
 *
 * Virtual ranks run one at a time, so all of it is plain memory. */
#ifndef PROGRAMS_INSIDE_H
#define PROGRAMS_INSIDE_H
#include <scree/reduced.h>
#include <scree/scree_sim.h>

#include "base/random.h"
#include "programs.h"

enum { MOST_MESSAGES = 20000, MOST_EPOCHS = 5, MOST_RANKS = 16, MOST_TIGHT_RANKS = 12, MOST_THREADS = 4 };
enum { MOST_POSTPONED = 2500, MOST_MAIL = 32, LARGE = 9000, MOST_SLIMS = 6, NOBODY = MOST_RANKS, ANY_WORKER = 255 };
enum { LEAST_KEYS = 64, LEAST_VALUES = 16 };

/* SUM: reduced. LEAST: filtered. */
typedef enum { SLIM, WIDE, TEXT, SUM, LEAST, KINDS } kind;

typedef struct {
  uint32_t id, depth; /* depth: how often it may still be answered */
} note;

typedef struct {
  note head;
  uint64_t pad[4];
} wide_note;

/* One message of the ledger. */
typedef struct {
  uint8_t epoch, dest, worker, handled; /* dest: rank; worker: of a type to workers, or ANY_WORKER; serial: 0 */
  uint8_t from, from_worker;
  uint8_t type; /* its kind */
} entry;

/* An item that stands for `count` messages, of which nothing remains but what can be added up. */
typedef struct {
  uint64_t key, hash; /* hash: sum of those of the messages' ids */
  uint32_t count;
  note head;   /* of the message whose item was kept, but for the largest depth */
  entry where; /* of that message */
  bool mixed;  /* of several workers */
  bool wrong;  /* others were combined with it than it may be */
} sum_note;

/* The least value of each key is to arrive. */
typedef struct {
  uint32_t key;
  note head;
  uint32_t value;
  entry where;
} least_note;

/* Work that one worker handed to another under a hold. */
typedef struct {
  uint32_t epoch, depth;
} parcel;

typedef struct program program;

SCREE_MESSAGE(slim, note);
SCREE_MESSAGE(wide, wide_note);
/* The same by routes: sent with the ids of those above. */
SCREE_MESSAGE_ROUTED(slim_routed, note);
SCREE_MESSAGE_ROUTED(wide_routed, wide_note);
SCREE_VARIABLE(text);

static inline bool same_place(const entry *a, const entry *b) {
  return a->epoch == b->epoch && a->dest == b->dest && a->worker == b->worker;
}

static inline void add_up_sum(sum_note *kept, const sum_note *item) {
  kept->wrong |= item->wrong || kept->key != item->key || !same_place(&kept->where, &item->where);
  kept->mixed |=
      item->mixed || kept->where.from != item->where.from || kept->where.from_worker != item->where.from_worker;
  kept->hash += item->hash;
  kept->count += item->count;
  if (item->head.depth > kept->head.depth) kept->head.depth = item->head.depth;
}

#define KEY_OF(item)   ((item)->key)
#define VALUE_OF(item) ((item)->value)
SCREE_MESSAGE_REDUCED(sum, sum_note, KEY_OF, add_up_sum);
SCREE_MESSAGE_FILTERED(least, least_note, KEY_OF, VALUE_OF);

/* One worker of a virtual rank. */
typedef struct {
  program *all;
  scree_worker *w;
  slim_type slim[MOST_SLIMS]; /* program.slims of them */
  wide_type wide;
  text_type text;
  sum_type sum;
  least_type least;
  bool has[KINDS];          /* of those that may be registered later */
  uint32_t run_from;        /* of a first worker: the first epoch of the run */
  uint32_t epoch, begun;    /* begun: 1 + the last epoch that it was about to begin */
  uint64_t random, handled; /* messages in this epoch */
  scree_reduce part;
  uint32_t postponed_count, mail_count;
  scree_status seen; /* how its last epoch ended, by whom, and which it was */
  uint32_t seen_rank, seen_epoch;
  note postponed[MOST_POSTPONED]; /* first of what does not start as zero */
  parcel mail[MOST_MAIL];
} player;

/* A failure that a rank raises, by scree_fail or by a call that is illegal where it is made. */
typedef struct {
  uint32_t rank, worker, epoch, after; /* after so many messages of the epoch; 0: before any, outside handlers */
  bool misuse;
  scree_status code;
} fault;

struct program {
  uint64_t seed;
  scree_sim_config config;
  scree_options options;
  uint32_t epochs, first_messages, fanout, depth, answer_odds, slims;
  uint32_t from[KINDS];   /* the epoch before which a type is registered; MOST_EPOCHS: never */
  uint32_t reduced_share; /* of 8 messages, so many are of SUM or LEAST */
  uint32_t sum_keys, least_keys;
  uint32_t mute;            /* the rank whose workers give no part of the reduction, or NOBODY */
  uint32_t to[MOST_EPOCHS]; /* the rank that all messages of the epoch go to; NOBODY: any */
  bool postpones, big, hands_over;
  bool polls;                   /* a poll function does what handlers postpone, instead of a loop around scree_test */
  bool quiet[MOST_EPOCHS];      /* epochs in which all messages come from work handed over */
  uint32_t takers[MOST_EPOCHS]; /* workers of each rank that take part in an epoch */
  bool alone[MOST_EPOCHS];      /* begun outside of scree_run_workers; one taker */
  bool first[MOST_EPOCHS];      /* of a call of scree_run_workers, or alone */
  uint32_t flags[KINDS];        /* of the types */
  uint32_t more[KINDS];         /* SCREE_URGENT, SCREE_UNREDUCED, or 0, too */
  bool routed;                  /* SLIM and WIDE are; those that are reduced always */
  bool any_source[KINDS];       /* handlers do not ask for the source */
  bool mpi_fails;
  bool gives_up; /* in a failed epoch ranks leave their work undone */
  fault faults[2];
  uint32_t fault_count;

  /* the ledger, and what was seen */
  uint32_t count;                                                       /* messages */
  uint32_t sent[MOST_EPOCHS], handled[MOST_EPOCHS], added[MOST_EPOCHS]; /* added: by ranks that are not mute */
  /* Of SUM: messages, and by destination the hashes of their ids, sent less handled. Of LEAST: 1 + the least value of each
   * destination, worker and key that was sent, and that was handled; they count neither as sent nor as handled above. */
  uint32_t waiting[MOST_EPOCHS];
  uint64_t hashes[MOST_EPOCHS][MOST_RANKS];
  uint8_t least_sent[MOST_EPOCHS][MOST_RANKS][MOST_THREADS][LEAST_KEYS];
  uint8_t least_handled[MOST_EPOCHS][MOST_RANKS][MOST_THREADS][LEAST_KEYS];
  uint64_t saved[KINDS], combined[KINDS]; /* items sent less items handled; and what the statistics say of it */
  scree_status raised; /* the highest code of a rank that knew of no failure yet, and the lowest such rank */
  uint32_t raised_by;
  bool wrong;
  char why[256];
  program_totals totals;
  entry ledger[MOST_MESSAGES];                  /* first of what does not start as zero */
  player players[MOST_RANKS][MOST_THREADS + 1]; /* of each rank: workers, and the progress thread */
};

/* Keeps the first thing that went wrong. */
#define WRONG(p, ...)                                                                                                  \
  do {                                                                                                                 \
    if (!(p)->wrong) snprintf((p)->why, sizeof(p)->why, __VA_ARGS__);                                                  \
    (p)->wrong = true;                                                                                                 \
  } while (0)

static inline uint32_t below(uint64_t *random, uint32_t n) {
  return (uint32_t)(scree__draw(random) % n);
}

/* Handlers of postponing programs leave work behind inside scree_end, which only scree_test can wait for. */
static inline bool is_tested(const program *p, uint32_t epoch) {
  return (p->postpones && !p->polls) || ((p->seed >> 8) + epoch) % 2;
}

static inline bool is_progress(const player *me) {
  return me->w->index == me->all->config.threads;
}

void program_draw(program *p, uint64_t seed, program_kind kind, program_shape shape);
void program_play(scree_world *world, void *program);
void program_judge_reduced(program *p, uint32_t epoch, const char *who);
#endif
