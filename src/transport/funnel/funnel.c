/* funnel.c - opening and closing. */
#include "transport/funnel/funnel.h"

#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "thread/thread.h"

bool scree__funnel_is_needed(const scree__options *options) {
  if (options->progress == SCREE_PROGRESS_COMM) return true;
  return options->thread_level == SCREE_THREAD_LEVEL_FUNNELED && scree__options_endpoints(options) > 1;
}

/* From now on its path's faults are the caller's. */
static bool make_client(scree__funnel *f, uint32_t w, const scree__options *options) {
  scree__client *c = &f->clients[w];
  scree__mpi *path = &f->paths[w];
  const uint32_t endpoints = f->comm->peers.topology->endpoints;
  c->base = path->base;
  c->base.ops = &scree__client_ops;
  c->path = path;
  c->funnel = f;
  c->handed = calloc(endpoints, sizeof *c->handed);
  c->returned = calloc(endpoints, sizeof *c->returned);
  path->sent = &c->sent;
  path->credit.returned = c->returned;
  path->base.fault = path->credit.fault = f->fault;
  c->head = c->tail = (uint32_t)scree__first_count(options, SCREE__COUNTS_ARRIVALS);
  for (uint32_t e = 0; c->handed && c->returned && e < endpoints; e++)
    c->handed[e] = c->returned[e] = (unsigned)scree__first_count(options, SCREE__COUNTS_CREDITS);
  return c->handed && c->returned;
}

static scree__funnel *allocate(scree__mpi *paths, const scree__options *options) {
  const uint32_t endpoints = paths->comm->peers.threads;
  scree__funnel *f = aligned_alloc(SCREE__LINE, sizeof *f);
  scree__client *clients = aligned_alloc(SCREE__LINE, endpoints * sizeof *clients);
  if (!f || !clients) {
    free(f);
    free(clients);
    return NULL;
  }
  memset(f, 0, sizeof *f);
  memset(clients, 0, endpoints * sizeof *clients);
  f->paths = paths;
  f->comm = paths->comm;
  f->clients = clients;
  f->endpoints = endpoints;
  f->first = options->progress == SCREE_PROGRESS_COMM ? 0 : 1;
  f->first_fault = paths->comm->peers.fault;
  f->fault = f->first ? f->first_fault : &f->mine;
  f->spin = paths->base.options.spin;
  f->inside = AO_TS_INITIALIZER;
  f->mine.written_off = f->seen_written_off = (uint32_t)scree__first_count(options, SCREE__COUNTS_WRITTEN_OFF);
  f->mine.doubtful = f->seen_doubtful = (uint32_t)scree__first_count(options, SCREE__COUNTS_DOUBTFUL);
  AO_store(&f->written_off, f->mine.written_off);
  AO_store(&f->doubtful, f->mine.doubtful);
  pthread_mutex_init(&f->lock, NULL);
  pthread_cond_init(&f->changed, NULL);
  return f;
}

/* The first worker calls MPI by its own path, and finds the clients when it does. */
static void make_caller(scree__funnel *f, scree__transport **out) {
  f->paths->serving = f;
  f->paths->base.ops = &scree__caller_ops;
  out[0] = &f->paths->base;
}

bool scree__funnel_open(scree__mpi *paths, const scree__options *options, scree__transport **out) {
  scree__funnel *f = allocate(paths, options);
  bool made = f != NULL;
  for (uint32_t w = f ? f->first : 0; f && w < f->endpoints; w++) {
    made &= make_client(f, w, options);
    out[w] = &f->clients[w].base;
  }
  if (!made)
    scree__fault_no_memory(paths->comm->peers.fault, paths->comm->peers.threads * sizeof(scree__client),
                           "clients of MPI");
  if (made && f->first) make_caller(f, out);
  if (made && !f->first) {
    f->comm->peers.fault = f->fault;
    made = scree__server_start(f);
    for (uint32_t w = 0; w < f->endpoints; w++) f->clients[w].base.collective = &f->collective;
  }
  if (made) out[0]->service = &f->service;
  if (f && !made) scree__funnel_close(f);
  return made;
}

/* From now on the worker's thread calls MPI, and gets faults directly. */
static void give_back_paths(scree__funnel *f) {
  f->comm->peers.fault = f->first_fault;
  f->first_fault->lost |= f->mine.lost;
  for (uint32_t w = 0; w < f->endpoints; w++) {
    scree__mpi *path = &f->paths[w];
    path->base.fault = path->credit.fault = f->first_fault;
    path->credit.returned = NULL;
    path->sent = NULL;
  }
}

void scree__funnel_close(scree__funnel *f) {
  if (f->has_thread) scree__server_stop(f);
  pthread_cond_destroy(&f->changed);
  scree__thread_end_lock(&f->lock);
  give_back_paths(f);
  for (uint32_t w = f->first; w < f->endpoints; w++) {
    free(f->clients[w].handed);
    free(f->clients[w].returned);
  }
  free(f->clients);
  free(f);
}
