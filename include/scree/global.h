/* global.h - global memory: a heap that spans all ranks, in libscree-task (docs/global-memory.md).
 *
 * Each rank has a part of `global_heap` bytes, of which memory is taken as it is allocated. Ranks of one node map all parts of the
 * node. A byte is named by an address, an allocation by a handle, scree_global: both are values that may be sent and
 * stored. Functions that wait take a scree_task and wait for nothing but their own purpose; other tasks run meanwhile. C11 and
 * C++11 (gcc, clang). */
#ifndef SCREE_GLOBAL_H
#define SCREE_GLOBAL_H
#include <scree/distribution.h>
#include <scree/task.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* An address is 64 bits, of one of two kinds.
 *   2-D, top bit 1: 23 bits of rank, 40 of byte: arithmetic stays on that rank.
 *   linear, top bit 0: the parts of all ranks as one sequence of stripes, on the ranks in turn, so that arithmetic passes from
 *   rank to rank: stripe s is stripe s / ranks of the part of rank s % ranks.
 * So the linear bytes from o * ranks to (o + n) * ranks, for o and n that are multiples of the stripe, are the bytes from o to
 * o + n of every rank. 0 is no address. The functions of this part are local and legal in any thread at any time. */
typedef uint64_t scree_address;
#define SCREE_NO_ADDRESS       UINT64_C(0)
#define SCREE_GLOBAL_RANKS_MAX (UINT32_C(1) << 23) /* maximum number of ranks, and bytes of a rank's part */
#define SCREE_GLOBAL_HEAP_MAX  (UINT64_C(1) << 40)

/* What translates addresses of a world: a value, the same on all ranks but for `area`. Fields are private. */
typedef struct scree_global_map {
  uint64_t heap, inverse; /* bytes of a part; reciprocal of ranks: see scree__quotient */
  uint32_t ranks, shift;  /* shift: a stripe has 1 << shift bytes */
  int32_t ranks_shift;    /* ranks are 1 << ranks_shift; -1: no power of two */
  char *const *area;      /* by rank: its part, where it is mapped here, else NULL; NULL: no part is */
} scree_global_map;

/* Of `ranks` parts of `heap` bytes in stripes of `stripe` bytes, none of them mapped. 1 <= ranks <= SCREE_GLOBAL_RANKS_MAX;
 * stripe: a power of two; heap: a multiple of it, up to SCREE_GLOBAL_HEAP_MAX. */
static inline void scree_global_map_init(scree_global_map *map, uint32_t ranks, uint64_t heap, uint64_t stripe) {
  const uint32_t shift = (uint32_t)__builtin_ctzll(stripe);
  map->heap = heap;
  map->ranks = ranks;
  map->shift = shift;
  map->ranks_shift = ranks & (ranks - 1) ? -1 : __builtin_ctz(ranks);
  /* The quotient is right for stripes s with s * ranks < 2^64. */
  map->inverse = (heap >> shift) < UINT64_MAX / ranks / ranks && ranks > 1 ? UINT64_MAX / ranks + 1 : 0;
  map->area = NULL;
}

static inline bool scree_global_is_linear(scree_address a) {
  return a >> 63 == 0;
}

/* The byte at that offset of a rank's part, as a 2-D address. */
static inline scree_address scree_global_address(uint32_t rank, uint64_t offset) {
  return UINT64_C(1) << 63 | (scree_address)rank << 40 | offset;
}

/* The address `bytes` further on, or back, of the same kind. Undefined: past the end of the part, or of all parts. */
static inline scree_address scree_global_add(scree_address a, int64_t bytes) {
  return a + (uint64_t)bytes;
}

/* The rank that owns a byte, and the byte's offset in its part. */
static inline uint64_t scree__global_round(const scree_global_map *map, uint64_t stripe) {
  return map->ranks_shift >= 0 ? stripe >> map->ranks_shift : scree__quotient(stripe, map->ranks, map->inverse);
}
static inline uint32_t scree_global_owner(const scree_global_map *map, scree_address a) {
  if (!scree_global_is_linear(a)) return (uint32_t)(a >> 40 & (SCREE_GLOBAL_RANKS_MAX - 1));
  const uint64_t stripe = a >> map->shift;
  return (uint32_t)(stripe - scree__global_round(map, stripe) * map->ranks);
}
static inline uint64_t scree_global_offset(const scree_global_map *map, scree_address a) {
  if (!scree_global_is_linear(a)) return a & (SCREE_GLOBAL_HEAP_MAX - 1);
  const uint64_t within = a & ((UINT64_C(1) << map->shift) - 1);
  return scree__global_round(map, a >> map->shift) << map->shift | within;
}

/* The linear address of the byte at that offset of a rank's part. */
static inline scree_address scree_global_linear(const scree_global_map *map, uint32_t rank, uint64_t offset) {
  const uint64_t within = offset & ((UINT64_C(1) << map->shift) - 1);
  return ((offset >> map->shift) * map->ranks + rank) << map->shift | within;
}

/* How many bytes from the address on lie on its owner one behind the other; of a 2-D address, to the end of the part. */
static inline uint64_t scree_global_span(const scree_global_map *map, scree_address a) {
  if (!scree_global_is_linear(a)) return map->heap - (a & (SCREE_GLOBAL_HEAP_MAX - 1));
  return (UINT64_C(1) << map->shift) - (a & ((UINT64_C(1) << map->shift) - 1));
}

/* How many bytes of a rank's part have linear addresses below that one: so those of `n` bytes from `a` on are the bytes from
 * scree_global_below(map, a, rank) to scree_global_below(map, a + n, rank) of its part, one behind the other. */
static inline uint64_t scree_global_below(const scree_global_map *map, scree_address a, uint32_t rank) {
  const uint64_t stripe = a >> map->shift, round = scree__global_round(map, stripe);
  const uint32_t at = (uint32_t)(stripe - round * map->ranks);
  const uint64_t last = rank < at ? UINT64_C(1) << map->shift : rank > at ? 0 : a & ((UINT64_C(1) << map->shift) - 1);
  return (round << map->shift) + last;
}

/* A pointer to the byte, NULL where its part is not mapped: that of a rank on another node, or without shared memory. */
static inline void *scree_global_local(const scree_global_map *map, scree_address a) {
  char *area = map->area ? map->area[scree_global_owner(map, a)] : NULL;
  return area ? area + scree_global_offset(map, a) : NULL;
}

/* ---- options, opening ------------------------------------------------------------------------------------------ */

/* X(field, kind, default, min, max, choices, rare, help), as in options.h: variables SCREE_GLOBAL_HEAP and so on. */
/* clang-format off */
#define SCREE_GLOBAL_OPTIONS(X)                                                                                        \
  X(global_heap, SIZE, 64 << 20, 4096, UINT64_C(1) << 40, "", false,                                                   \
    "bytes of each rank's part of global memory, rounded up to 4096; memory is taken when it is allocated")            \
  X(global_stripe, SIZE, 64, 8, 1 << 20, "", false,                                                                    \
    "bytes of a stripe of linear addresses, a power of two: stripes are on the ranks in turn")                          \
  X(global_direct, CHOICE, 0, 0, 2, "auto|on|off", true,                                                               \
    "how ranks of a node use each other's parts: on by loads and stores, off by messages; auto by loads and stores "   \
    "where the caller waits, or moves more than 64 bytes")                                                             \
  X(global_outstanding, COUNT, 4096, 1, 65536, "", true,                                                               \
    "asynchronous operations of a worker that are not complete; one that begins another waits until there are fewer")
/* clang-format on */

enum { SCREE_GLOBAL_DIRECT_AUTO, SCREE_GLOBAL_DIRECT_ON, SCREE_GLOBAL_DIRECT_OFF };

/* Every field holds SCREE_UNSET or a value in its range:  scree_global_options o = SCREE_GLOBAL_OPTIONS_INIT; */
typedef struct scree_global_options {
  size_t size; /* sizeof(scree_global_options), by SCREE_GLOBAL_OPTIONS_INIT */
#define SCREE__FIELD(field, kind, def, min, max, choices, rare, help) uint64_t field;
  SCREE_GLOBAL_OPTIONS(SCREE__FIELD)
#undef SCREE__FIELD
} scree_global_options;
#define SCREE_GLOBAL_OPTIONS_INIT                                                                                      \
  { sizeof(scree_global_options), SCREE_GLOBAL_OPTIONS(SCREE__INIT) }

/* Lets the world have global memory. Collective; idle world, owner's thread; once, behind scree_tasks_open. `options` may be
 * NULL; it is copied. It takes addresses, and a page for each node; memory is taken by allocations, and freed when the world
 * closes. Errors, on all ranks: SCREE_EINVAL (an option, also a stripe that is no power of two; ranks have different sizes),
 * SCREE_ESTATE (no tasks in this world, or global memory already; an epoch is open; a handler), SCREE_ENOMEM (the parts of a node's
 * ranks are more than it has left: the text has the sums), or the code of a world that has failed. */
scree_status scree_global_open(scree_world *world, const scree_global_options *options);

/* Translates addresses of that world: owner, offset, pointer; valid until the world closes. NULL: it has no global memory. Local; any thread,
 * any time. */
const scree_global_map *scree_global_map_of(const scree_world *world);

/* ---- allocation -------------------------------------------------------------------------------------------------- */

/* Where the bytes of an allocation are. PARTITION: as many contiguous bytes, a multiple of 64, on each rank: from rank 0, from
 * the caller's, or from a random one on, which has byte 0. LOCAL: all on the caller's rank. REMOTE: as PARTITION, on all ranks
 * but the caller's, from the next one on. REPLICATE: all of them on each rank, at the same offset. CYCLIC: linear addresses from
 * a stripe of rank 0 on. (GMT: Morari et al. 2014, Table I; CYCLIC is Grappa's.) */
typedef enum {
  SCREE_GLOBAL_PARTITION,
  SCREE_GLOBAL_PARTITION_HERE,
  SCREE_GLOBAL_PARTITION_RANDOM,
  SCREE_GLOBAL_LOCAL,
  SCREE_GLOBAL_REMOTE,
  SCREE_GLOBAL_REPLICATE,
  SCREE_GLOBAL_CYCLIC,
  SCREE_GLOBAL_POLICIES /* how many there are */
} scree_global_policy;

/* An allocation: a value, which may be sent. bytes, policy: read only; the others are private. */
typedef struct scree_global {
  uint64_t bytes, offset; /* of byte 0 in its owner's part; of CYCLIC, its address */
  uint64_t block;         /* bytes on each rank that has some */
  uint32_t place, generation;
  uint32_t first; /* rank of byte 0 */
  uint32_t policy;
} scree_global;

/* The address of a byte; of REPLICATE, in the copy of `rank`, else `rank` is not read. Undefined: byte > bytes. Contiguous from
 * there on: scree_global_contiguous. Local; any thread, any time. */
static inline scree_address scree_global_at(const scree_global_map *map, const scree_global *array, uint32_t rank,
                                            uint64_t byte) {
  if (array->policy == SCREE_GLOBAL_CYCLIC) return array->offset + byte;
  if (array->policy == SCREE_GLOBAL_REPLICATE) return scree_global_address(rank, array->offset + byte);
  if (array->policy == SCREE_GLOBAL_LOCAL) return scree_global_address(array->first, array->offset + byte);
  const uint64_t part = byte / array->block;
  const uint64_t owner = array->first + part;
  return scree_global_address((uint32_t)(owner < map->ranks ? owner : owner - map->ranks),
                              array->offset + byte - part * array->block);
}

/* How many bytes of the allocation from `byte` on have addresses that follow one another: what one operation may touch. Of all
 * policies but PARTITION and REMOTE: up to its end. */
static inline uint64_t scree_global_contiguous(const scree_global *array, uint64_t byte) {
  const bool in_blocks = array->policy <= SCREE_GLOBAL_PARTITION_RANDOM || array->policy == SCREE_GLOBAL_REMOTE;
  const uint64_t to_end = array->bytes - byte, in_block = in_blocks ? array->block - byte % array->block : to_end;
  return in_block < to_end ? in_block : to_end;
}

/* Allocates. The bytes have no particular values. Not collective; in a task, which waits for rank 0 and, where memory has to be taken, for
 * the ranks that take it. *array is set on success. Errors: SCREE_ENOMEM (the heap, or the memory of a rank, is exhausted: the world
 * goes on, and scree_error_text has the sums), SCREE_EINVAL (0 bytes, no policy, REMOTE in a world of one rank: the world
 * goes on too), or as scree_task_yield. */
scree_status scree_global_alloc(scree_task *self, uint64_t bytes, scree_global_policy policy, scree_global *array);

/* Frees an allocation, of whichever rank, or of scree_symmetric_alloc. No operation on it may be under way or begin. Its memory is given out again when
 * the epoch has ended, not before. Freed before, or no handle of this world: the world fails with SCREE_ESTATE. In a task,
 * which waits for rank 0; returns as scree_task_yield. */
scree_status scree_global_free(scree_task *self, const scree_global *array);

/* As scree_global_alloc with REPLICATE: the same offset on all ranks, whose own bytes scree_global_local points to. Collective; idle
 * world, owner's thread. Errors: SCREE_EINVAL (0 bytes; ranks ask for different ones), SCREE_ENOMEM, SCREE_ESTATE (no global
 * memory; an epoch is open; a handler), or the code of a world that has failed; the same on all ranks. */
scree_status scree_symmetric_alloc(scree_world *world, uint64_t bytes, scree_global *array);

/* ---- one-sided operations ---------------------------------------------------------------------------------------- */

typedef enum {
  SCREE__GLOBAL_GET,
  SCREE__GLOBAL_PUT,
  SCREE__GLOBAL_ADD,
  SCREE__GLOBAL_SWAP,
  SCREE__GLOBAL_COMPARE,
  SCREE__GLOBAL_AND,
  SCREE__GLOBAL_OR,
  SCREE__GLOBAL_XOR,
  SCREE__GLOBAL_CALL /* of a delegate, which has messages of its own */
} scree__global_kind;
typedef struct scree__delegate scree__delegate;

/* Private: an operation. `local`: where its bytes come from or go to; of atomics, the old value; NULL: nowhere. */
typedef struct {
  const char *call;
  scree_address address;
  void *local;
  uint64_t bytes, value, expected;
  scree__global_kind kind;
  const scree__delegate *delegate; /* and its arguments, else NULL */
  const void *args;
} scree__global_op;

scree_status scree__global_wait(scree_task *self, const scree__global_op *op);
scree_status scree__global_poll(scree_worker *worker, const scree__global_op *op);
void scree__global_into(scree_worker *worker, scree_future *future, const scree__global_op *op);
void scree__global_in(scree_worker *worker, scree_completion *completion, const scree__global_op *op);
void scree__global_implicit(scree_worker *worker, const scree__global_op *op);

/* Each operation has five forms, which differ by how they complete:
 *   NAME(self, ...)               in a task, which waits until it is complete; returns as scree_task_yield
 *   NAME_poll(w, ...)             on the worker's own stack in an epoch, outside handlers and tasks: waits by scree_progress, which runs handlers;
 *                                 returns SCREE_OK or the status of the failed world
 *   NAME_into(w, future, ...)     sets a future of this worker when it is complete, to the first bytes of the result (zeros if there is none). A
 *                                 result of up to SCREE_FUTURE_MAX bytes needs no other memory: pass NULL
 *   NAME_in(w, completion, ...)   is enrolled in a completion of this worker, and completes in it
 *   NAME_nbi(w, ...)              implicit: complete when scree_quiet of the same task returns, or the epoch has ended
 * The last three are legal in an epoch, in tasks, in handlers and elsewhere; they never wait for the operation. Where
 * global_outstanding of this worker's are not complete a task waits for one that is, the worker's own stack makes progress, and a
 * handler does neither. The memory that results go to must stay until the operation is complete; what a put sends is free when the
 * call returns.
 *
 * `a` is any address of an allocation that lives, and all bytes from there on are of it: linear addresses pass from rank to rank. Waiting
 * operations of a task take effect in program order; asynchronous ones in any order, also of one address. Errors fail the world:
 * SCREE_EINVAL (bytes outside of the heap, or where no rank has allocated any; atomics: not 4 or 8 bytes, not aligned; a put_value of more
 * than 8 bytes), SCREE_ESTATE (no epoch; poll in a task or handler; no global memory), SCREE_ENOMEM. */
#define SCREE__GLOBAL_OP(kind, name, a, local, bytes, value, expected)                                                 \
  { "scree_" #name, a, local, bytes, value, expected, SCREE__GLOBAL_##kind, NULL, NULL }
#define SCREE__GLOBAL_FORMS(name, operation, ...)                                                                      \
  static inline SCREE__MAYBE_UNUSED scree_status scree_##name(scree_task *self, __VA_ARGS__) {                         \
    const scree__global_op op = operation;                                                                             \
    return scree__global_wait(self, &op);                                                                              \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED scree_status scree_##name##_poll(scree_worker *w, __VA_ARGS__) {                   \
    const scree__global_op op = operation;                                                                             \
    return scree__global_poll(w, &op);                                                                                 \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void scree_##name##_into(scree_worker *w, scree_future *future, __VA_ARGS__) {     \
    const scree__global_op op = operation;                                                                             \
    scree__global_into(w, future, &op);                                                                                \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void scree_##name##_in(scree_worker *w, scree_completion *completion,              \
                                                           __VA_ARGS__) {                                              \
    const scree__global_op op = operation;                                                                             \
    scree__global_in(w, completion, &op);                                                                              \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void scree_##name##_nbi(scree_worker *w, __VA_ARGS__) {                            \
    const scree__global_op op = operation;                                                                             \
    scree__global_implicit(w, &op);                                                                                    \
  }                                                                                                                    \
  SCREE__STATIC_ASSERT(1, "")

/* scree_get(self, to, a, bytes): copies `bytes` from address `a` to local memory. */
SCREE__GLOBAL_FORMS(get, SCREE__GLOBAL_OP(GET, get, a, to, bytes, 0, 0), void *to, scree_address a, size_t bytes);
/* scree_put(self, a, from, bytes): copies `bytes` of local memory to address `a`. */
SCREE__GLOBAL_FORMS(put, SCREE__GLOBAL_OP(PUT, put, a, (void *)(uintptr_t)from, bytes, 0, 0), scree_address a,
                    const void *from, size_t bytes);
/* scree_put_value(self, a, value, bytes): the lowest `bytes` of the value, 1 to 8. */
SCREE__GLOBAL_FORMS(put_value, SCREE__GLOBAL_OP(PUT, put_value, a, NULL, bytes, value, 0), scree_address a,
                    uint64_t value, size_t bytes);
/* scree_atomic_fetch_add(self, a, value, bytes, old), and so on: a word of 4 or 8 bytes, aligned. The word that was there goes to
 * *old; NULL: nowhere, and no result is sent. A word that atomics change is changed by atomics and 8-byte or 4-byte puts alone. */
#define SCREE__GLOBAL_ATOMIC(name, kind)                                                                               \
  SCREE__GLOBAL_FORMS(atomic_##name, SCREE__GLOBAL_OP(kind, atomic_##name, a, old, bytes, value, 0), scree_address a,  \
                      uint64_t value, size_t bytes, uint64_t *old)
SCREE__GLOBAL_ATOMIC(fetch_add, ADD);
SCREE__GLOBAL_ATOMIC(swap, SWAP);
SCREE__GLOBAL_ATOMIC(and, AND);
SCREE__GLOBAL_ATOMIC(or, OR);
SCREE__GLOBAL_ATOMIC(xor, XOR);
/* Stores the value if the word is `expected`. */
SCREE__GLOBAL_FORMS(atomic_compare_swap, SCREE__GLOBAL_OP(COMPARE, atomic_compare_swap, a, old, bytes, value, expected),
                    scree_address a, uint64_t expected, uint64_t value, size_t bytes, uint64_t *old);

/* Waits until all implicit operations of this task are complete, and of no other one. Returns as scree_task_yield. On the worker's
 * own stack: scree_quiet_poll, as the other forms _poll. */
scree_status scree_quiet(scree_task *self);
scree_status scree_quiet_poll(scree_worker *worker);

/* ---- delegates --------------------------------------------------------------------------------------------------- */

typedef void scree__delegate_fn(scree_worker *worker, void *object, const void *args, void *result, void *arg);
scree_status scree__delegate_register(scree_world *world, const char *name, uint32_t args, uint32_t result,
                                      scree__delegate_fn *fn, void *arg, const scree__delegate **out);

/* The worker at which delegates on that byte run, for scree_worker_number's calls and name_spawn_on: one for each 4096 bytes of a part. Local; in
 * an epoch. An address outside of the heap: the world fails with SCREE_EINVAL, and the caller's own number is returned. */
uint32_t scree_global_worker(scree_worker *worker, scree_address a);

/* SCREE_TASK_AT(name, Args), behind SCREE_TASK(name, Args): name_spawn_at(w, t, scope, address, args) begins a task there. */
#define SCREE_TASK_AT(name, Args)                                                                                      \
  static inline SCREE__MAYBE_UNUSED void name##_spawn_at(scree_worker *w, name##_type t, scree_scope *scope,           \
                                                         scree_address a, Args args_) {                                \
    name##_spawn_on(w, t, scope, scree_global_worker(w, a), args_);                                                    \
  }                                                                                                                    \
  typedef name##_type name##_spawned_at_type

/* SCREE_DELEGATE(name, Args, Result): a function that runs where an object is, in a handler of the one worker that all delegates on the
 * same 4096 bytes of a part run on; so they need no atomics among each other, and must use scree's where others change the same words by
 * atomics. `bytes` of the object at address `a` lie in one such piece, and in one stripe. Args and Result are plain, of up to 4096 bytes.
 * At file scope. Defines
 *   name_type                                                 what name_register fills; a value, copy freely
 *   scree_status name_call(self, t, a, bytes, args, &result)  waits for the result; as scree_get
 *   void name_call_into(w, future, t, a, bytes, args, &result), name_call_in(w, completion, t, a, bytes, args, &result)
 *   void name_cast(w, t, a, bytes, args)                      without result; implicit: see scree_quiet
 * result NULL: none is sent. Legal and errors as of the operations above; an object that does not lie so: SCREE_EINVAL. */
#define SCREE__DELEGATE_OP(name, a, bytes, args, result)                                                               \
  { #name "_call", a, result, bytes, 0, 0, SCREE__GLOBAL_CALL, t.of, args }
#define SCREE_DELEGATE(name, Args, Result)                                                                             \
  SCREE__STATIC_ASSERT(sizeof(Args) <= 4096 && sizeof(Result) <= 4096, "arguments and results have up to 4096 bytes"); \
  SCREE__STATIC_ASSERT(SCREE__IS_PLAIN(Args) && SCREE__IS_PLAIN(Result), "they are copied as bytes");                  \
  typedef struct {                                                                                                     \
    const scree__delegate *of;                                                                                         \
  } name##_type;                                                                                                       \
  static inline SCREE__MAYBE_UNUSED scree_status name##_call(scree_task *self, name##_type t, scree_address a,         \
                                                             size_t bytes, Args args_, Result *result) {               \
    const scree__global_op op = SCREE__DELEGATE_OP(name, a, bytes, &args_, result);                                    \
    return scree__global_wait(self, &op);                                                                              \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_call_into(scree_worker *w, scree_future *future, name##_type t,        \
                                                          scree_address a, size_t bytes, Args args_, Result *result) { \
    const scree__global_op op = SCREE__DELEGATE_OP(name, a, bytes, &args_, result);                                    \
    scree__global_into(w, future, &op);                                                                                \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_call_in(scree_worker *w, scree_completion *completion, name##_type t,  \
                                                        scree_address a, size_t bytes, Args args_, Result *result) {   \
    const scree__global_op op = SCREE__DELEGATE_OP(name, a, bytes, &args_, result);                                    \
    scree__global_in(w, completion, &op);                                                                              \
  }                                                                                                                    \
  static inline SCREE__MAYBE_UNUSED void name##_cast(scree_worker *w, name##_type t, scree_address a, size_t bytes,    \
                                                     Args args_) {                                                     \
    const scree__global_op op = SCREE__DELEGATE_OP(name, a, bytes, &args_, NULL);                                      \
    scree__global_implicit(w, &op);                                                                                    \
  }                                                                                                                    \
  typedef void name##_fn(scree_worker *, void *, const Args *, Result *, void *)

/* SCREE_DELEGATE_BODY(name, Args, Result, fn): in one .c file, after the definition of
 *   void fn(scree_worker *w, void *object, const Args *args, Result *result, void *arg)
 * which is a handler: it may send and spawn, and never waits. *result begins as zeros. Defines  scree_status name_register(world, arg, &t):
 * as scree_register, behind scree_global_open. */
#define SCREE_DELEGATE_BODY(name, Args, Result, fn)                                                                    \
  static void name##__body(scree_worker *w, void *object, const void *args_, void *result, void *arg) {                \
    fn(w, object, (const Args *)args_, (Result *)result, arg);                                                         \
  }                                                                                                                    \
  static SCREE__MAYBE_UNUSED scree_status name##_register(scree_world *world, void *arg, name##_type *t) {             \
    return scree__delegate_register(world, #name, (uint32_t)sizeof(Args), (uint32_t)sizeof(Result), name##__body, arg, \
                                    &t->of);                                                                           \
  }                                                                                                                    \
  typedef name##_type name##_registered_type

/* ---- statistics --------------------------------------------------------------------------------------------------- */

/* Operations of these workers, by kind, and their bytes; shares of them that were touched at once, in this rank's part or another one of the
 * node; requests for the others; implicit words, which need none; waits for fewer under way (global_outstanding). */
typedef struct {
  size_t size; /* as in scree_tasks_stats, and read by a function that works as scree_tasks_stats_read */
  uint64_t gets, puts, atomics, calls, bytes, local, direct, requests, words, waits;
} scree_global_stats;
scree_status scree_global_stats_read(const scree_world *world, scree_global_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
