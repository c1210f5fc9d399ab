/* segment.h - the memory that endpoints share: counters, inboxes, block arenas. One POSIX shared-memory object a node,
 * or plain memory for the threads of one process. Every process maps the whole; a block is named by its offset, which
 * is never 0. */
#ifndef SCREE__SHM_SEGMENT_H
#define SCREE__SHM_SEGMENT_H
#include <stdbool.h>
#include <stddef.h>

#include "block/inbox.h"
#include "block/node.h"

typedef struct {
  char *map;
  size_t bytes;
  int fd;                                                       /* -1: plain memory */
  uint32_t areas, pages;                                        /* one for each endpoint; one for each node */
  size_t inbox_capacity;                                        /* cells, a power of two */
  size_t slots_at, areas_at, area_bytes, arena_at, arena_bytes; /* arena_at: within an area */
} scree__shm_segment;

/* Where other processes find the object, and how they recognise it. */
typedef struct {
  char path[48]; /* "": there is none */
  uint64_t device, inode;
} scree__shm_segment_name;

/* Computes the layout for `areas` endpoints on `pages` nodes, each with `memory` bytes and `in_flight` blocks to any
 * other. */
void scree__shm_segment_plan(scree__shm_segment *s, uint32_t areas, uint32_t pages, uint64_t memory,
                             uint64_t in_flight);

/* Plain memory of the planned size. False: none. */
bool scree__shm_segment_plain(scree__shm_segment *s);
/* Where an object is: in /dev/shm without a name or with one, which bounds it; or in the memory of the job, of which at
 * least the planned size must remain. */
typedef enum { SCREE__SHM_UNNAMED, SCREE__SHM_NAMED, SCREE__SHM_OF_JOB } scree__shm_place;
/* Makes a new object and maps it. One without a name can be attached as long as s exists. */
bool scree__shm_segment_create(scree__shm_segment *s, scree__shm_place place, scree__shm_segment_name *name);
/* Maps the object at that place, if it is the expected one. */
bool scree__shm_segment_attach(scree__shm_segment *s, const scree__shm_segment_name *name);
/* Removes the name, if there is one: once all processes have attached, and before first use. */
void scree__shm_segment_unlink(const scree__shm_segment_name *name);
/* Reserves what lies before the areas (by one process), or one endpoint's inbox. False: memory is short. */
bool scree__shm_segment_reserve_head(scree__shm_segment *s);
bool scree__shm_segment_reserve_inbox(scree__shm_segment *s, uint32_t index);
/* Reserves the first `upto` bytes of an endpoint's arena, in chunks, of which `granted` are already reserved; returns
 * how many are now. */
size_t scree__shm_segment_grant(scree__shm_segment *s, uint32_t index, size_t granted, size_t upto);
/* Reserves that part of an arena. */
bool scree__shm_segment_reserve(scree__shm_segment *s, uint32_t index, size_t at, size_t bytes);
void scree__shm_segment_free(scree__shm_segment *s);

static inline scree__node_page *scree__shm_segment_page(const scree__shm_segment *s, uint32_t page) {
  return (scree__node_page *)(void *)s->map + page;
}
static inline scree__node_slot *scree__shm_segment_slots(const scree__shm_segment *s) {
  return (scree__node_slot *)(void *)(s->map + s->slots_at);
}
static inline scree__inbox *scree__shm_segment_inbox(const scree__shm_segment *s, uint32_t index) {
  return (scree__inbox *)(void *)(s->map + s->areas_at + index * s->area_bytes);
}
/* The first claim, which is its consumer's first cell. */
static inline void scree__shm_segment_start_inbox(const scree__shm_segment *s, uint32_t index, AO_t first) {
  AO_store(&scree__shm_segment_inbox(s, index)->tail, first);
}
static inline char *scree__shm_segment_arena(const scree__shm_segment *s, uint32_t index) {
  return s->map + s->areas_at + index * s->area_bytes + s->arena_at;
}
#endif
