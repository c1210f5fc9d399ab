/* global.h - the state of global memory: of a world, of a worker. Each function is described where it is defined. */
#ifndef SCREE__GLOBAL_H
#define SCREE__GLOBAL_H
#include <scree/global.h>

#include "global/allocator.h"
#include "node/node_memory.h"
#include "task/task.h"

typedef union scree__global_options {
  struct {
    size_t size;
#define SCREE__FIELD(field, kind, def, min, max, choices, rare, help) uint64_t field;
    SCREE_GLOBAL_OPTIONS(SCREE__FIELD)
#undef SCREE__FIELD
  };
  scree_global_options user;
} scree__global_options;

typedef struct scree__globals scree__globals;

typedef struct {
  scree_world *world;
  scree__global_options options;
  scree_global_map map;
  scree__node_memory memory;
  scree__globals *own;      /* of each worker */
  scree__global_near *near; /* of all of them */
  uint32_t holders;         /* of them that are not freed yet: the last one frees all */
  scree__task_world *tasks;
  uint32_t allocate, reserve, release, find, forget; /* types of tasks */
  uint32_t withdraw;
  struct scree__windows *windows; /* memory of this rank after its part of the heap */
  bool copied;                    /* of rank 0: other workers may have copies of entries of its table */
  uint32_t request[6], reply[6];  /* types of messages, by the size of their data */
  uint32_t words_done;
  uint32_t gather, gathered, scatter, scattered;
  bool shared; /* other ranks of the node access this one's part, and it theirs */
  scree__delegate *delegates;
  scree__allocator allocator; /* of rank 0, used by its worker 0 */
  uint64_t random;
} scree__global_world;

enum { SCREE__KNOWN = 16 };

/* Of one worker, used by its thread. */
struct scree__globals {
  SCREE__OWN_LINE scree__holder holder; /* must be first */
  scree__worker *me;
  scree__tasks *tasks;
  scree__global_world *of;
  bool alone;                   /* no other thread or process accesses this rank's part */
  struct scree__slot_of *slots; /* of requests that are not answered */
  uint32_t slot_room, slot_free;
  struct scree__asked *asked;    /* by the number of the task */
  uint32_t asked_room, answers;  /* answers: bit i: the batch has some of size i */
  struct scree__waiter **record; /* of implicit operations, by index; NULL: free */
  uint32_t record_room, record_free;
  uint32_t *record_next, *record_generation;
  struct scree__waiter **implicit; /* by the number of a task + 1, 0: the worker's own stack; NULL: it has none */
  uint32_t implicit_room;
  uint64_t outstanding, outstanding_max; /* asynchronous operations */
  scree__global_front front;
  struct scree__waiter *granted_to; /* the record that has counted all of the granted words; NULL: none */
  uint64_t granted;                 /* of them: unused credits are still in `front` */
  scree_task *first, *last;         /* that wait until fewer are outstanding */
  struct scree__copy *copies;       /* that are not complete */
  struct scree__indexed *indexed;   /* gathers and scatters, by number */
  uint32_t indexed_room, indexed_free, known_next;
  scree_global known[SCREE__KNOWN]; /* in checked mode: allocations that are not freed; of 0 bytes: none */
  scree__freelist waiters;
  scree_global_stats stats;
  bool stacks;      /* in this epoch an address was made of one: window.c */
  char *scratch[2]; /* of messages with many bytes: of code outside handlers, of handlers */
};

/* open.c */
scree__globals *scree__globals_of(const scree__worker *me);
/* The same, sooner. */
static inline scree__globals *scree__globals_in(const scree__worker *me) {
  char *front = (char *)me->head.above;
  return front ? (scree__globals *)(void *)(front - offsetof(scree__globals, front)) : NULL;
}
/* Of a caller in an epoch; NULL: it may not use them, and the world fails. */
scree__globals *scree__globals_for(scree_worker *worker, const char *call);

/* allocate.c */
extern scree__task_fn scree__run_allocate, scree__run_reserve, scree__run_release, scree__run_withdraw;

/* window.c */
bool scree__windows_open(scree__global_world *of);
void scree__windows_close(scree__global_world *of);
/* Stacks of this worker have no addresses any more. */
void scree__windows_leave(scree__globals *own);
/* Those bytes of this rank, after its part of the heap; NULL: there is nothing, or nothing that may be written. */
char *scree__window_at(const scree__globals *own, uint64_t offset, uint64_t bytes, bool writes);
/* False: no memory. */
bool scree__window_export(scree__globals *own, uint64_t at, uint64_t bytes, void *memory, bool writable);
void scree__window_withdraw(scree__globals *own, uint64_t at);

/* lookup.c */
extern scree__task_fn scree__run_find, scree__run_forget;
scree_status scree__forget_everywhere(scree_task *self, scree__global_world *g, uint32_t place);

static inline uint64_t scree__round_up(uint64_t n, uint64_t to) {
  return (n + to - 1) / to * to;
}
#endif
