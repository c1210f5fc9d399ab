/* block.h - the block: one buffer of messages on its way to one rank.
 *
 * Room: the layout that sender, transport and receiver share, and nothing that acts on it. The first half of the
 * header belongs to the owner and never travels; the second half travels in front of the records. */
#ifndef SCREE__BLOCK_H
#define SCREE__BLOCK_H
#include <atomic_ops.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records of one type from one origin, back to back. A direct block has one run; its head lies in the header. */
typedef struct {
  uint32_t type, dest, origin, count;
  uint32_t bytes; /* of the records */
  uint32_t spare;
} scree__run_head;

typedef enum {
  SCREE__DATA,    /* records of a registered type */
  SCREE__PART,    /* a piece of one large record: scree__part, then its bytes */
  SCREE__CONTROL, /* a failure key, for a node's leader */
} scree__block_kind;

typedef struct {
  uint16_t runs;
  uint8_t parity; /* of the epoch that it was published in */
  uint8_t kind;
  uint32_t credits; /* between nodes: that the sender gives back */
  scree__run_head run;
} scree__wire;

/* Who takes the memory back. */
typedef enum { SCREE__HOME_SHM, SCREE__HOME_MPI, SCREE__HOME_SELF, SCREE__HOME_HEAP, SCREE__HOME_FIXED } scree__home;

/* Bytes of the records of a large block: the cost of a block, to the cores that hand it on and to MPI, is small by
 * then. */
enum { SCREE__LARGE_BLOCK = 65536 };

typedef struct scree__block {
  union {
    AO_t link;                 /* away: next offset in the owner's return stack */
    struct scree__block *next; /* at home: in a free list, the live list or a queue */
  };
  struct scree__block *prev; /* live list */
  uint32_t born;             /* microseconds at the first message, modulo 2^32 */
  uint32_t capacity;         /* bytes for records */
  uint32_t dest;
  uint8_t class_log2, home;
  uint16_t slot; /* receives: which one */
  scree__wire wire;
} scree__block;

/* In front of the bytes of a PART block. */
typedef struct {
  uint64_t id; /* counts the origin's large records */
  uint64_t offset;
  uint32_t total, spare; /* last, as in front of any record: a part that is a whole one is handled where it lies */
} scree__part;

_Static_assert(sizeof(scree__wire) == 32, "what travels in front of the records");
_Static_assert(sizeof(scree__block) == 64, "records start on a cache line");

static inline char *scree__block_data(scree__block *b) {
  return (char *)(b + 1);
}

/* A list of blocks: in at either end, out at the head. */
typedef struct {
  scree__block *head, *tail;
} scree__queue;

static inline void scree__queue_add(scree__queue *q, scree__block *b) {
  b->next = NULL;
  if (q->tail)
    q->tail->next = b;
  else
    q->head = b;
  q->tail = b;
}

static inline void scree__queue_push(scree__queue *q, scree__block *b) {
  b->next = q->head;
  q->head = b;
  if (!q->tail) q->tail = b;
}

static inline scree__block *scree__queue_pop(scree__queue *q) {
  scree__block *b = q->head;
  if (b && !(q->head = b->next)) q->tail = NULL;
  return b;
}
#endif
