/* segment.c - layout and mapping of shared memory.
 *
 * Room: what segment.h declares. Memory is reserved for real before first use: an overrun of a small /dev/shm is an
 * error here, and would be a SIGBUS later. */
#include "transport/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <scree/scree.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, CHUNK = 1 << 18 };

static size_t round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

void scree__segment_plan(scree__segment *s, uint32_t ranks, uint32_t pages, uint64_t memory, uint64_t in_flight) {
  size_t least = 2 * (SCREE_ITEM_MAX + sizeof(scree__block)), cells = 2;
  while (cells < (size_t)ranks * in_flight) cells *= 2;
  *s = (scree__segment){.fd = -1, .ranks = ranks, .pages = pages, .inbox_capacity = cells};
  s->slots_at = pages * sizeof(scree__node_page);
  s->areas_at = round_up(s->slots_at + ranks * sizeof(scree__node_slot), PAGE);
  s->arena_at = round_up(sizeof(scree__inbox) + cells * sizeof(AO_t), PAGE);
  s->arena_bytes = round_up(memory < least ? least : (size_t)memory, PAGE);
  s->area_bytes = s->arena_at + s->arena_bytes;
  s->bytes = s->areas_at + ranks * s->area_bytes;
}

static bool map(scree__segment *s, int flags) {
  void *at = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, s->fd, 0);
  if (at == MAP_FAILED) return false;
  s->map = at;
  return true;
}

bool scree__segment_plain(scree__segment *s) {
  return map(s, MAP_PRIVATE | MAP_ANONYMOUS);
}

static bool fail(scree__segment *s) {
  if (s->fd >= 0) close(s->fd);
  s->fd = -1;
  return false;
}

bool scree__segment_create(scree__segment *s, char *name, size_t size) {
  for (unsigned i = 0; i < 100 && s->fd < 0; i++) {
    snprintf(name, size, "/scree-%ld-%u", (long)getpid(), i);
    s->fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (s->fd < 0 && errno != EEXIST) return false;
  }
  if (s->fd < 0) return false;
  if (ftruncate(s->fd, (off_t)s->bytes) == 0 && map(s, MAP_SHARED)) return true;
  shm_unlink(name);
  return fail(s);
}

bool scree__segment_attach(scree__segment *s, const char *name) {
  s->fd = shm_open(name, O_RDWR | O_CLOEXEC, 0600);
  if (s->fd < 0) return false;
  return map(s, MAP_SHARED) ? true : fail(s);
}

void scree__segment_unlink(const char *name) {
  shm_unlink(name);
}

static bool reserve(scree__segment *s, size_t at, size_t bytes) {
  if (s->fd < 0) return true;
  int error;
  do error = posix_fallocate(s->fd, (off_t)at, (off_t)bytes);
  while (error == EINTR);
  return error == 0;
}

bool scree__segment_reserve_head(scree__segment *s) {
  return reserve(s, 0, s->areas_at);
}

bool scree__segment_reserve_inbox(scree__segment *s, uint32_t index) {
  return reserve(s, s->areas_at + index * s->area_bytes, s->arena_at);
}

size_t scree__segment_grant(scree__segment *s, uint32_t index, size_t granted, size_t upto) {
  size_t to = round_up(upto, CHUNK);
  if (to > s->arena_bytes) to = s->arena_bytes;
  size_t at = s->areas_at + index * s->area_bytes + s->arena_at + granted;
  return to > granted && reserve(s, at, to - granted) ? to : granted;
}

void scree__segment_free(scree__segment *s) {
  if (s->map) munmap(s->map, s->bytes);
  s->map = NULL;
  fail(s);
}
