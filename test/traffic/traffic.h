/* traffic.h - the engine of random programs: one program, drawn from a seed, on every rank the same, wherever ranks
 * are.
 *
 * draw.c draws the program: its shape (the table below), options over the ranges of the table of options, types of the
 * kinds of kinds.c and tasks.c. play.c plays it on one rank: sends.c sends, handlers.c handles. judge.c compares what
 * was sent with what was handled. A driver determines how ranks meet: simulate.c in the simulator (over a simulated
 * MPI, if that is linked), over_ranks.c over real ranks.
 *
 * Each message adds a hash of its epoch, type, source, destination and bytes to a sum at its sender, and the same to a
 * sum at its handler. The sums of an epoch are equal only if the same messages were handled, each once, unchanged,
 * where and when they should have been; a difference remains unseen with probability 2^-64. Items of a type whose items
 * add up carry the sum of these hashes, and how many messages they stand for; of a filtered type the highest value of
 * each key has to arrive. Beside the sums the simulator has a ledger of single messages; over MPI SCREE_TEST_LEDGER=1
 * prints one.
 *
 * A row is a line of words NAME=VALUE, of which the last one of a name counts: seed=N, and what it fixes of the shape
 * and the options (`default`: not drawn). Each value is drawn by its name, so that what a row fixes changes nothing
 * else. */
#ifndef TRAFFIC_H
#define TRAFFIC_H
#include <atomic_ops.h>
#include <scree/global.h>
#include <scree/reduced.h>
#include <scree/scree_sim.h>
#include <stdlib.h>

#include "base/options.h"
#include "base/random.h"

enum {
  MOST_EPOCHS = 12,
  MOST_RANKS = 40,
  MOST_THREADS = 4,
  MOST_TYPES = 10,
  SLOTS = 16,
  OPERATIONS = 9, /* on global memory, and their forms; places: policies, what was exported, stacks */
  FORMS = 5,
  PLACES = SCREE_GLOBAL_EXPORTED + 2,
  QUEUE = 2048,
  ROW = 2000,
  WHY = 300
};

/* X(name, min, max, odds): once in `odds` programs drawn from min..max, else min. To add one: a line here, and its
 * use. */
#define TRAFFIC_SHAPE(X)                                                                                               \
  X(ranks, 1, 9, 1)                                                                                                    \
  X(nodes, 1, 9, 1) /* no more than ranks */                                                                           \
  X(mpi, 1, 1, 1)   /* 0: ranks on one node have none */                                                               \
  X(threads, 1, 4, 2)                                                                                                  \
  X(epochs, 1, 8, 1)                                                                                                   \
  X(types, 1, 6, 1)                                                                                                    \
  X(options, 1, 2, 4) /* drawn: 0: none, 1: each, 2: one in four */                                                    \
  X(tight, 1, 4, 1)   /* in quarters: options that are near their minimum */                                           \
  X(wide, 0, 0, 1)    /* options over their whole range: such a program may run out of memory */                       \
  X(roots, 0, 12, 1)  /* messages that a worker sends by itself in an epoch, at most */                                \
  X(scale, 0, 0, 1)   /* log2 of a factor to that, and to the bytes of an epoch */                                     \
  X(depth, 0, 3, 1)   /* generations that may follow a message */                                                      \
  X(fanout, 1, 4, 1)                                                                                                   \
  X(odds, 1, 3, 1)      /* that one of them is sent */                                                                 \
  X(postpones, 0, 2, 1) /* handlers postpone work: 1 to a loop around scree_test, 2 to poll functions */               \
  X(hands, 0, 1, 1)     /* work is passed to other workers under holds */                                              \
  X(text, 0, 4, 1)      /* the longest record: texts[] */                                                              \
  X(echo, 0, 3, 1)      /* a long record is answered by records of its size */                                         \
  X(keys, 0, 3, 1)      /* of types that are reduced: keys[] */                                                        \
  X(reduced, 0, 7, 2)   /* in eighths: messages of reduced types, of which there is one then */                        \
  X(crowd, 0, 100, 4)   /* further roots, of reduced types alone */                                                    \
  X(mute, 0, 1, 4)      /* a rank contributes nothing to the reduction of an epoch */                                  \
  X(joined, 0, 0, 1)    /* threads of the program join as workers */                                                   \
  X(tasks, 0, 3,                                                                                                       \
    2) /* messages are tasks too: 1: live by default, 2: one lives at a time, 3: two, and each switch is the last */   \
  X(loops, 0, 1, 2)    /* loops, where there are tasks */                                                              \
  X(objects, 0, 1, 2)  /* objects that tasks synchronise by */                                                         \
  X(global, 0, 1, 4)   /* words of global memory, where there are tasks */                                             \
  X(bytes, 0, 1, 2)    /* areas of global memory, where there are such words */                                        \
  X(gives_up, 0, 1, 1) /* in a failed epoch ranks leave their work undone */                                           \
  X(faults, 0, 2, 1)   /* failures that are raised; also, memory for overflow may be small */

/* ---- the program ---- */

/* How a send is made; SEND_ONCE does not use a cache. */
typedef enum { SEND, TRY, SEND_ONCE, TRY_ONCE, TO_ALL } way;
typedef enum { FIXED, TEXT, TASK, LOOP, SUMMED, HIGHEST, FIRST } family;

/* A row of kinds.c. `out` sends an item; false: a try refuses it. */
typedef struct {
  const char *name;
  family family;
  uint32_t size, flags;
  const struct scree__reduction *(*reduction)(void);
  bool (*out)(scree_worker *w, uint32_t id, uint32_t dest, const void *item, size_t size, way how);
} kind;
extern const kind traffic_kinds[];
extern const uint32_t traffic_kind_count; /* after these there are two of tasks, two of loops */

typedef struct {
  const kind *kind;
  uint32_t flags, from; /* from: the epoch before which it is registered */
  bool sorted;
} drawn_type;

typedef enum { UNIFORM, TO_ONE, FROM_ONE, NEXT, PAIRS, SELF, EMPTY, PATTERNS } pattern;

typedef struct {
  uint64_t key; /* of its hashes */
  pattern pattern;
  uint32_t takers, one, mute; /* workers of a rank that take part; ranks, or UINT32_MAX */
  bool alone, first;          /* outside of scree_run_workers; the first of a call of that, or alone */
  bool tested, held;          /* held: all messages come from work that is passed on */
} drawn_epoch;

typedef struct {
  uint32_t rank, worker, epoch, after; /* after so many messages of the epoch; 0: before any, outside handlers */
  bool misuse;                         /* by a call that is illegal where it is made */
  scree_status code;
} drawn_fault;

typedef struct {
  const char *row;
  uint64_t seed;
#define TRAFFIC_FIELD(name, min, max, odds) uint32_t name;
  TRAFFIC_SHAPE(TRAFFIC_FIELD)
#undef TRAFFIC_FIELD
  scree__options drawn;
  uint64_t key_count, text_max, quota; /* quota: bytes that a worker sends in an epoch */
  drawn_type type[MOST_TYPES];
  drawn_epoch epoch[MOST_EPOCHS];
  drawn_fault fault[2];
} program;

/* False: a word of the row is wrong; why[WHY] names it. The row stays the caller's. */
bool traffic_draw(program *p, const char *row, char *why);
/* The value of the last such word, NULL if there is none. */
const char *traffic_word(const char *row, const char *name);
/* The i-th thing of that name. */
uint64_t traffic_stream(const program *p, const char *name, uint64_t i);
static inline uint32_t below(uint64_t *random, uint64_t n) {
  return (uint32_t)(scree__draw(random) % n);
}
/* True if the program has progress threads that handle messages. */
static inline bool has_progress(const program *p) {
  return p->drawn.progress == SCREE_PROGRESS_FULL;
}

/* ---- what is counted: all are words, those of `sum` add up over workers and ranks, of the others the maximum counts
 * ---- */

/* What runs did, to see that they did something. */
/* clang-format off */
#define TRAFFIC_TOTALS(X)                                                                                              \
  X(messages) X(failures) X(overflows) X(waits) X(passed) X(stalls) X(records) X(holds) X(shared) X(by_progress)       \
  X(polled) X(urgent) X(swapped) X(sorted) X(combined) X(filtered) X(evicted) X(to_self) X(tasks) X(words)      \
  X(iterations) X(operations) X(allocated) X(refused) X(reused) X(lent) X(objects) X(steps)
/* clang-format on */
typedef struct {
#define TRAFFIC_FIELD(name) uint64_t name;
  TRAFFIC_TOTALS(TRAFFIC_FIELD)
#undef TRAFFIC_FIELD
  uint64_t drawn[OPERATIONS][FORMS][PLACES]; /* of operations */
} traffic_totals;

typedef struct {
  uint64_t sent, sent_hash, handled, handled_hash;
  uint64_t given, given_hash; /* handled by those that take part in the reduction */
  uint64_t added, found;      /* to words of global memory, and in them */
  uint64_t left, failed;      /* workers that left the epoch, with or without an error */
} epoch_sums;

typedef struct {
  epoch_sums epoch[MOST_EPOCHS];
  uint64_t flaws;
  uint64_t saved
      [MOST_TYPES]; /* of reduced types: items sent, less those handled, less those that statistics call combined */
  traffic_totals totals;
} sums;

/* A value below 2^63 and its complement, so that maxima show whether all values are equal, and the minimum. (MPICH
 * 4.0.2 takes MPI_UINT64_T for signed in MPI_MAX.) */
typedef struct {
  uint64_t max, min;
} extremes;

typedef struct {
  uint64_t raised; /* the highest code of a rank that knew of no failure, and the lowest such rank */
  extremes seen;   /* how a failed epoch ended */
  extremes status; /* how the run ended */
  extremes part[MOST_EPOCHS], result[MOST_EPOCHS][4];
  uint64_t high_sent[MOST_EPOCHS][MOST_RANKS][SLOTS],
      high_handled[MOST_EPOCHS][MOST_RANKS][SLOTS]; /* by destination and key */
} maxima;

typedef struct {
  sums sum;
  maxima max;
} account;

void note_extreme(extremes *e, uint64_t value);

/* ---- a rank that plays ---- */

typedef struct {
  uint32_t epoch, depth;
} parcel;

typedef struct home home;
typedef struct area area; /* of global memory */
typedef struct {
  home *home;
  uint32_t index, id, sums; /* sums: of loops, the type of those that have a result */
  bool is_there;
  scree__task_world *tasks; /* of a type of tasks or loops */
} live_type;
typedef struct {
  home *home;
  scree_worker *w;
  account *account;
  uint64_t random, id, bytes, spawned, handled; /* of this epoch; spawned: bytes that handlers have sent */
  uint32_t epoch;
  AO_t begun;            /* 1 + the last epoch that it was about to begin; other workers read it */
  bool in_handler, over; /* over: sends no more */
  area *kept;            /* for later tasks, in later epochs too */
  scree_task *running;
  live_type *like; /* what is sent now is of this type, and has like_size bytes; NULL: of any */
  size_t like_size;
  scree_reduce part;
  char why[WHY]; /* the first flaw */
  uint32_t queued;
  struct {
    uint64_t hash;
    uint32_t depth;
  } queue[QUEUE]; /* first of what does not start as zero */
} player;

typedef struct {
  live_type *type;
  uint32_t rank, worker, dest, depth;
  uint64_t random;
} message;

/* How ranks meet. NULL: they do not. Where threads run at once, `post` and `fetch` are called by worker 0 alone. */
typedef struct {
  bool (*post)(player *from, uint32_t rank, uint32_t worker, parcel one); /* the hold is there; false: no space */
  bool (*fetch)(player *me, parcel *one);                                 /* of this epoch */
  void (*settle)(player *me);                                             /* after a tested epoch */
  void (*enter)(player *me, uint32_t type, uint64_t hash, bool handled);  /* a ledger of single messages */
  void (*left)(player *me);                   /* a worker leaves an epoch that has not failed */
  bool (*tick)(player *me, uint64_t handled); /* so many more; true: time is over */
  void (*pause)(player *me);
  void (*opened)(home *h), (*ended)(home *h); /* before the first epoch, after the last */
  scree_status (*run)(scree_world *world, uint32_t n, scree_work_fn *fn, void *arg); /* in place of scree_run_workers */
  void *stage;                                                                       /* for the hooks */
  bool at_once;                                                                      /* threads run at once */
  bool one_process;                                                                  /* all ranks are in it */
} driver;

struct home {
  const program *p;
  const driver *driver;
  scree_world *world;
  void *stage; /* the driver's */
  live_type type[MOST_TYPES];
  uint32_t run_from;
  const char *planted;         /* SCREE_TEST_PLANT */
  bool mpi_fails;              /* calls of MPI do */
  scree_distribution loops;    /* where iterations run by a map */
  const scree_global_map *map; /* of global memory; NULL: there is none */
  scree_global words;
  const scree__delegate *mix; /* and types of global.c */
  scree__task_world *borrow, *user;
  uint32_t borrow_id, user_id, ask_id; /* ask: of tasks.c */
  player player[MOST_THREADS + 1];
};

/* Plays the program in this world; accounts are where players say. */
void traffic_play(home *h, scree_world *world, account *of_first, size_t stride);
player *player_of(home *h, scree_worker *w);
/* kinds.c */
uint64_t hash_start(const live_type *t, uint32_t epoch, uint32_t rank, uint32_t worker, uint32_t source, uint32_t by);
uint64_t hash_bytes(uint64_t h, const void *from, size_t n);
/* handlers.c: a type has its handler; a message is handled: its hash. */
scree_status register_type(live_type *t);
uint64_t take_bytes(player *me, const live_type *t, uint64_t start, const unsigned char *item, size_t n);
/* sends.c: one message; it uses up some of what may be sent. */
void send_one(player *me, uint32_t depth, bool reduced);
void count_bytes(player *me, size_t n);
void count_sent(player *me, const message *m, const void *bytes, size_t n);
/* tasks.c: those of a program: opened on all ranks; types; one task for a message, or a loop; what statistics say. */
scree_status open_tasks(home *h);
scree_status register_tasks(live_type *t);
void send_task(player *me, message *m);
void send_loop(player *me, live_type *t, scree_scope *scope, uint8_t counted, uint32_t depth);
void check_steals(home *h);
/* objects.c: opened on all ranks; a task has some, by which others synchronise. */
scree_status open_objects(home *h);
scree_status use_objects(scree_task *self, player *me, const live_type *t);
/* global.c: opened on all ranks; a change that is complete when the epoch has ended; operations of a task, or on the
 * worker's own stack, where self is NULL. */
scree_status open_global(home *h);
void add_to_word(player *me, uint32_t rank, uint64_t value);
scree_status act_on_memory(player *me, scree_task *self);
void count_words(player *me);
void close_global(home *h);
/* What follows from a message: sends, work that is postponed or passed on. */
void answer(player *me, uint32_t depth, uint64_t hash);
void answer_or_postpone(player *me, uint32_t depth, uint64_t hash);
/* One more message or item has been handled. */
void count_handled(player *me, uint32_t type, uint64_t hash);
/* Keeps the first one's text. */
void flaw(player *me, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- the judge ---- */

/* Of an epoch that has ended without an error, as far as `a` counts: what was sent was handled. */
bool judge_epoch(const program *p, const account *a, uint32_t epoch, char *why);
/* Of the whole run. False: why[WHY] has the reason. */
bool judge(const program *p, const account *a, char *why);
void fold(account *into, const account *a);
void add_totals(traffic_totals *into, const traffic_totals *t);
void print_totals(const traffic_totals *t);

/* ---- in the simulator ---- */

/* Runs the program of a row and judges it; adds to *totals. mpi_fails: calls of a simulated MPI do; then nothing is
 * handled twice, and no epoch that ends without an error has lost anything. False: why[size] has the reason, and a
 * smaller row that fails, too, unless the variable SCREE_TEST_SHRINK is 0. */
bool traffic_simulate(const char *row, bool mpi_fails, traffic_totals *totals, char *why, size_t size);

/* The same in steps: the caller runs traffic_virtual_rank by scree_sim_run, with config and p.drawn. There is one at a
 * time. */
typedef struct {
  program p;
  scree_sim_config config;
} simulated;
/* NULL: the row is wrong, why[WHY] has the reason. */
simulated *traffic_prepare(const char *row, bool mpi_fails, char *why);
void traffic_virtual_rank(scree_world *world, void *simulated);
bool traffic_judge(simulated *s, scree_status status, uint64_t steps, traffic_totals *totals, char *why);
#endif
