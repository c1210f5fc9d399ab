/* world.h - the private state of a world and its worker, and the calls between the core's files. Each function is
 * described where it is defined. */
#ifndef SCREE__WORLD_H
#define SCREE__WORLD_H
#include <pthread.h>
#include <scree/scree.h>

#include "block/pool.h"
#include "transport/transport.h"

enum { SCREE__NAME = 48 };

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
  scree_batch_fn *fn;
  void *arg;
  uint64_t handled; /* items */
  scree__reassembly *reassemblies;
} scree__type;

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

/* A block that is being handled, perhaps in several batches. */
typedef struct {
  scree__block *block;
  const char *at;
  uint32_t left; /* items */
} scree__current;

typedef enum { SCREE__FLUSH_FULL, SCREE__FLUSH_EARLY, SCREE__FLUSH_END } scree__flush_reason;

typedef struct {
  scree_worker head; /* must be first: its address is the public handle */
  scree_world *world;
  AO_t owner; /* its pthread_t; 0: none has begun an epoch yet */

  /* lanes */
  scree__lane **lane;            /* by type; what head.lane points to */
  scree__lane_state **state;     /* by type */
  scree__block *oldest, *newest; /* blocks being filled, by age */
  uint32_t open_blocks;          /* how many */
  uint64_t last_open, pace;      /* ns: when a lane last opened a block; mean time between such events */
  uint32_t polls;                /* the caller's looks for messages since a block last left */
  bool waited;                   /* for a free block, since then */
  uint64_t lanes;                /* recent peak of open_blocks, in fractions of a lane: see coalesce.c */

  /* blocks that wait: full ones for admission, private ones for a block of the transport */
  scree__queue *waiting;                  /* by destination */
  uint32_t *waiting_dests, waiting_count; /* destinations whose queue is not empty */
  bool *is_waiting;
  uint64_t overflow_bytes; /* in private blocks */
  scree__block *spare;     /* private blocks kept for the next overflow */
  uint32_t spares;

  /* own messages, and the block being handled */
  scree__pool self_pool;
  scree__queue self; /* published to this rank by itself */
  uint64_t self_length;
  scree__current current;
  bool self_next;
  uint64_t record_id;

  /* epoch and counting */
  bool in_epoch, contributed;
  uint32_t in_handler; /* type + 1; 0: none */
  uint64_t epoch;      /* the open one, or the next */
  uint64_t created, handled, held, released;
  uint64_t completed;       /* last stored */
  uint64_t contribution[4]; /* of the reduction, last published */

  /* the leader's detector */
  bool round_open, has_last_round;
  scree__round last_round;

  uint32_t idle_rounds;
  uint64_t last_progress; /* ns */
  bool hang_reported;
  uint32_t report_seen; /* generation of scree_report_request */
  uint64_t next_report; /* ns: none is printed before on request */
  uint64_t waits, detection_rounds, epochs, batches, items_handled, overflow_blocks, overflow_peak;
} scree__worker;

/* A call by a thread that does not own the worker: see owner.c. */
typedef struct {
  AO_t call, type; /* its name, 0: none; the type of a message, or SCREE_ALL */
} scree__foreign_call;

struct scree_world {
  scree__transport *transport;
  uint32_t rank, ranks;
  scree_options options;
  bool checked;
  scree__type *types;
  uint32_t type_count;
  uint32_t min_block; /* holds the largest item */
  uint64_t overflow_max;
  scree__registration *all_registrations; /* what the ranks bring to scree_register */
  char *sink;                             /* where sends that are discarded write their item: see scree__slot */
  scree__worker worker;

  /* failure */
  bool failed;          /* known here */
  bool notice_pending;  /* to the other nodes */
  AO_t agreed;          /* status that an epoch ended with: scree__agreed */
  uint32_t agreed_rank; /* that raised it */
  scree_status status;  /* what scree_error says */
  char text[320];
  scree__block *notices; /* one control block for each other node */
  scree_hang_fn *hang_hook;
  void *hang_arg;
  void (*on_closed)(void);  /* called when the world has been closed and freed; NULL: nothing is */
  const char *thread_level; /* of MPI; NULL: no MPI */
  scree__fault fault;       /* of the transport */
  scree__foreign_call refused, dropped;
};

static inline scree__worker *scree__worker_of(scree_worker *w) {
  return (scree__worker *)w;
}

static inline uint64_t scree__now(const scree__worker *me) {
  scree__scheduler *s = me->world->transport->scheduler;
  return s->ops->now(s);
}

/* Relaxed: a thread finds its own number only if it has stored it. 0: before the first epoch the program orders the
 * calls of its threads. */
static inline bool scree__is_second_thread(const scree__worker *me) {
  AO_t owner = AO_load(&me->owner);
  return owner && owner != (AO_t)pthread_self();
}

/* Acquire: who sees it may read the rank and the text, which no longer change. */
static inline scree_status scree__agreed(const scree_world *world) {
  return (scree_status)AO_load_acquire(&world->agreed);
}

/* world.c */
/* Zeroed, with a fault sink for the transport that is opened next; NULL: no memory. Local, as are the next two. */
scree_world *scree__world_new(void);
/* Takes over the transport, on failure too. */
scree_status scree__world_init(scree_world *world, scree__transport *transport);
/* Frees the world and closes its transport, if it has one. */
void scree__world_free(scree_world *world);

/* owner.c */
bool scree__refused(const scree__worker *me, const char *call);
bool scree__dropped(const scree__worker *me, const char *call, uint32_t type);
bool scree__not_printed(const scree_world *world, const char *call, FILE *to);
bool scree__bind(scree__worker *me, const char *call);
void scree__take_requests(scree__worker *me);

/* lane.c: filling blocks */
void *scree__lane_slot(scree__worker *me, uint32_t type, uint32_t dest, uint32_t size);
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
bool scree__wait_for_room(scree__worker *me);

/* publish.c: from a closed block to the transport */
void scree__publish(scree__worker *me, scree__block *block);
bool scree__publish_waiting(scree__worker *me);
void scree__drop_waiting(scree__worker *me);
scree__block *scree__block_take(scree__worker *me, uint32_t dest, size_t want);
scree__block *scree__overflow_take(scree__worker *me, uint32_t dest);
void scree__block_put(scree__worker *me, scree__block *block);

/* dispatch.c: from an arrived block to handlers */
bool scree__dispatch_batch(scree__worker *me);
/* Runs the handler of the segment's type on n records. */
void scree__call_handler(scree__worker *me, const scree__segment *segment, const char *at, uint32_t n);

/* fragment.c: records larger than a block */
bool scree__send_fragments(scree__worker *me, uint32_t type, uint32_t dest, const char *data, size_t bytes,
                           bool may_wait);
void scree__take_fragment(scree__worker *me, scree__block *block);
void scree__drop_reassemblies(scree__type *type);

/* progress.c */
bool scree__progress(scree__worker *me);
void scree__backoff(scree__worker *me);
void scree__print_requested_report(scree__worker *me);
void scree__ignore_past_requests(scree__worker *me);

/* epoch.c */
/* Replaces the worker that is in an epoch on this thread (NULL: none): virtual ranks share a thread. */
void *scree__exchange_open_epoch(void *other);
scree_status scree__outside_handlers(scree__worker *me, const char *call);

/* detect.c: the end of an epoch */
void scree__count_created(scree__worker *me);
void scree__count_held(scree__worker *me);
void scree__contribute(scree__worker *me, const scree_reduce *contribution);
bool scree__detect(scree__worker *me);
bool scree__locally_idle(const scree__worker *me);

/* fail.c */
void scree__fail(scree_world *world, scree_status status, const char *call, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void scree__notify(scree_world *world);
void scree__check_for_failure(scree__worker *me);
void scree__take_notice(scree__worker *me, const scree__block *block);
uint64_t scree__failure_key(scree_status status, uint32_t rank);
scree_status scree__key_status(uint64_t key);
void scree__leave_failed_epoch(scree_world *world, uint64_t key);
scree_status scree__misuse(scree_world *world, scree_status status, const char *call, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* stats.c */
void scree__stats_at_close(const scree_world *world);
#endif
