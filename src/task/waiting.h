/* waiting.h - what tasks wait for, on a worker: scopes, and objects with queues of requests. */
#ifndef SCREE__WAITING_H
#define SCREE__WAITING_H
#include <scree/task.h>

#include "task/freelist.h"

typedef struct scree__tasks scree__tasks;

/* ---- scope.c ---- */

/* One worker's part of a scope: that of the worker that opened it, or of one to which tasks of it were sent. */
struct scree_scope {
  scree_scope *next; /* of those with the same hash, or that are free: must be first */
  uint64_t id;       /* of all its parts; 0: ended */
  scree__tasks *home;
  uint64_t active;            /* tasks and operations of it here */
  uint64_t outstanding;       /* sent to other workers and not acknowledged */
  uint32_t parent;            /* the worker that is acknowledged when there is none of either */
  bool opened_here;           /* then no worker is */
  scree_task *opener;         /* the task that ends it; NULL: a completion */
  scree_task *first, *last;   /* that wait */
  struct scree__sum *sum;     /* of a loop that has a result: the result of the local part so far; NULL: nothing */
  struct scree__object *seen; /* of a completion that has a number: where tasks of other workers wait; else NULL */
};

enum { SCREE__SCOPE_LISTS = 256 };
typedef struct {
  scree_scope *list[SCREE__SCOPE_LISTS]; /* by a hash of the id */
  scree__freelist parts, sums, seen;
  uint64_t opened;
} scree__scopes;

/* ---- object.c ---- */

typedef struct scree__object scree__object;

enum { SCREE__OBJECT_WORDS = SCREE_FUTURE_MAX / 8 };

typedef struct scree__request {
  struct scree__request *next;
  uint64_t who;    /* identity of the task that waits; 0: no task does */
  uint32_t worker; /* its worker's number */
  uint32_t number; /* its place in the table of that worker */
  uint32_t op;
  uint64_t value[SCREE__OBJECT_WORDS]; /* in: of the operation; out: of the answer */
  scree_task *task;                    /* of this worker; NULL: an answer is sent */
  bool done;
} scree__request;

typedef struct {
  const char *name;
  /* Does what the request needs, and sets its value. False: the state does not allow it yet; then it is called again
   * after each operation that was served. A wrong operation fails the world, and returns true. */
  bool (*serve)(scree__object *, scree__request *);
  bool owned; /* allocated by the library, which frees what the program leaves open */
} scree__object_ops;

/* Begins each object. */
struct scree__object {
  const scree__object_ops *ops; /* NULL: closed */
  scree__tasks *home;
  scree__request *first, *last;
  uint64_t number; /* 0: it has none yet */
};

/* A place in a worker's table of objects that have numbers. */
typedef struct {
  scree__object *object;    /* NULL: no object */
  uint32_t generation : 31; /* of the object's number; from 1 on */
  uint32_t owned : 1;       /* by the library; another object may be on a stack that is gone when the world is freed */
  uint32_t next;            /* place in the same list */
} scree__object_place;

/* Of a worker: the objects that have numbers, and requests of other workers. */
typedef struct {
  scree__object_place *table;
  uint32_t room, used;        /* used: places that ever had an object */
  uint32_t free;              /* the place that was given back last; UINT32_MAX: there is none */
  uint32_t retired, youngest; /* places that had all generations, oldest first; UINT32_MAX: there are none */
  scree__freelist requests;
} scree__objects;
#endif
