/* algorithm.h - what the algorithms share: how a variant is named, what is counted of its work, how it is watched.
 *
 * Room: types that the headers of several algorithms use. C11 and C++. */
#ifndef SCREE_ALGORITHM_H
#define SCREE_ALGORITHM_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A variant of an algorithm, as it is chosen by name. */
typedef struct scree_algorithm {
  const char *name, *help; /* a word; a line */
} scree_algorithm;

/* The work of one run, over all ranks. A relaxation offers a vertex a value. It goes out as a message, also to a vertex
 * of the same rank, or is applied at once where the variant does that with vertices of the same rank; and it has one of
 * three outcomes: sent + direct == useful + invalidated + rejected. Counts are the same on a noisy machine. */
typedef struct scree_work {
  uint64_t sent;             /* relaxations sent */
  uint64_t direct;           /* relaxations of vertices of the same rank without a message */
  uint64_t useful;           /* brought the final value of a vertex: one for each reached vertex but the source */
  uint64_t invalidated;      /* brought a value that a better one replaced later */
  uint64_t rejected;         /* brought nothing better than what the vertex had */
  uint64_t pruned;           /* not made: this rank knew that the vertex had, or had been offered, as good a value */
  uint64_t edges;            /* arcs looked at */
  uint64_t epochs;           /* epochs of the run, the same on all ranks */
  uint64_t detection_rounds; /* of the detector: the most that a rank took part in */
  uint64_t blocks;           /* blocks of messages */
  uint64_t bytes;            /* bytes of messages */
  /* Summed over the ranks: together they are ranks times the time of the run. */
  double handler_seconds; /* in handlers: taking relaxations */
  double queue_seconds;   /* on a rank's own work: choosing vertices, looking at arcs, sending */
  double wait_seconds;    /* the rest: looking for messages, waiting for other ranks */
} scree_work;

/* Watches a run: `fn` is called on each rank with that rank's counts so far (of all fields only the relaxations, edges
 * and epochs), after each epoch, or every few milliseconds in a variant of one long epoch. It runs on the thread of the
 * run, is quick, and calls nothing of scree but local functions. */
typedef struct scree_watch {
  void (*fn)(const scree_work *work, void *arg); /* NULL: nobody watches */
  void *arg;
} scree_watch;

#ifdef __cplusplus
}
#endif
#endif
