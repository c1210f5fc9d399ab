/* sim_mpi_collectives.c - collective calls: a round per call of all members, whose end each sees at a step that the
 * seed determines. */
#include <stdlib.h>
#include <string.h>

#include "sim_mpi.h"

typedef enum { GATHER, BROADCAST, REDUCE, SCATTER, SPLIT } what;

struct sim_mpi_round {
  what what;
  int count, root;
  MPI_Datatype type;
  MPI_Op op;
  size_t bytes; /* of one member's input */
  uint32_t arrived, left;
  bool failed;
  const void **in;
  void **out;
  sim_mpi_request **requests;
  char *result;
};

typedef struct {
  int color;
  sim_mpi_comm *group;
} membership;

typedef struct {
  MPI_User_function *function;
} operation;

/* ---- reductions ---- */

#define REDUCE_AS(T)                                                                                                   \
  for (int i = 0; i < r->count; i++) {                                                                                 \
    T a = ((const T *)in)[i], *b = &((T *)inout)[i];                                                                   \
    *b = r->op == MPI_SUM ? (T)(a + *b) : (r->op == MPI_MAX) == (a > *b) ? a : *b;                                     \
  }

static void reduce(const sim_mpi_round *r, const void *in, void *inout) {
  int count = r->count;
  MPI_Datatype type = r->type;
  if (r->op != MPI_SUM && r->op != MPI_MAX && r->op != MPI_MIN) {
    const operation *o = sim_mpi_here->ops.at[(intptr_t)r->op - 1];
    o->function((void *)(uintptr_t)in, inout, &count, &type);
  } else if (r->type == MPI_INT) {
    REDUCE_AS(int)
  } else if (r->type == MPI_UINT32_T) {
    REDUCE_AS(uint32_t)
  } else if (r->type == MPI_UINT64_T) {
    REDUCE_AS(uint64_t)
  } else {
    sim_mpi_wrong("a reduction of a type that the simulated MPI does not know");
  }
}

int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op) {
  (void)commute;
  operation *o = malloc(sizeof *o);
  if (!o) abort();
  o->function = function;
  *op = (MPI_Op)(intptr_t)(sim_mpi_push(&sim_mpi_here->ops, o) + 1);
  return MPI_SUCCESS;
}

int MPI_Op_free(MPI_Op *op) {
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

/* ---- the results of a round ---- */

/* Members of each color get a communicator, in their order. */
static void split(sim_mpi_comm *comm, sim_mpi_round *r) {
  membership *all = (membership *)(void *)r->result;
  for (uint32_t i = 0; i < comm->size; i++) memcpy(&all[i].color, r->in[i], sizeof all[i].color);
  for (uint32_t i = 0; i < comm->size; i++) {
    uint32_t size = 0;
    if (all[i].color == MPI_UNDEFINED || all[i].group) continue;
    for (uint32_t k = i; k < comm->size; k++) size += all[k].color == all[i].color;
    sim_mpi_comm *group = sim_mpi_new_comm(size);
    for (uint32_t k = i, at = 0; k < comm->size; k++)
      if (all[k].color == all[i].color) {
        all[k].group = group;
        group->members[at++] = comm->members[k];
      }
  }
}

static void complete(sim_mpi_comm *comm, sim_mpi_round *r) {
  size_t each = r->what == SPLIT ? sizeof(membership) : r->bytes;
  r->result = calloc(comm->size, each ? each : 1);
  if (!r->result) abort();
  switch (r->what) {
  case GATHER:
    for (uint32_t i = 0; i < comm->size; i++) memcpy(r->result + i * each, r->in[i], each);
    break;
  case BROADCAST:
    memcpy(r->result, r->in[r->root], each);
    break;
  case REDUCE:
  case SCATTER:
    memcpy(r->result, r->in[0], each);
    for (uint32_t i = 1; i < comm->size; i++) reduce(r, r->in[i], r->result);
    break;
  case SPLIT:
    split(comm, r);
  }
}

static void give_result(const sim_mpi_comm *comm, const sim_mpi_round *r, uint32_t member) {
  void *out = r->out[member];
  size_t part = r->bytes / comm->size;
  switch (r->what) {
  case GATHER:
    memcpy(out, r->result, r->bytes * comm->size);
    break;
  case BROADCAST:
  case REDUCE:
    memcpy(out, r->result, r->bytes);
    break;
  case SCATTER:
    memcpy(out, r->result + member * part, part);
    break;
  case SPLIT: {
    const membership *m = &((const membership *)(void *)r->result)[member];
    *(MPI_Comm *)out = m->group ? sim_mpi_comm_handle(m->group) : MPI_COMM_NULL;
  }
  }
}

static void free_round(sim_mpi_round *r) {
  if (!r) return;
  free(r->in);
  free(r->out);
  free(r->requests);
  free(r->result);
  free(r);
}

void sim_mpi_free_rounds(sim_mpi_comm *comm) {
  for (size_t i = 0; i < comm->rounds.count; i++) free_round(comm->rounds.at[i]);
  free(comm->rounds.at);
}

bool sim_mpi_round_done(sim_mpi_request *request) {
  sim_mpi_round *r = request->round;
  sim_mpi_comm *comm = request->comm;
  uint32_t member = sim_mpi_rank_in(comm, request->owner);
  sim_mpi_acquire(r, r->left + 1 == comm->size);
  if (r->failed)
    request->error = MPI_ERR_OTHER;
  else
    give_result(comm, r, member);
  if (++r->left == comm->size)
    for (size_t i = 0; i < comm->rounds.count; i++)
      if (comm->rounds.at[i] == r) {
        free_round(r);
        comm->rounds.at[i] = NULL;
      }
  return true;
}

/* ---- calls ---- */

static sim_mpi_round *round_of(sim_mpi_comm *comm, uint64_t call) {
  while (comm->rounds.count <= call) {
    sim_mpi_round *r = calloc(1, sizeof *r);
    if (!r) abort();
    r->in = calloc(comm->size, sizeof *r->in);
    r->out = calloc(comm->size, sizeof *r->out);
    r->requests = calloc(comm->size, sizeof *r->requests);
    if (!r->in || !r->out || !r->requests) abort();
    sim_mpi_push(&comm->rounds, r);
  }
  return comm->rounds.at[call];
}

/* One member's part of a call. */
typedef struct {
  what what;
  int count, root;
  MPI_Datatype type;
  MPI_Op op;
  size_t bytes;
  const void *in;
  void *out;
} part;

static sim_mpi_request *join(sim_mpi_comm *comm, part p, MPI_Request *request, bool failed) {
  uint32_t member = sim_mpi_rank_in(comm, sim_mpi_me());
  sim_mpi_request *q = sim_mpi_new_request(SIM_MPI_COLLECTIVE, comm, request);
  sim_mpi_round *r = q->round = round_of(comm, comm->calls[member]++);
  if (r->arrived > 0 && (r->what != p.what || r->bytes != p.bytes || r->root != p.root))
    sim_mpi_wrong("rank %u calls another collective function than the others (%d against %d)", sim_mpi_me(), p.what,
                  r->what);
  q->tag = (int)p.what;
  q->bytes = p.bytes;
  r->what = p.what;
  r->count = p.count;
  r->root = p.root;
  r->type = p.type;
  r->op = p.op;
  r->bytes = p.bytes;
  r->in[member] = p.in;
  r->out[member] = p.out;
  r->requests[member] = q;
  r->failed |= failed;
  sim_mpi_release(r);
  if (++r->arrived < comm->size) return q;
  sim_mpi_acquire(r, false); /* it reads what the others gave */
  if (!r->failed) complete(comm, r);
  sim_mpi_release(r);
  for (uint32_t i = 0; i < comm->size; i++) r->requests[i]->complete_at = sim_mpi_later(SIM_MPI_COLLECTIVE);
  return q;
}

/* A blocking call, which is one of an opening, fails on all ranks or on none: those that do not know of a failure wait
 * for those that do, until a launcher ends them (failing_mpi_call.sh). */
static int call_and_wait(sim_mpi_comm *comm, part p) {
  int code = sim_mpi_enter(comm->size == sim_mpi_here->config.ranks);
  MPI_Request request = MPI_REQUEST_NULL;
  if (sim_mpi_here->token.hung) return code;
  join(comm, p, &request, code != MPI_SUCCESS);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void spoil(void *out, size_t bytes) {
  memset(out, SIM_MPI_RUBBISH, bytes);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  size_t bytes = sim_mpi_bytes(count, type);
  return call_and_wait(sim_mpi_comm_of(handle), (part){REDUCE, count, 0, type, op, bytes, in, out});
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm handle) {
  size_t bytes = sim_mpi_bytes(count, type);
  return call_and_wait(sim_mpi_comm_of(handle),
                       (part){BROADCAST, count, root, type, MPI_OP_NULL, bytes, buffer, buffer});
}

int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle,
                   MPI_Request *request) {
  int code = sim_mpi_enter(true);
  if (code != MPI_SUCCESS) return code;
  size_t bytes = sim_mpi_bytes(count, type);
  spoil(out, bytes);
  join(sim_mpi_comm_of(handle), (part){REDUCE, count, 0, type, op, bytes, in, out}, request, false)->may_fail = true;
  return MPI_SUCCESS;
}

int MPI_Iallgather(const void *in, int count, MPI_Datatype type, void *out, int out_count, MPI_Datatype out_type,
                   MPI_Comm handle, MPI_Request *request) {
  int code = sim_mpi_enter(true);
  (void)out_count, (void)out_type;
  if (sim_mpi_here->token.hung) return code;
  sim_mpi_comm *comm = sim_mpi_comm_of(handle);
  size_t bytes = sim_mpi_bytes(count, type);
  spoil(out, bytes * comm->size);
  join(comm, (part){GATHER, count, 0, type, MPI_OP_NULL, bytes, in, out}, request, code != MPI_SUCCESS);
  return MPI_SUCCESS;
}

int MPI_Ireduce_scatter_block(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle,
                              MPI_Request *request) {
  int code = sim_mpi_enter(true);
  if (sim_mpi_here->token.hung) return code;
  if (sim_mpi_here->failing_sums && sim_mpi_me() + 1 == sim_mpi_here->config.ranks) {
    sim_mpi_here->failing_sums--;
    sim_mpi_here->errors++;
    return MPI_ERR_OTHER;
  }
  sim_mpi_comm *comm = sim_mpi_comm_of(handle);
  int total = count * (int)comm->size;
  size_t bytes = sim_mpi_bytes(total, type);
  spoil(out, bytes / comm->size);
  join(comm, (part){SCATTER, total, 0, type, op, bytes, in, out}, request, code != MPI_SUCCESS);
  return MPI_SUCCESS;
}

/* ---- communicators from others ---- */

static int make_comm(MPI_Comm handle, int color, MPI_Comm *out) {
  return call_and_wait(sim_mpi_comm_of(handle), (part){SPLIT, 1, 0, MPI_INT, MPI_OP_NULL, sizeof color, &color, out});
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out) {
  return make_comm(comm, 0, out);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out) {
  (void)key;
  return make_comm(comm, color, out);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out) {
  const scree_sim_config *c = &sim_mpi_here->config;
  (void)type, (void)key, (void)info;
  return make_comm(comm, (int)(((uint64_t)(sim_mpi_me() + 1) * c->nodes - 1) / c->ranks), out);
}
