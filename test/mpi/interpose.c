#include "interpose.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define NAME(name, ...) "MPI_" #name,
const char *const mpi_names[] = {"no call", MPI_CALLS(NAME) "MPI_Finalize"};
int (*mpi_hook)(mpi_call *call);
int virtual_nodes = 1;

/* ---- calls whose requests are active ---- */

enum { ACTIVE_MAX = 4096 };

static struct {
  pthread_mutex_t lock;
  mpi_call at[ACTIVE_MAX], *end; /* none moves */
} active = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = active.at};

mpi_call *mpi_next_active(mpi_call *call) {
  for (call = call ? call + 1 : active.at; call < active.end; call++)
    if (call->kind) return call;
  return NULL;
}

/* One handle may represent several sends that were complete at once: then the place distinguishes them. */
static mpi_call *find(const MPI_Request *request) {
  mpi_call *found = NULL;
  pthread_mutex_lock(&active.lock);
  for (mpi_call *a = NULL; *request != MPI_REQUEST_NULL && (a = mpi_next_active(a));)
    if (a->active == *request && (!found || a->request == request)) found = a;
  pthread_mutex_unlock(&active.lock);
  return found;
}

static void add(const mpi_call *call) {
  pthread_mutex_lock(&active.lock);
  mpi_call *to = active.at;
  while (to < active.end && to->kind) to++;
  if (to == active.at + ACTIVE_MAX) abort();
  if (to == active.end) active.end++;
  *to = *call;
  to->active = *call->request;
  pthread_mutex_unlock(&active.lock);
}

void mpi_forget(mpi_call *call) {
  call->kind = CALL_NONE;
}

/* ---- a call that fails ---- */

static struct {
  mpi_kind kind, of;
  int code;
  bool made;
  _Atomic long left;
} fault;

static void set_fault(mpi_kind kind, mpi_kind of, long nth, int code, bool made) {
  fault.kind = kind;
  fault.of = of;
  fault.code = code;
  fault.made = made;
  fault.left = nth ? nth : LONG_MAX;
}

void mpi_fail(mpi_kind kind, mpi_kind of, long nth, int code) {
  set_fault(kind, of, nth, code, false);
}

void mpi_fail_made(mpi_kind kind, mpi_kind of, long nth, int code) {
  set_fault(kind, of, nth, code, true);
}

bool mpi_failed(void) {
  return fault.left <= 0;
}

static bool fails(const mpi_call *c) {
  return c->kind == fault.kind && (!fault.of || (c->of && c->of->kind == fault.of)) &&
         atomic_fetch_sub(&fault.left, 1) == 1;
}

/* ---- calls ---- */

static int make(mpi_call *c) {
  return mpi_hook ? mpi_hook(c) : c->make(c);
}

static bool is_late(mpi_call *of) {
  return of && of->delay > 0 && (of->delay == UINT64_MAX || of->delay--);
}

/* The first of the sends that are complete has the error. */
static int fail_in_status(mpi_call *c) {
  for (int i = 0; i < *c->result; i++) c->status[i].MPI_ERROR = i ? MPI_SUCCESS : fault.code;
  return MPI_ERR_IN_STATUS;
}

static int test(mpi_call *c) {
  mpi_call *of[ACTIVE_MAX];
  const int count = c->kind == CALL_Test ? 1 : c->count;
  bool late = false;
  *c->result = 0;
  for (int i = 0; i < count; i++) {
    late |= is_late(of[i] = find(&c->request[i]));
    if (!c->of) c->of = of[i];
  }
  const bool receives = c->kind == CALL_Test && c->of && c->of->kind == CALL_Irecv;
  const bool after = receives || fault.made;
  if (!after && fails(c)) return fault.code;
  if (late) return MPI_SUCCESS;
  int code = make(c);
  if (after && *c->result > 0 && fails(c)) code = c->kind == CALL_Testsome ? fail_in_status(c) : fault.code;
  for (int i = 0; i < count; i++)
    if (of[i] && c->request[i] == MPI_REQUEST_NULL) mpi_forget(of[i]);
  return code;
}

static int split_virtual(mpi_call *c) {
  MPI_Comm node;
  int rank;
  PMPI_Comm_rank(c->comm, &rank);
  int code = PMPI_Comm_split(c->comm, rank % virtual_nodes, c->key, &node);
  if (code != MPI_SUCCESS) return code;
  code = PMPI_Comm_split_type(node, c->number, c->key, c->info, c->new_comm);
  PMPI_Comm_free(&node);
  return code;
}

static int pass(mpi_call *c) {
  const bool begins = c->comm && c->request;
  if (c->kind == CALL_Comm_split_type && c->number == MPI_COMM_TYPE_SHARED && virtual_nodes > 1)
    c->make = split_virtual;
  if (!mpi_hook && !fault.kind) return c->make(c);
  if (c->kind == CALL_Test || c->kind == CALL_Testsome) return test(c);
  if (fails(c)) {
    if (fault.made) (void)make(c);
    return fault.code;
  }
  const int code = make(c);
  if (begins && c->kind && code == MPI_SUCCESS && *c->request != MPI_REQUEST_NULL) add(c);
  return code;
}

size_t mpi_bytes(const mpi_call *c) {
  int size = 0;
  PMPI_Type_size(c->type, &size);
  return (size_t)c->count * (size_t)size;
}

int mpi_synchronous(mpi_call *c) {
  return PMPI_Issend(c->in, c->count, c->type, c->peer, c->tag, c->comm, c->request);
}

/* ---- the functions ---- */

/* M(field) of each, with commas. */
#define EACH(M, ...) COUNTED(__VA_ARGS__, E8, E7, E6, E5, E4, E3, E2, E1, )(M, __VA_ARGS__)

#define COUNTED(a, b, c, d, e, f, g, h, chosen, ...) chosen
#define E1(M, a)                                     M(a)
#define E2(M, a, ...)                                M(a), E1(M, __VA_ARGS__)
#define E3(M, a, ...)                                M(a), E2(M, __VA_ARGS__)
#define E4(M, a, ...)                                M(a), E3(M, __VA_ARGS__)
#define E5(M, a, ...)                                M(a), E4(M, __VA_ARGS__)
#define E6(M, a, ...)                                M(a), E5(M, __VA_ARGS__)
#define E7(M, a, ...)                                M(a), E6(M, __VA_ARGS__)
#define E8(M, a, ...)                                M(a), E7(M, __VA_ARGS__)

#define PARAMETER(field)   __typeof__(((mpi_call *)0)->field) field
#define INITIALIZER(field) .field = field
#define ARGUMENT(field)    c->field
#define DEFINE(name, ...)                                                                                              \
  static int make_##name(mpi_call *c) {                                                                                \
    return PMPI_##name(EACH(ARGUMENT, __VA_ARGS__));                                                                   \
  }                                                                                                                    \
  int MPI_##name(EACH(PARAMETER, __VA_ARGS__)) {                                                                       \
    return pass(&(mpi_call){.kind = CALL_##name, .make = make_##name, EACH(INITIALIZER, __VA_ARGS__)});                \
  }
MPI_CALLS(DEFINE)

static int make_Finalize(mpi_call *c) {
  (void)c;
  return PMPI_Finalize();
}
int MPI_Finalize(void) {
  return pass(&(mpi_call){.kind = CALL_Finalize, .make = make_Finalize});
}
