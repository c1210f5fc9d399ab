/* block.h - the block: one buffer of messages on its way to one endpoint. This is the layout that sender, transport and
 * receiver share. The first half of the header is private to the endpoint that holds the block and never travels; the
 * second half travels in front of the records. */
#ifndef SCREE__BLOCK_H
#define SCREE__BLOCK_H
#include <atomic_ops.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/invariant.h"

/* A segment: records of one type from one origin, back to back. A direct block has one segment, whose header is part of
 * the block's. */
typedef struct {
  uint32_t type, dest; /* dest as the program passes it: a rank or, of a type to workers, a worker's number */
  uint32_t origin;     /* endpoint that sent the records, whichever endpoint forwards them */
  uint32_t count;      /* records */
  uint32_t bytes;      /* of the records */
} scree__segment;

typedef enum {
  SCREE__DATA,     /* records of a registered type */
  SCREE__FRAGMENT, /* a piece of one large record: scree__fragment, then its bytes */
  SCREE__CONTROL,  /* a failure key, for a node's leader */
} scree__block_kind;

typedef struct {
  uint16_t segments;
  uint8_t parity; /* of the epoch that it was published in */
  uint8_t kind;
  uint32_t credits; /* between nodes: credits that the sender returns to the receiver */
  uint32_t owner; /* endpoint that published the block: memory and credit return to it. Of a direct block the origin */
  scree__segment segment;
} scree__wire;

/* The memory that the block is in, which determines who frees it. */
typedef enum {
  SCREE__STORAGE_SHM,
  SCREE__STORAGE_MPI,
  SCREE__STORAGE_SELF,
  SCREE__STORAGE_HEAP,
  SCREE__STORAGE_FIXED
} scree__storage;

/* Bytes of the records of a large block: the cost of a block to the cores that pass it on and to MPI is small by
 * then. */
enum { SCREE__LARGE_BLOCK = 65536 };

typedef struct scree__block {
  union {
    AO_t link;                 /* while in a return stack: offset of the next block */
    struct scree__block *next; /* while with its owner: in a free list, the list of open blocks or a queue */
  };
  struct scree__block *prev; /* in the list of open blocks */
  uint32_t opened_at;        /* microseconds at the first message, modulo 2^32 */
  uint32_t capacity;         /* bytes for records */
  uint32_t dest;             /* endpoint */
  uint8_t class_log2, storage;
  uint8_t slot;      /* of a receive: its index */
  uint8_t hop_class; /* of the hop on which it is sent: see route/route.h */
  scree__wire wire;
} scree__block;

/* In front of the bytes of a fragment block. */
typedef struct {
  uint64_t id; /* counts the origin's large records */
  uint64_t offset;
  uint32_t total, spare; /* last, as in front of any record: a fragment that is a whole record is handled in place */
} scree__fragment;

_Static_assert(sizeof(scree__wire) == 32, "what travels in front of the records");
_Static_assert(sizeof(scree__block) == 64, "records start on a cache line");

static inline char *scree__block_data(scree__block *b) {
  return (char *)(b + 1);
}

/* A list of blocks: in at either end, out at the head. */
typedef struct {
  scree__block *head, *tail;
} scree__queue;

enum { SCREE__LOOKED_AT = 16 }; /* blocks of a list, by an invariant, at most */
/* True if the block is among the first of the list. */
static inline bool scree__is_listed(const scree__block *list, const scree__block *b) {
  for (uint32_t i = 0; list && i < SCREE__LOOKED_AT; i++, list = list->next)
    if (list == b) return true;
  return false;
}

static inline void scree__queue_add(scree__queue *q, scree__block *b) {
  SCREE__INVARIANT(!q->head == !q->tail);
  SCREE__INVARIANT(b != q->tail && !scree__is_listed(q->head, b));
  b->next = NULL;
  if (q->tail)
    q->tail->next = b;
  else
    q->head = b;
  q->tail = b;
}

static inline void scree__queue_push(scree__queue *q, scree__block *b) {
  SCREE__INVARIANT(!q->head == !q->tail);
  SCREE__INVARIANT(b != q->tail && !scree__is_listed(q->head, b));
  b->next = q->head;
  q->head = b;
  if (!q->tail) q->tail = b;
}

static inline scree__block *scree__queue_pop(scree__queue *q) {
  scree__block *b = q->head;
  SCREE__INVARIANT(!b || b->next || q->tail == b);
  if (b && !(q->head = b->next)) q->tail = NULL;
  return b;
}
#endif
