/* world.h - the state of a world: its types, its threads, its workers and options. */
#ifndef SCREE__WORLD_H
#define SCREE__WORLD_H
#include <pthread.h>

#include "core/worker.h"

enum { SCREE__FEATURES_MAX = 8 };

struct scree__type {
  char name[SCREE__NAME];
  uint32_t item, flags;
  uint32_t record;    /* bytes of an item in a block: with its tag, if it travels by a route */
  uint8_t hop_class;  /* of the blocks of a direct type */
  scree_batch_fn *fn; /* that dispatch calls: the handler, or the function that a feature has put before it */
  scree_batch_fn *handler;
  scree__key_fn *sort; /* NULL: batches are as they come */
  void *arg;
  uint32_t dests;                      /* ranks or, of a type to workers, workers of all ranks */
  uint16_t *const *next;               /* one of the tables of scree__hops; NULL: the type is direct */
  uint32_t lanes;                      /* in use: as many, or one for each next hop */
  const scree__en_route_ops *en_route; /* what a feature does with items that pass through; NULL: they are sent on */
};

/* What ranks compare when they register types: one of them, and in `digest` all that the call registers. No byte of it
 * is padding, and those after the name are zero. */
typedef struct {
  char name[SCREE__NAME];
  uint32_t item, flags, index;
  uint32_t status; /* what this rank found wrong by itself */
  uint64_t digest;
} scree__registration;

/* By which ranks items travel from here: see hops.c. All but `closed` is zero where no type is routed. */
typedef struct {
  scree__hop *hop; /* of each lane; the first is of messages to this rank itself */
  uint32_t count;  /* lanes; after them, of types to workers, one for each worker of this rank */
  uint32_t tables; /* different ones below */
  /* By the class by which an item has come, and by destination, a rank or a worker's number: its lane. */
  uint16_t *next[SCREE__HOP_CLASSES], *to_worker[SCREE__HOP_CLASSES];
  scree__lane
      *closed; /* by destination: without space, of routed types, so that each send of them calls scree__routed_slot,
                        * and of ids that are not a type's */
} scree__hops;

typedef struct {
  scree_idle_fn *fn;
  void *arg;
} scree__poll_entry;

/* ---- team.c, join.c: the threads of a rank's workers ---- */

typedef struct scree__joiner scree__joiner;

/* A call of scree_join_workers by threads of the program: see join.c. */
typedef struct {
  uint32_t n, come;             /* how many are waited for, the maximum that one passes; how many have arrived */
  uint64_t claimed;             /* their indices, one bit each */
  const scree__joiner *speaker; /* which represents the rank */
  scree_status status;
  char why[200];      /* it is refused */
  bool decided, over; /* all have arrived and know the status; and have run */
  uint32_t arrived;   /* threads inside the call, those that wait for the end of the last one too */
  uint32_t leaving;   /* of those that arrived, how many have yet to leave before others may arrive */
} scree__joining;

/* What the workers after the first one run, and whether they do. */
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
  AO_t forks;         /* scree__forks of the process that opened it */
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
  SCREE__OWN_LINE scree__options options;
  bool checked;
  scree__type *types; /* by id, from 1: row 0 is of no type, and zero */
  uint32_t type_count;
  uint32_t min_block;                     /* holds the largest item */
  size_t memory;                          /* of each worker, for each pool */
  uint64_t overflow_max;                  /* of each worker */
  scree__registration *all_registrations; /* what the ranks exchange in scree_register */
  const scree__feature *const *features;  /* ends with NULL */
  void *feature_state[SCREE__FEATURES_MAX];

  /* failure */
  pthread_mutex_t raising; /* of the three that follow */
  uint64_t raised; /* key of the first failure that a worker of this rank raised, or left an epoch with; 0: none */
  char text[320];  /* what it says */
  AO_t read;       /* 1: the program has read the text; relaxed */
  AO_t has_text;   /* 1: raised here, and the text does not change any more; stored by release */
  AO_t agreed;     /* failure key that an epoch ended with, 0: none; scree__agreed */
  AO_t lost;       /* 1: a worker of this rank has lost its peers */
  scree__block *notices; /* one control block for each other node */
  scree__poll_entry polls[SCREE_POLLS_MAX];
  uint32_t poll_count;
  scree_hang_fn *hang_hook;
  void *hang_arg;
  bool (*is_cut_off)(void);                   /* MPI is finalised; NULL: there is none */
  void (*on_closed)(void);                    /* called when the world has been closed and freed; NULL: nothing is */
  const char *thread_level, *level_requested; /* of MPI, that it provides, and that was requested; NULL: no MPI */
  char level_reason[200];                     /* why that was requested */
  scree__fault faults[SCREE__ENDPOINTS_MAX];  /* of each worker's transport */
  scree__ring rings[SCREE__ENDPOINTS_MAX];    /* of each worker, for its transport too */
};

/* ---- lifecycle.c, register.c ---- */

/* `threads` workers and, with an additional endpoint, a progress thread. Zeroed, with a fault sink for each transport
 * that is opened next; NULL: no memory. Local, as are the next two. */
scree_world *scree__world_new(uint32_t threads, uint32_t endpoints, const scree__feature *const *features);
/* Takes over the transports, on failure too: for each class of hops, one for each endpoint of the rank. */
scree_status scree__world_init(scree_world *world, const scree__options *options, uint32_t classes,
                               scree__transport *const *paths);
/* Frees the world and closes its transports, if it has some. */
void scree__world_free(scree_world *world);

/* False: no memory. */
bool scree__types_open(scree_world *world);
void scree__types_free(scree_world *world);
/* The lanes that each worker has of a type. Sends compare with head.dests, so each direct type has head.dests lanes.
 * Lanes above the type's own destinations never have space. */
uint32_t scree__lanes_made(const scree_world *world, const scree__type *type);
/* Collective, where other ranks are in scree_register or scree_register_all: this rank, which has set its text,
 * registers none. Returns the status that all ranks return. */
scree_status scree__refuse_type(scree_world *world, const char *name, scree_status status);

static inline bool scree__has_type(const scree_world *world, uint32_t type) {
  return type - 1 < world->type_count;
}

/* Those of the routes, the last of which is of direct types, too; 1: all types are direct. */
static inline uint32_t scree__route_classes_of(const scree_world *world) {
  return world->classes - world->urgent;
}
/* Direct blocks travel in a class whose blocks wait only for handlers. */
static inline uint8_t scree__direct_class(const scree__worker *me) {
  return (uint8_t)(scree__route_classes_of(me->world) - 1);
}
/* Urgent ones in the class above. */
static inline bool scree__is_urgent(const scree__worker *me, uint32_t hop_class) {
  return hop_class > scree__direct_class(me);
}
static inline bool scree__is_routed(const scree__type *type) {
  return type->next != NULL;
}
#endif
