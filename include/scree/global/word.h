/* word.h - private, included by operation.h: implicit operations on one aligned word of 8 bytes, which programs issue
 * by the million. Inline, as a send is: a message of 16 bytes to the owner, which may be this rank, that takes one of
 * the credits which the task, or the worker's own stack, has been granted. */
#ifndef SCREE_GLOBAL_WORD_H
#define SCREE_GLOBAL_WORD_H
#include <scree/global/address.h>
#include <scree/routed.h>
#include <scree/task.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  SCREE__GLOBAL_GET,
  SCREE__GLOBAL_PUT, /* from here to XOR: of words too */
  SCREE__GLOBAL_ADD,
  SCREE__GLOBAL_AND,
  SCREE__GLOBAL_OR,
  SCREE__GLOBAL_XOR,
  SCREE__GLOBAL_SWAP,
  SCREE__GLOBAL_COMPARE,
  SCREE__GLOBAL_CALL, /* of a delegate, which has messages of its own */
  SCREE__GLOBAL_FILL,
  SCREE__GLOBAL_COPY, /* these and the following ones consist of others */
  SCREE__GLOBAL_GATHER,
  SCREE__GLOBAL_SCATTER
} scree__global_kind;
enum { SCREE__WORD_KINDS = SCREE__GLOBAL_XOR - SCREE__GLOBAL_PUT + 1 };

/* `place`: who << 40 | offset in the owner's part. Who: generation << 16 | the record of implicit operations at the
 * sender. */
typedef struct {
  uint64_t place, value;
} scree__global_word;

/* A rank's part that this worker touches itself for tasks that wait: bytes below `low`, and `top` of them from `high`
 * on, are known to be reserved, and stay so. As long as nothing is known of it, and of parts that only messages reach:
 * none. */
typedef struct {
  char *part;
  uint64_t low, high, top;
  uint64_t gets, puts; /* by inline functions */
  uint64_t unused[2];
} scree__global_near;

/* What a worker's inline operations read. The credits are of the task that runs, as long as `current` and `serial`,
 * which count tasks that have begun, are what they were; none outside epochs, in failed worlds, and with
 * global_direct=on. */
typedef struct scree__global_front {
  uint64_t credit;
  scree_task *const *current;
  const uint64_t *serial;
  scree_task *task;
  uint64_t seen, who;
  uint64_t puts, calls; /* of the credits that were used */
  scree_global_map map;
  uint32_t threads, taking; /* workers of each rank, and those that take part in the epoch */
  uint32_t type[SCREE__WORD_KINDS];
  bool stored;              /* by a waiting put, directly, and no full barrier since */
  const bool *failed;       /* of the worker */
  scree__global_near *near; /* by rank; NULL: operations that wait are never inline */
} scree__global_front;

enum { SCREE__GRANULE = 4096 }; /* bytes of a part that one worker touches for others */
static inline uint32_t scree__word_worker(const scree__global_front *f, uint32_t owner, uint64_t offset) {
  return owner * f->threads + (f->taking > 1 ? (uint32_t)(offset / SCREE__GRANULE) % f->taking : 0);
}

static inline uint64_t scree__word_at(const void *from) {
  uint64_t word;
  __builtin_memcpy(&word, from, sizeof word);
  return word;
}

/* False: nothing was done; then scree__global_implicit does it, or reports what is wrong. */
static inline bool scree__word_nbi(scree_worker *w, scree__global_kind kind, scree_address a, uint64_t value) {
  scree__global_front *f = (scree__global_front *)w->above;
  if (__builtin_expect(!f || !f->credit || *f->current != f->task || *f->serial != f->seen, 0)) return false;
  const uint32_t owner = scree_global_owner(&f->map, a);
  const uint64_t offset = scree_global_offset(&f->map, a);
  if (__builtin_expect(!a || a % 8 || owner >= f->map.ranks || offset >= f->map.heap, 0)) return false;
  const scree__global_word item = {f->who | offset, value};
  const uint32_t to = scree__word_worker(f, owner, offset), type = f->type[kind - SCREE__GLOBAL_PUT];
  f->credit--; /* before the slot is found: handlers may run meanwhile, which issue words too */
  if (kind == SCREE__GLOBAL_PUT) f->puts++;
  scree__lane *l = w->row[type].lane + to;
  char *p = l->next;
  if (__builtin_expect(!scree__lane_fits(l, sizeof item), 0))
    p = (char *)scree__routed_slot(w, type, to, sizeof item, true);
  else
    l->next = p + sizeof item;
  __builtin_memcpy(p, &item, sizeof item);
  return true;
}

/* A get or put of an aligned word of 8 bytes that touches memory itself. In program order: what the task has read and
 * written before comes before a put, and a get before what follows; a get after a put needs a full barrier, which is
 * not inline. False: nothing was done, and scree__global_wait does it, or says what is wrong. */
static inline bool scree__word_now(scree_task *self, bool put, scree_address a, uint64_t *word) {
  scree__global_front *f = self ? *(scree__global_front **)(void *)((char *)self + SCREE__TASK_ABOVE) : NULL;
  if (__builtin_expect(!f || !f->near || *f->current != self || *f->failed || !a || a % 8, 0)) return false;
  const uint32_t owner = scree_global_owner(&f->map, a);
  const uint64_t offset = scree_global_offset(&f->map, a);
  if (__builtin_expect(owner >= f->map.ranks, 0)) return false;
  scree__global_near *n = &f->near[owner];
  if (__builtin_expect(offset >= n->low && offset - n->high >= n->top, 0)) return false;
  uint64_t *at = (uint64_t *)(void *)(n->part + offset);
  if (put) {
    n->puts++;
    __atomic_store_n(at, *word, __ATOMIC_RELEASE);
    f->stored = true;
  } else {
    if (__builtin_expect(f->stored, 0)) return false;
    n->gets++;
    *word = __atomic_load_n(at, __ATOMIC_ACQUIRE);
  }
  return true;
}
static inline bool scree__put_now(scree_task *self, scree_address a, uint64_t word) {
  return scree__word_now(self, true, a, &word);
}
static inline bool scree__get_now(scree_task *self, scree_address a, void *to) {
  uint64_t word;
  if (!scree__word_now(self, false, a, &word)) return false;
  __builtin_memcpy(to, &word, sizeof word);
  return true;
}

#ifdef __cplusplus
}
#endif
#endif
