/* world.h - the private state of a world and its workers, and the calls between the core's files. Each function is
 * described where it is defined. */
#ifndef SCREE__WORLD_H
#define SCREE__WORLD_H
#include <pthread.h>
#include <scree/reduced.h>
#include <scree/scree.h>

#include "block/pool.h"
#include "route/route.h"
#include "sort/radix.h"
#include "trace/ring.h"
#include "transport/transport.h"

enum {
  SCREE__NAME = 48,
  SCREE__TAG = sizeof(uint32_t), /* bytes behind an item that travels by a route */
  SCREE__RECORD_MAX = SCREE_ITEM_MAX + 64,
  SCREE__CACHE_MIN = 16,      /* entries */
  SCREE__REDUCE_WINDOW = 4096 /* items that find nothing of their key until the next review */
};

/* A large record that arrives in fragments. */
typedef struct scree__reassembly {
  struct scree__reassembly *next;
  uint32_t origin;
  uint64_t id, total, have;
  char record[]; /* as a handler sees it: length, 4 spare bytes, the bytes */
} scree__reassembly;

typedef struct {
  char name[SCREE__NAME];
  uint32_t item, flags;
  uint32_t record;    /* bytes of an item in a block: with its tag, if it travels by a route */
  uint8_t hop_class;  /* of the blocks of a direct type */
  scree_batch_fn *fn; /* that dispatch calls: the handler or, in a world that is traced, trace.c */
  scree_batch_fn *handler;
  scree__key_fn *sort; /* NULL: batches are as they come */
  void *arg;
  uint32_t dests;                    /* ranks or, of a type to workers, workers of all ranks */
  uint16_t *const *next;             /* one of the tables of scree__hops; NULL: the type is direct */
  uint32_t lanes;                    /* as many, or one for each next hop */
  const scree__reduction *reduction; /* NULL: items are not reduced */
} scree__type;

/* What a worker has received of one type. */
typedef struct {
  uint64_t handled; /* items */
  scree__reassembly *reassemblies;
} scree__arrivals;

/* What ranks compare when they register a type. */
typedef struct {
  char name[SCREE__NAME];
  uint32_t item, flags, index;
  uint32_t status; /* what this rank found wrong by itself */
} scree__registration;

/* The private half of a lane. */
typedef struct {
  scree__block *block; /* being filled; NULL: none */
  uint32_t halved;     /* how often its coalescing size was: see coalesce.c */
  scree_lane_stats stats;
} scree__lane_state;

/* The private half of a cache of reduced items: see src/reduce. */
typedef struct {
  char *entries;        /* NULL: there is none */
  uint32_t room;        /* of them, at most */
  uint64_t epoch;       /* of a type that is filtered: what an epoch adds to `to`, above the bits of destinations */
  bool off;             /* it does not pay now */
  uint64_t since;       /* ns and 1: when it was first seen to hold an item; 0: not since it was emptied */
  uint64_t least, seen; /* items to combine until the next review, else it is off; combined at the last one */
  uint64_t plain;       /* items sent since it was switched off */
  uint32_t pause;       /* items sent until the next try; 0: it paid, or is new */
  uint64_t emptied, switched_off;
} scree__cache_kept;

/* What became of an item on its way: nothing, it is to be sent on; the same, and then remembered; combined; it waits; it
 * stays in its block, since another one has no room to leave. */
typedef enum {
  SCREE__CACHED_NOT,
  SCREE__CACHED_SENT,
  SCREE__CACHED_COMBINED,
  SCREE__CACHED_KEPT,
  SCREE__CACHED_STUCK
} scree__cached;

/* Blocks that a worker has published to itself. */
typedef struct {
  scree__queue queue;
  uint64_t length;
  bool turn; /* it comes first, before the transport's */
} scree__own_blocks;

/* A block that is being handled, perhaps in several batches. */
typedef struct {
  scree__block *block;
  const char *at;
  uint32_t left; /* items */
} scree__current;

/* By which ranks items travel from here: see hops.c. All is zero where no type is routed. */
typedef struct {
  scree__hop *hop; /* of each lane; the first is of messages to this rank itself */
  uint32_t count;  /* lanes; behind them, of types to workers, one for each worker of this rank */
  uint32_t tables; /* different ones below */
  /* By the class by which an item has come, and by destination, a rank or a worker's number: its lane. */
  uint16_t *next[SCREE__HOP_CLASSES], *to_worker[SCREE__HOP_CLASSES];
  scree__lane *closed; /* by destination: without room, so that each send of a routed type calls scree__routed_slot */
} scree__hops;

typedef enum { SCREE__FLUSH_FULL, SCREE__FLUSH_EARLY, SCREE__FLUSH_END } scree__flush_reason;

/* A call by a thread that does not own the worker: see owner.c. */
typedef struct {
  AO_t call, type; /* its name, 0: none; the type of a message, or SCREE_ALL */
} scree__foreign_call;

/* The workers whose counters one leader of detection reads; the first of them is the leader. */
typedef struct {
  scree__node_slot *slots;
  uint32_t size, index;   /* index: of this worker */
  uint32_t count;         /* groups */
  scree__node_page *page; /* where the end of an epoch is announced */
} scree__group;

/* What a worker knows of the poll functions, as of its last turn: see poll.c. IDLE, too, where there are none. */
typedef enum { SCREE__POLLS_IDLE, SCREE__POLLS_NOT_ASKED, SCREE__POLLS_HOLD } scree__polling;
typedef struct {
  scree_idle_fn *fn;
  void *arg;
} scree__poll_entry;
#define SCREE__IN_POLL UINT32_MAX

typedef struct {
  scree_worker head; /* must be first: its address is the public handle */
  scree_world *world;
  scree__transport *transport;                /* of the first class of hops: what concerns no block is asked of it */
  scree__transport *path[SCREE__HOP_CLASSES]; /* by class: see scree__direct_class */
  uint32_t endpoint;
  AO_t owner; /* its pthread_t; 0: none has begun an epoch yet */
  scree__foreign_call refused, dropped;

  /* lanes */
  scree__lane **lane;    /* by type */
  scree__by_hop *by_hop; /* by type, as many as routed_types; NULL: none is routed */
  uint32_t routed_types;
  scree__lane **shown;           /* what head.lane points to: of a routed type, lanes without room for any send */
  scree__lane_state **state;     /* by type */
  scree__arrivals *arrivals;     /* by type */
  scree__block *oldest, *newest; /* blocks being filled, by age */
  uint32_t open_blocks;          /* how many */
  uint32_t open_peak;            /* and at most, so far */
  uint64_t last_open, pace;      /* ns: when a lane last opened a block; mean time between such events */
  uint32_t polls;                /* the caller's looks for messages since a block last left */
  bool waited;                   /* for a free block, since then */
  uint64_t lanes;                /* recent peak of open_blocks, in fractions of a lane: see coalesce.c */

  /* reduced items */
  scree__cache *caches; /* by type, as many as cache_types; what head.cache points to */
  scree__cache_kept *kept;
  uint32_t cache_types; /* 0: no type is reduced */
  bool caches_open;     /* sends may look at them */

  /* blocks that wait: full ones for admission, private ones for a block of the transport */
  scree__queue *waiting;                  /* by class of hop and endpoint: see scree__queue_of */
  uint32_t *waiting_dests, waiting_count; /* indices of those that are not empty */
  bool *is_waiting;
  uint64_t overflow_bytes; /* in private blocks */
  scree__block *spare;     /* private blocks kept for the next overflow */
  uint32_t spares;

  /* own messages, and the block being handled */
  scree__pool self_pool;
  scree__own_blocks self[2];                  /* of direct types, and of urgent ones: see scree__self_of */
  scree__current current[SCREE__HOP_CLASSES]; /* by class of the hop by which it has come */
  uint64_t record_id;
  scree__sorter sorter; /* of batches */
  char *sink;           /* where sends that are discarded write their item: see scree__slot */

  /* epoch and counting */
  bool in_epoch, contributed;
  bool all_begun;       /* as have all workers of this rank that take part in the open epoch */
  uint32_t in_handler;  /* type + 1, or SCREE__IN_POLL; 0: none */
  uint32_t taking;      /* workers of each rank that take part in the open epoch */
  uint32_t progressing; /* 1: and its progress thread */
  uint64_t epoch;       /* the open one, or the next */
  uint64_t tokens;      /* epochs in which this worker has taken part */
  uint64_t owed;        /* tokens of each rank up to the open epoch, or the last */
  uint64_t created, handled, held, released;
  uint64_t completed;       /* last stored */
  uint64_t contribution[4]; /* of the reduction, last published */
  scree__polling polling;
  uint64_t poll_causes; /* of work of poll functions, when this worker was idle last */

  /* failure, as far as this worker knows */
  bool failed;
  bool notice_pending; /* to the other nodes */
  scree_status status; /* what scree_error says */
  char text[320];

  scree__group group;

  /* the leader's detection rounds */
  bool round_open, has_last_round, has_end_round;
  scree__round last_round; /* of the open epoch */
  scree__round end_round;  /* which ended the epoch before */

  uint32_t idle_rounds;
  uint64_t served;        /* of the transport's service, as of the last idle round */
  uint64_t last_progress; /* ns */
  bool hang_reported;
  uint32_t report_seen; /* generation of scree_report_request */
  uint64_t next_report; /* ns: none is printed before on request */

  /* a trace: see trace.c */
  scree__ring *ring;                             /* one of the world's; without events: not traced */
  uint64_t epoch_begun, wait_begun, round_begun; /* ns, of what is not over yet; 0: of none that is traced */
  scree__event_kind wait_kind;
  uint64_t seen_completed, seen_created; /* by the detection round that was recorded last */

  uint64_t combined_here;  /* of items that came to be passed on */
  uint64_t passed, stalls; /* items that went on from here; looks at a block that waited for room */
  uint64_t waits, detection_rounds, detection_messages, epochs, batches, items_handled, overflow_blocks, overflow_peak;
} scree__worker;

typedef struct scree__tracing scree__tracing;

/* A call of scree_join_workers by threads of the program: see join.c. */
typedef struct {
  uint32_t n, come;  /* as the first of them says; threads that have come */
  uint32_t last;     /* the largest legal n that one of them says */
  uint64_t claimed;  /* their indices, one bit each */
  uint32_t speaker;  /* that of them which speaks for the rank, by the order in which they came, from 1; 0: none yet */
  bool owner;        /* which owns worker 0 */
  uint32_t of_owner; /* the index that it passes */
  uint32_t wrong;    /* an index that is out of range, or claimed twice */
  bool is_wrong;
  bool refused;       /* before all had come; who comes late is refused too */
  bool spoken;        /* and the other ranks know */
  bool decided, over; /* all have come and know the status; and have run */
  scree_status status;
  char why[200];    /* it was refused */
  uint32_t arrived; /* threads inside the call, those that wait for the end of the last one too */
  uint32_t leaving; /* of those that came, how many have yet to leave before others may come */
} scree__joining;

/* What the workers behind the first one run, and whether they do: see team.c. */
typedef struct {
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t changed;
  scree__joining joining;
  uint64_t runs; /* started so far */
  uint32_t size; /* workers in the last of them */
  bool closing;
  bool progressing; /* the progress thread has not come back from the run */
  AO_t left;        /* the workers have returned from the run: see progress_thread.c */
  uint32_t busy;    /* of them, those that have not returned */
  scree_work_fn *fn;
  void *arg;
  uint32_t made; /* threads */
  pthread_t thread[SCREE__ENDPOINTS_MAX];
} scree__team;

struct scree_world {
  uint32_t rank, ranks, threads;
  uint32_t endpoints; /* of each rank: its workers, and the progress thread if there is one */
  uint32_t classes;   /* of hops, each with a transport */
  uint32_t urgent;    /* 1: the last of them is that of urgent types */
  scree__hops hops;
  uint32_t taking;      /* workers that take part in the epochs that begin now: 1 outside of scree_run_workers */
  uint32_t progressing; /* 1: and the progress thread */
  bool running;         /* inside of it */
  scree__worker *worker[SCREE__ENDPOINTS_MAX]; /* by endpoint of the rank: the progress thread's is the last one */
  scree__team team;
  SCREE__OWN_LINE AO_t begun; /* epochs, by any worker of this rank; see scree__all_begun */
  scree__node_page page;      /* of detection, where each rank is a group: its lock, the end, the result */
  SCREE__OWN_LINE scree_options options;
  bool checked;
  scree__type *types;
  uint32_t type_count;
  uint32_t min_block;                     /* holds the largest item */
  size_t memory;                          /* of each worker, for each pool */
  uint64_t overflow_max;                  /* of each worker */
  scree__registration *all_registrations; /* what the ranks bring to scree_register */

  /* failure */
  pthread_mutex_t raising; /* of the three that follow */
  uint64_t raised;         /* key of the failure that a worker of this rank raised first, 0: none */
  char text[320];          /* what it says */
  AO_t has_text;           /* it does not change any more; stored by release */
  AO_t agreed;             /* failure key that an epoch ended with, 0: none; scree__agreed */
  AO_t lost;               /* 1: a worker of this rank has lost its peers */
  scree__block *notices;   /* one control block for each other node */
  scree__poll_entry polls[SCREE_POLLS_MAX];
  uint32_t poll_count;
  scree_hang_fn *hang_hook;
  void *hang_arg;
  void (*on_closed)(void);                   /* called when the world has been closed and freed; NULL: nothing is */
  const char *thread_level, *level_asked;    /* of MPI, that it gives, and that it was asked for; NULL: no MPI */
  char level_reason[200];                    /* why that was asked for */
  scree__fault faults[SCREE__ENDPOINTS_MAX]; /* of each worker's transport */
  scree__ring rings[SCREE__ENDPOINTS_MAX];   /* of each worker, for its transport too */
  scree__tracing *tracing;                   /* NULL: the world is not traced */
};

/* Of a failure key: see fail.c. */
static inline scree_status scree__key_status(uint64_t key) {
  return (scree_status)(key >> 32);
}

/* Is it the progress thread's? */
static inline bool scree__is_progress(const scree__worker *me) {
  return me->head.index >= me->head.threads;
}

/* That many of each rank take part in the open epoch. */
static inline uint32_t scree__members(const scree__worker *me) {
  return me->taking + me->progressing;
}
/* Does the one with that index in its rank? */
static inline bool scree__is_member(const scree__worker *me, uint32_t index) {
  return index < me->taking || (me->progressing && index == me->head.threads);
}

/* Those of the routes, the last of which is of direct types, too; 1: all types are direct. */
static inline uint32_t scree__route_classes_of(const scree_world *world) {
  return world->classes - world->urgent;
}
/* Direct blocks travel in a class whose blocks wait for nothing but handlers. */
static inline uint8_t scree__direct_class(const scree__worker *me) {
  return (uint8_t)(scree__route_classes_of(me->world) - 1);
}
/* Urgent ones in the class above. */
static inline bool scree__is_urgent(const scree__worker *me, uint32_t hop_class) {
  return hop_class > scree__direct_class(me);
}
static inline scree__own_blocks *scree__self_of(scree__worker *me, uint32_t hop_class) {
  return &me->self[scree__is_urgent(me, hop_class)];
}
static inline uint64_t scree__self_length(const scree__worker *me, uint32_t hop_class) {
  return me->self[scree__is_urgent(me, hop_class)].length;
}
/* Index of the queue of blocks to that endpoint. */
static inline uint32_t scree__queue_of(const scree__worker *me, uint32_t hop_class, uint32_t dest) {
  return hop_class * me->transport->topology->endpoints + dest;
}
static inline bool scree__is_routed(const scree__type *type) {
  return type->next != NULL;
}

/* The lane of messages to that destination. */
static inline uint32_t scree__lane_of(const scree__worker *me, uint32_t type, uint32_t dest) {
  const scree__type *of = &me->world->types[type];
  return scree__is_routed(of) ? of->next[0][dest] : dest;
}

/* Inside a poll function? */
static inline bool scree__in_poll(const scree__worker *me) {
  return me->in_handler == SCREE__IN_POLL;
}

static inline scree__worker *scree__worker_of(scree_worker *w) {
  return (scree__worker *)w;
}

static inline uint64_t scree__now(const scree__worker *me) {
  scree__scheduler *s = me->transport->scheduler;
  return s->ops->now(s);
}

/* Relaxed: a thread finds its own number only if it has stored it. 0: before the first epoch the program orders the
 * calls of its threads. */
static inline bool scree__is_second_thread(const scree__worker *me) {
  AO_t owner = AO_load(&me->owner);
  return owner && owner != (AO_t)pthread_self();
}

/* Acquire: who sees it may read the text, which no longer changes. */
static inline scree_status scree__agreed(const scree_world *world) {
  return scree__key_status(AO_load_acquire(&world->agreed));
}

/* world.c */
/* `threads` workers and, with an endpoint more, a progress thread. Zeroed, with a fault sink for each transport that is opened next; NULL: no memory. Local, as are the next two. */
scree_world *scree__world_new(uint32_t threads, uint32_t endpoints);
/* Takes over the transports, on failure too: for each class of hops, one for each endpoint of the rank. */
scree_status scree__world_init(scree_world *world, const scree_options *options, uint32_t classes,
                               scree__transport *const *paths);
/* SCREE_OK: no epoch is open, nor scree_run_workers; else the call is refused. */
scree_status scree__in_idle_world(scree_world *world, const char *call);
/* Frees the world and closes its transports, if it has some. */
void scree__world_free(scree_world *world);

/* owner.c */
bool scree__refused(scree__worker *me, const char *call);
bool scree__dropped(scree__worker *me, const char *call, uint32_t type);
bool scree__not_printed(const scree_world *world, const char *call, FILE *to);
bool scree__bind(scree__worker *me, const char *call);
scree__worker *scree__caller(const scree_world *world);
void scree__take_requests(scree__worker *me);

/* lane.c: filling blocks */
void *scree__lane_slot(scree__worker *me, uint32_t type, uint32_t dest, uint32_t size);
scree__hop scree__lane_hop(const scree__worker *me, uint32_t type, uint32_t lane);
uint32_t scree__endpoint_for(const scree__worker *me, uint32_t type, uint32_t lane);
bool scree__lane_open(scree__worker *me, uint32_t type, uint32_t dest, bool may_overflow);
void scree__lane_close(scree__worker *me, uint32_t type, uint32_t dest, scree__flush_reason reason);
void scree__lane_close_block(scree__worker *me, scree__block *block, scree__flush_reason reason);
void scree__lane_drop(scree__worker *me, scree__block *block);
void scree__flush_all(scree__worker *me, scree__flush_reason reason);
bool scree__flush_aged(scree__worker *me);

/* coalesce.c: the coalescing size */
size_t scree__coalesce_block(const scree__worker *me);
size_t scree__coalesce_bytes(const scree__worker *me, const scree__lane_state *state);
void scree__coalesce_pace(scree__worker *me, uint64_t now);
void scree__coalesce_adapt(scree__worker *me, scree__lane_state *state, uint32_t dest, size_t bytes,
                           scree__flush_reason reason);

/* send.c: the slow path */
bool scree__takes_part(scree__worker *me, uint32_t type, uint32_t dest);
bool scree__overflowing(const scree__worker *me);
bool scree__wait_for_room(scree__worker *me);

/* publish.c: from a closed block to the transport */
void scree__publish(scree__worker *me, scree__block *block);
bool scree__publish_waiting(scree__worker *me);
void scree__drop_waiting(scree__worker *me);
scree__block *scree__block_take(scree__worker *me, uint32_t hop_class, uint32_t dest, size_t want);
scree__block *scree__overflow_take(scree__worker *me, uint32_t dest);
void scree__block_put(scree__worker *me, scree__block *block);

/* hops.c: the tables of a route */
/* Do the options go together, with that many ranks? False: the reason is in why. */
bool scree__hops_allow(const scree_options *options, uint32_t ranks, char *why, size_t size);
uint32_t scree__hops_classes(const scree_options *options, uint32_t ranks, uint32_t nodes);
/* The tables of a type with these flags; NULL: it is direct. */
uint16_t *const *scree__hops_of(const scree_world *world, uint32_t flags);
bool scree__hops_open(scree_world *world);
void scree__hops_close(scree_world *world);
uint64_t scree__hops_bytes(const scree_world *world);

/* pass.c: from an arrived block of a routed type to handlers and further ranks */
bool scree__pass(scree__worker *me, uint32_t hop_class);
char *scree__pass_slot(scree__worker *me, uint32_t type, uint32_t lane, uint32_t bytes);
uint32_t scree__next_rank(const scree__worker *me, uint32_t hop_class);

/* dispatch.c: from an arrived block to handlers */
bool scree__dispatch_batch(scree__worker *me);
/* Runs the handler of the segment's type on n records. */
void scree__call_handler(scree__worker *me, const scree__segment *segment, const char *at, uint32_t n);

/* fragment.c: records larger than a block */
bool scree__send_fragments(scree__worker *me, uint32_t type, uint32_t dest, const char *data, size_t bytes,
                           bool may_wait);
void scree__take_fragment(scree__worker *me, scree__block *block);
void scree__drop_reassemblies(scree__arrivals *arrivals);

/* progress.c */
bool scree__progress(scree__worker *me);
bool scree__turn(scree__worker *me);
void scree__count_idle_turn(scree__worker *me);
bool scree__locally_idle(const scree__worker *me);
void scree__backoff(scree__worker *me);
void scree__print_requested_report(scree__worker *me);
void scree__ignore_past_requests(scree__worker *me);

/* src/reduce */
scree_status scree__caches_check(scree_world *world, const scree_type_desc *desc);
/* Of the type that is registered next. False: no memory. */
bool scree__caches_make(scree_world *world, const scree_type_desc *desc, bool routed);
void scree__caches_free(scree__worker *me, uint32_t type);
uint64_t scree__reduce_least(const scree_world *world, uint32_t item, uint32_t entry, uint32_t entries);
void scree__caches_open(scree__worker *me);
void scree__caches_close(scree__worker *me);
uint64_t scree__caches_held(const scree__worker *me);
bool scree__cache_empty(scree__worker *me, uint32_t type);
bool scree__caches_empty(scree__worker *me);
bool scree__caches_age(scree__worker *me);
bool scree__cache_leave(scree__worker *me, uint32_t type, const char *entry);
void scree__cache_count(scree__worker *me, uint32_t type, uint32_t items);
scree__cached scree__cache_pass(scree__worker *me, uint32_t type, uint32_t hop_class, const char *item, uint32_t tag);
void scree__cache_remember(scree__worker *me, uint32_t type, const char *item, uint32_t tag);
void scree__cache_add(const scree__worker *me, uint32_t type, scree_reduced_stats *to);
void scree__caches_print(const scree_world *world, FILE *to, bool json);
uint64_t scree__caches_bytes(const scree__worker *me);
/* poll.c */
bool scree__poll(scree__worker *me, bool moved);
void scree__polls_settle(scree__worker *me);
/* In a checked world: has a poll function no cause to send or hold? */
bool scree__breaks_poll_rule(const scree__worker *me);
void scree__fail_poll_rule(scree__worker *me, const char *call, const char *what);

/* epoch.c */
/* The worker that this thread used last, or runs as; NULL: none. */
scree__worker *scree__here(void);
/* Where this thread keeps it: virtual ranks share a thread. */
void **scree__here_slot(void);
bool scree__all_begun(scree__worker *me);
scree_status scree__outside_handlers(scree__worker *me, const char *call);

/* src/detect/counters.c: the end of an epoch */
void scree__count_created(scree__worker *me);
void scree__count_held(scree__worker *me);
void scree__contribute(scree__worker *me, const scree_reduce *contribution);
/* src/detect/detect.c */
void scree__detector_choose(scree__worker *me);
const char *scree__detector_name(const scree_world *world);
bool scree__detect(scree__worker *me);

/* fail.c */
void scree__fail(scree__worker *me, scree_status status, const char *call, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void scree__notify(scree__worker *me);
void scree__check_for_failure(scree__worker *me);
void scree__take_notice(scree__worker *me, const scree__block *block);
uint64_t scree__failure_key(scree_status status, uint32_t rank);
void scree__leave_failed_epoch(scree__worker *me, uint64_t key);
scree_status scree__misuse(scree__worker *me, scree_status status, const char *call, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* trace.c: recording, where scree__is_traced */
static inline bool scree__is_traced(const scree__worker *me) {
  return me->ring->events != NULL;
}
scree_batch_fn scree__traced_batch; /* calls the handler of the type that me->in_handler names */
void scree__trace_wait(scree__worker *me, scree__event_kind kind);
void scree__trace_resume(scree__worker *me); /* where wait_begun is not 0 */
void scree__trace_epoch(scree__worker *me);  /* where epoch_begun is not 0 */
void scree__trace_round(scree__worker *me, scree__event_kind kind, const scree__round *sums, uint64_t expected,
                        bool over); /* where round_begun is not 0 */
/* trace_switch.c: ends the trace, if there is one, and writes it. All ranks, when they have agreed on the world's status. */
void scree__trace_at_close(scree_world *world);
void scree__tracing_free(scree_world *world);

/* progress_thread.c */
void scree__progress_serve(scree__worker *me);
void scree__progress_begin(scree_world *world);
void scree__progress_end(scree_world *world);

/* team.c: the threads of the workers behind the first one */
scree_status scree__team_open(scree_world *world);
void scree__team_close(scree_world *world);
scree_status scree__team_agree(scree__worker *me, const char *name, uint32_t n, scree_status mine);
void scree__team_begin(scree_world *world, uint32_t n);
void scree__team_end(scree_world *world);
/* The thread that calls MPI for the rank, if there is one, begins and stops. */
void scree__service_resume(const scree_world *world);
void scree__service_pause(const scree_world *world);
void scree__team_run(scree__worker *me, const char *name, scree_work_fn *fn, void *arg);

/* stats.c */
void scree__stats_at_close(const scree_world *world);
#endif
