/* prog_failing_mpi_call.c - makes one call of MPI fail on one rank, which MPI then does not execute; for
 * failing_mpi_call.sh.
 *   prog_failing_mpi_call NODES                 the last rank prints "count CALL OF N" for each kind of calls that it
 *                                               makes
 *   prog_failing_mpi_call NODES CALL OF NTH     on the last rank the NTH of them fails. OF: what began the request that
 *                                          a test is of; -: all
 * The program opens a world of so many virtual nodes, registers and sends, twice, and closes; where a call returns an
 * error it closes at once. Each rank that comes to its end without an error prints "done". */
#include <mpi.h>
#include <scree/scree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose.h"

SCREE_MESSAGE(hop, uint32_t);
static hop_type hop;

static void on_hop(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  (void)arg;
  for (uint32_t i = 0; i < batch->count; i++)
    if (items[i]) hop_send(w, hop, (w->rank + items[i]) % w->ranks, items[i] - 1);
}
SCREE_HANDLER(hop, uint32_t, on_hop);

static long counts[CALL_Finalize + 1][CALL_Finalize + 1];
static mpi_kind failing, failing_of;
static long nth;
static int is_victim = -1;

static bool chosen(void) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *ranks = getenv("OMPI_COMM_WORLD_SIZE");
  if (!rank) rank = getenv("PMI_RANK"), ranks = getenv("PMI_SIZE");
  return rank && ranks && atoi(rank) == atoi(ranks) - 1;
}

/* A test that fails leaves its request as it was. */
static int watch(mpi_call *c) {
  if (is_victim < 0) is_victim = chosen();
  const mpi_kind of = c->of ? c->of->kind : CALL_NONE;
  counts[c->kind][of]++;
  if (is_victim && c->kind == failing && (failing_of == CALL_NONE || of == failing_of) && --nth == 0)
    return MPI_ERR_OTHER;
  return c->make(c);
}

static mpi_kind kind_of(const char *name) {
  for (int i = 0; i <= CALL_Finalize; i++)
    if (strcmp(name, "-") == 0 || strcmp(mpi_names[i], name) == 0) return (mpi_kind)i;
  fprintf(stderr, "prog_failing_mpi_call: no call '%s'\n", name);
  exit(2);
}

static void print_counts(void) {
  for (int k = 0; k <= CALL_Finalize; k++)
    for (int of = 0; of <= CALL_Finalize; of++)
      if (counts[k][of]) printf("count %s %s %ld\n", mpi_names[k], of ? mpi_names[of] : "-", counts[k][of]);
}

static scree_status epoch(scree_worker *w) {
  const scree_status status = scree_begin(w);
  if (status) return status;
  for (uint32_t i = 0; i < 40; i++) hop_send(w, hop, i % w->ranks, 20);
  return scree_end(w, NULL);
}

static scree_status work(scree_world *world) {
  scree_worker *w = scree_worker_of(world, 0);
  hop_type more;
  scree_status status = hop_register(world, NULL, &hop);
  if (!status) status = epoch(w);
  if (!status) status = hop_register(world, NULL, &more);
  if (!status) status = epoch(w);
  return status;
}

int main(int argc, char **argv) {
  scree_world *world;
  virtual_nodes = argc > 1 ? atoi(argv[1]) : 1;
  if (argc > 4) failing = kind_of(argv[2]), failing_of = kind_of(argv[3]), nth = atol(argv[4]);
  mpi_hook = watch;
  scree_status status = scree_open(NULL, &world);
  if (status) return 10 + (int)status;
  status = work(world);
  const scree_status closed = scree_close(world);
  if (closed > status) status = closed;
  if (argc < 5 && is_victim) print_counts();
  if (!status) puts("done");
  return (int)status;
}
