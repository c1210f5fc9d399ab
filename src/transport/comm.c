/* group.c - communicators, waves, gathers.
 *
 * Room: what group.h declares. */
#include "transport/comm.h"

#include <stdlib.h>
#include <string.h>

#include "transport/idle.h"

enum { TESTS_MAY_FAIL = 1000 }; /* of reductions, in the life of a world */

scree_status scree__mpi_check(scree__transport *t, const char *call, int code) {
  if (code == MPI_SUCCESS) return SCREE_OK;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  snprintf(t->fault_text, sizeof t->fault_text, "%s: %.100s", call, text);
  return SCREE_EMPI;
}

static void add_waves(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)type;
  const scree__wave *from = in;
  scree__wave *to = inout;
  for (int i = 0; i < *count; i++) scree__wave_add(&to[i], &from[i]);
}

static scree_status make_wave_op(scree__group *g, scree__transport *base) {
  _Static_assert(sizeof(scree__wave) % sizeof(uint64_t) == 0, "a wave is a row of words");
  scree_status status =
      scree__mpi_check(base, "MPI_Type_contiguous",
                       MPI_Type_contiguous((int)(sizeof(scree__wave) / sizeof(uint64_t)), MPI_UINT64_T, &g->wave_type));
  if (status == SCREE_OK) status = scree__mpi_check(base, "MPI_Type_commit", MPI_Type_commit(&g->wave_type));
  if (status == SCREE_OK) status = scree__mpi_check(base, "MPI_Op_create", MPI_Op_create(add_waves, 1, &g->wave_op));
  return status;
}

/* Errors come back to scree instead of ending the job. */
static void return_errors(MPI_Comm comm) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

static scree_status split(scree__group *g, bool by_memory, scree__transport *base) {
  int index = 0, size = 1;
  scree_status status = SCREE_OK;
  if (by_memory) {
    status = scree__mpi_check(base, "MPI_Comm_split_type",
                              MPI_Comm_split_type(g->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &g->node));
    if (status != SCREE_OK) return status;
    return_errors(g->node);
    MPI_Comm_rank(g->node, &index);
    MPI_Comm_size(g->node, &size);
  }
  base->index = (uint32_t)index;
  base->size = (uint32_t)size;
  status =
      scree__mpi_check(base, "MPI_Comm_split", MPI_Comm_split(g->comm, index == 0 ? 0 : MPI_UNDEFINED, 0, &g->leaders));
  if (g->leaders != MPI_COMM_NULL) return_errors(g->leaders);
  return status;
}

typedef struct {
  uint32_t leader; /* rank of this rank's leader */
  uint32_t index;
} seat;

static scree_status seat_of(scree__group *g, scree__transport *base, seat *mine) {
  mine->leader = base->rank;
  mine->index = base->index;
  if (base->size == 1) return SCREE_OK;
  return scree__mpi_check(base, "MPI_Bcast", MPI_Bcast(&mine->leader, 1, MPI_UINT32_T, 0, g->node));
}

static void fill_tables(scree__group *g, scree__transport *base, const seat *seats, seat mine) {
  base->nodes = 0;
  for (uint32_t r = 0; r < base->ranks; r++) {
    bool here = seats[r].leader == mine.leader;
    g->place_on_node[r] = here ? seats[r].index : UINT32_MAX;
    if (here) g->node_ranks[seats[r].index] = r;
    if (seats[r].leader != r) continue;
    if (r == mine.leader) base->node = base->nodes;
    g->leader_ranks[base->nodes++] = r;
  }
  base->leaders = g->leader_ranks;
  base->node_ranks = g->node_ranks;
}

static scree_status map_ranks(scree__group *g, scree__transport *base) {
  seat mine = {0, 0}, *seats = calloc(base->ranks, sizeof *seats);
  g->leader_ranks = calloc(base->ranks, sizeof *g->leader_ranks);
  g->node_ranks = calloc(base->size, sizeof *g->node_ranks);
  g->place_on_node = calloc(base->ranks, sizeof *g->place_on_node);
  bool memory = seats && g->leader_ranks && g->node_ranks && g->place_on_node;
  scree_status status = memory ? seat_of(g, base, &mine) : SCREE_ENOMEM;
  if (status == SCREE_OK) status = scree__group_gather(base, &mine, seats, sizeof mine);
  if (status == SCREE_OK) fill_tables(g, base, seats, mine);
  free(seats);
  return status;
}

static scree_status set_up(scree__group *g, MPI_Comm comm, bool by_memory, scree__transport *base) {
  scree_status status = scree__mpi_check(base, "MPI_Comm_dup", MPI_Comm_dup(comm, &g->comm));
  if (status != SCREE_OK) return status;
  int rank, ranks;
  return_errors(g->comm);
  MPI_Comm_rank(g->comm, &rank);
  MPI_Comm_size(g->comm, &ranks);
  base->rank = (uint32_t)rank;
  base->ranks = (uint32_t)ranks;
  base->group = g;
  status = split(g, by_memory, base);
  if (status == SCREE_OK) status = make_wave_op(g, base);
  return status == SCREE_OK ? map_ranks(g, base) : status;
}

scree__group *scree__group_open(MPI_Comm comm, bool by_memory, scree__transport *base) {
  scree__group *g = malloc(sizeof *g);
  if (!g) return NULL;
  *g = (scree__group){.comm = MPI_COMM_NULL,
                      .node = MPI_COMM_NULL,
                      .leaders = MPI_COMM_NULL,
                      .wave_type = MPI_DATATYPE_NULL,
                      .wave_op = MPI_OP_NULL,
                      .wave = MPI_REQUEST_NULL};
  if (set_up(g, comm, by_memory, base) == SCREE_OK) return g;
  scree__group_close(g);
  return NULL;
}

void scree__group_close(scree__group *g) {
  if (g->wave != MPI_REQUEST_NULL) MPI_Request_free(&g->wave); /* of a world that was lost */
  if (g->wave_op != MPI_OP_NULL) MPI_Op_free(&g->wave_op);
  if (g->wave_type != MPI_DATATYPE_NULL) MPI_Type_free(&g->wave_type);
  if (g->leaders != MPI_COMM_NULL) MPI_Comm_free(&g->leaders);
  if (g->node != MPI_COMM_NULL) MPI_Comm_free(&g->node);
  if (g->comm != MPI_COMM_NULL) MPI_Comm_free(&g->comm);
  free(g->leader_ranks);
  free(g->node_ranks);
  free(g->place_on_node);
  free(g);
}

scree_status scree__group_gather(scree__transport *t, const void *mine, void *all, size_t bytes) {
  scree__group *g = t->group;
  MPI_Request request;
  int done = 0;
  scree_status status = scree__mpi_check(
      t, "MPI_Iallgather", MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, g->comm, &request));
  for (uint32_t round = 0; status == SCREE_OK && !done; round++) {
    status = scree__mpi_check(t, "MPI_Test", MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (!done) scree__idle(round, t->options.spin == SCREE_UNSET ? 0 : t->options.spin);
  }
  return status;
}

scree_status scree__group_wave_start(scree__transport *t, const scree__wave *mine) {
  scree__group *g = t->group;
  g->mine = *mine;
  return scree__mpi_check(t, "MPI_Iallreduce",
                          MPI_Iallreduce(&g->mine, &g->sum, 1, g->wave_type, g->wave_op, g->leaders, &g->wave));
}

/* A test that fails is made again, as long as the request is there. A reduction that is over without a result can never
 * be agreed on: the rank has lost its peers. */
bool scree__group_wave_test(scree__transport *t, scree__wave *out) {
  scree__group *g = t->group;
  int done = 0;
  scree_status status = scree__mpi_check(t, "MPI_Test", MPI_Test(&g->wave, &done, MPI_STATUS_IGNORE));
  if (status != SCREE_OK) {
    t->fault = status;
    t->lost = g->wave == MPI_REQUEST_NULL || ++g->failed_tests > TESTS_MAY_FAIL;
    return false;
  }
  if (done) *out = g->sum;
  return done;
}

uint64_t scree__group_now(scree__transport *t) {
  (void)t;
  return scree__clock_ns();
}
