/* interpose.h - the functions of MPI that scree calls, in front of MPI's profiling interface: a test counts calls,
 * changes, delays or fails them.
 *
 * Programs that name anything of this, or call MPI themselves, are linked with them. The harness bypasses them. */
#ifndef INTERPOSE_H
#define INTERPOSE_H
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each has parameters that are fields of mpi_call. */
#define MPI_CALLS(X)                                                                                                   \
  X(Allreduce, in, out, count, type, op, comm)                                                                         \
  X(Bcast, out, count, type, peer, comm)                                                                               \
  X(Cancel, request)                                                                                                   \
  X(Comm_dup, comm, new_comm)                                                                                          \
  X(Comm_free, new_comm)                                                                                               \
  X(Comm_rank, comm, result)                                                                                           \
  X(Comm_set_errhandler, comm, handler)                                                                                \
  X(Comm_size, comm, result)                                                                                           \
  X(Comm_split, comm, number, key, new_comm)                                                                           \
  X(Comm_split_type, comm, number, key, info, new_comm)                                                                \
  X(Error_string, number, text, result)                                                                                \
  X(Finalized, result)                                                                                                 \
  X(Get_count, of_status, type, result)                                                                                \
  X(Get_library_version, text, result)                                                                                 \
  X(Iallgather, in, count, type, out, out_count, out_type, comm, request)                                              \
  X(Iallreduce, in, out, count, type, op, comm, request)                                                               \
  X(Init_thread, argc, argv, number, result)                                                                           \
  X(Initialized, result)                                                                                               \
  X(Irecv, out, count, type, peer, tag, comm, request)                                                                 \
  X(Ireduce_scatter_block, in, out, count, type, op, comm, request)                                                    \
  X(Isend, in, count, type, peer, tag, comm, request)                                                                  \
  X(Issend, in, count, type, peer, tag, comm, request)                                                                 \
  X(Op_create, function, number, new_op)                                                                               \
  X(Op_free, new_op)                                                                                                   \
  X(Query_thread, result)                                                                                              \
  X(Request_free, request)                                                                                             \
  X(Request_get_status, of_request, result, status)                                                                    \
  X(Test, request, result, status)                                                                                     \
  X(Testsome, count, request, result, indices, status)                                                                 \
  X(Type_commit, new_type)                                                                                             \
  X(Type_contiguous, count, type, new_type)                                                                            \
  X(Type_free, new_type)

#define MPI_CALL_KIND(name, ...) CALL_##name,
typedef enum { CALL_NONE, MPI_CALLS(MPI_CALL_KIND) CALL_Finalize } mpi_kind;
extern const char *const mpi_names[];

typedef struct mpi_call mpi_call;
struct mpi_call {
  mpi_kind kind;
  int (*make)(mpi_call *); /* by MPI; a hook may put another function here */
  mpi_call *of;            /* of a test: the call that began its request, or one of them; NULL: unknown */

  const void *in;
  void *out;
  int count, out_count, peer, tag, number, key; /* peer: or root; number: color, level, code or the like */
  int *result, *indices, *argc;
  char *text, ***argv;
  MPI_Datatype type, out_type, *new_type;
  MPI_Op op, *new_op;
  MPI_User_function *function;
  MPI_Comm comm, *new_comm;
  MPI_Errhandler handler;
  MPI_Info info;
  MPI_Request *request, of_request;
  MPI_Status *status;
  const MPI_Status *of_status;

  /* of a call whose request is active */
  MPI_Request active;
  uint64_t delay; /* set by a hook: tests before it is complete; UINT64_MAX: forever */
  uint64_t note;  /* the hook's own */
};

/* What is done instead of a call: it may include call->make(call). NULL: just that. */
extern int (*mpi_hook)(mpi_call *call);

/* Of these calls from now on the nth, from 1, is not made, and returns `code`; 0: none. `of`: of MPI_Test and
 * MPI_Testsome, those of a request that this call began; CALL_NONE: all. A test of a receive fails when a message has
 * arrived, which is lost. */
void mpi_fail(mpi_kind kind, mpi_kind of, long nth, int code);
/* The same, but the call is made, and returns `code` all the same: of sends whose messages travel, and of tests that
 * have found a send complete, which then has the error. */
void mpi_fail_made(mpi_kind kind, mpi_kind of, long nth, int code);
bool mpi_failed(void); /* since then */

/* Where there is a hook, or has been a call of mpi_fail, requests are known. The next call whose request is active;
 * NULL: from the first; after the last. */
mpi_call *mpi_next_active(mpi_call *call);
/* Its request is not known any more. */
void mpi_forget(mpi_call *call);

size_t mpi_bytes(const mpi_call *call); /* of its buffer */
int mpi_synchronous(mpi_call *send);    /* for call->make: MPI_Issend */

/* Ranks of one machine as if on several: shared memory inside a part, MPI between the parts. Rank r is on node r modulo
 * this many; 1: as it is. */
extern int virtual_nodes;
#endif
