/* worker.h - the state of a worker, by owner: each struct is that of the file that it names, and others read it.
 * Written by the worker's thread, but for what is atomic. */
#ifndef SCREE__WORKER_H
#define SCREE__WORKER_H
#include <scree/routed.h>
#include <scree/scree.h>

#include "base/invariant.h"
#include "block/pool.h"
#include "detect/detect.h"
#include "route/route.h"
#include "sort/radix.h"
#include "trace/tracer.h"

typedef struct scree__worker scree__worker;
typedef struct scree__type scree__type;
typedef struct scree__holder scree__holder;
typedef struct scree__feature scree__feature;
typedef struct scree__en_route_ops scree__en_route_ops;

enum {
  SCREE__NAME = 48,
  SCREE__TAG = sizeof(uint32_t), /* bytes after an item that travels by a route */
  SCREE__RECORD_MAX = SCREE_ITEM_MAX + 64,
};

/* ---- owner.c ---- */

/* A call by a thread that does not own the worker. */
typedef struct {
  AO_t call, type; /* its name, 0: none; the type of a message, or SCREE_ALL */
} scree__foreign_call;

typedef struct {
  AO_t thread; /* its pthread_t; 0: none has begun an epoch yet */
  scree__foreign_call refused, dropped;
} scree__owner;

/* ---- lane.c, coalesce.c ---- */

/* The private half of a lane. */
typedef struct {
  scree__block *block;              /* being filled; NULL: none */
  uint64_t items, bytes, blocks[3]; /* published; blocks: by reason, a scree__flush_reason */
  uint32_t halved;                  /* how often its coalescing size was: see coalesce.c */
} scree__lane_state;

typedef struct {
  scree__lane_row *row;          /* by type */
  scree__by_hop *by_hop;         /* by type; NULL: none is routed */
  scree__lane_row *shown;        /* what head.row points to: of a routed type, lanes without space for any send */
  scree__lane_state **state;     /* by type */
  scree__block *oldest, *newest; /* blocks being filled, by age */
  uint32_t open;                 /* how many */
  uint32_t open_peak;            /* and at most, so far */
} scree__lanes;

typedef struct {
  uint64_t last_open, mean; /* ns: when a lane last opened a block; mean time between such events */
  uint32_t polls;           /* the caller's polls for messages since a block was last published */
  bool waited;              /* for a free block, since then */
  uint64_t lanes;           /* recent peak of open blocks, in fractions of a lane */
} scree__pace;

/* ---- publish.c: blocks that wait: full ones for admission, private ones for a block of the transport ---- */

/* Blocks that a worker has published to itself. */
typedef struct {
  scree__queue queue;
  uint64_t length;
  bool turn; /* it comes first, before the transport's */
} scree__own_blocks;

typedef struct {
  scree__queue *waiting;                  /* by class of hop and endpoint: see scree__queue_of */
  uint32_t *waiting_dests, waiting_count; /* indices of those that are not empty */
  bool *is_waiting;
  scree__block *spare; /* private blocks kept for the next overflow */
  uint32_t spares;
  uint64_t overflow_bytes, overflow_peak, overflow_blocks; /* bytes: in private blocks; blocks: taken so far */
  scree__pool self_pool;
  scree__own_blocks self[2]; /* of direct types, and of urgent ones: see scree__self_of */
} scree__outgoing;

/* ---- dispatch.c, fragment.c ---- */

/* A large record that arrives in fragments. */
typedef struct scree__reassembly {
  struct scree__reassembly *next;
  uint32_t origin;
  uint64_t id, total, have;
  char record[]; /* as a handler sees it: length, 4 spare bytes, the bytes */
} scree__reassembly;

/* Of one type: what a worker has received, and what has left its lanes. */
typedef struct {
  uint64_t handled, sent; /* items; sent: without large records */
  scree__reassembly *reassemblies;
} scree__arrivals;

/* A block that is being handled, perhaps in several batches. */
typedef struct {
  scree__block *block;
  const char *at;
  uint32_t left; /* items */
} scree__current;

typedef struct {
  scree__arrivals *arrivals;                  /* by type */
  scree__current current[SCREE__HOP_CLASSES]; /* by class of the hop by which it has come */
  scree__sorter sorter;                       /* of batches */
  uint32_t handler;                           /* that is running: its type, or SCREE__IN_POLL; 0: none */
  uint64_t batches, items;                    /* handled */
} scree__incoming;
#define SCREE__IN_POLL UINT32_MAX

/* ---- pass.c: items ---- */

typedef struct {
  uint64_t ended;          /* here, though they were to be passed on */
  uint64_t passed, stalls; /* that were sent on from here; checks of a block that waited for space */
} scree__passing;

/* ---- fail.c, as far as this worker knows ---- */

typedef struct {
  bool notice_pending; /* to the other nodes */
  scree_status status; /* what scree_error says */
  char text[320];
} scree__failure;

/* ---- watch.c ---- */

/* X(name, text): calls that wait. */
#define SCREE__CALLS(X)                                                                                                \
  X(NONE, "")                                                                                                          \
  X(SEND, "send")                                                                                                      \
  X(PROGRESS, "scree_progress")                                                                                        \
  X(TEST, "scree_test")                                                                                                \
  X(END, "scree_end")                                                                                                  \
  X(CLOSE, "scree_close")                                                                                              \
  X(REGISTER, "scree_register")                                                                                        \
  X(RUN, "scree_run_workers")                                                                                          \
  X(JOIN, "scree_join_workers")                                                                                        \
  X(TRACE, "scree_trace")                                                                                              \
  X(CLOSED, "scree_close, which has closed the world")
#define SCREE__CALL(name, text) SCREE__CALL_##name,
typedef enum { SCREE__CALLS(SCREE__CALL) SCREE__CALL_KINDS } scree__call;

typedef struct {
  uint32_t idle_turns;
  uint32_t busy_turns;      /* of scree_test with work, in which nothing moved */
  uint64_t busy_since;      /* ns: the first of them */
  scree__call call;         /* of the program, if it is one that may wait */
  uint64_t served;          /* of the transport's service, as of the last idle turn */
  uint64_t last_progress;   /* ns */
  bool hang_reported, said; /* of this period without progress; said: sent to other nodes */
  uint64_t doomed;          /* ns: when a gather was first seen to go on in a failed world; 0: not yet */
  uint32_t report_seen;     /* generation of scree_report_request */
  uint64_t next_report;     /* ns: none is printed before on request */
} scree__watch;

struct scree__worker {
  scree_worker head; /* must be first: its address is the public handle */
  scree_world *world;
  scree__transport *transport;                /* of the first class of hops: used for all but blocks */
  scree__transport *path[SCREE__HOP_CLASSES]; /* by class: see scree__direct_class */
  uint32_t endpoint;
  scree__owner owner;
  scree__holder *holders; /* the first of the list */
  /* Calls fn(arg) on the worker's own stack, where MPI is called and handlers run, and comes back to the function of
   * the program that is running on another one. NULL: the worker's own stack is running. */
  void (*on_own_stack)(scree__worker *me, void (*fn)(void *arg), void *arg);
  scree__lanes lanes;
  scree__pace pace;
  scree__outgoing out;
  scree__incoming in;
  scree__passing passing;
  uint64_t record_id; /* of large records */
  char *sink;         /* where sends that are discarded write their item: see scree__slot */
  bool in_epoch;
  bool all_begun;       /* as have all workers of this rank that take part in the open epoch */
  uint64_t settled;     /* causes of work, as counted when this worker was idle last: see scree__causes */
  scree__detection end; /* of the epoch */
  bool failed;
  scree__failure failure;
  scree__watch watch;
  scree__tracer tracer;
  uint64_t waits; /* of sends, for a block */
};

static inline scree__worker *scree__worker_of(scree_worker *w) {
  return (scree__worker *)w;
}

static inline uint64_t scree__now(const scree__worker *me) {
  scree__scheduler *s = me->transport->scheduler;
  return s->ops->now(s);
}

/* True if it is the progress thread's. */
static inline bool scree__is_progress(const scree__worker *me) {
  return me->head.index >= me->head.threads;
}

/* A record: the bytes of `head` and then those of `data`. */
typedef struct {
  const void *head, *data;
  size_t head_bytes, data_bytes;
} scree__parts;
/* send.c: scree__var of such a record, of a type of variable length. */
bool scree__var_parts(scree__worker *me, uint32_t type, uint32_t dest, const scree__parts *record, bool may_wait);

/* Calls fn(arg) on the worker's own stack. */
static inline void scree__call_on_own_stack(scree__worker *me, void (*fn)(void *arg), void *arg) {
  if (me->on_own_stack)
    me->on_own_stack(me, fn, arg);
  else
    fn(arg);
}

/* True inside a poll function. */
static inline bool scree__in_poll(const scree__worker *me) {
  return me->in.handler == SCREE__IN_POLL;
}

/* Handler calls, and holds released: what gives a worker work that it did not have when it was idle. */
static inline uint64_t scree__causes(const scree__worker *me) {
  return me->in.batches + me->end.released;
}
#endif
