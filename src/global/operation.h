/* operation.h - outstanding one-sided operations: slots for requests that wait for a reply, what they complete, and
 * messages. Each function is described where it is defined. */
#ifndef SCREE__GLOBAL_OPERATION_H
#define SCREE__GLOBAL_OPERATION_H
#include "base/tools.h"
#include "global/global.h"

/* ---- messages ---- */

/* A request: its slot at the sender, what to do, and where. Data follow. A reply: the head, and data. Both are items of
 * one of these sizes of data, or records of any. */
typedef struct {
  uint64_t head;  /* generation << 32 | want << 31 | asked << 28 | kind << 24 | slot, or of ask.c: the task's number */
  uint64_t place; /* bytes << 40 | offset in the owner's part */
} scree__global_request;
enum { SCREE__SLOT_BITS = 24, SCREE__KIND_SHIFT = 24, SCREE__WANT_SHIFT = 31, SCREE__OFFSET_BITS = 40 };
enum { SCREE__ASKED = 1 << 28, SCREE__NO_SLOT = (1 << SCREE__SLOT_BITS) - 1 };
/* Of an implicit delegate: in place of a slot it has the record, as implicit words, and is answered by a count. */
enum { SCREE__COUNTED = 1 << 29 };
enum { SCREE__GLOBAL_SIZES = 6, SCREE__GLOBAL_CHUNK = 1 << 17 }; /* CHUNK: bytes of data of a message, at most */
static const uint32_t scree__global_data[SCREE__GLOBAL_SIZES] = {0, 8, 16, 32, 64, SCREE__GLOBAL_CHUNK};

/* The first of those sizes that holds so many bytes. */
static inline uint32_t scree__size_class(uint64_t bytes) {
  uint32_t i = 0;
  while (scree__global_data[i] < bytes) i++;
  return i;
}

/* ---- what requests complete ---- */

/* BY_STEP: it is a part of a copy. */
typedef enum {
  SCREE__BY_WAIT,
  SCREE__BY_FUTURE,
  SCREE__BY_COMPLETION,
  SCREE__IMPLICITLY,
  SCREE__BY_STEP
} scree__completes;

typedef struct scree__waiter {
  uint64_t left;       /* requests that are not answered; and 1 while the operation is being issued */
  scree_task *sleeper; /* waits for it; NULL: no task does */
  scree_scope *scope;  /* of implicit operations: is left when they are complete, since their task has returned */
  scree__completes how;
  bool may_ask, asked;        /* a task waits for nothing else; it has requested */
  uint32_t index, generation; /* of a record of implicit operations */
  uint64_t key;               /* of the task that has begun it: see scree__issuer */
  void *target;               /* the future, the completion */
  const void *result;         /* of a future: where it is, and its bytes */
  uint64_t result_bytes;
  uint64_t value[SCREE__OBJECT_WORDS]; /* a result that has no other place */
} scree__waiter;

/* A request that is not answered. */
typedef struct scree__slot_of {
  uint32_t generation, next; /* next: free one */
  scree__waiter *waiter;     /* NULL: free */
  char *to;              /* data of the reply, at the byte that the address of the operation names; NULL: it has none */
  scree_address address; /* of the operation; SCREE_NO_ADDRESS: the data are one piece */
  uint64_t offset, bytes;
  uint32_t owner;
  bool asynchronous; /* it counts for global_outstanding */
  const char *call;  /* and as of the worker's last turn, ns: for reports */
  uint64_t since;
} scree__slot_of;

/* ask.c: what a task waits for in one request, whose result is at most a word. The task has the slot, and its number
 * identifies it. */
typedef struct scree__asked {
  uint64_t value;             /* of the reply */
  uint32_t generation, owner; /* generation: odd until the reply comes */
} scree__asked;
/* Of the task that runs, which sleeps next: what the head of its request has of it. 0: no memory, the world fails. */
uint64_t scree__ask(scree__globals *own, uint32_t owner);
/* Until it is answered; then these bytes of the answer. */
scree_status scree__wait_for_answer(scree__globals *own, scree_task *self, const char *call, void *to, uint64_t bytes);
/* Replies of a head and so many words; of slots too. */
void scree__take_words(scree__globals *own, const scree_batch *batch, const uint64_t *items, uint32_t words);
/* After a request of a task. */
void scree__asks_leave(scree__globals *own, uint32_t type, uint32_t to);
/* A get or put of 8 bytes. False: it is none, or something is wrong. */
bool scree__wait_for_word(scree_task *self, const scree__global_op *op, scree_status *status);
/* A delegate whose result is a word at most, or whose object is of this worker. */
bool scree__wait_for_call(scree_task *self, const scree__global_op *op, scree_status *status);

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(SCREE__TSAN)
#define SCREE__STORES_ARE_SEEN_AT_ONCE 1
#else
#define SCREE__STORES_ARE_SEEN_AT_ONCE 0
#endif
#ifdef __x86_64__
#define SCREE__ATOMICS_ARE_BARRIERS 1
#else
#define SCREE__ATOMICS_ARE_BARRIERS 0
#endif

/* Before a waiting get: what this worker has stored for tasks comes first; stores need no barrier between each other on
 * x86-64, and messages release what was stored before. Two gets are in the same order for all: where a store becomes
 * visible to all others at once, a read barrier is enough for that; elsewhere (POWER, C11's memory in test/weak) each
 * get has a full one. */
static inline void scree__fence_stores(scree__globals *own) {
#if SCREE__STORES_ARE_SEEN_AT_ONCE
  if (!own->front.stored) return;
#endif
  own->front.stored = false;
  AO_nop_full();
}

/* Operations that access memory directly keep program order, unless they are implicit: then quiet does. Before a put:
 * what its task has read and written comes first; the read barrier is needed where a write barrier orders stores alone.
 * After a get: what follows stays after it. Atomics order both, but by C11, and on ARMv8, no later load after their
 * store. On x86-64 only the barrier between a put and a get costs time. */
static inline void scree__begin_in_order(scree__globals *own, scree__global_kind kind) {
  if (kind == SCREE__GLOBAL_GET) scree__fence_stores(own);
  if (kind != SCREE__GLOBAL_PUT && kind != SCREE__GLOBAL_FILL) return;
  AO_nop_read();
  AO_nop_write();
}
static inline void scree__end_in_order(scree__globals *own, scree__global_kind kind) {
  if (kind == SCREE__GLOBAL_GET)
    AO_nop_read(); /* acquire */
  else if (!SCREE__ATOMICS_ARE_BARRIERS || kind == SCREE__GLOBAL_PUT || kind == SCREE__GLOBAL_FILL)
    own->front.stored = true;
}

/* What an asynchronous operation counts for global_outstanding: more by the bytes of its result, so that the owner does
 * not keep large answers in memory of its own. */
static inline uint64_t scree__weight(const scree__globals *own, uint64_t bytes) {
  const uint64_t weight = 1 + bytes / 256;
  return weight < own->outstanding_max ? weight : own->outstanding_max;
}

/* slot.c */
/* Of a slot. False: nothing of that name is outstanding, and the world fails. */
bool scree__take_reply(scree__globals *own, const scree_batch *batch, uint64_t head, const char *data);
/* A slot for a request of the waiter, which counts it; UINT32_MAX: no memory, the world fails. */
uint32_t scree__slot_take(scree__globals *own, scree__waiter *waiter);
/* One request less; at the last one it is complete. */
void scree__waiter_release(scree__globals *own, scree__waiter *waiter);
/* Of the task that runs, or of the worker's own stack; NULL: no memory, or (make false) it has none. */
scree__waiter *scree__implicit_of(scree__globals *own, bool make);
/* Of tasks: the scope of the task that has just returned waits for its implicit operations. */
bool scree__implicit_leave_later(scree__tasks *t, scree_scope *scope);
/* An asynchronous operation is complete: one that waits may begin. */
void scree__outstanding_less(scree__globals *own, uint64_t n);
void scree__slots_drop(scree__globals *own);
void scree__slots_free(scree__globals *own);

/* ---- bytes of one owner ---- */

/* Between memory at `base`, which the byte at `address` belongs to, and `data`, the contiguous bytes from `offset` on
 * of the owner's part. */
void scree__gather_bytes(const scree_global_map *map, scree_address address, uint32_t owner, uint64_t offset,
                         uint64_t bytes, const char *base, char *data);
void scree__scatter_bytes(const scree_global_map *map, scree_address address, uint32_t owner, uint64_t offset,
                          uint64_t bytes, const char *data, char *base);

/* copy.c, indexed.c: of operations that consist of others, which the waiter counts */
struct scree__copy;
void scree__issue_copy(scree__globals *own, const scree__global_op *op, scree__waiter *waiter, char *to);
void scree__issue_indexed(scree__globals *own, const scree__global_op *op, scree__waiter *waiter, char *to);
/* A piece has been read, or written. */
void scree__copy_step(scree__globals *own, struct scree__copy *copy);
void scree__copies_free(scree__globals *own);
/* The waiter of a copy, of a gather or scatter, which that task has begun and which is not complete. */
scree__waiter *scree__copy_of(const scree__globals *own, uint64_t issuer);
scree__waiter *scree__indexed_of(const scree__globals *own, uint64_t issuer, uint32_t *number);
void scree__indexed_drop(scree__globals *own);
extern scree_batch_fn scree__on_gather, scree__on_gathered, scree__on_scatter, scree__on_scattered;

/* memory.c */
/* Bytes from and to global memory; 4 and 8 that are aligned at once. */
void scree__load(void *to, const char *from, uint64_t bytes);
void scree__store(char *to, const void *from, uint64_t bytes);
/* Byte i becomes byte i % 8 of the pattern; and the pattern that begins with that byte of it. */
void scree__fill(char *to, uint64_t bytes, uint64_t pattern);
static inline uint64_t scree__pattern_from(uint64_t pattern, uint64_t byte) {
  const unsigned shift = (unsigned)(byte % 8) * 8;
  return shift ? pattern >> shift | pattern << (64 - shift) : pattern;
}
/* The word that was there. */
uint64_t scree__atomic(char *p, scree__global_kind kind, uint64_t bytes, uint64_t value, uint64_t expected);

/* report.c */
void scree__global_print_stats(const scree__worker *me, const scree__holder *holder, FILE *to, bool json);
void scree__global_report(const scree__worker *me, const scree__holder *holder, FILE *to);

/* word.c */
/* Grants the caller credits and issues the word. False: it is none, or the world has failed. */
bool scree__implicit_word(scree__globals *own, const scree__global_op *op);
/* The same of a delegate without result. */
bool scree__implicit_call(scree__globals *own, const scree__global_op *op);
/* So many of that record, which the sender of the batch has issued, are done. */
void scree__words_done(scree__globals *own, const scree_batch *batch, uint64_t who, uint64_t count);
/* Credits that are not used go back; or, in a failed world, are forgotten. */
void scree__words_settle(scree__globals *own);
void scree__words_drop(scree__globals *own);
/* With the words that have been issued since they were settled. */
scree_global_stats scree__global_stats_of(const scree__globals *own);
extern scree_batch_fn scree__on_words, scree__on_words_done;

/* delegate.c */
struct scree__delegate {
  scree__delegate *next; /* of the world's */
  scree__global_world *of;
  scree__delegate_fn *fn;
  void *arg;
  uint32_t type, args, result; /* type: of its messages; bytes */
};
void scree__delegates_free(scree__global_world *of);
/* The request, with its arguments. */
void scree__delegate_send(scree__globals *own, const scree__global_op *op, const scree__global_request *request,
                          uint32_t to);
/* Runs that of a task which waits, on an object of this worker. */
void scree__delegate_here(scree__globals *own, scree_task *self, const scree__global_op *op, uint64_t offset);
/* True if the object is in one piece, at one worker. */
bool scree__delegate_fits(const scree_global_map *map, const scree__global_op *op);

/* operation.c */
/* lookup.c: true if the bytes are of an allocation that is not freed, as far as the caller may wait for the check. Else
 * the world fails. */
bool scree__global_is_live(scree__globals *own, const scree__global_op *op);
static inline bool scree__global_is_checked(const scree__globals *own, const scree__global_op *op) {
  return op->checked || own->of->world->checked;
}
/* True if it is legal. Else the world fails. */
bool scree__global_check(scree__globals *own, const scree__global_op *op);
/* Begins it, on behalf of the waiter, and releases that if it is complete. */
void scree__global_issue(scree__globals *own, const scree__global_op *op, scree__waiter *waiter, char *to);
/* NULL: no memory, the world fails. */
scree__waiter *scree__new_waiter(scree__globals *own, const char *call, scree__completes how, void *target);
/* The number of the task that runs + 1; 0: the worker's own stack. */
static inline uint64_t scree__issuer(const scree__globals *own) {
  return own->me->on_own_stack && own->tasks->current ? own->tasks->current->number + UINT64_C(1) : 0;
}
/* On the worker's own stack, which waits: a progress step; if nothing moved, what is held back is published. */
void scree__wait_a_turn(scree__worker *me);
/* Waits until there is space for one of that weight. False: the world has failed. */
bool scree__wait_for_fewer(scree__globals *own, uint64_t weight);
/* True if this rank accesses that one's part directly. gains: with global_direct=auto. */
static inline bool scree__is_direct(const scree__globals *own, uint32_t owner, bool gains) {
  const scree__global_world *of = own->of;
  if (owner == own->me->head.rank) return true;
  if (!of->memory.area[owner] || of->options.global_direct == SCREE_GLOBAL_DIRECT_OFF) return false;
  return of->options.global_direct == SCREE_GLOBAL_DIRECT_ON || gains;
}
/* The worker of that rank that accesses these bytes for others. */
static inline uint32_t scree__global_worker_for(const scree__globals *own, uint32_t owner, uint64_t offset) {
  return scree__word_worker(&own->front, owner, offset);
}

#define SCREE__READ_ONLY "it was exported read only: pass writable to scree_global_export"
/* A reply to what is not outstanding: the world fails. */
void scree__global_stale(scree__globals *own, const scree_batch *batch, uint64_t head);
/* That rank accesses bytes which have no memory here: the world fails. */
void scree__global_outside(scree__globals *own, const scree_batch *batch, uint64_t offset, uint64_t bytes);
/* The byte at that offset of this rank's part; NULL: some of these bytes are not allocated, and the world fails. */
char *scree__global_missing(scree__globals *own, const scree_batch *batch, uint64_t offset, uint64_t bytes);
static inline char *scree__global_find(scree__globals *own, const scree_batch *batch, uint64_t offset, uint64_t bytes) {
  const uint32_t rank = own->me->head.rank;
  if (!scree__node_memory_has(&own->of->memory, rank, offset, bytes))
    return scree__global_missing(own, batch, offset, bytes);
  return own->of->memory.area[rank] + offset;
}
enum { SCREE__AHEAD = 16 }; /* items of a batch */
void scree__global_prefetch(const scree__globals *own, const char *place);
void scree__global_answer(scree__globals *own, uint32_t to, uint64_t head, const void *data, uint64_t bytes);
/* After a batch of requests: its answers are published now, because tasks wait for them. */
void scree__global_answers_leave(scree__globals *own, const scree_batch *batch);
/* serve.c, slot.c */
extern scree_batch_fn scree__on_global_request, scree__on_global_record, scree__on_global_reply,
    scree__on_global_reply_record;
char *scree__global_scratch(scree__globals *own);
void scree__global_send(scree__globals *own, const uint32_t *types, uint32_t to, const void *head, uint32_t head_bytes,
                        const void *data, uint64_t bytes);
#endif
