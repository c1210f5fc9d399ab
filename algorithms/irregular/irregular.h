/* irregular.h - kernels on tasks and global memory: their options, and what the frame (frame.c) calls of each. A
 * kernel includes this header and public ones alone. */
#ifndef SCREE__IRREGULAR_H
#define SCREE__IRREGULAR_H
#include <scree/global.h>
#include <scree/kernel.h>
#include <scree/task_loop.h>

#include "base/hash.h"

/* Of all kernels; each has rows of those that it takes (rows.c). */
typedef struct scree__irregular_options {
  size_t size;
  const char *algorithm;
  scree_watch watch;
  uint64_t steal, task_live,
      global_direct; /* as in scree_tasks_options, scree_global_options; they hold from the first run on */
  uint64_t words, lookahead, tasks;       /* gups */
  uint64_t tree;                          /* uts */
  uint64_t class;                         /* intsort */
  uint64_t vertices, degree, steps, seed; /* walk */
  uint64_t pool, strings;                 /* hashmap */
  uint64_t edge;                          /* stencil */
  uint64_t validate_memory;               /* bytes of each rank, for an oracle */
} scree__irregular_options;

/* What a kernel takes of each rank. */
typedef struct scree__irregular_plan {
  uint32_t ranks, threads;  /* given: of the world, of a rank */
  size_t form;              /* given: index of the variant */
  const scree_world *world; /* given */
  uint64_t heap, own;       /* bytes: of the rank's part of global memory; beside it */
} scree__irregular_plan;

/* A kernel in a world. */
typedef struct scree__irregular {
  scree_world *world;
  const scree_global_map *map;
  const scree__irregular_options *options; /* of this run, all set */
  size_t form;                             /* index of the variant */
  void *state;                             /* the kernel's, zeroed when it is opened */
  scree_global shared;                     /* private, of scree__irregular_alloc */
  bool by_law;                             /* private: see scree__irregular_holds */
  uint64_t items;                          /* that the run has processed on all ranks */
  double figure[SCREE_FIGURES_MAX];        /* as the record names them; the same on all ranks */
} scree__irregular;

typedef struct scree__irregular_methods {
  size_t state; /* bytes */
  /* Before anything is allocated: what is wrong with the options, and what the kernel takes. Local; the same on all
   * ranks. True: they are legal; else why[size] says what is wrong. */
  bool (*plan)(const scree__irregular_options *options, scree__irregular_plan *plan, char *why, size_t size);
  /* These are collective, in an idle world, and return its status. open: registers types, allocates; once. run:
   * timed. prepare: before the clock runs. check: counts what is wrong on this rank. NULL: nothing to do, but for run
   * and check. */
  scree_status (*open)(scree__irregular *k);
  scree_status (*prepare)(scree__irregular *k);
  scree_status (*run)(scree__irregular *k);
  scree_status (*check)(scree__irregular *k, uint64_t *wrong);
  void (*close)(scree__irregular *k); /* frees what is the kernel's own. Local */
  const char *wrong;                  /* what `check` counts */
  const char *law; /* what `check` examines without an oracle, see scree__irregular_holds; NULL: it needs none */
} scree__irregular_methods;

/* An allocation that all ranks know. Collective, in `open`. */
scree_status scree__irregular_alloc(scree__irregular *k, uint64_t bytes, scree_global_policy policy,
                                    scree_global *array);

/* Calls `at` for each word that this rank owns of a CYCLIC array, with the kernel's state, a pointer to the word and
 * its index, and sums up what that returns. Local; idle world. */
uint64_t scree__irregular_words(const scree__irregular *k, const scree_global *array,
                                uint64_t (*at)(const void *state, uint64_t *word, uint64_t i));

/* May `check` take so many bytes of each rank for a serial replay? Otherwise it checks the kernel's law, and that is
 * said. Local; the same on all ranks. */
bool scree__irregular_holds(scree__irregular *k, uint64_t bytes);

extern const scree__irregular_methods scree__gups, scree__intsort, scree__uts, scree__walk, scree__hashmap, scree__puts,
    scree__stencil;

/* The kernels; NULL past the last. Their records are those of kernel.h, but the registry has those with a graph
 * alone. */
const scree_kernel *scree__irregular_at(size_t i);

#endif
