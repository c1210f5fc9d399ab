/* segment.h - the memory that ranks share: counters, inboxes, block arenas.
 *
 * Room: its layout, and how it comes about: one POSIX shared-memory object a node, or plain memory for virtual ranks.
 * Every rank maps the whole; a rank's blocks are named by their offset, which is never 0. */
#ifndef SCREE__SEGMENT_H
#define SCREE__SEGMENT_H
#include <stdbool.h>
#include <stddef.h>

#include "block/inbox.h"
#include "block/node.h"

typedef struct {
  char *map;
  size_t bytes;
  int fd; /* -1: plain memory */
  uint32_t ranks, pages;
  size_t inbox_capacity;                                        /* cells, a power of two */
  size_t slots_at, areas_at, area_bytes, arena_at, arena_bytes; /* arena_at: within an area */
} scree__segment;

/* Where other processes find the object, and which it is. */
typedef struct {
  char path[48]; /* "": there is none */
  uint64_t device, inode;
} scree__segment_place;

/* Computes the layout for `ranks` ranks on `pages` nodes, each with `in_flight` blocks to any other. */
void scree__segment_plan(scree__segment *s, uint32_t ranks, uint32_t pages, uint64_t memory, uint64_t in_flight);

/* Plain memory of the planned size. False: none. */
bool scree__segment_plain(scree__segment *s);
/* Makes a new object and maps it. It has a name in /dev/shm, or none: then it is found as long as s is there. */
bool scree__segment_create(scree__segment *s, bool named, scree__segment_place *place);
/* Maps the object at that place, if it is that one. */
bool scree__segment_attach(scree__segment *s, const scree__segment_place *place);
/* Removes the name, if there is one: once all ranks have attached, and before first use. */
void scree__segment_unlink(const scree__segment_place *place);
/* Makes real what lies before the areas (by one rank), or one rank's inbox. False: memory is short. */
bool scree__segment_reserve_head(scree__segment *s);
bool scree__segment_reserve_inbox(scree__segment *s, uint32_t index);
/* Makes the first `upto` bytes of a rank's arena real, in chunks; returns how many are, from `granted` on. */
size_t scree__segment_grant(scree__segment *s, uint32_t index, size_t granted, size_t upto);
void scree__segment_free(scree__segment *s);

static inline scree__node_page *scree__segment_page(const scree__segment *s, uint32_t page) {
  return (scree__node_page *)(void *)s->map + page;
}
static inline scree__node_slot *scree__segment_slots(const scree__segment *s) {
  return (scree__node_slot *)(void *)(s->map + s->slots_at);
}
static inline scree__inbox *scree__segment_inbox(const scree__segment *s, uint32_t index) {
  return (scree__inbox *)(void *)(s->map + s->areas_at + index * s->area_bytes);
}
static inline char *scree__segment_arena(const scree__segment *s, uint32_t index) {
  return s->map + s->areas_at + index * s->area_bytes + s->arena_at;
}
#endif
