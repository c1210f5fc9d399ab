/* funnel.h - one thread of a rank, the *caller*, calls MPI for all its endpoints: the first worker
 * (thread_level=funneled), or a thread that does nothing else (progress=comm). The other endpoints are *clients*: they
 * pass blocks to the caller and get those that have arrived from it, by reference.
 *
 * Each endpoint keeps its data path over MPI (transport/mpi.h), with a communicator, receives, credits and requests of
 * its own, so neither ranks nor MPI see who calls. Of a client's path the pool is the client's, all else the
 * caller's:
 *
 *   client                                        caller
 *   takes a block from the pool, fills it
 *   counts it against the window, hands it over   takes it, spends the credit that the window has left, sends it
 *   takes it back, puts it into the pool          has found it sent, hands it back
 *                                                 has found a block received, hands it over; at most as many as there
 *   handles it, hands it back                     are receives; posts the receive again, owes its sender a credit
 *
 * Neither waits for the other here: a block that is passed over is published, and a client without a block or without
 * credits makes progress, as any endpoint does. So the rules on counting, parity and back-pressure are as without a
 * funnel; blocks only move when the caller makes a step. */
#ifndef SCREE__FUNNEL_H
#define SCREE__FUNNEL_H
#include "block/stack.h"
#include "transport/idle.h"
#include "transport/mpi.h"

typedef struct scree__funnel scree__funnel;

/* Of an endpoint that does not call MPI: its path, as its core sees it. The client's own, except where noted. */
typedef struct {
  SCREE__OWN_LINE scree__transport base; /* must be first */
  scree__mpi *path;                      /* its pool */
  scree__funnel *funnel;
  uint32_t *handed;   /* by endpoint: blocks handed over; both wrap */
  unsigned *returned; /* by endpoint: credits that have returned; stored by the caller */
  uint64_t in_flight; /* blocks handed over and not back yet */
  uint32_t touched;   /* bytes of the largest one that has arrived */
  uint32_t head;      /* of what has arrived, the next to read */
  /* Hints: stored 1 by the client, 0 by the caller, both relaxed; what is missed is stored again. */
  SCREE__OWN_LINE AO_t wants_blocks, wants_credits;
  AO_t requests;                                     /* that its path has memory for; by the caller, relaxed */
  SCREE__OWN_LINE AO_t arrived[SCREE__RECEIVES_MAX]; /* blocks, 0: none; see client.c */
  SCREE__OWN_LINE AO_t sent;                         /* stack of blocks that have been sent */
  SCREE__OWN_LINE uint32_t tail;                     /* the caller's: the next to fill */
} scree__client;

/* What the first worker requests from the communication thread: the worker stores ASKED in a word after the request,
 * and the thread stores DONE after the result (release, acquire); the worker stores IDLE when it has taken the
 * result. */
typedef enum { SCREE__IDLE, SCREE__ASKED, SCREE__DONE } scree__errand;
typedef struct {
  AO_t say; /* the thread stores IDLE itself */
  scree__standing said[SCREE__STANDINGS_MAX];
  uint32_t said_count;
  AO_t round;
  bool round_open; /* the thread's */
  scree__round mine, sum;
} scree__errands;

struct scree__funnel {
  scree__collective collective; /* must be first; of the thread */
  scree__service service;
  scree__mpi *paths;
  scree__comm *comm;
  scree__client *clients;      /* by endpoint of the rank */
  uint32_t first;              /* client: 1 where the first worker calls, else 0 */
  uint32_t endpoints;          /* of the rank */
  scree__fault *fault;         /* of the caller */
  SCREE__OWN_LINE AO_t outbox; /* stack of what clients pass over, to be sent or to be released */
  AO_t lost;                   /* 1: the caller has lost a peer. Relaxed: only the flag is communicated */

  /* the communication thread */
  SCREE__OWN_LINE AO_TS_t
      inside;     /* held by the thread that may call MPI: this one during a step, the first worker's between epochs */
  AO_t paused;    /* 1: the first worker waits for it, or has it */
  bool is_paused; /* the first worker's, which has it */
  bool has_thread;
  pthread_t thread;
  pthread_mutex_t lock; /* of `closing`, and of waiting for the end of a pause */
  pthread_cond_t changed;
  bool closing;
  uint64_t spin;
  scree__collective *inner; /* of MPI */
  scree__errands errands;
  scree__fault *first_fault; /* the first worker's; while the world is open only by that worker */
  /* faults of the thread, to be passed to the first worker: see server.c */
  scree__fault mine;
  scree__fault report;
  AO_t reported, written_off, doubtful;
  uint32_t seen_written_off, seen_doubtful; /* the first worker's */
  bool seen_report;
};

/* True if a world of these options, whose blocks travel by MPI, needs one. */
bool scree__funnel_is_needed(const scree__options *options);
/* Fills the path of each endpoint of the rank; the first worker's, when it closes, closes all and `paths`. Local.
 * False: no memory, or no thread; text in the first worker's fault sink, and `paths` is as it was. */
bool scree__funnel_open(scree__mpi *paths, const scree__options *options, scree__transport **out);
/* Ends the thread, and frees; the paths are as they were. By the first worker's thread. */
void scree__funnel_close(scree__funnel *f);

/* client.c */
extern const scree__transport_ops scree__client_ops;
/* caller.c */
extern const scree__transport_ops scree__caller_ops; /* of the first worker, if that calls */
bool scree__funnel_turn(scree__funnel *f);           /* true: something moved */

/* server.c */
bool scree__server_start(scree__funnel *f);
void scree__server_stop(scree__funnel *f);
void scree__server_take_faults(scree__funnel *f); /* by the first worker */
/* rounds.c */
extern const scree__collective_ops scree__errand_ops;
bool scree__run_errands(scree__funnel *f); /* true: one is done */
#endif
