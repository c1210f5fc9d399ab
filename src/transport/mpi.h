/* mpi.h - blocks between nodes, as MPI messages.
 *
 * Room: the data path over MPI, used alone or beside shared memory. */
#ifndef SCREE__MPI_H
#define SCREE__MPI_H
#include <mpi.h>

#include "block/pool.h"
#include "transport/comm.h"
#include "transport/credit.h"

enum { SCREE__RECEIVES = 4 };

typedef struct {
  scree__transport base;
  scree__pool pool;
  scree__credit credit;
  size_t largest; /* bytes of records in the largest block that any rank sends */
  bool begun;     /* all ranks have the world */
  /* sends on their way: request i carries block i */
  MPI_Request *requests;
  scree__block **blocks;
  int *done;
  MPI_Status *statuses;
  int sends, room;
  /* receives, a ring in the order of posting */
  MPI_Request receives[SCREE__RECEIVES];
  scree__block *arrived[SCREE__RECEIVES];
  unsigned oldest;           /* posted first */
  unsigned free, free_count; /* at the ring's end: the first that is to be posted again, and how many are */
  bool is_here;              /* the oldest has come and has not been popped */
} scree__mpi;

/* Local; NULL: no memory or an MPI error, text in base->fault_text. Posts the receives. */
scree__transport *scree__mpi_open(scree__transport *base);

scree__block *scree__mpi_take(scree__transport *t, uint32_t dest, size_t want);
void scree__mpi_put(scree__transport *t, scree__block *block);
bool scree__mpi_accepts(scree__transport *t, uint32_t dest);
scree_status scree__mpi_push(scree__transport *t, uint32_t dest, scree__block *block);
scree__block *scree__mpi_peek(scree__transport *t);
void scree__mpi_pop(scree__transport *t, scree__block *block);
void scree__mpi_release(scree__transport *t, scree__block *block);
void scree__mpi_fit(scree__transport *t, uint32_t least_bytes);
uint64_t scree__mpi_in_flight(const scree__transport *t);
void scree__mpi_memory(const scree__transport *t, scree__memory *add);
/* Ends the receives and the sends; collective once an epoch has begun, unless the world is lost. The group is the
 * caller's to close. */
void scree__mpi_finish(scree__transport *t);
#endif
