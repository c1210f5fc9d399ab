/* heap.h - opening global memory, and allocations; include scree/global.h. */
#ifndef SCREE_GLOBAL_HEAP_H
#define SCREE_GLOBAL_HEAP_H
#include <scree/global/address.h>
#include <scree/task.h>
#ifdef __cplusplus
extern "C" {
#endif

/* X(field, kind, default, min, max, choices, rare, help), as in options.h: variables SCREE_GLOBAL_HEAP and so on. */
/* clang-format off */
#define SCREE_GLOBAL_OPTIONS(X)                                                                                        \
  X(global_heap, SIZE, 64 << 20, 4096, UINT64_C(1) << 40, "", false,                                                   \
    "bytes of each rank's part of global memory, rounded up to 4096; memory is taken when it is allocated")            \
  X(global_stripe, SIZE, 64, 8, 1 << 20, "", false,                                                                    \
    "bytes of a stripe of linear addresses, a power of two: stripes are on the ranks in turn")                         \
  X(global_direct, CHOICE, 0, 0, 2, "auto|on|off", true,                                                               \
    "how ranks of a node use each other's parts: on by loads and stores, off by messages; auto by loads and stores "   \
    "where the caller waits, or moves more than 64 bytes")                                                             \
  X(global_outstanding, COUNT, 4096, 1, 65536, "", true,                                                               \
    "asynchronous operations of a worker that are not complete, implicit words excepted; one that begins another "     \
    "waits until there are fewer")
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

/* Lets the world have global memory. Collective; idle world, owner's thread; once, after scree_tasks_open. `options`
 * may be NULL; it is copied. It takes addresses, and a page for each node; memory is taken by allocations, and freed
 * when the world closes. Errors, on all ranks: SCREE_EINVAL (an option, also a stripe that is not a power of two; ranks
 * have different sizes), SCREE_ESTATE (no tasks in this world, or global memory already; an epoch is open; a handler),
 * SCREE_ENOMEM (the parts of a node's ranks are more than it has left: the text has the sums), or the code of a world
 * that has failed. */
scree_status scree_global_open(scree_world *world, const scree_global_options *options);

/* Translates addresses of that world: owner, offset, pointer; valid until the world closes. NULL: it has no global
 * memory. Local; any thread, any time. */
const scree_global_map *scree_global_map_of(const scree_world *world);

/* ---- allocation -------------------------------------------------------------------------------------------------- */

/* Where the bytes of an allocation are. PARTITION: as many contiguous bytes, a multiple of 64, on each rank: from rank
 * 0, from the caller's, or from a random one on, which has byte 0. LOCAL: all on the caller's rank. REMOTE: as
 * PARTITION, on all ranks but the caller's, from the next one on. REPLICATE: all of them on each rank, at the same
 * offset. CYCLIC: linear addresses from a stripe of rank 0 on. (GMT: Morari et al. 2014, Table I; CYCLIC is
 * Grappa's.) */
typedef enum {
  SCREE_GLOBAL_PARTITION,
  SCREE_GLOBAL_PARTITION_HERE,
  SCREE_GLOBAL_PARTITION_RANDOM,
  SCREE_GLOBAL_LOCAL,
  SCREE_GLOBAL_REMOTE,
  SCREE_GLOBAL_REPLICATE,
  SCREE_GLOBAL_CYCLIC,
  SCREE_GLOBAL_POLICIES,                        /* how many there are */
  SCREE_GLOBAL_EXPORTED = SCREE_GLOBAL_POLICIES /* of scree_global_export: no policy of an allocation */
} scree_global_policy;

/* An allocation: a value, which may be sent. bytes and policy are read only; the other fields are private. */
typedef struct scree_global {
  uint64_t bytes, offset; /* of byte 0 in its owner's part; of CYCLIC, its address */
  uint64_t block;         /* bytes on each rank that has some */
  uint32_t place, generation;
  uint32_t first; /* rank of byte 0 */
  uint32_t policy;
} scree_global;

/* The address of a byte; of REPLICATE, in the copy of `rank`, else `rank` is not read. Undefined: byte > bytes.
 * Contiguous from there on: scree_global_contiguous. Local; any thread, any time. */
static inline scree_address scree_global_at(const scree_global_map *map, const scree_global *array, uint32_t rank,
                                            uint64_t byte) {
  if (array->policy == SCREE_GLOBAL_CYCLIC) return array->offset + byte;
  if (array->policy == SCREE_GLOBAL_REPLICATE) return scree_global_address(rank, array->offset + byte);
  if (array->policy == SCREE_GLOBAL_LOCAL || array->policy == SCREE_GLOBAL_EXPORTED)
    return scree_global_address(array->first, array->offset + byte);
  const uint64_t part = byte / array->block;
  const uint64_t owner = array->first + part;
  return scree_global_address((uint32_t)(owner < map->ranks ? owner : owner - map->ranks),
                              array->offset + byte - part * array->block);
}

/* How many bytes of the allocation from `byte` on have addresses that follow one another: what one operation may touch.
 * Of all policies but PARTITION and REMOTE: up to its end. */
static inline uint64_t scree_global_contiguous(const scree_global *array, uint64_t byte) {
  const bool in_blocks = array->policy <= SCREE_GLOBAL_PARTITION_RANDOM || array->policy == SCREE_GLOBAL_REMOTE;
  const uint64_t to_end = array->bytes - byte, in_block = in_blocks ? array->block - byte % array->block : to_end;
  return in_block < to_end ? in_block : to_end;
}

/* Allocates. The bytes have no particular values. Not collective; in a task, which waits for rank 0 and, where memory
 * has to be taken, for the ranks that take it. *array is set on success. Errors: SCREE_ENOMEM (the heap, or the memory
 * of a rank, is exhausted: the world goes on, and scree_error_text has the sums), SCREE_EINVAL (0 bytes, no policy,
 * REMOTE in a world of one rank: the world goes on too), or as scree_task_yield. */
scree_status scree_global_alloc(scree_task *self, uint64_t bytes, scree_global_policy policy, scree_global *array);

/* Frees an allocation of any rank, or of scree_symmetric_alloc. No operation on it may be under way or begin. Its
 * memory is reused only after the epoch has ended. A handle that was freed before, or is not of this world, fails the
 * world with SCREE_ESTATE. In a task, which waits for rank 0; returns as scree_task_yield. */
scree_status scree_global_free(scree_task *self, const scree_global *array);

/* Gives addresses to memory of this rank that exists, as rows of a graph; it stays the caller's. They are of this rank,
 * after the heap: other ranks access it only by messages, also on this node. The memory must stay until
 * scree_global_free has returned. writable false: what would change it fails the world; delegates must not. In a task,
 * which waits for rank 0. Errors, and the world goes on: SCREE_EINVAL (0 bytes, more than 2^38, not aligned to 8),
 * SCREE_ENOMEM (no addresses are left); or as scree_task_yield. */
scree_status scree_global_export(scree_task *self, void *memory, uint64_t bytes, bool writable, scree_global *array);

/* The address of a byte on the calling task's own stack, which any rank may use until the object there ends, and in
 * this epoch alone: by messages, also on this node. Arithmetic on it stays on that stack. Local; in a task. Not on its
 * stack: SCREE_NO_ADDRESS, and the world fails with SCREE_EINVAL. */
scree_address scree_global_stack(scree_task *self, const void *pointer);

/* The allocation that these bytes (0: the one at the address) are of, by a copy of rank 0's entry: *array is its
 * handle, which a handle from elsewhere may be compared with by place and generation. In a task, which waits for rank
 * 0. Errors, and the world goes on: SCREE_EINVAL (of none), SCREE_ESTATE (of one that was freed in this epoch); or as
 * scree_task_yield. */
scree_status scree_global_find(scree_task *self, scree_address a, uint64_t bytes, scree_global *array);

/* As scree_global_alloc with REPLICATE: the same offset on all ranks, whose own bytes scree_global_local points to.
 * Collective; idle world, owner's thread. Errors: SCREE_EINVAL (0 bytes; ranks request different sizes), SCREE_ENOMEM,
 * SCREE_ESTATE (no global memory; an epoch is open; a handler), or the code of a world that has failed; the same on all
 * ranks. */
scree_status scree_symmetric_alloc(scree_world *world, uint64_t bytes, scree_global *array);

#ifdef __cplusplus
}
#endif
#endif
