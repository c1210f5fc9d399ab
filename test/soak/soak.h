/* soak.h - generated programs on real transports, judged by sums that plain MPI adds up.
 *
 * plan.c draws a program from a seed, kinds.c has its message types, play.c plays it on this rank, judge.c compares
 * what all ranks sent with what they handled, board.c keeps the counters that test/soak.sh watches. soak.c is main.
 *
 * Each message contributes a hash of its epoch, source, destination, type and bytes to a sum at its sender, and the
 * same to a sum at its handler. The two totals of an epoch are equal only if the same messages were handled, each once,
 * unchanged, where and when they should have been; a difference remains unseen with probability 2^-64.
 *
 * Items of the reduced type (TALLY) add up these hashes, and how many messages they stand for. Of the filtered type (HIGH) the
 * highest value of each destination and key has to arrive. What of both was sent and not handled has to be what the statistics
 * say was combined. */
#ifndef SOAK_H
#define SOAK_H
#include <mpi.h>
#include <scree/reduced.h>
#include <scree/scree_mpi.h>

#include "base/random.h"

/* ---- the plan of a program: the same on all ranks ---- */

typedef enum { NOTE, BYTE, WORD, ODD, WIDE, PAGE, LARGEST, TEXT, TALLY, HIGH, KINDS } kind;
typedef enum { UNIFORM, TO_ONE, FROM_ONE, NEXT, PAIRS, SELF, EMPTY, PATTERNS } pattern;

enum { EPOCHS_MAX = 12, TEXT_MAX = 200 << 10, PLAN_TEXT = 1400, RANKS_MAX = 64 };
enum { REDUCED = KINDS - TALLY, HIGH_KEYS = 8, LEAST_CACHE = 16 * 48 };

typedef struct {
  uint64_t seed, number, key; /* of the launch; of the program in it; of this program's draws */
  bool defaults;              /* library options are not drawn */
  scree_options options;
  uint32_t epochs;
  uint32_t from[KINDS];    /* the epoch before which the type is registered; EPOCHS_MAX: never */
  kind order[KINDS];       /* of registration */
  uint32_t flags[REDUCED]; /* of TALLY and HIGH */
  uint64_t tally_keys;
  uint64_t roots; /* bursts per rank and epoch, at most */
  uint32_t burst; /* messages */
  uint32_t depth, fanout, odds;
  uint64_t text_max, bytes_max; /* of a record; sent by one rank, after which it sends no more */
  uint64_t nanoseconds;         /* after which no rank sends more, but for what is under way */
  bool postpones, mails, calm;
} plan;

/* What the command line fixes, in place of what would be drawn: `NAME=VALUE`. */
typedef struct {
  const char *set[32];
  uint32_t count;
} fixed_options;

/* Returns false and says why if a fixed option is wrong. */
bool plan_draw(plan *p, uint64_t seed, uint64_t number, bool defaults, const fixed_options *fixed);
/* The options of test/soak.sh that replay the program. */
void plan_print(const plan *p, char *text, size_t size);

static inline uint64_t below(uint64_t *random, uint64_t n) {
  return scree__draw(random) % n;
}

/* ---- what one rank counts in an epoch ---- */

typedef struct {
  uint64_t sent, sent_hash, handled, handled_hash;
  uint64_t given, given_hash; /* handled by ranks that take part in the reduction */
  uint64_t reduced, reduced_hash, min, max;
  uint64_t flaws; /* items of TALLY and HIGH that are not what they should be; calls that were refused */
  bool is_mute;   /* this rank's scree_end has no reduction */
} epoch_count;

/* ---- a rank that plays ---- */

enum { QUEUE = 1 << 14, MAILS = 64 };

typedef struct player {
  const plan *plan;
  MPI_Comm mail;
  scree_world *world;
  scree_worker *w;
  uint32_t type[KINDS];
  kind have[KINDS]; /* registered by now */
  uint32_t have_count;
  bool has_notes, has_words, has_tallies;
  uint64_t random, id;
  uint64_t bytes, spawned; /* sent in this epoch; by handlers */
  uint64_t stop_at;        /* clock after which it sends no more */
  bool over, in_handler;   /* sends no more; a handler runs */

  uint32_t epoch;
  uint64_t epoch_key, epoch_random; /* the second one is equal on all ranks */
  pattern pattern;
  bool tested;
  uint32_t one; /* the rank that a pattern singles out */
  epoch_count count[EPOCHS_MAX];
  scree_reduce part;
  uint64_t saved[REDUCED]; /* items sent less those that were handled, and those that were combined */
  uint64_t high_sent[EPOCHS_MAX][RANKS_MAX][HIGH_KEYS], high_handled[EPOCHS_MAX][HIGH_KEYS];

  struct postponed {
    uint64_t hash;
    uint32_t depth;
  } queue[QUEUE];
  uint32_t queued;

  MPI_Request letters[MAILS]; /* on their way to other ranks */
  uint32_t letter_count;
  MPI_Request letter_box;
  uint64_t letter_in, letters_out[MAILS];

  scree_status status; /* of the epoch that failed, or of opening */
  char why[320];
} player;

/* Plays until the end, or until the world fails: me->status, me->epoch say how far it came. */
void play(player *me);

/* kinds.c */
scree_status kind_register(player *me, kind k);
/* Sends one message of some type; `depth` more generations may follow from it. */
void send_one(player *me, uint32_t depth, uint64_t random);
/* Sends `n` small messages without a pause. */
void send_burst(player *me, uint32_t n);
/* What follows from a message: sends, or postponed work. */
void answer(player *me, uint32_t depth, uint64_t hash);

/* ---- the judge ---- */

typedef struct {
  bool refused; /* the world refused the plan, for want of memory */
  uint64_t epochs, messages, losses;
  bool is_over; /* rank 0's time is over */
} verdict;

/* Collective over `comm`; prints what is wrong on rank 0. */
verdict judge(const player *me, MPI_Comm comm, bool time_is_over);

/* Planted by the environment to see that the soak notices: SCREE_TEST_SOAK_PLANT=lose|twice|damage|hang|fail. */
bool planted(const char *what);

/* ---- the board: a file that all ranks map, read by test/soak.sh ---- */

/* Makes the rank's counters visible. Returns false and says why if the file is unavailable. */
bool board_open(const char *path, uint32_t rank, uint32_t ranks);
/* The world whose blocks are counted; NULL before it closes. */
void board_world(const scree_world *world);
void board_messages(uint64_t n); /* handled, in addition */
void board_epoch(void);
void board_program(const plan *p);
void board_verdict(const verdict *v);
/* Prints the board: one line of totals, one of all progress, one to replay, one for each rank. */
int board_show(const char *path);
#endif
